#!/bin/bash
# trace - I/O traces: what fio records is what is played, and what fio plays of a blktrace is what is imported.
# SPDX-License-Identifier: Apache-2.0
set -u
samples=$PWD/tests/fuzz/corpus
. tests/golden/outside
command -v fio >/dev/null || { echo "fio is not installed"; exit 77; }

cat >scenario.yaml <<'YAML'
stormglass: 1
name: traced
duration: 5s
fabric: {topology: {kind: single-switch, hosts: 4}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: fixed}]}}
workloads: [{name: w, kind: trace, file: trace.log, from: host1, to: host0, start: 5ms}]
expect: [all-commands-complete, "w.latency.p99 < 10ms"]
YAML
# play PATH=VALUE...: a run of the scenario, into run.json
play() {
    local sets=()
    for set in "$@"; do sets+=(--set "$set"); done
    "$program" run scenario.yaml ${sets[@]+"${sets[@]}"} --json -o run.db >run.json 2>messages
    local code=$?
    [ $code = 0 ] || fail "$*: exit code $code: $(cat messages)"
}
# is WORDS EXPRESSION: of run.json
is() { gojq -e "$2" run.json >/dev/null || fail "$1: not $2: $(gojq -c '.workloads' run.json)"; }

# --- what fio records now: as many I/Os and bytes, at the times of the log, and again from the database alone ---
record() { rm -f trace.log && fio --name=r --ioengine=null --filename=x --size=16m --write_iolog=trace.log "$@" >fio.out 2>&1; }
for options in '--rw=randread --bs=4k --rate_iops=2000 --number_ios=200' \
    '--rw=randrw --bsrange=512-64k --rate_iops=3000 --number_ios=300' '--rw=write --bs=16k --fsync=4 --io_size=1m'; do
    # shellcheck disable=SC2086
    record $options || fail "fio $options: $(cat fio.out)"
    play
    ios=$(grep -c -E ' (read|write|sync) [0-9]+ [0-9]+$' trace.log)
    bytes=$(awk '/ (read|write) [0-9]/ { sum += $5 } END { print sum }' trace.log)
    is "$options" ".workloads[0] | .completed == $ios and .bytes >= $bytes and .failed == 0"
    first=$(awk '$5 ~ /^[0-9]+$/ { printf "%.0f\n", $1 * 1000000 + 5e9; exit }' trace.log)
    [ "$(sqlite3 -batch run.db 'SELECT min(issued_ps) FROM io')" = "$first" ] || fail "$options: the first I/O is not due at $first ps"
    mv trace.log away.log
    "$program" replay run.db | grep -q '^equal: ' || fail "$options: a replay from the database alone is not equal"
    mv away.log trace.log
done

# --- the options: shares, rounds, speed, the end ---
cp "$samples/iolog/paced.log" trace.log # 6 I/Os in 20 ms
play workloads.w.from='"host1..host3"' workloads.w.split=turns
is 'in turns' '.workloads[0].completed == 6'
play workloads.w.from='"host1..host3"'
is 'copies' '.workloads[0].completed == 18'
play workloads.w.loop=3
is 'three rounds' '.workloads[0].completed == 18'
play workloads.w.loop=0 duration=52ms # a round takes 20.1 and 4 ms
is 'no end' '.workloads[0] | .issued == .completed and .issued == 12'
play workloads.w.speed=1000%
[ "$(sqlite3 -batch run.db 'SELECT max(issued_ps) FROM io')" = 7009500000 ] || fail 'ten times as fast: the last I/O'
play duration=20ms
grep -qF "'w' replays 4 of its 6 I/Os" messages || fail "nothing is told of the rest: $(cat messages)"
play workloads.w.timing=asap workloads.w.queue-depth=2
is 'without its times' '.workloads[0].completed == 6 and (.workloads[0].iops > 100000)'
play workloads.w.size=512KiB workloads.w.beyond=fold
is 'folded' '.workloads[0].completed == 6'
grep -q . <(sqlite3 -batch run.db "SELECT text FROM note WHERE text LIKE '%0 were rounded%folded%'") || fail 'folding is not told'
expect 'beyond the namespace' 2 "trace.log:1:1: error: 'w' reaches byte 888832 but has room for 524288" \
    "$program" run scenario.yaml --set workloads.w.size=512KiB
cp "$samples/iolog/waits.log" trace.log
play
is 'version 2' '.workloads[0].completed == 3'

# --- blktrace: what fio plays of it is what is imported, reads and writes and their bytes ---
fio --name=p --ioengine=null --read_iolog="$samples/blktrace/plain.bin" --replay_redirect="$PWD/target" \
    --replay_no_stall=1 --output-format=json >fio.json 2>/dev/null
"$program" import blktrace "$samples/blktrace/plain.bin" >trace.log 2>messages || fail "import: $(cat messages)"
theirs=$(sed -n '/^{/,$p' fio.json | gojq -c '.jobs[0] | [.read.total_ios, .read.io_bytes, .write.total_ios, .write.io_bytes]')
ours=$(awk '/ read / { r++; rb += $5 } / write / { w++; wb += $5 } END { printf "[%d,%d,%d,%d]\n", r, rb, w, wb }' trace.log)
[ -n "$theirs" ] && [ "$theirs" = "$ours" ] || fail "fio plays $theirs of the blktrace, we import $ours"
play
is 'a blktrace' '.workloads[0].completed == 40'
fio --name=p --ioengine=null --read_iolog=trace.log --replay_redirect="$PWD/target" --replay_no_stall=1 \
    --output-format=json 2>/dev/null | sed -n '/^{/,$p' | gojq -e '.jobs[0].read.total_ios + .jobs[0].write.total_ios == 40' \
    >/dev/null || fail 'fio does not play what was written'

"$program" import blktrace "$samples/blktrace/mixed.bin" >mixed.log 2>messages || fail "import: $(cat messages)"
grep -c ' \(read\|write\|sync\) ' mixed.log | grep -qx 8 || fail "mixed: $(cat mixed.log)"
for words in '1 discard is left out' '1 command that bypasses' '1 forced write (FUA)'; do
    grep -qF "$words" messages || fail "mixed: not told: $words"
done
"$program" import blktrace "$samples/blktrace/other-order.bin" 2>/dev/null | cmp -s - mixed.log || fail 'the other byte order'
"$program" import blktrace --issued --device 8,16 "$samples/blktrace/mixed.bin" 2>/dev/null | grep -c ' read ' | grep -qx 1 ||
    fail 'one device, issued'

# --- several logs: one, in the order of the times, each file told apart ---
"$program" import iolog "$samples/iolog/paced.log" "$samples/iolog/fsync.log" >trace.log 2>messages || fail "merge: $(cat messages)"
sort -n -s -c <(sed 1d trace.log | grep -v add) || fail 'merged logs are not in order'
play workloads.w.from='"host1..host2"' workloads.w.split=file
is 'merged' '.workloads[0].completed == 16'

# --- what is refused: located, with exit code 2, within two seconds, and nothing is written ---
refused() { # KIND FILE WORDS
    within 2 "$program" import "$1" "$2" >out.txt 2>err.txt
    local code=$?
    if [ $code -ne 2 ] || [ -s out.txt ] || ! grep -F "$2:" err.txt | grep -F 'error:' | grep -qF "$3"; then
        fail "$1 $2: exit code $code: $(head -n 2 err.txt)"
    fi
}
printf 'fio version 3 iolog\n1 f raed 0 4096\n' >word.log
refused iolog word.log "did you mean 'read'?"
head -c 60000000 /dev/zero >zeros.log
refused iolog zeros.log 'expected "fio version 3 iolog"'
refused blktrace zeros.log 'byte 0: expected a record'
refused iolog "$samples/blktrace/plain.bin" 'stormglass import blktrace'
refused blktrace "$samples/iolog/paced.log" 'byte 0: expected a record'
head -c 1000 "$samples/blktrace/plain.bin" >cut.bin
refused blktrace cut.bin 'byte 960: the file ends inside a record'
refused iolog . 'directory'
refused iolog missing.log 'No such file'
yes '1 f read 0 4096' | head -n 3900000 | sed '1s/.*/fio version 3 iolog/; $s/4096/x/' >long.log
refused iolog long.log 'expected a length'
{ echo 'fio version 3 iolog'; head -c 60000000 /dev/zero | tr '\0' a; } >line.log
refused iolog line.log 'longer than 1024 bytes'

[ $failures = 0 ]
