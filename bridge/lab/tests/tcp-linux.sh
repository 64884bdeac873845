# tcp-linux - Linux's NVMe/TCP host against Linux's target, for the PDUs of both to be the model's (tcp-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 asked=yes
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe crc32c_generic # without it, an ICReq that asks for digests crashes nvmet_tcp of Linux 6.1
modprobe configfs
grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs none /sys/kernel/config
modprobe nvmet_tcp
modprobe nvme_tcp
modprobe brd rd_nr=1 rd_size=65536
root=/sys/kernel/config/nvmet
mkdir -p "$root/subsystems/$LAB_SUBSYSTEM/namespaces/1" "$root/ports/1"
echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/attr_allow_any_host"
echo /dev/ram0 >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/device_path"
echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/enable"
for setting in trtype=tcp adrfam=ipv4 traddr=10.0.0.2 trsvcid=4420; do
    echo "${setting#*=}" >"$root/ports/1/addr_${setting%=*}"
done
ln -s "$root/subsystems/$LAB_SUBSYSTEM" "$root/ports/1/subsystems/target"

# One job at a time, each with its own controller and I/O queue.
job() { # NAME OPTIONS FIO-ARGUMENT...
    local name=$1 options=$2 device
    shift 2
    echo "transport=tcp,traddr=10.0.0.2,trsvcid=4420,host_traddr=10.0.0.1,nqn=$LAB_SUBSYSTEM,hostnqn=$LAB_HOST,\
hostid=$LAB_HOST_ID,nr_io_queues=1,keep_alive_tmo=100$options" >/dev/nvme-fabrics
    lab_await 30 [ -b /dev/nvme0n1 ] || lab_fail "the namespace of $name did not come"
    for device in /sys/block/nvme0*n1; do echo 2 >"$device/queue/nomerges"; done
    fio --name="$name" --filename=/dev/nvme0n1 --direct=1 --ioengine=libaio "$@" >"$name.txt" || lab_fail "$name"
    lab_disconnect
}
job write4k '' --rw=write --bs=4k --iodepth=1 --size=400k
job read4k '' --rw=read --bs=4k --iodepth=1 --size=400k
job write64k '' --rw=write --bs=64k --iodepth=1 --size=1920k
job read64k '' --rw=read --bs=64k --iodepth=1 --size=1920k
lab_calm
