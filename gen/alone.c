/* alone.c -- pieces of C out of which gen/alone.py makes headers that need no margin.h. It takes the pieces that a model
 * needs, puts the name of the model in the place of `model` and the tables and constants before them.
 *
 * They compute the same bits as the predictors of margin_impl.h, in plain loops: the same operations in the same order,
 * without assembly, without early exits, one vector at a time. A piece begins at its banner and ends at the next. */

/* ---- f32 guard ---- */
#if defined(__FAST_MATH__)
#error "model.h: -ffast-math changes results; compile without it"
#elif defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "model.h: excess precision changes results; use SSE2, or -fexcess-precision=fast"
#endif

/* Every product and every sum is rounded on its own: the compiler must not fuse them. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif

/* ---- f32 end ---- */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- f32 bits ---- */
/* A float and the 32 bits that it is stored in. */
typedef union {
    float real;
    uint32_t word;
} model_bits;

/* ---- f32 exp core ---- */
/* e^(x + low) for |x| <= 127 and a small `low`: x = k ln 2 + r, and so e^x = 2^k e^r. Adding ROUND rounds
 * x / ln 2 to k and leaves k, biased, in the low bits. The sum 1 + high is exact: `lost` is what it rounds. */
static inline float model_exp_sum(float x, float low) {
    const float ROUND = 12583168.0f; /* 1.5 2^23 + 256 */
    const float shifted = x * 1.44269504f + ROUND;
    const float k = shifted - ROUND;
    const float high = x - k * 0.693145752f;
    const float rest = k * 1.42860677e-06f - low;
    const float r = high - rest;
    const float rr = r * r;
    const float sum = 1 + high;
    const float lost = (1 - sum) + high;
    const float tail =
        (0.166665331f + r * 0.0416672044f) + rr * (0.00836759433f + r * 0.00138682546f);
    const float value = sum + ((0.5f * rr + r * rr * tail) + (lost - rest));
    model_bits exponent, once, again;
    exponent.real = shifted;
    once.word = ((exponent.word >> 1) - 1u) << 23; /* 2^k in two steps: it may be subnormal */
    again.word = (exponent.word - (exponent.word >> 1) - 1u) << 23;
    return value * once.real * again.real;
}

/* ---- f32 exp ---- */
/* e^x. Beyond the limits the result is infinite, or 0. */
static inline float model_exp(float x) {
    x = 89 < x ? 89 : x;
    x = x < -104 ? -104 : x;
    return model_exp_sum(x, 0);
}

/* ---- f32 exp alone ---- */
/* e^x, infinite or 0 beyond the limits: x = k ln 2 + r, and so e^x = 2^k e^r. Adding ROUND rounds x / ln 2 to k and
 * leaves k, biased, in the low bits. The sum 1 + high is exact: `lost` is what it rounds. */
static inline float model_exp(float x) {
    const float ROUND = 12583168.0f; /* 1.5 2^23 + 256 */
    const float least = x < -104 ? -104 : x, limited = 89 < least ? 89 : least;
    const float shifted = limited * 1.44269504f + ROUND, k = shifted - ROUND;
    const float high = limited - k * 0.693145752f, low = k * 1.42860677e-06f;
    const float r = high - low, rr = r * r, sum = 1 + high, lost = (1 - sum) + high;
    const float tail =
        (0.166665331f + r * 0.0416672044f) + rr * (0.00836759433f + r * 0.00138682546f);
    const float value = sum + ((0.5f * rr + r * rr * tail) + (lost - low));
    model_bits exponent, once, again;
    exponent.real = shifted;
    once.word = ((exponent.word >> 1) - 1u) << 23; /* 2^k in two steps: it may be subnormal */
    again.word = (exponent.word - (exponent.word >> 1) - 1u) << 23;
    return value * once.real * again.real;
}

/* ---- f32 sqrt ---- */
/* The square root, correctly rounded, one bit a step: `root` grows by `bit` where its square still fits. The last bit
 * only rounds. */
static inline float model_sqrt(float x) {
    model_bits in, out;
    uint32_t rest, root = 0, bit = UINT32_C(1) << 24;
    int32_t exponent;
    if (!(x > 0)) { return x; /* zero, or not a number; negative ones do not occur */ }
    in.real = x;
    exponent = (int32_t)(in.word >> 23);
    rest = in.word & UINT32_C(0x7FFFFF);
    if (exponent > 254) { return x; /* infinite */ }
    if (exponent > 0) {
        rest |= UINT32_C(0x800000);
    } else {
        for (exponent = 1; rest < UINT32_C(0x800000); exponent--) { rest <<= 1; }
    }
    exponent += 127;
    rest <<= 1 + (exponent & 1);
    for (; bit != 0; bit >>= 1) {
        const uint32_t trial = 2 * root + bit;
        if (trial <= rest) {
            rest -= trial;
            root += bit;
        }
        rest <<= 1;
    }
    out.word = ((uint32_t)(exponent / 2 - 1) << 23) + ((root + 1) >> 1);
    return out.real;
}

/* ---- f32 power ---- */
/* x^n by squaring, from the lowest bit of n up. */
static inline float model_power(float x, unsigned n) {
    float power = 1;
    for (;;) {
        power = n % 2u != 0 ? power * x : power;
        n /= 2u;
        if (n == 0) { return power; }
        x *= x;
    }
}

/* ---- f32 pow ---- */
/* A number as the sum of two floats. */
typedef struct {
    float high, low;
} model_two;

/* a + b without error, where a is not the smaller one (Dekker 1971). */
static inline model_two model_two_sum(float a, float b) {
    model_two sum;
    sum.high = a + b;
    sum.low = (a - sum.high) + b;
    return sum;
}

/* The upper half of the bits of a: its square is exact. */
static inline float model_head(float a) {
    model_bits bits;
    bits.real = a;
    bits.word = bits.word >> 12 << 12;
    return bits.real;
}

/* a b to 2^-46 (Dekker 1971). */
static inline model_two model_two_times(model_two a, model_two b) {
    const float a1 = model_head(a.high), a2 = a.high - a1;
    const float b1 = model_head(b.high), b2 = b.high - b1;
    const float p = a.high * b.high;
    const float lost = ((a1 * b1 - p) + (a1 * b2 + a2 * b1)) + a2 * b2;
    return model_two_sum(p, lost + (a.high * b.low + a.low * b.high));
}

/* log x in two numbers: x = m 2^k with sqrt(1/2) <= m < sqrt 2, and with s = (m - 1) / (m + 1) the series
 * log m = 2 s + 2/3 s^3 + .. */
static inline model_two model_log(float x) {
    const uint32_t low = UINT32_C(0x3F3504F3); /* the bits of sqrt(1/2) */
    model_two divisor, s, zz, term;
    model_bits m;
    float k;
    m.real = x;
    m.word += UINT32_C(0x3F800000) - low;
    k = (float)((int32_t)(m.word >> 23) - 127);
    m.word = (m.word & UINT32_C(0x7FFFFF)) + low;
    divisor = model_two_sum(1, m.real);
    s.high = (m.real - 1) / divisor.high;
    s.low = 0;
    term = model_two_times(s, divisor);
    s.low = (((m.real - 1) - term.high) - term.low) / divisor.high;
    zz = model_two_times(s, s);
    term = model_two_sum(
        0.666666687f, zz.high * (0.400001526f + zz.high * (0.285470933f + zz.high * 0.23419404f)));
    term.low += -1.98682155e-8f;
    zz = model_two_times(zz, term);
    term = model_two_sum(2, zz.high);
    term.low += zz.low;
    s = model_two_times(s, term);
    term = model_two_sum(k * 0.693145752f, s.high);
    return model_two_sum(term.high, term.low + (s.low + k * 1.42860677e-06f));
}

/* x^y for 0 <= x <= 1 and y > 0. */
static inline float model_pow(float x, float y) {
    model_two ln, product;
    if (!(x > 0 && x < 1)) { return x; /* 0, 1, or not a number */ }
    ln = model_log(x);
    if (!(y * -ln.high < 127)) { return model_exp(y * ln.high); }
    product.high = y;
    product.low = 0;
    product = model_two_times(ln, product);
    return model_exp_sum(product.high, product.low);
}

/* ---- f32 expm1 ---- */
/* e^y - 1, for small y by its series. */
static inline float model_expm1(float y) {
    float sum = 1;
    if ((y < 0 ? -y : y) > 0.35f) { return model_exp(y) - 1; }
    for (int k = 8; k > 1; k--) { sum = 1 + y * sum / (float)k; }
    return y * sum;
}

/* ---- f32 half cosine ---- */
/* (1 + cos) / 2 of the angle between two vectors, by their dot product and their squared lengths. */
static inline float model_half_cosine(float dot, float nx, float nz) {
    const float both = nx * nz;
    const float length =
        both >= FLT_MIN && both <= FLT_MAX ? model_sqrt(both) : model_sqrt(nx) * model_sqrt(nz);
    float c = length <= 0 ? 0 : dot / length + (length - length); /* not a number if infinite */
    c = 1 < c ? 1 : c;
    c = c < -1 ? -1 : c;
    return (1 + c) / 2;
}

/* ---- f32 kernel linear ---- */
/* The kernel of x and vector v: their dot product. */
static inline float model_kernel(float dot, float nx, size_t v) {
    (void)nx;
    (void)v;
    return dot;
}

/* ---- f32 kernel poly ---- */
/* The kernel of x and vector v, of their dot product: (gamma dot + coef0)^degree. */
static inline float model_kernel(float dot, float nx, size_t v) {
    (void)nx;
    (void)v;
    return model_power(MODEL_GAMMA * dot + MODEL_COEF0, MODEL_DEGREE);
}

/* ---- f32 kernel rbf ---- */
/* The kernel of x and vector v: exp(-gamma |x - v|^2) by their dot product and nx = |x|^2. */
static inline float model_kernel(float dot, float nx, size_t v) {
    const float distance = nx + MODEL_READ_F32(model_norms + v) - 2 * dot;
    return model_exp(-MODEL_GAMMA * (distance < 0 ? 0 : distance));
}

/* ---- f32 kernel unit-poly whole ---- */
/* The kernel of x and vector v: t^a, t = (1 + cos(x, v)) / 2. */
static inline float model_kernel(float dot, float nx, size_t v) {
    return model_power(model_half_cosine(dot, nx, MODEL_READ_F32(model_norms + v)), MODEL_A);
}

/* ---- f32 kernel unit-poly ---- */
/* The kernel of x and vector v: t^a, t = (1 + cos(x, v)) / 2. */
static inline float model_kernel(float dot, float nx, size_t v) {
    return model_pow(model_half_cosine(dot, nx, MODEL_READ_F32(model_norms + v)), MODEL_A);
}

/* ---- f32 kernel unit-exp one ---- */
/* The kernel of x and vector v: t = (1 + cos(x, v)) / 2, the limit of unit-exp for a = 1. */
static inline float model_kernel(float dot, float nx, size_t v) {
    return model_half_cosine(dot, nx, MODEL_READ_F32(model_norms + v));
}

/* ---- f32 kernel unit-exp ---- */
/* The kernel of x and vector v: (a^t - 1) / (a - 1), t = (1 + cos(x, v)) / 2. */
static inline float model_kernel(float dot, float nx, size_t v) {
    const float t = model_half_cosine(dot, nx, MODEL_READ_F32(model_norms + v));
    return model_expm1(t * MODEL_LN_A) / MODEL_A_LESS_1;
}

/* ---- f32 kernel hinge ---- */
/* The value of the learned vector v at x: what their dot product is above a threshold, or 0. */
static inline float model_kernel(float dot, float nx, size_t v) {
    const float above = dot + MODEL_READ_F32(model_norms + v);
    (void)nx;
    return above < 0 ? 0 : above;
}

/* ---- f32 input scaled ---- */
/* Feature k of the raw input, scaled. */
static inline float model_scaled(const float *x, size_t k) {
    return (x[k] - MODEL_READ_F32(model_offset + k)) * MODEL_READ_F32(model_factor + k);
}

/* ---- f32 input raw ---- */
/* Feature k of the input, which goes in as it is. */
static inline float model_scaled(const float *x, size_t k) {
    return x[k];
}

/* ---- f32 length ---- */
/* |x|^2 of the scaled input. */
static inline float model_norm(const float *x) {
    float norm = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        const float a = model_scaled(x, k);
        norm += a * a;
    }
    return norm;
}

/* ---- f32 pool ---- */
/* The kernel value of x and vector v; nx = |x|^2. */
static inline float model_term(const float *x, float nx, size_t v) {
    float dot = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        dot += model_scaled(x, k) * MODEL_READ_F32(model_vectors + v * MODEL_FEATURES + k);
    }
    return model_kernel(dot, nx, v);
}

/* ---- f32 project ---- */
/* What the vectors see of the raw input x: a few weighted sums of its features. */
static inline void model_project(const float *x, float *z) {
    for (size_t r = 0; r < MODEL_RANK; r++) {
        float dot = 0;
        for (size_t k = 0; k < MODEL_FEATURES; k++) {
            dot += model_scaled(x, k) * MODEL_READ_F32(model_front + r * MODEL_FEATURES + k);
        }
        z[r] = dot + MODEL_READ_F32(model_front_bias + r);
    }
}

/* ---- f32 pick ---- */
/* What the vectors see of the raw input x: some of its features, those whose bit is set. */
static inline void model_project(const float *x, float *z) {
    size_t r = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        if (((unsigned)MODEL_READ_U8(model_picked + k / 8u) >> k % 8u & 1u) != 0) {
            z[r++] = model_scaled(x, k);
        }
    }
}

/* ---- f32 scores projected ---- */
/* The scores of all machines at the raw input x. */
static inline void model_scores(const float *x, float *scores) {
    float z[MODEL_RANK];
    model_project(x, z);
    model_pool_scores(z, scores);
}

/* ---- f32 scores linear ---- */
/* The scores of all machines at x: weights . x + bias. Four sums side by side, the last features go to the first. */
static inline void model_scores(const float *x, float *scores) {
    const size_t whole = MODEL_FEATURES / 4 * 4;
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        const float *w = model_w + MODEL_ROW(j) * MODEL_FEATURES;
        float s[4] = {0, 0, 0, 0};
        for (size_t k = 0; k < MODEL_FEATURES; k++) {
            s[k < whole ? k % 4u : 0] += MODEL_READ_F32(w + k) * x[k];
        }
        scores[j] = ((s[0] + s[2]) + (s[1] + s[3])) + MODEL_READ_F32(model_bias + j);
    }
}

/* ---- f32 scores one ---- */
/* The score of x: the sum of coef * kernel over all vectors, and the bias. What rounding loses of a sum is carried on
 * to the next term (Kahan 1965). */
static inline void model_scores(const float *x, float *scores) {
    const float nx = model_norm(x);
    float sum = MODEL_READ_F32(model_bias), lost = 0;
    for (size_t v = 0; v < MODEL_VECTORS; v++) {
        const float part = model_term(x, nx, v) * MODEL_READ_F32(model_coef + v) - lost;
        const float next = sum + part;
        lost = (next - sum) - part;
        sum = next;
    }
    scores[0] = sum;
}

/* ---- f32 scores ordinal ---- */
/* The scores of x: the sum of coef * kernel over all vectors, above each of the thresholds. What rounding loses of a sum
 * is carried on to the next term (Kahan 1965). */
static inline void model_scores(const float *x, float *scores) {
    const float nx = model_norm(x);
    float sum = 0, lost = 0;
    for (size_t v = 0; v < MODEL_VECTORS; v++) {
        const float part = model_term(x, nx, v) * MODEL_READ_F32(model_coef + v) - lost;
        const float next = sum + part;
        lost = (next - sum) - part;
        sum = next;
    }
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        scores[j] = sum + MODEL_READ_F32(model_bias + j);
    }
}

/* ---- f32 scores rest ---- */
/* The scores of all machines at x, one a class: each vector has a coefficient for every machine. */
static inline void model_scores(const float *x, float *scores) {
    const float nx = model_norm(x);
    for (size_t j = 0; j < MODEL_MACHINES; j++) { scores[j] = MODEL_READ_F32(model_bias + j); }
    for (size_t v = 0; v < MODEL_VECTORS; v++) {
        const float value = model_term(x, nx, v);
        for (size_t j = 0; j < MODEL_CLASSES; j++) {
            scores[j] += value * MODEL_READ_F32(model_coef + v * MODEL_CLASSES + j);
        }
    }
}

/* ---- pair ---- */
/* The number of the machine that asks about classes a and b: (0,1), (0,2) .. (1,2) .. */
static inline size_t model_pair(size_t a, size_t b) {
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return low * (2u * MODEL_CLASSES - low - 1u) / 2u + (high - low - 1u);
}

/* ---- f32 scores pairs ---- */
/* The scores of all machines at x, one a pair of classes: a vector of class c has a coefficient for each other class. */
static inline void model_scores(const float *x, float *scores) {
    const float nx = model_norm(x);
    size_t c = 0;
    for (size_t j = 0; j < MODEL_MACHINES; j++) { scores[j] = MODEL_READ_F32(model_bias + j); }
    for (size_t v = 0; v < MODEL_VECTORS; v++) {
        const float value = model_term(x, nx, v);
        while (v >= MODEL_READ_U32(model_class_end + c)) { c++; }
        for (size_t j = 0; j < MODEL_CLASSES - 1u; j++) {
            scores[model_pair(c, j < c ? j : j + 1u)] +=
                value * MODEL_READ_F32(model_coef + v * (MODEL_CLASSES - 1u) + j);
        }
    }
}

/* ---- f32 scores list ---- */
/* The score of x: cuts are asked in order, and the first that is positive decides, for its own class; the last one
 * decides in any case. Cut j takes the vectors before model_reach[j]. */
static inline void model_scores(const float *x, float *scores) {
    const float nx = model_norm(x);
    float sums[MODEL_CUTS];
    size_t v = 0, j;
    for (j = 0; j < MODEL_CUTS; j++) { sums[j] = MODEL_READ_F32(model_bias + j); }
    for (j = 0;; j++) {
        for (; v < MODEL_READ_U32(model_reach + j); v++) {
            const float value = model_term(x, nx, v);
            for (size_t c = j; c < MODEL_CUTS; c++) {
                sums[c] += value * MODEL_READ_F32(model_coef + v * MODEL_CUTS + c);
            }
        }
        if (sums[j] > 0 || j + 1u >= MODEL_CUTS) { break; }
    }
    scores[0] = MODEL_READ_U32(model_target + j) == 0 ? -sums[j] : sums[j];
}

/* ---- f32 distance ---- */
/* The squared distance of x to prototype m, four sums side by side. */
static inline float model_distance(const float *x, size_t m) {
    const float *c = model_vectors + m * MODEL_FEATURES;
    const size_t whole = MODEL_FEATURES / 4 * 4;
    float s[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        const float a = model_scaled(x, k) - MODEL_READ_F32(c + k);
        s[k < whole ? k % 4u : 0] += a * a;
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* ---- f32 distance tangents ---- */
/* The squared distance of x to the plane of prototype m: |x - c|^2, in four sums side by side, less the squares of its
 * parts along the tangents; not below 0. */
static inline float model_distance(const float *x, size_t m) {
    const float *c = model_vectors + m * (1u + MODEL_TANGENTS) * MODEL_FEATURES;
    const size_t whole = MODEL_FEATURES / 4 * 4;
    float s[4] = {0, 0, 0, 0}, along = 0, z;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        const float a = model_scaled(x, k) - MODEL_READ_F32(c + k);
        s[k < whole ? k % 4u : 0] += a * a;
    }
    for (size_t j = 1; j <= MODEL_TANGENTS; j++) {
        float part = 0;
        for (size_t k = 0; k < MODEL_FEATURES; k++) {
            const float a = model_scaled(x, k) - MODEL_READ_F32(c + k);
            part += a * MODEL_READ_F32(c + j * MODEL_FEATURES + k);
        }
        along += part * part;
    }
    z = ((s[0] + s[1]) + (s[2] + s[3])) - along;
    return z < 0 ? 0 : z;
}

/* ---- f32 scores nearest ---- */
/* The scores of x: for each class the squared distance of its nearest prototype. */
static inline void model_scores(const float *x, float *scores) {
    size_t m = 0;
    for (size_t c = 0; c < MODEL_MACHINES; c++) {
        scores[c] = FLT_MAX;
        for (; m < MODEL_READ_U32(model_class_end + c); m++) {
            const float z = model_distance(x, m);
            scores[c] = z < scores[c] ? z : scores[c];
        }
    }
}

/* ---- f32 scores nth ---- */
/* The scores of x: for each class the squared distance of its nth nearest prototype. */
static inline void model_scores(const float *x, float *scores) {
    size_t m = 0, j;
    for (size_t c = 0; c < MODEL_MACHINES; c++) {
        float near[MODEL_NTH]; /* the least distances, in order */
        for (j = 0; j < MODEL_NTH; j++) { near[j] = FLT_MAX; }
        for (; m < MODEL_READ_U32(model_class_end + c); m++) {
            const float z = model_distance(x, m);
            if (z < near[MODEL_NTH - 1]) {
                for (j = MODEL_NTH - 1; j > 0 && z < near[j - 1]; j--) { near[j] = near[j - 1]; }
                near[j] = z;
            }
        }
        scores[c] = near[MODEL_NTH - 1];
    }
}

/* ---- f32 favour pairs ---- */
/* What the scores say for class a against class b. */
static inline float model_favour(const float *scores, size_t a, size_t b) {
    const float score = scores[model_pair(a, b)];
    return a < b ? -score : score;
}

/* ---- f32 favour rest ---- */
/* What the scores say for class a against class b. */
static inline float model_favour(const float *scores, size_t a, size_t b) {
    return scores[a] - scores[b];
}

/* ---- f32 favour ordinal ---- */
/* What the scores say for class a against class b: the threshold at the end of a that lies towards b. */
static inline float model_favour(const float *scores, size_t a, size_t b) {
    return a < b ? -scores[a] : scores[a - 1u];
}

/* ---- f32 favour nearest ---- */
/* What the distances say for class a against class b: their difference by their sum, within -1 .. 1. */
static inline float model_favour(const float *scores, size_t a, size_t b) {
    const float near = scores[a], far = scores[b], sum = near + far;
    if (sum <= FLT_MAX) { return sum > 0 ? (far - near) / sum : 0; }
    return near < far ? 1.0f : near > far ? -1.0f : 0;
}

/* ---- f32 margin ---- */
/* How clearly the scores speak for a class: the least by which they prefer it to another one. */
static inline float model_margin(const float *scores, size_t label) {
    float least = FLT_MAX;
    for (size_t b = 0; b < MODEL_CLASSES; b++) {
        if (b != label) {
            const float say = model_favour(scores, label, b);
            least = say < least ? say : least;
        }
    }
    return least;
}

/* ---- f32 elect pairs ---- */
/* The class with most votes; of several the one that the scores favour most in sum. */
static inline uint16_t model_elect(const float *scores) {
    size_t best = 0, most = 0;
    float top = -FLT_MAX;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        size_t votes = 0;
        float sum = 0;
        for (size_t b = 0; b < MODEL_CLASSES; b++) {
            if (b != a) {
                const float say = model_favour(scores, a, b);
                votes += (a > b ? say > 0 : say >= 0) ? 1u : 0u;
                sum += say;
            }
        }
        if (votes > most || (votes == most && sum > top)) {
            best = a;
            most = votes;
            top = sum;
        }
    }
    return (uint16_t)best;
}

/* ---- f32 elect votes ---- */
/* The class with most votes; of several the first. */
static inline uint16_t model_elect(const float *scores) {
    size_t best = 0, most = 0;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        size_t votes = 0;
        for (size_t b = 0; b < MODEL_CLASSES; b++) {
            if (b != a) {
                const float say = model_favour(scores, a, b);
                votes += (a > b ? say > 0 : say >= 0) ? 1u : 0u;
            }
        }
        if (votes > most) {
            best = a;
            most = votes;
        }
    }
    return (uint16_t)best;
}

/* ---- f32 elect rest ---- */
/* The class with the largest score; of several the first. */
static inline uint16_t model_elect(const float *scores) {
    size_t best = 0;
    float top = -FLT_MAX;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        if (scores[a] > top) {
            best = a;
            top = scores[a];
        }
    }
    return (uint16_t)best;
}

/* ---- f32 elect nearest ---- */
/* The class with the least distance; of several the first. */
static inline uint16_t model_elect(const float *scores) {
    size_t best = 0;
    float top = FLT_MAX;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        if (scores[a] < top) {
            best = a;
            top = scores[a];
        }
    }
    return (uint16_t)best;
}

/* ---- f32 elect ordinal ---- */
/* The class of x: how many thresholds it passes. */
static inline uint16_t model_elect(const float *scores) {
    uint16_t passed = 0;
    for (size_t j = 0; j + 1u < MODEL_CLASSES; j++) {
        passed = (uint16_t)(passed + (scores[j] > 0 ? 1u : 0u));
    }
    return passed;
}

/* ---- f32 known ---- */
/* Whether all scores are numbers. */
static inline int model_known(const float *scores) {
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        if (!(scores[j] <= 0 || scores[j] > 0)) { return 0; }
    }
    return 1;
}

/* ---- f32 classify binary ---- */
/* The class of x, 0 or 1, or MODEL_REJECTED where the score is not a number. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    model_scores(x, scores);
    return scores[0] > 0 ? 1 : scores[0] <= 0 ? 0 : MODEL_REJECTED;
}

/* ---- f32 classify binary reject ---- */
/* The class of x, 0 or 1, or MODEL_REJECTED where it is not clear. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    model_scores(x, scores);
    if (!(scores[0] >= MODEL_REJECT || -scores[0] >= MODEL_REJECT)) { return MODEL_REJECTED; }
    return scores[0] > 0 ? 1 : 0;
}

/* ---- f32 classify ---- */
/* The class of x, or MODEL_REJECTED where the scores are not numbers. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    model_scores(x, scores);
    return model_known(scores) ? model_elect(scores) : MODEL_REJECTED;
}

/* ---- f32 classify nearest ---- */
/* The class of x, or MODEL_REJECTED where no class is at a distance that is a number. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    uint16_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    return model_known(scores) && scores[winner] < FLT_MAX ? winner : MODEL_REJECTED;
}

/* ---- f32 classify near ---- */
/* 1 where x is normal, 0 where it is an anomaly: farther away than what is normal, or not a number. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    model_scores(x, scores);
    return scores[0] <= MODEL_REJECT ? 1 : 0;
}

/* ---- f32 classify reject ---- */
/* The class of x, or MODEL_REJECTED where it is not clear. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    uint16_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    return !model_known(scores) || model_margin(scores, winner) < MODEL_REJECT ? MODEL_REJECTED
                                                                               : winner;
}

/* ---- f32 classify nearest reject ---- */
/* The class of x, or MODEL_REJECTED where it is not clear. */
static inline uint16_t model_classify(const float *x) {
    float scores[MODEL_MACHINES];
    uint16_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    if (!model_known(scores) || !(scores[winner] < FLT_MAX)) { return MODEL_REJECTED; }
    return model_margin(scores, winner) < MODEL_REJECT ? MODEL_REJECTED : winner;
}

/* ---- f32 sigmoid ---- */
/* 1 / (1 + exp(-t)), without overflow. */
static inline float model_sigmoid(float t) {
    if (t < 0) {
        const float e = model_exp(t);
        return e / (1 + e);
    }
    return 1 / (1 + model_exp(-t));
}

/* ---- f32 odds ---- */
/* The logarithm of the odds that a score means. */
static inline float model_odds(float score) {
    return MODEL_SLOPE * score + MODEL_SHIFT;
}

/* ---- f32 odds curve ---- */
/* The logarithm of the odds that a score means: a line, and corrections at odds of 2^-8, 2^-7 .. 2^8 that are joined by
 * straight lines. */
static inline float model_odds(float score) {
    const float t = MODEL_SLOPE * score + MODEL_SHIFT, u = t / 0.693147182f + 8;
    const float limited = u < 16 ? (u > 0 ? u : 0) : 16;
    const size_t i = limited < 16 ? (size_t)limited : 15u;
    const float f = limited - (float)i;
    return t +
           (MODEL_READ_F32(model_curve + i) * (1 - f) + MODEL_READ_F32(model_curve + i + 1) * f);
}

/* ---- f32 shares ---- */
/* From weights to probabilities; where they are not known, all are the same. */
static inline void model_shares(float *p, int known) {
    float sum = 0;
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        p[c] = known ? p[c] : 1;
        sum += p[c];
    }
    for (size_t c = 0; c < MODEL_CLASSES; c++) { p[c] /= sum; }
}

/* ---- f32 probabilities order ---- */
/* The probabilities of all classes of x, calibrated by cross-validation: a sigmoid at each threshold. */
static inline void model_probabilities(const float *x, float *p) {
    float scores[MODEL_MACHINES], above = 1;
    model_scores(x, scores);
    for (size_t c = 0; c + 1u < MODEL_CLASSES; c++) {
        const float all = model_sigmoid(model_odds(scores[c])), next = all < above ? all : above;
        p[c] = above - next;
        above = next;
    }
    p[MODEL_CLASSES - 1u] = above;
    model_shares(p, model_known(scores));
}

/* ---- f32 probabilities classes ---- */
/* The probabilities of all classes of x, calibrated by cross-validation: exponentials of what the scores say for a class
 * against the winner. */
static inline void model_probabilities(const float *x, float *p) {
    float scores[MODEL_MACHINES];
    size_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        const float t = MODEL_SLOPE * (c == winner ? 0 : model_favour(scores, c, winner));
        p[c] = model_exp(t < 0 ? t : 0);
    }
    model_shares(p, model_known(scores) MODEL_AND_NEAR);
}

/* ---- f32 couple ---- */
/* What the machines give class a beside class b: r[j] of classes a < b is that of b. */
static inline float model_rival(const float *r, size_t a, size_t b) {
    return a < b ? 1 - r[model_pair(a, b)] : r[model_pair(b, a)];
}

/* The p of sum 1 for which the sum over pairs of (r_ba p_a - r_ab p_b)^2 is least (Wu, Lin, Weng 2004): one p after the
 * other is solved for, at most 50 times. */
static inline void model_couple(const float *r, float *p) {
    float largest = 1;
    for (size_t t = 0; t < MODEL_CLASSES; t++) { p[t] = 1 / (float)MODEL_CLASSES; }
    for (unsigned sweep = 0; sweep < 50u && largest > 1e-6f; sweep++) {
        float level = 0, sum = 0;
        largest = 0;
        for (size_t t = 0; t < MODEL_CLASSES; t++) {
            for (size_t j = 0; j < t; j++) {
                const float lost = model_rival(r, j, t), differ = lost * p[t] - (1 - lost) * p[j];
                level += differ * differ;
            }
        }
        for (size_t t = 0; t < MODEL_CLASSES; t++) {
            float diagonal = 0, next = level, step;
            for (size_t j = 0; j < MODEL_CLASSES; j++) {
                if (j != t) {
                    const float lost = model_rival(r, j, t);
                    diagonal += lost * lost;
                    next += lost * (1 - lost) * p[j];
                }
            }
            next /= diagonal;
            step = next < p[t] ? p[t] - next : next - p[t];
            largest = largest > step ? largest : step;
            p[t] = next;
            sum += next;
        }
        for (size_t t = 0; t < MODEL_CLASSES; t++) { p[t] /= sum; }
    }
}

/* ---- f32 probabilities pairs ---- */
/* The probabilities of all classes of x, calibrated by cross-validation: a sigmoid for each pair, coupled. */
static inline void model_probabilities(const float *x, float *p) {
    const float edge = 1.0f / 1048576; /* no machine is surer than this */
    float scores[MODEL_MACHINES];
    int known;
    model_scores(x, scores);
    known = model_known(scores);
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        const float r = model_sigmoid(MODEL_SLOPE * scores[j]), low = r < 1 - edge ? r : 1 - edge;
        scores[j] = edge > low ? edge : low;
    }
    model_couple(scores, p);
    model_shares(p, known);
}

/* ---- set ---- */
/* The prediction set of x: the classes that are probable enough, in `members`; returns how many, which can be none. Sets hold
 * the true class as often as was asked for at calibration. */
static inline size_t model_set(const MODEL_INPUT *x, uint16_t *members) {
    MODEL_CHANCE p[MODEL_CLASSES];
    size_t count = 0;
    model_probabilities(x, p);
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        if (p[c] >= MODEL_INCLUDE) { members[count++] = (uint16_t)c; }
    }
    return count;
}

/* ---- f32 compare ---- */
/* -1, 0 or 1: x is below, equal to or above z. */
static inline int model_compare(const float *x, const float *z) {
    float of_x[MODEL_MACHINES], of_z[MODEL_MACHINES];
    model_scores(x, of_x);
    model_scores(z, of_z);
    return (of_x[0] > of_z[0] ? 1 : 0) - (of_x[0] < of_z[0] ? 1 : 0);
}

/* ---- q guard ---- */
/* Right shifts of negative numbers round down, and what does not fit keeps its low bits: gcc and clang promise both. */
typedef char model_shifts_round_down[(INT32_C(-3) >> 1) == INT32_C(-2) ? 1 : -1];
typedef char model_integers_wrap[(int32_t)UINT32_C(0xFFFFFFFE) == INT32_C(-2) ? 1 : -1];

/* ---- q stage ---- */
/* The raw input in the units of the model: (x * factor + offset) / 2^shift, limited to 16 bits. */
static inline void model_prepare(const int16_t *x, int16_t *out) {
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        const int32_t a = ((int32_t)MODEL_READ_I16(model_stage_factor + k) * x[k] +
                           MODEL_READ_I32(model_stage_offset + k)) >>
                          MODEL_READ_U8(model_stage_shift + k);
        out[k] = (int16_t)(a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : a);
    }
}

/* ---- q scale ---- */
/* a * b / 2^16, rounded down. */
static inline uint32_t model_scale(uint32_t a, uint16_t b) {
    return (a >> 16) * b + (((a & 0xFFFFu) * b) >> 16);
}

/* ---- q scale signed ---- */
/* a * b / 2^16, rounded down. */
static inline int32_t model_scale_signed(int32_t a, uint16_t b) {
    return (a >> 16) * (int32_t)b + (int32_t)(((uint32_t)(a & 0xFFFF) * b) >> 16);
}

/* ---- q mantissa ---- */
/* 2^15 2^-u for u = 0 .. 1 in steps of 1/32. */
static const uint16_t model_exp2[33] MODEL_FLASH = {
    32767, 32065, 31377, 30705, 30047, 29403, 28773, 28157, 27553, 26963, 26385,
    25820, 25266, 24725, 24195, 23677, 23169, 22673, 22187, 21712, 21246, 20791,
    20346, 19910, 19483, 19066, 18657, 18257, 17866, 17483, 17108, 16742, 16383};

/* 2^-u without its whole part, u in 2^-24, as a number from 2^30 to 2^31: on straight lines between the points. */
static inline uint32_t model_mantissa(uint32_t u) {
    const size_t i = (u >> 19) & 31u;
    const uint16_t first = MODEL_READ_U16(model_exp2 + i),
                   next = MODEL_READ_U16(model_exp2 + i + 1);
    const int32_t way = 2 * ((int32_t)next - (int32_t)first); /* negative */
    const int32_t part = (int32_t)((u >> 4) & 0x7FFFu) * way;
    return ((uint32_t)first << 16) + ((uint32_t)way & 0xFFFFu) + (uint32_t)part;
}

/* ---- q value ---- */
/* A kernel value: mantissa / 2^(15 + down). */
typedef struct {
    int16_t mantissa;
    uint8_t down;
} model_value_q;

/* What a vector with this coefficient and kernel value adds to a score. */
static inline int32_t model_product(int16_t coef, model_value_q value) {
    return ((int32_t)coef * value.mantissa) >> value.down;
}

/* ---- q exp ---- */
/* 2^-u of u = s * GAIN * 2^(UP - 40) as a kernel value; 0 from s = CUT on. */
static inline model_value_q model_exp(uint32_t s) {
    model_value_q value = {0, 0};
    if (s < MODEL_CUT) {
        const uint32_t u = model_scale(s << MODEL_UP, MODEL_GAIN);
        value.mantissa = (int16_t)(model_mantissa(u) >> 16);
        value.down = (uint8_t)(MODEL_DOWN + (u >> 24));
    }
    return value;
}

/* ---- q dot ---- */
/* The dot product of x with row v of the vectors, modulo 2^32. */
static inline uint32_t model_dot(const int16_t *x, size_t v) {
    uint32_t sum = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        sum +=
            (uint32_t)((int32_t)x[k] * MODEL_READ_VECTOR(model_vectors + v * MODEL_FEATURES + k));
    }
    return sum;
}

/* ---- q norm ---- */
/* |x|^2, or something beyond MODEL_REACH if it is beyond that. */
static inline uint32_t model_norm(const int16_t *x) {
    uint32_t sum = 0;
    for (size_t k = 0; k < MODEL_FEATURES && sum <= MODEL_REACH; k++) {
        sum += (uint32_t)((int32_t)x[k] * x[k]);
    }
    return sum;
}

/* ---- q kernel rbf ---- */
/* What the kernel needs to know of an input: |x|^2. */
typedef uint32_t model_input_q;

/* Measures x; 0 if it is so far from all vectors that every kernel value is 0. */
static inline int model_measure(const int16_t *x, model_input_q *in) {
    *in = model_norm(x);
    return *in <= MODEL_REACH;
}

/* The kernel value of x and vector v: |x - v|^2 = |x|^2 + |v|^2 - 2 x.v, then the exponential. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    const uint32_t half = (uint32_t)MODEL_READ_U16(model_norms + v) << MODEL_NORM_SHIFT;
    return model_exp(*in + 2u * (half - model_dot(x, v) * MODEL_STEP));
}

/* ---- q kernel poly ---- */
/* The kernel value of x and vector v: (gamma x.v + coef0)^DEGREE. The base is a fraction of the largest that was
 * expected, in 2^-(15 + UP); its powers are mantissas of 15 bits with an exponent. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    const int32_t dot = (int32_t)model_dot(x, v);
    const int32_t base = (model_scale_signed(dot, MODEL_GAIN) >> MODEL_BASE_SHIFT) + MODEL_ADD;
    const uint32_t one = UINT32_C(0x8000) << MODEL_UP;
    uint32_t size = base < 0 ? 0u - (uint32_t)base : (uint32_t)base, power, down = MODEL_DOWN;
    model_value_q value = {0, 0};
    (void)in;
    size = size < one ? size : one - 1u;
    for (; size > 0 && size < one / 2u; size *= 2u) { down += MODEL_DEGREE; }
    size >>= MODEL_UP;
    power = size;
    for (int i = MODEL_DEGREE; i > 1; i--) {
        power *= size;
        if (power < UINT32_C(0x20000000)) {
            power *= 2u;
            down++;
        }
        power >>= 15;
    }
    if (down < 32u) {
        value.mantissa =
            (int16_t)(base < 0 && MODEL_DEGREE % 2 != 0 ? -(int32_t)power : (int32_t)power);
        value.down = (uint8_t)down;
    }
    return value;
}

/* ---- q kernel hinge ---- */
/* The value of the learned vector v at x: v.x + t where that is positive, in units of 2^SHIFT, limited. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    const int16_t threshold = (int16_t)MODEL_READ_U16(model_norms + v);
    const int32_t sum = (int32_t)(model_dot(x, v) + ((uint32_t)(int32_t)threshold << MODEL_UP));
    model_value_q value = {0, 0};
    (void)in;
    if (sum > 0) {
        const int32_t size = sum >> MODEL_NORM_SHIFT;
        value.mantissa = (int16_t)(size < 32767 ? size : 32767);
        value.down = MODEL_DOWN;
    }
    return value;
}

/* ---- q kernel unit ---- */
/* What the kernel needs to know of an input: 2^31 / (|x| 2^lift), with |x| 2^lift from 2^15 to 2^16. */
typedef struct {
    uint16_t inverse;
    int8_t lift;
} model_input_q;

static inline int model_measure(const int16_t *x, model_input_q *in) {
    uint64_t sum = 0;
    uint32_t norm, root = 0, bit;
    in->inverse = 0;
    in->lift = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) { sum += (uint32_t)((int32_t)x[k] * x[k]); }
    for (; sum > UINT32_MAX; sum >>= 2) { in->lift--; }
    norm = (uint32_t)sum;
    if (norm == 0) { return 1; }
    for (; norm < UINT32_C(0x40000000); norm <<= 2) { in->lift++; }
    for (bit = 0x8000u; bit != 0; bit >>= 1) { /* the root of norm, bit by bit */
        if ((root + bit) * (root + bit) <= norm) { root += bit; }
    }
    norm = UINT32_C(0x80000000) / root;
    in->inverse = (uint16_t)(norm < 0xFFFFu ? norm : 0xFFFFu);
    return 1;
}

/* (1 + cos(x, v)) / 2 in 2^-16. */
static inline uint16_t model_half_cosine(const int16_t *x, const model_input_q *in, size_t v) {
    int32_t dot = (int32_t)model_dot(x, v), c;
    dot = in->lift >= 0 ? (int32_t)((uint32_t)dot << in->lift) : dot >> -in->lift;
    c = model_scale_signed(model_scale_signed(dot, in->inverse), MODEL_READ_U16(model_norms + v));
    c = (c >> (MODEL_NORM_SHIFT - 1)) + 32768;
    return (uint16_t)(c < 0 ? 0 : c > 65535 ? 65535 : c);
}

/* ---- q kernel unit-poly ---- */
/* -log2 t in 2^-15, of t in 2^-16: after a shift into 1/2 <= t < 1 a polynomial in 1 - t. */
static inline uint32_t model_minus_log2(uint16_t t) {
    uint32_t s = 0;
    int32_t h, p;
    for (; t < 0x8000u && s < UINT32_C(16) << 15; s += 0x8000u) { t = (uint16_t)(t * 2u + 1u); }
    h = (int32_t)(0xFFFFu - t);
    p = ((INT32_C(46015) * h) >> 16) - 15596;
    p = ((p * h) >> 16) + 23987;
    p = ((p * h) >> 16) + 22586;
    p = (int32_t)(((uint32_t)p * (uint32_t)h) >> 16) + 47320;
    return s + (((uint32_t)p * (uint32_t)h) >> 16) + 1u;
}

/* The kernel value of x and vector v: t^a = 2^-(a (-log2 t)), t = (1 + cos(x, v)) / 2. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    return model_exp(model_minus_log2(model_half_cosine(x, in, v)));
}

/* ---- q kernel unit-exp above ---- */
/* The kernel value of x and vector v: a^t as a 2^-((1 - t) log2 a), t = (1 + cos(x, v)) / 2; what does not depend on t
 * is part of coefficients and biases. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    return model_exp(0xFFFFu - (uint32_t)model_half_cosine(x, in, v));
}

/* ---- q kernel unit-exp below ---- */
/* The kernel value of x and vector v: a^t as 2^-(t log2 (1/a)), t = (1 + cos(x, v)) / 2; what does not depend on t is
 * part of coefficients and biases. */
static inline model_value_q model_kernel(const int16_t *x, const model_input_q *in, size_t v) {
    return model_exp(model_half_cosine(x, in, v));
}

/* ---- q add poly ---- */
/* A sum and what one more vector adds to it, kept within 2^30: powers are not bounded. */
static inline int32_t model_add(int32_t sum, int32_t more) {
    const int32_t most = INT32_C(1) << 30;
    sum += more;
    return sum > most ? most : sum < -most ? -most : sum;
}

/* ---- q row ---- */
/* w . x + bias of row j of the weights. No sum leaves 32 bits: sum |w| 2^15 + |bias| < 2^31. */
static inline int32_t model_row(const int16_t *x, size_t row, size_t j) {
    int32_t sum = MODEL_READ_I32(model_bias + j);
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        sum += (int32_t)MODEL_READ_VECTOR(model_w + row * MODEL_FEATURES + k) * x[k];
    }
    return sum;
}

/* ---- q scores linear ---- */
/* The scores of all machines at an input in the units of the model. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        const int32_t sum = model_row(x, MODEL_ROW(j), j);
        scores[j] = MODEL_SCALED(sum);
    }
}

/* ---- q scores one ---- */
/* The scores of all machines: the sum of coef * kernel over all vectors, and a bias each. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    model_input_q in;
    const size_t n = model_measure(x, &in) ? MODEL_VECTORS : 0;
    int32_t sum = 0;
    for (size_t v = 0; v < n; v++) {
        sum =
            model_add(sum, model_product(MODEL_READ_COEF(model_coef + v), model_kernel(x, &in, v)));
    }
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        scores[j] = MODEL_SCALED(sum) + MODEL_READ_I32(model_bias + j);
    }
}

/* ---- q scores rest ---- */
/* The scores of all machines, one a class: each vector has a coefficient for every machine. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    model_input_q in;
    const size_t n = model_measure(x, &in) ? MODEL_VECTORS : 0;
    for (size_t j = 0; j < MODEL_MACHINES; j++) { scores[j] = 0; }
    for (size_t v = 0; v < n; v++) {
        const model_value_q value = model_kernel(x, &in, v);
        for (size_t j = 0; j < MODEL_CLASSES; j++) {
            const int16_t coef = MODEL_READ_COEF(model_coef + v * MODEL_CLASSES + j);
            scores[j] = model_add(scores[j], model_product(coef, value));
        }
    }
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        scores[j] = MODEL_SCALED(scores[j]) + MODEL_READ_I32(model_bias + j);
    }
}

/* ---- q scores pairs ---- */
/* The scores of all machines, one a pair of classes: a vector of class c has a coefficient for each other class. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    model_input_q in;
    const size_t n = model_measure(x, &in) ? MODEL_VECTORS : 0;
    size_t c = 0;
    for (size_t j = 0; j < MODEL_MACHINES; j++) { scores[j] = 0; }
    for (size_t v = 0; v < n; v++) {
        const model_value_q value = model_kernel(x, &in, v);
        while (v >= MODEL_READ_U16(model_class_end + c)) { c++; }
        for (size_t j = 0; j < MODEL_CLASSES - 1u; j++) {
            const int16_t coef = MODEL_READ_I16(model_coef + v * (MODEL_CLASSES - 1u) + j);
            int32_t *score = scores + model_pair(c, j < c ? j : j + 1u);
            *score = model_add(*score, model_product(coef, value));
        }
    }
    for (size_t j = 0; j < MODEL_MACHINES; j++) { scores[j] += MODEL_READ_I32(model_bias + j); }
}

/* ---- q scores list linear ---- */
/* The score of an input: cuts are asked in order, and the first that is positive decides, for its own class; the last
 * one decides in any case. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    int32_t say;
    size_t j;
    for (j = 0;; j++) {
        say = model_row(x, j, j);
        if (say > 0 || j + 1u >= MODEL_CUTS) { break; }
    }
    scores[0] = MODEL_READ_U8(model_target + j) == 0 ? -say : say;
}

/* ---- q scores list ---- */
/* The score of an input: cuts are asked in order, and the first that is positive decides, for its own class; the last
 * one decides in any case. Cut j takes the vectors before model_reach[j]. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    int32_t sums[MODEL_CUTS], say;
    model_input_q in;
    const int near = model_measure(x, &in);
    size_t v = 0, j;
    for (j = 0; j < MODEL_CUTS; j++) { sums[j] = 0; }
    for (j = 0;; j++) {
        for (; near && v < MODEL_READ_U16(model_reach + j); v++) {
            const model_value_q value = model_kernel(x, &in, v);
            for (size_t c = j; c < MODEL_CUTS; c++) {
                const int16_t coef = MODEL_READ_I16(model_coef + v * MODEL_CUTS + c);
                sums[c] = model_add(sums[c], model_product(coef, value));
            }
        }
        say = sums[j] + MODEL_READ_I32(model_bias + j);
        if (say > 0 || j + 1u >= MODEL_CUTS) { break; }
    }
    scores[0] = MODEL_READ_U8(model_target + j) == 0 ? -say : say;
}

/* ---- q distance ---- */
/* The distance of an input, whose squared length is nx, to prototype m: |x|^2 + |c|^2 - 2 c.x in the units of scores. */
static inline int32_t model_distance(const int16_t *x, uint32_t nx, size_t m) {
    return (int32_t)((nx << MODEL_UP) - (model_dot(x, m) << MODEL_LEFT) +
                     (uint32_t)MODEL_READ_I32(model_constants + m));
}

/* ---- q distance tangents ---- */
/* The distance of an input, whose squared length is nx, to the plane of prototype m: |x - c|^2 in the units of scores,
 * less the squares of its parts along the tangents; not below 0. */
static inline int32_t model_distance(const int16_t *x, uint32_t nx, size_t m) {
    size_t row = m * (1u + MODEL_TANGENTS);
    uint32_t z = (nx << MODEL_UP) - (model_dot(x, row) << MODEL_LEFT) +
                 (uint32_t)MODEL_READ_I32(model_constants + row);
    uint32_t sum = 0, along;
    for (size_t j = 0; j < MODEL_TANGENTS; j++) {
        const uint32_t fixed = (uint32_t)MODEL_READ_I32(model_constants + ++row);
        const int32_t a = (int32_t)(model_dot(x, row) - fixed) >> MODEL_READ_U8(model_downs + m);
        sum += (uint32_t)a * (uint32_t)a;
    }
    along = model_scale(sum, MODEL_READ_U16(model_gains + m));
    z = along < z ? z - along : 0;
    return (int32_t)z;
}

/* ---- q scores nearest ---- */
/* The scores: for each class the distance of its nearest prototype; INT32_MAX for inputs beyond all. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    const uint32_t nx = model_norm(x);
    size_t m = 0;
    for (size_t c = 0; c < MODEL_MACHINES; c++) {
        scores[c] = INT32_MAX;
        for (; nx <= MODEL_REACH && m < MODEL_READ_U16(model_class_end + c); m++) {
            const int32_t z = model_distance(x, nx, m);
            scores[c] = z < scores[c] ? z : scores[c];
        }
    }
}

/* ---- q scores nth ---- */
/* The scores: for each class the distance of its nth nearest prototype; INT32_MAX for inputs beyond all. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    const uint32_t nx = model_norm(x);
    size_t m = 0, j;
    for (size_t c = 0; c < MODEL_MACHINES; c++) {
        int32_t near[MODEL_NTH]; /* the least distances, in order */
        for (j = 0; j < MODEL_NTH; j++) { near[j] = INT32_MAX; }
        for (; nx <= MODEL_REACH && m < MODEL_READ_U16(model_class_end + c); m++) {
            const int32_t z = model_distance(x, nx, m);
            if (z < near[MODEL_NTH - 1]) {
                for (j = MODEL_NTH - 1; j > 0 && z < near[j - 1]; j--) { near[j] = near[j - 1]; }
                near[j] = z;
            }
        }
        scores[c] = near[MODEL_NTH - 1];
    }
}

/* ---- q project ---- */
/* What the vectors see of an input in the units of the model: a few weighted sums of its features. No sum leaves 32
 * bits: sum |w| 2^15 + |bias| < 2^31. */
static inline void model_project(const int16_t *x, int16_t *z) {
    for (size_t r = 0; r < MODEL_RANK; r++) {
        int32_t sum = MODEL_READ_I32(model_front_bias + r);
        for (size_t k = 0; k < MODEL_FEATURES; k++) {
            sum += (int32_t)MODEL_READ_VECTOR(model_front + r * MODEL_FEATURES + k) * x[k];
        }
        sum = model_scale_signed(sum, MODEL_READ_U16(model_front_scales + r)) >> MODEL_FRONT_DOWN;
        z[r] = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
}

/* ---- q pick ---- */
/* What the vectors see of an input in the units of the model: some of its features, those whose bit is set. */
static inline void model_project(const int16_t *x, int16_t *z) {
    size_t r = 0;
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        if (((unsigned)MODEL_READ_U8(model_picked + k / 8u) >> k % 8u & 1u) != 0) { z[r++] = x[k]; }
    }
}

/* ---- q scores projected ---- */
/* The scores of all machines at an input in the units of the model. */
static inline void model_raw_scores(const int16_t *x, int32_t *scores) {
    int16_t z[MODEL_RANK];
    model_project(x, z);
    model_pool_scores(z, scores);
}

/* ---- q scores staged ---- */
/* The scores of all machines at the raw input x. */
static inline void model_scores(const int16_t *x, int32_t *scores) {
    int16_t prepared[MODEL_FEATURES];
    model_prepare(x, prepared);
    model_raw_scores(prepared, scores);
}

/* ---- q favour pairs ---- */
/* What the scores say for class a against class b. */
static inline int32_t model_favour(const int32_t *scores, size_t a, size_t b) {
    const int32_t score = scores[model_pair(a, b)];
    return a < b ? -score : score;
}

/* ---- q favour rest ---- */
/* What the scores say for class a against class b: their difference, limited to 32 bits. */
static inline int32_t model_favour(const int32_t *scores, size_t a, size_t b) {
    const int64_t say = (int64_t)scores[a] - scores[b];
    return (int32_t)(say > INT32_MAX ? INT32_MAX : say < -INT32_MAX ? -INT32_MAX : say);
}

/* ---- q favour ordinal ---- */
/* What the scores say for class a against class b: the threshold at the end of a that lies towards b. */
static inline int32_t model_favour(const int32_t *scores, size_t a, size_t b) {
    return a < b ? -scores[a] : scores[a - 1u];
}

/* ---- q margin ---- */
/* How clearly the scores speak for a class: the least by which they prefer it to another one. */
static inline int32_t model_margin(const int32_t *scores, size_t label) {
    int32_t least = INT32_MAX;
    for (size_t b = 0; b < MODEL_CLASSES; b++) {
        if (b != label) {
            const int32_t say = model_favour(scores, label, b);
            least = say < least ? say : least;
        }
    }
    return least;
}

/* ---- q favour nearest ---- */
/* What the distances say for class a against class b: (far - near) / (far + near) in 2^-15. */
static inline int32_t model_favour(const int32_t *scores, size_t a, size_t b) {
    const uint32_t near = scores[a] > 0 ? (uint32_t)scores[a] : 0,
                   far = scores[b] > 0 ? (uint32_t)scores[b] : 0;
    uint32_t sum = near + far, size = near < far ? far - near : near - far;
    for (; sum >= UINT32_C(0x10000); sum /= 2u) { size /= 2u; }
    size = sum > 0 ? (size << 15) / sum : 0;
    return near < far ? (int32_t)size : -(int32_t)size;
}

/* ---- q margin nearest ---- */
/* How clearly the distances speak for a class, beside the nearest of the others. */
static inline int32_t model_margin(const int32_t *scores, size_t label) {
    size_t other = label == 0 ? 1u : 0;
    for (size_t b = other + 1u; b < MODEL_CLASSES; b++) {
        other = b != label && scores[b] < scores[other] ? b : other;
    }
    return model_favour(scores, label, other);
}

/* ---- q elect pairs ---- */
/* The class with most votes; of several the one that the scores favour most in sum. */
static inline uint16_t model_elect(const int32_t *scores) {
    size_t best = 0, most = 0;
    int64_t top = INT64_MIN;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        size_t votes = 0;
        int64_t sum = 0;
        for (size_t b = 0; b < MODEL_CLASSES; b++) {
            if (b != a) {
                const int32_t say = model_favour(scores, a, b);
                votes += (a > b ? say > 0 : say >= 0) ? 1u : 0u;
                sum += say;
            }
        }
        if (votes > most || (votes == most && sum > top)) {
            best = a;
            most = votes;
            top = sum;
        }
    }
    return (uint16_t)best;
}

/* ---- q elect votes ---- */
/* The class with most votes; of several the first. */
static inline uint16_t model_elect(const int32_t *scores) {
    size_t best = 0, most = 0;
    for (size_t a = 0; a < MODEL_CLASSES; a++) {
        size_t votes = 0;
        for (size_t b = 0; b < MODEL_CLASSES; b++) {
            if (b != a) {
                const int32_t say = model_favour(scores, a, b);
                votes += (a > b ? say > 0 : say >= 0) ? 1u : 0u;
            }
        }
        if (votes > most) {
            best = a;
            most = votes;
        }
    }
    return (uint16_t)best;
}

/* ---- q elect rest ---- */
/* The class with the largest score; of several the first. */
static inline uint16_t model_elect(const int32_t *scores) {
    size_t best = 0;
    for (size_t a = 1; a < MODEL_CLASSES; a++) { best = scores[a] > scores[best] ? a : best; }
    return (uint16_t)best;
}

/* ---- q elect nearest ---- */
/* The class with the least distance; of several the first. */
static inline uint16_t model_elect(const int32_t *scores) {
    size_t best = 0;
    for (size_t a = 1; a < MODEL_CLASSES; a++) { best = scores[a] < scores[best] ? a : best; }
    return (uint16_t)best;
}

/* ---- q elect ordinal ---- */
/* The class: how many thresholds are passed, of which the scores fall from one to the next. */
static inline uint16_t model_elect(const int32_t *scores) {
    size_t best = 0;
    for (; best + 1u < MODEL_CLASSES && scores[best] > 0; best++) {}
    return (uint16_t)best;
}

/* ---- q classify binary ---- */
/* The class of x, 0 or 1. */
static inline uint16_t model_classify(const int16_t *x) {
    int32_t scores[MODEL_MACHINES];
    model_scores(x, scores);
    return scores[0] > 0 ? 1 : 0;
}

/* ---- q classify binary reject ---- */
/* The class of x, 0 or 1, or MODEL_REJECTED where it is not clear. */
static inline uint16_t model_classify(const int16_t *x) {
    int32_t scores[MODEL_MACHINES];
    model_scores(x, scores);
    if (scores[0] < MODEL_REJECT && -scores[0] < MODEL_REJECT) { return MODEL_REJECTED; }
    return scores[0] > 0 ? 1 : 0;
}

/* ---- q classify ---- */
/* The class of x. */
static inline uint16_t model_classify(const int16_t *x) {
    int32_t scores[MODEL_MACHINES];
    model_scores(x, scores);
    return model_elect(scores);
}

/* ---- q classify near ---- */
/* 1 where x is normal, 0 where it is an anomaly: farther away than what is normal. */
static inline uint16_t model_classify(const int16_t *x) {
    int32_t scores[MODEL_MACHINES];
    model_scores(x, scores);
    return scores[0] <= MODEL_REJECT ? 1 : 0;
}

/* ---- q classify reject ---- */
/* The class of x, or MODEL_REJECTED where it is not clear. */
static inline uint16_t model_classify(const int16_t *x) {
    int32_t scores[MODEL_MACHINES];
    uint16_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    return model_margin(scores, winner) < MODEL_REJECT ? MODEL_REJECTED : winner;
}

/* ---- q line ---- */
/* A score times the slope, in powers of two, 2^25 for one. */
static inline int32_t model_line(int32_t score) {
    const int32_t m = score >> MODEL_SCORE_DOWN;
    return (m > INT16_MAX ? INT16_MAX : m < INT16_MIN ? INT16_MIN : m) * (int32_t)MODEL_SLOPE;
}

/* ---- q odds ---- */
/* The logarithm of the odds that a score means. */
static inline int32_t model_odds(int32_t score) {
    return model_line(score) + MODEL_SHIFT;
}

/* ---- q odds curve ---- */
/* The logarithm of the odds that a score means: a line, and corrections in 2^-12 at odds of 2^-8, 2^-7 .. 2^8 that are joined
 * by straight lines. */
static inline int32_t model_odds(int32_t score) {
    const int32_t end = INT32_C(8) << 25, most = INT32_C(1) << 30,
                  t = model_line(score) + MODEL_SHIFT;
    const int32_t u = t < -end ? 0 : t < end ? t + end : 2 * end - 1;
    const int16_t a = MODEL_READ_I16(model_curve + (u >> 25)),
                  b = MODEL_READ_I16(model_curve + (u >> 25) + 1);
    const int32_t way = ((int32_t)b - a) * ((u >> 11) & 0x3FFF);
    return (t > most ? most : t < -most ? -most : t) + (int32_t)a * 8192 + (way >> 1);
}

/* ---- q sigmoid ---- */
/* 1 / (1 + 2^-t) in 2^-15, t in 2^-25. */
static inline uint32_t model_sigmoid(int32_t t) {
    const uint32_t u = (t < 0 ? 0u - (uint32_t)t : (uint32_t)t) >> 1;
    const uint32_t whole = u >> 24 < 31u ? u >> 24 : 31u;
    const uint32_t mantissa = model_mantissa(u) >> 15;
    const uint32_t divisor = UINT32_C(0x10000) + (mantissa >> whole);
    const uint32_t fine =
        t < 0 ? ((mantissa << 15) / divisor << 15) >> whole : UINT32_C(0x80000000) / divisor << 15;
    return (fine + 0x4000u) >> 15;
}

/* ---- q shares ---- */
/* From weights to probabilities in 2^-15; what rounding leaves over goes to the largest. */
static inline void model_shares(uint16_t *p) {
    uint32_t sum = 0, left = 0x8000u;
    size_t largest = 0;
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        sum += p[c];
        largest = p[c] > p[largest] ? c : largest;
    }
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        p[c] = (uint16_t)(((uint32_t)p[c] << 15) / sum);
        left -= p[c];
    }
    p[largest] = (uint16_t)(p[largest] + left);
}

/* ---- q probabilities order ---- */
/* The probabilities of all classes of x in 2^-15, calibrated by cross-validation: a sigmoid at each threshold. */
static inline void model_probabilities(const int16_t *x, uint16_t *p) {
    int32_t scores[MODEL_MACHINES];
    uint32_t above = 0x8000u;
    model_scores(x, scores);
    for (size_t c = 0; c + 1u < MODEL_CLASSES; c++) {
        const uint32_t all = model_sigmoid(model_odds(scores[c])), next = all < above ? all : above;
        p[c] = (uint16_t)(above - next);
        above = next;
    }
    p[MODEL_CLASSES - 1u] = (uint16_t)above;
}

/* ---- q probabilities classes ---- */
/* The probabilities of all classes of x in 2^-15, calibrated by cross-validation: exponentials of what the scores say for a
 * class against the winner. */
static inline void model_probabilities(const int16_t *x, uint16_t *p) {
    int32_t scores[MODEL_MACHINES];
    size_t winner;
    model_scores(x, scores);
    winner = model_elect(scores);
    for (size_t c = 0; c < MODEL_CLASSES; c++) {
        const int32_t t = model_line(model_favour(scores, c, winner));
        const uint32_t u = t < 0 ? (0u - (uint32_t)t) >> 1 : 0;
        p[c] = (uint16_t)((model_mantissa(u) >> 15) >> (u >> 24));
    }
    model_shares(p);
}

/* ---- q couple ---- */
/* What the machines give class a beside class b: r[j] of classes a < b is that of b. All in 2^-15. */
static inline uint32_t model_rival(const int32_t *r, size_t a, size_t b) {
    return a < b ? 0x8000u - (uint32_t)r[model_pair(a, b)] : (uint32_t)r[model_pair(b, a)];
}

/* The p of sum 1 for which the sum over pairs of (r_ba p_a - r_ab p_b)^2 is least (Wu, Lin, Weng 2004): one p after the
 * other is solved for, ten times. */
static inline void model_couple(const int32_t *r, uint16_t *p) {
    for (size_t t = 0; t < MODEL_CLASSES; t++) { p[t] = 1; }
    model_shares(p);
    for (unsigned sweep = 0; sweep < 10u; sweep++) {
        uint64_t level = 0;
        for (size_t t = 0; t < MODEL_CLASSES; t++) {
            for (size_t j = 0; j < t; j++) {
                const uint32_t lost = model_rival(r, j, t);
                const int32_t differ = (int32_t)(lost * p[t]) - (int32_t)((0x8000u - lost) * p[j]);
                const uint32_t size = (differ < 0 ? 0u - (uint32_t)differ : (uint32_t)differ) >> 4;
                level += (uint64_t)size * size;
            }
        }
        level >>= 7;
        for (size_t t = 0; t < MODEL_CLASSES; t++) {
            uint64_t diagonal = 0, next = level;
            for (size_t j = 0; j < MODEL_CLASSES; j++) {
                if (j != t) {
                    const uint32_t lost = model_rival(r, j, t);
                    diagonal += lost * lost;
                    next += (uint64_t)(lost * (0x8000u - lost)) * p[j];
                }
            }
            next = (next + diagonal / 2u) / diagonal;
            p[t] = (uint16_t)(next < UINT16_MAX ? next : UINT16_MAX);
        }
        model_shares(p);
    }
}

/* ---- q probabilities pairs ---- */
/* The probabilities of all classes of x in 2^-15, calibrated by cross-validation: a sigmoid for each pair, coupled. */
static inline void model_probabilities(const int16_t *x, uint16_t *p) {
    int32_t scores[MODEL_MACHINES];
    model_scores(x, scores);
    for (size_t j = 0; j < MODEL_MACHINES; j++) {
        const uint32_t r = model_sigmoid(model_line(scores[j]));
        scores[j] = (int32_t)(r == 0 ? 1u : r < 0x8000u ? r : 0x7FFFu);
    }
    model_couple(scores, p);
}

/* ---- q compare ---- */
/* -1, 0 or 1: x is below, equal to or above z. */
static inline int model_compare(const int16_t *x, const int16_t *z) {
    int32_t of_x[MODEL_MACHINES], of_z[MODEL_MACHINES];
    model_scores(x, of_x);
    model_scores(z, of_z);
    return (of_x[0] > of_z[0] ? 1 : 0) - (of_x[0] < of_z[0] ? 1 : 0);
}

/* ---- q input ---- */
/* The inputs of model_classify out of raw values: (raw - offset) * factor, rounded and limited. */
static inline void model_input(const float *raw, int16_t *x) {
    for (size_t k = 0; k < MODEL_FEATURES; k++) {
        float a = (raw[k] - MODEL_READ_F32(model_input_offset + k)) *
                  MODEL_READ_F32(model_input_factor + k);
        a += a < 0 ? -0.5f : 0.5f;
        if (a > -32769 && a < 32768) {
            x[k] = (int16_t)a;
        } else {
            x[k] = (int16_t)(a > 0 ? INT16_MAX : a < 0 ? INT16_MIN : 0);
        }
    }
}

/* ---- selftest ---- */
/* 0: all inputs give exactly the scores of the machine that made this file; else the number of the first that does not,
 * from 1. */
static inline int model_selftest(void) {
    MODEL_INPUT x[MODEL_FEATURES];
    MODEL_SCORE scores[MODEL_MACHINES];
    for (size_t i = 0; i < MODEL_TESTS; i++) {
        for (size_t j = 0; j < MODEL_FEATURES; j++) {
            x[j] = MODEL_READ_INPUT(model_test_x + i * MODEL_FEATURES + j);
        }
        model_scores(x, scores);
        for (size_t j = 0; j < MODEL_MACHINES; j++) {
            const MODEL_SCORE expected =
                MODEL_READ_SCORE(model_test_scores + i * MODEL_MACHINES + j);
            if (!(scores[j] <= expected && scores[j] >= expected)) { return (int)i + 1; }
        }
    }
    return 0;
}
