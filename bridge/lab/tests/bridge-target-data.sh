# bridge-target-data - what Linux's host writes to our target, it reads again: memory and a file.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=500 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
LAB_CASE=/lab/cases/lab-small.yaml

verify() { # NAME FIO-OPTION...
    local name=$1
    shift
    lab_fio "$name" --verify=crc32c --do_verify=1 --verify_fatal=1 "$@"
    grep -q '"error" : 0,' "$name.json" || lab_fail "$name: what was written is not what is read"
}

all_zero() { # FILE
    [ "$(tr -d '\0' <"$1" | wc -c)" = 0 ]
}

lab_two_nics
for store in memory file:disk.img; do
    echo "--- $store"
    lab_our_target --store $store
    lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
    verify write4k --rw=write --bs=4k --iodepth=1 --size=400k
    verify scattered --rw=randwrite --bs=512 --iodepth=8 --size=100k --offset=2m --randseed=1
    verify large --rw=randwrite --bs=128k --iodepth=2 --size=2m --offset=4m --randseed=1
    # 1 KiB at an odd block, over the borders of what was written.
    dd if=/dev/urandom of=pattern bs=1k count=99 2>/dev/null
    dd if=pattern of=/dev/nvme0n1 bs=1k seek=4093 conv=fsync 2>/dev/null
    dd if=/dev/nvme0n1 of=back bs=1k skip=4093 count=99 iflag=direct 2>/dev/null
    cmp pattern back || lab_fail "what was written is not what is read"
    # Deallocated blocks read zeros, and blocks of zeros.
    blkdiscard -o 4194304 -l 1048576 /dev/nvme0n1
    dd if=/dev/nvme0n1 of=back bs=64k skip=64 count=16 iflag=direct 2>/dev/null
    all_zero back || lab_fail "what was discarded is not zero"
    nvme write-zeroes /dev/nvme0n1 -s 0 -c 15
    dd if=/dev/nvme0n1 of=back bs=4k count=2 iflag=direct 2>/dev/null
    all_zero back || lab_fail "what was to be zero is not"

    # A file system lives on it, and its files outlive a new connection.  Its data go by 64 KiB at a time: of more than 256
    # packets at once the interface loses some, and rxe of Linux 6.1, when it goes back, repeats fast registrations too
    # ("mr->lkey not free") and never ends the command.
    mke2fs -F -E lazy_itable_init=1 /dev/nvme0n1 >/dev/null 2>&1
    modprobe crc32c_generic # or ext4 finds none
    modprobe ext4
    mkdir -p disk
    mount -t ext4 /dev/nvme0n1 disk
    dd if=/dev/urandom of=disk/a bs=64k count=16 oflag=direct 2>/dev/null
    mkdir disk/deep
    seq 10000 >disk/deep/b
    (cd disk && sha256sum a deep/b) >sums
    umount disk
    lab_disconnect
    lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
    mount -t ext4 /dev/nvme0n1 disk
    (cd disk && sha256sum -c ../sums) || lab_fail "a file has changed"
    rm disk/a
    umount disk
    lab_disconnect
    lab_calm
    lab_end_target
done
# What is in the file is what the host wrote.
modprobe loop
mount -t ext4 -o loop,ro disk.img disk || mount -t ext4 -o ro "$(losetup -f --show disk.img 2>/dev/null)" disk
(cd disk && sha256sum -c ../sums 2>/dev/null) | grep -q 'deep/b: OK' || lab_fail "the file does not hold the host's data"
umount disk

echo "--- null"
lab_our_target --store null
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
dd if=pattern of=/dev/nvme0n1 bs=1k conv=fsync 2>/dev/null
dd if=/dev/nvme0n1 of=back bs=1k count=99 iflag=direct 2>/dev/null
all_zero back || lab_fail "null keeps something"
lab_disconnect
lab_calm
lab_end_target
