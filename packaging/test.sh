#!/bin/bash
# test - the packages are reproducible, clean, and run in a fresh Debian 12.      SPDX-License-Identifier: Apache-2.0
# usage: packaging/test.sh DIRECTORY_OF_PACKAGES      As root: debootstrap makes a Debian 12 below build/.
set -eu
cd "$(dirname "$0")/.."
packages=$(realpath "$1")
version=$(cat VERSION) arch=$(dpkg --print-architecture)
names="python3-stormglass_${version}_all.deb"
for package in stormglass stormglass-bridge libstormglass1 libstormglass-dev; do names="$names ${package}_${version}_$arch.deb"; done
work=$(mktemp -d)
root=$PWD/build/debian-12
trap 'rm -rf "$work"' EXIT

echo "reproducible: two builds in two directories"
packaging/deb.sh "$work/one" plain >/dev/null
packaging/deb.sh "$work/another/place" plain >/dev/null
for name in $names; do cmp "$work/one/$name" "$work/another/place/$name"; done

echo "lintian"
# shellcheck disable=SC2086 # two words
(cd "$packages" && lintian --fail-on error,warning $names)

echo "a fresh Debian 12"
if [ ! -e "$root/ready" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
    touch "$root/ready"
fi
chroot "$root" apt-get purge -q -y '*stormglass*' >/dev/null 2>&1 || true
for name in $names; do cp "$packages/$name" "$root/tmp/"; done
chroot "$root" apt-get update -q >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
# shellcheck disable=SC2086
chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c "cd /tmp && apt-get install -q -y $(printf './%s ' $names)" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; exit 1; }
[ "$(chroot "$root" stormglass --version | grep -o '[0-9.]*' | head -n 1)" = "$version" ] || { echo "another version"; exit 1; }
chroot "$root" stormglass run pause-storm >"$work/run"
grep '^digest' "$work/run"
chroot "$root" sh -c 'cd /tmp && stormglass draw pause-storm -o fabric.svg && grep -q "<svg" fabric.svg'
chroot "$root" stormglass-bridge --version
digest=$(chroot "$root" python3 -c 'import stormglass; print(stormglass.run("pause-storm").digest)')
grep -q "^digest $digest$" "$work/run" || { echo "another digest from Python: $digest"; exit 1; }
chroot "$root" apt-get purge -q -y '*stormglass*' >/dev/null 2>&1
[ ! -e "$root/usr/bin/stormglass" ] && [ ! -e "$root/usr/share/stormglass" ] || { echo "files stay after purge"; exit 1; }
echo "passed"
