#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# leaks - the commands that print or compare recorded runs and captures free all memory that they allocate (memcheck).
set -u
tree=$PWD
. tests/golden/outside

# Graphviz, Pango and fontconfig keep memory of their own.
for library in libgvc libgvplugin libpango libfontconfig; do
    printf '{\n%s\nMemcheck:Leak\n...\nobj:*/%s*\n...\n}\n' $library $library
done >kept

commands=0
# frees NAME COMMAND...: exit code 9 is that of memcheck
frees() {
    local name=$1 code
    shift
    in_turn $((commands++)) 2 || return 0 # under valgrind each takes seconds; ALL=1: all
    valgrind -q --suppressions=kept --trace-children=yes --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        --error-exitcode=9 "$@" >out 2>err
    code=$?
    [ $code -le 1 ] || fail "$name: exit code $code: $(grep -m 12 '^==' err)"
}

{
    sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$tree/tests/golden/charts/charts.yaml"
    echo 'expect: [hot.completed > 10, raw.latency.p99 < 1us, no-lossless-drop]'
} >page.yaml
"$program" run page.yaml --interval 100us --until 250us --record ios --waits -o run.db >/dev/null 2>&1
sqlite3 run.db "INSERT INTO warning VALUES(1000, 'rule', 'a warning', 'a remedy', 'duration=2ms
seed=2')"
"$program" run first-io --record packets -o frames.db >/dev/null 2>&1
"$program" pcap frames.db -o frames.pcapng || fail 'no capture'
frees 'compare --wire' "$program" compare --wire frames.pcapng frames.pcapng
frees pcap "$program" pcap frames.db -o again.pcapng
frees summary "$program" report --text run.db
frees diff "$program" diff run.db run.db
frees explain "$program" explain run.db
frees 'explain --json' "$program" explain run.db --json
frees page "$program" report run.db -o page.html
frees 'page of two' "$program" report run.db run.db -o pair.html
frees tables "$program" report run.db --csv tables
frees compare "$program" compare --any run.db run.db
frees counters "$program" counters run.db --as json
frees fabric "$program" draw run.db -o fabric.dot
frees pauses "$program" draw run.db --what pauses -o pauses.dot
frees io "$program" draw frames.db --what io 1 -o io.svg
[ $failures = 0 ]
