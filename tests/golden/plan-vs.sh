#!/bin/bash
# plan --vs - the differences are those of runs that somebody plays alone; nothing depends on who plays.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-vs.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
cp "$here/plans/pair.yaml" .
failed=0
fail() { echo "FAIL: $*"; failed=1; }

design() { # NAME RATE REST
    cat <<END
stormglass-plan: 1
name: $1
scenario: pair.yaml
vary: [{path: fabric.host-links.rate, as: rate, values: [$2]}]
slo: ["io.goodput > 5Gbps"]
prices: {currency: EUR, parts: [{part: nic, rate: 25Gbps, price: 100, power: 8}, {part: nic, rate: 100Gbps, price: 800, power: 18}]}
seeds: 3
${3:-}
END
}
design today 25Gbps >a.yaml
design tomorrow 100Gbps 'survive: [{name: a slow host, kind: slow-receiver, drain: 50%, each: host3}]' >b.yaml

# --- a difference is what the runs of both have, pair by pair -------------------------------------------------

"$program" plan a.yaml --vs b.yaml --json -j 2 -o two.db >vs.json || fail "exit $?"
values() { # RATE: of three seeds
    local seed
    for seed in 1 2 3; do
        "$program" run pair.yaml --set fabric.host-links.rate=$1 --seed $seed --set "duration=$2" --json | gojq -c '.workloads[0].steady | [.goodput_bps, .latency_ns.p99 * 1000]'
    done | gojq -c -s .
}
duration() { sqlite3 two.db "SELECT CAST(max(duration_ps) / 1000000 AS INTEGER) || 'us' FROM run WHERE trial = 0 AND candidate $1 (SELECT min(candidate) FROM run)"; }
[ "$(sqlite3 two.db "SELECT count(DISTINCT duration_ps) <= 2 AND count(DISTINCT candidate) = 2 FROM run WHERE trial = 0")" = 1 ] || fail "runs: $(sqlite3 two.db 'SELECT * FROM run')"
for at in 0:goodput 1:latency.p99; do # t of two degrees of freedom is 4.303
    wanted=$(gojq -n -c --argjson a "$(values 25Gbps "$(duration =)")" --argjson b "$(values 100Gbps "$(duration '>')")" --argjson k ${at%:*} '
        [range(3) | $b[.][$k] - $a[.][$k]] as $d | ($d | add / 3) as $mean | [$mean, 4.30265 * (($d | map((. - $mean) * (. - $mean)) | add) / 2 / 3 | sqrt)]')
    gojq -e --argjson wanted "$wanted" --arg name "io.${at#*:}" '.differences[] | select(.failure == null and .measure == $name) |
        ((.difference - $wanted[0]) / $wanted[0] | fabs) < 1e-3 and ((.half - $wanted[1]) | fabs) <= 1e-3 * ($wanted[1] + ($wanted[0] | fabs))' vs.json >/dev/null ||
        fail "${at#*:}: $wanted, not $(gojq -c --arg name "io.${at#*:}" '.differences[] | select(.measure == $name)' vs.json)"
done
[ "$(gojq -c '[.designs[] | [.plan, .name, .verdict, .cost]]' vs.json)" = '[["today","rate25Gbps","holds",400],["tomorrow","rate100Gbps","holds",3200]]' ] || fail "designs: $(gojq -c .designs vs.json)"
# A failure that only one of them names is not compared; one that both name is.
[ "$(gojq -c '[.differences[].failure] | unique' vs.json)" = '[null]' ] || fail "cases: $(gojq -c '[.differences[].failure] | unique' vs.json)"
design today 25Gbps 'survive: [{name: a slow host, kind: slow-receiver, drain: 50%, each: host3}]' >c.yaml
"$program" plan c.yaml --vs b.yaml --json | gojq -e '[.differences[].failure] | unique == [null, "a slow host: host3"]' >/dev/null || fail "a failure of both"

# --- a design and itself ---------------------------------------------------------------------------------------

"$program" plan a.yaml --vs a.yaml --json | gojq -e '[.differences[] | select(.differs or .difference != 0 or .half != 0)] == [] and (.differences | length) > 6' >/dev/null ||
    fail "a design differs from itself"
"$program" plan a.yaml --vs a.yaml | grep -q 'no significant difference' || fail "text of a design and itself"
# Their loads differ, which is said; or one of them chooses nothing.
sed 's/queue-depth: 4/queue-depth: 8/' pair.yaml >deep.yaml
sed 's/pair.yaml/deep.yaml/' b.yaml >d.yaml
"$program" plan a.yaml --vs d.yaml >unlike.txt || fail "unlike: exit $?"
grep -q 'Their loads differ: workloads.io.queue-depth is 4 in one plan and 8 in the other' unlike.txt || fail "unlike: $(cat unlike.txt)"
design never '25Gbps, 100Gbps' | sed 's/5Gbps"/99Gbps"/' >never.yaml
"$program" plan a.yaml --vs never.yaml >never.txt; [ $? = 1 ] || fail "never: exit $?"
grep -q 'not compared: never chooses none of its 2 candidates: nothing to compare' never.txt || fail "never: $(cat never.txt)"
"$program" plan a.yaml --vs no.yaml 2>err.txt; [ $? = 2 ] || fail "no other: exit $?"
"$program" plan a.yaml --vs b.yaml --list 2>err.txt; [ $? = 2 ] && grep -q 'expected one of them' err.txt || fail "--list of two: $(cat err.txt)"

# --- who plays, and who was there before, changes nothing --------------------------------------------------------

"$program" plan a.yaml --vs b.yaml -j 1 -o one.db >one.txt || fail "-j 1: exit $?"
"$program" plan a.yaml -o first.db >/dev/null || fail "the first alone: exit $?"
"$program" plan a.yaml --vs b.yaml --resume first.db -o again.db >again.txt || fail "resume: exit $?"
sqlite3 one.db "DELETE FROM run WHERE (candidate + trial + seed) % 2; DELETE FROM difference; DELETE FROM design" && cp one.db half.db
"$program" plan a.yaml --vs b.yaml --resume half.db >half.txt || fail "half: exit $?"
cmp -s one.txt again.txt && cmp -s one.txt half.txt || fail "the answer depends on who plays"
for db in two again half; do sqlite3 $db.db .dump | sort >$db.dump; done
cmp -s two.dump again.dump && cmp -s two.dump half.dump || fail "the database depends on who plays: $(diff two.dump half.dump | head -5)"
# Runs of another plan in the place of the second are not taken for its own.
"$program" plan a.yaml --vs c.yaml --resume two.db -o other.db >/dev/null; "$program" plan a.yaml --vs c.yaml -o fresh.db >/dev/null
[ "$(sqlite3 other.db .dump | sort)" = "$(sqlite3 fresh.db .dump | sort)" ] || fail "runs of another plan are taken"

# --- the page and --csv have the same numbers -------------------------------------------------------------------

"$program" report two.db -o vs.html || fail "page: exit $?"
[ "$(sed -n '/id="versus"/,/<\/section>/p' vs.html | grep -c '^<tr><td class="code" data-is="measure">io\.')" = "$(sqlite3 two.db "SELECT count(*) FROM difference WHERE name LIKE 'io.%' AND (a <> 0 OR b <> 0)")" ] || fail "page: rows"
grep -qF -- "$(sqlite3 two.db "SELECT difference_text || ' +- ' || half_text FROM difference WHERE name = 'io.latency.p99'")" vs.html || fail "page: p99"
[ "$("$program" plan a.yaml --vs b.yaml --resume two.db --csv | grep -c '^"*,*.*io\.latency\.p99')" = 1 ] || fail "csv"
exit $failed
