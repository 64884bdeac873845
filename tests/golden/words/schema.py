# SPDX-License-Identifier: Apache-2.0
"""schema.py EXPECTED JSON_FOLDER RUN.db PLAN.db: the keys of all JSON outputs of a folder, COMMAND.NAME.json, and the
columns of both kinds of databases, as EXPECTED lists them.  Scripts rely on each of them.  A new key has to be added to the
list (ACCEPT=1).  A key that is missing is an error, unless the version of its part is a new one: that is what the version
is for.  Keys that are data, such as paths of parameters, are listed as *."""
import json
import os
import re
import sqlite3
import sys
from pathlib import Path


def paths_of(path, value):
    if isinstance(value, dict):
        for key, inner in value.items():
            below = f'{path}.{key if re.fullmatch(r"[a-z][a-z0-9_]*|stormglass-[a-z]+", key) else "*"}'
            yield below
            yield from paths_of(below, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_of(path + '[]', inner)


def keys_of(folder):
    keys, versions = set(), {}
    for file in sorted(Path(folder).glob('*.json')):
        kind, documents = file.name.split('.')[0], [json.loads(file.read_text())]
        if kind == 'query': # an array of rows, whose keys are the columns of the statement
            continue
        for document in documents:
            if 'schema' in document:
                versions[file.name] = document['schema']
            elif not any(key.startswith('stormglass-') for key in document):
                print(f'{file.name}: no "schema"')
            keys.update(paths_of(kind, document))
    if len(set(versions.values())) != 1:
        print(f'several versions: {versions}')
    return keys, max(versions.values())


def columns_of(path, name, version):
    database = sqlite3.connect(path)
    tables = database.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'").fetchall()
    columns = {f'{name}: {table}.{column}' for (table,) in tables
               for (column,) in database.execute('SELECT name FROM pragma_table_info(?)', (table,))}
    return columns, database.execute(version).fetchone()[0]


expected, folder, run, plan = sys.argv[1:]
parts = {'json': keys_of(folder), 'run': columns_of(run, 'run', 'SELECT format FROM meta'),
         'plan': columns_of(plan, 'plan', "SELECT value FROM plan WHERE key='format'")}
found = {f'{part} {key}' if part == 'json' else key for part, (keys, _) in parts.items() for key in keys}
now = {part: f'version of {part}: {version}' for part, (_, version) in parts.items()}
known = set(Path(expected).read_text().splitlines()) if Path(expected).exists() else set()


def part_of(line):
    return re.match(r'json|run|plan', line).group(0)


missing = {line for line in known - found if not line.startswith('version of ') and now[part_of(line)] in known}
for line in sorted(missing):
    print(f'{line} is missing: it must not be removed or renamed without a new version (JSON_SCHEMA, RECORD_FORMAT, PLAN_FORMAT)')
if os.environ.get('ACCEPT'):
    Path(expected).write_text('\n'.join([*sorted(now.values()), *sorted(found | missing)]) + '\n')
else:
    for line in sorted((found | set(now.values())) - known):
        print(f'{line} is new: add it with ACCEPT=1')
