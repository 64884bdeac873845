#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calibrate from outside and without a device: figures become a profile that a scenario can name; what is none is
# refused, and nothing is written then.
set -u
. tests/golden/outside

cat >figures.json <<'JSON'
{"stormglass-figures": 1, "device": "a\"b\\c: {d", "kernel": "6.1",
 "facts": ["rnic.path-mtu=1024B"], "sets": ["fabric.host-links.rate=25Gbps"],
 "figures": {"send-small": {"latency_ps": [2000000], "interval_ps": [2100000], "connect_ps": [9000000]}}}
JSON
cat >scenario.yaml <<'YAML'
stormglass: 1
name: two
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: mine.yaml}}}
workloads: [{name: w, kind: rdma-send, from: host0, to: host1, count: 2}]
YAML

expect fitted 0 'send-small' "$program" calibrate --from figures.json -o mine.yaml
cp mine.yaml first.yaml
expect 'the same again' 0 'send-small' "$program" calibrate --from figures.json -o mine.yaml
expect 'to the last byte' 0 '' cmp first.yaml mine.yaml
expect 'a scenario names it' 0 'digest' "$program" run scenario.yaml
expect 'what it prints it reads' 0 '"stormglass-figures": 1' "$program" calibrate --from figures.json --json
cp out printed.json
expect 'and fits alike' 0 '' "$program" calibrate --from printed.json -o again.yaml
expect 'to the same profile' 0 '' cmp first.yaml again.yaml
rm again.yaml
sed 's/\[2000000\]/[2]/' figures.json >absurd.json
expect 'figures that nothing shows' 0 'check --base (rnic-100g)' "$program" calibrate --from absurd.json

sed 's/"6.1"/"\\u001b[2J\\u007f", "firmware": "1\\n\\u009b3"/' figures.json >hostile.json
expect 'words that a terminal would obey' 2 'hostile.json:1:62: error: expected printable text on one line' \
    "$program" calibrate --from hostile.json

# NAME WORDS OPTIONS...
refused() {
    local name=$1 words=$2
    shift 2
    expect "$name" 2 "$words" "$program" calibrate "$@"
    ! compgen -G 'no.yaml*' >/dev/null || { fail "$name: something was written"; rm -f no.yaml*; }
}
refused 'no such file' 'none.json:1:1: error: No such file' --from none.json -o no.yaml
refused 'a folder' '.:1:1: error: Is a directory' --from . -o no.yaml
: >empty.json
refused 'an empty file' 'empty.json:1:1: error: JSON: ' --from empty.json -o no.yaml
head -c 200 figures.json >cut.json
refused 'a cut file' 'cut.json:' --from cut.json -o no.yaml
sed 's/path-mtu/path-mtuu/' figures.json >fact.json
refused 'a fact that is none' "did you mean 'path-mtu'" --from fact.json -o no.yaml
refused 'no such base' "there is no profile 'none'" --from figures.json --base none -o no.yaml
refused 'a base of another kind' 'expected a profile of kind rnic' --from figures.json --base storage-class -o no.yaml
refused 'figures and a role' 'no measurement options with it' --from figures.json --role target
refused 'figures and an address' 'no measurement options with it' --from figures.json --address 10.0.0.1
refused 'a profile without a fit' 'it only where a profile is fitted' --address 10.0.0.1 --measure-only -o no.yaml
refused 'neither' 'or --from' -o no.yaml
expect 'no such folder' 3 'No such file or directory' "$program" calibrate --from figures.json -o none/no.yaml

# Said before anything is played: there is no device here to play on.
expect 'a place before a device' 3 'none/no.yaml: No such file' "$program" calibrate --address 10.0.0.1 -o none/no.yaml
mkdir folder
expect 'a folder for a profile' 3 'folder: Is a directory' "$program" calibrate --address 10.0.0.1 -o folder
expect 'no device' 3 'RDMA device' "$program" calibrate --address 10.0.0.1 -o no.yaml
! compgen -G '.*.stormglass-*' >/dev/null || fail 'a trial was left behind'
! compgen -G 'no.yaml*' >/dev/null || fail 'something was written without a device'
[ $failures = 0 ]
