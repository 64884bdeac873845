#!/bin/bash
# ci-parts - a failed part fails CI, wherever it runs; a part that prints much is one result.   SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_parts() { # FOREGROUND BACKGROUND: two commands
    bash -c '. .ci/parts.sh; in_background "printing|echo ok in the background
behind|$2" & part front $1; collect; report_parts' run "$1" "$2" >"$work/output" 2>&1
}
expect() { # STATUS FRONT BEHIND
    local status=$?
    sed '1,/^== results/d; s/([0-9]* s/(N s/; s/[0-9]* s in all/N s in all/' "$work/output" >"$work/results"
    printf '  %-5s front (N s)\n  ok    printing (N s, in the background)\n  %-5s behind (N s, in the background)\n  N s in all\n' \
        "$2" "$3" >"$work/expected"
    [ "$status" = "$1" ] || { echo "ci: status $status, not $1"; exit 1; }
    diff "$work/expected" "$work/results" || exit 1
}
run_parts true true
expect 0 ok ok
run_parts false true
expect 1 FAIL ok
run_parts true false
expect 1 ok FAIL
grep -q '^ok in the background' "$work/output" || { echo "ci: the output of a part in the background is lost"; exit 1; }
