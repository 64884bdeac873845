#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plan-figures - means, intervals, headroom, bill and positions of a plan are what tests/golden/plan-figures/check.py computes.
set -u
tree=$PWD
. tests/golden/outside
cp "$tree"/tests/golden/plan-figures/*.yaml .

"$program" plan plan.yaml --json -o plan.db >plan.json || fail "no plan: exit code $?"
"$program" plan plan.yaml --resume plan.db >plan.txt || fail 'no text'
"$program" plan plan.yaml --resume plan.db --csv >plan.csv || fail 'no table'
"$program" report plan.db -o plan.html || fail 'no page'
python3 "$tree/tests/golden/plan-figures/check.py" plan.txt plan.json plan.csv plan.html plan.db >out 2>&1 || fail "$(cat out)"

# The curve of a cliff.  The runs have the same figures with each seed; other slacks with the same mean give intervals, and
# one that ends beyond the axis.
cp "$tree/tests/golden/plans/pair.yaml" .
sed -i 's/queue-depth: 4/queue-depth: 1/' pair.yaml
{ cat "$tree/tests/golden/plans/assumed.yaml"; echo 'cliff: [{path: fabric.host-links.length, as: far, values: [3m, 200m]}]'; } >cliff.yaml
"$program" plan cliff.yaml -o cliff.db >out 2>&1 || fail "no plan with a cliff: $(cat out)"
[ "$(sqlite3 cliff.db 'SELECT count(*) FROM cliff')" = 2 ] || fail 'a cliff has two points'
for wide in 0.03 0.4; do
    sqlite3 cliff.db "UPDATE figure SET slack=(SELECT headroom FROM cliff c WHERE c.candidate=figure.candidate)+(seed-1)*$wide
        WHERE candidate IN (SELECT candidate FROM cliff)"
    "$program" report cliff.db -o cliff.html || fail 'no page of a cliff'
    python3 "$tree/tests/golden/plan-figures/cliff.py" cliff.html cliff.db >out 2>&1 || fail "cliff, $wide: $(cat out)"
done
[ $failures = 0 ]
