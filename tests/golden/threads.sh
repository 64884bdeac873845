#!/bin/bash
# threads - every case plays the same on any number of threads: digest, each row, each figure.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
longest=${THREADS_UNTIL-1ms} # of virtual time; "" plays to the end
counts=${THREADS:-2 3 4 8}

# play CASE THREADS: what is told and kept, but for the seconds that it took and what concerns the number of threads
play() {
    "$program" run --confirm 0 "$1" ${longest:+--until "$longest"} --threads "$2" --record ios --json -o run.db >out 2>err
    echo "code $?"
    grep -v '^stormglass: --threads' err
    gojq 'del(.threads, .cpu_s, .wall_s, .started_unix_s, .wall)' out
    sqlite3 run.db "UPDATE meta SET threads=1; DELETE FROM wall; DELETE FROM result WHERE path='threads'" .dump
}

cases=$("$program" list cases | cut -d' ' -f1)
[ -n "$cases" ] || fail 'there are no cases'
for case in $cases ${THREADS_SCENARIOS:-}; do
    play "$case" 1 >one
    grep -q '^code [01]$' one || fail "$case: $(head -n 3 one)"
    for count in $counts; do
        play "$case" "$count" >several
        cmp -s one several || fail "$case on $count threads: $(diff one several | head -n 5)"
        nodes=$(sqlite3 run.db 'SELECT count(*) FROM node')
        [ "$(gojq .threads out)" = $((count < nodes ? count : nodes)) ] || fail "$case: $(gojq .threads out) threads, not $count"
    done
done
"$program" run --confirm 0 first-io --threads 8 2>err >out
grep -q '^stormglass: --threads 8: 1 may be faster' err || fail "first-io on 8 threads: $(cat err)"
# As many threads as pay off are no reason for a note.
"$program" run --confirm 0 fat-tree-128 --until 20us --threads 2 2>err >out
[ -s err ] && fail "fat-tree-128 on 2 threads: $(cat err)"
[ "$("$program" run --confirm 0 first-io --threads auto --json 2>err | gojq .threads)" = 1 ] || fail 'first-io: auto is not 1 thread'
[ -s err ] && fail "--threads auto says $(cat err)"
[ "$failures" = 0 ] && echo "ok    $(wc -w <<<"$cases") cases on 1, ${counts// /, } threads, ${longest:-all of it}"
exit "$((failures > 0))"
