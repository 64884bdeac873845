#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# io-frames - draw --what io has the hops, times and lanes that tests/golden/io-frames computes, also over TCP, from the frames of the database.
set -u
tree=$PWD
. tests/golden/outside
cat >path.yaml <<'YAML'
stormglass: 1
name: path
duration: 1ms
drain: 2ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts-per-leaf: 1}
hosts:
  targets: {where: host1, namespaces: [{media: fixed}]}
workloads:
  - {name: io, kind: nvme, from: host0, to: host1, read: 100%, block-size: 48KiB, count: 1}
YAML
for seed in 1 2 3; do # which spine carries requests and responses depends on the seed
    for reads in 0% 100%; do
        "$program" run path.yaml --seed $seed --set workloads.io.read=$reads --record packets -o path.db >/dev/null 2>&1
        "$program" draw path.db --what io 1 -o io.svg || fail "seed $seed, $reads reads: no drawing"
        python3 "$tree/tests/golden/io-frames/check.py" io.svg path.db 1 >out 2>&1 || fail "seed $seed, $reads reads: $(cat out)"
        grep -o 'font-size="12.0"[^>]*>[^<]*<' io.svg | wc -l >>lanes
    done
done
# over TCP
for reads in 0% 100%; do
    tcp=(path.yaml --set workloads.io.transport=tcp --set workloads.io.read=$reads)
    "$program" run "${tcp[@]}" --record packets -o tcp.db >/dev/null 2>&1
    "$program" draw tcp.db --what io 1 -o io.svg || fail "TCP, $reads reads: no drawing"
    python3 "$tree/tests/golden/io-frames/check_tcp.py" io.svg tcp.db 1 >out 2>&1 || fail "TCP, $reads reads: $(cat out)"
done
"$program" run "${tcp[@]}" -o without.db >/dev/null 2>&1
expect 'a recording without frames' 2 'run with --record packets' "$program" draw without.db --what io 1 -o io.svg
"$program" run "${tcp[@]}" --set hosts.defaults.nvme.tcp-tls=true --set duration=9ms --record packets -o tls.db >/dev/null 2>&1
expect 'PDUs in TLS records' 2 '--set hosts.defaults.nvme.tcp-tls=false' "$program" draw tls.db --what io 1 -o io.svg
"$program" run "${tcp[@]}" --set workloads.io.count=40 -o many.db >/dev/null 2>&1
expect 'a command that was not recorded' 2 'run with --record packets' "$program" draw many.db --what io 30 -o io.svg
grep -q '^6$' lanes || fail "no command takes two spines: $(sort lanes | uniq -c)"
[ $failures = 0 ]
