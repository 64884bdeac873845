# SPDX-License-Identifier: Apache-2.0
"""trial - one mutant: compiled by itself, put before the library's own file, and met by the tests that execute its line.

A mutant is a shared object of one file.  LD_PRELOAD puts it before the library, whose calls then find its functions:
nothing is linked anew, and no source is touched.  Unit tests come first, then laws, then what compares with golden
digests and texts; in each of them what costs least comes first, and the first that fails ends it.  Laws that cost much
come after the digests, which cost little: of mutants that both would kill, a few are so counted as golden's."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from cover import soft_limit
from place import BUILDS, ROOT

ORDER = ('unit', 'law', 'case', 'golden')
LAW_SECONDS = 3  # one that costs more comes after the digests
IDLE_SECONDS = 30  # of two such spans the second without any work: it will never end
CHECK_FAILED = b'internal error: this must hold'


class Compiler:
    """Compiles one file as the build does, from text that comes through a pipe."""

    def __init__(self, build):
        self.command = (BUILDS[build] / 'flags.list').read_text().split() + ['-g0', '-w']

    def compile(self, path, text, output, *flags):
        source = f'# 1 "{path}"\n' + text
        done = subprocess.run(self.command + list(flags) + ['-iquote', os.path.dirname(path), '-x', 'c', '-', '-o', output],
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


class Trial:
    """The tests are to be told of the mutant; `work` is a folder of its own."""

    def __init__(self, path, original, changed, tests):
        self.path, self.original, self.changed = path, original, changed
        self.tests = sorted(tests, key=lambda t: (self.rank(t), t.seconds, t.name))

    @staticmethod
    def rank(test):
        late = test.kind == 'law' and test.seconds > LAW_SECONDS
        return ORDER.index('golden') - 0.5 if late else ORDER.index(test.kind)

    def verdict(self, kinds=ORDER):
        work = pathlib.Path(tempfile.mkdtemp(prefix='mutant-'))
        try:
            return self.judge(work, kinds)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def judge(self, work, kinds):
        ready = {}
        for test in self.tests:
            if test.kind not in kinds:
                continue
            build = test.build or 'fast'
            if build not in ready:
                ready[build] = Compiler(build).compile(self.path, self.changed, str(work / (build + '.so')), '-shared')
                if not ready[build]:
                    return Verdict('invalid')
            verdict = self.meet(test, build, work)
            if verdict is not None:
                return verdict
        if self.is_same(work):
            return Verdict('same')
        return Verdict('survived', ', '.join(t.name for t in self.tests if t.kind in kinds))

    def is_same(self, work):
        """Optimised machine code tells some equivalent ones without a test."""
        for name, text in (('old', self.original), ('new', self.changed)):
            if not Compiler('fast').compile(self.path, text, str(work / (name + '.o')), '-c', '-O2'):
                return False
        return (work / 'old.o').read_bytes() == (work / 'new.o').read_bytes()

    def meet(self, test, build, work):
        """None if the test passes.  One that fails is asked again: a busy machine is no reason to count a kill."""
        verdict = self.meet_once(test, build, work)
        if verdict is None or verdict.kind == 'check':
            return verdict
        return self.meet_once(test, build, work)

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
    env = dict(os.environ, LC_ALL='C', TMPDIR=str(scratch), PYTHONDONTWRITEBYTECODE='1')
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


def work_of(session):
    """What all processes of a session have worked: threads that wait for each other for ever do nothing."""
    sum_of_all = 0
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = path.read_text().rpartition(')')[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            sum_of_all += int(fields[11]) + int(fields[12])
    return sum_of_all
