# wire-linux - fio from Linux's host to its target, for the captured wire to be the model's (wire-linux.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400
. /lab/lib.sh

lab_two_nics
lab_linux_jobs
