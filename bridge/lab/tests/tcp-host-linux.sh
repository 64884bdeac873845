# tcp-host-linux - Linux's NVMe/TCP host against our target, for its PDUs to be the model's (tcp-host-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe crc32c_generic # for digests
modprobe nvme_tcp
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass

# One job at a time, each with its own controller and I/O queue, and with the digests that it asks for.
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

stormglass-bridge run /lab/files/linux.yaml --role target --address 10.0.0.2 --serve --foreign --store memory \
    >target.txt 2>&1 &
LAB_TARGET=$!
lab_listens target.txt
job write4k '' --rw=write --bs=4k --iodepth=1 --size=400k
job read4k '' --rw=read --bs=4k --iodepth=1 --size=400k
job write64k '' --rw=write --bs=64k --iodepth=1 --size=1920k
job read64k '' --rw=read --bs=64k --iodepth=1 --size=1920k
job digests ,hdr_digest,data_digest --rw=write --bs=64k --iodepth=1 --size=640k
# What fio has written comes back as it was.
job verified ,hdr_digest,data_digest --rw=randwrite --bs=16k --iodepth=4 --size=1m --randseed=1 --verify=crc32c
lab_end_target
lab_calm
