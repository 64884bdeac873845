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
[ $failures = 0 ]
