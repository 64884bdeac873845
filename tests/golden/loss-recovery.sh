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
exit $((failures > 0))
