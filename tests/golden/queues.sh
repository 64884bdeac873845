#!/bin/bash
# queues - what waited at each egress, worked out from its samples by another way.     SPDX-License-Identifier: Apache-2.0
# Hazards: samples of unequal length count alike; a queue that is mostly empty has only the samples in which it was not; a
# peak between two samples is lost.
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader -separator ' ' "$1" "$2"; }

for interval in 5us 20us 300us; do
    "$program" run --confirm 0 pause-storm --set duration=3ms --set faults.0.at=500us --set faults.0.for=500us -o run.db --interval $interval --json >run.json 2>err ||
        fail "$interval: $(cat err)"
    # Every sample of a port's priority, zeros too, in the order of their bytes.
    ask run.db "SELECT p.name, k.priority, until_ps-from_ps, coalesce(queue_bytes, 0) FROM series s
        CROSS JOIN (SELECT node, port, priority FROM counter WHERE name LIKE 'tx_prio%_queue_peak' AND value>0) k JOIN port p USING(node, port)
        LEFT JOIN series_port r ON r.sample=s.sample AND r.node=k.node AND r.port=k.port AND r.priority=k.priority
        ORDER BY 1, 2, 4, s.sample" |
        awk '{ key = $1 " " $2; n[key]++; dt[key, n[key]] = $3; b[key, n[key]] = $4; whole[key] += $3; sum[key] += $3 * $4 }
            END { for (key in n) {
                upto = 0; p50 = p99 = -1
                for (i = 1; i <= n[key]; i++) {
                    upto += dt[key, i]
                    if (p50 < 0 && upto >= 0.5 * whole[key]) p50 = b[key, i]
                    if (p99 < 0 && upto >= 0.99 * whole[key]) p99 = b[key, i]
                }
                printf "%s %.2f %d %d\n", key, sum[key] / whole[key], p50, p99 } }' | sort >expected
    ask run.db "SELECT port, priority, printf('%.2f', mean_bytes), p50_bytes, p99_bytes FROM v_queue" | sort >found
    [ -s found ] && cmp -s expected found || fail "$interval: $(diff expected found | head -n 4)"
    [ -z "$(ask run.db "SELECT * FROM v_queue WHERE NOT(p50_bytes<=p99_bytes AND p99_bytes<=peak_bytes AND mean_bytes<=peak_bytes)")" ] || fail "$interval: a percentile above the peak"
    gojq -e '(.queues | length) > 3 and (.queues | map(.mean_bytes) == (map(.mean_bytes) | sort | reverse))' run.json >/dev/null || fail "$interval: the JSON"
    [ "$(gojq -r '.queues[0] | "\(.port) \(.priority) \(.p99_bytes) \(.peak_bytes)"' run.json)" = \
        "$(ask run.db 'SELECT port, priority, p99_bytes, peak_bytes FROM v_queue ORDER BY mean_bytes DESC LIMIT 1')" ] || fail "$interval: the first of the JSON"
done
"$program" run --confirm 0 pause-storm --set duration=1ms --set 'faults=[]' --json 2>err | gojq -e '.queues == []' >/dev/null || fail 'queues without samples'
[ $failures = 0 ]
