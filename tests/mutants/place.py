# SPDX-License-Identifier: Apache-2.0
"""place - where things are, and the limits."""

import glob
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORE = ROOT / 'build/mutants'
# Three builds: unit tests with sanitizers and audits, laws and the program fast, and one that counts lines.
BUILDS = {'sanitized': ROOT / 'build/gcc-asan-shared', 'fast': ROOT / 'build/gcc-plain-O1-shared',
          'coverage': ROOT / 'build/gcc-coverage'}
if os.environ.get('SANITIZED') == '0':  # unit tests cost a third, but errors of memory survive
    BUILDS['sanitized'] = BUILDS['fast']
FOLDERS = ('model/base', 'model/engine', 'model/net', 'model/rnic', 'model/nvme', 'scenarios', 'replay', 'reports', 'cli')
OPTIONAL = ('bridge',)  # most of it needs the laboratory, so that it is drawn only if it is named
# The programs for real networks, MPI and WebAssembly, and what measures the program, are not in the shared library or cost
# too much.
APART = ('cli/bridge/', 'cli/mpi/', 'cli/wasm/', 'cli/bench/', 'cli/main.c')
# A test that costs more than this is no help against a mutant: hundreds of mutants run it.
SECONDS_MAX = int(os.environ.get('TEST_CPU', '10'))


def library_sources():
    return sorted(p for folder in FOLDERS + OPTIONAL for p in glob.glob(folder + '/**/*.[ch]', root_dir=ROOT, recursive=True)
                  if not p.startswith(APART))
