#!/bin/bash
# report-damaged - whatever a database says, there is a page or a refusal.   SPDX-License-Identifier: Apache-2.0
# Each column of each table in its turn: numbers out of range, and text that would like to be markup.
set -u
. tests/golden/outside

"$program" run pause-storm --until 4ms --record ios -o "$work/run.db" >/dev/null
[ "$?" -le 1 ] || fail 'it did not run' # cut short, it does not hold all it expects
sqlite3 "$work/run.db" 'DELETE FROM io WHERE io>100; DELETE FROM setting WHERE rowid>20;
    DELETE FROM latency WHERE from_ps>30000000; DELETE FROM counter WHERE name NOT LIKE "%blocked_ps";
    DELETE FROM blocked WHERE rowid>50; DELETE FROM pause_edge WHERE rowid>50;
    DELETE FROM series WHERE sample>40; DELETE FROM series_port WHERE sample>40; DELETE FROM series_rnic WHERE sample>40;
    DELETE FROM series_flow WHERE sample>40; DELETE FROM series_workload WHERE sample>40; VACUUM'
sqlite3 "$work/run.db" "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type='table'" -separator ' ' >"$work/columns"
[ "$(wc -l <"$work/columns")" -gt 150 ] || fail 'few columns'

pages=0 tried=0
while read -r table column; do
    for value in -1 9223372036854775807 "'</script></style><img src=x onerror=alert(1)><!--'"; do
        cp "$work/run.db" "$work/damaged.db"
        sqlite3 "$work/damaged.db" "PRAGMA ignore_check_constraints=1; UPDATE OR IGNORE $table SET $column=$value" \
            2>/dev/null
        timeout 20 "$program" report "$work/damaged.db" -o "$work/page.html" 2>"$work/err"
        code=$?
        case $code in
        0) pages=$((pages + 1)) ;;
        2) ;;
        *) fail "$table.$column=$value: exit code $code: $(head -n 3 "$work/err")" ;;
        esac
        grep -s -q -F '<img' "$work/page.html" && fail "$table.$column became markup"
        [ $((++tried % 12)) = 0 ] || continue # beside a whole one, some of them
        timeout 20 "$program" report "$work/run.db" "$work/damaged.db" -o "$work/page.html" 2>"$work/err" || [ $? = 2 ] ||
            fail "$table.$column=$value, of two: $(head -n 3 "$work/err")"
        grep -s -q -F '<img' "$work/page.html" && fail "$table.$column became markup, of two"
    done
done <"$work/columns"
[ "$pages" -gt 300 ] || fail "only $pages pages"
[ $failures = 0 ]
