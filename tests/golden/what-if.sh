#!/bin/bash
# what-if.sh - explain --what-if: what gains, what does not, what then is the limit.  SPDX-License-Identifier: Apache-2.0
program=${STORMGLASS:?}
work=$(mktemp -d) && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAIL  $*"
    failures=$((failures + 1))
}
holds() { # FILE FILTER
    gojq -e "$2" "$1" >/dev/null || fail "$1: not $2: $(gojq -c . "$1" | cut -c1-400)"
}

# A full link: more of it gains a tenth, then the queue depth is too small, and with 1.9 to 2 times the rate the goodput is enough.
cat >link.yaml <<'END'
stormglass: 1
name: link
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 10Gbps}
hosts: {defaults: {rnic: {profile: ideal}}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 8}]
expect: ["w.goodput > 18Gbps", "w.failed == 0", "w.issued == 1"]
END
"$program" explain --what-if link.yaml --json >link.json || fail "link: exit code $?"
holds link.json '.what_if.limit == "link" and .what_if.of == "goodput_bps"'
holds link.json '.what_if.reliefs[0] | .resource == "link" and .gain.counts and .gain.mean > 0.08 and .gain.mean < 0.11'
holds link.json '.what_if.reliefs[0].settings | contains("fabric.host-links.rate 10Gbps -> 11Gbps")'
holds link.json '[.what_if.reliefs[] | select(.resource == "queue depth").gain.counts] == [false]'
holds link.json '.what_if.reliefs[0].without_limit.mean > 1 and (.what_if.next | startswith("queue depth") or startswith("link"))'
holds link.json '.what_if.expectations | map(.text) == ["w.goodput > 18Gbps", "w.issued == 1"]'
holds link.json '.what_if.expectations[0] | .resource == "link" and .times > 1.8 and .times < 2.1'
holds link.json '.what_if.expectations[1].resource == null'

# A database gives the same answer as its scenario, with the account; the verdict of the run is that of the experiment.
"$program" run link.yaml -o link.db --json >run.json
"$program" explain link.db --what-if --json >both.json || fail "link.db: exit code $?"
[ "$(gojq -c .what_if link.json)" = "$(gojq -c .what_if both.json)" ] || fail 'scenario and database differ'
holds both.json '.workloads[0].bottleneck == "link" and .scenario == "link"'
[ "$(gojq -r .bottleneck_kind run.json)" = "$(gojq -r .what_if.limit link.json)" ] || fail 'run and experiment name different limits'

# One processor gives the same answer as several.
taskset -c 0 "$program" explain --what-if link.yaml --json >one.json 2>/dev/null && { cmp -s one.json link.json || fail 'one processor gives another answer'; }

# An open loop that gets all: latency is what is left to gain.
"$program" explain --what-if link.yaml --set workloads.w.rate=10000 --json >open.json || fail "open: exit code $?"
holds open.json '.what_if.of == "latency_ns.mean" and (.what_if.bottleneck | startswith("offered load"))'

# A fault is left out.
"$program" explain --what-if link.yaml --set 'faults=[{at: 0s, kind: slow-receiver, where: host1, drain: 20%}]' >slow || fail "slow: exit code $?"
grep -q 'slow-receiver at host1, removed' slow || fail "slow: $(cat slow)"

# A fault belongs to no steady part: what a storm in the first half takes is in the gain of its absence.
"$program" explain --what-if link.yaml --set 'faults=[{at: 50us, for: 500us, kind: pause-storm, where: host1}]' --json >storm.json || fail "storm: exit code $?"
holds storm.json '.what_if.limit == "pauses" and .what_if.reliefs[0].gain.mean > 0.5'

# What a software RNIC costs the host's CPU is relieved with the rest of it.
"$program" explain --what-if link.yaml --set hosts='{defaults: {rnic: {profile: softroce}}}' --set duration=4ms --json >soft.json || fail "soft: exit code $?"
holds soft.json '.what_if.limit == "host cpu" and (.what_if.bottleneck | contains("(software RNIC)")) and (.what_if.reliefs[0].settings | contains("rnic.cpu-send-packet"))'

"$program" explain link.yaml >alone || fail "a scenario alone is not explained: exit code $?"
"$program" explain link.db | cmp - alone || fail 'a scenario is explained otherwise than its run'
"$program" explain link.db --set seed=2 2>err
[ $? = 2 ] || fail '--set of a database'
"$program" explain --what-if nothere.yaml 2>err
[ $? = 2 ] || fail 'no such scenario'
[ $failures = 0 ]
