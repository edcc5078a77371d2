/* icount.c -- a plugin for QEMU that counts the instructions between two places of the guest's program,
 *
 *     qemu-system-arm ... -plugin build/ports/icount.so,begin=ADDRESS,end=ADDRESS,out=FILE
 *
 * one line a visit: all that is executed after the instruction at `begin` and before the one at `end`. The
 * counts are exact and repeat. The plugin interface is version 1, of QEMU 5 to 8; the few declarations that are
 * needed of it stand here, because Debian has no package of qemu-plugin.h.
 *
 *     gcc -O2 -shared -fPIC icount.c -o icount.so */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { CALLBACK_WITHOUT_REGISTERS = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, void *),
                                    void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            void (*call)(unsigned, void *), int flags, void *user);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t begin = UINT64_MAX, end = UINT64_MAX;
static uint64_t executed, at_begin;
static FILE *out;

static void any(unsigned cpu, void *user) {
    (void)cpu;
    (void)user;
    executed++;
}

static void reached_begin(unsigned cpu, void *user) {
    any(cpu, user);
    at_begin = executed;
}

static void reached_end(unsigned cpu, void *user) {
    any(cpu, user);
    fprintf(out, "%llu\n", (unsigned long long)(executed - at_begin - 1u));
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    const size_t count = qemu_plugin_tb_n_insns(block);
    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        const uint64_t address = qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction,
                                               address == begin ? reached_begin
                                               : address == end ? reached_end
                                                                : any,
                                               CALLBACK_WITHOUT_REGISTERS, NULL);
    }
}

static void ended(qemu_plugin_id_t id, void *user) {
    (void)id;
    (void)user;
    fclose(out);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (value != NULL && strncmp(argv[i], "begin=", 6) == 0) {
            begin = strtoull(value + 1, NULL, 0);
        } else if (value != NULL && strncmp(argv[i], "end=", 4) == 0) {
            end = strtoull(value + 1, NULL, 0);
        } else if (value != NULL && strncmp(argv[i], "out=", 4) == 0 && out == NULL) {
            out = fopen(value + 1, "w");
        } else {
            return -1;
        }
    }
    if (out == NULL) { return -1; }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
