# SPDX-License-Identifier: Apache-2.0
"""cover - which tests execute which lines, by gcov, and what each test costs.

One JSON file for each test that passes under build/mutants/cover.  It is kept as long as the test is the same; where a
source has changed since, lines are found by the difference of the two texts.  FRESH=1 measures anew."""

import concurrent.futures
import difflib
import glob
import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

from place import BUILDS, ROOT, SECONDS_MAX, STORE


UNDER = tuple(folder.rstrip('/') + '/' for folder in os.environ.get('UNDER', '').split())


class Test:
    """A program or script that passes with exit code 0; `kind` is the class of what it kills."""

    def __init__(self, name, kind, path, build, *arguments):
        self.name, self.kind, self.path, self.build, self.arguments = name, kind, path, build, list(arguments)
        self.seconds, self.lines, self.env = 0.0, {}, {}

    def only(self, name):
        """The part of a script that tries one scenario."""
        self.name, self.env = f'{self.name} {name}', {'ONLY': name}
        return self

    def command(self, build):
        if self.kind == 'case':
            return [str(ROOT / 'tests/mutants/case'), self.path]
        if self.build is None:
            return [str(ROOT / self.path)]
        return [str(BUILDS[build] / self.path[:-2])] + self.arguments

    def holds_outputs(self):
        """Whether it compares all of what it prints with what is expected, or is made for the code that it runs."""
        return self.kind in ('unit', 'case') or (ROOT / 'tests/golden/words' / os.path.basename(self.path)[:-3]).is_dir()

    def inputs(self):
        """The files that decide what it does."""
        own = [self.path, *sorted(glob.glob('tests/laws/run/run_laws*', root_dir=ROOT))] if self.arguments else [self.path]
        if self.kind == 'case':
            own += ['tests/mutants/case', 'tests/golden/cases.txt']
        elif self.build is None:
            own += sorted(p for p in glob.glob(self.path.removesuffix('.sh') + '/**', root_dir=ROOT, recursive=True)
                          if (ROOT / p).is_file())  # what it reads
            if self.env:
                own.append(f"tests/golden/words/{os.path.basename(self.path)[:-3]}/{self.env['ONLY']}.txt")
        else:
            folder = os.path.dirname(self.path)
            shared = 'tests/unit' if folder.startswith('tests/unit/') else folder
            own += sorted(p for p in glob.glob(shared + '/**/*.[ch]', root_dir=ROOT, recursive=True)
                          if not os.path.basename(p).startswith('test_'))
            if not self.arguments:
                own += sorted(glob.glob(f'{folder}/{os.path.basename(self.path)[5:-2]}/*', root_dir=ROOT))  # what it reads
        return own


def swarm_tests():
    """No expected output at all: laws and CHECKs, and the model's audits, in scenarios that nobody wrote."""
    return [Test(f'swarm of {build}', 'law', 'tests/swarm/swarm.c', build, '--stop', '--first', '1', '--seeds', seeds)
            for build, seeds in (('fast', '80'), ('sanitized', '30'))]


def all_tests():
    def found(pattern):
        return sorted(glob.glob(pattern, root_dir=ROOT))
    tests = [Test(p[6:-2], 'unit', p, 'sanitized') for p in found('tests/unit/*/test_*.c')]
    tests += [Test(p[6:-2], 'law', p, 'fast') for p in found('tests/laws/test_*.c') + found('tests/laws/*/test_*.c')]
    tests += [Test(p[6:], 'law', p, None) for p in found('tests/laws/*.sh')]
    tests += [Test('case ' + os.path.basename(p)[:-5], 'case', p, None) for p in found('scenarios/cases/*.yaml')]
    for path in found('tests/golden/*.sh'):
        parts = scenarios_of(path)
        tests += [Test(path[6:], 'golden', path, None).only(part) for part in parts] or [Test(path[6:], 'golden', path, None)]
    return [t for t in tests if t.path != 'tests/golden/cases.sh']


def scenarios_of(path):
    """Scenarios that a script can run alone: a mutant then runs only those that execute its line."""
    if 'ONLY' not in (ROOT / path).read_text():
        return []
    held = ROOT / 'tests/golden/words' / os.path.basename(path)[:-3]
    return sorted(p.stem for p in held.glob('*.txt') if p.stem != 'views')


def stamp(paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.encode() + b'\0' + (ROOT / path).read_bytes())
    return digest.hexdigest()


def soft_limit(seconds):
    """Of processor time.  A script gives what it runs limits of its own, which may be higher than this one."""
    return seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]


def work_of(session):
    """Seconds of processor time of all processes of a session, and of those that they waited for."""
    ticks = 0
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = path.read_text().rpartition(')')[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf('SC_CLK_TCK')


def stop_when_dear(child):
    """A script runs many programs, each with a limit of its own."""
    while child.returncode is None:
        if work_of(child.pid) > SECONDS_MAX:
            os.killpg(child.pid, signal.SIGKILL)
            return
        time.sleep(1)


def run_covered(test, counts):
    """Runs it once with counters that go to a folder of their own; its code and seconds of processor time."""
    env = dict(os.environ, LC_ALL='C', GCOV_PREFIX=str(counts), **test.env, STORMGLASS=str(BUILDS['coverage'] / 'stormglass'),
               GCOV_PREFIX_STRIP=str(len(BUILDS['coverage'].resolve().parts) - 1))
    child = subprocess.Popen(test.command('coverage'), cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, soft_limit(SECONDS_MAX)))
    impatience = threading.Timer(SECONDS_MAX * 60, os.killpg, (child.pid, signal.SIGKILL))
    impatience.start()
    threading.Thread(target=stop_when_dear, args=(child,), daemon=True).start()
    _, status, usage = os.wait4(child.pid, 0)  # of the child and of all that it waited for
    child.returncode = os.waitstatus_to_exitcode(status)
    impatience.cancel()
    return child.returncode, usage.ru_utime + usage.ru_stime


def measured(path):
    """gcov needs seconds for all files; with UNDER it reads only the counts of these folders."""
    return path.startswith(UNDER) if UNDER else not path.startswith('tests/')


def lines_of(counts):
    """What gcov says: for each source, the lines with code and those that were executed."""
    build, answer = BUILDS['coverage'], {}
    data = [p for p in counts.rglob('*.gcda') if measured(str(p.relative_to(counts)))]
    for path in data:
        notes = build / path.relative_to(counts).with_suffix('.gcno')
        path.with_suffix('.gcno').symlink_to(notes)
    done = subprocess.run(['gcov', '--json-format', '--stdout', *map(str, data)], cwd=ROOT, capture_output=True)
    for line in done.stdout.splitlines():
        for file in json.loads(line)['files']:
            if not file['file'].endswith('.c') or file['file'].startswith('/'):
                continue
            entry = answer.setdefault(file['file'], {'source': keep_source(file['file'])})
            entry['code'] = sorted({x['line_number'] for x in file['lines']})
            entry['executed'] = sorted({x['line_number'] for x in file['lines'] if x['count'] > 0})
            entry['functions'] = [(f['start_line'], f['end_line']) for f in file['functions'] if f['execution_count'] > 0]
    return answer


def keep_source(path):
    """A copy of a source as it was measured; its name."""
    name = stamp([path])
    copy = STORE / 'sources' / name
    if not copy.exists():
        copy.write_bytes((ROOT / path).read_bytes())
    return name


def look_at(test):
    """Its code, seconds and lines, of now or of the last time."""
    kept = STORE / 'cover' / (test.name.replace('/', '-').replace(' ', '-') + '.json')
    wanted = stamp(test.inputs())
    try:
        known = json.loads(kept.read_text())
        if known['stamp'] == wanted and set(known['under']) in (set(), set(UNDER)) and not os.environ.get('FRESH'):
            return known
    except (OSError, ValueError, KeyError):
        pass
    with tempfile.TemporaryDirectory(prefix='counts-', dir=STORE, ignore_cleanup_errors=True) as counts:
        code, seconds = run_covered(test, pathlib.Path(counts))
        if code > 0 and seconds <= SECONDS_MAX:  # a busy machine is no reason to leave it out
            code, seconds = run_covered(test, pathlib.Path(counts))
        usable = code == 0 and seconds <= SECONDS_MAX
        known = {'stamp': wanted, 'under': UNDER, 'code': code, 'seconds': seconds,
                 'lines': lines_of(pathlib.Path(counts)) if usable else {}}
    if code <= 0 or seconds > SECONDS_MAX:
        kept.write_text(json.dumps(known))
    return known


def measure(tests, say):
    """Fills in the lines and the seconds of each test; those that cost too much or do not pass are left out."""
    for folder in ('cover', 'sources'):
        (STORE / folder).mkdir(parents=True, exist_ok=True)
    used = []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', os.cpu_count() or 2))) as pool:
        for test, known in zip(tests, pool.map(look_at, tests)):
            test.seconds, test.lines = known['seconds'], known['lines']
            if test.lines and test.seconds <= SECONDS_MAX:
                used.append(test)
            elif known['code'] != 0 or test.seconds > SECONDS_MAX:
                say(f"  left out: {test.name}, exit code {known['code']} after {test.seconds:.0f} s of processor time")
    return used


class Moved:
    """Where the lines of a source as it was are in the source as it is."""

    def __init__(self):
        self.known = {}

    def lines(self, path, source):
        if (path, source) not in self.known:
            old = (STORE / 'sources' / source).read_text().split('\n')
            new = (ROOT / path).read_text().split('\n') if (ROOT / path).exists() else []
            blocks = difflib.SequenceMatcher(None, old, new, False).get_matching_blocks() if old != new else \
                [(0, 0, len(old))]
            self.known[path, source] = {a + i + 1: b + i + 1 for a, b, size in blocks for i in range(size)}
        return self.known[path, source]


class Coverage:
    """Of each line: the tests that execute it.  A line without code of its own belongs to the line before it, if
    both are of one function."""

    def __init__(self, tests):
        self.tests_of, self.code, self.spans, moved = {}, {}, {}, Moved()
        for test in tests:
            for path, entry in test.lines.items():
                self.take(test, path, entry, moved.lines(path, entry['source']))

    def take(self, test, path, entry, now):
        by_line = self.tests_of.setdefault(path, {})
        self.code.setdefault(path, set()).update(now[line] for line in entry['code'] if line in now)
        self.spans.setdefault(path, set()).update(
            (now[begin], now[end]) for begin, end in entry['functions'] if begin in now and end in now)
        for line in entry['executed']:
            if line in now:
                by_line.setdefault(now[line], []).append(test)

    def tests(self, path, line):
        span = max((s for s in self.spans.get(path, ()) if s[0] <= line <= s[1]), default=None)
        if span is None:
            return []
        while line > span[0] and line not in self.code[path]:
            line -= 1
        return self.tests_of[path].get(line, [])
