#!/bin/sh
# run.sh [-p] COMMAND...: runs every command, one after the other or (-p) as many at a time as there are processors, and ends
# with the sum of their last `N passed, N failed` lines. A command without such a line counts as one, passed or failed by its
# exit code.
set -u
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
together=false
[ "$1" = -p ] && together=true && shift

# $1 is the log, $2 the command.
one='begin=$(date +%s); sh -c "$2" 2>&1; echo "$? $(($(date +%s) - begin))" >"$1.exit"'
i=0
for command in "$@"; do
    i=$((i + 1))
    if $together; then
        printf '%s\0%s\0' "$logs/$i" "$command" >>"$logs/all"
    else
        echo "== $command"
        sh -c "$one" run "$logs/$i" "$command" | tee "$logs/$i"
    fi
done
$together && xargs -0 -n 2 -P "$(nproc)" sh -c "{ $one; } >\"\$1\"" run <"$logs/all"

passed=0 failed=0 i=0
for command in "$@"; do
    i=$((i + 1))
    $together && echo "== $command" && cat "$logs/$i"
    read -r exit seconds <"$logs/$i.exit"
    counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/$i" | tail -n 1)
    p=${counts% *} f=${counts#* }
    [ -n "$counts" ] || p=1 f=0
    if [ "$exit" -ne 0 ] && [ "$f" -eq 0 ]; then
        [ -n "$counts" ] || p=0
        f=1
    fi
    printf '%s\t%d passed, %d failed (exit code %d, %d s)\n' "$command" "$p" "$f" "$exit" "$seconds" >>"$logs/summary"
    passed=$((passed + p)) failed=$((failed + f))
done
echo "== summary"
expand -t 40 "$logs/summary"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
