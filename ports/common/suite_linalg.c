/* suite_linalg.c -- linear algebra, data and scaling, kernels; on matrices as small as an AVR's memory. */
#include "suite.h"

#define N 7u /* rows and */
#define D 5u /* columns: no multiple of any vector width */

/* N x N numbers for a matrix that is positive definite, or of rank D without a ridge. */
static margin_real *square(margin_arena *mem, margin_real ridge) {
    margin_real *x = suite_numbers(mem, (size_t)N * D, 11);
    margin_real *a = suite_numbers(mem, (size_t)N * N, 0);
    size_t i, j;
    if (x == NULL || a == NULL) { return NULL; }
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            a[i * N + j] = margin_dot(x + (i > j ? i : j) * D, x + (i > j ? j : i) * D, D);
        }
        a[i * N + i] += ridge;
    }
    return a;
}

void test_linalg_vector(margin_arena *mem) {
    margin_real *x = suite_numbers(mem, 67, 1), *y = suite_numbers(mem, 67, 2);
    size_t n;
    if (x == NULL || y == NULL) { return; }
    for (n = 0; n <= 67u; n++) {
        suite_real(margin_dot(x, y, n));
        suite_real(margin_norm2(x, n));
        suite_real(margin_norm_inf(x, n));
    }
    margin_axpy(y, (margin_real)1.7, x, 67);
    suite_reals(y, 67);
}

void test_linalg_cholesky(margin_arena *mem) {
    margin_real *a = square(mem, 1), *b = suite_numbers(mem, 2u * N, 5);
    if (a == NULL || b == NULL) { return; }
    suite_status(margin_cholesky(a, N, mem));
    suite_reals(a, (size_t)N * N);
    suite_status(margin_cholesky_solve(b, 2, a, N));
    suite_status(margin_cholesky_solve(b, 1, a, N));
    suite_reals(b, 2u * N);
}

void test_linalg_pivoted(margin_arena *mem) {
    margin_real *a = square(mem, 0);
    margin_index order[N];
    size_t rank = 0, i;
    if (a == NULL) { return; }
    suite_status(margin_cholesky_pivoted(a, N, (margin_real)1e-4, order, &rank, mem));
    suite_word((uint32_t)rank);
    suite_reals(a, (size_t)N * N);
    for (i = 0; i < N; i++) { suite_word(order[i]); }
}

void test_linalg_eigen(margin_arena *mem) {
    margin_real *a = square(mem, 0), *values = suite_numbers(mem, N, 0);
    if (a == NULL || values == NULL) { return; }
    suite_status(margin_eigen(values, a, a, N, mem));
    suite_reals(values, N);
    suite_reals(a, (size_t)N * N);
}

void test_linalg_leading(margin_arena *mem) {
    margin_real *a = square(mem, 0), *values = suite_numbers(mem, 3, 0);
    margin_real *vectors = suite_numbers(mem, 3u * N, 0);
    if (a == NULL || values == NULL || vectors == NULL) { return; }
    suite_status(margin_eigen_leading(values, vectors, 3, a, N, mem));
    suite_reals(values, 3);
    suite_reals(vectors, 3u * N);
}

void test_linalg_orthonormal(margin_arena *mem) {
    margin_real *q = suite_numbers(mem, (size_t)D * N, 8);
    size_t rank = 0;
    if (q == NULL) { return; }
    suite_status(margin_orthonormal(q, D, N, &rank));
    suite_word((uint32_t)rank);
    suite_reals(q, (size_t)D * N);
}

/* ---- data ---- */

void test_data_moments(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 20, 5, 2, 9);
    margin_real *out = suite_numbers(mem, 2u + 10u + 50u, 0);
    if (out == NULL || data.x == NULL) { return; }
    suite_status(margin_data_moments(&data, 2, mem, out, out + 2, out + 12));
    suite_reals(out, 62);
    suite_status(margin_data_moments(&data, 2, NULL, out, out + 2, NULL));
    suite_reals(out, 12);
}

void test_data_scaling(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 20, 5, 2, 10);
    margin_scaling scaling;
    margin_real row[5];
    unsigned kind;
    size_t i;
    for (kind = MARGIN_SCALE_STANDARD; kind <= MARGIN_SCALE_MINMAX && data.x != NULL; kind++) {
        const margin_status status = margin_scaling_fit(&data, kind, mem, &scaling);
        suite_status(status);
        for (i = 0; i < data.n && status >= 0; i++) {
            margin_scaling_row(&scaling, data.x + i * data.d, row);
            suite_reals(row, data.d);
        }
    }
}

void test_data_folds(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 23, 4, 3, 11);
    margin_rng rng = margin_rng_make(4);
    uint16_t fold[23];
    size_t i;
    if (data.x == NULL) { return; }
    suite_status(margin_folds(&data, 5, false, &rng, NULL, fold));
    for (i = 0; i < data.n; i++) { suite_word(fold[i]); }
    suite_status(margin_folds(&data, 4, true, &rng, mem, fold));
    for (i = 0; i < data.n; i++) { suite_word(fold[i]); }
}

void test_kernel_values(margin_arena *mem) {
    const margin_real *x = suite_numbers(mem, 6u * D, 12);
    unsigned kind;
    size_t i, j;
    for (kind = MARGIN_KERNEL_LINEAR; kind <= MARGIN_KERNEL_UNIT_EXP && x != NULL; kind++) {
        margin_kernel kernel = {0, 0, 0, 0, 0};
        kernel.kind = (uint8_t)kind;
        kernel.coef0 = 1;
        kernel.a = (margin_real)2.5;
        for (i = 0; i < 6u; i++) {
            for (j = 0; j < 6u; j++) {
                suite_real(margin_kernel_value(&kernel, x + i * D, x + j * D, D));
            }
        }
    }
}
