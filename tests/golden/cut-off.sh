#!/bin/bash
# A workload of which one member is cut off is neither steady nor fair.                    SPDX-License-Identifier: Apache-2.0
# Hazards: the figures are those of the members that are left; a rate over the short life of the member that was cut off
# looks like the rate of the others; a member whose finite work is done looks as if it were cut off.
set -u
. tests/golden/outside

# write NAME FAULT WORKLOAD [MORE]: three members, hosts 1 to 3; MORE: a line of `hosts`.
write() {
    cat >"$1.yaml" <<SCENARIO
stormglass: 1
name: $1
seed: 1
duration: 20ms
fabric:
  topology: ${topology:-{kind: single-switch, hosts: 7\}}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults:
    nvme: {keep-alive: 1ms, io-timeout: 1ms, reconnect-delay: 500us, ctrl-loss-tmo: ${loss:-60s}}
    rnic: {timeout: 5, retry-count: 1}
  targets: {where: "${targets:-host0}", namespaces: [{media: storage-class, size: 4GiB}]}
workloads:
  - {name: w, from: "host1..host3", ${3}}
${2:+faults:
  - $2
}expect: [steady, "w.fairness.jain >= 0.9", "w.issued > 0"]
SCENARIO
}
nvme='kind: nvme, to: host0, read: 100%, block-size: 4KiB, queue-depth: 4'
rdma='kind: rdma-write, to: host0, message-size: 64KiB, outstanding: 2'

# play NAME: runs it; the files NAME.json, out and run.db
play() {
    "$program" run --confirm 0 "$1.yaml" --json -o run.db >"$1.json" 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
    "$program" run --confirm 0 "$1.yaml" >out 2>&1
}

# cut NAME MEMBER [JAIN]: not steady, for this reason; unfair, as the member's rate is over all of the measured part.
cut() {
    play "$1"
    gojq -e '.expectations[0] | .result == "fail" and (.actual | test("^w: 1 of 3 host-target pairs was cut off at [0-9.]+ [mu]s: '"$2"'$"))' "$1.json" >/dev/null ||
        fail "$1: steady: $(gojq -c '.expectations[0]' "$1.json")"
    gojq -e '.workloads[0].steady | .settled == false and .needs_ns == null and .remedy == null and
        (.reason | test("^1 of 3 host-target pairs was cut off at .*: '"$2"'"))' "$1.json" >/dev/null ||
        fail "$1: reason: $(gojq -c '.workloads[0].steady' "$1.json")"
    gojq -e ' .workloads[0].fairness.jain < '"${3:-0.9}" "$1.json" >/dev/null ||
        fail "$1: Jain $(gojq .workloads[0].fairness.jain "$1.json")"
    grep -q 'not steady after .*: 1 of 3 host-target pairs was cut off at .*'"$2" out || fail "$1: summary: $(grep -A3 '^After warm-up' out)"
    # the index from the table of members, computed another way
    sqlite3 run.db "SELECT abs($(gojq .workloads[0].fairness.jain "$1.json")-sum(rate_bps)*sum(rate_bps)/(3*sum(rate_bps*rate_bps)))<0.001 FROM v_member" |
        grep -q 1 || fail "$1: v_member: $(sqlite3 run.db 'SELECT host, rate_bps FROM v_member')"
    [ "$(sqlite3 run.db "SELECT group_concat(host||' to '||target) FROM v_member WHERE cut_off_us IS NOT NULL")" = "$2" ] ||
        fail "$1: cut_off_us: $(sqlite3 run.db 'SELECT host, cut_off_us FROM v_member')"
}

# fair NAME: nothing is cut off.
fair() {
    play "$1"
    gojq -e '[.expectations[].result] | all(. == "pass")' "$1.json" >/dev/null || fail "$1: $(gojq -c .expectations "$1.json")"
    [ "$(sqlite3 run.db 'SELECT count(cut_off_us) FROM v_member')" = 0 ] || fail "$1: a member counts as cut off"
}

# (3, 3 - x, 3 of 9) has (3 - x)^2 / (3 (2 + (1 - x)^2)), where x of the time is lost
for at in 3ms/0.8 10ms/0.94 17ms/0.997; do
    write link-${at%ms*} "{kind: link-down, where: host2, at: ${at%/*}}" "$nvme"
    cut link-${at%ms*} 'host2 to host0' ${at#*/}
done
write link-rdma '{kind: link-down, where: host2, at: 4ms}' "$rdma"
cut link-rdma 'host2 to host0' # its queue pair is in error
write queue-pair '{kind: random-loss, where: host2, rate: 1, at: 6ms}' "$rdma"
cut queue-pair 'host2 to host0'
# One of its two queue pairs: the other goes on, and takes all of the member's work.
topology='{kind: single-switch, hosts: 4, nics: 2}' write half '{kind: link-down, where: host2:p1, at: 6ms}' "$rdma, qps: 2"
cut half 'host2 to host0' 1
loss=1ms write given-up '{kind: link-down, where: host2, at: 5ms}' "$nvme"
cut given-up 'host2 to host0'
targets=host4..host6 write crash '{kind: target-crash, where: host5, at: 5ms}' "${nvme/to: host0/to: host4..host6, pairing: one-to-one}"
cut crash 'host2 to host5'
targets=host4..host6 write power '{kind: target-crash, how: power, where: host6, at: 8ms}' "${nvme/to: host0/to: host4..host6, pairing: one-to-one}"
cut power 'host3 to host6'
targets=host4..host6 write closed '{kind: port-closed, where: host4, port: 0, at: 5ms}' "${nvme/to: host0/to: host4..host6, pairing: one-to-one}"
cut closed 'host1 to host4'
topology='{kind: leaf-spine, leaves: 7, spines: 1, hosts-per-leaf: 1}' targets=host6 write path \
    '{kind: link-down, where: link leaf2-spine0, at: 5ms}' "${nvme/to: host0/to: host6}"
cut path 'host2 to host6'

write well '' "$nvme"
fair well
# Finite work that is done, at different times.
write finite '' "${rdma/64KiB/64KiB, count: 3000}"
fair finite
# A member that comes back is a member that had a gap.
write back '{kind: link-down, where: host2, at: 1ms, for: 100us}' "$nvme"
play back
[ "$(sqlite3 run.db 'SELECT count(cut_off_us) FROM v_member')" = 0 ] || fail "back: a member that came back counts as cut off"
[ $failures = 0 ]
