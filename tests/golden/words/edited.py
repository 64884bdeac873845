# SPDX-License-Identifier: Apache-2.0
"""edited.py FROM.db COUNT [TABLE...]: copies 1.db, 2.db, ... in which lists have other lengths and cells other values: none, one, two, the
limits of what a text lists, no value, markup.  With tables, only one to three of their columns change in each copy.  The copies
are the same everywhere."""
import shutil
import sqlite3
import sys
import zlib

LENGTHS = (0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 16, 17, 20, 21, 24, 25, 32, 40, 41, 42)
NUMBERS = (0, 1, 2, 999, 1000, 1001, 999999, 10**6, 123456789, 10**9, 5 * 10**11, 10**12)
TEXTS = ('', 'a', 'x < "y" & z', "it's", '1', 'none', 'a word that is much longer than the column that it is printed in')
# Names of nodes and keys of rows are what other tables refer to.
KEPT = ('source', 'set_option', 'checkpoint', 'counter_name', 'sqlite_sequence')
COLUMNS_KEPT = ('node', 'port', 'workload', 'name', 'path', 'format', 'type', 'digest')
LENGTH_KEPT = KEPT + ('meta', 'wall', 'node', 'port', 'link', 'setting', 'plan', 'axis')

source, count, *tables = sys.argv[1:]
db, state = None, 0


def drawn(below):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % below


def lengthen(table, columns, rows, wanted):
    """Rows like those that there are, with other keys and names."""
    keys = [c[1] for c in columns if c[5] > 0]
    number = 0
    for _ in range(4 * wanted):
        if len(rows) + number >= wanted:
            return
        row = dict(zip((c[1] for c in columns), rows[number % len(rows)]))
        for key in keys[-1:]:
            row[key] = row[key] + len(rows) * (number // len(rows) + 1) if isinstance(row[key], int) else f'{row[key]}{number}'
        places = ', '.join('?' * len(row))
        db.execute(f'INSERT OR IGNORE INTO "{table}" VALUES({places})', list(row.values()))
        number += 1


def other_value(column, value):
    _, _, kind, needed, _, key = column
    if not needed and not key and drawn(4) == 0:
        return None
    if kind == 'TEXT':
        return TEXTS[drawn(len(TEXTS))]
    if kind == 'REAL':
        return (0.0, 0.5, 1.0, -1.5, 1e-9, 0.0005, 0.00049, 9.95, 1e6)[drawn(9)]
    return value * 2 if isinstance(value, int) and drawn(3) == 0 else NUMBERS[drawn(len(NUMBERS))]


def columns_of(table):
    return db.execute(f'PRAGMA table_info("{table}")').fetchall()


def has(table):
    return db.execute("SELECT count(*) FROM sqlite_master WHERE type='table' AND name=?", [table]).fetchone()[0] > 0


def rows_of(table):
    """In an order that does not depend on the machine."""
    count = len(columns_of(table))
    return db.execute(f'SELECT * FROM "{table}" ORDER BY ' + ', '.join(str(i + 1) for i in range(count))).fetchall()


def where(table):
    return ' AND '.join(f'"{c[1]}" IS ?' for c in columns_of(table))


def change_length(table):
    rows, wanted = rows_of(table), LENGTHS[drawn(len(LENGTHS))]
    if rows and wanted > len(rows):
        lengthen(table, columns_of(table), rows, wanted)
    for row in rows[wanted:]:
        db.execute(f'DELETE FROM "{table}" WHERE {where(table)}', row)


def can_change(column):
    return not column[5] and column[2] != 'BLOB' and column[1] not in COLUMNS_KEPT


def change_cells(table, column, share):
    for row in rows_of(table):
        if drawn(share) == 0:
            db.execute(f'UPDATE OR IGNORE "{table}" SET "{column[1]}"=? WHERE {where(table)}',
                       [other_value(column, row[column[0]]), *row])


def edit(table):
    if table not in LENGTH_KEPT and drawn(2) == 0:
        change_length(table)
    for column in filter(can_change, columns_of(table)):
        if drawn(4) == 0:
            change_cells(table, column, 3)


def edit_some():
    cells = [(table, column) for table in tables for column in columns_of(table) if can_change(column)]
    for _ in range(1 + drawn(3)):
        change_cells(*cells[drawn(len(cells))], 1 + drawn(6))


for number in range(1, int(count) + 1):
    shutil.copy(source, f'{number}.db')
    db, state = sqlite3.connect(f'{number}.db'), zlib.crc32(b'edited %d' % number)
    db.execute('PRAGMA ignore_check_constraints = ON')
    for (name,) in [] if tables else db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name").fetchall():
        if name not in KEPT and not name.startswith('series'):
            edit(name)
    if tables:
        edit_some()
    if has('wall'):
        db.execute("UPDATE wall SET value=iif(name='started_unix_s', 1700000000, 1)")
    if has('meta'):
        db.execute('UPDATE meta SET threads=1')
    if has('measured') and number % 4 == 0:
        db.execute("INSERT OR REPLACE INTO measured VALUES('device','rxe0'),('kernel','6.1')")
    db.commit()
    db.close()
