#!/bin/sh
# get-greatest.sh OUT: writes the test framework greatest.h to OUT. It comes from Debian's source package fzy, through
# apt with package lists of its own, so the machine's apt setup stays as it is and root is not needed.
set -eu
out=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/sources" "$tmp/lists/partial" "$tmp/cache/archives/partial"

for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$tmp/sources/${file##*/}"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$tmp/sources/$(basename "$file" .list)-src.list"
done

fetch() {
    cd "$tmp"
    set -- -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$tmp/sources" \
        -o Dir::State::Lists="$tmp/lists" -o Dir::Cache="$tmp/cache" -o APT::Sandbox::User=root "$@"
    apt-get "$@" update && apt-get "$@" source --download-only fzy &&
        tar -xOf fzy_*.orig.tar.gz --wildcards '*/deps/greatest/greatest.h' >greatest.h
}
mkdir -p "$(dirname "$out")"
if ! (fetch) >"$out.log" 2>&1; then
    echo "missing: greatest.h, and Debian's source package fzy cannot be fetched (see $out.log); give it by GREATEST=/path/to/greatest.h" >&2
    exit 1
fi
mv "$tmp/greatest.h" "$out"
