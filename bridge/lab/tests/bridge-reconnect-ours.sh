# bridge-reconnect-ours - our host, and our target that is killed in mid-I/O and started again.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
. /lab/lib.sh

lab_two_nics
# What a killed process had written is gone with it: no reads of what was written.
scenario="/lab/cases/lab-reconnect.yaml --set workloads.io.read=0%"
serve() {
    # shellcheck disable=SC2086 # words
    stormglass-bridge run $scenario --role target --address 10.0.0.2 --serve >>target.txt 2>&1 &
    target=$!
}
serve
lab_listens target.txt
# shellcheck disable=SC2086 # words
stormglass-bridge run $scenario --role host --address 10.0.0.1 --peer 10.0.0.2 -o /tmp/keep/host.db --json >host.json &
host=$!
trap 'cat host.json target.txt; dmesg | tail -n 20' EXIT
sleep 3
kill -9 "$target"
sleep 2
serve
code=0
wait "$host" || code=$?
lab_equal "exit code of the host" "$code" 0
lab_recovered host.json 1
kill "$target"
lab_await 10 lab_gone "$target" || lab_fail "the target does not end"
