#!/bin/sh
# examples.sh: every program in examples/ that has an expected.txt compiles as strict C99 and prints what that says.
set -u
passed=0 failed=0
for expected in examples/*/expected.txt; do
    folder=$(dirname "$expected")
    name=$(basename "$folder")
    mkdir -p build/examples
    if gcc -std=c99 -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -I. "$folder/main.c" -o "build/examples/$name" &&
        "build/examples/$name" >"build/examples/$name.txt" && diff "$expected" "build/examples/$name.txt"; then
        passed=$((passed + 1))
    else
        echo "FAILED: $name"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
