# bridge-errors - what nvme-cli asks of our target, and what a host does wrong: the right status each time, and the
# controller goes on.  SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=500 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
LAB_CASE=/lab/cases/lab-small.yaml
device=/dev/nvme0
disk=/dev/nvme0n1

# refused STATUS COMMAND...: the command fails with that status, as nvme-cli prints it.
refused() {
    local status=$1 code=0
    shift
    "$@" </dev/null >words.txt 2>&1 || code=$?
    [ "$code" != 0 ] || { cat words.txt; lab_fail "accepted: $*"; }
    grep -q -i "(0x$status)" words.txt || { cat words.txt; lab_fail "not status $status: $*"; }
    echo "refused with $status: $*"
}

field() { # NAME FILE: a value of nvme-cli's tables
    sed -n "s/^$1 *: *//p" "$2" | head -n 1
}

lab_two_nics
lab_our_target --store file:disk.img
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1 -k 2

echo "--- questions"
nvme id-ctrl $device >id.txt
lab_equal "subnqn" "$(field subnqn id.txt)" "$LAB_SUBSYSTEM"
lab_equal "oncs" "$(field oncs id.txt)" 0xc
nvme id-ns $disk >ns.txt
lab_equal "nsze" "$(field nsze ns.txt)" 0x10000
nvme list-ns $device | grep -q '0x1$' || lab_fail "list-ns"
nvme ns-descs $disk | grep -q uuid || lab_fail "ns-descs"
nvme list
nvme smart-log $device >smart.txt
grep -q 'host_read_commands.*: [1-9]' smart.txt || lab_fail "smart-log has counted no read"
nvme error-log $device >/dev/null
nvme get-log $device --log-id=5 --log-len=4096 >/dev/null
nvme ana-log $device | grep -q optimized || lab_fail "ana-log"
nvme fw-log $device >/dev/null
nvme get-property $device --offset=0x1c | grep -q 'value: 1$' || lab_fail "get-property"
for feature in 0x06 0x07 0x0b 0x0f; do nvme get-feature $device -f $feature; done
nvme get-feature $device -f 0x0f | grep -q 'value:0x000007d0' || lab_fail "the keep-alive time is not 2 s"

echo "--- refusals"
refused 4001 nvme admin-passthru $device --opcode=0xc0
refused 4001 nvme io-passthru $disk --opcode=0x99 --namespace-id=1
refused 4109 nvme get-log $device --log-id=0x33 --log-len=512
refused 4109 nvme get-log $device --log-id=0x70 --log-len=1024
refused 4002 nvme get-feature $device -f 0x77
refused 4002 nvme admin-passthru $device --opcode=0x06 --cdw10=0x55 --data-len=4096 --read
refused 400b nvme admin-passthru $device --opcode=0x06 --cdw10=0 --namespace-id=0xffffffff --data-len=4096 --read
refused 400c nvme admin-passthru $device --opcode=0x09 --cdw10=0x81
refused 4080 nvme io-passthru $disk --opcode=0x02 --namespace-id=1 --cdw10=0xffffffff --cdw12=7 --data-len=4096 --read
refused 4080 nvme io-passthru $disk --opcode=0x08 --namespace-id=1 --cdw10=0xffff --cdw12=1
refused 400f nvme io-passthru $disk --opcode=0x02 --namespace-id=1 --cdw10=0 --cdw12=15 --data-len=4096 --read
nvme io-passthru $disk --opcode=0x02 --namespace-id=1 --cdw10=0 --cdw12=7 --data-len=4096 --read >/dev/null ||
    lab_fail "a good command after bad ones"
# The newest of the errors, of 64 bytes: SGL Data Length Invalid.
nvme error-log $device -e 1 | grep -q 'status_field.*0x400f' || lab_fail "the error log does not tell of it"
nvme smart-log $device | grep -q 'num_err_log_entries.*: 11$' || lab_fail "11 errors are not counted"
! nvme connect -t rdma -a 10.0.0.2 -s 4420 -n nqn.2014-08.org.nvmexpress:nobody -q "$LAB_HOST" -I "$LAB_HOST_ID" \
    -w 10.0.0.1 -i 1 >words.txt 2>&1 || lab_fail "a wrong subsystem is accepted"
# That refusal is the only one that the kernel speaks of.
dmesg | grep -q 'Connect Invalid Data Parameter, subsysnqn' || lab_fail "the wrong subsystem is refused in other words"

echo "--- the file is cut: a media error, and only there"
dd if=/dev/urandom of=$disk bs=64k count=8 oflag=direct 2>/dev/null
truncate -s 256K disk.img
dd if=$disk of=/dev/null bs=64k count=4 iflag=direct 2>/dev/null || lab_fail "what is left cannot be read"
! dd if=$disk of=/dev/null bs=64k skip=4 count=1 iflag=direct 2>/dev/null || lab_fail "what is cut off can be read"
refused 4281 nvme read $disk --start-block=1024 --block-count=7 --data-size=4096
truncate -s 32M disk.img
dd if=$disk of=/dev/null bs=64k skip=4 count=1 iflag=direct 2>/dev/null || lab_fail "the error stays"

echo "--- reset in the middle of I/O"
lab_fio during --rw=randwrite --bs=4k --iodepth=4 --number_ios=300 --size=8m --randseed=1 --verify=crc32c \
    --do_verify=1 &
fio=$!
sleep 0.05
nvme reset $device
wait $fio
grep -q '"error" : 0,' during.json || lab_fail "I/O failed over a reset"
lab_equal "state" "$(cat /sys/class/nvme/nvme0/state)" live

echo "--- idle: keep-alive holds it"
sleep 6
lab_equal "state" "$(cat /sys/class/nvme/nvme0/state)" live
lab_disconnect
! dmesg | grep "keep.alive" || lab_fail "the kernel speaks of keep-alive"

echo "--- the target dies and comes again: the host connects anew, and the file still has the data"
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1 -k 2 -c 1 -l 120
dd if=/dev/urandom of=pattern bs=64k count=8 2>/dev/null
dd if=pattern of=$disk bs=64k oflag=direct 2>/dev/null
kill -KILL "$LAB_TARGET"
sleep 3
lab_our_target --store file:disk.img
lab_await 60 grep -q live /sys/class/nvme/nvme0/state ||
    lab_fail "it does not come back: $(cat /sys/class/nvme/nvme0/state)"
dd if=$disk of=back bs=64k count=8 iflag=direct 2>/dev/null
cmp pattern back || lab_fail "the file has lost something"
lab_disconnect
lab_end_target
! dmesg | grep -E 'WARNING|BUG:|Oops|Call Trace' || lab_fail "the kernel has been hurt"
