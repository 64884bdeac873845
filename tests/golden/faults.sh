#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hazards of faults and jobs at the edges of a run: a run that ends while a fault holds and connections are open, a fio job
# that would begin after the end, and overlapping faults, of which the first to end must not end the others.
set -u
: "${STORMGLASS:?the program to test}"
program=$(realpath "$STORMGLASS")
cases=$PWD/tests/validation
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
  defaults: {rnic: {profile: ideal, timeout: 4}}
  targets: {where: host1, namespaces: [{media: "null"}]}
workloads:
'
write='  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 4KiB, outstanding: 1}
'
play() { # NAME TEXT ARGUMENTS...
    local name=$1
    printf '%s%s' "$base" "$2" >"$name.yaml"
    shift 2
    (ulimit -St 60 && exec "$program" run "$name.yaml" --json "$@" >"$name.json" 2>"$name.err")
    code=$?
    # A sanitizer's own exit code is 1 as well.
    [ $code -le 1 ] && ! grep -q Sanitizer "$name.err" && gojq -e . "$name.json" >/dev/null || { echo "FAIL $name: exit code $code"; cat "$name.err"; failed=1; }
}

play fault-outlives-connections "$write"'faults: [{at: 0us, kind: drop-every, where: host1, n: 100}]' --until 50us

printf '[j]\nioengine=libaio\nrw=randread\nbs=4k\nsize=1m\nstartdelay=1\n' >late.fio
play job-begins-after-the-end '  - {name: w, kind: fio, file: late.fio, from: host0, to: host1}
'
[ "$(gojq '.workloads[0].issued' job-begins-after-the-end.json)" = 0 ] || { echo "FAIL the late job issued"; failed=1; }

link='where: host0-switch0, kind: link-down'
play overlapping "$write""faults: [{at: 20us, for: 20us, $link}, {at: 30us, $link}]"
play one "$write""faults: [{at: 20us, $link}]"
for what in .workloads .drops; do
    diff <(gojq "$what" one.json) <(gojq "$what" overlapping.json) || { echo "FAIL the first fault's end ended the second"; failed=1; }
done

# A bound on the latency of nothing does not hold.
play nothing-completed "$write"'faults: [{at: 0us, where: host0-switch0, kind: link-down}]
expect: ["w.latency.p99 < 1s", "w.unfinished >= 0", "w.failed >= 0"]
'
[ "$(gojq -c '[.expectations[].held]' nothing-completed.json)" = '[false,true,true]' ] || { echo 'FAIL a latency of nothing held'; failed=1; }

# Paused from the first moment the workload does not even connect: it stands still, and the run fails.  Where nobody waits, the
# same pause is neither severe nor the bottleneck.
storm='faults: [{at: 0us, kind: pause-storm, where: HOST, priority: 3}]
'
base=${base/timeout: 4/timeout: 14}
commands='  - {name: w, kind: nvme, from: host0, to: host1}
'
play stopped "$commands${storm/HOST/host1}"
[ "$(gojq -c '[.workloads[0].issued, .failures, .pfc.severity]' stopped.json)" = '[0,["workload '"'"'w'"'"' issued no operations"],3]' ] || { echo 'FAIL a workload that issued no operations'; failed=1; }
play stopped-complete "$commands${storm/HOST/host1}"'expect: [all-commands-complete]
'
[ "$(gojq -c '[.expectations[].held]' stopped-complete.json)" = '[false]' ] || { echo 'FAIL all of nothing is complete'; failed=1; }
base=${base/hosts: 2/hosts: 3}
play idle-port "$write${storm/HOST/host2}"
[ "$(gojq -c '[.failures, .pfc.severity, (.bottleneck | test("pauses"))]' idle-port.json)" = '[[],1,false]' ] || { echo 'FAIL a pause of an idle port'; failed=1; }
[ "$(gojq -r '.pfc.paused_ps > 0' idle-port.json)" = true ] || { echo 'FAIL the idle port was not paused'; failed=1; }

# A deadlock that was found is no guess, and the way of the pauses names each port once.
"$program" run "$cases/hotnets-deadlock.yaml" --json 2>/dev/null | gojq -e '.root_cause_sure and .root_cause_kind == "circle" and (.root_cause | startswith("deadlock"))' >/dev/null || { echo 'FAIL a found deadlock is sure'; failed=1; }
stopped=$("$program" run "$cases/hotnets-deadlock.yaml" 2>/dev/null | sed -n 's/^Paused ports *//p')
[ -n "$stopped" ] && [ -z "$(grep -o '[^ ,]*:p[0-9]*' <<<"$stopped" | sort | uniq -d)" ] || { echo "FAIL ports more than once: $stopped"; failed=1; }
"$program" run "$cases/v21-watchdog.yaml" 2>/dev/null | grep -qE '^Watchdog +[1-9][0-9]* storms? detected \(.* priority 3.*\), [1-9][0-9]* restored, [1-9][0-9,]* frames dropped$' || { echo 'FAIL the storms have no line'; failed=1; }

[ "$failed" -eq 0 ]
