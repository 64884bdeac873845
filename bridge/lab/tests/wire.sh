# wire - our host and target on rxe, for the captured wire to be the model's (wire.check).
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=300 needs=bridge
. /lab/lib.sh

lab_two_nics
stormglass-bridge run /lab/files/wire.yaml --role both --address 10.0.0.1 --peer 10.0.0.2 --lead 4s \
    -o /tmp/keep/wire.db || lab_fail "code $?"
