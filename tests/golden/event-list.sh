#!/bin/bash
# What happened when: the table of events, which the summary, run --json and the page print.    SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; }
same() { [ "$2" = "$3" ] || fail "$1: expected '$3', found '$2'"; }
run() { "$program" run --confirm 0 "$@" >out 2>err; [ $? -le 1 ] || fail "run $*: $(cat err)"; }

write() { # FAULT
    cat <<SCENARIO
stormglass: 1
name: event-list
duration: 40s
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {rnic: {congestion-control: none, path-mtu: 4096B}, nvme: {keep-alive: 5s}}
  targets: {where: host0, namespaces: [{media: storage-class}]}
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, rate: 1000}
faults:
  - $1
SCENARIO
}

# A target that is off for 20 s: its whole story, in order.
write '{kind: target-crash, how: power, where: host0, at: 200ms, for: 20s}' >story.yaml
run story.yaml -o story.db
same 'the story' "$(ask story.db "SELECT group_concat(kind, ' ') FROM (SELECT kind FROM v_event ORDER BY position)")" \
    'connected fault-began link-down target-crashed queue-pair-failed controller-lost connect-timeout attempt-failed fault-ended link-up target-back controller-back'
grep -q 'no response within 67.1 ms; rnic.timeout 14 is 4.096 us x 2^14; retry-count 7' out || fail 'the timeout has no formula'
grep -q 'address-timeout 3 s' out || fail 'the attempt has no formula'

# One table, three readers: the same sentences in the same order.
"$program" run --confirm 0 story.yaml --json 2>err | gojq -r '.timeline[].text' >json
ask story.db 'SELECT text FROM v_event ORDER BY position' >table
diff table json >difference || fail "JSON and table differ: $(cat difference)"
sed -n '/^Events/,/^$/p' out | sed -n 's/^ *[0-9.]* [a-z]*  //p' >text
diff table text >difference || fail "summary and table differ: $(cat difference)"
"$program" report story.db -o story.html >out 2>err || fail "report: $(cat err)"
while IFS= read -r sentence; do
    escaped=${sentence%%(*}
    grep -qF "${escaped//\'/'&#39;'}" story.html || fail "the page lacks: $sentence"
done <table

# The number of events that the simulator executed keeps its key.
"$program" run --confirm 0 story.yaml --json 2>err | gojq -e '(.events|type)=="number" and .timeline_count==(.timeline|length)' >out || fail 'keys of JSON'

# Why a connection never came up; and of one that still tries.
write '{kind: target-crash, how: power, where: host0, at: 0s}' >never.yaml
run never.yaml
grep -q "'w': host1 could not connect to host0 after 3.07 s: no answer to ARP" out || fail "no reason: $(grep connect out)"
write '{kind: target-crash, how: process, where: host0, at: 0s}' >refused.yaml
run refused.yaml
grep -q "'w': host1 could not connect to host0 after .*REJ reason 8" out || fail "no reason: $(grep connect out)"
write '{kind: target-crash, how: power, where: host0, at: 0s}' >trying.yaml
run trying.yaml --set duration=1s
grep -q "'w': host1 was still connecting to host0 after 1.*s" out || fail "no word of it: $(grep connect out)"

# What is counted has a row each, and no row is beyond the run; every note has a kind.
for case in pause-storm target-crash fail-over pfc-watchdog link-flap lossless-deadlock; do
    "$program" list cases | grep -q "^$case " || continue
    run "$case" -o case.db
    same "$case" "$(ask case.db "SELECT
        (SELECT sum(value) FROM result WHERE path GLOB 'workloads*.controllers.lost')=sum(kind='controller-lost'),
        (SELECT sum(value) FROM result WHERE path GLOB 'workloads*.controllers.reconnected')=sum(kind='controller-back'),
        (SELECT value FROM result WHERE path='pfc.watchdog_storms')=sum(kind='watchdog-fired'),
        (SELECT value FROM result WHERE path='pfc.watchdog_restored')=sum(kind='watchdog-restored'),
        (SELECT value FROM result WHERE path='rnic.qp_errors')=sum(kind='queue-pair-failed'),
        sum(kind='connected')>0, sum(kind='note'), min(at_ps)>=0, max(at_ps)<=(SELECT simulated_ps+drain_ps FROM meta)
        FROM event")" '1|1|1|1|1|1|0|1|1'
done

# Bounded on the terminal, and all of it in the database.
cat >many.yaml <<'SCENARIO'
stormglass: 1
name: many
duration: 50ms
fabric:
  topology: {kind: single-switch, hosts: 12}
workloads:
  - {name: w, kind: rdma-write, from: [host0, host1, host2, host3, host4, host5], to: host11, message-size: 4KiB}
faults:
  - {kind: link-flap, where: host10, at: 1ms, period: 1ms, for: 40ms}
SCENARIO
run many.yaml -o many.db
[ "$(sed -n '/^Events/,/^$/p' out | wc -l)" -le 19 ] || fail 'the list is not bounded'
rows=$(ask many.db 'SELECT count(*) FROM event')
grep -q '\.\.\. and [0-9]* more: stormglass query RUN.db "SELECT \* FROM v_event"' out || fail 'the rest is not mentioned'
[ "$rows" -gt 40 ] || fail "only $rows events"
[ $failures = 0 ]
