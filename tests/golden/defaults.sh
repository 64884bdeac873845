#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a host is where a scenario says nothing of it: a card of its link's rate, with congestion control as cards ship it.
set -u
. tests/golden/outside

# incast GBPS HOSTS: 8 senders to one host.
incast() {
    cat >incast.yaml <<YAML
stormglass: 1
name: incast
duration: 20ms
fabric:
  topology: {kind: single-switch, hosts: 9}
  host-links: {rate: $1Gbps}
hosts: $2
workloads:
  - {name: in, kind: rdma-write, from: host1..host8, to: host0, message-size: 1MiB, outstanding: 8}
YAML
}

# percent [OPTION...]: how much of host0's link the run uses.
percent() {
    "$program" run incast.yaml --json "$@" 2>run.err | gojq '100 * .workloads[0].goodput_bps / '"$rate"'e9 | floor'
}

# The default suits every rate; the paper's parameters suit the rate that they were made for.
for rate in 10 25 40 100 200 400; do
    incast $rate '{}'
    used=$(percent)
    [ "$used" -ge 80 ] || fail "default congestion control at $rate Gb/s uses only $used % of the link"
done
for rate in 200 400; do
    incast $rate '{defaults: {rnic: {congestion-control: dcqcn}}}'
    used=$(percent)
    "$program" check incast.yaml >check.txt
    grep -q 'congestion control dcqcn raises rates in steps of 40Mbps (rai), which suit a link of 40Gbps' check.txt ||
        fail "check at $rate Gb/s: $(cat check.txt)"
    "$program" run incast.yaml >run.txt
    grep -q 'congestion control dcqcn raises rates in steps' run.txt || fail "run at $rate Gb/s: $(grep -A3 Warnings run.txt)"
    remedy=$(sed -n 's/^ *remedy: set rnic.congestion-control: \([a-z0-9-]*\),.*/\1/p' check.txt)
    now=$(percent --set "hosts.defaults.rnic.congestion-control=${remedy:-dcqcn}")
    [ "$now" -ge $((2 * used)) ] || fail "remedy '$remedy' at $rate Gb/s: $used % before, $now % after"
    "$program" check incast.yaml --set "hosts.defaults.rnic.congestion-control=${remedy:-dcqcn}" >check.txt
    grep -q 'raises rates' check.txt && fail "after the remedy: $(cat check.txt)"
done

# silent GBPS CONTROL: nothing is to be said of it.
silent() {
    incast "$1" "{defaults: {rnic: {congestion-control: $2}}}"
    "$program" check incast.yaml >check.txt
    grep -q 'raises rates' check.txt && fail "$2 at $1 Gb/s: $(cat check.txt)"
}
silent 100 dcqcn
silent 159 dcqcn-paper
silent 400 dcqcn-mlx5
silent 400 none
silent 400 swift
silent 399 dcqcn-hpcc-ns3
silent 400 '{kind: dcqcn, rai: 400Mbps}' # scaled by hand
silent 400 '{kind: dcqcn-paper, rai: 101Mbps}'

# warned GBPS CONTROL
warned() {
    incast "$1" "{defaults: {rnic: {congestion-control: $2}}}"
    "$program" check incast.yaml >check.txt
    grep -q 'raises rates' check.txt || fail "$2 at $1 Gb/s: no warning"
}
warned 160 dcqcn
warned 400 dcqcn-hpcc-ns3
warned 160 dcqcn-zhu-ns3
warned 400 '{kind: dcqcn, rai: 100Mbps}'
warned 100 '{kind: dcqcn, rai: 10Mbps}'

# ---- the profile by rate

# profile_is GBPS NAME: of hosts whose links have that rate.
profile_is() {
    incast "$1" '{}'
    "$program" run incast.yaml --set duration=10us >run.txt
    grep -q "^  hosts.defaults.rnic .*profile $2 sets [0-9]* values$" run.txt || fail "at $1 Gb/s: $(grep defaults.rnic run.txt)"
}
for rate in 10 25 40 50 100 200 400 800; do profile_is $rate generic-${rate}g; done
profile_is 1 generic-10g
profile_is 25.5 generic-40g
profile_is 56 generic-100g
profile_is 101 generic-200g
profile_is 1600 generic-800g

# rate_of FILE OPTION...: messages of 64 B a second, of 16 queue pairs and cores.
rate_of() {
    "$program" run "$@" --json 2>run.err | gojq '[.workloads[] | .iops // (.completed / 1e-4)] | add | floor'
}
small() { # TOPOLOGY FROM
    cat >small.yaml <<YAML
stormglass: 1
name: small
duration: 100us
fabric: $1
workloads: [{name: w, kind: rdma-write, from: $2, to: t, message-size: 8B, outstanding: 16, qps: 32, threads: 32}]
YAML
}
# Hosts of different rates have different cards, and a link that an override slows keeps its card.
links='links: [{ends: [a, s], rate: 25Gbps}, {ends: [b, s], rate: 100Gbps}, {ends: [t, s], rate: 400Gbps}]'
small "{topology: {kind: explicit, hosts: [a, b, t], switches: [s], $links}}" a
own=$("$program" run small.yaml --json | gojq -r .digest)
other=$("$program" run small.yaml --json --set hosts.defaults.rnic.profile=generic-100g | gojq -r .digest)
[ "$own" != "$other" ] || fail "a host with 25 Gb/s has the card of one with 100"
for host in a b t; do
    rate=$(case $host in a) echo 25 ;; b) echo 100 ;; t) echo 400 ;; esac)
    sets+=(--set "hosts.$host={where: $host, rnic: {profile: generic-${rate}g}}")
done
named=$("$program" run small.yaml --json "${sets[@]}" | gojq -r .digest)
[ "$own" = "$named" ] || fail "hosts by rate are not those with the profiles named"
auto=$("$program" run small.yaml --json --set hosts.defaults.rnic.profile=auto | gojq -r .digest)
[ "$own" = "$auto" ] || fail "profile auto is not the default"
small "{topology: {kind: single-switch, hosts: 2}, host-links: {rate: 100Gbps}, overrides: [{where: host0-switch0, rate: 25Gbps}]}" host0
sed -i 's/to: t,/to: host1,/' small.yaml
slow=$("$program" run small.yaml --json | gojq -r .digest)
named=$("$program" run small.yaml --json --set hosts.defaults.rnic.profile=generic-100g | gojq -r .digest)
[ "$slow" = "$named" ] || fail "an override of a link changes the card"

# A card has ceilings, the ideal one has none and says so.
small '{topology: {kind: single-switch, hosts: 2}, host-links: {rate: 400Gbps}}' host0
sed -i 's/to: t,/to: host1,/' small.yaml
card=$(rate_of small.yaml)
ideal=$(rate_of small.yaml --set hosts.defaults.rnic.profile=ideal)
[ "$card" -lt 215000000 ] || fail "a card of 400 Gb/s makes $card messages a second"
[ "$ideal" -gt $((card * 3 / 2)) ] || fail "ideal makes $ideal messages a second, a card $card"
"$program" run small.yaml >run.txt
grep -q 'no message rate limit' run.txt && fail "the default has no limit of messages"
"$program" run small.yaml --set hosts.defaults.rnic.profile=ideal >run.txt
grep -q 'no message rate limit' run.txt || fail "ideal does not warn"
# rnic-100g at 100 Gb/s is ideal.
small '{topology: {kind: single-switch, hosts: 2}, host-links: {rate: 100Gbps}}' host0
sed -i 's/to: t,/to: host1,/' small.yaml
for name in rnic-100g ideal; do
    "$program" run small.yaml --json --set hosts.defaults.rnic.profile=$name | gojq -r .digest >$name
done
cmp -s rnic-100g ideal || fail "rnic-100g is not ideal at its rate"

expect 'auto elsewhere' 2 'profile auto is allowed only in hosts.defaults' "$program" check small.yaml --set 'hosts.x={where: host0, rnic: {profile: auto}}'

exit $((failures > 0))
