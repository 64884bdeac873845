#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# README: what it says the first run and the debugger print is what is printed, and its scenario can be played.
set -u
readme=$PWD/README.md
. tests/golden/outside

# block FIRST: the fenced block of README whose first line begins so
block() {
    awk -v first="$1" '/^```/ {inside = !inside; fresh = inside; shown = 0; next}
        inside && fresh {shown = index($0, first) == 1; fresh = 0} inside && shown' "$readme"
}

untimed() { sed 's/ in [0-9.]* s$//'; }

block 'pause-storm ' | untimed >wanted
expect 'the first run' 0 '' "$program" run pause-storm
untimed <out >got
diff wanted got >differs || fail "README shows another result: $(cat differs)"

block '(step)' | grep -v '^(step)' >wanted
block '(step)' | sed -n 's/^(step) //p' >commands
expect 'the debugger' 0 'root: host0' "$program" step pause-storm --script commands
diff wanted out >differs || fail "README shows another debugger: $(cat differs)"

block 'stormglass: 1' >scenario.yaml
expect 'its scenario' 0 'held    all-commands-complete' "$program" run scenario.yaml
block 'array ' >wanted
expect 'the plan' 0 'Chosen' "$program" plan "${readme%/*}/scenarios/plans/array.yaml"
sed -i "s,${readme%/*}/,," out
diff wanted out >differs || fail "README shows another answer to the plan: $(cat differs)"
[ $failures = 0 ]
