#!/bin/bash
# bottleneck.sh - verdicts, each with the counterfactual that proves it.  SPDX-License-Identifier: Apache-2.0
# A scenario with one limit; what is named; a --set that relieves it, which must raise goodput by at least a
# twentieth, and one that relieves what else might be thought of, which must not raise it by a fiftieth.
# Nothing is confirmed: otherwise the bottleneck is that of the run without the cause.
program=${STORMGLASS:?}
work=$(mktemp -d) && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAIL  $*"
    failures=$((failures + 1))
}
goodput() { # NAME SETS...
    local name=$1 sets=()
    shift
    for set; do sets+=(--set "$set"); done
    "$program" run "$name.yaml" --confirm 0 --json "${sets[@]}" 2>/dev/null | gojq '[.workloads[].goodput_bps] | add'
}
named() { # NAME KIND
    "$program" run "$1.yaml" --confirm 0 -o "$1.db" --json >"$1.json" 2>err
    [ "$(gojq -r .bottleneck_kind "$1.json")" = "$2" ] || fail "$1: not $2: $(gojq -r .bottleneck "$1.json")"
    "$program" explain "$1.db" --json | gojq -e --argjson run "$(cat "$1.json")" \
        '[.workloads[].text] | index($run.bottleneck) != null' >/dev/null 2>&1 || fail "$1: run and explain name different things"
}
gains() { # NAME LEAST SETS...: goodput grows by that factor at least
    local name=$1 least=$2 before after
    shift 2
    before=$(goodput "$name") after=$(goodput "$name" "$@")
    gojq -n -e "$after >= $before * $least" >/dev/null || fail "$name: $before to $after with $*"
}
stays() { # NAME SETS...
    local name=$1 before after
    shift
    before=$(goodput "$name") after=$(goodput "$name" "$@")
    gojq -n -e "$after < $before * 1.02" >/dev/null || fail "$name: $before to $after with $*"
}
nvme() { # NAME LINES: hosts host1.. to the target host0
    printf 'stormglass: 1\nname: %s\nduration: 4ms\nfabric: {topology: {kind: single-switch, hosts: 3}}\n%s\n' "$1" "$2" >"$1.yaml"
}
media='hosts.targets.namespaces.0.media'

# A medium that is full, at great depth: what waits is not the host's software.
nvme media 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 40us, parallel: 4}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 100}]'
named media media
gains media 1.08 $media.read-latency=36us
stays media workloads.w.queue-depth=110 hosts.defaults.nvme.submit-cost=900ns hosts.defaults.nvme.complete-cost=900ns

# Flash whose dies are hit at random is full though none is always busy.
nvme flash 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: flash-tlc, channels: 2, dies-per-channel: 2}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 64}]'
named flash media
gains flash 1.05 $media.read-time=54us

# Two microseconds of CPU for each I/O: 500 thousand a second, whatever the medium.
nvme host-cpu 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 5us, parallel: 64}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 64}]'
named host-cpu 'host cpu'
gains host-cpu 1.08 hosts.defaults.nvme.submit-cost=900ns hosts.defaults.nvme.complete-cost=900ns
stays host-cpu $media.read-latency=4us

nvme target-cpu 'hosts: {defaults: {rnic: {profile: ideal}, target: {cores: 1, command-cost: 8us}}, targets: {where: host0, namespaces: [{media: null}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, queue-depth: 32}]'
named target-cpu 'target cpu'
gains target-cpu 1.08 hosts.defaults.target.command-cost=7200ns
stays target-cpu workloads.w.queue-depth=36

# Each I/O holds one of 64 data buffers for as long as the medium and the network take.
nvme target-buffers 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, target: {data-buffers: 64}, namespaces: [{media: {kind: fixed, parallel: 512, read-latency: 80us}}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, block-size: 8KiB, queue-depth: 64}]'
named target-buffers 'target buffers'
gains target-buffers 1.08 hosts.targets.target.data-buffers=71
stays target-buffers workloads.w.queue-depth=71

# Each I/O of 128 KiB has a second RDMA operation, for which there are 24 work requests.
nvme data-wrs 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, target: {data-wr-pool: 24, rdma-size: 64KiB}, namespaces: [{media: {kind: fixed, parallel: 512, read-latency: 900us}}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, block-size: 128KiB, queue-depth: 32}]'
named data-wrs 'data work requests'
gains data-wrs 1.07 hosts.targets.target.data-wr-pool=27
stays data-wrs workloads.w.queue-depth=36

# A namespace gives what its limit allows, whatever comes.
nvme namespace-limit 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed}, iops-limit: 100000}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, block-size: 4KiB, queue-depth: 64}]'
named namespace-limit 'namespace limit'
gains namespace-limit 1.08 hosts.targets.namespaces.0.iops-limit=110000
stays namespace-limit workloads.w.queue-depth=71

# A tenant gets what its subsystem allows; another has the namespace to itself.
nvme subsystem-limit 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed}}], subsystems: [{nqn: "nqn.2014-08.org.example:a", iops-limit: 100000}, {nqn: "nqn.2014-08.org.example:b"}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, block-size: 4KiB, queue-depth: 64}]'
named subsystem-limit 'namespace limit'
gains subsystem-limit 1.08 hosts.targets.subsystems.0.iops-limit=110000
gains subsystem-limit 5 'workloads.w.subsystem="nqn.2014-08.org.example:b"'
stays subsystem-limit workloads.w.queue-depth=71

# What its host lets a workload have, each instance of it.
nvme workload-limit 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed}}]}}
workloads: [{name: w, kind: nvme, from: "host1..host2", to: host0, block-size: 4KiB, queue-depth: 64, iops-limit: 100000}]'
named workload-limit 'workload limit'
gains workload-limit 1.08 workloads.w.iops-limit=110000
stays workload-limit workloads.w.queue-depth=71

# A target that stands still is no network.
nvme stall 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: null}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 8}]
faults: [{at: 1ms, for: 2ms, kind: target-stall, where: host0}]'
named stall recovery
gains stall 1.5 faults.0.for=1us

# One outstanding: nothing is full.
nvme depth 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 20us}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 1}]'
named depth 'queue depth'
gains depth 1.8 workloads.w.queue-depth=2

# An open loop that gets all that it asks for.
nvme open 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 20us}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, rate: 20000}]'
named open 'asked for'
gains open 1.8 workloads.w.rate=40000
stays open fabric.host-links.rate=110Gbps $media.read-latency=10us hosts.defaults.nvme.submit-cost=100ns

# A closed loop that thinks longer than its I/Os take.
nvme think 'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 20us}}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, queue-depth: 16, think-time: 300us}]'
named think 'asked for'
gojq -e '.bottleneck | test("think time takes 8[0-9]% of the time")' think.json >/dev/null || fail "think: $(gojq .bottleneck think.json)"
gains think 1.5 workloads.w.think-time=150us
stays think fabric.host-links.rate=110Gbps $media.read-latency=18us

# READs to fetch the data of writes, one at a time.
nvme reads 'hosts: {defaults: {rnic: {profile: ideal, max-rd-atomic: 1}}, targets: {where: host0, namespaces: [{media: null}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, read: 0%, block-size: 16KiB, queue-depth: 64}]'
named reads 'outstanding reads'
gains reads 1.3 hosts.defaults.rnic.max-rd-atomic=2
stays reads workloads.w.queue-depth=128

# A software RNIC that waits for acknowledgments over a long link.
cat >window.yaml <<'END'
stormglass: 1
name: window
duration: 20ms
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 100Gbps, length: 10km}, switch: {buffer: 256MiB}}
hosts: {defaults: {rnic: {profile: softroce, congestion-control: none, max-unacked: 4}}}
workloads: [{name: w, kind: rdma-write, from: host1, to: host0, message-size: 64KiB, outstanding: 8}]
END
named window 'send window'
gains window 1.5 hosts.defaults.rnic.max-unacked=8
stays window workloads.w.outstanding=16

# A send buffer for less than two segments: each message waits for the ACK that the receiver delays by 40 ms.
cat >delayed.yaml <<'END'
stormglass: 1
name: delayed
duration: 400ms
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 25Gbps, mtu: 9000B}}
hosts: {defaults: {rnic: {profile: rnic-25g}, tcp: {send-buffer-max: 8KiB}}}
workloads: [{name: w, kind: tcp-stream, from: host1, to: host0, message-size: 64KiB, outstanding: 1}]
END
named delayed 'delayed ack'
gains delayed 50 hosts.defaults.tcp.send-buffer-max=64KiB
gains delayed 1.8 hosts.defaults.tcp.delayed-ack=20ms
stays delayed fabric.host-links.rate=50Gbps

# Large reads in front of small ones on one connection: with one connection for each, as many I/Os in all wait less.
for job in behind apart; do
    printf '[job]\nioengine=libaio\ndirect=1\nfilename=/dev/nvme1n1\nrw=randread\nbssplit=4k/90:1m/10\nsize=10g\n' >$job.fio
done
echo iodepth=8 >>behind.fio
printf 'iodepth=1\nnumjobs=8\ngroup_reporting\n' >>apart.fio
cat >behind.yaml <<'END'
stormglass: 1
name: behind
duration: 40ms
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 25Gbps, mtu: 9000B}}
hosts: {defaults: {rnic: {profile: rnic-25g}}, targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 80us}}]}}
workloads: [{name: w, kind: fio, transport: tcp, from: host1, to: host0, file: behind.fio}]
END
named behind 'head-of-line blocking'
gains behind 1.1 workloads.w.file=apart.fio

# Eight into one: the link of the receiver is full, the pauses are what that does.
cat >incast.yaml <<'END'
stormglass: 1
name: incast
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 9}, host-links: {rate: 100Gbps}, switch: {alpha: 3%}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads: [{name: w, kind: rdma-write, from: "host1..host8", to: host0, message-size: 256KiB, outstanding: 4}]
END
named incast link
gojq -e '.pfc.paused_ps > 0' incast.json >/dev/null || fail 'incast: nothing was paused'
gains incast 1.08 fabric.host-links.rate=110Gbps
stays incast workloads.w.outstanding=5

# A host that drains more slowly than its link.
cat >drain.yaml <<'END'
stormglass: 1
name: drain
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, drain: 40Gbps}}}
workloads: [{name: w, kind: rdma-write, from: host1, to: host0, message-size: 256KiB, outstanding: 8}]
END
named drain 'slow receiver'
gains drain 1.08 hosts.defaults.rnic.drain=44Gbps
stays drain fabric.host-links.rate=110Gbps

# The host's own PCIe is slower than its link: its buffer fills, and it is no slow receiver.
cat >narrow.yaml <<'END'
stormglass: 1
name: narrow
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 6}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, pcie-generation: 2, pcie-lanes: 10}}}
workloads: [{name: w, kind: rdma-write, from: "host1..host5", to: host0, message-size: 16KiB, outstanding: 32}]
END
named narrow pcie
gojq -e '.pfc.paused_ps > 0' narrow.json >/dev/null || fail 'narrow: nothing was paused'
gains narrow 1.08 hosts.defaults.rnic.pcie-lanes=11
stays narrow fabric.host-links.rate=110Gbps

# A receive that is posted late: the sender waits after a receiver-not-ready NAK.
cat >credit.yaml <<'END'
stormglass: 1
name: credit
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal, min-rnr-timer: 8}}}
workloads: [{name: w, kind: rdma-send, from: host1, to: host0, message-size: 4KiB, outstanding: 16, receives: 4, receive-delay: 20us}]
END
named credit credit
gains credit 1.5 workloads.w.receive-delay=1us
stays credit fabric.host-links.rate=110Gbps

# From the first packet on again after each loss: the link is always busy, and nothing arrives.
cat >loss.yaml <<'END'
stormglass: 1
name: loss
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal, loss-recovery: go-back-0}}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 4MiB}]
faults: [{at: 0s, kind: drop-every, where: host0-switch0, n: 256, frames: data}]
END
named loss loss
gojq -e '.workloads[0].completed == 0' loss.json >/dev/null || fail 'loss: something arrived'
[ "$(goodput loss fabric.host-links.rate=200Gbps)" = 0 ] || fail 'loss: a faster link helps'
gains loss 1 hosts.defaults.rnic.loss-recovery=go-back-n

# Who was cut when there were two goes on alone, far below the link, which nobody else uses.
cat >held.yaml <<'END'
stormglass: 1
name: held
duration: 8ms
fabric: {topology: {kind: single-switch, hosts: 3}, switch: {ecn: {kmin: 4KB, kmax: 8KB, pmax: 100%}}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: {kind: dcqcn, rai: 1Mbps, rhai: 1Mbps}}}}
workloads:
  - {name: w, kind: rdma-write, from: host0, to: host2, message-size: 256KiB, outstanding: 4}
  - {name: gone, kind: rdma-write, from: host1, to: host2, message-size: 256KiB, outstanding: 4, stop: 1500us}
END
named held 'congestion control'
gains held 1.2 hosts.defaults.rnic.congestion-control=none
stays held workloads.w.outstanding=5

# Timeouts that are shorter than the queue: packets are sent again, and nothing was lost.
cat >early.yaml <<'END'
stormglass: 1
name: early
duration: 4ms
fabric: {topology: {kind: single-switch, hosts: 3}, host-links: {rate: 5Gbps}}
hosts: {defaults: {rnic: {profile: ideal, timeout: 5, congestion-control: none}}}
workloads: [{name: w, kind: rdma-write, from: "host1..host2", to: host0, message-size: 64KiB, outstanding: 16}]
END
named early link
gojq -e '.rnic.timeouts > 0 and ([.drops[]] | add) == 0' early.json >/dev/null || fail 'early: no timeout, or a loss'

# A timeout after the end dilutes nothing.
cat >late.yaml <<'END'
stormglass: 1
name: late
duration: 1ms
drain: 200ms
fabric: {topology: {kind: single-switch, hosts: 2}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 8}]
faults: [{at: 990us, for: 1ms, kind: drop-every, where: host0-switch0, n: 1, frames: data}]
END
named late link
gojq -e '.drain_ps > 60e9' late.json >/dev/null || fail "late: no timeout after the end"
[ $failures = 0 ]
