#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare --wire: what is a machine's own is no difference, what a protocol says is one, and no capture is a message.
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

capture() { # NAME [--set PATH=VALUE...]: first-io as a capture
    local name=$1
    shift
    "$program" run --confirm 0 "${scenario:-first-io}" --record packets -o "$work/run.db" --set workloads.read.pattern=sequential \
        --set workloads.write.pattern=sequential --set hosts.defaults.rnic.ack-coalescing=false "$@" >/dev/null 2>&1
    "$program" pcap "$work/run.db" -o "$work/$name.pcapng" || failures=$((failures + 1))
}

compared() { # A B: the exit code; what was said is in $work/said
    (ulimit -St 20 && exec "$program" compare --wire "$work/$1" "$work/$2" >"$work/said" 2>"$work/error")
    echo $?
}

# Another seed: other QPNs, keys, first PSNs and identifiers.  A slow link: other times.
capture one
capture seed --seed 7
capture slow --set fabric.host-links.rate=1Gbps
# The first packet of each side follows the PSN that the other side gave it in REQ or REP.
equal 'first PSNs' "$("$program" compare --wire "$work/one.pcapng" | awk '$3 != "cm" && !seen[$1 $2 $3]++ { print $3, $5, $6 }' |
    sort | uniq -c | xargs)" '8 answers psn +1 8 requests psn +1'
equal 'with itself' "$(compared one.pcapng one.pcapng)" 0
equal 'with another seed' "$(compared one.pcapng seed.pcapng)" 0
equal 'and the bytes differ' "$(cmp -s "$work/one.pcapng" "$work/seed.pcapng"; echo $?)" 1
equal 'on a slow link' "$(compared one.pcapng slow.pcapng)" 0

# Who connects first is timing: with the two workloads the other way round the frames are the same.
awk '/^  - {name: read/ { read = $0; next } { print } /^  - {name: write/ { print read }' scenarios/cases/first-io.yaml \
    >"$work/turned.yaml"
scenario=$work/turned.yaml capture turned
first() { "$program" compare --wire "$work/$1" | grep -o 'Read 02\|Write 01' | head -n 1; }
equal 'another workload is first' "$(first one.pcapng), $(first turned.pcapng)" 'Read 02, Write 01'
equal 'and partners are found by their frames' "$(compared one.pcapng turned.pcapng)" 0

# One setting each, and the place where it shows.
parts() { # NAME WORDS SETTING...
    local name=$1 words=$2
    shift 2
    capture other "$@"
    equal "$name" "$(compared one.pcapng other.pcapng) $(grep -c "First difference: .*$words" "$work/said")" '1 1'
}
parts 'path MTU' 'connection 1, host cm, frame 1:' --set hosts.defaults.rnic.path-mtu=1024B
parts 'plain keys' 'connection 1, host requests, frame 1:' --set hosts.defaults.nvme.sgl-invalidate=false
parts 'no data in capsules' 'target cm, frame\|host requests, frame' --set hosts.defaults.nvme.in-capsule=false
parts 'block size' 'host requests' --set workloads.read.block-size=8KiB
parts 'DSCP' 'host cm, frame 1:' --set hosts.defaults.rnic.dscp=10
equal 'which is said' "$(grep -c '^  > .* dscp 10$' "$work/said"), $(grep -c '^  < .* dscp 26$' "$work/said")" '3, 3'
parts 'DSCP of what is accepted' 'target cm, frame 1:' --set hosts.defaults.rnic.accept-dscp=10
parts 'ECN' 'requests, frame 1:' --set hosts.defaults.rnic.congestion-control=dcqcn
parts 'MigReq' 'requests, frame 1:' --set hosts.defaults.rnic.migreq=false
parts 'ACK delay' 'target cm, frame 1:' --set hosts.defaults.rnic.ca-ack-delay=15
parts 'size of a namespace' 'target requests' --set hosts.targets.namespaces.0.size=2GiB
equal 'and where in the page' "$(grep -c '^  < .* data 3=80 11=80 19=80 ' "$work/said"), $(grep -c '^  > .* data 2=40 10=40 18=40 ' "$work/said")" '2, 2'
equal 'what is left out is said' "$(grep -c -e 'UDP source ports' -e 'names of subsystems' -e 'data of I/O' "$work/said")" 3
equal 'in JSON too' "$("$program" compare --wire --json "$work/one.pcapng" "$work/other.pcapng" |
    gojq -c '[(.not_compared | index("UDP source ports") != null), (.not_compared | index(null)), .ends_apart]')" '[true,null,[0,0]]'
equal 'and in the manual' "$(sed -n 's/^[LP ].*"\(.*\)")$/\1/p' reports/wire/wire_left_out.def |
    while read -r text; do tr '\n' ' ' <docs/man/stormglass-compare.1 | grep -q -F -e "$text" || echo "$text"; done)" ''
capture more --set workloads.read.count=2
equal 'one command more' "$(compared one.pcapng more.pcapng) $(grep -c '<  *end' "$work/said")" '1 1'
equal 'JSON says so' "$("$program" compare --wire --json "$work/one.pcapng" "$work/more.pcapng" |
    gojq -c '[.equal, .captures[0].connections, ([.streams[] | select(.parts)] | length), .streams_parted]')" '[false,4,4,4]'

# PDUs that a capture does not have are not equal to anything, not even to themselves.
capture tcp --set workloads.read.transport=tcp --set workloads.write.transport=tcp
equal 'TCP with itself' "$(compared tcp.pcapng tcp.pcapng)" 0
"$program" pcap "$work/run.db" --snap 100 -o "$work/short.pcapng"
equal 'truncated PDU headers' "$(compared short.pcapng short.pcapng) $(grep -c 'not compared from frame' "$work/said")" '1 16'
equal 'in JSON, too' "$("$program" compare --wire --json "$work/short.pcapng" "$work/tcp.pcapng" |
    gojq -c '[.equal, (.captures[] | .lost | length), .captures[0].lost[0].connection]')" '[false,8,0,1]'
equal 'in CSV, too' "$("$program" compare --wire --csv "$work/short.pcapng" "$work/tcp.pcapng" | grep -c 'frame [0-9]*: ')" 12

# A capture that ends early parts where it ends; one that begins late has no connection to compare.
head -c 8000 "$work/one.pcapng" >"$work/cut.pcapng"
equal 'cut within a frame' "$(compared cut.pcapng one.pcapng) $(grep -c 'note: .*cut.pcapng: the file ends within frame [0-9]*: read up to there' "$work/error")" '1 1'
equal 'no capture' "$(cp tests/golden/compare-wire.sh "$work/text"; compared text one.pcapng)" 2
equal 'which is said' "$(grep -c 'text: expected a pcap or pcapng file' "$work/error")" 1
equal 'no such file' "$(compared none one.pcapng)" 2
printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0' >"$work/empty.pcap"
equal 'no frames' "$(compared empty.pcap one.pcapng) $(grep -c 'no CM REQ' "$work/error")" '2 1'
printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x69\0\0\0' >"$work/wifi.pcap"
equal 'not of Ethernet' "$(compared wifi.pcap one.pcapng) $(grep -c 'link type 105 (IEEE802_11) is not understood' "$work/error")" '2 1'
for sample in tests/fuzz/corpus/capture/*; do
    cp "$sample" "$work/sample"
    code=$(compared sample one.pcapng)
    case $code in 0 | 1 | 2) ;; *) echo "FAIL  $sample: $code"; failures=$((failures + 1)) ;; esac
done
[ "$failures" -eq 0 ]
