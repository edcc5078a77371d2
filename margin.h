/* margin.h -- large-margin classifiers in C99 for machines without libc, heap or operating system.
 *
 * USE       In exactly one source file:   #define MARGIN_IMPLEMENTATION
 *                                         #include "margin.h"     (this pulls in margin_impl.h)
 *           Everywhere else include it plainly. No compiler flag is needed. The licence is MIT.
 *
 * YOU WANT  Run a model that `python3 -m gen`, the host program of this project, has exported:
 *
 *               #define MARGIN_IMPLEMENTATION
 *               #define MARGIN_PREDICT_ONLY
 *               #include "margin.h"
 *               #include "gate.h"              // exported as "gate"; its names begin with gate_
 *               ...
 *               uint16_t c = gate_classify(x); // a class, or MARGIN_REJECTED
 *
 *           x holds the GATE_FEATURES raw values: margin_real, or int16_t for integer models.
 *           gate_labels[c] is the name of class c; test c for MARGIN_REJECTED first, which is what
 *           an input gets that is not a number or that no class is sure of. gate_selftest()
 *           returns 0 if this device computes the same bits as the host. The comment at the top of
 *           gate.h describes inputs and classes.
 *
 *           Load a model that arrives as bytes, over the air or from a file: >>image begins with
 *           the code for it.
 *           Train on the device, in a static buffer: FIRST RUN below shows it for svm, and
 *           >>rates for error rates given in advance. >>train tells what all trainers share; then
 *           read the section of the method.
 *           Use a model that a trainer has made: >>model. Without an FPU, in integers: >>quant.
 *
 *           Firmware that only predicts defines MARGIN_PREDICT_ONLY and can forget PART II. All
 *           files of a program must define the same switches of >>config.
 *
 * FIRST RUN Two features, six samples of two classes, one static buffer (the tests run this):
 *
 *     #define MARGIN_IMPLEMENTATION
 *     #include "margin.h"
 *
 *     static const margin_real x[6 * 2] = {1, 2, 2, 1, 2, 3, 6, 5, 7, 7, 8, 6};
 *     static const uint16_t y[6] = {0, 0, 0, 1, 1, 1};
 *     static unsigned char bytes[MARGIN_SVM_BYTES(6, 2)];
 *
 *     int main(void)
 *     {
 *         const margin_data data = {x, 6, 2, 0, y, NULL, NULL};
 *         const margin_real unknown[2] = {7, 5};
 *         margin_arena mem = margin_arena_make(bytes, sizeof bytes);
 *         margin_model model;
 *         margin_real score;
 *         if (margin_svm_train(&data, NULL, &mem, &model, NULL, NULL) < 0) {
 *             return 2;
 *         }
 *         return margin_classify(&model, unknown, &score) == 1 ? 0 : 1;
 *     }
 *
 * DOES NOT  allocate, print, touch files, keep state between calls, recurse, or need libc or -lm.
 *
 * PROMISES  - All memory is the caller's. Nothing is written outside the arena and the outputs.
 *           - On failure (a negative status) no output parameter has been touched, unless the text
 *             of the function says otherwise. Three do: the report of rates says why rates are
 *             infeasible, and margin_image_write and margin_eigen may leave an unusable array.
 *           - Every loop has a bound. The same input gives the same bits on every target.
 *
 * CONTENTS  PART I PREDICT
 *           >>config >>platform >>status >>arena >>kernel >>model >>quant >>image
 *           PART II TRAIN
 *           >>data >>train >>mam >>kmomd >>svm >>rates >>loss >>seco >>proto >>compact
 *           >>ordinal >>oneclass >>svr
 *           >>calibrate >>compress >>quantize >>store >>metrics
 *           >>math >>random >>linalg >>bytes
 */
#ifndef MARGIN_H
#define MARGIN_H

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ================================================================================================
 * PART I PREDICT
 *
 * Everything that a device needs that only predicts: models, their predictors in floating point
 * and in integers, and images of models that arrive as bytes.
 * ============================================================================================== */

/* ---- >>config ---- every switch, its default and its price; define before the first include -- */

/* MARGIN_IMPLEMENTATION   Define it in exactly one file: the functions are compiled there.
 * MARGIN_STATIC           All functions are static. This suits a program with one file that uses
 *                         margin: the compiler drops what that file does not call, which takes a
 *                         fraction of the time, and inlines the rest as it likes.
 * MARGIN_PREDICT_ONLY     Nothing of PART II is compiled: the device only predicts.
 * MARGIN_REAL_DOUBLE      margin_real is double instead of float. This is meant for training on a
 *                         host: it doubles all memory, and is very slow without a 64-bit FPU.
 * MARGIN_ALIGN            Alignment of arena blocks in bytes: a power of two, at least the
 *                         alignment of pointers and of margin_real. The default is 8; 4 saves
 *                         memory on 32-bit machines with float.
 * MARGIN_API              Storage class and attributes of the public functions. The default is
 *                         `extern`; an example is -D'MARGIN_API=extern __attribute__((cold))'.
 * MARGIN_FLASH            Attribute of the constant arrays of exported models.
 * MARGIN_LOAD(type, p)    How predictors read *p of such an array. Together the two let machines
 *                         whose flash is not in the data space keep models in flash. For AVR both
 *                         are defined in >>platform.
 * MARGIN_MODELS_IN_RAM    For AVR with MARGIN_PREDICT_ONLY: predictors read models from RAM,
 *                         because the models come out of an image. Otherwise they read them from
 *                         flash.
 * MARGIN_LOAD_LPM         For AVR: models are read from the lower 64 KB of flash by `lpm`, even
 *                         without MARGIN_PREDICT_ONLY. If you also define MARGIN_LOAD, it must read
 *                         in the same way.
 * MARGIN_SHARED           For Arduino: this file gets the declarations only, because another file
 *                         of the sketch defines MARGIN_IMPLEMENTATION. See below.
 * MARGIN_VECTOR           Bytes of a vector register: 0 (plain C), 16 or 32. It changes speed,
 *                         never results. Unless you define it, it is the widest that the compiler's
 *                         target flags allow.
 * MARGIN_NO_ASM           No inline assembly. Without this switch, assembly computes the square
 *                         root and the inner loops of predictors on Cortex-M and AVR. Plain C gives
 *                         the same bits, slower.
 * MARGIN_CACHE_BYTES      Memory for kernel rows where a trainer is given no budget; see >>train.
 * MARGIN_ASSERT(cond)     Checks internal invariants; it does nothing unless you define it.
 *                         Arguments are checked in every build and reported by a status, never by
 *                         an assertion. */

/* An Arduino sketch has nothing to define. Each of its files that includes this header gets private
 * copies of the predictors that it calls; the compiler drops all others. */
#if defined(ARDUINO) && !defined(MARGIN_IMPLEMENTATION) && !defined(MARGIN_SHARED)
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#define MARGIN_STATIC
#endif

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "margin: -ffast-math breaks NaN checks and the promise of equal bits; compile without it"
#endif

#ifdef MARGIN_REAL_DOUBLE
typedef double margin_real;
#if DBL_MANT_DIG != 53
#error "margin: MARGIN_REAL_DOUBLE needs an IEEE 754 64-bit double"
#endif
#else
typedef float margin_real;
#if FLT_MANT_DIG != 24
#error "margin: needs an IEEE 754 32-bit float"
#endif
#endif

#ifdef FLT_EVAL_METHOD
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "margin: excess precision changes results; use SSE2, or -fexcess-precision=fast on s390x"
#endif
#endif

#ifndef MARGIN_ALIGN
#define MARGIN_ALIGN 8u
#endif
#if MARGIN_ALIGN < 1 || (MARGIN_ALIGN & (MARGIN_ALIGN - 1)) != 0
#error "margin: MARGIN_ALIGN is not a power of two"
#endif

#ifndef MARGIN_API
#if !defined(MARGIN_STATIC)
#define MARGIN_API extern
#elif defined(__GNUC__)
#define MARGIN_API static __attribute__((unused))
#else
#define MARGIN_API static
#endif
#endif

#ifndef MARGIN_ASSERT
#define MARGIN_ASSERT(cond) ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MARGIN_VERSION_MAJOR 0
#define MARGIN_VERSION_MINOR 1
#define MARGIN_VERSION_PATCH 0
#define MARGIN_VERSION                                                                             \
    (MARGIN_VERSION_MAJOR * 10000 + MARGIN_VERSION_MINOR * 100 + MARGIN_VERSION_PATCH)

/* The type of row and sample numbers in arrays, as small as the address space allows. */
#if SIZE_MAX > 0xFFFFu
typedef uint32_t margin_index;
#define MARGIN_INDEX_MAX UINT32_MAX
#else
typedef uint16_t margin_index;
#define MARGIN_INDEX_MAX UINT16_MAX
#endif

/* ---- >>platform ---- detected automatically: whether models are read from flash or from RAM -- */

/* AVR: constants are copied to RAM unless they are marked. A device that only predicts has its
 * models in flash, and reads them from there: nothing to define. (Where flash is part of the data
 * space, as on the ATmega4809, constants stay there anyhow.) Flash beyond 64 KB is out of reach;
 * the linker puts models before the code, so they are within. */
#if defined(__AVR__) && defined(__AVR_HAVE_LPMX__) && !defined(__AVR_PM_BASE_ADDRESS__) &&         \
    !defined(MARGIN_LOAD) && !defined(MARGIN_MODELS_IN_RAM) &&                                     \
    (defined(MARGIN_PREDICT_ONLY) || defined(MARGIN_LOAD_LPM))
#ifndef MARGIN_LOAD_LPM
#define MARGIN_LOAD_LPM
#endif
#ifndef MARGIN_FLASH
#define MARGIN_FLASH __attribute__((__progmem__))
#endif
#if defined(__FLASH) && !defined(__STRICT_ANSI__)
#define MARGIN_LOAD(type, p) (*(const __flash type *)(p))
#else
/* 1, 2 or 4 bytes out of flash; `bytes` is a constant. */
static inline __attribute__((always_inline)) void margin_load_lpm(void *out, const void *from,
                                                                  size_t bytes) {
    uint32_t four;
    uint16_t two;
    uint8_t one;
    if (bytes == 4u) {
        __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z"
                : "=&r"(four), "+z"(from));
        __builtin_memcpy(out, &four, 4);
    } else if (bytes == 2u) {
        __asm__("lpm %A0, Z+\n\tlpm %B0, Z" : "=&r"(two), "+z"(from));
        __builtin_memcpy(out, &two, 2);
    } else {
        __asm__("lpm %0, Z" : "=r"(one) : "z"(from));
        __builtin_memcpy(out, &one, 1);
    }
}
#define MARGIN_LOAD(type, p)                                                                       \
    (__extension__({                                                                               \
        type loaded_;                                                                              \
        margin_load_lpm(&loaded_, (p), sizeof loaded_);                                            \
        loaded_;                                                                                   \
    }))
#endif
#endif

#ifndef MARGIN_FLASH
#define MARGIN_FLASH
#endif
#ifndef MARGIN_LOAD
#define MARGIN_LOAD(type, p) (*(const type *)(p))
#define MARGIN_LOAD_PLAIN /* models are in the data space: loops in assembly may read them */
#endif

/* ---- >>status ---- 0 done; > 0 a result with a caveat; < 0 no result, outputs untouched ------ */

#define MARGIN_STATUS_LIST(X)                                                                      \
    X(MARGIN_OK, 0, "done")                                                                        \
    X(MARGIN_W_ITERATIONS, 1, "iteration limit reached; the best iterate is returned")             \
    X(MARGIN_W_STOPPED, 2, "stopped by the progress callback; the best iterate is returned")       \
    X(MARGIN_W_ROUNDING, 3, "the tolerance was not reached because of rounding")                   \
    X(MARGIN_W_NO_CUT, 4,                                                                          \
      "no cut was found that lowers the error: the list is one ordinary machine")                  \
    X(MARGIN_E_ARGUMENT, -1, "an argument is null or out of its range")                            \
    X(MARGIN_E_MEMORY, -2, "the arena is too small; ask the size query")                           \
    X(MARGIN_E_OVERFLOW, -3, "a size in bytes does not fit size_t")                                \
    X(MARGIN_E_EMPTY, -4, "the data has no samples or no features")                                \
    X(MARGIN_E_NOT_FINITE, -5, "the data holds a NaN or an infinity")                              \
    X(MARGIN_E_LABEL, -6, "a label, weight or row number is out of its range")                     \
    X(MARGIN_E_ONE_CLASS, -7, "a class has no samples; at least two classes are needed")           \
    X(MARGIN_E_NOT_POSITIVE, -8, "the matrix is not positive definite")                            \
    X(MARGIN_E_NO_CONVERGENCE, -9, "the iteration did not converge within its bound")              \
    X(MARGIN_E_NO_DIRECTION, -10, "the class means coincide: there is no direction to separate")   \
    X(MARGIN_E_NOT_SEPARABLE, -11, "the classes overlap: no hard margin exists")                   \
    X(MARGIN_E_RANGE, -12, "squares of values overflow, vanish or lose digits; scale the data")    \
    X(MARGIN_E_IMAGE, -13, "not a model image, or one of another version")                         \
    X(MARGIN_E_IMAGE_SIZE, -14, "the image is cut short, or its sizes contradict each other")      \
    X(MARGIN_E_IMAGE_SUM, -15, "the checksum of the image is wrong")                               \
    X(MARGIN_E_IMAGE_VALUE, -16, "a value in the image is out of its range")                       \
    X(MARGIN_E_NO_ORDER, -17, "all targets are equal: there is no order")                          \
    X(MARGIN_E_INFEASIBLE, -18, "the error rates asked for cannot be had")                         \
    X(MARGIN_E_TWO_CLASSES, -19, "the method takes two classes, and there are more")               \
    X(MARGIN_E_VECTORS, -20, "more vectors are asked for than there are samples")                  \
    X(MARGIN_E_RANK, -21, "the rank of a projection must be less than the number of features")

#define MARGIN_STATUS_ITEM(name, value, text) name = (value),
typedef enum { MARGIN_STATUS_LIST(MARGIN_STATUS_ITEM) } margin_status;

/* Returns the status in words, never NULL. */
MARGIN_API const char *margin_status_text(margin_status status);

/* ---- >>arena ---- all memory that a call may use --------------------------------------------- */

/* An arena hands out one buffer of the caller's from both ends. What lasts (models) grows from the
 * front, scratch from the back. A call gives its scratch back before it returns, so that models lie
 * side by side and the rest is free again. A call that fails gives back everything it took.
 *
 *     static unsigned char bytes[4096];
 *     margin_arena mem = margin_arena_make(bytes, sizeof bytes);
 *
 * Blocks are multiples of MARGIN_ALIGN bytes. A buffer whose address is such a multiple loses
 * nothing; any other loses up to MARGIN_ALIGN - 1 bytes. A function that takes an arena has a size
 * query, named after it with _size at the end (for integer models _size_q), or its text names the
 * query to use. The query returns the bytes that the function needs, or 0 if they do not fit
 * size_t. Both run the same memory plan, the query on an arena that only counts.
 *
 * The functions of this section accept a null arena and an arena over a null buffer; both refuse
 * every block. */
typedef struct {
    unsigned char *base; /* first aligned byte of the buffer; NULL if there is none */
    size_t size;         /* usable bytes, a multiple of MARGIN_ALIGN */
    size_t low;          /* bytes taken at the front, by what lasts */
    size_t high;         /* scratch starts at this offset; high - low bytes are still free */
    size_t peak;         /* most bytes ever taken at once, both ends together; survives a reset */
    int failed;          /* 0, or the status of the first refused block: all later are refused */
} margin_arena;

/* The bytes that `count` elements of `bytes` bytes each take in an arena, as a constant
 * expression. */
#define MARGIN_BLOCK(count, bytes)                                                                 \
    (((size_t)(count) * (size_t)(bytes) + MARGIN_ALIGN - 1u) / MARGIN_ALIGN * MARGIN_ALIGN)

/* Makes an arena over `size` bytes. */
MARGIN_API margin_arena margin_arena_make(void *bytes, size_t size);
/* Makes an arena without a buffer, which only counts: it grants every block as NULL. Afterwards
 * `peak` is the number of bytes needed, unless it `failed` with MARGIN_E_OVERFLOW. Every function
 * that would write to such an arena returns MARGIN_E_ARGUMENT. */
MARGIN_API margin_arena margin_arena_counting(void);
/* Take `count` elements of `bytes` bytes each, at the front (keep) or at the back (scratch). Their
 * contents are undefined. A refused block is NULL and sets `failed` to MARGIN_E_MEMORY or
 * MARGIN_E_OVERFLOW, so a caller can take all blocks of a plan and check `failed` once. */
MARGIN_API void *margin_arena_keep(margin_arena *mem, size_t count, size_t bytes);
MARGIN_API void *margin_arena_scratch(margin_arena *mem, size_t count, size_t bytes);
/* Gives back all scratch taken since `mark`, an earlier value of mem->high; ignores any other. */
MARGIN_API void margin_arena_release(margin_arena *mem, size_t mark);
/* Goes back to `before`, an earlier copy of *mem: what was taken since then at either end is given
 * back, and a refusal since then is forgotten. Returns the status of that refusal, or MARGIN_OK. */
MARGIN_API margin_status margin_arena_rewind(margin_arena *mem, const margin_arena *before);
/* Gives everything back, models included. */
MARGIN_API void margin_arena_reset(margin_arena *mem);

/* ---- >>kernel ---- kernels and their parameters ---------------------------------------------- */

/* Every kernel is a function of x.z, |x|^2 and |z|^2 alone, and symmetric in x and z to the bit:
 *
 *   MARGIN_KERNEL_LINEAR     x.z
 *   MARGIN_KERNEL_POLY       (gamma x.z + coef0)^degree         positive definite if coef0 >= 0
 *   MARGIN_KERNEL_RBF        exp(-gamma |x - z|^2)              exactly 1 at x = z
 *   MARGIN_KERNEL_UNIT_POLY  t^a                                positive definite if a is whole
 *   MARGIN_KERNEL_UNIT_EXP   (a^t - 1) / (a - 1), t if a = 1    positive definite if a >= 1
 *
 * Here t = (1 + cos(x, z)) / 2, and the cosine with a zero vector is 0. t(x, x) is exactly 1 as
 * long as |x|^4 neither overflows nor is subnormal. |x - z|^2 is computed as |x|^2 + |z|^2 - 2
 * x.z. This costs no more than a dot product, but leaves an absolute error of a few gamma *
 * epsilon * (|x|^2 + |z|^2) in the exponent, so centre the data (see margin_scaling) before you
 * use an rbf kernel. A trainer returns MARGIN_E_RANGE where kernel values of its model would be off
 * by more than 1/32.
 *
 * MARGIN_KERNEL_HINGE is no kernel in this sense, but the unit of learned vectors, see >>compact.
 * Models may have it. margin_kernel_resolve, and so every trainer of kernel machines, refuses
 * it. */
enum {
    MARGIN_KERNEL_LINEAR = 0,
    MARGIN_KERNEL_POLY,
    MARGIN_KERNEL_RBF,
    MARGIN_KERNEL_UNIT_POLY,
    MARGIN_KERNEL_UNIT_EXP,
    MARGIN_KERNEL_HINGE /* of models alone: max(0, x.v + t) with a threshold t for each vector */
};

typedef struct {
    uint8_t kind;      /* one of MARGIN_KERNEL_*                  0 means linear            */
    uint8_t degree;    /* of poly, 1 .. 255                       0 means 3                 */
    margin_real gamma; /* of poly and rbf, > 0                    0 means 1 / d             */
    margin_real coef0; /* of poly, any finite number              0 means 0                 */
    margin_real a;     /* of the unit kernels, > 0                0 means 2                 */
                       /* of unit-exp from 1e-18 to 1e18                                    */
} margin_kernel;

/* Fills in the defaults of a kernel for d features; NULL means linear. `resolved` may be `kernel`
 * itself. Returns MARGIN_E_ARGUMENT for an unknown kind, a NULL result, or a parameter that is out
 * of its range or not finite, even if the kind does not use it; MARGIN_E_EMPTY for d = 0. */
MARGIN_API margin_status margin_kernel_resolve(const margin_kernel *kernel, size_t d,
                                               margin_kernel *resolved);

/* Returns k(x, z) of two vectors of d values, with the same bits as in training. It takes three dot
 * products and at most one exponential or power. A kernel that margin_kernel_resolve refuses gives
 * a NaN. */
MARGIN_API margin_real margin_kernel_value(const margin_kernel *kernel, const margin_real *x,
                                           const margin_real *z, size_t d);

/* The scaling x' = (x - offset) * factor, feature by feature. If both arrays are NULL, x' is x.
 * margin_scaling_fit makes one. */
typedef struct {
    const margin_real *offset; /* d values; NULL: no scaling */
    const margin_real *factor; /* d values */
    size_t d;
} margin_scaling;

/* ---- >>model ---- what trainers return and predictors read ----------------------------------- */

/* Models are plain structs that live as well in flash as in an arena. Each kind has its own
 * predictor, so that a linker keeps only those in use; margin_scores and margin_classify serve all
 * kinds.
 *
 *     label = margin_classify(&model, x, scores);     // x: the raw values; scores: one per machine
 *
 * A model of k classes is made of machines, each of which scores one question. `scheme` says which
 * questions they are and how the scores elect a class:
 *
 *   MARGIN_SCHEME_BINARY    1 machine           Class 1 if its score is > 0, else class 0.
 *   MARGIN_SCHEME_ONE_ONE   k(k-1)/2 machines   Machine (a, b), a < b, in the order (0,1), (0,2) ..
 *                                               (k-2, k-1): a score > 0 is a vote for b, any other
 *                                               for a. Most votes win; ties go to the larger sum of
 *                                               the scores in a class's favour, then to the smaller
 *                                               class.
 *   MARGIN_SCHEME_ONE_REST  k machines          The largest score wins; ties go to the smaller
 *                                               class.
 *   MARGIN_SCHEME_VOTES     k(k-1)/2 machines   As one-one, but ties go to the smaller class at
 *                                               once: LIBSVM's rule, for models from there.
 *   MARGIN_SCHEME_ORDINAL   k-1 machines        For classes in order, k > 2. All machines are one
 *                                               function less a threshold each, so that scores fall
 *                                               from one to the next. The class is the number of
 *                                               scores > 0. A model of k = 1 is a ranker: one
 *                                               machine without a threshold, whose score orders
 *                                               inputs, or is a number in units of the target; see
 *                                               >>ordinal and >>svr.
 *   MARGIN_SCHEME_NEAREST   k distances         One squared distance a class, also for two classes.
 *                                               The smallest wins; ties go to the smaller class. A
 *                                               model of k = 1 knows what is normal: class 0 up to
 *                                               the distance `reject`, beyond it MARGIN_REJECTED;
 *                                               see >>oneclass. */
enum {
    MARGIN_SCHEME_BINARY = 0,
    MARGIN_SCHEME_ONE_ONE = 1,
    MARGIN_SCHEME_ONE_REST = 2,
    MARGIN_SCHEME_VOTES = 3,
    MARGIN_SCHEME_ORDINAL = 4,
    MARGIN_SCHEME_NEAREST = 5
};
enum {
    MARGIN_MODEL_LINEAR = 1,
    MARGIN_MODEL_EXPANSION = 2,
    MARGIN_MODEL_PROTO = 3,
    MARGIN_MODEL_LIST = 4,
    MARGIN_MODEL_PROJECTED = 5
};
/* The version of these structs: exported models of another version do not compile. */
#define MARGIN_MODEL_FORMAT 5
#define MARGIN_REJECTED UINT16_MAX /* The label of an input that no class is sure of. */

/* The number of corrections in a calibration curve, which bends the probabilities of two classes:
 * one for each of the odds 2^-8, 2^-7 .. 2^8. See margin_probabilities. */
#define MARGIN_CURVE 17u

/* How scores become an answer; part of every model. */
typedef struct {
    uint16_t classes;
    uint8_t scheme;
    margin_real reject; /* a winner by a margin below this becomes MARGIN_REJECTED; 0 means never;
                           of a model of one class: the largest distance that is normal */
    margin_real slope;  /* of the probabilities, see margin_probabilities; 0: not calibrated */
    margin_real shift;
    margin_real include; /* classes at least as probable as this make the prediction set; 0: all */
    const margin_real *curve; /* of two classes: MARGIN_CURVE corrections; NULL means none */
} margin_vote;

/* A linear model: machine j scores w[j] . x + bias[j]. The scaling of raw inputs is folded into
 * both. */
typedef struct {
    const margin_real *w;    /* machines x d weights; ordinal: d of them for all machines */
    const margin_real *bias; /* one per machine */
    size_t d;                /* features */
    margin_vote vote;
} margin_linear;

/* A kernel expansion: machine j scores  sum over its vectors v of coef * k(v, x) + bias[j]. All
 * machines share one pool of vectors, sorted by class. Each vector has `width` coefficients:
 *   binary, ordinal   1, and the classes of the vectors do not matter;
 *   one-rest          k, one per machine;
 *   one-one           k-1, one for each other class in ascending order, because a vector of class c
 *                     takes part only in the machines that ask about c. */
typedef struct {
    const margin_real *vectors; /* n x d, the pool */
    const margin_real *norms;   /* n squared lengths of the vectors; hinge: thresholds t */
    const margin_real *coef;    /* n x width */
    const margin_real *bias;    /* one per machine */
    const uint32_t *class_end;  /* classes: vectors before class_end[c] are of classes <= c */
    const margin_real *offset; /* d numbers: raw inputs are scaled, (x - offset) * factor, before */
    const margin_real *factor; /* the kernel. NULL means that they are not scaled. */
    size_t n, d;
    margin_kernel kernel;
    uint16_t width;
    margin_vote vote;
} margin_expansion;

/* A decision list: the machines of a pool, called cuts, score the input in order. The first cut
 * whose score is positive decides for its target class. The last one decides in any case: for class
 * 1 where its score is positive, else for class 0. The pool is an expansion with one coefficient a
 * cut, so that the cuts share kernel values. Cut j uses the vectors before reach[j]; its other
 * coefficients are 0. The score of the list is that of the cut that decides, with a sign that is
 * positive for class 1. */
#define MARGIN_LIST_MOST ((size_t)16) /* cuts, the last machine included */
typedef struct {
    margin_expansion pool;  /* width: cuts; class_end: NULL; binary */
    const uint32_t *reach;  /* ascending */
    const uint32_t *target; /* 0 or 1; of the last: 1 */
} margin_list;

/* An expansion behind a projection: the input x, scaled, becomes z = P x + t of few numbers, and
 * the pool, an expansion of such vectors z, scores that. With many features and a small rank this
 * saves bytes, since the vectors of the pool are as short as z. Instead of a projection there may
 * be a choice of features: z has those that the model looks at. */
#define MARGIN_RANK_MOST ((size_t)64) /* numbers of z */
typedef struct {
    margin_expansion pool;         /* d: the rank; not scaled */
    const margin_real *front;      /* P, rank x d; NULL where features are picked */
    const margin_real *front_bias; /* t, rank numbers; NULL where features are picked */
    const margin_real *offset;     /* d numbers: raw inputs are scaled, (x - offset) * factor, */
    const margin_real *factor;     /* before P. NULL means that they are not scaled. */
    size_t d;                      /* features */
    const uint8_t *picked; /* NULL; or z has some of the features: bit k % 8 of byte k / 8 is 1 if
                              feature k is one of these, and as many bits as z has numbers are */
} margin_projected;

/* Prototypes. Here and in >>proto a `model` is one prototype of a class, not a whole margin_model:
 * a centroid c with `tangents` orthonormal tangents t. The n of them are sorted by class. The
 * squared distance of x to a model is that to the plane through c along the tangents,
 *
 *     z = |x - c|^2 - sum over t of (t . (x - c))^2,  and not below 0.
 *
 * It takes 1 + tangents dot products; see >>proto. The score of a class is the distance of its
 * `nth` nearest model: 1 means the nearest; a larger number makes k nearest neighbours. */
#define MARGIN_PROTO_TANGENTS 32u /* at most */
#define MARGIN_PROTO_NTH 8u       /* at most */
typedef struct {
    const margin_real *vectors; /* n x (1 + tangents) x d: centroid and tangents, model by model */
    const margin_real *exits;   /* n numbers for margin_proto_find, 0 or >= 1; NULL: no tangents */
    const uint32_t *class_end;  /* classes: models before class_end[c] are of classes <= c */
    const margin_real *offset;  /* d numbers: raw inputs are scaled, (x - offset) * factor. */
    const margin_real *factor;  /* NULL means that they are not scaled. */
    size_t n, d;
    uint16_t tangents; /* rows of zeros where a class has not enough samples for so many */
    uint16_t nth;      /* 1 .. MARGIN_PROTO_NTH */
    margin_vote vote;
} margin_proto;

/* Any model: `kind` says which member of `of` is meant. */
typedef struct {
    uint8_t kind; /* MARGIN_MODEL_... */
    union {
        margin_linear linear;
        margin_expansion expansion;
        margin_list list;
        margin_proto proto;
        margin_projected projected;
    } of;
} margin_model;

/* Returns the number of machines of a scheme over so many classes: 1, k(k-1)/2, k or k-1. */
MARGIN_API size_t margin_machines(unsigned scheme, size_t classes);
/* Compute the scores of all machines of a model at the raw input x (d values), in machine order.
 * Each kernel has its own function, so that a linker keeps only what is used;
 * margin_expansion_scores serves all kernels, and margin_unit_scores both unit kernels. */
MARGIN_API void margin_linear_scores(const margin_linear *model, const margin_real *x,
                                     margin_real *scores);
MARGIN_API void margin_rbf_scores(const margin_expansion *model, const margin_real *x,
                                  margin_real *scores);
MARGIN_API void margin_poly_scores(const margin_expansion *model, const margin_real *x,
                                   margin_real *scores);
MARGIN_API void margin_unit_scores(const margin_expansion *model, const margin_real *x,
                                   margin_real *scores);
MARGIN_API void margin_hinge_scores(const margin_expansion *model, const margin_real *x,
                                    margin_real *scores);
MARGIN_API void margin_expansion_scores(const margin_expansion *model, const margin_real *x,
                                        margin_real *scores);
/* Runs a decision list up to the cut that decides. Returns the number of that cut; *score becomes
 * the score of the list. */
MARGIN_API size_t margin_list_ask(const margin_list *model, const margin_real *x,
                                  margin_real *score);
MARGIN_API void margin_proto_scores(const margin_proto *model, const margin_real *x,
                                    margin_real *scores);
/* Computes z of a model behind a projection, pool.d numbers. These are then the input of the
 * function of the pool's kernel, for &model->pool. */
MARGIN_API void margin_project(const margin_projected *model, const margin_real *x, margin_real *z);
/* Computes the same of a model with picked features. */
MARGIN_API void margin_pick(const margin_projected *model, const margin_real *x, margin_real *z);
/* Computes the scores of a model of any kind. */
MARGIN_API void margin_scores(const margin_model *model, const margin_real *x, margin_real *scores);
/* Finds the nearest class alone and what is needed to judge it, without computing all scores: a
 * model that turns out, part way, to be farther than the two nearest classes is left at once.
 * Label, classes, distances and margin are those of margin_proto_scores, to the bit. Without
 * tangents this check comes after each 16 features, with tangents after half of them. */
typedef struct {
    uint16_t label;       /* the nearest class, or MARGIN_REJECTED where the model says so */
    uint16_t nearest;     /* the nearest class, */
    uint16_t second;      /* and the next */
    margin_real distance; /* squared, of the nearest class, */
    margin_real runner;   /* and of the next */
    margin_real margin;   /* (runner - distance) / (runner + distance), 0 .. 1 */
} margin_proto_found;
MARGIN_API void margin_proto_find(const margin_proto *model, const margin_real *x,
                                  margin_proto_found *found);
/* Returns how clearly the scores speak for class `label`: the least by which they prefer it to
 * another class, negative if another class is preferred to it. For binary models this is the score
 * itself, or minus it for class 0. For nearest it is (z' - z) / (z' + z) in -1 .. 1, where z is the
 * distance of the class and z' the least distance of the others; it is 0 if both are 0. */
MARGIN_API margin_real margin_margin(unsigned scheme, size_t classes, const margin_real *scores,
                                     size_t label);
/* Returns the class that the scores elect by the rules of the scheme. */
MARGIN_API uint16_t margin_elect(unsigned scheme, size_t classes, const margin_real *scores);
/* Returns the answer of a model to its scores: the class elected, or MARGIN_REJECTED where its
 * margin is below vote->reject or a score is not a number. So a NaN in the input never becomes a
 * class. */
MARGIN_API uint16_t margin_decide(const margin_vote *vote, const margin_real *scores);
/* The probabilities of all classes, which sum to one, of a model that was calibrated (see
 * >>calibrate). `scores` are those of all machines, and are overwritten. With one slope and shift
 * for all machines, and L(t) = 1 / (1 + exp(-t)):
 *
 *   binary             L(t) for class 1, where t = slope s + shift. If there is a curve, its
 *                      correction for the odds e^t is added to t first. Corrections are given for
 *                      odds of 2^-8, 2^-7 .. 2^8; between these they are interpolated on straight
 *                      lines in t, and beyond them they stay the same.
 *   one-one, votes     The machine of the classes a and b says r_ab = L(slope s) for one of them
 *                      and r_ba = 1 - r_ab for the other. The probabilities p agree best with all
 *                      machines: they minimise the sum over pairs of (r_ba p_a - r_ab p_b)^2 (Wu,
 *                      Lin, Weng: "Probability estimates for multi-class classification by pairwise
 *                      coupling", JMLR 5, 2004, their second method).
 *   one-rest, nearest  p_c is proportional to exp(slope f_c), where f_c is by how much the scores
 *                      prefer class c to the elected one.
 *   ordinal            L(slope s + shift) for all classes above the threshold of a machine.
 *
 * Without calibration, and where a score is not a number, all classes are equally probable. The
 * most probable class can be another one than the one elected where several are close.
 *
 * The prediction set of an input consists of the classes whose probability is at least
 * vote->include. Sets contain the true class as often as was asked for at calibration, whatever the
 * distribution is. An empty set means that the input resembles no class as clearly as samples
 * usually do. */
MARGIN_API void margin_probabilities(const margin_vote *vote, margin_real *scores, margin_real *p);
/* Returns how a model turns scores into an answer. */
MARGIN_API const margin_vote *margin_model_vote(const margin_model *model);
/* Computes all scores (one per machine) and returns the answer: a class or MARGIN_REJECTED. */
MARGIN_API uint16_t margin_classify(const margin_model *model, const margin_real *x,
                                    margin_real *scores);

/* The order of two inputs, d values each: -1, 0 or 1 where x is below, equal to or above z by the
 * first score of the model. `scores` has room for all scores. */
MARGIN_API int margin_compare(const margin_model *model, const margin_real *x, const margin_real *z,
                              margin_real *scores);

/* ---- >>quant ---- the same models in integer arithmetic: q15 and q7 -------------------------- */

/* Models for machines without an FPU. Inputs are int16_t in model units. Vectors and weights are
 * int16_t in q15 and int8_t in q7. Scores are int32_t; times margin_quant.unit they are those of
 * the model in floating point. No sum can overflow, whatever the input; each kind says why. The
 * answers are the same on every target, to the last bit.
 *
 * Model units: whole numbers from sensors go in as they are, and margin_classify_q does the rest.
 * Where their ranges do not suit, the model has an input stage in integers, which margin_classify_q
 * runs by margin_prepare_q. Real values are first converted by margin_input_q, the one function
 * here that knows of floating point. */
enum { MARGIN_Q15 = 15, MARGIN_Q7 = 7 };

/* The input stage: x[k] becomes (x[k] * factor[k] + offset[k]) / 2^shift[k], rounded down and
 * limited to int16_t. The offset contains half a unit, so that the result is rounded to the nearest
 * number. 0 <= factor, |offset| < 2^30, shift <= 30. */
typedef struct {
    const int32_t *offset;
    const int16_t *factor;
    const uint8_t *shift;
} margin_stage_q;

/* How integer scores become an answer. For probabilities the logarithm of the odds is taken to base
 * two: it is (score >> down) * slope + shift, in units of 2^-25, where score >> down is limited to
 * int16_t and |shift| <= 2^30. Corrections of a curve are in units of 2^-12. A slope of 0 means
 * that the model is not calibrated. */
typedef struct {
    uint16_t classes;
    uint16_t machines; /* margin_machines(scheme, classes) */
    int32_t reject;    /* a winner by a margin below this becomes MARGIN_REJECTED; 0 means never;
                          of a model of one class: the largest distance that is normal */
    int32_t shift;
    int16_t slope;
    uint16_t include; /* as in margin_vote, in 2^-15 */
    uint8_t down;
    uint8_t scheme;       /* MARGIN_SCHEME_... */
    const int16_t *curve; /* MARGIN_CURVE corrections, or NULL */
} margin_vote_q;

/* Machine j scores w[j] . x + bias[j], with sum |w[j]| * 2^15 + |bias[j]| < 2^31. Where the weights
 * of some machines are much smaller than those of others, every machine uses all bits for its own
 * weights, and its score is multiplied by a scale. */
typedef struct {
    const void *w;               /* as in margin_linear: int16_t of q15, int8_t of q7 */
    const int32_t *bias;         /* one per machine */
    const margin_stage_q *stage; /* NULL: inputs go in as they are */
    uint16_t d;
    uint8_t format; /* MARGIN_Q15 or MARGIN_Q7 */
    margin_vote_q vote;
    const uint16_t *scales; /* one per machine, in units of 2^-16; NULL means no scales */
} margin_linear_q;

/* What a kernel needs in integers, chosen by margin_quantize. The formulas, and the proofs that
 * they fit 32 bits for every input, stand with each kernel in margin_impl.h. */
typedef struct {
    uint8_t kind;   /* MARGIN_KERNEL_RBF, POLY, UNIT_POLY, UNIT_EXP or HINGE */
    uint8_t power;  /* poly: its degree; unit-exp: 1 if a < 1, else 0 */
    uint8_t shift;  /* rbf: norms are in units of 2^shift. Others: a right shift, of the base
                       (poly), of the cosine (unit kernels) or of v.x + t (hinge) */
    uint8_t up;     /* rbf and unit kernels: left shift of the exponent. poly: bits of the base
                       beyond 15. hinge: left shift of the thresholds */
    uint16_t gain;  /* rbf and unit kernels: factor of the exponent, poly: of the dot product; in
                       2^-16 */
    uint16_t step;  /* rbf: units of the input in one of the vectors, 1 in q15; 0: see steps */
    uint8_t down;   /* right shift of what a vector adds to a score */
    uint32_t cut;   /* rbf and unit kernels: from this argument on the exponential counts as 0 */
    uint32_t reach; /* rbf: inputs with a larger |x|^2 are too far from all vectors to matter */
    int32_t add;    /* poly: added to the base */
} margin_kernel_q;

/* Machine j scores  sum over its vectors v of coef * k(v, x) + bias[j],  as margin_expansion does.
 * The pool is filled up with vectors of zeros to a multiple of four, and stored in blocks of four
 * so that a loop over features reads it in order: with features padded by a zero to an even
 * number,
 *
 *     q15  element (v, k) at  (v / 4) * 4 * D + (k / 2) * 8 + (v % 4) * 2 + k % 2
 *     q7   element (v, k) at  (v / 4) * 4 * D + (k / 2) * 8 + (v % 4) / 2 * 4 + k % 2 * 2 + v % 2
 *
 * where D is d rounded up to even. Pools of hinge units are not filled up: the last n % 4 vectors
 * follow one after the other, element (v, k) at v * D + k. */
typedef struct {
    const void *vectors;         /* n x D values, int16_t or int8_t; at a multiple of 4 bytes */
    const uint16_t *norms;       /* rbf: n halves of squared lengths, rounded up, in units of
                                    2^shift; unit: 2^(15 + shift) / length; poly: NULL;
                                    hinge: thresholds, int16_t in units of 2^up */
    const void *coef;            /* n x width, int16_t; int8_t in q7 of one-rest and hinge models */
    const uint16_t *scales;      /* of int8_t: what machines multiply their sums by, in 2^-16;
                                    NULL: those of hinge units have one unit */
    const int32_t *bias;         /* one per machine */
    const uint16_t *class_end;   /* as in margin_expansion; read where machines are pairs */
    const margin_stage_q *stage; /* NULL: inputs go in as they are */
    uint16_t n;                  /* a multiple of four, but for hinge units */
    uint16_t d;
    uint16_t width;
    uint8_t format; /* MARGIN_Q15 or MARGIN_Q7 */
    margin_kernel_q kernel;
    margin_vote_q vote;
    const uint16_t *steps; /* q7 of rbf with the step 0, n: each vector has its own; else NULL */
} margin_expansion_q;

/* Prototypes, as in margin_proto: the rows of a model are its centroid and its tangents. All rows
 * are stored as the pool of margin_expansion_q is, in blocks of four, filled up with zeros.
 * Distances are
 *
 *     z = |x|^2 2^up - (c.x) 2^left + constant(c) - gain sum over t of a(t)^2
 *     a(t) = (t.x - constant(t)) >> down
 *
 * with gain in 2^-16 and z not below 0: two products a vector and feature, no more. */
typedef struct {
    const void *vectors;         /* int16_t or int8_t; at a multiple of 4 bytes */
    const int32_t *constants;    /* n x (1 + tangents) */
    const uint16_t *gains;       /* n; without tangents the part of constant(c) that comes from the
                                    first d / 4 * 2 features, in units of 2^16, rounded down */
    const uint8_t *downs;        /* n; NULL without tangents */
    const uint16_t *class_end;   /* classes */
    const margin_stage_q *stage; /* NULL: inputs go in as they are */
    uint32_t reach; /* an input with a larger |x|^2 has the distance INT32_MAX to all classes */
    uint16_t n;     /* models */
    uint16_t d;
    uint8_t tangents;
    uint8_t nth;
    uint8_t up, left;
    uint8_t format; /* MARGIN_Q15 or MARGIN_Q7 */
    margin_vote_q vote;
} margin_proto_q;

/* A decision list, as margin_list: the cuts score the input in order, and the first whose score is
 * positive decides. The pool is as in margin_expansion_q, with one coefficient and one bias a cut.
 * The cuts share kernel values, and no vector beyond the reach of the deciding cut is read. Cuts of
 * a linear kernel are rows of weights, stored as in margin_linear_q: `vectors` has width x d of
 * them, n is 0, norms, coef and reach are NULL. */
typedef struct {
    margin_expansion_q pool; /* width: cuts; class_end: NULL; binary, one machine */
    const uint16_t *reach;   /* ascending multiples of four, the last is n */
    const uint8_t *target;   /* 0 or 1; of the last: 1 */
} margin_list_q;

/* An expansion behind a projection, as margin_projected: row r of the front has the number
 *
 *     z[r] = ((front[r].x + front_bias[r]) * front_scales[r] / 2^16) / 2^front_down,
 *
 * rounded down twice and limited to int16_t, with sum |front[r]| * 2^15 + |front_bias[r]| <
 * 2^31. Where features are picked, z has these as they are. */
typedef struct {
    margin_expansion_q pool;      /* d: the rank; the stage is that of the raw inputs */
    const void *front;            /* rank x d, int16_t or int8_t */
    const int32_t *front_bias;    /* rank */
    const uint16_t *front_scales; /* rank */
    uint16_t d;
    uint8_t front_down;
    const uint8_t *picked; /* as in margin_projected; then the three arrays above are NULL */
} margin_projected_q;

/* Any integer model. */
typedef struct {
    uint8_t kind; /* MARGIN_MODEL_... */
    union {
        margin_linear_q linear;
        margin_expansion_q expansion;
        margin_proto_q proto;
        margin_list_q list;
        margin_projected_q projected;
    } of;
} margin_model_q;

/* Attribute of the arrays that hold the vectors of exported integer models. */
#ifndef MARGIN_WORD_ALIGNED
#if defined(__GNUC__)
#define MARGIN_WORD_ALIGNED __attribute__((aligned(4)))
#else
#define MARGIN_WORD_ALIGNED
#endif
#endif

/* What margin_proto_find_q15 and margin_proto_find_q7 find: the two nearest classes. */
typedef struct {
    uint16_t label;   /* the nearest class, or MARGIN_REJECTED where the model says so */
    uint16_t nearest; /* the nearest class, */
    uint16_t second;  /* and the next */
    int32_t distance; /* of the nearest class, */
    int32_t runner;   /* and of the next */
    int32_t margin;   /* (runner - distance) / (runner + distance) in 2^-15 */
} margin_proto_found_q;

/* Predictors for x, d values in model units. There is one function for each kind, kernel and
 * format, so that a linker keeps only those in use. A name ends with the format; functions whose
 * names end with _q serve both formats. Below, F is q15 or q7, and .. is const int16_t *x.
 *
 *   LINEAR   void margin_linear_scores_F(const margin_linear_q *, .., int32_t *scores)
 *   SCALED   void margin_scaled_scores_F(const margin_linear_q *, .., int32_t *scores)
 *   SEVERAL  void margin_KERNEL_scores_F(const margin_expansion_q *, .., int32_t *scores)
 *   PROTO    void margin_proto_scores_F(const margin_proto_q *, .., int32_t *scores)
 *            compute the scores of all machines. SCALED is for linear models that have scales,
 *            LINEAR for those that have none.
 *   ONE      int32_t margin_KERNEL_score_F(const margin_expansion_q *, const int16_t *x)
 *            returns the score of a model with one machine, without the code for several.
 *   LIST     size_t margin_list_KERNEL_ask_F(const margin_list_q *, .., int32_t *score)
 *            runs a list up to the cut that decides. It returns the number of that cut; *score
 *            becomes its score, with a sign that is positive for class 1.
 *   PROJECT  void margin_project_F(const margin_projected_q *, .., int16_t *z)
 *            computes z, pool.d numbers, which the predictor of the pool's kernel takes as input.
 *   FIND     void margin_proto_find_F(const margin_proto_q *, .., int32_t *scores,
 *                                     margin_proto_found_q *found)
 *            finds the two nearest classes, as margin_proto_find does. Label, classes, distances
 *            and margin are those of the scores, to the bit. `scores` has room for all classes;
 *            those of the two nearest are right, others may be wrong, but are never lower. Without
 *            tangents (codebooks, nearest neighbours) four vectors that are too far away after half
 *            of the features are left at once: where the features that vary most come first, this
 *            takes two thirds of the time of all scores, otherwise about as long.
 *
 * The list has name, shape, kernel and format; shapes without a kernel have LINEAR there. */
#define MARGIN_PREDICTORS_Q(X)                                                                     \
    X(margin_linear_scores_q15, LINEAR, LINEAR, Q15)                                               \
    X(margin_linear_scores_q7, LINEAR, LINEAR, Q7)                                                 \
    X(margin_scaled_scores_q15, SCALED, LINEAR, Q15)                                               \
    X(margin_scaled_scores_q7, SCALED, LINEAR, Q7)                                                 \
    X(margin_rbf_scores_q15, SEVERAL, RBF, Q15)                                                    \
    X(margin_rbf_scores_q7, SEVERAL, RBF, Q7)                                                      \
    X(margin_poly_scores_q15, SEVERAL, POLY, Q15)                                                  \
    X(margin_poly_scores_q7, SEVERAL, POLY, Q7)                                                    \
    X(margin_unit_poly_scores_q15, SEVERAL, UNIT_POLY, Q15)                                        \
    X(margin_unit_poly_scores_q7, SEVERAL, UNIT_POLY, Q7)                                          \
    X(margin_unit_exp_scores_q15, SEVERAL, UNIT_EXP, Q15)                                          \
    X(margin_unit_exp_scores_q7, SEVERAL, UNIT_EXP, Q7)                                            \
    X(margin_hinge_scores_q15, SEVERAL, HINGE, Q15)                                                \
    X(margin_hinge_scores_q7, SEVERAL, HINGE, Q7)                                                  \
    X(margin_rbf_score_q15, ONE, RBF, Q15)                                                         \
    X(margin_rbf_score_q7, ONE, RBF, Q7)                                                           \
    X(margin_poly_score_q15, ONE, POLY, Q15)                                                       \
    X(margin_poly_score_q7, ONE, POLY, Q7)                                                         \
    X(margin_unit_poly_score_q15, ONE, UNIT_POLY, Q15)                                             \
    X(margin_unit_poly_score_q7, ONE, UNIT_POLY, Q7)                                               \
    X(margin_unit_exp_score_q15, ONE, UNIT_EXP, Q15)                                               \
    X(margin_unit_exp_score_q7, ONE, UNIT_EXP, Q7)                                                 \
    X(margin_hinge_score_q15, ONE, HINGE, Q15)                                                     \
    X(margin_hinge_score_q7, ONE, HINGE, Q7)                                                       \
    X(margin_list_linear_ask_q15, LIST, LINEAR, Q15)                                               \
    X(margin_list_linear_ask_q7, LIST, LINEAR, Q7)                                                 \
    X(margin_list_rbf_ask_q15, LIST, RBF, Q15)                                                     \
    X(margin_list_rbf_ask_q7, LIST, RBF, Q7)                                                       \
    X(margin_list_poly_ask_q15, LIST, POLY, Q15)                                                   \
    X(margin_list_poly_ask_q7, LIST, POLY, Q7)                                                     \
    X(margin_list_unit_poly_ask_q15, LIST, UNIT_POLY, Q15)                                         \
    X(margin_list_unit_poly_ask_q7, LIST, UNIT_POLY, Q7)                                           \
    X(margin_list_unit_exp_ask_q15, LIST, UNIT_EXP, Q15)                                           \
    X(margin_list_unit_exp_ask_q7, LIST, UNIT_EXP, Q7)                                             \
    X(margin_proto_scores_q15, PROTO, LINEAR, Q15)                                                 \
    X(margin_proto_scores_q7, PROTO, LINEAR, Q7)                                                   \
    X(margin_project_q15, PROJECT, LINEAR, Q15)                                                    \
    X(margin_project_q7, PROJECT, LINEAR, Q7)                                                      \
    X(margin_proto_find_q15, FIND, LINEAR, Q15)                                                    \
    X(margin_proto_find_q7, FIND, LINEAR, Q7)
#define MARGIN_DECLARE_LINEAR(name)                                                                \
    MARGIN_API void name(const margin_linear_q *model, const int16_t *x, int32_t *scores);
#define MARGIN_DECLARE_SCALED(name) MARGIN_DECLARE_LINEAR(name)
#define MARGIN_DECLARE_SEVERAL(name)                                                               \
    MARGIN_API void name(const margin_expansion_q *model, const int16_t *x, int32_t *scores);
#define MARGIN_DECLARE_ONE(name)                                                                   \
    MARGIN_API int32_t name(const margin_expansion_q *model, const int16_t *x);
#define MARGIN_DECLARE_LIST(name)                                                                  \
    MARGIN_API size_t name(const margin_list_q *model, const int16_t *x, int32_t *score);
#define MARGIN_DECLARE_PROTO(name)                                                                 \
    MARGIN_API void name(const margin_proto_q *model, const int16_t *x, int32_t *scores);
#define MARGIN_DECLARE_PROJECT(name)                                                               \
    MARGIN_API void name(const margin_projected_q *model, const int16_t *x, int16_t *z);
#define MARGIN_DECLARE_FIND(name)                                                                  \
    MARGIN_API void name(const margin_proto_q *model, const int16_t *x, int32_t *scores,           \
                         margin_proto_found_q *found);
#define MARGIN_DECLARE_Q(name, shape, kernel, format) MARGIN_DECLARE_##shape(name)
MARGIN_PREDICTORS_Q(MARGIN_DECLARE_Q)
/* Computes z of a model with picked features, in any format. */
MARGIN_API void margin_pick_q(const margin_projected_q *model, const int16_t *x, int16_t *z);

/* These serve lists, and models of any kind, in both formats. */
MARGIN_API size_t margin_list_ask_q(const margin_list_q *model, const int16_t *x, int32_t *score);
MARGIN_API void margin_scores_q(const margin_model_q *model, const int16_t *x, int32_t *scores);

/* These do the same as their namesakes in >>model. Margins are limited to int32_t. Margins of
 * distances are in units of 2^-15, with an error of at most two units. Probabilities are in units
 * of 2^-15, sum to 32768, and have an error of at most 5e-4; the scores are overwritten. */
MARGIN_API int32_t margin_margin_q(unsigned scheme, size_t classes, const int32_t *scores,
                                   size_t label);
MARGIN_API uint16_t margin_elect_q(unsigned scheme, size_t classes, const int32_t *scores);
MARGIN_API uint16_t margin_decide_q(const margin_vote_q *vote, const int32_t *scores);
MARGIN_API void margin_probabilities_q(const margin_vote_q *vote, int32_t *scores, uint16_t *p);
MARGIN_API const margin_vote_q *margin_model_vote_q(const margin_model_q *model);

/* Runs the input stage of a model on d raw values. Stores the d results in `work` and returns
 * `work`. Without a stage it returns the raw values, and `work` may be NULL. */
MARGIN_API const int16_t *margin_prepare_q(const margin_stage_q *stage, size_t d, const int16_t *x,
                                           int16_t *work);
/* Converts real values to the int16_t that an integer model takes: (x - offset) * factor, rounded
 * and limited. A NaN becomes 0. */
MARGIN_API void margin_input_q(const margin_scaling *input, const margin_real *x, int16_t *out);
/* All in one: input stage (`work`: d values, or NULL if the model has none), scores, answer. */
MARGIN_API uint16_t margin_classify_q(const margin_model_q *model, const int16_t *x, int16_t *work,
                                      int32_t *scores);

/* Checks that a model keeps all promises that the predictors rely on, so that no input whatever
 * makes them overflow, shift too far or read beyond an array. Returns MARGIN_E_ARGUMENT if the
 * model is null or its vectors are not at a multiple of 4 bytes, and MARGIN_E_RANGE for any other
 * defect. Reads the whole model. Models from margin_quantize and from images have passed it
 * already. */
MARGIN_API margin_status margin_model_check_q(const margin_model_q *model);

/* An integer model and what belongs to it where there is floating point. */
typedef struct {
    margin_model_q model;
    margin_scaling input; /* from raw values to the input of the model, by margin_input_q; its d is
                             the number of features in any case */
    margin_real unit;     /* of the scores: multiply an integer score by it */
} margin_quant;

/* As margin_compare, for inputs in model units. */
MARGIN_API int margin_compare_q(const margin_model_q *model, const int16_t *x, const int16_t *z,
                                int32_t *scores);

/* ---- >>image ---- models as bytes, for files and updates over the air ------------------------ */

/* A model that arrives as bytes:
 *
 *     static union { uint32_t align; unsigned char bytes[4096]; } received;
 *     margin_real x[FEATURES], scores[SCORES];           // what your firmware has room for
 *     margin_model model;
 *     status = margin_image_open(received.bytes, size, &model);
 *     if (status != MARGIN_OK) { ... margin_status_text(status) says what is wrong ... }
 *     const margin_vote *vote = margin_model_vote(&model);
 *     if (model.kind == MARGIN_MODEL_EXPANSION && model.of.expansion.d == FEATURES &&
 *         margin_machines(vote->scheme, vote->classes) <= SCORES) {
 *         label = margin_classify(&model, x, scores);    // below vote->classes, or rejected
 *     }
 *
 * The comparison is necessary: a valid image may be of another shape than your firmware expects.
 * The features are of.linear.d, of.expansion.d, of.proto.d, of.list.pool.d or of.projected.d,
 * according to model.kind, and quant.input.d of integer models.
 *
 * If at least MARGIN_IMAGE_HEAD bytes have arrived, byte 7 tells which function to call: 0 means
 * margin_image_open, 15 and 7 mean margin_image_open_q; the wrong one returns MARGIN_E_IMAGE. For
 * integer models the code is
 *
 *     margin_stage_q stage;                                  // both live as long as the model
 *     margin_quant quant;
 *     if (margin_image_open_q(received.bytes, size, &stage, &quant) == MARGIN_OK) {
 *         const margin_vote_q *vote = margin_model_vote_q(&quant.model);
 *         ... compare; real values become int16_t by margin_input_q(&quant.input, ...) ...
 *         label = margin_classify_q(&quant.model, x, work, scores);      // work: features values
 *     }
 *
 * The checksum finds accidents, not forgery: verify a signature first if the channel is open. On
 * AVR define MARGIN_MODELS_IN_RAM.
 *
 * An image holds one model: 64 bytes of head, the model's arrays, and notes that the library does
 * not read (names of classes and features, how it was trained). Numbers are little-endian on every
 * machine, and floats are IEEE 754 binary32. All arrays start at multiples of 4 bytes; the gaps are
 * filled with zeros:
 *
 *    0  "mgn" 0x1A      4  u16 version, 1     6  u8 kind, MARGIN_MODEL_...   7  u8 format: 0, 15, 7
 *    8  u32 bytes of the image, notes included    12  u32 CRC-32 of all bytes but these four
 *   16  u32 n          20  u32 d      24  u16 classes   26  u16 width   28  u8 scheme
 *   29  u8 kernel kind 30  u8 degree  31  u8 1 if inputs are scaled + 8 if there is a curve
 *   32  f32 gamma      36  f32 coef0  40  f32 a    44  f32 reject  48  f32 slope  52  f32 shift
 *   56  u32 bytes of the notes        60  u16 rank of a projection, else 0   62  u16 include, 2^-15
 *   64  the arrays of margin_linear, margin_expansion, margin_proto and so on, in order
 *
 * Integer models, format MARGIN_Q15 or MARGIN_Q7, have instead
 *
 *   30  u8 power       31  u8 1 if there is an input stage + 2 if a conversion of real inputs
 *                          + 4 if the machines of a linear model have scales
 *                          + 8 if there is a curve
 *   32  u8 shift       33  u8 up      34  u8 down     35  u8 down of the vote
 *   36  u16 gain       38  u16 step   40  u32 cut, of poly i32 add     60  u32 reach
 *   44  i32 reject     48  i16 slope  52  i32 shift of the vote
 *   20  u16 d          22  u16 include
 *   50  u8 rank and 51  u8 down of a projection, else 0
 *   64  f32 unit       68  the arrays of margin_linear_q and so on, of the stage, and
 *                          offset and factor of margin_quant.input
 *
 * Prototypes have tangents as width and nth as degree, integer ones up and left at 32. Lists have
 * their cuts as width; arrays of the pool come first, then reach and target. What a kind has no
 * use for is 0. CRC-32 is the one of IEEE 802.3 (polynomial 0x04C11DB7, reflected). Reading an
 * image and writing it again gives the same bytes. */
#define MARGIN_IMAGE_VERSION 1
#define MARGIN_IMAGE_HEAD 64u

#ifndef MARGIN_REAL_DOUBLE
/* Opens a model whose arrays lie in the image itself. The image must stay where it is, at a
 * multiple of four bytes. `size` is what may be read; the image may be shorter. Everything is
 * checked before *model is written: lengths, checksum, counts, that all numbers are finite and in
 * range, thresholds in order; margin_model_check need not be called. MARGIN_E_ARGUMENT means that a
 * pointer is null or that the image is not at a multiple of four bytes; MARGIN_E_IMAGE to
 * MARGIN_E_IMAGE_VALUE tell what is wrong with the bytes. On big-endian machines the bytes of
 * numbers must be swapped in place: use margin_image_adopt there, once for an image, on writable
 * memory; elsewhere it is the same as margin_image_open.
 *
 * Integer models have functions of their own, so that neither kind drags in the other, and those
 * use no floating point. An input stage points to arrays, so it needs a place: *stage, which the
 * model points to, must live as long as the model. With MARGIN_REAL_DOUBLE there is only
 * margin_image_load. */
MARGIN_API margin_status margin_image_open(const void *image, size_t size, margin_model *model);
MARGIN_API margin_status margin_image_adopt(void *image, size_t size, margin_model *model);
MARGIN_API margin_status margin_image_open_q(const void *image, size_t size, margin_stage_q *stage,
                                             margin_quant *quant);
MARGIN_API margin_status margin_image_adopt_q(void *image, size_t size, margin_stage_q *stage,
                                              margin_quant *quant);
#endif
/* Copies the model into `mem`, in margin_real, whatever the machine and the alignment of the image,
 * which may be discarded afterwards. It is checked in the same way. The size query returns 0 for an
 * image whose head or checksum is refused. */
MARGIN_API margin_status margin_image_load(const void *image, size_t size, margin_arena *mem,
                                           margin_model *model);
MARGIN_API margin_status margin_image_load_q(const void *image, size_t size, margin_arena *mem,
                                             margin_quant *quant);
MARGIN_API size_t margin_image_load_size(const void *image, size_t size);
MARGIN_API size_t margin_image_load_size_q(const void *image, size_t size);
/* Returns where the notes of a checked image are; *count is their number of bytes. */
MARGIN_API const unsigned char *margin_image_notes(const void *image, size_t *count);
/* Checks that a model is whole. Returns MARGIN_E_ARGUMENT if it is null, and MARGIN_E_RANGE if
 * counts, kernel or class ends make no sense or a number is not finite. Reads all of it, but trusts
 * the squared lengths of the vectors. Not needed after margin_image_open and margin_image_load. */
MARGIN_API margin_status margin_model_check(const margin_model *model);

/* ================================================================================================
 * PART II TRAIN
 *
 * Data, trainers, what prepares models for devices, measures of quality, and at the end the tools:
 * scalar functions, random numbers and linear algebra. MARGIN_PREDICT_ONLY leaves out all of it.
 * ============================================================================================== */

#ifndef MARGIN_PREDICT_ONLY

/* ---- >>data ---- views on samples, checks, moments, scaling, splits -------------------------- */

/* n samples of d features. Sample i is row r = rows ? rows[i] : i of x; its label and weight are
 * y[r] and weight[r]. A subset of the data (a fold, two classes of ten) is the same view with
 * another `rows`; nothing is copied. */
typedef struct {
    const margin_real *x;      /* the rows, d values each, `stride` values apart */
    size_t n;                  /* samples */
    size_t d;                  /* features */
    size_t stride;             /* values from one row to the next; 0 means d */
    const uint16_t *y;         /* classes 0 .. k-1; with two classes, 1 is the positive one */
    const margin_real *weight; /* weight of each sample, >= 0; NULL means 1 for all */
    const margin_index *rows;  /* which rows, in which order; NULL means 0 .. n-1 */
} margin_data;

/* Checks a view before use: MARGIN_E_ARGUMENT (NULL, or a stride below d), MARGIN_E_EMPTY (n or d
 * is 0), MARGIN_E_OVERFLOW (n above MARGIN_INDEX_MAX, or a row whose end in bytes does not fit
 * size_t), MARGIN_E_NOT_FINITE (a NaN or an infinity in a row that the view uses), MARGIN_E_LABEL
 * (a weight negative or not finite, all weights zero, or their sum not finite). O(n d). The
 * functions below check their view in this way first (those on folds only its shape).
 * A view does not know how many rows x, y and weight have: the caller sees to it that `rows` names
 * only rows that exist. */
MARGIN_API margin_status margin_data_check(const margin_data *data);

/* The number of classes, 1 + the largest label in the view; MARGIN_E_ARGUMENT without labels. */
MARGIN_API margin_status margin_data_classes(const margin_data *data, size_t *classes);

/* Weighted mean and population covariance (divided by the weight, not by one less) of each class.
 *
 *     weight[c]             sum of the weights of class c             `classes` values
 *     mean[c * d + j]       its mean                                  classes * d values
 *     cov[(c*d + i)*d + j]  its covariance, symmetric to the bit      classes * d * d values
 *
 * With classes = 1 all samples are one class, whatever their labels.
 *
 * This takes one pass over the data after the check, by the updating formulas of Chan, Golub and
 * LeVeque in blocks of four samples, with compensated sums. Whatever n is and wherever the origin
 * lies, a mean has an error of one epsilon of itself plus a few epsilon of the deviation, and a
 * covariance one of a few epsilon of the product of the two deviations. O(n d^2 + n classes).
 * MARGIN_E_ARGUMENT: NULL, or classes = 0. MARGIN_E_LABEL: a label of `classes` or above, a bad
 * weight. MARGIN_E_ONE_CLASS: a class without a sample of positive weight. MARGIN_E_RANGE: the
 * largest difference of two values in a column is so large that n squares of it overflow. */
MARGIN_API size_t margin_data_moments_size(size_t d);
/* With a null `cov` only weights and means are computed; `mem` may then be null too, and
 * MARGIN_E_RANGE means that the difference of two values in a column overflows. */
MARGIN_API margin_status margin_data_moments(const margin_data *data, size_t classes,
                                             margin_arena *mem, margin_real *weight,
                                             margin_real *mean, margin_real *cov);

/* Kinds of scaling. */
enum {
    MARGIN_SCALE_STANDARD = 0, /* weighted mean 0, weighted population deviation 1 */
    MARGIN_SCALE_MINMAX,       /* smallest value 0, largest 1 (or a rounding less) */
    MARGIN_SCALE_NONE
};

/* Scales one row of scaling->d values; `out` may be `x`. Nothing is checked. */
MARGIN_API void margin_scaling_row(const margin_scaling *scaling, const margin_real *x,
                                   margin_real *out);

/* Fits a scaling to the samples of positive weight; its arrays are kept in `mem`. A constant
 * column becomes 0 (factor 0, offset 0). A column counts as constant if its largest difference is
 * at most two epsilon of its largest value, which rounding alone may cause, or is too small to
 * have a reciprocal. MARGIN_E_RANGE: the difference of two values of a column overflows. */
MARGIN_API size_t margin_scaling_fit_size(unsigned kind, size_t d);
MARGIN_API margin_status margin_scaling_fit(const margin_data *data, unsigned kind,
                                            margin_arena *mem, margin_scaling *scaling);

/* Scales the samples of a view into n rows at `out`, `stride` values apart (0 means d), in the
 * order of the view. MARGIN_E_RANGE when a scaled value would not be finite, before anything is
 * written. */
MARGIN_API margin_status margin_scaling_apply(const margin_scaling *scaling,
                                              const margin_data *data, margin_real *out,
                                              size_t stride);

typedef struct margin_rng margin_rng; /* a generator of random numbers, see >>random */

/* Draws folds for cross-validation: fold[i] in 0 .. folds-1 for sample i of the view (not of x), at
 * random, 2 <= folds <= n, folds <= 65535. The sizes of two folds differ by one sample at most. If
 * `stratified`, so do the numbers of samples of each class in them, which needs labels; otherwise
 * `mem` may be NULL. O(n); stratified O(n classes). The size query is for stratified folds. */
MARGIN_API size_t margin_folds_size(size_t n);
MARGIN_API margin_status margin_folds(const margin_data *data, size_t folds, bool stratified,
                                      margin_rng *rng, margin_arena *mem, uint16_t *fold);
/* Makes the two views of one fold: `test` has the samples of fold `which`, `train` has all others,
 * both in the order of `data`. Their row numbers are written to `rows`, an array of n entries that
 * the caller provides and that is not data->rows. MARGIN_E_EMPTY: one of the views would have no
 * samples. */
MARGIN_API margin_status margin_fold_views(const margin_data *data, const uint16_t *fold,
                                           size_t which, margin_index *rows, margin_data *train,
                                           margin_data *test);

/* ---- >>train ---- what all trainers share ---------------------------------------------------- */

/* All trainers have the same shape. Only methods that have a report take the last argument:
 *
 *     margin_status margin_TAG_train(const margin_data *data, const margin_TAG_options *options,
 *                                    margin_arena *mem, margin_model *model, margin_info *info
 *                                    [, margin_TAG_report *report]);
 *
 *   - `options` may be NULL. In an options struct zero always means the default. Where the number
 *     zero itself is a sensible choice beside a default, MARGIN_ZERO stands for it. A struct holds
 *     only options that have an effect on its method.
 *   - The model is kept in `mem`. Scratch is given back before the trainer returns, and a trainer
 *     that fails gives back everything. The result never depends on what the memory held before.
 *   - `info` may be NULL. It holds what all methods have in common. A method that has more to tell
 *     takes one more, last argument `margin_TAG_report *report`, which may be NULL as well.
 *   - A negative status means that there is no model. No output has been touched, apart from the
 *     report of rates, which says why rates are infeasible. Any other status comes with a model
 *     that margin_model_check accepts.
 *
 * Bytes of memory: margin_TAG_train_size(n, d, classes, options) is what margin_TAG_train takes of
 * an aligned buffer, to the byte; it returns 0 where the bytes do not fit size_t or an option is
 * out of its range. Every function that takes an arena has such a query, named after it, unless its
 * text names another one. MARGIN_TAG_BYTES(...) is the same number as a constant
 * expression for static buffers, plus the MARGIN_ALIGN - 1 bytes that a misaligned buffer may lose;
 * all of these macros stand in the last section of this file, >>bytes.
 *
 * Numbers in brackets, such as [2.2], are equations of the paper that a section cites. EPS is
 * FLT_EPSILON, or DBL_EPSILON with MARGIN_REAL_DOUBLE.
 *
 * With more than two classes one machine is trained for each pair of classes, or for each class
 * against the rest; `info` then holds sums over the machines (objective, gap, iterations) or the
 * worst of them (violation, converged). */

/* Kernel machines keep rows of the kernel matrix in the arena, within a budget of `cache` bytes:
 * from two rows (always, whatever the budget says) to all n of them. More is faster; the result is
 * the same to the bit. A budget of 0 means as much as helps, but no more than
 * MARGIN_CACHE_BYTES. */
#ifndef MARGIN_CACHE_BYTES
#if SIZE_MAX > 0xFFFFFFFFu
#define MARGIN_CACHE_BYTES ((size_t)256 << 20)
#elif SIZE_MAX > 0xFFFFu
#define MARGIN_CACHE_BYTES ((size_t)64 << 10)
#else
#define MARGIN_CACHE_BYTES ((size_t)1 << 10)
#endif
#endif

/* The number zero, in options where 0 means a default that is not zero. Trainers that take it
 * compare with it and replace it by 0. */
#ifdef MARGIN_REAL_DOUBLE
#define MARGIN_ZERO DBL_MIN
#else
#define MARGIN_ZERO FLT_MIN
#endif

/* How far a training has come. */
typedef struct {
    size_t iteration;      /* iterations done, over all machines */
    size_t machine;        /* which machine is being trained */
    size_t machines;       /* of how many */
    margin_real violation; /* of the optimality conditions now; training ends at or below `goal` */
    margin_real goal;
} margin_progress;

/* Called now and then during training. When it returns true, training stops with the status
 * MARGIN_W_STOPPED and the best model found so far. */
typedef bool (*margin_progress_fn)(void *user, const margin_progress *at);

typedef struct {
    margin_progress_fn progress; /*                              0: none                         */
    void *user;                  /* handed to progress                                           */
} margin_watch;

/* For oneclass and the intervals of svr, which leave folds out. Called before each training with
 * the samples that it will learn from: each time that a fold is left out, and last for the model
 * itself. It may change the values of all rows, those of samples left out too. A caller that scales
 * its samples does so here by the samples given: a scaling that knows the samples left out makes
 * them look less strange than new ones. */
typedef void (*margin_part_fn)(void *user, const margin_data *part);

/* Controls of the quadratic programmes of kmomd, svm, oneclass and svr. */
typedef struct {
    margin_real tol;       /* accuracy, see each trainer         0: 1e-3 in float, 1e-6 in double */
    size_t max_iterations; /* of each machine's solver           0: 100 n + 1 000 000            */
    size_t cache_bytes;    /* for kernel rows: any, same model   0: see MARGIN_CACHE_BYTES       */
    size_t rank;           /* see below                          0: none                         */
} margin_control;

/* rank: where a nonlinear kernel matrix has a low rank (poly of few features) and the bounds are
 * wide (large C, small lambda), training by pairs can take millions of steps. With a rank > 0 a
 * machine that is not done after 20 n steps approximates its kernel matrix by so many columns,
 * solves that problem by an interior-point method, and goes on from there: about n rank^2
 * operations and n rank numbers of memory. The optimum is the same. 200 suits a host. */

/* What all trainers report. Fields that a trainer does not mention are 0. */
typedef struct {
    margin_real objective;   /* as each trainer defines it */
    margin_real gap;         /* the objective is at most this far from the optimum */
    margin_real violation;   /* largest violation of the optimality conditions, in units of tol */
    size_t iterations;       /* steps of all solvers together */
    bool converged;          /* to the tolerance asked for; rates: or as far as rounding allows */
    size_t arena_peak;       /* most bytes that this call had taken from the arena */
    size_t support;          /* samples with a nonzero coefficient */
    margin_real bias;        /* of the first machine */
    margin_real margin_min;  /* smallest margin of the training samples, see margin_margin */
    margin_real margin_mean; /* their mean */
    margin_real margin_quantile[5]; /* 5, 25, 50, 75 and 95 % of them are at most this */
} margin_info;

/* A learner is whatever trains a margin_model: a function that trains on a view, keeps the model in
 * `mem` and gives its scratch back, as all trainers here do. Cross-validation and re-weighting take
 * one.
 *
 *     static margin_status train(void *user, const margin_data *data, margin_arena *mem,
 *                                margin_model *model)
 *     {
 *         return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
 *     }
 *     const size_t bytes = margin_svm_train_size(n - n / 5, d, classes, &options);
 *     margin_learner svm = {train, &options, bytes}; */
typedef margin_status (*margin_train_fn)(void *user, const margin_data *data, margin_arena *mem,
                                         margin_model *model);
typedef struct {
    margin_train_fn train;
    void *user;   /* handed to train */
    size_t bytes; /* of the arena that it takes for n - n / folds samples, model included */
} margin_learner;

/* ---- >>mam ---- maximal average margin, in closed form --------------------------------------- */

/* The w of length one whose margins y_i w.phi(x_i) have the largest average,
 *
 *     w = sum c_i phi(x_i) / lambda,   lambda = |sum c_i phi(x_i)|,
 *     c_i = y_i weight_i / (sum of all weights),
 *
 * and lambda is that average (Pelckmans, Suykens, De Moor: "A risk minimization principle for a
 * class of Parzen estimators", NIPS 2007; [5], [7]). The solution is a formula; nothing is
 * iterated. With a linear kernel training takes one pass over the data and memory for a few vectors
 * a class, whatever n is. With any other kernel it takes n^2 / 2 kernel values and the memory of
 * the model, which holds every sample.
 *
 * As in the paper the score is w.phi(x) with no intercept, which suits centred data and classes of
 * about one size (see margin_scaling). `intercept` puts the threshold midway between the mean
 * scores of the two classes. `balanced` gives both classes the same weight, c_i = y_i weight_i / (2
 * sum of the weights of its class): w then points from one class mean to the other, and lambda is
 * half their distance. Both together are kmomd at lambda = 1. */
typedef struct {
    margin_kernel kernel; /*                                                0: linear            */
    bool intercept;       /* threshold midway between the classes           0: the origin        */
    bool balanced;        /* classes weigh the same                         0: samples do        */
    uint8_t scheme;       /* of more than two classes, MARGIN_SCHEME_...    0: one-one           */
} margin_mam_options;

/* Bytes that margin_mam_train takes; for a linear kernel n does not matter. */
MARGIN_API size_t margin_mam_train_size(size_t n, size_t d, size_t classes,
                                        const margin_mam_options *options);
/* objective: lambda, the average margin of the training samples by their weights (the margins in
 * `info` contain the intercept, and count every sample of positive weight once). A status of its
 * own: MARGIN_E_NO_DIRECTION means that lambda is 0 or is lost in rounding, because it is at most 8
 * EPS times the root of the mean k(x, x) for a linear kernel, and 8 sqrt(EPS) times that root for
 * any other.
 *
 * With a linear kernel and without `info` the data is read once; NaN and infinities are found after
 * that pass, not before it. With `info` some five more passes compute the margins anew each time,
 * which selects the quantiles exactly and without memory. */
MARGIN_API margin_status margin_mam_train(const margin_data *data,
                                          const margin_mam_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info);

/* On-line: a linear model that learns and forgets one sample at a time, in O(d), for devices.
 *
 *     margin_mam_online on;
 *     margin_linear model;
 *     margin_mam_online_start(&on, d, 2, NULL, &mem);
 *     ... margin_mam_online_add(&on, x, label, 1); ...
 *     if (margin_mam_online_model(&on, &model) == MARGIN_OK) {
 *         margin_linear_scores(&model, x, scores);
 *     }
 *
 * It holds two numbers for each class and feature, a sum and what rounding took from it. The model
 * after samples were added has the bits of margin_mam_train on the same samples in the same order.
 * Samples may be forgotten in any order. N samples added or forgotten leave in each sum an error of
 * at most 2.4 N EPS^2 of the largest value it ever had: after a million in float 3.4e-8 of that. A
 * class whose last sample is forgotten begins anew, without any error. */
typedef struct {
    margin_real *w;      /* machines x d, the model's */
    margin_real *bias;   /* one per machine, the model's */
    margin_real *sum;    /* classes x (d + 2): sums of weight times features, 1 and |x|^2, */
    margin_real *low;    /* and what is to be added to them */
    margin_index *count; /* samples of positive weight in each class */
    margin_real *work;   /* d values or one per machine */
    margin_real longest; /* largest |x|^2 ever added, those since forgotten too */
    size_t d, machines;
    uint16_t classes;
    uint8_t scheme;
    bool intercept, balanced;
} margin_mam_online;

/* Bytes that the arrays of a margin_mam_online take, or 0 if they do not fit size_t. */
MARGIN_API size_t margin_mam_online_start_size(size_t d, size_t classes,
                                               const margin_mam_options *options);
/* Begins without samples; the arrays are kept in `mem`. MARGIN_E_ARGUMENT for a kernel that is not
 * linear, or less than two classes. */
MARGIN_API margin_status margin_mam_online_start(margin_mam_online *on, size_t d, size_t classes,
                                                 const margin_mam_options *options,
                                                 margin_arena *mem);
/* Adds a sample, or takes one back that was added before with the same values, label and weight;
 * that it was cannot be checked. A failure changes nothing: MARGIN_E_NOT_FINITE, MARGIN_E_LABEL
 * (label or weight out of its range), MARGIN_E_RANGE (a sum would overflow), MARGIN_E_EMPTY
 * (forgetting, but the class has no samples). */
MARGIN_API margin_status margin_mam_online_add(margin_mam_online *on, const margin_real *x,
                                               size_t label, margin_real weight);
MARGIN_API margin_status margin_mam_online_forget(margin_mam_online *on, const margin_real *x,
                                                  size_t label, margin_real weight);
/* Computes the model of the samples so far, in O(d) for each machine. Its weights lie in the
 * memory of `on`; only the next call of this function changes them. MARGIN_E_ONE_CLASS (a class
 * has no samples) or MARGIN_E_NO_DIRECTION leave the last model as it is. */
MARGIN_API margin_status margin_mam_online_model(margin_mam_online *on, margin_linear *model);

/* Certainty of prediction. With probability 1 - delta over the choice of n independent samples
 * (Theorem 2, [13], [14]),
 *
 *     P( y f(x) <= -rho )  <=  ( B - average + R + 3 B sqrt(2 ln(2/delta) / n) ) / (B + rho)
 *
 * for every -B < rho < B. With rho = |f(x)| it is a bound on how often a prediction as clear as
 * this one is wrong. It is loose: at delta = 0.05 it exceeds 1 on most real sets. To reject
 * predictions use |f| itself, calibrated on samples held out. */
typedef struct {
    margin_real average; /* mean of y f(x) over the samples: lambda for the paper's plain form */
    margin_real radius;  /* B: no |f(x)| is larger. Enlarge it if x longer than the samples occur */
    margin_real complexity; /* R: Rademacher's, of the functions that f was chosen from */
    size_t n;               /* samples */
} margin_mam_certainty;

/* Computes these for a binary model f = w.phi(x) + bias and the samples that it was trained on: B
 * = |w| max |phi(x)| + |bias| and R = |w| (2/n) sqrt(sum k(x, x)) + |bias| 2 / sqrt(n). For |w| =
 * 1 and no bias this is the paper's bound; otherwise it holds as if |w| and bias had been known
 * before the samples. `clipped` is Corollary 1 [15], for scores that have a unit of their own, as
 * those of the SVM: margins are limited to -1 .. 1, and B = 1. Weights of samples have no effect.
 * O(n) scores, and for an expansion of m vectors m^2 / 2 kernel values. MARGIN_E_ARGUMENT: more
 * than two classes, or hinge units, which are not linear in the features of a kernel;
 * MARGIN_E_LABEL: a label above 1. */
MARGIN_API margin_status margin_mam_certainty_of(const margin_data *data, const margin_model *model,
                                                 bool clipped, margin_mam_certainty *certainty);
/* Computes the same from the sums of the on-line form, for two classes and samples of weight one.
 * Average and R are those of the samples that it has now, B is that of all samples it ever had. The
 * model is brought up to date; statuses are those of margin_mam_online_model. */
MARGIN_API margin_status margin_mam_online_certainty(margin_mam_online *on,
                                                     margin_mam_certainty *certainty);
/* Returns the bound, which is never more than 1. It is 1 for a delta outside (0, 1), for rho <= -B
 * and for NaN. A rho above B counts as B. */
MARGIN_API margin_real margin_mam_bound(const margin_mam_certainty *certainty, margin_real rho,
                                        margin_real delta);

/* ---- >>kmomd ---- margin distribution: between the hard margin and the difference of means --- */

/* Weights g >= 0 that sum to one over each class minimise  (1-lambda) |v|^2 + lambda |g|^2,  where
 * v = sum y_i g_i phi(x_i)  (Aiolli, Da San Martino, Sperduti: "A kernel method for the
 * optimization of the margin distribution"). lambda near 1 maximises the average margin, near 0
 * the smallest. The score is the signed distance  v/|v| . phi(x) - theta  from the plane midway
 * between the two weighted means. `tol` is relative: training ends when, in each class, the
 * gradients of all samples with weight are within tol times the objective of the smallest. */
typedef struct {
    margin_kernel kernel; /*                                                0: linear            */
    margin_real lambda;   /* 0 < lambda <= 1                                0: 0.1               */
    bool hard_margin;     /* the hard-margin SVM, as with a lambda of exactly 0                  */
    uint8_t scheme;       /* of more than two classes, MARGIN_SCHEME_...    0: one-one           */
    margin_control run;
    margin_watch watch;
} margin_kmomd_options;

/* All values are those of the first machine. */
typedef struct {
    margin_real game_value; /* |v|, the value of the game */
    margin_real entropy;    /* normalised entropy of the weights, 0 .. 1 */
} margin_kmomd_report;

/* Bytes that margin_kmomd_train takes. */
MARGIN_API size_t margin_kmomd_train_size(size_t n, size_t d, size_t classes,
                                          const margin_kmomd_options *options);
/* objective: (1-lambda)|v|^2 + lambda |g|^2. Statuses of its own: MARGIN_E_NOT_SEPARABLE (hard
 * margin: the hulls of the classes meet), MARGIN_E_NO_DIRECTION (v = 0, the weighted means
 * coincide). */
MARGIN_API margin_status margin_kmomd_train(const margin_data *data,
                                            const margin_kmomd_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_kmomd_report *report);

/* ---- >>svm ---- soft-margin support vector machine ------------------------------------------- */

/* Minimises  1/2 a'Qa - sum a  over  0 <= a_i <= C_i,  sum y_i a_i = 0,  with
 * Q_ij = y_i y_j k(x_i, x_j). C_i is the C of the sample's class times its weight. The score is
 * sum y_i a_i k(x_i, x) + bias. `tol` is LIBSVM's: the largest violation of the optimality
 * conditions, in units of the margin.
 *
 * With nu there is no C. nu is the share of the samples that may fall short of the margin: at least
 * the share of margin errors and at most the share of support vectors. The trainer minimises
 * 1/2 a'Qa  over  0 <= a_i <= weight_i,  sum a = nu times the sum of the weights,  sum y_i a_i = 0,
 * and then divides score and a by the margin. Training ends when no optimality condition of this
 * programme is violated by more than `tol`, which is LIBSVM's where the largest k(x, x) is 1. The
 * limit is kept between 1 and 64 times that of kmomd, tol times the objective for weights that sum
 * to 2. */
typedef struct {
    margin_kernel kernel; /*                                                0: linear            */
    margin_real c;        /* C, the cost of margin errors, > 0              0: 1                 */
    margin_real c_pos;    /* for samples of the positive class              0: c                 */
    margin_real c_neg;    /* for the others                                 0: c                 */
    margin_real nu;       /* the nu-SVM instead, 0 < nu <= 1                0: C                 */
    bool hard_margin;     /* an infinite C                                                       */
    bool bounds;          /* compute c0 and c1 of the report, which takes another training       */
    uint8_t scheme;       /* of more than two classes, MARGIN_SCHEME_...    0: one-one           */
    margin_control run;
    margin_watch watch;
} margin_svm_options;

typedef struct {
    margin_real nu; /* of the nu-SVM with the same solution as the first machine */
    margin_real c0; /* with `bounds`: a lower end for a search over C, the least of all machines */
    margin_real c1; /* and a first guess at C, the largest of them; 0: the classes overlap */
} margin_svm_report;

/* Bytes that margin_svm_train takes, as many as margin_kmomd_train. */
MARGIN_API size_t margin_svm_train_size(size_t n, size_t d, size_t classes,
                                        const margin_svm_options *options);
/* objective: 1/2 a'Qa - sum a; with nu 1/2 a'Qa. Statuses of its own: MARGIN_E_NOT_SEPARABLE (hard
 * margin); MARGIN_E_INFEASIBLE (nu is above twice the share of the smaller class, or so small that
 * no margin is left).
 *
 * With `bounds`, c0 = 4 / (Z D) is a lower bound for C, where Z is the length of the longest phi(x)
 * and D the largest distance between two samples of opposite classes. c1 = 4 n / (z d) is a first
 * guess at C, in the paper within 2^5 of the best one, where d is the distance between the hulls of
 * the two classes and z the least |phi(x)| along it; c1 is 0 if the hulls meet. Both are the C of
 * |w|^2 + C times the mean loss (Weizsaecker, Fuernkranz: "Margin driven separate and conquer",
 * 4.1). */
MARGIN_API margin_status margin_svm_train(const margin_data *data,
                                          const margin_svm_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info,
                                          margin_svm_report *report);

/* ---- >>rates ---- error rates given in advance ----------------------------------------------- */

/* "At most 5 % missed alarms, at most 20 % false ones": a machine of two classes that takes exactly
 * these two numbers. Class 1 is the positive one: eta_pos bounds the share of class 1 that is
 * missed, eta_neg the share of class 0 that is taken for class 1. Suppose that all we know of each
 * class is its mean m and its covariance S. Then a sample of the positive class is taken for a
 * negative one with a probability of at most eta_pos, and a sample of the negative class for a
 * positive one with at most eta_neg, whatever the distributions are, if
 *
 *     w.m_pos - b >= 1 + k_pos sqrt(w'S_pos w),   b - w.m_neg >= 1 + k_neg sqrt(w'S_neg w)  [3.14]
 *     k = sqrt((1 - eta) / eta) + nu
 *
 * (Chebyshev and Cantelli). Of all such w.x - b the trainer finds the one of least |w|, to the
 * duality gap in `info`, or shows that there is none (Saketha Nath, Bhattacharyya: "Maximum margin
 * classifiers with specified false positive and false negative error rates", SDM 2007).
 *
 *     // n, d and solver; for other kernels see MARGIN_RATES_KERNEL_BYTES in >>bytes.
 *     static unsigned char bytes[MARGIN_RATES_LINEAR_BYTES(200, 12, MARGIN_RATES_FAST)];
 *     margin_arena mem = margin_arena_make(bytes, sizeof bytes);
 *     const margin_data data = {x, 200, 12, 0, y, NULL, NULL}; // y: 0 or 1; equal weights
 *     margin_rates_report report;
 *     margin_rates_options o = {0};
 *     o.eta_pos = 0.05f;
 *     o.eta_neg = 0.2f;
 *     status = margin_rates_train(&data, &o, &mem, &model, NULL, &report);
 *     if (status == MARGIN_E_INFEASIBLE) {
 *         ... rates above report.eta_pos_touch and report.eta_neg_touch are possible ...
 *     } else if (status >= 0) {
 *         label = margin_classify(&model, sample, &score);
 *     }
 *
 * THE BOUND HOLDS FOR THE TRUE MOMENTS. Those of a sample are estimates, and poor ones where
 * samples are few. So compare the rates that you asked for with report.error_pos and error_neg, and
 * with the errors on data that training has not seen (margin_confusion). Two options allow for the
 * difference. With nu the bound holds for every mean within nu standard deviations, |S^-1/2 (m -
 * true m)| <= nu. With a ridge it holds for every covariance that differs by a matrix of norm up to
 * the ridge (Lanckriet, El Ghaoui, Bhattacharyya, Jordan: "A robust minimax approach to
 * classification", JMLR 3, 2003, section 5).
 *
 * Means and covariances are those of the weighted samples (population covariances), in the space of
 * the kernel, or you give them yourself (margin_rates_moments). There are two solvers. `fast` works
 * with at most 40 Cholesky factors of the covariances, or of the kernel matrix, however
 * ill-conditioned these are. `iter` is the algorithm of the paper, due to Lin and Han: spheres roll
 * inside the two ellipsoids towards each other. It needs positive definite covariances and so, with
 * a nonlinear kernel, a ridge. It is quick where the covariances are well-conditioned and hopeless
 * where they are not. */
enum { MARGIN_RATES_FAST = 0, MARGIN_RATES_ITER = 1 };

/* What is known of a pair of rates. It is filled in on MARGIN_E_INFEASIBLE too. */
typedef struct {
    bool feasible;      /* the rates can be reached: p_star < 1 */
    margin_real p_star; /* least k_pos sqrt(w'S_pos w) + k_neg sqrt(w'S_neg w) of all w with
                           w.(m_pos - m_neg) = 1; scaling the features does not change it */
    margin_real touch;  /* 1 / p_star, at most the largest number. With both k times this factor
                           the ellipsoids of k deviations around the two means touch */
    margin_real eta_pos_touch; /* the rates that belong to these k: every pair in which both */
    margin_real eta_neg_touch; /* rates are larger is possible */
    margin_real kappa_pos, kappa_neg;   /* k as above, nu included */
    margin_real slack_pos, slack_neg;   /* left side minus right side of [3.14]: 0 up to rounding */
    margin_real spread_pos, spread_neg; /* sqrt(w'S w); 0 where all samples of a class score */
                                        /* alike */
    margin_real error_pos, error_neg;   /* shares of wrong answers to the training samples, by */
                                        /* weight */
    margin_real condition_pos, condition_neg; /* of the covariances with ridge; 0: singular */
    margin_real ridge;                        /* as it was used */
    size_t rank;           /* dimensions of the space of w: the features, or, by products of the */
                           /* samples (kernels, n <= d), what those span */
    size_t factorisations; /* Cholesky factors that were computed */
} margin_rates_report;

typedef struct {
    margin_kernel kernel;  /*                                                0: linear            */
    margin_real eta_pos;   /* largest error on the positive class, 0 < eta <= 1      0: 0.5       */
    margin_real eta_neg;   /* and on the negative class                              0: 0.5       */
    margin_real nu_pos;    /* allowance for the mean of the positive class, >= 0     0: none      */
    margin_real nu_neg;    /* and of the negative class                              0: none      */
    margin_real ridge;     /* added to the diagonals of the covariances, >= 0        0: none; for */
                           /* iter with singular covariances as little as makes them regular      */
    uint8_t solver;        /* MARGIN_RATES_...                                       0: fast      */
    margin_real tol;       /* duality gap of 1/|w|, relative            0: 1e-12, 1e-6 in float   */
                           /* of iter the angle at the touching points  0: 1e-6, 1e-3 in float    */
    size_t max_iterations; /* of iter                                  0: 20 000                 */
    margin_watch watch;
} margin_rates_options;

/* Bytes that margin_rates_train takes. `classes` is 2. */
MARGIN_API size_t margin_rates_train_size(size_t n, size_t d, size_t classes,
                                          const margin_rates_options *options);
/* objective: 1/2 |w|^2, for kernels in their space; gap: it is at most this far above the optimum;
 * violation: |w - (m_pos - m_neg - k_pos S_pos w / s_pos - k_neg S_neg w / s_neg) |w|^2/2| / |w|,
 * the stationarity of the Lagrangian (where s is 0, with the subgradient that was found in the
 * place of S w / s); iterations: factorisations, or steps of iter. Cost: a linear kernel
 * one pass over the data, n d^2 / 2, and about 8 factors of d^3 / 6 products; any other, and a
 * linear one where n <= d, n^2 d / 2 + 8 n^3 / 6, near singular kernel matrices up to 40 n^3 / 6.
 *
 * Statuses of its own: MARGIN_E_INFEASIBLE, the ellipsoids meet (p_star >= 1);
 * MARGIN_E_NO_DIRECTION, the means coincide up to rounding; MARGIN_E_TWO_CLASSES, there are more;
 * MARGIN_E_NOT_POSITIVE, the kernel is not positive semi-definite; MARGIN_W_ITERATIONS, the gap or
 * the angle asked for was not reached (the model keeps to the rates, but |w| may be too large: see
 * the gap); MARGIN_E_NO_CONVERGENCE, the margin is lost in rounding and |w| would be too large to
 * be of use; MARGIN_E_RANGE, squares of the values overflow or vanish. */
MARGIN_API margin_status margin_rates_train(const margin_data *data,
                                            const margin_rates_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_rates_report *report);

/* Which rates are possible? For each of `count` wanted rates eta_pos[i] on the positive class this
 * computes the least rate eta_neg[i] on the negative class; every larger one is possible. A result
 * of 1 means that no rate below 1 is possible. A result of 0 means that any rate is possible: the
 * samples of the negative class can all be given the same score. With eta_pos from 1 down to 0.01
 * this is the whole frontier. Of the options, kernel, nu and ridge have an effect. The function
 * takes margin_rates_train_size bytes and gives them back, and computes about six factors for each
 * rate. MARGIN_E_ARGUMENT: a rate is outside 0 < eta_pos <= 1. Other statuses are those of
 * margin_rates_train. */
MARGIN_API margin_status margin_rates_frontier(const margin_data *data,
                                               const margin_rates_options *options,
                                               margin_arena *mem, const margin_real *eta_pos,
                                               margin_real *eta_neg, size_t count);

/* Training from means and covariances of your own, in the form in which margin_data_moments gives
 * them. Class 0 is the negative one and class 1 the positive one. Only the diagonals of the
 * covariances and what lies below them are read. The model is linear, and another kernel is an
 * argument error. MARGIN_E_NOT_POSITIVE: a covariance is not positive semi-definite. All that the
 * report and `info` say about samples is 0. */
typedef struct {
    const margin_real *mean; /* 2 x d */
    const margin_real *cov;  /* 2 x d x d */
    size_t d;
} margin_rates_moments;

MARGIN_API size_t margin_rates_train_moments_size(size_t d, const margin_rates_options *options);
MARGIN_API margin_status margin_rates_train_moments(const margin_rates_moments *moments,
                                                    const margin_rates_options *options,
                                                    margin_arena *mem, margin_model *model,
                                                    margin_info *info, margin_rates_report *report);

/* ---- >>loss ---- margin losses made of pieces, smoothed, and machines trained by them -------- */

/* A loss is a function of the margin m = y f(x), put together from pieces, each a polynomial of
 * degree two at most (Weizsaecker, Fuernkranz: "Margin driven separate and conquer by asymmetric
 * loss functions", 2011, section 3). It may jump, fall and rise; its numbers must be finite, and
 * that is all.
 *
 *     static const margin_piece ramp[] = {       the loss min(1, max(0, 1 - m)):
 *         {0, 0, 1, 0, 0},                       1 below 0,
 *         {1, 1, 0, -1, 0},                      -(m - 1) from 0 to 1,
 *         {0, 0, 0, 0, 0}};                      0 from there on; the last piece has no end
 *     const margin_loss loss = {ramp, 3};
 *
 * Smoothing by a width s is the mean of the loss at m + s t over the normal distribution of t; it
 * has all derivatives, and is known in closed form. */
typedef struct {
    margin_real end; /* the piece holds for margins below this, from the end of the one before; */
                     /* the first begins at -infinity, and the end of the last has no effect */
    margin_real at;  /* the loss is c0 + c1 (m - at) + c2 (m - at)^2 */
    margin_real c0, c1, c2;
} margin_piece;

typedef struct {
    const margin_piece *pieces; /* ascending ends */
    size_t count;               /* at least 1 */
} margin_loss;

/* Well-known losses. */
enum {
    MARGIN_LOSS_HINGE = 0, /* max(0, 1 - m): the support vector machine's */
    MARGIN_LOSS_RAMP,      /* min(1, max(0, 1 - m)): no sample counts more than 1 */
    MARGIN_LOSS_SQUARED,   /* max(0, 1 - m)^2 */
    MARGIN_LOSS_STEPS,     /* 1 below 0, 0 from 1 on, an S of two parabolas between */
    MARGIN_LOSS_ERROR      /* 1 below 0, 0 from 0 on: counts errors; of use smoothed only */
};
/* Returns one of these losses; for an unknown number, the hinge loss. */
MARGIN_API margin_loss margin_loss_named(unsigned name);

/* Computes the loss and its first and second derivative at m, smoothed by `width` >= 0. A width of
 * 0 means no smoothing; at an end between two pieces the piece on the right then counts. The loss
 * must have at least one piece, finite numbers and ascending ends; trainers check that. It takes a
 * few dozen operations and an exponential for each end within 40 widths of m (float: 15). Each of
 * the three numbers is the value of the piece at m plus one term for each end, which falls with
 * the distance of the end like a normal density. The absolute error is a few EPS of the largest of
 * these terms, at any width. Where the loss is 0 around m, far in the tails, the relative error of
 * the tiny results is a few hundred EPS. */
MARGIN_API void margin_loss_at(const margin_loss *loss, margin_real m, margin_real width,
                               margin_real out[3]);

/* A machine for any such loss: minimises
 *
 *     |g|^2 + C sum over classes of 1/n_class sum over its samples of L_class(y_i f(x_i)),
 *
 * where f = g + bias, g is a function in the space of the kernel, the bias is not penalised, and
 * each sample counts by its weight [2.2]. The loss may have many local minima.
 * As in section 3 the objective is smoothed by Gaussian noise of deviation sigma in its arguments;
 * its minima are followed as sigma falls, each step starting from the minimum before, the first
 * from a random point (several of them: the best is kept). Works in coordinates in which the kernel
 * matrix is the identity, without eigenvalues below 2^(mean log2 of them + cut_off) [4.5]: n^2
 * numbers of memory and about 6 n^3 operations to begin with, and some n^2 for each step after
 * that. With a linear kernel, samples that are more than 64 times as far from the origin as from
 * their mean are measured from the mean: raw counts far from zero are no harder than others. */
typedef struct {
    const margin_real *sigma;   /* falling widths (the last may be 0), and  */
    const uint16_t *iterations; /* steps at each of them at most,           */
    size_t count;               /* the length of both arrays            0: see the trainer     */
    margin_real cut_off;        /* exponent in the formula above        0: -4                  */
    margin_real range;          /* starts lie in [-range, range]^dimensions     0: 8           */
    bool all;                   /* keep all eigenvalues that are not rounding, no cut_off      */
} margin_smoothing;

typedef struct {
    margin_kernel kernel;        /*                                    0: linear                */
    margin_real c;               /* C, > 0                             0: 256                   */
    const margin_loss *loss;     /* of samples of both classes         0: hinge                 */
    const margin_loss *loss_pos; /* of the positive class alone        0: loss                  */
    const margin_loss *loss_neg; /* of the others                      0: loss                  */
    margin_smoothing smoothing;  /* widths 1, 1/2 .. 2^-9 with 50 steps at each, 500 at the last */
    size_t starts;               /*                                    0: 4                     */
    uint32_t seed;               /* of the starts                                               */
    uint8_t scheme;              /* of more than two classes           0: one-one               */
    margin_real tol;             /* of the gradient, relative to the first   0: 1e-3, double 1e-6 */
    margin_watch watch;
} margin_loss_options;

/* Bytes that margin_loss_train takes. */
MARGIN_API size_t margin_loss_train_size(size_t n, size_t d, size_t classes,
                                         const margin_loss_options *options);
/* objective: the sum above, not smoothed. Because it may have many minima, `converged` does not
 * mean that the least one was found, only that the best start came to the end of its schedule
 * within its iterations; if it did not, the status is MARGIN_W_ITERATIONS. Coefficients are dense:
 * a kernel model holds every sample. Statuses of its own: MARGIN_E_NO_DIRECTION, all kernel values
 * are 0; MARGIN_E_RANGE, they overflow. */
MARGIN_API margin_status margin_loss_train(const margin_data *data,
                                           const margin_loss_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info);

/* ---- >>seco ---- separate and conquer: a list of one-sided cuts ------------------------------ */

/* Where one kernel is too weak for one machine, several simple ones in a row may do: each cut takes
 * a part of the samples away, nearly all of one class (its sign), and leaves the rest to the next;
 * what remains goes to an ordinary support vector machine. The paper: Weizsaecker, Fuernkranz,
 * "Margin driven separate and conquer by asymmetric loss functions", 2011. Two classes; data should
 * be standardised (see margin_scaling); the paper's kernels are the unit ones.
 *
 *     margin_seco_options options = {0};
 *     options.kernel.kind = MARGIN_KERNEL_UNIT_POLY;
 *     options.kernel.a = 1;
 *     status = margin_seco_train(&data, &options, &mem, &model, &info, &report);
 *     margin_classify(&model, x, &score);     report.cut[0].sign, report.cut[0].covered ...
 *
 * In each round margin_loss_train makes candidates for a cut: the ramp is the loss of the cut's own
 * class, and the hinge that of the class that it must not touch. There is a candidate for each
 * start, each C and each weight of the cut's own class. The round keeps the candidate with the
 * fewest errors, its own plus the cross-validated errors of a support vector machine on the samples
 * that it leaves [2.12]. The next round goes on with those samples. Cutting ends when the best
 * candidate covers too little, when too few samples are left of a class, or when one machine does
 * well enough on what is left. That is the list of the paper, and the option `greedy` gives it. It
 * is often worse than one machine, because what cuts leave is harder than the whole (section 4.6).
 * So by default lists are cross-validated as a whole, at every length, on samples that had no part
 * in building them, in up to five divisions of the samples. If lists of the best length beat one
 * machine by two standard errors, the list has as many cuts; otherwise it has none, and is that one
 * machine. For all other options zero means the value of the paper, with one exception: lists that
 * are not greedy have 32 candidates a cut instead of 192. They try half of the C and one weight,
 * and cross-validate only the four most promising candidates. More candidates made no better lists
 * on the paper's data; see the table of `make papers`. If none of the 32 is usable and one machine
 * errs on more than a third, on all samples and on those that are left, more starts follow, up to
 * 192 candidates. All C are powers of two and count as in the paper, |g|^2 + C times mean losses;
 * in the units of >>svm the C of the machine at the end is C / n for n samples.
 *
 * Training needs memory for 3 n^2 numbers and one vector for each candidate. It takes the time of
 * `folds` + 1 lists where one division is clear, of five times as many where it is not, and of one
 * list with `greedy`. */
typedef struct {
    margin_kernel kernel;       /*                                     0: linear                */
    int8_t c_first, c_last;     /* log2 of C of the candidates         0, 0: 8 .. 15            */
    int8_t svm_first, svm_last; /* log2 of C of the last machine       0, 0: 4 .. 16            */
    const margin_real *weights; /* of the ramp, C+                     0: 1, or 1/2, 1, 2       */
    size_t weight_count;        /* of them                                                      */
    size_t starts;              /* for each sign, C and weight         0: 4                     */
    const margin_loss *target;  /* loss of the class of the sign       0: ramp                  */
    const margin_loss *other;   /* and of the other class              0: hinge                 */
    margin_smoothing smoothing; /* widths 1, 2^-3, 2^-6, 2^-9 with 2, 4, 10 and 200 steps       */
    margin_real coverage;       /* least share of samples a cut takes  0: 1/16                  */
    size_t left;                /* samples of each class it leaves     0: 32                    */
    margin_real easy;           /* error at which cutting ends         0: 1/32                  */
    size_t most;                /* cuts, at most 15                    0: 15                    */
    size_t folds;               /* of the cross-validations            0: 4                     */
    size_t assess;              /* candidates to cross-validate        0: 4, or all of 192      */
    bool greedy;                /* all cuts of the paper, not only those that are admitted      */
    bool cheap;                 /* with `greedy`: 32 candidates a cut too                       */
    bool bounds;                /* compute c0 and c1 of the report, see margin_svm_report       */
    uint32_t seed;              /* of starts and folds                                          */
    margin_real tol;            /* of the machines                     0: 1e-3, double 1e-6     */
    size_t max_iterations;      /* of each machine         0: 100 n + 1 000 000                 */
    margin_watch watch;
} margin_seco_options;

/* What a decision list does with samples whose classes are known, and what it costs. */
typedef struct {
    size_t samples;
    size_t decided[MARGIN_LIST_MOST]; /* by each cut, the last machine included, */
    size_t wrong[MARGIN_LIST_MOST];   /* and wrongly */
    margin_real error;                /* share of wrong answers; */
    margin_real fraction_cut;         /* share of the samples that cuts decided, */
    margin_real error_cut;            /* and share of them that they decided wrongly; */
    margin_real fraction_left;        /* the same of the last machine */
    margin_real error_left;
    margin_real cost; /* mean number of kernel values that a decision takes */
} margin_list_table;
/* Fills in such a table. Weights have no effect. MARGIN_E_TWO_CLASSES: there is a label above 1;
 * MARGIN_E_ARGUMENT: the model has another number of features. */
MARGIN_API margin_status margin_list_assess(const margin_data *data, const margin_list *model,
                                            margin_list_table *table);

/* Why there are no more cuts. */
enum {
    MARGIN_SECO_EASY = 1,    /* one machine does well enough on what is left */
    MARGIN_SECO_FEW = 2,     /* too few samples are left of a class */
    MARGIN_SECO_NO_CUT = 3,  /* no candidate covers enough and leaves enough */
    MARGIN_SECO_NO_GAIN = 4, /* longer lists are not better, cross-validated; not with `greedy` */
    MARGIN_SECO_MOST = 5,    /* as many as there may be */
    MARGIN_SECO_STOPPED = 6  /* by the progress callback */
};

/* One cut, on the training samples that the cuts before it have left. */
typedef struct {
    int8_t sign;           /* +1: it decides for class 1, -1: for class 0 */
    size_t asked;          /* samples that the cuts before it left, */
    size_t covered;        /* those of them that it decided, */
    size_t wrong;          /* and those of these that belong to the other class */
    margin_real margin;    /* 1 / |g|: distance from the plane to the samples at f = 1 */
    margin_real c, weight; /* C and C+ of the candidate */
    margin_real estimate;  /* it had the least expected error on these samples, this one [2.12] */
} margin_seco_cut;

typedef struct {
    size_t cuts;
    uint8_t end; /* MARGIN_SECO_...: why it ended */
    margin_seco_cut cut[MARGIN_LIST_MOST];
    size_t candidates;                    /* made in all rounds, */
    size_t runaways;                      /* of them without any sample on one of their sides, */
    size_t assessed;                      /* and cross-validated, at least in part */
    size_t left;                          /* training samples that come to the machine at the end */
    margin_real plain_error;              /* cross-validated error of one machine on all samples, */
    margin_real left_error;               /* and of the machine at the end on the samples left */
    margin_real left_c;                   /* its C, as counted here */
    margin_real nested[MARGIN_LIST_MOST]; /* cross-validated error of lists of 0, 1, ... cuts, */
    size_t divisions;        /* over so many divisions of the samples: 0 if `greedy`, and where
                                there can be no cut */
    margin_list_table table; /* the list on the training samples */
    margin_real c0, c1;      /* with `bounds`, as in margin_svm_report */
} margin_seco_report;

/* Bytes that margin_seco_train takes. */
MARGIN_API size_t margin_seco_train_size(size_t n, size_t d, size_t classes,
                                         const margin_seco_options *options);
/* The model is a margin_list. With a linear kernel, and with unit-poly of a = 1, each cut is one
 * vector. With other kernels the cuts share one pool; if some of the vectors suffice to give the
 * same scores to a hundredth of the margin, the pool has only these. In margin_progress `machine`
 * is the number of cuts so far, `iteration` counts candidates. A stop keeps the cuts there are and
 * still trains the machine at the end. MARGIN_W_NO_CUT: the list has no cut although one machine
 * does not do well: too few samples, no candidate that covers enough, or none that is admitted;
 * MARGIN_E_TWO_CLASSES: there are more. */
MARGIN_API margin_status margin_seco_train(const margin_data *data,
                                           const margin_seco_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info,
                                           margin_seco_report *report);

/* ---- >>proto ---- few strong prototypes a class, and re-weighting for margins ---------------- */

/* A class is described by a few models. A model is a typical sample, the centroid, together with
 * the directions in which samples of the class usually differ from it, the tangents. An input
 * belongs to the class of the nearest model, and movements along the tangents of a model do not
 * count. Ten digits fit into two kilobytes: one centroid and two tangents a class, in int8_t.
 *
 *     margin_proto_options options = {0};
 *     options.tangents = 5;
 *     margin_proto_train(&data, &options, &mem, &model, NULL, NULL);     // tvq
 *     margin_proto_find(&model.of.proto, x, &found);     // found.label, .second, .margin
 *
 * Equations and figures are those of Aiolli, Sperduti: "A re-weighting strategy for improving
 * margins", Artificial Intelligence 137, 2002. The methods:
 *
 *   MARGIN_PROTO_TVQ    The margin of a sample is (z' - z) / (z' + z), where z is its distance to
 *                       the nearest model of its class and z' that to the nearest model of another
 *                       class. Gradient steps raise the margins, and samples whose margin is below
 *                       theta count more and more (fig. 2). Without tangents this is learning
 *                       vector quantisation with re-weighting.
 *   MARGIN_PROTO_HSS    The models of a class are its mean and the leading eigenvectors of its
 *                       covariance [10]. The other classes play no part (Hastie, Simard, Saeckinger
 *                       1995, one-sided).
 *   MARGIN_PROTO_LVQ    LVQ2.1 (Kohonen). The codebooks start from k-means. Where a sample lies
 *                       between its two nearest codebooks and just one of them is of its class,
 *                       that one is moved towards the sample and the other one away from it. No
 *                       tangents.
 *   MARGIN_PROTO_OLVQ1  LVQ1 with a rate for each codebook that falls as fast as is optimal.
 *   MARGIN_PROTO_TD     Each class has one discriminant tangent model. Gradient descent lowers the
 *                       squared error of sigmoids of the distances, and the tangents are added one
 *                       after another (after Sona, Sperduti, Starita: "Discriminant pattern
 *                       recognition using transformation-invariant neurons", Neural Computation 12,
 *                       2000).
 *   MARGIN_PROTO_NN     k nearest neighbours among the samples themselves, or among a condensed set
 *                       of them. A class is as near as its sample number (k + 1) / 2 in the order
 *                       of distance. With two classes and an odd k this is the vote of the k
 *                       nearest samples; with more classes it elects the one that first has (k + 1)
 *                       / 2 samples.
 *
 * How training ends. tvq and td pass over the samples again and again, in random order, and take a
 * step after every mini-batch of up to 128 of them. lvq moves codebooks sample by sample. All three
 * halve their rate when passes make no progress, and end when the rate has come down to a 64th of
 * the first. They have then converged. A run that reaches max_iterations before that returns
 * MARGIN_W_ITERATIONS. With a `rate`, tvq and td take the steps of fig. 2 instead: that rate,
 * gradients over all samples.
 *
 * The order of the rows has no influence. Where a method draws random numbers, or chooses among
 * equally good samples, the samples are first put into an order that depends on their values alone,
 * so the same seed gives the same bits for every permutation of the rows.
 *
 * Two-sided hss (Hastie, Simard, Saeckinger) is for samples with tangents that are known
 * beforehand, such as what a small shift or a rotation does to a picture. Samples are free to move
 * along these, and the models need fewer tangents for what remains. Give the tangents of the
 * samples as `sides`, for hss and for methods that start from it. Such models are meant for
 * margin_proto_two_sided, where the tangents of the input can be afforded; with the one-sided
 * distances of the predictors they make more errors than one-sided models do.
 *
 * Special cases. A class with too few samples for the tangents asked for has rows of zeros instead;
 * these cost time but change nothing. At most d - 1 tangents are used, because d of them would span
 * the whole space and every distance would be 0. A class whose samples are all alike has a centroid
 * and no tangents. */
enum {
    MARGIN_PROTO_TVQ = 0,
    MARGIN_PROTO_HSS,
    MARGIN_PROTO_LVQ,
    MARGIN_PROTO_OLVQ1,
    MARGIN_PROTO_TD,
    MARGIN_PROTO_NN
};

#define MARGIN_PROTO_SIDES 8u /* tangents of a sample, at most */

/* Where tvq starts from. */
enum {
    MARGIN_START_HSS = 0,   /* hss; several models a class from random weights of the samples */
    MARGIN_START_CLUSTERS,  /* hss of each of the clusters that k-means finds in a class */
    MARGIN_START_CENTROIDS, /* class means, or means of clusters, and random tangents */
    MARGIN_START_RANDOM     /* random samples and random tangents */
};

typedef struct {
    uint8_t method;         /* one of MARGIN_PROTO_...                      0: tvq               */
    uint8_t start;          /* tvq, hss: one of MARGIN_START_...            0: hss               */
    bool plain;             /* tvq: no re-weighting, all samples count alike                     */
    bool even;              /* tvq: k(t) of fig. 1 is n / mistakes          0: 1                 */
    uint16_t models;        /* a class; lvq: codebooks                      0: 1; lvq: 16        */
    uint16_t tangents;      /* a model, at most MARGIN_PROTO_TANGENTS       0: none              */
    margin_real theta;      /* tvq: margin that all samples should have     0: 0.2; 0.1 without
                               tangents; MARGIN_ZERO stands for zero                             */
    margin_real rate;       /* tvq, td: the rate of the steps of fig. 2     0: mini-batches
                               lvq: the first rate, at most 0.5             0: 0.05; olvq1: 0.3  */
    margin_real window;     /* lvq: width of the window, 0 .. 1             0: 0.3               */
    margin_real validation; /* tvq: share of the samples held out to stop   0: none              */
    uint16_t patience;      /* tvq: passes without a better validation      0: 20                */
    uint16_t neighbours;    /* nn: k, at most 2 MARGIN_PROTO_NTH - 1        0: 1                 */
    size_t budget;          /* nn: vectors to keep                          0: all samples       */
    uint32_t seed;          /* of all that is random                                             */
    size_t max_iterations;  /* passes over the data, at most                0: 1000
                               steps of fig. 2, with a rate                 0: 60                */
    margin_watch watch;
    const margin_real *sides; /* two-sided hss: `side` tangents of each row of data->x, d values
                                 each                                                            */
    uint16_t side;            /* at most MARGIN_PROTO_SIDES                 0: one-sided         */
} margin_proto_options;

/* After the last update of the weights; see margin_theta_train. */
typedef struct {
    size_t mistakes;    /* samples with a margin below theta */
    margin_real uneven; /* half the sum of |w_i / total - u_i|, where u is uniform over the
                           mistakes: 0 .. 1, and 0 in the limit; 0 without mistakes */
} margin_proto_report;

/* Bytes that margin_proto_train takes. */
MARGIN_API size_t margin_proto_train_size(size_t n, size_t d, size_t classes,
                                          const margin_proto_options *options);
/* One pass of tvq costs a product of the n x d data with the d x (vectors) models. Besides the
 * models, training takes three times their memory and five numbers a sample. In `info`, objective
 * is the weighted mean margin [3] and support the number of vectors stored. Margins of nn are not
 * computed where it keeps all samples (no budget, or one of n and more). MARGIN_W_ITERATIONS:
 * max_iterations passes were made before training converged. MARGIN_E_ARGUMENT: an option is out of
 * its range. MARGIN_E_ONE_CLASS: there are less than two classes, or a class has no samples.
 * MARGIN_E_RANGE: squared distances overflow. Other statuses are those of margin_data_check. */
MARGIN_API margin_status margin_proto_train(const margin_data *data,
                                            const margin_proto_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_proto_report *report);

/* Tangents of a picture of d = width * height values, row by row: how it changes under small shifts
 * (along rows, along columns), growth, rotation, two ways of stretching (along the sides, along the
 * diagonals) and thickening of lines. The first `count` of these are written in this order, d
 * values each. A signal is a picture of height 1; its second tangent is zero. The derivatives are
 * central differences (Simard, LeCun, Denker 1993). MARGIN_E_ARGUMENT: a pointer is null, there are
 * no pixels, or count is too large. */
#define MARGIN_PICTURE_TANGENTS 7u
MARGIN_API margin_status margin_picture_tangents(const margin_real *picture, size_t width,
                                                 size_t height, size_t count, margin_real *out);

/* Squared distances between the plane through x along its `count` tangents at `sides` and the
 * planes of the models [6], by class as in margin_proto_scores. Without tangents the two functions
 * agree. x and its tangents are raw values, which are scaled where the model says so. `work` has
 * room for (1 + count) d values. The model must lie in ordinary memory, not in the separate flash
 * of an AVR. MARGIN_E_ARGUMENT: a pointer is null, or count is too large. */
MARGIN_API margin_status margin_proto_two_sided(const margin_proto *model, const margin_real *x,
                                                const margin_real *sides, size_t count,
                                                margin_real *work, margin_real *scores);

/* The re-weighting strategy by itself (fig. 1), for any learner. Samples with a margin below
 * theta, the mistakes, gain weight k(t) with each update:
 *
 *     w_i += k(t) [margin_i < theta],    k(t) = 1, or n / mistakes if `even`, at most n
 *
 * A sample that remains a mistake gains k(t) in every update, and all others gain nothing in the
 * long run, so w / total tends to the uniform distribution over the mistakes (2.2). Whatever
 * maximises the weighted margin then minimises the sum of theta - margin over the mistakes [2].
 *
 * Each round trains the learner on the data with the present weights, computes the margins by
 * margin_margins, and updates the weights, which start as those of the data; samples of weight 0
 * stay out. The model is that of the round with the least mean of max(0, theta - margin); if it is
 * not the last one, it is trained once more from its weights. The learner must heed the weights of
 * samples, as all trainers of this library do, and give the same model for the same data.
 *
 *     margin_learner svm = {train, &options, margin_svm_train_size(n, d, classes, &options)};
 *     margin_theta_options strategy = {1, 20};
 *     margin_theta_train(&data, &svm, &strategy, &mem, &model, &info, NULL); */
typedef struct {
    margin_real theta; /* in units of the model's margins; MARGIN_ZERO: 0   0: 0.1               */
    size_t rounds;     /*                                                   0: 20                */
    bool even;         /* k(t) = n / mistakes                               0: 1                 */
    margin_watch watch;
} margin_theta_options;
/* Bytes that margin_theta_train takes in all, with a learner that takes `bytes` for n samples.
 * `rows` is the number of rows of data->x, which is n if data->rows is NULL. */
MARGIN_API size_t margin_theta_train_size(size_t n, size_t rows, size_t classes, size_t bytes);
/* `info` has the margins, the rounds as iterations, and as objective the weighted mean margin of
 * the round whose model is returned. The report is that of the last round. A failure of the learner
 * is returned as it is. */
MARGIN_API margin_status margin_theta_train(const margin_data *data, const margin_learner *learner,
                                            const margin_theta_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_proto_report *report);

/* The cumulative distribution of n margins, for drawing (fig. 5): share[j] becomes the share of the
 * margins that are below at[j], for `count` values. O(n count). */
MARGIN_API void margin_cumulative(const margin_real *margins, size_t n, const margin_real *at,
                                  size_t count, margin_real *share);

/* ---- >>compact ---- few vectors, learned together with their coefficients -------------------- */

/* A machine for the least flash: the vectors are not samples but are learned, and so are their
 * coefficients, one a class, and the width of the kernel. A sample x has the scores
 *
 *     f_j(x) = sum over the vectors v of c_vj k(v, x) + b_j
 *
 * and the training makes the mean of a loss over the samples small. With y the class of a sample,
 * and y_j 1 for j = y and -1 for all others, that is
 *
 *     MARGIN_COMPACT_HINGE  sum over j of max(0, 1 - y_j f_j(x))^2 / 2: every machine is to tell
 *                           its class from the rest with a margin of 1; or
 *     MARGIN_COMPACT_SOFT   log(sum over j of exp(4 (f_j(x) - f_y(x)))) / 4: only differences of
 *                           scores count, which few vectors for many classes do better.
 *
 * The units k(v, x) are
 *
 *     MARGIN_KERNEL_HINGE  max(0, v.x + t_v), a half-space, more certain with the distance
 *     MARGIN_KERNEL_RBF    exp(-gamma |x - v|^2), a region around v
 *
 * Hinge units learn faster and usually need fewer bytes. The result is an ordinary expansion; in
 * q7 a vector takes d + 2 bytes and one byte a class.
 *
 * Rounding is part of the training: in its second half all vectors and coefficients are used as
 * they will be in q7, so that the step to q7 changes next to nothing. Margins in the space of the
 * inputs come from noise: each time that a sample is used, every feature is disturbed by a
 * normal number of deviation `noise`, in units of the mean deviation of the features. And every
 * step takes away a share of all vectors and coefficients (with rbf units, of coefficients), which
 * keeps many vectors from learning few samples by heart: the decay.
 *
 * The vectors may be divided among the members of a committee: each member learns all classes by
 * itself, and the scores are the mean of theirs. That is again one machine with all vectors, which
 * costs a device nothing; but members that started at different places make different mistakes, so
 * that the mean is better where there are more vectors than one machine can use.
 *
 * Decay, noise and members are chosen on samples held out, a quarter at a time: one quarter, or two
 * in turn below 2000 samples, or all four in turn below 1000, of two divisions up to 600 samples
 * and of three up to 400. First the best decay is chosen from 0.001, 0.005, 0.03, 0.1, 0.3, 1 and
 * 3, then the best noise from 0, 0.05, 0.1, 0.2, 0.4, 0.7 and 1. Then both may go down again in
 * turn, up to three times, because more of one needs less of the other. From 1000 samples on the
 * members come first: as many, 8 at most, as have 8 vectors each, or half as many, or fewer, as
 * long as that is better. The same is tried with the least decay and noise, because a mean of many
 * members needs little of both, and the better of the two is where decay and noise start. After
 * them comes another look at the members, and so on until their number stays. Below 1000 samples
 * there is one member, and the passes are divided by 2, 4, 8 or 16 in the same way, because where
 * planes divide the classes, units that have hardly moved know more of new samples. If not, and
 * below 8000 samples in any case, they are doubled once or twice as long as that is better.
 *
 *     margin_compact_options options = {0};
 *     options.vectors = 88;                                     // 4 KB for 16 features, 26 classes
 *     margin_compact_train(&data, &options, &mem, &model, NULL, NULL);
 *
 * With many features a projection z = P x to a few numbers, learned together with the rest, makes
 * vectors short: a rank of r takes r (d + 6) bytes in q7, and each vector r + 2 instead of d + 2.
 *
 * Where even that is too much, `features` says how many features the units may look at. All start
 * with all of them; in the first two fifths of the passes the features go, one after the other,
 * whose weights say least: those with the least sum over units of |v_k|^2 |c_v|^2, times the
 * variance of the feature. A feature that is left takes a byte a unit, all others a bit in all.
 *
 * A machine of another method that was reduced by margin_compress is a good `start`: the training
 * goes on from its vectors, coefficients and width, and the vectors move to where so few of them do
 * best. It must be an expansion of rbf without scaling, with one machine a class (one for two
 * classes). `kernel` and `vectors` are then its own, `rank` must be 0, there is one member and no
 * validation: a loss of 0 means hinge, a decay of 0 none, a noise of 0 means 0.1.
 *
 * Scale the data first (see margin_scaling): steps and noise are the same for all features. */
enum { MARGIN_COMPACT_HINGE = 1, MARGIN_COMPACT_SOFT = 2 };

typedef struct {
    uint8_t kernel;    /* MARGIN_KERNEL_HINGE or MARGIN_KERNEL_RBF          0: hinge             */
    uint8_t loss;      /* MARGIN_COMPACT_HINGE or MARGIN_COMPACT_SOFT       0: soft              */
    bool exact;        /* vectors and coefficients are not rounded                               */
    uint16_t vectors;  /* at most the number of samples                     0: 64, or n          */
    uint16_t rank;     /* of a learned projection, at most MARGIN_RANK_MOST and less than the    */
                       /* number of features                                0: no projection     */
    uint16_t features; /* that hinge units look at, at most MARGIN_RANK_MOST, without a          */
                       /* projection; d or more: all                        0: all               */
    margin_real noise; /* deviation of the noise; MARGIN_ZERO: none         0: by validation     */
    margin_real rate;  /* largest step of a value, at most 1                0: 0.01; rbf: 0.05   */
    margin_real decay; /* share of a value that a step of 1 takes away, at  0: by validation     */
                       /* most 100; MARGIN_ZERO: none                                            */
    uint16_t members;  /* of a committee; no more than vectors              0: by validation     */
    uint32_t seed;     /* of all that is random                                                  */
    size_t max_iterations; /* passes   0: 100 + 400 000 / n, at most 300, and from there as     */
                           /* validation says                                                   */
    margin_watch watch;
    const margin_model *start; /* see above                             0: start at random       */
} margin_compact_options;

/* Bytes that margin_compact_train takes. */
MARGIN_API size_t margin_compact_train_size(size_t n, size_t d, size_t classes,
                                            const margin_compact_options *options);
/* A pass over the data costs 6 n vectors (d + classes) operations. Validation takes eight to thirty
 * more trainings, each with half the passes on three quarters of the samples; below 2000 samples it
 * takes twice as many, below 1000 four times, up to 400 twelve times. With fewer than 32 samples,
 * or with more rbf units than three quarters of the samples, there is no validation: the decay is
 * then 0.03 and the noise 0.1, unless you give them. info: objective is the mean loss of the last
 * pass, with its noise; support the number of vectors; iterations the passes of all trainings.
 * MARGIN_E_ARGUMENT: options out of their range; MARGIN_E_VECTORS: more vectors than samples;
 * MARGIN_E_RANK: a rank that is not below d; MARGIN_E_ONE_CLASS: less than two classes, or one
 * without samples; MARGIN_E_RANGE: squares of the data overflow; and those of margin_data_check.
 * `report` may be NULL. */
typedef struct {
    margin_real noise;          /* as used, in units of the mean deviation of the features */
    margin_real decay;          /* as used */
    size_t members;             /* as used */
    size_t passes;              /* of the last training */
    margin_real held_out_error; /* with these, on samples held out; negative if none were */
} margin_compact_report;
MARGIN_API margin_status margin_compact_train(const margin_data *data,
                                              const margin_compact_options *options,
                                              margin_arena *mem, margin_model *model,
                                              margin_info *info, margin_compact_report *report);

/* ---- >>ordinal ---- ranks and classes in order: omam, lssvm, thresholds, Kendall's tau ------- */

/* Which of two parts is more worn, how severe a fault is, which setting was liked best: answers
 * that have an order, but no unit. Both trainers look for a function f that orders samples as their
 * targets do, and use nothing of the targets but that order:
 *
 *   omam    the f = w.phi(x), |w| = 1, of largest average margin over all pairs of samples with
 *           different targets, in closed form: w ~ sum d_i phi(x_i), where d_i is the number of
 *           samples below sample i less the number above it (Pelckmans, Suykens, De Moor: "A risk
 *           minimization principle for a class of Parzen estimators", NIPS 2007, section 4, [19] ..
 *           [22]).
 *   lssvm   least squares on ranks: f = w.phi(x) + b with the least |w|^2 / 2 + c / 2 sum (t_i -
 *           f(x_i))^2, t_i = d_i / n from -1 to 1. The paper names this alternative itself: tau is
 *           clearly larger, and a linear system of n (kernels) or d (linear) unknowns must be
 *           solved.
 *
 * Targets are either numbers, options.targets, one for each row of data->x as data->y has one
 * class: the model is then a ranker, and its one score orders inputs. Or targets are the labels
 * data->y, classes in order: then the model has thresholds as well and tells classes too (two
 * classes: a binary model).
 *
 *     margin_ordinal_options options = {0};
 *     options.kernel.kind = MARGIN_KERNEL_RBF;
 *     if (margin_lssvm_train(&data, &options, &mem, &model, &info, &report) >= 0) {
 *         stage = margin_classify(&model, x, scores);                // 0 .. k-1
 *         worse = margin_compare(&model, x, z, scores) > 0;          // x than z
 *     }
 *
 * A sample of weight w counts as w equal samples would. */

/* The loss that thresholds minimise, over the training samples and by their weights. */
enum {
    MARGIN_ORDINAL_ABSOLUTE = 0, /* how many classes an answer is off, summed */
    MARGIN_ORDINAL_ZERO_ONE = 1  /* the number of wrong answers */
};

typedef struct {
    margin_kernel kernel;       /*                                       0: linear               */
    const margin_real *targets; /* a number for each row of data->x      0: data->y, classes     */
    size_t classes;             /* in order; some may have no samples    0: 1 + the largest      */
    uint8_t loss;               /* MARGIN_ORDINAL_..., of thresholds     0: absolute             */
    margin_real c;              /* lssvm: cost of errors, > 0 (gamma in the literature)          */
                                /*                                       0: see below            */
    bool leave_one_out;         /* lssvm: compute report->loo although c is given  0: no         */
    bool normalised;            /* omam: divided by the sum of kernel values, see margin_omam_train;
                                   rbf or unit kernels only                                      */
    margin_watch watch;         /* lssvm                                                         */
} margin_ordinal_options;

typedef struct {
    margin_real tau; /* Kendall's tau-b on the training samples */
    margin_real c;   /* lssvm: the cost of errors, as used */
    margin_real loo; /* lssvm: mean square error, each sample left out in turn */
} margin_ordinal_report;

/* Bytes that the trainers take. `classes` is used only if options->targets is NULL; 1 means a
 * ranker. */
MARGIN_API size_t margin_omam_train_size(size_t n, size_t d, size_t classes,
                                         const margin_ordinal_options *options);
MARGIN_API size_t margin_lssvm_train_size(size_t n, size_t d, size_t classes,
                                          const margin_ordinal_options *options);
/* report->tau is Kendall's tau-b of the scores and targets of the samples of positive weight.
 * (Equal samples may get scores that differ by rounding; margin_model_kendall counts them as ties.)
 * If the targets are classes, `info` has the margins, see margin_margin. Statuses of their own:
 * MARGIN_E_NO_ORDER, all targets are equal (or there is one sample); MARGIN_E_NOT_FINITE for
 * targets too; MARGIN_E_NO_DIRECTION, no feature tells samples apart.
 *
 * omam: O(n d) for a linear kernel and one sort; n^2 / 2 kernel values for any other. objective:
 * the average margin f(x_i) - f(x_j) of all pairs with targets y_i > y_j; of normalised ones the
 * mean of d_i r(x_i).
 *
 * `normalised`: the class follows from the mean of the ranks around x, r(x) = sum d_i k(x_i, x) /
 * sum k(x_i, x), as Nadaraya and Watson have it, and not from a sum that is small wherever samples
 * are few. The model divides nothing: it has one machine a class (a binary one for two classes),
 * with all predictors and formats of such models. It stores `classes` coefficients a vector, and
 * its scores tell classes apart, but do not order inputs within a class. Far from all samples it
 * answers the class of the middle rank. Thresholds, tau and margins of the training samples are
 * those of r(x_i) without sample i itself. This takes n^2 kernel values. MARGIN_E_ARGUMENT: values
 * of the kernel may be negative. If targets are numbers, the model tells three levels, which are
 * ranks below -1/3, between, and above 1/3, and its scores order inputs by one division, in
 * integers as well:  r(x) = scores[2] / (3 (2 scores[1] - scores[2])),  and 0 where the divisor is
 * not above 0, which in integers can happen far from all samples. */
MARGIN_API margin_status margin_omam_train(const margin_data *data,
                                           const margin_ordinal_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info,
                                           margin_ordinal_report *report);
/* With c = 0 lssvm chooses c by the least mean square error on t with each sample left out in turn,
 * which needs no new training. It tries the eight powers of ten from 0.01 to 100 000, divided by
 * the mean of k(x, x), and then the half decade on either side of the best. A linear kernel needs
 * one eigenvalue problem of d features and n d^2 operations for each c; any other needs n^3 / 3 for
 * each. With c given it takes n^3 / 6 operations. `progress` is called after each c; if it stops
 * the training, the best c so far is used. objective: |w|^2 / 2 + c / 2 sum (t_i - f(x_i))^2; c and
 * loo of the report: the c used, and the error with samples left out. MARGIN_E_NOT_POSITIVE: the
 * kernel is not positive definite. */
MARGIN_API margin_status margin_lssvm_train(const margin_data *data,
                                            const margin_ordinal_options *options,
                                            margin_arena *mem, margin_model *model,
                                            margin_info *info, margin_ordinal_report *report);

/* On-line: a linear omam of classes in order that learns and forgets one sample at a time, in O(d),
 * for devices; the number of samples in each class gives all ranks. Memory is that of
 * margin_mam_online: two numbers for each class and feature, with its error bounds. The samples are
 * not stored, so their scores cannot be sorted to find the thresholds of least loss. The thresholds
 * lie midway between the mean scores of neighbouring classes instead. Two classes with samples are
 * enough; the others may come later. For thresholds of least loss on samples that you still have
 * use margin_thresholds.
 *
 *     margin_omam_online_start(&on, d, 5, &mem);
 *     ... margin_omam_online_add(&on, x, stage, 1); ...
 *     if (margin_omam_online_model(&on, &model) == MARGIN_OK) {
 *         margin_linear_scores(&model, x, scores);
 *     } */
typedef struct {
    margin_mam_online sums;
    margin_index *run; /* scratch, one a class */
} margin_omam_online;

MARGIN_API size_t margin_omam_online_start_size(size_t d, size_t classes);
/* Begins without samples; the arrays are kept in `mem`. MARGIN_E_ARGUMENT: no features, less than
 * two classes. */
MARGIN_API margin_status margin_omam_online_start(margin_omam_online *on, size_t d, size_t classes,
                                                  margin_arena *mem);
/* As margin_mam_online_add and margin_mam_online_forget. */
MARGIN_API margin_status margin_omam_online_add(margin_omam_online *on, const margin_real *x,
                                                size_t label, margin_real weight);
MARGIN_API margin_status margin_omam_online_forget(margin_omam_online *on, const margin_real *x,
                                                   size_t label, margin_real weight);
/* Computes the model of the samples so far, in O(d classes). Its weights lie in the memory of `on`;
 * only the next call of this function changes them. MARGIN_E_NO_ORDER (less than two classes have
 * samples) or MARGIN_E_NO_DIRECTION leave the last model as it is. */
MARGIN_API margin_status margin_omam_online_model(margin_omam_online *on, margin_linear *model);

/* Finds thresholds for scores of any origin. The class of a score is the number of thresholds that
 * it exceeds. thresholds[0 .. classes - 2], in ascending order, become those of least loss over n
 * samples with these labels (and weights, if not NULL). The result is exact, by sorting the scores
 * and a pass over them for each class; where several choices are equally good, it is one of them.
 * MARGIN_E_LABEL: a label of `classes` or above, or a bad weight. */
MARGIN_API size_t margin_thresholds_size(size_t n, size_t classes);
MARGIN_API margin_status margin_thresholds(const margin_real *scores, const uint16_t *labels,
                                           const margin_real *weight, size_t n, size_t classes,
                                           unsigned loss, margin_arena *mem,
                                           margin_real *thresholds);

/* Computes Kendall's tau-b of two lists a and b of n numbers, in O(n log n). It is the number of
 * pairs that both lists put into the same order, less the number that they put into opposite order,
 * divided by the root of (pairs not tied in a) (pairs not tied in b). It lies between -1 and 1;
 * without ties it is the share of pairs in order less the share of pairs out of order.
 * MARGIN_E_NO_ORDER: all numbers of a list are equal, as with n = 1, so that tau has no value. */
MARGIN_API size_t margin_kendall_size(size_t n);
MARGIN_API margin_status margin_kendall(const margin_real *a, const margin_real *b, size_t n,
                                        margin_arena *mem, margin_real *tau);
/* The same of the first score of a model and the targets of samples: one for each row of data->x,
 * or, if that is NULL, data->y. Weights have no effect. */
MARGIN_API size_t margin_model_kendall_size(size_t n, const margin_model *model);
MARGIN_API margin_status margin_model_kendall(const margin_data *data, const margin_real *targets,
                                              const margin_model *model, margin_arena *mem,
                                              margin_real *tau);
/* Returns by how many classes answers are off on average, without the rejected ones; see
 * margin_confusion. */
MARGIN_API margin_real margin_absolute_error(const margin_real *confusion, size_t classes);

/* ---- >>oneclass ---- what is normal, learned from normal samples alone ----------------------- */

/* Only samples of the normal state are needed; labels have no effect. `nu` is the rate of false
 * alarms that you want on normal inputs that training has not seen. There are four forms:
 *
 *   nu          The plane farthest from the origin that leaves at most a share of nu of the samples
 *               behind: minimises  1/2 a'Ka  over  0 <= a_i <= weight_i / (nu sum of weights),
 *               sum a = 1  (Schoelkopf and others: "Estimating the support of a high-dimensional
 *               distribution", Neural Computation 13, 2001).
 *   lambda      The margin distribution, as kmomd has it for two classes: minimises
 *               (1-lambda) a'Ka + lambda |a|^2  over  a >= 0,  sum a = 1.  lambda near 0 makes the
 *               smallest margin large, lambda = 1 takes the mean of the samples.
 *   sphere      The smallest sphere that leaves out as many, or with lambda a centre between that
 *               and the mean (Tax, Duin: "Support vector data description", 2004). With an rbf or
 *               a unit kernel all phi(x) have the same length, and plane and sphere are the same.
 *               With a linear kernel the model is a prototype: the centre, and a radius. There is
 *               no sphere for poly.
 *   prototypes  `models` centroids, each with `tangents` directions in which samples usually
 *               differ: what is normal, in a few hundred bytes. See >>proto.
 *
 * The threshold of the solution itself would raise more alarms than nu on samples that it has not
 * seen. So the threshold comes from such samples (conformal prediction, which assumes nothing about
 * their distribution): with m of them it is set so that k = floor(nu (m + 1)) of m + 1 equally
 * strange ones lie beyond it. With `held_out` one fold is kept away from training, and the rate k /
 * (m + 1) is a promise: on average over training sets no more normal inputs than that raise an
 * alarm. Otherwise every fold is left out in turn to set the threshold, and the machine itself
 * learns from all samples. It then knows a little more than the machines that set the threshold, so
 * that there are rather fewer alarms than nu.
 *
 * Models of the first two forms are binary: class 1 is normal, class 0 an alarm, and the score is
 * the distance of phi(x) from the plane. Spheres and prototypes have one class and one squared
 * distance: the answer is class 0, or MARGIN_REJECTED for an alarm. */
typedef struct {
    margin_kernel kernel; /*                                                0: linear            */
    margin_real nu;       /* rate of false alarms, 0 < nu < 1               0: 0.05              */
    margin_real lambda;   /* at most 1; MARGIN_ZERO: the largest margin     0: nu instead        */
    bool sphere;          /* instead of a plane                                                  */
    uint16_t models;      /* prototypes: centroids                          0: none              */
    uint16_t tangents;    /* of each, at most MARGIN_PROTO_TANGENTS                              */
    uint16_t folds;       /* for the threshold; 1: leave it as solved       0: 20, held_out 5    */
    bool held_out;        /* one fold is for the threshold alone                                 */
    uint32_t seed;        /* of the folds, and of centroids                                      */
    margin_control run;   /* tol: relative to the objective                                      */
    margin_watch watch;
    margin_part_fn part; /* see >>train                                    0: none              */
    void *part_user;     /* handed to part                                                      */
} margin_oneclass_options;

typedef struct {
    margin_real promised; /* rate of false alarms, k / (m + 1); 0 if folds is 1: no promise */
    margin_real alarms;   /* share of the training samples beyond the threshold */
} margin_oneclass_report;

/* Bytes that margin_oneclass_train takes; `classes` does not matter. */
MARGIN_API size_t margin_oneclass_train_size(size_t n, size_t d, size_t classes,
                                             const margin_oneclass_options *options);
/* objective: as above, and 1/2 a'Ka - 1/2 sum a_i K_ii for spheres. The margin of a training sample
 * is by how much it is within the threshold. With n < 1 / nu samples the promise is 1 / (m + 1). A
 * status of its own: MARGIN_E_NO_DIRECTION, no plane separates the samples from the origin, as with
 * a linear kernel on centred data. MARGIN_E_EMPTY: a fold would be empty. */
MARGIN_API margin_status margin_oneclass_train(const margin_data *data,
                                               const margin_oneclass_options *options,
                                               margin_arena *mem, margin_model *model,
                                               margin_info *info, margin_oneclass_report *report);

/* On-line: what is normal now, learned and forgotten on the device, one sample at a time in O(d^2).
 * It keeps a running mean and covariance, in which a sample that lies k samples back counts
 * forget^k. The distance of an input is Mahalanobis', (x - mean)' covariance^-1 (x - mean).
 * Rotations update a factor of the covariance exactly: no matrix is inverted, and only rounding
 * errors add up.
 *
 *     margin_oneclass_online on;
 *     margin_oneclass_online_options options = {0};
 *     margin_oneclass_online_start(&on, d, &options, &mem);
 *     ... margin_oneclass_online_add(&on, x, &alarm); ...             // learns from every input
 *     ... margin_oneclass_online_distance(&on, x) > on.threshold ...  // judges, and learns nothing
 *
 * Every alarm moves the threshold up by `step` (1 - rate), every other sample moves it down by
 * `step` rate. So the threshold follows a drift, and whatever the samples are, independent or not,
 * over T samples the share of alarms differs from `rate` by at most (largest distance + step) /
 * (step T) (Gibbs, Candes: "Adaptive conformal inference under distribution shift", 2021). Samples
 * that raise an alarm are learned too. If you do not want that, ask for the distance first, and add
 * only samples within the threshold. */
typedef struct {
    margin_real rate;   /* of alarms, 0 < rate < 1                          0: 0.01              */
    margin_real forget; /* weight of the past after each sample, 0 < . <= 1 0: 0.999             */
    margin_real ridge;  /* deviation of all features before the first sample, > 0   0: 0.001     */
    margin_real step;   /* of the threshold, > 0                            0: d                 */
} margin_oneclass_online_options;

typedef struct {
    margin_real *mean;     /* d */
    margin_real *factor;   /* d x d, lower triangle L: LL' is the covariance times the weight */
    margin_real *work;     /* d */
    margin_real weight;    /* of all samples */
    margin_real threshold; /* distances above it are alarms */
    margin_real rate, forget, step;
    margin_real floor; /* least diagonal element of the factor: a rounding error of the ridge */
    size_t d;
} margin_oneclass_online;

MARGIN_API size_t margin_oneclass_online_start_size(size_t d);
/* Begins without samples; the arrays are kept in `mem`. The threshold begins at 2 d. */
MARGIN_API margin_status margin_oneclass_online_start(margin_oneclass_online *on, size_t d,
                                                      const margin_oneclass_online_options *options,
                                                      margin_arena *mem);
/* Judges a sample by what was known before, then learns it. `alarm` may be NULL. A failure changes
 * nothing: MARGIN_E_ARGUMENT (a NULL), MARGIN_E_NOT_FINITE, MARGIN_E_RANGE (squares overflow). */
MARGIN_API margin_status margin_oneclass_online_add(margin_oneclass_online *on,
                                                    const margin_real *x, bool *alarm);
/* Returns the squared distance of x. For normal inputs it is d on average; before the first sample
 * it is 0. Where it would overflow, it is the largest number there is. */
MARGIN_API margin_real margin_oneclass_online_distance(const margin_oneclass_online *on,
                                                       const margin_real *x);

/* ---- >>svr ---- numbers: support vector and least-squares regression ------------------------- */

/* The model's one score is the answer, in units of the target. Targets are options.targets, one for
 * each row of data->x. Three losses:
 *
 *   MARGIN_SVR_EPSILON  Errors below epsilon cost nothing: minimises over |b_i| <= C weight_i,
 *                       sum b = 0  the dual  1/2 b'Kb - sum y_i b_i + epsilon sum |b_i|  (LIBSVM's
 *                       epsilon-SVR). The score is sum b_i k(x_i, x) + bias.
 *   MARGIN_SVR_NU       The trainer finds epsilon such that at most a share of nu of the samples is
 *                       farther off (LIBSVM's nu-SVR, objective 1/2 b'Kb - sum y_i b_i).
 *   MARGIN_SVR_SQUARES  Least squares, as lssvm: |w|^2 / 2 + c / 2 sum weight_i (y_i - f(x_i))^2,
 *                       the bias free (ridge regression with 1 / c), and c = 0 for the c of least
 *                       error with each sample left out in turn, in closed form.
 *
 * Inside the trainer targets are measured from their mean in units of their deviation. `tol` is
 * meant in these units, and so are the defaults of c and epsilon. */
enum { MARGIN_SVR_EPSILON = 0, MARGIN_SVR_NU = 1, MARGIN_SVR_SQUARES = 2 };

typedef struct {
    margin_kernel kernel;       /*                                       0: linear               */
    const margin_real *targets; /* a number for each row of data->x      needed                  */
    uint8_t loss;               /* MARGIN_SVR_...                        0: epsilon              */
    margin_real c;              /* cost of errors, > 0                   0: deviation of targets */
                                /* squares                               0: by leaving one out   */
    margin_real epsilon;        /* >= 0; MARGIN_ZERO for 0               0: a tenth of that      */
    margin_real nu;             /* 0 < nu <= 1                           0: 0.5                  */
    margin_real outside;        /* share of answers that may be farther off than report->half    */
                                /*                                       0: no interval          */
    uint16_t folds;             /* for that                              0: 20                   */
    uint32_t seed;              /* of the folds                                                  */
    margin_control run;         /* not squares                                                   */
    margin_watch watch;
    margin_part_fn part; /* with `outside`: see >>train             0: none                  */
    void *part_user;     /* handed to part                                                   */
} margin_svr_options;

typedef struct {
    margin_real c;       /* as used, in units of the target (squares: without unit) */
    margin_real epsilon; /* as used or found, in units of the target */
    margin_real loo;     /* squares with c = 0: mean square error, each sample left out in turn */
    margin_real half; /* the target is within the answer +- this, but for a share of `promised` */
    margin_real promised; /* share k / (n + 1) outside; from folds, as in >>oneclass */
} margin_svr_report;

/* Bytes that margin_svr_train takes; `classes` does not matter. Without targets it assumes that
 * there will be some. */
MARGIN_API size_t margin_svr_train_size(size_t n, size_t d, size_t classes,
                                        const margin_svr_options *options);
/* objective: as above. Statuses of its own: MARGIN_E_NO_ORDER (all targets are equal),
 * MARGIN_E_NOT_FINITE for targets too; with squares also MARGIN_E_NO_DIRECTION and
 * MARGIN_E_NOT_POSITIVE, as for lssvm. The quadratic programme of a nonlinear kernel has n
 * variables, or 2 n if run.rank is set. With nu and without a rank, epsilon is found by a search,
 * which meets nu as closely as `tol` says; if it has not met it after 100 programmes, the status is
 * MARGIN_W_ITERATIONS. */
MARGIN_API margin_status margin_svr_train(const margin_data *data,
                                          const margin_svr_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info,
                                          margin_svr_report *report);

/* ---- >>calibrate ---- from margins to probabilities ------------------------------------------ */

/* Fits the probabilities of a model (slope, shift, include and curve of `vote`) to samples that it
 * was not trained on: `scores` has those of all machines for each sample of the view, as
 * margin_cross_validate keeps them. On samples that it was trained on, a model would seem surer
 * than it is.
 *
 *     margin_cross_validate(&data, &learner, &options, &mem, &cv);      // options.keep is true
 *     ... train the model on all samples ...
 *     margin_vote *vote = &model.of.expansion.vote;
 *     margin_calibrate(&data, cv.scores, 0.9, &mem, vote, NULL);
 *
 * Slope and shift have the largest likelihood, by damped Newton steps. Sigmoids have Platt's
 * smoothed targets, (hits + 1)/(hits + 2) and 1/(misses + 2) (Lin, Lin, Weng: "A note on Platt's
 * probabilistic outputs for support vector machines", Machine Learning 68, 2007); exponentials of
 * k classes have (n + 1)/(n + k) and 1/(n + k). All machines share one slope: with one for each
 * machine, as LIBSVM has it, log loss and Brier score were worse on digits, usps, letter and
 * gestures, the four sets that were tried.
 *
 * Two classes with at least MARGIN_CURVE_ROWS samples also get a curve. At each of 17 odds it
 * corrects the probability of the sigmoid to the share of hits that was observed there.
 * MARGIN_CURVE_PRIOR imaginary samples that agree with the sigmoid are added at each of the odds,
 * and the shares are then made to rise by pooling neighbours that are out of order (isotonic
 * regression).
 *
 * Prediction sets (split conformal): `include` is such that, of n samples held out and one more
 * drawn in the same way, the set of the latter has its class with a probability of at least
 * `coverage`, 0 < coverage < 1; 0 means 0.9. No assumption is made on the distribution. With
 * scores of cross-validation the promise is a little weaker in theory (other models scored the
 * samples than the one that answers), and is kept in practice.
 *
 * Weights of samples have no effect. The curve is kept in `mem`. `report` may be NULL.
 * MARGIN_E_ARGUMENT: null, no labels, or a coverage out of its range; MARGIN_E_LABEL: a label of
 * vote->classes or above; MARGIN_E_ONE_CLASS: all samples are of one class; MARGIN_E_NOT_FINITE: a
 * score is not finite. */
#define MARGIN_CURVE_ROWS 1000u
#define MARGIN_CURVE_PRIOR 30u
typedef struct {
    margin_real brier; /* mean over the samples of the sum over classes of (p - [true class])^2 */
    margin_real log_loss; /* mean of -log p of the true class */
} margin_calibrate_report;
MARGIN_API size_t margin_calibrate_size(size_t n, const margin_vote *vote);
MARGIN_API margin_status margin_calibrate(const margin_data *data, const margin_real *scores,
                                          margin_real coverage, margin_arena *mem,
                                          margin_vote *vote, margin_calibrate_report *report);

/* ---- >>compress ---- an expansion with fewer vectors ----------------------------------------- */

/* What a compression cost, over the samples it was fitted to. */
typedef struct {
    size_t vectors;    /* in the new model */
    size_t samples;    /* that both models were compared on */
    size_t changed;    /* samples for which the two elect different classes */
    margin_real worst; /* largest change of a score */
    margin_real rms;   /* root of the mean square change of all scores */
} margin_compress_info;

/* Makes an expansion of at most `vectors` vectors of the pool of `model` that comes closest to its
 * scores. Vectors are chosen one by one, each the one whose addition leaves the least of all
 * machines' functions outside the span of those chosen (orthogonal matching pursuit in the kernel's
 * own norm); vectors without a coefficient, and copies of others, are of no use and never chosen.
 * Then all coefficients are fitted anew to the scores on `data` (raw inputs, no labels needed), or
 * on the pool where data is NULL, by regularised least squares. Biases stay. `noise`, 0 .. 1, is
 * the error that kernel values are going to have, as a share of the largest: 0 for floats, 3e-5 if
 * the model is to be quantised to q15 and 3e-3 to q7; coefficients then stay so small that such
 * errors do no harm. This takes about (N + n) (N d + vectors^2) operations for a pool of N and n
 * samples; a NULL as `info` saves the comparison of the two models. To try several noises or
 * numbers of vectors, compress once to the largest number without noise, and then compress that
 * result, which is much smaller. This loses nothing, because a fit to the best fit is the best fit.
 * MARGIN_E_ARGUMENT: not an expansion, no vectors, hinge units, or `noise` out of its range;
 * MARGIN_E_NOT_POSITIVE: the kernel is not positive definite. The new model points to the scaling
 * of the old one. */
MARGIN_API margin_status margin_compress(const margin_model *model, const margin_data *data,
                                         size_t vectors, margin_real noise, margin_arena *mem,
                                         margin_model *out, margin_compress_info *info);
MARGIN_API size_t margin_compress_size(const margin_model *model, size_t vectors);

/* ---- >>quantize ---- from models in floating point to models in integers --------------------- */

typedef struct {
    uint8_t format; /* MARGIN_Q15 or MARGIN_Q7                                   0: MARGIN_Q15 */
    bool whole;     /* raw values are whole numbers from -32768 to 32767, and firmware passes
                       them as they are; otherwise it converts them, see margin_quant.input     */
} margin_quant_options;

/* What quantisation changed, on the data given to it. */
typedef struct {
    margin_real worst; /* largest difference of two scores of a machine; of lists, of a cut */
    margin_real mean;  /* mean difference, of absolute values */
    margin_real scale; /* mean of |score|, for comparison */
    size_t disagree;   /* samples with another label */
    size_t limited;    /* samples with a value that does not fit the range of the inputs */
} margin_quant_info;

/* Turns a model into integers, kept in `mem`. The raw data, normally that of the training, says
 * what ranges to expect: inputs beyond them are limited, never wrapped; samples of weight 0 count
 * for the ranges alone. Arrays of `input` are kept too. MARGIN_E_ARGUMENT: a pointer is null, or
 * the kernel has no integer form, which is so for expansions with a linear kernel (make a linear
 * model of them; lists may have one). MARGIN_E_RANGE: there are too many features or vectors,
 * values are not whole although `whole` says so, a list has hinges for vectors, which the check of
 * the model refuses too, or parameters are so extreme that 32 bits are not enough. `info` may be
 * NULL. */
MARGIN_API margin_status margin_quantize(const margin_model *model, const margin_data *data,
                                         const margin_quant_options *options, margin_arena *mem,
                                         margin_quant *quant, margin_quant_info *info);
MARGIN_API size_t margin_quantize_size(const margin_model *model,
                                       const margin_quant_options *options);

/* ---- >>store ---- images written, and scalings folded into models ---------------------------- */

/* Bytes of the image of a model with so many bytes of notes; 0: they do not fit 32 bits. */
MARGIN_API size_t margin_image_size(const margin_model *model, size_t notes);
MARGIN_API size_t margin_image_size_q(const margin_quant *quant, size_t notes);
/* Writes the image of a model to `out`, of which `size` bytes may be used. Numbers are rounded to
 * binary32 where margin_real is double. MARGIN_E_RANGE: one does not fit; MARGIN_E_MEMORY: `size`
 * is below margin_image_size; MARGIN_E_ARGUMENT and MARGIN_E_RANGE also as margin_model_check or
 * margin_model_check_q return them. After MARGIN_E_RANGE the bytes in `out` are no image. */
MARGIN_API margin_status margin_image_write(const margin_model *model, const void *notes,
                                            size_t notes_count, void *out, size_t size);
MARGIN_API margin_status margin_image_write_q(const margin_quant *quant, const void *notes,
                                              size_t notes_count, void *out, size_t size);

/* Makes a model that was trained on scaled data take raw data. A linear model gets new weights,
 * kept in `mem`, into which the scaling is folded. All other models point to the arrays of the
 * scaling from now on. */
MARGIN_API margin_status margin_model_scale(margin_model *model, const margin_scaling *scaling,
                                            margin_arena *mem);
MARGIN_API size_t margin_model_scale_size(const margin_model *model);

/* ---- >>metrics ---- errors, costs, margins, cross-validation --------------------------------- */

/* Answers of a model to samples whose classes are known, k = classes of the model:
 *
 *     confusion[t * (k + 1) + a]    samples of class t that were answered by class a
 *     confusion[t * (k + 1) + k]    samples of class t that were rejected, see margin_vote
 *
 * Samples count by their weights; without weights the entries are numbers of samples, exact to 2^24
 * in float. The scores take margin_confusion_size bytes of scratch.
 * MARGIN_E_LABEL: a label that the model does not know; MARGIN_E_ARGUMENT: the model has another
 * number of features. */
#define MARGIN_CONFUSION(classes) ((size_t)(classes) * ((size_t)(classes) + 1u))
MARGIN_API size_t margin_confusion_size(const margin_model *model);
MARGIN_API margin_status margin_confusion(const margin_data *data, const margin_model *model,
                                          margin_arena *mem, margin_real *confusion);
/* Two shares, 0 .. 1, out of a confusion matrix: of all samples that were answered wrongly, and of
 * the samples of one class that were. A rejection is no wrong answer. Where there are no samples
 * the share is 0. */
MARGIN_API margin_real margin_error(const margin_real *confusion, size_t classes);
MARGIN_API margin_real margin_class_error(const margin_real *confusion, size_t classes,
                                          size_t label);

/* Computes the margins of the samples by margin_margin. `margins` gets all n of them, `summary`
 * their least, mean and quantiles over the samples of positive weight. One of the two may be NULL;
 * without the array the quantiles take some more passes over the data, but no memory. Memory and
 * statuses are those of margin_confusion. */
typedef struct {
    margin_real min, mean;
    margin_real quantile[5]; /* 5, 25, 50, 75 and 95 % of the margins are at most this */
} margin_summary;
MARGIN_API margin_status margin_margins(const margin_data *data, const margin_model *model,
                                        margin_arena *mem, margin_real *margins,
                                        margin_summary *summary);

/* Cross-validation of a learner. */
typedef struct {
    size_t folds;      /* 2 .. n                                       0: 5, or n if that is less */
    size_t repeats;    /* with other folds each time                   0: 1                       */
    uint32_t seed;     /* of the folds                                                            */
    bool unstratified; /* folds regardless of the classes              0: shares of classes equal */
    bool keep;         /* keep labels and scores of the samples        0: no                      */
    uint8_t scheme;    /* of the models that train makes               0: binary or one-one       */
} margin_cv_options;

/* The arrays are kept in the arena. */
typedef struct {
    size_t runs;                  /* folds x repeats, those without weight left out */
    size_t classes, machines;     /* of the models */
    margin_real error_mean;       /* mean over the runs of the error on the samples left out, */
    margin_real error_sd;         /* and deviation (divided by runs - 1) */
    const margin_real *confusion; /* over all runs, see above: error by class, risk */
    const uint16_t *labels;    /* n answers, each of the model that has not seen the sample, and */
    const margin_real *scores; /* n x machines scores, of the first repeat; NULL without `keep` */
} margin_cv;

/* Bytes of the arena for n samples and a learner that takes `bytes`. */
MARGIN_API size_t margin_cross_validate_size(size_t n, size_t classes,
                                             const margin_cv_options *options, size_t bytes);
/* Trains folds x repeats times. Ends with the first failure of `train`; otherwise returns the
 * largest warning that a training gave. MARGIN_E_ONE_CLASS: a model does not know all classes,
 * because all samples of one were left out; MARGIN_E_ARGUMENT: folds out of their range, or a model
 * of another scheme. The same seed gives the same folds on every machine. */
MARGIN_API margin_status margin_cross_validate(const margin_data *data,
                                               const margin_learner *learner,
                                               const margin_cv_options *options, margin_arena *mem,
                                               margin_cv *result);

/* ---- >>math ---- scalar functions without libm, the same bits everywhere --------------------- */

/* Special values are those of C99 Annex F, without errno and exception flags; a NaN result is some
 * quiet NaN. Errors are the worst found, in units of the last place (ulp) of the exact result:
 * among all 2^32 floats for functions of one argument, else among 10^8 random arguments, float and
 * double alike (make bench-math). */

/* Correctly rounded: 0.5 ulp. */
MARGIN_API margin_real margin_sqrt(margin_real x);
/* 0.70 ulp; 0.78 where the result is subnormal. */
MARGIN_API margin_real margin_exp(margin_real x);
/* Natural logarithm: 0.85 ulp. */
MARGIN_API margin_real margin_log(margin_real x);
/* x^y: 0.71 ulp; 0.81 where the result is subnormal. About eight times the cost of margin_exp. */
MARGIN_API margin_real margin_pow(margin_real x, margin_real y);
/* x^n by repeated squaring, for small n much faster than margin_pow. At most |n| ulp, which is that
 * of |n| - 1 products and, for n < 0, a division; twice that for n < 0 and a result above a quarter
 * of the largest finite number. 1 for n = 0 and any x. */
MARGIN_API margin_real margin_pow_int(margin_real x, int n);
/* The density of the standard normal distribution at x: 2.0 ulp. */
MARGIN_API margin_real margin_normal_density(margin_real x);
/* The probability of a standard normal value below x, accurate in the lower tail: 4.6 ulp. For the
 * upper tail take margin_normal_distribution(-x). */
MARGIN_API margin_real margin_normal_distribution(margin_real x);

/* ---- >>random ---- one small seeded generator, the same numbers everywhere ------------------- */

/* sfc32 by C. Doty-Humphrey. Every state is a valid one, that of all zeros too. Not for secrets. */
struct margin_rng {
    uint32_t a, b, c, count;
};

/* A generator whose numbers depend on the seed alone. */
MARGIN_API margin_rng margin_rng_make(uint32_t seed);
/* 32 random bits. */
MARGIN_API uint32_t margin_rng_u32(margin_rng *rng);
/* A whole number from 0 to n - 1, all equally likely; 0 for n = 0. Takes less than two draws on
 * average. */
MARGIN_API uint32_t margin_rng_below(margin_rng *rng, uint32_t n);
/* A multiple of 2^-24 (float; one draw) or 2^-53 (double; two draws) in [0, 1). */
MARGIN_API margin_real margin_rng_uniform(margin_rng *rng);
/* From the normal distribution of mean 0 and variance 1. The numbers differ between float and
 * double, nothing else makes them differ. */
MARGIN_API margin_real margin_rng_normal(margin_rng *rng);
/* Puts n < 2^32 items into random order, all n! equally likely. */
MARGIN_API void margin_shuffle(margin_rng *rng, margin_index *items, size_t n);

/* ---- >>linalg ---- dense linear algebra, row-major, on the caller's memory ------------------- */

/* Matrices are row-major, their rows without gaps: element (i, j) of a matrix `a` with n columns is
 * a[i * n + j]. Sizes may be 0. Outputs do not overlap inputs unless the text says so.
 * MARGIN_E_ARGUMENT: a null pointer; MARGIN_E_OVERFLOW: the bytes of a matrix do not fit size_t. A
 * function that takes an arena has a size query of the same name. Dots, norms, products and
 * triangular solves pass NaN and infinity on as C arithmetic does; the decompositions refuse them
 * with MARGIN_E_NOT_FINITE before anything is changed.
 *
 * Every sum has a fixed order, so results are the same bits on every target. Products of matrices
 * and vectors add their terms in order, k = 0, 1, 2, ..., from zero, unless the text says more:
 * an absolute error of at most d EPS sum |x_k y_k| for d terms. */

/* x . y over n values. Eight partial sums, of the terms 0, 8, 16, ... , 1, 9, ... , and so on, the
 * last n mod 8 terms all go to the first of them; then ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)).
 * The error is at most (n/8 + 10) EPS sum |x_i y_i|. x and y may be the same, null if n is 0. */
MARGIN_API margin_real margin_dot(const margin_real *x, const margin_real *y, size_t n);
/* y += a x over n values. */
MARGIN_API void margin_axpy(margin_real *y, margin_real a, const margin_real *x, size_t n);
/* Euclidean length, to a relative error of (n/16 + 6) EPS (for very large and very small values n
 * EPS); neither overflows nor underflows unless the result does. */
MARGIN_API margin_real margin_norm2(const margin_real *x, size_t n);
/* Largest |x_i|; 0 for n = 0. The norms of values with a NaN are NaN. */
MARGIN_API margin_real margin_norm_inf(const margin_real *x, size_t n);

/* Cholesky factor L of a symmetric positive definite matrix A = L L', in the lower triangle of a.
 * `a` holds both triangles of A on entry. The part above the diagonal is never written; on failure
 * the lower triangle is copied back from it, so that the matrix is as it was.
 * MARGIN_E_NOT_POSITIVE: a pivot was not positive; MARGIN_E_NOT_FINITE: NaN or infinity in the
 * lower triangle. This takes n^3 / 6 products, and no element of A - L L' is larger than (n + 2)
 * EPS max a_ii. */
MARGIN_API margin_status margin_cholesky(margin_real *a, size_t n, margin_arena *mem);
MARGIN_API size_t margin_cholesky_size(size_t n);
/* The same with diagonal pivots, for a semi-definite A: A[order[i]][order[j]] = (L L')[i][j]. The
 * pivot of a step is the largest element of the diagonal that is left. When it is at most tol times
 * the largest one of A, the factorisation ends after *rank columns; the other columns are zero, and
 * no element of the part that was not factored exceeds that size. tol < 1, and 0 means n EPS.
 * MARGIN_E_NOT_POSITIVE: the part that is left is clearly indefinite; a, order and rank are then
 * unchanged. */
MARGIN_API margin_status margin_cholesky_pivoted(margin_real *a, size_t n, margin_real tol,
                                                 margin_index *order, size_t *rank,
                                                 margin_arena *mem);
MARGIN_API size_t margin_cholesky_pivoted_size(size_t n);
/* Solves A X = B after margin_cholesky, where l is the factor of A and b the n x m matrix B (a
 * vector if m = 1), which X replaces. The triangle of l above its diagonal is not read.
 * MARGIN_E_NOT_POSITIVE: a diagonal element of l is zero or NaN, and b is unchanged. This takes
 * n^2 m products. */
MARGIN_API margin_status margin_cholesky_solve(margin_real *b, size_t m, const margin_real *l,
                                               size_t n);
/* Eigenvalues (largest first) and eigenvectors (row i of `vectors` belongs to values[i],
 * orthonormal) of the symmetric n x n matrix whose lower triangle is in a. Householder reduction
 * and implicit QR steps: 4/3 n^3 products, about 6 n^3 with vectors. `vectors` may be null (only
 * values are wanted) or a itself. Residual |A v - lambda v| and the error of the values are a small
 * multiple of n EPS |A|, |V V' - I| one of n EPS. MARGIN_E_NOT_FINITE: NaN or infinity in the lower
 * triangle; MARGIN_E_NO_CONVERGENCE after 30 n steps (not known to happen): values are unchanged,
 * vectors undefined. */
MARGIN_API margin_status margin_eigen(margin_real *values, margin_real *vectors,
                                      const margin_real *a, size_t n, margin_arena *mem);
MARGIN_API size_t margin_eigen_size(size_t n, bool vectors);
/* The k <= n largest eigenvalues (largest first, by value, not by size) and their eigenvectors, k
 * rows of n values. The same reduction, then inverse iteration with at most 8 solutions a vector,
 * each vector made orthogonal to those before it: 4/3 n^3 + 2 k n^2 products, a third of
 * margin_eigen when k is small. Errors and statuses as there; needs a copy of the matrix in the
 * arena. */
MARGIN_API margin_status margin_eigen_leading(margin_real *values, margin_real *vectors, size_t k,
                                              const margin_real *a, size_t n, margin_arena *mem);
MARGIN_API size_t margin_eigen_leading_size(size_t n);
/* Turns the k rows of d values of q into orthonormal rows by Gram and Schmidt's method, modified
 * and done twice: the first j rows span what they spanned before, for every j. A row that depends
 * on those before it, to (d + k) EPS, becomes zero; *rank (may be null) counts the others.
 * |Q Q' - I| is a small multiple of EPS whatever the rows. MARGIN_E_NOT_FINITE: nothing is
 * changed. */
MARGIN_API margin_status margin_orthonormal(margin_real *q, size_t k, size_t d, size_t *rank);

/* ---- >>bytes ---- the bytes of every plan as constant expressions, for static buffers -------- */

/* A memory plan is one list of blocks, X(place, type, rows, columns): margin_impl.h takes the
 * blocks of a list from an arena, and the macros here add up their bytes, so the two cannot differ.
 * Lists are named MARGIN_BLOCKS_.... Programs use the macros whose names end in _BYTES. Those of
 * trainers include the MARGIN_ALIGN - 1 bytes that a misaligned buffer may lose; the pieces to be
 * added to them, such as MARGIN_SCALING_BYTES and MARGIN_FOLDS_BYTES, do not. Their arguments are
 * the options that memory depends on.
 *
 *     static unsigned char mem[MARGIN_SVM_BYTES(200, 12)]; */
#define MARGIN_MORE(a, b) ((a) > (b) ? (a) : (b))
#define MARGIN_LESS(a, b) ((a) < (b) ? (a) : (b))
/* a + b, or SIZE_MAX where that does not fit: then the last term has all bits set. */
#define MARGIN_PLUS(a, b)                                                                          \
    (((size_t)(a) + (size_t)(b)) | ((size_t)0 - ((size_t)(a) + (size_t)(b) < (size_t)(b))))
/* Lists are added up as blocks of their own, or as parts of one block. */
#define MARGIN_AS_BLOCK(place, type, rows, columns)                                                \
    +MARGIN_BLOCK((size_t)(rows) * (size_t)(columns), sizeof(type)) /* NOLINT: a summand */
#define MARGIN_AS_PART(place, type, rows, columns)                                                 \
    +((size_t)(rows) * (size_t)(columns) * sizeof(type)) /* NOLINT: a summand */
#define MARGIN_REALS(count) MARGIN_BLOCK(count, sizeof(margin_real))

/* Scalings, folds, moments. */
#define MARGIN_SCALING_BYTES(d) (2u * MARGIN_REALS(d))
#define MARGIN_FOLDS_BYTES(n) MARGIN_BLOCK(n, sizeof(margin_index))
#define MARGIN_BLOCKS_MOMENTS(X, d)                                                                \
    X(vectors, margin_real, d, 7u)                                                                 \
    X(cov_lost, margin_real, d, d)
#define MARGIN_DATA_MOMENTS_BYTES(d) ((size_t)0 MARGIN_BLOCKS_MOMENTS(MARGIN_AS_BLOCK, d))

/* Linear algebra: values that vector units take at once, and the scratch of factors and
 * eigenvectors. */
#define MARGIN_QP_PANEL (64u / sizeof(margin_real))
#define MARGIN_PANEL_DEPTH(n)                                                                      \
    (((n) == 0u ? (size_t)0 : ((size_t)(n)-1u) / MARGIN_QP_PANEL * MARGIN_QP_PANEL))
#define MARGIN_BLOCKS_EIGEN(X, n)                                                                  \
    X(d, margin_real, n, 1u)                                                                       \
    X(e, margin_real, n, 1u)                                                                       \
    X(h, margin_real, n, 1u)                                                                       \
    X(q, margin_real, n, 1u)                                                                       \
    X(turn.c, margin_real, n, 1u)                                                                  \
    X(turn.s, margin_real, n, 1u)
#define MARGIN_BLOCKS_PIVOTED(X, n)                                                                \
    X(panel, margin_real, MARGIN_LESS(n, 32u), MARGIN_QP_PANEL)                                    \
    X(diagonal, margin_real, n, 1u)                                                                \
    X(left, margin_real, n, 1u)                                                                    \
    X(column, margin_real, n, 1u)                                                                  \
    X(order, margin_index, n, 1u)
#define MARGIN_BLOCKS_CHOLESKY(X, n)                                                               \
    X(panel, margin_real, MARGIN_PANEL_DEPTH(n), MARGIN_QP_PANEL)                                  \
    X(diagonal, margin_real, n, 1u)
#define MARGIN_BLOCKS_LEADING(X, n)                                                                \
    X(a, margin_real, n, n)                                                                        \
    X(d, margin_real, n, 1u)                                                                       \
    X(e, margin_real, n, 1u)                                                                       \
    X(u[0], margin_real, n, 1u)                                                                    \
    X(u[1], margin_real, n, 1u)                                                                    \
    X(u[2], margin_real, n, 1u)                                                                    \
    X(m, margin_real, n, 1u)                                                                       \
    X(swapped, margin_index, n, 1u)
#define MARGIN_EIGEN_BLOCKS(n) ((size_t)0 MARGIN_BLOCKS_EIGEN(MARGIN_AS_BLOCK, n))
#define MARGIN_PIVOTED_BLOCKS(n) ((size_t)0 MARGIN_BLOCKS_PIVOTED(MARGIN_AS_BLOCK, n))
#define MARGIN_CHOLESKY_BLOCKS(n) ((size_t)0 MARGIN_BLOCKS_CHOLESKY(MARGIN_AS_BLOCK, n))

/* Bytes that the kernel rows of n >= 1 samples of d features take of an arena, as a constant
 * expression: the budget, but not less than two rows need, nor more than is of use. It pays for
 * everything: norms, diagonal and bookkeeping (fixed); the rows, with their bookkeeping (each);
 * and, where size_t has 64 bits, a copy of the data packed for vector units. */
#define MARGIN_ROWS_FIXED(n)                                                                       \
    (2u * (size_t)(n) * sizeof(margin_real) + ((size_t)(n) + 2u) * sizeof(margin_index))
#define MARGIN_ROWS_EACH(n) ((size_t)(n) * sizeof(margin_real) + 3u * sizeof(margin_index))
#define MARGIN_ROWS_NEED(n, slots) (MARGIN_ROWS_FIXED(n) + (size_t)(slots)*MARGIN_ROWS_EACH(n))
#define MARGIN_ROWS_LEAST(n) MARGIN_ROWS_NEED(n, (size_t)(n) < 2u ? 1u : 2u)
#if SIZE_MAX > 0xFFFFFFFFu
#define MARGIN_ROWS_COPY(n, d) (((size_t)(n) * sizeof(margin_real) + 63u) / 64u * 64u * (d))
#else
#define MARGIN_ROWS_COPY(n, d) ((size_t)0 * (n) * (d))
#endif
#define MARGIN_ROWS_USE(n, d, bytes)                                                               \
    ((bytes) < MARGIN_ROWS_LEAST(n)                                       ? MARGIN_ROWS_LEAST(n)   \
     : ((bytes)-MARGIN_ROWS_FIXED(n)) / MARGIN_ROWS_EACH(n) < (size_t)(n) ? (bytes)                \
     : (bytes)-MARGIN_ROWS_NEED(n, (size_t)(n)) + 1u > MARGIN_ROWS_COPY(n, d)                      \
         ? MARGIN_ROWS_NEED(n, (size_t)(n)) + MARGIN_ROWS_COPY(n, d)                               \
         : MARGIN_ROWS_NEED(n, (size_t)(n)))
#define MARGIN_ROWS_BYTES(n, d, cache)                                                             \
    MARGIN_BLOCK(MARGIN_ROWS_USE(n, d, (cache) == 0 ? MARGIN_CACHE_BYTES : (size_t)(cache)), 1u)

/* What every training of machines takes besides its solver. `width` is the number of coefficients
 * of a sample, and `table` the same, but 0 for linear kernels. */
#define MARGIN_IS_REST(classes, scheme) ((scheme) == MARGIN_SCHEME_ONE_REST && (classes) > 2u)
#define MARGIN_MACHINES(classes, scheme)                                                           \
    (MARGIN_IS_REST(classes, scheme) ? (size_t)(classes)                                           \
                                     : (size_t)(classes) * ((size_t)(classes)-1u) / 2u)
#define MARGIN_WIDTH(classes, scheme)                                                              \
    ((size_t)(classes) - (MARGIN_IS_REST(classes, scheme) ? 0u : 1u))
#define MARGIN_BLOCKS_JOB(X, n, classes, machines, width)                                          \
    X(b, margin_real, n, 1u)                                                                       \
    X(f, margin_real, n, 1u)                                                                       \
    X(scores, margin_real, machines, 1u)                                                           \
    X(bias, margin_real, machines, 1u)                                                             \
    X(table, margin_real, n, width)                                                                \
    X(order, margin_index, n, 1u)                                                                  \
    X(part, margin_index, n, 1u)                                                                   \
    X(start, margin_index, MARGIN_PLUS(classes, 1u), 1u)                                           \
    X(used, uint8_t, n, 1u)
#define MARGIN_JOB_BYTES(n, classes, scheme, table)                                                \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_JOB(MARGIN_AS_PART, n, classes,                           \
                                             MARGIN_MACHINES(classes, scheme), table),             \
                 1u)
/* The results: weights of linear kernels, or at worst all samples with their coefficients. */
#define MARGIN_WEIGHTS_BYTES(d, classes, scheme)                                                   \
    MARGIN_REALS(MARGIN_MACHINES(classes, scheme) * ((size_t)(d) + 1u))
#define MARGIN_BLOCKS_POOL(X, n, d, width, machines, ends)                                         \
    X(vectors, margin_real, n, d)                                                                  \
    X(norms, margin_real, n, 1u)                                                                   \
    X(coef, margin_real, n, width)                                                                 \
    X(bias, margin_real, machines, 1u)                                                             \
    X(end, uint32_t, ends, 1u)
#define MARGIN_POOL_OF(n, d, width, machines, ends)                                                \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_POOL(MARGIN_AS_PART, n, d, width, machines, ends), 1u)
#define MARGIN_POOL_BYTES(n, d, classes, scheme)                                                   \
    MARGIN_POOL_OF(n, d, MARGIN_WIDTH(classes, scheme), MARGIN_MACHINES(classes, scheme), classes)

/* mam: for a linear kernel, batch or on-line, whatever n; for any other; for two classes, whichever
 * the kernel. `scheme` is that of the options, 0 for the default. */
#define MARGIN_BLOCKS_MAM(X, d, classes, work_values)                                              \
    X(sum, margin_real, classes, MARGIN_PLUS(d, 2u))                                               \
    X(low, margin_real, classes, MARGIN_PLUS(d, 2u))                                               \
    X(count, margin_index, classes, 1u)                                                            \
    X(work, margin_real, work_values, 1u)
#define MARGIN_MAM_LINEAR_BYTES(d, classes, scheme)                                                \
    (MARGIN_REALS(MARGIN_MACHINES(classes, scheme) * (d)) +                                        \
     MARGIN_REALS(MARGIN_MACHINES(classes, scheme))                                                \
         MARGIN_BLOCKS_MAM(MARGIN_AS_BLOCK, d, classes,                                            \
                           MARGIN_MORE((size_t)(d), MARGIN_MACHINES(classes, scheme))) +           \
     MARGIN_ALIGN - 1u)
#define MARGIN_BLOCKS_MAM_KERNEL(X, n, d)                                                          \
    X(norm, margin_real, n, 1u)                                                                    \
    X(lost, margin_real, n, 1u)                                                                    \
    X(panel, margin_real, MARGIN_PLUS(d, 4u), MARGIN_QP_PANEL)
#define MARGIN_MAM_WORK(n, d) ((size_t)0 MARGIN_BLOCKS_MAM_KERNEL(MARGIN_AS_BLOCK, n, d))
#define MARGIN_MAM_KERNEL_BYTES(n, d, classes, scheme)                                             \
    (MARGIN_JOB_BYTES(n, classes, scheme, MARGIN_WIDTH(classes, scheme)) +                         \
     MARGIN_MORE(MARGIN_MAM_WORK(n, d), MARGIN_POOL_BYTES(n, d, classes, scheme)) + MARGIN_ALIGN - \
     1u)
#define MARGIN_MAM_BYTES(n, d)                                                                     \
    MARGIN_MORE(MARGIN_MAM_LINEAR_BYTES(d, 2u, 0), MARGIN_MAM_KERNEL_BYTES(n, d, 2u, 0))

/* A quadratic programme with `rank` features or columns of a factor, the interior-point method, and
 * both with kernel rows. Where features are few the interior point goes first and the rows, which
 * are rarely needed, take its place. */
#define MARGIN_QP_DEPTH(n) ((size_t)((n) < 1024u ? 8u : 64u))
#define MARGIN_QP_ROOM(rank) ((rank) == 0u ? (size_t)0 : MARGIN_PLUS(rank, 2u))
#define MARGIN_BLOCKS_QP(X, n, room)                                                               \
    X(own, margin_real, n, 1u)                                                                     \
    X(g, margin_real, n, 1u)                                                                       \
    X(edge, margin_real, n, 1u)                                                                    \
    X(curve, margin_real, n, 1u)                                                                   \
    X(x, margin_real, n, 1u)                                                                       \
    X(res, margin_real, n, 1u)                                                                     \
    X(dir, margin_real, n, 1u)                                                                     \
    X(prod, margin_real, n, 1u)                                                                    \
    X(w, margin_real, room, 1u)                                                                    \
    X(ones[0], margin_real, room, 1u)                                                              \
    X(ones[1], margin_real, room, 1u)                                                              \
    X(dense, margin_real, room, room)                                                              \
    X(panel, margin_real, MARGIN_PANEL_DEPTH(room), MARGIN_QP_PANEL)                               \
    X(active, margin_index, n, 1u)                                                                 \
    X(face, margin_index, n, 1u)
#define MARGIN_QP_PROGRAMME(n, rank)                                                               \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_QP(MARGIN_AS_PART, n, MARGIN_QP_ROOM(rank)), 1u)
#define MARGIN_BLOCKS_INTERIOR(X, n, rank)                                                         \
    X(ds, margin_real, n, 1u)                                                                      \
    X(v, margin_real, MARGIN_PLUS(rank, 2u), 1u)                                                   \
    X(block, margin_real, MARGIN_PLUS(rank, 2u), MARGIN_QP_DEPTH(n))                               \
    X(pack, margin_real, MARGIN_QP_DEPTH(n), MARGIN_QP_PANEL)
#define MARGIN_QP_INTERIOR(n, rank)                                                                \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_INTERIOR(MARGIN_AS_PART, n, rank), 1u)
#define MARGIN_QP_ROWS(n, d, cache) (MARGIN_QP_PROGRAMME(n, 0u) + MARGIN_ROWS_BYTES(n, d, cache))
#define MARGIN_QP_LINEAR(n, d, cache)                                                              \
    ((d) <= (n) / 4u ? MARGIN_QP_PROGRAMME(n, d) +                                                 \
                           MARGIN_MORE(MARGIN_QP_INTERIOR(n, d),                                   \
                                       MARGIN_ROWS_BYTES(n, d, (cache) == 0u ? 1u : (cache)))      \
     : (d) <= (n)                                                                                  \
         ? MARGIN_QP_PROGRAMME(n, d) + MARGIN_QP_INTERIOR(n, d) + MARGIN_ROWS_BYTES(n, d, cache)   \
         : MARGIN_QP_ROWS(n, d, cache))

/* kmomd and svm: for a linear kernel and for any other, with the scheme and run.cache_bytes of the
 * options, and rank 0; for two classes, whichever the kernel, with a cache of the default size. */
#define MARGIN_KMOMD_LINEAR_BYTES(n, d, classes, scheme, cache)                                    \
    (MARGIN_WEIGHTS_BYTES(d, classes, scheme) + MARGIN_JOB_BYTES(n, classes, scheme, 0u) +         \
     MARGIN_QP_LINEAR(n, d, cache) + MARGIN_ALIGN - 1u)
#define MARGIN_KMOMD_KERNEL_BYTES(n, d, classes, scheme, cache)                                    \
    (MARGIN_JOB_BYTES(n, classes, scheme, MARGIN_WIDTH(classes, scheme)) +                         \
     MARGIN_MORE(MARGIN_QP_ROWS(n, d, cache), MARGIN_POOL_BYTES(n, d, classes, scheme)) +          \
     MARGIN_ALIGN - 1u)
#define MARGIN_KMOMD_BYTES(n, d)                                                                   \
    MARGIN_MORE(MARGIN_KMOMD_LINEAR_BYTES(n, d, 2u, 0, 0u),                                        \
                MARGIN_KMOMD_KERNEL_BYTES(n, d, 2u, 0, 0u))
#define MARGIN_SVM_LINEAR_BYTES(n, d, classes, scheme, cache)                                      \
    MARGIN_KMOMD_LINEAR_BYTES(n, d, classes, scheme, cache)
#define MARGIN_SVM_KERNEL_BYTES(n, d, classes, scheme, cache)                                      \
    MARGIN_KMOMD_KERNEL_BYTES(n, d, classes, scheme, cache)
#define MARGIN_SVM_BYTES(n, d) MARGIN_KMOMD_BYTES(n, d)

/* loss: for a linear kernel and for any other; for two classes, whichever the kernel. */
#define MARGIN_LOSS_MEMORY 8u /* steps that the optimiser remembers */
#define MARGIN_BLOCKS_SPACE(X, n)                                                                  \
    X(v, margin_real, n, n)                                                                        \
    X(lambda, margin_real, n, 1u)                                                                  \
    X(length, margin_real, n, 1u)
#define MARGIN_BLOCKS_DESCENT(X, n)                                                                \
    X(side, margin_real, n, 1u)                                                                    \
    X(price, margin_real, n, 1u)                                                                   \
    X(f, margin_real, n, 1u)                                                                       \
    X(slope, margin_real, n, 1u)                                                                   \
    X(ahead, margin_real, n, 1u)                                                                   \
    X(theta, margin_real, MARGIN_PLUS(n, 1u), 1u)                                                  \
    X(grad, margin_real, MARGIN_PLUS(n, 1u), 1u)                                                   \
    X(dir, margin_real, MARGIN_PLUS(n, 1u), 1u)                                                    \
    X(moved, margin_real, MARGIN_PLUS(n, 1u), MARGIN_LOSS_MEMORY)                                  \
    X(turned, margin_real, MARGIN_PLUS(n, 1u), MARGIN_LOSS_MEMORY)
#define MARGIN_LOSS_SEARCH(n)                                                                      \
    ((size_t)0 MARGIN_BLOCKS_SPACE(MARGIN_AS_BLOCK, n) MARGIN_BLOCKS_DESCENT(MARGIN_AS_BLOCK, n))
#define MARGIN_LOSS_WORK(n, d)                                                                     \
    (MARGIN_LOSS_SEARCH(n) + MARGIN_REALS((size_t)(n) + 1u) +                                      \
     MARGIN_MORE(MARGIN_EIGEN_BLOCKS(n), MARGIN_BLOCK(d, 64u)))
#define MARGIN_LOSS_LINEAR_BYTES(n, d, classes, scheme)                                            \
    (MARGIN_WEIGHTS_BYTES(d, classes, scheme) + MARGIN_JOB_BYTES(n, classes, scheme, 0u) +         \
     MARGIN_LOSS_WORK(n, d) + MARGIN_ALIGN - 1u)
#define MARGIN_LOSS_KERNEL_BYTES(n, d, classes, scheme)                                            \
    (MARGIN_JOB_BYTES(n, classes, scheme, MARGIN_WIDTH(classes, scheme)) +                         \
     MARGIN_MORE(MARGIN_LOSS_WORK(n, d), MARGIN_POOL_BYTES(n, d, classes, scheme)) +               \
     MARGIN_ALIGN - 1u)
#define MARGIN_LOSS_BYTES(n, d)                                                                    \
    MARGIN_MORE(MARGIN_LOSS_LINEAR_BYTES(n, d, 2u, 0), MARGIN_LOSS_KERNEL_BYTES(n, d, 2u, 0))

/* seco: for so many candidates, 32 or, with `greedy` and not `cheap`, 192, and otherwise default
 * values. The first is for linear kernels and unit-poly of a = 1, the second for all others. */
#define MARGIN_SECO_DIVISIONS 5u
typedef struct {
    margin_real c, weight, norm, expected;
    size_t covered, wrong;
    uint32_t mark;
    int8_t sign;
    bool done;
} margin_seco_candidate; /* what training stores of a candidate; here for its size alone */
#define MARGIN_BLOCKS_SECO(X, n, candidates)                                                       \
    X(rows, margin_index, n, 1u)                                                                   \
    X(active, margin_index, n, 1u)                                                                 \
    X(order, margin_index, n, 1u)                                                                  \
    X(rest, margin_index, n, 1u)                                                                   \
    X(outside, margin_index, n, 1u)                                                                \
    X(part, uint16_t, n, 1u)                                                                       \
    X(wrong, uint16_t, n, MARGIN_SECO_DIVISIONS)                                                   \
    X(fold, uint16_t, n, 1u)                                                                       \
    X(k, margin_real, n, n)                                                                        \
    X(table, margin_real, n, MARGIN_LIST_MOST)                                                     \
    X(bias, margin_real, MARGIN_LIST_MOST, 1u)                                                     \
    X(column, margin_real, n, 1u)                                                                  \
    X(candidate, margin_seco_candidate, candidates, 1u)                                            \
    X(thetas, margin_real, candidates, MARGIN_PLUS(n, 1u))
#define MARGIN_BLOCKS_SECO_SVM(X, n)                                                               \
    X(rows.values, margin_real, n, n)                                                              \
    X(rows.diag, margin_real, n, 1u)                                                               \
    X(rows.slot_of, margin_index, n, 1u)                                                           \
    X(list, margin_index, n, 1u)                                                                   \
    X(b, margin_real, n, 1u)
#define MARGIN_SECO_WORK(n, candidates)                                                            \
    (MARGIN_LOSS_SEARCH(n) + MARGIN_QP_PROGRAMME(n, 0u)                                            \
                                 MARGIN_BLOCKS_SECO(MARGIN_AS_BLOCK, n, candidates)                \
                                     MARGIN_BLOCKS_SECO_SVM(MARGIN_AS_BLOCK, n))
#define MARGIN_SECO_POOL(n, d)                                                                     \
    MARGIN_POOL_OF(n, d, MARGIN_LIST_MOST, MARGIN_LIST_MOST, 2u * MARGIN_LIST_MOST)
#define MARGIN_SECO_LINEAR_BYTES(n, d, candidates)                                                 \
    (MARGIN_SECO_WORK(n, candidates) +                                                             \
     MARGIN_MORE(MARGIN_MORE(MARGIN_EIGEN_BLOCKS(n), MARGIN_BLOCK(d, 64u)),                        \
                 MARGIN_SECO_POOL(MARGIN_LIST_MOST, d)) +                                          \
     MARGIN_ALIGN - 1u)
#define MARGIN_SECO_KERNEL_BYTES(n, d, candidates)                                                 \
    (MARGIN_SECO_WORK(n, candidates) +                                                             \
     MARGIN_MORE(MARGIN_MORE(MARGIN_EIGEN_BLOCKS(n), MARGIN_BLOCK(d, 64u)),                        \
                 MARGIN_MORE(MARGIN_PIVOTED_BLOCKS(n), MARGIN_SECO_POOL(n, d))) +                  \
     MARGIN_ALIGN - 1u)

/* Kendall's tau, thresholds, omam and lssvm; `classes` = 1 for rankers. omam of a linear kernel
 * takes 20 bytes a sample in float, for one sort, and three vectors; other kernels keep every
 * sample in the model. lssvm takes d^2 numbers for a linear kernel and n^2 for any other; `search`
 * is 1 if c is 0 or leave_one_out is set, else 0. */
#define MARGIN_ORDINAL_MACHINES(classes)                                                           \
    ((size_t)(classes) > 2u ? (size_t)(classes)-1u : (size_t)1u)
#define MARGIN_KENDALL_BYTES(n) (2u * MARGIN_BLOCK(n, sizeof(margin_index)))
#define MARGIN_BLOCKS_CUTS(X, classes)                                                             \
    X(best, margin_real, classes, 1u)                                                              \
    X(cost, margin_real, classes, 1u)                                                              \
    X(cuts, margin_index, classes, MARGIN_ORDINAL_MACHINES(classes))
#define MARGIN_THRESHOLDS_BYTES(n, classes)                                                        \
    (MARGIN_KENDALL_BYTES(n) MARGIN_BLOCKS_CUTS(MARGIN_AS_BLOCK, classes))
#define MARGIN_BLOCKS_ORDINAL(X, n)                                                                \
    X(rows, margin_index, n, 1u)                                                                   \
    X(rank, margin_real, n, 1u)                                                                    \
    X(f, margin_real, n, 1u)
#define MARGIN_ORDINAL_COMMON(n, classes)                                                          \
    (MARGIN_REALS(MARGIN_ORDINAL_MACHINES(classes)) +                                              \
     MARGIN_THRESHOLDS_BYTES(n, classes) MARGIN_BLOCKS_ORDINAL(MARGIN_AS_BLOCK, n))
#define MARGIN_ORDINAL_POOL(n, d, classes)                                                         \
    MARGIN_POOL_OF(n, d, 1u, MARGIN_ORDINAL_MACHINES(classes), classes)
#define MARGIN_OMAM_LINEAR_BYTES(n, d, classes)                                                    \
    (3u * MARGIN_REALS(d) + MARGIN_ORDINAL_COMMON(n, classes) + MARGIN_ALIGN - 1u)
#define MARGIN_OMAM_KERNEL_BYTES(n, d, classes)                                                    \
    (MARGIN_REALS(n) + MARGIN_ORDINAL_COMMON(n, classes) +                                         \
     MARGIN_MORE(MARGIN_MAM_WORK(n, d), MARGIN_ORDINAL_POOL(n, d, classes)) + MARGIN_ALIGN - 1u)
#define MARGIN_BLOCKS_PRIMAL(X, d)                                                                 \
    X(axes, margin_real, d, d)                                                                     \
    X(mean, margin_real, d, 1u)                                                                    \
    X(value, margin_real, d, 1u)                                                                   \
    X(beta, margin_real, d, 1u)                                                                    \
    X(z, margin_real, d, 1u)
#define MARGIN_LSSVM_LINEAR_BYTES(n, d, classes)                                                   \
    (MARGIN_REALS(d) +                                                                             \
     MARGIN_ORDINAL_COMMON(n, classes) MARGIN_BLOCKS_PRIMAL(MARGIN_AS_BLOCK, d) +                  \
     MARGIN_MORE(MARGIN_DATA_MOMENTS_BYTES(d), MARGIN_EIGEN_BLOCKS(d)) + MARGIN_ALIGN - 1u)
#define MARGIN_BLOCKS_DUAL(X, n, columns)                                                          \
    X(matrix, margin_real, n, n)                                                                   \
    X(diag, margin_real, n, 1u)                                                                    \
    X(norm, margin_real, n, 1u)                                                                    \
    X(inverse, margin_real, n, 1u)                                                                 \
    X(fresh, margin_real, n, 1u)                                                                   \
    X(panel, margin_real, n, columns)
#define MARGIN_LSSVM_KERNEL_BYTES(n, d, classes, search)                                           \
    (MARGIN_REALS(n) + MARGIN_ORDINAL_COMMON(n, classes) +                                         \
     MARGIN_MORE((size_t)0 MARGIN_BLOCKS_DUAL(MARGIN_AS_BLOCK, n, (search) != 0 ? 16u : 0u) +      \
                     MARGIN_MORE(MARGIN_BLOCK(d, 64u), MARGIN_CHOLESKY_BLOCKS(n)),                 \
                 MARGIN_ORDINAL_POOL(n, d, classes)) +                                             \
     MARGIN_ALIGN - 1u)
#define MARGIN_OMAM_ONLINE_BYTES(d, classes)                                                       \
    (MARGIN_REALS(d) + MARGIN_REALS(MARGIN_ORDINAL_MACHINES(classes)) +                            \
     MARGIN_BLOCK(classes, sizeof(margin_index)) MARGIN_BLOCKS_MAM(                                \
         MARGIN_AS_BLOCK, d, classes, MARGIN_MORE((size_t)(d), 2u * (size_t)(classes))) +          \
     MARGIN_ALIGN - 1u)

/* What is set by samples left out of training: oneclass, and svr with `outside`. */
#define MARGIN_BLOCKS_CONFORMAL(X, n)                                                              \
    X(odd, margin_real, n, 1u)                                                                     \
    X(known, margin_real, n, 1u)                                                                   \
    X(rows, margin_index, n, 1u)                                                                   \
    X(order, margin_index, n, 1u)                                                                  \
    X(spare, margin_index, n, 1u)                                                                  \
    X(fold, uint16_t, n, 1u)
#define MARGIN_CONFORMAL(n) ((size_t)0 MARGIN_BLOCKS_CONFORMAL(MARGIN_AS_BLOCK, n))

/* oneclass: planes, with the run.cache_bytes of the options and rank 0; for any kernel, with a
 * cache of the default size. */
#define MARGIN_BLOCKS_ONECLASS(X, n)                                                               \
    X(rows, margin_index, n, 1u)                                                                   \
    X(b, margin_real, n, 1u)                                                                       \
    X(f, margin_real, n, 1u)                                                                       \
    X(lin, margin_real, n, 1u)
#define MARGIN_ONECLASS_LINEAR_BYTES(n, d, cache)                                                  \
    (MARGIN_CONFORMAL(n) +                                                                         \
     MARGIN_REALS((size_t)(d) + 1u) MARGIN_BLOCKS_ONECLASS(MARGIN_AS_BLOCK, n) +                   \
     MARGIN_QP_LINEAR(n, d, cache) + MARGIN_ALIGN - 1u)
#define MARGIN_ONECLASS_KERNEL_BYTES(n, d, cache)                                                  \
    (MARGIN_CONFORMAL(n) MARGIN_BLOCKS_ONECLASS(MARGIN_AS_BLOCK, n) +                              \
     MARGIN_MORE(MARGIN_QP_ROWS(n, d, cache), MARGIN_POOL_OF(n, d, 1u, 1u, 2u)) + MARGIN_ALIGN -   \
     1u)
#define MARGIN_ONECLASS_BYTES(n, d)                                                                \
    MARGIN_MORE(MARGIN_ONECLASS_LINEAR_BYTES(n, d, 0u), MARGIN_ONECLASS_KERNEL_BYTES(n, d, 0u))

/* svr: epsilon-insensitive or nu, without `outside`, with run.cache_bytes and rank 0. Squares take
 * what lssvm takes for one class. */
#define MARGIN_BLOCKS_SVR(X, n)                                                                    \
    X(part, margin_index, n, 1u)                                                                   \
    X(b, margin_real, n, 1u)                                                                       \
    X(f, margin_real, n, 1u)                                                                       \
    X(lin, margin_real, n, 1u)                                                                     \
    X(side, uint8_t, n, 1u)
#define MARGIN_SVR_LINEAR_BYTES(n, d, cache)                                                       \
    (MARGIN_REALS(d) +                                                                             \
     MARGIN_ORDINAL_COMMON(n, 1u) MARGIN_BLOCKS_SVR(MARGIN_AS_BLOCK, 2u * (size_t)(n)) +           \
     MARGIN_QP_LINEAR(2u * (size_t)(n), d, cache) + MARGIN_ALIGN - 1u)
#define MARGIN_SVR_KERNEL_BYTES(n, d, cache)                                                       \
    (MARGIN_REALS(n) + MARGIN_ORDINAL_COMMON(n, 1u) +                                              \
     MARGIN_MORE(MARGIN_QP_ROWS(n, d, cache) MARGIN_BLOCKS_SVR(MARGIN_AS_BLOCK, n),                \
                 MARGIN_ORDINAL_POOL(n, d, 1u)) +                                                  \
     MARGIN_ALIGN - 1u)
#define MARGIN_SVR_BYTES(n, d)                                                                     \
    MARGIN_MORE(MARGIN_SVR_LINEAR_BYTES(n, d, 0u), MARGIN_SVR_KERNEL_BYTES(n, d, 0u))

/* rates. The lists: vectors of `dim` and of `rows` numbers that every problem takes; a problem
 * that is given by moments; a problem that is given by a kernel matrix, of which the solver `iter`
 * takes one more matrix. Each is one block. */
#define MARGIN_BLOCKS_RATES(X, dim, rows)                                                          \
    X(p.delta, margin_real, dim, 1u)                                                               \
    X(p.system.diag[0], margin_real, dim, 1u)                                                      \
    X(p.system.diag[1], margin_real, dim, 1u)                                                      \
    X(p.system.metric, margin_real, dim, 1u)                                                       \
    X(p.at.v, margin_real, dim, 1u)                                                                \
    X(p.room.r, margin_real, dim, 1u)                                                              \
    X(p.room.t, margin_real, dim, 1u)                                                              \
    X(p.at.a[0], margin_real, dim, 1u)                                                             \
    X(p.at.a[1], margin_real, dim, 1u)                                                             \
    X(p.best.y, margin_real, dim, 1u)                                                              \
    X(p.centre[0], margin_real, dim, 1u)                                                           \
    X(p.centre[1], margin_real, dim, 1u)                                                           \
    X(p.at.q, margin_real, rows, 1u)                                                               \
    X(p.room.s, margin_real, rows, 1u)                                                             \
    X(p.room.x, margin_real, rows, 1u)                                                             \
    X(p.best.q, margin_real, rows, 1u)                                                             \
    X(p.system.gram, margin_real, rows, 1u)                                                        \
    X(p.root, margin_real, rows, 1u)
#define MARGIN_RATES_PANEL(size) MARGIN_MORE((size_t)(size), (size_t)32u)
#define MARGIN_BLOCKS_RATES_MOMENTS(X, d)                                                          \
    X(cov, margin_real, 2u * (size_t)(d), d)                                                       \
    X(mean, margin_real, 2u, d)                                                                    \
    X(weight, margin_real, 2u, 1u)                                                                 \
    X(p.system.sigma, margin_real, d, d)                                                           \
    X(p.system.work, margin_real, d, d)                                                            \
    X(p.system.panel, margin_real, MARGIN_QP_PANEL, MARGIN_RATES_PANEL(d))                         \
    MARGIN_BLOCKS_RATES(X, d, 2u * (size_t)(d))                                                    \
    X(order, margin_index, d, 1u)
#define MARGIN_BLOCKS_RATES_GRAM(X, n, d, more)                                                    \
    X(k, margin_real, n, n)                                                                        \
    X(p.z, margin_real, n, n)                                                                      \
    X(p.system.work, margin_real, n, n)                                                            \
    X(p.system.sigma, margin_real, more, n)                                                        \
    X(p.system.panel, margin_real, MARGIN_QP_PANEL,                                                \
      MARGIN_RATES_PANEL(MARGIN_MORE((size_t)(n), (size_t)(d))))                                   \
    MARGIN_BLOCKS_RATES(X, n, n)                                                                   \
    X(order, margin_index, n, 1u)
#define MARGIN_RATES_FROM_MOMENTS(d)                                                               \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_RATES_MOMENTS(MARGIN_AS_PART, d), 1u)
#define MARGIN_RATES_FROM_GRAM(n, d, solver)                                                       \
    MARGIN_BLOCK((size_t)0 MARGIN_BLOCKS_RATES_GRAM(                                               \
                     MARGIN_AS_PART, n, d, (solver) == MARGIN_RATES_ITER ? (size_t)(n) : 0u),      \
                 1u)

/* MARGIN_RATES_LINEAR_BYTES is for a linear kernel, which is the default; if n > d, its memory does
 * not depend on n. MARGIN_RATES_KERNEL_BYTES is for any other kernel, MARGIN_RATES_MOMENTS_BYTES
 * for given moments. `solver` is MARGIN_RATES_FAST or MARGIN_RATES_ITER. */
#define MARGIN_RATES_MOMENTS_BYTES(d)                                                              \
    (MARGIN_WEIGHTS_BYTES(d, 2u, 0) + MARGIN_RATES_FROM_MOMENTS(d) + MARGIN_ALIGN - 1u)
#define MARGIN_RATES_LINEAR_BYTES(n, d, solver)                                                    \
    ((n) > (d) ? MARGIN_RATES_MOMENTS_BYTES(d)                                                     \
               : MARGIN_WEIGHTS_BYTES(d, 2u, 0) + MARGIN_JOB_BYTES(n, 2u, 0, 0u) +                 \
                     MARGIN_RATES_FROM_GRAM(n, d, solver) + MARGIN_ALIGN - 1u)
#define MARGIN_RATES_KERNEL_BYTES(n, d, solver)                                                    \
    (MARGIN_JOB_BYTES(n, 2u, 0, 1u) +                                                              \
     MARGIN_MORE(MARGIN_RATES_FROM_GRAM(n, d, solver), MARGIN_POOL_BYTES(n, d, 2u, 0)) +           \
     MARGIN_ALIGN - 1u)
/* For any kernel, with the solver `fast`. */
#define MARGIN_RATES_BYTES(n, d)                                                                   \
    MARGIN_MORE(MARGIN_RATES_LINEAR_BYTES(n, d, 0), MARGIN_RATES_KERNEL_BYTES(n, d, 0))

/* proto, without clusters and tangents of samples: MARGIN_PROTO_BYTES is for tvq and td that start
 * from hss models, MARGIN_PROTO_HSS_BYTES for hss, MARGIN_PROTO_LVQ_BYTES for both kinds of lvq,
 * and MARGIN_PROTO_NN_BYTES for nn with a budget, or n for none. `tangents` is at most d - 1, and
 * the lesser of n and d at most MARGIN_PROTO_SIDE; above that less memory is taken.
 *
 *     // n, d, classes, models, tangents:
 *     static unsigned char mem[MARGIN_PROTO_BYTES(200, 12, 3, 1, 2)];
 *     static unsigned char mem[MARGIN_PROTO_LVQ_BYTES(200, 12, 3, 4)];     // n, d, classes, models
 *     static unsigned char mem[MARGIN_PROTO_NN_BYTES(200, 12, 3, 40)];     // n, d, classes, budget
 *
 * The lists: what is kept; what every method takes, where the counts that a method has no use for
 * are 0; models while they change, with their gradient; the decompositions of hss and of exits. */
#define MARGIN_PROTO_BLOCK (SIZE_MAX > 0xFFFFFFFFu ? 128u : SIZE_MAX > 0xFFFFu ? 8u : 2u)
#define MARGIN_PROTO_SIDE (SIZE_MAX > 0xFFFFu ? 1024u : 64u)
#define MARGIN_BLOCKS_PROTO_KEPT(X, classes, exit_count, pool, d)                                  \
    X(kept.class_end, uint32_t, classes, 1u)                                                       \
    X(kept.exits, margin_real, exit_count, 1u)                                                     \
    X(kept.vectors, margin_real, pool, d)
#define MARGIN_BLOCKS_PROTO(X, n, d, products, shifts, clusters, draws, orders, codebooks, sides)  \
    X(room.centre, margin_real, d, 1u)                                                             \
    X(room.block, margin_real, MARGIN_PROTO_BLOCK, d)                                              \
    X(room.norm, margin_real, MARGIN_PROTO_BLOCK, 1u)                                              \
    X(room.dots, margin_real, MARGIN_PROTO_BLOCK, products)                                        \
    X(room.panel, margin_real, MARGIN_QP_PANEL,                                                    \
      MARGIN_LESS(MARGIN_MORE(d, MARGIN_PROTO_BLOCK), 256u))                                       \
    X(room.shift, margin_real, shifts, 1u)                                                         \
    X(weights.w, margin_real, n, 1u)                                                               \
    X(weights.before, margin_real, n, 1u)                                                          \
    X(weights.left_out, uint8_t, n, 1u)                                                            \
    X(lists.member, uint16_t, clusters, 1u)                                                        \
    X(lists.rows, margin_index, draws, 1u)                                                         \
    X(lists.order, margin_index, orders, 1u)                                                       \
    X(rates, margin_real, codebooks, 1u)                                                           \
    X(sided.along, margin_real, n, sides)                                                          \
    X(sided.plane, margin_real, sides, d)
#define MARGIN_BLOCKS_PROTO_POINT(X, n, d, pool)                                                   \
    X(v, margin_real, pool, d)                                                                     \
    X(grad, margin_real, pool, d)                                                                  \
    X(sums, margin_real, pool, 1u)                                                                 \
    X(mu, margin_real, n, 1u)
#define MARGIN_BLOCKS_PROTO_STEPS(X, d, pool)                                                      \
    X(descent.step, margin_real, pool, d)                                                          \
    X(descent.square, margin_real, pool, 1u)
#define MARGIN_BLOCKS_PROTO_HSS(X, d, high, wide, side, spare)                                     \
    X(matrix, margin_real, high, wide)                                                             \
    X(part, margin_real, high, wide)                                                               \
    X(values, margin_real, spare, 1u)                                                              \
    X(found, margin_real, spare, side)                                                             \
    X(other, margin_real, MARGIN_PROTO_BLOCK, d)
#define MARGIN_BLOCKS_PROTO_EDGE(X, tangents)                                                      \
    X(gram, margin_real, tangents, tangents)                                                       \
    X(values, margin_real, tangents, 1u)
#define MARGIN_PROTO_LEADING(d, side, spare)                                                       \
    ((size_t)0 MARGIN_BLOCKS_PROTO_HSS(MARGIN_AS_BLOCK, d, side, side, side, spare) +              \
     MARGIN_EIGEN_BLOCKS(side) MARGIN_BLOCKS_LEADING(MARGIN_AS_BLOCK, side))
#define MARGIN_PROTO_EDGE(tangents)                                                                \
    ((size_t)0 MARGIN_BLOCKS_PROTO_EDGE(MARGIN_AS_BLOCK, tangents) +                               \
     MARGIN_EIGEN_BLOCKS(tangents) + MARGIN_REALS((size_t)(tangents) * (tangents)))
#define MARGIN_PROTO_START(n, d, tangents)                                                         \
    ((tangents) == 0u                                                                              \
         ? (size_t)0                                                                               \
         : MARGIN_MORE(MARGIN_PROTO_EDGE(tangents),                                                \
                       MARGIN_PROTO_LEADING(d, MARGIN_LESS(n, d),                                  \
                                            MARGIN_LESS((tangents) + 8u, MARGIN_LESS(n, d)))))
#define MARGIN_PROTO_ALL(classes, models, tangents)                                                \
    ((size_t)(classes) * (models) * (1u + (size_t)(tangents)))
#define MARGIN_PROTO_HSS_BYTES(n, d, classes, models, tangents)                                    \
    ((size_t)0 MARGIN_BLOCKS_PROTO_KEPT(MARGIN_AS_BLOCK, classes,                                  \
                                        (tangents) == 0u ? 0u : (size_t)(classes) * (models),      \
                                        MARGIN_PROTO_ALL(classes, models, tangents), d)            \
         MARGIN_BLOCKS_PROTO(MARGIN_AS_BLOCK, n, d, MARGIN_PROTO_ALL(classes, models, tangents),   \
                             MARGIN_PROTO_ALL(classes, models, tangents), 0u,                      \
                             (models) > 1u ? (size_t)(n) : 0u, 0u, 0u, 0u) +                       \
     MARGIN_REALS(n) + MARGIN_PROTO_START(n, d, tangents) + MARGIN_ALIGN - 1u)
#define MARGIN_PROTO_BYTES(n, d, classes, models, tangents)                                        \
    ((size_t)0 MARGIN_BLOCKS_PROTO_KEPT(MARGIN_AS_BLOCK, classes,                                  \
                                        (tangents) == 0u ? 0u : (size_t)(classes) * (models),      \
                                        MARGIN_PROTO_ALL(classes, models, tangents), d)            \
         MARGIN_BLOCKS_PROTO(MARGIN_AS_BLOCK, n, d, MARGIN_PROTO_ALL(classes, models, tangents),   \
                             MARGIN_PROTO_ALL(classes, models, tangents), 0u, n, n, 0u, 0u)        \
             MARGIN_BLOCKS_PROTO_POINT(MARGIN_AS_BLOCK, n, d,                                      \
                                       MARGIN_PROTO_ALL(classes, models, tangents))                \
                 MARGIN_BLOCKS_PROTO_STEPS(MARGIN_AS_BLOCK, d,                                     \
                                           MARGIN_PROTO_ALL(classes, models, tangents)) +          \
     MARGIN_PROTO_START(n, d, tangents) + MARGIN_ALIGN - 1u)
#define MARGIN_PROTO_LVQ_BYTES(n, d, classes, models)                                              \
    ((size_t)0 MARGIN_BLOCKS_PROTO_KEPT(MARGIN_AS_BLOCK, classes, 0u,                              \
                                        MARGIN_PROTO_ALL(classes, models, 0u), d)                  \
         MARGIN_BLOCKS_PROTO(MARGIN_AS_BLOCK, n, d, MARGIN_PROTO_ALL(classes, models, 0u),         \
                             MARGIN_PROTO_ALL(classes, models, 0u), n, n, n,                       \
                             MARGIN_PROTO_ALL(classes, models, 0u), 0u) +                          \
     MARGIN_REALS(n) + MARGIN_REALS(MARGIN_PROTO_ALL(classes, models, 0u) * (d)) + MARGIN_ALIGN -  \
     1u)
#define MARGIN_PROTO_NN_BYTES(n, d, classes, budget)                                               \
    ((size_t)0 MARGIN_BLOCKS_PROTO_KEPT(                                                           \
         MARGIN_AS_BLOCK, classes, 0u,                                                             \
         MARGIN_MORE((size_t)MARGIN_LESS(n, budget), (size_t)(classes)), d)                        \
         MARGIN_BLOCKS_PROTO(MARGIN_AS_BLOCK, n, d, 1u, 0u, 0u, (budget) < (n) ? (size_t)(n) : 0u, \
                             0u, 0u, 0u) +                                                         \
     MARGIN_REALS(n) + MARGIN_ALIGN - 1u)

#define MARGIN_ONECLASS_ONLINE_BYTES(d)                                                            \
    (2u * MARGIN_REALS(d) + MARGIN_REALS((size_t)(d) * (d)) + MARGIN_ALIGN - 1u)

/* compact: bytes for n samples of d features and so many classes and vectors. */
#define MARGIN_COMPACT_BATCH 32u /* samples of one step */
#define MARGIN_COMPACT_WIDTH(classes) ((size_t)((classes) > 2u ? (classes) : 1u))
#define MARGIN_COMPACT_PANEL(d, width, vectors)                                                    \
    MARGIN_MORE(MARGIN_MORE((size_t)(d) + 1u, (size_t)(vectors)),                                  \
                MARGIN_MORE((size_t)(width), (size_t)MARGIN_COMPACT_BATCH))
/* The lists: what is kept, of `deep` values a vector; the numbers of a part that is learned; and
 * what a step takes, where z is the rank plus one, or 0 without a projection. */
#define MARGIN_BLOCKS_COMPACT_KEPT(X, d, deep, classes, width, vector_count, rank, mask)           \
    X(vectors, margin_real, vector_count, deep)                                                    \
    X(norms, margin_real, vector_count, 1u)                                                        \
    X(coef, margin_real, vector_count, width)                                                      \
    X(bias, margin_real, width, 1u)                                                                \
    X(class_end, uint32_t, classes, 1u)                                                            \
    X(front, margin_real, rank, d)                                                                 \
    X(front_bias, margin_real, rank, 1u)                                                           \
    X(picked, uint8_t, mask, 1u)
#define MARGIN_BLOCKS_COMPACT_PART(X, row_count, col_count)                                        \
    X(value, margin_real, row_count, col_count)                                                    \
    X(used, margin_real, row_count, col_count)                                                     \
    X(slope, margin_real, row_count, col_count)                                                    \
    X(mean, margin_real, row_count, col_count)                                                     \
    X(size, margin_real, row_count, 1u)
#define MARGIN_BLOCKS_COMPACT(X, count, d, width, vector_count, rank, seen)                        \
    X(x, margin_real, MARGIN_COMPACT_BATCH, MARGIN_PLUS(d, 1u))                                    \
    X(y, margin_real, MARGIN_COMPACT_BATCH, seen)                                                  \
    X(y_slope, margin_real, MARGIN_COMPACT_BATCH, rank)                                            \
    X(z, margin_real, MARGIN_COMPACT_BATCH, vector_count)                                          \
    X(h, margin_real, MARGIN_COMPACT_BATCH, vector_count)                                          \
    X(e, margin_real, MARGIN_COMPACT_BATCH, vector_count)                                          \
    X(s, margin_real, MARGIN_COMPACT_BATCH, width)                                                 \
    X(top, margin_real, vector_count, 1u)                                                          \
    X(panel, margin_real, MARGIN_QP_PANEL,                                                         \
      MARGIN_LESS(MARGIN_COMPACT_PANEL(d, width, vector_count), 256u))                             \
    X(centre, margin_real, d, 1u)                                                                  \
    X(spread, margin_real, d, 1u)                                                                  \
    X(pick, margin_index, d, 1u)                                                                   \
    X(mu, margin_real, count, 1u)                                                                  \
    X(order, margin_index, count, 1u)
#define MARGIN_COMPACT_PARTS(d, deep, width, vectors, rank)                                        \
    ((size_t)0 MARGIN_BLOCKS_COMPACT_PART(MARGIN_AS_BLOCK, rank, d)                                \
         MARGIN_BLOCKS_COMPACT_PART(MARGIN_AS_BLOCK, vectors, (size_t)(deep) + 1u)                 \
             MARGIN_BLOCKS_COMPACT_PART(MARGIN_AS_BLOCK, vectors, width)                           \
                 MARGIN_BLOCKS_COMPACT_PART(MARGIN_AS_BLOCK, 1u, width)                            \
                     MARGIN_BLOCKS_COMPACT_PART(MARGIN_AS_BLOCK, 1u, 1u))
#define MARGIN_COMPACT_ALL(n, d, deep, classes, vectors, rank, seen, stay, mask)                   \
    (MARGIN_COMPACT_PARTS(d, deep, MARGIN_COMPACT_WIDTH(classes), vectors, rank)                   \
         MARGIN_BLOCKS_COMPACT_KEPT(MARGIN_AS_BLOCK, d, stay, classes,                             \
                                    MARGIN_COMPACT_WIDTH(classes), vectors, rank, mask)            \
             MARGIN_BLOCKS_COMPACT(MARGIN_AS_BLOCK, n, d, MARGIN_COMPACT_WIDTH(classes), vectors,  \
                                   rank, seen) +                                                   \
     MARGIN_ALIGN - 1u)
#define MARGIN_COMPACT_BYTES(n, d, classes, vectors)                                               \
    MARGIN_COMPACT_ALL(n, d, d, classes, vectors, 0u, 0u, d, 0u)
/* With a projection of a rank above 0. */
#define MARGIN_COMPACT_RANK_BYTES(n, d, classes, vectors, rank)                                    \
    MARGIN_COMPACT_ALL(n, d, rank, classes, vectors, rank, (size_t)(rank) + 1u, rank, 0u)
/* With a choice of features, less than d. */
#define MARGIN_COMPACT_FEATURES_BYTES(n, d, classes, vectors, features)                            \
    MARGIN_COMPACT_ALL(n, d, d, classes, vectors, 0u, 0u, features, MARGIN_PICKED_BYTES(d))
#define MARGIN_PICKED_BYTES(d) (((size_t)(d) + 7u) / 8u)

#endif /* MARGIN_PREDICT_ONLY */

#ifdef __cplusplus
}
#endif

#endif /* MARGIN_H */

/* Outside the guard, so that an earlier plain include cannot swallow the implementation. */
#if defined(MARGIN_IMPLEMENTATION) && !defined(MARGIN_IMPL_H)
#include "margin_impl.h"
#endif
