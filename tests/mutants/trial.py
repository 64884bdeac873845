# SPDX-License-Identifier: Apache-2.0
"""trial - one mutant: compiled by itself, put before the library's own file, and run by the tests that execute its line.

A mutant is a shared object of one file.  LD_PRELOAD puts it before the library, whose calls then find its functions:
nothing is linked again, and no source is changed.  A mutant with the machine code of the original runs no test.  A survivor
is also compared after -O2, which shows more mutants to be equivalent; a killed mutant needs only one compilation.  The
cheapest test comes first, and the first that fails ends the trial; a test that killed another mutant of the same file
comes earlier, because it probably compares what this file computes.  So does a script that holds whole outputs: others execute
many lines whose output they do not look at.  The scenarios of one script compare the same words: what the first of them do
not notice, another script rather does than the next of them.  What allocates or frees memory is
judged by memcheck first."""

import collections
import hashlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from cover import soft_limit, work_of
from place import BUILDS, ROOT, STORE

ORDER = ('unit', 'law', 'case', 'golden')
# Processor time of passed tests after which a mutant counts as survived although more tests execute its line.
BUDGET = float(os.environ.get('BUDGET', 'inf'))
IDLE_SECONDS = 30  # of two such spans the second without any work: it will never end
PASSES = {}  # by name: whether a script that failed passes with the unchanged file
CHECK_FAILED = b'internal error: this must hold'


class Compiler:
    """Compiles one file as the build does, from text that comes through a pipe."""

    def __init__(self, build):
        self.command = (BUILDS[build] / 'flags.list').read_text().split() + ['-g0', '-w']

    def compile(self, path, text, output, *flags):
        source = f'# 1 "{path}"\n' + text
        done = subprocess.run(self.command + list(flags) + ['-x', 'c', '-', '-o', output],
                              cwd=ROOT, input=source.encode(), capture_output=True)
        return done.returncode == 0


class Verdict:
    """killed: the class, and the test that did it; `invalid` does not compile, `same` is the same machine code."""

    def __init__(self, kind, by=''):
        self.kind, self.by = kind, by

    @property
    def killed(self):
        return self.kind in ('unit', 'law', 'check', 'golden', 'hang')

    @property
    def counts(self):
        return self.kind not in ('invalid', 'same')


def in_order(tests, kills, frees=False):
    """A price for each: its seconds, which count more often for each further scenario of a script, and where it only looks
    for a few words.  `frees`: the line allocates or frees memory."""
    turns, prices = collections.Counter(), {}
    for test in sorted(tests, key=lambda t: (t.seconds / (1 + 3 * kills.get(t.name, 0)), t.name)):
        turns[test.path] += 1
        price = test.seconds * turns[test.path] ** 2 / (1 + 3 * kills.get(test.name, 0))
        first = frees and test.path.startswith('tests/golden/leaks')
        prices[test] = 0 if first else price if test.holds_outputs() else 3 * price
    return sorted(prices, key=lambda test: (prices[test], test.name))


class Trial:
    """`kills` counts, for each test by name, the mutants of this file that it killed."""

    def __init__(self, path, original, changed, tests, kills, frees=False):
        self.path, self.original, self.changed = path, original, changed
        self.tests = in_order(tests, kills, frees)

    def verdict(self, kinds=ORDER):
        work = pathlib.Path(tempfile.mkdtemp(prefix='mutant-'))
        try:
            return self.judge(work, kinds)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def judge(self, work, kinds):
        ready, tests, spent = {}, [t for t in self.tests if t.kind in kinds], 0.0
        for number, test in enumerate(tests):
            if spent > BUDGET:
                return self.survivor(work, f'{number} of {len(tests)} tests')
            build = test.build or 'fast'
            if build not in ready:
                ready[build] = Compiler(build).compile(self.path, self.changed, str(work / (build + '.so')), '-shared')
                if not ready[build]:
                    return Verdict('invalid')
                if (work / (build + '.so')).read_bytes() == self.original_object(build):
                    return Verdict('same')
            verdict = self.meet(test, build, work)
            if verdict is not None:
                return verdict
            spent += test.seconds
        return self.survivor(work, ', '.join(t.name for t in tests))

    def survivor(self, work, met):
        return Verdict('same') if self.is_same(work) else Verdict('survived', met)

    def original_object(self, build):
        """The shared object of the unchanged file, which all mutants of this file are compared with."""
        key = hashlib.sha256(f'{self.path} {build} {self.original}'.encode()).hexdigest()[:24]
        kept = STORE / 'objects' / (key + '.so')
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
                fresh = pathlib.Path(folder) / 'fresh.so'
                if Compiler(build).compile(self.path, self.original, str(fresh), '-shared'):
                    fresh.rename(kept)
        return kept.read_bytes() if kept.exists() else b''

    def is_same(self, work):
        """Whether optimized machine code shows that the mutant is equivalent."""
        for name, text in (('old', self.original), ('new', self.changed)):
            if not Compiler('fast').compile(self.path, text, str(work / (name + '.o')), '-c', '-O2'):
                return False
        return (work / 'old.o').read_bytes() == (work / 'new.o').read_bytes()

    def meet(self, test, build, work):
        """None if the test passes.  A script that fails runs again: a busy machine is no reason to count a kill."""
        verdict = self.meet_once(test, build, work)
        if verdict is None or verdict.kind == 'check' or (test.build is not None and verdict.kind != 'hang'):
            return verdict
        verdict = self.meet_once(test, build, work)
        return verdict if verdict is None or test.build is not None or self.passes_unchanged(test, build, work) else None

    def passes_unchanged(self, test, build, work):
        """A script that starts the program by another way than the wrapper fails with and without the change."""
        if test.name not in PASSES:
            plain = work / 'plain'
            plain.mkdir()
            (plain / (build + '.so')).write_bytes(self.original_object(build))
            PASSES[test.name] = self.meet_once(test, build, plain) is None
            shutil.rmtree(plain, ignore_errors=True)
        return PASSES[test.name]

    def meet_once(self, test, build, work):
        scratch = work / 'scratch'
        scratch.mkdir()
        try:
            code, output = run(test, environment(test, build, work, scratch), 3 + round(8 * test.seconds))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if code in (0, 77):
            return None
        if CHECK_FAILED in output:
            return Verdict('check', test.name)
        if code in (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL):
            return Verdict('hang', test.name)
        return Verdict('golden' if test.kind == 'case' else test.kind, test.name)


def environment(test, build, work, scratch):
    """A script runs other programs too, so that only the wrapper of ours knows the mutant."""
    mutant, library = str(work / (build + '.so')), str(BUILDS[build])
    env = dict(os.environ, LC_ALL='C', TMPDIR=str(scratch), PYTHONDONTWRITEBYTECODE='1', STOP_AT_FIRST='1', **test.env)
    if test.build is None:
        program = scratch / 'stormglass'
        program.write_text(f'#!/bin/sh\nLD_PRELOAD={mutant} LD_LIBRARY_PATH={library} exec {library}/stormglass "$@"\n')
        program.chmod(0o755)
        env['STORMGLASS'] = str(program)
        return env
    env.update(LD_PRELOAD=mutant, LD_LIBRARY_PATH=library, UBSAN_OPTIONS='print_stacktrace=0',
               ASAN_OPTIONS='verify_asan_link_order=0:detect_odr_violation=0:hard_rss_limit_mb=3000:quarantine_size_mb=16')
    return env


def run(test, env, seconds):
    """Its exit code, and what it printed; more processor time than `seconds`, or a wait for nothing, is a hang."""
    limits = {resource.RLIMIT_CPU: soft_limit(seconds), resource.RLIMIT_FSIZE: (1 << 30, 1 << 30),
              resource.RLIMIT_CORE: (0, 0)}
    child = subprocess.Popen(test.command(test.build), cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                             preexec_fn=lambda: [resource.setrlimit(*limit) for limit in limits.items()])
    began, before = time.monotonic(), -1
    while True:
        try:
            output, _ = child.communicate(timeout=IDLE_SECONDS)
            return child.returncode, output
        except subprocess.TimeoutExpired:
            spent = work_of(child.pid)
            if spent == before or time.monotonic() - began > 60 + 20 * seconds:
                os.killpg(child.pid, signal.SIGKILL)
                output, _ = child.communicate()
                return -signal.SIGKILL, output
            before = spent
