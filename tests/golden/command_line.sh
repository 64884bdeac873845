#!/bin/bash
# command_line - exit codes, messages and where they go.          SPDX-License-Identifier: Apache-2.0
set -u
root=$PWD
. tests/golden/outside

# EXPECTED_CODE PATTERN ARGUMENTS...: a refusal says PATTERN on stderr, nothing on stdout, and leaves no file.
refuses() {
    local expected=$1 pattern=$2 code
    shift 2
    "$program" "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = "$expected" ] || fail "$*: exit code $code instead of $expected"
    [ ! -s "$work/out" ] || fail "$*: wrote to standard output"
    grep -q -e "$pattern" "$work/err" || fail "$*: no '$pattern' in: $(cat "$work/err")"
    rm -f "$work/out" "$work/err"
    [ -z "$(ls -A "$work/empty")" ] || fail "$*: left a file behind"
}

mkdir empty
echo 'precious: true' >precious.yaml
refuses 2 "did you mean 'run'" rnu
refuses 2 'missing argument' run
refuses 2 'too many arguments' replay first.db first.db
refuses 2 'run it alone' run first-io -
refuses 2 'would be first-io.db' run first-io first-io -o empty/runs
refuses 2 'from 1 to' run first-io -j 0
refuses 2 'did you mean --seed' run --sed 1 first-io
refuses 2 'did you mean --seed' run --see 1 first-io
refuses 2 'unknown option -x' run -x first-io
refuses 2 'needs a value' run first-io -o
refuses 2 'takes no value' run --json=1 first-io
refuses 2 'nothere.yaml:1:1: error: No such file' run nothere.yaml -o empty/run.db
refuses 2 'above 0' run first-io --until 0s -o empty/run.db
refuses 2 'a time such as' run first-io --until 5parsec -o empty/run.db
refuses 2 'summary, counters' run first-io --record everything -o empty/run.db
refuses 2 'from 1 to' run first-io --threads 0 -o empty/run.db
refuses 2 'or auto' run first-io --threads automatic -o empty/run.db
refuses 2 '^--set:1:8: error' run first-io --set fabric.nope=1 -o empty/run.db
refuses 2 'whole number' run first-io --seed banana -o empty/run.db
for command in run check explain 'export scenario'; do
    refuses 2 '^stormglass: --seed -1: expected a whole number from 0' $command first-io --seed -1
done
for place in /dev/stdout /dev/null /dev/fd/1 /dev/stderr; do
    refuses 2 "^stormglass: -o $place: exists and is not a run database; not overwritten" run first-io -o $place
done
refuses 2 'from 1 to' bench --runs 0 first-io
refuses 2 'without commas' bench --label a,b first-io
refuses 2 'not overwritten' run first-io -o precious.yaml
refuses 3 'No such file or directory' run first-io -o empty/no/run.db
refuses 2 'nothere.db: No such file' query nothere.db 'SELECT 1'
refuses 2 'not a run database' query precious.yaml 'SELECT 1'
refuses 2 'not a run database' replay precious.yaml
refuses 2 "did you mean 'media'" list medai

# One form at a time.
refuses 2 '--json and --csv: expected one of them' run first-io --csv --json
refuses 2 '--csv and --markdown: expected one of them' compare --frozen predictions.json measured --markdown --csv
refuses 2 '--json and --markdown: expected one of them' compare --frozen predictions.json measured --markdown --json
refuses 2 '--csv and --table: expected one of them' headroom --table --csv --length 3m
refuses 2 '--json and --table: expected one of them' headroom --table --json --length 3m
refuses 2 '--csv and --tabs: expected one of them' query run.db 'SELECT 1' --csv --tabs
refuses 2 '--json and --tabs: expected one of them' query run.db 'SELECT 1' --json --tabs
refuses 2 "did you mean 'ecn-kmin'" explain-parameter ecn-kmni
[ "$(cat precious.yaml)" = 'precious: true' ] || fail 'a file that is no database was changed'

# A summary is the same whether its database is kept or not.
for value in pfc global; do
    for output in '' '-o kept.db'; do
        # shellcheck disable=SC2086 # no option is no word
        "$program" run pause-storm --until 5ms --set "fabric.host-links.flow-control=$value" $output 2>err |
            sed 's/ in [0-9.]* s$//' >"summary$output" || fail "flow-control $value $output: $(cat err)"
    done
    grep -q 'paused by' summary && cmp summary 'summary-o kept.db' || fail "flow-control $value: another summary with -o"
done

# Help is a result: on stdout, with 0.
for command in '' $("$program" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    # shellcheck disable=SC2086 # no command is no word
    "$program" $command --help >out 2>err || fail "$command --help: exit code $?"
    grep -q '^usage: stormglass' out || fail "$command --help says nothing"
    [ ! -s err ] || fail "$command --help wrote to standard error"
done
for word in help --help -h; do "$program" $word | diff - <("$program" --help) >/dev/null || fail "$word"; done
for word in version --version -V; do "$program" $word | grep -qx "$("$program" --version)" || fail "$word"; done
diff <("$program" help run) <("$program" run --help) >/dev/null || fail 'help run'
refuses 2 "did you mean 'run'" help rnu
refuses 2 "did you mean 'help'" hlep
"$program" --version | grep -q '^stormglass [0-9]' || fail '--version'
"$program" >out 2>err && fail 'no command is no error'

# Every kind of list has members, and every parameter is explained.
for kind in $("$program" list | sed 's/ .*//'); do
    "$program" list "$kind" | grep -q . || fail "list $kind is empty"
done
"$program" list cases | grep -q '^pause-storm ' || fail 'pause-storm is no case'
for word in pfc.headroom fabric.switch.pfc.headroom fabric.switch.headroom; do
    "$program" explain-parameter "$word" | grep -q '^fabric.switch.headroom$' || fail "$word is not explained"
done
"$program" explain-parameter fabric.switch.ecn.kmin | grep -q '^fabric.switch.ecn-kmin$' || fail 'ecn.kmin'
"$program" explain-parameter pfc-priorities | grep -q '^  range    0 to 7$' || fail 'the range of a list'
"$program" explain-parameter drain | grep -q '^faults{kind: slow-receiver}.drain$' || fail 'the drain of a fault'
"$program" list parameters >parameters
for row in seed duration drain faults.at 'faults{kind: link-flap}.period' fabric.routing.detection workloads.dscp; do
    grep -q "^$row  *[^ ]" parameters || fail "list parameters has no $row"
done
"$program" explain-parameter path-mtu | grep -q '^  source ' || fail 'path-mtu has no source'

# Expectations decide between 0 and 1; what is printed does not depend on it.
"$program" run first-io >out 2>err || fail "first-io: exit code $?: $(cat err)"
grep -q '^  pass ' out || fail 'the summary names no expectation'
sed 's/^expect:.*/expect: ["read.completed == 2"]/' >broken.yaml <"$root/scenarios/cases/first-io.yaml"
"$program" run broken.yaml >out 2>err
[ $? = 1 ] || fail 'a broken expectation is no exit code 1'
grep -q '^  FAIL *read.completed == 2 *1$' out || fail 'a broken expectation is not named'

# A result that cannot be written is none.
if [ -w /dev/full ]; then
    "$program" run first-io >/dev/full 2>err
    [ $? = 3 ] || fail 'a full disk under standard output is not seen'
    grep -q 'standard output: No space left on device' err || fail "a full disk is not named: $(cat err)"
fi

# Color: on a terminal without NO_COLOR, or as --color says; a scenario among several has it as alone.
escape=$(printf '\033')
colored() { # EXPECTED WHAT COMMAND...
    local expected=$1 what=$2 is=no
    shift 2
    "$@" 2>&1 </dev/null | grep -q "$escape\[1m" && is=yes
    [ $is = "$expected" ] || fail "color $what: $is"
}
export TERM=xterm
at_terminal() { script -qec "$(printf '%q ' "$program" "$@")" /dev/null; }
colored no 'in a pipe' "$program" run first-io
colored yes 'always' "$program" run first-io --color=always
colored yes 'always, with NO_COLOR' env NO_COLOR=1 "$program" run first-io --color always
colored yes 'at a terminal' at_terminal run first-io
colored yes 'of several at a terminal' at_terminal run first-io first-io
colored no 'never, at a terminal' at_terminal run first-io --color=never
NO_COLOR=1 colored no 'at a terminal with NO_COLOR' at_terminal run first-io
refuses 2 'auto, always or never' run first-io --color=red

# -q: errors alone, and the exit code.
quiet() { # EXPECTED_CODE COMMAND...
    local expected=$1 code
    shift
    "$program" "$@" >out 2>err
    code=$?
    [ $code = "$expected" ] || fail "$*: exit code $code instead of $expected"
    [ ! -s out ] && [ ! -s err ] || fail "$*: printed $(cat out err)"
}
"$program" run pause-storm --until 1ms -o a.db >out 2>&1
"$program" run pause-storm --until 1ms --seed 2 -o b.db >out 2>&1
quiet 0 run first-io -q
quiet 0 run first-io first-io --quiet --threads 9
quiet 1 run broken.yaml -q
quiet 1 check pause-storm --set fabric.fabric-links.mtu=1500B -q
quiet 1 diff a.db b.db -q
quiet 0 diff a.db a.db -q
quiet 0 replay a.db -q
quiet 0 headroom -q --phases 0
refuses 2 '^nothere.yaml:1:1: error' run nothere.yaml -q
refuses 2 'exclude each other' run first-io -q --json
[ $failures = 0 ]
