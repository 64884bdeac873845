# nvme-two-ports - our target with two ports in one machine, Linux's host in another; a port is pulled and plugged.   SPDX-License-Identifier: Apache-2.0
# lab: machines=2 nics=2 timeout=600 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
if [ "$LAB_ROLE" = a ]; then
    lab_nics 10.0.1.1 10.0.2.1
    stormglass-bridge run /lab/cases/lab-paths.yaml --role target --foreign --address 10.0.1.1+10.0.2.1 --serve --store memory \
        >target.txt 2>&1 &
    lab_listens target.txt
    lab_wait_for_b 500
    cat target.txt
    exit 0
fi
lab_nics 10.0.1.2 10.0.2.2
lab_cables eth0 eth1
is() { [ "$(lab_path "$1")" = "$2" ]; } # ADDRESS STATE
is_not_live() { case $(lab_path "$1") in live*) return 1 ;; esac; }
trap 'nvme list-subsys; dmesg | grep nvme | tail -n 30' EXIT
# Real time is the only clock that the machines share: each wait ends with what it waits for, and its limit is far away.
lab_await 300 ping -c 1 -W 1 10.0.1.1 || lab_fail "the other machine does not answer"
lab_await 60 lab_discover 10.0.1.1 || lab_fail "discovery does not name the subsystem"
for n in 1 2; do
    lab_connect 10.0.$n.1 -w 10.0.$n.2 -i 1 --keep-alive-tmo=10 --reconnect-delay=1 --ctrl-loss-tmo=300
done
lab_await 60 is 10.0.1.1 "live optimized" || lab_fail "the first path is not optimized"
lab_await 60 is 10.0.2.1 "live optimized" || lab_fail "the second path is not optimized"
lab_fio through --rw=randrw --bs=4k --iodepth=4 --runtime=45 --time_based --rate_iops=20,20 --size=4m --randseed=1 \
    --verify=crc32c --verify_backlog=32 &
fio=$!
sleep 3
lab_pull eth0
lab_await 60 is_not_live 10.0.1.1 || lab_fail "the path lives without a wire"
kill -0 "$fio" || lab_fail "fio ended before the path was lost"
is 10.0.2.1 "live optimized" || lab_fail "the other path is $(lab_path 10.0.2.1)"
lab_plug eth0
wait "$fio"
grep -q '"error" : 0,' through.json || lab_fail "fio had errors"
lab_await 120 is 10.0.1.1 "live optimized" || lab_fail "the path does not come back"
dd if=/dev/urandom of=pattern bs=4k count=64 2>/dev/null
dd if=pattern of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null
lab_pull eth1
dd if=/dev/nvme0n1 of=back bs=64k count=4 iflag=direct 2>/dev/null
cmp pattern back || lab_fail "what was written is not what is read"
lab_plug eth1
lab_none_refused
nvme disconnect -n "$LAB_SUBSYSTEM" | grep -q 'disconnected 2' || lab_fail "nvme disconnect"
lab_tell_a 10.0.1.1
