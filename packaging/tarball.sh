#!/bin/bash
# tarball - one archive with the program, its man pages and cases, for Linux without packages.   SPDX-License-Identifier: Apache-2.0
# usage: packaging/tarball.sh DIRECTORY BUILD_DIRECTORY     Writes stormglass-VERSION-linux-ARCH.tar.gz there, and tries it.
# YAML, SQLite and zlib are in the program.  Next to it are libcgraph and libcdt, of which Debian has no static libraries, and
# Jansson, whose static library has names of the program.  The C library is the system's (glibc of this machine or later).
# Two libraries are loaded when they are needed, and have to be installed for that: libgvc, whose plug-ins lay out and write drawings, and
# libpcap, which reads captures (compare --wire).  stormglass-bridge needs the system's RDMA libraries and is not in the archive.
set -eu
cd "$(dirname "$0")/.."
out=$1 built=$2
version=$(cat VERSION) arch=$(uname -m)
name=stormglass-$version-linux-$arch
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)
top=$out/$name
rm -rf "$top"
mkdir -p "$top/bin" "$top/lib" "$top/share/man/man1" "$top/share/man/man5" "$top/share/stormglass/cases" "$top/share/stormglass/lessons" \
    "$top/share/stormglass/claims"

install -m 755 "$built/self-contained" "$top/bin/stormglass"
strip "$top/bin/stormglass"
for library in libcgraph.so.6 libcdt.so.5 libjansson.so.4; do
    install -m 644 "$(realpath "$(gcc -print-file-name="$library")")" "$top/lib/$library"
done
for page in docs/man/*.[15]; do
    case $page in *bridge*) continue ;; esac
    install -m 644 "$page" "$top/share/man/man${page##*.}"
done
install -m 644 scenarios/cases/* "$top/share/stormglass/cases"
install -m 644 scenarios/lessons/* "$top/share/stormglass/lessons"
install -m 644 scenarios/claims/* "$top/share/stormglass/claims"
install -m 644 LICENSE README.md CHANGELOG.md "$top"
packaging/release-notes.sh "$version" >"$top/RELEASE-NOTES.md"
# The licenses of what is in the program or next to it, as Debian's packages state them.
for package in libyaml-0-2 libsqlite3-0 zlib1g libjansson4 libcminpack1 libcgraph6 libcdt5; do
    license=/usr/share/doc/$package/copyright
    [ -s "$license" ] || { echo "tarball: $license is missing: expected the license of a library in the archive" >&2; exit 1; }
    install -D -m 644 "$license" "$top/share/doc/licenses/$package"
done

# What it needs of the system: the C library alone.
needed=$(objdump -p "$top/bin/stormglass" "$top"/lib/* | sed -n 's/^ *NEEDED *//p' | sort -u |
    grep -v -x -e 'libc\.so\.6' -e 'libm\.so\.6' -e 'libcgraph\.so\.6' -e 'libcdt\.so\.5' -e 'libjansson\.so\.4' -e 'ld-linux.*' || true)
[ -z "$needed" ] || { echo "tarball: the program needs $needed" >&2; exit 1; }

# It runs from there, with the libraries beside it and without an environment.
there=$(realpath "$top")
tried=$(cd / && env -i "$there/bin/stormglass" run first-io --json 2>&1) && [[ $tried == *'"digest"'* ]] ||
    { echo "tarball: the packed program fails: $tried" >&2; exit 1; }

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$out" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
rm -rf "$top"
echo "$out/$name.tar.gz"
