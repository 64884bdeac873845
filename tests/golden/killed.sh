#!/bin/bash
# killed - kill -9 at random moments.                              SPDX-License-Identifier: Apache-2.0
# Whenever a run is killed, its database opens, is whole, says how far it got, has every row up to there and none behind
# it, and a replay finishes the run with the digest of one that nobody killed.
# KILLS=N for another number than 10, SEED=N for the moments of another time.
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; }
levels=(summary counters ios packets) kills=${KILLS-10} RANDOM=${SEED:=$$} cut=0 unborn=0 took=()
echo "SEED=$SEED"
run() { "$program" run --confirm 0 pause-storm --set duration=5ms --interval 100us --record "$1" -o "$2" >out 2>err; }

# What a run of each level takes: the moments lie within it.
for level in "${levels[@]}"; do
    begun=$EPOCHREALTIME
    run "$level" "$level.whole" || fail "$level: the run itself: $(cat err)"
    took[${#took[@]}]=$(((${EPOCHREALTIME/./} - ${begun/./}) / 1000))
done
digest=$(ask summary.whole 'SELECT digest FROM meta')

# behind DATABASE: a row of what happened after the moment that the database says
behind() {
    ask "$1" 'SELECT max(
        (SELECT coalesce(max(until_ps), 0) FROM series), (SELECT coalesce(max(at_ps), 0) FROM checkpoint),
        (SELECT coalesce(max(at_ps), 0) FROM pause_edge), (SELECT coalesce(max(until_ps), 0) FROM blocked),
        (SELECT coalesce(max(completed_ps), 0) FROM io), (SELECT coalesce(max(at_ps), 0) FROM frame))>reached_ps FROM meta'
}

# as_whole DATABASE LEVEL: rows up to that moment are those of the run that nobody killed
as_whole() {
    local reached table
    reached=$(ask "$1" 'SELECT reached_ps FROM meta')
    [ "$reached" -gt 0 ] || return # nothing is in, not even what happened at 0
    for table in series.until_ps pause_edge.at_ps io.completed_ps frame.at_ps; do
        [ "$(ask "$1" "SELECT count(*) FROM ${table%.*}")" = \
            "$(ask "$2.whole" "SELECT count(*) FROM ${table%.*} WHERE ${table#*.}<=$reached")" ] || echo "${table%.*}"
    done
}

# A few of the moments must lie between the first that is kept and the end: else there are more.
for ((i = 0; i < kills || (cut < 2 && i < 10 * kills); i++)); do
    level=${levels[i % 4]} db=$i.db
    ms=$((RANDOM % (took[i % 4] + 1)))
    "$program" run --confirm 0 pause-storm --set duration=5ms --interval 100us --record "$level" -o $db >out 2>err &
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    [ -e $db ] || { unborn=$((unborn + 1)); continue; }
    what="$level, killed after $ms ms"
    state=$("$program" query --tabs $db 'SELECT status, reached_ps FROM meta' 2>err | tail -n 1) ||
        fail "$what: query: $(cat err)"
    case $state in
    running*) cut=$((cut + (${state#*$'\t'} > 0))) word=finished ;;
    complete*) word=equal ;;
    *) fail "$what: it says '$state'" ;;
    esac
    "$program" replay $db >out 2>err || fail "$what: replay: $(cat out err)"
    grep -q "^$word: digest $digest\$" out || fail "$what: instead of $digest: $(cat out)"
    [ "$(ask $db 'PRAGMA integrity_check')" = ok ] || fail "$what: not whole"
    [ "$(behind $db)" = 0 ] || fail "$what: it has rows behind the moment that it says"
    [ "$word" = equal ] || [ -z "$(as_whole $db "$level")" ] || fail "$what: rows are missing: $(as_whole $db "$level")"
    rm -f $db*
done
[ $cut -ge 2 ] || fail 'none was on its way when it was killed'
echo "$i killed: $cut of them on their way, $unborn before there was a database"
[ $failures = 0 ]
