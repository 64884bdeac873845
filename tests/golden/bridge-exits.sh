#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bridge-exits: what stormglass-bridge's exit codes say, as far as it goes without a device: 3 where it cannot be had, 2 where
# what was asked for is wrong; either leaves nothing behind.
set -u
. tests/golden/outside

here='--address 10.9.9.1' there='--peer 10.9.9.2'
# ends CODE WORDS COMMAND...: each word of the command is one
ends() {
    # shellcheck disable=SC2086
    expect "$3" "$1" "$2" "$program" bridge $3
    [ "$(echo *)" = out ] || { fail "$3: it left $(echo *)"; find . ! -name out -type f -delete; }
}
none='no usable RDMA device at the address'
ends 3 "$none" "run first-io --role target $here"
ends 3 "$none" "run first-io --role host $here $there"
ends 3 "$none" "run first-io --role both $here"
ends 3 "$none" "run first-io --role host $here $there -o run.db"
ends 3 "$none" "run first-io --role target $here --serve --store file:disk.img"
ends 3 "$none" "calibrate --role target $here"
ends 3 "$none" "calibrate --role host $here $there -o profile.yaml"
ends 2 'expected host, target or both' "run first-io --role server $here"
ends 2 'the address of a local RDMA device' 'run first-io --role target'
ends 2 'expected --peer HOST=ADDRESS' "run first-io --role host $here"
ends 2 'No such file or directory' "run none.yaml --role target $here"
ends 2 'unknown option --adress; did you mean --address?' 'run first-io --role target --adress 10.9.9.1'
tcp='--set workloads[0].transport=tcp'
ends 3 'the address 10.9.9.1 cannot be used' "run first-io --role both $here $tcp --set workloads[1].transport=tcp"
ends 2 'expected one transport for all workloads of the bridge' "run first-io --role both $tcp"
ends 2 '--busy-poll needs RDMA; this scenario uses TCP' "run first-io --role both $tcp --busy-poll"
ends 2 'the bridge does not use TLS' "run first-io --role both $tcp --set workloads[1].transport=tcp --set hosts.defaults.nvme.tcp-tls=true"
expect 'an output that is something else' 2 'is not a run database; not overwritten' \
    "$program" bridge run first-io --role host --address 10.9.9.1 --peer 10.9.9.2 -o /dev/full
[ $failures = 0 ]
