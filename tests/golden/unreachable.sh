#!/bin/bash
# Targets that are off or out of reach: when attempts to connect fail, and when the host gives up.    SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

write() { # FAULT [NVME-SETTINGS]
    cat <<SCENARIO
stormglass: 1
name: unreachable
duration: 60s
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {rnic: {congestion-control: none, path-mtu: 4096B}, nvme: {keep-alive: 5s${2-}}}
  targets: {where: host0, namespaces: [{media: storage-class}]}
workloads:
  - {name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, rate: 1000}
faults:
  - $1
SCENARIO
}
run() { "$program" run --confirm 0 "$@" -o run.db >out 2>err; [ $? -le 1 ] || fail "run $*: $(cat err)"; }
ask() { sqlite3 -batch -noheader run.db "$1"; }
# when attempts failed, in whole milliseconds, the loss itself left out
failed() { ask "SELECT group_concat(at_ps/1000000000, ' ') FROM note WHERE text LIKE '%(step: connecting the admin queue)%'"; }
same() { [ "$2" = "$3" ] || fail "$1: expected $3, found $2"; }

# Powered off: 3 s of address resolution and 10 s of reconnect-delay, each rounded up by the kernel's timer wheel: 13.312 s.
write '{kind: target-crash, how: power, where: host0, at: 200ms}' >power.yaml
run power.yaml
same 'a machine that is off' "$(failed)" '13824 27136 40448 53760'
ask 'SELECT text FROM note' | grep -q 'no answer to ARP' || fail 'the reason is not stated'

# The process alone: the machine answers each request at once.
write '{kind: target-crash, how: process, where: host0, at: 200ms}' >process.yaml
run process.yaml
same 'a process that died' "$(failed)" '10240 20480 30720 40960 51200'
ask 'SELECT text FROM note' | grep -q 'REJ reason 8' || fail 'the rejection is not stated'

# Out of reach by whatever: a cable, a switch, a port that loses every frame.
for fault in '{kind: link-down, where: host0:p0, at: 200ms}' '{kind: switch-down, where: switch0, at: 200ms}' \
    '{kind: random-loss, rate: 1, frames: all, where: switch0:p0, at: 200ms}' '{kind: drop-every, n: 1, frames: all, where: host0:p0, at: 200ms}'; do
    write "$fault" >fault.yaml
    run fault.yaml
    same "$fault" "$(ask "SELECT max(gap) FROM (SELECT (at_ps-lag(at_ps) OVER (ORDER BY at_ps))/1000000000 AS gap FROM note
        WHERE text LIKE '%(step: connecting the admin queue)%')")" 13312
done

# Eleven minutes are more than ctrl-loss-tmo: permanently lost, and what waited fails.
run power.yaml --set duration=660s
same 'given up' "$(ask 'SELECT lost, given_up, reconnected FROM v_recovery')" '1|1|0'
grep -q '1 permanently lost' out || fail 'the summary does not report it'
same 'what waited' "$(ask 'SELECT failed>0, unfinished FROM workload')" '1|0'
sed 's/at: 200ms/at: 200ms, for: 660s/' power.yaml >back.yaml
run back.yaml --set duration=700s
same 'it comes back too late' "$(ask 'SELECT given_up, reconnected FROM v_recovery')" '1|0'
sed 's/at: 200ms/at: 200ms, for: 300s/' power.yaml >back.yaml
run back.yaml --set duration=330s
same 'it comes back in time' "$(ask 'SELECT given_up, reconnected FROM v_recovery')" '0|1'

# Once the host gave up, time without I/O and time lost go on to the end of the run, whenever the fault ends.
for until in 'at: 5s' 'at: 5s, for: 660s' 'at: 5s, for: 880s'; do
    write "{kind: target-crash, how: power, where: host0, $until}" | sed 's/rate: 1000/rate: 1/' >end.yaml
    run end.yaml --set duration=900s --set workloads.w.queue-depth=32
    same "gap, $until" "$(ask 'SELECT failed>0, unfinished, gap_ps/1000000000000 BETWEEN 893 AND 895 FROM workload JOIN recovery USING(workload)')" '1|0|1'
    same "lost, $until" "$(ask "SELECT value/1000000000000 BETWEEN 893 AND 895 FROM result WHERE path='harm.lost_ps'")" 1
done

# As Linux counts: 60 attempts, which take 799 s.
write '{kind: target-crash, how: power, where: host0, at: 200ms}' ', ctrl-loss-limit: attempts' >count.yaml
run count.yaml --set duration=780s
same 'attempts, before' "$(ask 'SELECT given_up FROM v_recovery')" 0
run count.yaml --set duration=810s
same 'attempts' "$(ask 'SELECT given_up, attempts FROM v_recovery')" '1|60'

# -1 is for ever; so is never.  Hours of a run cost what happens in them.
for forever in -1 never; do
    write '{kind: target-crash, how: power, where: host0, at: 200ms}' ", ctrl-loss-tmo: $forever" >forever.yaml
    run forever.yaml --set duration=3h
    same "ctrl-loss-tmo: $forever" "$(ask 'SELECT lost, given_up, attempts FROM v_recovery')" '1|0|811'
done
run power.yaml --set duration=27h --set drain=1h
same 'a day' "$(ask "SELECT simulated_ps/1000000000000, (SELECT count(*)<10000 FROM state_change) FROM meta")" '97200|1'
grep -q '27h' err && fail '27 h are refused'

# A day of 150 controllers is more time than 64 bits of picoseconds hold: none of it is below zero, or longer than the run.
write '{kind: target-crash, how: power, where: host0, at: 200ms}' ', ctrl-loss-tmo: never, reconnect-delay: 3600s' |
    sed "s/hosts: 2}/hosts: 151}/; s/from: host1/from: [$(seq -f host%g -s, 1 150)]/" >day.yaml
run day.yaml --set duration=27h
same 'a day of many' "$(ask 'SELECT lost=150, without_service_ps BETWEEN 90000*1000000000000 AND until_ps FROM recovery,
    (SELECT simulated_ps+drain_ps AS until_ps FROM meta)')" '1|1'
same 'no time below zero' "$(ask "SELECT count(*) FROM result WHERE (path LIKE '%\_ps' ESCAPE '\' OR path LIKE '%\_ns' ESCAPE '\') AND value<0")" 0

# It never answered: the first attempt fails, and there is no other.
write '{kind: target-crash, how: power, where: host0, at: 0s}' >never.yaml
run never.yaml
same 'never connected' "$(failed)" 3072
[ $failures = 0 ]
