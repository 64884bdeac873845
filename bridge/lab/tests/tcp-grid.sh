# tcp-grid - every cell of the grid over TCP is measured, one after another in one boot.   SPDX-License-Identifier: Apache-2.0
# lab: nics=1 timeout=900 needs=bridge wire=no asked=yes
. /lab/lib.sh

ip link set lo mtu 9000
lab_grid /lab/cases/tcp-grid.yaml tcp-grid-base 127.0.0.1 127.0.0.2
