# tcp-target-linux - our host against Linux's NVMe/TCP target: data come back as they were written, with digests and without,
# and the PDUs are the model's (tcp-target-linux.check).            SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe configfs
grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs none /sys/kernel/config
modprobe crc32c_generic # without it, an ICReq that asks for digests crashes nvmet_tcp of Linux 6.1
modprobe nvmet_tcp
modprobe brd rd_nr=1 rd_size=65536
root=/sys/kernel/config/nvmet
mkdir -p "$root/subsystems/$LAB_SUBSYSTEM/namespaces/1" "$root/ports/1"
echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/attr_allow_any_host"
echo /dev/ram0 >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/device_path"
echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/enable"
echo tcp >"$root/ports/1/addr_trtype"
echo ipv4 >"$root/ports/1/addr_adrfam"
echo 10.0.0.2 >"$root/ports/1/addr_traddr"
echo 4420 >"$root/ports/1/addr_trsvcid"
ln -s "$root/subsystems/$LAB_SUBSYSTEM" "$root/ports/1/subsystems/target"

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
