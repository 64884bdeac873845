#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""equivalent - the mutants that nothing can tell from the original, with the reason.

The list has blocks, parted by empty lines: the file, `- ` the line as it is, `+ ` the line as it would be, the reason.
An entry that names no line or no mutant of today is an error: it has outlived its reason.  Called as a program it looks
for such entries, and reads no other files than those of the list."""

import pathlib
import sys

from mutate import File


class Equivalents:
    def __init__(self, path, files):
        self.reasons = {}
        for block in path.read_text().split('\n\n'):
            lines = [line for line in block.split('\n') if line and not line.startswith('#')]
            if lines:
                self.take(path.name, lines, files)

    def take(self, name, lines, files):
        if len(lines) < 4 or lines[1][:2] != '- ' or lines[2][:2] != '+ ':
            sys.exit(f'{name}: a block is a file, "- " line, "+ " line and the reason, not:\n' + '\n'.join(lines))
        file, old, new = lines[0], lines[1][2:], lines[2][2:]
        if file not in files:
            sys.exit(f'{name}: there is no {file}')
        if not any(files[file].described(m) == (old, new) for m in files[file].mutations
                   if files[file].line_text(m.line) == old):
            sys.exit(f'{name}: {file} has no such change any more:\n- {old}\n+ {new}')
        self.reasons[file, old, new] = ' '.join(lines[3:])

    def reason(self, mutant):
        return self.reasons.get((mutant.path, *mutant.file.described(mutant.mutation)))


class Sources(dict):
    """The files of a tree, each read when it is asked for."""

    def __init__(self, root):
        super().__init__()
        self.root = root

    def __contains__(self, path):
        return (self.root / path).is_file()

    def __missing__(self, path):
        self[path] = File((self.root / path).read_text())
        return self[path]


if __name__ == '__main__':
    HERE = pathlib.Path(__file__).resolve().parent
    Equivalents(HERE / 'equivalent', Sources(HERE.parent.parent))
