#!/bin/sh
# fuzz-turns - ten successive commits fuzz each target once.       SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ls tests/fuzz/*/fuzz_*.c | sed 's/.*fuzz_\(.*\)\.c/\1/' | sort >"$work/all"
for share in 1 3 10; do
    number=268435449 # near the largest number that seven digits of a commit give
    while [ "$number" -lt $((268435449 + share)) ]; do
        tests/fuzz/run --turn "$share" "$number"
        number=$((number + 1))
    done | sort >"$work/fuzzed"
    cmp "$work/all" "$work/fuzzed" || { echo "share $share: some target is fuzzed twice or never"; exit 1; }
done
[ "$(tests/fuzz/run --turn 10 7 | wc -l)" -lt "$(wc -l <"$work/all")" ] || { echo "share 10 fuzzes every target"; exit 1; }
