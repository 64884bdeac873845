#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is said of a database: explain, counters, views, drawings, of small scenarios, word for word.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

last=$(scenarios | tail -n 1) number=0 # its views are shown below
scenarios | while read -r scenario; do
    in_turn $((number++)) 2 || [ "$scenario" = "$last" ] || continue # half of them, by the commit
    name=$(basename "$scenario" .yaml)
    rm -f run.db
    within 300 "$program" run "$scenario" -o run.db --record ios --until 3ms >/dev/null 2>&1
    {
        "$program" explain run.db
        "$program" explain run.db --json | sum json
        "$program" counters run.db | sum counters
        "$program" counters run.db --as sonic | sum sonic
        "$program" draw run.db --what pauses -o pauses.dot 2>&1 && without_layout pauses.dot | sum pauses
        "$program" draw run.db -o fabric.dot && without_layout fabric.dot | sum fabric
    } 2>&1 | hold "$name"
done
[ -z "${ONLY-}" ] || exit $((failures > 0))
for view in $(sqlite3 run.db "SELECT name FROM sqlite_master WHERE type='view' ORDER BY name"); do
    "$program" query run.db "SELECT * FROM $view" | head -n 3
done 2>&1 | sed "s,$top/,,g" | hold views
[ $failures = 0 ]
