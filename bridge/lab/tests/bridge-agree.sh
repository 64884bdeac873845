# bridge-agree - host and target agree on moment 0, or one says what differs.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_two_nics
case=/lab/cases/lab-nvme.yaml

# A target with a secret: a host without it and one with another are refused, one with it is welcome.
printf 'a secret of one host' >one && printf 'a secret of another' >another && chmod 600 one another
stormglass-bridge run $case --role target --address 10.0.0.2 --secret another --serve >sworn.txt 2>&1 &
sworn=$!
trap 'cat sworn.txt' EXIT
lab_listens sworn.txt
code=0
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 --secret one >secret.txt 2>&1 || code=$?
lab_equal "the exit code of a host with another secret" "$code" 2
grep -q 'refused 10.0.0.1: it has a different shared secret' sworn.txt || lab_fail "the target does not say why"
code=0
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 >secret.txt 2>&1 || code=$?
lab_equal "the exit code of a host without a secret" "$code" 2
grep -q 'the target requires its shared secret' secret.txt || lab_fail "it does not say why: $(cat secret.txt)"
code=0
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 --secret another --json >secret.json 2>secret.txt || code=$?
[ "$code" -le 1 ] || lab_fail "a host with the secret of the target left with $code: $(cat secret.txt)"
grep -q '"agreement": "1 of 1 target agreed"' secret.json || lab_fail "no agreement with a secret"
kill -TERM "$sworn"
wait "$sworn" || lab_fail "the target with a secret left with $?"

stormglass-bridge run $case --role target --address 10.0.0.2 --serve -o /tmp/keep/target.db >target.txt 2>&1 &
target=$!
trap 'cat target.txt' EXIT
lab_listens target.txt

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
