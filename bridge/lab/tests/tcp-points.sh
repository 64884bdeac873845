# tcp-points - the cells to which the profile of TCP in the laboratory is fitted.   SPDX-License-Identifier: Apache-2.0
# lab: nics=1 timeout=900 needs=bridge wire=no asked=yes
. /lab/lib.sh

ip link set lo mtu 9000
lab_grid /lab/cases/tcp-points.yaml tcp-grid-base 127.0.0.1 127.0.0.2
