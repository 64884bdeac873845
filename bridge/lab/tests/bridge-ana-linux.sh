# bridge-ana-linux - our host on Linux's target with two ports, one of which says for 4 s that it has no way to the namespace.   SPDX-License-Identifier: Apache-2.0
# lab: nics=4 timeout=600 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_linux_ports
state=/sys/kernel/config/nvmet/ports/1/ana_groups/1/ana_state
stormglass-bridge run /lab/cases/lab-paths.yaml --role host --address 10.0.0.1+10.0.0.3 --peer 10.0.0.2+10.0.0.4 \
    --set duration=12s --verify full -o /tmp/keep/host.db --json >host.json &
host=$!
trap 'cat host.json; dmesg | grep nvme | tail -n 20' EXIT
sleep 5 # the lead, and 4 s
echo inaccessible >$state
sleep 4
echo optimized >$state
code=0
wait "$host" || code=$?
cp host.json /tmp/keep/
lab_equal "exit code of the host" "$code" 0
lab_recovered host.json 0
