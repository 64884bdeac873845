#!/bin/bash
# fibre-channel - goodput, credits, losses and captures of Fibre Channel by hand.   SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/laws/fibre-channel.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure JQ-EXPRESSION SETTING...
measure() { measure_of $file "$@"; }
isl=fabric.topology.links.1
long=(duration=200ms)
goodput='.workloads[0].goodput_bps / 8e6'

# A frame of 2048 B takes 2048 + 36 + 24 B: 620 ns of 32GFC. A cable of 10 us/km (the model: 10.1) and one NVMe_RSP for each 64 frames
# of data lower the rate by 2.5 %. MB/s = min(1, C T / (RTT + 2 T)) 2048 B / T; the switch has no latency.
by_credits() { # by_credits KM CREDITS
    awk -v km="$1" -v c="$2" 'BEGIN { t = 2108 * 8 / 27.2; r = c * t / (10000 * km + 2 * t); print (r < 1 ? r : 1) * 2048 / t * 1000 }'
}
for case in 10:8 10:40 10:160 1:16 1:8; do
    near "goodput, ${case%:*} km, ${case#*:} credits, MB/s" \
        "$(measure "$goodput" "${long[@]}" $isl.length=${case%:*}km $isl.bb-credit=${case#*:} fabric.switch.latency=0ns)" \
        "$(by_credits ${case%:*} ${case#*:})" 3
done
# A credit is a frame of any size: half of the data in each frame is half of the rate.
near 'goodput, 10 km, 40 credits, frames of 1024 B, MB/s' \
    "$(measure "$goodput" "${long[@]}" $isl.bb-credit=40 fabric.host-links.mtu=1024B fabric.fabric-links.mtu=1024B)" \
    "$(awk -v m="$(by_credits 10 40)" 'BEGIN { print m / 2 }')" 4

# Its causes are tested with the default of Fibre Channel for the data field, 2048 B, not with that of Ethernet.
"$program" run $file --set duration=20ms --set $isl.bb-credit=40 --set fabric.host-links.mtu=1024B \
    --set fabric.fabric-links.mtu=1024B 2>&1 >/dev/null | grep . && failures=$((failures + 1))

# Rates by name: the line less its coding, 2048 of 2108 B. Enough credits, a short ISL.
near_isl=($isl.length=10m $isl.bb-credit=100 "${long[@]}" workloads.read.queue-depth=64 hosts.targets.namespaces.0.media=null)
for pair in 8GFC:6.8 16GFC:13.6 32GFC:27.2 64GFC:54.4; do
    near "goodput of ${pair%:*}, Gb/s" \
        "$(measure '.workloads[0].goodput_bps / 1e9' "${near_isl[@]}" duration=30ms fabric.host-links.rate=${pair%:*} \
            fabric.fabric-links.rate=${pair%:*})" \
        "$(awk -v r="${pair#*:}" 'BEGIN { print r * 2048 / 2108 }')" 1.5
done

# One more frame of data is 620 ns more; a write needs one more round trip than a read: an NVMe_XFER_RDY of 48 B and a frame of data.
alone=(workloads.read.queue-depth=1 $isl.length=10m duration=3ms hosts.targets.namespaces.0.media=null)
least='.workloads[0].latency_ns.min'
small=$(measure "$least" "${alone[@]}" workloads.read.block-size=4KiB)
large=$(measure "$least" "${alone[@]}" workloads.read.block-size=64KiB)
near '30 more frames of a read, ns' "$(awk -v a="$small" -v b="$large" 'BEGIN { print b - a }')" \
    "$(awk 'BEGIN { print 30 * 2108 * 8 / 27.2 }')" 0.5
write=$(measure "$least" "${alone[@]}" workloads.read.block-size=4KiB workloads.read.read=0%)
# Ready: the data of a read cross with its response, those of a write with the NVMe_XFER_RDY before them. 300 ns at each port, 900 ns
# in each switch; three links; each switch stores frames.
near 'a write is longer than a read by, ns' "$(awk -v a="$small" -v b="$write" 'BEGIN { print b - a }')" \
    "$(awk 'BEGIN { word = 8 / 27.2; print 2 * (600 + 2 * 900 + 15.15 * 2 + 50.5) + 3 * 48 * word }')" 15

# A read of 32 frames with 8 credits over 10 km waits four times until the credit of the frame eight before it returns: 2 T + 101 us
# after that frame began, of which 8 T are used. The response arrives at the ISL 23 T after the first wait began.
parts() { "$program" run $file --waits --json --confirm 0 "${@/#/--set=}" 2>/dev/null | gojq -r '.workloads[0].waits.read | .count as $n | .parts_ps | [.paused / $n / 1e6, .untraced] | join(" ")'; }
read -r paused untraced <<<"$(parts workloads.read.queue-depth=1 workloads.read.block-size=64KiB $isl.bb-credit=8 fabric.switch.latency=0ns)"
near 'wait for credits of a read, us' "$paused" "$(awk 'BEGIN { t = 2.108 * 8 / 27.2; print 4 * (101 - 6 * t) - 23 * t }')" 0.5
near 'time of a read without a place, ps' "$untraced" 0 0

# check computes the same from the settings: 8 credits of 20 km, and how many restore the rate.
far=($isl.length=20km $isl.bb-credit=8)
"$program" check $file "${far[@]/#/--set=}" >"$work/said"
near 'share of the rate that check predicts, %' "$(sed -n 's/.*peer reaches \([0-9]*\)%.*/\1/p' "$work/said" | head -1)" \
    "$(awk -v m="$(measure "$goodput" "${long[@]}" "${far[@]}")" 'BEGIN { print m / 3303 * 100 }')" 20
enough=$(sed -n 's/.*raise bb-credit to \([0-9]*\).*/\1/p' "$work/said" | head -1)
near "goodput with the $enough credits of its remedy, MB/s" \
    "$(measure "$goodput" "${long[@]}" $isl.length=20km $isl.bb-credit="$enough" workloads.read.queue-depth=128)" 3303 4
# Judged by a rerun, they are the cause.
within 'cause of the harm' "$("$program" run $file "${far[@]/#/--set=}" --json 2>/dev/null | gojq -r '.causes[0].sentence, .causes[0].confirmed' | paste -sd ' ')" '/bb-credit/ && /true$/'

# Lost R_RDYs use up the credits of the ISL; a link reset after 100 ms restores them. With checkpoints every 4 frames nothing stops.
lost=('faults=[{at: 5ms, for: 5ms, kind: drop-every, where: "link switch0-switch1", n: 20, frames: resume}]' duration=300ms
    $isl.bb-credit=16 $isl.length=100m)
stop='.workloads[0].latency_ns.max / 1e6'
near 'longest command with lost R_RDYs, ms' "$(measure "$stop" "${lost[@]}")" 100 12
"$program" run $file "${lost[@]/#/--set=}" -q -o "$work/lost.db" >"$work/said" 2>&1
near 'link resets in the events' "$("$program" query --csv "$work/lost.db" "SELECT count(*) FROM note WHERE text LIKE '%link reset (LR) by%'" | tail -1)" 2 0
# The same under the names of Brocade and Cisco: the port of the ISL that sends the data, and the target behind it.
counted() { "$program" counters "$work/lost.db" --port "$1" --as "$2" | awk -v name="$3" 'index($0, name) { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) { print $i; exit } }'; }
for pair in switch1:p1-switch0:p1 host1:p0-switch1:p0; do
    port=${pair%-*}
    near "$pair: link resets sent and received, FOS" "$(counted "$port" fos Lr_out)$(counted "${pair#*-}" fos Lr_in)" 11 0
    near "$port: time without credits, FOS and NX-OS" "$(counted "$port" fos tim_txcrd_z)" "$(counted "$port" nx-os TxWait)" 0
    near "$port: time without credits, ms" "$(awk -v t="$(counted "$port" fos tim_txcrd_z)" 'BEGIN { print t * 0.0025 }')" 100 1
done
within 'the same with checkpoints, ms' "$(measure "$stop" "${lost[@]}" $isl.bb-sc-n=2)" '$1 < 20'
within 'commands that fail' "$(measure '.workloads[0].failed' "${lost[@]}")" '$1 == 0'

# A host that returns no credits from 5 ms on: its switch discards the frames for it 220 ms after they arrived, and counts them under
# the names of Brocade at the port to the host and at the ISL by which they came.
stuck=('faults=[{at: 5ms, for: 300ms, kind: slow-receiver, where: host0, drain: 1ppm}]' duration=300ms $isl.length=10m
    hosts.defaults.nvme.io-timeout=1s)
"$program" run $file "${stuck[@]/#/--set=}" -q -o "$work/stuck.db" >"$work/said" 2>&1
first() { "$program" query --csv "$work/stuck.db" "SELECT min(first_ps) / 1e9 FROM dropped WHERE cause = 'lifetime'" | tail -1; }
near 'first frame discarded after 5 ms and the hold time, ms' "$(first)" 225 0.5
c3_timeouts() { "$program" counters "$work/stuck.db" --port "$1" --as fos | awk -v name="$2" '$1 == name { print $2 }'; }
within 'frames discarded at the ISL and at the host' "$(c3_timeouts switch0:p0 er_tx_c3_timeout) $(c3_timeouts switch0:p1 er_rx_c3_timeout)" '$1 > 10 && $1 == $2'
within 'the same with no hold time' "$(measure '.drops.lifetime' "${stuck[@]}" fabric.switch.edge-hold-time=0ms)" '$1 == 0'

# A lost frame ends the association: the host connects again after reconnect-delay, and no command is lost.
within 'reconnects after lost frames' \
    "$(measure '[.workloads[0].failed, .workloads[0].completed, .drops.injected] | join(" ")' duration=200ms $isl.length=10m \
        'faults=[{at: 5ms, for: 20ms, kind: drop-every, where: "host1-switch1", n: 5000, frames: data}]' \
        hosts.defaults.nvme.reconnect-delay=10ms hosts.defaults.nvme.io-timeout=50ms)" '$1 == 0 && $2 > 1000 && $3 > 0'

# To tshark each frame is one of Fibre Channel with a good CRC, none is malformed, and each command has its response.
if command -v tshark >"$work/which"; then
    "$program" run $file --set workloads.read.count=100 --set $isl.length=10m -o "$work/run.db" --record packets >"$work/said" 2>&1
    "$program" pcap "$work/run.db" -o "$work/run.pcapng" >>"$work/said" 2>&1 || cat "$work/said"
    count() { tshark -r "$work/run.pcapng" -Y "$1" 2>>"$work/said" | wc -l; }
    all=$(count frame)
    within 'frames of the capture' "$all" '$1 >= 1000'
    near 'frames with SOF and EOF of class 3' "$(count 'fc.sof in {0xbcb55656, 0xbcb53636} && fc.eof in {0xbc957575, 0xbc95d5d5}')" "$all" 0
    near 'malformed frames' "$(count '_ws.malformed')" 0 0
    near 'wrong CRCs' "$(count 'fc.crc.status == 0')" 0 0
    exchanges() { tshark -r "$work/run.pcapng" -Y "$1" -T fields -e fc.ox_id 2>>"$work/said" | sort | uniq; }
    near 'responses without a command' \
        "$(comm -13 <(exchanges 'fc.r_ctl == 0x06') <(exchanges 'fc.r_ctl == 0x07 || fc.r_ctl == 0x08') | wc -l)" 0 0
    # One is the Asynchronous Event Request, which is outstanding at the end.
    near 'commands without a response' \
        "$(comm -23 <(exchanges 'fc.r_ctl == 0x06') <(exchanges 'fc.r_ctl == 0x07 || fc.r_ctl == 0x08') | wc -l)" 1 0
fi
[ $failures = 0 ]
