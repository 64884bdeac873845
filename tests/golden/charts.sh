#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# charts - points, figures and percentages of a page and a summary are what tests/golden/charts computes of the database.
set -u
tree=$PWD
. tests/golden/outside

# Both levels of recording, as their charts of work differ, and each of them beside another run.
for level in counters ios; do
    for seed in 1 2; do
        "$program" run "$tree/tests/golden/charts/charts.yaml" --seed $seed --until 1ms --interval 30us --record $level \
            -o "$level$seed.db" >out 2>&1 || fail "$level, seed $seed did not run: $(cat out)"
    done
    "$program" report --figures "${level}1.db" >one.json || fail "$level: no figures"
    "$program" report --figures "${level}1.db" "${level}2.db" >pair.json 2>out || fail "$level: no figures of two: $(cat out)"
    for check in "one.json ${level}1.db" "pair.json ${level}1.db A" "pair.json ${level}2.db B"; do
        # shellcheck disable=SC2086
        python3 "$tree/tests/golden/charts/check.py" $check >out 2>&1 || fail "$check: $(cat out)"
    done
done

# A port with more pauses than its share of the bands, with gaps of every length; one with just its share keeps all,
# also those that follow at once.
cp counters1.db many.db
sqlite3 many.db "CREATE TEMP TABLE busy AS SELECT node, port, priority FROM blocked GROUP BY 1, 2, 3 ORDER BY count(*) DESC LIMIT 1;
    DELETE FROM blocked WHERE (node, port, priority) IN (SELECT * FROM busy);
    WITH RECURSIVE n(i, at) AS (SELECT 0, 1000000 UNION ALL SELECT i + 1, at + 400000 + i * 6000 FROM n WHERE i < 600)
    INSERT INTO blocked SELECT busy.*, at, at + 300000 + i % 7 * 10000 FROM n, busy;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
    INSERT INTO blocked SELECT node, port, priority + 1, i * 500000, i * 500000 + iif(i % 50 = 0, 500000, 200000) FROM n, busy"
"$program" report --figures many.db >many.json && python3 "$tree/tests/golden/charts/check.py" many.json many.db >out 2>&1 ||
    fail "many pauses: $(cat out)"

# Figures and percentages in the words of a summary and of its page.
"$program" run "$tree/tests/golden/charts/charts.yaml" --until 1ms --interval 0 --waits --record ios -o words.db >words.txt 2>out ||
    fail "waits did not run: $(cat out)"
"$program" report words.db -o words.html || fail 'no page'
python3 "$tree/tests/golden/charts/words.py" words.txt words.html words.db >out 2>&1 || fail "words: $(cat out)"
# One command of a kind is shown, and a kind without one is not.
sqlite3 words.db "INSERT INTO stage SELECT workload, 'flush', position, stage, 1, 1000*(position+1), 1000*(position+1) FROM stage
    WHERE workload=0 AND operation='read'" && "$program" report --text words.db >words.txt
"$program" report words.db -o words.html || fail 'no page of one command'
grep -q '<span>&#39;hot&#39;: flush, 91.0 ns</span>' words.html || fail "one command is not shown: $(grep -o '<span>&#39;hot [^<]*' words.html)"
python3 "$tree/tests/golden/charts/words.py" words.txt words.html words.db >out 2>&1 || fail "words of one command: $(cat out)"
sqlite3 words.db "UPDATE stage SET count=0, sum_ps=0, max_ps=0 WHERE operation='flush'"
"$program" report words.db -o words.html || fail 'no page of no command'
grep -q 'hot flush' words.html && fail 'a kind without a command is shown'

# Cards, tables, topology and the tree of pauses, with an expectation that is broken and frames that are lost.
{
    sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$tree/tests/golden/charts/charts.yaml"
    echo 'expect: [hot.completed > 10, raw.latency.p99 < 1us, no-lossless-drop]'
} >page.yaml
"$program" run page.yaml --interval 30us --record ios --waits -o page.db >page.txt 2>out
code=$?
[ $code = 1 ] || fail "page: exit code $code: $(cat out)"
"$program" report page.db -o page.html || fail 'no page with tables'
python3 "$tree/tests/golden/charts/page.py" page.html page.db >out 2>&1 || fail "page: $(cat out)"
python3 "$tree/tests/golden/charts/words.py" page.txt page.html page.db >out 2>&1 || fail "words of losses: $(cat out)"
[ $failures = 0 ]
