#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# READs that are asked for again after a loss bring what is missing, from where it is: a target fetches the data of writes by READs
# whose responses are lost, hosts read the blocks again, and whatever comes back is judged.
# Hazards: a READ that is begun again asks for its beginning, or for too much; data of one write are taken for another's.
set -u
. tests/golden/outside

for recovery in go-back-n go-back-0 selective-repeat; do
    for lost in drop-every,n:97 random-loss,rate:1/64 drop-every,n:31; do
        name=$recovery-${lost%%,*}-${lost##*:}
        name=${name//\//-}
        before=$failures
        cat >"$name.yaml" <<END
stormglass: 1
name: $name
duration: 2ms
drain: 50ms
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts:
  defaults: {rnic: {profile: ideal, congestion-control: none, timeout: 6, path-mtu: 1024B, loss-recovery: $recovery}}
  targets: {where: host0, namespaces: [{media: null}]}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, read: 50%, block-size: 16KiB, queue-depth: 4, size: 256KiB}]
faults: [{kind: ${lost%%,*}, where: "host1..host2", at: 100us, ${lost#*,}}]
expect: [data.stale == 0, data.lost == 0, data.torn == 0, data.damaged == 0, w.corrupt == 0, all-commands-complete]
END
        sed -i -E 's/, (n|rate):/, \1: /' "$name.yaml"
        "$program" run --confirm 0 "$name.yaml" --record packets -o run.db --json >run.json 2>err || fail "$name: $(cat err) $(gojq -c '[.expectations[] | select(.held | not)], .failures' run.json)"
        # READs that ask for the rest of their block, or once more for all of it.
        [ $recovery = go-back-0 ] && again='length=16384 AND flags&16' || again='length<16384'
        [ "$(sqlite3 -batch -noheader run.db "SELECT count(*) FROM frame WHERE bth=12 AND at_ps>100000000 AND $again")" -gt 20 ] ||
            fail "$name: too few READs were begun again"
        gojq -e '.rnic.retransmitted_packets > 50 and .workloads[0].completed > 100' run.json >/dev/null ||
            fail "$name: too little was lost to tell: $(gojq -c '.rnic, .workloads[0].completed' run.json)"
        [ $failures -gt $before ] || echo "ok    $name"
    done
done
[ $failures = 0 ]
