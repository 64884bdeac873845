# bridge-reconnect-target - Linux's host under fio, and our target that is killed and started again.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_two_nics
serve() {
    stormglass-bridge run /lab/cases/lab-reconnect.yaml --role target --address 10.0.0.2 --serve >>target.txt 2>&1 &
    target=$!
}
serve
trap 'cat target.txt; dmesg | grep nvme | tail -n 20' EXIT
lab_listens target.txt
lab_connect 10.0.0.2 -w 10.0.0.1 -i 2 --reconnect-delay=1 --ctrl-loss-tmo=60
(
    sleep 2
    kill -9 "$target"
)&
lab_fio through --rw=randrw --bs=4k --iodepth=4 --runtime=10 --time_based --rate_iops=50,50 --size=8m --randseed=1 &
fio=$!
sleep 4
serve
wait "$fio"
grep -q '"error" : 0,' through.json || lab_fail "fio had errors"
lab_equal "reconnects" "$(dmesg | grep -c 'Successfully reconnected')" 1
lab_fio after --rw=randread --bs=4k --iodepth=4 --number_ios=200 --size=8m --randseed=1
lab_disconnect
kill "$target"
lab_await 10 lab_gone "$target" || lab_fail "the target does not end"
