#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Comparisons of model and measurement word for word, in every form: two runs, a grid, captures; calibrations with small and large
# values; the pages of a plan without a picture and of names with markup; addresses of more hosts than fit into a byte.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
markup() { python3 -B "$top/tests/golden/words/markup.py" "$1"; }
unbuilt() { sed -E 's/("build": |"digest": |, digest )"?[0-9a-f]+"?/\1-/; s/(build|version) [0-9a-f.-]+/\1 -/; s/("predictions": "|predictions \| )[0-9a-f]+/\1-/; s/(compared \| )[0-9-]+/\1-/'; }

# forms NAME FORMS ARGUMENTS...: what compare prints as text and in each form
forms() {
    local name=$1 forms=$2 form
    shift 2
    "$program" compare "$@" 2>&1 | unbuilt | hold "$name"
    for form in $forms; do "$program" compare "$@" "--$form" 2>&1 | unbuilt | hold "$name.$form"; done
}

# --- two runs: messages in both directions, I/O of a drive; figures of each kind differ, a workload failed, another state ---
cat >pair.yaml <<'END'
stormglass: 1
name: pair
duration: 500us
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: storage-class}]}}
workloads:
  - {name: io, kind: nvme, from: host0, to: host1, read: 50%, block-size: 4KiB, queue-depth: 2, count: 40}
  - {name: "send", kind: rdma-send, from: host0, to: host2, message-size: 1KiB, count: 20}
  - {name: bulk, kind: rdma-write, from: host2, to: host1, message-size: 64KiB, count: 20}
END
"$program" run pair.yaml --confirm 0 --record ios -o model.db >/dev/null 2>&1 || fail 'no run'
sqlite3 model.db "UPDATE wall SET value=1700000000 WHERE name='started_unix_s'"
measured() { # NAME SQL
    cp model.db "$1.db" && sqlite3 "$1.db" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1'); $2"
}
measured same ''
measured off 'UPDATE workload SET latency_p50_ps=latency_p50_ps*(1+0.11*(workload+1)), latency_p99_ps=latency_p99_ps*0.7,
    latency_mean_ps=latency_mean_ps*1.02, iops=iops*(0.8+0.3*workload), goodput_bps=goodput_bps*0.9'
measured failed "UPDATE workload SET completed=0, failed=1 WHERE workload=0; UPDATE meta SET status='interrupted';
    UPDATE state_change SET event='LOSS', to_state='LOST' WHERE machine='host' AND to_state='LIVE'"
for of in same off failed; do forms "$of" 'json csv' model.db $of.db; done
forms tolerant 'json csv' --tolerance 40% --figures p50,iops model.db off.db

# --- a grid with three axes, and one with a single axis; each cell has another error, one was not measured ---
cat >base.yaml <<'END'
stormglass: 1
name: base
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: io, kind: nvme, from: host0, to: host1, count: 20}]
END
cat >three.yaml <<'END'
stormglass-grid: 1
name: three
scenario: base.yaml
vary:
  - {path: workloads.io.queue-depth, as: qd, values: [1, 4, 8]}
  - {path: workloads.io.block-size, as: bs, values: [512B, 64KiB]}
  - {path: workloads.io.read, as: read, values: [0%, 100%]}
END
sed 's/three/single/; /block-size/d; /io.read/d' three.yaml >single.yaml
# Of a profile that was fitted, and on less than the grid has.
sed '/^kind:/a\calibrated: {queue-depth: 1..4, block-size: 512B..4KiB}' "$top/scenarios/profiles/ideal.yaml" >narrow.yaml
sed 's/profile: ideal/profile: narrow.yaml/' base.yaml >fitted-base.yaml
sed 's/three/fitted/; s/base.yaml/fitted-base.yaml/; /io.read/d' three.yaml >fitted.yaml
for grid in three single fitted; do
    "$program" predict $grid.yaml -o $grid >/dev/null 2>&1 || fail "no $grid"
    number=0
    for cell in $grid/*.db; do
        number=$((number + 1))
        sqlite3 "$cell" "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1');
            UPDATE workload SET latency_p50_ps=latency_p50_ps*(1+0.02*$number), iops=iops*(1-0.03*$number), latency_p99_ps=latency_p99_ps*1.1;
            UPDATE wall SET value=1700000000+$number*86400 WHERE name='started_unix_s'"
    done
    rm "$cell"
    forms $grid 'markdown json csv' --frozen $grid/predictions.json $grid
done

# --- captures: one, two that differ in a setting and in a command, and those of other tools and link types ---
capture() { # NAME ARGUMENTS...
    local name=$1
    shift
    "$program" run first-io --confirm 0 --record packets -o packets.db "$@" >/dev/null 2>&1 # 1: an expectation of the case
    "$program" pcap packets.db -o "$name.pcapng"
}
capture one && capture other --set hosts.defaults.rnic.dscp=10 --set workloads.read.block-size=8KiB && capture more --set workloads.read.count=2 ||
    fail 'no capture'
"$program" compare --wire one.pcapng | sed -E 's/^[0-9]+ (host|target) /c&/' | hold frames
for of in other more; do forms "$of" 'json csv' --wire one.pcapng $of.pcapng; done
for sample in "$top"/tests/fuzz/corpus/capture/*; do
    cp "$sample" sample
    echo "--- $(basename "$sample")"
    "$program" compare --wire sample 2>&1
done | sed -E 's/^[0-9]+ (host|target) /c&/' | hold captures

# --- every host has an address of its own ---
printf '%s\n' 'stormglass: 1' 'name: wide' 'duration: 20us' 'fabric: {topology: {kind: leaf-spine, leaves: 30, spines: 2, hosts-per-leaf: 20}}' \
    'workloads: [{name: w, kind: rdma-write, from: [host0, host255, host511], to: [host256, host512, host599], count: 1}]' >wide.yaml
"$program" run wide.yaml --confirm 0 --record packets -o wide.db >out 2>&1 && "$program" pcap wide.db -o wide.pcapng || fail "no addresses: $(cat out)"
tshark -r wide.pcapng -T fields -e eth.src -e ip.src -e eth.dst -e ip.dst 2>/dev/null | sort -u | hold addresses

# --- topologies of pages: hosts become smaller, lose their names, and are not drawn any more ---
for hosts in 1 2 3 10 14 20; do
    sed "s/hosts-per-leaf: 20/hosts-per-leaf: $hosts/; s/^workloads:.*/workloads: [{name: w, kind: rdma-write, from: host0, to: host1, count: 1}]/" wide.yaml >tall.yaml
    "$program" run tall.yaml --confirm 0 -o tall.db >/dev/null 2>&1 || fail "no run of $hosts hosts"
    "$program" report tall.db | sed -n '/<section id="topology"/,/<\/section>/p' | sum "topology with hosts at each leaf, $hosts"
done | hold topologies

# --- calibrations of devices a hundred times slower and faster ---
for times in 1 100; do
    cat >figures.json <<'END'
{"stormglass-figures": 1, "device": "d", "kernel": "6.1", "facts": ["rnic.path-mtu=1024B"], "sets": ["fabric.host-links.rate=25Gbps"],
 "figures": {"send-small": {"latency_ps": [2000000, 2500000, 4123456], "interval_ps": [210000, 230000, 987654], "connect_ps": [9000000, 9876543, 9000001]}}}
END
    gojq ".figures[\"send-small\"] |= map_values(map(. * $times))" figures.json >scaled.json
    "$program" calibrate --from scaled.json 2>&1 | hold "calibrate-$times"
    "$program" calibrate --from scaled.json --json 2>&1 | hold "calibrate-$times.json"
done

# --- pages: names with markup, and the database of a plan from before it had pictures ---
cat >markup.yaml <<'END'
stormglass: 1
name: "a & b <i> \"quoted\""
about: "reads & writes, 'slow' > fast"
duration: 50us
fabric: {topology: {kind: single-switch, hosts: 2}}
workloads: [{name: "w", kind: rdma-write, from: host0, to: host1, count: 2}]
expect: ["w.goodput > 1000Gbps"]
END
"$program" run markup.yaml --confirm 0 -o markup.db >/dev/null 2>&1
written markup.html "$program" report markup.db && grep -o -F -e 'a &amp; b &lt;i&gt; &quot;quoted' -e 'reads &amp; writes, ' -e 'a & b \u003ci> ' markup.html | hold escapes
cp "$top"/tests/golden/plan-figures/*.yaml .
"$program" plan plan.yaml -o plan.db >/dev/null 2>&1
sqlite3 plan.db "DELETE FROM plan WHERE key = 'picture'"
written plan.html "$program" report plan.db && markup plan.html | hold pictures
[ $failures = 0 ]
