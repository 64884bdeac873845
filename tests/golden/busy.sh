#!/bin/bash
# busy - several threads where there is one processor, and other programs want it too.  SPDX-License-Identifier: Apache-2.0
# Who waits must sleep: looking again and again keeps the awaited from the processor, and handing it on gives it to the
# other programs, a whole slice of time for each look.  A run is asked to stop there, and does.  Limits are for hangs.
set -u
[ -z "${STORMGLASS_ASAN-}" ] || STORMGLASS=$STORMGLASS_ASAN # its threads meet in every window, however little is in it
. tests/golden/outside
processor=$(taskset -cp $$ | sed 's/.*[:,-] *//')
hung=${BUSY_SECONDS:-60}

load=()
for ((i = 0; i < 2; i++)); do
    taskset -c "$processor" sh -c 'while :; do :; done' &
    load+=($!)
done
trap '[ "${#load[@]}" = 0 ] || kill "${load[@]}"; rm -rf "$work"' EXIT

# spent THREADS: a run's processor time, in ms; its digest in the file `digest`
spent() {
    local user system TIMEFORMAT='%3U %3S'
    read -r user system < <({ time timeout "$hung" taskset -c "$processor" "$program" run pause-storm --until 40us \
        --threads "$1" --json >out 2>err; } 2>&1)
    gojq -r .digest out >digest || echo "$1 threads end in $hung s: $(cat err)" >digest
    echo $((10#${user/./} + 10#${system/./}))
}
one=$(spent 1) && wanted=$(cat digest)
three=$(spent 3) && digest=$(cat digest)
echo "processor time: $one ms on one thread, $three ms on three"
[ -n "$wanted" ] && [ "$digest" = "$wanted" ] || fail "three threads: '$digest' instead of '$wanted'"
[ "$(gojq .threads out)" = 3 ] || fail 'there were not three threads'
[ "$one" -gt 0 ] && [ "$three" -le $((10 * one + 400)) ] || fail "three threads take $three ms, one takes $one"

# A run on its way, of many minutes; wherever it is stopped, it is the beginning of the same run.
taskset -c "$processor" "$program" run pause-storm --set duration=10s --threads 3 -o run.db >out 2>err &
for ((waited = 0; waited < 10 * hung; waited++)); do
    [ "$(sqlite3 run.db 'SELECT reached_ps>0 FROM meta' 2>/dev/null)" = 1 ] && break
    sleep 0.1
done
kill -s TERM $! || fail "it was over before it was asked to stop: $(cat out err)"
timeout "$hung" tail -s 0.1 --pid=$! -f /dev/null || kill -KILL $!
wait $! 2>/dev/null
code=$?
[ "$code" != 137 ] || fail "it did not stop within $hung s"
[ "$(sqlite3 run.db 'SELECT status FROM meta')" = interrupted ] || fail "it did not end as it should: code $code, $(cat err)"
kill "${load[@]}" && wait "${load[@]}" 2>/dev/null
load=()
"$program" replay run.db >out 2>&1 || fail "it replays otherwise: $(cat out)"
[ "$failures" = 0 ]
