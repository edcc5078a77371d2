#!/bin/sh
# examples.sh: every program in examples/ that has an expected.txt compiles as strict C99 and prints what that says. The first
# run at the top of margin.h compiles as C in float and as C++ in double, and ends with 0. The library is static in all of them:
# the compiler then sees each program as a whole, warns of more, and compiles only what the program needs.
set -u
passed=0 failed=0
mkdir -p build/examples
first=build/examples/first_run.c
sed -n '/^ \* FIRST RUN/,/^ \* DOES NOT/s/^ \*     \([^ ].*\|    .*[;{}]\)$/\1/p' margin.h >$first
for compile in "gcc -std=c99" "g++ -x c++ -std=c++11 -DMARGIN_REAL_DOUBLE"; do
    if $compile -O1 -DMARGIN_STATIC -Wall -Wextra -Wpedantic -Werror -I. $first -o build/examples/first_run &&
        build/examples/first_run; then
        passed=$((passed + 1))
    else
        echo "FAILED: first run, $compile"
        failed=$((failed + 1))
    fi
done
for expected in examples/*/expected.txt; do
    folder=$(dirname "$expected")
    name=$(basename "$folder")
    grep -q '^#define MARGIN_STATIC' "$folder/main.c" && static= || static=-DMARGIN_STATIC
    if gcc -std=c99 -O1 $static -Wall -Wextra -Wpedantic -Werror -I. "$folder/main.c" -o "build/examples/$name" &&
        "build/examples/$name" >"build/examples/$name.txt" && diff "$expected" "build/examples/$name.txt"; then
        passed=$((passed + 1))
    else
        echo "FAILED: $name"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
