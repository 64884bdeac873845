#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile-database - asking changes nothing, and a database that somebody else has made runs nothing of his.
set -u
. tests/golden/outside

ask() { sqlite3 -batch -noheader "$1" "$2"; }
"$program" run first-io --record packets -o run.db >/dev/null || fail 'the run'
cp run.db whole.db

# ------------------------------------------------------------------ query only reads

sum=$(cksum <run.db)
while read -r sql; do
    expect "refused: $sql" 2 'only statements that read are allowed' "$program" query run.db "$sql"
done <<'SQL'
VACUUM INTO 'copy.db'
VACUUM
ATTACH 'new.db' AS new
ATTACH ':memory:' AS new
DETACH main
DELETE FROM io
UPDATE meta SET seed = 2
INSERT INTO io(io) VALUES (1)
CREATE TABLE t(x)
CREATE TEMP TABLE t(x)
CREATE TEMP VIEW v AS SELECT 1
CREATE TEMP TRIGGER t AFTER INSERT ON io BEGIN SELECT 1; END
CREATE VIRTUAL TABLE temp.t USING fts5(x)
DROP TABLE io
ALTER TABLE io RENAME TO oi
REINDEX
ANALYZE
BEGIN EXCLUSIVE
SAVEPOINT s
PRAGMA journal_mode = WAL
PRAGMA user_version = 1
PRAGMA application_id = 1
PRAGMA writable_schema = 1
PRAGMA query_only = 0
PRAGMA trusted_schema = 1
PRAGMA wal_checkpoint
PRAGMA optimize
PRAGMA temp_store_directory = '.'
SELECT load_extension('./evil.so')
SQL
expect 'two statements' 2 'exactly one statement' "$program" query run.db 'SELECT 1; DELETE FROM io'
for function in writefile readfile edit; do
    expect "$function" 2 "no such function: $function" "$program" query run.db "SELECT $function('x', 'y')"
done
[ "$(cksum <run.db)" = "$sum" ] || fail 'the database is another'
[ "$(ls -A)" = "$(printf '%s\n' out run.db whole.db)" ] || fail "files were made: $(ls -A)"

while read -r sql; do
    expect "read: $sql" 0 '' "$program" query run.db "$sql"
done <<'SQL'
SELECT * FROM v_workload
SELECT sql FROM sqlite_schema
SELECT name FROM pragma_table_info('io')
SELECT value FROM json_each('[1, 2]')
PRAGMA table_info(io)
PRAGMA user_version
PRAGMA integrity_check
EXPLAIN QUERY PLAN SELECT * FROM io
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 9) SELECT max(x), group_concat(x) FROM c
SQL

# ------------------------------------------------------------------ a database of somebody else's

# every NAME SQL: after SQL, each command ends by itself, with one of its exit codes, and no file appears
every() {
    local name=$1 command code before
    cp whole.db hostile.db
    sqlite3 -batch hostile.db ".dbconfig defensive off" ".dbconfig trusted_schema on" "$2" >made 2>&1 || fail "$name: $(cat made)"
    before=$(ls -A)
    for command in 'query hostile.db "SELECT * FROM meta"' 'explain hostile.db' 'report hostile.db -o page.html' \
        'report hostile.db --text' 'pcap hostile.db -o page.html' 'draw hostile.db -o page.svg' 'counters hostile.db' \
        'diff whole.db hostile.db' 'replay hostile.db' 'step hostile.db </dev/null' 'compare whole.db hostile.db'; do
        eval "timeout 60 '$program' $command" >got 2>err
        code=$?
        [ $code -le 2 ] || fail "$name: $command: code $code: $(head -n 3 err)"
        rm -f page.html page.svg got err
    done
    [ "$(ls -A)" = "$before" ] || fail "$name: files appeared or went: $(ls -A)"
    echo "ok    $name"
}
meta=$(ask whole.db "SELECT group_concat(name) FROM pragma_table_info('meta')")
: >out >made
# view WHAT: meta as a view that does WHAT besides
view() { echo "ALTER TABLE meta RENAME TO real; CREATE VIEW meta AS SELECT ${meta/about/$1 AS about} FROM real"; }
every 'a view that loads code' "$(view "load_extension('./evil.so')")"
every 'a view that writes a file' "$(view "writefile('evil', 'x')")"
every 'a view that wants memory' "$(view 'hex(zeroblob(900000000))')"
every 'a view of itself' 'DROP VIEW v_workload; CREATE VIEW v_workload AS SELECT * FROM v_workload'
every 'a generated column' "ALTER TABLE node ADD COLUMN evil AS (hex(zeroblob(400000000)))"
every 'triggers' "CREATE TRIGGER t1 AFTER INSERT ON io BEGIN DELETE FROM meta; END;
    CREATE TRIGGER t2 INSTEAD OF INSERT ON v_workload BEGIN DELETE FROM meta; END"
every 'an index that calls' 'CREATE INDEX evil ON io(hex(io))'
every 'a table of a module that is not there' "PRAGMA writable_schema=on; INSERT INTO sqlite_schema VALUES
    ('table', 'evil', 'evil', 0, 'CREATE VIRTUAL TABLE evil USING nothing(x)')"
every 'a virtual table' 'CREATE VIRTUAL TABLE evil USING fts5(x); INSERT INTO evil VALUES(1); DELETE FROM evil_data'
expect 'a virtual table that is damaged' 2 '' "$program" query hostile.db 'SELECT * FROM evil'
every 'a schema that is no SQL' "PRAGMA writable_schema=on; UPDATE sqlite_schema SET sql='CREATE TABLE io(' WHERE name='io'"

every 'a key that is not one' "PRAGMA legacy_alter_table=ON; CREATE TABLE many AS SELECT * FROM stage; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 200)
    INSERT INTO many SELECT stage.* FROM stage, n WHERE position=0; DROP TABLE stage; ALTER TABLE many RENAME TO stage"

for sql in "SELECT about FROM meta" "SELECT * FROM meta"; do
    cp whole.db hostile.db
    sqlite3 -batch hostile.db "$(view "load_extension('./evil.so')")"
    expect "an unsafe view: $sql" 2 'load_extension' "$program" query hostile.db "$sql"
done

# Without end, but not without Ctrl-C.
cp whole.db hostile.db
ask hostile.db 'CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c'
for signal in INT TERM; do
    env --default-signal timeout --preserve-status --foreground -s $signal 1 "$program" query hostile.db 'SELECT * FROM endless' >got 2>&1
    [ $? = $((128 + $(kill -l $signal))) ] || fail "$signal does not end a view without end"
done

# A journal of a transaction over several databases: playing it back removes the file that it names.
# trap_of NAME: a journal of hostile.db that names the file NAME
trap_of() {
    /usr/bin/python3 - "$1" hostile.db <<'PY'
import struct, sys
name, database = sys.argv[1].encode(), sys.argv[2]
page = struct.unpack('>H', open(database, 'rb').read(18)[16:])[0]
pages = len(open(database, 'rb').read()) // page
mark = bytes.fromhex('d9d505f920a163d7')
header = (mark + struct.pack('>IIIII', 0, 1, pages, 512, page)).ljust(512, b'\0')
lock_page = 0x40000000 // page + 1
end = struct.pack('>I', lock_page) + name + struct.pack('>II', len(name), sum(name)) + mark
open(database + '-journal', 'wb').write(header + end)
PY
}
cp whole.db hostile.db
echo precious >precious
trap_of "$work/precious" || fail 'no journal was made'
expect 'explain, and a journal that names another file' 2 'names another file' "$program" explain hostile.db
expect 'a journal that names another file' 2 'names another file' "$program" query hostile.db 'SELECT 1'
[ "$(cat precious)" = precious ] || fail 'the file that a journal names is gone'
rm -f hostile.db-journal

# ------------------------------------------------------------------ other versions

cp whole.db later.db && ask later.db "UPDATE meta SET format=1000, version='9.9.9'"
expect 'a later one' 2 'written by a later stormglass, 9.9.9, in format 1000; this is ' "$program" explain later.db
expect 'a later one is queried' 2 'written by a later stormglass, 9.9.9, in format 1000' "$program" query later.db 'SELECT version FROM meta'
version=$("$program" --version)
cp whole.db earlier.db && ask earlier.db "UPDATE meta SET format=1, version='0.0.1'; DROP TABLE io; DROP TABLE flow; DROP TABLE frame;
    DROP TABLE pause_edge; DROP TABLE counter; DROP TABLE checkpoint; DROP TABLE deadlock"
for command in explain counters 'pcap -o x.pcapng' 'report -o x.html' 'report --text'; do
    # shellcheck disable=SC2086 # two words
    expect "$command of an earlier one" 2 \
        "written by an earlier stormglass, 0.0.1, in format 1, which lacks this data; this is ${version#* }" \
        "$program" $command earlier.db
    [ ! -e x.html ] && [ ! -e x.pcapng ] || fail "$command wrote something"
done
[ $failures = 0 ]
