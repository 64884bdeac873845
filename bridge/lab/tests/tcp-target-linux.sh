# tcp-target-linux - our host against Linux's NVMe/TCP target: data come back as they were written, with digests and without,
# and the PDUs are the model's (tcp-target-linux.check).            SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe brd rd_nr=1 rd_size=65536
LAB_TRANSPORT=tcp
lab_target 10.0.0.2 /dev/ram0

play() { # NAME OPTION...: our host, and what it has read is what it has written
    local name=$1 code=0
    shift
    stormglass-bridge run "/lab/files/$name.yaml" --role host --address 10.0.0.1 --peer 10.0.0.2 --lead 100ms \
        --verify full --record ios -o "/tmp/keep/$name.db" --capture "/tmp/keep/$name.pcapng" "$@" || code=$?
    lab_equal "exit code of the host with $name" "$code" 0
}
play plain
play digests
od -A n -t x1 /dev/ram0 | head -n 65536 | grep -q '^ 73 67 6c 73' || lab_fail "nothing was written"
dmesg | grep -q 'nvmet: creating nvm controller' || lab_fail "Linux's target has seen no controller"
lab_calm
