#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# no-reads.sh - max-rd-atomic 0 under NVMe: check and the run say why no controller comes up, and what they propose repairs it.
set -u
. tests/golden/outside

cat >none.yaml <<'END'
stormglass: 1
name: none
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts:
  old: {where: host0, rnic: {max-rd-atomic: 0}}
  targets: {where: host2, rnic: {max-rd-atomic: 0}, namespaces: [{media: fixed}]}
workloads:
  - {name: w, kind: nvme, from: host0, to: host2, read: 50%, block-size: 16KiB, queue-depth: 4}
END
why="'w': host2 can never READ from host0, with rnic.max-rd-atomic 0 at host0: the data of Connect and of writes cannot be fetched, so no controller comes up"
remedy='(--set hosts.old.rnic.max-rd-atomic=16 --set hosts.targets.rnic.max-rd-atomic=16)'

expect 'check names it' 0 "$why" "$program" check none.yaml
grep -qF "$remedy" out || fail 'check proposes something else'
expect 'a run names it' 1 "$why" "$program" run none.yaml
grep -qF "$remedy" out || fail 'a run proposes something else'
expect 'the remedy' 0 digest "$program" run none.yaml --set hosts.old.rnic.max-rd-atomic=16 --set hosts.targets.rnic.max-rd-atomic=16
grep -q 'can never READ' out && fail 'it is still named when it is repaired'
exit $((failures > 0))
