#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several scenarios in one command print what one run after the other prints, however many run at once.
set -u
. tests/golden/outside

scenarios=(pause-storm first-io incast-8to1 first-io)
steady() { sed 's/ in [0-9.]* s$//' | grep -v -E '"(cpu|wall|started_unix)_s"'; }

# one_by_one FILE OPTIONS...: what separate commands print, and the largest exit code
one_by_one() {
    local file=$1 code
    shift
    worst=0
    for scenario in "${scenarios[@]}"; do
        "$program" run "$scenario" --until 1ms "$@"
        code=$?
        [ $code -gt $worst ] && worst=$code
    done >"$file" 2>"$file.err"
}

for options in '' --json '--seeds 2' '--set fabric.nope=1'; do
    # shellcheck disable=SC2086 # words
    one_by_one separate $options
    for jobs in '-j 1' '-j 3' ''; do
        # shellcheck disable=SC2086 # words
        "$program" run "${scenarios[@]}" --until 1ms $options $jobs >together 2>together.err
        code=$?
        [ $code = $worst ] || fail "$options $jobs: exit code $code instead of $worst"
        diff <(steady <separate) <(steady <together) >difference || fail "$options $jobs: $(head -n 5 difference)"
        cmp -s separate.err together.err || fail "$options $jobs: other messages: $(cat together.err)"
    done
done
[ -s separate.err ] && [ $worst = 2 ] || fail 'a wrong --set is accepted'

# A scenario that cannot be read does not keep the others from running, and decides the exit code.
"$program" run first-io nothere.yaml pause-storm --until 1ms -o runs/ >out 2>err
[ $? = 2 ] || fail 'exit code of a scenario that is missing'
grep -q '^nothere.yaml:1:1: error' err || fail "a missing scenario: $(cat err)"
[ "$(ls runs)" = 'first-io.db
pause-storm.db' ] || fail "-o DIRECTORY: $(ls runs)"
for scenario in first-io pause-storm; do
    digest=$("$program" run "$scenario" --until 1ms --json | gojq -r .digest)
    "$program" replay "runs/$scenario.db" | grep -q "$digest" || fail "runs/$scenario.db: another digest"
done
: >file
expect 'a file for a directory' 2 'expected a directory' "$program" run first-io pause-storm -o file

# Kept outputs are in TMPDIR, and gone afterwards.
mkdir kept
TMPDIR=$work/kept "$program" run first-io first-io >/dev/null || fail TMPDIR
[ -z "$(ls -A kept)" ] || fail "left in TMPDIR: $(ls -A kept)"
TMPDIR=$work/none expect 'no TMPDIR' 3 'cannot create a directory for outputs' "$program" run first-io first-io

# Ctrl-C ends all of them.
TMPDIR=$work/kept timeout --foreground --preserve-status -s INT 2 "$program" run pause-storm pause-storm --set duration=100s -j 2 >out 2>&1
code=$?
[ $code = 130 ] || fail "interrupted: exit code $code"
sleep 0.2
[ -z "$(ls -A kept)" ] || fail "interrupted: left in TMPDIR: $(ls -A kept)"
[ $failures = 0 ]
