#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# two-writers - one database has one writer: the second is refused, and what the first has written stays.
set -u
. tests/golden/outside

ask() { sqlite3 -batch -noheader "$1" "$2"; }
# begin DATABASE WORDS...: a run that goes on for long; returns when its database is there.  Its process is $first.
begin() {
    local tries=0
    rm -f "$1"
    env --default-signal "$program" run pause-storm --set duration=10s --record counters -o "$1" >first.out 2>&1 &
    first=$!
    until [ -s "$1" ] && [ -e "$1-lock" ] && [ "$(ask "$1" 'SELECT reached_ps>0 FROM meta' 2>/dev/null)" = 1 ] ||
        [ $((++tries)) = 1200 ]; do sleep 0.05; done
    [ $tries -lt 1200 ] || fail 'the first does not begin'
}

begin run.db
inode=$(stat -c %i run.db)
ln -s run.db alias.db
for name in run.db ./run.db "$work/run.db" alias.db; do
    expect "a second, $name" 3 "$name: another run is writing it" "$program" run first-io -o "$name"
done
[ "$(stat -c %i run.db)" = "$inode" ] || fail 'it is another file now'
[ -e run.db-wal ] || fail 'its log is gone'
[ "$(ls -A | grep -c stormglass-)" = 0 ] || fail 'the second left something behind'
expect 'query on a running one' 0 running "$program" query run.db 'SELECT status FROM meta'
expect 'another name' 0 '' "$program" run first-io -o other.db
[ ! -e other.db-lock ] || fail 'a lock is left'
kill -TERM $first
wait $first
[ "$(ask run.db 'SELECT scenario, status FROM meta')" = 'pause-storm|interrupted' ] || fail 'the first was not ended well'
[ "$(ask run.db 'PRAGMA integrity_check')" = ok ] || fail 'the first is not whole'
[ ! -e run.db-lock ] && [ ! -e run.db-wal ] || fail "left: $(ls run.db-*)"
expect 'and again' 0 '' "$program" run first-io -o run.db
[ -L alias.db ] || fail 'the link is gone'

# A writer that was killed holds nothing.
begin run.db
{ kill -KILL $first; wait $first; } 2>/dev/null
expect 'after one that was killed' 0 '' "$program" run first-io -o run.db
[ "$(ls -A | grep -c 'run\.db[.-]')" = 0 ] || fail "left: $(ls -A)"
begin run.db
{ kill -HUP $first; wait $first; } 2>/dev/null
[ ! -e run.db-lock ] || fail 'HUP leaves the lock'

# What is called like the lock and is none stays.
echo mine >mine.db-lock
expect 'a file that is called like the lock' 0 '' "$program" run first-io -o mine.db
[ "$(cat mine.db-lock)" = mine ] || fail 'a file that was called like the lock is another'

# Many at once: each that says it is complete and was the last one left its own run, whole.
for trial in 1 2 3 4 5; do
    for seed in 1 2 3 4; do
        "$program" run first-io --seed $seed -o many.db >many.$seed 2>&1 && echo $seed >>won &
    done
    wait
    [ -s won ] || fail "trial $trial: nobody won"
    [ "$(ask many.db 'PRAGMA integrity_check; SELECT status FROM meta')" = $'ok\ncomplete' ] || fail "trial $trial: not whole"
    grep -qx "$(ask many.db 'SELECT seed FROM meta')" won || fail "trial $trial: the run that is there was refused"
    for seed in 1 2 3 4; do
        grep -qx $seed won || grep -q 'another run is writing it' many.$seed || fail "trial $trial: $(cat many.$seed)"
    done
    rm -f won
done
[ "$(ls -A | grep -c 'many\.db[.-]')" = 0 ] || fail "left: $(ls -A)"
[ $failures = 0 ]
