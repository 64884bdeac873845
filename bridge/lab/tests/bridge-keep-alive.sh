# bridge-keep-alive - the wire is dead for 12 s: host and target find out by keep-alive, and meet again.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
. /lab/lib.sh

lab_two_nics
lab_cables eth0 eth1
scenario="/lab/cases/lab-reconnect.yaml --set duration=25s --set hosts.defaults.nvme.keep-alive=4s"
# shellcheck disable=SC2086 # words
stormglass-bridge run $scenario --role target --address 10.0.0.2 --serve \
    --record ios -o target.db >target.txt 2>&1 &
target=$!
lab_listens target.txt
# shellcheck disable=SC2086 # words
stormglass-bridge run $scenario --role host --address 10.0.0.1 --peer 10.0.0.2 -o /tmp/keep/host.db --json >host.json &
host=$!
trap 'cat host.json target.txt; dmesg | tail -n 20' EXIT
sleep 3
lab_pull eth0 eth1
sleep 12
lab_plug eth0 eth1
code=0
wait "$host" || code=$?
lab_equal "exit code of the host" "$code" 0
lab_none_refused
lab_recovered host.json 1
kill "$target"
lab_await 10 lab_gone "$target" || lab_fail "the target does not end"
cat target.txt
