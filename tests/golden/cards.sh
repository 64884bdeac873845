#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every profile of an RNIC with ceilings: what limits 8-byte WRITEs of one queue pair, and of 32 on as many cores, is named by the
# summary and by --what-if.
set -u
profiles=$(realpath scenarios/profiles)
. tests/golden/outside

scenario() { # PROFILE RATE
    cat >card.yaml <<YAML
stormglass: 1
name: card
seed: 1
duration: 60us
fabric:
  topology: {kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a, b], rate: $2, mtu: 4200B}]}
hosts:
  defaults: {rnic: {profile: $1}}
workloads:
  - {name: w, kind: rdma-write, from: a, to: b, message-size: 8B, outstanding: 32}
YAML
}

# limited PROFILE HOW RESOURCES OPTION...: one of them is named by run, and by --what-if the same.
limited() {
    local name="$1, $2" resource=$3
    shift 3
    "$program" run card.yaml -o card.db --record counters "$@" >card.run || fail "$name: exit code $?: $(tail -n 3 card.run)"
    grep -Eq "^Bottleneck +($resource): " card.run || fail "$name: $(grep Bottleneck card.run)"
    resource=$(sed -n 's/^Bottleneck *\([a-z ]*\): .*/\1/p' card.run)
    grep -q 'no limit of messages' card.run && fail "$name: $(grep -A3 Warnings card.run)"
    "$program" explain card.db --what-if --json >card.json || fail "$name: what-if: exit code $?"
    gojq -e "any(.what_if.reliefs[]; .resource == \"$resource\" and .gain.mean > 0.05)" card.json >/dev/null ||
        fail "$name: what-if: $(gojq -c .what_if.reliefs card.json)"
}

tried=0
while read -r file; do
    profile=$(basename "$file" .yaml)
    rate=$(sed -n 's/^  line-rate: {value: \([0-9]*Gbps\),.*/\1/p' "$file")
    scenario "$profile" "$rate"
    limited "$profile" 'one queue pair' 'host cpu|rnic'
    limited "$profile" '32 queue pairs' 'host cpu|rnic|link' --set workloads.w.qps=32 --set workloads.w.threads=32
    tried=$((tried + 1))
done < <(grep -l '^  message-cost:' "$profiles"/*.yaml)
# With cores enough it is the card.
scenario generic-400g 400Gbps
limited generic-400g '96 queue pairs' rnic --set workloads.w.qps=96 --set workloads.w.threads=96
[ $tried -ge 9 ] || fail "only $tried profiles with ceilings"

[ $failures = 0 ] && echo "$tried profiles"
exit $((failures > 0))
