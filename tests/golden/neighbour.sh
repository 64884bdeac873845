#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whose load slows a workload down at a target or a link that they share, where nothing was paused, dropped or set oddly: it is
# named, and without it nobody loses anything, as that says.
# Hazards: nobody lost anything, it says; a workload is named that moves little there; the members elsewhere are counted too.
set -u
. tests/golden/outside

scenario() { # NAME RATE MEDIA BLOCK DEPTH
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 5ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}
  host-links: {rate: $2, length: 3m, mtu: 4200B}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: "host10..host11", namespaces: [{media: $3}]}}
workloads:
  - {name: db, kind: nvme, from: "host0..host3", to: "host10..host11", pairing: round-robin, read: 70%, block-size: 4KiB, queue-depth: 4}
  - {name: backup, kind: nvme, from: host4, to: host10, read: 0%, block-size: $4, queue-depth: $5}
END
}

scenario link 25Gbps flash-tlc 256KiB 64
scenario drive 100Gbps flash-p3700 128KiB 127
for where in "link:workload 'backup' keeps [a-z0-9:]+ to [a-z0-9:]+ busy; without its load, the I/O of workload 'db' " \
    "drive:workload 'backup' keeps host10's [a-z ()]+ busy; without its load, the I/O of workload 'db' "; do
    name=${where%%:*}
    "$program" run "$name.yaml" -o run.db >out || fail "$name: exit code $?"
    words=${where#*:}
    tr -s '\n ' ' ' <out | grep -Eq "Causes 100% of the harm \(confirmed by rerun\): ${words/; / }from host[0-3] to host10 takes [3-9][0-9]% less time, and p99 " || fail "$name: $(grep -A3 '^Harm' out)"
    grep -Eq "^Victims +.db.: 2 hosts lost up to [0-9.]+% of their I/O time to delay \(the cause is on their paths\)" out || fail "$name: $(grep -A3 '^Victims' out)"
    slow=$("$program" run "$name.yaml" --json | gojq '.workloads[0].latency_ns.mean')

    # Without its load, the same members.
    grep -v 'name: backup' "$name.yaml" >alone.yaml
    "$program" run alone.yaml -o alone.db >alone || fail "$name alone: exit code $?"
    grep -q '^Harm  *none' alone || fail "$name alone: $(grep -A3 '^Harm' alone)"
    fast=$("$program" run alone.yaml --json | gojq '.workloads[0].latency_ns.mean')
    awk -v "slow=$slow" -v "fast=$fast" 'BEGIN { exit !(slow > 1.5 * fast) }' || fail "$name: a mean of $slow ns, and $fast without backup"
    echo "ok    $name"
done

# Who reads from there fills the other direction, where backup has only its answers.
sed 's/name: backup.*/&\n  - {name: scan, kind: nvme, from: host5, to: host10, read: 100%, block-size: 256KiB, queue-depth: 64}/' link.yaml >reads.yaml
"$program" run reads.yaml >out || fail "reads: exit code $?"
tr -s '\n ' ' ' <out | grep -Eq "\(confirmed by rerun\): workload 'scan' keeps .* busy without its load, the I/O of workload 'db' from " || fail "reads: $(grep -A5 '^Harm' out)"

# Two that share nothing: nobody is named.
sed 's/from: host4, to: host10/from: host4, to: host5/; s/host10..host11", namespaces/host5, host10, host11", namespaces/; s/where: "host5, host10, host11"/where: [host5, host10, host11]/' link.yaml >apart.yaml
"$program" run apart.yaml >out || fail "apart: exit code $?: $(cat out)"
grep -q '^Harm  *none' out || fail "apart: $(grep -A3 '^Harm' out)"

# Two workloads of the same kind share the link evenly: each gets its part, and nobody is named.
sed 's/- {name: backup.*/- {name: two, kind: nvme, from: host4, to: host10, read: 0%, block-size: 64KiB, queue-depth: 16}/
    s/- {name: db.*/- {name: one, kind: nvme, from: host5, to: host10, read: 0%, block-size: 64KiB, queue-depth: 16}/' link.yaml >even.yaml
"$program" run even.yaml >out || fail "even: exit code $?: $(cat out)"
grep -q 'confirmed' out && fail "even: $(grep -A3 '^Harm' out)"

[ $failures = 0 ]
