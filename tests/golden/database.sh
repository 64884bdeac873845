#!/bin/bash
# database - what a run leaves behind, whatever ends it.           SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; } # from outside: the file is plain SQLite

# The same digest at every level; each level writes what it promises; the database alone plays again.
for level in summary counters ios packets; do
    "$program" run incast-8to1 --until 1ms --record "$level" -o "$level.db" --json >"$level.json" 2>err
    code=$?
    [ $code -le 1 ] || fail "$level: exit code $code: $(cat err)"
    [ "$(ls "$level".db*)" = "$level.db" ] || fail "$level: more than one file is left: $(ls)"
    [ "$(ask "$level.db" 'PRAGMA integrity_check')" = ok ] || fail "$level: not a whole database"
    [ "$(ask "$level.db" 'SELECT status FROM meta')" = complete ] || fail "$level: not complete"
done
[ "$(gojq -r .digest ./*.json | sort -u | wc -l)" = 1 ] || fail 'the level of recording changes the digest'
[ "$(ask summary.db 'SELECT count(*) FROM io')" -le 16 ] || fail 'summary records every I/O'
[ "$(ask ios.db 'SELECT count(*) FROM io')" -gt 16 ] || fail 'ios records only some I/Os'
[ "$(ask ios.db 'SELECT count(*) FROM frame')" = 0 ] || fail 'ios records frames'
[ "$(ask packets.db 'SELECT count(*) FROM frame')" -gt 1000 ] || fail 'packets records no frames'
"$program" replay packets.db | grep -q '^equal: ' || fail 'a replay is not equal'
expect 'backwards' 2 'expected a time from --from on, which is 500us' "$program" replay summary.db --from 500us --until 400us
expect 'one moment' 0 '' "$program" replay summary.db --from 500us --until 500us

# A file that the scenario named is in the database too.
"$program" run oltp-fio --until 700us -o fio.db >out 2>err
[ "$(ask fio.db "SELECT count(*) FROM source")" = 2 ] || fail 'the fio file is not in the database'
"$program" replay fio.db 2>err | grep -q '^equal: ' || fail "fio: a replay is not equal: $(cat err)"

# Of a later version nothing is read; of an earlier one what is there, and a page says what it lacks.
cp ios.db later.db && ask later.db 'UPDATE meta SET format=1000'
for command in explain replay report counters draw step pcap 'diff ios.db' 'compare ios.db'; do
    # shellcheck disable=SC2086 # two words
    expect "$command of a later version" 2 'written by a later stormglass' "$program" $command later.db
done
cp ios.db earlier.db && ask earlier.db 'UPDATE meta SET format=3; DROP TABLE series; DROP TABLE flow'
for command in explain replay counters 'report --text'; do
    # shellcheck disable=SC2086
    expect "$command of an earlier version" 0 '' "$program" $command earlier.db
done
for form in '' --figures '--csv csv'; do
    # shellcheck disable=SC2086
    expect "report $form of an earlier version" 2 'written by an earlier stormglass' "$program" report $form earlier.db
done

# Changed settings is found and named.
cp summary.db changed.db
ask changed.db "UPDATE meta SET digest='00'; UPDATE result SET value=value+1 WHERE path='packets'"
"$program" replay changed.db >out 2>err
[ $? = 1 ] || fail 'a changed digest is not seen'
grep -q '^first difference: packets was' out || fail "the first difference is not named: $(cat out)"

# A run that another version would play otherwise: its checkpoints tell from when on, and where.
cp summary.db changed.db
ask changed.db "UPDATE source SET text=replace(text, 'queue-depth: 8', 'queue-depth: 7')"
"$program" replay changed.db >out 2>err
grep -q '^the runs diverge between [0-9.]* us and [0-9.]* us, in .*host' out || fail "no interval is named: $(cat out)"
grep -q '^ .* us  host[0-9]*:p0 ' out || fail "no event is told: $(cat out)"

"$program" run first-io -o first.db >out

# Events between two moments: those of the part are those of the whole, and of one node those of all.  Looks for the next
# frame are told of too, though they do not count.
"$program" replay first.db --from 0ms >out 2>err || fail "--from: exit code $?: $(cat err)"
[ "$(grep -vc 'selects the next frame to send$' out)" = "$(ask first.db "SELECT value FROM result WHERE path='events'")" ] ||
    fail "--from 0ms tells $(wc -l <out) events"
"$program" replay first.db --from 10us --until 30us --node host1 >part 2>err
awk '$1 > 10 && $1 <= 30 && $3 ~ /^host1:/' out >expected
[ -s part ] && cmp -s part expected || fail "--until and --node: $(diff part expected | head -n 5)"
"$program" replay first.db --from 1ms --node host7 >out 2>err
[ $? = 2 ] || fail '--node: one that is not there'
grep -q "there is no node 'host7'; did you mean" err || fail "--node: $(cat err)"

# Up to a moment alone: the checkpoints up to there; behind the end: all of it.
"$program" replay summary.db --until 700us >out 2>err || fail "--until: exit code $?: $(cat err)"
[ "$(head -n 1 out)" = "equal so far: $("$program" run incast-8to1 --until 700us 2>err | tail -n 1)" ] ||
    fail "--until: another digest: $(cat out)"
grep -q "^$(ask summary.db 'SELECT count(*) FROM checkpoint WHERE at_ps<=700000000') checkpoints up to .* are equal" out ||
    fail "--until: the checkpoints are not named: $(cat out)"
"$program" replay summary.db --until 10ms | grep -q '^equal: ' || fail '--until behind the end is not equal'
"$program" replay changed.db --until 700us >out 2>err
[ $? = 1 ] || fail "--until: a change is not seen: $(cat out err)"
"$program" replay summary.db --until 0ms >out 2>err
[ $? = 2 ] || fail '--until 0ms is taken'
"$program" replay summary.db --node host1 >out 2>err
[ $? = 2 ] || fail '--node without --from is taken'

# Stages add up to the latency, to the picosecond.
[ "$(ask first.db 'SELECT count(*) FROM (SELECT sum(sum_ps) AS parts FROM stage GROUP BY workload, operation)
     JOIN workload w ON parts = w.latency_mean_ps')" = 2 ] || fail 'the stages do not add up'

# Every number of --json is in the database, and the other way round; the queues are those of v_queue (queues.sh),
# the events those of v_event (event-list.sh); schema is the version of the document itself.
gojq -r 'paths(type | . != "object" and . != "array") as $p | $p | map(if type == "number" then "[\(.)]" else ".\(.)" end) | add | ltrimstr(".")' \
    summary.json | grep -v -e '^wall_s$' -e '^cpu_s$' -e '^started_unix_s$' -e '^schema$' -e '^queues\[' -e '^timeline' | sort >json.paths
ask summary.db "SELECT path FROM result WHERE type <> 'empty'" | sort >db.paths
cmp -s json.paths db.paths || fail "other quantities: $(diff json.paths db.paths | head -n 5)"

# query: tabs, JSON, and no way to write.
[ "$("$program" query first.db 'SELECT name, completed FROM v_workload')" = "$(printf 'name\tcompleted\nread\t1\nwrite\t1')" ] ||
    fail 'query prints something else'
[ "$("$program" query --json first.db 'SELECT 1 AS a, NULL AS b, 2.5 AS c' | gojq -c .)" = '[{"a":1,"b":null,"c":2.5}]' ] ||
    fail 'query --json prints something else'
"$program" query first.db 'DELETE FROM meta' >out 2>err && fail 'query deletes'
[ "$(ask first.db 'SELECT count(*) FROM meta')" = 1 ] || fail 'query has deleted'

long='pause-storm --set duration=10s'

# kill -9: valid, and says that it was running.
# shellcheck disable=SC2086
"$program" run $long -o killed.db >out 2>err &
for ((tries = 0; tries < 1200; tries++)); do
    # sqlite3 would make the file that it does not find, and the run would meet it
    [ -e killed.db ] && [ "$(ask killed.db 'SELECT reached_ps>0 FROM meta' 2>/dev/null)" = 1 ] && break
    sleep 0.05
done
kill -KILL $!
wait $! 2>/dev/null
[ "$(ask killed.db 'PRAGMA integrity_check')" = ok ] || fail 'kill -9: not a whole database'
[ "$(ask killed.db 'SELECT status FROM meta')" = running ] || fail 'kill -9: not running'
[ "$(ask killed.db 'SELECT reached_ps>0 FROM meta')" = 1 ] || fail 'kill -9: it does not say how far it got'
"$program" explain killed.db >out 2>err
[ $? = 2 ] || fail 'kill -9: a run that did not end is explained'
grep -q 'did not end: it stops at [0-9.]* [mu]s of 10.0 s' err || fail "kill -9: explain does not say how far it got: $(cat err)"
"$program" replay killed.db --until 1ms >out 2>err || fail "kill -9: a replay: exit code $?: $(cat err)"
grep -q '^the run did not finish; its database stops at ' out || fail "kill -9: a replay does not say so: $(cat out)"

# Killed while it changed the journal's mode: a reader has to play the journal back first, and the file stays as it was.
sqlite3 -batch changed.db >out 2>err <<'SQL'
PRAGMA cache_size=2;
BEGIN;
UPDATE setting SET value='torn';
UPDATE source SET text='torn';
.shell cp changed.db torn.db; cp changed.db-journal torn.db-journal
ROLLBACK;
SQL
[ -s torn.db-journal ] || fail "no journal is left: $(cat out err)"
[ "$("$program" query --tabs torn.db "SELECT count(*) FROM setting WHERE value='torn'" 2>&1 | tail -n 1)" = 0 ] ||
    fail 'a torn database is not repaired'
"$program" query torn.db 'DELETE FROM meta' >out 2>err && fail 'query deletes from a torn database'

# The name is taken again, and nothing of the dead run's log comes with it.
"$program" run first-io -o killed.db >out 2>err || fail "over a dead run: exit code $?: $(cat err)"
[ "$(ask killed.db 'SELECT scenario, status FROM meta')" = 'first-io|complete' ] || fail 'over a dead run'

# No room: a limit on the size of files stands for a full disk.
(
    trap '' XFSZ
    ulimit -f 2000 # KiB
    exec "$program" run pause-storm --record packets -o full.db
) >out 2>err
code=$?
[ $code = 3 ] || fail "no room: exit code $code instead of 3"
grep -q '^stormglass: full.db: ' err || fail "no room: $(cat err)"
[ "$(ask full.db 'PRAGMA integrity_check')" = ok ] || fail 'no room: not a whole database'
[ $failures = 0 ]
