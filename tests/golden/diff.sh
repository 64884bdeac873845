#!/bin/bash
# diff - what differs between two runs, and where they part.       SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
ask() { sqlite3 -batch -noheader "$1" "$2"; }
play() { # NAME OPTIONS...
    local name=$1
    shift
    "$program" run pause-storm --until 400us "$@" -o "$name.db" >/dev/null 2>err
    [ $? -le 1 ] || fail "$name: $(cat err)"
}
differ() { # A B -> out.json
    "$program" diff --json "$1.db" "$2.db" >out.json 2>err
    [ $? = 1 ] || fail "$1 $2: not different: $(cat err)"
}

play base
play again
"$program" diff base.db again.db >out 2>err || fail "the same run: exit code $?"
grep -q '^Events *equal' out || fail "the same run: $(cat out)"
[ "$("$program" diff --json base.db again.db | gojq -c '[.equal, .first_divergence, .events]')" = '[true,null,"equal"]' ] ||
    fail 'the same run: --json says something else'

# One setting: it is the only one that differs, with where it was set.
play alpha --set fabric.switch.alpha=25%
differ base alpha
[ "$(gojq -c '.settings.different | map([.what, .a, .b, .b_set_by])' out.json)" = \
    '[["fabric.switch.alpha","12.5%","25%","--set:1"]]' ] || fail "alpha: $(gojq -c .settings out.json)"
# A higher threshold pauses later: what parts the runs is a pause that only the first has.
[ "$(gojq -r .first_divergence.how out.json)" = "B does not have A's event" ] ||
    fail "alpha: $(gojq -c .first_divergence out.json)"
gojq -r '.first_divergence.a[0].what' out.json | grep -q '^PFC arrives' || fail 'alpha: not a pause'

# A cable: the first frame through it, by the time that light needs for a meter more.
play cable --set 'fabric.overrides=[{where: "link leaf0-spine0", length: 31m}]'
differ base cable
[ "$(gojq -r .first_divergence.node out.json)" = leaf0 ] || fail 'cable: another node'
[ "$(gojq -r .first_divergence.how out.json)" = "the event of A happens 5.05 ns later in B" ] ||
    fail "cable: $(gojq -r .first_divergence.how out.json)"
[ "$(gojq -c '.fabric.different | map([.what, .a, .b])[1]' out.json)" = \
    '["leaf0:p8 - spine0:p0 length",30000,31000]' ] || fail "cable: $(gojq -c .fabric out.json)"

# A seed: frames of the same moment in another order.
play seed --seed 7
differ base seed
[ "$(gojq -r .first_divergence.how out.json)" = 'events at the same time in a different order' ] ||
    fail "seed: $(gojq -c .first_divergence out.json)"

# A run that goes on where the other ends.
play longer
"$program" run pause-storm --until 450us -o longer.db >/dev/null 2>&1
differ base longer
[ "$(gojq -r .first_divergence.how out.json)" = 'A has ended' ] || fail "longer: $(gojq -c .first_divergence out.json)"
gojq -e '.first_divergence.at_ps > 400000000' out.json >/dev/null || fail 'longer: they part before the end'

# Changed settings by hand is found, though the events are the same.
cp base.db changed.db
ask changed.db "UPDATE counter SET value=value+1 WHERE rowid=(SELECT min(rowid) FROM counter)"
differ base changed
[ "$(gojq -c '[.events, (.counters.different | length), .settings.different]' out.json)" = '["equal",1,[]]' ] ||
    fail "changed: $(gojq -c '[.events, .counters.different]' out.json)"

# --all tells what the short form sums up.
"$program" diff base.db alpha.db | grep -q -- '--all lists them' || fail 'nothing is summed up'
"$program" diff --all base.db alpha.db | grep -q -- '--all lists them' && fail '--all sums up'

# Wrong input.
ask changed.db "UPDATE meta SET status='running', digest=NULL"
echo text >text.db
expect 'a run that did not end' 2 'changed.db: the run did not end' "$program" diff base.db changed.db
expect 'the same, the other way round' 2 'changed.db: the run did not end' "$program" diff changed.db base.db
expect 'no database' 2 'text.db: not a run database' "$program" diff base.db text.db
expect 'no file' 2 'none.db: No such file' "$program" diff none.db base.db
expect 'one file' 2 '' "$program" diff base.db
[ $failures = 0 ]
