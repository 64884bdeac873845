# SPDX-License-Identifier: Apache-2.0
"""cliff.py PAGE DATABASE: points and intervals of the curve of a cliff, computed from the slacks of its runs."""
import math
import re
import sqlite3
import sys

page = open(sys.argv[1]).read()
db = sqlite3.connect(sys.argv[2])
STUDENT_95 = {1: 12.706205, 2: 4.302653, 3: 3.182446}  # two-sided, by degrees of freedom, from printed tables
failures = 0


def near(what, got, wanted, by):
    global failures
    if abs(got - wanted) > by:
        failures += 1
        print(f'{what}: {got} and not {wanted}')


drawing = re.search(r'<svg class="front cliff".*?</svg>', page, re.S)[0]
left, right, limit = (float(re.search(rf'class="limit".* {name}="([\d.]+)"', drawing)[1]) for name in ('x1', 'x2', 'y1'))
top, bottom = (int(re.search(rf'y="(\d+)">{name}%</text>', drawing)[1]) - 4 for name in ('100', '-100'))
near('the limit is in the middle', limit, (top + bottom) / 2, 0.06)
line = re.search(r'<polyline points="([^"]*)"', drawing)[1].split()
points = re.findall(r'<line class="span" x1="([\d.]+)" x2="([\d.]+)" y1="([\d.]+)" y2="([\d.]+)"/><circle class="(\w+)" cx="([\d.]+)" '
                    r'cy="([\d.]+)" r="5"><title>([^:]*): headroom (\S+)% \+- (\S+)%</title>', drawing)
values = db.execute('SELECT position, value, candidate FROM cliff ORDER BY position').fetchall()
near('points', len(points), len(values), 0)


def down(room):
    """100 % is at the top, -100 % at the bottom; what is beyond lies on the edge."""
    return (top + bottom) / 2 - (bottom - top) / 2 * max(-1, min(1, room))


for (x1, x2, y1, y2, kind, x, y, name, mean, half), on_line, (position, value, candidate) in zip(points, line, values):
    slacks = [slack for slack, in db.execute('SELECT slack FROM figure WHERE candidate=? AND slo=0', (candidate,))]
    room = sum(slacks) / len(slacks)
    wide = STUDENT_95[len(slacks) - 1] * math.sqrt(sum((slack - room)**2 for slack in slacks) / (len(slacks) - 1) / len(slacks))
    near(f'{value}: name', name != value, False, 0)
    near(f'{value}: headroom', float(mean), 100 * room, 0.006 * abs(100 * room))
    near(f'{value}: interval', float(half), 100 * wide, 0.006 * 100 * wide)
    near(f'{value}: verdict', kind == 'holds', room >= 0, 0)
    for got in (x1, x2, x, on_line.split(',')[0]):
        near(f'{value}: x', float(got), left + position * (right - left) / (len(values) - 1), 0.06)
    near(f'{value}: y', float(y), down(room), 0.06)
    near(f'{value}: line', float(on_line.split(',')[1]), down(room), 0.06)
    near(f'{value}: lower end', max(float(y1), float(y2)), down(room - wide), 0.06)
    near(f'{value}: upper end', min(float(y1), float(y2)), down(room + wide), 0.06)
sys.exit(failures > 0)
