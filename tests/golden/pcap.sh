#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Captures against other people's eyes: tshark decodes every frame and matches commands to completions, scapy
# computes the same invariant CRC.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

. tests/captured
. tests/turn

# The invariant CRC of each frame, by zlib; of every seventieth scapy says the same.
cat >"$work/icrc.py" <<'PY'
import sys, zlib
from scapy.all import RawPcapNgReader, Ether
from scapy.contrib.roce import BTH
def icrc(data): # without Ethernet's header; what switches may change counts as ones: TOS, TTL, checksums, the ECN bits
    ip = bytearray(data[14:-4])
    for changes in (1, 8, 10, 11, 26, 27, 32):
        ip[changes] = 0xff
    return zlib.crc32(b"\xff" * 8 + bytes(ip)).to_bytes(4, "little")
wrong = seen = 0
for i, (data, _) in enumerate(RawPcapNgReader(sys.argv[1])):
    if data[12:14] == b"\x08\0" and data[23] == 17 and data[36:38] == b"\x12\xb7":
        seen += 1
        wrong += icrc(data) != data[-4:]
        if i % 70 == 0: # scapy takes its time
            wrong += Ether(data)[BTH].compute_icrc(data[42:-4]) != data[-4:]
print(wrong if seen else "none seen")
PY

# The storm begins early: of each kind of frame some.
for case in first-io 'pause-storm --set faults.0.at=300us --until 600us' 'mtu-mismatch --until 3300us'; do
    # shellcheck disable=SC2086
    set -- $case
    case=$1
    "$program" run --confirm 0 "$@" --record packets -o "$work/$case.db" >/dev/null 2>&1
    "$program" pcap "$work/$case.db" -o "$work/$case.pcapng" || failures=$((failures + 1))
    sent=$("$program" query --json "$work/$case.db" \
        "SELECT count(*) AS n FROM frame JOIN node USING(node) WHERE kind='host'" | gojq '.[0].n')
    [ "$sent" -gt 0 ] || { echo "FAIL  $case: no frames"; failures=$((failures + 1)); }
    fields "$case" frame frame.number _ws.malformed >"$work/frames"
    equal "$case: frames in the file" "$(wc -l <"$work/frames")" "$sent"
    equal "$case: malformed" "$(cut -f 2 "$work/frames" | grep -c .)" 0
    equal "$case: frames whose ICRC zlib and scapy find wrong" \
        "$(/usr/bin/python3 "$work/icrc.py" "$work/$case.pcapng" 2>/dev/null)" 0
done

# Every command of first-io has its completion, and tshark's latency is the one between the frames.
# (An Asynchronous Event Request, 0x0c, waits for an event.)
commands=$(fields first-io 'nvme.cmd.opc && nvme.cmd.opc != 0x0c' frame.number | wc -l)
equal 'first-io: commands have completions' "$(fields first-io 'nvme.cmd_pkt' nvme.cmd_pkt | sort -u | wc -l)" "$commands"
[ "$commands" -gt 20 ] || { echo "FAIL  only $commands commands"; failures=$((failures + 1)); }

# At a switch's port PFC frames are seen, with their class and time.
"$program" pcap "$work/pause-storm.db" -p leaf0:p0 -o "$work/port.pcapng"
pauses=$("$program" query --json "$work/pause-storm.db" "SELECT count(*) AS n FROM frame f JOIN port p USING(node, port)
    WHERE f.opcode='PFC' AND (p.name='leaf0:p0' OR p.name='host0:p0')" | gojq '.[0].n')
fields port 'macc.opcode == 0x0101' frame.number macc.cbfc.pause_time.c3 >"$work/pauses"
equal 'pause-storm: PFC frames at leaf0:p0' "$(wc -l <"$work/pauses")" "$pauses"
equal 'pause-storm: XOFF of priority 3 there' "$(cut -f 2 "$work/pauses" | grep -x -m 1 -c '65535')" 1

# Byte by byte but for the sender's address: IEEE 802.3 annex 31D, 60 bytes without FCS, only class 3 enabled.
equal 'pause-storm: bytes of XOFF and XON' "$(tshark -n -r "$work/port.pcapng" -Y 'macc.opcode == 0x0101' -w - -F pcap 2>/dev/null |
    /usr/bin/python3 -c '
import struct, sys
data, at, seen = sys.stdin.buffer.read(), 24, set()
while at < len(data):
    kept, = struct.unpack_from("<I", data, at + 8)
    frame = data[at + 16:at + 16 + kept]
    seen.add(frame[:6].hex() + " " + frame[12:].hex())
    at += 16 + kept
print("\n".join(sorted(seen)))')" "$(for quanta in 0000 ffff; do
    printf '0180c2000001 8808%s0008000000000000%s%068d\n' 0101 "$quanta" 0
done)"

# What cannot be written is said, and leaves nothing.
"$program" run --confirm 0 first-io -o "$work/plain.db" >/dev/null 2>&1
"$program" pcap "$work/plain.db" -o "$work/none.pcapng" 2>"$work/said"
equal 'a run without frames' "$?" 2
equal 'and nothing is left' "$(find "$work" -name 'none*' | wc -l)" 0
"$program" pcap "$work/first-io.db" -p leaf9:p0 -o "$work/none.pcapng" 2>"$work/said"
equal 'a port that is not there' "$?" 2
"$program" pcap "$work/first-io.db" -p switch0:p0 -p switch0:p0 -o "$work/none.pcapng" 2>"$work/said"
equal 'a port twice' "$? $(grep -c 'port given twice$' "$work/said")" '2 1'

# Accurate ECN: the flag AE, and the option of kind 174 in every segment but the SYNs that open a connection.
tcp=hosts.defaults.tcp
"$program" run --confirm 0 tcp-incast --until 5ms --set $tcp.congestion-control=dctcp --set $tcp.ecn=accurate \
    --set fabric.switch.ecn.kmin=40KB --set fabric.switch.ecn.kmax=40KB --set 'expect=[]' --record packets -o "$work/accurate.db" >/dev/null 2>&1
"$program" pcap "$work/accurate.db" -o "$work/accurate.pcapng" || failures=$((failures + 1))
fields accurate tcp frame.number _ws.malformed >"$work/frames"
[ "$(wc -l <"$work/frames")" -gt 1000 ] || { echo "FAIL  accurate ECN: $(wc -l <"$work/frames") segments"; failures=$((failures + 1)); }
equal 'accurate ECN: malformed' "$(cut -f 2 "$work/frames" | grep -c .)" 0
equal 'accurate ECN: AE, CWR and ECE of SYNs, ECN field' \
    "$(fields accurate 'tcp.flags.syn == 1 && tcp.flags.ack == 0' tcp.flags.ae tcp.flags.cwr tcp.flags.ece ip.dsfield.ecn | sort -u | tr '\t' ' ')" '1 1 1 2'
equal 'accurate ECN: those of SYN/ACKs' \
    "$(fields accurate 'tcp.flags.syn == 1 && tcp.flags.ack == 1' tcp.flags.ae tcp.flags.cwr tcp.flags.ece ip.dsfield.ecn | sort -u | tr '\t' ' ')" '1 0 0 2'
equal 'accurate ECN: segments without the option' "$(fields accurate 'tcp.flags.ack == 1 && !(tcp.option_kind == 174)' frame.number | wc -l)" 0
equal 'accurate ECN: payload of full segments' "$(fields accurate 'tcp' tcp.len | sort -n | tail -1)" 1436
equal 'accurate ECN: values of ACE' "$(fields accurate 'tcp.flags.syn == 0' tcp.flags.ace | sort -u | wc -l)" 8

# Each congestion control and each recovery from loss: telemetry and NAKs of selective repeat are no damage.
captured() { # NAME SETTING
    "$program" run --confirm 0 incast-8to1 --until 60us --set "hosts.defaults.rnic.$2" --set 'expect=[]' \
        --set 'faults=[{kind: drop-every, where: "host1:p0", n: 7, frames: data, at: 0s}]' --record packets -o "$work/$1.db" >/dev/null 2>&1
    "$program" pcap "$work/$1.db" -o "$work/$1.pcapng"
    equal "$2: exit code" "$?" 0
    fields "$1" frame frame.number _ws.malformed >"$work/frames"
    [ "$(wc -l <"$work/frames")" -gt 100 ] || { echo "FAIL  $2: $(wc -l <"$work/frames") frames"; failures=$((failures + 1)); }
    equal "$2: malformed" "$(cut -f 2 "$work/frames" | grep -c .)" 0
    equal "$2: frames whose ICRC zlib and scapy find wrong" "$(/usr/bin/python3 "$work/icrc.py" "$work/$1.pcapng" 2>/dev/null)" 0
}
"$program" list congestion-controls | sed 's/ .*//' >"$work/controls"
# ibcc marks on InfiniBand only: tests/laws/infiniband.sh
grep -v '^ibcc$' "$work/controls" >"$work/ethernet"
# One in three of each commit; ALL=1: all.
number=0
while read -r control; do ! in_turn $((number++)) 3 || captured "$control" "congestion-control=$control"; done <"$work/ethernet"
for recovery in go-back-n go-back-0 selective-repeat; do ! in_turn $((number++)) 3 || captured "$recovery" "loss-recovery=$recovery"; done
[ "$(wc -l <"$work/controls")" -ge 9 ] || { echo "FAIL  congestion controls: $(cat "$work/controls")"; failures=$((failures + 1)); }
[ "$failures" -eq 0 ]
