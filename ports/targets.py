"""targets.py -- the machines that the ports run on: how to compile for each, and how to run what was compiled."""
from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field, replace

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = "build/ports"  # all paths are relative to ROOT
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wundef -Werror".split()
COMMON = ["report.c", "stack.c", "mark.c"]
PLUGIN, SIMULATOR = f"{BUILD}/icount.so", f"{BUILD}/simavr_run"


class Problem(Exception):
    """A command that failed, in words."""


class TooLarge(Problem):
    """A program that does not fit the machine."""


@dataclass
class Ran:
    """What a program printed and, between its marks, counted."""
    code: int
    text: str
    counts: list[int]


@dataclass
class Target:
    """One machine. `flash` and `ram` are bytes, None where there is no limit worth the name."""
    name: str
    family: str                     # folder below ports/
    cc: list[str]                   # compiler and the flags of the machine
    link: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=lambda: ["-lgcc"])
    run: list[str] = field(default_factory=list)  # {elf} and {count} are filled in
    optimise: str = "-O2"           # of the suite
    tools: str = ""                 # prefix of nm and objdump
    unit: str = "instructions"      # what is counted; empty: nothing
    flash: int | None = None
    ram: int | None = None
    known: dict[str, str] = field(default_factory=dict)  # test -> defect of the platform that changes its bits
    memory: bool = True             # needs memory.c
    predict: bool = False           # the suite has the predictors alone

    @property
    def folder(self) -> str:
        return f"{BUILD}/{self.name}"

    def flags(self) -> list[str]:
        return ["-ffreestanding", "-ffunction-sections", "-fdata-sections", "-fno-common", *WARNINGS,
                "-I.", f"-Iports/{self.family}", "-Iports/common", f"-I{BUILD}/models"]

    def compile(self, source: str, name: str, flags: list[str]) -> str:
        """The object build/ports/TARGET/NAME.o."""
        out = f"{self.folder}/{name}.o"
        os.makedirs(os.path.join(ROOT, self.folder), exist_ok=True)
        command = [*self.cc, *self.flags(), *flags, "-MD", "-MP", "-c", source, "-o", out]
        if not current(out, command):
            call(command)
            with open(os.path.join(ROOT, out + ".command"), "w", encoding="utf-8") as file:
                file.write("\n".join(command))
        return out

    def start(self, flags: list[str]) -> list[str]:
        """Objects of the port itself."""
        sources = [f"ports/{self.family}/start.c"] + [f"ports/common/{name}" for name in COMMON]
        sources += ["ports/common/memory.c"] if self.memory else []
        return [self.compile(source, "start-" + os.path.basename(source)[:-2], flags) for source in sources]

    def program(self, objects: list[str], name: str) -> str:
        out = f"{self.folder}/{name}.{'wasm' if self.family == 'wasm' else 'elf'}"
        command = [*self.cc, *self.link, *objects, *self.libraries, f"-Wl,-Map={out}.map", "-o", out]
        try:
            call(command)
        except Problem as problem:
            if re.search(r"overflowed by|will not fit|is left for the stack|no room for the stack", str(problem)):
                raise TooLarge(overflow(str(problem))) from None
            raise
        if self.ram is not None and self.unit == "cycles":  # the linker of AVR does not look at RAM
            used = sum(size for section, size in self.sections(out).items() if section in (".data", ".bss", ".noinit"))
            if used + STACK_LEAST > self.ram:
                raise TooLarge(f"{used + STACK_LEAST - self.ram} bytes of RAM too much")
        return out

    def sections(self, elf: str) -> dict[str, int]:
        text = call([f"{self.tools}objdump", "-h", elf]).stdout
        return {name: int(size, 16) for name, size in re.findall(r"^ *\d+ (\.\S+) +([0-9a-f]{8})", text, re.M)}

    def address(self, elf: str, symbol: str) -> int:
        found = re.search(rf"^([0-9a-f]+) \S {symbol}$", call([f"{self.tools}nm", elf]).stdout, re.M)
        if not found:
            raise Problem(f"{elf}: no symbol {symbol}")
        return int(found.group(1), 16)

    def execute(self, elf: str, count: bool = False, seconds: int = 120) -> Ran:
        """Runs a program; with `count` also what its marks enclose."""
        out, words = elf + ".counts", []
        if self.unit == "cycles":
            words = [out]
        elif count and self.unit:
            begin, end = (self.address(elf, f"port_mark_{word}") & ~self.thumb for word in ("begin", "end"))
            words = ["-plugin", f"{PLUGIN},begin={begin:#x},end={end:#x},out={out}"]
        command = []
        for word in self.run:
            command += words if word == "{count}" else [word.format(elf=elf, root=ROOT)]
        try:
            ran = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Ran(124, f"{self.name}: still running after {seconds} s", [])
        counts = []
        if words and os.path.exists(os.path.join(ROOT, out)):
            with open(os.path.join(ROOT, out), encoding="ascii") as file:
                counts = [int(line) for line in file]
        return Ran(ran.returncode, (ran.stdout + ran.stderr).decode("utf-8", "replace"), counts)

    @property
    def thumb(self) -> int:
        """The bit that marks Thumb code in an address."""
        return 1 if self.family == "cortex-m" else 0


STACK_LEAST = 200  # bytes of RAM that an AVR program must leave free, or it counts as too large


def overflow(message: str) -> str:
    found = re.search(r"region `(\w+)' overflowed by (\d+) bytes", message)
    return f"{found.group(2)} bytes of {found.group(1)} too much" if found else "does not fit"


def current(out: str, command: list[str]) -> bool:
    """Whether an object was made by this command from files that have not changed since; they stand beside it."""
    try:
        with open(os.path.join(ROOT, out + ".command"), encoding="utf-8") as file:
            if file.read() != "\n".join(command):
                return False
        with open(os.path.join(ROOT, out[:-2] + ".d"), encoding="utf-8") as file:
            sources = file.read().replace("\\\n", " ").split("\n", 1)[0].split(":", 1)[1].split()
        made = os.path.getmtime(os.path.join(ROOT, out))
        return all(os.path.getmtime(os.path.join(ROOT, source)) < made for source in sources)
    except OSError:
        return False


def call(command: list[str]) -> subprocess.CompletedProcess:
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        raise Problem(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
    return ran


ELF = ["-nostdlib", "-nostartfiles", "-Wl,--gc-sections"]


def cortex_m(name: str, cpu: str, board: str, flash: tuple[int, int], ram: tuple[int, int], optimise: str = "-O2") -> Target:
    places = {"PORT_FLASH": flash[0], "PORT_FLASH_SIZE": flash[1], "PORT_RAM": ram[0], "PORT_RAM_SIZE": ram[1]}
    return Target(
        name, "cortex-m", ["arm-none-eabi-gcc", "-std=c99", "-mthumb", *cpu.split()],
        [*ELF, "-Wl,-T,ports/cortex-m/cortex-m.ld", *(f"-Wl,--defsym={k}={v:#x}" for k, v in places.items())],
        run=["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial", "none", "-chardev",
             "stdio,id=sh", "-semihosting-config", "enable=on,target=native,chardev=sh", "{count}", "-kernel", "{elf}"],
        optimise=optimise, tools="arm-none-eabi-", flash=flash[1], ram=ram[1])


def riscv(name: str, march: str, mabi: str, cpu: str) -> Target:
    return Target(
        name, "riscv", ["riscv64-unknown-elf-gcc", "-std=c99", f"-march={march}", f"-mabi={mabi}", "-mcmodel=medany"],
        [*ELF, "-Wl,-T,ports/riscv/riscv.ld"],
        run=["qemu-system-riscv32", "-M", "virt", "-cpu", cpu, "-bios", "none", "-display", "none", "-monitor", "none",
             "-serial", "stdio", "{count}", "-kernel", "{elf}"], tools="riscv64-unknown-elf-")


def avr(mcu: str, flash: int, ram: int) -> Target:
    # `program` says how much RAM is missing; the linker, told of more than there is, would only refuse.
    link = ["-Wl,--gc-sections", "-Wl,--defsym=__DATA_REGION_LENGTH__=0xF000"]
    return Target(mcu, "avr", ["avr-gcc", "-std=gnu99", f"-mmcu={mcu}", "-mrelax"], link, [],
                  [SIMULATOR, mcu, "{elf}", "{count}"], "-Os", "avr-", "cycles", flash, ram,
                  {"float_subnormal": "AVR's division rounds some subnormal quotients 1 ulp off"}, memory=False)


def linux(name: str, cc: str, qemu: str, optimise: str = "-O2") -> Target:
    prefix = "" if cc.split()[0] in ("gcc", "clang") else cc.split()[0][:-3]
    flags = "-std=c99 -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables".split()
    return Target(name, "linux-user", [*cc.split(), *flags], [*ELF, "-static", "-no-pie"],
                  run=[*([qemu, "{count}"] if qemu else []), "{elf}"], optimise=optimise, tools=prefix,
                  unit="instructions" if qemu else "")


def wasm(name: str) -> Target:
    return Target(name, "wasm", ["clang", "--target=wasm32", "-std=c99"],
                  ["-nostdlib", "-Wl,--no-entry", "-Wl,--stack-first", "-Wl,-z,stack-size=16384"], [],
                  ["node", "ports/wasm/run.js", "{elf}"], unit="", tools="llvm-")


K, M = 1024, 1024 * 1024
M4F = "-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16"
M55 = "-mcpu=cortex-m55 -mfloat-abi=hard -fno-tree-vectorize"  # its vector unit flushes subnormal numbers to zero
TARGETS = [
    cortex_m("cortex-m0", "-mcpu=cortex-m0", "microbit", (0, 256 * K), (0x20000000, 16 * K), "-Os"),  # else too large
    cortex_m("cortex-m3", "-mcpu=cortex-m3", "mps2-an385", (0, 4 * M), (0x20000000, 64 * K)),
    cortex_m("cortex-m4f", M4F, "mps2-an386", (0, 4 * M), (0x20000000, 64 * K)),
    cortex_m("cortex-m7", "-mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16", "mps2-an500", (0, 4 * M), (0x20000000, 64 * K)),
    cortex_m("cortex-m33", "-mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16", "mps2-an505", (0x10000000, 4 * M),
             (0x38000000, 64 * K)),
    cortex_m("cortex-m55", M55, "mps3-an547", (0x10000000, 512 * K), (0x30000000, 64 * K)),
    riscv("rv32imc", "rv32imc", "ilp32", "rv32,f=false,d=false"),
    riscv("rv32imafc", "rv32imafc", "ilp32f", "rv32,d=false"),
    avr("atmega328p", 32 * K, 2 * K),
    avr("atmega2560", 256 * K, 8 * K),
    wasm("wasm32"),
    linux("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    linux("ppc", "powerpc-linux-gnu-gcc", "qemu-ppc"),
    linux("s390x", "s390x-linux-gnu-gcc -fexcess-precision=fast", "qemu-s390x"),
]
# Loops in assembly depend on the level of optimisation: the predictors of these run at the other level too.
OTHER_LEVELS = [replace(target, name=target.name + ("-O2" if target.optimise == "-Os" else "-Os"), predict=True,
                        optimise="-O2" if target.optimise == "-Os" else "-Os")
                for target in TARGETS if target.name in ("cortex-m0", "cortex-m3", "cortex-m4f")]
# These have 32 bits, little-endian, and pages that guard memory: they run the suite, but nobody builds firmware for them.
PROCESSES = [linux("armv7", "arm-none-eabi-gcc -marm -mcpu=cortex-a7 -mfloat-abi=hard -mfpu=vfpv3-d16", "qemu-arm")]
HOSTS = [linux("host-gcc", "gcc", ""), linux("host-gcc-O0", "gcc", "", "-O0"),
         linux("host-clang", "clang", ""), linux("host-clang-O0", "clang", "", "-O0")]


def chosen(names: list[str], among: list[Target]) -> list[Target]:
    unknown = set(names) - {t.name for t in among}
    if unknown:
        raise Problem(f"no target {' '.join(sorted(unknown))}; there are {' '.join(t.name for t in among)}")
    return [t for t in among if not names or t.name in names]


def build_counters() -> None:
    """The plugin for QEMU and the program around simavr."""
    os.makedirs(os.path.join(ROOT, BUILD), exist_ok=True)
    call(["gcc", "-O2", "-std=c99", *WARNINGS, "-shared", "-fPIC", "ports/common/icount.c", "-o", PLUGIN])
    call(["gcc", "-O2", "-std=c99", "-isystem", "/usr/include/simavr", "ports/avr/simavr_run.c", "-lsimavr", "-lelf", "-o",
          SIMULATOR])
