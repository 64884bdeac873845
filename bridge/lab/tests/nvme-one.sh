# nvme-one - Linux's host and target over the hub: connect, I/O at queue depth 1, disconnect.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400
. /lab/lib.sh

lab_two_nics
# Memory behind the namespace, so that what is read can be compared with what was written.
modprobe brd rd_nr=1 rd_size=65536
lab_target 10.0.0.2 /dev/ram0
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1

nvme list
nvme id-ctrl /dev/nvme0 | grep -E '^(subnqn|ioccsz|iorcsz|icdoff|sgls|maxcmd|mdts) '
lab_fio write4k --rw=write --bs=4k --iodepth=1 --size=800k --verify=crc32c --do_verify=1
lab_fio read4k --rw=randread --bs=4k --iodepth=1 --size=800k --randseed=1
lab_fio large --rw=write --bs=64k --iodepth=2 --size=1m --offset=4m --verify=crc32c --do_verify=1
dd if=/dev/urandom of=pattern bs=4k count=64 2>/dev/null
dd if=pattern of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null
dd if=/dev/nvme0n1 of=back bs=64k count=4 iflag=direct 2>/dev/null
cmp pattern back || lab_fail "what was written is not what is read"
dd if=/dev/ram0 of=behind bs=64k count=4 iflag=direct 2>/dev/null
cmp pattern behind || lab_fail "what was written is not in the target's memory"
lab_disconnect
