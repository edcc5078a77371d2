/* start.c -- a Linux process without a library: three system calls. For machines that QEMU emulates in user mode. */
#include "port.h"
#include "port_machine.h"

#define STACK_LOOKED_AT 65536

void port_start(void);

/* The first instructions, and system call `number` with three arguments. */
#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 60, PROTECT = 10 };
__asm__(".globl _start \n _start: xor %ebp, %ebp \n and $-16, %rsp \n call port_start \n hlt");
static void system_call(long number, long a, long b, long c) {
    __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
}
#elif defined(__aarch64__)
enum { WRITE = 64, EXIT = 93, PROTECT = 226 };
__asm__(".globl _start \n _start: mov x29, #0 \n bl port_start \n b .");
static void system_call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
}
#elif defined(__arm__)
enum { WRITE = 4, EXIT = 1, PROTECT = 125 };
__asm__(".globl _start \n _start: mov fp, #0 \n bl port_start \n b .");
static void system_call(long number, long a, long b, long c) {
    register long r7 __asm__("r7") = number;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
}
#elif defined(__powerpc__)
enum { WRITE = 4, EXIT = 1, PROTECT = 125 };
__asm__(
    ".globl _start \n _start: li 0, 0 \n stwu 1, -16(1) \n stw 0, 4(1) \n bl port_start \n b .");
static void system_call(long number, long a, long b, long c) {
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    __asm__ volatile("sc"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
                     :
                     : "memory", "cr0", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr");
}
#elif defined(__s390x__)
enum { WRITE = 4, EXIT = 1, PROTECT = 125 };
__asm__(".globl _start \n _start: aghi %r15, -160 \n brasl %r14, port_start \n j .");
static void system_call(long number, long a, long b, long c) {
    register long r1 __asm__("r1") = number;
    register long r2 __asm__("r2") = a;
    register long r3 __asm__("r3") = b;
    register long r4 __asm__("r4") = c;
    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory");
}
#elif defined(__mips__)
enum { WRITE = 4004, EXIT = 4001, PROTECT = 4125 };
__asm__(
    ".globl __start \n .set noreorder \n __start: addiu $29, $29, -32 \n jal port_start \n nop \n"
    "1: b 1b \n nop \n .set reorder");
static void system_call(long number, long a, long b, long c) {
    register long v0 __asm__("$2") = number;
    register long a0 __asm__("$4") = a;
    register long a1 __asm__("$5") = b;
    register long a2 __asm__("$6") = c;
    register long a3 __asm__("$7");
    __asm__ volatile("syscall"
                     : "+r"(v0), "=r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
}
#endif

unsigned char *port_stack_end;

void port_put(char c) {
    static char line[128];
    static long used;
    line[used++] = c;
    if (c == '\n' || used == (long)sizeof line) {
        system_call(WRITE, 1, (long)line, used);
        used = 0;
    }
}

/* The end of a page of memory, and the beginning of one that nothing may touch. */
unsigned char *port_guard(void) {
    enum { PAGE = 65536 }; /* as large as those of any of these machines */
    static unsigned char pages[3 * PAGE];
    unsigned char *page = pages + 2 * PAGE - (uintptr_t)pages % PAGE;
    system_call(PROTECT, (long)page, PAGE, 0);
    return page;
}

void port_start(void) {
    port_stack_end = (unsigned char *)port_stack_pointer() - STACK_LOOKED_AT;
    system_call(EXIT, port_main(), 0, 0);
    for (;;) {}
}
