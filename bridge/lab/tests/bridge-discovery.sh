# bridge-discovery - Linux's discovery asks our target, and connects to what it names.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

lab_two_nics
LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_our_target --store null
lab_discover 10.0.0.2 || { cat discovery.txt; lab_fail "our discovery does not name the subsystem"; }
cat discovery.txt
lab_equal "records" "$(grep -c '^=====Discovery Log Entry' discovery.txt)" 2
for line in 'trtype: *rdma' 'adrfam: *ipv4' 'subtype: *nvme subsystem' 'trsvcid: *4420' 'traddr: *10.0.0.2' \
    'rdma_qptype: *connected' 'rdma_cms: *rdma-cm'; do
    grep -q "^$line" discovery.txt || lab_fail "no line '$line'"
done

# connect-all takes what the records say.
nvme connect-all -t rdma -a 10.0.0.2 -s 4420 -q "$LAB_HOST" -I "$LAB_HOST_ID" -w 10.0.0.1 -i 1
# The discovery controller was nvme0.
lab_await 30 [ -b /dev/nvme1n1 ] || lab_fail "connect-all made no namespace"
nvme list-subsys
nvme disconnect-all
lab_await 30 [ ! -e /dev/nvme1n1 ] || lab_fail "the namespace stays after disconnect-all"

# A discovery that stays keeps itself alive, and holds an event request.
nvme discover -t rdma -a 10.0.0.2 -s 4420 -q "$LAB_HOST" -I "$LAB_HOST_ID" --persistent -k 2 >persistent.txt
sleep 6
state=$(cat /sys/class/nvme/nvme*/state)
lab_equal "state of the persistent discovery controller" "$state" live
nvme disconnect-all
lab_await 30 sh -c '! ls /sys/class/nvme/nvme*' || lab_fail "a controller stays"
lab_calm
lab_end_target
