#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# outputs - what a command writes destroys nothing that it reads, nothing that is not its own, and is whole or not there.
set -u
. tests/golden/outside

"$program" run first-io --record packets -o run.db >/dev/null 2>&1 || fail 'the run'
cp run.db whole.db
mkdir links other
ln -s ../run.db links/alias
ln run.db other/hard.db
ln -s "$work" other/way
# Who may write to /dev has devices of his own: a program that is wrong would replace the machine's.
devices=/dev
if [ -w /dev ]; then
    mkdir dev && mknod dev/null c 1 3 && mknod dev/full c 1 7 && ln -s /proc/self/fd/1 dev/stdout && ln -s /proc/self/fd dev/fd &&
        : >dev/null && devices=$work/dev
fi

# ------------------------------------------------------------------ what is read is not written

# kept NAME FILE COMMAND...: refused with 2, says why, and FILE is what it was
kept() {
    local name=$1 file=$2 sum
    sum=$(cksum <"$file")
    shift 2
    expect "$name" 2 'would overwrite the input' "$@"
    [ "$(cksum <"$file")" = "$sum" ] || fail "$name: $file is another"
    [ "$(ls -A . links other | grep -c stormglass)" = 0 ] || fail "$name: something was left behind"
}
for output in run.db ./run.db "$work/run.db" links/alias other/hard.db other/way/run.db; do
    kept "report -o $output" run.db "$program" report run.db -o "$output"
    kept "pcap -o $output" run.db "$program" pcap run.db -o "$output"
done
kept 'the alias is read' run.db "$program" report links/alias -o run.db
kept 'one of two' run.db "$program" report whole.db run.db -o run.db
kept 'what was measured' run.db "$program" report whole.db --measured run.db -o run.db
for suffix in -wal -shm -journal -lock; do
    expect "report -o run.db$suffix" 2 'would overwrite the input' "$program" report run.db -o run.db$suffix
    expect "pcap of an alias -o run.db$suffix" 2 'would overwrite' "$program" pcap links/alias -o run.db$suffix
    [ ! -e run.db$suffix ] || fail "run.db$suffix is there"
done
ln -s run.db run.svg
kept 'draw' run.db "$program" draw run.db -o run.svg
mkdir tables
ln -s ../run.db tables/difference.csv
kept 'a table' run.db "$program" report run.db whole.db --csv tables
rm -r tables
kept 'standard output' run.db sh -c '"$0" report run.db >>run.db' "$program"
kept '/dev/stdout' run.db sh -c '"$0" report run.db -o "$1" >>run.db' "$program" $devices/stdout

cat >small.yaml <<'YAML'
stormglass: 1
name: small
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "null", count: 1}]}}
workloads: [{name: w, kind: fio, file: job.fio, from: host1, to: host0}]
YAML
printf '[job]\nioengine=libaio\nrw=randread\nbs=4k\niodepth=1\nio_size=8k\nsize=1m\n' >job.fio
: >empty.yaml
"$program" run small.yaml >/dev/null || fail 'the small scenario does not run'
for output in small.yaml job.fio; do
    cp $output $output.was
    expect "run -o $output" 2 'not overwritten' "$program" run small.yaml -o $output
    cmp -s $output $output.was || fail "$output is another"
done
mv small.yaml r.db-wal
kept 'a log that is a scenario' r.db-wal "$program" run r.db-wal -o r.db
mv r.db-wal small.yaml
cp small.yaml history
kept 'bench --history' history "$program" bench --history history ./history

# ------------------------------------------------------------------ what is no regular file is written in place

cp run.db read.db
"$program" report read.db >page.html || fail 'to standard output'
"$program" pcap read.db >cap.pcapng || fail 'a capture to standard output'
for output in - $devices/stdout $devices/fd/1 /proc/self/fd/1; do
    "$program" report read.db -o $output >got && cmp -s got page.html || fail "report -o $output"
    "$program" report read.db -o $output | cmp -s - page.html || fail "report -o $output into a pipe"
    "$program" pcap read.db -o $output >got && cmp -s got cap.pcapng || fail "pcap -o $output"
    "$program" draw read.db -o $output | grep -q '</svg>' || fail "draw -o $output"
done
"$program" report read.db -o $devices/fd/7 7>got && cmp -s got page.html || fail 'report -o $devices/fd/7'
[ ! -e - ] || fail 'a file called -'
{ echo before; "$program" report read.db -o $devices/stdout; } >>appended
head -n 1 appended | grep -qx before && tail -n +2 appended | cmp -s - page.html || fail 'appended to'

mkfifo pipe
cat pipe >got &
"$program" report read.db -o pipe || fail 'into a FIFO'
wait $!
[ -p pipe ] && cmp -s got page.html || fail 'the FIFO'

expect '/dev/null' 0 '' "$program" report read.db -o $devices/null
[ -c $devices/null ] || fail '/dev/null is a device no more'
ln -s ../target.html links/page
for there in missing there; do
    "$program" report read.db -o links/page || fail "through a link, $there"
    [ -L links/page ] && [ ! -L target.html ] && cmp -s target.html page.html || fail "through a link, $there: the link"
done
ln -s ../run2.db links/run
"$program" run first-io -o links/run >/dev/null && [ -L links/run ] && [ -f run2.db ] || fail 'a run through a link'
for output in $devices/null pipe; do
    expect "run -o $output" 2 'not overwritten' "$program" run first-io -o $output
done
[ -c $devices/null ] && [ -p pipe ] || fail 'a run replaced what is no file'
expect 'run -o -' 2 'standard output' "$program" run first-io -o -
expect 'no directory' 3 'No such file' "$program" report read.db -o none/page.html
expect 'a directory' 3 'Is a directory' "$program" report read.db -o links
expect 'a name that ends in a slash' 3 'page.html/: Is a directory' "$program" report read.db -o new-page.html/

# ------------------------------------------------------------------ names and modes

for name in page.html.new read.html.new run3.db.new; do
    echo mine >$name
done
"$program" report read.db -o read.html && "$program" run first-io -o run3.db >/dev/null || fail 'beside names of others'
[ "$(cat read.html.new run3.db.new page.html.new)" = $'mine\nmine\nmine' ] || fail 'a file called .new is another'
mode() { stat -c %a "$1"; }
rm -f read.html
for mask in 022 077 002; do
    (umask $mask && "$program" report read.db -o $mask.html && "$program" run first-io -o $mask.db >/dev/null &&
        : >$mask.plain)
    [ "$(mode $mask.html)" = "$(mode $mask.plain)" ] || fail "umask $mask: $(mode $mask.html)"
    [ "$(mode $mask.db)" = "$(mode $mask.plain)" ] || fail "umask $mask: a database of $(mode $mask.db)"
done
for mode in 640 755 600; do
    chmod $mode 022.html && "$program" report read.db -o 022.html
    [ "$(mode 022.html)" = $mode ] || fail "a file of $mode became one of $(mode 022.html)"
done
long=$(printf '%0250d' 0).html
expect 'a long name' 0 '' "$program" report read.db -o "${long:0:255}"
expect 'a name that is too long' 3 'File name too long' "$program" report read.db -o "$long$long"
[ "$(ls -A | grep -c stormglass-)" = 0 ] || fail 'something was left behind'

# ------------------------------------------------------------------ writes that fail

echo precious >precious.html
for command in report pcap draw; do
    expect "$command -o /dev/full" 3 "$devices/full: No space left on device" "$program" $command read.db -o $devices/full
done
expect 'standard output is full' 3 'standard output: No space left' sh -c '"$0" report read.db >/dev/full' "$program"
for command in report pcap; do # pages and captures are larger than 8 KiB
    expect "$command: the file may not grow" 3 'precious.html: File too large' \
        sh -c 'ulimit -f 2; exec "$0" "$@"' "$program" $command read.db -o precious.html
done
[ "$(cat precious.html)" = precious ] || fail 'what was there before a write failed is gone'
[ "$(ls -A | grep -c stormglass-)" = 0 ] || fail 'something was left behind a write that failed'
expect 'a history that is full' 3 "$devices/full: No space left" "$program" bench --history $devices/full event-queues

# ------------------------------------------------------------------ signals

# A page of a database that is never read to its end: its output stays open.
cp run.db endless.db
columns=$(sqlite3 endless.db "SELECT group_concat('NULL AS ' || name) FROM pragma_table_info('blocked')")
sqlite3 endless.db "DROP TABLE blocked; CREATE VIEW blocked AS SELECT $columns FROM (WITH RECURSIVE
    c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c) WHERE x<0" || fail 'the endless one'

neighbors() { find . -maxdepth 1 -name ".$1.stormglass-*" | wc -l; }

# writer NAME WORDS...: starts one that writes NAME, and waits for its file; its process is $writer
writer() {
    local had tries=0
    had=$(neighbors "$1")
    env --default-signal "${@:2}" "$program" report endless.db -o "$1" &
    writer=$!
    until [ "$(neighbors "$1")" -gt "$had" ] || [ $((++tries)) = 1200 ]; do sleep 0.05; done
    [ $tries -lt 1200 ] || fail "$1: it does not begin"
}
for signal in INT TERM HUP; do
    echo precious >ended.html
    writer ended.html
    kill -$signal $writer
    wait $writer
    [ $? = $((128 + $(kill -l $signal))) ] || fail "$signal did not end it"
    [ "$(neighbors ended.html)" = 0 ] || fail "$signal: its file was left behind"
    [ "$(cat ended.html)" = precious ] || fail "$signal: what was there is another"
done 2>/dev/null

writer ended.html --ignore-signal=HUP
kill -HUP $writer
sleep 0.2
kill -0 $writer && [ "$(neighbors ended.html)" = 1 ] || fail 'a signal that is ignored ended it'
living=$writer
{
    writer ended.html
    kill -KILL $writer
    wait $writer
} 2>/dev/null
[ "$(neighbors ended.html)" = 2 ] || fail "$(neighbors ended.html) files of one that lives and one that was killed"
"$program" report read.db -o other.html || fail 'another name'
[ "$(neighbors ended.html)" = 2 ] || fail 'the writer of another name removed something'
"$program" report read.db -o ended.html && cmp -s ended.html page.html || fail 'the next writer'
[ "$(neighbors ended.html)" = 1 ] || fail "$(neighbors ended.html) files are left: the living one's should be"
{
    kill -TERM $living
    wait $living
} 2>/dev/null
[ "$(neighbors ended.html)" = 0 ] || fail 'TERM: its file was left behind'
[ $failures = 0 ]
