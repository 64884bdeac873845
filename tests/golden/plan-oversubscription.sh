#!/bin/bash
# plan - an axis of ratios: so many spines that check, which knows nothing of plans, finds the ratio; what cannot be is refused.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-oversubscription.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

cat >leaves.yaml <<'END'
stormglass: 1
name: leaves
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 12}
  host-links: {rate: 25Gbps, length: 3m, mtu: 4200B}
  fabric-links: {rate: 25Gbps, length: 30m, mtu: 4200B}
  switch: {profile: shared-buffer-32mb}
hosts: {defaults: {rnic: {profile: rnic-100g, path-mtu: 4096B}}}
workloads:
  - {name: io, kind: rdma-write, from: host0, to: host12, message-size: 64KiB}
END
plan() { # AXES
    cat <<END
stormglass-plan: 1
name: leaves
scenario: leaves.yaml
vary:
$1
slo: ["io.goodput > 1Gbps"]
END
}

# Hosts, rates and ratios vary together: of each candidate the settings give the ratio that its name has.
plan '  - {path: oversubscription, as: os, values: [1.5, 3, 6], better: lower}
  - {path: fabric.topology.hosts-per-leaf, as: hosts, values: [12, 24]}
  - {path: fabric.host-links.rate, as: nic, values: [25Gbps, 50Gbps]}' >ratios.yaml
"$program" plan ratios.yaml --json --list >ratios.json || fail "ratios: exit $?"
[ "$(gojq -c '[.axes[0].path, (.candidates | length)]' ratios.json)" = '["oversubscription",12]' ] || fail "ratios: $(gojq -c .axes ratios.json)"
gojq -r '.candidates[] | [.values.os, (.command | capture("--set (?<a>[^ ]*) --set (?<b>[^ ]*) --set (?<c>[^ ]*)") | .a, .b, .c)] | join(" ")' ratios.json >candidates
while read -r ratio sets; do
    set -- $sets
    case $1 in fabric.topology.spines=*) ;; *) fail "$ratio: $1 is not the number of spines" ;; esac
    "$program" check leaves.yaml --set "$1" --set "$2" --set "$3" | grep -q "oversubscription $(printf %.1f "$ratio"):1" ||
        fail "$sets is not $ratio to 1: $("$program" check leaves.yaml --set "$1" --set "$2" --set "$3")"
done <candidates

# How far what is chosen goes along it.
{ plan '  - {path: fabric.topology.hosts-per-leaf, as: hosts, values: [12]}'
    echo 'cliff: [{path: oversubscription, as: os, values: [1.5, 12]}]'; } >cliff.yaml
"$program" plan cliff.yaml --json | gojq -e '.cliff[0] | .holds_to == "12"' >/dev/null || fail "cliff: $("$program" plan cliff.yaml | grep -A 3 ^Cliff)"

wrong() { # AXES WORDS
    plan "$1" >wrong.yaml
    "$program" plan wrong.yaml >out.txt 2>err.txt
    [ $? = 2 ] && [ ! -s out.txt ] && grep -qF -- "$2" err.txt || fail "$1: $(cat out.txt err.txt)"
}
wrong '  - {path: oversubscription, as: os, values: [3, 5]}' \
    'wrong.yaml:5:50: error: leaves have 300Gbps to hosts and 25Gbps to each spine, so 5 to 1 takes 2.4 spines: 2 would be 6 to 1, 3 would be 4 to 1'
wrong '  - {path: oversubscription, as: os, values: [24]}' 'takes 0.5 spines: 1 would be 12 to 1'
wrong '  - {path: oversubscription, as: os, values: [0.001]}' 'wrong.yaml:5:47: error: spines: 12000 is more than the maximum, 2048'
wrong '  - {path: oversubscription, as: os, values: ["3:1"]}' 'wrong.yaml:5:47: error: expected a value'
wrong '  - {path: oversubscription, as: os, values: [0]}' 'wrong.yaml:5:47: error: expected a ratio such as 3 or 1.5'
wrong '  - {path: oversubscription, as: os, values: [3]}
  - {path: fabric.topology.spines, as: spines, values: [2]}' 'wrong.yaml:5:47: error: the result is 6 to 1: expected no other setting of the spines'
sed -i 's/topology: .*/topology: {kind: single-switch, hosts: 24}/; /fabric-links/d' leaves.yaml
wrong '  - {path: oversubscription, as: os, values: [3]}' 'wrong.yaml:5:47: error: expected a template of topology leaf-spine'
exit $failed
