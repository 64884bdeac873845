#!/bin/bash
# plan --assumed - what is said to flip the choice does when the scenario says it, and nothing else of the list does.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-assumed.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

sed 's/queue-depth: 4/queue-depth: 1/' "$here/plans/pair.yaml" >pair.yaml
plan() { # LIMIT REST: means are 18.1 us with 40 Gb/s and 15.6 us with 100 Gb/s
    sed "s/17\.8us/$1/" "$here/plans/assumed.yaml"
    printf '%s\n' "${2:-}"
}

# With half of what a command costs the cheaper one would hold; nothing makes the chosen one fail.
plan 17.8us >cheaper.yaml
"$program" plan cheaper.yaml --assumed --json -j 2 -o two.db >cheaper.json || fail "cheaper: exit $?"
[ "$(gojq -c '.chosen.name, [.assumed.candidates[] | [.candidate, .chosen, ([.values[] | select(.flips) | .path + "=" + (.trials[] | select(.flips).value)] | sort)]]' cheaper.json)" = \
    '"rate100Gbps"
[["rate100Gbps",true,[]],["rate40Gbps",false,["hosts.defaults.nvme.complete-cost=500ns","hosts.defaults.nvme.submit-cost=500ns","hosts.defaults.target.command-cost=500ns"]]]' ] ||
    fail "cheaper: $(gojq -c '[.assumed.candidates[] | [.candidate, [.values[] | select(.flips)]]]' cheaper.json)"
gojq -e '.assumed.flips == 3 and .assumed.unplayed == 0 and ([.assumed.candidates[].values | map(.effect) | . == (sort | reverse)] | all)' cheaper.json >/dev/null ||
    fail "not by effect, or unplayed"
chosen() { # SET: what a plan chooses whose scenario says so
    sed "s/^hosts:/hosts:\n  $1/; /^  defaults:/d" pair.yaml >said.yaml
    sed 's/pair.yaml/said.yaml/' cheaper.yaml >said-plan.yaml
    "$program" plan said-plan.yaml --csv | sed -n 's/^\(rate[^,]*\),.*,holds,.*/\1/p' | head -n 1
}
rnic='rnic: {profile: rnic-100g, path-mtu: 4096B}'
[ "$(chosen "defaults: {$rnic, nvme: {submit-cost: 500ns}}")" = rate40Gbps ] || fail "submit-cost 500ns does not flip the choice"
[ "$(chosen "defaults: {$rnic, target: {cores: 2}}")" = rate100Gbps ] || fail "two cores flip the choice"
# The figure is that of the run.
run=$("$program" run pair.yaml --set fabric.host-links.rate=40Gbps --set hosts.defaults.nvme.submit-cost=2us --json | gojq '.workloads[0].steady.latency_ns.mean')
gojq -e --argjson run "$run" '.assumed.candidates[1].values[] | select(.path == "hosts.defaults.nvme.submit-cost").trials[] | select(.value == "2us") |
    (.figure / 1000 / $run - 1 | fabs) < 0.01 and ((.moved - 1000000 / 17800000) | fabs) < 0.005' cheaper.json >/dev/null || fail "the figure of 2us is not $run ns"

# Who plays, and who did before, changes nothing; the list of a database and of --csv are the same.
"$program" plan cheaper.yaml --assumed --csv -j 1 -o one.db >cheaper.csv || fail "csv: exit $?"
"$program" plan cheaper.yaml --assumed --json --resume one.db -o again.db >again.json || fail "resume: exit $?"
cmp -s cheaper.json again.json || fail "it depends on who plays"
for db in two one again; do sqlite3 $db.db .dump | sort >$db.dump; done
cmp -s two.dump one.dump && cmp -s two.dump again.dump || fail "the database depends on who plays"
[ "$(sqlite3 -separator , one.db "SELECT path, value, changed, verdict, matters, flips FROM assumed ORDER BY candidate DESC, position, changed")" = \
    "$(gojq -r '.assumed.candidates[].values[] | . as $v | .trials | sort_by(.value)[] | [$v.path, $v.value, .value, .verdict, (.matters | if . then 1 else 0 end), (.flips | if . then 1 else 0 end)] | map(tostring) | join(",")' cheaper.json)" ] ||
    fail "the table assumed is not what --json says"
[ "$(wc -l <cheaper.csv)" = $(($(sqlite3 one.db "SELECT count(*) FROM assumed") + 1)) ] || fail "--csv has another number of lines"
# Without the option its runs are kept, and the answer to the plan is the same.
"$program" plan cheaper.yaml --json --resume again.db >plain.json
[ "$(gojq -c '[.chosen, .candidates, .assumed]' plain.json)" = "$(gojq -c '[.chosen, .candidates, null]' cheaper.json)" ] || fail "the answer differs without --assumed"
[ "$(sqlite3 again.db "SELECT count(*) FROM run")" = "$(sqlite3 one.db "SELECT count(*) FROM run")" ] || fail "runs are lost where nobody asks for them"

# What holds then in the case that decided, and not in another, would not hold.
plan 17.8us 'survive: [{name: a slow host, kind: slow-receiver, drain: 99%, each: host3, slo: ["io.latency.mean < 15.5us"]}]' >half.yaml
"$program" plan half.yaml --assumed >half.txt; [ $? = 1 ] || fail "half: exit $?"
[ "$(grep -c 'at 500ns this candidate would pass' half.txt)" = 3 ] &&
    [ "$(grep -c 'at 500ns this case would pass, but io.latency.mean < 15.5us: 1[78].*, misses the limit by .*; with a slow host: host3' half.txt)" = 3 ] ||
    fail "half: $(grep -A 40 ^Effect half.txt)"

# A limit that the chosen one does not hold when a command costs twice as much; and a budget that ends before.
plan 16.3us | sed 's/\[40Gbps, /[/' >worse.yaml
"$program" plan worse.yaml --assumed >worse.txt || fail "worse: exit $?"
[ "$(grep -c 'at 2us the chosen candidate fails: io.latency.mean < 16.3us: 16.6 us' worse.txt)" = 3 ] && grep -q '^  3 change the choice' worse.txt ||
    fail "worse: $(grep -A 30 ^Effect worse.txt)"
plan 16.3us 'most-runs: 30' | sed 's/\[40Gbps, /[/' >few.yaml
"$program" plan few.yaml --assumed >few.txt || fail "few: exit $?"
grep -q 'the budget of 30 runs ran out after the answer was known' few.txt && grep -q 'changes were not run' few.txt || fail "few: $(cat few.txt)"
# Nothing holds, which is decided, whenever the rest ends.
plan 10us 'budget: 8' >none.yaml
"$program" plan none.yaml --assumed >none.txt; [ $? = 1 ] && grep -q 'ran out after the answer was known' none.txt && ! grep -q 'undecided; continue' none.txt || fail "none: $(cat none.txt)"
exit $failed
