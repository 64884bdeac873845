# SPDX-License-Identifier: Apache-2.0
"""check.py FIGURES DATABASE [SIDE]: every point of every chart, computed anew from the tables of the database.

SIDE: the letter that ends the names of its series in the figures of a pair of runs.  The runs have few samples, so that
a page leaves out no more than the points within a level line."""
import json
import sqlite3
import sys

figures = json.load(open(sys.argv[1]))
db = sqlite3.connect(sys.argv[2])
side = sys.argv[3] if len(sys.argv) > 3 else ''
charts = {chart['id']: chart for chart in figures['charts']}
failures = 0


def check(what, got, wanted):
    global failures
    if got == wanted:
        return
    failures += 1
    apart = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted))) \
        if isinstance(got, list) and isinstance(wanted, list) else None
    print(f'{what}: ' + (f'{got} and not {wanted}' if apart is None else
                         f'at {apart} of {len(got)}, {len(wanted)}: {got[apart:apart + 3]} and not {wanted[apart:apart + 3]}'))


def ask(sql, *values):
    return db.execute(sql, values).fetchall()


def one(sql, *values):
    return ask(sql, *values)[0][0]


samples = ask('SELECT sample, from_ps, until_ps, partial FROM series ORDER BY sample')
place = {sample[0]: i for i, sample in enumerate(samples)}
span = figures['span_ps']
check('span', span >= max([one('SELECT simulated_ps+coalesce(drain_ps, 0) FROM meta'), samples[-1][2]]), True)
assert 4 < len(samples) < 140 and samples[-1][3] == 1 and span < 2**53


def level(points):
    """Of points with the same value one after the other the first and the last."""
    kept = []
    for point in points:
        if len(kept) > 1 and kept[-1][1] == point[1] and kept[-2][1] == point[1]:
            kept.pop()
        kept.append(point)
    return kept


def own(chart):
    """The chart's series of this side, by the name that they have in a page of this run alone."""
    tail = ' ' + side if side else ''
    return [dict(series, name=series['name'].removesuffix(tail)) for series in charts[chart]['series']
            if series['name'].endswith(tail)]


def lines(chart, wanted, rate=False):
    """`wanted`: (name, {sample: value}, what an absent sample is) in the order of the page."""
    if side and chart not in charts:  # the fabric of two runs is compared by tables
        return None
    shown = []
    for name, values, absent in wanted:
        row = [values.get(sample[0], absent) for sample in samples]
        if rate:
            row = [None if sample[3] else bytes * 8 * 10**12 // (sample[2] - sample[1])
                   for bytes, sample in zip(row, samples)]
        if all(value is None or value == absent for value in row):
            continue
        if rate:  # what was true in an interval is drawn from its begin to its end
            points = [[sample[1], value] for sample, value in zip(samples, row)] + [[samples[-1][2], row[-1]]]
        else:     # what is at the end of an interval, there
            points = [[sample[2], value] for sample, value in zip(samples, row)]
        shown.append([name, level(points)])
    found = own(chart)
    check(f'{chart}: series', [series['name'] for series in found], [name for name, _ in shown])
    check(f'{chart}: held', charts[chart].get('held', False), rate)
    if not side:
        check(f'{chart}: hidden', [bool(series.get('hidden')) for series in found], [i >= 6 for i in range(len(found))])
    for series, (name, points) in zip(found, shown):
        check(f'{chart}, {name}', series['points'], points)
    return len(shown)


def by_place(sql):
    """Rows of (key, name, sample, value) as [(key, name, {sample: value})]."""
    found = {}
    for *key, name, sample, value in ask(sql):
        found.setdefault((tuple(key), name), {})[sample] = value
    return [(key, name, values) for (key, name), values in found.items()]


def busiest(sql, measure=max, least=False):
    """The twelve places with the most, those with none left out."""
    rows = [(measure(values.values()), key, name, values) for key, name, values in by_place(sql)]
    rows = sorted((row for row in rows if least or row[0] > 0), key=lambda row: (row[0] if least else -row[0], row[1]))
    return [row[1:] for row in rows[:12]]


PORT = ' JOIN port p USING(node, port)'
drawn = {
    'rates': lines('rates', [(name, values, 0) for _, name, values in busiest(
        f'SELECT node, port, p.name, sample, sum(tx_bytes) FROM series_port{PORT} GROUP BY 1, 2, sample', sum)], rate=True),
    'queues': lines('queues', [(name, values, 0) for _, name, values in busiest(
        f"SELECT node, port, priority, p.name||' priority '||priority, sample, queue_bytes FROM series_port{PORT}")]),
    'receive': lines('receive', [(name, values, 0) for _, name, values in busiest(
        f'SELECT node, port, p.name, sample, receive_bytes FROM series_rnic{PORT}')]),
}
switches = busiest('SELECT node, name, sample, buffer_bytes FROM series_switch JOIN node USING(node)')
headrooms = {name: values for _, name, values in
             by_place('SELECT node, name, sample, headroom_bytes FROM series_switch JOIN node USING(node)')}
drawn['buffers'] = lines('buffers', [(name, values, 0) for _, name, values in switches] +
                         [(name + ', headroom', headrooms[name], 0) for _, name, _ in switches])
rates = {(node, port): rate for node, port, rate in ask('SELECT node, port, rate_bps FROM port')}
drawn['control'] = lines('control', [(name, values, rates[key[0], key[1]]) for key, name, values in busiest(
    "SELECT s.node, s.port, qpn, n.name||' to '||m.name||', QP '||qpn, sample, s.rate_bps FROM series_flow s"
    ' JOIN node n ON n.node=s.node JOIN port r ON r.ip=s.peer_ip JOIN node m ON m.node=r.node', min, least=True)])
workloads = ask('SELECT workload, name FROM workload ORDER BY workload')


def of_workload(column, workload):
    return dict(ask(f'SELECT sample, {column} FROM series_workload WHERE workload=?', workload))


drawn['goodput'] = lines('goodput', [(name, of_workload('bytes', w), 0) for w, name in workloads], rate=True)

# ---------------------------------------------------------------- work: by samples, or by what is known of each command
by_io = charts['underway']['kind'] == 'steps'
if not side:
    check('by command', by_io, one('SELECT record FROM meta') in ('ios', 'packets'))
if not by_io:
    drawn['underway'] = lines('underway', [(name, of_workload('outstanding', w), 0) for w, name in workloads])
    for w, name in ask('SELECT workload, name FROM workload ORDER BY issued DESC, workload'):
        drawn[f'latency{w}'] = lines(f'latency{w}', [
            (rank, of_workload(f'latency_{rank}_ps', w), None) for rank in ('max', 'p99', 'p50')])
else:
    step = charts['underway']['step_ps']
    check('underway: step', step, -(-span // 400))
    wanted = {}
    for name, issued, completed in ask('SELECT name, issued_ps, completed_ps FROM io JOIN workload USING(workload)'
                                       ' ORDER BY workload'):
        bins = wanted.setdefault(name, [0] * 400)
        for i in range(issued // step, completed // step):
            bins[i] += 1
    check('underway', {series['name']: series['values'] for series in own('underway')}, wanted)
    for w, name in workloads:
        step = charts[f'latency{w}']['step_ps']
        check(f'latency{w}: step', step, -(-span // 100))
        bins = [[] for _ in range(100)]
        for issued, completed in ask('SELECT issued_ps, completed_ps FROM io WHERE workload=?', w):
            bins[completed // step].append(completed - issued)
        for series, percent in zip(own(f'latency{w}'), (100, 99, 50)):
            check(f'latency{w}: name', series['name'], 'max' if percent == 100 else f'p{percent}')
            check(f'latency{w}, {percent}', series['values'],
                  [sorted(bin)[-(-len(bin) * percent // 100) - 1] if bin else None for bin in bins])
    drawn['underway'] = drawn['latency'] = len(wanted)

wanted = []
for w, name in workloads:
    rows = ask('SELECT from_ps, below_ps, count FROM latency WHERE workload=? ORDER BY from_ps', w)
    total, so_far, points = sum(count for *_, count in rows), 0, [[start, 1] for start, *_ in rows[:1]]
    for _, below, count in rows:
        so_far += count
        points.append([below, round(1 - so_far / total, 9)])
    if points:
        wanted.append([name, points])
check('tail', [[series['name'], [[at, round(share, 9)] for at, share in series['points']]] for series in own('tail')], wanted)
drawn['tail'] = len(wanted)

# ---------------------------------------------------------------- pauses
tail = '-' + side.lower() if side else ''
stops = {}
for node, port, priority, start, end in ask('SELECT * FROM blocked ORDER BY from_ps'):
    stops.setdefault((node, port, priority), []).append((start, end))
longest = sorted(stops, key=lambda key: (-sum(end - start for start, end in stops[key]), key))[:40]
names = {(node, port): name for node, port, name in ask('SELECT node, port, name FROM port')}
peers = {(node, port): (peer, at) for node, port, peer, at in ask('SELECT node, port, peer_node, peer_port FROM port')}
chart = charts['pauses' + tail]


def shown(rows):
    """The bands of a port: of one with more than 400 pauses, those with gaps of less than a 400th of the run are one."""
    least = span // 400 if len(rows) > 400 else 0
    cuts = [0] + [i for i in range(1, len(rows)) if rows[i][0] - rows[i - 1][1] >= least] + [len(rows)]
    parts = [rows[first:last] for first, last in zip(cuts, cuts[1:])]
    return [[part[0][0], part[-1][1], sum(end - start for start, end in part)] for part in parts]


check('pauses: rows', [[row['name'], row['port'], row['blocked_ps']] for row in chart['rows']],
      [[f'{names[key[:2]]} by {names[peers[key[:2]]]}, priority {key[2]}', names[key[:2]],
        sum(end - start for start, end in stops[key])] for key in longest])
check('pauses: bands', chart['bands'],
      [[i, *band] for i, key in enumerate(longest) for band in shown(stops[key])])
drawn['pauses'] = len(longest)
step = charts['spread']['step_ps']
check('spread: step', step, -(-span // 400))
wanted = {}
tiers = {node: 'hosts' if kind == 'host' else f'tier {max(tier, 1)} switches'
         for node, kind, tier in ask('SELECT node, kind, tier FROM node')}
for key, rows in stops.items():
    bins = wanted.setdefault(tiers[key[0]], [0] * 400)
    for start, end in rows:
        for i in range(start // step, min(end // step + 1, 400)):
            bins[i] += max(0, min(end, (i + 1) * step) - max(start, i * step))
check('spread', {series['name']: series['values'] for series in own('spread')}, wanted)
drawn['spread'] = len(wanted)

# Of each 500th of the run the first of the least and of the most edges.
edges = {}
for node, port, priority, at, bytes in ask(
        'SELECT node, port, priority, at_ps, occupancy_bytes FROM pause_edge ORDER BY at_ps, rowid'):
    edges.setdefault((node, port, priority), []).append([at, bytes])
width, wanted = span // 500 + 1, []
for key in sorted(edges, key=lambda key: (-len(edges[key]), key))[:8]:
    pixels, points = {}, []
    for edge in edges[key]:
        pixels.setdefault(edge[0] // width, []).append(edge)
    for pixel in pixels.values():
        pair = [min(pixel, key=lambda edge: edge[1]), max(pixel, key=lambda edge: edge[1])]
        points += sorted(pair, key=lambda edge: edge[0]) if pair[0][0] != pair[1][0] else pair[:1]
    wanted.append([f'{names[key[:2]]} priority {key[2]}', level(points)])
if not side:
    check('occupancy', [[series['name'], series['points']] for series in own('occupancy')], wanted)
    drawn['occupancy'] = len(wanted)

# A chart that nothing is drawn in proves nothing.
for chart, count in drawn.items():
    if count == 0:
        check(f'{chart}: series', 0, 'some')
sys.exit(failures > 0)
