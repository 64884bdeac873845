#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# loss-recovery: two senders with clocks that differ fill one port without PFC.  Go-back-N sends what had come again and loses a
# part of the link; selective repeat has all that headers leave, 1024 of 1106 B.
set -u
. tests/golden/two-senders
. tests/golden/outside

two_senders loss.yaml 10ms 100ppm

# goodput RECOVERY [OPTION...]: of both senders together, in Gb/s, rounded down to a tenth
goodput() {
    local recovery=$1
    shift
    "$program" run loss.yaml --json --set "hosts.defaults.rnic.loss-recovery=$recovery" "$@" >run.json 2>err
    [ $? -le 1 ] || fail "$recovery: not played: $(head -n 1 err)"
    gojq '.workloads[0].goodput_bps / 1e8 | floor / 10' run.json
}

all=$(goodput go-back-n)
[ "$all" = 17.5 ] || fail "go-back-n: $all Gb/s, 17.5 expected"
missing=$(goodput selective-repeat)
[ "$missing" = 23.1 ] || fail "selective-repeat: $missing Gb/s, 23.1 expected"
one=$(gojq .digest run.json)
goodput selective-repeat --threads 2 >/dev/null
[ "$(gojq .digest run.json)" = "$one" ] || fail "selective-repeat: two threads have another digest"

# RC loses no connection to random loss: repeated READs and new ones share the responder's resources.
cat >reads.yaml <<'END'
stormglass: 1
name: reads
duration: 5ms
drain: 1s
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}}
hosts:
  defaults: {rnic: {profile: rnic-100g, congestion-control: none, path-mtu: 4096B, timeout: 10, loss-recovery: selective-repeat}}
  targets: {where: host1, namespaces: [{media: storage-class}]}
workloads: [{name: io, kind: nvme, from: host0, to: host1, read: 0%, block-size: 64KiB, queue-depth: 16}]
faults: [{kind: random-loss, where: host0, rate: 1e-2}]
END
for recovery in selective-repeat go-back-n; do
    for seed in 1 2 3 4 5 6; do
        "$program" run reads.yaml --json --confirm 0 --seed $seed --set "hosts.defaults.rnic.loss-recovery=$recovery" >run.json 2>err
        errors=$(gojq .rnic.qp_errors run.json)
        [ "$errors" = 0 ] || fail "$recovery, seed $seed: $errors queue pairs failed by random loss"
    done
done
exit $((failures > 0))
