# bridge-both - our host and target in one process over two rxe devices.   SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=200 needs=bridge
. /lab/lib.sh

lab_two_nics
for name in nvme raw; do
    stormglass-bridge run /lab/files/$name.yaml --role both --address 10.0.0.1 --peer 10.0.0.2 \
        --lead 100ms --verify full --record ios -o /tmp/keep/$name.db || lab_fail "$name: code $?"
done
