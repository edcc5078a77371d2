#!/bin/sh
# run.sh COMMAND...: runs every command side by side, shows their output in order, and ends with the sum of their
# `N passed, N failed` lines. A command that ends badly without having counted a failure counts as one.
set -u
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for command in "$@"; do
    i=$((${i:-0} + 1))
    { sh -c "$command" >"$logs/$i" 2>&1; echo $? >"$logs/$i.exit"; } &
done
wait

passed=0 failed=0 i=0
for command in "$@"; do
    i=$((i + 1))
    echo "== $command"
    cat "$logs/$i"
    set -- $(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$logs/$i" | tail -n 1) 
    if [ "${2:-0}" -eq 0 ] && [ "$(cat "$logs/$i.exit")" -ne 0 ] || [ $# -eq 0 ]; then
        echo "$command: ended with exit code $(cat "$logs/$i.exit")"
        set -- "${1:-0}" 1
    fi
    passed=$((passed + $1)) failed=$((failed + $2))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
