#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# leaks-plans - what prints plans, calibrations and grids frees all memory that it allocates (memcheck).
set -u
tree=$PWD
. tests/golden/outside
for library in libgvc libgvplugin libpango libfontconfig; do # which keep memory of their own
    printf '{\n%s\nMemcheck:Leak\n...\nobj:*/%s*\n...\n}\n' $library $library
done >kept

commands=0
# frees NAME COMMAND...: exit code 9 is that of memcheck
frees() {
    local name=$1 code
    shift
    in_turn $((commands++)) 2 || return 0 # under valgrind each takes seconds; ALL=1: all
    valgrind -q --suppressions=kept --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        --error-exitcode=9 "$@" >out 2>err
    code=$?
    [ $code -le 1 ] || fail "$name: exit code $code: $(grep -m 12 '^==' err)"
}

cp "$tree"/tests/golden/plan-figures/*.yaml .
sed 's/^name: pair/name: wide/; s/\[4, 8, 24\]/[2, 16]/; s/\[2, 3\]/[3]/; s/objective: .*/seeds: 3/' plan.yaml >wide.yaml
"$program" plan plan.yaml --vs wide.yaml -o versus.db >/dev/null 2>&1 || fail 'no plan'
frees plan "$program" plan plan.yaml --vs wide.yaml --resume versus.db
frees 'plan --json' "$program" plan plan.yaml --vs wide.yaml --resume versus.db --json
frees 'page of a plan' "$program" report versus.db -o plan.html
cp "$tree"/tests/golden/readings/* .
frees 'calibrate' "$program" calibrate write_bw.txt write_lat.txt read_lat.json --base connectx-5-100g -o mine.yaml
frees 'calibrate --json' "$program" calibrate write_bw.txt --base connectx-5-100g --json
cp "$tree"/tests/golden/grid/*.yaml .
frees predict "$program" predict grid.yaml -o predicted
[ $failures = 0 ]
