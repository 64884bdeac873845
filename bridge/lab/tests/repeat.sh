# repeat - the same measurement in two boots: the clock counts instructions.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 boots=2 needs=bridge
. /lab/lib.sh

lab_two_nics
lab_target 10.0.0.2
lab_connect 10.0.0.2 -w 10.0.0.1 -i 1
lab_fio read4k --rw=randread --bs=4k --iodepth=1 --number_ios=1000 --size=64m --randseed=1
lab_fio write4k --rw=randwrite --bs=4k --iodepth=1 --number_ios=1000 --size=64m --randseed=1
lab_fio deep4k --rw=randread --bs=4k --iodepth=16 --number_ios=2000 --size=64m --randseed=1
lab_disconnect

# Ours, the other way round, since Linux's target has the port of 10.0.0.2.
stormglass-bridge run /lab/cases/lab-nvme.yaml --role both --address 10.0.0.2 --peer 10.0.0.1 --lead 100ms --json >ours.json
sed -n 's/^ *{"name": "\([a-z]*\)".*"p50": \([0-9]*\),.*/value ours.\1.p50_ns \2/p' ours.json
