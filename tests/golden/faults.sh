#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hazards of faults and jobs at the edges of a run: a run that ends while a fault holds and connections are open, a fio job
# that would begin after the end, and overlapping faults, of which the first to end must not end the others.
set -u
program=$(realpath "${STORMGLASS:?the program to test}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failed=0

base='stormglass: 1
name: x
duration: 100us
drain: 1ms
fabric:
  topology: {kind: single-switch, hosts: 2}
hosts:
  defaults: {rnic: {timeout: 4}}
  targets: {where: host1, namespaces: [{media: "null"}]}
workloads:
'
write='  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 4KiB, outstanding: 1}
'
play() { # NAME TEXT ARGUMENTS...
    local name=$1
    printf '%s%s' "$base" "$2" >"$name.yaml"
    shift 2
    timeout 60 "$program" run "$name.yaml" --json "$@" >"$name.json" 2>"$name.err"
    code=$?
    # A sanitizer's own exit code is 1 as well.
    [ $code -le 1 ] && ! grep -q Sanitizer "$name.err" && jq -e . "$name.json" >/dev/null || { echo "FAIL $name: exit code $code"; cat "$name.err"; failed=1; }
}

play fault-outlives-connections "$write"'faults: [{at: 0us, kind: drop-every, where: host1, n: 100}]' --until 50us

printf '[j]\nioengine=libaio\nrw=randread\nbs=4k\nsize=1m\nstartdelay=1\n' >late.fio
play job-begins-after-the-end '  - {name: w, kind: fio, file: late.fio, from: host0, to: host1}
'
[ "$(jq '.workloads[0].issued' job-begins-after-the-end.json)" = 0 ] || { echo "FAIL the late job issued"; failed=1; }

link='where: host0-switch0, kind: link-down'
play overlapping "$write""faults: [{at: 20us, for: 20us, $link}, {at: 30us, $link}]"
play one "$write""faults: [{at: 20us, $link}]"
for what in .workloads .drops; do
    diff <(jq "$what" one.json) <(jq "$what" overlapping.json) || { echo "FAIL the first fault's end ended the second"; failed=1; }
done

# A bound on the latency of nothing does not hold.
play nothing-completed "$write"'faults: [{at: 0us, where: host0-switch0, kind: link-down}]
expect: ["w.latency.p99 < 1s", "w.unfinished >= 0", "w.failed >= 0"]
'
[ "$(jq -c '[.expectations[].held]' nothing-completed.json)" = '[false,true,true]' ] || { echo 'FAIL a latency of nothing held'; failed=1; }

[ "$failed" -eq 0 ]
