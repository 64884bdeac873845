# bridge-reconnect-linux - our host and Linux's target, whose port goes away and comes back.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_two_nics
modprobe brd rd_nr=1 rd_size=65536
lab_target 10.0.0.2 /dev/ram0
stormglass-bridge run /lab/cases/lab-reconnect.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 \
    --verify full -o /tmp/keep/host.db --json >host.json &
host=$!
trap 'cat host.json; dmesg | grep -E "nvme" | tail -n 20' EXIT
sleep 3
# The last subsystem leaves the port: the port closes, and its controllers end.
rm /sys/kernel/config/nvmet/ports/1/subsystems/target
sleep 2
ln -s "/sys/kernel/config/nvmet/subsystems/$LAB_SUBSYSTEM" /sys/kernel/config/nvmet/ports/1/subsystems/target
code=0
wait "$host" || code=$?
lab_equal "exit code of the host" "$code" 0
lab_recovered host.json 1
