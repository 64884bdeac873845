# SPDX-License-Identifier: Apache-2.0
"""words.py SUMMARY PAGE DATABASE: figures and percentages of a run's summary and of its page, computed anew."""
import html
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
from number import agrees  # noqa: E402

summary = open(sys.argv[1]).read()
page = open(sys.argv[2]).read()
db = sqlite3.connect(sys.argv[3])
failures = checked = 0


def ask(sql, *values):
    return db.execute(sql, values).fetchall()


def result(path):
    return ask('SELECT value FROM result WHERE path=?', path)[0][0]


def fail(*words):
    global failures
    failures += 1
    print(*words)


def near(what, words, exact):
    """`words`: "53%", "76.8 us", "1,254", "-" for none."""
    global checked
    checked += 1
    if not agrees(words, exact):
        fail(f'{what}: {words!r} and not {exact}')


def same(what, got, wanted):
    global checked
    checked += 1
    if got != wanted:
        fail(f'{what}: {got!r} and not {wanted!r}')


def block(head, where=summary):
    """The lines below a heading, up to an empty one; the heading's own rest comes first."""
    found = re.search('^' + head + r'(.*(?:\n.+)*)', where, re.M)
    if found is None:
        fail(f'no {head}')
        return ['']
    return found[1].split('\n')


# ---------------------------------------------------------------- head and workloads
hosts, switches, links = ask("SELECT (SELECT count(*) FROM node WHERE kind='host'), (SELECT count(*) FROM node"
                             " WHERE kind='switch'), (SELECT count(*) FROM link)")[0]
seed, simulated, drain = ask('SELECT seed, simulated_ps, coalesce(drain_ps, 0) FROM meta')[0]
title = re.search(r'^  (\d+) hosts?, (\d+) switch(?:es)?, (\d+) links?; seed (\d+); simulated ([\d.]+ \w+)'
                  r'(?: \+ ([\d.]+ \w+) for outstanding I/O)?; ([\d.]+ ?\w?) events, ([\d.]+ ?\w?) packet-hops in', summary, re.M)
same('head', [int(title[i]) for i in range(1, 5)], [hosts, switches, links, seed])
near('simulated', title[5], simulated)
same('drain', title[6] is None, drain == 0)
if drain > 0:
    near('drain', title[6], drain)
near('events', title[7], result('events'))
near('packet-hops', title[8], result('packet_hops'))
NUMBER = r'([\d.,]+(?: (?!\d)[a-zA-Z/]+)?|-)'
rows = [line for line in block('Workloads')[1:] if re.match(r'  \S', line) and not line.startswith('  IOPS and goodput cover')]
workloads = ask('SELECT name, completed, iops, goodput_bps, latency_mean_ps, latency_p50_ps, latency_p99_ps, latency_p99_9_ps,'
                ' latency_max_ps FROM workload ORDER BY workload')
same('workloads', len(rows), len(workloads))
for line, row in zip(rows, workloads):
    words = re.fullmatch(r'  (\S+) +' + r' +'.join([NUMBER] * 8), line)
    same('workload', words[1], row[0])
    for i in range(1, 9):
        near(f'{row[0]}, column {i}', words[i + 1], row[i])
    if row[1] == 0:
        fail(f'{row[0]} did nothing')

# ---------------------------------------------------------------- stages, in the summary and as bars of the page
stages = {}
for name, operation, position, stage, total, count in ask(
        'SELECT name, operation, position, stage, sum_ps, count FROM stage JOIN workload USING(workload) WHERE count>0'
        ' ORDER BY workload, operation, position'):
    stages.setdefault(f'{name} {operation}', []).append((position, stage, total, count))
lines = block('Mean time per stage')
same('stages: columns', re.split(r'\s{2,}', lines[0].strip()), list(stages))
optional = [stage for _, stage, *_ in next(iter(stages.values()))]
for line in lines[1:]:
    stage, *cells = re.split(r'\s{2,}', line.strip())
    for cell, (kind, parts) in zip(cells, stages.items()):
        sums = [total for _, name, total, _ in parts if stage in ('= latency', name)]
        near(f'stage {stage} of {kind}', cell, sum(sums) / parts[0][3] if sum(sums) > 0 else None)
for kind, parts in stages.items():
    for _, stage, total, _ in parts:
        if total > 0 and not any(line.startswith(f'  {stage} ') for line in lines):
            fail(f'stage {stage} is missing')
bars = re.findall(r'<div class="io"><span>(.*?), ([^,]*?)</span><div class="stack">(.*?)</div></div>', page)
same('page: bars', [html.unescape(kind) for kind, *_ in bars], ["'{}': {}".format(*kind.rsplit(' ', 1)) for kind in stages])
for (kind, mean, stack), parts in zip(bars, stages.values()):
    whole = sum(total for *_, total, _ in parts)
    near(f'page: {kind}', mean, whole / parts[0][3])
    pieces = re.findall(r'<i class="s(\d+)" style="width:([\d.]+)%" title="(.*?): (.*?) \((.*?)\)"></i>', stack)
    same(f'page: pieces of {kind}', [(int(at), html.unescape(stage)) for at, _, stage, *_ in pieces],
         [(position, stage) for position, stage, total, _ in parts if total > 0])
    for (at, width, stage, time, share), (_, _, total, count) in zip(pieces, [part for part in parts if part[2] > 0]):
        near(f'page: width of {stage}', width + '%', total / whole)
        near(f'page: {stage} of {kind}', time, total / count)
        near(f'page: share of {stage}', share, total / whole)

# ---------------------------------------------------------------- waits
KEYS = {part for part, in ask('SELECT DISTINCT part FROM wait')}


def shares(what, words, parts, whole):
    """"53% queued, 13% media": those from a hundredth on, the largest first."""
    found = re.findall(r'([\d.]+%) ([^,]+)', words)
    wanted = sorted((total for total in parts if total * 100 >= whole), reverse=True)
    same(f'{what}: parts', len(found), len(wanted))
    for (share, name), total in zip(found, wanted):
        near(f'{what}: {name}', share, total / whole)


lines = block('Time breakdown of commands and messages')[1:]
totals = ask('SELECT w.name, workload, operation, count, latency_ps, slow_count FROM wait_total JOIN workload w USING(workload)'
             ' ORDER BY workload, operation')
found = [line for line in lines if re.match(r'  \S', line)]
same('waits: lines', len(found), len(totals))
for line, (name, workload, operation, count, latency, slow) in zip(found, totals):
    words = re.fullmatch(rf'  \'{name}\' {operation}, mean (.*?): (.*)', line)
    near(f'waits of {name}', words[1], latency / count)
    shares(f'waits of {name}', words[2], [total for total, in ask(
        'SELECT sum(sum_ps) FROM wait WHERE workload=? AND operation=? GROUP BY part', workload, operation)], latency)
    below = lines[lines.index(line) + 1:]
    below = below[:next((i for i, other in enumerate(below) if re.match(r'  \S', other)), len(below))]
    slowest = [total for total, in ask('SELECT sum_ps FROM wait_slow WHERE workload=? AND operation=?', workload, operation)]
    words = re.fullmatch(r'    slowest 1%, mean (.*?): (.*)', below[0])
    near(f'slowest of {name}', words[1], sum(slowest) / slow)
    shares(f'slowest of {name}', words[2], slowest, sum(slowest))
    for way in 'paused', 'queued':
        place = ask(f'SELECT port, priority, {way}_us FROM v_wait_place WHERE workload=? AND operation=?'
                    f' AND {way}_us>0 ORDER BY {way}_us DESC, port, priority LIMIT 1', name, operation)
        said = [re.fullmatch(rf'    {way} most at (\S+) priority (\d), \w+ \S+: mean ([^,]*)(?:, .*)?', other) for other in below]
        said = [words for words in said if words]
        same(f'{name}: {way}', len(said), int(bool(place) and place[0][2] * 1e8 >= latency))
        for words in said:
            same(f'{name}: {way} at', (words[1], int(words[2])), place[0][:2])
            near(f'{name}: {way} for', words[3], place[0][2] * 1e6 / count)
    for other in below:
        words = re.fullmatch(r'    slowest pair (\S+) to (\S+), mean (.*?): (.*)', other)
        if words is None:
            continue
        member, mean, whole = ask('SELECT member, latency_ps*1.0/count, latency_ps FROM wait_member JOIN node f'
                                  ' ON f.node=from_node JOIN node t ON t.node=to_node WHERE workload=? AND f.name=? AND t.name=?',
                                  workload, words[1], words[2])[0]
        same(f'slowest of {name}', mean, ask('SELECT max(latency_ps*1.0/count) FROM wait_member WHERE workload=?', workload)[0][0])
        near(f'slowest member of {name}', words[3], mean)
        shares(f'slowest member of {name}', words[4], [total for total, in ask(
            'SELECT sum_ps FROM wait_member_part WHERE workload=? AND member=?', workload, member)], whole)

# ---------------------------------------------------------------- pauses, causes, victims
lines = block('Pauses')
words = re.fullmatch(r' +([\d,]+) XOFF and ([\d,]+) XON; pause time (.*), summed over ports; longest pause (.*?)(?:; bars: share of .*)?', lines[0])
near('XOFF', words[1], ask("SELECT count(*) FROM pause_edge WHERE edge='xoff'")[0][0])
near('XON', words[2], ask("SELECT count(*) FROM pause_edge WHERE edge='xon'")[0][0])
total, longest = ask('SELECT sum(until_ps-from_ps), max(until_ps-from_ps) FROM blocked')[0]
near('paused', words[3], total)
near('longest pause', words[4], longest)
stopped = ask('SELECT p.name, q.name, priority, sum(until_ps-from_ps) AS ps FROM blocked b JOIN port p USING(node, port)'
              ' JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port GROUP BY b.node, b.port, priority'
              ' ORDER BY ps DESC, b.node, b.port LIMIT 8')
same('pauses', len(lines) > 1, True)
for line, (port, peer, priority, ps) in zip(lines[1:], stopped):
    words = re.fullmatch(r'  (\S+) +paused by (\S+) +priority (\d) +(\S+ \S+)  (#*)(\.*) (\S+)', line)
    same('paused', (words[1], words[2], int(words[3])), (port, peer, priority))
    near(f'{port} paused', words[4], ps)
    same(f'bar of {port}', (len(words[5]), len(words[6])), (20 * ps // (simulated + drain), 20 - 20 * ps // (simulated + drain)))
    near(f'share of {port}', words[7], ps / (simulated + drain))
causes = [tuple(result(f'causes[{i}].{key}') for key in ('share', 'sure', 'confirmed')) for i in range(ask(
    "SELECT count(*) FROM result WHERE path GLOB 'causes*.sentence'")[0][0])]
causes = [cause for cause in causes if cause[0] > 0.2 or cause[1] == 1][:4]
lines = re.findall(r'^(?:Causes| {6}) {10}([\d.]+%) of the harm \((confirmed by rerun|suspected)\): ', summary[summary.index('\nCauses'):], re.M)
same('causes', [standing == 'confirmed by rerun' for _, standing in lines], [confirmed == 1 for _, _, confirmed in causes])
for (share, _), cause in zip(lines, causes):
    near('cause', share, cause[0])
victims = ask("SELECT w.name, count(DISTINCT node), max(lost_ppm), max(held_ps) FROM victim v JOIN workload w USING(workload)"
              " WHERE cause=0 GROUP BY v.workload")
for name, hosts, lost, held in victims:
    words = re.search(rf'^(?:Victims| {{7}}) {{9}}\'{name}\': (?:at least )?(\d+) hosts? lost (?:up to )?(\S+) of (?:its|their) I/O time to delay \([^)]*\)'
                      r'(?:; a port on (?:its path|their paths) was paused for (?:up to )?(.*))?$', summary, re.M)
    if sum(sure for _, sure, _ in causes) > 1:  # the line is then of several causes
        continue
    if words is None:
        fail(f'no victim {name}')
        continue
    same(f'hosts of {name}', int(words[1]), hosts)
    near(f'{name} lost', words[2], lost / 1e6)
    if words[3] is not None:
        near(f'{name} was held', words[3], held)

# ---------------------------------------------------------------- what was not completed, lost, counted and expected
cut = 'results cover only the part that ran' in summary
for name, failed, unfinished in ask('SELECT name, failed, unfinished FROM workload'):
    line = re.search(rf'^  {name} .*\n {{20}}([\d,]+ operations? (?:failed|unfinished|outstanding).*)', summary, re.M)
    same(f'{name}: not completed', line is not None, failed + unfinished > 0)
    if line:
        lost = re.match(r'([\d,]+) operations? failed', line[1])
        open_ = re.match(r'(?:[\d,]+ operations? failed, )?([\d,]+) (?:operations? )?(unfinished|outstanding)', line[1])
        same(f'{name}: some failed', lost is not None, failed > 0)
        same(f'{name}: some are open', open_ is not None, unfinished > 0)
        if lost:
            near(f'{name}: failed', lost[1], failed)
        if open_:
            near(f'{name}: unfinished', open_[1], unfinished)
            same(f'{name}: of a run that was cut', open_[2], 'outstanding' if cut else 'unfinished')
lines = block('Drops')
drops = ask('SELECT p.name, priority, frames, cause, lossless, first_ps, last_ps FROM dropped d JOIN port p USING(node, port)'
            ' ORDER BY lossless DESC, frames DESC, d.node, d.port')
if not drops:
    same('drops', lines[0].strip(), 'none')
else:
    near('drops', re.fullmatch(r' +(\S+) frames?', lines[0])[1], sum(frames for _, _, frames, *_ in drops))
for line, (port, priority, frames, cause, lossless, first, last) in zip(lines[1:], drops):
    words = re.fullmatch(r'  (\S+) +priority (\d)  (\S+) frames?, ([^,]*)(, LOSSLESS class)?, from (.*) to (.*)', line)
    same(f'dropped at {port}', (words[1], int(words[2]), words[4], words[5] is not None), (port, priority, cause, lossless == 1))
    near(f'dropped at {port}', words[3], frames)
    near(f'first dropped at {port}', words[6], first)
    near(f'last dropped at {port}', words[7], last)
counters = dict(ask('SELECT name, sum(value) FROM counter GROUP BY name'))
marks = sum(value for name, value in counters.items() if re.fullmatch(r'tx_prio\d_ecn_marked', name))
for kind, exact in (('retransmitted packet', counters.get('retransmitted_packets', 0)), ('ECN mark', marks),
                    ('CNP', counters.get('np_cnp_sent', 0))):
    words = re.search(rf'([\d,]+) {kind}s?\b', block('Transport')[0])
    same(kind, words is not None, exact > 0)
    if words:
        near(kind, words[1], exact)
for head, path in (('Bottleneck', 'bottleneck'), ('I/O time', 'bottleneck_account'), ('Harm', 'harm.sentence'),
                   ('Root cause', 'root_cause')):
    wanted = ask('SELECT value FROM result WHERE path=?', path)
    if wanted and wanted[0][0]:
        evidence = path == 'root_cause' and bool(ask("SELECT 1 FROM result WHERE path GLOB 'causes*.sentence' AND instr(value, ?)", wanted[0][0]))
        confirmed = path == 'root_cause' and bool(ask("SELECT 1 FROM result WHERE path GLOB 'causes*.confirmed' AND value=1"))
        label = (f'{"Pause origin":16}', f'{"Wait origin":16}') if confirmed else (f'{head:16}',)
        same(path, any(f'\n{name}{wanted[0][0]}\n' in summary for name in label), not evidence)
expected = ask('SELECT held, text, actual FROM expectation ORDER BY position')
if expected:
    # What a word such as no-deadlock forbids is counted with its noun.
    found = [re.split(r'\s{2,}', line.strip()) for line in block('Expectations')[1:]]
    same('expectations', [[held, asked, actual if ' ' in asked else actual.split(' ')[0]] for held, asked, actual in found],
         [[{1: 'pass', 0: 'FAIL', None: 'undecided'}[held], asked, actual] for held, asked, actual in expected])
same('digest', summary.rstrip().split('\n')[-1], 'digest ' + ask('SELECT digest FROM meta')[0][0])
same('legend', [name for name in re.findall(r'<i class="s\d+"></i>(.*?)</span>', page)],
     [stage for stage, in ask('SELECT DISTINCT stage FROM stage WHERE sum_ps>0 ORDER BY position')])

if checked < 150:
    fail(f'only {checked} figures')
sys.exit(failures > 0)
