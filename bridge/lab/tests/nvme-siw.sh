# nvme-siw - Linux's host and target over siw (iWARP), for the captured FPDUs to be the model's (nvme-siw.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400
. /lab/lib.sh

LAB_LINK=siw lab_two_nics
modprobe null_blk gb=1 bs=512
lab_target 10.0.0.2 /dev/nullb0
root=/sys/kernel/config/nvmet
modprobe nvme_rdma

# As in wire-linux: a subsystem for each job, and no merged commands.
job() { # NAME NUMBER FIO-ARGUMENT...
    local name=$1 number=$2 subsystem=$LAB_SUBSYSTEM$2 device
    shift 2
    mkdir -p "$root/subsystems/$subsystem/namespaces/1"
    echo 1 >"$root/subsystems/$subsystem/attr_allow_any_host"
    echo /dev/nullb0 >"$root/subsystems/$subsystem/namespaces/1/device_path"
    echo 1 >"$root/subsystems/$subsystem/namespaces/1/enable"
    ln -s "$root/subsystems/$subsystem" "$root/ports/1/subsystems/target$number"
    echo "transport=rdma,traddr=10.0.0.2,trsvcid=4420,host_traddr=10.0.0.1,nqn=$subsystem,hostnqn=$LAB_HOST,\
hostid=$LAB_HOST_ID,nr_io_queues=1,keep_alive_tmo=100" >/dev/nvme-fabrics
    lab_await 30 [ -b "/dev/nvme${number}n1" ] || lab_fail "the namespace of $name did not come"
    for device in /sys/block/nvme"$number"*n1; do echo 2 >"$device/queue/nomerges"; done
    fio --name="$name" --filename="/dev/nvme${number}n1" --direct=1 --ioengine=libaio "$@" >"$name.txt" || lab_fail "$name"
}
job write4k 0 --rw=write --bs=4k --iodepth=1 --size=400k
job read4k 1 --rw=read --bs=4k --iodepth=1 --size=400k
job write64k 2 --rw=write --bs=64k --iodepth=1 --size=1920k
job read64k 3 --rw=read --bs=64k --iodepth=4 --size=1920k
job read512k 4 --rw=read --bs=512k --iodepth=1 --size=2m
