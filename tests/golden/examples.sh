#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every command's --help has examples and exit codes, and every example runs as it stands: those of every third
# command in turn, by the commit (ALL=1: all).
set -u
top=$PWD
. tests/golden/outside

# What the examples read: the plans of the tree, real devices' files, and two runs.
mkdir bin
ln -s "$program" bin/stormglass
ln -s "$(command -v gojq)" bin/jq
PATH=$work/bin:$PATH
ln -s "$top/scenarios" scenarios
cp "$top"/tests/golden/sonic/*.json "$top"/tests/golden/readings/* .
printf 'graph { a:p -- b:q }\n' >cables.dot
cat >grid.yaml <<'YAML'
stormglass-grid: 1
name: depths
scenario: first-io
vary: [{path: workloads.read.queue-depth, as: qd, values: [1, 2]}]
YAML
{
    stormglass run first-io -o model.db --record packets && stormglass run first-io -o measured.db --record packets
    stormglass pcap model.db -o model.pcapng && stormglass pcap measured.db -o measured.pcapng
    stormglass counters model.db >after.txt && sed 's/: [0-9]*$/: 0/' after.txt >before.txt
} >out 2>&1 || fail "$(cat out)"

tried=0 listed=0 number=0
for command in $(stormglass help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    [ "$command" != bridge ] || continue # needs an RDMA device
    stormglass "$command" --help >help
    codes=$(sed -n '/^Exit codes:$/,$s/^  \([0-9]*\)  .*/\1/p' help | xargs)
    for code in 0 2 3; do [[ " $codes " == *" $code "* ]] || fail "$command --help has no exit code $code"; done
    sed -n '/^Examples:$/,/^$/s/^    //p' help >lines
    [ -s lines ] || fail "$command --help has no example"
    runs=no
    ! in_turn $((number++)) 3 || runs=yes
    while IFS= read -r line; do
        [[ $line == *"stormglass $command"* ]] || fail "$command --help: an example of another command: $line"
        listed=$((listed + 1))
        [ $runs = yes ] || continue
        bash -c "set -o pipefail; $line" >out 2>err </dev/null
        code=$?
        # 1 is an answer, too: a difference, findings.
        case $code in 0 | 1) [[ " $codes " == *" $code "* ]] ;; *) false ;; esac ||
            fail "exit code $code: $line: $(head -n 5 err)"
        tried=$((tried + 1))
    done <lines
done
[ $listed -gt 35 ] && [ $tried -gt 11 ] || fail "only $tried of $listed examples"
[ $failures = 0 ] && echo "ok    $tried examples"
