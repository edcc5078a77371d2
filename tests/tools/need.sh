#!/bin/sh
# need.sh THING=PACKAGE...: sees to it that every THING (a command, or a file by its path) is there. What is missing is
# installed from its Debian package by root, or else named in one line.
set -u
missing() {
    for pair in "$@"; do
        thing=${pair%%=*}
        command -v "$thing" >/dev/null || [ -e "$thing" ] || printf ' %s' "${pair#*=}"
    done
}
[ -z "$(missing "$@")" ] && exit 0

mkdir -p build
exec 9>build/need.lock
flock 9 # another target may be installing right now
packages=$(missing "$@")
[ -z "$packages" ] && exit 0
why="only root can install"
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "installing$packages"
    export DEBIAN_FRONTEND=noninteractive
    for wait in 0 20 60; do # another program may be installing
        sleep $wait
        apt-get -qq update >build/need.log 2>&1
        apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install $packages >>build/need.log 2>&1 && exit 0
    done
    why="apt-get failed, see build/need.log"
fi
echo "missing ($why): apt-get install$packages" >&2
exit 1
