/* standalone COUNT SEED FILE...: a fuzz target without libFuzzer, for machines that have none: the files
 * as they are, then COUNT inputs that are files with a few random changes. The same seed gives the
 * same inputs. Linked with a target; a failure ends the program. */
#include "fuzz.h"

enum { MOST = 4096, FILES = 256 };

static uint8_t content[FILES][MOST];
static size_t length[FILES];

static size_t read_file(const char *path, uint8_t *out) {
    FILE *file = fopen(path, "rb");
    size_t size;
    CHECK(file != NULL);
    size = fread(out, 1, MOST, file);
    (void)fclose(file);
    return size;
}

/* Values that sizes and numbers are most often wrong by. */
static uint32_t strange(uint32_t *seed) {
    static const uint32_t values[] = {
        0,           1,           2,           0x7F,        0x80,        0xFF,
        0x100,       0x7FFF,      0x8000,      0xFFFF,      0x10000,     0x3FFFFFFF,
        0x40000000u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFCu, 0xFFFFFFFFu, 0x7F800000u,
        0x7FC00000u, 0x7F7FFFFFu, 0x00800000u, 0x3F800000u};
    return values[fuzz_random(seed) % (sizeof values / sizeof values[0])];
}

static size_t change(uint8_t *bytes, size_t size, uint32_t *seed) {
    const size_t at = size == 0 ? 0 : fuzz_random(seed) % size;
    switch (fuzz_random(seed) % 6u) {
    case 0: /* a bit */
        bytes[at] ^= (uint8_t)(1u << fuzz_random(seed) % 8u);
        break;
    case 1: /* a byte */
        bytes[at] = (uint8_t)fuzz_random(seed);
        break;
    case 2: /* a word, at a place where words are */
    case 3: {
        const uint32_t word = strange(seed);
        const size_t start = 1 + at / 4 * 4;
        for (size_t i = 0; i < 4 && start + i < size; i++) {
            bytes[start + i] = (uint8_t)(word >> 8 * i);
        }
        break;
    }
    case 4: /* the end is cut off */
        return at;
    default: /* a piece comes twice */
        if (size > 0 && size < MOST) {
            const size_t more = MOST - size < size - at ? MOST - size : size - at;
            memmove(bytes + size, bytes + at, more);
            return size + more;
        }
        break;
    }
    return size;
}

int main(int argc, char **argv) {
    static uint8_t work[MOST];
    uint32_t seed;
    size_t files = 0;
    long count;
    CHECK(argc > 3);
    count = strtol(argv[1], NULL, 10);
    seed = (uint32_t)strtoul(argv[2], NULL, 10) * 2654435761u | 1u;
    for (int i = 3; i < argc && files < FILES; i++, files++) {
        length[files] = read_file(argv[i], content[files]);
        memcpy(work, content[files], MOST);
        (void)LLVMFuzzerTestOneInput(work, length[files]);
    }
    for (long i = 0; i < count; i++) {
        const size_t from = fuzz_random(&seed) % files;
        size_t size = length[from];
        memcpy(work, content[from], MOST);
        for (uint32_t changes = 1 + fuzz_random(&seed) % 3u; changes > 0; changes--) {
            size = change(work, size, &seed);
        }
        (void)LLVMFuzzerTestOneInput(work, size);
    }
    printf("%zu files, %ld inputs\n", files, count);
    return 0;
}
