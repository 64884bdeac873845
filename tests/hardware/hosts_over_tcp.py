# hosts_over_tcp - published figures of NVMe/TCP and iSCSI: latencies and what cores achieve.    SPDX-License-Identifier: Apache-2.0
#
# As laboratories.py.  The shipped defaults and profiles of `tcp` are those of the figures; the sources do not give the
# rate of the NIC: 100 Gb/s is assumed unless more was measured.
from figures import Experiment, Figure, gbps, kops, mean_us

INTEL, LIGHTBITS, SPDK, OFFLOAD, OTHERS = "Intel, kernel NVMe/TCP", "Lightbits, kernel NVMe/TCP", "SPDK issues", "netdev, CX-7", "i10, Blockbridge"

POLLING_HOST = ("hosts.defaults.tcp.profile=busy-poll", "hosts.target.tcp={interrupt-delay: 10us, interrupt-cost: 1us, wakeup-cost: 3100ns}")
SPDK_TARGET = ("hosts.target.target={profile: spdk-target-tcp, cores: 8}", "hosts.target.tcp={profile: spdk-tcp}")
SPDK_BOTH = SPDK_TARGET + ("hosts.defaults.tcp.profile=spdk-tcp",)
DRIVE_587K = ("hosts.target.namespaces=[{media: {kind: fixed, read-latency: 80us, write-latency: 20us, parallel: 47}, size: 8GiB}]",)
OPTANE = ("hosts.target.namespaces=[{media: {kind: fixed, read-latency: 10us, write-latency: 10us, parallel: 8}, size: 8GiB}]",)


def queues(count, depth, block="4KiB"):
    """Jobs with a queue and a core each; `depth` is that of a job."""
    return (f"hosts.defaults.nvme.queues={count}", f"workloads.w.queues={count}", f"workloads.w.queue-depth={depth}",
            f"workloads.w.block-size={block}")


TCP = [
    Experiment("H1", "kernel 5.2.1, one drive of 587,000 IOPS, random reads of 4 KiB, depth 32 a job; the latency of the drive "
               "is not given: 80 us assumed", "linux-nvme 33791fbc", "nvme-tcp.yaml", None, [
                   Figure(f"{jobs} job{'s' if jobs > 1 else ''}", "kops/s", kops, given, 0.15, queues(jobs, 32))
                   for jobs, given in ((1, 195), (3, 404), (5, 549), (7, 587))
               ], (), DRIVE_587K, INTEL),
    Experiment("H2", "kernel 5.5, Optane of 10 us, one read at a time", "linux-nvme 10a51388", "nvme-tcp.yaml", None, [
        Figure("interrupts at the target, polled queues at the host", "us", mean_us, 40.9, 0.15, POLLING_HOST),
        Figure("queues of the NIC polled at both", "us", mean_us, 32.0, 0.15, ("hosts.defaults.tcp.profile=busy-poll",),
               "busy-poll interrupt-delay"),
    ], (), OPTANE, INTEL),
    Experiment("H2b", "the same, depth 32 in batches of 8", "linux-nvme 10a51388", "nvme-tcp.yaml", None, [
        Figure("one job", "kops/s", kops, 259, 0.15, queues(1, 32)),
    ], (), OPTANE, INTEL),
    Experiment("H3", "kernel 5.7, ram device, one read at a time, polled", "linux-nvme 659a0de4", "nvme-tcp.yaml", None, [
        Figure("sent from the submitting thread", "us", mean_us, 24.3, 0.15, POLLING_HOST, "interrupt-delay, wakeup-cost"),
    ], (), (), LIGHTBITS),
    Experiment("H4", "kernel 5.8, Xeon 5120 of 2.2 GHz, ConnectX-4", "linux-nvme b78e6ad1", "nvme-tcp.yaml", None, [
        Figure("depth 1", "kops/s", kops, 43.2, 0.15, POLLING_HOST, "interrupt-delay"),
        Figure("depth 32 in batches of 8", "kops/s", kops, 165, 0.15, POLLING_HOST + queues(1, 32)),
    ], (), (), LIGHTBITS),
    Experiment("T1", "SPDK target, null device, one read of 4 KiB at a time", "spdk/spdk#2326", "nvme-tcp.yaml", None, [
        Figure("SPDK host", "us", mean_us, 27, 0.15, SPDK_BOTH, "interrupt-delay"),
        Figure("kernel host", "us", mean_us, 33, 0.15, SPDK_TARGET, "interrupt-delay"),
    ], (), (), SPDK),
    Experiment("T2", "the same, other machines", "spdk/spdk#1867, #1881", "nvme-tcp.yaml", None, [
        Figure("ConnectX-5 of 100 Gb/s, Fedora", "us", mean_us, 42.5, 0.15, SPDK_BOTH),
        Figure("both SPDK", "us", mean_us, 45.1, 0.15, SPDK_BOTH),
    ], (), (), SPDK),
    Experiment("T5", "SPDK target, null device, random writes of 4 KiB; 16 and 32 cores share 286 and 247 ns a write, 266 are assumed; the "
               "source does not name the part that they share", "spdk/spdk#2963", "nvme-tcp.yaml", None, [
        Figure(f"{cores} core{'s' if cores > 1 else ''}", "kops/s", kops, given, 0.15,
               SPDK_BOTH + queues(64, 32) + ("workloads.w.read=0%", f"hosts.target.target.cores={cores}",
                                             "hosts.target.target.lock-cost=266ns"), "lock-cost" if cores > 4 else None)
        for cores, given in ((1, 323), (4, 1250), (16, 3500), (32, 4050))
    ], (), ("fabric.host-links.rate=200Gbps",), SPDK),
    Experiment("T9", "iSCSI of Linux, one core", "Hwang et al., NSDI 2020", "nvme-tcp.yaml", None, [
        Figure("random reads of 4 KiB", "kops/s", kops, 70, 0.15, queues(1, 32) + ("workloads.w.transport=iscsi",),
               "iscsi-submit-cost, iscsi-complete-cost"),
    ], (), (), OTHERS),
    Experiment("T13", "8 jobs of depth 128, Xeon 8380 of 2.3 GHz, ConnectX-7", "NVMe/TCP offload, netdev v28", "nvme-tcp.yaml", None, [
        Figure(f"reads of {size}{', data digests' if digest else ''}", "Gb/s", gbps, given, 0.15,
               queues(8, 128, size) + (f"hosts.defaults.nvme.tcp-data-digest={'true' if digest else 'false'}",
                                       "hosts.target.target.cores=32"), "digest-cost" if digest else "cold-copy-cost")
        for size, row in (("64KiB", (84, 53)), ("512KiB", (98, 61))) for digest, given in enumerate(row)
    ], (), ("fabric.host-links.rate=200Gbps",), OFFLOAD),
    Experiment("H11", "SPDK target with data digests, one core, reads of 128 KiB", "spdk/spdk#2919", "nvme-tcp.yaml", None, [
        Figure("rate", "kops/s", kops, 17.07, 0.15, SPDK_BOTH + queues(8, 16, "128KiB") + (
            "hosts.defaults.nvme.tcp-data-digest=true", "hosts.target.target.cores=1")),
    ], (), (), SPDK),
]
