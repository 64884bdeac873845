#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/model.md lists each row of target_conduct.def.  UPDATE=1 writes the table anew.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v table="$(docs/conduct.sh | sed 's/\\/\\\\/g')" '
/^<!-- docs\/conduct.sh -->$/ { print; print table; inside = 1; next }
/^<!-- end -->$/ { inside = 0 }
!inside' docs/model.md >"$work/model.md"
rows=$(grep -c '^CONDUCT(' model/nvme/target/target_conduct.def)
listed=$(docs/conduct.sh | tail -n +3 | wc -l)
if [ "$rows" -ne "$listed" ]; then
    echo "FAIL  $rows rows, and docs/conduct.sh prints $listed"
    exit 1
fi
if [ "${UPDATE:-0}" = 1 ]; then
    cp "$work/model.md" docs/model.md
elif ! diff -u docs/model.md "$work/model.md"; then
    echo "FAIL  docs/model.md is out of date: UPDATE=1 tests/golden/target-conduct.sh"
    exit 1
fi
echo "ok    $rows behaviors that differ by identity"
