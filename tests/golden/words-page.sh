#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a page has of a run, of two and beside a measurement, element by element; and what diff says of two runs.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
# The day is that on which the measurement was written.
without_day() { sed -E 's/, 20[0-9]{2}-[0-9]{2}-[0-9]{2},/, DAY,/'; }
markup() { python3 -B "$top/tests/golden/words/markup.py" "$1"; }

{
    sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$top/tests/golden/charts/charts.yaml"
    echo 'expect: [hot.completed > 10, raw.latency.p99 < 1us, no-lossless-drop]'
} >page.yaml
"$program" run page.yaml --interval 30us --record ios --waits -o a.db >/dev/null 2>&1
"$program" run page.yaml --interval 30us --record ios --waits --seed 2 --set fabric.switch.ecn-kmin=20KiB \
    --set fabric.topology.spines=3 --set workloads.late.message-size=16KiB -o b.db >/dev/null 2>&1
"$program" run first-io --record packets -o frames.db >/dev/null 2>&1
neutral a.db && neutral b.db && neutral frames.db

written page.html "$program" report a.db && markup page.html | hold page
for part in 'Dygraph=' '\.dygraph-' ':root'; do # library and styles, which markup leaves out
    grep -q -e "$part" page.html || fail "the page has no $part"
done
"$program" report --text a.db | sed 's/ in [0-9.]* s$//' | hold text
written page.html "$program" report a.db b.db && markup page.html | hold pair
written page.html "$program" report a.db a.db && markup page.html | sed -n '/<header>/,/<section/p' | hold same
# A card that only one run has a value for shows no change.
cp b.db part.db
sqlite3 part.db "DELETE FROM result"
written page.html "$program" report a.db part.db && python3 - page.html <<'PY' >out 2>&1 || fail "cards: $(cat out)"
import re, sys
cards = re.findall(r'<div class="card"><span>(.*?)</span>(.*?)</div>', open(sys.argv[1]).read(), re.S)
missing = {label: '-' in [re.sub(r'<.*?>', '', value)[1:] for value in re.findall(r'<b>(.*?)</b>', rest)] for label, rest in cards}
changed = {label: '<em' in rest for label, rest in cards}
print(missing, changed)
sys.exit(any(missing[label] == changed[label] for label in missing) or len(set(missing.values())) < 2)
PY
cp frames.db measured.db
sqlite3 measured.db "INSERT INTO measured VALUES('device','rxe<0>'),('kernel','6.1');
    UPDATE workload SET latency_p50_ps=latency_p50_ps*2"
written alone.html "$program" report frames.db && written page.html "$program" report frames.db --measured measured.db &&
    diff <(markup alone.html) <(markup page.html) | without_day | hold measured
"$program" compare frames.db measured.db 2>&1 | without_day | hold compare
sqlite3 measured.db "INSERT INTO measured VALUES('firmware','22.3'),('address','10.0.0.1'),('agreement','the same'),('faults_outside','two frames lost')"
"$program" report --text measured.db 2>&1 | without_day | sed 's/ in [0-9.]* s$//' | hold measured.text
"$program" diff a.db b.db 2>&1 | hold diff
"$program" diff a.db b.db --json 2>&1 | hold diff.json
rm -rf tables && "$program" report a.db b.db --csv tables && hold difference.csv <tables/difference.csv
written page.html "$program" report frames.db --queue && markup page.html | sed -n '/<section id="queue"/,/<\/section>/p' | hold queue
for command in 0 1 2; do
    "$program" draw frames.db --what io $command -o io.svg 2>&1 && markup io.svg
done | hold io
written pauses.dot "$program" draw a.db --what pauses && tr -s '\n\t ' ' ' <pauses.dot | sed -E 's/;/;\n/g' >pauses.txt &&
    sed -E 's/(pos|bb|lp|xlp|head_lp|tail_lp|width|height|lwidth|lheight|rects|vertices)=("[^"]*"|[0-9.]+),? ?//g; s/,? *\]/]/g' pauses.txt | hold pauses
written fabric.svg "$program" draw a.db && markup fabric.svg | hold fabric
"$program" counters a.db --port host0:p0 | hold counters
"$program" counters a.db --port leaf0 --as sonic | hold sonic
[ $failures = 0 ]
