#!/bin/bash
# plan - a budget of runs or of time that ends before the answer: said, and gone on from with more of it.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-budget.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
cp "$here/plans/pair.yaml" .
failed=0
fail() { echo "FAIL: $*"; failed=1; }

cat >whole.yaml <<'END'
stormglass-plan: 1
name: pair
scenario: pair.yaml
vary: [{path: workloads.io.queue-depth, as: qd, values: [1, 2, 4, 8]}]
slo: ["io.goodput > 8Gbps"]
objective: most-headroom
END
"$program" plan whole.yaml --json >whole.json || fail "whole: exit $?"
budget() { sed "\$a $1" whole.yaml; }

# 20 runs are needed, five of each: with a budget of 19 the last round is not begun, and the same database goes on with 20.
budget 'budget: 19' >runs.yaml
"$program" plan runs.yaml -o runs.db >runs.txt
[ $? = 4 ] && grep -q 'the budget of 19 runs ran out before the answer was known' runs.txt &&
    grep -q '1 candidate is undecided; continue' runs.txt && [ "$(sqlite3 runs.db 'SELECT count(*) FROM run')" -lt 20 ] || fail "19 runs: $(cat runs.txt)"
budget 'budget: 20' >runs.yaml
"$program" plan runs.yaml --json --resume runs.db >runs.json || fail "20 runs: exit $?"
cmp -s runs.json whole.json || fail "20 runs: another answer"

# Time that is over at once, then as much as it takes: what is in the database is not played again.
budget 'budget: 1ps' >time.yaml
"$program" plan time.yaml --json -o time.db >time.json
[ $? = 4 ] && [ "$(gojq -c '[.budget_spent, .left, .runs, .chosen]' time.json)" = '[true,4,0,null]' ] || fail "1 ps: $(head -n 12 time.json)"
budget 'budget: 1h' >time.yaml
"$program" plan time.yaml --json --resume time.db >time.json || fail "1 h: exit $?"
cmp -s time.json whole.json || fail "1 h: another answer"
sed -i 's/^duration: .*/duration: 20ms/' pair.yaml
"$program" plan whole.yaml --json >whole.json || fail "20 ms: exit $?"
budget 'budget: 30ms' >time.yaml
"$program" plan time.yaml -o part.db >part.txt
grep -q 'the time budget of 30.0 ms ran out' part.txt && ! grep -q '^Chosen *qd' part.txt || [ "$(sqlite3 part.db 'SELECT count(*) FROM run')" = 20 ] ||
    fail "30 ms: $(cat part.txt)"
"$program" plan whole.yaml --json --resume part.db >part.json || fail "resume: exit $?"
cmp -s part.json whole.json || fail "what time ended, and was resumed, has another answer"
exit $failed
