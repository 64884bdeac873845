#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# counters --as openmetrics: the syntax of OpenMetrics 1.0, and the values of ethtool -S and of v_sonic.
set -u
. tests/golden/outside
"$program" run pause-storm --until 5ms -o run.db >/dev/null 2>&1
"$program" counters run.db --as openmetrics >metrics || fail 'no metrics'
"$program" query run.db "SELECT * FROM v_sonic WHERE object <> 'pool'" --csv >sonic 2>/dev/null || fail 'no counters of switches'
"$program" counters run.db --port host0 --as ethtool >ethtool || fail 'no counters of host0'
python3 -B - <<'PY' || fail 'the metrics are wrong'
import csv, re, sys
name = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
sample = re.compile(rf'({name})\{{([a-z]+)="((?:[^"\\\n]|\\["\\n])*)",([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?:queue|priority_group)="([0-7])")?\}} (-?\d+)')
text = open('metrics').read()
assert text.endswith('\n# EOF\n'), 'no # EOF at the end'
family, families, values = None, set(), {}
for line in text.split('\n')[:-2]:
    if line.startswith('# TYPE '):
        found = re.fullmatch(rf'# TYPE ({name}) unknown', line)
        assert found and found[1] not in families, f'{line}: twice, or not a type'
        family = found[1]
        families.add(family)
    elif line.startswith('# HELP '):
        assert line.split(' ')[2] == family, f'{line}: of another family'
    else:
        found = sample.fullmatch(line)
        assert found and found[1] == family, f'{line}: not a sample of {family}'
        key = found[1], found[3], found[5], found[6] or ''
        assert key not in values, f'{line}: twice'
        values[key] = int(found[7])
        assert (found[2], found[4]) == (('instance', 'device') if family.startswith('node_ethtool_') else ('switch', 'port')), line
host = {}
for line in open('ethtool'):
    if ': ' in line:
        counter, value = line.strip().split(': ')
        host['node_ethtool_' + '_'.join({'rx': 'received', 'tx': 'transmitted'}.get(word, word) for word in counter.split('_'))] = int(value)
mine = {key[0]: value for key, value in values.items() if key[1:] == ('host0', 'p0', '')}
assert mine == host and host['node_ethtool_transmitted_prio3_pause'] > 0, (set(mine) ^ set(host))
switch = {(row['name'], row['switch'], row['port'].split(':')[1], row['number']): int(row['value']) for row in csv.DictReader(open('sonic'))}
theirs = {key: value for key, value in values.items() if not key[0].startswith('node_')}
assert theirs == switch and sum(switch.values()) > 0, f'counters of switches: {sorted(set(theirs.items()) ^ set(switch.items()))[:9]}'
print(len(values), 'samples of', len(families), 'families')
PY
"$program" counters run.db --port host0 --as openmetrics | grep -v '^#' | grep -v 'instance="host0"' && fail 'another port'
[ $failures = 0 ]
