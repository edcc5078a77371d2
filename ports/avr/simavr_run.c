/* simavr_run.c -- runs a program on a simulated ATmega: UART to standard output, and in the file COUNTS one line a
 * pair of marks, the cycles between them.
 *
 *     simavr_run MCU PROGRAM.elf COUNTS [MOST_CYCLES]
 *
 * The exit code is that of the program; 124: too many cycles, 125: it crashed, 126: it cannot be run.
 *
 *     gcc -O2 -I/usr/include/simavr simavr_run.c -lsimavr -lelf -o simavr_run */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

enum { GPIOR0 = 0x3E, GPIOR1 = 0x4A };

static int code = 125;
static FILE *counts;
static avr_cycle_count_t mark;
static unsigned marks;

static void on_character(struct avr_irq_t *irq, uint32_t value, void *user) {
    (void)irq;
    (void)user;
    putchar((int)value);
}

static void on_mark(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *user) {
    (void)user;
    avr->data[address] = value;
    if (marks++ % 2u == 1u) { fprintf(counts, "%llu\n", (unsigned long long)(avr->cycle - mark)); }
    mark = avr->cycle;
}

static void on_code(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *user) {
    (void)user;
    avr->data[address] = value;
    code = value;
}

static void say(avr_t *avr, const int level, const char *format, va_list values) {
    (void)avr;
    if (level <= LOG_WARNING) { vfprintf(stderr, format, values); }
}

static avr_t *machine(const char *mcu, const char *program) {
    static elf_firmware_t firmware;
    uint32_t flags = 0;
    avr_t *avr = avr_make_mcu_by_name(mcu);
    if (avr == NULL || elf_read_firmware(program, &firmware) != 0) { return NULL; }
    snprintf(firmware.mmcu, sizeof firmware.mmcu, "%s", mcu);
    firmware.frequency = 16000000;
    avr_init(avr);
    avr->run_cycle_limit = 1; /* each call of avr_run is one instruction */
    avr_load_firmware(avr, &firmware);
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            on_character, NULL);
    avr_register_io_write(avr, GPIOR0, on_mark, NULL);
    avr_register_io_write(avr, GPIOR1, on_code, NULL);
    return avr;
}

static unsigned word_at(const avr_t *avr, avr_flashaddr_t address) {
    return avr->flash[address] | (unsigned)avr->flash[address + 1u] << 8;
}

/* Whether simavr mistakes the size of the instruction behind a skip: adiw and sbiw, of one word, by a constant whose
 * last four bits are 12 to 15, look to it like jmp and call, of two (checked with simavr 1.6). */
static bool mistaken(const avr_t *avr, avr_flashaddr_t pc) {
    const unsigned skip = word_at(avr, pc), next = word_at(avr, pc + 2u);
    const bool skips = (skip & 0xFC00u) == 0x1000u /* cpse */ ||
                       (skip & 0xFC08u) == 0xFC00u /* sbrc, sbrs */ ||
                       (skip & 0xFD00u) == 0x9900u /* sbic, sbis */;
    return skips && (next & 0xFE0Cu) == 0x960Cu;
}

/* One instruction, with that mistake undone: one word and one cycle too many. */
static int step(avr_t *avr) {
    const avr_flashaddr_t pc = avr->pc;
    const int state = avr_run(avr);
    if (avr->pc == pc + 6u && mistaken(avr, pc)) {
        avr->pc -= 2u;
        avr->cycle--;
    }
    return state;
}

int main(int argc, char **argv) {
    const unsigned long long most = argc > 4 ? strtoull(argv[4], NULL, 0) : 10000000000ull;
    avr_t *avr;
    int state = cpu_Running;
    avr_global_logger_set(say);
    avr = argc > 3 ? machine(argv[1], argv[2]) : NULL;
    counts = avr != NULL ? fopen(argv[3], "w") : NULL;
    if (counts == NULL) {
        fprintf(stderr, "usage: simavr_run MCU PROGRAM.elf COUNTS [MOST_CYCLES]\n");
        return 126;
    }
    while (state != cpu_Done && state != cpu_Crashed && avr->cycle <= most) { state = step(avr); }
    fclose(counts);
    fflush(stdout);
    return avr->cycle > most ? 124 : state == cpu_Crashed ? 125 : code;
}
