#!/bin/bash
# false-pass - what compared nothing passes nothing.               SPDX-License-Identifier: Apache-2.0
# Every quantity of the table in scenarios/load/expect.h is expected to be what a run without any work has too: below
# a great value, other than one, and (but for what counts work) equal to 0; of latencies also at least 0.  In runs whose workload is
# dead, hangs, never begins or has members that do nothing, and in runs that have nothing of what is measured, none of
# these may pass.  Time in a state counts up to the end of the run, so a bound that a dead target breaks fails.
set -u
cd "$(dirname "$0")/../.." || exit 3
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
compared=0

# The table as lines: path without unit, kind, basis.
{
    sed 's/QUANTITY([a-z0-9_]*, */X(/; s/EXPECTED(/X(/' scenarios/load/quantity.def
    sed -n '/define EXPECT_OF_WORKLOADS/,/enum expect_quantity {/p' scenarios/load/expect.h
    sed 's/, *\(TIME\|INT\|RATE\|SIZE\|RATIO\), *\([A-Z]*\), [A-Z_]*,.*/, QUANTITY_\1, \2)/; s/FIGURE(\([A-Z0-9_]*\), *\("[^"]*"\), *"/X(\1, \2, "./' <(sed -e ':a' -e '/,$/{N;s/,\n */, /;ba}' scenarios/load/quantity_workload.def)
} | tr -d '\\\n' | grep -o 'X([A-Z0-9_]*, *"[^"]*", *"[^"]*", *QUANTITY_[A-Z]*, *[A-Z]*)' |
    sed 's/X([A-Z0-9_]*, *"[^"]*", *"\([^"]*\)", *QUANTITY_\([A-Z]*\), *\([A-Z]*\))/\1 \2 \3/' >"$work/table"
[ "$(wc -l <"$work/table")" -gt 100 ] || { echo "the table of quantities was not found"; exit 1; }

declare -A great=([TIME]=100000s [INT]=4000000000000 [RATE]=100000000Gbps [SIZE]=100000TiB [RATIO]=9000)
declare -A nought=([TIME]=0s [INT]=0 [RATE]=0bps [SIZE]=0B [RATIO]=0)

# vacuous WHOSE BASES: expectations of the workload WHOSE, or of the run ("-"), for the bases that match.
vacuous() {
    local path kind basis
    while read -r path kind basis; do
        [[ $basis != FACT && $basis =~ ^($2)$ ]] || continue
        case $path in
        .*) [ "$1" = - ] && continue ;;
        *) [ "$1" = - ] || continue ;;
        esac
        path=${1#-}$path
        printf '%s < %s\n%s != %s\n' "$path" "${great[$kind]}" "$path" "${great[$kind]}"
        [ "$basis" = SAMPLES ] && printf '%s >= %s\n' "$path" "${nought[$kind]}"
        [ "$basis" = WORK ] || printf '%s == %s\n' "$path" "${nought[$kind]}"
    done <"$work/table"
}

# none NAME EXPECTATIONS <SCENARIO: plays it; none of the expectations passes.
none() {
    local code
    cat >"$work/case.yaml"
    printf '%s\n' "$2" | sed 's/.*/  - "&"/; 1i expect:' >>"$work/case.yaml"
    "$program" run --confirm 0 "$work/case.yaml" --json >"$work/json" 2>"$work/err"
    code=$?
    # (on a build without `result`, held says it)
    if ! gojq -r '.expectations[] | select((.result // (if .held then "pass" else "fail" end)) == "pass")
                  | "\(.text) (\(.actual))"' "$work/json" >"$work/passed" 2>/dev/null || [ "$code" != 1 ]; then
        echo "FAIL  $1: exit code $code"
        head -3 "$work/err"
        failures=$((failures + 1))
        return
    fi
    if [ -s "$work/passed" ]; then
        echo "FAIL  $1: $(wc -l <"$work/passed") pass, as $(head -2 "$work/passed" | paste -sd';')"
        failures=$((failures + 1))
    else
        printf 'ok    %s: %d expectations\n' "$1" "$(wc -l <<<"$2")"
    fi
    compared=$((compared + $(wc -l <<<"$2")))
}

fabric='stormglass: 1
name: false-pass
seed: 1
fabric:
  topology: {kind: single-switch, hosts: 4}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  targets: {where: host0, namespaces: [{media: storage-class, size: 4GiB}]}'
nvme='workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 70%, block-size: 4KiB, queue-depth: 4}'
words=$(printf '%s\n' steady all-commands-complete no-pause no-deadlock no-lossless-drop)
all='.*'

# The target cannot be reached from the beginning.
none unreachable "$words
$(vacuous w "$all"; vacuous - "$all")" <<END
$fabric
duration: 20ms
$nvme
faults:
  - {kind: link-down, where: host0, at: 0s}
END

# The same of raw RDMA.
none unreachable-rdma "$words
$(vacuous w "$all"; vacuous - "$all")" <<END
$fabric
duration: 20ms
workloads:
  - {name: w, kind: rdma-write, from: host1, to: host2, message-size: 64KiB}
faults:
  - {kind: link-down, where: host2, at: 0s}
END

# It is connected, and no operation ever completes.
none stalled "steady
$(vacuous w "WORK|SAMPLES" | grep -v '\.issued'; vacuous - "$all")" <<END
$fabric
duration: 20ms
$nvme
faults:
  - {kind: target-stall, where: host0, at: 50us}
END

# The target dies for good: time in a state counts up to the end, and the latencies are those of before.
none dead-for-good "steady
all-commands-complete
w.controllers.without_service < 1s
w.gap < 1s
$(vacuous w SAMPLES)" <<END
$fabric
  defaults: {nvme: {keep-alive: 5s}}
duration: 8s
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, rate: 1000}
faults:
  - {kind: target-crash, how: power, where: host0, at: 200ms}
END

# The host gives the controller up: it has no service in the rest of the run.
none given-up "steady
all-commands-complete
w.controllers.without_service < 1s" <<END
$fabric
  defaults: {nvme: {keep-alive: 50ms, reconnect-delay: 10ms, ctrl-loss-tmo: 20ms}}
duration: 8s
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, rate: 1000}
faults:
  - {kind: target-crash, where: host0, at: 200ms}
END

# Most operations fail: those that completed before say nothing of the latency, whatever is expected of failures.
none most-failed "w.gap < 700s
$(vacuous w SAMPLES | grep -E 'latency\.(mean|p|max|slowest)' | grep -v '>=')" <<END
$fabric
duration: 900s
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 32, rate: 1}
faults:
  - {kind: target-crash, how: power, where: host0, at: 5s}
END

# A path is lost for good.
none path-lost "w.paths.degraded < 5ms" <<END
stormglass: 1
name: false-pass
seed: 1
duration: 20ms
fabric:
  topology: {kind: single-switch, hosts: 2, nics: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  targets: {where: host0, namespaces: [{media: storage-class, size: 4GiB}]}
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, paths: 2, block-size: 4KiB, queue-depth: 4, rate: 1000}
faults:
  - {kind: port-closed, where: host0, port: 1, at: 2ms}
END

# A job of fio that waits for another to the end.
printf '%s\n' '[global]' ioengine=libaio iodepth=4 bs=4k size=1g runtime=60 time_based \
    '[first]' rw=read stonewall '[second]' rw=randread stonewall >"$work/stonewall.fio"
none never-begins "steady
all-commands-complete
$(vacuous w/second "$all")" <<END
$fabric
duration: 20ms
workloads:
  - {name: w, kind: fio, file: stonewall.fio, from: host1, to: host0}
END

# One of two members cannot reach the target.
none absent-member "all-commands-complete
$(vacuous w "$all")" <<END
$fabric
duration: 20ms
workloads:
  - {name: w, kind: nvme, from: "host1..host2", to: host0, read: 100%, block-size: 4KiB, queue-depth: 1}
faults:
  - {kind: link-down, where: host2, at: 0s}
END

# A run that is well and has nothing of what is measured.
none not-there "$(vacuous w "CONTROLLERS|PATHS|ADMIN"; vacuous - "LOSSLESS|MARKING|WATCHDOG|READS|WRITES|MEDIA|ARRAYS")" <<END
stormglass: 1
name: false-pass
seed: 1
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 3}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
  switch: {pfc-priorities: none, ecn-kmax: 0B}
hosts:
  defaults: {rnic: {pfc-priorities: none}}
workloads:
  - {name: w, kind: rdma-read, from: host1, to: host2, message-size: 64KiB}
END

# reports NAME TEXT <SCENARIO: a run warns of what had no effect.
reports() {
    cat >"$work/case.yaml"
    "$program" run --confirm 0 "$work/case.yaml" --json 2>/dev/null | gojq -r '.warnings[].text' >"$work/warnings"
    grep -qE "$2" "$work/warnings" && return
    echo "FAIL  $1: no warning says '$2': $(paste -sd';' "$work/warnings")"
    failures=$((failures + 1))
}

stonewall="$fabric
duration: 20ms
workloads:
  - {name: w, kind: fio, file: stonewall.fio, from: host1, to: host0}"
reports 'a job that waits to the end' "^'w/second' never began: " <<<"$stonewall"
echo "$stonewall" >"$work/case.yaml"
"$program" check "$work/case.yaml" 2>&1 | grep -q "'w/second' never begins: it waits for 'w/first', which has a runtime of 60s" || {
    echo "FAIL  check does not say that w/second never begins"
    failures=$((failures + 1))
}
printf '%s\n' '[global]' ioengine=libaio iodepth=4 bs=4k size=1m '[first]' rw=read '[second]' rw=randread stonewall startdelay=60 >"$work/delayed.fio"
reports 'a startdelay, not the job before it' "^'w/second' never began: its startdelay is 60s, and the run ends at 20ms" <<<"${stonewall/stonewall.fio/delayed.fio}"
reports 'nothing is due' "^'w' issued no operations: none was due by " <<END
$fabric
duration: 1ms
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, rate: 0.001, arrival: poisson}
END
echo "${fabric/4GiB/4GiB, count: 16}
duration: 1ms
$nvme" >"$work/case.yaml"
"$program" check "$work/case.yaml" 2>&1 | grep -q 'use 1 of 16 namespaces' || {
    echo "FAIL  check does not say that 15 drives are idle"
    failures=$((failures + 1))
}
reports 'a fault that drops nothing' '^the fault drop-every had no effect: drops.injected is 0' <<END
$fabric
duration: 1ms
$nvme
faults:
  - {kind: drop-every, where: host0, n: 100000000, at: 100us}
END
reports 'a fault of no time' '^the fault link-down lasts 0 s' <<<"$fabric
duration: 1ms
$nvme
faults:
  - {kind: link-down, where: host0, at: 100us, for: 0s}"
reports 'a path that carries nothing' "path 1 of 2 of 'w' carried no I/O" <<END
stormglass: 1
name: false-pass
seed: 1
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 2, nics: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {nvme: {io-policy: round-robin}}
  targets: {where: host0, namespaces: [{media: storage-class}], ana: [{port: 1, state: inaccessible}]}
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, paths: 2}
END

echo "$compared expectations that compare nothing, $failures failures"
[ "$failures" = 0 ] && [ "$compared" -gt 1000 ]
