#!/bin/bash
# assumed.sh - explain --assumed: which value that nobody knows would change the verdict.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2: $(gojq -c . "$1")"; } # FILE FILTER

# A link that half of the assumed cost of a command at the host fills, and no run without it.
cat >cost.yaml <<'YAML'
stormglass: 1
name: cost
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 25Gbps}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: null, count: 1}]}}
workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, queue-depth: 64}]
expect: [w.iops > 400000, w.failed == 0]
YAML
"$program" explain --assumed cost.yaml --json >cost.json || fail "cost: exit code $?"
"$program" explain --assumed cost.yaml >cost || fail "cost: exit code $?"
holds cost.json '.assumed.verdict | .bottleneck == "host cpu" and .cause == "nobody" and [.expectations[].held] == [true, true]'
holds cost.json '.assumed.values[0].flips and (.assumed.values | map(.flips) == (map(.flips) | sort | reverse))'
says cost 'hosts.defaults.nvme.submit-cost is 1us (assumed): with 2us, w.iops > 400000 fails'

# What it says of a value is what a run with that value says; a value that does not matter leaves the run as it is.
"$program" run cost.yaml --json >plain.json 2>err
while IFS=$'\t' read -r path value bottleneck held matters; do
    "$program" run cost.yaml --set "$path=$value" --json >run.json 2>err
    [ "$(gojq -r '[.bottleneck_kind, ([.expectations[].held] | tostring)] | @tsv' run.json)" = "$bottleneck	$held" ] ||
        fail "$path=$value: a run says otherwise"
    [ "$matters" = true ] || [ "$(gojq .digest run.json)" = "$(gojq .digest plain.json)" ] || fail "$path matters"
done < <(gojq -r '.assumed.values[] | . as $v | .trials[] | [$v.path, .value, .bottleneck, ([.expectations[].held] | tostring), $v.matters] | @tsv' cost.json)

# What the scenario writes itself is no assumption, and where nothing flips the verdict it says so.
"$program" explain --assumed cost.yaml --set hosts.defaults.nvme.submit-cost=1us --json >given.json || fail "given: exit code $?"
holds given.json '[.assumed.values[] | select(.path == "hosts.defaults.nvme.submit-cost")] == []'
"$program" run cost.yaml --set 'expect=[]' --set hosts.defaults.nvme.submit-cost=9us -o none.db >run 2>&1
"$program" explain none.db --assumed >none || fail "none: exit code $?"
says none 'none of '
says none 'Never exercised'

# More expectations than it keeps are not judged, and it says how many.
many=$(printf 'w.failed == 0, %.0s' {1..66})
"$program" explain --assumed cost.yaml --set hosts.defaults.nvme.submit-cost=1us --set duration=100us --set "expect=[${many%, }]" >many || fail "many: exit code $?"
says many 'the last 2 expectations of the scenario were not evaluated'

[ $failures = 0 ]
