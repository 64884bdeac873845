#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare from outside: what is equal, what differs, and what cannot be compared.
set -u
. tests/golden/outside

# measured FILE [SQL]: a copy of the run that looks measured, and is changed
measured() {
    cp run.db "$1"
    sqlite3 "$1" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1'); ${2-}"
}

"$program" run first-io --record ios -o run.db >out 2>&1 || { cat out; exit 1; }
"$program" run pause-storm --until 1ms -o other.db >out 2>&1
measured same.db
measured slow.db 'UPDATE workload SET latency_p50_ps=latency_p50_ps*2'
measured lost.db 'UPDATE workload SET completed=0, failed=1 WHERE workload=0'
measured lost-host.db "UPDATE state_change SET event='LOSS', to_state='LOST' WHERE machine='host' AND to_state='LIVE'"

expect equal 0 'the protocol is equal; 4 of 4 figures within 15%' "$program" compare run.db same.db
expect 'names the device' 0 'rxe0, Linux 6.1' "$program" compare run.db same.db
expect slow 1 'the protocol is equal; 2 of 4 figures within 15%' "$program" compare run.db slow.db
expect 'slow, half of it allowed' 0 '4 of 4 figures within 50%' "$program" compare --tolerance 50% run.db slow.db
expect 'slow, median not judged' 0 '2 of 2 figures' "$program" compare --figures iops run.db slow.db
expect lost 1 'read: failed' "$program" compare run.db lost.db
expect 'other states' 1 'SCAN -> LOST (LOSS)' "$program" compare run.db lost-host.db
expect 'other states as JSON' 1 'NVMe hosts: states, host0, number 1' "$program" compare --json run.db lost-host.db
expect 'one kind' 2 'both runs of the model; --any' "$program" compare run.db run.db
expect 'one kind, asked for' 0 'the protocol is equal' "$program" compare --any run.db run.db
expect swapped 2 'give the model first' "$program" compare same.db run.db
expect 'other scenario' 2 'scenarios are different' "$program" compare --any run.db other.db
cat >disks.yaml <<'YAML'
stormglass: 1
name: disks
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, disks: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: io, kind: nvme, from: host0, to: host1, count: 2}]
YAML
"$program" run disks.yaml -o disks.db >out 2>&1
"$program" run disks.yaml --set hosts.disks.namespaces.0.size=2GiB -o larger.db >out 2>&1
expect 'other disks' 2 'the workloads differ: hosts.disks.namespaces[0]' "$program" compare --any disks.db larger.db
expect 'no database' 2 'out: ' "$program" compare out same.db
cp same.db cut.db && sqlite3 cut.db 'DROP TABLE workload_pair'
expect 'half a database' 2 'cut.db: SQL: no such table: workload_pair' "$program" compare run.db cut.db
expect 'no file' 2 'none.db: ' "$program" compare none.db same.db
expect 'wrong tolerance' 2 'expected a percentage' "$program" compare --tolerance 15ms run.db same.db
expect 'wrong figure' 2 'expected a list of mean,p50' "$program" compare --figures p98 run.db same.db
expect 'a share without a grid' 2 '--share has no effect without --frozen' "$program" compare --share 90% run.db same.db
expect 'a tolerance of captures' 2 '--tolerance has no effect with --wire' "$program" compare --wire --tolerance 5% run.db run.db
expect 'one capture as JSON' 2 '--json has no effect with one capture' "$program" compare --wire --json run.db
expect json 0 '"equal": true' "$program" compare --json run.db same.db
[ "$("$program" compare --json run.db slow.db | gojq -r '.equal, .workloads[0].figures.p50.error, .workloads[0].range')" = \
    "$(printf 'false\n-0.5\nuncalibrated')" ] || fail '--json has other values'
# Errors and counts of --json from its own figures, and the tolerance as it was given.
"$program" compare --json --tolerance 7% run.db slow.db >slow.json
gojq -e '[.workloads[].figures[] | select(.measured)] as $all |
    ($all | map(.error - (.model / .measured - 1) | fabs < 1e-9) | all) and
    ($all | map(.within == ((.error | fabs) <= 0.07)) | all) and
    (.figures == ($all | map(select(.judged)) | length)) and
    (.figures_within == ($all | map(select(.judged and .within)) | length)) and
    .tolerance == 0.07 and .figures > .figures_within and .rows > .rows_different and .scenario == "first-io"' \
    slow.json >/dev/null || fail "--json contradicts itself: $(gojq -c 'del(.settings, .protocol)' slow.json)"
# The text lists the rows that --json marks as unequal, the first row (status) included.
measured apart.db "UPDATE workload SET completed=0, failed=1 WHERE workload=0; UPDATE meta SET status='interrupted'"
"$program" compare --json --any run.db apart.db | gojq -r '.protocol[] | select(.equal | not) | .what' >unequal
"$program" compare --any run.db apart.db | sed -n 's/^  differs    //p' >listed
grep -qx status unequal || fail "no other status: $(cat unequal)"
cmp -s unequal listed || fail "the text lists other rows: $(diff unequal listed)"
[ $failures = 0 ]
