#!/bin/bash
# queue.sh - explain --queue: who waited in the queue when it was longest.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2: $(gojq -c . "$1" | cut -c1-600)"; } # FILE FILTER

# A queue is first in, first out: what waited are the next so many frames that left by the port.
left_next() { # DB JSON: "source host, QP, bytes" of them
    local at frames port priority
    read -r at frames port priority < <(gojq -r '.queue | "\(.at_ps) \(.frames) \(.port) \(.priority)"' "$2")
    sqlite3 -separator ' ' "$1" "SELECT n.name, qpn, sum(bytes) FROM (SELECT f.* FROM frame f JOIN port p USING(node, port)
        WHERE p.name='$port' AND f.priority=$priority AND f.at_ps>$at ORDER BY f.at_ps LIMIT $frames) f
        JOIN port s ON s.endpoint=f.source JOIN node n ON n.node=s.node GROUP BY n.name, qpn ORDER BY n.name, qpn"
}
same() { # NAME DB JSON
    local queued
    queued=$(gojq -r '.queue.flows | sort_by(.from, .qpn)[] | "\(.from) \(.qpn) \(.bytes)"' "$3")
    [ -n "$queued" ] && [ "$queued" = "$(left_next "$2" "$3")" ] || fail "$1: in the queue: $queued; left: $(left_next "$2" "$3")"
}

cat >two.yaml <<'YAML'
stormglass: 1
name: two
duration: 100us
fabric: {topology: {kind: single-switch, hosts: 4}, host-links: {rate: 100Gbps}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: a, kind: rdma-write, from: host1, to: host0, message-size: 64KiB, outstanding: 1, count: 1}
  - {name: b, kind: rdma-write, from: host2, to: host0, message-size: 64KiB, outstanding: 1, count: 1}
  - {name: c, kind: rdma-write, from: host2, to: host3, message-size: 4KiB, outstanding: 1}
YAML
"$program" run two.yaml --record packets -o two.db >run || fail "two: exit code $?"
"$program" explain two.db --queue --json >two.json || fail "two.db: exit code $?"
"$program" explain two.db --queue >two || fail "two.db: exit code $?"
same two two.db two.json
holds two.json '[.queue.flows[].workload] | sort == ["a", "b"]'
holds two.json '.queue | ([.flows[].bytes] | add) == .bytes and ([.flows[].frames] | add) == .frames and ([.flows[].share] | add | . > 0.999 and . < 1.001)'
says two 'Queue at its worst moment'
says two 'host1 -> host0, QP '
"$program" explain --queue two.yaml --json | gojq -c .queue >alone || fail "two.yaml: exit code $?"
[ "$(cat alone)" = "$(gojq -c .queue two.json)" ] || fail 'scenario and database differ'

# With pauses it is the queue that they come from: here the one to the slow receiver, not the longest, and as long as it ever was.
"$program" run pause-storm --record packets --set duration=4ms -o storm.db >run 2>&1 || fail "storm: exit code $?"
"$program" explain storm.db --queue --json >storm.json || fail "storm.db: exit code $?"
holds storm.json '.queue | .port == "leaf0:p0" and .priority == 3 and .at_ps > 3000000000 and [.flows[].to] == [.flows[] | "host0"]'
same storm storm.db storm.json
peak=$(sqlite3 storm.db "SELECT value FROM counter JOIN port p USING(node, port) WHERE p.name='leaf0:p0' AND counter.name='tx_prio3_queue_peak'")
[ "$(gojq '.queue.bytes' storm.json)" -le "$peak" ] && [ $(($(gojq '.queue.bytes' storm.json) * 105 / 100)) -ge "$peak" ] ||
    fail "in the queue: $(gojq .queue.bytes storm.json) of at most $peak"

# The page says the same.
"$program" report storm.db --queue -o storm.html || fail "storm.html: exit code $?"
[ "$(sed -n '/<section id="queue"/,/<\/section>/s/.*title="\([0-9]*\) bytes.*/\1/p' storm.html | awk '{ sum += $1 } END { printf "%d", sum }')" = "$(gojq .queue.bytes storm.json)" ] ||
    fail 'the page has another queue'
expect 'no page of one run' 2 'works only for the page of one run' "$program" report storm.db --queue --text

# Nothing waits, nothing is said.
"$program" explain --queue two.yaml --set 'workloads=[{name: c, kind: rdma-write, from: host2, to: host3, message-size: 64B, outstanding: 1, count: 1}]' >none ||
    fail "none: exit code $?"
says none 'no frame ever waited in a switch queue'
[ $failures = 0 ]
