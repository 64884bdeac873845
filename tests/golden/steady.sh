#!/bin/bash
# steady - what a run says of its steady part.                              SPDX-License-Identifier: Apache-2.0
# Hazards: figures of a run that has not settled look like those of one that has; the warm-up that is found, or the
# number of threads, changes a figure of the whole run.
set -u
. tests/golden/outside

play() { # NAME ARGUMENTS...
    local name=$1
    shift
    "$program" run --confirm 0 "$@" --json >"$name.json" 2>err
    [ $? -le 1 ] || fail "$name: $(cat err)"
}
is() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: $2: $(gojq -c '[.workloads[] | [.name, .steady]]' "$1.json")"; }

# Senders that find their rates: the warm-up of an rdma-* workload is found, and what is behind it fills the link.
play dcqcn incast-8to1
is dcqcn '.workloads[0].steady | .settled and .needs_ns == null and .warm_up_ns > 2e6 and .warm_up_ns < 10e6'
is dcqcn '.workloads[0] | .steady.goodput_bps > .goodput_bps and .steady.goodput_bps < 100e9 and .steady.goodput_ci_bps < 5e9'
is dcqcn '.workloads[0].steady | .latency_ns | has("p99_9_ci") and .p99_9_ci == null' # which the batches cannot tell
is dcqcn '.workloads[0].steady | .latency_ns.p50 <= .latency_ns.p99 and .latency_ns.p99 <= .latency_ns.p99_9'
# Half of the time is too short for that, and it says what would do.
play short incast-8to1 --set duration=4ms
is short '.workloads[0].steady | .settled == false and (.needs_ns // .needs_at_least_ns) > 4e6'
"$program" run --confirm 0 incast-8to1 --set duration=4ms 2>err | grep -A3 '^After warm-up' | grep -q 'not steady after .* ms: .*run \(about .* ms (--set duration=.*ms)\|at least .* ms\)$' || fail 'the summary does not say that it is not steady'

# A storm in the middle is no steady part; without it there is one.
play storm pause-storm
is storm '[.workloads[].steady.settled] == [false, false, false]'
play calm pause-storm --set 'faults=[]'
is calm '.workloads[1].steady.settled'

# Whoever gives a warm-up has it.
for given in 1ms 3ms; do
    play given incast-8to1 --set workloads.probe.warm-up=$given
    is given ".workloads[1].steady.warm_up_ns | . >= ${given%ms}e6 and . < ${given%ms}.2e6"
done

# Who is far away is the worst member, the slowest hundredth is beyond p99, and `expect` may ask for both.
cat >members.yaml <<'END'
stormglass: 1
name: members
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 4}, overrides: [{where: link host3-switch0, length: 2km}], switch: {profile: shared-buffer-32mb}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: storage-class, count: 4}]}}
workloads:
  - {name: io, kind: nvme, from: "host1..host3", to: host0, read: 100%, block-size: 4KiB, queue-depth: 2}
expect: ["io.worst_member.latency.mean > 30us", "io.worst_member.latency.p99 > 30us", "io.latency.mean < 25us",
  "io.latency.slowest_1pct > 30us", "io.steady.worst_member.latency.p99 > 30us", "io.steady.latency.slowest_1pct > 30us"]
END
play members members.yaml
gojq -e '[.expectations[].held] | all' members.json >/dev/null || fail "members: $(gojq -c .expectations members.json)"
is members '.workloads[0] | .worst_member.latency_ns as $w | $w.mean <= $w.p99 and $w.p99 <= .latency_ns.max and .latency_ns.slowest_1pct >= .latency_ns.p99 * 0.99 and .latency_ns.slowest_1pct <= .latency_ns.max'
# The mean of its own row, exactly: nothing was thinned out.
"$program" run --confirm 0 members.yaml -o members.db >/dev/null
[ "$(sqlite3 members.db 'SELECT CAST(round(max(latency_mean_ps) / 1000.0) AS INTEGER) FROM member')" = "$(gojq '.workloads[0].worst_member.latency_ns.mean' members.json)" ] ||
    fail "worst member: $(sqlite3 members.db 'SELECT member, latency_mean_ps FROM member'), $(gojq -c '.workloads[0].worst_member' members.json)"

# Few completions say nothing.
play few first-io
is few '[.workloads[].steady] == [null, null]'

# Threads change nothing.
for threads in 2 3; do
    play threads pause-storm --threads $threads
    diff <(gojq .workloads storm.json) <(gojq .workloads threads.json) >diff || fail "$threads threads: $(head -3 diff)"
done
[ $failures = 0 ]
