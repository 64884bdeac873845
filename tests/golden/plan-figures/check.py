# SPDX-License-Identifier: Apache-2.0
"""check.py TEXT JSON CSV PAGE DATABASE: what a plan prints of its runs, computed anew from the figures of each run."""
import csv
import html
import json
import math
import os
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../charts'))
from findings import end, fail, same  # noqa: E402

text = open(sys.argv[1]).read()
told = json.load(open(sys.argv[2]))
table = {row['candidate']: row for row in csv.DictReader(open(sys.argv[3]))}
page = open(sys.argv[4]).read()
db = sqlite3.connect(sys.argv[5])
STUDENT_95 = {4: 2.776445, 5: 2.570582, 6: 2.446912, 7: 2.364624}  # two-sided, by degrees of freedom, of printed tables
UNITS = {'ns': 10**3, 'us': 10**6, 'kb/s': 10**3, 'Mb/s': 10**6, 'Gb/s': 10**9}


def near(what, got, wanted, part=1e-6):
    if got is None or abs(float(got) - wanted) > part * max(abs(wanted), 1e-9):
        fail(f'{what}: {got} and not {wanted}')


def number(what, words, exact):
    """Three digits, or all of a number below 1,000."""
    value, unit = re.fullmatch(r'([\d.]+) ?(\S*)', words).groups()
    near(what, float(value) * UNITS.get(unit, 0.01 if unit == '%' else 1), exact, 0.006)


# ---------------------------------------------------------------- means, intervals and headroom, from each run
LIMITS = [('io.latency.p99 < 80us', 80 * 10**6, -1), ('io.goodput > 20Gbps', 20 * 10**9, 1)]
names = dict(db.execute('SELECT candidate, name FROM candidate'))
trials = {(candidate, trial): failure for candidate, trial, failure in db.execute('SELECT candidate, trial, failure FROM trial')}
values = {}
for candidate, trial, slo, value in db.execute('SELECT candidate, trial, slo, value FROM figure ORDER BY seed'):
    values.setdefault((candidate, trial, slo), []).append(value)


def room(slo, mean):
    _, limit, sign = LIMITS[slo]
    return (mean - limit) / mean if sign > 0 else (limit - mean) / limit


def estimate(of):
    mean = sum(of) / len(of)
    return mean, STUDENT_95[len(of) - 1] * math.sqrt(sum((value - mean)**2 for value in of) / (len(of) - 1) / len(of))


found, rooms = {}, {}
for (candidate, trial, slo), of in values.items():
    if slo >= len(LIMITS):
        continue
    found[names[candidate], trials[candidate, trial] or None, LIMITS[slo][0]] = *estimate(of), len(of)
    rooms.setdefault(names[candidate], []).append((room(slo, estimate(of)[0]), slo, trials[candidate, trial]))
same('objectives', len(found) > 12, True)
for candidate in told['candidates']:
    least = min(rooms[candidate['name']])[0]
    near(f"{candidate['name']}: headroom", candidate['headroom'], least, 1e-4)
    near(f"{candidate['name']}: CSV", table[candidate['name']]['headroom'], least, 1e-4)
    for objective in candidate['objectives']:
        if objective['slo'] == 'no-lossless-drop':
            same('no mean', objective['mean'], None)
            continue
        mean, half, runs = found.pop((candidate['name'], objective['failure'], objective['slo']))
        same('runs', objective['runs'], runs)
        for key, wanted in (('mean', mean), ('low', mean - half), ('high', mean + half)):
            near(f"{candidate['name']}, {objective['failure']}, {objective['slo']}: {key}", objective[key], wanted)
same('objectives in JSON', list(found), [])

# ---------------------------------------------------------------- the words: of each objective the nearest case
chosen = told['chosen']['name']
same('state', [told[key] for key in ('proven', 'stopped', 'budget_spent', 'left', 'result')], [True, False, False, 0, 'pass'])
labels = {candidate['name']: candidate['label'] for candidate in told['candidates']}
same('labels', labels, {name: '{} spines, {} qd'.format(*re.findall(r'\d+', name)) for name in labels})
same('chosen', re.search(r'^Chosen +(\S.*\S)  EUR', text, re.M)[1], labels[chosen])
one = next(candidate for candidate in told['candidates'] if candidate['name'] == chosen)
for slo, (asked, limit, sign) in enumerate(LIMITS):
    words = re.search(rf'^  {re.escape(asked)} +([\d.]+ \S+) \+- ([\d.]+ \S+) \((\d+) runs\), ([\d.]+)% to spare'
                      r'(?:; with (.*))?$', text, re.M)
    worst = min((row for row in one['objectives'] if row['slo'] == asked), key=lambda row: room(slo, row['mean']))
    number(f'{asked}: mean', words[1], worst['mean'])
    number(f'{asked}: half', words[2], (worst['high'] - worst['low']) / 2)
    same(f'{asked}: runs', int(words[3]), worst['runs'])
    number(f'{asked}: room', words[4] + '%', room(slo, worst['mean']))
    same(f'{asked}: case', words[5], worst['failure'])
failing = re.findall(r'^  (\S.*\S) \(EUR [^)]*\): fail\n      (\S+) < 80us: ([\d.]+ us) \+- .*, misses the limit by ([\d.]+)%', text, re.M)
same('failing', sorted(name for name, *_ in failing),
     sorted(candidate['label'] for candidate in told['candidates'] if candidate['result'] == 'fail'))
for name, _, mean, beyond in failing:
    least, slo, _ = min(next(rooms[of] for of in labels if labels[of] == name))
    number(f'{name}: beyond', beyond + '%', -least)
    number(f'{name}: mean', mean, LIMITS[slo][1] * (1 - least))
counts = re.search(r'^  6 candidates: (\d+) pass, (\d+) fail, (\d+) undecided, (\d+) not needed$', text, re.M)
same('results', [int(counts[i]) for i in range(1, 4)], [told[key] for key in ('pass', 'fail', 'undecided')])
runs, hops = re.search(r'^  ([\d,]+) runs, ([\d,]+) packet-hops; probability of a wrong answer at most 5%$', text, re.M).groups()
same('runs', int(runs.replace(',', '')), db.execute('SELECT count(*) FROM run').fetchone()[0])
same('packet-hops', int(hops.replace(',', '')), told['packet_hops'])

# ---------------------------------------------------------------- the bill: 4 hosts, 2 leaves, the spines, 2 drives
PRICES = {'nic 100Gbps': (4, 10.5, 2), 'switch 100Gbps, 8 ports': (None, 1050, 100), 'cable 100Gbps up to 3m': (None, 7, 0),
          'drive storage-class': (2, 100, 0.5), 'target': (1, 1000, 0), 'host': (3, 500, 0)}
for candidate in told['candidates']:
    spines = int(candidate['values']['spines'])
    counts = {'switch 100Gbps, 8 ports': 2 + spines, 'cable 100Gbps up to 3m': 4 + 2 * spines}
    bill = {part: (counts.get(part, count), each, watts) for part, (count, each, watts) in PRICES.items()}
    near('cost', candidate['cost'], sum(count * each for count, each, _ in bill.values()))
    near('power', candidate['power_w'], sum(count * watts for count, _, watts in bill.values()))
    same('rack units', candidate['rack_units'], 2 + spines)
    near('CSV: price', table[candidate['name']]['price'], candidate['cost'])
    near('CSV: watts', table[candidate['name']]['watts'], candidate['power_w'])
    if candidate['name'] != chosen:
        continue
    lines = re.findall(r'^ +(\d+)  (\S.*?) +([\d,]+) each +([\d,]+)$', text, re.M)
    same('bill', [(part, int(count)) for count, part, *_ in lines], [(part, count) for part, (count, *_) in bill.items()])
    for count, part, each, total in lines:
        same(f'{part}: each', int(each.replace(',', '')), int(bill[part][1]))
        same(f'{part}: all', int(total.replace(',', '')), int(bill[part][0] * bill[part][1]))
    total, watts, units = re.search(r'^Chosen .*EUR ([\d,]+), (\d+) W, (\d+) rack units$', text, re.M).groups()
    same('total', [int(total.replace(',', '')), int(watts), int(units)],
         [candidate['cost'], candidate['power_w'], candidate['rack_units']])
    same('facts', re.search(r'^  oversubscription (.*)$', text, re.M)[1],
         f'1:1; {2 + spines} switches with {4 + 4 * spines} ports in use, at most {max(4, 2 + spines)} on one switch; '
         f'4 cables to hosts, {2 * spines} between switches' if spines == 2 else None)

# ---------------------------------------------------------------- the page: the map, and points by the chart's own axes
cells = re.findall(r'style="--share:(\d+)%" title="([^"]*)"><b>([\d,]+)</b>([\d.]+)%, 1 of 1<', page)
passing = [candidate for candidate in told['candidates'] if candidate['result'] == 'pass']
same('map', len(cells), len(passing))
for share, command, price, headroom in cells:
    candidate = next(one for one in passing if one['command'] == html.unescape(command))
    same('map: price', int(price.replace(',', '')), candidate['cost'])
    number('map: headroom', headroom + '%', candidate['headroom'])
    same('map: share', int(share), round(10 + 45 * candidate['headroom']))
drawing = page[page.index('<text x="4"'):]
limit = float(re.search(r'class="limit" x1="\d+" x2="\d+" y1="([\d.]+)"', page)[1])
top = int(re.search(r'<text x="4" y="(\d+)">100%</text>', page)[1]) - 4
left, right = map(int, re.search(r'class="limit" x1="(\d+)" x2="(\d+)"', page).groups())
low, high = (int(words.replace(',', '')) for words in re.search(
    r'<text x="\d+" y="\d+">([\d,]+)</text><text x="\d+" y="\d+" text-anchor="end">([\d,]+)</text>\n'
    r'<text x="\d+" y="\d+" text-anchor="middle">price', page).groups())
points = re.findall(r'<circle class="(\w+)( chosen)?" cx="([\d.]+)" cy="([\d.]+)" r="\d"><title>([^<:]+): [\w ]+, ([\d,]+),'
                    r' headroom (-?[\d.]+)%', page)
same('points', sorted(name for *_, name, _, _ in points), sorted(one['label'] for one in told['candidates']))
bottom = int(re.search(r'<text x="\d+" y="(\d+)" text-anchor="middle">price', page)[1])
for kind, mark, x, y, name, price, headroom in points:
    if not (left <= float(x) <= right and top <= float(y) < bottom - 5):
        fail(f'{name}: {x}, {y} is outside of the axes')
    candidate = next(one for one in told['candidates'] if one['label'] == name)
    same(f'{name}: kind', (kind == 'holds', mark != ''), (candidate['verdict'] == 'holds', name == labels[chosen]))
    same(f'{name}: price', int(price.replace(',', '')), candidate['cost'])
    near(f'{name}: headroom', float(headroom) / 100, candidate['headroom'], 0.006)
    if abs(float(x) - (left + (candidate['cost'] - low) / (high - low) * (right - left))) > 0.3:
        fail(f'{name}: {x} is not at the price {price} between {low} and {high}')
    if abs(float(y) - (limit + (top - limit) * candidate['headroom'])) > 0.3:
        fail(f'{name}: {y} is not at the headroom {headroom} %')
end()
