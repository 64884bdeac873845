#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages, tables and differences of small scenarios: each by itself, and next to the one before, which has other nodes,
# workloads and levels of recording: figures are missing on one side.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
mkdir json

levels=(ios counters summary packets)
number=0
last=
for scenario in "$top"/tests/validation/*.yaml; do
    name=$(basename "$scenario" .yaml)
    "$program" run "$scenario" -o "$name.db" --record "${levels[number % 4]}" --interval "$((number % 3 * 30))us" --waits \
        --until 1ms --json 2>/dev/null | grep -v -E '"(cpu|wall|started_unix)_s"' >"json/run.$name.json"
    neutral "$name.db"
    "$program" report "$name.db" -o "$name.html" 2>&1
    "$program" report "$name.db" --figures >"json/figures.$name.json"
    "$program" explain "$name.db" --json >"json/explain.$name.json" 2>&1
    "$program" counters "$name.db" --as json >"json/counters.$name.json" 2>&1
    if [ -n "$last" ]; then
        "$program" report "$last.db" "$name.db" -o "$name-pair.html" 2>&1
        "$program" report "$last.db" "$name.db" --csv tables 2>&1 && cat tables/*.csv >"$name.csv"
        "$program" diff "$last.db" "$name.db" >"$name.diff" 2>&1
        "$program" diff "$last.db" "$name.db" --json >"json/diff.$name.json" 2>&1
    fi
    rm -rf tables
    last=$name
    number=$((number + 1))
done | hold said
PYTHONPATH=$top/tests/golden/words python3 -B "$top/tests/golden/words/pages.py" ./*.html ./*.csv ./*.diff json/*.json | hold pages
[ $failures = 0 ]
