#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a run says: summary, --json and check of small scenarios, word for word.
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

scenarios | while read -r scenario; do # or ONLY one
    name=$(basename "$scenario" .yaml)
    {
        "$program" run "$scenario" 2>&1 | sed 's/ in [0-9.]* s$//'
        echo "exit ${PIPESTATUS[0]}"
        "$program" run "$scenario" --json 2>/dev/null | grep -v -E '"(cpu|wall|started_unix)_s"' | sum json
        "$program" check "$scenario" 2>&1 | sed "s,$top/,,"
        echo "exit ${PIPESTATUS[0]}"
    } | hold "$name"
done
[ $failures = 0 ]
