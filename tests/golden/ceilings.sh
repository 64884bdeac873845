#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The ceilings of RNICs from outside: what each limits is what is named, what its relief gains, and what time is waited for;
# that the hardware can do no more is no harm, but that one host's can less than the others' has a cause.
set -u
. tests/golden/outside

# scenario NAME ROWS KIND SIZE OUTSTANDING: two hosts, 100 Gb/s.
scenario() {
    cat >"$1.yaml" <<YAML
stormglass: 1
name: $1
seed: 1
duration: 300us
fabric:
  topology: {kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a, b], rate: 100Gbps}]}
hosts:
  defaults: {rnic: {profile: ideal, $2}}
workloads:
  - {name: w, kind: $3, from: a, to: b, message-size: $4, outstanding: $5}
YAML
}

# bound NAME RESOURCE WHERE: run without confirmed causes and what-if name it.
bound() {
    "$program" run "$1.yaml" -o "$1.db" --record counters >"$1.run" || fail "$1: exit code $?"
    "$program" run "$1.yaml" --confirm 0 | grep -q "^Bottleneck *$2: $3" || fail "$1: $(grep Bottleneck "$1.run")"
    "$program" explain "$1.db" --what-if --json >"$1.json" || fail "$1: what-if: exit code $?"
    gojq -e ".what_if.reliefs[0] | .resource == \"$2\" and .gain.mean > 0.05" "$1.json" >/dev/null ||
        fail "$1: what-if: $(gojq -c .what_if.reliefs "$1.json")"
}

# limited NAME RESOURCE WHERE: and it is no harm.
limited() {
    bound "$@"
    grep -q '^Harm *none' "$1.run" || fail "$1: $(grep -A2 Harm "$1.run")"
}

# waits NAME PART PERCENT: so much of all that is waited for at least.
waits() {
    "$program" run "$1.yaml" -o "$1.db" --waits >/dev/null || fail "$1 --waits: exit code $?"
    "$program" query "$1.db" "SELECT 100 * sum((part = '$2') * sum_ps) / sum(sum_ps) FROM wait" >out ||
        fail "$1: query: exit code $?"
    [ "$(tail -n 1 out)" -ge "$3" ] || fail "$1: $2 is $(tail -n 1 out) % of what was waited for, and not $3"
}

scenario queue-pair 'qp-message-cost: 380ns' rdma-write 8B 32
limited queue-pair rnic "the engine of each queue pair in a's RNIC is 100% busy"
scenario messages 'message-cost: 100ns' rdma-write 64B 32
limited messages rnic "the message engine of a's RNIC is 100% busy"
scenario reads 'read-cost: 100ns, message-cost: 10ns, max-rd-atomic: 64' rdma-read 64B 32
limited reads rnic "the message engine of a's RNIC is 100% busy"
scenario answers 'read-response-cost: 100ns, max-rd-atomic: 64' rdma-read 64B 32
limited answers rnic "the engine for packets received by b's RNIC"
scenario shared-receives 'srq-receive-cost: 200ns' 'rdma-send, shared-receives: 512' 64B 32
limited shared-receives rnic "the engine for packets received by b's RNIC"
"$program" run shared-receives.yaml --set workloads.0.shared-receives=0 --json >private.json || fail "private: exit code $?"
gojq -e '.bottleneck_kind != "rnic"' private.json >/dev/null || fail "private receives: $(gojq -c .bottleneck_kind private.json)"
scenario long-reads 'qp-read-cost: 600ns, read-overlap: 128B' rdma-read 256B 16
limited long-reads rnic "the READ engine of each queue pair in b's RNIC"
scenario interrupts 'completions: interrupt, interrupt-cost: 5us, completion-cost: 1us' rdma-write 8B 32
limited interrupts completions "the cores that take completions of a's RNIC are 100% busy"
scenario sends 'tx-packet-cost: 500ns' rdma-write 64KiB 16
limited sends rnic "the engine for packets sent by a's RNIC"
scenario lanes 'pcie-generation: 3, pcie-lanes: 8' rdma-write 64KiB 16
# Half of the lanes that a card usually has is no property of cards, so that it is a cause as well.
bound lanes pcie "PCIe from the memory of a to its RNIC"
grep -q '(confirmed by rerun): a and 1 more: pcie-lanes is 8 instead of the default 16 (hosts.defaults.rnic.pcie-lanes)' lanes.run || fail "lanes: $(grep Causes lanes.run)"

scenario core 'post-cost: 380ns' rdma-write 8B 32
limited core 'host cpu' "the posting cores of workload 'w' are 100% busy"
"$program" run core.yaml --set workloads.0.qps=4 --set workloads.0.threads=4 --json >four.json || fail "threads: exit code $?"
gojq -e '.workloads[0].iops | . > 10.3e6 and . < 10.7e6' four.json >/dev/null || fail "threads: $(gojq .workloads[0].iops four.json)"

waits queue-pair rnic_engine 90
waits messages rnic_engine 70
waits interrupts completion 90
# A link that is slower than PCIe is what is waited for.
scenario wire 'pcie-generation: 3' rdma-write 64KiB 16
waits wire queued 80
# The rest is its own packets on the wire: 55 %, the link being faster.
waits lanes pcie 40

# 8 bytes, one in 380 ns: 2.63 million a second; what the wire could do is 45 times that.
"$program" run queue-pair.yaml --json >one.json || fail "json: exit code $?"
gojq -e '.workloads[0].iops | . > 2.6e6 and . < 2.64e6' one.json >/dev/null ||
    fail "$(gojq -c '.workloads[0].iops' one.json) messages a second"

# A core that takes one completion in 1 us, 32 under way: 16 entries are too few, and it is said before and after; a program
# that does not look at its events hears of nothing, so that NVMe's commands run into their timeouts.
scenario overrun 'completions: interrupt, completion-cost: 1us, cq-size: 16' rdma-write 8B 32
"$program" check overrun.yaml >out 2>&1
grep -q "a: cq-size is 16, but a queue pair of 'w' can have 32 completions" out || fail "overrun: check says: $(cat out)"
"$program" run overrun.yaml -o overrun.db >out
[ $? = 1 ] || fail 'overrun: no failure'
tr -s '\n ' ' ' <out | grep -q '(confirmed by rerun): cq-size is 16 instead of the default 0 (hosts.defaults.rnic.cq-size) 1 completion queue of a, with 16 entries each, overran' || fail "overrun: run says: $(cat out)"
grep -q 'FAILED  w: 32 of 32 operations failed' out || fail "overrun: run says: $(cat out)"
"$program" query overrun.db 'SELECT text FROM note' | grep -q 'its completion queue of 16 entries overran' || fail 'overrun: no note'
"$program" run overrun.yaml --set hosts.defaults.rnic.cq-size=32 --json >whole.json || fail 'overrun: 32 entries are too few'
gojq -e '.workloads[0].failed == 0 and (.workloads[0].completed | . > 300 and . < 360) and .rnic.cq_overruns == null' whole.json >/dev/null ||
    fail "overrun: $(gojq -c '.workloads[0], .rnic' whole.json)"

# A registration that fences: of 32 commands one is under way, and a round trip of 808 us takes as long for each.
cat >fence.yaml <<'YAML'
stormglass: 1
name: fence
seed: 1
duration: 50ms
fabric: {topology: {kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a, b], rate: 40Gbps, length: 80km}]}}
hosts:
  defaults: {rnic: {profile: ideal, rx-buffer: 16MB, register-fence: true}}
  targets: {where: b, namespaces: [{media: "null"}]}
workloads: [{name: w, kind: nvme, from: a, to: b, block-size: 64KiB, queue-depth: 32}]
YAML
"$program" run fence.yaml --confirm 0 -o fence.db >fence.run
grep -q "^Bottleneck *registration fence: queue pairs of workload 'w' wait at memory registrations" fence.run || fail "fence: $(cat fence.run)"
"$program" run fence.yaml --json >fence.json
gojq -e '.workloads[0].iops | . > 1190 and . < 1250' fence.json >/dev/null || fail "fence: $(gojq .workloads[0].iops fence.json)"
for free in hosts.defaults.rnic.register-fence=false hosts.defaults.nvme.sgl-invalidate=false; do
    "$program" run fence.yaml --set $free --json >free.json
    gojq -e '.workloads[0].iops > 35000' free.json >/dev/null || fail "$free: $(gojq .workloads[0].iops free.json)"
done

# Without ceilings it is said that nothing of the kind was in force; with them it is not.
scenario plain 'path-mtu: 4096B' rdma-write 64KiB 4
"$program" run plain.yaml -o plain.db >/dev/null || fail "plain: exit code $?"
"$program" explain plain.db | grep -q 'RNIC message rate and PCIe limits: not set' || fail "plain: limits are not said to be off"
"$program" explain queue-pair.db | grep -q 'RNIC message rate and PCIe limits' && fail "limits that held are said to be off"

# One host of four sits in a slot of four lanes, the others in eight.
cat >slot.yaml <<'YAML'
stormglass: 1
name: slot
seed: 1
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 5}}
hosts:
  defaults: {rnic: {profile: ideal, pcie-generation: 3, pcie-lanes: 16}}
  overrides: [{where: host3, rnic: {pcie-lanes: 1}}]
workloads:
  - {name: w, kind: rdma-write, from: "host1..host4", to: host0, message-size: 4KiB, outstanding: 2}
YAML
"$program" run slot.yaml --json >slot.json || fail "slot: exit code $?"
gojq -e '.causes[0].name | test("pcie-lanes")' slot.json >/dev/null || fail "slot: $(gojq -c '[.harm.sentence, .causes[].sentence]' slot.json)"

refuse() { # ROWS WORDS
    scenario bad "$1" rdma-write 8B 1
    "$program" check bad.yaml >out 2>err
    [ $? = 2 ] || fail "$1: not refused"
    grep -qF -e "$2" err out || fail "$1: $(cat err out)"
}
refuse 'pcie-generation: 7' 'bad.yaml:8:'
refuse 'pcie-payload: 300B' 'bad.yaml:8:'
refuse 'message-cost: -1ns' 'bad.yaml:8:'
# How well a profile's value is known, and the interval of the rate; a value of the scenario has none.
scenario known "" rdma-write 8B 64
sed -i 's/profile: ideal, /profile: connectx-6-200g/' known.yaml
"$program" run known.yaml --json >known.json || fail "known: exit code $?"
gojq -e '.workloads[0] | .iops as $iops | .confidence | .path == "hosts.defaults.rnic.post-cost" and .evidence == "inferred" and .sources == 3 and
    (.iops_low * (1 + .error) / $iops - 1 | fabs) < 1e-9 and (.iops_high / $iops / (1 + .error) - 1 | fabs) < 1e-9 and
    .goodput_low_bps < .goodput_high_bps and (.sentence | test("inferred .3 sources."))' known.json >/dev/null || fail "known: $(gojq -c '.workloads[0].confidence' known.json)"
"$program" run known.yaml --set hosts.defaults.rnic.post-cost=500ns --json | gojq -e '.workloads[0].confidence | .evidence == "scenario" and .error == null and
    .iops_low == null and .sentence == null' >/dev/null || fail "known: an interval of a value that --set gives"
exit $((failures > 0))
