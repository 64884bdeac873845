#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# summary-lines.sh - lines of a summary that no chart has: recovery, flash, arrays, steady parts, means of several seeds.  Each number is
# computed anew of the database, or of the JSON of the same runs.
set -u
tree=$PWD
. tests/golden/outside

lines() { # NAME SECTION...: NAME.yaml, or the case of that name
    local name=$1 scenario=$1
    shift
    [ -e "$name.yaml" ] && scenario=$name.yaml
    "$program" run "$scenario" -o "$name.db" >"$name.txt" 2>&1
    python3 "$tree/tests/golden/charts/lines.py" "$name.txt" "$name.db" "$@" >out 2>&1 || fail "$name: $(cat out)"
    echo "ok    $name: $*"
}

cat >array.yaml <<'END'
stormglass: 1
name: array
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts:
  defaults: {rnic: {profile: ideal}}
  targets: {where: host0, namespaces: [{media: flash-tlc, layout: parity, drives: 3}]}
workloads: [{name: io, kind: nvme, from: "host1..host2", to: host0, read: 50%, block-size: 4KiB, queue-depth: 32, start: 300us}]
faults: [{kind: drive-failed, where: host0, at: 1ms, for: 1ms}]
END
cat >flash.yaml <<'END'
stormglass: 1
name: flash
duration: 12ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {targets: {where: host0, namespaces: [{media: {profile: intel-p3700-2tb, buffer: 4MiB, over-provisioning: 12%}}]}}
workloads: [{name: db, kind: nvme, from: host1, to: host0, read: 0%, block-size: 4KiB, queue-depth: 64}]
END
lines fail-over recovery steady
lines array arrays steady
lines flash flash

"$program" run array.yaml --seeds 3 --until 1ms >seeds.txt 2>&1
"$program" run array.yaml --seeds 3 --until 1ms --json >seeds.json 2>out || fail "seeds: $(cat out)"
python3 "$tree/tests/golden/charts/seeds.py" seeds.txt seeds.json >out 2>&1 || fail "seeds: $(cat out)"
[ $failures = 0 ]
