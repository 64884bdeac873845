# SPDX-License-Identifier: Apache-2.0
"""seeds.py TEXT JSON: of several seeds the mean, half its interval as a percentage, and the worst with its seed."""
import json
import re
import sys

sys.dont_write_bytecode = True
from number import agrees  # noqa: E402

text = open(sys.argv[1]).read()
told = json.load(open(sys.argv[2]))
NUMBER = r'([\d,.]+(?: [kMGnum]?(?:b/s|s)| [kMG])?)'
FIGURES = 'iops', 'goodput_bps', 'mean', 'p99', 'p99_9'
failures = 0


def check(what, words, exact):
    global failures
    if not agrees(words, exact):
        failures += 1
        print(f'{what}: {words} and not {exact}')


assert told['workloads']
for workload in told['workloads']:
    block = re.search(rf'^  {workload["name"]} .*\n +worst .*\n +with seed .*$', text, re.M)[0].split('\n')
    means, worst = re.findall(NUMBER + r' \+- ([\d.]+%)', block[0]), re.findall(NUMBER, block[1])
    seeds = [int(seed) for seed in re.findall(r'\d+', block[2])]
    assert len(means) == len(worst) == len(seeds) == len(FIGURES), block
    for (mean, half), least, seed, name in zip(means, worst, seeds, FIGURES):
        figure, unit = (workload[name], 1) if name in workload else (workload['latency_ns'][name], 1000)
        check(f'{name}: mean', mean, figure['mean'] * unit)
        check(f'{name}: half', half, figure['ci'] / figure['mean'])
        check(f'{name}: worst', least, figure['worst'] * unit)
        check(f'{name}: seed', str(seed), figure['worst_seed'])
        if figure['mean'] == figure['worst']:
            failures += 1
            print(f'{name}: a mean that is the worst shows nothing')
sys.exit(failures > 0)
