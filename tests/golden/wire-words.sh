#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wire-words - compare --wire CAPTURE prints the same lines as the decoder in tests/golden/wire-words, for commands and data,
# for retransmissions, and for frames with altered header fields.
set -u
tree=$PWD
. tests/golden/outside

same() { # NAME CAPTURE
    "$program" compare --wire "$2" >got 2>err || fail "$1: $(cat err)"
    python3 -B "$tree/tests/golden/wire-words/check.py" lines "$2" "$tree" >wanted || fail "$1: no lines to compare with"
    [ -s wanted ] && cmp -s got wanted || fail "$1: $(diff got wanted | head -n 4)"
}

sed '/^faults:/a\  - {at: 0s, kind: drop-every, where: "host6:p0", n: 40}' "$tree/tests/golden/charts/charts.yaml" >lossy.yaml
"$program" run first-io --record packets -o first-io.db >/dev/null 2>&1 || fail 'first-io did not run'
"$program" run lossy.yaml --until 200us --record packets -o lossy.db >/dev/null 2>&1
for case in 'first-io:1 2 3 4 5 6 7 8' lossy:1; do
    seeds=${case#*:}
    case=${case%:*}
    "$program" pcap "$case.db" -o "$case.pcapng" || fail "$case: no capture"
    same "$case" "$case.pcapng"
    for seed in $seeds; do
        python3 -B "$tree/tests/golden/wire-words/check.py" change "$case.pcapng" "$seed" changed.pcapng
        same "$case, changed by seed $seed" changed.pcapng
        cat wanted >>all
    done
    cat wanted >>all
done

# Each of these words has to appear: without it, its part of the decoder is not compared.
for words in REQ REP REJ RTU 'DREQ of another' 'flow-label [0-9a-f]' 'RNR timer' 'NAK 60' 'psn -' 'credits' 'solicited' 'becn' 'fecn' ' ce' \
    ' ect1' 'p_key' 'tag of' 'no capsule' 'no command' 'invalidates #' ' at +' 'cdw2' 'cdw3' 'data [0-9]' 'zeroes' 'rest [0-9a-f]' \
    'status [1-9a-f]' 'Command' 'Property-Get'; do
    grep -q -e "$words" all || fail "no line has \"$words\""
done
[ $failures = 0 ]
