#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# counters --as openmetrics: the syntax of OpenMetrics 1.0, and the values of ethtool -S and of v_sonic.
# counters --as grafana-*: each query names metrics and labels of that text, and each metric has a query.
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
for naming in ethtool sonic; do
    "$program" counters run.db --as grafana-$naming >dashboard-$naming || fail "no dashboard grafana-$naming"
done
python3 -B - <<'PY' || fail 'a dashboard is wrong'
import json, re
labels = {}
for line in open('metrics'):
    found = re.match(r'(\w+)\{(.*)\} ', line)
    if found:
        labels[found[1]] = set(re.findall(r'(\w+)=', found[2]))
shown = {}
for naming in 'ethtool', 'sonic':
    dashboard = json.load(open(f'dashboard-{naming}'))
    variables = {entry['name'] for entry in dashboard['templating']['list']}
    ids = [panel['id'] for panel in dashboard['panels']]
    places = [(panel['gridPos']['x'], panel['gridPos']['y']) for panel in dashboard['panels']]
    assert len(set(ids)) == len(ids) and len(set(places)) == len(places), f'{naming}: two panels are one'
    for entry in dashboard['templating']['list'][1:]:
        metric, label = re.fullmatch(r'label_values\((\w+)(?:\{.*\})?, (\w+)\)', entry['query']).groups()
        assert label in labels[metric] and label == entry['name'], entry
    for panel in dashboard['panels']:
        assert (panel['type'] == 'row') == ('targets' not in panel), panel
        for target in panel.get('targets', ()):
            metric, chosen = re.fullmatch(r'(?:rate\()?(\w+)\{(.*)\}(?:\[\$__rate_interval\]\))?(?: / 1e(?:6|12))?', target['expr']).groups()
            for label, variable in re.findall(r'(\w+)=~"\$(\w+)"', chosen):
                assert label in labels[metric] and variable in variables, target
            assert set(re.findall(r'\{\{(\w+)\}\}', target['legendFormat'])) == labels[metric], target
            assert shown.setdefault(metric, naming) == naming, f'{metric}: in both dashboards'
            assert (metric.startswith('node_ethtool_')) == (naming == 'ethtool'), target
            assert ('rate(' in target['expr']) == (not re.search('PEAK|peak|longest|WATERMARK', metric)), target
assert shown.keys() == labels.keys(), shown.keys() ^ labels.keys()
print(len(shown), 'metrics in dashboards')
PY
"$program" counters run.db --port host0 --as grafana-sonic | grep -q '"panels": \[\]' || fail 'panels of switches for a host'
"$program" counters run.db --port host0 --as openmetrics | grep -v '^#' | grep -v 'instance="host0"' && fail 'another port'
# Prometheus' own reader, where it is installed (.ci/packages prometheus): it needs a time for each sample.
if command -v promtool >/dev/null; then
    sed '/^#/!s/$/ 1700000000/' metrics >timed
    promtool tsdb create-blocks-from openmetrics timed blocks >said 2>&1 || fail "promtool: $(tail -n 3 said)"
    [ "$(tail -n 1 said | awk '{ print $(NF - 3) }')" = "$(grep -vc '^#' metrics)" ] || fail "promtool read another number of samples: $(tail -n 1 said)"
else
    echo 'skip  promtool: not installed'
fi
[ $failures = 0 ]
