#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is said of one drawn scenario of each kind of harm that `make culprit` knows: summary, explain, check, word for word.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

for scenario in "$top"/tests/golden/words/causes/${ONLY-*}.yaml; do
    {
        "$program" run "$scenario" -o run.db 2>&1 | sed 's/ in [0-9.]* s$//'
        echo "exit ${PIPESTATUS[0]}"
        "$program" explain run.db
        "$program" explain run.db --json | sum json
        "$program" check "$scenario" 2>&1 | sed "s,$top/,,"
    } | hold "$(basename "$scenario" .yaml)"
done
[ $failures = 0 ]
