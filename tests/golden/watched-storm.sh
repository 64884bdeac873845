#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who storms under a PFC watchdog is to blame for what the watchdog drops, whichever host it is; without the storm nobody loses
# anything.
# Hazards: the watchdog is accused, which did what it is for; timers that waited for the frames it dropped are called load.
set -u
storm=$(realpath tests/validation/v21-watchdog.yaml)
. tests/golden/outside

for victims in "host0 host2, host4, host6, host8" "host6 host2, host4, host10, host8"; do
    host=${victims%% *} senders=${victims#* }
    sed "s/where: host0/where: $host/; s/from: \[host2, host4, host6, host8\], to: host0/from: [$senders], to: $host/" "$storm" >storm.yaml
    "$program" run storm.yaml --json >storm.json 2>err
    [ $? -le 1 ] || fail "$host: $(cat err)"
    gojq -e '.causes[0] | .name == "faults.0" and .sure and .share > 0.5' storm.json >/dev/null ||
        fail "$host: $(gojq -c '.causes[] | [.name, .share, .sure]' storm.json)"
    gojq -e '.harm.severity == "severe"' storm.json >/dev/null || fail "$host: $(gojq -c .harm storm.json)"
    gojq -e '[.causes[] | select(.sentence | test("retransmission timeouts"))] | length == 0' storm.json >/dev/null ||
        fail "$host: $(gojq -c '.causes[].sentence' storm.json)"
    sed '/^faults:/,/^expect/{/^expect/!d}' storm.yaml >calm.yaml
    "$program" run calm.yaml >calm || fail "$host, calm: exit code $?"
    grep -q '^Harm *none' calm || fail "$host, calm: $(grep -A3 '^Harm' calm)"
done
[ $failures = 0 ] && echo ok
exit $((failures > 0))
