#!/bin/bash
# roce-v1-paths - the links that 32 queue pairs between two hosts use, by RoCE v1 and v2.   SPDX-License-Identifier: Apache-2.0
# A switch has only the addresses of RoCE v1 for its hash, so all queue pairs of a pair of hosts share a path and one link of the
# aggregate at the end of the path. By the UDP source ports of RoCEv2, they use all of them. The hash of the sending host is for
# RoCEv2 alone (Linux rdma_lag_get_ah_roce_slave): v1 queue pairs take the links of the aggregate in turn.
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/laws/roce-v1-paths.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# used PORTS SETTING...: how many of these ports have sent data, of those that match a regular expression
used() {
    "$program" run $file --confirm 0 "${@:2}" -o "$work/run.db" >"$work/said" 2>&1 || cat "$work/said"
    "$program" query --tabs "$work/run.db" \
        "SELECT port FROM v_counter WHERE name = 'tx_prio3_bytes' AND value > 100000" | grep -c -E "^($1)\$"
}
uplinks='leaf0:p[4-7]' downlinks='leaf1:p[0-3]' members='host0:p[01]'
for version in 1 2; do
    set -- --set hosts.defaults.rnic.roce-version=$version
    many=$((version == 1 ? 1 : 4)) both=$((version == 1 ? 1 : 2))
    near "RoCE v$version: uplinks of 4 that carry data" "$(used "$uplinks" "$@")" $many 0
    near "RoCE v$version: links of 2 to host2 that carry data" "$(used "$downlinks" "$@")" $both 0
    near "RoCE v$version: links of 2 from host0 that carry data" "$(used "$members" "$@")" 2 0
done
# The goodput follows: one link of 4096 B in 4194 B, or two of 4096 B in 4178 B.
goodput='.workloads[0].goodput_bps / 1e9'
near 'goodput of RoCE v1, Gb/s' "$(measure_of $file "$goodput")" "$(awk 'BEGIN { print 100 * 4096 / 4194 }')" 2
near 'goodput of RoCE v2, Gb/s' "$(measure_of $file "$goodput" hosts.defaults.rnic.roce-version=2)" "$(awk 'BEGIN { print 200 * 4096 / 4178 }')" 5
[ $failures = 0 ]
