# figures - what was published of real hardware, and which scenario says the same.    SPDX-License-Identifier: Apache-2.0
#
# An experiment is one publication and one scenario of this folder.  A figure is a value of it: what is set,
# what is read from `run --json`, what was published (None: it is not given here, to be predicted) and how
# near is near.  `fits` are figures that a value of the profile was fitted on; `missed` says why the model
# does not meet one that is given: predict fails for a figure that is missed without a reason, and for a
# reason that is no longer needed.
from collections import namedtuple

Experiment = namedtuple("Experiment", "id about source scenario profile figures rests sets lab", defaults=((), (), None))
Figure = namedtuple("Figure", "about unit read given tolerance sets fits missed", defaults=((), None, None))
Untold = namedtuple("Untold", "id about why")
Curves = namedtuple("Curves", "experiment cards qps sizes")


# --- what is read ---------------------------------------------------------------------------------------

def steady(workload, key):
    settled = workload["steady"] or {}
    return settled[key] if settled.get(key) else workload[key]


def gbps(run):
    return sum(steady(workload, "goodput_bps") for workload in run["workloads"]) / 1e9


def gbps_of(name):
    return lambda run: next(steady(w, "goodput_bps") for w in run["workloads"] if w["name"] == name) / 1e9


def mib(run):
    return gbps(run) * 1e9 / 8 / 2**20


def mops(run):
    return sum(steady(workload, "iops") for workload in run["workloads"]) / 1e6


def mops_of(name):
    return lambda run: next(steady(w, "iops") for w in run["workloads"] if w["name"] == name) / 1e6


def kops(run):
    return mops(run) * 1e3


def median_us(run):
    return run["workloads"][0]["latency_ns"]["p50"] / 1e3


def mean_us(run):
    return run["workloads"][0]["latency_ns"]["mean"] / 1e3


def p99_us(run):
    return run["workloads"][0]["latency_ns"]["p99"] / 1e3


def longest_s(run):
    return run["workloads"][0]["latency_ns"]["max"] / 1e9


def half_trip_us(run):
    return median_us(run) / 2


def round_trip_ns(run):
    return run["workloads"][0]["latency_ns"]["p50"]


def acks_a_mib(run):
    """All packets but those of data, which are 256 a message."""
    messages = run["workloads"][0]["completed"]
    return (run["packets"] - 256 * messages) / messages


def peak_mb(run):
    return run["buffer"]["peak_bytes"] / 1e6


# --- what is set ----------------------------------------------------------------------------------------

def work(kind, size, depth=128, qps=1, threads=1):
    return (f"workloads.0.kind={kind}", f"workloads.0.message-size={size}", f"workloads.0.outstanding={depth}",
            f"workloads.0.qps={qps}", f"workloads.0.threads={threads}")


def card(name, rate, *more):
    return (f"hosts.defaults.rnic.profile={name}", f"fabric.host-links.rate={rate}") + more


def rnic(**values):
    return tuple(f"hosts.defaults.rnic.{key.replace('_', '-')}={value}" for key, value in values.items())


def both(**values):
    return tuple(f"workloads.{i}.{key.replace('_', '-')}={value}" for i in range(2) for key, value in values.items())


def sizes(*names):
    return tuple(f"workloads.{i}.message-size={name}" for i, name in enumerate(names))


def half_trips(rows, tolerance):
    return [Figure(f"{size}, half a round trip", "us", half_trip_us, given, tolerance,
                   work("rdma-ping-pong", size, 1), fits, missed)
            for size, given, fits, missed in rows]


LATENCY = ("duration=200us",)
LONG = ("duration=4ms",)
CX5, CX6, CX7 = card("connectx-5-100g", "100Gbps"), card("connectx-6-200g", "200Gbps"), \
    card("connectx-7-400g", "400Gbps")
SILICON = ("message-cost", "gather-cost", "read-cost", "wr-cache-miss-cost", "qp-cache-miss-cost")
ENGINES = ("post-cost", "message-cost", "read-response-cost", "qp-read-cost")
# A kernel host and target: a core and a completion queue for each connection, interrupts.
KERNEL = rnic(interrupt_cost="2us", completion_cost="3600ns")
CALM = "the model has a third to a half of the gain, because moderation adapts only when rates change by a tenth, and the rates of the model's queues hardly change"
PCIE_SHORT = "between 64 B and 512 B, the network processor of the test is slower than its link; a limit on the number of outstanding reads does not explain this"
WRITES = ("workloads.0.kind=rdma-write", "workloads.0.outstanding=16")
SOCKET = ("hosts.overrides.0.rnic.socket-latency=100ns",)
MICRON = ("hosts.targets.namespaces.0.media.read-time=88us",)
STAGES = ("tx-delay", "rx-delay", "read-delay", "pcie-read-latency", "copy-rate")

EXPERIMENTS = [
    Experiment("W1", "100 Gb/s RoCE, vendor not named: counters of a WRITE benchmark, two hosts of a rack",
               "animeshtrivedi/blog, 2018-09-13, RoCEv2 header", "pair.yaml", "connectx-5-100g", [
                   Figure("1 MiB WRITE, 8 outstanding: ACKs a message", "", acks_a_mib, 9.0, 0.05,
                          work("rdma-write", "1MiB", 8) + ("duration=20ms",), "ack-interval"),
                   Figure("1 B WRITE, 8 outstanding", "Mops/s", mops, 3.1, 0.05, work("rdma-write", "1B", 8),
                          "post-cost"),
                   Figure("1 B WRITE, 1 outstanding", "kops/s", kops, 478, 0.05, work("rdma-write", "1B", 1),
                          missed="its latency is twice the latency of B1, because its software differs and a switch is on the path; the two-byte latency of the pair is not published"),
               ], ("post-cost", "tx-delay", "rx-delay")),
    Experiment("B1", "ConnectX-5, PCIe 3.0 x8, direct cable, perftest", "source not named, 2026", "pair.yaml",
               "connectx-5-100g", [
                   Figure("1 MiB WRITE", "Gb/s", gbps, 55.86, 0.02, work("rdma-write", "1MiB", 8) + LONG, "pcie-overhead"),
                   Figure("1 MiB READ", "Gb/s", gbps, 55.97, 0.02, work("rdma-read", "1MiB", 8) + LONG),
                   Figure("1 MiB SEND", "Gb/s", gbps, 55.88, 0.02, work("rdma-send", "1MiB", 8) + LONG),
               ] + half_trips([("8B", 0.99, "tx-delay", None)], 0.05),
               ("pcie-overhead",) + STAGES, rnic(pcie_lanes=8)),
    Experiment("B2", "ConnectX-5 on PCIe 3.0 x4, direct cable", "source not named (TCP there, WRITE here)", "pair.yaml",
               "connectx-5-100g", [
                   Figure("large WRITEs", "Gb/s", gbps, None, 0.03, work("rdma-write", "1MiB", 8) + LONG)],
               ("pcie-overhead",), rnic(pcie_lanes=4)),
    Experiment("B3", "ConnectX-7 behind PCIe 5.0 x4, path MTU 1024, four queue pairs", "source not named", "pair.yaml",
               "connectx-7-400g", [
                   Figure("64 KiB WRITE", "Gb/s", gbps, None, 0.03, work("rdma-write", "64KiB", 128, 4) + LONG),
                   Figure("64 KiB WRITE", "Mops/s", mops, None, 0.03, work("rdma-write", "64KiB", 128, 4) + LONG),
               ] + half_trips([("2B", None, None, None)], 0.10),
               ("pcie-overhead",) + STAGES,
               card("connectx-7-400g", "200Gbps") + rnic(line_rate="200Gbps", pcie_lanes=4, path_mtu="1024B")),
    Experiment("B4", "ConnectX-6, 200 Gb/s (InfiniBand there), inline to 220 B, ib_write_lat, through a fabric: one switch assumed",
               "source not named", "through-switch.yaml", "connectx-6-200g", half_trips([
                   ("2B", 1.87, None, None), ("8B", 1.88, "tx-delay", None), ("64B", 1.91, None, None),
                   ("128B", 1.96, None, None), ("256B", 2.87, "pcie-read-latency", None),
                   ("512B", 2.96, None, None), ("1KiB", 3.05, "copy-rate", None), ("2KiB", None, None, None),
                   ("4KiB", None, None, None), ("8KiB", None, None, None), ("16KiB", None, None, None),
                   ("64KiB", 6.76, None, None), ("256KiB", None, None, None), ("1MiB", 46.92, None, None),
                   ("8MiB", None, None, None)], 0.09), STAGES, CX6 + ("duration=2ms",)),
    Experiment("B5", "the same cards, ib_write_bw, one queue pair", "source not named", "pair.yaml", "connectx-6-200g", [
        Figure("4 KiB WRITE", "MiB/s", mib, 10281, 0.05, work("rdma-write", "4KiB"), "post-cost"),
        Figure("8 KiB WRITE", "MiB/s", mib, None, 0.15, work("rdma-write", "8KiB") + LONG),
        Figure("16 KiB WRITE", "MiB/s", mib, None, 0.15, work("rdma-write", "16KiB") + LONG),
        Figure("32 KiB WRITE", "MiB/s", mib, None, 0.15, work("rdma-write", "32KiB") + LONG),
        Figure("8 MiB WRITE", "MiB/s", mib, 23318, 0.02, work("rdma-write", "8MiB", 8) + ("duration=20ms",)),
    ], ENGINES, CX6),
    Experiment("B6", "ConnectX-6 class, ib_read_bw, one queue pair, 16 READs outstanding", "openucx/ucx#8851",
               "pair.yaml", "connectx-6-200g", [
                   Figure("2 B READ", "Mops/s", mops, 2.450, 0.08, work("rdma-read", "2B")),
                   Figure("8 B READ", "Mops/s", mops, 2.556, 0.08, work("rdma-read", "8B")),
                   Figure("128 B READ", "Mops/s", mops, 2.540, 0.08, work("rdma-read", "128B")),
                   Figure("256 B READ", "Mops/s", mops, 1.604, 0.08, work("rdma-read", "256B"), "qp-read-cost"),
                   Figure("64 KiB READ", "Gb/s", gbps, 184, 0.08, work("rdma-read", "64KiB") + LONG),
               ], ENGINES, CX6),
    Experiment("B7", "mlx5, ib_write_bw, one queue pair", "linux-rdma/perftest#132", "pair.yaml", "connectx-6-200g", [
        Figure("2 B WRITE", "Mops/s", mops, 2.637, 0.05, work("rdma-write", "2B")),
        Figure("8 B WRITE", "Mops/s", mops, 2.641, 0.05, work("rdma-write", "8B")),
    ], ENGINES, CX6),
    Experiment("B8", "AMD card of 400 Gb/s, four queue pairs, both ways at once", "source not named, 2026",
               "both-ways.yaml", "ionic-400g", [
                   Figure("4 KiB WRITE, both ways", "Mops/s", mops, 7.44, 0.05, sizes("4KiB", "4KiB") + LONG, "gather-cost"),
                   Figure("512 B WRITE, both ways", "Mops/s", mops, 7.52, 0.05, sizes("512B", "512B") + LONG),
                   Figure("16 B WRITE, both ways", "Mops/s", mops, 9.24, 0.05, sizes("16B", "16B") + LONG, "message-cost"),
                   Figure("8 KiB WRITE, both ways", "Gb/s", gbps, None, 0.05, sizes("8KiB", "8KiB") + LONG),
                   Figure("16 KiB WRITE, both ways", "Gb/s", gbps, None, 0.05, sizes("16KiB", "16KiB") + LONG),
                   Figure("32 KiB WRITE, both ways", "Mops/s", mops, None, 0.05, sizes("32KiB", "32KiB") + LONG),
                   Figure("8 MiB WRITE, both ways", "Gb/s", gbps, 779.2, 0.02,
                          sizes("8MiB", "8MiB") + ("duration=30ms", "workloads.0.outstanding=4", "workloads.1.outstanding=4")),
               ], ("message-cost", "pcie-overhead")),
    Experiment("B9", "ConnectX-6, small operations of many queue pairs, 32 threads", "comment in an unnamed source (its cores are not the limit)",
               "pair.yaml", "connectx-6-200g", [
                   Figure("WRITE, 32 queue pairs", "Mops/s", mops, 123, 0.05, work("rdma-write", "8B", 32, 32, 32), "message-cost"),
                   Figure("READ, 32 queue pairs", "Mops/s", mops, 83, 0.10, work("rdma-read", "8B", 32, 32, 32)),
                   Figure("WRITE, 64 queue pairs", "Mops/s", mops, 121, 0.05, work("rdma-write", "8B", 16, 64, 32)),
                   Figure("READ, 64 queue pairs", "Mops/s", mops, 55, 0.10, work("rdma-read", "8B", 32, 64, 32),
                          "outstanding, which the source does not give"),
                   Figure("WRITE, 512 queue pairs", "Mops/s", mops, 122, 0.05, work("rdma-write", "8B", 4, 512, 32)),
                   Figure("READ, 512 queue pairs", "Mops/s", mops, 42, 0.10, work("rdma-read", "8B", 32, 512, 32)),
               ], SILICON, CX6 + rnic(path_mtu="1024B", post_cost="0ns")),
    Experiment("B9", "the same cards, with more queue pairs than the context cache holds", "comment in source not named", "many-queue-pairs.yaml",
               "connectx-6-200g", [
                   Figure(f"{kind.upper()}, {16 * qps} queue pairs", "Mops/s", mops, given, 0.30,
                          tuple(f"workloads.{i}.{row}" for i in range(16) for row in (f"kind=rdma-{kind}", f"qps={qps}")), fits)
                   for kind, qps, given, fits in (("write", 256, None, None), ("read", 256, None, None),
                                                  ("write", 1024, 105, "qp-cache-miss-cost"))
               ], SILICON, rnic(post_cost="0ns")),
    Experiment("B11", "ConnectX-5 VPI, raw Ethernet there and SENDs here, direct and through a 250-ns switch",
               "IBM/tulips", "one-switch.yaml", None, [
                   Figure("round trip through the switch", "ns", round_trip_ns, None, 0.05),
               ], ("tx-delay", "rx-delay"), LATENCY),
    Experiment("B12", "100 Gb/s RoCE, path MTU 1024, ib_read_bw 64 KiB, one queue pair, 16 READs outstanding",
               "source not named", "pair.yaml", "connectx-5-100g", [
                   Figure("two nodes", "MiB/s", mib, None, 0.03, work("rdma-read", "64KiB") + LONG),
                   Figure("one node, loopback", "MiB/s", mib, None, 0.10,
                          work("rdma-read", "64KiB") + LONG + ("workloads.0.to=a", "workloads.0.loopback=true")),
               ], ("read-delay", "pcie-overhead"), CX5 + rnic(path_mtu="1024B")),
    Experiment("B13", "ConnectX-7 of 400 Gb/s, ib_write_bw, one queue pair", "source not named, 2026", "pair.yaml",
               "connectx-7-400g", [
                   Figure("16 KiB WRITE", "Gb/s", gbps, 386, 0.05, work("rdma-write", "16KiB") + LONG,
                          "qp-packet-cost"),
               ], ENGINES + ("qp-packet-cost",), CX7),
    Experiment("B15", "ConnectX-7 class, direct, 16 READs outstanding", "source not named", "pair.yaml", "connectx-7-400g", [
        Figure("2 B READ, one outstanding", "us", median_us, 1.27, 0.05, work("rdma-read", "2B", 1) + LATENCY, "tx-delay"),
        Figure("64 KiB READ", "Gb/s", gbps, 328.6, 0.05, work("rdma-read", "64KiB") + LONG,
               "qp-read-packet-cost"),
    ], STAGES + ENGINES + ("qp-read-packet-cost",), CX7),
    Experiment("B16", "400 Gb/s, card not named, 128 KiB stream, 16 outstanding", "libevpl", "pair.yaml", "connectx-7-400g", [
        Figure("128 KiB SEND", "Gb/s", gbps, None, 0.01, work("rdma-send", "128KiB", 16) + LONG),
    ], ENGINES, CX7),
    Experiment("B17", "ConnectX-3 of 40 Gb/s, direct cable", "source not named", "pair.yaml", "connectx-3-40g", [
        Figure("64 KiB WRITE", "MiB/s", mib, 4554.9, 0.02, work("rdma-write", "64KiB", 32) + LONG, "path-mtu"),
    ] + half_trips([("2B", 0.85, "tx-delay", None)], 0.05), STAGES, card("connectx-3-40g", "40Gbps")),
    Experiment("N1", "ConnectX-5, kernel host and target, null_blk: large blocks fill the link", "Linux, DIM, 2019",
               "nvme.yaml", "connectx-5-100g", [
                   Figure("64 KiB reads", "GiB/s", lambda run: mib(run) / 1024, None, 0.02),
                   Figure("64 KiB writes", "GiB/s", lambda run: mib(run) / 1024, None, 0.02, ("workloads.0.read=0%",)),
               ]),
    Experiment("N1", "the same, a completion queue and a core for each of 56 queues, no moderation", "Linux, DIM, 2019",
               "nvme-adaptive.yaml", "connectx-5-100g", [
                   Figure("512 B reads", "Mops/s", mops_of("w"), 7.7, 0.05, both(block_size="512B"), "completion-cost"),
                   Figure("512 B writes", "Mops/s", mops_of("w"), 7.5, 0.20, both(block_size="512B", read="0%")),
                   Figure("4 KiB reads", "Mops/s", mops_of("w"), 1.8, 0.05, both(block_size="4KiB"), "event-cost"),
                   Figure("4 KiB writes", "Mops/s", mops_of("w"), 1.6, 0.20, both(block_size="4KiB", read="0%")),
               ], (), KERNEL + rnic(completions="interrupt")),
    Experiment("N2", "as N1, with adaptive moderation", "Linux, DIM, 2019", "nvme-adaptive.yaml", "connectx-5-100g", [
        Figure("4 KiB reads", "Mops/s", mops_of("w"), 2.65, 0.10, both(block_size="4KiB"), missed=CALM),
        Figure("4 KiB writes", "Mops/s", mops_of("w"), None, 0.20, both(block_size="4KiB", read="0%")),
        Figure("512 B reads", "Mops/s", mops_of("w"), None, 0.20, both(block_size="512B")),
        Figure("512 B writes", "Mops/s", mops_of("w"), None, 0.20, both(block_size="512B", read="0%")),
    ], (), KERNEL + rnic(completions="adaptive")),
    Experiment("N9", "kernel host, null device, 48 jobs, registration for each I/O; published: more than 3.5 times the IOPS with lists inline",
               "Linux, mlx5, commit 064e526247", "nvme.yaml", "connectx-5-100g", [
                   Figure(f"list of pages {how}", "Mops/s", mops, None, 0.20,
                          ("workloads.0.queues=48", "workloads.0.block-size=512B", "duration=3ms") + rnic(register_inline=size))
                   for how, size in (("fetched", "0B"), ("inline", "64B"))
               ], (), rnic(register_cost="25ns")),
    Experiment("N5", "SPDK and kernel hosts, SPDK target, one core, null device, 4 KiB, depth 1", "spdk/spdk#3012", "nvme.yaml",
               "connectx-5-100g", [
                   Figure(f"{who} host, {what}", "us", mean_us, given, near,
                          ("workloads.0.queues=1", "workloads.0.queue-depth=1", "workloads.0.block-size=4KiB",
                           f"workloads.0.read={read}%", "hosts.targets.target.command-cost=190ns",
                           f"hosts.defaults.nvme.submit-cost={cost}", f"hosts.defaults.nvme.complete-cost={cost}",
                           "duration=3ms"), fits)
                   for who, cost, rows in (
                       ("SPDK", "190ns", (("reads", 100, 4.64, "command-cost"), ("70 % reads", 70, None, None), ("writes", 0, None, None))),
                       ("kernel", "3070ns", (("reads", 100, 10.4, "submit-cost"), ("70 % reads", 70, None, None), ("writes", 0, None, None))))
                   for what, read, given, fits in rows for near in (0.05 if given else 0.12,)
               ]),
    Experiment("N3", "SPDK target and host, two ports of 100 Gb/s, 4 KiB reads: twice the rate of one port",
               "spdk/spdk#3422", "nvme.yaml", "connectx-5-100g", [
                   Figure("4 KiB reads, both ports", "Mops/s", lambda run: 2 * mops(run), None, 0.02,
                          ("workloads.0.block-size=4KiB", "workloads.0.queue-depth=32", "duration=3ms")),
               ]),
    Experiment("N4", "SPDK target, kernel host, 128 KiB sequential reads, 5 jobs of depth 8", "spdk/spdk#1596",
               "nvme.yaml", "connectx-5-100g", [
                   Figure(about, unit, read, None, near,
                          ("workloads.0.block-size=128KiB", "workloads.0.queues=5", "workloads.0.queue-depth=8",
                           "workloads.0.pattern=sequential", "duration=40ms"))
                   for about, unit, read, near in (("IOPS", "kops/s", kops, 0.02), ("rate", "GiB/s",
                                                   lambda run: mib(run) / 1024, 0.02),
                                                   ("mean latency", "us", mean_us, 0.02), ("median latency", "us", median_us, 0.20))
               ]),
    Experiment("N6", "SPDK target of one core, 4 drives, 4 queues of depth 128", "spdk/spdk#321", "nvme.yaml", None, [
        Figure("4 KiB reads", "kops/s", kops, 674.3, 0.02, ("hosts.targets.target.cores=1",), "command-cost"),
        Figure("4 KiB reads, mean latency", "us", mean_us, 759.15, 0.03, ("hosts.targets.target.cores=1",)),
        Figure("N7: four cores", "kops/s", kops, None, 0.20, ("hosts.targets.target.cores=4",)),
    ], (), ("workloads.0.block-size=4KiB", "workloads.0.queues=4", "workloads.0.queue-depth=128",
            "hosts.defaults.nvme.queue-size=256", "hosts.targets.target.max-queue-size=256",
            "hosts.targets.target.command-cost=1483ns", "duration=20ms")),
    Experiment("S8", "Azure: three hosts, 40 Gb/s, one sender at 2 us and one at 1.77 ms of round trip, DCQCN",
               "Bai et al., NSDI 2023, appendix B", "region.yaml", None, [
                   Figure("the near flow", "Gb/s", gbps_of("near"), None, 0.10),
                   Figure("the far flow", "Gb/s", gbps_of("far"), None, 0.10),
                   Figure("most in a switch's memory", "MB", peak_mb, None, 0.20),
               ]),
    Experiment("S11", "Azure: registration, then SEND, between data centers; 64 KiB a command and the round trip of S8 are assumed",
               "Bai et al., NSDI 2023, 8.3", "region-fence.yaml", None, [
                   Figure("SENDs outstanding, of 128 requested", "-", lambda run: mops(run) * 1770, None, 0.02),
                   Figure("64 KiB a command", "Gb/s", gbps, None, 0.02),
               ]),
    Experiment("S13", "each 256th packet dropped, messages of 4 MB, go-back-0", "Guo et al., SIGCOMM 2016", "drop-256th.yaml",
               None, [Figure("goodput", "Gb/s", gbps, None, 0.01)]),
    Experiment("K2", "ConnectX-5, leaves and spines, a fiber is cut: the longest I/O", "Linux, nvme-rdma ACK timeout",
               "fibre-cut.yaml", "connectx-5-100g", [
                   Figure("ACK timeout 2.1 s (code 19)", "s", longest_s, None, 0.5),
                   Figure("ACK timeout 262 ms (code 16)", "s", longest_s, None, 0.5, rnic(timeout=16)),
               ], (), ("workloads.0.count=0",)),
    Experiment("P1", "PCIe 3.0 x8 of a Broadwell host, an FPGA there and READs and WRITEs of 64 queue pairs here",
               "pcie-bench, Neugebauer et al., SIGCOMM 2018", "pcie.yaml", None, [
                   Figure("P2: reads of 64 B", "Gb/s", gbps, 31.9, 0.03, (), "pcie-tags"),
                   Figure("P2: reads of 128 B", "Gb/s", gbps, 43.8, 0.05, ("workloads.0.message-size=128B",), None, PCIE_SHORT),
                   Figure("P2: reads of 256 B", "Gb/s", gbps, 47.7, 0.05, ("workloads.0.message-size=256B",), None, PCIE_SHORT),
                   Figure("P2: reads of 512 B", "Gb/s", gbps, 55.0, 0.05, ("workloads.0.message-size=512B",)),
                   Figure("P2: reads of 1 KiB", "Gb/s", gbps, 55.4, 0.05, ("workloads.0.message-size=1KiB",)),
                   Figure("P2: reads of 2 KiB", "Gb/s", gbps, 55.6, 0.05, ("workloads.0.message-size=2KiB",)),
                   Figure("P2: writes of 2 KiB", "Gb/s", gbps, 53.0, 0.05, WRITES + ("workloads.0.message-size=2KiB",)),
                   Figure("P6: reads of 64 B, other socket", "Gb/s", gbps, None, 0.10, SOCKET),
                   Figure("P6: reads of 512 B, other socket", "Gb/s", gbps, None, 0.10, SOCKET + ("workloads.0.message-size=512B",)),
               ]),
    Experiment("P3", "the same host with IOMMU, 4-KiB pages: reads of 64 B over a window of memory",
               "pcie-bench, Neugebauer et al., SIGCOMM 2018", "pcie.yaml", None, [
                   Figure(f"window of {window}", "Gb/s", gbps, given, 0.10,
                          ("hosts.overrides.0.rnic.iotlb-entries=120", "hosts.overrides.0.rnic.iotlb-miss-cost=36300ps",
                           f"hosts.overrides.0.rnic.iotlb-window={window}"), fits)
                   for window, given, fits in (("256KiB", 32.4, None), ("512KiB", 22.3, "iotlb-entries"), ("1MiB", 15.2, None),
                                               ("2MiB", None, None), ("4MiB", None, None), ("8MiB", None, None),
                                               ("64MiB", 9.83, "iotlb-miss-cost"))
               ]),
    Experiment("M1", "Optane P4800X, 4 KiB random reads", "AnandTech 11209", "drive.yaml", "optane-p4800x", [
        Figure("depth 1", "kops/s", kops, 108.3, 0.10, (), "read-latency"),
        Figure("depth 16", "kops/s", kops, 584.8, 0.10, ("workloads.0.queue-depth=16",)),
        Figure("M4: 8 KiB, depth 8", "kops/s", kops, 280, 0.15, ("workloads.0.queue-depth=8", "workloads.0.block-size=8KiB")),
    ], (), ("fabric.host-links.rate=400Gbps", "hosts.targets.namespaces.0.media={profile: optane-p4800x}")),
    Experiment("M2", "Intel P3700 800 GB, 4 KiB random reads", "AnandTech 11209", "drive.yaml", "flash-p3700", [
        Figure("depth 1", "kops/s", kops, 12.8, 0.05, (), "read-time"),
        Figure("depth 1, mean", "us", mean_us, 77.9, 0.05),
        Figure("depth 1, p99", "us", p99_us, 96, 0.10, (), "read-jitter"),
        Figure("depth 16", "kops/s", kops, 167.2, 0.05, ("workloads.0.queue-depth=16",), "dies-per-channel"),
        Figure("depth 16, p99", "us", p99_us, 163, 0.40, ("workloads.0.queue-depth=16",)),
        Figure("M3 (Micron 9100 MAX): depth 1", "kops/s", kops, 9.2, 0.05, MICRON, "read-time"),
        Figure("M3: depth 1, p99", "us", p99_us, 117, 0.40, MICRON),
        Figure("M3: depth 16", "kops/s", kops, None, 0.15, MICRON + ("workloads.0.queue-depth=16",)),
        Figure("M3: depth 16, p99", "us", p99_us, None, 0.40, MICRON + ("workloads.0.queue-depth=16",)),
    ], (), ("hosts.targets.namespaces.0.media={profile: flash-p3700}", "duration=400ms")),
    Experiment("M5", "Optane of the second generation, 512 B random reads, polled, one core", "Linux block, 5.9-rc1", "drive.yaml",
               "optane-p5800x", [
                   Figure("depth 1", "kops/s", kops, 290, 0.05, (), "read-latency"),
                   Figure("depth 128", "kops/s", kops, 2580, 0.05, ("workloads.0.queue-depth=127",), "submit-cost of linux-io-uring-polled"),
                   Figure("depth 16", "kops/s", kops, None, 0.15, ("workloads.0.queue-depth=16",)),
               ], (), ("hosts.targets.namespaces.0.media={profile: optane-p5800x}", "workloads.0.block-size=512B",
                       "hosts.defaults.nvme={profile: linux-io-uring-polled}", "duration=10ms")),
]

UNTOLD = [
    Untold("W1", "frame sizes; RPCs of 1 byte", "the sizes are in `model/net/frame/frame.h`; an RPC costs its core more than post-cost, which covers messages without a reply"),
    Untold("N1, N2", "percentiles", "the queue depth of the source is not known; 100 is assumed"),
    Untold("N8", "iSER with and without registration", "neither the CPU cost of 24 iSER sessions nor the number of cores is published; `register-cost` is the cost of a registration in the card"),
    Untold("K4 to K8, K10", "registration by user space", "no scenario registers memory while it runs; the times belong to a driver"),
    Untold("K9", "UCX's cost model", "a model, not a measurement"),
    Untold("N10", "the RNR wait of 1.5 ms instead of the configured 0.12 ms", "it is `rnr-timer-step` of that card itself"),
    Untold("B10, B16 (RPCs)", "cards that are not named", "nothing to take a profile from"),
    Untold("S12", "loopback together with traffic from outside", "`tests/laws/loopback.sh` runs it: there are pauses, and no watchdog fires; the source gives no rate"),
    Untold("B14", "ConnectX-7 READ latency through a fabric", "the number of switches is not known"),
    Untold("B18", "eRPC", "it has its own software, and no parameter models the cost of this software"),
    Untold("B19", "a missing packet of an unreliable connection", "UC is not modeled"),
    Untold("S10", "recovery of a lost packet", "hundreds of us, by whichever cards: `nak-delay` and `retransmit-delay` are their rows"),
    Untold("P1", "latency of commands", "it is `pcie-read-latency` itself; its tail is not modeled"),
    Untold("P4, P5", "other hosts", "`pcie-read-latency` and `pcie-tags` are fitted to the same rows; latency tails that the host causes are not modeled"),
    Untold("S1 to S5", "headroom", "`stormglass headroom` has the methods; `tests/unit/net` holds the published tables"),
    Untold("S6, S7, S9, S14", "cells, pools and defaults", "values of profiles and rows, not results"),
    Untold("S15", "two senders without PFC at 5 Gb/s", "the switch's memory is not known"),
    Untold("S16", "adaptive retransmission", "`adaptive-timeout` and `adaptive-tries` model one of its four ranges; the source has no measurements"),
    Untold("S17", "latencies of switches", "`latency` of a switch is its row"),
    Untold("K1, K3", "arithmetic", "`hosts.defaults.rnic.timeout` and `cm-timeout` are its rows"),
    Untold("K11, K12", "times of drivers", "not modeled"),
    Untold("M6", "the drive of M5 by interrupts", "local drives have no RNIC interrupts; the profile takes its rate from the 4-KiB reads"),
    Untold("N7 of the second sheet", "16 drives, 128-KiB reads, depth 32 to 2,048 a host, no limit of buffers", "published: 184.7 Gb/s, falling to 134.8 Gb/s; `sixteen-drives.yaml` gives 183.6 Gb/s at each depth. Above 10 MB in flight the data of the target no longer fit the last-level cache, which is not modeled"),
    Untold("N11 of the second sheet", "64-KiB reads with one I/O of 2,149.7 ms", "the model has such an I/O, of 2,147.5 ms with `timeout: 19`, if the last packet that its queue pair has in flight is lost: at depth 1 in one of 12 seeds of random loss (1 of 500 frames for 1 ms). At depth 32 none of 12 seeds has it, since the next packet shows the loss. The source does not say what was lost"),
    Untold("R13 of the second sheet", "one link, receive buffers from 20 to 128", "messages of 4 and 8 KB take longer than of 64 KB (20 in flight: 1,380, 1,400 and 972 us): the software of that host takes this time, and fills the link with none of these sizes"),
    Untold("A2, A4 of the second sheet", "one-way latency of frames, and lossy traffic without retransmission", "rates of the lossless flows of A4 are 99.44 and 99.49 Gb/s (published: 99.52) with a second workload in class 3. Here, latency is the latency of messages, and lost messages are sent again. With 64, 1,024 or 4,096 outstanding messages, the time is spent in the host. The threshold of the switch is not published"),
    Untold("W6 of the second sheet", "a storm of 300 ms, watchdog polls of 600 ms: trips intermittently, never with polls of 100 ms",
           "`tests/laws/watchdog.sh` runs it with six phases between the storm and the polls: the watchdog trips in some of them, but never with polls of 100 ms"),
    Untold("DCQCN, 20 senders", "more than 39 Gb/s of 40, parameters and thresholds of the paper (Zhu et al., SIGCOMM 2015)",
           "`tests/validation/v14-dcqcn.yaml` with 20 senders, 5 KB, 200 KB and 1 % gives 37.8 Gb/s on the wire. If a packet is marked when it enters a queue of 200 KB, the mark reaches the sender 40 us later, and rates oscillate. With `ecn-mark: dequeue` the model gives 39.8 Gb/s, with `clamp-target: false` (the default of ConnectX firmware) 40.0 Gb/s. The source does not state whether its switch marks at enqueue or dequeue, or the setting of clamp-target of its cards"),
    Untold("DCQCN, seven senders join", "they join a flow of 25 Gb/s: 350 to 800 KB at the peak of the queue (testbed of HPCC, SIGCOMM 2019)",
           "`seven-join.yaml` gives 1.03 MB with the defaults of ConnectX firmware, 0.92 MB with the parameters of HPCC's simulator, and 0.73 MB if `cnp-interval` and `cut-interval` are 1 us: the peak is the rate of the seven senders, multiplied by the time that they need to slow down. The source gives neither interval of the tested cards, nor the time that the cards take to send and to obey a CNP"),
    Untold("connections of a ConnectX-5", "half the rate of READs at 5,000 connections (Kalia et al., NSDI 2019, as quoted by another text)",
           "`pair.yaml` with 32 threads and 16 READs outstanding on each queue pair loses 21 % from 256 to 1,024 queue pairs. The number of READs in flight is the cause: 16,384 exceed `wr-cache` (768). With one READ on each queue pair the loss is 6 %, and without `wr-cache` there is none: the contexts of 1,024 queue pairs fit. That text does not give the number of READs in flight"),
    Untold("M7", "Windows desktop", "the software is the limit: a quarter of the rate of M5"),
    Untold("M8", "seven drives", "the drives are not named"),
]

# Rate against block size: each card that is measured.
CURVES = Curves(Experiment("curves", "WRITEs of each size", "-", "pair.yaml", None, []),
                (("connectx-3-40g", "40Gbps"), ("connectx-5-100g", "100Gbps"), ("connectx-6-200g", "200Gbps"),
                 ("connectx-7-400g", "400Gbps"), ("ionic-400g", "400Gbps")),
                (1, 32), ("8B", "64B", "256B", "1KiB", "4KiB", "8KiB", "16KiB", "64KiB"))
