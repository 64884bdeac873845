# siw-up - iWARP in software, where the kernel has it: connection and data.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=200
. /lab/lib.sh

modprobe siw 2>/dev/null || lab_skip "Linux $(uname -r) is built without siw"
lab_two_nics
rdma link del rxe0
rdma link del rxe1
for nic in 0 1; do rdma link add "siw$nic" type siw netdev "eth$nic"; done
lab_equal "devices" "$(ibv_devinfo | grep -c '^hca_id:.*siw')" 2
rping -s -a 10.0.0.2 -C 10 &
sleep 1
rping -c -a 10.0.0.2 -I 10.0.0.1 -C 10 -v || lab_fail "rping over siw"
wait $!
