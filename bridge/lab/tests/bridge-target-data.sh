# bridge-target-data - what Linux's host writes to our target, it reads again.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

lab_two_nics
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
stormglass-bridge run /lab/cases/lab-nvme.yaml --role target --address 10.0.0.2 --serve >target.txt 2>&1 &
target=$!
sleep 1
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
fio --name=data --filename=/dev/nvme0n1 --direct=1 --ioengine=libaio --rw=write --bs=4k --iodepth=1 --size=400k \
    --verify=crc32c --do_verify=1 --eta=never >data.txt 2>&1 || {
    cat data.txt
    # 6773h: the sectors begin with the magic of our content tags.
    ! grep -q 'bad magic header 6773' data.txt ||
        lab_skip "our target answers reads with content tags: it has no namespace that keeps bytes yet"
    lab_fail "what was written is not what is read"
}
lab_disconnect
kill "$target"
