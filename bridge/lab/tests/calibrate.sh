# calibrate - the benchmarks on two rxe devices.                   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
# The fit is left to the host (calibrate.check): the guest's processor is slow.
. /lab/lib.sh

lab_two_nics
stormglass-bridge calibrate --address 10.0.0.1 --peer 10.0.0.2 --repeats 3 --measure-only \
    --set 'hosts.lab={where: "*", machine: lab}' >/tmp/keep/figures.json 2>calibrate.txt ||
    { code=$?; cat calibrate.txt; lab_fail "code $code"; }
