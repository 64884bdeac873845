#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Receiver not ready: what a queue pair with too few receives pays, by the code of its timer; how many NAKs it takes, and when it
# is over.
set -u
. tests/golden/outside

# run NAME RNIC-ROWS WORKLOAD-ROWS: one receive, two messages under way
run() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 2s
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal, $2}}}
workloads: [{name: w, kind: rdma-send, from: host0, to: host1, message-size: 4KiB, outstanding: 2, receives: 1, $3}]
END
    "$program" run --confirm 0 "$1.yaml" --json >"$1.json" 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
}
holds() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2:" "$(gojq -c '.workloads[0], .rnic' "$1.json")"; }

# The second message comes before the receive is posted again, 1 us later, and waits for one timer; the third waits behind it
# and then for one of its own.
# IBTA Vol 1 table 45: codes and microseconds; tests/unit/rnic/test_qp.c has them all.
while read -r code us; do
    run "timer-$code" "min-rnr-timer: $code" 'receive-delay: 1us, count: 3'
    holds "timer-$code" ".workloads[0].completed == 3 and .rnic.rnr_naks == 2 and .rnic.qp_errors == 0 and
        (.workloads[0].latency_ns | .max >= 2000 * $us and .max < 2000 * $us + 8000 and .min < 8000) and
        ([.causes[] | select(.kind == \"rnr\")] | length == 1)"
done <<'END'
0 655360
1 10
5 60
14 1280
22 20480
31 491520
END
echo "ok    timers"

# One receive more than what is under way: nobody waits.
run enough 'min-rnr-timer: 14' 'receive-delay: 1us, count: 3'
sed -i 's/receives: 1/receives: 3/' enough.yaml
"$program" run --confirm 0 enough.yaml --json >enough.json
holds enough '.workloads[0].completed == 3 and .rnic.rnr_naks == 0 and .workloads[0].latency_ns.max < 8000'
echo "ok    enough"

# As many NAKs as it takes, 7 being without end: 100 ms of 1.28 ms each.
run patient 'min-rnr-timer: 14' 'receive-delay: 100ms, count: 2'
holds patient '.workloads[0].completed == 2 and .rnic.rnr_naks == 79 and .workloads[0].latency_ns.max > 100000000'
echo "ok    patient"

# A limit: one NAK more than retries, and the end comes after so many timers.
for retries in 0 6; do
    run "limit-$retries" "min-rnr-timer: 14, rnr-retry: $retries" 'receive-delay: 1s'
    holds "limit-$retries" ".workloads[0].completed == 1 and .workloads[0].failed == 2 and .rnic.qp_errors == 1 and
        .rnic.rnr_naks == $retries + 1 and .causes[0].kind == \"rnr\" and .causes[0].sure"
    "$program" run --confirm 0 "limit-$retries.yaml" -o limit.db >/dev/null 2>&1
    at=$("$program" query --json limit.db "select at_ps from note where text like '%RNR retry counter exceeded%'" | gojq '.[0].at_ps')
    within=$((retries * 1280000000))
    [ "$at" -ge $within ] && [ "$at" -lt $((within + 100000000)) ] ||
        fail "limit-$retries: over at $at ps instead of $within"
    rm -f limit.db
done
echo "ok    limits"

[ $failures = 0 ]
