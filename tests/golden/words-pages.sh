#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages, tables and differences of small scenarios: each by itself, and next to the one before, which has other nodes,
# workloads and levels of recording: figures are missing on one side.
# And where the boxes of drawn fabrics are, and captures.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"
mkdir json

levels=(ios counters summary packets)
number=0
last=
cp "$top"/tests/validation/*.yaml . # a page names the file
for scenario in $(printf "%s\n" *.yaml | LC_ALL=C sort); do
    name=${scenario%.yaml}
    "$program" run "$scenario" -o "$name.db" --record "${levels[number % 4]}" --interval "$((number % 3 * 30))us" --waits \
        --until 1ms --json 2>/dev/null | grep -v -E '"(cpu|wall|started_unix)_s"' >"json/run.$name.json"
    neutral "$name.db"
    "$program" report "$name.db" -o "$name.html" 2>&1
    "$program" report "$name.db" --figures >"json/figures.$name.json"
    "$program" explain "$name.db" --json >"json/explain.$name.json" 2>&1
    "$program" counters "$name.db" --as json >"json/counters.$name.json" 2>&1
    "$program" draw "$name.db" -o "$name.dot" 2>&1
    if [ "${levels[number % 4]}" = packets ]; then
        "$program" pcap "$name.db" -o "$name.pcapng" 2>&1 && cksum "$name.pcapng"
        "$program" compare --wire "$name.pcapng" >"$name.frames" 2>&1
        "$program" draw "$name.db" --what io 1 -o "$name-io.svg" 2>&1
    fi
    if [ -n "$last" ]; then
        "$program" report "$last.db" "$name.db" -o "$name-pair.html" 2>&1
        "$program" report "$last.db" "$name.db" --csv tables 2>&1 && cat tables/*.csv >"$name.csv"
        "$program" diff "$last.db" "$name.db" >"$name.diff" 2>&1
        "$program" diff "$last.db" "$name.db" --json >"json/diff.$name.json" 2>&1
    fi
    rm -rf tables
    last=$name
    number=$((number + 1))
done | hold said

# Fabrics of every shape: few and many nodes, pods, groups, no switch, links within a row.
while IFS='|' read -r name topology; do
    printf 'stormglass: 1\nname: drawn\nfabric: {topology: {%s}}\nworkloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n' \
        "$topology" >"$name.yaml"
    "$program" draw "$name.yaml" -o "$name.dot" 2>&1
done <<'END' | hold drawn
hosts-2|kind: single-switch, hosts: 2
hosts-201|kind: single-switch, hosts: 201
leaves-3|kind: leaf-spine, leaves: 3, spines: 5, hosts-per-leaf: 1
leaves-60|kind: leaf-spine, leaves: 60, spines: 8, hosts-per-leaf: 3
leaves-97|kind: leaf-spine, leaves: 97, spines: 4, hosts-per-leaf: 4
hosts-4|kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 4
hosts-5|kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 5
fat-tree-6|kind: fat-tree, k: 6
fat-tree-16|kind: fat-tree, k: 16
cable|kind: explicit, hosts: [host0, host1, x, y], switches: [a], links: [{ends: [x, y]}, {ends: [host0, a]}, {ends: [host1, a]}]
ring|kind: explicit, hosts: [host0, host1], switches: [a, b, c], links: [{ends: [host0, a]}, {ends: [host1, c]}, {ends: [a, b]}, {ends: [b, c]}, {ends: [c, a]}, {ends: [c, a]}]
END
# Pods of unequal size, whose leaves are named in turn: neither order nor number says which pod a switch is in.
python3 - >uneven.yaml <<'END'
leaves = [(pod, leaf) for leaf in range(40) for pod in range(5) if leaf < 8 * (pod + 1)]
links = [(f'host{i}', f'leaf{i}') for i in range(len(leaves))]
links += [(f'leaf{i}', f'middle{pod * 2 + side}') for i, (pod, _) in enumerate(leaves) for side in range(2)]
links += [(f'middle{i}', f'top{side}') for i in range(10) for side in range(2)]
switches = [f'leaf{i}' for i in range(len(leaves))] + [f'middle{i}' for i in range(10)] + ['top0', 'top1']
print('stormglass: 1\nname: drawn\nfabric: {topology: {kind: explicit, hosts: [%s], switches: [%s], links: [%s]}}' % (
    ', '.join(f'host{i}' for i in range(len(leaves))), ', '.join(switches), ', '.join('{ends: [%s, %s]}' % link for link in links)))
print('workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]')
END
"$program" draw uneven.yaml -o uneven.dot || fail 'uneven pods'
python3 -B "$top/tests/golden/words/drawing.py" ./*.dot | hold fabrics
PYTHONPATH=$top/tests/golden/words python3 -B "$top/tests/golden/words/pages.py" ./*.html ./*.csv ./*.diff ./*.frames ./*.svg json/*.json | hold pages
[ $failures = 0 ]
