#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What experiments, calibrations, incidents, predictions and state machines say, word for word, as text and as JSON.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
markup() { python3 -B "$top/tests/golden/words/markup.py" "$1"; }

# --- experiments ---
cat >link.yaml <<'END'
stormglass: 1
name: link
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 3}
  host-links: {rate: 10Gbps}
hosts: {defaults: {rnic: {profile: ideal}}}
workloads:
  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 8}
  - {name: v, kind: rdma-write, from: host2, to: host1, message-size: 4KiB, outstanding: 2}
expect: ["w.goodput > 18Gbps", "w.failed == 0", "w.issued == 1"]
END
for what in what-if assumed queue; do
    "$program" explain link.yaml --$what 2>&1 | hold "$what"
    "$program" explain link.yaml --$what --json 2>&1 | hold "$what.json"
done
"$program" run pause-storm --until 1ms -o run.db >/dev/null 2>&1

# --- calibrations: all files, and one; a name that has no place in a terminal ---
cp "$top"/tests/golden/readings/* .
mkdir one && cp write_bw.txt $'one/a name\twith~signs.txt'
"$program" calibrate write_bw.txt write_lat.txt read_lat.json --base connectx-5-100g -o mine.yaml 2>&1 | hold calibrate
hold profile <mine.yaml
"$program" calibrate write_bw.txt write_lat.txt read_lat.json --base connectx-5-100g --json 2>&1 | hold calibrate.json
"$program" calibrate $'one/a name\twith~signs.txt' --base connectx-5-100g 2>&1 | hold signs

# --- an incident beside its replay: the same, other counters, no port of it ---
"$program" counters run.db --as json >same.json
"$program" diff same.json run.db --all 2>&1 | sed -n "1,30p; \$p" | hold incident-same
gojq '.counters |= map(select(.difference > 0) | .difference = .difference * 2 + 1)' same.json >other.json
gojq '.counters |= map(.port = "elsewhere:p0")' same.json >nowhere.json
gojq '.counters |= map(.name = "no_such_counter")' same.json >unknown.json
for incident in other nowhere unknown; do
    "$program" diff $incident.json run.db 2>&1 | hold "incident-$incident"
    "$program" diff $incident.json run.db --json 2>&1 | head -n 30 | hold "incident-$incident.json"
done
"$program" diff other.json run.db --all 2>&1 | sed -n "1,30p; \$p" | hold incident-all

# --- a grid that is predicted ---
cp "$top"/tests/golden/grid/*.yaml .
# The build's name changes with each commit, and the digest over all with it.
unbuilt() { sed -E 's/("build": |"digest": |, digest )"?[0-9a-f]+"?/\1-/'; }
"$program" predict grid.yaml -o predicted 2>&1 | unbuilt | hold predict
unbuilt <predicted/predictions.json | hold predictions.json

# --- state machines ---
written states.svg "$program" draw --what states && markup states.svg | hold states
[ $failures = 0 ]
