/* Defects behind the library that the analysers named beside them have to find in each run: an analyser that gives up
 * early is silent too. Everything else that they say is a finding. */
int seeded_uninitialised(int k);
int seeded_uninitialised(int k) {
    int x;
    if (k > 3) { /* BUG: clang */
        x = 1;
    }
    return x; /* BUG: gcc-O0 clang-analyzer cppcheck */
}

margin_real seeded_null(margin_arena *mem);
margin_real seeded_null(margin_arena *mem) {
    margin_real *block = (margin_real *)margin_arena_keep(mem, 4, sizeof *block);
    return *block; /* BUG: gcc-O0 gcc-O2 */
}

int seeded_pointer(int *k);
int seeded_pointer(int *k) {
    if (k == NULL) { *k = 1; /* BUG: clang-analyzer cppcheck */ }
    return *k;
}

int seeded_bounds(void);
int seeded_bounds(void) {
    int table[3], sum = 0;
    for (int i = 0; i < 3; i++) { table[i] = i; }
    for (int i = 0; i <= 3; i++) { sum += table[i]; /* BUG: gcc clang-analyzer cppcheck */ }
    return sum;
}

int16_t seeded_narrow(int32_t k);
int16_t seeded_narrow(int32_t k) {
    const int16_t half = k / 2; /* BUG: clang clang-tidy */
    return half;
}

int seeded_jump(int k);
int seeded_jump(int k) {
    if (k * 2 + 1 > 3) { goto out; /* BUG: misra */ }
    k++;
out:
    return k;
}

int seeded_recursion(int k);
int seeded_recursion(int k) { /* BUG: clang-tidy */
    return k > 0 ? seeded_recursion(k - 1) : 0;
}
