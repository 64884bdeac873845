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
    sed '1,/^== results/d; s/[0-9]* s/N s/g' "$work/output" >"$work/results"
    printf '  %-5s front (N s, N s of processor time)\n  ok    printing (N s, in the background)\n  %-5s behind (N s, in the background)\n  N s in all\n' \
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

# A part that does not end is ended before CI is killed, and the table is printed. Drawn seeds are left out once their time is spent.
CI_SECONDS=1 bash -c '. .ci/parts.sh; part endless sleep 100; report_parts' >"$work/output" 2>&1 && { echo "ci: an endless part passed"; exit 1; }
grep -q '^  FAIL  endless' "$work/output" || { echo "ci: no result of an endless part: $(cat "$work/output")"; exit 1; }
CI_ENOUGH=0 bash -c '. .ci/parts.sh; drawn seeds false; report_parts' >"$work/output" 2>&1 || { echo "ci: drawn seeds fail that were left out"; exit 1; }
grep -q '^  left out: seeds' "$work/output" || { echo "ci: left out without a word: $(cat "$work/output")"; exit 1; }
