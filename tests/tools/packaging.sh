#!/bin/sh
# packaging.sh CC CXX LEVELS: the headers as users include, switch and link them, with every warning an error.
# LEVELS are the optimisation levels at which the symbols of the object are looked at, as in "-O0 -O2"; without any, for a quick
# look, the oldest standards and the switches one at a time must do.
set -u
cc=$1 cxx=$2 levels=$3
src=tests/compile dir=build/packaging/$cc
mkdir -p "$dir"
warn="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wdouble-promotion -Wshadow -Wcast-align -Wvla -Wundef"
c99="$cc -I. $warn -Werror -Wstrict-prototypes -std=c99"
cxx11="$cxx -I. $warn -Werror -x c++ -std=c++11"
passed=0 failed=0

# accept NAME COMMAND...: the command succeeds in silence.
accept() {
    name=$1
    shift
    if "$@" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: $*"
        head -n 20 "$dir/out"
    fi
}
# program NAME COMPILER... FILES...: builds a program without a word, and it ends with 0.
program() {
    accept "$@" -o "$dir/program"
    accept "run: $1" "$dir/program"
}
# refuse NAME TEXT COMPILER...: the compiler stops and says TEXT.
refuse() {
    name=$1 text=$2
    shift 2
    accept "$name" refused "$text" "$@" -fsyntax-only
}
refused() {
    text=$1
    shift
    "$@" >"$dir/refused" 2>&1 && echo "was accepted"
    grep -q "$text" "$dir/refused"
}

for std in c99 ${levels:+c11} c++11 ${levels:+c++17}; do
    case $std in c++*) compile="$cxx11 -std=$std" ;; *) compile="$c99 -std=$std" ;; esac
    for real in "" -DMARGIN_REAL_DOUBLE; do
        for mode in "" -DMARGIN_STATIC -DMARGIN_PREDICT_ONLY "-DMARGIN_STATIC -DMARGIN_PREDICT_ONLY"; do
            [ -n "$levels" ] || [ -z "$real" ] || [ -z "$mode" ] || continue
            accept "included twice, $std" $compile $real $mode -fsyntax-only $src/twice.c
        done
    done
done

[ -z "$levels" ] || for bench in tests/bench/bench_*.c; do # nobody runs them daily
    accept "$bench" "$cc" -I. -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-but-set-variable -std=c99 -fsyntax-only "$bench"
done
accept "the implementation in C" $c99 -c $src/impl.c -o "$dir/c.o"
accept "the implementation in C++" $cxx11 -c $src/impl.c -o "$dir/cxx.o"
program "used from C, implemented in C" $c99 $src/use.c "$dir/c.o"
program "used from C, implemented in C++" $c99 $src/use.c "$dir/cxx.o"
program "used from C++, implemented in C" $cxx11 $src/use.c -x none "$dir/c.o"
program "used from C++, implemented in C++" $cxx11 $src/use.c -x none "$dir/cxx.o"
more_switches() {
    for compile in "$c99" "$cxx11"; do
        program "a plain include does not swallow the implementation" $compile $src/plain_first.c $src/use.c
        program "two files with a private copy each" $compile -DMARGIN_STATIC $src/twice.c $src/use.c
    done

    program "MARGIN_ALIGN=16" $c99 -DMARGIN_ALIGN=16 $src/impl.c $src/use.c
    program "MARGIN_ALIGN=32" $c99 -DMARGIN_ALIGN=32 $src/impl.c $src/use.c
    program "MARGIN_ALIGN=64u, C++ and double" $cxx11 -DMARGIN_REAL_DOUBLE -DMARGIN_ALIGN=64u $src/impl.c $src/use.c
    hidden='-DMARGIN_API=extern __attribute__((visibility("hidden")))'
    program "MARGIN_API with an attribute" $c99 "$hidden" $src/impl.c $src/use.c
    program "MARGIN_API with an attribute, C++" $cxx11 "$hidden" $src/impl.c $src/use.c
    program "MARGIN_ASSERT" $c99 '-DMARGIN_ASSERT(x)=((x)?(void)0:__builtin_trap())' $src/impl.c $src/use.c
    for switch in -DMARGIN_VECTOR=0 -DMARGIN_VECTOR=16 "-DMARGIN_VECTOR=32 -mavx2 -mfma" -DMARGIN_NO_ASM; do
        accept "$switch" $c99 $switch -fsyntax-only $src/impl.c
        accept "$switch, C++ and double" $cxx11 -DMARGIN_REAL_DOUBLE $switch -fsyntax-only $src/impl.c
    done
}
[ -z "$levels" ] || more_switches

refuse "MARGIN_ALIGN below that of a pointer" is_too_small $c99 -DMARGIN_ALIGN=4 $src/impl.c
refuse "MARGIN_ALIGN of 24" "not a power of two" $c99 -DMARGIN_ALIGN=24 $src/impl.c
refuse "MARGIN_ALIGN of 0" "not a power of two" $c99 -DMARGIN_ALIGN=0 $src/impl.c

for flag in -ffast-math -Ofast -ffinite-math-only; do
    refuse "$flag" "breaks NaN checks" $c99 $flag $src/impl.c
done
if [ "$cc" = gcc ]; then
    refuse "x87 arithmetic" "excess precision" $c99 -mfpmath=387 $src/impl.c
    refuse "-fassociative-math" "breaks NaN checks" $c99 -fassociative-math -fno-signed-zeros -fno-trapping-math $src/impl.c
fi

includes=$(cat margin.h margin_impl.h | sed -n 's/^ *# *include *//p' | sort | tr -d '\n')
accept "only freestanding headers" test "$includes" = '"margin_impl.h"<float.h><limits.h><stdbool.h><stddef.h><stdint.h>'
for level in $levels; do
    for mode in "" -DMARGIN_REAL_DOUBLE -DMARGIN_PREDICT_ONLY; do
        accept "freestanding $level $mode" $c99 -ffreestanding $level $mode -c $src/impl.c -o "$dir/impl.o"
        accept "symbols $level $mode" tests/tools/symbols.sh "$dir/impl.o" $mode
    done
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
