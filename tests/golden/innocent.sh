#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What changes nothing is accused of nothing: every setting of an RNIC, an NVMe host, a target, a switch or a host's link is given odd
# values at one place of a fabric that serves its hosts unequally anyway; where the digest is that of the run without it, no cause
# has its name.
# A third of the values in turn, by the commit; ALL=1: all.
# Hazards: who is served worse has an odd setting by chance; a ceiling that is off, a queue that is long enough, a cost nobody pays.
set -u
. tests/golden/outside

scenario() { # LINE_OF_FABRIC LINE_OF_HOSTS
    cat <<END
stormglass: 1
name: unequal
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
$1
hosts:
  defaults: {rnic: {profile: ideal}}
  targets: {where: "host9..host11", namespaces: [{media: "null"}]}
$2
workloads:
  - {name: db, kind: nvme, from: "host0..host5", to: "host9..host11", pairing: round-robin, read: 50%, block-size: 16KiB, queue-depth: 8, queues: 2}
END
}
digest() { sed -n 's/^digest //p' out; }

scenario "" "" >base.yaml
"$program" run base.yaml >out || fail "the base: exit code $?"
base=$(digest)
grep -q '^Harm  *none' out || fail "the base: $(grep -A3 '^Harm' out)"

tried=0 idle=0 number=0
while read -r section row default; do
    case $default in
    *B) values="8KiB" ;;
    *s) values="7us 1ms" ;;
    *bps) values="10Gbps" ;;
    *%) values="50%" ;;
    true) values=false ;;
    false) values=true ;;
    [0-9]*) values="1 64 1Gbps none" ;;
    *) values="1 64 7us 8KiB 10Gbps" ;; # auto, any, none, off: of any type
    esac
    name=hosts.odd.$section.$row
    case $section in switch | host-links) name="fabric.overrides[0].$row" ;; esac
    for value in $values; do
        in_turn $((number++)) 3 || continue
        case $section in
        switch) scenario "  overrides: [{where: leaf1, $row: $value}]" "" ;;
        host-links) scenario "  overrides: [{where: host2-leaf0, $row: $value}]" "" ;;
        target) scenario "" "  odd: {where: host9, target: {$row: $value}}" ;;
        *) scenario "" "  odd: {where: host2, $section: {$row: $value}}" ;;
        esac >odd.yaml
        "$program" run odd.yaml --confirm 0 >out 2>/dev/null
        [ $? -le 1 ] || continue
        tried=$((tried + 1))
        [ "$(digest)" = "$base" ] || continue
        idle=$((idle + 1))
        grep -A4 '^Causes' out | grep -qF "$name " && fail "$row $value: $(grep -A3 '^Causes' out)"
    done
done < <("$program" list parameters | sed -nE \
    's/^(hosts\.defaults|fabric)\.(rnic|nvme|target|switch|host-links)\.([a-z0-9-]+) +([^ ]+).*/\2 \3 \4/p')
[ $tried -gt 65 ] && [ $idle -gt 30 ] || fail "only $idle of $tried settings do nothing there"
echo "$idle of $tried settings do nothing there, and none is accused"
[ $failures = 0 ]
