#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# counters - of pauses: both ends of a link agree; of memory: whole cells; and each name is documented.
set -u
documented=$PWD/docs/counters.md
. tests/golden/outside
# value DB NODE NAME: the sum over ports and priorities
value() { sqlite3 -batch -noheader "$1" "SELECT ifnull(sum(value), 0) FROM counter JOIN node n USING (node)
    WHERE n.name = '$2' AND counter.name = '$3'"; }
# same DB NODE NAME NODE NAME...: each the same as the first, and not zero
same() {
    local db=$1 first
    first=$(value "$1" "$2" "$3")
    [ "$first" -gt 0 ] || fail "$db: $2 $3 is zero"
    for ((i = 4; i < $#; i += 2)); do
        local node=${*:i:1} name=${*:i+1:1} other
        other=$(value "$db" "$node" "$name")
        [ "$other" = "$first" ] || fail "$db: $2 $3 is $first, but $node $name is $other"
    done
}

cat >pair.yaml <<'EOF'
stormglass: 1
name: pair
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 2}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 4}]
faults: [{at: 100us, for: 1ms, kind: slow-receiver, where: host1, drain: 10%}]
EOF
for kind in pfc global none; do
    "$program" run pair.yaml -o $kind.db --set fabric.host-links.flow-control=$kind >/dev/null 2>&1
done
"$program" run pair.yaml -o memory.db --set fabric.switch.policy=static --set fabric.switch.xoff=20KB >/dev/null 2>&1
"$program" run pair.yaml -o lost.db --set fabric.host-links.pfc-xon=false --set fabric.host-links.pfc-quanta=1000 \
    >/dev/null 2>&1
sed 's/^fabric:.*/fabric: {topology: {kind: single-switch, hosts: 2}, overrides: [{where: "switch0:p1", flow-control: global}]}/' \
    pair.yaml >mixed.yaml
"$program" run mixed.yaml -o mixed.db >/dev/null 2>&1

same pfc.db host1 tx_prio3_pause host1 tx_pause_ctrl_phy host1 tx_mac_control_phy
same global.db host1 tx_global_pause host1 tx_pause_ctrl_phy host1 tx_mac_control_phy
[ "$(sqlite3 -batch -noheader global.db "SELECT (SELECT value FROM result WHERE path = 'pfc.paused_ps') =
    (SELECT sum(value) FROM counter WHERE name = 'tx_prio0_blocked_ps') AND
    (SELECT count(*) = count(DISTINCT port) AND count(*) > 0 FROM v_pause)")" = 1 ] || fail 'global: a pause counts 8-fold'
[ "$(value global.db host1 tx_prio3_pause)" = 0 ] || fail 'global: a PFC frame was counted'
[ "$(value pfc.db host1 tx_global_pause)" = 0 ] || fail 'pfc: a PAUSE frame was counted'
[ "$(value none.db host1 tx_mac_control_phy)" = 0 ] || fail 'none: MAC control was sent'
same lost.db host1 tx_prio3_pause host1 tx_prio3_pause_xoff # no XON
# Frames of host1 are those that its switch port received, and each pause of it ended.
port1() { sqlite3 -batch -noheader "$1" "SELECT ifnull(sum(value), 0) FROM counter JOIN node n USING (node)
    WHERE n.name = 'switch0' AND port = 1 AND counter.name = '$2'"; }
[ "$(port1 pfc.db rx_prio3_pause)" = "$(value pfc.db host1 tx_prio3_pause)" ] || fail 'pfc: frames were lost'
[ "$(port1 pfc.db rx_prio3_pause_transition)" = "$(port1 pfc.db rx_prio3_pause_xoff)" ] || fail 'pfc: transitions'
[ "$(port1 global.db rx_global_pause)" = "$(value global.db host1 tx_global_pause)" ] || fail 'global: frames were lost'
[ "$(port1 mixed.db rx_unsupported_op_phy)" = "$(value mixed.db host1 tx_prio3_pause)" ] || fail 'mixed: not ignored'
[ "$(port1 mixed.db tx_prio3_blocked_ps)" = 0 ] || fail 'mixed: obeyed'

# What the paused group had of memory: cells, some of them of headroom.
memory() { sqlite3 -batch -noheader "$1" "SELECT ifnull(max(value), 0) FROM counter JOIN node n USING (node)
    WHERE n.name = 'switch0' AND counter.name = '$2'"; }
for name in rx_prio3_shared_peak rx_prio3_headroom_peak tx_prio3_queue_peak buffer_used_peak buffer_shared_peak \
    buffer_headroom_peak buffer_headroom_total_peak; do
    peak=$(memory memory.db $name)
    [ "$peak" -gt 0 ] && [ $((peak % 256)) = 0 ] || fail "memory: $name is $peak"
done

[ "$(port1 mixed.db rx_unsupported_op_phy)" -gt 0 ] || fail 'mixed: nothing to ignore'
for db in *.db; do
    sqlite3 -batch -noheader "$db" "SELECT DISTINCT name FROM counter"
done | sed 's/prio[0-7]/prioN/' | sort -u >names

# The same under the names of ethtool -S and of SONiC, zeroes too; none that is counted is without a name.
ask() { sqlite3 -batch -noheader "$@"; }
[ -z "$(ask pfc.db "SELECT name FROM counter EXCEPT SELECT printf(name, priority) FROM counter_name,
    (SELECT column1 AS priority FROM (VALUES(0), (1), (2), (3), (4), (5), (6), (7)))")" ] || fail 'a counter has no name'
[ "$(ask pfc.db "SELECT value FROM v_ethtool WHERE port = 'host1:p0' AND name = 'tx_prio3_pause'")" = \
    "$(value pfc.db host1 tx_prio3_pause)" ] || fail 'v_ethtool: another value'
[ "$(ask pfc.db "SELECT count(*), sum(value) FROM v_ethtool WHERE port = 'host1:p0' AND name GLOB 'tx_prio?_pause'")" = \
    "8|$(value pfc.db host1 tx_prio3_pause)" ] || fail 'v_ethtool: zeroes are left out'
[ "$(ask pfc.db "SELECT sum(value) FROM v_ethtool")" = "$(ask pfc.db "SELECT sum(value) FROM counter WHERE port IS NOT NULL")" ] ||
    fail 'v_ethtool: counts something twice'
[ "$(ask pfc.db "SELECT value FROM v_sonic WHERE port = 'switch0:p1' AND name = 'SAI_PORT_STAT_PFC_3_RX_PKTS'")" = \
    "$(port1 pfc.db rx_prio3_pause)" ] || fail 'v_sonic: another value'
[ "$(ask pfc.db "SELECT count(*), max(value) FROM v_sonic WHERE port = 'switch0:p1' AND object = 'queue'
    AND name = 'SAI_QUEUE_STAT_WATERMARK_BYTES'")" = "8|$(memory pfc.db tx_prio3_queue_peak)" ] || fail 'v_sonic: queues'
[ "$(ask memory.db "SELECT max(value) FROM v_sonic WHERE object = 'pool'")" = "$(memory memory.db buffer_shared_peak)" ] ||
    fail 'v_sonic: pools'
[ "$(wc -l <names)" -gt 20 ] || fail 'too few names'
while read -r name; do
    grep -q "\`$name\`" "$documented" || fail "$name is not in docs/counters.md"
done <names
[ $failures = 0 ]
