#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plan-cores - cores on the bill of materials: those that TCP kept busy in a run, rounded up for each host.
set -u
. tests/golden/outside

cat >base.yaml <<'END'
stormglass: 1
name: base
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts: {targets: {where: host0, namespaces: [{media: "null"}]}}
workloads: [{name: io, kind: nvme, from: [host1, host2], to: host0, queue-depth: 4, queues: 4}]
END
# plan NAME RDMA-NIC: with the price of a NIC for RDMA; for TCP it is 450, and a core 120.
plan() {
    cat >"$1.yaml" <<END
stormglass-plan: 1
name: $1
scenario: base.yaml
vary: [{path: hosts.defaults.transport, as: transport, values: [tcp, rdma]}]
slo: ["io.latency.p99 < 2ms"]
prices:
  currency: USD
  parts: [{part: nic, transport: rdma, price: $2}, {part: nic, transport: tcp, price: 450}, {part: core, price: 120, power: 4}]
seeds: 3
END
    "$program" plan "$1.yaml" -o "$1.db" --json >"$1.json" 2>"$1.txt" || fail "$1: exit code $?: $(cat "$1.txt")"
}
# The hosts' cores, from the time that TCP worked on each of them and the end of the run.
"$program" run base.yaml --set hosts.defaults.transport=tcp -o tcp.db >out.txt 2>&1
cores=$("$program" query --json tcp.db "SELECT sum(cores) AS n FROM (SELECT (sum(cpu_ps) + end - 1) / end AS cores FROM tcp_connection,
    (SELECT reached_ps AS end FROM meta) GROUP BY node)" | gojq '.[0].n')
[ "$cores" -gt 3 ] || fail "only $cores cores: the test needs a host with several"

# RDMA at 3 x 5,000 costs more than TCP and its cores; at 3 x 500 less, although the NICs alone cost more.
plan dear 5000
plan cheap 500
[ "$(gojq -r '.chosen["hosts.defaults.transport"]' dear.json)" = tcp ] ||
    fail "RDMA at 5,000: $(gojq -c .chosen dear.json)"
[ "$(gojq .chosen.cost dear.json)" = $((3 * 450 + cores * 120)) ] || fail "$cores cores: $(gojq -c .chosen dear.json)"
[ "$(gojq .chosen.cost cheap.json)" = 1500 ] || fail "RDMA at 500: $(gojq -c .chosen cheap.json)"
"$program" query --json dear.db "SELECT part, count FROM part WHERE part = 'core'" | gojq -e ".[0].count == $cores" >/dev/null || fail 'the part is not in the database'
# With the runs of a database, the bill is the same.
"$program" plan dear.yaml --resume dear.db --json >again.json 2>&1
[ "$(gojq -c .chosen again.json)" = "$(gojq -c .chosen dear.json)" ] || fail "again: $(gojq -c .chosen again.json)"
exit $((failures > 0))
