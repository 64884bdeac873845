#!/bin/sh
# make - what make does when it is asked to do nothing.           SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/.." || exit 3
unset MAKEFLAGS MAKELEVEL MFLAGS
nowhere=-DNEVER_BUILT_$$
if ! make -n all OPT="$nowhere" >"${TMPDIR:-/tmp}/make.$$" 2>&1; then
    tail -n 5 "${TMPDIR:-/tmp}/make.$$"
    echo 'make -n fails'
    exit 1
fi
grep -q -e ' -o build/.*/stormglass$' "${TMPDIR:-/tmp}/make.$$" || { echo 'make -n does not name the link'; exit 1; }
rm -f "${TMPDIR:-/tmp}/make.$$"
for made in build/*"$nowhere"; do
    [ ! -e "$made" ] || { echo "make -n has made $made"; exit 1; }
done
