# queues - every cell of the grid with several queues, one after another in one boot.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=14400 needs=bridge wire=no asked=yes
. /lab/lib.sh

lab_two_nics
lab_grid /lab/cases/queues.yaml
