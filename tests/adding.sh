#!/bin/bash
# adding - a member of each kind is added as docs/adding.md says, by its file and its line.   SPDX-License-Identifier: Apache-2.0
# The templates of tests/adding go into a copy of the sources, their lines before all others; the copy is built and
# played.  What was there before has the same names, values and digests: no number of a list is kept anywhere.
set -u
cd "$(dirname "$0")/.." || exit 3
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/copy failed=0
fail() {
    echo "$1"
    failed=$((failed + 1))
}

# --- the copy, its templates and their lines --------------------------------------------------------------

mkdir -p "$copy/build" "$copy/docs" "$copy/tests/unit/base"
cp -Rp Makefile VERSION .ci model scenarios replay reports cli "$copy"
cp -R docs/man "$copy/docs"
cp tests/run "$copy/tests"
cp tests/unit/base/entry.[ch] "$copy/tests/unit/base"
touch "$copy/build/packages-build" "$copy/build/packages-test" # they are here: this test runs
cp -R tests/adding/template/. "$copy"

# Objects that are here already, with what each depends on: make compiles those anew that see a changed list.
there=gcc-plain-O0
remake="make -C $copy CC=gcc BUILD=plain OPT=-O0 EXTRA_CFLAGS=-g0"
$remake "build/$there/flags.list" >"$work/make" 2>&1
touch -d @0 "$copy/build/$there/flags.list"
for part in model scenarios replay reports cli units; do
    [ -d "build/gcc-plain/$part" ] || continue
    cp -Rp "build/gcc-plain/$part" "$copy/build/$there"
done
find "$copy/build/$there" -name '*.d' -exec sed -i "s,build/gcc-plain/,build/$there/,g" {} +

while read -r file line; do
    case $file in '' | '#'*) continue ;; esac
    LINE=$line awk '!done && /^[A-Z_]+\(/ { print ENVIRON["LINE"]; done = 1 } { print }' "$copy/$file" >"$work/new" &&
        grep -q -x -F "$line" "$work/new" && mv "$work/new" "$copy/$file" || fail "$file has no place for $line"
done < <(cat tests/adding/lines tests/adding/others)

$remake "build/$there/stormglass" "build/$there/tests/unit/base/test_template" >"$work/make" 2>&1 || {
    grep -v -E '^  (CC|AR|LINK|EMBED) ' "$work/make" | head -n 40
    echo "the copy cannot be built"
    exit 1
}
before=$STORMGLASS after=$copy/build/$there/stormglass
cd "$work" || exit 3

# --- each is found, and does what it is for ---------------------------------------------------------------

has() { # WHAT PATTERN COMMAND...
    local what=$1 pattern=$2
    shift 2
    "$@" >out 2>&1 </dev/null
    grep -q -e "$pattern" out || fail "$what: '$pattern' is not in what '${*//$work\//}' prints: $(head -n 3 out)"
}

for kind in cases works congestion-controls tcp-congestion-controls buffer-policies media workloads topologies faults rules drop-causes verdicts; do
    has "list $kind" '^template  *[a-zA-Z]' "$after" list "$kind"
done
has 'list profiles' '^template-switch ' "$after" list profiles
has 'a parameter of a topology' 'Switches in the row' "$after" explain-parameter 'fabric.topology{kind: template}.switches'
has 'a parameter of a fault' 'The RNIC that does' "$after" explain-parameter 'faults{kind: template}.port'
has 'a parameter of a control' 'Share of line rate' "$after" explain-parameter template-share
has 'a parameter of a transport' 'a fresh key' "$after" explain-parameter hosts.defaults.nvme.template-keys
has 'a finding of check' "note: this is a template's finding" "$after" check template
"$after" run template --record counters -o run.db >summary 2>&1 || fail "a case of templates fails: $(cat summary)"
has 'a verdict' 'host1: pauses as a template does' cat summary
has 'a verdict in the database' '^template$' "$after" query run.db "SELECT DISTINCT kind FROM pause_root"
has 'the counter of a cause' '^rx_dropped_template$' "$after" query run.db "SELECT name FROM counter_name WHERE name LIKE '%\_template' ESCAPE '\'"
has 'the total of a cause' '^drops.template' "$after" query run.db "SELECT path FROM result WHERE path LIKE 'drops.t%'"
has 'a value of a transport' '^false$' "$after" query run.db "SELECT value FROM setting WHERE path = 'hosts.defaults.nvme.template-keys'"
has 'a picture' '<text>template</text>' "$after" draw --what template run.db
has 'an import' "a template's scenario" "$after" import template summary
echo 'template: 17' >printed
has 'a file to calibrate from' 'rnic.cnp-dscp .* 17 .*printed:1, template' "$after" calibrate printed
has 'the list of such files' "  a template's tool" "$after" calibrate --help
has 'a subcommand' "a template's command" "$after" template
has 'the list of subcommands' '^  template  *says that it is here' "$after" --help
has 'a word that is near' "did you mean 'template'" "$after" run template --set faults.0.kind=templat
has 'a unit test' 'PASSED.*1 test' "$copy/build/$there/tests/unit/base/test_template"
has 'a law' '  ok  *laws/template.sh' env STORMGLASS="$after" "$copy/tests/run" none none laws/template.sh

# --- what was there before is as it was -------------------------------------------------------------------

same() { # WHAT COMMAND...: the same from both programs, but for what is the template's
    local what=$1
    shift
    "$before" "$@" >old 2>&1 </dev/null
    "$after" "$@" 2>&1 </dev/null | sed '/template/d' >new
    cmp -s old new || fail "$what: $(diff old new | head -n 5)"
}

for kind in congestion-controls tcp-congestion-controls buffer-policies media workloads topologies faults rules drop-causes verdicts parameters; do
    same "list $kind" list "$kind"
done
# Rows of all tables, but for what takes time and for positions in a text.
rows() { # DATABASE
    /usr/bin/python3 - "$1" <<'PY'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
for table, in base.execute("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY rowid").fetchall():
    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})") if (table, row[1]) != ("result", "position")]
    for row in base.execute(f"SELECT {','.join(columns)} FROM {table}"):
        line = f"{table} {row}"
        if "template" not in line.lower() and not {"cpu_s", "wall_s", "started_unix_s"} & set(row):
            print(line)
PY
}

for run in 'pause-storm --until 4ms --record counters' 'target-crash --record ios' 'mtu-mismatch --until 4ms --record ios' 'first-io --record packets'; do
    read -ra words <<<"$run"
    same "check ${words[0]}" check "${words[0]}"
    "$before" run "${words[@]}" -o before.db >/dev/null 2>&1
    "$after" run "${words[@]}" -o after.db >/dev/null 2>&1
    rows before.db >old
    rows after.db >new
    { [ "$(wc -l <old)" -gt 300 ] && cmp -s old new; } || fail "$run: $(wc -l <old) rows; $(diff old new | head -n 10)"
done

[ "$failed" = 0 ] || echo "$failed failures"
[ "$failed" = 0 ]
