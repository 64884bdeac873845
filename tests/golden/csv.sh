#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# csv - every command that prints a table has --csv; each line has as many fields as the first, and each name is there once.
set -u
top=$PWD
. tests/golden/outside

# tabular NAME LINES COMMAND...: exit code 0 or 1, at least so many lines below the names, equal numbers of fields
tabular() {
    local name=$1 least=$2
    shift 2
    "$program" "$@" --csv >out.csv 2>err
    [ $? -le 1 ] || fail "$name: $(cat err)"
    python3 -B - "$least" <<'END' >found 2>&1 || fail "$name: $(cat found)"
import csv, sys
rows = list(csv.reader(open('out.csv', newline=''), strict=True))
names = rows[0] if rows else sys.exit('nothing')
assert len(set(names)) == len(names) and all(names), f'names: {names}'
assert all(len(row) == len(names) for row in rows), [row for row in rows if len(row) != len(names)][0]
assert len(rows) > int(sys.argv[1]), f'{len(rows) - 1} rows'
END
    echo "${1%% *}" >>tried
}

cat >members.yaml <<'END'
stormglass: 1
name: "members, \"quoted\""
duration: 200us
fabric: {topology: {kind: single-switch, hosts: 4}}
hosts: {targets: {where: host0, namespaces: [{media: storage-class, count: 4}]}}
workloads:
  - {name: io, kind: nvme, from: "host1..host3", to: host0, read: 70%, block-size: 4KiB, queue-depth: 2}
  - {name: sized, kind: rdma-write, from: host1, to: host2, message-size: 64KiB, outstanding: 1, count: 3}
END
cat >plan.yaml <<'END'
stormglass-plan: 1
name: members
scenario: members.yaml
slo: ["io.latency.p99 < 1s"]
vary: [{path: fabric.host-links.length, as: far, values: [3m, 4m]}]
END
cp "$top"/tests/golden/grid/*.yaml "$top"/tests/golden/readings/write_*.txt .
"$program" run first-io --record packets -o first.db >/dev/null 2>&1
"$program" run first-io --record packets --seed 2 --set workloads.read.block-size=8KiB -o larger.db >/dev/null 2>&1
cp first.db measured.db && sqlite3 measured.db "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
"$program" pcap first.db -o first.pcapng
"$program" pcap larger.db -o larger.pcapng
"$program" counters first.db --as json >counters.json

tabular run 2 run members.yaml
grep -q '^"members, ""quoted""",1,io,nvme,' out.csv || fail "run: $(cat out.csv)"
tabular 'several scenarios' 3 run members.yaml first-io -j 2
expect 'the first one is wrong' 2 '"members, ""quoted""",1,io,nvme,' "$program" run nothere.yaml members.yaml --csv
grep -q '^scenario,seed,workload,' out || fail "the first one is wrong: no names: $(cat out)"
tabular seeds 2 run members.yaml --seeds 2
tabular check 1 check mtu-mismatch
tabular list 10 list cases
tabular 'list of parameters' 100 list parameters
tabular claims 10 claims rdma-write
tabular 'list of claims' 5 claims --list
tabular headroom 1 headroom --rate 100Gbps --rate 25Gbps --phases 0
tabular counters 50 counters first.db
tabular diff 5 diff first.db larger.db
tabular 'diff of an incident' 5 diff counters.json first.db
tabular plan 2 plan plan.yaml
tabular query 2 query first.db "SELECT 'a,\"b\"' || char(10) AS text, x'00ff' AS blob, NULL AS empty UNION ALL SELECT 1, 2.5, 3"
printf 'text,blob,empty\n"a,""b""\n",00ff,\n1,2.5,3\n' | cmp -s - out.csv || fail "query: $(cat out.csv)"
tabular predict 7 predict grid.yaml -o predicted
tabular compare 7 compare first.db measured.db
for cell in predicted/*.db; do sqlite3 "$cell" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"; done
tabular 'a grid' 7 compare --frozen predicted/predictions.json predicted
tabular captures 5 compare --wire first.pcapng larger.pcapng
tabular calibrate 10 calibrate write_bw.txt write_lat.txt
tabular incident 1 incident "$top/scenarios/incidents/pause-storm"
tabular bench 1 bench first-io

# --- whoever has --json has --csv, and is above; explain, explain-parameter and watch print sentences; the tables of explain are views (query --csv) ---
sed -n 's/^COMMAND([A-Z]*, \(.*\))$/\1/p' "$top/cli/command.def" | tr _ - | while read -r command; do
    "$program" "$command" --help | grep -q '^  .*--json ' || continue
    case $command in explain | explain-parameter | watch | bridge) continue ;; esac
    "$program" "$command" --help | grep -q '^  .*--csv ' || echo "$command has --json, and no --csv"
    grep -qx "$command" tried || echo "$command is not tried"
done >missing
[ -s missing ] && fail "$(cat missing)"
expect 'both forms' 2 '--json and --csv: expected one of them' "$program" list --json --csv
expect 'quiet' 2 'exclude each other' "$program" run members.yaml -q --csv
[ $failures = 0 ] && echo 'ok    csv'
