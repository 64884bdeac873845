#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What plans, experiments, incidents and calibrations say, in each form: text, JSON, tables, pages.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
markup() { python3 -B "$top/tests/golden/words/markup.py" "$1"; }
cp "$top"/tests/golden/plan-figures/*.yaml .

# all NAME ARGUMENTS...: a plan in its four forms
all() {
    local name=$1
    shift
    "$program" plan "$@" --json -o "$name.db" 2>&1 | hold "$name.json"
    "$program" plan "$@" --resume "$name.db" 2>&1 | hold "$name"
    "$program" plan "$@" --resume "$name.db" --csv 2>&1 | hold "$name.csv"
    written page.html "$program" report "$name.db" && markup page.html | hold "$name.page"
}
all pair plan.yaml

# A failure that decides, a cliff, and two designs; nothing that passes; an axis with more values.
sed 's/^name: pair/name: wide/; s/\[4, 8, 24\]/[2, 16]/; s/\[2, 3\]/[3]/; s/objective: .*/seeds: 3/' plan.yaml >wide.yaml
all versus plan.yaml --vs wide.yaml
sed 's/80us/20us/; s/\[4, 8, 24\]/[8, 24]/; s/objective: most-headroom/seeds: 3/; /^prices:/,$d' plan.yaml >never.yaml
all never never.yaml
"$program" plan never.yaml --list 2>&1 | hold list
cp "$top/tests/golden/plans/pair.yaml" .
sed -i 's/queue-depth: 4/queue-depth: 1/' pair.yaml
{ cat "$top/tests/golden/plans/assumed.yaml"; echo 'cliff: [{path: fabric.host-links.length, as: far, values: [3m, 200m, 400m, 1km]}]'; } >assumed.yaml
all assumed assumed.yaml --assumed

# Two axes whose other values move the limit; a folder of pages, whose index has a link to each run.
sed 's/^vary: \[\(.*\)\]$/vary: [\1, {path: workloads.io.queue-depth, as: qd, values: [1, 8]}]/; s/17.8us/25us/' assumed.yaml >levers.yaml
"$program" plan levers.yaml -o levers.db --pages levers 2>&1 | hold levers
markup levers/index.html | hold levers.page
[ $failures = 0 ]
