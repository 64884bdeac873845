#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# explain --prove from outside: settings that differ, what is enough of them, and what proves nothing.
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2" "$(gojq -c .prove "$1")"; } # FILE FILTER
# proves NAME: NAME.yaml is played and proved, as text in NAME and as JSON in NAME.json
proves() {
    "$program" run "$1.yaml" -o "$1.db" >run 2>&1
    "$program" explain "$1.db" --prove >"$1" 2>err || fail "$1: exit code $?: $(cat err)"
    "$program" explain "$1.db" --prove --json >"$1.json" 2>err || fail "$1 --json: exit code $?: $(cat err)"
}
begin() { printf 'stormglass: 1\nname: %s\nduration: 1ms\ndrain: 5ms\n' "$1"; }

# A built-in case: one port with a smaller MTU, and a workload that never connects has lost all its time.
"$program" run mtu-mismatch -o mtu.db >run 2>&1
"$program" explain mtu.db --prove >mtu || fail "mtu: exit code $?"
"$program" explain mtu.db --prove --json >mtu.json || fail "mtu --json: exit code $?"
says mtu 'proved: fabric.overrides[0].mtu 1500B -> 9216B at leaf1:p3: this change removes 100% of the delay'
says mtu '100% of its I/O time; 1 operation failed; 1 host-target pair did no I/O'
holds mtu.json '.prove.suspects[0] | .suspect == "setting" and .name == "fabric.overrides[0].mtu" and .culprit and .gone == 1'
holds mtu.json '[.prove.suspects[] | select(.culprit)] | length == 1'
holds mtu.json '.prove.measured_by == "time" and (.prove.vacuous | not) and .proof.after.failed == 0'
# What the proof says can be done: the same path for --set, and nobody fails.
"$program" run mtu-mismatch --set 'fabric.overrides[0].mtu=9216B' --json 2>err | gojq -e '[.workloads[].failed] | add == 0' >ok ||
    fail 'the repair is none'

# Headroom too small at one switch: lossless frames are dropped.  Another override does nothing.
{
    begin headroom
    cat <<'END'
fabric:
  topology: {kind: leaf-spine, leaves: 4, spines: 1, hosts-per-leaf: 8}
  host-links: {length: 30m}
  switch: {buffer: 4MiB, ports: 9, alpha: 6.25%}
  overrides:
    - {where: leaf1, pfc: {headroom: 1KB}, latency: 310ns}
    - {where: leaf2, alpha: 6.5%}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: in, kind: rdma-write, from: ["host9..host15", host16], to: host8, message-size: 64KiB, outstanding: 4, pairing: all-to-all}
END
} >headroom.yaml
proves headroom
holds headroom.json '[.prove.suspects[] | select(.culprit).name] == ["fabric.overrides[0].headroom"]'
holds headroom.json '.proof.before.lossless_drops > 0 and .proof.after.lossless_drops == 0'
holds headroom.json '.prove.suspects[] | select(.name == "fabric.overrides[1].alpha") | .gone < 0.2'

# Two at once, of which each has its own victims.
{
    begin two
    cat <<'END'
fabric:
  topology: {kind: single-switch, hosts: 6}
  overrides: [{where: host2-switch0, rate: 5Gbps}]
hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host4, rnic: {drain: 8Gbps}}}
workloads:
  - {name: a, kind: rdma-write, from: host1, to: host2, message-size: 64KiB, outstanding: 2}
  - {name: b, kind: rdma-write, from: host3, to: host4, message-size: 64KiB, outstanding: 2}
  - {name: c, kind: rdma-write, from: host0, to: host5, message-size: 64KiB, outstanding: 2}
END
} >two.yaml
proves two
says two 'together, these changes remove 100% of the delay'
holds two.json '[.prove.victims[] | [.workload, .host]] | sort == [["a", "host1"], ["b", "host3"]]'
holds two.json 'all(.prove.victims[]; .lost_share > 0.05 and .lost_share <= 1)'
grep -qE "^  by host +workload '[ab]' at host[13] lost [0-9.]+% of its I/O time to delay\$" two || fail 'no victims by hosts' "$(cat two)"
holds two.json '[.prove.suspects[] | select(.culprit) | [.suspect, .name]] | sort == [["host", "host4"], ["setting", "fabric.overrides[0].rate"]]'

# Two workloads lose between the same hosts, which count once, confirmed or not.
{
    begin once
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 4}}
workloads:
  - {name: a, kind: rdma-write, from: host1, to: host0, message-size: 64KiB, outstanding: 4}
  - {name: b, kind: rdma-write, from: host1, to: host0, message-size: 4KiB, outstanding: 4}
faults: [{at: 300us, for: 1ms, kind: slow-receiver, where: host0, drain: 5%}]
END
} >once.yaml
proves once
holds once.json '.prove.victims | map(.workload) | sort == ["a", "b"]'
holds once.json '.prove.victim_hosts == 1'
for confirm in 0 20000000; do
    "$STORMGLASS" run --json --confirm "$confirm" once.yaml >counted.json
    holds counted.json '.harm.victims == 1'
done

# Two at once at the same pair: the slow receiver shows only where the link is there.
{
    begin hidden
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 4}}
hosts: {odd: {where: host1, rnic: {drain: 8Gbps}}, defaults: {rnic: {profile: ideal, timeout: 8, retry-count: 1}}}
workloads: [{name: a, kind: rdma-write, from: [host0, host2], to: [host1, host3], message-size: 64KiB, outstanding: 2}]
faults: [{kind: link-down, where: host1-switch0}]
END
} >hidden.yaml
proves hidden
holds hidden.json '[.prove.suspects[] | select(.culprit) | [.suspect, .name]] | sort == [["fault", "faults.0"], ["host", "host1"]]'
holds hidden.json '.prove.suspects[] | select(.suspect == "host") | .gone < 0.01 and .makes > 0.05'
says hidden 'this cause alone costs a workload'

# A short timeout costs nothing by itself and adds to a stall; both are causes, and the stall comes first.
{
    begin partner | sed 's/: 1ms/: 30ms/; s/: 5ms/: 100ms/'
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 8}, host-links: {rate: 25Gbps, mtu: 4200B}}
hosts:
  impatient: {where: "host5..host7", nvme: {reconnect-delay: 15ms, io-timeout: 2ms}}
  arrays: {where: "host0..host1", namespaces: [{media: {kind: fixed, read-latency: 80us, write-latency: 20us, parallel: 256}}]}
workloads: [{name: vm, kind: nvme, from: "host2..host7", to: host0, read: 70%, block-size: 8KiB, queue-depth: 4, queues: 1}]
faults: [{kind: target-stall, where: host0, at: 5ms, for: 5ms}]
END
} >partner.yaml
proves partner
holds partner.json '[.prove.suspects[] | select(.culprit).name] == ["faults.0", "hosts.impatient.nvme.io-timeout"]'
says partner 'together, these changes remove 100% of the delay'
"$program" run --json partner.yaml >run.json || true
holds run.json '[.causes[] | .confirmed] == [true, true]'
holds run.json '.causes[1].sentence | test("this cause alone does no harm, but it adds to the harm of target-stall at host0; without it, [45][0-9]% of the harm disappears")'

# Incast and nothing odd: nobody is convicted, and what load costs is said.
{
    begin incast
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 6}}
workloads:
  - {name: much, kind: rdma-write, from: [host1, host2, host3], to: host0, message-size: 256KiB, outstanding: 4, pairing: all-to-all}
  - {name: little, kind: rdma-write, from: host4, to: host0, message-size: 16KiB, outstanding: 1}
END
} >incast.yaml
proves incast
says incast 'nothing to test: the scenario has no fault, no slow host, and no setting that differs from its peers'
says incast "without workload 'much', the I/O of the other workloads takes"
holds incast.json '.prove.vacuous and ([.prove.suspects[] | select(.culprit)] == []) and .proof.ideal == "none"'
holds incast.json '[.prove.suspects[].suspect] | unique == ["load"]'

# What all have is odd only by what happened: nobody connects, and the section for all says why.
{
    begin all
    cat <<'END'
fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}
hosts: {defaults: {rnic: {profile: ideal, ttl: 1, timeout: 8, cm-timeout: 100us, cm-retries: 2}}}
workloads: [{name: a, kind: rdma-write, from: host0, to: host3}]
END
} >all.yaml
proves all
says all 'proved: hosts.defaults.rnic.ttl 1 -> 64 at host0 and 3 more: this change removes 100%'
holds all.json '[.prove.suspects[] | select(.culprit).name] == ["hosts.defaults.rnic.ttl"]'

# The same where it costs time alone: no failure, no drop, nothing that is odd.
{
    begin reads
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 4}, host-links: {length: 500m}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, max-rd-atomic: 1}}}
workloads: [{name: a, kind: rdma-read, from: [host0, host1], to: [host2, host3], message-size: 4KiB, outstanding: 16}]
END
} >reads.yaml
proves reads
holds reads.json '.harm.failed_operations == 0 and .harm.drops == 0'
holds reads.json '[.prove.suspects[] | select(.culprit).name] == ["hosts.defaults.rnic.max-rd-atomic"]'

# Values that contradict each other one by one are repaired together.
{
    begin marks
    cat <<'END'
fabric: {topology: {kind: single-switch, hosts: 4}, switch: {ecn-kmin: 0B, ecn-kmax: 5KB, ecn-pmax: 100%}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: dcqcn}}}
workloads: [{name: a, kind: rdma-write, from: [host0, host1, host2], to: host3, message-size: 64KiB, outstanding: 4, pairing: all-to-all}]
END
} >marks.yaml
proves marks
says marks 'fabric.switch.ecn-kmin 0B -> 400KB, fabric.switch.ecn-kmax 5000B -> 1600KB, fabric.switch.ecn-pmax 100% -> '
holds marks.json '[.prove.suspects[] | select(.culprit).name] == ["fabric.switch.ecn-kmin"]'

# Nothing ends in time, and there is nothing to repair: that is said, and is not called no harm.
cat >fails.yaml <<'END'
stormglass: 1
name: fails
duration: 2us
drain: 1us
fabric: {topology: {kind: single-switch, hosts: 2}}
workloads: [{name: a, kind: rdma-write, from: host0, to: host1}]
END
proves fails
says fails 'not proved: '
grep -q 'no harm' fails && fail 'a run in which nothing ends is called harmless'
holds fails.json '.prove.vacuous and (.prove.sentence | test("failed|did no I/O"))'

[ $failures = 0 ]
