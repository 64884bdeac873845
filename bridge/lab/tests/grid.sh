# grid - every cell of the grid is measured, one after another in one boot.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=900 needs=bridge wire=no
. /lab/lib.sh

lab_two_nics
stormglass predict --list /lab/cases/grid.yaml >cells
while read -r cell sets; do
    # shellcheck disable=SC2086 # a list of words
    stormglass-bridge run /lab/cases/grid-base.yaml --role both --address 10.0.0.1 --peer 10.0.0.2 --lead 2s \
        $sets -o /tmp/keep/$cell.db >$cell.txt 2>&1 </dev/null || echo "$cell: code $?"
    # What a text of the run says of the workload, for the log.
    sed -n "s/^  io  */$cell  /p" $cell.txt
done <cells
lab_value cells "$(wc -l <cells)"
