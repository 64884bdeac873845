#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the debugger shows, and why something waits, in the middle of small scenarios, word for word.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

ask() { sqlite3 run.db "$1"; }

scenarios | while read -r scenario; do # or ONLY one
    name=$(basename "$scenario" .yaml)
    "$program" run "$scenario" -o run.db --until 1us >/dev/null 2>&1
    nodes=$(ask "SELECT name FROM (SELECT name FROM node WHERE kind='host' ORDER BY node LIMIT 3)
        UNION ALL SELECT name FROM (SELECT name FROM node WHERE kind<>'host' ORDER BY node LIMIT 3)")
    ports=$(ask "SELECT node.name || ':p' || port.port FROM port JOIN node USING(node) WHERE port.port < 3 ORDER BY port.node LIMIT 12")
    workloads=$(ask "SELECT name FROM workload")
    {
        for at in 20us 300us 1100us; do
            echo "until $at"
            printf 'show %s\n' '' $nodes $workloads "$(head -n 1 <<<"$ports")"
            printf 'why %s\n' $ports $workloads
        done
        printf '%s\n' 'break drop' 'until 1300us' 'breaks' 'list 5' 'back 3' 'where' 'digest'
    } | within 20 "$program" step "$scenario" 2>&1 | sed "s,$top/,," | hold "$name"
done
[ $failures = 0 ]
