# bridge-host - our host against Linux's target.                    SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400 needs=bridge
. /lab/lib.sh

lab_two_nics
# Our host asks for our subsystem's name.
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
modprobe brd rd_nr=1 rd_size=65536
lab_target 10.0.0.2 /dev/ram0
code=0
stormglass-bridge run /lab/cases/lab-nvme.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 \
    -o /tmp/keep/host.db || code=$?
dmesg | grep -E 'nvmet' | tail -n 8
lab_equal "the host's exit code" "$code" 0
dmesg | grep -q 'nvmet: creating nvm controller' || lab_fail "Linux's target has seen no controller"
# The disk must hold what was written.
od -A n -t x1 /dev/ram0 | head -n 4096 | grep -q '[1-9a-f]' || lab_fail "nothing was written"
