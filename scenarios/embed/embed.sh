#!/bin/sh
# embed - writes the C file that holds the given files as bytes.   SPDX-License-Identifier: Apache-2.0
# usage: embed.sh VERSION FILE...      Needs od and sed, which every Debian has.
set -eu
export LC_ALL=C
version=$1
shift

echo '#include "scenarios/embedded.h"'
echo "const char stormglass_version[] = \"$version\";"
number=0
for file in "$@"; do
    [ -s "$file" ] || { echo "embed: $file is not here (dygraph.*: of dygraphs, DYGRAPHS= says where)" >&2; exit 1; }
    echo "static const unsigned char file_$number[] = {"
    od -An -v -tu1 "$file" | sed 's/^ *//; s/  */,/g; s/$/,/'
    echo "0};"
    number=$((number + 1))
done

echo 'const struct embedded_file embedded_files[] = {'
number=0
for file in "$@"; do
    case $file in
    scenarios/* | reports/*) name=${file#*/} ;;
    *) name=page/${file##*/} ;; # of a package
    esac
    echo "    {\"$name\", file_$number, sizeof file_$number - 1},"
    number=$((number + 1))
done
echo '    {NULL, NULL, 0},'
echo '};'
