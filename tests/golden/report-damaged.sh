#!/bin/bash
# report-damaged - whatever a database says, there is a page or a refusal.   SPDX-License-Identifier: Apache-2.0
# Each column of each table in its turn: numbers out of range, and text that would like to be markup.
set -u
. tests/golden/outside

"$program" run pause-storm --until 4ms --record ios -o "$work/run.db" >/dev/null
[ "$?" -le 1 ] || fail 'it did not run' # cut short, it does not hold all it expects
filled() { # tables with rows
    for table in $(sqlite3 "$work/run.db" "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name"); do
        [ -z "$(sqlite3 "$work/run.db" "SELECT 1 FROM $table LIMIT 1")" ] || echo "$table"
    done
}
filled >"$work/filled"

# Few rows of each, so that a page takes little: what a row can do to it, one of them does.
echo 'DELETE FROM series WHERE sample>40;' >"$work/few"
for series in port rnic switch flow workload; do
    echo "DELETE FROM series_$series WHERE sample NOT BETWEEN 35 AND 40;"
done >>"$work/few"
cat >>"$work/few" <<'SQL'
DELETE FROM io WHERE io>20;
DELETE FROM setting WHERE rowid>20;
DELETE FROM state_change WHERE rowid>30;
DELETE FROM latency WHERE from_ps>30000000;
DELETE FROM counter WHERE name NOT LIKE '%blocked_ps';
DELETE FROM blocked WHERE rowid>15;
DELETE FROM pause_edge WHERE rowid>15;
VACUUM;
SQL
sqlite3 "$work/run.db" <"$work/few" || fail 'its rows cannot be deleted'
filled | diff "$work/filled" - || fail 'a table has no rows any more'
sqlite3 "$work/run.db" "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type='table'" -separator ' ' >"$work/columns"
[ "$(wc -l <"$work/columns")" -gt 150 ] || fail 'few columns'

pages=0 tried=0 whole=0
while read -r table column; do
    for value in -1 9223372036854775807 "'</script></style><img src=x onerror=alert(1)><!--'"; do
        cp "$work/run.db" "$work/damaged.db"
        sqlite3 "$work/damaged.db" "PRAGMA ignore_check_constraints=1; UPDATE OR IGNORE $table SET $column=$value" \
            2>/dev/null
        if cmp -s "$work/run.db" "$work/damaged.db"; then # without rows, or it may not be
            whole=$((whole + 1))
            continue
        fi
        within 20 "$program" report "$work/damaged.db" -o "$work/page.html" 2>"$work/err"
        code=$?
        case $code in
        0) pages=$((pages + 1)) ;;
        2) ;;
        *) fail "$table.$column=$value: exit code $code: $(head -n 3 "$work/err")" ;;
        esac
        grep -s -q -F '<img' "$work/page.html" && fail "$table.$column became markup"
        [ $((++tried % 12)) = 0 ] || continue # beside a whole one, some of them
        within 20 "$program" report "$work/run.db" "$work/damaged.db" -o "$work/page.html" 2>"$work/err" || [ $? = 2 ] ||
            fail "$table.$column=$value, of two: $(head -n 3 "$work/err")"
        grep -s -q -F '<img' "$work/page.html" && fail "$table.$column became markup, of two"
    done
done <"$work/columns"
echo "$tried damaged databases, $pages pages; $whole that nothing changed"
[ "$pages" -gt 300 ] || fail "only $pages pages"
[ $failures = 0 ]
