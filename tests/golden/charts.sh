#!/bin/bash
# charts - every point of the charts of a page is what tests/golden/charts/check.py computes.  SPDX-License-Identifier: Apache-2.0
set -u
tree=$PWD
. tests/golden/outside

# Both levels of recording, as their charts of work differ, and each of them beside another run.
for level in counters ios; do
    for seed in 1 2; do
        "$program" run "$tree/tests/golden/charts/charts.yaml" --seed $seed --until 1ms --interval 30us --record $level \
            -o "$level$seed.db" >out 2>&1 || fail "$level, seed $seed did not run: $(cat out)"
    done
    "$program" report --figures "${level}1.db" >one.json || fail "$level: no figures"
    "$program" report --figures "${level}1.db" "${level}2.db" >pair.json 2>out || fail "$level: no figures of two: $(cat out)"
    for check in "one.json ${level}1.db" "pair.json ${level}1.db A" "pair.json ${level}2.db B"; do
        # shellcheck disable=SC2086
        python3 "$tree/tests/golden/charts/check.py" $check >out 2>&1 || fail "$check: $(cat out)"
    done
done
[ $failures = 0 ]
