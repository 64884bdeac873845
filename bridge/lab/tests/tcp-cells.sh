# tcp-cells - twelve of the 60 cells of the grid over TCP, for each change; tcp-grid measures all.   SPDX-License-Identifier: Apache-2.0
# lab: nics=1 timeout=300 needs=bridge wire=no
. /lab/lib.sh

ip link set lo mtu 9000
lab_grid /lab/cases/tcp-grid.yaml tcp-grid-base 127.0.0.1 127.0.0.2 lab_one_of_five
