# bridge-paths-linux - our host on Linux's target with two ports; one is pulled and plugged, five times.   SPDX-License-Identifier: Apache-2.0
# lab: nics=4 timeout=900 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_linux_ports
lab_cables eth0 eth1
for moment in 4.0 4.2 4.4 4.6 4.8; do
    stormglass-bridge run /lab/cases/lab-paths.yaml --role host --address 10.0.0.1+10.0.0.3 --peer 10.0.0.2+10.0.0.4 \
        --set duration=24s --verify full -o "/tmp/keep/$moment.db" --json >host.json &
    host=$!
    sleep "$(awk -v m=$moment 'BEGIN { print 1 + m }')" # the lead
    lab_pull eth0 eth1
    sleep 6
    lab_plug eth0 eth1
    code=0
    wait "$host" || code=$?
    cp host.json "/tmp/keep/$moment.json"
    [ "$code" = 0 ] || { cat host.json; dmesg | grep nvme | tail -n 20; lab_fail "exit code of the host: $code"; }
    lab_value "gap_ns.$moment" "$(sed -n 's/.*"gap_ns": *\([0-9]*\).*/\1/p' host.json | head -n 1)"
    lab_none_refused
    lab_recovered host.json 1
done
