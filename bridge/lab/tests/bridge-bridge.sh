# bridge-bridge - our host and our target, two processes on real verbs.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_two_nics
case=/lab/cases/lab-nvme.yaml
stormglass-bridge run $case --role target --address 10.0.0.2 -o target.db >target.txt 2>&1 &
target=$!
lab_listens target.txt
code=0
stormglass-bridge run $case --role host --address 10.0.0.1 --peer 10.0.0.2 -o /tmp/keep/host.db || code=$?
lab_equal "the host's exit code" "$code" 0
# A target goes when its last host has left.
lab_await 20 lab_gone "$target" || { cat target.txt; lab_fail "the target did not end"; }
wait "$target" || { code=$?; cat target.txt; lab_fail "the target's exit code is $code"; }
cat target.txt
