#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The time machine from outside: its digests are those of the run, both ways; breaks and watches are true by the run's
# database; what waits is followed to the root; a wrong line says where; help, man page and lesson know the same commands.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
. tests/golden/outside

# step SCENARIO COMMANDS: the lines that it prints, in the file `out`
step() {
    local scenario=$1
    shift
    printf '%s\n' "$@" | "$program" step "$scenario" >out 2>err
}

equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then echo "ok    $1: $2"; else fail "$1: got '$2', expected '$3'"; fi
}

ask() { "$program" query --tabs "$1" "$2" | tail -n +2; }
digests() { sed -n 's/^digest //p' out; }

# The run is the ordinary one, wherever one stops in it.
"$program" run --confirm 0 pause-storm --record ios -o storm.db >/dev/null 2>&1
wanted=$(ask storm.db 'SELECT digest FROM meta')
step pause-storm 'next 5' 'until 1ms' 'next 3 packets' 'break drop' 'watch cnp at host18' 'goto 4ms' 'goto 2ms' continue digest
equal 'the end of a run that was stepped through' "$(digests)" "$wanted"

# There and back: at each place the same digest.
step pause-storm 'until 3500us' digest 'next 700' digest 'back 700' 'goto 3500us' digest 'goto event 0' 'goto 9ms' \
    'next 20 packets at leaf1' where 'back 20 packets at leaf1' 'next 20 packets at leaf1' where 'goto 3500us' 'next 700' digest
equal 'back and forward' "$(digests | sort | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' ')" '2 2 2 '

# Watches hit as often as the database has it.
step pause-storm 'watch completed of victims > 2ms' 'watch pause by host0' run
equal 'slow commands that were watched' "$(grep -c '^at watch 1' out)" "$(ask storm.db \
    "SELECT count(*) FROM io JOIN workload USING(workload) WHERE name='victims' AND completed_ps-issued_ps>2000000000")"
equal 'pauses that were watched' "$(grep -c '^at watch 2' out)" "$(ask storm.db \
    "SELECT count(*) FROM pause_edge JOIN node USING(node) WHERE name='host0' AND edge='xoff'")"
step pause-storm 'break paused > 300us' continue 'back 1 packet' continue reverse
equal 'a break is hit again' "$(grep -c '^at break 1' out)" 2
equal 'and nothing was before it' "$(grep -c '^start of the run reached after 0 matches' out)" 1

# From a victim to the host that began it: the commands of docs/howto.md, as a reader copies them.
sed -n "/^    printf .*break completed of victims/,/stormglass step pause-storm$/p" "$here/docs/howto.md" >session
mkdir bin && ln -s "$program" bin/stormglass
PATH=$work/bin:$PATH bash -o pipefail session >out 2>err || fail "the session of the how-to: $(cat err)"
[ "$(grep -c 'root cause: host0 drains its receive buffer at 10.0 Gb/s' out)" = 2 ] || fail "the session finds no root: $(cat out)"
grep -q '^victims: a .* completed after 2\.' out || fail 'the session has no victim'

# Of a stored run: held against its checkpoints and its digest.
step storm.db continue
equal 'a stored run' "$?: $(tail -n 1 out)" '0: the digest equals that of the stored run'
"$program" run --confirm 0 pause-storm --until 1500us -o short.db >/dev/null 2>&1
step short.db continue
equal 'a stored run that ended early' "$?: $(head -n 1 out | cut -d, -f1): $(tail -n 1 out)" \
    '0: 1500.000000 us: the digest equals that of the stored run'
sqlite3 storm.db "UPDATE checkpoint SET digests=zeroblob(length(digests)) WHERE at_ps>5000000000; UPDATE meta SET digest='x'"
step storm.db continue
equal 'another run' "$?: $(grep -c -e 'differs from the stored run' -e 'had the digest x' out)" '1: 2'

# Every node, port and workload can be shown and asked for, at any time.
{
    for at in 0s 1us 3200us 20ms; do
        echo "goto $at"
        echo show
        for host in $(seq 0 31); do printf 'show host%s\nwhy host%s\n' "$host" "$host"; done
        for switch in leaf0 leaf1 leaf2 leaf3 spine0 spine1; do printf 'show %s\nwhy %s\nshow %s:p0\n' $switch $switch $switch; done
        for workload in backup victims neighbor; do printf 'show %s\nwhy %s\n' $workload $workload; done
    done
    echo digest
} >looks
"$program" step pause-storm --script looks >out 2>err || fail "looks: $(cat err)"
equal 'looking changes nothing' "$(digests)" "$wanted"

# Other workloads, other faults.
for case in $("$program" list cases | awk '{ print $1 }'); do
    first=$("$program" run --confirm 0 "$case" 2>/dev/null | sed -n 's/^digest //p')
    step "$case" 'until 200us' show 'next 5 ios' 'back 2 ios' 'goto 100us' continue digest
    equal "$case" "$(digests)" "$first"
done

# A wrong line says where and what was meant, and ends a script.
wrong() { # PLACE WORDS COMMANDS...
    local place=$1 words=$2
    shift 2
    step pause-storm "$@"
    equal "$*" "$?" 2
    grep -q "^stdin:$place: error: .*$words" err || fail "$*: said '$(cat err)'"
    [ "$(tail -n 1 out)" != end ] || fail "$*: went on"
}
wrong 1:1 "did you mean 'continue'" contineu 'goto event 0'
wrong 2:7 "did you mean 'leaf0'" where 'break leaf9 drop'
wrong 1:13 'from 0 to 9' 'show leaf0:p44'
wrong 1:7 "did you mean 'pause'" 'break pausde'
wrong 1:32 'a time such as' 'break leaf0:p0 paused prio 3 > 5KiB'
wrong 1:7 'a time such as' 'until soon'
wrong 1:7 "expected 'queue > SIZE" 'break queue leaf0'
wrong 1:12 'does not apply to a workload' 'break drop victims'
wrong 1:6 'expected a number from 1' 'next 0'
wrong 1:7 'the end of the line' 'where now'
wrong 1:8 'no break or watch has number 7' 'delete 7'
wrong 1:12 'from 0 to 7' 'break prio 8 paused'
printf 'where\nnext x\n' >script
"$program" step pause-storm -s script >out 2>err
grep -q '^script:2:6: error:' err || fail "a script's name: $(cat err)"
refused() { # WORDS ARGUMENTS...
    local words=$1
    shift
    "$program" step "$@" </dev/null >out 2>&1
    equal "step $*" "$?" 2
    grep -q -- "$words" out || fail "step $*: said '$(cat out)'"
}
refused 'apply to a scenario' storm.db --seed 2
refused 'nowhere' pause-storm -s nowhere
refused 'nowhere.yaml' nowhere.yaml

# Over TCP: segments have ports and PDUs, connections have the figures of ss, and what waits for a lost segment waits for a timer.
cat >tcp.yaml <<'YAML'
stormglass: 1
name: tcp
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts:
  targets: {where: host1, namespaces: [{media: fixed}]}
workloads:
  - {name: io, kind: nvme, transport: tcp, from: host0, to: host1, read: 100%, block-size: 4KiB, queue-depth: 1}
faults:
  - {kind: drop-every, where: "host0:p0", at: 3ms, for: 7ms, n: 1}
YAML
step tcp.yaml 'until 2ms' 'next 200' 'list 200'
for pdu in CapsuleCmd C2HData; do
    grep -q -E "TCP from host[01] to host[01] arrives \(port [0-9]+ to [0-9]+, seq [0-9]+, ack [0-9]+, (PSH )?ACK, $pdu" out || fail "no segment with $pdu: $(tail -3 out)"
done
step tcp.yaml 'until 5ms' 'why io' 'show host0'
grep -q 'tcp port 327[0-9]* of host0 to port 4420 of host1: 72 B unacknowledged' out || fail "the connection that waits: $(cat out)"
grep -q 'its \(tail loss probe\|retransmission\) timer expires in' out || fail "its timer: $(cat out)"
grep -q -E 'tcp port 327[0-9]* to port 4420 of host1, state ESTAB: cubic wscale:7,7 rto:[0-9.]+ rtt:[0-9./]+ mss:[0-9]+ cwnd:[0-9]+ .*unacked:1' out || fail "as ss has it: $(cat out)"

# help, the man page and the table are one.
step first-io help
while read -r command _; do
    grep -q "^\.It Cm $command\b" "$here/docs/man/stormglass-step.1" || fail "the man page does not know '$command'"
done <out
step first-io 'help conditions'
for word in $(sed -n 's/^  \([a-z]*\) .*/\1/p' out); do
    grep -q -E "^\.It Cm ([a-z]+ , Cm )*$word\b|Cm $word\b" "$here/docs/man/stormglass-step.1" || fail "the man page does not know the condition '$word'"
done

echo "$failures failures"
[ "$failures" = 0 ]
