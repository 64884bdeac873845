#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run --as fio: the keys and types of fio's own JSON, the figures of run --json, and a file that import and calibrate read.
set -u
. tests/golden/outside
printf '[global]\nioengine=null\nsize=64M\nbs=4k\niodepth=4\n[a]\nrw=randrw\n' >job.fio
fio --output-format=json job.fio >real.json 2>err || fail "fio: $(cat err)"
"$program" run pause-storm --confirm 0 --as fio >mine.json || fail "exit code $?"
"$program" run pause-storm --confirm 0 --as fio -o run.db --record ios >recorded.json || fail "recorded: exit code $?"
"$program" run pause-storm --confirm 0 --json >run.json
"$program" query run.db "SELECT name AS job, operation, count(*) AS ios, (min(completed_ps-issued_ps)+500)/1000 AS least,
    (max(completed_ps-issued_ps)+500)/1000 AS most FROM io JOIN workload USING (workload) GROUP BY 1, 2" --json >commands.json
python3 -B - <<'PY' || fail 'the JSON is not that of fio'
import json
real, mine, recorded, run, commands = (json.load(open(name + '.json')) for name in ('real', 'mine', 'recorded', 'run', 'commands'))

def compare(theirs, ours, path):
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), path
        if path.endswith(' options'):  # depend on the job
            return
        assert theirs.keys() == ours.keys(), f'{path}: {sorted(theirs.keys() ^ ours.keys())}'
        for key, value in theirs.items():
            compare(value, ours[key], f'{path}.{key}')
    elif isinstance(theirs, list):
        for job in ours:
            compare(theirs[0], job, path)
    else:
        number = (int, float)
        assert type(theirs) is type(ours) or (isinstance(theirs, number) and isinstance(ours, number)), f'{path}: {ours}'

def unused(job):  # fio writes percentiles only where there was I/O
    return [name for name in ('read', 'write') if job[name]['total_ios'] == 0]

for document in mine, recorded:
    for job in document['jobs']:
        whole = json.loads(json.dumps(real))
        for name in unused(job):
            whole['jobs'][0][name] = whole['jobs'][0]['trim']
        compare(whole, {**document, 'jobs': [job]}, '')
for job, about in zip(mine['jobs'], run['workloads'], strict=True):
    sides = job['read'], job['write']
    assert job['jobname'] == about['name'] and job['job options']['name'] == about['name']
    assert sum(side['io_bytes'] for side in sides) == about['bytes']
    assert abs(sum(side['total_ios'] for side in sides) - about['completed']) <= 1
    assert abs(sum(side['iops'] for side in sides) / about['iops'] - 1) < 1e-6
    for side, goodput in zip(sides, ('goodput_read_bps', 'goodput_write_bps')):
        assert abs(side['bw_bytes'] * 8 - about[goodput]) <= 8 + 1e-6 * about[goodput], (job['jobname'], goodput)
        assert abs(side['bw'] - side['bw_bytes'] / 1024) <= 1
        if side['total_ios']:
            times, latency = side['clat_ns'], about['latency_ns']
            assert times == {**side['lat_ns'], 'percentile': times['percentile']}
            for key, percent in (('p50', 50), ('p90', 90), ('p95', 95), ('p99', 99), ('p99_9', 99.9), ('p99_99', 99.99)):
                assert abs(times['percentile'][f'{percent:f}'] - latency[key]) <= 1 + latency[key] / 100, (job['jobname'], key)
            assert abs(times['mean'] / latency['mean'] - 1) < 0.005 and (times['min'], times['max']) == (latency['min'], latency['max'])
    shares = [share for unit in ('ns', 'us', 'ms') for share in job['latency_' + unit].values()]
    assert abs(sum(shares) - 100) < 1e-3 and sum(job['iodepth_level'].values()) == 100
exact = {(row['job'], row['operation']): row for row in commands}
for job in recorded['jobs']:
    for name in 'read', 'write':
        row, side = exact.get((job['jobname'], name)), job[name]
        assert (row is not None) == (side['total_ios'] > 0)
        if row:
            assert (side['total_ios'], side['lat_ns']['min'], side['lat_ns']['max']) == (row['ios'], row['least'], row['most']), (job['jobname'], name)
options = {job['jobname']: job['job options'] for job in mine['jobs']}
assert options['backup'] == {'name': 'backup', 'rw': 'randwrite', 'bs': '131072', 'iodepth': '4', 'numjobs': '1'}, options
assert options['victims']['rw'] == 'randrw' and options['victims']['rwmixread'] in ('70', '71', '69'), options
# What fio-plot reads of each job (fio_plot/fiolib/jsonparsing.py).
for job in mine['jobs']:
    assert {'iodepth', 'numjobs', 'bs', 'rw'} <= job['job options'].keys() and {'latency_ns', 'latency_us', 'latency_ms', 'usr_cpu', 'sys_cpu'} <= job.keys()
    for name in 'read', 'write':
        assert {'bw', 'iops', 'iops_stddev'} <= job[name].keys() and {'mean', 'stddev'} <= job[name]['lat_ns'].keys(), name
print('ok    keys, types and figures')
PY
"$program" calibrate mine.json >read.txt 2>&1
grep -q 'mine.json:.*fio' read.txt || fail "calibrate does not read it: $(head -n 5 read.txt)"
expect 'another form' 2 'expected fio' "$program" run first-io --as ifo
expect 'two forms' 2 'without --json' "$program" run first-io --as fio --json
expect 'several seeds' 2 '--as works with one run only' "$program" run first-io --as fio --seeds 2
[ $failures = 0 ]
