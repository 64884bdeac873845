#!/bin/bash
# nics.sh - hosts with several NICs: where they go, who uses which, what is said of them.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2: $(gojq -c . "$1" | cut -c1-600)"; } # FILE FILTER

scenario() { # TOPOLOGY WORKLOAD
    cat <<YAML
stormglass: 1
name: nics
duration: 300us
fabric: {topology: {$1}, host-links: {rate: 100Gbps}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: w, from: host0, to: host1, $2}]
YAML
}
ips() { # DB: frames that each port of a host sent
    "$program" query --tabs "$1" "SELECT p.name, count(*)>0 FROM frame f JOIN port p USING(node, port)
        WHERE p.endpoint=f.source GROUP BY p.name ORDER BY p.name" | tail -n +2 | cut -f1 | tr '\n' ' '
}
played() { # NAME TOPOLOGY WORKLOAD PORTS: what it plays uses these ports of hosts
    scenario "$2" "$3" >"$1.yaml"
    "$program" run --confirm 0 "$1.yaml" --record packets -o "$1.db" --json >"$1.json" 2>"$1.err" || fail "$1: exit code $?" "$(cat "$1.err")"
    [ "$(ips "$1.db")" = "$4" ] || fail "$1: sent by $(ips "$1.db"), not $4"
}

leaves='kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1'
writes='kind: rdma-write, outstanding: 4'
played one "$leaves" "$writes" 'host0:p0 host1:p0 '
for homing in same dual fabrics; do
    played $homing "$leaves, nics: 2, homing: $homing" "$writes, qps: 2" 'host0:p0 host0:p1 host1:p0 host1:p1 '
done
# Two NICs carry twice what one does, and a run does not depend on its threads.
[ "$(gojq .workloads[0].bytes fabrics.json)" -gt "$(($(gojq .workloads[0].bytes one.json) * 18 / 10))" ] ||
    fail "two NICs: $(gojq .workloads[0].bytes fabrics.json) B, one: $(gojq .workloads[0].bytes one.json)"
"$program" run --confirm 0 fabrics.yaml --threads 2 --json >threads.json 2>/dev/null || fail "threads: exit code $?"
[ "$(gojq -r .digest threads.json)" = "$(gojq -r .digest fabrics.json)" ] || fail "another digest on two threads"

# An NVMe controller keeps to its NIC, the target serves at both.
played chosen "$leaves, nics: 2, homing: fabrics" 'kind: nvme, nic: 1' 'host0:p1 host1:p1 '
holds chosen.json '.workloads[0].completed > 0 and .workloads[0].failed == 0'

# Separate fabrics do not reach each other.
scenario "$leaves, nics: 2, homing: fabrics" "$writes, nic: 0, peer-nic: 1" >apart.yaml
"$program" check apart.yaml >apart && fail "apart: check finds nothing"
says apart "there is no path from host0:p0 to host1:p1"
scenario "$leaves" "$writes, nic: 1" >none.yaml
"$program" check none.yaml >none 2>&1
[ $? = 2 ] || fail "none: exit code"
says none 'nic: host0 has no NIC 1 with a link: it has 1'

# The page, the drawing, the counters and the capture name both.
"$program" draw fabrics.db --what fabric >drawn || fail "draw: exit code $?"
says drawn 'b&#45;leaf0'
"$program" counters fabrics.db >counters || fail "counters: exit code $?"
says counters host0:p1

# What fails in one fabric is felt by those alone that go by it.
for nic in 0 1; do
    scenario "$leaves, nics: 2, homing: fabrics" "$writes, nic: $nic" >cut$nic.yaml
    echo 'faults: [{kind: link-down, where: "host0:p1", at: 150us}]' >>cut$nic.yaml
    "$program" run --confirm 0 cut$nic.yaml --json >cut$nic.json 2>/dev/null
done
holds cut0.json '.drops.link_down == 0 and .workloads[0].failed == 0'
holds cut1.json '.drops.link_down > 0'
[ "$(gojq .workloads[0].completed cut1.json)" -lt "$(gojq .workloads[0].completed cut0.json)" ] || fail "the cut costs nothing"

# A written route to a host with two NICs at one switch leads to each by its own port.
scenario 'kind: single-switch, hosts: 2, nics: 2' "$writes, qps: 2" >route.yaml
sed -i 's/^fabric: {/fabric: {routes: [{at: switch0, to: host1, via: host1}], /' route.yaml
"$program" run --confirm 0 route.yaml --record packets -o route.db >/dev/null || fail "route: exit code $?"
astray=$("$program" query --tabs route.db "SELECT count(*) FROM frame f JOIN port p USING(node, port)
    JOIN port h ON h.node=p.peer_node AND h.port=p.peer_port WHERE h.endpoint!=f.destination" | tail -1)
[ "$astray" = 0 ] || fail "route: $astray frames came to the other NIC"

# step finds at the target what a host sent by its second NIC.
printf 'until 250us\nshow w\n' | "$program" step chosen.yaml >stepped 2>&1 || fail "step: exit code $?"
says stepped 'waits for the host to acknowledge its response'
[ $failures = 0 ]
