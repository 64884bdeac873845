#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Captures against other people's eyes: tshark decodes every frame and matches commands to completions, scapy
# computes the same invariant CRC.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then
        echo "ok    $1: $2"
    else
        echo "FAIL  $1: got '$2', expected '$3'"
        failures=$((failures + 1))
    fi
}

fields() { # FILTER FIELD...
    local filter=$1
    shift
    # shellcheck disable=SC2068
    tshark -n -r "$work/run.pcapng" -Y "$filter" -T fields ${@/#/-e } 2>/dev/null
}

for case in first-io pause-storm mtu-mismatch; do
    "$program" run "$case" --until 3300us --record packets -o "$work/run.db" >/dev/null 2>&1
    "$program" pcap "$work/run.db" -o "$work/run.pcapng" || failures=$((failures + 1))
    sent=$("$program" query --json "$work/run.db" \
        "SELECT count(*) AS n FROM frame JOIN node USING(node) WHERE kind='host'" | jq '.[0].n')
    equal "$case: frames in the file" "$(fields frame frame.number | wc -l)" "$sent"
    equal "$case: malformed" "$(fields '_ws.malformed' frame.number | wc -l)" 0
    equal "$case: frames whose ICRC scapy finds wrong" "$(/usr/bin/python3 - "$work/run.pcapng" 2>/dev/null <<'PY'
import sys
from scapy.all import RawPcapNgReader, Ether, raw
from scapy.contrib.roce import BTH
wrong = seen = 0
for i, (data, _) in enumerate(RawPcapNgReader(sys.argv[1])):
    if i % 7:  # scapy takes its time
        continue
    packet = Ether(data)
    if BTH in packet:
        seen += 1
        wrong += packet[BTH].compute_icrc(data[42:-4]) != data[-4:]
print(wrong if seen else "none seen")
PY
)" 0
done

# Every command of first-io has its completion, and tshark's latency is the one between the frames.
"$program" run first-io --record packets -o "$work/run.db" >/dev/null 2>&1
"$program" pcap "$work/run.db" -o "$work/run.pcapng"
# (An Asynchronous Event Request, 0x0c, waits for an event.)
commands=$(fields 'nvme.cmd.opc && nvme.cmd.opc != 0x0c' frame.number | wc -l)
equal 'first-io: commands have completions' "$(fields 'nvme.cmd_pkt' nvme.cmd_pkt | sort -u | wc -l)" "$commands"
[ "$commands" -gt 20 ] || { echo "FAIL  only $commands commands"; failures=$((failures + 1)); }

# At a switch's port PFC frames are seen, with their class and time.
"$program" run pause-storm --until 3300us --record packets -o "$work/run.db" >/dev/null 2>&1
"$program" pcap "$work/run.db" -p leaf0:p0 -o "$work/run.pcapng"
pauses=$("$program" query --json "$work/run.db" "SELECT count(*) AS n FROM frame f JOIN port p USING(node, port)
    WHERE f.opcode='PFC' AND (p.name='leaf0:p0' OR p.name='host0:p0')" | jq '.[0].n')
equal 'pause-storm: PFC frames at leaf0:p0' "$(fields 'macc.opcode == 0x0101' frame.number | wc -l)" "$pauses"
equal 'pause-storm: XOFF of priority 3 there' \
    "$(fields 'macc.cbfc.pause_time.c3 == 65535' frame.number | head -n 1 | wc -l)" 1

# What cannot be written is said, and leaves nothing.
"$program" run first-io -o "$work/plain.db" >/dev/null 2>&1
"$program" pcap "$work/plain.db" -o "$work/none.pcapng" 2>"$work/said"
equal 'a run without frames' "$?" 2
equal 'and nothing is left' "$(find "$work" -name 'none*' | wc -l)" 0
"$program" pcap "$work/run.db" -p leaf9:p0 -o "$work/none.pcapng" 2>"$work/said"
equal 'a port that is not there' "$?" 2
[ "$failures" -eq 0 ]
