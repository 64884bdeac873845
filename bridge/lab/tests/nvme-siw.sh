# nvme-siw - fio from Linux's host to its target over siw (iWARP), for the captured FPDUs to be the model's (nvme-siw.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=400
. /lab/lib.sh

LAB_LINK=siw lab_two_nics
lab_linux_jobs
