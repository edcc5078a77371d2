/* Updates over the air: sends a package to a device with simulated flash, and cuts the power at every byte. */
#define MARGIN_IMPLEMENTATION
#include "ota.h"
#include <stdio.h>
#include <string.h>

/* ---- flash that loses power ---- bits go from 1 to 0 by writing, back by erasing; both byte by byte */

enum { SLOT = 2048 };
static union {
    uint32_t aligned[2][SLOT / 4];
    unsigned char bytes[2][SLOT];
} flash_memory, kept;
static long power; /* bytes that can still be written or erased */
static long spent;

static bool spend(void) {
    spent++;
    return power-- > 0;
}

static bool flash_write(unsigned slot, size_t at, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!spend()) { return false; }
        flash_memory.bytes[slot][at + i] &= ((const unsigned char *)bytes)[i];
    }
    return true;
}

static bool flash_erase(unsigned slot) {
    for (size_t i = 0; i < SLOT; i++) {
        if (!spend()) { return false; }
        flash_memory.bytes[slot][i] = 0xFF;
    }
    return true;
}

static const ota_flash flash = {
    {flash_memory.bytes[0], flash_memory.bytes[1]}, SLOT, flash_erase, flash_write};

/* ---- packages ---- */

static const margin_real rows[8 * 2] = {1, 8, 2, 6, 3, 9, 2, 7, 7, 2, 8, 3, 6, 1, 9, 2};
static unsigned char arena[65536];

/* A package with a model of these labels, tested by its own rows; returns its bytes. */
static size_t make_package(const uint16_t *labels, unsigned char *out) {
    const margin_data data = {rows, 8, 2, 0, labels, NULL, NULL};
    margin_arena mem = margin_arena_make(arena, sizeof arena);
    margin_model model;
    size_t image, size = OTA_HEAD;
    if (margin_svm_train(&data, NULL, &mem, &model, NULL, NULL) < 0) { return 0; }
    image = margin_image_size(&model, 0);
    if (margin_image_write(&model, NULL, 0, out + size, image) < 0) { return 0; }
    size += image;
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + size, rows + 2 * i, 8); /* the host is little-endian */
        ota_put_u32(out + size + 8, labels[i]);
        size += 12;
    }
    ota_put_u32(out + 4, (uint32_t)image);
    ota_put_u32(out + 8, 8);
    ota_put_u32(out, ota_crc(out + 4, size - 4));
    return size;
}

/* Sends a package in pieces of odd sizes. */
static margin_status update(ota_state *ota, const unsigned char *package, size_t size) {
    size_t from = 0, step = 1;
    if (!ota_begin(ota)) { return MARGIN_E_MEMORY; }
    while (from < size) {
        const size_t count = size - from < step ? size - from : step;
        if (!ota_piece(ota, package + from, count)) { return MARGIN_E_MEMORY; }
        from += count;
        step = step % 23 + 5;
    }
    return ota_finish(ota);
}

/* 'o' or 'n': the device runs the old model or the new one, which call the first row 0 and 1; '-': none. */
static char running(void) {
    ota_state ota;
    margin_real score;
    if (!ota_boot(&ota, &flash)) { return '-'; }
    return margin_classify(&ota.model, rows, &score) == 0 ? 'o' : 'n';
}

int main(void) {
    static const uint16_t before[8] = {0, 0, 0, 0, 1, 1, 1, 1}, after[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    static unsigned char old[SLOT], new[SLOT];
    const size_t old_size = make_package(before, old), new_size = make_package(after, new);
    long wrong = 0, none = 0, again = 0, refused = 0, all;
    char last = 'o';
    ota_state ota;

    power = 1000000;
    memset(&flash_memory, 0, sizeof flash_memory);
    if (old_size == 0 || new_size == 0 || ota_boot(&ota, &flash) ||
        update(&ota, old, old_size) != MARGIN_OK) {
        return 1;
    }
    printf("first model: slot %u, runs %c\n", ota.slot, running());
    kept = flash_memory;

    spent = 0;
    printf("update: %s, ", margin_status_text(update(&ota, new, new_size)));
    printf("slot %u, runs %c\n", ota.slot, running());
    all = spent;

    for (long cut = 0; cut <= all; cut++) {
        flash_memory = kept;
        (void)ota_boot(&ota, &flash);
        power = cut;
        (void)update(&ota, new, new_size);
        /* The new model counts once its record is whole: not before, and from then on. */
        none += running() == '-';
        wrong += running() == 'n' ? cut < all - (long)OTA_RECORD : last == 'n';
        last = running();
        power = 1000000; /* and the next attempt */
        again +=
            ota_boot(&ota, &flash) && update(&ota, new, new_size) == MARGIN_OK && running() == 'n';
    }
    printf("power cut at every byte: %s, %ld times none\n",
           wrong == 0 && last == 'n' ? "the old model, after its record the new one" : "WRONG",
           none);
    printf("sent again after every cut: %s\n",
           again == all + 1 ? "new model every time" : "FAILED");

    for (size_t i = 0; i < new_size; i++) {
        flash_memory = kept;
        (void)ota_boot(&ota, &flash);
        new[i] ^= (unsigned char)(1u << i % 8);
        refused += update(&ota, new, new_size) < 0 && running() == 'o';
        new[i] ^= (unsigned char)(1u << i % 8);
    }
    printf("one bit wrong in each byte: %s\n",
           refused == (long)new_size ? "refused, old model" : "ACCEPTED");

    /* The checksums are right, but the model does not answer its tests: made for another sensor, say. */
    flash_memory = kept;
    (void)ota_boot(&ota, &flash);
    ota_put_u32(new + new_size - 4, 1);
    ota_put_u32(new, ota_crc(new + 4, new_size - 4));
    printf("self-test not passed: %s, runs %c\n",
           update(&ota, new, new_size) < 0 ? "refused" : "ACCEPTED", running());
    return 0;
}
