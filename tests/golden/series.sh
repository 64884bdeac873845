#!/bin/bash
# series - a run over time: exact at the boundaries, complete, and nothing that the run would notice.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; }
play() { "$program" run --confirm 0 pause-storm --set duration=4ms --set 'faults.0.for=600us' --json -o "$@" 2>err | gojq -r .digest; }
# nothing NAME DATABASE SQL: rows that should not be there
nothing() { [ -z "$(ask "$2" "$3" 2>&1)" ] || fail "$1: $(ask "$2" "$3" 2>&1 | head -n 3)"; }

{ play none.db --interval 0; play fine.db --interval 5us; play coarse.db --interval 20us; play whole.db --interval 1s
  play auto.db; play counters.db --record counters; } >digests
[ "$(wc -l <digests)" = 6 ] && [ "$(sort -u digests | grep -xc '[0-9a-f]*')" = 1 ] && [ "$(sort -u digests | wc -l)" = 1 ] || fail "the series changes the run: $(cat digests)"
[ "$(ask none.db 'SELECT count(*) FROM series')" = 0 ] || fail '--interval 0 samples'

# The samples follow each other from the begin to the end, at the chosen distance.
for db in fine coarse whole auto counters; do
    nothing "$db: gaps" $db.db 'SELECT * FROM series WHERE from_ps<>coalesce((SELECT s.until_ps FROM series s WHERE s.sample=series.sample-1),0)'
    nothing "$db: the end" $db.db "SELECT 1 WHERE (SELECT max(until_ps) FROM series)<>(SELECT simulated_ps+drain_ps FROM meta)"
done
nothing 'the distance' coarse.db 'SELECT * FROM series WHERE until_ps-from_ps<>20000000 AND until_ps<=4000000000'
[ "$(ask counters.db 'SELECT count(*) FROM series WHERE until_ps<=4000000000')" = 400 ] || fail 'a 500th, rounded up, of 4 ms is 10 us'

# What the intervals add up to is what the run counted.
for db in fine coarse auto; do
    for bytes in tx_bytes:tx_prio%d_bytes rx_bytes:rx_prio%d_bytes blocked_ps:tx_prio%d_blocked_ps \
        xoff_frames:tx_prio%d_pause_xoff ecn_marked_frames:tx_prio%d_ecn_marked; do
        nothing "$db: $bytes" $db.db "SELECT node, port, priority, total(value), total(${bytes%%:*}) FROM
            (SELECT node, port, priority, value FROM counter WHERE name=printf('${bytes#*:}', priority))
            FULL JOIN (SELECT node, port, priority, sum(${bytes%%:*}) AS ${bytes%%:*} FROM series_port GROUP BY 1, 2, 3)
            USING(node, port, priority) GROUP BY 1, 2, 3 HAVING total(value)<>total(${bytes%%:*})"
    done
    nothing "$db: workloads" $db.db 'SELECT workload FROM workload w WHERE (issued, completed, failed, bytes)<>
        (SELECT sum(issued), sum(completed), sum(failed), sum(bytes) FROM series_workload s WHERE s.workload=w.workload)'
    nothing "$db: CNPs" $db.db "SELECT 1 WHERE (SELECT sum(cnps_handled) FROM series_rnic)<>(SELECT sum(value) FROM counter WHERE name='rp_cnp_handled')"
done

# What stands at a moment does not depend on how often one looks; nor does a peak lie above the counter's.
for table in port:queue_bytes,buffer_bytes switch:buffer_bytes,headroom_bytes rnic:receive_bytes,limited flow:rate_bps,alpha_ppm; do
    of="series_${table%%:*}" what=${table#*:} key=node
    [ "$of" = series_switch ] || key=node,port
    [ "$of" = series_port ] && key=node,port,priority
    [ "$of" = series_flow ] && key=node,port,qpn
    for db in coarse fine; do
        ask $db.db "SELECT until_ps, $key, $what FROM $of JOIN series USING(sample) WHERE until_ps%20000000=0
            AND ${what//,/+}>0 ORDER BY 1, 2, 3, 4" >$db.$of
    done
    [ -s coarse.$of ] && cmp -s coarse.$of fine.$of || fail "$of: $(diff coarse.$of fine.$of | head -n 3)"
done
nothing 'peaks' fine.db "SELECT node FROM series_switch JOIN counter c USING(node) WHERE c.name='buffer_headroom_total_peak'
    GROUP BY node HAVING max(headroom_bytes)>value"

# One interval for the whole run has the percentiles of the run, to the width of the histogram's buckets.
far() { echo "abs(w.latency_$1_ps-s.latency_$1_ps)>w.latency_$1_ps/200"; }
nothing 'percentiles' whole.db "SELECT name FROM workload w JOIN series_workload s USING(workload)
    WHERE $(far mean) OR $(far p50) OR $(far p99) OR $(far p99_9) OR $(far max)"

# A summary pays for its rows, but for those of its first and its last sample; a row is never without a value.
[ "$(ask auto.db "SELECT 1000*(SELECT count(*) FROM series_port WHERE sample NOT IN
    (SELECT min(sample) FROM series UNION SELECT max(sample) FROM series))<(SELECT value FROM result WHERE path='events')")" = 1 ] ||
    fail 'summary: too many rows'
nothing 'empty rows' fine.db 'SELECT * FROM series_port WHERE tx_bytes+rx_bytes+queue_bytes+buffer_bytes+blocked_ps+xoff_frames+ecn_marked_frames=0'

# What is left of the last interval is too short for a rate: no rate is above what the link carries, but for the one frame that
# an interval's end may cut; and a place that has a row somewhere has one, of zeros, in every sample of the views.
for rest in 1ns 300ns 9us 11us; do
    "$program" run --confirm 0 pause-storm --set duration=1ms -o rest.db --interval 20us --until $((1000000 + $(echo $rest | sed 's/us/000/; s/ns//')))ns >out 2>err
    nothing "a rest of $rest" rest.db "SELECT v.port, tx_bps, rate_bps FROM v_series_port v JOIN port p ON p.name=v.port
        WHERE tx_bps>rate_bps+8*4240/10e-6 OR rx_bps>rate_bps+8*4240/10e-6"
    partial=$([ $rest = 11us ] && echo 0 || echo 1)
    [ "$(ask rest.db 'SELECT partial FROM series ORDER BY sample DESC LIMIT 1')" = $partial ] || fail "a rest of $rest is partial: expected $partial"
    [ "$(ask rest.db 'SELECT sum(partial) FROM series')" = $partial ] || fail "a rest of $rest: others are partial"
    "$program" report rest.db --figures 2>err | gojq -e '[.charts[] | select(.id == "rates") | .series[].points[][1] // 0] | length > 0 and max < 406e9' >/dev/null || fail "a rest of $rest: the page"
done
for view in port:port,priority switch:switch rnic:port workload:workload; do
    nothing "zeros of ${view%%:*}" fine.db "SELECT ${view#*:}, count(*) FROM v_series_${view%%:*} GROUP BY ${view#*:}
        HAVING count(*)<>(SELECT count(*) FROM series) OR count(DISTINCT at_us)<>count(*)"
done
nothing 'zeros are no nulls' fine.db "SELECT * FROM v_series_port WHERE tx_bps IS NULL AND at_us<(SELECT max(at_us) FROM v_series)"

# Every table and view says what it is, and can be asked; Grafana finds its time.
nothing 'does not say what it is' fine.db "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND sql NOT LIKE '%-- %'"
for name in $(ask fine.db "SELECT name FROM sqlite_schema WHERE type IN ('table','view')"); do
    "$program" query fine.db "SELECT * FROM $name LIMIT 3" >out 2>&1 || fail "$name: $(cat out)"
done
nothing 'epoch' fine.db "SELECT epoch_s FROM v_series_workload WHERE typeof(epoch_s)<>'real' OR abs(epoch_s-946684800-at_us/1e6)>2e-7"

expect 'no time' 2 '--interval fast: ' "$program" run --confirm 0 first-io -o x.db --interval fast
expect 'before the past' 2 '--interval -1us: ' "$program" run --confirm 0 first-io -o x.db --interval=-1us
expect 'a flood' 2 'expected at least a millionth' "$program" run --confirm 0 pause-storm -o x.db --interval 1ns
# The interval that the message recommends is the shortest whole number of ns that is accepted: 10.5 ms / 1000000 = 10.5 ns.
recommended() { "$program" run --confirm 0 first-io --set duration=10500us --until 1us -o x.db --interval "$1"; }
expect 'rounded up' 2 'duration, 11.0 ns' recommended 1ns
expect 'one less' 2 'duration, 11.0 ns' recommended 10ns
recommended 11ns >out 2>err || fail "the recommended interval: $(cat err)"
rm -f x.db
expect 'for nobody' 0 '--record and --interval are ignored' "$program" run --confirm 0 first-io --interval 1us
[ ! -e x.db ] || fail 'something was written'
[ $failures = 0 ]
