#!/bin/sh
# toc.sh HEADER...: the marks of a header's CONTENTS and its section banners must be the same, each once, in one order.
set -u
bad=0
for header in "$@"; do
    marks=$(awk '/^ \* CONTENTS/ { on = 1 } on && !/>>/ { exit } on' "$header" | grep -o '>>[a-z0-9_]*')
    banners=$(sed -n 's|^/\* ---- \(>>[a-z0-9_]*\) ----.*|\1|p' "$header")
    if [ -z "$marks" ] || [ "$marks" != "$banners" ]; then
        bad=1
        echo "$header: CONTENTS lists:" $marks
        echo "$header: banners are:   " $banners
    fi
    if awk '/^\/\* ---- >>/ && length > 100' "$header" | grep .; then
        bad=1
        echo "$header: longer than 100 columns"
    fi
done
exit $bad
