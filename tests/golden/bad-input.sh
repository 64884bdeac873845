#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad input: a located error that says what was expected, exit 2, within a second, and no file left behind.
set -u
. tests/golden/outside

base='stormglass: 1
name: x
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 2}
workloads:
  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 4KiB}
'
explicit() { # LINKS, HOSTS
    printf 'stormglass: 1\nname: x\nduration: 1ms\nfabric:\n  topology: {kind: explicit, hosts: [%s], switches: [s], links: [%s]}\n' "$2" "$1"
}

# refused FILE PLACE WORDS: FILE:PLACE: error: ... WORDS ...
refused() {
    local file=$1 place=$2 words=$3 code
    within 10 "$program" run "$file" -o out.db >out.txt 2>err.txt </dev/null
    code=$?
    if [ $code -ne 2 ]; then
        echo "FAIL $file: exit code $code"; failures=$((failures + 1))
    elif ! grep -qF "$file:$place: error:" err.txt || ! grep -qF "$words" err.txt; then
        echo "FAIL $file: expected $file:$place: error: ... $words"; cat err.txt; failures=$((failures + 1))
    elif [ -s out.txt ] || compgen -G 'out.db*' >/dev/null; then
        echo "FAIL $file: something was written"; rm -f out.db*; failures=$((failures + 1))
    else
        echo "ok   $(head -n 1 err.txt)"
    fi
}

# edited NAME PLACE WORDS SED-EXPRESSION
edited() {
    printf '%s' "$base" | sed "$4" >"$1.yaml"
    refused "$1.yaml" "$2" "$3"
}

edited unknown-key 3:1 "did you mean 'duration'" 's/duration/duratoin/'
edited unknown-deep-key 5:35 "unknown key" 's/hosts: 2/hots: 2/'
edited wrong-unit 3:11 'expected a time' 's/1ms/1Gbps/'
edited no-unit 3:11 'has no unit' 's/1ms/1/'
edited negative 7:71 'negative' 's/4KiB/-4KiB/'
edited huge 7:71 'digits' 's/4KiB/99999999999999999999GiB/'
edited no-such-host 7:50 "no host is called 'host9'" 's/host1,/host9,/'
edited no-such-kind 7:21 "did you mean 'rdma-write'" 's/rdma-write/rdma-wriet/'
edited to-itself 7:50 'itself' 's/to: host1/to: host0/'
edited too-many-hosts 5:42 'more than' 's/hosts: 2/hosts: 99999999/'
edited too-many-links 5:13 '8194048 links are more than the limit of 1000000: a run would take some 49 GB' \
    's/single-switch, hosts: 2/leaf-spine, leaves: 4001, spines: 2047, hosts-per-leaf: 1/'
edited no-hosts 5:42 'less than' 's/hosts: 2/hosts: 0/'
edited word-of-a-port 5:48 'expected' 's/^fabric:/&\n  host-links: {rate: 100Gbps, length: 3m, fec: rs528}/'
edited bound-of-a-port 5:22 'rate' 's/^fabric:/&\n  host-links: {rate: 1bps}/'
edited version 1:13 'version 1' 's/stormglass: 1/stormglass: 2/'
edited sonic-key 6:19 'write 1/16, 2^-4 or dynamic_th -4' 's/hosts: 2}/&\n  switch: {alpha: "dynamic_th: -4"}/'
edited forever 6:42 'expected a time such as 55us, or never or -1, but found "-2"' 's/^workloads/hosts: {defaults: {nvme: {ctrl-loss-tmo: -2}}}\n&/'

# stored NAME PLACE WORDS SED-EXPRESSION: the same of a storage workload
stored() {
    printf '%s' "$base" | sed -e 's/^workloads/hosts:\n  defaults: {nvme: {}, target: {}}\n  targets: {where: host1, namespaces: [{}]}\n&/' \
        -e 's/rdma-write/nvme/; s/message-size/block-size/' -e "$4" >"$1.yaml"
    refused "$1.yaml" "$2" "$3"
}
stored odd-block 10:63 'nearest: 4096B and 4608B' 's/4KiB/4097B/'
stored block-of-another-lba 10:63 'nearest: 4096B' 's/4KiB/512B/; s/{}\]/{lba-size: 4KiB}]/'
stored odd-lba 8:51 'expected 512B or 4KiB, but found 1875B' 's/{}\]/{lba-size: 1875B}]/'
stored odd-transfer 7:35 'a whole multiple of 4KiB, but found 5000B; nearest: 4096B and 8192B' 's/nvme: {}/nvme: {max-transfer: 5000B}/'
stored odd-mdts 7:47 'nearest: 8192B and 16KiB' 's/target: {}/target: {max-transfer: 12KiB}/'
stored too-many-namespaces 8:39 '1025 namespaces are more than the limit of 1024' 's/{}\]/{count: 1024}, {}]/'
stored mirror-of-one 8:49 'layout mirror needs at least 2 drives' 's/{}\]/{layout: mirror}]/'
stored parity-of-all 8:76 'expected parity: fewer strips than the 2 drives' 's/{}\]/{drives: 2, layout: parity, parity: 2}]/'
stored copies-of-odd-drives 8:76 'expected copies: a divisor of the 5 drives, at least 2' 's/{}\]/{drives: 5, layout: mirror, copies: 2}]/'
stored odd-strip 8:64 '64KiB' 's/{}\]/{drives: 2, strip-size: 65KiB}]/'
drive_fails='$a faults: [{kind: drive-failed, where: host1, drive: 1'
stored drive-of-no-array 11:10 'finds a namespace of one drive: expected drives: 2 or more' "$drive_fails}]"
stored no-such-drive 11:10 'finds no drive of that number: the first is 0' "s/{}\]/{drives: 2}]/; ${drive_fails/drive: 1/drive: 2}}]"
stored drive-of-no-namespace 11:10 'finds no namespace of that number: the first is 1' "$drive_fails, namespace: 2}]"
stored odd-offset 10:77 'offset: 1000B is not a multiple' 's/4KiB/&, offset: 1000B/'
stored no-such-key-over-iscsi 8:41 'unknown key' 's/{}\]/{mdeia: null}]/; s/kind: nvme/&, transport: iscsi/'
stored no-such-namespace 10:80 'there is no namespace 2 on host1, which has 1' 's/4KiB/&, namespace: 2/'
stored beyond-the-namespace 10:5 'the I/Os do not fit the namespace' 's/4KiB/&, offset: 2TiB/'

{ printf '%s' "$base"; echo '  - {name: w, kind: rdma-write, from: host0, to: host1}'; } >twice.yaml
refused twice.yaml 8:5 "the name 'w' is used twice"
{ printf '%s' "$base"; echo 'name: y'; } >key-twice.yaml
refused key-twice.yaml 8:1 'name'
{ printf '%s' "$base"; echo 'expect: ["w.latncy.p99 < 4us"]'; } >quantity.yaml
refused quantity.yaml 8:10 "did you mean 'w.latency.p99'"
{ printf '%s' "$base"; echo '  - {name: f, kind: fio, file: nothere.fio, from: host0, to: host1}'; } >fio.yaml
refused fio.yaml 8:32 'nothere.fio'

explicit '{ends: ["a:p0", "a:p1"]}' 'a, b' >self-loop.yaml
refused self-loop.yaml 5:75 'itself'
printf '%s' "$base" | sed 's/hosts: 2}/hosts: 2}\n  switch: {headroom: 7KB, pfc: {headroom: 60KB}}/' >row-twice.yaml
refused row-twice.yaml 6:43 'headroom is written twice: here, and at row-twice.yaml:6'
explicit '{ends: ["a:p0", "s:p0"]}' 'a, a' >host-twice.yaml
refused host-twice.yaml 5:41 "the name 'a' is used twice"

head -c 100000000 /dev/zero | tr '\0' 'a' >big.yaml
refused big.yaml 1:1 'larger than'
printf '\x7fELF\x02\x01\x01\x00\x00\xff\xfe' >binary.yaml
refused binary.yaml 1:5 'control character'
{
    printf 'a: &a [x,x,x,x,x,x,x,x,x]\n'
    last=a
    for name in b c d e f g h; do
        printf '%s: &%s [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n' $name $name $last $last $last $last $last $last $last $last $last
        last=$name
    done
} >bomb.yaml
refused bomb.yaml 7:8 'every use of an alias'
head -c 200000 /dev/zero | tr '\0' '[' >deep.yaml
refused deep.yaml 1:65 'levels'
: >empty.yaml
refused empty.yaml 1:1 'but this is empty'
refused nothere.yaml 1:1 'No such file'
sed 's/kind: rdma-write/kind: fio/; s/message-size: 4KiB/file: a.fio, queue-depth: 4/' <<<"$base" >fio.yaml
refused fio.yaml 7:63 'this setting belongs to the fio job file'

[ "$failures" -eq 0 ]
