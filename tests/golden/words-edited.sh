#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is said of databases whose lists have other lengths and whose cells have other values than those of any run here: none, one,
# as many as a text lists and one more, no value, markup.  One line for each output, by which a change is seen; what is right is
# computed elsewhere (charts.sh, io-frames.sh, words-*.sh).
set -u
top=$PWD
. tests/golden/outside
. "$top/tests/golden/words/said"

# show NAME COMMAND...: a line for its exit code and its output, of a page without library, styles and pictures of Graphviz
show() {
    local name=$1 code
    shift
    "$program" "$@" >out 2>err
    code=$?
    printf '%s: %s %s\n' "$name of $number" $code "$(sed '/^<style>/,/^<\/style>/d; /^<script>/,/^<\/script>/d; /^<svg width="[0-9]*pt"/,/^<\/svg>/d' out err | unversioned | cksum)"
}
picture() { # WHAT
    rm -f drawn.dot
    "$program" draw "$number.db" --what "$1" -o drawn.dot >out 2>&1
    printf '%s: %s %s\n' "$1 of $number" $? "$({ without_layout drawn.dot 2>/dev/null || cat out; } | cksum)"
}
# edited NAME COUNT: copies of run.db that are each shown by itself, and beside the one before.  Sentences of the judge and of
# check are held elsewhere.
edited() {
    neutral run.db
    sqlite3 run.db "UPDATE warning SET text='warning ' || position, remedy=iif(remedy IS NULL, NULL, 'a remedy'), sets=iif(sets IS NULL, NULL, 'seed=2')"
    python3 -B "$top/tests/golden/words/edited.py" run.db "$2"
    for ((number = 1; number <= $2; number++)); do
        show text report --text --color always $number.db
        show page report $number.db
        show figures report --figures $number.db
        show explain explain $number.db
        show explain.json explain $number.db --json
        show counters counters $number.db
        show sonic counters $number.db --as sonic
        show counters.json counters $number.db --as json
        for what in fabric pauses waits; do picture $what; done
        [ $number -gt 1 ] || continue
        local last=$((number - 1))
        show pair report $last.db $number.db
        show diff diff --color always $last.db $number.db
        show diff.json diff $last.db $number.db --json
        show diff.csv diff $last.db $number.db --csv
    done | hold "$1"
}
# Half of them in turn, by the commit.
numbered=0
is_wanted() { [[ $1 = "${ONLY-$1}" ]] && { [ -n "${ONLY-}" ] || in_turn $((numbered++)) 2; }; }

if is_wanted storm; then
    "$program" run pause-storm --until 1ms --confirm 0 --record ios --waits --interval 30us -o run.db >/dev/null 2>&1
    edited storm 16
fi
if is_wanted hot; then
    {
        sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$top/tests/golden/charts/charts.yaml"
        echo 'expect: [hot.completed > 10, raw.latency.p99 < 1us, no-lossless-drop]'
    } >hot.yaml
    "$program" run hot.yaml --interval 30us --confirm 0 --record counters --waits -o run.db >/dev/null 2>&1
    edited hot 16
fi
if is_wanted deadlock; then
    cp "$top/tests/golden/words/causes/deadlock.yaml" . # a page names the file: without the folder of this tree
    "$program" run deadlock.yaml --confirm 0 -o run.db >/dev/null 2>&1
    edited deadlock 12
fi

# A run beside a measurement of it.
if is_wanted compare; then
    cp "$top/tests/golden/charts/charts.yaml" .
    "$program" run charts.yaml --until 1ms --confirm 0 --record ios -o run.db >/dev/null 2>&1
    sqlite3 run.db "UPDATE wall SET value=1700000000"
    python3 -B "$top/tests/golden/words/edited.py" run.db 32 workload workload workload state_change io meta
    for ((number = 1; number <= 32; number++)); do
        show compare compare --any --color always run.db $number.db
        show compare.json compare --any run.db $number.db --json
        show compare.csv compare --any run.db $number.db --csv
    done | hold compare
fi

# Frames: the drawing of a command, and the capture.
if is_wanted frames; then
    "$program" run first-io --confirm 0 --record packets -o run.db >/dev/null 2>&1
    python3 -B "$top/tests/golden/words/edited.py" run.db 48 frame frame io
    for ((number = 1; number <= 48; number++)); do
        for command in 1 2; do show "io $command" draw $number.db --what io $command; done
        rm -f frames.pcapng
        show pcap pcap $number.db -o frames.pcapng
        [ ! -e frames.pcapng ] || show frames compare --wire frames.pcapng
    done | hold frames
fi

# Pages of plans: with cliffs, other changes and assumed values, and of two designs.
if is_wanted plan; then
    cp "$top"/tests/golden/plans/pair.yaml "$top"/tests/golden/plan-figures/*.yaml .
    sed -i 's/queue-depth: 4/queue-depth: 1/' pair.yaml
    {
        sed 's/^vary: \[\(.*\)\]$/vary: [\1, {path: workloads.io.queue-depth, as: qd, values: [1, 8]}]/; s/17.8us/25us/' "$top/tests/golden/plans/assumed.yaml"
        echo 'cliff: [{path: fabric.host-links.length, as: far, values: [3m, 200m, 400m, 1km]}]'
    } >levers.yaml
    sed 's/^name: pair/name: wide/; s/\[4, 8, 24\]/[2, 16]/; s/\[2, 3\]/[3]/; s/objective: .*/seeds: 3/' plan.yaml >wide.yaml
    "$program" plan levers.yaml --assumed -o levers.db >/dev/null 2>&1
    "$program" plan plan.yaml --vs wide.yaml -o versus.db >/dev/null 2>&1
    for of in levers versus; do
        sqlite3 $of.db "DELETE FROM plan WHERE key='picture'"
        python3 -B "$top/tests/golden/words/edited.py" $of.db 40
        for ((number = 1; number <= 40; number++)); do show $of report $number.db; done
    done | hold plan
fi
[ $failures = 0 ]
