#!/bin/bash
# seeds - run --seeds: each of the runs that it plays is the run of that seed.    SPDX-License-Identifier: Apache-2.0
# Hazards: seeds that are all the same; a worker's run differs from the one that --seed plays; a run that fails among many.
set -u
. tests/golden/outside
play() { "$program" run "$@" --json 2>err; }

play pause-storm --set duration=2ms --set 'faults.0.at=500us' --set 'faults.0.for=500us' --seed 5 --seeds 5 >five.json || fail "five seeds: $(cat err)"
for seed in 5 6 7 8 9; do
    play pause-storm --set duration=2ms --set 'faults.0.at=500us' --set 'faults.0.for=500us' --seed $seed >one.json
    [ "$(gojq -r .digest one.json)" = "$(gojq -r ".seeds[] | select(.seed == $seed) | .digest" five.json)" ] || fail "seed $seed has another digest"
    gojq -c '[.workloads[] | [.completed, .iops, .goodput_bps, .latency_ns.mean, .latency_ns.p99]]' one.json
done >figures
[ "$(gojq -r '.seeds[].digest' five.json | sort -u | wc -l)" = 5 ] || fail 'the seeds are the same'

# Mean, worst and Student's interval (4 degrees of freedom: 2.776), worked out from the single runs.
gojq -s -e --slurpfile all five.json '
    def close($a; $b): ($a - $b | fabs) <= 1e-9 * ($b | fabs) + 1e-9;
    def mean: add / length;
    def half: mean as $m | 2.776 * ((map((. - $m) * (. - $m)) | add / 4 / 5) | sqrt);
    . as $runs | [range(0; $runs[0] | length)] | all(. as $w |
        ($runs | map(.[$w][1])) as $iops | ($runs | map(.[$w][4])) as $p99 | $all[0].workloads[$w] |
        close(.iops.mean; $iops | mean) and close(.iops.ci; $iops | half) and close(.iops.worst; $iops | min) and
        close(.latency_ns.p99.mean; $p99 | mean) and close(.latency_ns.p99.ci; $p99 | half) and close(.latency_ns.p99.worst; $p99 | max))' \
    figures >/dev/null || fail 'means and intervals are not those of the runs'
worst=$(gojq '.workloads[0].iops.worst_seed' five.json)
[ "$(sed -n "$((worst - 4))p" figures | gojq '.[0][1]')" = "$(gojq '.workloads[0].iops.worst' five.json)" ] || fail 'the worst is of another seed'

play pause-storm --set duration=1ms --set 'faults=[]' --set 'expect=["pfc.pause_frames > 1000000"]' --seeds 3 >broken.json
[ $? = 1 ] || fail 'expectations that do not hold are no failure'
gojq -e '[.seeds[].held] == [false, false, false]' broken.json >/dev/null || fail 'which did not hold is not said'
expect 'in words' 1 'FAILED with seeds 1, 2: 2 of 2 failed' bash -c "'$program' run pause-storm --set duration=1ms --set 'expect=[\"pfc.pause_frames > 1000000\"]' --seeds 2 2>&1 | tee /dev/stderr; exit \${PIPESTATUS[0]}"
expect 'none' 2 '--seeds 0: expected a number from 1' "$program" run first-io --seeds 0
expect 'words' 2 '--seeds many: expected a number from 1' "$program" run first-io --seeds many
expect 'a database' 2 '--seeds runs several seeds: --output works with one run only' "$program" run first-io --seeds 2 -o x.db
[ ! -e x.db ] || fail 'something was written'

# Which of equal links a flow takes is chance: another one with another seed, the same one where the scenario sets the hash's seed.
# What another switch takes is no part of it.
fabric() { # TOPOLOGY NICS LAG: one queue pair from host0 to host4
    cat <<YAML
stormglass: 1
name: hashes
duration: 50us
fabric: {topology: {kind: leaf-spine, $1, hosts-per-leaf: 4, nics: $2}}
hosts: {defaults: {rnic: {lag: $3}}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host4, message-size: 4KiB}]
YAML
}
links() { # FILE PORTS SET...: of all $seeds the link that data leave by, of the ports that match
    local file=$1 ports=$2 seed
    for seed in $seeds; do
        "$program" run "$file" --seed $seed "${@:3}" -o links.db >/dev/null 2>err || fail "$file: $(cat err)"
        "$program" query --tabs links.db "SELECT port FROM v_counter WHERE port GLOB '$ports' AND name = 'tx_prio3_bytes' AND value > 20000" | tail -n +2
    done
}
seeds='1 2 3 4 5 6 7 8'
kinds() { sort -u "$1" | wc -l; }
fabric 'leaves: 2, spines: 4' 1 none >ecmp.yaml
fabric 'leaves: 3, spines: 4' 1 none >larger.yaml
links ecmp.yaml 'leaf0:p[4-7]' >ecmp
links larger.yaml 'leaf0:p[4-7]' >larger
links ecmp.yaml 'leaf0:p[4-7]' --set fabric.switch.ecmp-seed=7 >fixed
[ "$(wc -l <ecmp)" = 8 ] || fail "not one spine for each seed: $(cat ecmp)"
[ "$(kinds ecmp)" -ge 3 ] || fail "8 seeds and 4 spines, but only these are used: $(cat ecmp)"
cmp -s ecmp larger || fail "another leaf changes the hash of leaf0: $(diff ecmp larger)"
[ "$(wc -l <fixed) $(kinds fixed)" = '8 1' ] || fail "ecmp-seed is set, but seeds differ: $(cat fixed)"

fabric 'leaves: 2, spines: 1' 2 layer3+4 >lag.yaml
links lag.yaml 'host0:p?' >lag
links lag.yaml 'host0:p?' --set hosts.defaults.rnic.lag-seed=7 >fixed
links lag.yaml 'host0:p?' --set hosts.defaults.rnic.lag=layer2+3 >addresses
[ "$(wc -l <lag) $(kinds lag)" = '8 2' ] || fail "layer3+4: 8 seeds, but members are $(cat lag)"
[ "$(wc -l <fixed) $(kinds fixed)" = '8 1' ] || fail "lag-seed is set, but seeds differ: $(cat fixed)"
[ "$(wc -l <addresses) $(kinds addresses)" = '8 1' ] || fail "layer2+3 has addresses alone, but seeds differ: $(cat addresses)"
seeds=1
for set in 1 2 3 4 5 6 7 8; do links lag.yaml 'host0:p?' --set hosts.defaults.rnic.lag-seed=$set; done >set
[ "$(kinds set)" = 2 ] || fail "every lag-seed has the same member: $(cat set)"
[ $failures = 0 ]
