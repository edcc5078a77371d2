#!/bin/sh
# run.sh [-p] COMMAND...: runs every command, one after the other or (-p) as many at a time as there are processors, and ends
# with the sum of their last `N passed, N failed` lines. A command without such a line counts as one, passed or failed by its
# exit code. Commands that run together print what they have to say when they end.
set -u
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
together=1
[ "$1" = -p ] && together=$(nproc) && shift

# $1 is the log, $2 the command, $3 how many run at a time.
one='
begin=$(date +%s)
if [ "$3" -eq 1 ]; then
    echo "== $2"
    { sh -c "$2" 2>&1; echo $? >"$1.exit"; } | tee "$1"
else
    sh -c "$2" >"$1" 2>&1
    echo $? >"$1.exit"
    { flock 9; echo "== $2"; cat "$1"; } 9>>"${1%/*}/lock"
fi
echo $(($(date +%s) - begin)) >"$1.seconds"'
i=0
for command in "$@"; do
    i=$((i + 1))
    printf '%s\0%s\0%s\0' "$logs/$i" "$command" "$together"
done | xargs -0 -n 3 -P "$together" sh -c "$one" run

passed=0 failed=0 i=0
for command in "$@"; do
    i=$((i + 1))
    read -r exit <"$logs/$i.exit"
    read -r seconds <"$logs/$i.seconds"
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
