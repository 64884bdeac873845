# nvme-two - Linux's target in one machine, its host in another, a wire between them.
# SPDX-License-Identifier: Apache-2.0
# lab: machines=2 timeout=600
. /lab/lib.sh

lab_nics "10.0.1.$([ "$LAB_ROLE" = a ] && echo 1 || echo 2)"
if [ "$LAB_ROLE" = a ]; then
    modprobe brd rd_nr=1 rd_size=65536
    lab_target 10.0.1.1 /dev/ram0
    lab_wait_for_b 500
    exit 0
fi
lab_await 300 ping -c 1 -W 1 10.0.1.1 || lab_fail "the other machine does not answer"
lab_await 60 lab_discover 10.0.1.1 || lab_fail "the target's discovery does not name the subsystem"
lab_connect 10.0.1.1 -i 1
lab_fio write4k --rw=write --bs=4k --iodepth=1 --size=400k --verify=crc32c --do_verify=1
lab_fio mixed --rw=randrw --bs=4k --iodepth=8 --number_ios=400 --size=8m --randseed=1
dd if=/dev/urandom of=pattern bs=4k count=64 2>/dev/null
dd if=pattern of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null
dd if=/dev/nvme0n1 of=back bs=64k count=4 iflag=direct 2>/dev/null
cmp pattern back || lab_fail "what was written is not what is read"
lab_disconnect
for name in write4k mixed; do
    grep -q '"error" : 0,' "$name.json" || lab_fail "$name had errors"
done
lab_tell_a 10.0.1.1
