#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# README, tutorial and how-to: each output that they show is what the program prints.  UPDATE=1 writes the outputs anew.
set -u
tree=$PWD
. tests/golden/outside

for name in README docs/tutorial docs/howto; do
    mkdir -p "$name" && cd "$work/$name" && ln -s "$tree/scenarios" scenarios || exit 3
    "$tree/tests/golden/shown.py" ${UPDATE:+--update} "$program" "$tree" "$tree/$name.md" >"$work/said" || fail "$(cat "$work/said")"
    cd "$work" || exit 3
done

[ "$(wc -l <"$tree/README.md")" -le 150 ] || fail 'README has more than 150 lines'

# The search for differences finds one.
mkdir wrong && cd wrong || exit 3
printf '%s\n' '<!-- shown: Workloads -->' '```' '$ stormglass run first-io' 'Workloads  none' '```' >wrong.md
"$tree/tests/golden/shown.py" "$program" "$tree" wrong.md >said && fail 'an output that is not the program'\''s passes'
grep -q 'shows another output' said || fail "of a wrong output: $(cat said)"
cd "$work" || exit 3

# Pictures: the same labels as a drawing of today.  Fonts, and so places, are those of the machine that drew them.
labels() { grep -o '<text[^>]*>[^<]*' "$1" | sed 's/.*>//' | sort; }
"$tree/docs/pictures.sh" "$program" drawn || fail 'the pictures cannot be drawn'
for picture in "$tree"/docs/pictures/*.svg; do
    [ -s "drawn/${picture##*/}" ] || fail "${picture##*/} is not drawn by docs/pictures.sh"
    labels "$picture" | diff - <(labels "drawn/${picture##*/}") >differs || fail "make pictures draws another ${picture##*/}: $(cat differs)"
done
[ $failures = 0 ]
