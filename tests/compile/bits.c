/* Prints one number a section: a hash over the bits of many results of the library, which `make bits`
 * builds by several compilers under many flags; all must print the same. */
#include <stdio.h>
#include <string.h>

#include "margin.h"

#define N 67 /* samples and */
#define D 13 /* features: no multiple of any vector width */

#ifdef MARGIN_REAL_DOUBLE
typedef uint64_t real_bits;
#else
typedef uint32_t real_bits;
#endif
typedef union {
    margin_real real;
    real_bits bits;
} punned;

#define HASH_START 2166136261u /* FNV-1a, over bytes from low to high on any machine */
static uint32_t hash = HASH_START;

static void hash_real(margin_real value) {
    punned p;
    size_t i;
    p.real = value == value ? value : 0; /* which NaN it is does not matter */
    for (i = 0; i < sizeof value; i++) {
        hash = (hash ^ (uint32_t)(p.bits & 255u)) * 16777619u;
        p.bits >>= 8;
    }
}

static void hash_reals(const margin_real *values, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) { hash_real(values[i]); }
}

static void report(const char *section) {
    printf("%s %08lx\n", section, (unsigned long)hash);
    hash = HASH_START;
}

/* Numbers in (-1, 1) with all their digits in use. */
static margin_real next_real(void) {
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (margin_real)((int32_t)state) / (margin_real)2147483648.0 +
           (margin_real)(state >> 7) * (margin_real)1e-17;
}

/* Every 65521st float, or as evenly spread doubles: subnormals, infinities and NaN among them. */
static margin_real pattern(uint32_t i) {
    punned p;
    p.bits = (real_bits)(i * 65521u) * (~(real_bits)0 / UINT32_MAX);
    return p.real;
}

static margin_real x[N * D];
static uint16_t y[N];
static margin_real out[2 * N * N];
static unsigned char bytes[1 << 20];
static margin_arena mem;
static const margin_data data = {x, N, D, 0, y, NULL, NULL};

/* Gram matrices of N rows, of rank D, and of D columns, taken apart in all ways. */
/* All dot products of N rows of d values. */
static void products(margin_real *out, const margin_real *rows, size_t d) {
    size_t i, j;
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            out[i * N + j] = margin_dot(rows + (i > j ? i : j) * d, rows + (i > j ? j : i) * d, d);
        }
    }
}

static void hash_decompositions(void) {
    static margin_real a[N * N], b[N * N], v[N * N], value[N];
    margin_index order[N];
    size_t rank = 0, i;
    products(a, x, D);
    hash_real((margin_real)margin_eigen(value, v, a, N, &mem));
    hash_reals(value, N);
    hash_reals(v, (size_t)N * N);
    hash_real((margin_real)margin_eigen_leading(value, v, D, a, N, &mem));
    hash_reals(v, (size_t)D * N);
    hash_real((margin_real)margin_cholesky_pivoted(a, N, (margin_real)1e-4, order, &rank, &mem));
    hash_reals(a, (size_t)N * N);
    hash_real((margin_real)rank);
    products(b, a, N);
    hash_reals(b, (size_t)N * N);
    for (i = 0; i < N; i++) { b[i * N + i] += 1; }
    hash_real((margin_real)margin_cholesky(b, N, &mem));
    hash_real((margin_real)margin_cholesky_solve(v, N, b, N));
    hash_reals(v, (size_t)N * N);
    hash_real((margin_real)margin_orthonormal(a, D, D, NULL));
    hash_reals(a, (size_t)D * D);
}

static void math_bits(void) {
    uint32_t i;
    for (i = 0; i < 65600u; i++) {
        const margin_real any = pattern(i);
        const margin_real small = next_real() * 30;
        hash_real(margin_sqrt(any));
        hash_real(margin_exp(any));
        hash_real(margin_exp(small * 3));
        hash_real(margin_log(any));
        hash_real(margin_pow(any, small));
        hash_real(margin_normal_density(small));
    }
    report("math");
}

static void random_bits(void) {
    margin_rng rng = margin_rng_make(7);
    int i;
    for (i = 0; i < 10000; i++) {
        hash_real(margin_rng_uniform(&rng));
        hash_real(margin_rng_normal(&rng));
        hash_real((margin_real)margin_rng_below(&rng, 1000003u));
    }
    report("random");
}

static void linalg_bits(void) {
    size_t k;
    for (k = 0; k < N; k++) {
        hash_real(margin_dot(x, x + k, N));
        hash_real(margin_dot(x, x + 100, k));
        hash_real(margin_norm2(x, k));
    }
    products(out, x, D);
    hash_reals(out, (size_t)N * N);
    hash_decompositions();
    report("linalg");
}

static void data_bits(void) {
    margin_kernel kernel = {0, 0, 0, 0, 0};
    size_t k;
    hash_real((margin_real)margin_data_moments(&data, 2, &mem, out, out + 2, out + 2 + 2 * D));
    hash_reals(out, 2 + 2 * D + (size_t)2 * D * D);
    report("data");
    for (kernel.kind = 0; kernel.kind <= MARGIN_KERNEL_UNIT_EXP; kernel.kind++) {
        kernel.a = kernel.kind == MARGIN_KERNEL_UNIT_POLY ? (margin_real)2.5 : 0;
        for (k = 0; k < N; k++) { hash_real(margin_kernel_value(&kernel, x, x + k * D, D)); }
    }
    report("kernel");
}

/* Training is thousands of steps, each of which decides by comparing numbers. */
static void train_bits(void) {
    margin_svm_options options;
    margin_model model;
    size_t k;
    memset(&options, 0, sizeof options);
    options.kernel.kind = MARGIN_KERNEL_RBF;
    hash_real((margin_real)margin_svm_train(&data, &options, &mem, &model, NULL, NULL));
    for (k = 0; k < N; k++) {
        hash_real((margin_real)margin_classify(&model, x + k * D, out));
        hash_real(out[0]);
    }
    report("svm");
}

int main(void) {
    uint32_t i;
    mem = margin_arena_make(bytes, sizeof bytes);
    for (i = 0; i < N * D; i++) {
        x[i] = next_real() * (margin_real)(1 + i % 7);
        y[i % N] = (uint16_t)(i % 2u);
    }
    math_bits();
    random_bits();
    linalg_bits();
    data_bits();
    train_bits();
    return 0;
}
