#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calibrate from what other tools printed: parameters, contradictions, what is open, and a profile that a scenario can
# name; a file that is cut or of nobody gets a located error, and nothing is written then.
set -u
samples=$(realpath tests/golden/readings)
. tests/golden/outside
cp "$samples"/* .

cat >scenario.yaml <<'YAML'
stormglass: 1
name: two
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: mine.yaml}}}
workloads: [{name: w, kind: rdma-send, from: host0, to: host1, count: 2}]
YAML

files=(write_bw.txt write_lat.txt read_lat.json)
expect 'a table' 0 'rnic.post-cost' "$program" calibrate "${files[@]}" --base connectx-5-100g -o mine.yaml
cp out table
for words in '11 readings from 3 files; base profile connectx-5-100g, link rate 100Gbps' 'write_bw.txt:18, perftest: 8 B WRITE, 1 queue pair' \
    'read_lat.json: determines rnic.max-rd-atomic, rnic.read-delay' 'Only bounded' 'Not determined' 'lspci -vv of the card (LnkSta)'; do
    expect "it says: $words" 0 "$words" cat table
done
expect 'the profile has what was measured' 0 'post-cost: {value: "400ns", evidence: measured' cat mine.yaml
expect 'and what was not, of the base' 0 'timeout: {value: "14", evidence: documented' cat mine.yaml
expect 'a scenario names it' 0 'digest' "$program" run scenario.yaml
cp mine.yaml first.yaml
expect 'again, options first' 0 '' "$program" calibrate --base=connectx-5-100g -o mine.yaml "${files[@]}"
expect 'to the last byte' 0 '' cmp first.yaml mine.yaml
expect 'as JSON' 0 '"path": "rnic.post-cost", "state": "determined", "value": "400ns"' \
    "$program" calibrate "${files[@]}" --base connectx-5-100g --json
cp out fit.json
expect 'by file' 0 '{"file": "read_lat.json", "determines": ["rnic.max-rd-atomic", "rnic.read-delay"], "bounds": []}' cat fit.json
expect 'which is JSON' 0 '' /usr/bin/python3 -m json.tool fit.json

sed 's/2.500000/1.250000/; s/19.07/9.54/' write_bw.txt >slower.txt
expect 'two that contradict each other' 0 'the same test, but the results differ by 100%' "$program" calibrate write_bw.txt slower.txt
expect 'a link that is too slow' 0 'exceed the link rate of 25 Gb/s' "$program" calibrate write_bw.txt --rate 25Gbps

sed 's/qps   : 1/qps   : 4/; s/2.500000/1.250000/; s/19.07/9.54/' write_bw.txt >first.txt
for other in second third fourth; do cp first.txt $other.txt; done
expect 'several at the same time' 0 'rnic.message-cost             200ns' "$program" calibrate --together --base connectx-5-100g \
    write_bw.txt first.txt second.txt third.txt fourth.txt
expect 'as the table says' 0 '8 B WRITE, 16 queue pairs, 4 cores' "$program" calibrate --together first.txt second.txt third.txt fourth.txt

expect 'how the host is set' 0 'rnic.pcie-lanes' "$program" calibrate lspci.txt ethtool.txt mlxconfig.txt -o host.yaml
cp out table
for words in 'exact  lspci.txt:9, lspci' 'rnic.line-rate              100Gbps      exact  ethtool.txt:2, ethtool' \
    'rnic.cnp-dscp                    46      exact  mlxconfig.txt:3' 'ethtool.txt:5, ethtool: the network device delays interrupts' 'import mlxconfig'; do
    expect "it says: $words" 0 "$words" cat table
done
sed 's/Width x16 (ok)/Width x4 (downgraded)/' lspci.txt >narrow.txt
expect 'PCIe is narrower than what passed' 0 'exceed PCIe generation 3 x4 (28.8 Gb/s)' "$program" calibrate write_bw.txt narrow.txt
cat write_lat.txt lspci.txt >mail.txt
expect 'one text of two tools' 0 'mail.txt:25, lspci' "$program" calibrate mail.txt

expect 'software of host and target' 0 'nvme.submit-cost' "$program" calibrate fio.txt fio.json --no-drive --base connectx-5-100g -o nvme.yaml
cp out table
for words in 'fio.txt:5, fio: 4096 B READ, 1 job, depth 1' 'target.command-cost' 'fio.json:15, fio: 4096 B READ, 4 jobs, depth 32'; do
    expect "it says: $words" 0 "$words" cat table
done
expect 'a section of the profile' 0 'submit-cost: {value: "' sed -n '/^nvme:/,/^target:/p' nvme.yaml
sed -i 's/mine.yaml/nvme.yaml/' scenario.yaml
expect 'a scenario names it too' 0 'digest' "$program" run scenario.yaml
expect 'costs of TCP' 0 'tcp.copy-cost' "$program" calibrate fio-tcp.json --no-drive --base linux-nvmet-tcp -o tcp.yaml
cp out out-tcp
sed 's/"iodepth" *: *"[0-9]*"/"iodepth" : "2000"/' fio-tcp.json >deep.json
expect 'what cannot be simulated' 0 'Not simulated' "$program" calibrate deep.json --no-drive --base linux-nvmet-tcp
cp out out-deep
expect 'and why' 0 ': the queue depth is not from 1 to 1024' cat out-deep
for words in 'determines ' 'fitted with all other costs; this reading weighs most' '; held out'; do
    expect "it says: $words" 0 "$words" cat out-tcp
done
expect 'a profile of TCP' 0 'kind: tcp' cat tcp.yaml
expect 'with what was measured' 0 'evidence: measured' sed -n '/^values:/,/^nvme:/p' tcp.yaml
expect 'and the target of the base' 0 'tcp-in-capsule: {value: "16KiB", evidence: documented' sed -n '/^target:/,$p' tcp.yaml
sed 's/kind: rdma-send, from: host0, to: host1/kind: nvme, from: host0, to: host1/; s/rnic: {profile: mine.yaml}/transport: tcp, tcp: {profile: tcp.yaml}/
    s/^workloads/  targets: {where: host1, namespaces: [{media: "null"}]}\nworkloads/' scenario.yaml >by-tcp.yaml
sed -i 's/^hosts: {defaults: \(.*\)}$/hosts:\n  defaults: \1/' by-tcp.yaml
expect 'that a scenario names' 0 'digest' "$program" run by-tcp.yaml
expect 'with a drive only bounds of TCP' 0 'target.command-cost      at most' "$program" calibrate fio-tcp.json --base linux-nvmet-tcp
expect 'with a drive only bounds' 0 'nvme.submit-cost         at most' "$program" calibrate fio.txt --base connectx-5-100g
head -4 fio.txt >fio-cut.txt
head -c 200 fio.json >fio-cut.json

# NAME WORDS OPTIONS...
refused() {
    local name=$1 words=$2
    shift 2
    expect "$name" 2 "$words" "$program" calibrate "$@"
    ! compgen -G 'no.yaml*' >/dev/null || { fail "$name: something was written"; rm -f no.yaml*; }
}
head -c -150 write_bw.txt >cut.txt
refused 'a cut table' 'cut.txt:20:' cut.txt -o no.yaml
head -c 300 read_lat.json >cut.json
refused 'a cut JSON' 'cut.json:16:1: error: JSON: premature end' cut.json -o no.yaml
refused 'cut results of fio' 'fio-cut.txt:4:' fio-cut.txt -o no.yaml
refused 'cut JSON of fio' 'fio-cut.json:12:' fio-cut.json -o no.yaml
printf '                    Atomic BW Test\n #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n 8 5 1 1\n' >atomic.txt
refused 'what is not modeled' 'the files contain nothing that the model uses' atomic.txt -o no.yaml
refused 'a foreign file' 'scenario.yaml:1:1: error: not the output of a supported tool' scenario.yaml -o no.yaml
head -c 1000000 /proc/self/exe >program # its whole is larger than any text may be
refused 'a program' 'error: expected a text' program -o no.yaml
refused 'a folder' '.:1:1: error: Is a directory' . -o no.yaml
refused 'no such file' 'none.txt:1:1: error: No such file' none.txt -o no.yaml
refused 'one of several' 'cut.txt:20:' write_lat.txt cut.txt -o no.yaml
refused 'no such base' "there is no profile 'none'" write_bw.txt --base none -o no.yaml
refused 'a base of another kind' 'profiles/storage-class.yaml:5:7: error: --base storage-class: expected a profile of kind rnic or tcp' fio.json --base storage-class -o no.yaml
refused 'a target of RDMA' 'its kind is target, for RDMA' fio.json --base linux-nvmet -o no.yaml
refused 'RDMA for TCP' 'write_bw.txt:18:2: error: no I/O over TCP' write_bw.txt --base spdk-tcp -o no.yaml
refused 'a rate that is none' 'expected a rate such as 100Gbps' write_bw.txt --rate fast -o no.yaml
refused 'a name that is none' '--name A' write_bw.txt --name A -o no.yaml
refused 'an option that is none' 'unknown option --bass; did you mean --base?' write_bw.txt --bass x
refused 'nothing at all' 'expected files, or --address of an RDMA device, or --from'
refused 'an input as output' 'write_bw.txt' write_bw.txt -o write_bw.txt
refused 'standard output' 'the name of a file' write_bw.txt -o -
expect 'no such folder' 3 'none/no.yaml' "$program" calibrate write_bw.txt -o none/no.yaml
expect 'help of both' 0 'stormglass-bridge calibrate --help' "$program" calibrate --help
exit $((failures > 0))
