#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run --confirm: what is confirmed, ruled out and suspected, in words and JSON, and what limits the run without it; nothing else changes.
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1" >/dev/null || fail "$1: not so: $2: $(gojq -c '.harm, .causes' "$1")"; } # FILE FILTER
same() { gojq 'del(.harm, .causes, .bottleneck, .bottleneck_kind, .cpu_s, .wall_s, .started_unix_s)' "$1"; }

# One switch marks later than its like, which does nothing, and one link has a small MTU, which ends a connection.
"$program" run mtu-mismatch --json --confirm 0 >plain.json 2>err
"$program" run mtu-mismatch --json --confirm 20000000 --set 'fabric.overrides[+]={where: leaf0, ecn-kmax: 500KB}' >two.json 2>err ||
    fail "two: exit code $?: $(cat err)"
holds two.json '[.causes[] | select(.confirmed) | .name] == ["fabric.overrides[0].mtu"]'
holds two.json '.harm.runs > 3 and .harm.severity == "severe" and .causes[0].share == 1'
holds two.json '.causes[0].sentence | test("without this cause, failed operations fall from 1 to 0")'
holds plain.json '.harm.runs == 0 and all(.causes[]; .confirmed | not)'

# The same run, whoever judges it, and the same judgement each time.
"$program" run mtu-mismatch --json >once.json 2>err
"$program" run mtu-mismatch --json --confirm 20000000 --threads 2 >again.json 2>err
cmp -s <(same plain.json) <(same once.json) || fail '--confirm changes the run'
cmp -s <(gojq '.harm, .causes, .bottleneck' once.json) <(gojq '.harm, .causes, .bottleneck' again.json) || fail 'a second judgement is another one'

# What limits the run is measured without the cause, in all outputs.
"$program" run mtu-mismatch --json --confirm 0 --set 'fabric.overrides[0].mtu=9216B' >without.json 2>err
[ "$(gojq -r .bottleneck once.json)" = "$(gojq -r .bottleneck without.json) (in the rerun without the confirmed cause)" ] ||
    fail "the bottleneck is not that of the run without the cause: $(gojq -r .bottleneck once.json without.json)"
[ "$(gojq -r .bottleneck_kind once.json)" = "$(gojq -r .bottleneck_kind without.json)" ] || fail 'its kind is another one'

# A budget that does not pay for four runs tries nothing.
"$program" run mtu-mismatch --json --confirm 4 >poor.json 2>err
cmp -s <(gojq '.harm, .causes' plain.json) <(gojq '.harm, .causes' poor.json) || fail 'a budget of 4 events tries something'

# In words, also of the database.
"$program" run mtu-mismatch --confirm 20000000 -o mtu.db >words 2>&1
says words '100% of the harm (confirmed by rerun): leaf1:p3: mtu is 1500B instead of 9216B (fabric.overrides[0].mtu)'
"$program" explain mtu.db >words
says words '100% of the harm (confirmed by rerun): leaf1:p3: mtu is 1500B instead of 9216B (fabric.overrides[0].mtu)'
says words "$(gojq -r .bottleneck once.json | sed 's/^[^:]*: //')"

for bad in -1 x 1.5 ''; do
    "$program" run mtu-mismatch --confirm "$bad" >out 2>err
    [ $? = 2 ] && grep -q 'expected a number of events' err || fail "--confirm '$bad': $(cat err)"
done
"$program" run mtu-mismatch --seeds 2 --confirm 1 >out 2>err
[ $? = 2 ] || fail "--seeds and --confirm: $(cat err)"
[ $failures = 0 ]
