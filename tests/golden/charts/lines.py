# SPDX-License-Identifier: Apache-2.0
"""lines.py SUMMARY DATABASE SECTION...: single lines of a run's summary, computed anew from its database.

SECTION: recovery, flash, arrays or steady; each must be there."""
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
from number import agrees  # noqa: E402

summary = open(sys.argv[1]).read()
db = sqlite3.connect(sys.argv[2])
db.row_factory = sqlite3.Row
failures = 0
NUMBER = r'([\d,.]+(?: [kMG]?b/s| [a-zA-Z]+|%)?)'


def fail(*words):
    global failures
    failures += 1
    print(*words)


def check(what, pattern, *exact):
    """Each # of the pattern is a number in words."""
    found = re.search('^' + pattern.replace('#', NUMBER) + '$', summary, re.M)
    if found is None:
        fail(f'{what}: no line {pattern}')
        return
    for i, (words, number) in enumerate(zip(found.groups(), exact, strict=True)):
        if not agrees(words, number):
            fail(f'{what}, number {i + 1} of {found[0].strip()!r}: {words} and not {number}')


def count(number):
    return rf'{number:,}'


def results(prefix):
    rows = db.execute('SELECT path, value FROM result WHERE path LIKE ?', (prefix + '.%',))
    return {path[len(prefix) + 1:]: value for path, value in rows}


def recovery():
    for row in db.execute('SELECT r.*, name FROM recovery r JOIN workload USING(workload)'):
        check('controllers', rf' +{row["name"]} +{row["lost"]} controllers? lost(?:, each for up to| for) #, {row["reconnected"]} reconnected in '
              rf'{row["attempts"]} attempts?; {count(row["requeued"])} commands? requeued',
              row['without_service_ps'])
        check('paths', rf' +{row["name"]} +{count(row["failovers"])} commands? failed over to other paths; longest time without a completed I/O: #; '
              'from detection of the loss to the next I/O: #; a path was missing for #', row['gap_ps'], row['recovery_ps'], row['degraded_ps'])
        if len({row[name] for name in ('gap_ps', 'recovery_ps', 'without_service_ps')}) < 3:
            fail('times that are the same show nothing')


def flash():
    media = results('media')
    check('flash', r'Flash +# from hosts, # programmed \(write amplification #\), # blocks? erased', media['bytes_written'],
          media['bytes_programmed'], media['write_amplification'], media['erases'])
    if media['write_amplification'] <= media['bytes_programmed'] / media['bytes_written']:
        fail('what has not left the write buffer is no part of the write amplification')
    check('waited', ' +# writes waited because the write buffer was full', media['writes_waited'])


def arrays():
    array = results('array')
    check('hosts', r'Arrays +hosts read # and wrote #, drives read # and wrote #', array['host_bytes_read'],
          array['host_bytes_written'], array['drive_bytes_read'], array['drive_bytes_written'])
    check('stripes', ' +# partial-stripe writes, preceded by reads for parity', array['partial_stripes'])
    rate = array['bytes_rebuilt'] / array['rebuild_ps']
    check('rebuild', ' +1 drive failed, # reads reconstructed from other drives; # rebuilt in #, # left to rebuild: # at this rate',
          array['degraded_reads'], array['bytes_rebuilt'], array['rebuild_ps'], array['bytes_to_rebuild'],
          array['bytes_to_rebuild'] / rate)


def steady():
    """A figure, and of half its interval the percentage; a workload that has not settled has its time instead."""
    figures = ('goodput_bps', 'goodput_half'), ('mean_ps', 'mean_half'), ('p50_ps', 'p50_half'), ('p99_ps', 'p99_half')
    for row in db.execute('SELECT s.*, name, start_ps FROM steady s JOIN workload USING(workload)'):
        known = [half for figure, half in figures if row[half] is not None and row[figure] > 0]
        pattern = rf'  {row["name"]} +#' + ''.join(' +#' + (r' \+- #' if half in known else '') for _, half in figures)
        exact = [row['from_ps'] - row['start_ps']]
        for figure, half in figures:
            exact += [row[figure]] + ([row[half] / row[figure]] if half in known else [])
        check('steady', pattern, *exact)
        span = row['until_ps'] - row['start_ps']
        if not row['settled'] and row['needs_ps'] is not None:
            check('not steady', r' +not steady after #: (?:run|it would take) about #.*', span, row['needs_ps'])
        elif not row['settled'] and row['needs_at_least_ps'] is not None:
            check('not steady', r' +not steady after #: .*; run at least #', span, row['needs_at_least_ps'])


for section in sys.argv[3:]:
    {'recovery': recovery, 'flash': flash, 'arrays': arrays, 'steady': steady}[section]()
sys.exit(failures > 0)
