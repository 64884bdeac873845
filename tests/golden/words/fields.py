# SPDX-License-Identifier: Apache-2.0
"""fields.py FOLDER EXCEPTIONS: what the JSON outputs of a folder, COMMAND.NAME.json, have in each field.  Over all outputs
of a command, a list must have members at least once, a field must be other than null at least once, and a boolean must be
both true and false: what a test sees always empty, a fault can leave empty.  EXCEPTIONS names the fields that no scenario
fills, one a line, with the reason; one that is filled is a fault, too."""
import collections
import json
import sys
from pathlib import Path

seen = collections.defaultdict(set)


def visit(path, value):
    if isinstance(value, dict):
        seen[path].add('object')
        for key, inner in value.items():
            visit(f'{path}.{key}', inner)
    elif isinstance(value, list):
        seen[path + '[]'].add('members' if value else 'empty')
        for inner in value:
            visit(path + '[]', inner)
    else:
        seen[path].add('true' if value is True else 'false' if value is False else 'null' if value is None else 'value')


for file in sorted(Path(sys.argv[1]).glob('*.json')):
    text = file.read_text()
    try:
        visit(file.name.split('.')[0], json.loads(text))
    except ValueError as error:
        print(f'{file.name}: {error}: {text[:200]}')
exceptions = {line.split(':')[0] for line in Path(sys.argv[2]).read_text().splitlines() if line and line[0] != '#'}
poor = {path for path, kinds in seen.items() if kinds in ({'empty'}, {'null'}, {'true'}, {'false'}, {'true', 'null'}, {'false', 'null'})}
for path in sorted(poor - exceptions):
    print(f'{path}: only {", ".join(sorted(seen[path]))} in all outputs')
for path in sorted(exceptions - poor):
    print(f'{path}: an exception, but {", ".join(sorted(seen[path])) or "in no output"}')
