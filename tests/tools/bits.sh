#!/bin/sh
# bits.sh float|double: the same bits from two compilers, at several optimisation levels and vector widths. The first build
# is the yardstick of the others.
set -u
dir=build/bits/$1 passed=0 failed=0
case $1 in double) real=-DMARGIN_REAL_DOUBLE ;; *) real=-UMARGIN_REAL_DOUBLE ;; esac
mkdir -p $dir
builds="gcc -O0
gcc -O2 -DMARGIN_NO_ASM
gcc -O3 -march=native
gcc -O3 -march=native -DMARGIN_VECTOR=0
clang -Os
clang -O3 -march=native
clang -O2 -DMARGIN_VECTOR=0 -DMARGIN_NO_ASM"

rm -f $dir/expected
while read -r build; do
    rm -f $dir/printed
    $build -std=c99 -ffp-contract=off -I. $real tests/compile/bits.c -o $dir/bits && $dir/bits >$dir/printed
    [ -e $dir/expected ] || cp $dir/printed $dir/expected
    # gcc 12 fuses some pairs a + bc, d - bc in spite of -ffp-contract=off: no other machine would agree.
    if objdump -d $dir/bits | grep -qE 'vfn?m(add|sub)'; then
        echo "fused multiply-add" >>$dir/printed
    fi
    if cmp -s $dir/printed $dir/expected; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "other bits: $build $real"
        diff $dir/expected $dir/printed
    fi
done <<END
$builds
END
cat $dir/expected
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
