/* Version, status texts and the arena. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"

TEST version_is_one_number_of_its_three_parts(void) {
    ASSERT_EQ_FMT(10000 * MARGIN_VERSION_MAJOR + 100 * MARGIN_VERSION_MINOR + MARGIN_VERSION_PATCH,
                  MARGIN_VERSION, "%d");
    PASS();
}

/* ---- status ---- */

typedef struct {
    margin_status status;
    int value;
    const char *text;
} status_row;

#define STATUS_ROW(name, value, text) {name, value, text},
static const status_row statuses[] = {MARGIN_STATUS_LIST(STATUS_ROW)};
#define STATUSES (sizeof statuses / sizeof statuses[0])

TEST every_status_has_its_number_and_its_text(void) {
    size_t i;
    for (i = 0; i < STATUSES; i++) {
        ASSERT_EQ_FMT(statuses[i].value, (int)statuses[i].status, "%d");
        ASSERT_STR_EQ(statuses[i].text, margin_status_text(statuses[i].status));
    }
    ASSERT_STR_EQ("done", margin_status_text(MARGIN_OK));
    ASSERT_EQ_FMT(0, (int)MARGIN_OK, "%d");
    PASS();
}

TEST no_two_statuses_share_a_number_or_a_text(void) {
    size_t i;
    size_t j;
    for (i = 0; i < STATUSES; i++) {
        for (j = 0; j < i; j++) {
            ASSERT(statuses[i].value != statuses[j].value);
            ASSERT(strcmp(statuses[i].text, statuses[j].text) != 0);
        }
    }
    PASS();
}

TEST a_number_outside_the_list_is_an_unknown_status(void) {
    ASSERT_STR_EQ("unknown status", margin_status_text((margin_status)77));
    ASSERT_STR_EQ("unknown status", margin_status_text((margin_status)-77));
    PASS();
}

/* ---- arena: blocks ---- */

/* The first address in `bytes` that is a multiple of MARGIN_ALIGN. */
static unsigned char *align_up(unsigned char *bytes) {
    return bytes + (MARGIN_ALIGN - (uintptr_t)bytes % MARGIN_ALIGN) % MARGIN_ALIGN;
}

TEST kept_blocks_grow_from_the_front_and_scratch_from_the_back(void) {
    unsigned char raw[8 * MARGIN_ALIGN + MARGIN_ALIGN];
    unsigned char *bytes = align_up(raw);
    margin_arena mem = margin_arena_make(bytes, 8 * MARGIN_ALIGN);
    ASSERT_EQ((void *)bytes, margin_arena_keep(&mem, MARGIN_ALIGN, 1));
    ASSERT_EQ((void *)(bytes + MARGIN_ALIGN), margin_arena_keep(&mem, 1, 1));
    ASSERT_EQ((void *)(bytes + 7 * MARGIN_ALIGN), margin_arena_scratch(&mem, 1, 1));
    ASSERT_EQ((void *)(bytes + 5 * MARGIN_ALIGN), margin_arena_scratch(&mem, 2, MARGIN_ALIGN));
    ASSERT_EQ_FMT((size_t)3 * MARGIN_ALIGN, mem.high - mem.low, "%zu");
    ASSERT_EQ((void *)(bytes + 2 * MARGIN_ALIGN), margin_arena_keep(&mem, 3 * MARGIN_ALIGN, 1));
    ASSERT_EQ_FMT((size_t)0, mem.high - mem.low, "%zu");
    ASSERT_EQ_FMT(0, mem.failed, "%d");
    PASS();
}

TEST a_block_that_does_not_fit_is_refused_and_so_are_all_after_it(void) {
    unsigned char raw[5 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(align_up(raw), 4 * MARGIN_ALIGN);
    ASSERT(margin_arena_keep(&mem, 3, MARGIN_ALIGN) != NULL);
    ASSERT_EQ(NULL, margin_arena_scratch(&mem, MARGIN_ALIGN + 1, 1));
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    ASSERT_EQ(NULL, margin_arena_scratch(&mem, 1, 1));
    ASSERT_EQ(NULL, margin_arena_keep(&mem, 0, 1));
    ASSERT_EQ_FMT((size_t)MARGIN_ALIGN, mem.high - mem.low, "%zu");
    ASSERT_EQ_FMT((size_t)3 * MARGIN_ALIGN, mem.peak, "%zu");
    PASS();
}

TEST a_size_beyond_size_t_is_an_overflow_and_never_wraps(void) {
    static const size_t half = SIZE_MAX / 2 + 1;
    const size_t pairs[][2] = {{half, 2},
                               {2, half},
                               {SIZE_MAX, 1},
                               {1, SIZE_MAX},
                               {SIZE_MAX, SIZE_MAX},
                               {SIZE_MAX - MARGIN_ALIGN + 1, 1},
                               {SIZE_MAX / 8 + 1, 8}};
    unsigned char raw[64];
    size_t i;
    for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        margin_arena mem = margin_arena_make(raw, sizeof raw);
        margin_arena dry = margin_arena_counting();
        ASSERT_EQ(NULL, margin_arena_keep(&mem, pairs[i][0], pairs[i][1]));
        ASSERT_EQ_FMT((int)MARGIN_E_OVERFLOW, mem.failed, "%d");
        ASSERT_EQ(NULL, margin_arena_scratch(&dry, pairs[i][0], pairs[i][1]));
        ASSERT_EQ_FMT((int)MARGIN_E_OVERFLOW, dry.failed, "%d");
    }
    PASS();
}

TEST a_large_block_that_size_t_can_count_is_only_too_large(void) {
    unsigned char raw[64];
    margin_arena mem = margin_arena_make(raw, sizeof raw);
    ASSERT_EQ(NULL, margin_arena_keep(&mem, SIZE_MAX / 16, 8));
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    PASS();
}

TEST blocks_are_aligned_whatever_the_address_and_nothing_is_lost_twice(void) {
    unsigned char raw[16 * MARGIN_ALIGN];
    size_t skew;
    for (skew = 0; skew < 2 * MARGIN_ALIGN; skew++) {
        const size_t bytes = 10 * MARGIN_ALIGN + MARGIN_ALIGN - 1;
        margin_arena mem = margin_arena_make(raw + skew, bytes);
        const unsigned char *front = (const unsigned char *)margin_arena_keep(&mem, 1, 3);
        const unsigned char *back = (const unsigned char *)margin_arena_scratch(&mem, 3, 1);
        ASSERT_EQ_FMT((size_t)0, (size_t)((uintptr_t)front % MARGIN_ALIGN), "%zu");
        ASSERT_EQ_FMT((size_t)0, (size_t)((uintptr_t)back % MARGIN_ALIGN), "%zu");
        ASSERT(front >= raw + skew && back + MARGIN_ALIGN <= raw + skew + bytes);
        ASSERT_EQ_FMT((size_t)8 * MARGIN_ALIGN, mem.high - mem.low, "%zu");
    }
    PASS();
}

TEST a_buffer_too_small_for_its_own_alignment_is_an_empty_arena(void) {
    unsigned char raw[2 * MARGIN_ALIGN];
    size_t size;
    for (size = 0; size < MARGIN_ALIGN; size++) {
        margin_arena mem = margin_arena_make(align_up(raw) + 1, size);
        ASSERT_EQ_FMT((size_t)0, mem.high - mem.low, "%zu");
        ASSERT_EQ(NULL, margin_arena_keep(&mem, 1, 1));
        ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    }
    PASS();
}

TEST empty_blocks_take_nothing_even_from_an_empty_arena(void) {
    margin_arena mem = margin_arena_make(NULL, 100);
    ASSERT_EQ(NULL, margin_arena_keep(&mem, 0, 8));
    ASSERT_EQ(NULL, margin_arena_scratch(&mem, 8, 0));
    ASSERT_EQ_FMT(0, mem.failed, "%d");
    ASSERT_EQ(NULL, margin_arena_scratch(&mem, 1, 1));
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    PASS();
}

TEST a_null_arena_refuses_and_is_never_touched(void) {
    const margin_arena before = margin_arena_counting();
    margin_arena mem = before;
    ASSERT_EQ(NULL, margin_arena_keep(NULL, 1, 1));
    ASSERT_EQ(NULL, margin_arena_scratch(NULL, 1, 1));
    ASSERT_EQ_FMT((int)MARGIN_E_ARGUMENT, (int)margin_arena_rewind(NULL, &before), "%d");
    ASSERT_EQ_FMT((int)MARGIN_E_ARGUMENT, (int)margin_arena_rewind(&mem, NULL), "%d");
    margin_arena_release(NULL, 0);
    margin_arena_reset(NULL);
    ASSERT_EQ_FMT(before.high, mem.high, "%zu");
    PASS();
}

/* ---- arena: giving back ---- */

TEST release_gives_back_scratch_in_reverse_order_and_leaves_what_is_kept(void) {
    unsigned char raw[8 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(raw, sizeof raw);
    const size_t outer = mem.high;
    size_t inner;
    void *first;
    (void)margin_arena_keep(&mem, 1, MARGIN_ALIGN);
    first = margin_arena_scratch(&mem, 1, MARGIN_ALIGN);
    inner = mem.high;
    (void)margin_arena_scratch(&mem, 2, MARGIN_ALIGN);
    margin_arena_release(&mem, inner);
    ASSERT_EQ_FMT(inner, mem.high, "%zu");
    margin_arena_release(&mem, outer);
    ASSERT_EQ_FMT((size_t)MARGIN_ALIGN, mem.low, "%zu");
    ASSERT_EQ(first, margin_arena_scratch(&mem, 1, MARGIN_ALIGN));
    ASSERT_EQ_FMT((size_t)4 * MARGIN_ALIGN, mem.peak, "%zu");
    PASS();
}

TEST release_ignores_a_mark_that_was_never_taken(void) {
    unsigned char raw[8 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(raw, sizeof raw);
    size_t high;
    (void)margin_arena_scratch(&mem, 2, MARGIN_ALIGN);
    high = mem.high;
    margin_arena_release(&mem, high - 1);
    margin_arena_release(&mem, mem.size + 1);
    ASSERT_EQ_FMT(high, mem.high, "%zu");
    PASS();
}

TEST release_does_not_forgive_a_refusal(void) {
    unsigned char raw[4 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(raw, sizeof raw);
    (void)margin_arena_scratch(&mem, 1, sizeof raw + 1);
    margin_arena_release(&mem, mem.size);
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    PASS();
}

TEST rewind_forgets_both_ends_and_the_refusal_but_keeps_the_peak(void) {
    unsigned char raw[9 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(align_up(raw), 8 * MARGIN_ALIGN);
    margin_arena before;
    (void)margin_arena_keep(&mem, 1, MARGIN_ALIGN);
    before = mem;
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_arena_rewind(&mem, &before), "%d");
    (void)margin_arena_keep(&mem, 2, MARGIN_ALIGN);
    (void)margin_arena_scratch(&mem, 3, MARGIN_ALIGN);
    (void)margin_arena_scratch(&mem, 3, MARGIN_ALIGN);
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, (int)margin_arena_rewind(&mem, &before), "%d");
    ASSERT_EQ_FMT((size_t)MARGIN_ALIGN, mem.low, "%zu");
    ASSERT_EQ_FMT((size_t)7 * MARGIN_ALIGN, mem.high - mem.low, "%zu");
    ASSERT_EQ_FMT(0, mem.failed, "%d");
    ASSERT_EQ_FMT((size_t)6 * MARGIN_ALIGN, mem.peak, "%zu");
    PASS();
}

TEST a_call_on_an_arena_that_has_refused_reports_that_refusal(void) {
    margin_arena mem = margin_arena_make(NULL, 0);
    margin_arena before;
    (void)margin_arena_keep(&mem, 1, 1);
    before = mem;
    (void)margin_arena_keep(&mem, 0, 1);
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, (int)margin_arena_rewind(&mem, &before), "%d");
    ASSERT_EQ_FMT((int)MARGIN_E_MEMORY, mem.failed, "%d");
    PASS();
}

TEST reset_makes_the_arena_new_but_for_its_peak(void) {
    unsigned char raw[5 * MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(align_up(raw), 4 * MARGIN_ALIGN);
    (void)margin_arena_keep(&mem, 1, MARGIN_ALIGN);
    (void)margin_arena_scratch(&mem, 2, MARGIN_ALIGN);
    (void)margin_arena_keep(&mem, 9, MARGIN_ALIGN);
    margin_arena_reset(&mem);
    ASSERT_EQ_FMT(0, mem.failed, "%d");
    ASSERT_EQ_FMT((size_t)4 * MARGIN_ALIGN, mem.high - mem.low, "%zu");
    ASSERT_EQ_FMT((size_t)3 * MARGIN_ALIGN, mem.peak, "%zu");
    ASSERT_EQ((void *)align_up(raw), margin_arena_keep(&mem, 4, MARGIN_ALIGN));
    PASS();
}

/* ---- arena: counting ---- */

/* A plan of random blocks with nested scratch, the same for a seed, as solvers have them. */
static void random_plan(margin_arena *mem, unsigned seed) {
    const size_t outer = mem->high;
    size_t mark;
    int i;
    for (i = 0; i < 24; i++) {
        seed = seed * 1664525u + 1013904223u;
        switch ((seed >> 16) % 4u) {
        case 0:
            (void)margin_arena_keep(mem, (seed >> 18) % 7u, (seed >> 21) % 9u);
            break;
        case 1:
            mark = mem->high;
            (void)margin_arena_scratch(mem, (seed >> 18) % 40u, (seed >> 24) % 9u);
            margin_arena_release(mem, mark);
            break;
        default:
            (void)margin_arena_scratch(mem, (seed >> 18) % 5u, (seed >> 21) % 17u);
        }
    }
    margin_arena_release(mem, outer);
}

typedef struct {
    unsigned seed;
    int out;
} plan_problem;

static margin_status run_plan(margin_arena *mem, void *problem) {
    plan_problem *p = (plan_problem *)problem;
    const margin_arena before = *mem;
    random_plan(mem, p->seed);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    memset(mem->base, 1, mem->peak);
    p->out = 1;
    return MARGIN_OK;
}

TEST counting_a_plan_gives_exactly_the_bytes_that_it_needs(void) {
    unsigned seed;
    for (seed = 1; seed <= 60; seed++) {
        plan_problem problem = {seed, 0};
        margin_arena dry = margin_arena_counting();
        random_plan(&dry, seed);
        ASSERT_EQ_FMT(0, dry.failed, "%d");
        CHECK_CALL(arena_sweep(run_plan, &problem, dry.peak, &problem.out, sizeof problem.out));
    }
    PASS();
}

TEST a_sum_of_blocks_beyond_size_t_cannot_be_counted(void) {
    margin_arena dry = margin_arena_counting();
    ASSERT_EQ(NULL, margin_arena_keep(&dry, SIZE_MAX / 2, 1));
    ASSERT_EQ_FMT(0, dry.failed, "%d");
    ASSERT_EQ(NULL, margin_arena_scratch(&dry, SIZE_MAX / 2 + 2, 1));
    ASSERT_EQ_FMT((int)MARGIN_E_OVERFLOW, dry.failed, "%d");
    PASS();
}

TEST block_macro_is_the_bytes_that_a_block_takes(void) {
    static unsigned char constant[MARGIN_BLOCK(3, 5)];
    size_t count;
    ASSERT_EQ_FMT((size_t)MARGIN_BLOCK(15, 1), sizeof constant, "%zu");
    for (count = 0; count < 50; count++) {
        margin_arena dry = margin_arena_counting();
        (void)margin_arena_keep(&dry, count, sizeof(margin_real));
        ASSERT_EQ_FMT((size_t)MARGIN_BLOCK(count, sizeof(margin_real)), dry.low, "%zu");
    }
    PASS();
}

/* ---- the sweep itself: it must find what it is there to find ---- */

typedef enum {
    HONEST,
    WANTS_MORE_THAN_IT_SAYS,
    WANTS_LESS_THAN_IT_SAYS,
    WRITES_BEFORE_IT_FAILS,
    WRITES_OUTPUT_BEFORE_IT_FAILS,
    WRITES_BEHIND_ITS_ARENA,
    WRITES_BEFORE_ITS_ARENA,
    FORGETS_ITS_SCRATCH,
    LEAVES_THE_ARENA_REFUSING,
    FAILS_WITH_ANOTHER_STATUS,
    NEVER_SUCCEEDS,
    FAULTS
} fault;

typedef struct {
    fault kind;
    int out;
} faulty_problem;

#define FAULTY_BYTES ((size_t)MARGIN_BLOCK(100, 1))

static margin_status run_faulty(margin_arena *mem, void *problem) {
    faulty_problem *p = (faulty_problem *)problem;
    const margin_arena before = *mem;
    const size_t more = p->kind == WANTS_MORE_THAN_IT_SAYS ? 1u : 0u;
    const size_t less = p->kind == WANTS_LESS_THAN_IT_SAYS ? MARGIN_ALIGN : 0u;
    unsigned char *block;
    if (p->kind == WRITES_OUTPUT_BEFORE_IT_FAILS) { p->out++; }
    if (p->kind == WRITES_BEFORE_IT_FAILS && mem->size > 0) { mem->base[0] = 1; }
    block = (unsigned char *)margin_arena_scratch(mem, FAULTY_BYTES + more - less, 1);
    if (block == NULL) {
        if (p->kind != LEAVES_THE_ARENA_REFUSING) { (void)margin_arena_rewind(mem, &before); }
        return p->kind == FAILS_WITH_ANOTHER_STATUS ? MARGIN_E_EMPTY : MARGIN_E_MEMORY;
    }
    memset(block, 1, FAULTY_BYTES - less);
    if (p->kind == WRITES_BEHIND_ITS_ARENA) { block[FAULTY_BYTES + MARGIN_ALIGN] = 1; }
    if (p->kind == WRITES_BEFORE_ITS_ARENA) { *(block - 1) = 1; }
    if (p->kind != FORGETS_ITS_SCRATCH) { margin_arena_release(mem, before.high); }
    return p->kind == NEVER_SUCCEEDS ? MARGIN_E_EMPTY : MARGIN_OK;
}

TEST the_sweep_passes_an_honest_operation_and_finds_every_fault(void) {
    int kind;
    for (kind = HONEST; kind < FAULTS; kind++) {
        faulty_problem problem = {(fault)kind, 0};
        const enum greatest_test_res expected =
            kind == HONEST ? GREATEST_TEST_RES_PASS : GREATEST_TEST_RES_FAIL;
        const enum greatest_test_res found =
            arena_sweep(run_faulty, &problem, FAULTY_BYTES, &problem.out, sizeof problem.out);
        ASSERT_EQ_FMT((int)expected, (int)found, "%d");
    }
    PASS();
}

/* ---- an arena that only counts is no place to work in ---- */

static margin_status train_svm(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
}

#define ASSERT_REFUSED(call)                                                                       \
    do {                                                                                           \
        margin_arena mem = margin_arena_counting();                                                \
        const margin_arena before = mem;                                                           \
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, (call), "%d");                                            \
        ASSERT_EQ(before.low, mem.low);                                                            \
        ASSERT_EQ(before.high, mem.high);                                                          \
        ASSERT_EQ(before.failed, mem.failed);                                                      \
    } while (0)

TEST to_work_in_an_arena_that_only_counts_is_refused(void) {
    enum { N = 8, D = 2 };
    static const margin_real x[N * D] = {0, 0, 1, 0, 0, 1, 1, 1, 3, 3, 4, 3, 3, 4, 4, 4};
    static const uint16_t y[N] = {0, 0, 0, 0, 1, 1, 1, 1};
    static unsigned char bytes[1 << 16], image[4096];
    const margin_data data = {x, N, D, 0, y, NULL, NULL};
    margin_svm_options options = {
        {MARGIN_KERNEL_RBF, 0, 0, 0, 0}, 0, 0, 0, 0, false, false, 0, {0, 0, 0, 0}, {NULL, NULL}};
    margin_learner learner = {train_svm, &options, 4096};
    margin_arena good = margin_arena_make(bytes, sizeof bytes);
    margin_rng rng = margin_rng_make(1);
    margin_real real[N * N] = {0}, confusion[MARGIN_CONFUSION(2)];
    uint16_t fold[N];
    margin_scaling scaling;
    margin_model model, other;
    margin_quant quant;
    margin_cv cv;
    size_t size;
    ASSERT_EQ(MARGIN_OK, margin_svm_train(&data, &options, &good, &model, NULL, NULL));
    size = margin_image_size(&model, 0);
    ASSERT(size != 0 && size <= sizeof image);
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, size));
    ASSERT_REFUSED(margin_cholesky(real, N, &mem));
    ASSERT_REFUSED(margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &mem, &scaling));
    ASSERT_REFUSED(margin_folds(&data, 2, true, &rng, &mem, fold));
    ASSERT_REFUSED(margin_mam_train(&data, NULL, &mem, &other, NULL));
    ASSERT_REFUSED(margin_kmomd_train(&data, NULL, &mem, &other, NULL, NULL));
    ASSERT_REFUSED(margin_svm_train(&data, &options, &mem, &other, NULL, NULL));
    ASSERT_REFUSED(margin_image_load(image, size, &mem, &other));
    ASSERT_REFUSED(margin_quantize(&model, &data, NULL, &mem, &quant, NULL));
    ASSERT_REFUSED(margin_compress(&model, NULL, 2, 0, &mem, &other, NULL));
    ASSERT_REFUSED(margin_confusion(&data, &model, &mem, confusion));
    ASSERT_REFUSED(margin_cross_validate(&data, &learner, NULL, &mem, &cv));
    PASS();
}

SUITE(core_suite) {
    RUN_TEST(the_sweep_passes_an_honest_operation_and_finds_every_fault);
    RUN_TEST(version_is_one_number_of_its_three_parts);
    RUN_TEST(every_status_has_its_number_and_its_text);
    RUN_TEST(no_two_statuses_share_a_number_or_a_text);
    RUN_TEST(a_number_outside_the_list_is_an_unknown_status);
    RUN_TEST(kept_blocks_grow_from_the_front_and_scratch_from_the_back);
    RUN_TEST(a_block_that_does_not_fit_is_refused_and_so_are_all_after_it);
    RUN_TEST(a_size_beyond_size_t_is_an_overflow_and_never_wraps);
    RUN_TEST(a_large_block_that_size_t_can_count_is_only_too_large);
    RUN_TEST(blocks_are_aligned_whatever_the_address_and_nothing_is_lost_twice);
    RUN_TEST(a_buffer_too_small_for_its_own_alignment_is_an_empty_arena);
    RUN_TEST(empty_blocks_take_nothing_even_from_an_empty_arena);
    RUN_TEST(a_null_arena_refuses_and_is_never_touched);
    RUN_TEST(release_gives_back_scratch_in_reverse_order_and_leaves_what_is_kept);
    RUN_TEST(release_ignores_a_mark_that_was_never_taken);
    RUN_TEST(release_does_not_forgive_a_refusal);
    RUN_TEST(rewind_forgets_both_ends_and_the_refusal_but_keeps_the_peak);
    RUN_TEST(a_call_on_an_arena_that_has_refused_reports_that_refusal);
    RUN_TEST(reset_makes_the_arena_new_but_for_its_peak);
    RUN_TEST(counting_a_plan_gives_exactly_the_bytes_that_it_needs);
    RUN_TEST(a_sum_of_blocks_beyond_size_t_cannot_be_counted);
    RUN_TEST(to_work_in_an_arena_that_only_counts_is_refused);
    RUN_TEST(block_macro_is_the_bytes_that_a_block_takes);
}
