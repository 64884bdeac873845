#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a host is where a scenario says nothing of it: congestion control as cards ship it.
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
    grep -q 'congestion control dcqcn raises rates in steps of 40Mbps (rai), scaled for a link of 40Gbps' check.txt ||
        fail "check at $rate Gb/s: $(cat check.txt)"
    "$program" run incast.yaml >run.txt
    grep -q 'congestion control dcqcn raises rates in steps' run.txt || fail "run at $rate Gb/s: $(grep -A3 Warnings run.txt)"
    remedy=$(sed -n 's/^ *remedy: rnic.congestion-control: \([a-z0-9-]*\),.*/\1/p' check.txt)
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

exit $((failures > 0))
