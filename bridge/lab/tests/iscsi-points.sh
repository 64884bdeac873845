# iscsi-points - the cells to which the costs of Linux's iSCSI are fitted.   SPDX-License-Identifier: Apache-2.0
# lab: nics=1 timeout=900 needs=bridge wire=no asked=yes
. /lab/lib.sh

ip link set lo mtu 9000
lab_iscsi_target 127.0.0.2
lab_iscsi_host
lab_iscsi_login 127.0.0.2
lab_iscsi_grid /lab/cases/iscsi-points.yaml # by fio
