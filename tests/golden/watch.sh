#!/bin/bash
# watch - stormglass watch: which patterns begin and end as a folder gets new dumps.  SPDX-License-Identifier: Apache-2.0
set -u
sample=$PWD/scenarios/incidents/pause-storm
. tests/golden/outside

look() { "$program" watch --once --state state.json "$@"; }
seen() { gojq -c "$1" state.json; }

# --- a folder that gets new dumps: the sample of the tree, one sample after the other ---
mkdir dumps && cp "$sample"/*.txt dumps && cp -r "$sample"/t0 dumps
expect 'the first look' 0 'baseline: ' look dumps
grep -qE '^[0-9-]+T[0-9:]+Z baseline: [0-9]+ counters of 10 devices; ' out || fail "the baseline: $(cat out)"
[ "$(seen '[.patterns, (.files | length), (.ports | length > 0), .of]')" = '[[],13,true,["dumps"]]' ] || fail "the state: $(head -c 600 state.json)"
expect 'nothing new' 0 '' look dumps
[ -s out ] && fail "nothing is new, and yet: $(cat out)"
cp -r "$sample"/t1 dumps
expect 'a storm begins' 1 'began: host5: the host sends pauses to its switch but receives none [host-pauses, score' look dumps
grep -qE 'dumps/t1/host5.txt:54 +host5 sent [0-9,]+ pauses' out || fail "no line that shows it: $(cat out)"
[ "$(seen '[.patterns[] | .kind + " " + .device]')" = '["host-pauses host5"]' ] || fail "patterns: $(seen .patterns)"
expect 'it goes on without new dumps' 0 '' look dumps
[ -s out ] && fail "nothing is new during the storm, and yet: $(cat out)"
cp -r "$sample"/t2 dumps
expect 'it goes on with new dumps' 0 '' look dumps
[ -s out ] && fail "the storm goes on, and yet: $(cat out)"
since=$(seen '.patterns[0].since')
# The same counts a minute later: nothing moves.
mkdir dumps/t3
for file in dumps/t2/*; do sed 's/ 12:1\([01]\):/ 12:2\1:/' "$file" >"dumps/t3/${file##*/}"; done
expect 'it ends' 0 "no longer seen: host5: the host sends pauses to its switch but receives none [host-pauses], first seen at ${since//\"/}" look dumps
[ "$(seen .patterns)" = '[]' ] || fail "patterns: $(seen .patterns)"

# A late dump is no news, and a file that was removed is none.
touch dumps/t1/* && rm -r dumps/t0
expect 'late dumps' 0 '' look dumps
[ -s out ] && fail "late dumps: $(cat out)"

# --- one file that each dump replaces; hidden names and files that are being written are not read ---
dump() { # PAUSES [PACKETS]
    printf 'host9$ ethtool -S eth0\nNIC statistics:\n     tx_prio3_pause: %s\n     rx_prio3_pause: 0\n     tx_prio3_packets: %s\n' "$1" "${2-7$1}"
}
watch_one() { "$program" watch --once --state one.json one "$@"; }
mkdir one && dump 100 >one/host9.txt
expect 'one file' 0 'baseline: 3 counters of 1 device;' watch_one
dump 100000 >one/host9.txt
expect 'replaced' 1 'host9 sent 99,900 pauses' watch_one
dump 200000 >one/.host9.txt
# The same content is nothing new: touched, written again, rotated, copied, or as it was two looks before.
for change in 'touch one/host9.txt' 'cp one/host9.txt more; mv more one/host9.txt' 'mv one/host9.txt one/host9.txt.1; cp one/host9.txt.1 one/host9.txt' \
    'cp one/host9.txt one/copy.txt' 'rm one/copy.txt one/host9.txt.1; touch -d 1901-01-01 one/host9.txt' 'touch -d 2300-01-01 one/host9.txt' \
    ':' 'dump 100 >one/earlier.txt' 'rm one/earlier.txt' 'dump 100 >one/earlier.txt'; do
    eval "$change"
    expect "$change" 0 '' watch_one
    [ -s out ] && fail "$change: $(cat out)"
done
rm one/earlier.txt
dump 100000 7100001 >one/host9.txt
expect 'no more pauses' 0 'no longer seen: host9' watch_one
printf %s "$(dump 3000000)" >one/host9.txt
expect 'a line without an end' 0 '' watch_one
[ -s out ] && fail "a line without an end: $(cat out)"
expect 'that stays so' 1 'host9 sent 2,900,000 pauses' watch_one
dump 3000000 73000001 >one/host9.txt
expect 'back' 0 'no longer seen' watch_one
{ cat one/host9.txt && dump 3100000; } >more && mv more one/host9.txt
expect 'appended' 1 'host9 sent 100,000 pauses' watch_one --json
gojq -e '.began[0].kind == "host-pauses" and .began[0].device == "host9" and (.began[0].for | length) > 0 and .ended == [] and
    .patterns[0].since == .time and (.first_look | not) and .devices == 1 and .counters == 3' out >/dev/null || fail "JSON: $(cat out)"
cp one/host9.txt one/copy.txt && rm one/host9.txt
expect 'what is printed with -q' 0 '' watch_one -q
[ -s out ] && fail "-q: $(cat out)"

# --- a log: only messages that are new ---
mkdir logs && printf 'db7$ ethtool -S eth2\nNIC statistics:\n     rx_prio3_pause: 0\n' >logs/counters.txt
printf 'Nov 28 12:00:01 db7 kernel: mlx5_core 0000:3b:00.0 eth2: Link down\n' >logs/db7.log
expect 'an old message' 0 baseline "$program" watch --once --state log.json logs
echo 'Nov 28 12:05:01 db7 kernel: nvme nvme3: I/O 12 QID 4 timeout' >>logs/db7.log
expect 'another message' 0 '' "$program" watch --once --state log.json logs
echo 'Nov 28 12:09:01 db7 kernel: mlx5_core 0000:3b:00.0 eth2: Link down' >>logs/db7.log
expect 'a new message' 1 'logs/db7.log:3' "$program" watch --once --state log.json logs

# Rotated after it has grown once more: only what was not read before, which is no pattern.
mkdir rotated && printf 'db7$ ethtool -S eth2\nNIC statistics:\n     rx_prio3_pause: 0\n' >rotated/counters.txt
printf 'Nov 28 12:00:01 db7 kernel: mlx5_core 0000:3b:00.0 eth2: Link down\n' >rotated/db7.log
expect 'before a log is rotated' 0 baseline "$program" watch --once --state rotated.json rotated
echo 'Nov 28 12:11:01 db7 kernel: nvme nvme3: I/O 13 QID 4 timeout' >>rotated/db7.log && mv rotated/db7.log rotated/db7.log.1
echo 'Nov 28 12:12:01 db7 kernel: nvme nvme3: I/O 14 QID 4 timeout' >rotated/db7.log
for change in ':' 'touch rotated/*' 'cp rotated/db7.log.1 rotated/db7.log.2'; do
    eval "$change"
    expect "a log that is rotated: $change" 0 '' "$program" watch --once --state rotated.json rotated
    [ -s out ] && fail "a log that is rotated: $change: $(cat out)"
done

# --- names are bytes: no two of them are one in the state ---
mkdir bytes
of_name() { printf 'db%s$ ethtool -S eth0\nNIC statistics:\n     tx_prio3_pause: %s\n' "${#1}" "$2" >bytes/"$1"; }
of_name $'\xe9.txt' 100 && of_name $'\xe8 .txt' 200 && of_name $'d%b\x1b.txt' 300
watch_bytes() { "$program" watch --once --state bytes.json bytes; }
expect 'names that are no UTF-8' 0 'baseline: 3 counters of 3 devices;' watch_bytes
expect 'the same names' 0 '' watch_bytes
[ -s out ] && fail "the same names: $(cat out)"
[ "$(gojq -c '[.files[].name]' bytes.json)" = '["bytes/d%25b%1b.txt","bytes/%e8 .txt","bytes/%e9.txt"]' ] || fail "names: $(gojq -c .files bytes.json)"
for name in $'\xe9' $'\xe8 ' $'d%b\x1b'; do
    of_name "$name.txt" 90000
    expect 'one of the names' 1 'began: d' watch_bytes
    [ "$(grep -c began: out)" = 1 ] || fail "more than one began: $(cat out)"
done

# --- a state that could not be read back is not written ---
awk 'BEGIN {
    printf "{\"stormglass-watch\": 1, \"of\": [\"one\"], \"last\": \"\", \"patterns\": [], \"files\": [], \"contents\": [], \"ports\": [], \"tables\": [\"0\""
    for (i = 1; i < 999980; i++) printf ",\"%d\"", i
    print "]}" }' >full.json
cp full.json before.json
expect 'too many values' 2 'more than 1000000: expected fewer devices or files for each state file' "$program" watch --once --state full.json one
cmp -s full.json before.json || fail 'a state that is too large was written'

# --- a device of this machine, through ethtool ---
mkdir bin && cat >bin/ethtool <<'END'
#!/bin/sh
[ "$1 $2" = '-S lo' ] || exit 75
cat counters
END
chmod +x bin/ethtool
look_lo() { PATH=$work/bin:$PATH "$program" watch --once --state lo.json lo; }
printf 'NIC statistics:\n     tx_prio3_pause: 5\n' >counters
expect 'a device' 0 'baseline: 1 counter of 1 device' look_lo
printf 'NIC statistics:\n     tx_prio3_pause: 90005\n' >counters
expect 'its pauses' 1 'sent 90,000 pauses' look_lo
grep -q 'ethtool -S lo:[0-9]' out || fail "where: $(cat out)"
# A signal that stops and continues the program does not end the time that the command has.
cat >bin/ethtool <<'END'
#!/bin/sh
exec sleep 300
END
start=$SECONDS
PATH=$work/bin:$PATH "$program" watch --once --state lo.json lo >out 2>&1 &
pid=$!
sleep 1 && kill -STOP $pid && sleep 0.2 && kill -CONT $pid
for ((i = 0; i < 150; i++)); do kill -0 $pid 2>/dev/null && sleep 0.1; done
kill -9 $pid 2>/dev/null && fail 'a command that does not end: the look goes on'
wait $pid
[ $? = 3 ] && [ $((SECONDS - start)) -lt 14 ] && grep -qF 'watch: ethtool -S lo: the command did not end' out || fail "a command that does not end: $(cat out)"
# A signal that ends the watch ends the command.
PATH=$work/bin:$PATH "$program" watch --interval 1s --state new.json lo >out 2>&1 &
pid=$!
sleep 1 && kill -TERM $pid
for ((i = 0; i < 30; i++)); do kill -0 $pid 2>/dev/null && sleep 0.1; done
kill -9 $pid 2>/dev/null && fail 'SIGTERM during a command: the watch goes on'
wait $pid
[ $? = 143 ] || fail "SIGTERM during a command: $(cat out)"
printf '#!/bin/sh\ncat counters\n' >bin/ethtool
rm counters
expect 'a device that cannot be read' 3 'watch: ethtool -S lo: the command failed' look_lo

# --- without --once: until a signal, with a state that is valid ---
mkdir loop && dump 100 >loop/host9.txt
for signal in INT TERM; do
    rm -f loop.json
    "$program" watch --interval 1s --state loop.json loop >loop.out 2>&1 &
    pid=$!
    for ((i = 0; i < 100; i++)); do [ -s loop.json ] && break || sleep 0.1; done
    dump $((1000000 + RANDOM)) >loop/.host9.txt && mv loop/.host9.txt loop/host9.txt
    for ((i = 0; i < 100; i++)); do grep -q 'began: host9' loop.out && break || sleep 0.1; done
    kill -$signal $pid
    wait $pid
    code=$?
    [ $code = $((128 + $(kill -l $signal))) ] || fail "$signal: exit code $code"
    grep -q 'began: host9' loop.out || fail "$signal: $(cat loop.out)"
    gojq -e '."stormglass-watch" == 1' loop.json >/dev/null || fail "$signal: the state: $(cat loop.json)"
    dump 100 >loop/host9.txt
done

# --- what is wrong: 2 for input, 3 for what cannot be read ---
expect 'no such device' 3 'watch: nowhere: no such file, folder or network device' "$program" watch --once nowhere
expect 'no operand' 2 'missing argument: FOLDER or DEVICE' "$program" watch --once
expect 'too short' 2 '--interval 10ms: expected 1s to 86400s' "$program" watch --interval 10ms dumps
expect 'no time' 2 '--interval 5: ' "$program" watch --interval 5 dumps
expect 'another folder' 2 'state.json: this state file belongs to other files or devices (dumps)' look logs
expect 'not writable' 3 'no/state.json' "$program" watch --once --state no/state.json one
wrong() { # NAME PLACE WORDS TEXT
    printf '%s' "$4" >"$1.json"
    cp "$1.json" before.json
    within 2 "$program" watch --once --state "$1.json" dumps >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] && grep -F "$1.json:$2: error:" err.txt | grep -qF -e "$3" || fail "$1: $(cat out.txt err.txt)"
    cmp -s "$1.json" before.json || fail "$1: the state was replaced"
}
wrong text 1:1 '' 'no JSON'
wrong version 1:1 'expected stormglass-watch: 1' '{"of": []}'
wrong newer 1:22 'this program reads version 1' '{"stormglass-watch": 2}'
wrong cut 1:23 '' '{"stormglass-watch": 1,'
wrong kind 1:71 "unknown kind 'storm'" '{"stormglass-watch": 1, "of": ["dumps"], "last": "now", "patterns": [ {"kind": "storm"}]}'
wrong number 2:60 'a whole number' '{"stormglass-watch": 1, "of": [], "last": "", "patterns": [], "files": [], "contents": [], "tables": [], "ports": [
{"host": "a", "port": "b", "date": null, "counters": {"c": 1e3}}]}'
wrong negative 2:60 'a count' '{"stormglass-watch": 1, "of": [], "last": "", "patterns": [], "files": [], "contents": [], "tables": [], "ports": [
{"host": "a", "port": "b", "date": null, "counters": {"c": -1}}]}'
wrong name 1:41 'a name with %: expected %XX' '{"stormglass-watch": 1, "of": ["dumps", "%e"], "last": "", "patterns": [], "files": [], "contents": [], "tables": [], "ports": []}'
wrong deep 1:2078 depth "{\"stormglass-watch\": 1, \"of\": $(yes '[' | head -n 20000 | tr -d '\n')"
wrong other 1:1 'expected a state of watch' '{"stormglass-counters": 1}'

[ $failures = 0 ]
