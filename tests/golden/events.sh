#!/bin/bash
# events - who paused whom, from when until when and why; drops, flows and commands with names.    SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; }
nothing() { [ -z "$(ask "$2" "$3" 2>&1)" ] || fail "$1: $(ask "$2" "$3" 2>&1 | head -n 3)"; }

"$program" run pause-storm --set duration=4ms --record packets -o storm.db >out 2>err
"$program" run pause-storm --set duration=4ms -o summary.db >out 2>err
"$program" run mtu-mismatch --record counters -o drops.db >out 2>err

# An interval for each XOFF; together they are what the counters say; who is paused is the other end of the link.
[ "$(ask storm.db 'SELECT count(*)>100 FROM v_pause_interval')" = 1 ] || fail 'few intervals'
nothing 'intervals' storm.db "SELECT i.by, i.priority, sum(until_us-from_us), c.value FROM v_pause_interval i
    LEFT JOIN v_counter c ON c.port=i.by AND c.name='tx_prio'||i.priority||'_pause_duration'
    GROUP BY 1, 2 HAVING coalesce(abs(sum(until_us-from_us)-c.value), 9)>1"
nothing 'who is blocked' storm.db "SELECT * FROM v_blocked b WHERE NOT EXISTS(SELECT 1 FROM v_pause_interval i
    WHERE i.paused=b.port AND i.by=b.paused_by AND i.from_us<=b.from_us AND coalesce(i.until_us, 1e9)>=b.from_us-5)"

# The reason: the threshold was reached, by a frame that had come by that port.
nothing 'thresholds' storm.db "SELECT * FROM v_pause_edge WHERE edge='xoff' AND occupancy_bytes<threshold_bytes"
nothing 'switches name the frame' storm.db "SELECT * FROM pause_edge e JOIN node n USING(node) WHERE e.edge<>'refresh'
    AND (n.kind='switch')<>(e.frame_bytes IS NOT NULL)"
nothing 'the frame' storm.db "SELECT p.peer_node, p.peer_port, e.source, e.destination, e.qpn, e.psn, e.frame_bytes
    FROM pause_edge e JOIN port p USING(node, port) WHERE e.edge='xoff' AND e.source IS NOT NULL
    EXCEPT SELECT node, port, source, destination, qpn, psn, bytes FROM frame"

# Both ends of a queue pair agree; the level is what decides whether they are there.
[ "$(ask storm.db 'SELECT count(*)>50 FROM v_flow')" = 1 ] || fail 'few flows'
nothing 'flows' storm.db "SELECT f.qpn FROM flow f LEFT JOIN port q ON q.ip=f.peer_ip LEFT JOIN flow g
    ON g.node=q.node AND g.port=q.port AND g.qpn=f.peer_qpn WHERE g.peer_qpn IS NOT f.qpn"
[ "$(ask summary.db 'SELECT count(*) FROM flow')" = 0 ] || fail 'a summary has flows'
nothing 'limited' storm.db "SELECT port FROM (SELECT node, port, sum(limited) AS at_end FROM flow GROUP BY 1, 2) JOIN series_rnic
    USING(node, port) WHERE sample=(SELECT max(sample) FROM series) AND limited<>at_end"

# Drops have their cause, and names.
[ "$(ask drops.db "SELECT count(*)>0 FROM v_drop_event WHERE cause='mtu' AND port IS NOT NULL AND egress IS NOT NULL")" = 1 ] ||
    fail 'no drop is told'

# What a command's stages took is not more than it took.
[ "$(ask storm.db 'SELECT count(*)=(SELECT count(*) FROM io) AND count(*)>1000 FROM v_io')" = 1 ] || fail 'few commands'
nothing 'stages' storm.db 'SELECT io FROM v_io WHERE latency_us+1e-6<queued_us+capsule_us+coalesce(fetch_us, 0)
    +coalesce(media_wait_us, 0)+coalesce(media_us, 0)+coalesce(response_us, 0)+reaped_us OR host IS NULL OR target IS NULL'
[ $failures = 0 ]
