/* ota.h -- replaces a model in the field: a package arrives in pieces, is checked, and only then takes the place of the
 * old model. Power may fail at any byte: after the next start the device has the old model or the new one, whole.
 *
 * Two slots of flash take turns. The package goes into the one that is not in use. What makes a slot count is a record
 * at its start with a checksum of its own, and that is written last: until its final byte is there, the slot is as good
 * as empty. At start the sound slot with the higher number is used, and the other one where that is damaged.
 *
 *     slot     0  u32 number, rising   4  u32 bytes of the package   8  u32 CRC-32 of these 8 bytes   12  package
 *     package  0  u32 CRC-32 of all that follows   4  u32 bytes of the image   8  u32 number of tests   12  image (.mgn)
 *              then the tests: d values f32 and a label u32 each. Numbers are little-endian.
 *
 * The image starts at a multiple of four bytes and is used in place: for machines that are little-endian. */
#ifndef OTA_H
#define OTA_H

#include "margin.h"

#define OTA_RECORD 12u
#define OTA_HEAD 12u

/* Flash that is part of the address space. Both functions return false if they fail; then the update is given up. */
typedef struct {
    const unsigned char *slot[2]; /* each at a multiple of four bytes */
    size_t size;                  /* of a slot */
    bool (*erase)(unsigned slot);
    bool (*write)(unsigned slot, size_t at, const void *bytes, size_t count);
} ota_flash;

typedef struct {
    const ota_flash *flash;
    margin_model model; /* the one in use; it lies in flash */
    uint32_t number;    /* of its slot; 0: there is none */
    unsigned slot;      /* it lies there */
    size_t taken;       /* bytes of a package that have arrived */
} ota_state;

static uint32_t ota_crc(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

static uint32_t ota_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void ota_put_u32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) { at[i] = (unsigned char)(value >> (8 * i)); }
}

static float ota_f32(const unsigned char *at) {
    union {
        uint32_t word;
        float real;
    } value;
    value.word = ota_u32(at);
    return value.real;
}

#ifndef OTA_FEATURES
#define OTA_FEATURES 16u /* most features of a model */
#define OTA_MACHINES 16u /* most machines */
#endif

/* The model answers all its tests as the machine that made it. */
static bool ota_self_test(const margin_model *model, const unsigned char *tests, size_t count,
                          size_t d) {
    margin_real x[OTA_FEATURES], scores[OTA_MACHINES];
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < d; k++) { x[k] = ota_f32(tests + 4u * (i * (d + 1u) + k)); }
        if (margin_classify(model, x, scores) != ota_u32(tests + 4u * (i * (d + 1u) + d))) {
            return false;
        }
    }
    return count > 0;
}

/* The number of features of a linear model or an expansion; 0 for others, which this example does not take. */
static size_t ota_features(const margin_model *model) {
    if (model->kind == MARGIN_MODEL_LINEAR) { return model->of.linear.d; }
    return model->kind == MARGIN_MODEL_EXPANSION ? model->of.expansion.d : 0;
}

/* Everything about a package of so many bytes: checksums, lengths, the model, its tests. */
static margin_status ota_check(const unsigned char *package, size_t size, margin_model *model) {
    const margin_vote *vote;
    margin_status status;
    margin_model found;
    size_t image, tests, d;
    if (size < OTA_HEAD || ota_u32(package) != ota_crc(package + 4, size - 4u)) {
        return MARGIN_E_IMAGE_SUM;
    }
    image = ota_u32(package + 4);
    tests = ota_u32(package + 8);
    if (image > size - OTA_HEAD || tests > (size - OTA_HEAD - image) / 4u) {
        return MARGIN_E_IMAGE_SIZE;
    }
    status = margin_image_open(package + OTA_HEAD, image, &found);
    status = status == MARGIN_OK ? margin_model_check(&found) : status;
    if (status != MARGIN_OK) { return status; }
    vote = margin_model_vote(&found);
    d = ota_features(&found);
    if (d == 0 || d > OTA_FEATURES || margin_machines(vote->scheme, vote->classes) > OTA_MACHINES ||
        tests * 4u * (d + 1u) != size - OTA_HEAD - image) {
        return MARGIN_E_RANGE;
    }
    if (!ota_self_test(&found, package + OTA_HEAD + image, tests, d)) {
        return MARGIN_E_IMAGE_VALUE;
    }
    *model = found;
    return MARGIN_OK;
}

/* The number of a slot whose record and package are sound, and its model; else 0. */
static uint32_t ota_sound(const ota_flash *flash, unsigned slot, margin_model *model) {
    const unsigned char *at = flash->slot[slot];
    const size_t size = ota_u32(at + 4);
    if (ota_u32(at + 8) != ota_crc(at, 8) || size > flash->size - OTA_RECORD ||
        ota_check(at + OTA_RECORD, size, model) != MARGIN_OK) {
        return 0;
    }
    return ota_u32(at);
}

/* At start: the newer one of the sound slots. False if there is none. */
static bool ota_boot(ota_state *ota, const ota_flash *flash) {
    ota->flash = flash;
    ota->number = 0;
    ota->slot = 0;
    ota->taken = 0;
    for (unsigned slot = 0; slot < 2u; slot++) {
        margin_model model;
        const uint32_t number = ota_sound(flash, slot, &model);
        if (number > ota->number) {
            ota->number = number;
            ota->slot = slot;
            ota->model = model;
        }
    }
    return ota->number != 0;
}

/* The slot that is not in use, or the first one if none is. */
static unsigned ota_other(const ota_state *ota) {
    return ota->number != 0 ? 1u - ota->slot : 0;
}

/* A package is about to arrive. */
static bool ota_begin(ota_state *ota) {
    ota->taken = 0;
    return ota->flash->erase(ota_other(ota));
}

/* The next bytes of it, of any number. The model in use goes on working. */
static bool ota_piece(ota_state *ota, const void *bytes, size_t count) {
    const size_t at = OTA_RECORD + ota->taken;
    if (count > ota->flash->size - at || !ota->flash->write(ota_other(ota), at, bytes, count)) {
        return false;
    }
    ota->taken += count;
    return true;
}

/* It has arrived: checks it where it lies, writes the record, and takes the new model. On failure the old one stays. */
static margin_status ota_finish(ota_state *ota) {
    const unsigned slot = ota_other(ota);
    unsigned char record[OTA_RECORD];
    margin_model model;
    const margin_status status = ota_check(ota->flash->slot[slot] + OTA_RECORD, ota->taken, &model);
    if (status != MARGIN_OK) { return status; }
    ota_put_u32(record, ota->number + 1u);
    ota_put_u32(record + 4, (uint32_t)ota->taken);
    ota_put_u32(record + 8, ota_crc(record, 8));
    if (!ota->flash->write(slot, 0, record, OTA_RECORD) ||
        ota_sound(ota->flash, slot, &model) == 0) {
        return MARGIN_E_MEMORY; /* flash did not take it */
    }
    ota->model = model;
    ota->number++;
    ota->slot = slot;
    return MARGIN_OK;
}

#endif
