#!/bin/sh
# no_float.sh: a program of integer predictors alone, linked for Cortex-M0 and AVR as firmware would be, has no floating
# point in it: no soft-float helper among its symbols, no floating-point instruction in its code. A program with one real
# predictor must be found out.
set -u
dir=build/cross/no-float passed=0 failed=0
mkdir -p "$dir"
helpers='__aeabi_(f|d|cf|cd|i2f|i2d|ui2f|ui2d|l2f|l2d|ul2f|ul2d)[a-z0-9]*|__fp_[a-z0-9]+|__[a-z]+[sd]f[0-9a-z]*'
instructions='^[[:space:]]*[0-9a-f]+:.*[[:space:]](v(add|sub|mul|mla|mls|div|cvt|ldr|str|mov|cmp|neg|abs|sqrt|ldmia|stmia)|f(add|sub|mul|div|ld|st|cvt|mv)[a-z]*\.[sd])'

cat >"$dir/integer.c" <<'C'
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}
void *memset(void *to, int value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}
const void *volatile in;
void *volatile out;
volatile uint16_t answer;
void _start(void);
void _start(void)
{
    const margin_model_q *model = (const margin_model_q *)in;
    int32_t *scores = (int32_t *)out;
    answer = margin_classify_q(model, (const int16_t *)in, (int16_t *)out, scores);
    margin_probabilities_q(margin_model_vote_q(model), scores, (uint16_t *)out);
    answer = (uint16_t)margin_model_check_q(model);
    answer = (uint16_t)margin_image_open_q(in, 4096, (margin_stage_q *)out, (margin_quant *)out);
}
C
sed '/classify_q/a\    margin_linear_scores((const margin_linear *)in, (const float *)in, (float *)out);' "$dir/integer.c" >"$dir/real.c"

# floats PREFIX ELF: what it has of floating point.
floats() {
    "$1nm" "$2" | awk '{ print $NF }' | grep -xE "$helpers"
    "$1objdump" -d "$2" | grep -E "$instructions"
}
# look NAME PREFIX FLAGS: the integer program is clean, the other is not.
look() {
    name=$1 prefix=$2 flags=$3 libraries=$4
    for kind in integer real; do
        if ! "${prefix}gcc" -std=c99 $flags -ffreestanding -ffunction-sections -fdata-sections -I. -nostdlib \
            -nostartfiles -fno-tree-loop-distribute-patterns -Wl,--gc-sections -Wl,-e,_start "$dir/$kind.c" -lgcc $libraries -o "$dir/$name-$kind.elf" 2>"$dir/log"; then
            cat "$dir/log"
            failed=$((failed + 1))
            continue
        fi
        found=$(floats "$prefix" "$dir/$name-$kind.elf" | head -n 3)
        if [ "$kind" = integer ] && [ -n "$found" ]; then
            echo "$name: floating point in integer predictors: $found"
            failed=$((failed + 1))
        elif [ "$kind" = real ] && [ -z "$found" ]; then
            echo "$name: the floating point of margin_linear_scores was not found: the check is blind"
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    done
}
look cortex-m0 arm-none-eabi- "-mthumb -mcpu=cortex-m0 -Os" ""
look cortex-m4f arm-none-eabi- "-mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -O2" ""
look atmega328p avr- "-mmcu=atmega328p -Os" "-lm -lgcc"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
