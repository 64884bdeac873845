# SPDX-License-Identifier: Apache-2.0
"""check.py TEXT MARKDOWN PREDICTED MEASURED JSON: every figure of a comparison, computed anew from the databases of its 2 x 2 cells."""
import json
import os
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../charts'))
from findings import end, fail  # noqa: E402
from number import agrees  # noqa: E402

text, markdown = (open(path).read() for path in sys.argv[1:3])
DEPTHS, SIZES = ('1', '4'), ('512B', '64KiB')
FIGURES = {'p50': 'latency_p50_ps', 'IOPS': 'iops', 'mean': 'latency_mean_ps', 'p99': 'latency_p99_ps'}


def figures_of(folder, cell):
    db = sqlite3.connect(os.path.join(folder, cell + '.db'))
    return dict(zip(FIGURES, db.execute(f'SELECT {", ".join(FIGURES.values())} FROM workload').fetchone()))


cells = {}
for depth in DEPTHS:
    for size in SIZES:
        cell = f'qd{depth}-bs{size}'
        cells[depth, size] = cell, *(figures_of(folder, cell) for folder in sys.argv[3:5])


def check_error(what, words, model, measured):
    """One digit behind the point."""
    wanted = 100 * (model / measured - 1)
    if abs(float(words.replace('%', '')) - wanted) > 0.0501 or not re.fullmatch(r'[+-]\d+\.\d%', words):
        fail(f'{what}: {words} and not {wanted}')


def check_value(what, words, exact):
    if not agrees(words, exact):
        fail(f'{what}: {words} and not {exact}')


def check_row(cell, model, measured, words):
    for i, name in enumerate(('p50', 'IOPS')):
        check_value(f'{cell} {name} model', words[3 * i], model[name])
        check_value(f'{cell} {name} measured', words[3 * i + 1], measured[name])
        check_error(f'{cell} {name}', words[3 * i + 2], model[name], measured[name])
    check_error(f'{cell} mean', words[6], model['mean'], measured['mean'])
    check_error(f'{cell} p99', words[7], model['p99'], measured['p99'])


VALUE, ERROR = r'([\d.]+ \S+)', r'([+-][\d.]+%)'
for cell, model, measured in cells.values():
    row = re.search(rf'^  \w+ +{cell} +{VALUE} +{VALUE} +{ERROR} +{VALUE} +{VALUE} +{ERROR} +{ERROR} +{ERROR}  ', text, re.M)
    check_row(cell, model, measured, row.groups())
    rows = re.findall(rf'^\| \**{cell}\** \|(.*)\|$', markdown, re.M)
    if not rows:
        fail(f'{cell}: no row')
    for row in rows:
        check_row(cell, model, measured, [words.strip() for words in row.split('|')])

# The columns are in the order of their heading, and the worst cell is first.
heading = re.search(r'^Cells, worst first +(.*)$', text, re.M)
if not heading or re.split(r'  +', heading[1]) != ['p50 model', 'measured', 'error IOPS model', 'measured', 'error', 'mean', 'p99']:
    fail(f'heading: {heading and heading[1]}')
worst = [max(abs(model[name] / measured[name] - 1) for name in ('p50', 'IOPS')) for _, model, measured in cells.values()]
by_error = [cell for _, (cell, *_) in sorted(zip(worst, cells.values()), key=lambda row: -row[0])]
if re.findall(r'^  (?:within|beyond) +(\S+)', text, re.M) != by_error:
    fail(f'order: {by_error} wanted')

# Cells and those within, by range: none of the cells is in a calibrated one.
if '\n| range | cells | within |\n|---|---|---|\n| uncalibrated | 4 | 2 |\n' not in markdown:
    fail('ranges of Markdown')

# JSON: one object for each cell in the order of the grid, with all figures.
told = json.load(open(sys.argv[5]))
if [told[key] for key in ('cells', 'measured', 'within', 'first_unix_s', 'last_unix_s', 'device', 'kernel')] != \
        [4, 4, 2, 1700000000 + 86400, 1700000000 + 4 * 86400, 'rxe0', '6.1']:
    fail('JSON: the totals')
if [(row['cell'], row['workload'], row['measured']) for row in told['rows']] != [(cell, 'io', True) for cell, *_ in cells.values()]:
    fail(f"JSON: the rows {[row.get('cell') for row in told['rows']]}")
for row, (cell, model, measured) in zip(told['rows'], cells.values()):
    for name in FIGURES:
        figure = row['figures'][name.lower()]
        for what, wanted in (('model', model[name]), ('measured', measured[name]), ('error', model[name] / measured[name] - 1)):
            if abs(figure[what] - wanted) > 1e-6 * abs(wanted):
                fail(f'JSON: {cell} {name} {what}: {figure[what]} and not {wanted}')
    if row['within'] != (f'within  {cell} ' in text):
        fail(f'JSON: {cell}: within {row["within"]}')

# A plane: rows of the first axis, columns of the second.
for name in ('p50', 'IOPS'):
    plane = re.search(rf'^  {name} +(\S+) +(\S+)\n((?:    .*\n)+)', text, re.M)
    if plane.groups()[:2] != SIZES:
        fail(f'{name}: columns {plane.groups()[:2]}')
    shown = re.search(rf'\*\*{name}\*\*, model / measured\n\n\| \| (\S+) \| (\S+) \|\n.*\n((?:\|.*\n)+)', markdown)
    if shown.groups()[:2] != SIZES:
        fail(f'{name}: columns {shown.groups()[:2]} of Markdown')
    lines, rows = plane[3].splitlines(), shown[3].splitlines()
    if len(lines) != len(DEPTHS) or len(rows) != len(DEPTHS):
        fail(f'{name}: {len(lines)} and {len(rows)} rows')
    for depth, line, row in zip(DEPTHS, lines, rows):
        head, *errors = re.fullmatch(rf'    qd (\S+) +{ERROR} +{ERROR}', line).groups()
        titled, *parts = re.fullmatch(rf'\| qd (\S+)' + rf' \| {VALUE} / {VALUE} \({ERROR}\)' * 2 + r' \|', row).groups()
        if (head, titled) != (depth, depth):
            fail(f'{name}: row {head} and {titled} and not {depth}')
        for i, size in enumerate(SIZES):
            cell, model, measured = cells[depth, size]
            check_error(f'plane {cell} {name}', errors[i], model[name], measured[name])
            check_value(f'plane {cell} {name} model', parts[3 * i], model[name])
            check_value(f'plane {cell} {name} measured', parts[3 * i + 1], measured[name])
            check_error(f'plane {cell} {name} of Markdown', parts[3 * i + 2], model[name], measured[name])
end()
