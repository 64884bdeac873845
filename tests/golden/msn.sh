#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# msn.sh - in the frames of every case the MSN of an ACK never runs ahead of its PSN, and never goes back (IBTA Vol 1 9.7.7).
# That it is the count of messages up to the PSN, is a law (tests/laws/run/run_laws_responder.c), which the swarm holds.
set -u
. tests/golden/outside

# ACKs and READ responses of each queue pair as they leave their host: by time, and by PSN from that of the first on, the MSN
# grows or stays.
wrong="
WITH ack AS (SELECT f.rowid AS seq, source, destination, qpn, msn,
     (psn - first_value(psn) OVER (PARTITION BY source, destination, qpn ORDER BY f.rowid) + 8388608) & 16777215 AS nth
     FROM frame f JOIN node n ON n.node = f.node
     WHERE n.kind = 'host' AND syndrome < 32),
  line AS (SELECT msn, max(msn) OVER (PARTITION BY source, destination, qpn ORDER BY seq) AS by_time,
     max(msn) OVER (PARTITION BY source, destination, qpn ORDER BY nth) AS by_psn FROM ack)
SELECT count(*), coalesce(sum(msn < by_time OR msn < by_psn), 0) FROM line"

all=0
for case in $("$program" list cases | cut -d ' ' -f 1); do
    "$program" run --confirm 0 "$case" --until 1500us --record packets -o run.db >/dev/null 2>&1
    read -r acks bad < <("$program" query run.db "$wrong" | tail -n 1)
    [ "$bad" = 0 ] || fail "$case: $bad of $acks ACKs have the MSN of a later PSN"
    all=$((all + acks))
    rm -f run.db
done
[ "$all" -gt 1000 ] || fail "there are only $all ACKs to look at"
exit $((failures > 0))
