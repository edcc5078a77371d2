#!/bin/sh
# toc.sh HEADER...: the marks of a header's CONTENTS and its section banners must be the same, each once, in one order;
# no line is longer than 100 columns; every banner says what its section is for; and tests/test_sweeps.c must list every function of margin.h that works in an arena.
set -u
bad=0
for header in "$@"; do
    marks=$(awk '/^ \* CONTENTS/ { on = 1 } on && !/>>|PART/ { exit } on' "$header" | grep -o '>>[a-z0-9_]*')
    banners=$(sed -n 's|^/\* ---- \(>>[a-z0-9_]*\) ----.*|\1|p' "$header")
    if [ -z "$marks" ] || [ "$marks" != "$banners" ]; then
        bad=1
        echo "$header: CONTENTS lists:" $marks
        echo "$header: banners are:   " $banners
    fi
    if awk -v name="$header" 'length > 100 { print name ":" FNR ": " $0 }' "$header" | grep .; then
        bad=1
        echo "$header: lines longer than 100 columns"
    fi
    if grep -nE '^/\* ---- >>[a-z0-9_]* -[- ]*\*/' "$header"; then
        bad=1
        echo "$header: a banner does not say what its section is for"
    fi
done
names() { grep -o 'margin_[a-z0-9_]*' | sort; }
taking=$(tr '\n' ' ' <margin.h | grep -o 'MARGIN_API margin_status margin_[a-z0-9_]*([^;]*margin_arena \*mem[^;]*;' |
    sed 's/^MARGIN_API margin_status //; s/(.*//' | grep -v '^margin_arena_' | names)
swept=$(sed -n 's/^ *X(\(margin_[a-z0-9_]*\),.*/\1/p' tests/test_sweeps.c | names)
if [ -z "$taking" ] || [ "$taking" != "$swept" ]; then
    bad=1
    echo "functions that take an arena and are not swept, or the reverse:"
    printf '%s\n%s\n' "$taking" "$swept" | sort | uniq -u
fi
exit $bad
