# bridge-agree - host and target agree on moment 0, or one says what differs.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_two_nics
case=/lab/cases/lab-nvme.yaml
stormglass-bridge run $case --role target --address 10.0.0.2 --serve -o /tmp/keep/target.db >target.txt 2>&1 &
target=$!
trap 'cat target.txt' EXIT
sleep 1

# Another setting: both ends say it, and nothing is written.
code=0
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 -o /tmp/other.db \
    --set workloads.read.queue-depth=2 >other.txt 2>&1 || code=$?
cat other.txt
lab_equal "the exit code of a host with another scenario" "$code" 2
grep -q 'workloads.read.queue-depth = 2 here, workloads.read.queue-depth = 1 there' other.txt ||
    lab_fail "the difference was not named"
grep -q 'refused 10.0.0.1: it runs a different scenario' target.txt || lab_fail "the target said nothing"
[ ! -e /tmp/other.db ] || lab_fail "a database was written"

# The same one, interrupted: a usable database and the interface's code.
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 -o /tmp/keep/host.db --json \
    >/tmp/keep/host.json 2>host.txt &
host=$!
sleep 3
kill -INT "$host"
code=0
wait "$host" || code=$?
cat host.txt
[ "$code" -le 1 ] || lab_fail "an interrupted host left with $code"
grep -q '"agreement": "1 of 1 target agreed"' /tmp/keep/host.json || lab_fail "no agreement in the result"
kill -TERM "$target"
code=0
wait "$target" || code=$?
lab_equal "the target's exit code" "$code" 0
