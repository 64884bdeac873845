#!/bin/bash
# iscsi-connections - iSCSI sessions with several connections: order, allegiance, numbers, recovery.   SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
. tests/captured
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# record NAME FILE SETTING...
record() {
    local name=$1 file=$2
    "$program" run "$file" --confirm 0 "${@:3}" --record packets -o "$work/$name.db" >"$work/$name.txt" 2>&1
    "$program" pcap "$work/$name.db" -o "$work/$name.pcapng"
}

# --- four connections in each session, with losses ------------------------------------------------------

record loss tests/laws/iscsi-connections.yaml
equal 'all commands complete' "$(grep -c 'pass    all-commands-complete' "$work/loss.txt")" 1
equal 'segments were lost' "$(grep -cE '[1-9][0-9]* retransmitted TCP segments' "$work/loss.txt")" 1
# RFC 7143, 4.2.2.1: a session's commands begin at the target in the order in which its host numbered them.
overtaking() {
    "$program" query "$work/$1.db" "SELECT count(*) FROM (SELECT capsule_ps, lag(capsule_ps) OVER (PARTITION BY host_ip, target_ip
        ORDER BY posted_ps) AS before FROM io WHERE capsule_ps NOTNULL) WHERE capsule_ps < before" --csv | tail -n 1
}
equal 'commands that begin before an earlier one of their session' "$(overtaking loss)" 0

# A command that the target has read and whose predecessor is lost waits for it. No target is stalled.
waits() { # PART SETTING...
    "$program" run tests/laws/iscsi-connections.yaml --confirm 0 --waits --json "${@:2}" 2>/dev/null |
        gojq "[.workloads[0].waits[].parts_ps.$1 // 0] | add"
}
within 'time for the order of commands and for a stalled target, ps' "$(waits command_order) $(waits target_stalled)" '$1 > 1e9 && $2 == 0'
within 'the same over one connection' "$(waits command_order --set hosts.defaults.nvme.iscsi-connections=1)" '$1 == 0'

# connection, opcode, task: one line for each PDU of a host and a target, whose tags are their own
pdus() {
    tshark -n -r "$work/$1.pcapng" -Y 'iscsi && ip.addr == 10.0.0.3 && ip.addr == 10.0.0.1' -T fields \
        -e tcp.stream -e iscsi.opcode -e iscsi.initiatortasktag 2>/dev/null |
        awk -F'\t' '{ n = split($2, opcode, ","); split($3, task, ","); for (i = 1; i <= n; i++) print $1, opcode[i], task[i] }'
}
# 4.2.2: R2T, data and status travel on the connection that carried the command.
strays() {
    pdus "$1" | awk '$2 == "0x01" { of[$3] = $1; commands++ }
        $2 == "0x05" || $2 == "0x21" || $2 == "0x25" || $2 == "0x31" { others++; strays += $3 in of && of[$3] != $1 }
        END { print strays + 0, (commands > 50 && others > 100) }'
}
equal 'PDUs on another connection than their command; enough of them' "$(strays loss)" '0 1'

# --- the same without losses: tshark reads each PDU -----------------------------------------------------

record clean tests/laws/iscsi-connections.yaml --set faults='[]' --set workloads.mixed.from=host2 --set workloads.mixed.to=host0 \
    --set duration=2ms --set workloads.mixed.block-size=4KiB
equal 'without losses: PDUs on another connection; enough of them' "$(strays clean)" '0 1'
equal 'connections with commands' "$(fields clean 'iscsi.opcode == 1' tcp.stream | sort -un | wc -l)" 4
# CmdSN numbers the session's commands, StatSN the responses of a connection.
gaps() { tr ',' '\n' | sort -n | awk 'NR > 1 && $1 != last + 1 { gaps++ } { last = $1 } END { print gaps + 0, (NR > 50) }'; }
equal 'CmdSN: gaps; enough of them' "$(fields clean 'iscsi.opcode == 1' iscsi.cmdsn | gaps)" '0 1'
equal 'StatSN of a connection: gaps; enough of them' "$(fields clean 'tcp.stream == 1 && scsi.status' iscsi.statsn |
    tr ',' '\n' | awk '$1 != 4294967295' | gaps | cut -d' ' -f1)" 0
equal 'malformed frames' "$(fields clean _ws.malformed frame.number | grep -c .)" 0
equal 'Login Requests: CID, TSIH, ISID' "$(fields clean 'iscsi.opcode == 3' iscsi.cid iscsi.tsih iscsi.isid | tr '\t\n' ' ;')" \
    '0x0000 0x0000 800000000000;0x0001 0x0001 800000000000;0x0002 0x0001 800000000000;0x0003 0x0001 800000000000;'

# --- one connection that does not answer ends the session (ErrorRecoveryLevel 0), which is opened anew ---

record again tests/laws/iscsi-connections.yaml --set 'faults=[{kind: link-down, where: host0-switch0, at: 2ms, for: 6ms}]' \
    --set hosts.defaults.nvme.io-timeout=3ms --set hosts.defaults.nvme.reconnect-delay=1ms --set hosts.defaults.tcp.rto-max=1ms \
    --set workloads.mixed.from=host2 --set workloads.mixed.to=host0
equal 'after a failure: all commands complete' "$(grep -c 'pass    all-commands-complete' "$work/again.txt")" 1
equal 'after a failure: sessions' "$(fields again 'iscsi.opcode == 0x23' iscsi.tsih | sort -u | wc -l)" 2
equal 'after a failure: connections' "$(fields again 'iscsi.opcode == 0x23' tcp.stream | sort -un | wc -l)" 8

# --- what several connections are for -------------------------------------------------------------------

# A receive window of 64 KiB and a round trip of 100 us: at most 5.24 Gb/s on a connection, and in proportion to their number.
cat >"$work/far.yaml" <<'YAML'
stormglass: 1
name: far
about: A long link and small windows.
seed: 1
duration: 20ms
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 25Gbps, delay: 25us, mtu: 1500B}
  switch: {pfc: {priorities: none}}
hosts:
  defaults: {tcp: {receive-buffer: 128KiB, receive-buffer-max: 128KiB}}
  targets: {where: host0, namespaces: [{media: "null"}], target: {iscsi-max-connections: 4}}
workloads:
  - {name: far, kind: nvme, transport: iscsi, from: host1, to: host0, read: 100%, block-size: 256KiB, queue-depth: 32}
YAML
goodput() { measure_of "$work/far.yaml" '.workloads[0].goodput_bps / 1e6' "hosts.defaults.nvme.iscsi-connections=$1"; }
one=$(goodput 1)
within 'reads over a connection with a window of 64 KiB, Mb/s' "$one" '$1 > 2600 && $1 <= 5243'
for connections in 2 4; do
    near "reads over $connections connections, Mb/s" "$(goodput $connections)" "$(awk -v one="$one" -v n=$connections 'BEGIN { print n * one }')" 3
done
[ "$failures" = 0 ]
