/* The checksum of an image that a test has changed: CRC-32 over all but its own four bytes, bit by bit, independent of
 * the library's. */
#ifndef IMAGE_SEAL_H
#define IMAGE_SEAL_H

#include <stddef.h>
#include <stdint.h>

static void image_seal(unsigned char *image, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; (i < 12 || i >= 16) && bit < 8; bit++) {
            const uint32_t in = (uint32_t)image[i] >> bit & 1u;
            crc = (crc & 1u) != in ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        }
    }
    for (unsigned i = 0; i < 4; i++) { image[12 + i] = (unsigned char)(~crc >> 8 * i); }
}

#endif
