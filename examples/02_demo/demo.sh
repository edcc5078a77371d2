#!/bin/sh
# demo.sh: from a data file to firmware, in one minute. Run by `make demo`; everything goes to build/demo.
set -eu
cd "$(dirname "$0")/../.."
here=examples/02_demo out=build/demo
mkdir -p $out
say() { printf '\n%s\n' "$*"; }
run() { # COMMAND...: shown, then run, its words indented
    echo "    \$ $*"
    "$@" >$out/words 2>&1 || { cat $out/words && exit 1; }
    sed 's/^/    /' $out/words
}

say "1. A motor logs vibration, temperature, current and speed; somebody notes whether its bearing is healthy or worn."
python3 $here/motor.py 400 1 >$out/train.csv
python3 $here/motor.py 2000 2 >$out/test.csv
run head -n 3 $out/train.csv

say "2. Train two machines on 400 windows and test them on 2000 others. The margin of an answer is how clear it is."
run python3 -m gen train $out/train.csv --method svm --test $out/test.csv \
    --save $out/linear.mgn -o $out/motor_linear.h
run python3 -m gen train $out/train.csv --method kmomd --kernel rbf --gamma 0.5 --lambda 0.1 --test $out/test.csv \
    --save $out/rbf.mgn -o $out/motor_rbf.h

say "3. Each model is a C header now: constant tables and a few functions. Its first lines:"
run head -n 12 $out/motor_rbf.h

say "4. A third one for a chip without an FPU: the kernel machine in integers, within 800 bytes of flash."
run python3 -m gen export $out/rbf.mgn --format q15 --flash 800 --test $out/test.csv --save $out/small.mgn \
    -o $out/motor_small.h

say "5. Compile all three as firmware would: C99, no heap."
run cc -std=c99 -O2 -Wall -Wextra -Werror -I. -I$out $here/main.c -o $out/firmware

say "6. The firmware tests itself, then answers for the 2000 windows; gen answers too. Do they agree?"
for model in linear rbf small; do
    format=f32 && [ $model != small ] || format=q15
    cut -d, -f1-4 $out/test.csv | $out/firmware $model >$out/$model.firmware
    python3 -m gen predict $out/$model.mgn $out/test.csv --format $format >$out/$model.gen 2>/dev/null
    cmp $out/$model.firmware $out/$model.gen
    echo "    $model: $(wc -l <$out/$model.gen) answers, all scores the same to the last bit; the first: $(head -n 1 $out/$model.gen)"
done

say "Next: put your own CSV file in the place of $out/train.csv, and $out/motor_rbf.h into your firmware."
