/* Learned vectors: slopes against differences, problems whose answer is known, what rounding leaves,
 * and what can go wrong. The implementation is in this file once more, static, so that slopes can be
 * looked at. */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"

#include <math.h>
#include <string.h>

#include "asserts.h"

#define MOST 1000u
#define WIDE 6u

static margin_real x[MOST * WIDE];
static uint16_t y[MOST];
static margin_data data;
static margin_compact_options options;
static margin_model model;
static margin_info info;
static margin_compact_report told;
static unsigned char bytes[1 << 20], more[1 << 20];
static margin_arena mem;

static void fresh(size_t n, size_t d) {
    memset(&data, 0, sizeof data);
    memset(&options, 0, sizeof options);
    data.x = x;
    data.y = y;
    data.n = n;
    data.d = d;
    mem = margin_arena_make(bytes, sizeof bytes);
}

/* Two classes in the four quadrants: no line tells them apart. */
static void quadrants(size_t n) {
    margin_rng rng = margin_rng_make(3);
    fresh(n, 2);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 2u; k++) {
            const margin_real a = margin_rng_uniform(&rng) + (margin_real)0.25;
            x[2 * i + k] = (i >> k) % 2u != 0 ? a : -a;
        }
        y[i] = (uint16_t)((i ^ (i >> 1)) & 1u);
    }
}

/* Classes in clouds of their own around random centres. */
static void clouds(size_t n, size_t d, size_t classes, double noise) {
    margin_rng rng = margin_rng_make(17);
    margin_real centre[64][WIDE];
    fresh(n, d);
    for (size_t c = 0; c < classes; c++) {
        for (size_t k = 0; k < d; k++) { centre[c][k] = 2 * margin_rng_normal(&rng); }
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = (uint16_t)(i % classes);
        for (size_t k = 0; k < d; k++) {
            x[i * d + k] = centre[y[i]][k] + (margin_real)noise * margin_rng_normal(&rng);
        }
    }
}

static margin_status train(void) {
    return margin_compact_train(&data, &options, &mem, &model, &info, &told);
}

static size_t mistakes(void) {
    margin_real scores[64];
    size_t wrong = 0;
    for (size_t i = 0; i < data.n; i++) {
        wrong += margin_classify(&model, x + i * data.d, scores) != y[i] ? 1u : 0u;
    }
    return wrong;
}

/* ---- slopes ---- */

static mgn_compact job;

/* The loss of the first samples at the parameters as they are. */
static margin_real loss_now(size_t count) {
    margin_real loss = 0;
    mgn_compact_fill(&job, 0, count, 0);
    mgn_compact_unit_values(&job, count);
    for (size_t j = 0; j < (size_t)job.members; j++) {
        mgn_compact_answers(&job, count, mgn_compact_member_at(&job, j));
        for (size_t i = 0; i < count; i++) {
            loss += mgn_compact_loss(&job, y[job.order[i]], 1, job.s + i * job.machines);
        }
    }
    return loss;
}

/* Slopes of a part beside central differences; the largest difference, as a share of the largest. */
static double apart(mgn_compact_part *part, size_t count) {
    const margin_real step = (margin_real)(sizeof(margin_real) > 4u ? 1e-5 : 1e-2);
    double worst = 0, largest = 1e-3;
    for (size_t i = 0; i < part->rows * part->cols; i++) {
        const margin_real at = part->value[i];
        double slope, differ;
        part->value[i] = at + step;
        slope = (double)loss_now(count);
        part->value[i] = at - step;
        slope = (slope - (double)loss_now(count)) / (2 * (double)step);
        part->value[i] = at;
        differ = slope - (double)part->slope[i];
        worst = differ > worst ? differ : -differ > worst ? -differ : worst;
        largest = slope > largest ? slope : -slope > largest ? -slope : largest;
    }
    return worst / largest;
}

/* Five units that have learned nothing yet. */
static enum greatest_test_res begin(unsigned loss, unsigned kind, size_t classes, unsigned rank,
                                    unsigned members) {
    clouds(60, 3, classes, 1);
    options.members = (uint16_t)members;
    options.loss = (uint8_t)loss;
    options.kernel = (uint8_t)kind;
    options.vectors = 5;
    options.rank = (uint16_t)rank;
    ASSERT(mgn_compact_shape(&job, data.n, data.d, classes, &options));
    job.data = &data;
    mgn_compact_plan(&job, &mem);
    ASSERT_EQ(MARGIN_OK, mgn_compact_centre(&job));
    job.rng = margin_rng_make(1);
    job.rounded = false;
    mgn_compact_begin(&job);
    PASS();
}

static enum greatest_test_res slopes_of_loss(unsigned loss, unsigned kind, size_t classes,
                                             unsigned rank, unsigned members) {
    const double close = sizeof(margin_real) > 4u ? 1e-4 : 0.1;
    const size_t count = 20;
    CHECK_CALL(begin(loss, kind, classes, rank, members));
    mgn_compact_fill(&job, 0, count, 0);
    mgn_compact_slopes(&job, 0, count);
    ASSERT(apart(&job.of_front, count) < close);
    ASSERT(apart(&job.of_units, count) < close);
    ASSERT(apart(&job.of_coef, count) < close);
    ASSERT(apart(&job.of_bias, count) < close);
    ASSERT(kind != MARGIN_KERNEL_RBF || apart(&job.of_width, count) < close);
    PASS();
}

static enum greatest_test_res slopes_of(unsigned kind, size_t classes, unsigned rank) {
    CHECK_CALL(slopes_of_loss(MARGIN_COMPACT_HINGE, kind, classes, rank, 1));
    CHECK_CALL(slopes_of_loss(MARGIN_COMPACT_SOFT, kind, classes, rank, 1));
    CHECK_CALL(slopes_of_loss(MARGIN_COMPACT_SOFT, kind, classes, rank, 2)); /* of 2 and 3 units */
    PASS();
}

/* The width that rbf units begin with is that at which neighbours are e^-4 of each other. */
TEST rbf_units_begin_as_wide_as_they_are_apart(void) {
    double square = 0;
    CHECK_CALL(begin(MARGIN_COMPACT_SOFT, MARGIN_KERNEL_RBF, 2, 0, 1));
    for (size_t u = 0; u < 5u; u++) {
        for (size_t k = 0; k < 3u; k++) {
            const double differ = (double)(job.of_units.value[u * 4u + k] -
                                           job.of_units.value[(u + 1u) % 5u * 4u + k]);
            square += differ * differ / 5;
        }
    }
    ASSERT_IN_RANGE(4 / square, exp((double)job.of_width.value[0]), 1e-4 / square);
    PASS();
}

/* A draw is the sum of the four bytes of a random number, less its mean, over its deviation. */
TEST starting_values_are_sums_of_four_bytes(void) {
    margin_rng rng = margin_rng_make(5), same = rng;
    double sum = 0, square = 0;
    for (int i = 0; i < 1000; i++) {
        const double drawn = (double)mgn_compact_normal(&rng);
        double bytes_of = 0;
        for (uint32_t rest = margin_rng_u32(&same), k = 0; k < 4u; k++, rest /= 256u) {
            bytes_of += rest % 256u;
        }
        ASSERT_IN_RANGE((bytes_of - 510) / sqrt(4 * (65536 - 1) / 12.0), drawn, 1e-4);
        sum += drawn / 1000;
        square += drawn * drawn / 1000;
    }
    ASSERT_IN_RANGE(0, sum, 0.1);
    ASSERT_IN_RANGE(1, square, 0.1);
    PASS();
}

TEST slopes_of_hinge_units_are_those_of_the_loss(void) {
    return slopes_of(MARGIN_KERNEL_HINGE, 3, 0);
}

TEST slopes_of_rbf_units_and_their_width_are_those_of_the_loss(void) {
    return slopes_of(MARGIN_KERNEL_RBF, 3, 0);
}

TEST slopes_of_a_projection_before_hinge_units_are_those_of_the_loss(void) {
    return slopes_of(MARGIN_KERNEL_HINGE, 4, 2);
}

TEST slopes_of_a_projection_before_rbf_units_are_those_of_the_loss(void) {
    return slopes_of(MARGIN_KERNEL_RBF, 4, 2);
}

TEST slopes_of_two_classes_are_those_of_one_machine(void) {
    return slopes_of(MARGIN_KERNEL_HINGE, 2, 0);
}

/* ---- what is learned ---- */

TEST eight_units_learn_the_four_quadrants(void) {
    quadrants(200);
    options.vectors = 8;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(0u, mistakes());
    ASSERT_EQ(8u, model.of.expansion.n);
    ASSERT_EQ(MARGIN_SCHEME_BINARY, model.of.expansion.vote.scheme);
    ASSERT(info.converged && info.margin_min > 0 && info.support == 8u);
    ASSERT(told.noise > 0 && told.held_out_error >= 0);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    PASS();
}

TEST rbf_units_learn_five_clouds(void) {
    clouds(200, 4, 5, 0.4);
    options.kernel = MARGIN_KERNEL_RBF;
    options.vectors = 20;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(mistakes() <= 10u); /* in float the clouds overlap a little */
    ASSERT_EQ(MARGIN_SCHEME_ONE_REST, model.of.expansion.vote.scheme);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    PASS();
}

TEST noise_is_none_where_the_caller_says_so_and_as_given_where_it_is_given(void) {
    quadrants(100);
    options.vectors = 6;
    options.noise = MARGIN_ZERO;
    options.decay = (margin_real)0.25;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.noise == 0 && told.decay == (margin_real)0.25 && told.held_out_error < 0);
    options.noise = (margin_real)0.5;
    options.decay = MARGIN_ZERO;
    mem = margin_arena_make(bytes, sizeof bytes);
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.noise == (margin_real)0.5 && told.decay == 0 && told.held_out_error < 0);
    ASSERT_EQ(300u, told.passes);
    options.decay = 0;
    mem = margin_arena_make(bytes, sizeof bytes);
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.noise == (margin_real)0.5 && told.decay > 0 && told.held_out_error >= 0);
    PASS();
}

TEST passes_follow_from_the_number_of_samples(void) {
    static const size_t n[] = {40, 999, 1000, 4000, 8000, 24000, 60000};
    static const size_t passes[] = {300, 300, 300, 200, 150, 116, 106};
    memset(&options, 0, sizeof options);
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        ASSERT(mgn_compact_shape(&job, n[i], 1, 2, &options));
        ASSERT_EQ(passes[i], mgn_compact_passes(&job));
    }
    PASS();
}

/* The score of a member alone, from the tables of the model. */
static double alone(size_t first, size_t end, size_t members, const margin_real *at) {
    const margin_expansion *e = &model.of.expansion;
    double score = (double)e->bias[0];
    for (size_t u = first; u < end; u++) {
        double z = (double)e->norms[u];
        for (size_t k = 0; k < e->d; k++) { z += (double)(e->vectors[u * e->d + k] * at[k]); }
        score += z > 0 ? (double)members * (double)e->coef[u] * z : 0;
    }
    return score;
}

TEST every_member_of_a_committee_learns_the_classes_by_itself(void) {
    size_t wrong[3] = {0, 0, 0};
    quadrants(200);
    options.vectors = 24;
    options.members = 3;
    options.decay = (margin_real)0.03;
    options.noise = (margin_real)0.05;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(3u, told.members);
    for (size_t i = 0; i < data.n; i++) {
        double mean = 0;
        margin_real score;
        for (size_t j = 0; j < 3u; j++) {
            const double s = alone(8 * j, 8 * j + 8u, 3, x + 2 * i);
            wrong[j] += (s > 0) != (y[i] == 1u) ? 1u : 0u;
            mean += s / 3;
        }
        (void)margin_classify(&model, x + 2 * i, &score);
        ASSERT_IN_RANGE(mean, (double)score, 1e-4);
    }
    ASSERT(wrong[0] <= 6u && wrong[1] <= 6u && wrong[2] <= 6u);
    ASSERT_EQ(0u, mistakes());
    PASS();
}

TEST there_are_no_more_members_than_vectors_and_one_where_a_model_goes_on(void) {
    mgn_compact plan;
    margin_model start;
    quadrants(200);
    options.vectors = 3;
    options.members = 100;
    ASSERT(mgn_compact_shape(&plan, data.n, 2, 2, &options));
    ASSERT(plan.members == 3 && !plan.seek_members);
    options.kernel = MARGIN_KERNEL_RBF;
    options.max_iterations = 2;
    ASSERT_EQ(MARGIN_OK, train());
    start = model;
    options.start = &start;
    ASSERT(mgn_compact_shape(&plan, data.n, 2, 2, &options));
    ASSERT(plan.members == 1 && !plan.seek_members);
    PASS();
}

/* How many members validation chooses, which must do no worse than one member does. */
static size_t members_chosen(size_t vectors, size_t passes) {
    size_t members = 0;
    margin_real error = 2;
    options.vectors = (uint16_t)vectors;
    options.max_iterations = passes;
    if (train() == MARGIN_OK) {
        members = told.members;
        error = told.held_out_error;
    }
    options.members = 1;
    mem = margin_arena_make(bytes, sizeof bytes);
    return train() == MARGIN_OK && error <= told.held_out_error ? members : 0;
}

/* Classes that overlap are learned best by many members, and sixteen classes by one: eight vectors
 * cannot tell them apart. Six clouds of two classes are a case where one member with noise is best,
 * but two members with none are better than one. Below 1000 samples there is no choice. */
TEST validation_chooses_members_from_a_thousand_samples_on(void) {
    clouds(1000, WIDE, 6, 3.0);
    ASSERT(members_chosen(64, 10) > 1u);
    clouds(999, WIDE, 6, 3.0);
    ASSERT_EQ(1u, members_chosen(64, 10));
    clouds(1000, WIDE, 16, 0.8);
    ASSERT_EQ(1u, members_chosen(32, 10));
    clouds(1000, 2, 6, 1.0);
    for (size_t i = 0; i < data.n; i++) { y[i] = (uint16_t)(y[i] % 2u); }
    ASSERT_EQ(1u, members_chosen(64, 20));
    PASS();
}

/* What the caller has chosen stays, also where members are compared with the least of both. */
TEST a_decay_or_a_noise_of_the_caller_stays_while_members_are_chosen(void) {
    clouds(1000, WIDE, 6, 3.0);
    options.vectors = 16;
    options.max_iterations = 4;
    options.decay = (margin_real)0.2;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.decay == (margin_real)0.2 && told.members >= 1u && told.held_out_error > 0);
    options.decay = 0;
    options.noise = (margin_real)0.15;
    mem = margin_arena_make(bytes, sizeof bytes);
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.noise == (margin_real)0.15 && told.members >= 1u && told.held_out_error > 0);
    PASS();
}

/* The search for passes is left out. */
TEST many_samples_choose_decay_and_noise(void) {
    static margin_index rows[8000];
    quadrants(200);
    for (size_t i = 0; i < 8000u; i++) { rows[i] = (margin_index)(i % 200u); }
    data.rows = rows;
    data.n = 8000;
    options.vectors = 4;
    options.max_iterations = 1;
    ASSERT_EQ_FMT(MARGIN_OK, train(), "%d");
    ASSERT(told.passes == 1u && told.decay > 0 && told.held_out_error >= 0);
    PASS();
}

/* Two classes in strips: a border with many corners. */
TEST few_samples_that_are_hard_to_learn_are_given_more_passes(void) {
    quadrants(240);
    for (size_t i = 0; i < 240u; i++) { y[i] = (uint16_t)((x[2u * i] + 2) * 3) % 2u; }
    options.vectors = 12;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.passes == 600u || told.passes == 1200u);
    PASS();
}

TEST the_same_seed_gives_the_same_bits_and_another_one_others(void) {
    margin_real first[8 * 2];
    quadrants(120);
    options.vectors = 8;
    options.max_iterations = 20;
    options.seed = 5;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(20u, told.passes);
    memcpy(first, model.of.expansion.vectors, sizeof first);
    mem = margin_arena_make(bytes, sizeof bytes);
    memset(bytes, 0xA5, sizeof bytes); /* what the arena held does not matter */
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_MEM_EQ(first, model.of.expansion.vectors, sizeof first);
    mem = margin_arena_make(bytes, sizeof bytes);
    options.seed = 6;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(memcmp(first, model.of.expansion.vectors, sizeof first) != 0);
    PASS();
}

/* Labels that are wrong in one of five cannot be learned by heart where decay and noise are chosen
 * on samples held out: many vectors are then no worse than few. */
TEST many_vectors_do_not_learn_wrong_labels_by_heart(void) {
    size_t wrong = 0;
    quadrants(160);
    for (size_t i = 0; i < data.n; i += 5u) { y[i] = (uint16_t)(1 - y[i]); }
    options.vectors = 60;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.noise >= (margin_real)0.2 && told.held_out_error > 0);
    for (size_t i = 0; i < data.n; i++) {
        margin_real scores[2];
        const uint16_t found = margin_classify(&model, x + 2 * i, scores);
        wrong +=
            found != ((i ^ (i >> 1)) & 1u) ? 1u : 0u; /* than the label before it was changed */
    }
    ASSERT(wrong <= 8u);
    PASS();
}

/* Trainings of a validation, and the last one, when every one of them makes one pass. */
static size_t trainings(margin_real decay, margin_real noise) {
    mem = margin_arena_make(bytes, sizeof bytes);
    options.max_iterations = 1;
    options.decay = decay;
    options.noise = noise;
    return train() == MARGIN_OK ? info.iterations : 0;
}

/* After the noise the decay is looked at once more: that takes at least one training more than the
 * two choices alone, of which each begins with one of its own, for each quarter held out in turn. */
TEST the_decay_may_go_down_again_once_the_noise_is_chosen(void) {
    clouds(80, 3, 3, 2.0);
    options.vectors = 6;
    options.seed = 1;
    const size_t turns = 12, decays = trainings(0, (margin_real)0.1);
    const margin_real decay = told.decay;
    const size_t noises = trainings(decay, 0), both = trainings(0, 0);
    ASSERT(decay > (margin_real)0.005 && decays > 2u * turns && noises > 2u * turns);
    ASSERT(told.decay <= decay);
    ASSERT(both >= decays + noises - 1u);
    PASS();
}

/* Hinge units may be as many as there are samples; rbf units start at samples, and none is left. */
TEST as_many_vectors_as_samples_are_validated_only_with_hinge_units(void) {
    quadrants(48);
    options.vectors = 48;
    options.max_iterations = 8;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.held_out_error >= 0);
    options.kernel = MARGIN_KERNEL_RBF;
    mem = margin_arena_make(bytes, sizeof bytes);
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.held_out_error < 0 && told.noise == (margin_real)0.1);
    PASS();
}

/* ---- rounding ---- */

TEST vectors_of_hinge_units_are_multiples_of_a_127th_of_their_largest_value(void) {
    clouds(150, 5, 4, 0.8);
    options.vectors = 10;
    options.max_iterations = 30;
    ASSERT_EQ(MARGIN_OK, train());
    for (size_t v = 0; v < 10u; v++) {
        const margin_real *w = model.of.expansion.vectors + v * 5u;
        const margin_real most = margin_norm_inf(w, 5);
        for (size_t k = 0; k < 5u; k++) {
            const double q = 127 * (double)(w[k] / most);
            const double whole = (double)(long)(q + (q < 0 ? -0.5 : 0.5));
            ASSERT_IN_RANGE(whole, q, 1e-2);
        }
    }
    PASS();
}

static enum greatest_test_res rounds_without_loss(unsigned kind, size_t classes, unsigned rank,
                                                  size_t allowed) {
    const unsigned formats[] = {MARGIN_Q7, MARGIN_Q15};
    clouds(400u, 6, classes, 1);
    options.kernel = (uint8_t)kind;
    options.vectors = 13; /* no multiple of the blocks */
    options.rank = (uint16_t)rank;
    options.max_iterations = 40;
    ASSERT_EQ(MARGIN_OK, train());
    for (size_t f = 0; f < 2u; f++) {
        margin_quant_options how = {0, false};
        margin_quant_info found;
        margin_quant quant;
        margin_arena room = margin_arena_make(more, sizeof more);
        how.format = (uint8_t)formats[f];
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, &found));
        ASSERT_EQ(margin_quantize_size(&model, &how), room.peak);
        ASSERT(found.disagree <= allowed);
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&quant.model));
        ASSERT_EQ(rank > 0 ? MARGIN_MODEL_PROJECTED : MARGIN_MODEL_EXPANSION, quant.model.kind);
        const margin_expansion_q *pool = &quant.model.of.expansion; /* or the first member of it */
        ASSERT_EQ(f == 0 && kind == MARGIN_KERNEL_RBF, pool->scales != NULL);
        ASSERT_EQ(kind == MARGIN_KERNEL_RBF ? 16u : 13u, pool->n);
    }
    PASS();
}

TEST hinge_units_of_many_classes_lose_nothing_in_integers(void) {
    return rounds_without_loss(MARGIN_KERNEL_HINGE, 7, 0, 1);
}

TEST hinge_units_of_two_classes_lose_nothing_in_integers(void) {
    return rounds_without_loss(MARGIN_KERNEL_HINGE, 2, 0, 1);
}

TEST rbf_units_of_many_classes_lose_little_in_integers(void) {
    return rounds_without_loss(MARGIN_KERNEL_RBF, 7, 0, 4);
}

TEST a_projection_before_hinge_units_loses_nothing_in_integers(void) {
    return rounds_without_loss(MARGIN_KERNEL_HINGE, 7, 3, 1);
}

TEST a_projection_before_rbf_units_loses_little_in_integers(void) {
    return rounds_without_loss(MARGIN_KERNEL_RBF, 7, 3, 4);
}

/* Units as large as the one feature makes them are not cut off. */
TEST hinge_units_of_one_feature_keep_their_largest_values(void) {
    const unsigned formats[] = {MARGIN_Q7, MARGIN_Q15};
    clouds(100, 1, 2, 1);
    options.vectors = 3;
    options.max_iterations = 40;
    ASSERT_EQ(MARGIN_OK, train());
    for (size_t f = 0; f < 2u; f++) {
        margin_quant_options how = {0, false};
        margin_quant_info found;
        margin_quant quant;
        margin_arena room = margin_arena_make(more, sizeof more);
        how.format = (uint8_t)formats[f];
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, &found));
        ASSERT(found.worst < found.scale / 100);
    }
    PASS();
}

/* ---- predictors and images ---- */

/* The score of machine j of an integer model of hinge units, by its formula in 64 bits. */
static int64_t by_formula(const margin_expansion_q *e, const int16_t *in, size_t j) {
    const int8_t *coef = (const int8_t *)e->coef;
    int64_t sum = 0;
    for (size_t v = 0; v < e->n; v++) {
        int64_t value = (int64_t)(int16_t)e->norms[v] * ((int64_t)1 << e->kernel.up);
        for (size_t k = 0; k < e->d; k++) { value += (int64_t)mgn_q_element(e, v, k) * in[k]; }
        value = value > 0 ? value >> e->kernel.shift : 0;
        value = value < 32767 ? value : 32767;
        sum += (coef[v * e->width + j] * value) >> e->kernel.down;
    }
    return sum + e->bias[j];
}

static enum greatest_test_res integers_follow_the_formula(size_t classes) {
    const margin_quant_options how = {MARGIN_Q7, false};
    margin_rng rng = margin_rng_make(9);
    margin_quant quant;
    margin_arena room = margin_arena_make(more, sizeof more);
    clouds(200, 5, classes, 1);
    options.vectors = 10; /* two blocks and two rows */
    options.max_iterations = 20;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    ASSERT_EQ(10u, quant.model.of.expansion.n);
    for (size_t trial = 0; trial < 300u; trial++) {
        const margin_expansion_q *e = &quant.model.of.expansion;
        int16_t in[WIDE];
        int32_t scores[8];
        for (size_t k = 0; k < 5u; k++) {
            in[k] = (int16_t)(trial == 0   ? INT16_MIN
                              : trial == 1 ? INT16_MAX
                                           : (int)(margin_rng_u32(&rng) % 65536u) - 32768);
        }
        margin_scores_q(&quant.model, in, scores);
        for (size_t j = 0; j < e->vote.machines; j++) {
            ASSERT_EQ(by_formula(e, in, j), scores[j]);
        }
        ASSERT(classes > 2u || margin_hinge_score_q7(e, in) == scores[0]);
    }
    PASS();
}

TEST integer_scores_of_many_machines_follow_the_formula_for_any_input(void) {
    return integers_follow_the_formula(6);
}

TEST integer_scores_of_one_machine_follow_the_formula_for_any_input(void) {
    return integers_follow_the_formula(2);
}

TEST images_keep_thresholds_and_scores(void) {
    static uint32_t image[2000];
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_real scores[8], again[8];
    margin_model copy;
    clouds(150, 4, 5, 0.7);
    options.vectors = 11;
    options.max_iterations = 20;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load(image, sizeof image, &room, &copy));
    for (size_t i = 0; i < data.n; i++) {
        margin_scores(&model, x + i * 4u, scores);
        margin_scores(&copy, x + i * 4u, again);
        for (size_t j = 0; j < 5u; j++) {
            ASSERT_IN_RANGE((double)scores[j], (double)again[j], 1e-4);
        }
    }
    PASS();
}

TEST a_hinge_model_whose_machines_are_pairs_is_refused(void) {
    clouds(60, 3, 3, 0.7);
    options.vectors = 4;
    options.max_iterations = 3;
    ASSERT_EQ(MARGIN_OK, train());
    model.of.expansion.vote.scheme = MARGIN_SCHEME_ONE_ONE;
    model.of.expansion.width = 2;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
    PASS();
}

TEST neither_trainers_of_kernel_machines_nor_compression_take_the_hinge(void) {
    const margin_kernel hinge = {MARGIN_KERNEL_HINGE, 0, 0, 0, 0};
    margin_kernel resolved;
    margin_model small;
    margin_arena room = margin_arena_make(more, sizeof more);
    clouds(60, 3, 2, 0.7);
    options.vectors = 6;
    options.max_iterations = 3;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&model, &data, 3, 0, &room, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kernel_resolve(&hinge, 3, &resolved));
    PASS();
}

static bool stop_at(void *user, const margin_progress *at) {
    return at->iteration >= *(const size_t *)user;
}

/* ---- picked features ---- */

/* Whole numbers, six features, of which the second and the fifth tell the classes together: five on
 * a grid of three by two. */
static margin_status picked(size_t features) {
    margin_rng rng = margin_rng_make(5);
    fresh(200, 6);
    for (size_t i = 0; i < 200u * 6u; i++) {
        const size_t c = i / 6u % 5u, place = i % 6u == 1u ? c % 3u : c / 3u;
        const margin_real noise = margin_rng_normal(&rng);
        y[i / 6u] = (uint16_t)c;
        x[i] = (margin_real)(long)(i % 6u == 1u || i % 6u == 4u
                                       ? 200 * ((margin_real)place - 1) + 20 * noise
                                       : 150 * noise);
    }
    options.vectors = 9;
    options.features = (uint16_t)features;
    options.max_iterations = 60;
    return train();
}

TEST the_features_that_tell_the_classes_are_picked(void) {
    ASSERT_EQ(MARGIN_OK, picked(2));
    ASSERT_EQ(MARGIN_MODEL_PROJECTED, model.kind);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    ASSERT_EQ(2u, model.of.projected.pool.d);
    ASSERT_EQ(6u, model.of.projected.d);
    ASSERT_EQ_FMT(1u << 1 | 1u << 4, (unsigned)model.of.projected.picked[0], "%u");
    ASSERT(mistakes() <= 4u);
    x[0] += 1000; /* nobody looks at it */
    ASSERT(mistakes() <= 4u);
    PASS();
}

TEST as_many_features_as_there_are_are_all_of_them(void) {
    ASSERT_EQ(MARGIN_OK, picked(6));
    ASSERT_EQ(MARGIN_MODEL_EXPANSION, model.kind);
    options.features = 3;
    options.rank = 2;
    ASSERT_EQ(0u, margin_compact_train_size(200, 6, 5, &options));
    options.rank = 0;
    options.kernel = MARGIN_KERNEL_RBF;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    PASS();
}

TEST a_training_that_is_stopped_has_picked_its_features(void) {
    margin_real scores[8];
    size_t limit = 1;
    ASSERT_EQ(MARGIN_OK, picked(2));
    mem = margin_arena_make(bytes, sizeof bytes);
    options.watch.progress = stop_at;
    options.watch.user = &limit;
    ASSERT_EQ(MARGIN_W_STOPPED, train());
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    ASSERT(margin_classify(&model, x, scores) < 5u);
    PASS();
}

/* In integers, whole or not, scaled or not, the labels stay, and the picked features of an input
 * are those that the pool sees. */
TEST picked_features_lose_nothing_in_integers(void) {
    const margin_real offset[6] = {1, 2, 3, 4, 5, 6}, factor[6] = {1, 2, 1, (margin_real)0.5, 1, 3};
    const margin_scaling scaling = {offset, factor, 6};
    static uint32_t image[2000];
    for (unsigned way = 0; way < 8u; way++) {
        const margin_quant_options how = {(uint8_t)(way % 2u != 0 ? MARGIN_Q7 : MARGIN_Q15),
                                          (way & 2u) != 0};
        margin_arena room = margin_arena_make(more, sizeof more);
        margin_quant quant, copy;
        margin_quant_info found;
        ASSERT_EQ(MARGIN_OK, picked(3));
        if ((way & 4u) != 0) {
            for (size_t i = 0; i < 200u * 6u; i++) {
                x[i] = x[i] / factor[i % 6u] + offset[i % 6u];
                x[i] = (way & 2u) != 0 ? (margin_real)(long)(x[i]) : x[i];
            }
            ASSERT_EQ(MARGIN_OK, margin_model_scale(&model, &scaling, &mem));
        }
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, &found));
        ASSERT_EQ(margin_quantize_size(&model, &how), room.peak);
        ASSERT(found.disagree <= 1u);
        ASSERT_EQ((way & 6u) == 2u, quant.input.offset == NULL);
        ASSERT_EQ(NULL, quant.model.of.projected.pool.stage);
        ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image));
        ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, sizeof image, &room, &copy));
        for (size_t i = 0; i < data.n; i++) {
            const margin_projected_q *p = &copy.model.of.projected;
            int16_t in[WIDE], z[MARGIN_RANK_MOST];
            int32_t scores[8], pool[8];
            size_t r = 0;
            margin_input_q(&copy.input, x + i * 6u, in);
            margin_scores_q(&quant.model, in, scores);
            margin_pick_q(p, in, z);
            for (size_t k = 0; k < 6u; k++) {
                if ((p->picked[0] >> k & 1u) != 0) { ASSERT_EQ(in[k], z[r++]); }
            }
            ASSERT_EQ(3u, r);
            (way % 2u != 0 ? margin_hinge_scores_q7 : margin_hinge_scores_q15)(&p->pool, z, pool);
            ASSERT_EQ(0, memcmp(scores, pool, 5u * sizeof *pool));
        }
    }
    PASS();
}

TEST images_keep_picked_features_and_their_scaling(void) {
    static uint32_t image[2000];
    const margin_real offset[6] = {1, 2, 3, 4, 5, 6}, factor[6] = {1, 2, 1, (margin_real)0.5, 1, 3};
    const margin_scaling scaling = {offset, factor, 6};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_model copy;
    ASSERT_EQ(MARGIN_OK, picked(3));
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&model, &scaling, &room));
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load(image, sizeof image, &room, &copy));
    ASSERT_EQ(model.of.projected.picked[0], copy.of.projected.picked[0]);
    for (size_t i = 0; i < data.n; i++) {
        margin_real scores[8], again[8];
        margin_scores(&model, x + i * 6u, scores);
        margin_scores(&copy, x + i * 6u, again);
        for (size_t j = 0; j < 5u; j++) {
            ASSERT_IN_RANGE((double)scores[j], (double)again[j],
                            1e-3 * (1 + fabs((double)scores[j])));
        }
    }
    PASS();
}

/* Eight features fill the byte that says which are picked. */
TEST images_of_whole_bytes_of_picked_features_are_read_back(void) {
    static uint32_t image[2000];
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_model copy;
    ASSERT_EQ(MARGIN_OK, picked(3));
    const size_t shorter = margin_image_size(&model, 0);
    model.of.projected.d = 8;
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    ASSERT_EQ(shorter, margin_image_size(&model, 0));
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load(image, sizeof image, &room, &copy));
    ASSERT_EQ(8u, copy.of.projected.d);
    ASSERT_EQ(model.of.projected.picked[0], copy.of.projected.picked[0]);
    for (size_t i = 0; i < data.n; i++) {
        margin_real wide[8] = {0}, scores[8], again[8];
        memcpy(wide, x + i * 6u, 6u * sizeof *wide);
        margin_scores(&model, wide, scores);
        margin_scores(&copy, wide, again);
        for (size_t j = 0; j < 5u; j++) {
            ASSERT_IN_RANGE((double)scores[j], (double)again[j],
                            1e-5 * (1 + fabs((double)scores[j])));
        }
    }
    /* Four bytes say which of 32 are picked; a fifth, for 33, takes four more in an image. */
    for (size_t d = 9; d <= 40u; d++) {
        static const uint8_t which[8] = {7};
        model.of.projected.picked = which;
        model.of.projected.d = (uint16_t)d;
        ASSERT_EQ_FMT(shorter + (d > 32u ? 4u : 0u), margin_image_size(&model, 0), "%zu");
    }
    PASS();
}

/* Raw values that are not whole, though the options say so, and units too large for 32 bits. */
TEST picked_features_that_do_not_fit_integers_are_refused(void) {
    margin_quant_options how = {0};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_real bias[5];
    margin_quant quant;
    ASSERT_EQ(MARGIN_OK, picked(3));
    how.whole = true;
    x[1] += (margin_real)0.5;
    ASSERT_EQ(MARGIN_E_RANGE, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    x[1] -= (margin_real)0.5;
    memcpy(bias, model.of.projected.pool.bias, sizeof bias);
    model.of.projected.pool.bias = bias;
    for (size_t t = 0; t < 2u; t++) {
        how.format = t == 0 ? MARGIN_Q15 : MARGIN_Q7;
        bias[0] = 0;
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
        bias[0] = (margin_real)1e30;
        ASSERT_EQ(MARGIN_E_RANGE, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    }
    PASS();
}

TEST wrong_bits_of_picked_features_are_refused(void) {
    static const uint8_t wrong[] = {0, 1, 7, 1 << 6 | 3, 15};
    const margin_quant_options how = {MARGIN_Q7, false};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_quant quant;
    ASSERT_EQ(MARGIN_OK, picked(2));
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    for (size_t i = 0; i < sizeof wrong; i++) {
        model.of.projected.picked = quant.model.of.projected.picked = wrong + i;
        ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
        ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    }
    PASS();
}

/* ---- projections ---- */

/* A model of 5 features, of which its vectors see 3 numbers. */
static margin_status projected(void) {
    clouds(200, 5, 6, 1);
    options.vectors = 9;
    options.rank = 3;
    options.max_iterations = 40;
    return train();
}

TEST a_projection_learns_where_the_classes_are_among_many_features(void) {
    clouds(120, 6, 4, 0.3);
    options.vectors = 12;
    options.rank = 2;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_MODEL_PROJECTED, model.kind);
    ASSERT_EQ(2u, model.of.projected.pool.d);
    ASSERT_EQ(6u, model.of.projected.d);
    ASSERT(mistakes() <= 3u);
    PASS();
}

TEST integers_of_a_projection_follow_the_formula_for_any_input(void) {
    const margin_quant_options how = {MARGIN_Q7, false};
    margin_rng rng = margin_rng_make(9);
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_quant quant;
    ASSERT_EQ(MARGIN_OK, projected());
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    for (size_t trial = 0; trial < 300u; trial++) {
        const margin_projected_q *p = &quant.model.of.projected;
        int16_t in[WIDE], z[MARGIN_RANK_MOST];
        int32_t scores[8];
        for (size_t k = 0; k < 5u; k++) {
            in[k] = (int16_t)(trial == 0   ? INT16_MIN
                              : trial == 1 ? INT16_MAX
                                           : (int)(margin_rng_u32(&rng) % 65536u) - 32768);
        }
        margin_project_q7(p, in, z);
        margin_scores_q(&quant.model, in, scores);
        for (size_t r = 0; r < 3u; r++) {
            int64_t sum = p->front_bias[r];
            for (size_t k = 0; k < 5u; k++) {
                sum += (int64_t)((const int8_t *)p->front)[r * 5u + k] * in[k];
            }
            sum = ((sum * p->front_scales[r]) >> 16) >> p->front_down;
            ASSERT_EQ(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum, z[r]);
        }
        for (size_t j = 0; j < 6u; j++) { ASSERT_EQ(by_formula(&p->pool, z, j), scores[j]); }
    }
    PASS();
}

TEST images_keep_a_projection_and_its_scaling(void) {
    static uint32_t image[2000];
    const margin_real offset[5] = {1, 2, 3, 4, 5}, factor[5] = {1, 2, 1, (margin_real)0.5, 1};
    const margin_scaling scaling = {offset, factor, 5};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_model copy;
    ASSERT_EQ(MARGIN_OK, projected());
    ASSERT_EQ(0u, margin_model_scale_size(&model));
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&model, &scaling, &room));
    ASSERT_EQ(NULL, model.of.projected.pool.offset);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load(image, sizeof image, &room, &copy));
    for (size_t i = 0; i < data.n; i++) {
        margin_real scores[8], again[8];
        margin_scores(&model, x + i * 5u, scores);
        margin_scores(&copy, x + i * 5u, again);
        for (size_t j = 0; j < 6u; j++) {
            ASSERT_IN_RANGE((double)scores[j], (double)again[j], 1e-3);
        }
    }
    PASS();
}

TEST images_keep_a_projection_in_integers(void) {
    static uint32_t image[2000];
    const margin_quant_options how = {MARGIN_Q7, false};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_quant quant, copy;
    ASSERT_EQ(MARGIN_OK, projected());
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, sizeof image, &room, &copy));
    for (size_t i = 0; i < data.n; i++) {
        int16_t in[WIDE];
        int32_t scores[8], again[8];
        margin_input_q(&copy.input, x + i * 5u, in);
        margin_scores_q(&quant.model, in, scores);
        ASSERT_EQ(margin_decide_q(margin_model_vote_q(&quant.model), scores),
                  margin_classify_q(&copy.model, in, NULL, again));
        ASSERT_MEM_EQ(scores, again, 6 * sizeof *scores);
    }
    PASS();
}

TEST projections_that_are_not_whole_are_refused(void) {
    margin_projected *p = &model.of.projected;
    margin_real one = 1;
    margin_projected good;
    ASSERT_EQ(MARGIN_OK, projected());
    good = *p;
    p->pool.offset = &one;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
    *p = good;
    p->pool.d = MARGIN_RANK_MOST + 1u;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
    p->pool.d = 0;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
    *p = good;
    p->d = 0;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&model));
    *p = good;
    p->front = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check(&model));
    *p = good;
    p->front_bias = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check(&model));
    PASS();
}

TEST integer_projections_that_could_overflow_are_refused(void) {
    const margin_quant_options how = {MARGIN_Q15, false};
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_quant quant;
    margin_projected_q *p = &quant.model.of.projected;
    int32_t bias[3] = {INT32_MAX, 0, 0};
    margin_projected_q good;
    ASSERT_EQ(MARGIN_OK, projected());
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &room, &quant, NULL));
    good = *p;
    p->front_bias = bias;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    *p = good;
    p->front_down = 32;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    *p = good;
    p->front_scales = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check_q(&quant.model));
    *p = good;
    p->pool.d = (uint16_t)(MARGIN_RANK_MOST + 1u);
    p->front = more; /* large enough to be looked at */
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    *p = good;
    p->d = 0;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    *p = good;
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&quant.model));
    PASS();
}

TEST a_rank_that_saves_nothing_or_is_too_large_is_refused(void) {
    clouds(60, 6, 2, 0.5);
    options.vectors = 4;
    options.rank = 6;
    ASSERT_EQ(MARGIN_E_RANK, train());
    options.rank = 5;
    ASSERT_EQ(MARGIN_OK, train());
    options.rank = (uint16_t)(MARGIN_RANK_MOST + 1u);
    ASSERT_EQ(0u, margin_compact_train_size(60, 100, 2, &options));
    options.rank = (uint16_t)MARGIN_RANK_MOST;
    ASSERT(margin_compact_train_size(60, 100, 2, &options) > 0u);
    PASS();
}

/* ---- a start of one's own ---- */

/* A support vector machine of five clouds with so few vectors that it makes mistakes. */
static margin_status reduced(margin_arena *room, margin_model *few) {
    const margin_kernel rbf = {MARGIN_KERNEL_RBF, 0, (margin_real)0.3, 0, 0};
    margin_svm_options svm;
    margin_model whole;
    margin_status status;
    clouds(300, 3, 5, 1);
    memset(&svm, 0, sizeof svm);
    svm.kernel = rbf;
    svm.scheme = MARGIN_SCHEME_ONE_REST;
    status = margin_svm_train(&data, &svm, room, &whole, NULL, NULL);
    return status < 0 ? status : margin_compress(&whole, &data, 8, 0, room, few, NULL);
}

/* What the training makes small, of five machines. */
static double loss_of_all(void) {
    double loss = 0;
    for (size_t i = 0; i < data.n; i++) {
        margin_real scores[5];
        margin_scores(&model, x + i * data.d, scores);
        for (size_t j = 0; j < 5u; j++) {
            const double lack = 1 - (double)scores[j] * (y[i] == j ? 1 : -1);
            loss += lack > 0 ? lack * lack / 2 : 0;
        }
    }
    return loss;
}

TEST vectors_of_a_reduced_machine_move_to_where_they_do_best(void) {
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_model few;
    double before;
    ASSERT_EQ(MARGIN_OK, reduced(&room, &few));
    model = few;
    before = loss_of_all();
    options.start = &few;
    options.noise = MARGIN_ZERO;
    options.rate = (margin_real)0.01;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_MODEL_EXPANSION, model.kind);
    ASSERT_EQ(few.of.expansion.n, model.of.expansion.n);
    ASSERT(loss_of_all() < 0.9 * before);
    PASS();
}

TEST a_training_of_no_step_is_the_model_that_it_started_from(void) {
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_real scores[8], again[8];
    margin_model few;
    ASSERT_EQ(MARGIN_OK, reduced(&room, &few));
    options.start = &few;
    options.exact = true;
    options.rate = (margin_real)1e-9;
    options.noise = MARGIN_ZERO;
    options.max_iterations = 1;
    ASSERT_EQ(MARGIN_OK, train());
    for (size_t i = 0; i < data.n; i++) {
        margin_scores(&few, x + i * 3u, scores);
        margin_scores(&model, x + i * 3u, again);
        for (size_t j = 0; j < 5u; j++) {
            ASSERT_IN_RANGE((double)scores[j], (double)again[j], 1e-3);
        }
    }
    PASS();
}

TEST a_start_that_does_not_suit_is_refused(void) {
    margin_arena room = margin_arena_make(more, sizeof more);
    margin_model few, other;
    ASSERT_EQ(MARGIN_OK, reduced(&room, &few));
    options.start = &other;
    other = few;
    other.of.expansion.offset = x;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    other = few;
    other.of.expansion.kernel.kind = MARGIN_KERNEL_POLY;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    other = few;
    other.of.expansion.vote.scheme = MARGIN_SCHEME_ONE_ONE;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    other = few;
    other.of.expansion.d = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    other = few;
    options.rank = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, train());
    options.rank = 0;
    options.max_iterations = 1;
    ASSERT_EQ(MARGIN_OK, train());
    PASS();
}

/* ---- memory, stopping, odd data ---- */

TEST the_macro_is_the_query_and_what_a_misaligned_buffer_may_lose(void) {
    fresh(50, 4);
    options.vectors = 7;
    ASSERT_EQ(MARGIN_COMPACT_BYTES(50, 4, 3, 7),
              margin_compact_train_size(50, 4, 3, &options) + MARGIN_ALIGN - 1u);
    ASSERT_EQ(MARGIN_COMPACT_BYTES(50, 300, 2, 7),
              margin_compact_train_size(50, 300, 2, &options) + MARGIN_ALIGN - 1u);
    /* more machines than features and vectors, but fewer than a batch has samples: the products with
     * all samples of a batch need the larger panel */
    ASSERT_EQ(MARGIN_COMPACT_BYTES(50, 4, 30, 7),
              margin_compact_train_size(50, 4, 30, &options) + MARGIN_ALIGN - 1u);
    options.vectors = 300;
    ASSERT_EQ(MARGIN_COMPACT_BYTES(900, 4, 40, 300),
              margin_compact_train_size(900, 4, 40, &options) + MARGIN_ALIGN - 1u);
    options.rank = 3;
    ASSERT_EQ(MARGIN_COMPACT_RANK_BYTES(900, 64, 40, 300, 3),
              margin_compact_train_size(900, 64, 40, &options) + MARGIN_ALIGN - 1u);
    options.rank = 0;
    options.features = 9;
    ASSERT_EQ(MARGIN_COMPACT_FEATURES_BYTES(900, 67, 40, 300, 9),
              margin_compact_train_size(900, 67, 40, &options) + MARGIN_ALIGN - 1u);
    options.features = MARGIN_RANK_MOST + 1u; /* more than a predictor has room for */
    ASSERT_EQ(0u, margin_compact_train_size(900, 67, 40, &options));
    PASS();
}

TEST a_training_that_is_stopped_has_a_model_and_says_so(void) {
    size_t limits[] = {0, 1, 15, 10000};
    for (size_t t = 0; t < sizeof limits / sizeof limits[0]; t++) {
        clouds(90, 3, 3, 0.5);
        options.vectors = 5;
        options.max_iterations = 20; /* the search takes hundreds of passes */
        options.watch.progress = stop_at;
        options.watch.user = &limits[t];
        ASSERT_EQ(limits[t] > 90u ? MARGIN_OK : MARGIN_W_STOPPED, train());
        ASSERT_EQ(limits[t] > 90u, info.converged);
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    }
    PASS();
}

/* From a thousand samples on, passes are not made longer than they would be. */
TEST a_thousand_samples_choose_their_passes_from_few(void) {
    clouds(1000, 1, 2, 0.2);
    options.vectors = 1;
    options.noise = (margin_real)0.05;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(info.converged);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    PASS();
}

TEST more_vectors_than_samples_are_refused(void) {
    clouds(20, 3, 2, 0.5);
    options.vectors = 21;
    ASSERT_EQ(MARGIN_E_VECTORS, train());
    ASSERT_EQ(0u, margin_compact_train_size(20, 3, 2, &options));
    ASSERT_EQ(0u, mem.low);
    PASS();
}

TEST one_feature_constant_columns_and_fifty_classes_are_no_trouble(void) {
    clouds(60, 1, 2, 0.1);
    options.vectors = 4;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(0u, mistakes());
    clouds(60, 3, 2, 0.1);
    for (size_t i = 0; i < 60u; i++) { x[i * 3u + 1u] = 7; }
    options.vectors = 6;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(0u, mistakes());
    ASSERT(told.passes >= 19u && told.passes < 300u); /* little is gained by more than 300 / 16 */
    clouds(400, 6, 50, 0.05);
    options.vectors = 60;
    options.noise = options.decay = (margin_real)0.03;
    options.max_iterations = 80;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(mistakes() < 20u);
    PASS();
}

TEST samples_that_are_all_alike_give_a_model_and_huge_ones_a_refusal(void) {
    fresh(30, 2);
    for (size_t i = 0; i < 30u; i++) {
        x[2 * i] = x[2 * i + 1u] = 1;
        y[i] = (uint16_t)(i % 2u);
    }
    options.vectors = 3;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    x[0] = (margin_real)(sizeof(margin_real) > 4u ? 1e200 : 1e30);
    ASSERT_EQ(MARGIN_E_RANGE, train());
    PASS();
}

TEST no_options_are_options_of_zero(void) {
    margin_info first;
    quadrants(16);
    ASSERT(train() >= 0);
    first = info;
    mem = margin_arena_make(more, sizeof more);
    ASSERT(margin_compact_train(&data, NULL, &mem, &model, &info, &told) >= 0);
    ASSERT_EQ_FMT((unsigned)first.iterations, (unsigned)info.iterations, "%u");
    ASSERT(first.objective == info.objective);
    PASS();
}

/* ---- edges ---- */

/* Only rbf expansions of the same shape can be gone on from. */
TEST models_to_go_on_from_must_suit(void) {
    margin_model start;
    margin_expansion *e = &start.of.expansion;
    clouds(60, 2, 3, 1);
    memset(&start, 0, sizeof start);
    start.kind = MARGIN_MODEL_EXPANSION;
    e->kernel.kind = MARGIN_KERNEL_RBF;
    e->n = 5;
    e->d = 2;
    e->vote.classes = 3;
    e->vote.scheme = MARGIN_SCHEME_ONE_REST;
    options.start = &start;
    ASSERT(margin_compact_train_size(60, 2, 3, &options) > 0);
    ASSERT_EQ(0, margin_compact_train_size(60, 2, 2, &options)); /* other classes */
    e->vote.classes = 2;
    ASSERT_EQ(0, margin_compact_train_size(60, 2, 2, &options)); /* two classes have one machine */
    e->vote.scheme = MARGIN_SCHEME_BINARY;
    ASSERT(margin_compact_train_size(60, 2, 2, &options) > 0);
    e->vote.classes = 3;
    e->vote.scheme = MARGIN_SCHEME_ONE_REST;
    e->n = 70000;
    ASSERT_EQ(0, margin_compact_train_size(100000, 2, 3, &options));
    e->n = 5;
    start.kind = MARGIN_MODEL_LINEAR;
    ASSERT_EQ(0, margin_compact_train_size(60, 2, 3, &options));
    options.start = NULL;
    options.loss = MARGIN_COMPACT_SOFT + 1u;
    ASSERT_EQ(0, margin_compact_train_size(60, 2, 3, &options));
    PASS();
}

/* Samples that are all alike: units of no width, vectors of zeros. */
TEST samples_that_are_all_alike_have_one_score(void) {
    margin_real scores[1], other[1];
    fresh(40, 2);
    for (size_t i = 0; i < 40u; i++) {
        x[2 * i] = x[2 * i + 1] = 3;
        y[i] = (uint16_t)(i % 2u);
    }
    options.kernel = MARGIN_KERNEL_RBF;
    options.vectors = 3;
    options.max_iterations = 4;
    options.noise = options.decay = MARGIN_ZERO; /* nothing moves the vectors */
    ASSERT_EQ(MARGIN_OK, train());
    margin_scores(&model, x, scores);
    margin_scores(&model, x + 2, other);
    ASSERT(scores[0] == other[0] && scores[0] - scores[0] == 0);
    ASSERT_EQ(20, mistakes());
    PASS();
}

/* From 1000 samples on two quarters are held out in turn, from 2000 on one; and with a decay given
 * only the noise is chosen. */
TEST many_samples_hold_out_fewer_quarters(void) {
    static margin_real one[2001];
    static uint16_t labels[2001];
    static const size_t counts[] = {999, 1000, 2001};
    static const size_t parts[] = {4, 2, 1};
    fresh(0, 1);
    for (size_t i = 0; i < 2001u; i++) {
        one[i] = (margin_real)((double)(i % 17u) - 8);
        labels[i] = (uint16_t)(i % 17u > 8u ? 1 : 0);
    }
    data.x = one;
    data.y = labels;
    options.vectors = 2;
    options.max_iterations = 2;
    options.decay = (margin_real)0.1;
    for (size_t t = 0; t < 3u; t++) {
        mgn_compact plan;
        data.n = counts[t];
        ASSERT(mgn_compact_shape(&plan, data.n, 1, 2, &options));
        ASSERT_EQ(parts[t], mgn_compact_parts(&plan));
    }
    data.n = 2001;
    ASSERT_EQ(MARGIN_OK, train());
    ASSERT(told.decay == options.decay);
    ASSERT(told.held_out_error >= 0 && told.held_out_error < 1);
    PASS();
}

/* Plans of more than a size_t can count have no size. Trainers refuse such counts before. */
TEST plans_beyond_all_counts_have_no_size(void) {
    for (unsigned i = 0; i < 5u; i++) {
        margin_arena dry = margin_arena_counting();
        margin_seco_options seco;
        margin_mam_online on;
        mgn_descent descent;
        mgn_seco list;
        memset(&on, 0, sizeof on);
        memset(&list, 0, sizeof list);
        memset(&seco, 0, sizeof seco);
        memset(&job, 0, sizeof job);
        on.d = job.d = SIZE_MAX;
        on.classes = 2;
        job.n = job.classes = 2;
        job.machines = job.units = 1;
        seco.weight_count = seco.starts = 1;
        list.options = &seco;
        if (i < 2u) { mgn_mam_plan(&on, &dry, 1, 1, i == 0); }
        if (i == 2u) { mgn_descent_plan(&descent, &dry, SIZE_MAX); }
        if (i == 3u) { mgn_seco_plan(&list, &dry, SIZE_MAX); }
        if (i == 4u) { mgn_compact_plan(&job, &dry); }
        ASSERT_EQ(0, mgn_arena_counted(&dry));
    }
    PASS();
}

SUITE(compact_suite) {
    RUN_TEST(models_to_go_on_from_must_suit);
    RUN_TEST(samples_that_are_all_alike_have_one_score);
    RUN_TEST(many_samples_hold_out_fewer_quarters);
    RUN_TEST(plans_beyond_all_counts_have_no_size);
    RUN_TEST(no_options_are_options_of_zero);
    RUN_TEST(rbf_units_begin_as_wide_as_they_are_apart);
    RUN_TEST(starting_values_are_sums_of_four_bytes);
    RUN_TEST(slopes_of_hinge_units_are_those_of_the_loss);
    RUN_TEST(slopes_of_rbf_units_and_their_width_are_those_of_the_loss);
    RUN_TEST(slopes_of_a_projection_before_hinge_units_are_those_of_the_loss);
    RUN_TEST(slopes_of_a_projection_before_rbf_units_are_those_of_the_loss);
    RUN_TEST(slopes_of_two_classes_are_those_of_one_machine);
    RUN_TEST(eight_units_learn_the_four_quadrants);
    RUN_TEST(rbf_units_learn_five_clouds);
    RUN_TEST(noise_is_none_where_the_caller_says_so_and_as_given_where_it_is_given);
    RUN_TEST(passes_follow_from_the_number_of_samples);
    RUN_TEST(many_samples_choose_decay_and_noise);
    RUN_TEST(every_member_of_a_committee_learns_the_classes_by_itself);
    RUN_TEST(there_are_no_more_members_than_vectors_and_one_where_a_model_goes_on);
    RUN_TEST(validation_chooses_members_from_a_thousand_samples_on);
    RUN_TEST(a_decay_or_a_noise_of_the_caller_stays_while_members_are_chosen);
    RUN_TEST(few_samples_that_are_hard_to_learn_are_given_more_passes);
    RUN_TEST(the_same_seed_gives_the_same_bits_and_another_one_others);
    RUN_TEST(many_vectors_do_not_learn_wrong_labels_by_heart);
    RUN_TEST(the_decay_may_go_down_again_once_the_noise_is_chosen);
    RUN_TEST(as_many_vectors_as_samples_are_validated_only_with_hinge_units);
    RUN_TEST(vectors_of_hinge_units_are_multiples_of_a_127th_of_their_largest_value);
    RUN_TEST(hinge_units_of_many_classes_lose_nothing_in_integers);
    RUN_TEST(hinge_units_of_two_classes_lose_nothing_in_integers);
    RUN_TEST(hinge_units_of_one_feature_keep_their_largest_values);
    RUN_TEST(rbf_units_of_many_classes_lose_little_in_integers);
    RUN_TEST(a_projection_before_hinge_units_loses_nothing_in_integers);
    RUN_TEST(a_projection_before_rbf_units_loses_little_in_integers);
    RUN_TEST(integer_scores_of_many_machines_follow_the_formula_for_any_input);
    RUN_TEST(integer_scores_of_one_machine_follow_the_formula_for_any_input);
    RUN_TEST(images_keep_thresholds_and_scores);
    RUN_TEST(a_hinge_model_whose_machines_are_pairs_is_refused);
    RUN_TEST(neither_trainers_of_kernel_machines_nor_compression_take_the_hinge);
    RUN_TEST(the_features_that_tell_the_classes_are_picked);
    RUN_TEST(as_many_features_as_there_are_are_all_of_them);
    RUN_TEST(a_training_that_is_stopped_has_picked_its_features);
    RUN_TEST(picked_features_lose_nothing_in_integers);
    RUN_TEST(images_keep_picked_features_and_their_scaling);
    RUN_TEST(images_of_whole_bytes_of_picked_features_are_read_back);
    RUN_TEST(picked_features_that_do_not_fit_integers_are_refused);
    RUN_TEST(wrong_bits_of_picked_features_are_refused);
    RUN_TEST(a_projection_learns_where_the_classes_are_among_many_features);
    RUN_TEST(integers_of_a_projection_follow_the_formula_for_any_input);
    RUN_TEST(images_keep_a_projection_and_its_scaling);
    RUN_TEST(images_keep_a_projection_in_integers);
    RUN_TEST(projections_that_are_not_whole_are_refused);
    RUN_TEST(integer_projections_that_could_overflow_are_refused);
    RUN_TEST(a_rank_that_saves_nothing_or_is_too_large_is_refused);
    RUN_TEST(vectors_of_a_reduced_machine_move_to_where_they_do_best);
    RUN_TEST(a_training_of_no_step_is_the_model_that_it_started_from);
    RUN_TEST(a_start_that_does_not_suit_is_refused);
    RUN_TEST(the_macro_is_the_query_and_what_a_misaligned_buffer_may_lose);
    RUN_TEST(a_training_that_is_stopped_has_a_model_and_says_so);
    RUN_TEST(a_thousand_samples_choose_their_passes_from_few);
    RUN_TEST(more_vectors_than_samples_are_refused);
    RUN_TEST(one_feature_constant_columns_and_fifty_classes_are_no_trouble);
    RUN_TEST(samples_that_are_all_alike_give_a_model_and_huge_ones_a_refusal);
}
