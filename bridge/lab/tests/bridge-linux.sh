# bridge-linux - our host against Linux's target: data come back as they were written, from memory of two kinds and a
# file.  SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
namespace=/sys/kernel/config/nvmet/subsystems/$LAB_SUBSYSTEM/namespaces/1
lab_two_nics

play() { # NAME: our host, and what it has read is what it has written
    local code=0
    stormglass-bridge run /lab/files/nvme.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 --lead 100ms \
        --verify full --record ios -o "/tmp/keep/$1.db" || code=$?
    lab_equal "exit code of the host with $1" "$code" 0
}

modprobe brd rd_nr=1 rd_size=65536
lab_target 10.0.0.2 /dev/ram0
play host

modprobe null_blk nr_devices=0
null=/sys/kernel/config/nullb/nullb0
mkdir $null
echo 1 >$null/memory_backed
echo 64 >$null/size
echo 512 >$null/blocksize
echo 1 >$null/power
truncate -s 64M disk.img
for device in /dev/nullb0 /tmp/disk.img; do
    echo 0 >"$namespace/enable"
    echo "$device" >"$namespace/device_path"
    echo 1 >"$namespace/buffered_io" # a file in memory knows no other
    echo 1 >"$namespace/enable"
    play "$(basename $device)"
done
# 73676c73: sectors begin with the magic of our tags.
od -A n -t x1 disk.img | grep -q '^ 73 67 6c 73' || lab_fail "nothing was written to the file"
