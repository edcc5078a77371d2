#!/bin/sh
# bits.sh: the same bits from two compilers, at several optimisation levels and vector widths. The first build is the yardstick.
set -u
dir=build/bits passed=0 failed=0
mkdir -p $dir
for real in -UMARGIN_REAL_DOUBLE -DMARGIN_REAL_DOUBLE; do
    rm -f $dir/expected
    for flags in -O0 -O2 "-O3 -march=native" "-O3 -march=native -DMARGIN_VECTOR=0" "-Os -DMARGIN_NO_ASM"; do
        for compiler in gcc clang; do
            $compiler -std=c99 -ffp-contract=off -I. $real $flags tests/compile/bits.c -o $dir/bits && $dir/bits >$dir/printed
            [ -e $dir/expected ] || cp $dir/printed $dir/expected
            if cmp -s $dir/printed $dir/expected; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "other bits: $compiler $real $flags"
                diff $dir/expected $dir/printed
            fi
        done
    done
    cat $dir/expected
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
