# bridge-linux - our host against Linux's target: data come back as they were written.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=200 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_two_nics
modprobe brd rd_nr=1 rd_size=65536
lab_target 10.0.0.2 /dev/ram0
code=0
stormglass-bridge run /lab/files/nvme.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 --lead 4s \
    --verify full --record ios -o /tmp/keep/host.db || code=$?
lab_equal "exit code of the host" "$code" 0
