#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# connections: what it costs to make many queue pairs at once, and receives that they share.
set -u
. tests/golden/outside

# storm NAME ROWS WORKLOADS: four hosts to a fifth; when its members were ready, in us, into NAME.ready
storm() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 60ms
fabric: {topology: {kind: single-switch, hosts: 5}}
hosts: {defaults: {rnic: {profile: ideal, $2}}}
workloads: [$3]
END
    "$program" run --confirm 0 "$1.yaml" -o "$1.db" >"$1.txt" 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
    "$program" query --json "$1.db" "select ready_ps / 1000000 as us from member order by workload, member" |
        gojq -r '.[].us' >"$1.ready"
}
# within NAME LEAST MOST: the last member was ready then
last_between() {
    local at
    at=$(sort -n "$1.ready" | tail -n 1)
    [ "$at" -ge "$2" ] && [ "$at" -le "$3" ] || fail "$1: ready after $at us, not $2 to $3"
}

costs='resolve-cost: 1ms, qp-create-cost: 400us, qp-modify-cost: 250us'
eight='{name: w, kind: rdma-write, from: "host1..host4", to: host0, message-size: 4KiB, qps: 8, count: 8}'
# Nothing costs anything: a round trip.
storm free '' "$eight"
last_between free 1 20
# 32 queue pairs at host0, CREATE, INIT, RTR and RTS one after the other: 1.15 ms each.  Before that the first REQ: 1 ms and
# 0.65 ms; after it RTR and RTS of the last: 0.5 ms.
storm storm "$costs" "$eight"
last_between storm $((1000 + 650 + 32 * 1150 + 500)) $((1000 + 650 + 32 * 1150 + 500 + 30))
# Eight commands at a time, at both ends: a quarter of a host's eight waits for none of its own.
storm wide "$costs, command-slots: 8" "$eight"
last_between wide $((1000 + 650 + 4 * 1150 + 500)) $((1000 + 650 + 4 * 1150 + 500 + 30))
# Four hosts with one queue pair each: the first has 1 + 0.65 + 1.15 + 0.5 ms, each other waits 1.15 ms more at host0.
storm single "$costs" "${eight/qps: 8/qps: 1}"
[ "$(sort -n single.ready | sed 's/.$//' | tr '\n' ' ')" = "330 445 560 675 " ] || fail "one each: $(tr '\n' ' ' <single.ready)"
echo "ok    connecting"

# shared NAME ROWS: four queue pairs that share receives
shared() {
    storm "$1" 'min-rnr-timer: 1' "{name: w, kind: rdma-send, from: \"host1..host4\", to: host0, message-size: 4KiB, count: 50, $2}"
    "$program" run --confirm 0 "$1.yaml" --json >"$1.json" 2>err || fail "$1: $(cat err)"
}
is() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2:" "$(gojq -c '.workloads[0], .rnic' "$1.json")"; }
done_all='.workloads[0].completed == 200 and .workloads[0].failed == 0'
shared enough 'shared-receives: 16, receive-delay: 1us'
is enough "$done_all and .rnic.rnr_naks == 0"
# As many as are under way, of which most wait to be posted anew: whoever comes then is refused.
shared scarce 'shared-receives: 2, receive-delay: 20us'
is scarce "$done_all and .rnic.rnr_naks > 20 and ([.causes[] | select(.kind == \"rnr\")] | length == 1)"
# Posted anew only when fewer than four of sixteen are left: still nobody is refused, and the limit is told.
shared limited 'shared-receives: 16, receive-limit: 4, receive-delay: 0us'
is limited "$done_all and .rnic.rnr_naks == 0"
"$program" query --json limited.db "select text from note" | grep -q 'fewer than 4 of 16 shared receives are left' ||
    fail "limited: the limit was not told"
# A limit of one is too late.
shared late 'shared-receives: 2, receive-limit: 1, receive-delay: 20us'
is late "$done_all and .rnic.rnr_naks > 20"
# Each its own two: 8 in all, none shared.
shared own 'receives: 2, receive-delay: 20us'
is own "$done_all and .rnic.rnr_naks > 0"
echo "ok    shared receives"

# A wrong key, beyond the end, or no right: the first message of each queue pair ends it at once, by a NAK.
for kind in rdma-write rdma-read; do
    for access in wrong-key out-of-range no-right; do
        storm access '' "{name: w, kind: $kind, from: host1, to: host0, message-size: 4KiB, count: 9, remote-access: $access}"
        "$program" run --confirm 0 access.yaml --json >access.json
        is access '.workloads[0].completed == 0 and .workloads[0].failed == 2 and .rnic.qp_errors == 2 and .rnic.timeouts == 0'
        grep -qr 'remote access error' <("$program" query --json access.db "select text from note") || fail "$access: no reason told"
    done
done
# Given back while it is used: what was complete by then is done, the rest fails at once, with immediate data or without.
for kind in 'rdma-write' 'rdma-write, immediate: true' 'rdma-read'; do
    storm access '' "{name: w, kind: $kind, from: host1, to: host0, message-size: 64KiB, outstanding: 4, remote-access: given-back}"
    "$program" run --confirm 0 access.yaml --json >access.json
    is access '.workloads[0].completed > 10 and .workloads[0].completed < 30 and .workloads[0].failed == 4 and
        .rnic.qp_errors == 2 and .rnic.timeouts == 0'
    grep -qr 'remote access error' <("$program" query --json access.db "select text from note") || fail "$kind: no reason told"
done
echo "ok    access"

[ $failures = 0 ]
