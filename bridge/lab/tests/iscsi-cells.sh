# iscsi-cells - four of the 24 cells of the grid of iSCSI, for each change; iscsi-grid measures all.   SPDX-License-Identifier: Apache-2.0
# lab: nics=1 timeout=300 needs=bridge wire=no
. /lab/lib.sh

ip link set lo mtu 9000
lab_iscsi_target 127.0.0.2
lab_iscsi_host
lab_iscsi_login 127.0.0.2
lab_iscsi_grid /lab/cases/iscsi-grid.yaml lab_one_of_five # by fio
lab_iscsi_calm
