# bridge-discovery - Linux's discovery asks our target.              SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

lab_two_nics
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
stormglass-bridge run /lab/cases/lab-nvme.yaml --role target --address 10.0.0.2 --serve >target.txt 2>&1 &
target=$!
sleep 1
if ! lab_discover 10.0.0.2; then
    cat target.txt discovery.txt
    dmesg | grep -q 'Connect Invalid Data Parameter, subsysnqn "nqn.2014-08.org.nvmexpress.discovery"' &&
        lab_skip "our target refuses to connect to the discovery subsystem: it has none yet"
    lab_fail "our discovery does not name the subsystem"
fi
cat discovery.txt
kill "$target"
