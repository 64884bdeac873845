#!/bin/bash
# fio-differential - our reader of job files against fio itself.   SPDX-License-Identifier: Apache-2.0
# Effective amounts: each snippet runs in fio on its null engine and here on a namespace; reads and writes must
# come to the same number of bytes.  Acceptance: what we load, fio accepts as well.  Examples: those of Debian's
# package fio-examples that load a block device load here unmodified, the others are refused with a place.
set -u
stormglass=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/fio-differential.$$
mkdir -p "$work" && trap 'rm -rf "$work"' EXIT
command -v fio >/dev/null || { echo "fio is not installed"; exit 77; }
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }

scenario() { # FILE: a scenario that plays job.fio beside it; one example asks for a drive of 30 times 124 GB
    cat >"$1" <<'YAML'
stormglass: 1
name: fio-differential
about: Plays a fio job file on a fast namespace.
seed: 1
duration: 1s
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "null", size: 8TiB}]}}
workloads: [{name: job, kind: fio, file: job.fio, from: host0, to: host1}]
YAML
}

# Sums a member of all workloads of a run's JSON object on standard input.
sum_of() { grep -o "\"$1\" *: *[0-9]*" | awk -F: '{sum += $2} END {print sum + 0}'; }

# --- effective amounts: bytes read and written, as fio's JSON and as ours have them -------------------
# fio measures the processor's clock for 0.1 s whenever it starts, so all snippets are jobs of one fio.
snippets=()
amounts() { # OPTIONS, with \n between them
    printf '[snippet%d]\nioengine=null\nfilename=x\n%b\n' "${#snippets[@]}" "$1" >>"$work/null.fio"
    snippets+=("$1")
}
compare_amounts() {
    local number theirs ours
    (cd "$work" && fio --output-format=json null.fio >theirs 2>&1)
    for number in "${!snippets[@]}"; do
        printf '[a]\nioengine=libaio\n%b\n' "${snippets[$number]}" >"$work/job.fio"
        scenario "$work/scenario.yaml"
        theirs=$(awk -v name="snippet$number" '/"jobname"/ {mine = index($0, "\"" name "\"")} mine' "$work/theirs" | sum_of io_bytes)
        ours=$("$stormglass" run "$work/scenario.yaml" --json 2>"$work/messages" | sum_of bytes)
        [ "$theirs" -gt 0 ] && [ "$theirs" = "$ours" ] || {
            fail "'${snippets[$number]}': fio moves $theirs bytes, we $ours"
            head -n 3 "$work/messages"
        }
    done
}
amounts 'size=1m'
amounts 'size=1m\nbs=64k\nrw=randread'
amounts 'size=1m\nbs=64k\nrw=write'
amounts 'size=4m\nio_size=64kb\nbs=1k'
amounts 'size=4m\nio_size=64ki\nbs=1k'
amounts 'size=1m\nio_size=3m\nbs=16k'
amounts 'kb_base=1000\nsize=4096k\nbs=8kib\nio_size=819200'
amounts 'size=0x100000\nbs=0x1000'
amounts 'size=1m\nloops=3\nio_size=64k'
amounts 'size=1m\nloops=3\nnumber_ios=10'
amounts 'size=1m\nnumber_ios=7\nbs=32k\nrw=randwrite'
amounts 'size=2m\nnumjobs=3\nio_size=256k\niodepth=4'
amounts 'size=1m\nbs=4k\nrw=randread\nrandom_distribution=zipf:1.1\nio_size=3m'
amounts 'size=1m\nbs=4k\nrw=randrw\nfsync=7'
amounts 'size=1m\nio_size=50%'
amounts 'filesize=1m\nsize=1m\nnrfiles=1'
amounts 'size=1m\nbs=8k\nrw=read:8k\nnumber_ios=20'
compare_amounts

# --- acceptance ----------------------------------------------------------------------------------------
accepted=()
accepts() { # TEXT: the file after [a]; both must accept it
    printf '[a]\n%b\n' "$1" | tee -a "$work/all.fio" >"$work/job.fio"
    accepted+=("$1")
    scenario "$work/scenario.yaml"
    "$stormglass" check "$work/scenario.yaml" >"$work/messages" 2>&1
    [ $? != 2 ] || { fail "we refuse '$1'"; head -n 3 "$work/messages"; }
}
fio_accepts() { # all of them, as jobs of one file; where it does not, which one
    local text
    fio --parse-only "$work/all.fio" >/dev/null 2>&1 && return
    fail "fio refuses one of these"
    for text in "${accepted[@]}"; do
        printf '[a]\n%b\n' "$text" >"$work/job.fio"
        fio --parse-only "$work/job.fio" >/dev/null 2>&1 || echo "fio refuses '$text'"
    done
}
refuses() { # both must refuse it
    printf '%b\n' "$1" >"$work/job.fio"
    scenario "$work/scenario.yaml"
    fio --parse-only "$work/job.fio" >/dev/null 2>&1 && fail "fio accepts '$1'"
    "$stormglass" check "$work/scenario.yaml" >"$work/messages" 2>&1
    [ $? = 2 ] || fail "we accept '$1'"
}
accepts 'size=1m\nrw=randrw\nrwmixread=70\nbssplit=4k/60:8k/:16k/,4k/100'
accepts 'size=1m\nrate=1m,500k\nrate_process=poisson\nruntime=5m\ntime_based\nramp_time=500ms'
accepts 'size=1m\nrandom_distribution=zoned:60/10:40/\nrw=randread\nblocksize=8k'
accepts 'size=1m\nrandom_distribution=zipf:1.2:0.25\nrw=randread'
accepts 'size=1m\nrandom_distribution=pareto:0.2\nrw=randrw'
accepts 'size=1m\nrandom_distribution=normal:15.5\nrw=randwrite'
accepts 'size=1m\nrandom_distribution=zoned_abs:60/256k:40/512k\nrw=randread'
accepts 'size=1m\nfsync=8\nfdatasync=3\nrw=randrw\nio_size=50%\noffset=25%\noffset_increment=10%'
accepts 'size=10%\niodepth_batch=4\niodepth_batch_complete_max=8\niodepth_low=2\niodepth=16'
accepts 'size=1m\nzonemode=strided\nzonesize=64k\nzoneskip=64k'
accepts 'size=1m\nlatency_target=500000\nlatency_window=5000000\nlatency_percentile=99.9'
accepts 'size=1m\nthinktime=2ms\nthinktime_blocks=4\nstartdelay=500ms\nexitall\nexit_what=all'
accepts 'size=1m ; said at the end of the line\n# and on its own'
fio_accepts
refuses '[a]\nbsx=4k'
refuses '[a]\nbs'
refuses '[a]\nrw=raed'
refuses '[a]\niodepth=0'
refuses '[a]\nrandom_distribution=zipf:1'
refuses '[a]\nrandom_distribution=pareto:1.5'
refuses '[a]\nrandom_distribution=normal:100'
refuses '[a]\nrandom_distribution=zipf:1.2:1.5'
refuses '[a]\nrwmixread=101'
refuses 'bs=4k\n[a]'
refuses '[a]\nsize=(4*1024'

# --- Debian's examples ---------------------------------------------------------------------------------
examples=/usr/share/doc/fio/examples
load='1mbs_clients aio-read backwards-read basic-verify cmdprio-bssplit cmdprio-percentage
cross-stripe-verify dedupe-global disk-zone-profile enospc-pressure exitwhat fio-rand-RW fio-rand-read fio-rand-write
fio-seq-RW fio-seq-read fio-seq-write fixed-rate-submission fsx iometer-file-access-server jesd219
latency-profile numa poisson-rate-submission rand-zones ssd-steadystate ssd-test steadystate
surface-scan tiobench-example uring-cmd-ng waitfor'
if [ -e "$examples/fio-rand-read.fio" ]; then
    for file in "$examples"/*.fio; do
        name=$(basename "$file" .fio)
        cp "$file" "$work/job.fio"
        scenario "$work/scenario.yaml"
        "$stormglass" check "$work/scenario.yaml" >"$work/messages" 2>&1
        code=$?
        if [[ " $(echo $load) " == *" $name "* ]]; then
            [ "$code" != 2 ] || { fail "$name.fio does not load"; head -n 3 "$work/messages"; }
        else
            [ "$code" = 2 ] || fail "$name.fio loads: add it to the list"
            grep -q 'job\.fio:[0-9]*:[0-9]*: error: .*not supported\|environment' "$work/messages" ||
                { fail "$name.fio is refused without a name and a place"; head -n 3 "$work/messages"; }
        fi
    done
fi
[ "$failures" = 0 ]
