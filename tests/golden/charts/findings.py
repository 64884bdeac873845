# SPDX-License-Identifier: Apache-2.0
"""findings - what a check script found wrong; it ends with end()."""
import sys

count = 0


def fail(*words):
    global count
    count += 1
    print(*words)


def same(what, got, wanted):
    if got != wanted:
        fail(f'{what}: {got!r} and not {wanted!r}')


def end():
    sys.exit(count > 0)
