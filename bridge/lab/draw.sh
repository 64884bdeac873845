#!/bin/sh
# draw - a grid with queues among its axes, whose values a seed draws.    SPDX-License-Identifier: Apache-2.0
# usage: draw.sh SEED        the grid on standard output: 144 cells; cases/queues.yaml is that of the seed in its head
# Counts: each place of each queue twice, and 12 MiB of small blocks at most, so that a cell has a median.
set -eu
seed=${1:?SEED}
exec awk -v seed="$seed" '
function next_number() { state = (state * 16807) % 2147483647; return state } # Park and Miller
function draw(text, count, list, chosen, left, i, k) { # sets drawn[1..count], in the order of the text
    left = split(text, list, " ")
    for (i = 1; i <= left; i++) chosen[i] = 0
    for (i = 0; i < count;) { k = 1 + next_number() % left; if (!chosen[k]) { chosen[k] = 1; i++ } }
    for (i = k = 1; i <= left; i++) if (chosen[i]) drawn[k++] = list[i]
}
function axis(path, as, count, list, i) {
    printf "  - {path: workloads.io.%s, as: %s, values: [", path, as
    for (i = 1; i <= count; i++) { list[i] = drawn[i]; printf "%s%s", (i > 1 ? ", " : ""), drawn[i] }
    print "]}"
}
function bytes(text) {
    if (text ~ /MiB$/) return text * 1048576
    if (text ~ /KiB$/) return text * 1024
    return text + 0
}
BEGIN {
    state = (seed * 2654435 + 12345) % 2147483646 + 1
    for (i = 0; i < 8; i++) next_number()
    print "# Written by bridge/lab/draw.sh " seed "."
    print "stormglass-grid: 1"
    print "name: queues"
    print "about: Several queues, with depths and blocks that a seed drew, on Soft-RoCE."
    print "scenario: grid-base.yaml"
    print "vary:"
    draw("1 2 3 4 5 6 7 8", 4); axis("queues", "q", 4, queues)
    draw("1 2 3 4 6 8 12 16", 3); axis("queue-depth", "qd", 3, depths)
    draw("512B 1KiB 2KiB 4KiB 8KiB 16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB", 4); axis("block-size", "bs", 4, blocks)
    print "  - {path: workloads.io.read, as: read, values: [100%, 0%, 70%]}"
    print "adjust:"
    for (q = 1; q <= 4; q++) for (d = 1; d <= 3; d++) for (b = 1; b <= 4; b++) {
        count = int(12582912 / bytes(blocks[b])); if (count > 300) count = 300
        if (count < 2 * queues[q] * depths[d]) count = 2 * queues[q] * depths[d]
        if (count < 16) count = 16
        printf "  - {where: {q: %s, qd: %s, bs: %s}, set: {workloads.io.count: %d}}\n", queues[q], depths[d], blocks[b], count
    }
}'
