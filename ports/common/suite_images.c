/* suite_images.c -- forged images: heads made of lies, with a right checksum, and nothing readable behind the image.
 *
 * Machines with 16, 32 and 64 bits of size_t must refuse the same images, and none may touch a byte behind one. In a
 * process the image ends where an inaccessible page begins; elsewhere a few marked bytes follow it. */
#include "port.h"
#include "port_machine.h"
#include "suite.h"
#include "tests/image_seal.h"

#define TRIALS 4000u
#define LONGEST 128u /* bytes of an image */
#define MARKED 32u   /* bytes behind it, where no page guards it */
#define MARK 0xA5u

typedef struct {
    margin_rng rng;
    margin_arena *mem;
    unsigned char *end; /* of the images */
    unsigned char copy[LONGEST];
    bool guarded;
} forgery;

static uint32_t any(forgery *f, uint32_t n) {
    return margin_rng_u32(&f->rng) % n;
}

static void put(unsigned char *p, uint32_t value, unsigned bytes) {
    while (bytes-- > 0) {
        *p++ = (unsigned char)(value & 255u);
        value >>= 8;
    }
}

/* A count: often one that fits the image, else one whose product with another leaves size_t. */
static uint32_t count(forgery *f) {
    static const uint32_t large[9] = {0x3FFFFFFFu, 0x40000000u, 0x40000001u,
                                      0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu,
                                      0x10000u,    0xFFFFu,     0x4000u};
    return any(f, 2u) == 0 ? any(f, 6u) : large[any(f, 9u)];
}

/* Kind, format and scheme go together more often than not, so that the sizes are looked at. */
static void head(forgery *f, unsigned char *p, uint32_t bytes) {
    static const unsigned char formats[4] = {0, 0, MARGIN_Q15, MARGIN_Q7};
    const unsigned kind = 1u + any(f, 4u);
    const bool proto = kind == MARGIN_MODEL_PROTO, several = any(f, 4u) == 0;
    uint32_t before; /* the notes */
    put(p, UINT32_C(0x1A6E676D), 4);
    put(p + 4, MARGIN_IMAGE_VERSION, 2);
    p[6] = (unsigned char)kind;
    p[7] = formats[any(f, 4u)];
    put(p + 8, bytes, 4);
    put(p + 16, kind == MARGIN_MODEL_LINEAR ? 0 : count(f), 4);
    put(p + 20, count(f), 4);
    put(p + 24, several ? count(f) & 0xFFFFu : 2u, 2);
    put(p + 26, kind == MARGIN_MODEL_LINEAR ? 0 : proto ? any(f, 33u) * any(f, 2u) : 1u, 2);
    p[28] = (unsigned char)(proto ? MARGIN_SCHEME_NEAREST : several ? 1u + any(f, 4u) : 0);
    p[29] = (unsigned char)(kind % 2u != 0 ? 0 : any(f, 5u));
    p[30] = (unsigned char)(kind == MARGIN_MODEL_LINEAR ? 0 : 1u + any(f, 3u));
    p[31] =
        (unsigned char)(kind == MARGIN_MODEL_LINEAR && p[7] == 0 ? 0 : any(f, p[7] == 0 ? 2u : 4u));
    if (kind % 2u == 0 && p[7] == 0) {
        put(p + 32, UINT32_C(0x3F800000), 4); /* gamma and a are 1 */
        put(p + 40, UINT32_C(0x3F800000), 4);
    } else if (kind % 2u == 0) {
        p[32] = (unsigned char)any(f, 8u); /* shift */
        p[38] = 1;                         /* step */
    }
    before = any(f, 2u) == 0 ? any(f, bytes + 4u) : 4u * (16u + any(f, 12u));
    put(p + 56, any(f, 4u) == 0 ? count(f) : bytes - before, 4);
}

static void forge(forgery *f, unsigned char *p, uint32_t bytes) {
    const bool noise = any(f, 2u) == 0;
    for (uint32_t i = 0; i < bytes; i++) {
        p[i] =
            (unsigned char)(noise && i >= MARGIN_IMAGE_HEAD ? margin_rng_u32(&f->rng) & 127u : 0);
    }
    head(f, p, bytes);
    image_seal(p, bytes);
    for (uint32_t i = 0; i < bytes; i++) { f->copy[i] = p[i]; }
}

static void keep(forgery *f, const unsigned char *p, uint32_t bytes, bool same) {
    for (uint32_t i = 0; same && i < bytes; i++) {
        if (p[i] != f->copy[i]) { suite_fail("swapped"); }
    }
    for (uint32_t i = 0; !f->guarded && i < MARKED; i++) {
        if (f->end[i] != MARK) { suite_fail("written"); }
    }
}

/* Whether an image is accepted; a copy must be accepted if and only if the image is, in its place. */
static bool accepted(forgery *f, unsigned char *p, uint32_t bytes) {
    const margin_arena before = *f->mem;
    margin_model model;
    margin_quant quant;
    margin_stage_q stage;
    const bool real = p[7] == 0;
    const margin_status copied = real ? margin_image_load(p, bytes, f->mem, &model)
                                      : margin_image_load_q(p, bytes, f->mem, &quant);
    const margin_status opened = real ? margin_image_adopt(p, bytes, &model)
                                      : margin_image_adopt_q(p, bytes, &stage, &quant);
    (void)margin_arena_rewind(f->mem, &before);
    if (copied != MARGIN_E_MEMORY && (copied == MARGIN_OK) != (opened == MARGIN_OK)) {
        suite_fail("copied");
    }
    keep(f, p, bytes, opened != MARGIN_OK);
    return opened == MARGIN_OK;
}

/* The image of 68 bytes that 32-bit machines once took for a linear model of 2^30 features. */
static void known(forgery *f) {
    unsigned char *p = f->end - 68;
    for (unsigned i = 0; i < 68u; i++) { p[i] = 0; }
    put(p, UINT32_C(0x1A6E676D), 4);
    p[4] = MARGIN_IMAGE_VERSION;
    p[6] = MARGIN_MODEL_LINEAR;
    p[8] = 68;
    put(p + 20, UINT32_C(0x40000000), 4);
    p[24] = 2;
    p[56] = 65;
    image_seal(p, 68);
    for (unsigned i = 0; i < 68u; i++) { f->copy[i] = p[i]; }
    if (accepted(f, p, 68)) { suite_fail("known"); }
}

void test_image_forged(margin_arena *mem) {
    forgery f;
    uint32_t taken = 0;
    f.rng = margin_rng_make(77);
    f.mem = mem;
    f.guarded = false;
#ifdef PORT_GUARD
    f.end = port_guard();
    f.guarded = true;
#else
    f.end = (unsigned char *)margin_arena_keep(mem, LONGEST + MARKED, 1);
    if (f.end == NULL) {
        suite_fail("memory");
        return;
    }
    f.end += LONGEST;
    for (unsigned i = 0; i < MARKED; i++) { f.end[i] = MARK; }
#endif
    known(&f);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        const uint32_t bytes = 4u * (17u + any(&f, (LONGEST - 64u) / 4u));
        unsigned char *p = f.end - bytes;
        bool good;
        forge(&f, p, bytes);
        good = accepted(&f, p, bytes);
        suite_word(good ? trial : 0);
        taken += good ? 1u : 0u;
    }
    if (taken < TRIALS / 400u) { /* or nothing but rubbish was tried */
        suite_fail("few");
    }
}
