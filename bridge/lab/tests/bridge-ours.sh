# bridge-ours - Linux's host against our target: connect, I/O, disconnect.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=200 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_two_nics
stormglass-bridge run /lab/files/nvme.yaml --role target --address 10.0.0.2 -o /tmp/keep/target.db >target.txt 2>&1 &
target=$!
lab_listens target.txt
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
nvme list
lab_fio write4k --rw=write --bs=4k --iodepth=1 --size=400k
lab_fio read4k --rw=randread --bs=4k --iodepth=8 --size=400k --randseed=1
lab_fio large --rw=rw --bs=128k --iodepth=2 --size=1m
for name in write4k read4k large; do
    grep -q '"error" : 0,' "$name.json" || lab_fail "$name had errors"
done
lab_disconnect
# The last host has left: it ends by itself.
code=0
wait $target || code=$?
cat target.txt
lab_equal "exit code of the target" "$code" 0
