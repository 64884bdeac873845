#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# V21: a NIC that pauses without end blocks a Clos in the order of distance, and in one priority only; watchdogs of
# switches (SONiC) and of the NIC end it in their times.  Each line says what was measured and what is known.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# within NAME MEASURED LEAST MOST
within() {
    if [ -n "$2" ] && awk -v m="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(m >= a && m <= b) }'; then
        printf 'ok    %-60s %12.3f within %g to %g\n' "$1" "$2" "$3" "$4"
    else
        printf 'FAIL  %-60s %12s not within %g to %g\n' "$1" "$2" "$3" "$4"
        failures=$((failures + 1))
    fi
}

# play NAME SCENARIO [OPTION...]: $work/NAME.db and $work/NAME.json.
play() {
    local name=$1 scenario=$2
    shift 2
    "$program" run --confirm 0 "tests/validation/$scenario.yaml" --json -o "$work/$name.db" "$@" >"$work/$name.json" 2>/dev/null
}

# sql NAME QUERY: the values, without names of columns.
sql() {
    "$program" query --json "$work/$1.db" "$2" | gojq -r '.[] | [.[]] | join(" ")'
}

result() { gojq -r "$2" "$work/$1.json"; } # NAME JQ-EXPRESSION

# When the watchdog noted `storm on` or `restored`, in ms.
noted() { # NAME TEXT PLACE
    sql "$1" "SELECT at_ps / 1e9 FROM note WHERE text LIKE 'PFC watchdog: $2 $3 priority 3 (%' ORDER BY at_ps"
}

# --- off: the cascade ---------------------------------------------------------------------------------

play cascade v21-cascade --record counters
first="SELECT node, min(at_ps) AS at FROM pause_edge WHERE edge = 'xoff' AND priority = 3 GROUP BY node"
# Hops from host0: its ToR, the pod's leaves, spines and the pod's other ToR, the other leaves, the other ToRs.
level="CASE WHEN name = 'host0' THEN 0 WHEN name = 'edge0' THEN 1 WHEN name IN ('agg0', 'agg1') THEN 2
    WHEN name LIKE 'core%' OR name = 'edge1' THEN 3 WHEN name LIKE 'agg%' THEN 4 WHEN name LIKE 'edge%' THEN 5 END"
order=$(sql cascade "SELECT l FROM (SELECT $level AS l, min(at) AS at FROM ($first) JOIN node USING(node) GROUP BY l)
    ORDER BY at" | tr -d '\n')
within 'V21 pauses reach ToR, leaf, spine, leaves, ToRs in order' "$order" 12345 12345
# Nobody pauses before somebody one hop nearer to host0 has, and has paused it.
early=$(sql cascade "WITH first AS ($first), known AS (SELECT node, name, $level AS l, at FROM first JOIN node USING(node))
    SELECT count(*) FROM known k WHERE k.l > 0 AND k.at <= (SELECT min(o.at) FROM known o JOIN port p ON p.node = k.node
        AND p.peer_node = o.node WHERE o.l = k.l - 1)")
within 'V21 switches that pause before one nearer to the storm' "$early" 0 0
before=$(sql cascade "SELECT count(*) FROM ($first) f JOIN node n USING(node) WHERE n.kind = 'switch' AND f.at <
    (SELECT min(from_ps) FROM blocked b WHERE b.node = f.node AND b.priority = 3)")
within 'V21 switches that pause before they are stopped' "$before" 0 0
within 'V21 switches that are reached' "$(sql cascade "SELECT count(*) FROM ($first) JOIN node USING(node)
    WHERE kind = 'switch' AND ($level) IS NOT NULL")" 14 20
within 'V21 hosts of the priority that are stopped to the end' "$(sql cascade "SELECT count(DISTINCT n.name) FROM blocked b
    JOIN node n USING(node) WHERE n.kind = 'host' AND b.until_ps >= 30000000000")" 7 7
within 'V21 pauses obeyed in other priorities' "$(sql cascade 'SELECT count(*) FROM blocked WHERE priority <> 3')" 0 0
within 'V21 commands of the other priority unfinished' "$(result cascade '.workloads[2].unfinished')" 0 0
within 'V21 the cause is named' "$(result cascade '.root_cause | startswith("host0 ") | if . then 1 else 0 end')" 1 1

# --- the NIC refreshes its pause as it expires --------------------------------------------------------

for rate in '40Gbps 838.8us 1192' '100Gbps 335.5us 2981'; do
    read -r gbps refresh known <<<"$rate"
    play refresh v21-watchdog --set fabric.switch.watchdog.action=off --set "fabric.host-links.rate=$gbps" \
        --set "fabric.host-links.pfc-refresh=$refresh"
    xoffs=$(sql refresh "SELECT value / 1.5 FROM v_counter WHERE node = 'host0' AND name = 'tx_prio3_pause_xoff'")
    within "V21 XOFFs per second at $gbps" "$xoffs" $((known - 1)) $((known + 1))
    within 'V21 the pause has no gap, ms' "$(result refresh '.pfc.longest_pause_ps / 1e9')" 1499.9 1500.1
done

# --- watchdogs of switches ----------------------------------------------------------------------------

play off v21-watchdog --set fabric.switch.watchdog.action=off
within 'V21 off: longest command of a victim, ms' "$(result off '.workloads[1].latency_ns.max / 1e6')" 1300 1600
for ports in 32 64; do
    unit=$((200 * ports / 32))
    for seed in 1 2 3; do
        play on v21-watchdog --set "fabric.switch.ports=$ports" --seed "$seed"
        storm=$(noted on 'storm on' edge0:p0) restored=$(noted on restored edge0:p0)
        what="V21 $ports ports, seed $seed:"
        within "$what onset to storm, ms" "$(awk "BEGIN { print ${storm:-0} - 500 }")" $unit $((2 * unit))
        within "$what end to restored, ms" "$(awk "BEGIN { print ${restored:-0} - 2000 }")" $unit $((2 * unit))
        within "$what every queue restored" "$(result on '.pfc.watchdog_storms - .pfc.watchdog_restored')" 0 0
        within "$what frames dropped by the watchdog" "$(result on .drops.watchdog)" 1 100000
        within "$what lossless drops" "$(result on .drops.lossless)" 0 0
        within "$what victims unfinished or failed" "$(result on '.workloads[1] | .unfinished + .failed')" 0 0
        within "$what headroom was in use, bytes (mgmt 5902)" "$(result on .buffer.headroom_peak_bytes)" 1 1000000
        within "$what longest pause, ms" "$(result on '.pfc.longest_pause_ps / 1e9')" $unit $((2 * unit))
    done
done

# sonic-swss 4784: without the tolerance some storms are found a whole round late.
spans() { # RULE SEED
    play timers v21-timers --set "fabric.switch.watchdog.rule=$1" --seed "$2"
    paste <(noted timers 'storm on' switch0:p0) <(noted timers restored switch0:p0) | awk '{ print $2 - $1 }'
}
late=0
for seed in 1 2 3; do
    mapfile -t with < <(spans mellanox "$seed")
    within "swss 4784 seed $seed: storms found" "${#with[@]}" 4 4
    for span in "${with[@]}"; do
        within "swss 4784 seed $seed: detection to restoration, ms" "$span" 1900 2100
    done
    late=$((late + $(spans mellanox-2024 "$seed" | awk '$1 < 1650 { n++ } END { print n + 0 }')))
done
within 'swss 4784 without tolerance: storms found a round late' "$late" 1 11

# --- polls as long as the detection time (sonic-mgmt 27657) --------------------------------------------

# A storm of half the detection time, and traffic that begins with it, as in that test: with polls of the same time
# each poll that falls into the storm finds it, so it depends on the phase; with polls of a sixth of it no phase does.
cat >"$work/short-storm.yaml" <<'YAML'
stormglass: 1
name: short-storm
seed: 1
duration: 3s
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 10Gbps}
  switch: {watchdog: drop, watchdog-rule: mellanox-2023, watchdog-detection: 600ms, watchdog-restoration: 600ms}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 4KiB, outstanding: 4, rate: 2000, start: 1s, stop: 1600ms}
faults:
  - {at: 1s, for: 300ms, kind: pause-storm, where: host1, priority: 3}
YAML
storms() { # POLL: storms at six phases of the polls
    for start in 10ms 110ms 210ms 310ms 410ms 510ms; do
        "$program" run --confirm 0 "$work/short-storm.yaml" --json --set "fabric.switch.watchdog-poll=$1" \
            --set "fabric.switch.watchdog-start=$start" 2>/dev/null | gojq .pfc.watchdog_storms
    done | awk '{ n += $1 } END { print n + 0 }'
}
within 'mgmt 27657 polls of 600 ms: phases of six that find it' "$(storms 600ms)" 1 5
within 'mgmt 27657 polls of 100 ms: phases of six that find it' "$(storms 100ms)" 0 0

# --- the watchdog of the NIC --------------------------------------------------------------------------

play nic v21-watchdog --set fabric.switch.watchdog.action=off --set hosts.defaults.rnic.pfc-watchdog=100ms
within 'V21 NIC: gave its pause up' "$(result nic .rnic.pause_storms)" 1 1
said=$("$program" report --text "$work/nic.db" | grep '^Watchdog')
[ "$said" = 'Watchdog        RNICs stopped sending PAUSE 1 time' ] || { echo "FAIL  V21 NIC: storms of no switch: '$said'"; failures=$((failures + 1)); }
within 'V21 NIC: longest pause, ms' "$(result nic '.pfc.longest_pause_ps / 1e9')" 99.9 100.1
within 'V21 NIC: drops' "$(result nic '.drops | add')" 0 0
within 'V21 NIC: commands unfinished or failed' "$(result nic '[.workloads[] | .unfinished + .failed] | add')" 0 0

[ "$failures" -eq 0 ]
