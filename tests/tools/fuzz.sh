#!/bin/sh
# fuzz.sh TARGET RUNS: builds a fuzz target and runs it on so many inputs; the same number gives the same inputs.
#   image reader train       by libFuzzer under the address and undefined-behaviour sanitizers
#   image-arm image-powerpc  by qemu: 32 bits, little- and big-endian; a page that cannot be touched stands
#                            behind the image and behind each arena
# Inputs that fail are kept in build/fuzz; one that is mended goes to tests/fuzz/corpus, from where every run starts.
set -eu
target=$1 runs=$2
work=build/fuzz/$target
common="-std=c99 -g1 -ffp-contract=off -DMARGIN_STATIC -Wall -Wextra -Werror -I."
rm -rf "$work" && mkdir -p "$work/corpus"
seeds=
case $target in
image*)
    ${CC:-gcc} -std=c99 -O0 -DMARGIN_STATIC -I. tests/fuzz/image_seeds.c -o "$work/seeds" && mkdir "$work/seed" && "$work/seeds" "$work/seed"
    seeds="$work/seed"
    ;;
esac
name=${target%%-*}
[ -d "tests/fuzz/corpus/$name" ] && seeds="$seeds tests/fuzz/corpus/$name"
sanitized="clang $common -O1 -fsanitize=fuzzer,address,undefined,float-cast-overflow -fno-sanitize-recover=all"
libfuzzer() { # FLAGS LENGTH FILE...
    flags=$1 length=$2
    shift 2
    $sanitized $flags "${@:-tests/fuzz/$name.c}" -o "$work/fuzz"
    "$work/fuzz" -runs="$runs" -seed=1 -max_len="$length" -timeout=60 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/ "$work/corpus" $seeds 2>"$work/log" || { tail -n 40 "$work/log"; exit 1; }
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs"
}
emulated() { # COMPILER EMULATOR
    $1 $common -O1 -static -DFUZZ_GUARD -D_DEFAULT_SOURCE "tests/fuzz/$name.c" tests/fuzz/standalone.c -o "$work/fuzz"
    inputs=$($2 "$work/fuzz" "$runs" 1 $(find $seeds -type f | sort)) # apart, so that its exit code counts
    echo "$target: $inputs"
}
case $target in
image) libfuzzer "" 600 ;;
reader) libfuzzer "" 300 ;;
train) # in float and in double, in one program
    $sanitized -DTRAIN_IN=train_in_float -c tests/fuzz/train.c -o "$work/float.o"
    $sanitized -DTRAIN_IN=train_in_double -DMARGIN_REAL_DOUBLE -c tests/fuzz/train.c -o "$work/double.o"
    libfuzzer "" 200 tests/fuzz/differ.c "$work/float.o" "$work/double.o"
    ;;
image-arm) emulated arm-linux-gnueabihf-gcc qemu-arm ;;
image-powerpc) emulated powerpc-linux-gnu-gcc qemu-ppc ;;
*) echo "no fuzz target $target" && exit 2 ;;
esac
