#!/bin/bash
# rdma-or-tcp.sh - the table of docs/howto.md that compares NVMe/RDMA with NVMe/TCP (ACCEPT=1 writes it).  SPDX-License-Identifier: Apache-2.0
set -u
page=$PWD/docs/howto.md
. tests/golden/outside

# Payload divided by all bytes on the links of the hosts in both directions, with 20 bytes of preamble and gap for each frame.
wire="100.0*w.bytes/(SELECT sum(value*CASE WHEN c.name LIKE '%bytes%' THEN 1 ELSE 20 END) FROM counter c
    WHERE c.name IN ('tx_bytes_phy','rx_bytes_phy','tx_packets_phy','rx_packets_phy')
        AND c.node IN (SELECT from_node FROM workload_pair p WHERE p.workload=w.workload))"

# lines NAME SETTING...: the lines of one condition; every operation completes
lines() {
    local name=$1 setting args=()
    shift
    for setting; do
        args+=(--set "$setting")
    done
    "$program" run rdma-or-tcp --confirm 0 --set drain=2s --set 'expect=[all-commands-complete]' "${args[@]}" -o run.db >out 2>&1 ||
        fail "$name: exit code $?: $(cat out)"
    sqlite3 run.db "SELECT printf('%-15s %-12s %8s %8.1f %8.1f %8.1f %8.2f %8.2f %7.1f %%', '$name', w.name,
        CASE WHEN iops<1e5 THEN printf('%.1f k', iops/1e3) ELSE printf('%.0f k', iops/1e3) END, latency_p50_ps/1e6,
        latency_p99_ps/1e6, latency_p99_9_ps/1e6, cpu_host_ps/1e6/completed, cpu_target_ps/1e6/completed, $wire)
        FROM workload w ORDER BY workload"
}

{
    echo '                                          latency (us)            CPU per I/O (us)    wire'
    echo 'condition       workload         IOPS      p50      p99    p99.9     host   target  efficiency'
    lines 'no fault'
    lines 'loss of 0.01 %' 'faults=[{kind: random-loss, where: "host2..host7", rate: 1/10000}]'
    lines 'slow hosts' 'faults=[{kind: slow-receiver, where: [host2, host4], drain: 3%}]'
    lines 'incast 3 to 1' workloads.oltp-{rdma,tcp}.{read=0%,block-size=128KiB,queue-depth=16}
} >table

begin='<!-- rdma-or-tcp -->'
if [ -n "${ACCEPT-}" ]; then
    awk -v begin="$begin" '
        { if (!inside) print }
        $0 == begin { print "```"; while ((getline line <"table") > 0) print line; print "```"; inside = 1 }
        inside && $0 == "```" && ++fences == 2 { inside = 0 }' "$page" >page && cp page "$page"
fi
awk -v begin="$begin" '$0 == begin { inside = 1; next } inside && $0 == "```" { if (++fences == 2) exit; next } inside' "$page" >held
cmp -s held table || fail "docs/howto.md has another table: $(diff held table)"
[ "$(wc -l <table)" = 18 ] || fail "18 lines and not $(wc -l <table)"

# TCP costs the cores of hosts and targets more.
for work in oltp backup; do
    sqlite3 run.db "SELECT count(*) FROM workload a JOIN workload b ON a.name='$work-rdma' AND b.name='$work-tcp'
        WHERE b.cpu_host_ps/b.completed>2*(a.cpu_host_ps/a.completed) AND b.cpu_target_ps/b.completed>2*(a.cpu_target_ps/a.completed)" |
        grep -qx 1 || fail "$work: TCP does not cost more than twice the CPU of RDMA"
done
[ "$failures" = 0 ]
