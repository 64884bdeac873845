#!/bin/bash
# waits.sh - the account of time, as users see it.                  SPDX-License-Identifier: Apache-2.0
# The parts sum to the latency in the database and in the JSON object, which are one; nothing of the run changes by it,
# and it does not depend on threads.
set -u
top=$PWD
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; } # from outside: the file is plain SQLite
play() { "$program" run --confirm 0 "$@" 2>>err; }

play pause-storm --until 1500us --waits --json -o storm.db >storm.json
play pause-storm --until 1500us --json >without.json

[ "$(gojq -r .digest storm.json)" = "$(gojq -r .digest without.json)" ] || fail 'the account changes the run'
rows() { ask "$1" 'SELECT * FROM wait; SELECT * FROM wait_slow; SELECT * FROM wait_member_part; SELECT * FROM wait_place'; }
rows storm.db >one
for threads in 2 3 4; do
    play pause-storm --until 1500us --waits --json --threads $threads -o threads.db >threads.json
    [ "$(gojq .threads threads.json)" = $threads ] || fail "it was not played on $threads threads"
    [ "$(gojq -c '[.workloads[].waits]' storm.json)" = "$(gojq -c '[.workloads[].waits]' threads.json)" ] ||
        fail "the account of $threads threads is another"
    rows threads.db | cmp -s one - || fail "the database of $threads threads has another account"
    rm -f threads.db
done
[ "$(wc -l <one)" -gt 100 ] || fail 'there is no account'
[ "$(gojq '[.workloads[] | has("waits")] | any' without.json)" = false ] || fail 'waits without --waits'

gojq -e '[.workloads[].waits[] | select(.count > 0)] | length >= 5 and
       all(.latency_ps == ([.parts_ps[]] | add) and .parts_ps.untraced == 0)' storm.json >sums ||
    fail 'the parts do not sum to the latency'
[ "$(ask storm.db 'SELECT count(*) FROM wait_total t WHERE latency_ps <>
     (SELECT sum(sum_ps) FROM wait w WHERE w.workload=t.workload AND w.operation=t.operation)')" = 0 ] ||
    fail 'the rows do not sum to the latency'
[ "$(ask storm.db 'SELECT count(*) FROM wait_total t WHERE (paused_ps, queued_ps) <>
     (SELECT sum(paused_ps), sum(queued_ps) FROM wait_place p WHERE p.workload=t.workload AND p.operation=t.operation)')" = 0 ] ||
    fail 'the places do not sum to what was paused and queued'
[ "$(gojq '[.workloads[].waits[].latency_ps] | add' storm.json)" = \
  "$(ask storm.db 'SELECT sum(latency_ps) FROM wait_total')" ] || fail 'the database has another account'

# By member the same: its parts sum to its latency, its commands are those that it completed, and all of them are all.
[ "$(ask storm.db 'SELECT count(*) FROM wait_member m WHERE latency_ps <>
     (SELECT sum(sum_ps) FROM wait_member_part p WHERE (p.workload, p.member) = (m.workload, m.member))')" = 0 ] ||
    fail 'the parts of a member do not sum to its latency'
[ "$(ask storm.db 'SELECT count(*), sum(w.count = m.completed) FROM member m JOIN wait_member w USING(workload, member, from_node, to_node)
     WHERE completed > 0')" = "$(ask storm.db 'SELECT count(*), count(*) FROM member WHERE completed > 0')" ] ||
    fail 'members waited for what others did'
[ "$(ask storm.db 'SELECT sum(latency_ps) FROM wait_member')" = "$(ask storm.db 'SELECT sum(latency_ps) FROM wait_total')" ] ||
    fail 'the members are not all'

# The mean is that of the workload, whose histogram counts the same commands.
[ "$(ask storm.db 'SELECT count(*) FROM workload JOIN (SELECT workload, sum(latency_ps) AS ps, sum(count) AS n
     FROM wait_total GROUP BY workload) USING(workload) WHERE n = completed AND abs(ps * 1.0 / n - latency_mean_ps) > 1')" = 0 ] ||
    fail 'the mean is another than that of the workload'

# What the storm does: the victims' slowest commands waited for pauses, and the storming host is named.
play pause-storm --waits -o with.db >text
grep -A4 "'victims' read, mean" text | grep -q 'slowest 1%, mean .*: 9[0-9]% paused' || fail 'the slowest were not paused'
grep -A4 "'victims' read, mean" text | grep -q 'paused most at leaf[1-3]:p[89] priority 3, by spine[01]:p[1-3]: .*, mostly because of host0$' ||
    fail 'the next port, or host0, is not named'
slowest=$(ask with.db "SELECT host||' to '||target FROM v_wait_member WHERE workload='backup' ORDER BY mean_us DESC LIMIT 1")
slowest_host=${slowest% to *}
[ "$(grep -c "^    slowest pair $slowest, mean 1\.7.* ms: .*paused" text)" = 1 ] || fail "the slowest pair is not $slowest"
# What is full and no host: the port and its priority are named.
play incast-8to1 --waits --set hosts.defaults.rnic.congestion-control=none --set fabric.switch.alpha=0.2% --set 'expect=[no-deadlock]' >incast
grep -q 'paused most at host[0-9]*:p0 priority 3, by switch0:p[0-9]*: .*, mostly because of switch0:p0 priority 3$' incast ||
    fail 'the port that is full is not named'
# Without the fault they were paused for less than a quarter of that, and not for host0's sake.
paused_ps='SELECT sum(paused_ps) FROM wait_total JOIN workload USING(workload) WHERE name = '"'victims'"
play pause-storm --waits --set 'faults=[]' --set 'expect=[no-deadlock]' -o without.db >text
grep -q 'because of host0$' text && fail 'host0 is named although nothing is wrong with it'
[ "$(ask with.db "$paused_ps")" -gt $(($(ask without.db "$paused_ps") * 4)) ] || fail 'the storm pauses nobody'

# Head-of-line blocking in a TCP connection. Of two reads of 128 KiB at a time, one waits until the other has been sent: half of
# the latency less a round trip of 22 us. In connections of their own they wait at the port, and not for bytes before them.
# One at a time waits for nothing, even if segments are lost; four at a time also wait for lost segments of the others.
by_hand=$top/tests/validation/nvme-tcp-by-hand.yaml
behind() { # COLUMN SETTING...: us of each command
    play "$by_hand" --waits -o behind.db --set workloads.io.count=200 --set workloads.io.block-size=128KiB --set duration=400ms "${@:2}" >behind
    ask behind.db "SELECT round($1 / 1e6 / count, 1) FROM wait_total"
}
lossy='faults=[{kind: random-loss, where: host1, rate: 1/1000}]'
latency=$(behind latency_ps --set workloads.io.queue-depth=2)
awk -v w="$(ask behind.db 'SELECT behind_sent_ps / 1e6 / count FROM wait_total')" -v l="$latency" \
    'BEGIN { d = w - (l / 2 - 22.4); exit !(d * d < 1) }' || fail "two reads: $latency us, $(cat behind)"
grep -q '    of this, [34][0-9]% behind bytes of other commands in the same connection: mean [0-9.]* us until these were sent$' behind ||
    fail "two reads: $(cat behind)"
[ "$(behind behind_sent_ps --set workloads.io.queues=2)" = 0.0 ] || fail "two connections: $(cat behind)"
[ "$(behind 'behind_sent_ps + behind_lost_ps' --set workloads.io.queue-depth=1 --set "$lossy")" = 0.0 ] || fail "one read: $(cat behind)"
[ "$(ask behind.db "SELECT sum(sum_ps) > 0 FROM wait WHERE part = 'retransmission'")" = 1 ] || fail 'nothing was lost'
behind behind_lost_ps --set workloads.io.queue-depth=4 --set "$lossy" >lost
[ "$(ask behind.db 'SELECT behind_lost_ps > 0 FROM wait_total')" = 1 ] || fail "four reads: $(cat behind)"
[ "$(ask behind.db 'SELECT latency_ps - (SELECT sum(sum_ps) FROM wait) FROM wait_total')" = 0 ] || fail 'four reads: the parts do not sum to the latency'

# explain has the same account, by member too, and the page shows it.
"$program" explain --json storm.db >explained.json || fail 'explain failed'
[ "$(gojq -c '[.workloads[].waits | map_values(del(.places))]' explained.json)" = "$(gojq -c '[.workloads[].waits]' storm.json)" ] ||
    fail 'explain --json has another account'
gojq -e '[.workloads[].members[] | .latency_ps == ([.waits[]] | add)] | length > 20 and all' explained.json >sums ||
    fail 'explain: the parts of a member do not sum to its latency'
gojq -e '[.workloads[].waits[].places[]] | length > 5 and (map(select(.paused_ps > 0)) | all(.paused_by != ""))' explained.json >sums ||
    fail 'explain: nobody paused'
play pause-storm --waits -o with.db >text
"$program" explain with.db >explained && grep -q 'paused most at' explained || fail 'explain has no time breakdown'
[ "$(grep -c 'mostly because of host0$' explained)" = "$(grep -c 'mostly because of host0$' text)" ] ||
    fail 'explain tells another story than the summary'
"$program" report with.db -o with.html && grep -q 'id="waits"' with.html && grep -q "<td>$slowest_host</td>" with.html ||
    fail 'the page has no account of time'
play pause-storm --until 1500us -o without.db >text
"$program" explain without.db | grep -q 'paused most at' && fail 'explain invents an account'
"$program" report without.db -o without.html && grep -q 'id="members"' without.html && ! grep -q 'id="waits"' without.html ||
    fail 'the page without an account'

# The verdict comes with the part of the account that is its own, or that says why it is another's.
"$program" explain --json with.db >explained.json
share() { ask with.db "SELECT printf('%.0f%%', 100.0*sum(sum_ps) FILTER (WHERE part='$2')/sum(sum_ps)) FROM wait JOIN workload USING(workload) WHERE name='$1'"; }
[ "$(gojq -r '.workloads[] | select(.name == "backup") | .evidence.account' explained.json)" = \
  "congestion control: $(share backup congestion_control) of an operation's time" ] || fail 'the verdict of backup has another account'
gojq -r '.workloads[] | select(.name == "neighbor") | .evidence.account' explained.json |
    grep -q "^paused, most at spine0:p0: $(share neighbor paused) of an operation's time$" || fail 'the verdict of neighbor has another account'
[ "$(gojq '[.workloads[].evidence | has("account")] | any' <("$program" explain --json without.db))" = false ] ||
    fail 'an account of a verdict, and nobody accounted'
play incast-8to1 --waits --json >incast.json
gojq -e '.bottleneck_kind == "link" and (.bottleneck_account | test("^(congestion control|queued).*: [0-9]+% of an operation.s time"))' incast.json >sums ||
    fail "incast: $(gojq -r .bottleneck_account incast.json)"
exit $((failures > 0))
