#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every command that has --json, in cases that fill its fields: a list that each test sees empty, a field that each test
# sees null and a boolean with one value are mistakes that no test notices.  And what these commands say as text.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
mkdir json

# said COMMAND NAME ARGUMENTS...: as JSON and, for the held text, without it; grid and wire are forms of compare
said() {
    local kind=$1 command=$1 name=$2
    case $kind in grid | wire) command=compare ;; esac
    shift 2
    "$program" "$command" "$@" --json 2>&1 | grep -v -E '^ *"(cpu|wall|started_unix)_s": [0-9.]+,?$' |
        sed -E 's/("started_unix_s": )[0-9]+/\11/' >"json/$kind.$name.json" # beside others on its line
    echo "--- $kind $name"
    "$program" "$command" "$@" 2>&1 | sed "s/ in [0-9.]* s\$//; s,$top/,,g"
}

# --- claims: true under a condition, with a case that is not modeled, and as a list ---
said claims conditional rdma-write | hold claims
"$program" claims mtu-one-switch --json >json/claims.false.json
cat >condition.yaml <<'END'
stormglass-claim: 1
rows: [N10]
claim: Queue pairs exist.
source: a source
stated: between two hosts
scenario: {stormglass: 1, name: condition, duration: 20us, fabric: {topology: {kind: single-switch, hosts: 2}}, workloads: [{name: io, kind: rdma-write, from: host0, to: host1}]}
figures: [{name: made, about: "made", value: io.issueds, unit: count}]
true-if: ["made > 0"]
END
cat >drift.yaml <<'END'
stormglass-claim: 1
rows: [N10]
claim: A drift ends.
source: a source
scenario: {stormglass: 1, name: drift, duration: 2ms, fabric: {topology: {kind: single-switch, hosts: 3}}, workloads: [{name: io, kind: rdma-write, from: host0, to: host2, message-size: 4KiB}, {name: late, kind: rdma-write, from: host1, to: host2, start: 1ms, message-size: 1MiB, outstanding: 8}]}
figures: [{name: made, about: "made", value: io.issued, unit: count}]
true-if: ["made > 0"]
END
"$program" claims drift.yaml --json >json/claims.drift.json
sed -n '1,4p' condition.yaml >unrun.yaml
echo 'cannot-run: no model of it' >>unrun.yaml
"$program" claims condition.yaml unrun.yaml --json >json/claims.odd.json 2>err
"$program" claims --list rdma-write --json >json/claims.list.json

# --- runs: of seeds, with a steady part and without, with flows of a size, with a medium that collects garbage ---
cat >members.yaml <<'END'
stormglass: 1
name: members
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 4}, overrides: [{where: link host3-switch0, length: 2km}], switch: {profile: shared-buffer-32mb}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: storage-class, count: 4}]}}
workloads:
  - {name: io, kind: nvme, from: "host1..host3", to: host0, read: 70%, block-size: 4KiB, queue-depth: 2}
  - {name: sized, kind: rdma-write, from: host1, to: host2, message-size: 64KiB, outstanding: 1, count: 3}
expect: ["io.worst_member.latency.mean > 30us", "io.latency.mean < 5us"]
END
cp "$top"/tests/validation/*.yaml "$top"/tests/golden/words/causes/*.yaml . # some outputs name the file
run() { said run "$@" | sed '/^Simulated/d'; }
{
    run members members.yaml
    run unsteady incast-8to1 --set duration=1ms
    run crash target-crash
    run mtu mtu-mismatch
    run confirmed mtu-mismatch --confirm 2000000 -o confirmed.db
    run suspected incast-8to1 --set duration=1ms --set workloads.0.queue-depth=1 --confirm 20000000
    run storm pause-storm --until 1ms -o storm.db --interval 30us
    run unconfirmed pause-storm --until 1ms --confirm 0
    run thresholds v08-thresholds.yaml
    run many v17-many-flows.yaml
    run queue-size queue-size.yaml
    run waits members.yaml --until 1ms --waits -o waits.db
} | hold run
"$program" run members.yaml --seeds 3 --until 1ms --json >json/seeds.members.json 2>&1
"$program" run members.yaml --set 'expect=[]' --seeds 2 --until 1ms --json >json/seeds.held.json 2>&1

# --- proofs: a fault, hosts and settings, suspects that are not at fault, and load alone ---
cat >hidden.yaml <<'END'
stormglass: 1
name: hidden
duration: 1ms
drain: 5ms
fabric: {topology: {kind: single-switch, hosts: 4}}
hosts: {odd: {where: host1, rnic: {drain: 8Gbps}}, defaults: {rnic: {profile: ideal, timeout: 8, retry-count: 1}}}
workloads: [{name: a, kind: rdma-write, from: [host0, host2], to: [host1, host3], message-size: 64KiB, outstanding: 2}]
faults: [{kind: link-down, where: host1-switch0}]
END
cat >load.yaml <<'END'
stormglass: 1
name: load
duration: 300us
fabric: {topology: {kind: single-switch, hosts: 6}}
workloads:
  - {name: much, kind: rdma-write, from: [host1, host2, host3], to: host0, message-size: 256KiB, outstanding: 4, pairing: all-to-all}
  - {name: little, kind: rdma-write, from: host4, to: host0, message-size: 16KiB, outstanding: 1}
END
for scenario in hidden load marking link-down pause-time; do
    "$program" run $scenario.yaml -o $scenario.db >/dev/null 2>&1
    said explain $scenario $scenario.db --prove
done | hold prove

# --- what-ifs and assumed values: of words-tools.sh, and of a scenario whose verdict an assumed cost decides ---
for kept in "$top"/tests/golden/words/words-tools/{assumed,what-if,queue}.json.txt; do
    cp "$kept" "json/explain.$(basename "$kept" .json.txt).json"
done
cat >cost.yaml <<'END'
stormglass: 1
name: cost
duration: 300us
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 25Gbps}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: null, count: 1}]}}
workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, queue-depth: 64}]
expect: [w.iops > 400000, w.failed == 0]
END
{
    said explain cost cost.yaml --assumed
    said explain gain cost.yaml --what-if
    said explain waits waits.db
    said explain confirmed confirmed.db
} | hold explain

# --- comparisons: with a measurement, of a grid, of captures; differences ---
"$program" run first-io --record packets -o first.db >/dev/null 2>&1
"$program" run first-io --record packets --seed 2 --set workloads.read.block-size=8KiB -o larger.db >/dev/null 2>&1
cp first.db same.db && cp first.db slow.db
sqlite3 same.db "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
sqlite3 slow.db "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1'); UPDATE workload SET latency_p50_ps=latency_p50_ps*2;
    UPDATE workload SET completed=0, failed=1 WHERE workload=0;
    UPDATE state_change SET event='LOSS', to_state='LOST' WHERE machine='host' AND to_state='LIVE'"
"$program" pcap first.db -o first.pcapng
"$program" pcap larger.db -o larger.pcapng
"$program" run first-io --confirm 0 --record packets --set workloads.read.transport=tcp --set workloads.write.transport=tcp \
    -o tcp.db >/dev/null 2>&1
"$program" pcap tcp.db --snap 100 -o lost.pcapng
"$program" run first-io --record packets --set fabric.host-links.rate=25Gbps -o latency.db >/dev/null 2>&1
"$program" run pause-storm --until 1ms --record ios -o pause.db >/dev/null 2>&1
"$program" run pause-storm --until 1ms --record ios --seed 2 --set fabric.switch.ecn-kmin=20KiB -o seed.db >/dev/null 2>&1
"$program" run mtu-mismatch --until 1ms -o mtu.db >/dev/null 2>&1
"$program" run hotnets-deadlock.yaml --confirm 0 -o deadlock.db >/dev/null 2>&1
"$program" explain deadlock.db --json >json/explain.deadlock.json 2>&1
"$program" explain same.db --json >json/explain.measured.json 2>&1
cp "$top"/tests/golden/grid/*.yaml .
"$program" predict grid.yaml -o predicted >/dev/null 2>&1
cp predicted/predictions.json json/predictions.grid.json
mkdir measured
"$program" predict --list grid.yaml | while read -r cell sets; do
    # shellcheck disable=SC2086 # a list of words
    "$program" run base.yaml $sets -o "measured/$cell.db" >/dev/null 2>&1
    sqlite3 "measured/$cell.db" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
done
sqlite3 measured/qd4-bs512B.db 'UPDATE workload SET latency_p50_ps=latency_p50_ps*2'
rm measured/qd1-bs64KiB.db
{
    said compare same first.db same.db
    said compare measured same.db slow.db --any --figures mean,p50,p99,p99_9,max,iops,goodput
    said compare apart first.db latency.db --any --figures mean,p99,p99_9,max,goodput --tolerance 1%
    said compare slow first.db slow.db
    said grid measured --frozen predicted/predictions.json measured
    "$program" compare --frozen predicted/predictions.json measured --markdown 2>&1
    said wire same --wire first.pcapng first.pcapng
    said wire larger --wire first.pcapng larger.pcapng
    said wire lost --wire lost.pcapng lost.pcapng
    said diff same first.db first.db
    said diff larger first.db larger.db
    said diff seed pause.db seed.db
    said diff mtu pause.db mtu.db
    "$program" diff first.db larger.db --csv 2>&1
} | sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}|build [0-9a-f]+/-/g; s/[0-9a-f]{32}/-/' | hold compare
"$program" counters pause.db --as json >same.json
gojq '.counters |= map(select(.difference > 0) | .difference = .difference * 300 + 1)' same.json >other.json
gojq '.seconds = 1 | .counters |= map(if .port == "leaf0:p0" then . else .name = "no_such_counter" end) + [{"port": "Ethernet4", "priority": 3,
    "name": "rx_prio3_pause", "difference": 12}, {"port": "host1", "priority": null, "name": "local_ack_timeout_err", "difference": 500}]' same.json >part.json
for incident in same other part; do
    "$program" diff $incident.json pause.db --json >json/counts.$incident.json 2>&1
    "$program" diff $incident.json pause.db --json --all --lasted 10s >json/counts.all-$incident.json 2>&1
done

# --- files and tables: checks, calibrations, counters, plans, headroom, lists, rows ---
cp "$top"/tests/golden/readings/* .
for scenario in marking headroom mtu-link deadlock members; do
    said check $scenario $scenario.yaml
done | hold check
{
    said calibrate all write_bw.txt write_lat.txt read_lat.json mlxconfig.txt lspci.txt ethtool.txt fio.json --base connectx-5-100g
    said calibrate one write_lat.txt
    # The fit takes half a minute; calibrate-files.sh looks at its text.
    "$program" calibrate fio-tcp.json --no-drive --base linux-nvmet-tcp --json >json/calibrate.tcp.json
    sed 's/"iodepth": "[0-9]*"/"iodepth": "2000"/' fio-tcp.json >deep.json
    "$program" calibrate deep.json --no-drive --base linux-nvmet-tcp --json >json/calibrate.deep.json
    sed 's/2.500000/1.250000/; s/19.07/9.54/' write_bw.txt >slower.txt
    said calibrate apart write_bw.txt slower.txt
} | hold calibrate
"$program" counters first.db >later.txt && sed 's/: [0-9]*$/: 0/' later.txt >earlier.txt
echo '     no_such_counter: 7' | tee -a earlier.txt >>later.txt
"$program" import counters earlier.txt later.txt >json/import.counters.json 2>/dev/null
"$program" counters hidden.db --as json >json/counters.hidden.json 2>&1
for kept in "$top"/tests/golden/words/words-plan/*.json.txt; do
    cp "$kept" "json/plan.$(basename "$kept" .json.txt).json"
done
{
    said headroom sonic --rate 100Gbps --rate 25Gbps --length 40m --response sonic --phases 2
    said headroom lossy --rate 800Gbps --length 300m --fec auto --phases 0 --policy static
} | hold headroom
"$program" list --json >json/list.kinds.json 2>&1
for kind in $("$program" list | cut -d ' ' -f 1); do
    "$program" list "$kind" --json >"json/list.$kind.json" 2>&1
done
"$program" explain-parameter qp-cache pcie-payload max-transfer alpha-lossy fabric.switch.profile congestion-control.alpha-first no-such \
    --json >json/explain-parameter.some.json 2>/dev/null
"$program" query first.db 'SELECT * FROM workload' --json >json/query.workload.json
"$program" bench first-io --json >json/bench.first-io.json
cp -r "$top/scenarios/incidents/pause-storm" storm # another folder name would be another text
"$program" incident storm --json >json/incident.storm.json 2>err
mkdir looks && cp storm/*.txt looks && cp -r storm/t0 looks # the first look, one at which a pattern begins, one at which it ends
watch() { "$program" watch --once --state looks.json looks --json >"json/watch.$1.json" 2>err; }
watch first
cp -r storm/t1 looks && watch began
mkdir looks/t3 && for file in storm/t2/*; do sed 's/ 12:1\([01]\):/ 12:2\1:/' "$file" >"looks/t3/${file##*/}"; done
cp -r storm/t2 looks && watch on
cp looks/t3 -r looks/t4 && sed -i 's/ 12:2\([01]\):/ 12:3\1:/' looks/t4/* && watch ended
mkdir odd # one sample, a configuration that contradicts it, a log, and a file of no known kind
cp storm/t2/* "$top"/tests/golden/sonic/*.json odd
echo 'Nov 28 00:46:12 host5 kernel: [ 12.3] mlx5_core 0000:5e:00.0 eth2: Link down' >odd/host5-dmesg.txt
echo 'lorem ipsum' >odd/notes.txt
"$program" incident odd --json >json/incident.odd.json 2>err
"$program" incident odd/host5-dmesg.txt --json --fit >json/incident.not-fitted.json 2>err
"$program" incident storm --json --fit --lasted 10s --fabric pause-storm >json/incident.fit.json 2>err
"$program" incident storm --fit --lasted 10s --fabric pause-storm 2>err | hold fit

# --- the schema: every command that has --json is here, and no key is removed or renamed ---
sed -n 's/^COMMAND([A-Z]*, \(.*\))$/\1/p' "$top/cli/command.def" | tr _ - | while read -r command; do
    "$program" "$command" --help | grep -q '^  .*--json ' || continue
    compgen -G "json/$command.*.json" >/dev/null || echo "$command has --json, and no output of it is here"
done >lacking
[ -s lacking ] && fail "$(cat lacking)"
cat >plan.yaml <<'END'
stormglass-plan: 1
name: members
scenario: load.yaml
slo: ["little.latency.p99 < 1s"]
vary: [{path: fabric.host-links.length, as: far, values: [3m, 4m]}]
END
"$program" plan plan.yaml -o plan.db >/dev/null 2>&1
python3 -B "$top/tests/golden/words/schema.py" "$words/schema.txt" json first.db plan.db >out 2>&1 || fail 'schema.py'
[ -s out ] && fail "the schema: $(cat out)"

python3 -B "$top/tests/golden/words/fields.py" json "$words/unfilled" >out 2>&1 || fail 'fields.py'
[ -s out ] && fail "fields that no test fills: $(cat out)"
rm json/list.* json/bench.* json/watch.* # each new parameter, fault and profile is in one, and times of the machine in two
# Not the same in each build, or at each time.
sed -i -E 's,("(build|digest|predictions|frozen_digest|version)": )"[^"]*",\1-,; s,("(first|last)_unix_s": )[0-9]+,\1-,' json/*.json
PYTHONPATH=$top/tests/golden/words python3 -B "$top/tests/golden/words/pages.py" json/*.json | hold json
[ $failures = 0 ]
