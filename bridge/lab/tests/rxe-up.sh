# rxe-up - two rxe devices come up and verbs see them.              SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=180
. /lab/lib.sh

lab_two_nics
ibv_devinfo >devices
cat devices
lab_equal "devices" "$(grep -c '^hca_id:' devices)" 2
lab_equal "active ports" "$(grep -c 'state:.*PORT_ACTIVE' devices)" 2
lab_equal "ports of Ethernet" "$(grep -c 'link_layer:.*Ethernet' devices)" 2
grep -q 'active_mtu:.*1024' devices || lab_fail "1500 bytes of Ethernet are not an MTU of 1024"
ping -c 3 -W 2 -I 10.0.0.1 10.0.0.2 || lab_fail "no answer over the hub"
