#!/bin/bash
# bench - what it measures of a scenario, where the figures go, and works that can be played.
# SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

# A small run: figures that the machine's speed does not change are those of run.
"$program" bench --json --history history.csv --label abc123 first-io first-io --set seed=7 >lines || fail 'bench first-io'
[ "$(wc -l <lines)" = 2 ] || fail 'not one line for each work'
"$program" run first-io --set seed=7 --json >run.json || fail 'run first-io'
for name in packet_hops events; do
    [ "$(gojq .$name run.json)" = "$(head -n 1 lines | gojq .$name)" ] || fail "$name is not that of run"
done
gojq -e '.hosts > 0 and .play_cpu_s >= 0 and .build_cpu_s >= 0 and .peak_bytes > 0 and .bytes_per_host > 0 and
       .frames_at_once > 0 and .events_per_hop > 1' lines >/dev/null || fail "figures: $(cat lines)"

# The history: names once, then a line for each work, as many fields in each.
[ "$(sed -n '1s/,.*//p' history.csv)" = label ] || fail 'the history has no names'
[ "$(grep -c '^abc123,.*,first-io,' history.csv)" = 2 ] || fail "the history: $(cat history.csv)"
"$program" bench --history history.csv first-io >text || fail 'bench into a history that is there'
[ "$(wc -l <history.csv)" = 4 ] || fail 'the history was not appended to'
[ "$(awk -F, '{print NF}' history.csv | sort -u | wc -l)" = 1 ] || fail 'lines of different lengths'
grep -q '^first-io  *[0-9.]* [kM]* *packet-hops/s' text || fail "text: $(cat text)"

# Works are in one list, and each can be built.
"$program" list works >works
"$program" bench --help | grep -q -F -f works || fail 'bench --help has other works than list'
[ "$(wc -l <works)" -ge 8 ] || fail "works: $(cat works)"
for work in $(sed -n 's/ .*//p' works | grep -v -e '^event-queues$' -e '^touch$'); do
    "$program" check "$work" >/dev/null 2>err || fail "check $work: $(cat err)"
done

# What went wrong.
"$program" bench --json first-io --set 'expect=["drops.lossless > 0"]' >out 2>err
[ $? = 1 ] || fail "an expectation that failed: $(cat err)"
"$program" bench nothere 2>err && fail 'a work that is not there'
grep -q 'nothere' err || fail "which work is not there: $(cat err)"
"$program" bench first-io --history no/folder >out 2>err
[ $? = 3 ] && grep -q 'no/folder: No such file' err || fail "a history that cannot be written: $(cat err)"
[ $failures = 0 ]
