# tcp-host-linux - Linux's NVMe/TCP host against our target, for its PDUs to be the model's (tcp-host-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe crc32c_generic # for digests
modprobe nvme_tcp
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass


stormglass-bridge run /lab/files/linux.yaml --role target --address 10.0.0.2 --serve --foreign --store memory \
    >target.txt 2>&1 &
LAB_TARGET=$!
lab_listens target.txt
lab_tcp_fio write4k '' --rw=write --bs=4k --iodepth=1 --size=400k
lab_tcp_fio read4k '' --rw=read --bs=4k --iodepth=1 --size=400k
lab_tcp_fio write64k '' --rw=write --bs=64k --iodepth=1 --size=1920k
lab_tcp_fio read64k '' --rw=read --bs=64k --iodepth=1 --size=1920k
lab_tcp_fio digests ,hdr_digest,data_digest --rw=write --bs=64k --iodepth=1 --size=640k
# What fio has written comes back as it was.
lab_tcp_fio verified ,hdr_digest,data_digest --rw=randwrite --bs=16k --iodepth=4 --size=1m --randseed=1 --verify=crc32c
lab_end_target
lab_calm
