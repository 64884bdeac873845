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

# The answer to the plan is the one that `make plans` writes when it plays it: it takes too long to be played here too.
block 'array ' >wanted
awk '/^## /{inside = 0} /scenarios\/plans\/array\.yaml/ {inside = 1} inside' "${readme%/*}/docs/plans.md" |
    awk '/^array / {inside = 1} /^```/ {inside = 0} inside' >got
[ -s wanted ] || fail 'README shows no answer to the plan'
diff wanted got >differs || fail "README shows another answer to the plan than docs/plans.md: $(cat differs)"
[ $failures = 0 ]
