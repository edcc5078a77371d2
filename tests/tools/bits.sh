#!/bin/sh
# bits.sh float|double gcc|clang: the same bits from two compilers under any flags: levels of optimisation, language standards,
# vector widths, and processors that can fuse a product and a sum. The first build is the yardstick of the others.
set -u
dir=build/bits/$1-$2 passed=0 failed=0
case $1 in double) real=-DMARGIN_REAL_DOUBLE ;; *) real=-UMARGIN_REAL_DOUBLE ;; esac
mkdir -p $dir
builds="gcc -O0"
add() {
    builds="$builds
$*"
}
case "$1 $2" in # -O3 takes twice the time of -O2 and is tried once a compiler; double has the flags that change most
"float gcc")
    add gcc -O2
    add gcc -O3 -std=gnu11 -march=native
    add gcc -O1 -DMARGIN_VECTOR=0
    add g++ -O2 -std=gnu++17 -march=native
    ;;
"float clang")
    add clang -O3 -march=native
    add clang -Os -DMARGIN_VECTOR=0 -DMARGIN_NO_ASM
    ;;
"double gcc")
    add gcc -O2 -std=gnu11 -march=native
    ;;
"double clang")
    add clang -O2 -march=native
    ;;
esac

rm -f $dir/expected
# The library is compiled apart: only its arithmetic is promised, not that of the program around it.
gcc -std=c99 -O1 -I. $real -c tests/compile/bits.c -o $dir/bits.o
while read -r build; do
    rm -f $dir/printed
    case $build in *++*) language="-x c++" ;; *) language="-x c" ;; esac
    $build $language -I. $real -c tests/compile/impl.c -o $dir/impl.o &&
        ${build%% *} $dir/bits.o $dir/impl.o -o $dir/bits && $dir/bits >$dir/printed
    [ -e $dir/expected ] || cp $dir/printed $dir/expected
    # A fused pair that happens to change nothing here would change something elsewhere.
    if objdump -d $dir/impl.o | grep -qE 'vfn?m(add|sub)'; then
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
