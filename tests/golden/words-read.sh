#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is said of a database: explain, counters, views, drawings, of small scenarios, word for word.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

for scenario in $(scenarios); do
    name=$(basename "$scenario" .yaml)
    rm -f run.db
    timeout 20 "$program" run "$scenario" -o run.db --record ios --until 3ms >/dev/null 2>&1
    {
        "$program" explain run.db
        "$program" explain run.db --json | sum json
        "$program" counters run.db | sum counters
        "$program" counters run.db --as sonic | sum sonic
        "$program" draw run.db --what pauses -o pauses.dot 2>&1 && sum pauses <pauses.dot
        "$program" draw run.db -o fabric.dot && sum fabric <fabric.dot
    } 2>&1 | hold "$name"
done
for view in $(sqlite3 run.db "SELECT name FROM sqlite_master WHERE type='view' ORDER BY name"); do
    "$program" query run.db "SELECT * FROM $view" | head -n 3
done 2>&1 | sed "s,$top/,,g" | hold views
[ $failures = 0 ]
