#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory that is not there, and writes that fail: exit 3 and a sentence, or the right result; never a signal, and a
# database that is left opens.  EVERY=1: every call and every error; without it, calls from different places, and one in three
# writes of each commit with one of two errors.
set -u
program=$(realpath "${STORMGLASS:?the program to test}")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../turn"
work=$(mktemp -d)
# Where fsync costs nothing, if there is such a place.
files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work" "$files"' EXIT
cd "$files" || exit 3
every=${EVERY-}
failures=0
fail() { echo "FAIL $*"; failures=$((failures + 1)); }

${CC:-cc} -shared -fPIC -O1 -o "$work/failing.so" "$here/failing-calls.c" || exit 3
digest=$("$program" run first-io | grep '^digest') || exit 3
failing() { # WORDS... -- COMMAND...
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    (export "${words[@]}" LD_PRELOAD="$work/failing.so" && exec "$@")
}
# has FILE TEXT: without a process for it, of which there would be a thousand
has() { [[ $(<"$1") == *"$2"* ]]; }
line() { [[ $'\n'$(<"$1")$'\n' == *$'\n'"$2"$'\n'* ]]; }

# --- each allocation, in a copy of the process ---------------------------------------------------------------

failing FAIL=memory ${every:+FAIL_ALL=1} FAIL_EACH="$work/bad" FAIL_COUNT="$work/count" FAIL_EXPECTED="$digest" -- \
    "$program" run first-io >out 2>err || fail "first-io plays beside its copies: $(head -n 1 err)"
grep -qxF "$digest" out || fail 'first-io has another result beside its copies'
[ ! -s "$work/bad" ] || fail "an allocation that failed: $(grep -a -c '^[0-9]*: [es]' "$work/bad") times, such as $(head -n 3 "$work/bad")"
read -r calls copies <"$work/count"
[ "${copies-0}" -ge 1000 ] || fail "of ${calls-no} allocations only ${copies-0} failed: is the program linked statically?"
echo "ok   $copies of $calls allocations failed"

# --- the same with a database: a process each -----------------------------------------------------------------

# ended CODE WHAT: how the run ended, and what it left
ended() {
    local code=$1 what=$2
    case $code in
    0) line out "$digest" || fail "$what: exit code 0 and another result" ;;
    3) [[ $'\n'$(<err) == *$'\n'stormglass:\ ?* ]] || fail "$what: exit code 3 without a sentence" ;;
    *) fail "$what: exit code $code: $(head -n 1 err)" ;;
    esac
    [ -e run.db ] || return 0
    "$program" query run.db 'SELECT count(*) FROM workload' >rows 2>why || fail "$what: the database does not open: $(cat why)"
    rm -f run.db*
}

rm -f run.db
failing FAIL=memory FAIL_COUNT="$work/count" -- "$program" run first-io -o run.db >out 2>err || fail "first-io -o: $(cat err)"
rm -f run.db
read -r calls copies <"$work/count"
step=$((calls / 40))
[ -z "$every" ] || step=37
for ((n = 1; n <= calls; n += step)); do
    failing FAIL=memory FAIL_AT=$n -- "$program" run first-io -o run.db >out 2>err
    ended $? "allocation $n of a recorded run"
done
echo "ok   $((calls / step)) of $calls allocations of a recorded run failed"

# --- limits of the address space -----------------------------------------------------------------------------

played=0 refused=0
for kib in 8192 12000 16384 20000 24000 28000 32768 40000 50000 65536 80000 100000 131072 200000 262144 400000 1000000 2000000 \
    4000000 8000000; do
    (ulimit -v $kib && exec "$program" run first-io) >out 2>err
    code=$?
    [ $code -ne 127 ] || continue # the loader has no room for the libraries
    [ $code -eq 0 ] && played=$((played + 1)) || refused=$((refused + 1))
    ended $code "ulimit -v $kib"
done
[ $played -ge 10 ] || fail "first-io plays under $played limits only"
echo "ok   $played limits are enough, $refused are not"

# Pools grow into what is left: a run of many frames needs little more than what it touches.
many=(run fat-tree-k8 --until 100us)
grown=$("$program" "${many[@]}" | grep '^digest') || exit 3
for kib in 36000 40000 48000 56000; do
    (ulimit -v $kib && exec "$program" "${many[@]}") >out 2>err && grep -qxF "$grown" out ||
        fail "ulimit -v $kib: ${many[*]}: $(head -n 1 err)"
done
echo 'ok   pools grow under 4 limits'

# --- writes ---------------------------------------------------------------------------------------------------

failing FAIL=write FAIL_COUNT="$work/count" -- "$program" run first-io -o run.db >out 2>err || fail "first-io -o: $(cat err)"
rm -f run.db
read -r calls copies <"$work/count"
[ "$calls" -ge 50 ] || fail "only $calls writes"
spared=0
for ((n = 1; n <= calls; n++)); do
    [ -n "$every" ] || in_turn $((n / 2)) 3 || continue # 2 successive writes, which fail with different errors
    for error in EIO ENOSPC; do
        [ -n "$every" ] || [ $((n % 2)) -eq $([ $error = EIO ]; echo $?) ] || continue
        failing FAIL=write FAIL_AT=$n FAIL_ERRNO=$error -- "$program" run first-io -o run.db >out 2>err
        code=$?
        [ $code -ne 0 ] || spared=$((spared + 1))
        [ $code -ne 3 ] || has err run.db || fail "write $n with $error: no file is named: $(cat err)"
        ended $code "write $n with $error"
    done
done
# SQLite does without the directory's fsync, of which there are a few.
[ $spared -le 8 ] || fail "$spared writes failed and the run said nothing"
echo "ok   of $calls writes those in turn failed"
"$program" run first-io >/dev/full 2>err
[ $? -eq 3 ] || fail '/dev/full takes the summary'

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
