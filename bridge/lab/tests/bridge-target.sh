# bridge-target - Linux's host (nvme-cli, fio on the block device) against our target.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_two_nics
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
stormglass-bridge run /lab/cases/lab-nvme.yaml --role target --address 10.0.0.2 --serve >target.txt 2>&1 &
target=$!
trap 'cat target.txt; dmesg | grep nvme | tail -n 20' EXIT
lab_listens target.txt
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
nvme id-ctrl /dev/nvme0 | grep -E '^(subnqn|ioccsz|iorcsz|icdoff|sgls|maxcmd|mdts) '
lab_fio read4k --rw=randread --bs=4k --iodepth=1 --number_ios=200 --size=8m --randseed=1
lab_fio write4k --rw=randwrite --bs=4k --iodepth=1 --number_ios=200 --size=8m --randseed=1
lab_fio mixed64k --rw=randrw --bs=64k --iodepth=4 --number_ios=60 --size=8m --randseed=1
for name in read4k write4k mixed64k; do
    grep -q '"error" : 0,' "$name.json" || lab_fail "$name had errors"
done
lab_disconnect
kill "$target"
