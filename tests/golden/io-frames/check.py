# SPDX-License-Identifier: Apache-2.0
"""check.py SVG DATABASE COMMAND: the drawing of a command that is the only one of its run has all frames after its issue, hop
by hop, with the times of the database, and its lanes in the order of the path."""
import os
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../charts'))
from findings import end, fail, same  # noqa: E402

svg = open(sys.argv[1]).read()
db = sqlite3.connect(sys.argv[2])
db.row_factory = sqlite3.Row
MIDDLES = 2  # of a long message the drawing has the first packet, two more, and the last two
UNITS = {'ps': 1, 'ns': 10**3, 'us': 10**6, 'ms': 10**9}

command = db.execute('SELECT * FROM io WHERE io=?', (sys.argv[3],)).fetchone()
nodes = {row['node']: row['name'] for row in db.execute('SELECT node, name FROM node')}
ports = {(row['node'], row['port']): row for row in db.execute('SELECT * FROM port')}
ends = [next(row for row in ports.values() if row['ip'] == command[name]) for name in ('host_ip', 'target_ip')]

# ---------------------------------------------------------------- frames from the issue to the last acknowledgment
frames = db.execute("SELECT * FROM frame WHERE at_ps>=? AND at_ps<=? AND opcode LIKE 'RC%' ORDER BY at_ps, node, psn",
                    (command['issued_ps'], command['completed_ps'] + 20 * 10**6)).fetchall()
while frames and (frames[0]['node'] != ends[0]['node'] or 'SEND' not in frames[0]['opcode']):
    frames.pop(0)  # acknowledgments of the connection's set-up
long = {}
for frame in frames:
    if re.search('FIRST|MIDDLE|LAST', frame['opcode']) and 'SEND' not in frame['opcode']:
        long.setdefault(frame['source'], set()).add(frame['psn'])


def is_shown(frame):
    psns = long.get(frame['source'], {0})
    return not ('MIDDLE' in frame['opcode'] and min(psns) + MIDDLES < frame['psn'] < max(psns) - 1)


wanted = []
for frame in filter(is_shown, frames):
    port = ports[frame['node'], frame['port']]
    gap = 12 * 8 * 10**12 // port['rate_bps']  # the gap between frames is no part of a frame
    wanted.append((frame['opcode'].removeprefix('RC_').replace('_', ' '), frame['psn'], frame['bytes'], nodes[frame['node']],
                   nodes[port['peer_node']], frame['at_ps'], frame['at_ps'] + frame['wire_ps'] + port['delay_ps'] - gap))
found = re.findall(r'<title>([A-Z ]+), PSN (\d+), (\d+) bytes: (\S+) to (\S+), sent at ([\d.]+) (\S+), received at ([\d.]+) (\S+?)<', svg)
same('hops', [(name, int(psn), int(bytes), a, b) for name, psn, bytes, a, b, *_ in found], [row[:5] for row in wanted])
for (name, psn, _, _, _, sent, unit, got, unit_got), (*_, at, arrives) in zip(found, wanted):
    for what, value, exact in (('sent', float(sent) * UNITS[unit], at), ('received', float(got) * UNITS[unit_got], arrives)):
        if abs(value - exact) > 0.006 * exact:
            fail(f'{name}, PSN {psn}, {what}: {value} and not {exact}')
if len(found) < 20 or not any('MIDDLE' in row[0] for row in found):
    fail('too few frames to compare')

# ---------------------------------------------------------------- lanes: left the host, right the target, each hop to the next
lanes = {}
for x, y, name in re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" font-size="12.0"[^>]*>([^<]*)<', svg):
    lanes[name] = float(x)
order = sorted(lanes, key=lanes.get)
same('lanes', sorted(lanes), sorted({name for row in wanted for name in row[3:5]}))
same('host', order[0], nodes[ends[0]['node']])
same('target', order[-1], nodes[ends[1]['node']])
for row in wanted:
    source = next(frame for frame in frames if frame['psn'] == row[1] and frame['at_ps'] == row[5])['source']
    to_the_right = source == ends[0]['endpoint']
    if (lanes[row[4]] > lanes[row[3]]) != to_the_right:
        fail(f'{row[0]}, PSN {row[1]}: from {row[3]} to {row[4]} against the path')
end()
