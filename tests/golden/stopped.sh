#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A run that is stopped, by a signal or by --until: the exit code says so, its database is usable, and what it
# could not come to is not judged.
set -u
. tests/golden/outside

# stop SIGNAL CODE COMMAND...: the signal, when some virtual time has been played
stop() {
    local signal=$1 wanted=$2 code
    shift 2
    rm -f stopped.db
    "$@" >out 2>err &
    while kill -0 $! 2>/dev/null; do
        sleep 0.05
        [ -e stopped.db ] || continue
        [ "$(sqlite3 -batch stopped.db 'SELECT reached_ps>0 FROM meta' 2>/dev/null)" != 1 ] || break
    done
    kill -"$signal" $!
    wait $!
    code=$?
    [ $code = "$wanted" ] || fail "$signal: exit code $code instead of $wanted: $(cat err)"
}

for signal in INT:130 TERM:143; do
    stop "${signal%:*}" "${signal#*:}" "$program" run pause-storm --set duration=1000s -o stopped.db
    grep -q '^stormglass: stopped at .*; stopped.db is usable and covers the run so far' err || fail "it does not say so: $(cat err)"
    grep -q '^  interrupted: results cover only the part' out || fail "the summary does not say so: $(cat out)"
    grep -q '^  undecided  all-commands-complete ' out || fail "what was under way is judged: $(cat out)"
    expect "after $signal" 0 interrupted "$program" query stopped.db 'SELECT status FROM meta'
    expect "after $signal" 0 'equal: ' "$program" replay stopped.db
    expect "after $signal" 0 'Never' "$program" explain stopped.db
    expect "after $signal" 0 'interrupted' "$program" report stopped.db --text
done

# Another command that plays: it is not as if it had come to an end.
"$program" run pause-storm --set duration=1000s --until 20ms -o long.db >out 2>err || fail "--until: $(cat out err)"
sqlite3 long.db 'UPDATE meta SET until_ps=NULL, digest=NULL, status="running"' 2>err
"$program" replay long.db >out 2>err &
sleep 0.5
kill -TERM $!
wait $!
code=$?
[ $code = 143 ] || fail "replay: exit code $code: $(cat err)"

# --until cuts: what is under way is no failure, what cannot be repaired any more is one.
expect 'cut' 0 'cut by --until: results cover' "$program" run pause-storm --until 1ms
expect 'cut' 0 'outstanding when the run was cut' "$program" run pause-storm --until 1ms
"$program" run pause-storm --until 1ms --json >cut.json || fail "--json: exit code $?"
gojq -e '.cut and ([.expectations[] | select(.judged | not) | [.text, .held]] == [["all-commands-complete", false]])' \
    cut.json >/dev/null || fail "--json: $(gojq -c '[.cut, .expectations]' cut.json)"
expect 'cut, and broken' 1 'FAIL       pfc.pause_frames == 0' "$program" run pause-storm --until 1ms \
    --set 'expect.0=pfc.pause_frames == 0'
expect 'cut, not yet' 0 'undecided  pfc.pause_frames > 100000' "$program" run pause-storm --until 1ms \
    --set 'expect.0=pfc.pause_frames > 100000'
"$program" run pause-storm --until 1ms -o cut.db >out || fail 'cut.db'
"$program" report cut.db -o cut.html && grep -q 'undecided' cut.html || fail 'the page judges'
"$program" run first-io --until 1s --json | gojq -e '(.cut | not) and ([.expectations[].judged] | all)' >/dev/null ||
    fail 'a run that ended before --until is cut'
[ $failures = 0 ]
