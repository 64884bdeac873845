#!/bin/bash
# import-hosts - what `stormglass import mlnx_qos`, `nvme` and `sysctl` make of a host.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

cat >qos.txt <<'END'
DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
	prio:0 dscp:07,06,05,04,03,02,01,00,
	prio:3 dscp:31,30,29,28,27,26,25,24,
	prio:6 dscp:48,
default priority:
Receive buffer size (bytes): 130944,65472,32736,0,0,0,0,0,max_buffer_size=262016
Cable len: 7
PFC configuration:
	priority    0   1   2   3   4   5   6   7
	enabled     0   0   0   1   1   0   0   0   
	buffer      0   0   0   1   2   0   0   0   
tc: 0 ratelimit: unlimited, tsa: ets, bw: 40%
	 priority:  0
tc: 3 ratelimit: 25.0 Gbps, tsa: ets, bw: 60%
	 priority:  3
	 priority:  4
tc: 6 ratelimit: unlimited, tsa: vendor
	 priority:  6
END

# written LINE: of qos.yaml, without its comment
written() {
    grep -qE "^ *$1( #.*)?$" qos.yaml || fail "no '$1' in $(cat qos.yaml)"
}
told() {
    grep -qF "$1" notes.txt || fail "no '$1' in $(cat notes.txt)"
}
"$program" import mlnx_qos qos.txt >qos.yaml 2>notes.txt || fail "exit code $?"
written 'dscp: 26'
written 'priority: 3'
written 'cnp-priority: 6'
written 'pfc-priorities: \[3, 4\]'
written 'rx-buffer: 98208B'
written 'weight-0: 40'
written 'weight-3: 60'
written 'weight-4: 60'
written 'weight-6: 0'
grep -q 'dscp-to-priority: {0: 0, .* 8: 0,' qos.yaml || fail 'a DSCP without a priority is not 0'
[ "$(grep -c . notes.txt)" -eq 4 ] || fail "other notes: $(cat notes.txt)"
told 'qos.txt:9:12: note: not imported: a scenario sets the cable length'
told 'qos.txt:16:18: note: a rate limit'
told 'qos.txt:16:5: note: several priorities share traffic class 3'
told 'qos.txt:8:30: note: the receive buffers of lossy priorities, 130944 B, are left out'

# It runs, and its classes are at work: 26 is priority 3, and 8 is 0.
cat >head.yaml <<'END'
stormglass: 1
name: qos
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 3}
  switch: {pfc: {priorities: [3]}, dscp: {8: 0}}
workloads:
  - {name: a, kind: rdma-write, from: host0, to: host2}
  - {name: b, kind: rdma-write, from: host1, to: host2, dscp: 8}
END
cat head.yaml qos.yaml >whole.yaml
"$program" run whole.yaml -o run.db --json >run.json || fail "the run: exit code $?"
for queue in 0 3; do
    sent=$("$program" query --json run.db "SELECT sum(value) AS n FROM v_counter WHERE node GLOB 'host*' AND name = 'tx_prio${queue}_packets'" | gojq '.[0].n')
    [ "$sent" -gt 10 ] || fail "priority $queue sent $sent packets"
done

# changed SED-EXPRESSION LINE
changed() {
    sed "$1" qos.txt >one.txt
    "$program" import mlnx_qos one.txt >qos.yaml 2>notes.txt || fail "$1: exit code $?: $(cat notes.txt)"
    written "$2"
}
changed '/enabled/s/1/0/g' 'pfc: false'
changed '/enabled/s/1/0/g' 'rx-buffer: 229152B'
changed 's/prio:3/prio:4/' 'priority: 4'
changed '/buffer  /d' 'rx-buffer: 130944B'
changed '/prio:/d; s/state: dscp/state: pcp/' 'priority: 0'
told 'one.txt:2:23: note: this device trusts PCP: RoCE without a VLAN tag has priority 0'
changed '1s/^/****** WARNING: lldpad service is running\n/' 'dscp: 26'
told 'one.txt:1:1: note: not understood'
changed 's/bw: 60%/bw: 0%/' 'weight-3: 1'

# refused NAME PLACE WORDS SED-EXPRESSION
refused() {
    sed "$4" qos.txt >"$1.txt"
    within 1 "$program" import mlnx_qos "$1.txt" >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] && grep -F "$1.txt:$2: error:" err.txt | grep -qF "$3" || fail "$1: $(cat err.txt)"
}
refused priority 5:7 'priorities 0 to 7' 's/prio:3/prio:8/'
refused dscp 6:14 'DSCPs 0 to 63' 's/:48/:64/'
refused twice 6:14 'each DSCP once' 's/:48/:31/'
refused short 12:34 '0 or 1' 's/1   1   0   0   0/1   1/'
refused two 12:14 '0 or 1' '/enabled/s/0 /2 /'
refused class 14:5 'a traffic class, 0 to 7' 's/tc: 0/tc: 9/'
refused again 16:6 'each traffic class once' 's/tc: 3/tc: 0/'
refused share 14:43 'a share' 's/40%/400%/'
refused alone 14:14 'a traffic class before' '/^tc: 0/d'
refused sizes 8:30 'eight sizes' 's/130944/99999999999/'
refused nothing 1:1 'expected the output of mlnx_qos' '/enabled/d'
expect 'two files' 2 'expected one file' "$program" import mlnx_qos qos.txt qos.txt

# Commands of nvme-cli and settings of Linux in one scenario: it runs over TCP with both.
field=$OLDPWD/tests/golden/field
cat >head.yaml <<'END'
stormglass: 1
name: hosts
duration: 8ms
fabric: {topology: {kind: single-switch, hosts: 2, nics: 3}}
workloads:
  - {name: io, kind: nvme, from: host1, to: host0, paths: 3, rate: 50000}
END
"$program" import nvme "$field/nvme-connect.sh" >nvme.yaml 2>notes.txt || fail "nvme: exit code $?: $(cat notes.txt)"
"$program" import sysctl - <"$field/sysctl-script.sh" >sysctl.yaml 2>notes.txt || fail "sysctl: exit code $?: $(cat notes.txt)"
{
    cat head.yaml nvme.yaml
    sed '1,/defaults:/d' sysctl.yaml
    echo '  targets: {where: host0, namespaces: [{media: "null"}]}'
} >whole.yaml
"$program" check whole.yaml >check.txt 2>&1 || fail "check: exit code $?: $(cat check.txt)"
grep -q 'no effect' check.txt && fail "an imported setting has no effect: $(cat check.txt)"
"$program" run whole.yaml -o run.db --json >run.json || fail "the run: exit code $?"
for setting in 'tcp.receive-buffer-max 16MiB' 'nvme.queues 16' 'nvme.tcp-data-digest true' 'tcp.sack false'; do
    is=$("$program" query --json run.db "SELECT count(*) AS n FROM setting WHERE path = 'hosts.defaults.${setting% *}' AND value = '${setting#* }'" | gojq '.[0].n')
    [ "$is" -eq 1 ] || fail "the run has not '$setting'"
done
segments=$("$program" query --json run.db "SELECT sum(value) AS n FROM v_counter WHERE node = 'host1' AND name = 'TcpOutSegs'" | gojq '.[0].n')
[ "$segments" -gt 100 ] || fail "host1 sent $segments segments"

# counters --as nstat: import counters reads it, and the hosts' files differ by what the run counted. kind: tcp is tcp-stream.
cat >tcp.yaml <<'END'
stormglass: 1
name: tcp
duration: 500us
fabric:
  topology: {kind: single-switch, hosts: 3}
  overrides: [{where: host2-switch0, mtu: 1500B}]
  host-links: {mtu: 9000B}
workloads:
  - {name: io, kind: tcp, from: [host1, host2], to: host0}
END
"$program" run tcp.yaml -o tcp.db >out.txt 2>&1 || fail "tcp.yaml: exit code $?: $(cat out.txt)"
"$program" counters tcp.db --as nstat --port host0 >after.txt
sed 's/  *[0-9][0-9]*  *0.0$/ 0 0.0/' after.txt >before.txt
"$program" import counters before.txt after.txt >counters.json 2>notes.txt || fail "nstat: exit code $?: $(cat notes.txt)"
counted=$("$program" query --json tcp.db "SELECT value AS n FROM v_counter WHERE node = 'host0' AND name = 'TcpInSegs'" | gojq '.[0].n')
[ "$(gojq '.counters[] | select(.name == "TcpInSegs") | .difference' counters.json)" = "$counted" ] || fail "nstat: not $counted TcpInSegs: $(cat after.txt)"
[ "$("$program" counters tcp.db --as nstat | grep -c '^==> ')" = 3 ] || fail 'nstat: not three hosts'
# counters --as ss: what one end sent, the other received, and the connections sum up to the counters of nstat.
"$program" run tcp-incast -o incast.db >out.txt 2>&1
"$program" counters incast.db --as ss --port host0 >ss.txt || fail "ss: exit code $?"
head -1 ss.txt | grep -qE '^State +Recv-Q Send-Q +Local Address:Port +Peer Address:Port$' || fail "ss: heading: $(head -1 ss.txt)"
[ "$(grep -cE '^ESTAB +[0-9]+ +[0-9]+ +10\.0\.0\.1:[0-9]+ +10\.0\.0\.[0-9]+:5201$' ss.txt)" = 16 ] || fail "ss: not 16 connections: $(cat ss.txt)"
ss_sum() { "$program" counters incast.db --as ss | grep -oE " $1" | awk -F'[:/]' '{ n += $NF } END { print n + 0 }'; }
counter_sum() { "$program" query --json incast.db "SELECT sum(value) AS n FROM v_counter WHERE name = '$1'" | gojq '.[0].n'; }
# The SYN comes before its connection.
[ "$(($(ss_sum 'segs_in:[0-9]+') + 16))" = "$(counter_sum TcpInSegs)" ] || fail "ss: $(ss_sum 'segs_in:[0-9]+') segments, nstat: $(counter_sum TcpInSegs)"
[ "$(ss_sum 'retrans:[0-9]+/[0-9]+')" = "$(counter_sum TcpRetransSegs)" ] || fail "ss: $(ss_sum 'retrans:[0-9]+/[0-9]+') retransmissions"
[ "$(ss_sum 'retrans:[0-9]+/[0-9]+')" -gt 0 ] || fail 'ss: no retransmission'
[ "$("$program" query --json incast.db 'SELECT count(*) AS n FROM tcp_connection a JOIN port p USING(node, port) JOIN port q ON q.ip = a.peer_ip
    JOIN tcp_connection b ON b.node = q.node AND b.peer_ip = p.ip AND b.peer_port = a.local_port
    WHERE a.bytes_received BETWEEN b.bytes_acked AND b.bytes_sent - b.bytes_retrans
    AND a.data_segs_in <= b.data_segs_out' | gojq '.[0].n')" = 32 ] || fail 'ss: the ends differ'
"$program" check tcp.yaml >check.txt 2>&1
grep -q 'host2:p0: .io.: TCP connections have the MSS of its MTU, 1460 B.*9000 send 6.1 times' check.txt || fail "check: no MSS: $(cat check.txt)"
"$program" check tcp.yaml --set 'fabric.overrides[0].mtu=9000B' 2>&1 | grep -q MSS && fail 'check: an MSS with equal MTUs'

# In the folder of an incident these files are named, and none is read as counters.
mkdir incident
cp "$field"/{sysctl-tuned.conf,nvme-connect.sh,nvme-config.json} incident
cp after.txt incident/host0-after.txt
"$program" incident incident >out.txt 2>&1
for words in 'sysctl-tuned.conf: 1 host configuration' 'nvme-connect.sh: 1 host configuration' 'nvme-config.json: 1 host configuration'; do
    grep -qF "$words" out.txt || fail "incident: no '$words' in $(cat out.txt)"
done

[ "$failures" -eq 0 ]
