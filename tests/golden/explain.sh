#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# explain from outside: the account of three runs, and what is no run.
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2"; } # FILE FILTER
# refuses NAME WORDS OPERAND...: exit code 2, nothing on stdout, and why
refuses() {
    local name=$1 words=$2 code
    shift 2
    "$program" explain "$@" >out 2>err
    code=$?
    [ $code = 2 ] || fail "$name: exit code $code instead of 2"
    [ ! -s out ] || fail "$name: something on standard output"
    grep -qF -e "$words" err || fail "$name: $(cat err)"
}

# The pause storm: the slow receiver, three hops, and people who never talk to it.
"$program" run pause-storm --record counters -o storm.db >run
"$program" explain storm.db >storm 2>err || fail "storm: exit code $?: $(cat err)"
"$program" explain storm.db --json >storm.json || fail "storm --json: exit code $?"
says storm 'certain: the receive buffer of host0 drains more slowly'
says storm 'hop 1   leaf0:p0         paused by host0:p0'
says storm 'the receive buffer held 215 KiB (threshold 215 KiB)'
says storm 'frames queued for leaf0:p0'
says storm 'in total: 6 ports paused, up to 3 hops from the cause'
says storm 'backup           link: leaf0:p0 to host0 is 100% busy (in the rerun without the confirmed cause)'
says storm 'loss-recovery go-back-n: no packet was retransmitted'
holds storm.json '.sure and .roots[0].node == "host0" and .roots[0].depth == 3'
holds storm.json '[.path[] | .xoffs > 0 and .occupancy_bytes >= .threshold_bytes] | all'
holds storm.json '[.path[] | select(.hops > 1).because_of | startswith("leaf0:") or startswith("spine")] | all'
holds storm.json '[.victims[] | select(.cause == 0) | [.workload, .class]] | unique | tojson == "[[\"backup\",\"direct\"],[\"neighbor\",\"indirect\"],[\"victims\",\"indirect\"]]"'
"$program" run pause-storm --confirm 0 -o suspected.db >run
"$program" explain suspected.db --json >suspected.json || fail "suspected --json: exit code $?"
holds suspected.json '[.workloads[].bottleneck] | unique == ["slow receiver"]'
holds storm.json '[.workloads[].bottleneck] | contains(["slow receiver"]) | not'
# One list of victims: the causes have the same, and each went by a port that was paused.
holds storm.json '. as $all | [.victims[] | [.cause, .workload, .host, .class, .failed, .held_ps]] | sort == ([$all.causes | to_entries[] | .key as $cause | .value.victims[] | [$cause, .workload, .host, .class, .failed, .paused_ps]] | sort)'
holds storm.json '[.victims[] | .lost_share >= 0.01 and .held_ps > 0 and .root != null] | all'
says storm '     victims: 23'
says storm 'I/O time to delay'
[ "$(gojq .root_cause storm.json)" = "$("$program" run pause-storm --json | gojq .root_cause)" ] ||
    fail 'run and explain tell of different causes'

# Of a scenario, explain confirms causes as run does: one verdict, also where only an experiment shows the harm.
for case in incast-8to1 late-write mtu-mismatch tcp-incast; do
    [ "$("$program" explain "$case" --json | gojq -c '[.harm, .causes]')" = "$("$program" run "$case" --json | gojq -c '[.harm, .causes]')" ] ||
        fail "$case: run and explain have different verdicts"
done
"$program" explain incast-8to1 >incast
says incast 'moderate: 1 host lost'

# Parameters of a transport that no workload uses are not listed as never exercised: those of RDMA here, unless a workload uses it.
cat >both.yaml <<'YAML'
stormglass: 1
name: both
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts:
  targets: {where: host1, namespaces: [{media: fixed}]}
workloads:
  - {name: io, kind: nvme, transport: tcp, from: host0, to: host1, read: 100%, block-size: 4KiB, queue-depth: 4}
YAML
"$program" run both.yaml -o both.db >/dev/null 2>&1
"$program" explain both.db >both
says both 'media.write-latency 10us: no write command was served'
grep -q '\.rnic\.\|RNIC' both && fail "parameters of RDMA: $(grep '\.rnic\.\|RNIC' both)"
"$program" run both.yaml --set workloads.io.transport=rdma -o both.db >/dev/null 2>&1
"$program" explain both.db >both
says both 'hosts.defaults.rnic.timeout 14 (67.1 ms): no sender timed out'
says both 'congestion-control dcqcn-mlx5: no sender received a CNP'

# How TCP repaired losses: the counts are the counters', the time is that between the frames of a segment.
"$program" run both.yaml --confirm 0 --set duration=40ms --set workloads.io.block-size=48KiB \
    --set 'faults=[{kind: random-loss, where: "host1:p0", at: 2ms, for: 30ms, rate: 0.3%}]' --record packets -o lossy.db >/dev/null 2>&1
"$program" explain lossy.db >lossy
again=$("$program" query --tabs lossy.db "SELECT sum(value) FROM counter WHERE name='TcpExtTCPFastRetrans'" | tail -n +2)
[ "${again:-0}" -gt 3 ] || fail "too few retransmissions for a test: $again"
says lossy "; $again segments were sent again, on average"
"$program" explain lossy.db --json >lossy.json
wait=$("$program" query --tabs lossy.db "SELECT CAST(avg(f.at_ps - (SELECT max(b.at_ps) FROM frame b WHERE b.qpn=f.qpn AND
    b.psn=f.psn AND b.payload_bytes>0 AND b.node=f.node AND b.at_ps<f.at_ps)) AS INTEGER) FROM frame f JOIN port p USING(node, port)
    WHERE opcode='TCP' AND flags & 16 AND p.endpoint=f.source" | tail -n +2)
holds lossy.json "(.tcp_loss_recovery.fast_retransmission.mean_wait_ps - $wait | fabs) < 0.15 * $wait"

# A pause of a whole port is one, not one for each priority.
"$program" run pause-storm --set fabric.host-links.flow-control=global --set fabric.fabric-links.flow-control=global -o whole.db >run
"$program" explain whole.db --json >whole.json || fail "whole --json: exit code $?"
holds whole.json '[.victims[] | select(.root == 0) | .held_ps] | length > 20 and all(. > 2000000000 and . < 3100000000)'

# The same account from the same database; without the level counters no reason is made up.
"$program" explain storm.db | cmp -s - storm || fail 'a second account is another one'
"$program" run pause-storm --confirm 0 --record summary -o summary.db >run
"$program" explain summary.db >summary
says summary 'to see buffer occupancies and thresholds here, run with --record counters'
grep -q 'threshold [0-9]' summary && fail 'a threshold that was not recorded'

# The proof: the slow receiver repaired takes it all away.
"$program" explain storm.db --prove --json >proof.json 2>err || fail "--prove: exit code $?: $(cat err)"
# In words, of 600 us of it.
"$program" run pause-storm --set duration=4ms --set faults.0.for=600us -o brief.db >run
"$program" explain brief.db --prove >proof 2>err || fail "--prove: exit code $?"
says proof 'proved: slow-receiver at host0, removed (a root cause): this change removes 100% of the delay'
says proof "victim     I/O of workload 'backup' was delayed by 61.7 ms in total, 21% of its I/O time"
holds proof.json '.proof.ideal == "fault-free run" and .proof.gone == 1 and (.proof.culprits | length) == 1'
holds proof.json '.proof.repairs[0] | .root_cause and .culprit and .role == "suspect" and .gone == 1 and .after.done > .before.done'
holds proof.json '.proof.repairs[0] | .after.stopped_ps * 5 < .before.stopped_ps'
holds proof.json '[.proof.repairs[] | select(.role == "bystander")] | length == 2 and all(.culprit | not)'
holds proof.json '.proof.before.lost_ps == .proof.repairs[0].before.lost_ps'
holds proof.json '[.proof.victims.most[].lost_ps] | add == '"$(gojq .proof.before.lost_ps proof.json)"
gojq 'del(.proof, .prove)' proof.json | cmp -s - <(gojq . storm.json) || fail '--prove changes the account'

# Two that stop the same victims: neither alone gives all back, and who does no harm is not named.
cat >two.yaml <<'END'
stormglass: 1
name: two
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 8}, switch: {profile: shared-buffer-12mb, policy: static, xoff: 40KB}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: a, kind: rdma-write, from: host0, to: host1, message-size: 16KiB, rate: 20000, outstanding: 64}
  - {name: b, kind: rdma-write, from: host0, to: host2, message-size: 16KiB, rate: 20000, outstanding: 64}
  - {name: v, kind: rdma-write, from: host0, to: host3, message-size: 16KiB, rate: 20000, outstanding: 64}
  - {name: w, kind: rdma-write, from: host4, to: host5, message-size: 16KiB, rate: 20000, outstanding: 64}
  - {name: x, kind: rdma-write, from: host6, to: host7, message-size: 16KiB, rate: 20000, outstanding: 64}
faults:
  - {at: 500us, for: 1ms, kind: pause-storm, where: host1}
  - {at: 500us, for: 1ms, kind: slow-receiver, drain: 0%, where: host2}
  - {at: 500us, for: 1us, kind: slow-receiver, drain: 0%, where: host5}
END
"$program" run two.yaml -o two.db >run 2>&1
"$program" explain two.db --prove >two || fail "two: exit code $?"
"$program" explain two.db --prove --json >two.json || fail "two: exit code $?"
says two 'together, these changes remove 100% of the delay'
holds two.json '.proof.culprits == [.proof.repairs[0, 1].text] and .proof.gone > 0.99'
holds two.json '[.proof.repairs[0, 1].gone] | all(. < 0.9)'
holds two.json '.proof.repairs[2].gone | fabs < 0.01'
holds two.json '.proof.repairs[] | select(.role == "innocent") | .text == "x removed" and .gone == 0'

# Two storms: each is a cause with its own path and victims.
sed 's/kind: slow-receiver, drain: 0%, where: host2/kind: pause-storm, where: host2/' two.yaml >storms.yaml
"$program" run storms.yaml -o storms.db >run 2>&1
"$program" explain storms.db >storms || fail "storms: exit code $?"
"$program" explain storms.db --json >storms.json || fail "storms: exit code $?"
says storms 'certain: host2 sends PAUSE although'
says storms '55% of the total pause time; and pause storm from host1 (it paused '
says storms '  pauses that host1 caused:'
holds storms.json '[.roots[] | select(.cause).node] == ["host2", "host1"]'
holds storms.json '[.path[] | [.root, .hops]] == [[0, 1], [0, 2], [1, 1], [1, 2]]'
holds storms.json '[.victims[] | select(.class == "direct" and .root < 2) | [.root, .workload]] == [[0, "b"], [1, "a"]]'
[ "$(sqlite3 storms.db "SELECT count(*) FROM v_victim WHERE what='workload'")" = 3 ] ||
    fail 'a victim of two is listed twice'

# Victims go by the paths that queue pairs took: of four that could use either spine, those that are
# alone seen on the spine of the one that talks to the slow host.
paths_of() { # WORKLOAD NAME...: its scenario
    local name to=(0 2 1 5 3)
    echo 'stormglass: 1
name: paths
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}
  fabric-links: {rate: 100Gbps}
  switch: {buffer: 2MB, ports: 1, policy: static, xoff: 40KB}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:'
    for name in "$@"; do
        echo "  - {name: $name, kind: rdma-write, from: host$((6 + ${name#w})), to: host${to[${name#w}]}, message-size: 64KiB, outstanding: 1}"
    done
}
spine_of() { # DB: the spines that leaf1 sent data to
    sqlite3 "$1" "SELECT group_concat(DISTINCT q.node) FROM counter c JOIN port p ON p.node=c.node AND
        p.port=c.port JOIN node n ON n.node=c.node JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port
        JOIN node m ON m.node=q.node WHERE n.name='leaf1' AND m.name LIKE 'spine%' AND c.name='tx_prio3_bytes' AND c.value>100000"
}
declare -A spine
for w in w0 w1 w2 w3 w4; do
    paths_of $w >alone.yaml
    "$program" run alone.yaml -o alone.db >run 2>&1
    spine[$w]=$(spine_of alone.db)
done
{
    paths_of w0 w1 w2 w3 w4 | sed 's/\(name: w0.*\)64KiB, outstanding: 1/\11MiB, outstanding: 8/'
    echo 'faults: [{at: 100us, for: 900us, kind: slow-receiver, where: host0, drain: 0%}]'
} >paths.yaml
"$program" run paths.yaml -o paths.db >run 2>&1
expected='' missed=0
for w in w1 w2 w3 w4; do
    if [ "${spine[$w]}" = "${spine[w0]}" ]; then expected+="$w "; else missed=$((missed + 1)); fi
done
found=$(sqlite3 paths.db "SELECT group_concat(name, ' ')||' ' FROM (SELECT DISTINCT name FROM victim JOIN workload
    USING(workload) WHERE cause=0 AND name<>'w0' ORDER BY name)")
[ "$found" = "$expected" ] || fail "victims are '$found', those on the same spine '$expected'"
[ $missed -gt 0 ] && [ -n "$expected" ] || fail 'all took the same spine: nothing is tested'

# A host that is slow by nature, congestion beside it, and a link that is restored.
cat >slow.yaml <<'END'
stormglass: 1
name: slow
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 5}, switch: {profile: shared-buffer-12mb, alpha: 12.5%}}
hosts:
  defaults: {rnic: {profile: ideal, congestion-control: none}}
  overrides: [{where: host0, rnic: {drain: 20Gbps}}]
workloads:
  - {name: a, kind: rdma-write, from: host2, to: host0, message-size: 1MiB, outstanding: 2}
  - {name: b, kind: rdma-write, from: host2, to: host1, message-size: 1MiB, outstanding: 2}
  - {name: c, kind: rdma-write, from: host3, to: host4, message-size: 64KiB, outstanding: 1}
faults: [{at: 500us, for: 100us, kind: link-down, where: host3-switch0}]
END
"$program" run slow.yaml -o slow.db >run 2>&1
"$program" explain slow.db --prove >slow || fail "slow: exit code $?"
says slow 'suspect    link-down at host3-switch0, removed'
says slow 'proved: link-down at host3-switch0, removed (this change alone removes 85% of the harm'
says slow 'and host0 drains at line rate (a root cause) (this change alone removes 15% of the harm'

# More suspects than a proof tests by itself: --all tests every one of them.
{
    sed -n '/^stormglass/,/^workloads/p' slow.yaml | sed '/overrides/d; s/name: slow/name: many/'
    echo '  - {name: c, kind: rdma-write, from: host2, to: host0, message-size: 64KiB, outstanding: 1}'
    echo 'faults:'
    for number in {1..20}; do
        echo "  - {at: $((number * 10))us, for: 1us, kind: slow-receiver, drain: 50%, where: host0}"
    done
} >many.yaml
"$program" run many.yaml -o many.db >run 2>&1 || fail "many: $(cat run)"
"$program" explain many.db --prove >many || fail "many: exit code $?"
says many '6 more suspects with weaker evidence were not tested'
[ "$(grep -c '^  suspect ' many)" = 14 ] || fail "many: $(cat many)"
"$program" explain many.db --all >every || fail "every: exit code $?"
grep -q 'not tested' every && fail "every: $(cat every)"
[ "$(grep -c '^  suspect ' every)" = 20 ] || fail "every: $(cat every)"

# A target that dies: nobody pauses, and what is asked for comes late.
"$program" run target-crash -o crash.db >run 2>&1
"$program" explain crash.db --json >crash.json || fail "crash: exit code $?"
holds crash.json '.root_cause == null and .path == [] and (.victims | length > 0 and all(.root == null and .held_ps == 0))'
"$program" explain crash.db --prove >crash 2>err || fail "crash: exit code $?: $(cat err)"
says crash 'proved: target-crash at host0'
"$program" explain crash.db --prove 2>err | cmp -s - crash || fail 'a second proof is another one'

# Two flows on one link: nothing is broken, nobody pauses, and each has what the other lacks.
"$program" run dcqcn-2to1 -o share.db >run 2>&1
"$program" explain share.db --prove >share || fail "share: exit code $?"
says share 'workload   first removed'
says share 'nothing to test: the scenario has no fault, no slow host, and no setting that differs from its peers'
holds crash.json '[.workloads[].bottleneck] == ["asked for", "asked for"]'

# A fault that begins after the end, a full link, and a link that nothing uses.
cat >calm.yaml <<'END'
stormglass: 1
name: calm
duration: 200us
fabric: {topology: {kind: single-switch, hosts: 4}}
workloads: [{name: copy, kind: rdma-write, from: host0, to: host1, message-size: 1MiB, outstanding: 4}]
faults:
  - {at: 1s, kind: slow-receiver, where: host1, drain: 10%}
  - {at: 0s, kind: slow-receiver, where: host2, drain: 10%}
END
"$program" run calm.yaml -o calm.db >run 2>&1
"$program" explain calm.db >calm || fail "calm: exit code $?"
says calm 'none: no port was paused'
says calm 'link: host0:p0 to switch0 is 100% busy'
says calm 'slow-receiver at host1 from 1s: the run ended before the fault began'
says calm 'slow-receiver at host2 from 0s: its host sent no pause'
says calm '2 of 4 links, such as host2 to switch0: no frame crossed them'

echo 'precious: true' >precious.yaml
sqlite3 foreign.db 'CREATE TABLE t(a)'
sqlite3 storm.db "UPDATE meta SET digest=NULL, status='running'"
cp calm.db other.db
sqlite3 other.db "UPDATE meta SET digest='00112233445566778899aabbccddeeff'"
refuses 'another digest' 'so nothing can be proved' --prove other.db
# What was measured tells of its commands, not of switches.
cp crash.db measured.db
sqlite3 measured.db "INSERT INTO measured VALUES('device','rxe0')"
"$program" explain measured.db >measured || fail "measured: exit code $?"
says measured 'unknown: a measured run has no pause data'
says measured 'unknown: a measured run has no switch or RNIC counters'

# Where no experiment was made, what `check` found stands in for a cause.
cat >reads.yaml <<'END'
stormglass: 1
name: reads
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {max-rd-atomic: 0}}, targets: {where: host1, namespaces: [{media: null, count: 1}]}}
workloads: [{name: w, kind: nvme, from: host0, to: host1, block-size: 4KiB, queue-depth: 4}]
END
"$program" run reads.yaml --confirm 0 -o reads.db >/dev/null
"$program" explain reads.db >reads || fail "reads: exit code $?"
says reads "warning: 'w': host1 can never READ from host0, with rnic.max-rd-atomic 0"
"$program" run reads.yaml -o reads.db >/dev/null
"$program" explain reads.db >reads || fail "reads: exit code $?"
says reads '(confirmed by rerun): host0 and 1 more: max-rd-atomic is 0 instead of the default 16 (hosts.defaults.rnic.max-rd-atomic)'
grep -q warning: reads && fail 'reads: a warning next to a confirmed cause'

# Of many warnings the first four.
{
    sed '/^workloads/d' reads.yaml
    echo 'workloads:'
    for number in 1 2 3 4 5 6; do
        echo "  - {name: w$number, kind: nvme, from: host0, to: host1, block-size: 4KiB, queue-depth: 4}"
    done
} >many.yaml
"$program" run many.yaml --confirm 0 -o many.db >/dev/null
"$program" explain many.db >many || fail "many: exit code $?"
[ "$(grep -c '^  warning: ' many)" = 4 ] || fail "many: $(grep -c '^  warning: ' many) warnings"
says many "... and $(sqlite3 many.db 'SELECT count(*) - 4 FROM warning') more warnings"

cp calm.db old.db
sqlite3 old.db 'DROP TABLE workload_way'
refuses 'an old database' 'written by an older stormglass' old.db
refuses 'no file' 'nothere.db: No such file' nothere.db
refuses 'no database' 'expected stormglass: 1' precious.yaml
refuses 'no scenario' "unknown key 'precious'" precious.yaml
refuses 'a foreign database' 'not a run database' foreign.db
refuses 'a run under way' 'the run did not end' storm.db
refuses 'no operand' 'missing argument'
[ $failures = 0 ]
