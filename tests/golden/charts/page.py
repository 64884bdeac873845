# SPDX-License-Identifier: Apache-2.0
"""page.py PAGE DATABASE: cards, tables, the topology and the tree of pauses of a page, computed anew."""
import re
import sqlite3
import sys
from html.parser import HTMLParser

text = open(sys.argv[1]).read()
db = sqlite3.connect(sys.argv[2])
failures = 0
UNITS = {'ps': 1, 'ns': 10**3, 'us': 10**6, 'ms': 10**9, 's': 10**12, '': 1, 'k': 10**3, 'M': 10**6,
         'b/s': 1, 'kb/s': 10**3, 'Mb/s': 10**6, 'Gb/s': 10**9, 'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30}


def ask(sql, *values):
    return [list(row) for row in db.execute(sql, values)]


def same(what, got, wanted):
    global failures
    if got == wanted:
        return
    failures += 1
    if isinstance(got, list) and isinstance(wanted, list):
        for i, (a, b) in enumerate(zip(got, wanted)):
            if a != b:
                print(f'{what}, {i} of {len(got)}: {a!r} and not {b!r}')
                return
    print(f'{what}: {got!r} and not {wanted!r}')


class Tables(HTMLParser):
    """self.found: by section the tables, of each the heads and the rows, of each cell the text and the title."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found, self.section, self.cell, self.row = {}, '', None, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == 'section' or tag == 'details' and 'id' in attrs:
            self.section = attrs['id']
        elif tag == 'table':
            self.found.setdefault(self.section, []).append(([], []))
        elif tag == 'tr':
            self.row = []
        elif tag in ('td', 'th'):
            self.cell = ['', attrs.get('title')]

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[0] += data

    def handle_endtag(self, tag):
        if tag in ('td', 'th') and self.cell is not None:
            if tag == 'th':
                self.found[self.section][-1][0].append(self.cell[0])
            else:
                self.row.append(tuple(self.cell))
            self.cell = None
        elif tag == 'tr' and self.row:
            self.found[self.section][-1][1].append(self.row)


tables = Tables()
tables.feed(text)
COUNT, TIME, RATE, SIZE, WORDS = '', ' ps', ' bit/s', ' B', None


def near(what, words, exact):
    """Within half of the last digit."""
    match = re.fullmatch(r'([\d,]+)(\.\d+)? ?([a-zA-Z/]*)', words)
    if match is None or match[3] not in UNITS:
        same(what, words, exact)
        return
    whole = match[1].replace(',', '')
    unit, digits = UNITS[match[3]], len(match[2] or '.') - 1
    if not match[2] and ',' not in match[1] and len(whole) > 3:
        digits = -1
    if abs(float(whole + (match[2] or '')) * unit - exact) > 0.5001 * 10**-digits * unit:
        same(what, words, exact)


def table(section, heads, kinds, rows, number=0):
    what = f'{section}, table {number}'
    if number >= len(tables.found.get(section, [])):
        same(what, 'no table', heads)
        return
    found_heads, found = tables.found[section][number]
    same(f'{what}: heads', found_heads, heads)
    same(f'{what}: rows', len(found), len(rows))
    same(f'{what}: some', len(rows) > 0, True)
    for i, (cells, row) in enumerate(zip(found, rows)):
        for (words, title), kind, exact, head in zip(cells, kinds, row, heads):
            where = f'{what}, row {i}, {head}'
            if kind is WORDS:
                same(where, words, '' if exact is None else str(exact))
            elif exact is None:
                same(where, (words, title), ('-', None))
            else:
                same(where, title.endswith(kind) and abs(float(title.removesuffix(kind) or 0) - exact) <= 1e-9 * abs(exact), True)
                near(where, words, exact)


# ---------------------------------------------------------------- head
hosts, switches, links = (ask(sql)[0][0] for sql in (
    "SELECT count(*) FROM node WHERE kind='host'", "SELECT count(*) FROM node WHERE kind='switch'", 'SELECT count(*) FROM link'))
seed, simulated, drain, version, digest, record = ask('SELECT seed, simulated_ps, drain_ps, version, digest, record FROM meta')[0]
facts = re.search(r'<p class="facts">([\d,]+) hosts, ([\d,]+) switches, ([\d,]+) links; seed (\d+); simulated (.*?)(?: \+ (.*?) for outstanding I/O)?;'
                  r' stormglass (.*?); record level (.*?); complete; digest <code>(\w+)</code></p>', text)
same('facts', list(facts.group(1, 2, 3, 4, 7, 8, 9)),
     [f'{hosts:,}', f'{switches:,}', f'{links:,}', str(seed), version, record, digest])
near('simulated', facts[5], simulated)
same('drain', facts[6] is not None, bool(drain))
if drain:
    near('drain', facts[6], drain)
severity, sentence = (ask('SELECT value FROM result WHERE path=?', f'harm.{key}')[0][0] for key in ('severity', 'sentence'))
tone = {'none': ' good', 'slight': ' mild'}.get(severity, ' bad')
same('harm', re.search(r'<p class="verdict(.*?)">(.*?)</p>', text).groups(), (tone, 'Harm ' + sentence))
same('checks', re.search(r'<details id="expectations"( open)?><summary>(.*?)</summary>', text).groups(),
     (' open', '<span class="bad">1 check failed</span>'))
cards = re.findall(r'<div class="card(.*?)"><b>(.*?)</b><span>(.*?)</span></div>', text)
completed, failed, p99 = ask('SELECT sum(completed), sum(failed+unfinished), max(latency_p99_ps) FROM workload')[0]
counters = dict(ask('SELECT name, sum(value) FROM counter GROUP BY name'))
dropped, lossless = ask('SELECT sum(frames), sum(frames*lossless) FROM dropped')[0]
paused = ask('SELECT sum(until_ps-from_ps) FROM blocked')[0][0]
idle, unsettled = (ask(f'SELECT count(*) FROM {rows}')[0][0] for rows in ("warning WHERE text LIKE '% active; % host-target pair%'", 'steady WHERE settled=0'))
wanted = [(' warn' if idle else '', completed, 'completed'), (' warn' if failed else '', failed, 'failed or unfinished'),
          (' mild' if unsettled else '', p99, "worst workload's p99"), ('', ask("SELECT count(*) FROM pause_edge WHERE edge='xoff'")[0][0], 'XOFF frames'),
          (' mild', paused, 'total pause time'), (' warn' if lossless else '', dropped, 'frames dropped'),
          ('', sum(value for name, value in counters.items() if re.fullmatch(r'tx_prio\d_ecn_marked', name)), 'ECN-marked frames'),
          ('', counters['retransmitted_packets'], 'retransmits')]
same('cards', [(tone, label) for tone, _, label in cards], [(tone, label) for tone, _, label in wanted])
for (_, words, label), (_, exact, _) in zip(cards, wanted):
    near(label, words, exact)

# ---------------------------------------------------------------- tables
causes = []
while (row := ask('SELECT value FROM result WHERE path=?', f'causes[{len(causes)}].sentence')):
    share, confirmed = (ask('SELECT value FROM result WHERE path=?', f'causes[{len(causes)}].{key}')[0][0]
                        for key in ('share', 'confirmed'))
    causes.append([row[0][0], f'{round(100 * share)}%', 'confirmed' if confirmed else 'suspected'])
table('', ['cause', 'share', ''], [WORDS] * 3, causes[:6])
table('expectations', ['', 'expectation', 'found'], [WORDS] * 3,
      [['pass' if held else 'FAIL', words, actual] for held, words, actual in
       ask('SELECT held, text, actual FROM expectation ORDER BY position')])
table('workloads', ['workload', 'kind', 'done', 'failed', 'open', 'IOPS', 'goodput', 'mean', 'p50', 'p99', 'p99.9', 'max'],
      [WORDS, WORDS, COUNT, COUNT, COUNT, COUNT, RATE, TIME, TIME, TIME, TIME, TIME],
      [row[:7] + [int(row[7])] + row[8:] for row in ask(
          'SELECT name, kind, completed, failed, unfinished, iops, goodput_bps, latency_mean_ps, latency_p50_ps, latency_p99_ps,'
          ' latency_p99_9_ps, latency_max_ps FROM workload ORDER BY workload')])
sums = ask('SELECT name, cpu_host_ps/completed, cpu_target_ps/completed, (cpu_host_ps+cpu_target_ps)/completed FROM workload'
           ' WHERE cpu_host_ps NOTNULL AND completed>0 ORDER BY workload')
table('cpu', ['workload', 'hosts', 'targets', 'sum'], [WORDS, TIME, TIME, TIME], sums)
lasts = ask('SELECT p.name, priority, cause, lossless, frames, bytes, first_ps, last_ps FROM dropped JOIN port p USING(node, port)')
table('drops', ['port', 'priority', 'cause', 'class', 'frames', 'data', 'first', 'last'],
      [WORDS, COUNT, WORDS, WORDS, COUNT, SIZE, TIME, TIME],
      [row[:3] + ['LOSSLESS' if row[3] else 'lossy'] + row[4:] for row in sorted(lasts, key=lambda row: (-row[3], -row[4]))])
table('stages', ['workload', 'operation', 'stage', 'commands', 'mean', 'longest'], [WORDS] * 3 + [COUNT, TIME, TIME],
      [[name, operation, stage, count, total // count, most] for name, operation, stage, count, total, most in ask(
          'SELECT name, operation, stage, count, sum_ps, max_ps FROM stage JOIN workload USING(workload) WHERE count>0'
          ' ORDER BY workload, operation, position')])
table('events', ['at', 'kind', 'what', 'took'], [TIME, WORDS, WORDS, TIME],
      [row[:3] + [None if row[3] is None else int(row[3] * 1e6)] for row in
       ask('SELECT at_ps, kind, text, took_us FROM v_event ORDER BY position LIMIT 200')])
settings = ask('SELECT path, value, preset, set_by, evidence, source FROM setting ORDER BY rowid')
heads = ['setting', 'value', 'default', 'set by', 'evidence', 'source']
table('settings', heads, [WORDS] * 6, [row for row in settings if row[1] != row[2]])
table('settings', heads, [WORDS] * 6, settings, 1)
peaks = {}
for node, port, priority, value in ask("SELECT node, port, priority, value FROM counter WHERE value>0"
                                       " AND name='tx_prio'||priority||'_queue_peak'"):
    name = ask('SELECT name FROM port WHERE node=? AND port=?', node, port)[0][0]
    steps, whole = [], 0
    for start, end, bytes in ask(
            'SELECT from_ps, until_ps, coalesce((SELECT queue_bytes FROM series_port s WHERE s.sample=t.sample AND node=? AND port=?'
            ' AND priority=?), 0) FROM series t', node, port, priority):
        steps.append((bytes, end - start))
        whole += end - start
    ranks, so_far = [], 0
    for bytes, span in sorted(steps):
        so_far += span
        ranks += [bytes] * ((so_far >= 0.5 * whole and not ranks) + (so_far >= 0.99 * whole and len(ranks) < 2))
    peaks[name, priority] = [int(sum(bytes * span for bytes, span in steps) / whole), *ranks[:2], value,
                             sum(bytes * span for bytes, span in steps) / whole]
table('queue-table', ['port', 'priority', 'mean', 'p50', 'p99', 'peak'], [WORDS, COUNT] + [SIZE] * 4,
      [[*key, *row[:4]] for key, row in sorted(peaks.items(), key=lambda item: (-item[1][4], -item[1][3], item[0]))][:32])
table('blame', ['root', 'kind', 'priority', 'total pause time', 'direct pause time'], [WORDS, WORDS, COUNT, TIME, TIME],
      ask('SELECT text, kind, priority, held_ps, direct_ps FROM pause_root ORDER BY position LIMIT 20'))
table('blame', ['host', 'workload', 'class', 'delayed', 'failed', 'pause time on its path', 'victim of'],
      [WORDS] * 4 + [COUNT, TIME, WORDS],
      [[row[2], row[1], row[3], f'{row[4] / 1e4:.1f}%', *row[5:],
        ask('SELECT value FROM result WHERE path=?', f'causes[{row[0]}].name')[0][0]]
       for row in ask('SELECT cause, w.name, n.name, class, lost_ppm, v.failed, held_ps FROM victim v JOIN workload w USING(workload)'
                      ' JOIN node n USING(node) ORDER BY cause, lost_ppm DESC, workload, v.node LIMIT 40')], 1)

# ---------------------------------------------------------------- topology: 640 wide, a row of 84 for each tier
span = max(simulated + (ask('SELECT drain_ps FROM meta')[0][0] or 0), ask('SELECT max(until_ps) FROM series')[0][0])
held = {}
for node, port, ps in ask('SELECT node, port, sum(until_ps-from_ps) FROM blocked GROUP BY node, port'):
    held[node, port] = ps


def heat(ps):
    return 0 if ps == 0 else 1 + sum(ps >= span * least for least in (0.01, 0.05, 0.2, 0.5))


nodes = ask('SELECT node, name, kind, max(tier, 1) FROM node ORDER BY node')
tiers = max(tier for *_, kind, tier in nodes if kind == 'switch')
at = {}
ports = {(node, port): peer for node, port, peer in ask('SELECT node, port, peer_node FROM port')}
rows = {0: sorted((node for node, _, kind, _ in nodes if kind == 'host'),
                  key=lambda node: (min(peer for (own, _), peer in ports.items() if own == node), node))}
for tier in range(1, tiers + 1):
    rows[tier] = [node for node, _, kind, of in nodes if kind == 'switch' and of == tier]
for tier, row in rows.items():
    for i, node in enumerate(row):
        at[node] = (int((i + 0.5) * 640 / len(row)), 30 + 84 * (tiers - tier))
roots = {node for node, in ask('SELECT node FROM pause_root')}
drawn = re.findall(r'<g data-node="\d+" class="(switch|host)( root)?(?: few)?"><rect class="h(\d)" x="(-?\d+)" y="(\d+)" width="(\d+)" height="(\d+)"'
                   r' rx="\d"/><text [^>]*>(.*?)</text><title>(.*?)</title></g>', text)
same('nodes', [name for *_, name, _ in drawn], [name for _, name, *_ in nodes])
for (kind, root, class_, x, y, width, height, name, title), (node, _, wanted, _) in zip(drawn, nodes):
    own = max([ps for (of, _), ps in held.items() if of == node], default=0)
    caused = max([ps for key, ps in held.items() if ports[key] == node], default=0)
    same(f'{name}: place', (int(x) + int(width) // 2, int(y) + int(height) // 2), at[node])
    same(f'{name}: kind', (kind, root != '', int(class_)), (wanted, node in roots, heat(own)))
    words = re.fullmatch(rf'{name}: (?:its most paused port was paused for (.*)|paused for (.*), paused its switch for (.*))', title)
    near(f'{name}: paused', words[1] or words[2], own)
    if kind == 'host':
        near(f'{name}: caused', words[3], caused)
lines = re.findall(r'<line class="h(\d)" data-ends="\d+ \d+" x1="(\d+)" y1="(\d+)" x2="(\d+)" y2="(\d+)"><title>(.*?), (.*?)\n(.*?) paused for (.*?)\n'
                   r'(.*?) paused for (.*?)</title></line>', text)
wanted = {name: row for name, *row in ask('SELECT l.name, a_node, a_port, b_node, b_port, p.name, q.name, p.rate_bps FROM link l'
                                          ' JOIN port p ON p.node=a_node AND p.port=a_port'
                                          ' JOIN port q ON q.node=b_node AND q.port=b_port')}
same('links', sorted(line[5] for line in lines), sorted(wanted))
for class_, *ends, name, rate, a_name, a_held, b_name, b_held in lines:
    a, a_port, b, b_port, p, q, bps = wanted[name]
    same(f'{name}: ends', (tuple(map(int, ends)), a_name, b_name), (at[a] + at[b], p, q))
    near(f'{name}: rate', rate, bps)
    near(f'{name}: {p}', a_held, held.get((a, a_port), 0))
    near(f'{name}: {q}', b_held, held.get((b, b_port), 0))
    same(f'{name}: heat', int(class_), heat(max(held.get((a, a_port), 0), held.get((b, b_port), 0))))

# ---------------------------------------------------------------- who was paused because of whom, hop by hop
trees = text[text.index('<section id="blame">'):].split('<div class="tree">')[1:]
same('trees', len(trees) > 0, True)
for root, tree in enumerate(trees):
    wanted = ask('SELECT min(hops), p.name, sum(held_ps) AS ps, q.name FROM pause_path t JOIN port p USING(node, port)'
                 ' JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port WHERE root=? GROUP BY t.node, t.port'
                 ' ORDER BY 1, ps DESC, t.node, t.port LIMIT 60', root)
    found = []
    for hop in tree.split('<div class="hop">')[1:]:
        hops = int(re.match(r'<h3>(?:paused: |then: )(\d+) hops? from root</h3>', hop)[1])
        for port, class_, width, ps, words, peer in re.findall(
                r'<li><span class="port">(.*?)</span> <span class="bar"><i class="h(\d)" style="width:([\d.]+)%"></i></span>'
                r' <span class="n" title="(\d+) ps">(.*?), by (.*?)</span></li>', hop):
            found.append([hops, port, int(ps), peer])
            near(f'{port}: words', words, int(ps))
            same(f'{port}: heat', int(class_), heat(int(ps)))
            same(f'{port}: bar', width, f'{100 * int(ps) / max(row[2] for row in wanted):.2f}')
    same(f'root {root}', found, wanted)
sys.exit(failures > 0)
