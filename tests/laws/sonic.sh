#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The checks of SONiC's public RoCEv2 test plan (sonic-mgmt pull requests 23240, 25347, 27040, 27207, 7025) with their
# pass criteria: what the tester reads off hosts and off the switch's queue counters, read off the run's record.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# play SCENARIO [OPTION...]: leaves $work/run.json and $work/run.db; the run's exit code must be $known_code
known_code=0
play() {
    local scenario=$1 code=0
    shift
    rm -f "$work"/run.*
    "$program" run --confirm 0 "tests/validation/$scenario.yaml" --json -o "$work/run.db" "$@" >"$work/run.json" \
        2>"$work/run.err" || code=$?
    [ "$code" -eq "$known_code" ] && return
    echo "FAIL  $scenario $*: exit code $code"
    gojq -r '.expectations[] | select(.held | not) | .text' "$work/run.json"
    cat "$work/run.err"
    failures=$((failures + 1))
}

# holds TEXT CONDITION: a condition of gojq on the summary
holds() {
    if gojq -e "$2" "$work/run.json" >/dev/null; then
        echo "ok    $1"
    else
        echo "FAIL  $1: $(gojq -c '{drops, pfc, ecn, rnic, workloads: [.workloads[] | {name, completed, failed, unfinished}]}' "$work/run.json")"
        failures=$((failures + 1))
    fi
}

# counters NODES NAME: the sum of a counter over the nodes whose name begins so, from the view of counters
counters() {
    "$program" query --json "$work/run.db" \
        "SELECT coalesce(sum(value), 0) AS n FROM v_counter WHERE node GLOB '$1*' AND name = '$2'" | gojq '.[0].n'
}

# same TEXT A B: equal, and not 0
same() {
    if [ "$2" -eq "$3" ] && [ "$2" -gt 0 ]; then
        echo "ok    $1: $2"
    else
        echo "FAIL  $1: $2 and $3"
        failures=$((failures + 1))
    fi
}

# Of all operations in lossless queues none failed, and none of their frames was lost or refused.
lossless() { # TEXT NAMES
    holds "$1: lossless: no message fails, no frame is lost" \
        ".drops.lossless == 0 and ([.workloads[] | select(.name | test(\"$2\")) | .failed + .unfinished] | add) == 0"
}

ack_queue() { # TEXT
    same "$1: ACKs and NAKs are what queue 6 sent" $(($(counters host acks_sent) + $(counters host packet_seq_err))) \
        "$(counters switch tx_prio6_packets)"
}

# TC1: six classes without congestion.
play tc1-no-congestion
lossless TC1 .
holds 'TC1: no NAK, nothing sent twice, no CE, no CNP, no PFC' \
    '.rnic.naks + .rnic.retransmitted_packets + .ecn.marked + .ecn.cnps + .pfc.pause_frames == 0'
ack_queue TC1
for queue in 0 1 2 3 4 7; do
    same "TC1: what the hosts sent in queue $queue the switch sent on" \
        "$(counters host tx_prio${queue}_packets)" "$(counters switch tx_prio${queue}_packets)"
done

# TC2: incast, PFC alone.
# shares WEIGHTS: the rates at the egress port between 1 and 5 ms follow the weights within 1 % of the line
shares() {
    "$program" query --json "$work/run.db" "SELECT f.priority AS queue, sum(f.bytes + 20) * 8 / 4e6 AS percent
        FROM frame f JOIN node n USING(node) WHERE n.name = 'switch0' AND f.port = 3 AND f.at_ps >= 1e9 AND f.at_ps < 5e9
        GROUP BY f.priority" >"$work/rates"
    if gojq -e --argjson known "$2" '. as $got | $known | to_entries | all(. as $k |
        any($got[]; (.queue | tostring) == $k.key and (.percent - $k.value | fabs) < 1))' "$work/rates" >/dev/null; then
        echo "ok    $1: rates follow the weights"
    else
        echo "FAIL  $1: rates $(gojq -c . "$work/rates"), known $2"
        failures=$((failures + 1))
    fi
}

incast() { # TEXT LOSSLESS-NAMES SHARES OPTION...
    local text=$1 names=$2 known=$3
    shift 3
    play tc2-incast --record packets "$@"
    lossless "$text" "$names"
    holds "$text: PFC at work, nothing marked" '.pfc.pause_frames > 100 and .ecn.marked == 0'
    ack_queue "$text"
    shares "$text" "$known"
}
small=(--set workloads.0.message-size=4KB --set workloads.0.outstanding=512
    --set workloads.1.message-size=4KB --set workloads.1.outstanding=512)
incast 'TC2 q3' . '{"3": 100}' --set workloads.1.dscp=3 --set workloads.2.dscp=3 --set workloads.3.dscp=3
holds 'TC2 q3: no NAK' '.rnic.naks == 0'
incast 'TC2 q3+q4' . '{"3": 66.67, "4": 33.33}' --set workloads.2.dscp=3 --set workloads.3.dscp=4
holds 'TC2 q3+q4: no NAK' '.rnic.naks == 0'
incast 'TC2 mixed, 128 KB' '[ab]' '{"0": 20, "1": 20, "3": 40, "4": 20}'
holds 'TC2 mixed, 128 KB: lossy queues lose' '.drops.lossy > 0'
incast 'TC2 mixed, 4 KB' '[ab]' '{"0": 20, "1": 20, "3": 40, "4": 20}' "${small[@]}"
same 'TC2 mixed: NAKs of the lossy queues only' "$(counters host2 packet_seq_err)" "$(counters host packet_seq_err)"

# calmer TEXT: PFC frames are at most a tenth of what they are without DCQCN, $without
calmer() {
    holds "$1: little PFC, without DCQCN $without" ".pfc.pause_frames * 10 <= $without"
}

# TC3: DCQCN.
play tc3-dcqcn --set hosts.defaults.rnic.congestion-control=none
without=$(gojq .pfc.pause_frames "$work/run.json")
play tc3-dcqcn
lossless TC3 .
holds 'TC3: no NAK, nothing sent twice' '.rnic.naks + .rnic.retransmitted_packets == 0'
holds 'TC3: CE seen' '.ecn.marked > 0'
calmer TC3
ack_queue TC3
same 'TC3: CNPs are what queue 5 sent' "$(counters host np_cnp_sent)" "$(counters switch tx_prio5_packets)"
same 'TC3: CNPs arrive' "$(counters host np_cnp_sent)" "$(counters host rp_cnp_handled)"

# TC4: storage, DCQCN off and on.
play tc4-storage --set hosts.defaults.rnic.congestion-control=none
lossless 'TC4 A' 'q[34]'
holds 'TC4 A: PFC present, no CNP' '.pfc.pause_frames > 100 and .ecn.cnps == 0'
without=$(gojq .pfc.pause_frames "$work/run.json")
play tc4-storage
lossless 'TC4 B' 'q[34]'
calmer 'TC4 B'
same 'TC4 B: CNPs are what queue 5 sent' "$(counters host np_cnp_sent)" "$(counters switch tx_prio5_packets)"

# Response to a pause: losses begin where the delay is more than the headroom has room for, 3.45 to 4.47 us.
for delay in 500ns 2us 3.44us; do
    play tc-response --set fabric.host-links.pfc-response=$delay
    holds "a response after $delay: headroom is enough" '.drops.lossless == 0 and .pfc.pause_frames > 0'
done
known_code=1 # a loss in a lossless class that was not expected
for delay in 4.5us 8us; do
    play tc-response --set fabric.host-links.pfc-response=$delay
    holds "a response after $delay: headroom is too small" '.drops.lossless > 0'
done

[ "$failures" -eq 0 ]
