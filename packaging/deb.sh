#!/bin/bash
# deb - builds the Debian packages from the files of this tree.    SPDX-License-Identifier: Apache-2.0
# usage: packaging/deb.sh DIRECTORY [BUILD]      Writes the packages of packaging/debian/control there.
# The same commit gives the same bytes, wherever it is built: times are those of the commit.  BUILD=plain skips
# link-time optimization, for tests of the packaging.
set -eu
cd "$(dirname "$0")/.."
out=$1 build=${2:-release}
unset MAKEFLAGS MAKELEVEL MFLAGS
mkdir -p "$out"
out=$(realpath "$out") source=$out/source
version=$(cat VERSION)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC

rm -rf "$source" "$out"/*.deb
mkdir -p "$source"
if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
else
    find . -path ./build -prune -o -type f -print0
fi | tar --null -T - -cf - | tar -xf - -C "$source"

# What only .ci/packages and the Makefile know: packages that the build needs, and libraries that are loaded on demand.
cp -r packaging/debian "$source/debian"
needs=$(.ci/packages list | awk -F'|' '$1 == "build" && $2 != "gcc" && $2 != "libc6-dev" { printf ", %s", $2 }')
lazy=$(for library in $(sed -n 's/^LAZY *:= *//p' Makefile); do
    dpkg -S "$(realpath "$(gcc -print-file-name="lib$library.so")")" | sed 's/:.*//'
done | paste -sd, | sed 's/,/, /g')
[ -n "$lazy" ] || { echo "deb: no package has the libraries of LAZY in the Makefile" >&2; exit 1; }
sed -i "s/@BUILD_DEPENDS@/debhelper-compat (= 13)$needs/; s/@LAZY@/$lazy/" "$source/debian/control"
cat >"$source/debian/changelog" <<END
stormglass ($version) bookworm; urgency=medium

  * Version $version; /usr/share/doc/stormglass/releases.md.gz lists the changes.

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(date -u -d "@$SOURCE_DATE_EPOCH" -R)
END
# debhelper would take a file of this name for the changelog of the package.
mv "$source/CHANGELOG.md" "$source/debian/releases.md"
echo debian/releases.md >"$source/debian/stormglass.docs"
mkdir -p "$source/debian/source"
echo '3.0 (native)' >"$source/debian/source/format"

(cd "$source" && BUILD=$build DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" dpkg-buildpackage -b -us -uc) >"$out/log" 2>&1 || {
    tail -n 40 "$out/log"
    exit 1
}
rm -rf "$source" "$out"/*.buildinfo "$out"/*.changes
ls "$out"/*.deb
