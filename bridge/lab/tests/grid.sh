# grid - every cell of the grid is measured, one after another in one boot.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=900 needs=bridge wire=no
. /lab/lib.sh

lab_two_nics
lab_grid /lab/cases/grid.yaml
