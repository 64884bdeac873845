# tcp-linux - Linux's NVMe/TCP host against Linux's target, for the PDUs of both to be the model's (tcp-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 asked=yes
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
modprobe nvme_tcp
modprobe brd rd_nr=1 rd_size=65536
LAB_TRANSPORT=tcp
lab_target 10.0.0.2 /dev/ram0

lab_tcp_fio write4k '' --rw=write --bs=4k --iodepth=1 --size=400k
lab_tcp_fio read4k '' --rw=read --bs=4k --iodepth=1 --size=400k
lab_tcp_fio write64k '' --rw=write --bs=64k --iodepth=1 --size=1920k
lab_tcp_fio read64k '' --rw=read --bs=64k --iodepth=1 --size=1920k
lab_calm
