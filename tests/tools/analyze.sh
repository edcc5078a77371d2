#!/bin/sh
# analyze.sh TOOL: one static analyser over the implementation, in float, in double and without the trainers. It has to
# be silent there and to find the bug in seeded_bug.c: an analyser that stops early is silent too.
# TOOL: gcc, clang (warnings), clang-analyzer, clang-tidy, cppcheck, or misra (a list of rules and counts; never fails).
set -u
tool=$1
passed=0 failed=0
common="-std=c99 -I. -ffreestanding -ffp-contract=off"
more="-Wall -Wextra -Wpedantic -Wcast-align=strict -Wcast-qual -Wduplicated-branches -Wduplicated-cond -Wlogical-op
    -Wmissing-prototypes -Wnull-dereference -Wredundant-decls -Wswitch-default -Wswitch-enum -Wwrite-strings"
# cppcheck knows no predefined macros: without these it meets an #error in margin.h and looks no further.
limits="-DFLT_MANT_DIG=24 -DDBL_MANT_DIG=53 -DSIZE_MAX=18446744073709551615ul -DUINT32_MAX=4294967295u"
# knownConditionTrueFalse forgets that neither x < 0 nor x >= 0 holds for NaN, and takes n < 16 ? n : 16 for 0.
check="cppcheck --quiet --language=c --std=c99 -I. $limits --suppress=knownConditionTrueFalse"

analyze() { # FILE SWITCHES...
    file=$1
    shift
    case $tool in
    gcc) # -O2 looks through calls, -O0 sees what -O2 has already removed
        gcc $common -O2 -fanalyzer $more -Werror "$@" -c "$file" -o /dev/null &&
            gcc $common -O0 -fanalyzer $more -Werror "$@" -c "$file" -o /dev/null
        ;;
    clang) clang $common -O2 -Weverything -Wno-padded -Wno-float-equal -Werror "$@" -fsyntax-only "$file" ;;
    clang-analyzer) clang $common --analyze --analyzer-output text -Xclang -analyzer-werror "$@" "$file" ;;
    clang-tidy) clang-tidy --quiet "$file" -- $common "$@" 2>/dev/null ;; # findings are on standard output
    cppcheck) $check --enable=warning,style,performance,portability --inconclusive --error-exitcode=1 "$@" "$file" ;;
    esac
}

if [ "$tool" = misra ]; then
    echo "MISRA C:2012, findings by rule:"
    $check --addon=misra tests/compile/impl.c 2>&1 | grep -o 'misra-c2012-[0-9.]*' | sort -V | uniq -c
    exit 0
fi
for switch in -UMARGIN_REAL_DOUBLE -DMARGIN_REAL_DOUBLE -DMARGIN_PREDICT_ONLY; do
    if analyze tests/compile/impl.c $switch; then
        passed=$((passed + 1))
    else
        echo "$tool: findings with $switch"
        failed=$((failed + 1))
    fi
done
if analyze tests/tools/seeded_bug.c 2>&1 | grep -q 'seeded_bug\.c:11:'; then
    passed=$((passed + 1))
else
    echo "$tool does not find the seeded bug"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
