#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""outputs - finds "1 operations" in what the program printed.

usage: tests/plurals/outputs.py FILE...    One line for each finding; exit code 1 if there is one."""

import re
import sys

# A 1 that stands alone, up to two words, and a noun in the plural.
ONE = re.compile(r"(?<![\w.,/:#%+*=<()'\"-])1(?: |</\w+> )((?:[a-z]+(?:-[a-z]+)* ){0,2}?)([A-Za-z]*(?:[a-z](?<!s)|[A-Z]|I/O|ss?e)s)(?=[ .,;:)<]|$)")
ENDS = set('''a about after again ago all and as at before behind but by can cannot could did do does down each every for from had
    has he if in into is it its last later less may more most must never no not of off on once only or others over per same since so
    some still such than that the their them then there these they this those to together twice under until up was what when
    where which while who with within without would ns us ms ps differs ends and always yes process status class loss access'''.split())


def findings(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        for number, line in enumerate(file, 1):
            for match in ONE.finditer(line):
                words = match.group(1).split() + [match.group(2)]
                if not any(word in ENDS for word in words):
                    yield '%s:%d: %s' % (path, number, match.group(0))


def main(paths):
    found = [finding for path in paths for finding in findings(path)]
    print(*found, sep='\n', end='\n' if found else '')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
