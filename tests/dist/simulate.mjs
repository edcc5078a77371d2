// simulate.mjs avr8js PROGRAM.hex LINES | rp2040js PROGRAM.bin LINES: runs a program in a simulator of npm until it has printed
// so many lines on its first UART, or for a few hundred million instructions. The packages are in build/npm.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [, , simulator, file, count] = process.argv;
const require = createRequire(path.resolve("build/npm/package.json"));
const most = 400e6;
let text = "";
const put = (byte) => (text += String.fromCharCode(byte));
const done = () => text.split("\n").length > Number(count);

function hexWords(lines) {
  const bytes = new Uint8Array(32768);
  for (const line of lines.split("\n")) {
    if (line[0] === ":" && line.slice(7, 9) === "00") {
      const at = parseInt(line.slice(3, 7), 16);
      for (let i = 0; i < parseInt(line.slice(1, 3), 16); i++) bytes[at + i] = parseInt(line.slice(9 + 2 * i, 11 + 2 * i), 16);
    }
  }
  return new Uint16Array(bytes.buffer);
}

function uno() {
  const { CPU, AVRADC, AVRTimer, AVRUSART, adcConfig, avrInstruction, timer0Config, usart0Config } = require("avr8js");
  const cpu = new CPU(hexWords(fs.readFileSync(file, "ascii")));
  new AVRTimer(cpu, timer0Config); // delay() counts its overflows
  new AVRADC(cpu, adcConfig); // all inputs at 0 V
  new AVRUSART(cpu, usart0Config, 16e6).onByteTransmit = put;
  for (let i = 0; i < most && !(i % 4096 === 0 && done()); i++) {
    avrInstruction(cpu);
    cpu.tick();
  }
}

function pico() {
  const { RP2040 } = require("rp2040js");
  const chip = new RP2040();
  chip.flash.set(fs.readFileSync(file));
  chip.uart[0].onByte = put;
  chip.core.VTOR = 0x10000000; // as the second stage of the boot does it
  chip.core.reset();
  for (let i = 0; i < most && !(i % 4096 === 0 && done()); i++) chip.core.executeInstruction();
}

simulator === "avr8js" ? uno() : pico();
process.stdout.write(text.split("\n").slice(0, Number(count)).join("\n") + "\n");
