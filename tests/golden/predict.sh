#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A grid from outside: listed, predicted, frozen, measured, compared; and what is refused on the way.
set -u
tree=$PWD
. tests/golden/outside

cp "$tree"/tests/golden/grid/*.yaml .

expect 'a cell and its settings' 0 'qd4-bs512B --set workloads.io.queue-depth=4 --set workloads.io.block-size=512B' \
    "$program" predict --list grid.yaml
expect frozen 0 '4 cells frozen' "$program" predict grid.yaml -o predicted
expect 'frozen again, the same' 0 "$(grep -o 'digest [0-9a-f]*' out)" "$program" predict grid.yaml -o predicted
[ "$(ls predicted | tr '\n' ' ')" = 'predictions.json qd1-bs512B.db qd1-bs64KiB.db qd4-bs512B.db qd4-bs64KiB.db ' ] ||
    fail "other files: $(ls predicted)"
gojq -e '.cells | length == 4' predicted/predictions.json >out || fail 'no JSON'

# Whose ring is full, its figures are a matter of microseconds.
sed 's/^hosts: {defaults: {rnic: {profile: ideal}}, /hosts: {lab: {where: "*", machine: lab}, defaults: {rnic: {profile: softroce, receive-ring: 64}}, /; s/10ms/20s/' base.yaml >ring-base.yaml
sed 's/small/ring/; s/base.yaml/ring-base.yaml/; s/64KiB/128KiB/; s/\[1, 4\]/[1]/' grid.yaml >ring.yaml
expect 'a ring that is full' 0 '2 cells frozen' "$program" predict ring.yaml -o rings
[ "$(gojq -r '.cells[].workloads[].range' rings/predictions.json | tr '\n' ' ')" = 'uncalibrated ring-full ' ] ||
    fail 'the range of a cell whose ring is full'
gojq -r '.cells[1].workloads[0].outside' rings/predictions.json | grep -q '^[0-9]* frames found no buffer in a receive ring$' ||
    fail 'why its ring was full'

# The loop of the manual; a run of the model stands for the measurement.
mkdir measured
"$program" predict --list grid.yaml | while read -r cell sets; do
    # shellcheck disable=SC2086 # a list of words
    "$program" run base.yaml $sets -o "measured/$cell.db" >out
    sqlite3 "measured/$cell.db" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
done
frozen=predicted/predictions.json
expect 'as predicted' 0 '4 of 4 within 15%' "$program" compare --frozen $frozen measured
expect 'as Markdown' 0 '| kernel | Linux 6.1 |' "$program" compare --frozen $frozen measured --markdown
expect 'as JSON' 0 '"within": 4' "$program" compare --frozen $frozen measured --json
# Each cell another error, and each figure of a cell another one.
cp -r measured apart
i=0
for db in apart/*.db; do
    i=$((i + 1))
    sqlite3 "$db" "UPDATE workload SET latency_p50_ps=latency_p50_ps*(1+0.03*$i), iops=iops*(1-0.05*$i),
        latency_mean_ps=latency_mean_ps*(1+0.01*$i), latency_p99_ps=latency_p99_ps*(1-0.02*$i);
        UPDATE wall SET value=1700000000+$i*86400 WHERE name='started_unix_s'"
done
expect 'cells apart' 1 '2 of 4 within 15%' "$program" compare --frozen $frozen apart
cp out apart.txt
grep -q '^  measured   apart: rxe0, Linux 6.1, 2023-11-15 to 2023-11-18$' apart.txt || fail "days: $(grep measured apart.txt)"
"$program" compare --frozen $frozen apart --markdown >apart.md
"$program" compare --frozen $frozen apart --json >apart.json
python3 "$tree/tests/golden/grid/check.py" apart.txt apart.md predicted apart apart.json >out 2>&1 || fail "figures: $(cat out)"
sqlite3 measured/qd4-bs512B.db 'UPDATE workload SET latency_p50_ps=latency_p50_ps*2'
expect 'one beyond' 1 '3 of 4 within 15%' "$program" compare --frozen $frozen measured
expect 'three of four are enough' 0 '3 of 4 within 15%' "$program" compare --frozen $frozen measured --share 75%
expect 'all within a factor of two' 0 '4 of 4 within 50%' "$program" compare --frozen $frozen measured --tolerance 50%
rm measured/qd1-bs512B.db
expect 'one missing' 1 'not measured: 1' "$program" compare --frozen $frozen measured

# A prediction that was touched, another model, other work.
sed 's/"completed": 20/"completed": 21/' $frozen >touched.json
expect 'a touched prediction' 2 'touched.json:1:1: error: the file was changed after it was frozen' \
    "$program" compare --frozen touched.json measured
sed 's/"frozen": 4/"frozen": four four/' $frozen >broken.json
expect 'a broken file' 2 'broken.json:' "$program" compare --frozen broken.json measured
sed 's/"completed": 20/"completed": many/' $frozen >words.json
expect 'a word for a number' 2 'error: expected a whole number' "$program" compare --frozen words.json measured
"$program" run base.yaml --set workloads.io.count=21 -o measured/qd1-bs512B.db >out
sqlite3 measured/qd1-bs512B.db "INSERT INTO measured VALUES('device','rxe0')"
expect 'other work' 2 'did not do the work predicted for qd1-bs512B' "$program" compare --frozen $frozen measured
expect 'the model itself' 2 'is a model run, not a measurement' "$program" compare --frozen $frozen predicted
mkdir nothing
expect 'nothing measured' 2 'no measurement of any of the 4 cells' "$program" compare --frozen $frozen nothing
expect 'two folders' 2 'expected one directory' "$program" compare --frozen $frozen measured measured

# Grids that are none.
sed 's/values: \[1, 4\]/values: [1, "$(id)"]/' grid.yaml >shell.yaml
expect 'a value that a shell would run' 2 'shell.yaml:5:58: error: expected a value' "$program" predict shell.yaml -o no
sed 's/queue-depth/queue-dept/' grid.yaml >word.yaml
expect 'a word of the scenario' 2 "did you mean 'queue-depth'" "$program" predict word.yaml -o no
sed 's/base.yaml/bass.yaml/' grid.yaml >none.yaml
expect 'no such scenario' 2 'bass.yaml' "$program" predict none.yaml -o no
expect 'neither list nor folder' 2 'expected -o DIR' "$program" predict grid.yaml
expect 'no grid' 2 'base.yaml:1:1: error: expected a grid' "$program" predict base.yaml -o no
sed 's/512B, 64KiB/512B, 0B/' grid.yaml >last.yaml
expect 'a wrong value in the last cells' 2 'qd1-bs0B cannot be loaded' "$program" predict last.yaml -o no
[ ! -e no ] || fail "something was written: $(ls no)"
[ $failures = 0 ]
