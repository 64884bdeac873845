#!/bin/sh
# known-seeds - ten successive commits run each known seed of the swarm once in CI.       SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
size=$(sed -n 's/.*SWARM_SEEDS:-\([0-9]*\).*/\1/p' .ci/run)
number=4095 # any count of commits
while [ "$number" -lt 4105 ]; do
    first=$(.ci/run --known-seeds "$number")
    seq "$first" $((first + size - 1))
    number=$((number + 1))
done | sort -n >"$work/run"
seq 1 2000 | cmp - "$work/run" || { echo "known seeds: some seed runs twice or never"; exit 1; }
