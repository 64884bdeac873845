#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# colors - --color always changes nothing but colors: each begins where none is on and ends before the next line has text.
set -u
tree=$PWD
. tests/golden/outside

cat >colors.py <<'PY'
import re, sys
on, colors, plain = False, 0, []
for number, line in enumerate(open('colored'), 1):
    if on and not line.startswith('\033[0m'):
        sys.exit(f'line {number}: the color of the line before is still on')
    for begin in re.findall(r'\033\[([0-9;]*)m', line):
        if (begin != '0') == on:
            sys.exit(f'line {number}: ' + ('a color within a color' if on else 'an end without a color') + f': {line!r}')
        on = begin != '0'
        colors += on
    plain.append(re.sub(r'\033\[[0-9;]*m', '', line))
if on or colors < int(sys.argv[1]):
    sys.exit(f'{colors} colors; on at the end: {on}')
if ''.join(plain) != open('plain').read():
    sys.exit('the text is another one')
PY

# colored LEAST COMMAND...: at least so many colors
colored() {
    local least=$1
    shift
    "$program" "$@" --color never >plain 2>err
    "$program" "$@" --color always >colored 2>err
    python3 colors.py "$least" >out 2>&1 || fail "$*: $(cat out err)"
}

{
    sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$tree/tests/golden/charts/charts.yaml"
    echo 'expect: [hot.completed > 10, raw.latency.p99 < 1us, no-lossless-drop]'
} >page.yaml
"$program" run page.yaml --interval 100us --until 900us --record ios --waits -o run.db >/dev/null 2>&1
"$program" run page.yaml --interval 100us --until 900us --record ios --waits -o other.db --seed 2 >/dev/null 2>&1
"$program" run target-crash -o events.db >/dev/null 2>&1
[ "$("$program" query --json events.db 'SELECT count(*) AS n FROM event' | gojq '.[0].n')" -gt 3 ] || fail 'few events'
colored 12 report --text run.db
colored 6 report --text events.db
colored 4 explain run.db
colored 1 diff run.db other.db
[ $failures = 0 ]
