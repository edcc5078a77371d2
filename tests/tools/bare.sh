#!/bin/sh
# bare.sh [COMMAND]: runs COMMAND (.ci/run unless one is given) in a clean clone of HEAD, in a new minimal Debian that has
# git, make and gcc and nothing else. What the Makefile forgets to install is missing there. Needs root and debootstrap;
# takes 2 GB in the temporary folder (TMPDIR), which is removed at the end.
set -eu
command=${1:-.ci/run}
top=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "bare.sh: only root can make a root folder" >&2; exit 1; }
"$top/tests/tools/need.sh" debootstrap=debootstrap

# The same release from the same place as this machine's own packages.
first=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | head -n 1)
root=$(mktemp -d)
leave() {
    umount "$root/proc" "$root/dev/pts" "$root/dev" "$root/shared" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 130' INT TERM
debootstrap --variant=minbase --include=ca-certificates,git,make,gcc "${first#* }" "$root" "${first%% *}" >"$root.log" 2>&1 ||
    { echo "bare.sh: debootstrap failed, see $root.log" >&2; exit 1; }
rm -f "$root.log"
for part in apt.conf.d sources.list.d trusted.gpg.d; do
    cp -R "/etc/apt/$part/." "$root/etc/apt/$part/"
done
[ ! -s /etc/apt/sources.list ] && rm -f "$root/etc/apt/sources.list"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # whom this machine trusts
for file in /etc/npmrc "$HOME/.npmrc"; do # where npm looks for packages
    [ ! -f "$file" ] || cp "$file" "$root/$([ "$file" = /etc/npmrc ] && echo etc/npmrc || echo root/.npmrc)"
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"

git clone -q --no-hardlinks "$top" "$root/margin"
if [ -d "$top/../shared" ]; then # data sets beside the clone, where there are any
    mkdir "$root/shared"
    mount --bind -o ro "$top/../shared" "$root/shared"
fi
status=0
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true TERM="${TERM:-dumb}" \
    chroot "$root" sh -c "cd /margin && $command" </dev/null || status=$?
echo "bare.sh: '$command' ended with exit code $status"
exit $status
