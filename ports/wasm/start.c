/* start.c -- WebAssembly without a library: one function in, one out. run.js is the other side. */
#include "port.h"

__attribute__((import_module("port"), import_name("put"))) void port_import_put(int c);
__attribute__((export_name("run"))) int port_run(void);

void port_put(char c) {
    port_import_put(c);
}

int port_run(void) {
    return port_main();
}
