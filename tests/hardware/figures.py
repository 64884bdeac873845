# figures - what was published of real hardware, and which scenario says the same.    SPDX-License-Identifier: Apache-2.0
#
# An experiment is one publication and one scenario of this folder.  A figure is a value of it: what is set,
# what is read from `run --json`, what was published (None: it is not given here, to be predicted) and how
# near is near.  `fits` are figures that a value of the profile was fitted on; `missed` says why the model
# does not meet one that is given: predict fails for a figure that is missed without a reason, and for a
# reason that is no longer needed.
from collections import namedtuple

Experiment = namedtuple("Experiment", "id about source scenario profile figures rests sets", defaults=((), ()))
Figure = namedtuple("Figure", "about unit read given tolerance sets fits missed", defaults=((), None, None))
Untold = namedtuple("Untold", "id about why")


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


def kops(run):
    return mops(run) * 1e3


def median_us(run):
    return run["workloads"][0]["latency_ns"]["p50"] / 1e3


def mean_us(run):
    return run["workloads"][0]["latency_ns"]["mean"] / 1e3


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
SILICON = ("message-cost", "read-cost", "qp-cache-miss-cost")
ENGINES = ("post-cost", "message-cost", "read-cost")
STAGES = ("tx-delay", "rx-delay", "read-delay", "pcie-read-latency")
SLOPE = "from 1 KiB to 64 KiB the card takes 0.057 ns a byte, the line 0.041: its stages overlap less than the model's"
READ_ENGINE = "READs of 256 B and more cost the card more than shorter ones; read-cost is one value"
PER_QP_READ = "what one queue pair of the card answers READs at is limited, which the model has no row for"

EXPERIMENTS = [
    Experiment("W1", "100 Gb/s RoCE, vendor not named: counters of a WRITE benchmark, two hosts of a rack",
               "animeshtrivedi/blog, 2018-09-13, RoCEv2 header", "pair.yaml", "connectx-5-100g", [
                   Figure("1 MiB WRITE, 8 outstanding: ACKs a message", "", acks_a_mib, 9.0, 0.05,
                          work("rdma-write", "1MiB", 8) + ("duration=20ms",), "ack-interval"),
                   Figure("1 B WRITE, 8 outstanding", "Mops/s", mops, 3.1, 0.05, work("rdma-write", "1B", 8),
                          "post-cost"),
                   Figure("1 B WRITE, 1 outstanding", "kops/s", kops, 478, 0.05, work("rdma-write", "1B", 1),
                          missed="its latency is twice that of B1: other software, and a switch between; the two-byte "
                          "latency of the pair is not published"),
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
    Experiment("B4", "ConnectX-6, 200 Gb/s (InfiniBand there), inline to 220 B, ib_write_lat", "source not named",
               "pair.yaml", "connectx-6-200g", half_trips([
                   ("2B", 1.87, None, None), ("8B", 1.88, "tx-delay", None), ("64B", 1.91, None, None),
                   ("128B", 1.96, None, None), ("256B", 2.87, "pcie-read-latency", None),
                   ("512B", 2.96, None, None), ("1KiB", 3.05, None, None), ("2KiB", None, None, None),
                   ("4KiB", None, None, None), ("8KiB", None, None, None), ("16KiB", None, None, None),
                   ("64KiB", 6.76, None, SLOPE), ("256KiB", None, None, None), ("1MiB", 46.92, None, None),
                   ("8MiB", None, None, None)], 0.08), STAGES, CX6 + ("duration=2ms",)),
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
                   Figure("256 B READ", "Mops/s", mops, 1.604, 0.08, work("rdma-read", "256B"), missed=READ_ENGINE),
                   Figure("64 KiB READ", "Gb/s", gbps, 184, 0.08, work("rdma-read", "64KiB") + LONG),
               ], ENGINES, CX6),
    Experiment("B7", "mlx5, ib_write_bw, one queue pair", "linux-rdma/perftest#132", "pair.yaml", "connectx-6-200g", [
        Figure("2 B WRITE", "Mops/s", mops, 2.637, 0.05, work("rdma-write", "2B")),
        Figure("8 B WRITE", "Mops/s", mops, 2.641, 0.05, work("rdma-write", "8B")),
    ], ENGINES, CX6),
    Experiment("B8", "AMD card of 400 Gb/s, four queue pairs, both ways at once", "source not named, 2026",
               "both-ways.yaml", "ionic-400g", [
                   Figure("4 KiB WRITE, both ways", "Mops/s", mops, 7.44, 0.05, sizes("4KiB", "4KiB") + LONG, "message-cost"),
                   Figure("512 B WRITE, both ways", "Mops/s", mops, 7.52, 0.05, sizes("512B", "512B") + LONG),
                   Figure("16 B WRITE, both ways", "Mops/s", mops, 9.24, 0.05, sizes("16B", "16B") + LONG,
                          missed="message-cost is one value, and a WRITE whose payload is inline costs this card less"),
                   Figure("8 KiB WRITE, both ways", "Gb/s", gbps, None, 0.05, sizes("8KiB", "8KiB") + LONG),
                   Figure("16 KiB WRITE, both ways", "Gb/s", gbps, None, 0.05, sizes("16KiB", "16KiB") + LONG),
                   Figure("32 KiB WRITE, both ways", "Mops/s", mops, None, 0.05, sizes("32KiB", "32KiB") + LONG),
                   Figure("8 MiB WRITE, both ways", "Gb/s", gbps, 779.2, 0.02,
                          sizes("8MiB", "8MiB") + ("duration=30ms", "workloads.0.outstanding=4", "workloads.1.outstanding=4")),
               ], ("message-cost", "pcie-overhead")),
    Experiment("B9", "ConnectX-6, small operations of many queue pairs, 32 threads", "comment in source not named (its cores are no limit)",
               "pair.yaml", "connectx-6-200g", [
                   Figure("WRITE, 32 queue pairs", "Mops/s", mops, 123, 0.05, work("rdma-write", "8B", 32, 32, 32), "message-cost"),
                   Figure("READ, 32 queue pairs", "Mops/s", mops, 83, 0.05, work("rdma-read", "8B", 16, 32, 32), "read-cost"),
                   Figure("WRITE, 64 queue pairs", "Mops/s", mops, 121, 0.05, work("rdma-write", "8B", 16, 64, 32)),
                   Figure("READ, 64 queue pairs", "Mops/s", mops, 55, 0.05, work("rdma-read", "8B", 16, 64, 32),
                          missed="READs lose a third between 32 and 64 queue pairs, WRITEs nothing: no cache of contexts "
                          "that both use does that"),
                   Figure("WRITE, 512 queue pairs", "Mops/s", mops, 122, 0.05, work("rdma-write", "8B", 4, 512, 32)),
                   Figure("READ, 512 queue pairs", "Mops/s", mops, 42, 0.05, work("rdma-read", "8B", 4, 512, 32),
                          missed="as with 64 queue pairs"),
               ], SILICON, CX6 + rnic(path_mtu="1024B", post_cost="0ns")),
    Experiment("B9", "the same cards, more queue pairs than contexts fit", "comment in source not named", "many-queue-pairs.yaml",
               "connectx-6-200g", [
                   Figure(f"{kind.upper()}, {16 * qps} queue pairs", "Mops/s", mops, None, 0.30,
                          tuple(f"workloads.{i}.{row}" for i in range(16) for row in (f"kind=rdma-{kind}", f"qps={qps}")))
                   for kind, qps in (("write", 256), ("read", 256), ("write", 1024))
               ], SILICON, rnic(post_cost="0ns")),
    Experiment("B11", "ConnectX-5 VPI, raw Ethernet there and SENDs here, direct and through a 250-ns switch",
               "IBM/tulips", "one-switch.yaml", None, [
                   Figure("round trip through the switch", "ns", round_trip_ns, None, 0.05),
               ], ("tx-delay", "rx-delay"), LATENCY),
    Experiment("B12", "100 Gb/s RoCE, path MTU 1024, ib_read_bw 64 KiB, one queue pair, 16 READs outstanding",
               "source not named", "pair.yaml", "connectx-5-100g", [
                   Figure("two nodes", "MiB/s", mib, None, 0.03, work("rdma-read", "64KiB") + LONG),
               ], ("read-delay", "pcie-overhead"), CX5 + rnic(path_mtu="1024B")),
    Experiment("B13", "ConnectX-7 of 400 Gb/s, ib_write_bw, one queue pair", "source not named, 2026", "pair.yaml",
               "connectx-7-400g", [
                   Figure("16 KiB WRITE", "Gb/s", gbps, 386, 0.05, work("rdma-write", "16KiB") + LONG, "post-cost"),
               ], ENGINES, CX7),
    Experiment("B15", "ConnectX-7 class, direct, 16 READs outstanding", "source not named", "pair.yaml", "connectx-7-400g", [
        Figure("2 B READ, one outstanding", "us", median_us, 1.27, 0.05, work("rdma-read", "2B", 1) + LATENCY, "tx-delay"),
        Figure("64 KiB READ", "Gb/s", gbps, 328.6, 0.05, work("rdma-read", "64KiB") + LONG, missed=PER_QP_READ),
    ], STAGES + ENGINES, CX7),
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
    Experiment("N3", "SPDK target and host, two ports of 100 Gb/s, 4 KiB reads: what one port carries, twice",
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
    Experiment("S13", "each 256th packet dropped, messages of 4 MB, go-back-0", "Guo et al., SIGCOMM 2016", "drop-256th.yaml",
               None, [Figure("goodput", "Gb/s", gbps, None, 0.01)]),
    Experiment("K2", "ConnectX-5, leaves and spines, a fibre is cut: the longest I/O", "Linux, nvme-rdma ACK timeout",
               "fibre-cut.yaml", "connectx-5-100g", [
                   Figure("ACK timeout 2.1 s (code 19)", "s", longest_s, None, 0.5),
                   Figure("ACK timeout 262 ms (code 16)", "s", longest_s, None, 0.5, rnic(timeout=16)),
               ], (), ("workloads.0.count=0",)),
    Experiment("M1", "Optane P4800X, 4 KiB random reads", "AnandTech 11209", "drive.yaml", "storage-class", [
        Figure("depth 1", "kops/s", kops, 108.3, 0.10, (), "read-latency"),
        Figure("depth 16", "kops/s", kops, 584.8, 0.10, ("workloads.0.queue-depth=16",), "parallel"),
        Figure("M4: 8 KiB, depth 8", "kops/s", kops, None, 0.15, ("workloads.0.queue-depth=8", "workloads.0.block-size=8KiB")),
    ], (), ("fabric.host-links.rate=400Gbps",)),
]

UNTOLD = [
    Untold("W1", "frame sizes; RPCs of 1 byte", "sizes are those of `tests/unit/frame`; RPCs cost their cores more than "
           "post-cost, which is of messages without an answer"),
    Untold("N1, N2", "512 B and 4 KiB", "the interrupts of kernel hosts and their moderation are not modelled"),
    Untold("N5", "latency of SPDK and kernel hosts", "needs the cost of posting and polling by operation"),
    Untold("N8, N9, S11, K4 to K10", "memory registration", "its cost and its hidden fence are not modelled"),
    Untold("N10", "the RNR wait of 1.5 ms where 0.12 ms were asked for", "no row rounds RNR timers up"),
    Untold("B10, B16 (RPCs)", "cards that are not named", "nothing to take a profile from"),
    Untold("B12, S12", "loopback", "a host does not send to itself"),
    Untold("B14", "ConnectX-7 READ latency through a fabric", "the number of switches is not known"),
    Untold("B18", "eRPC", "its software is of its own; no row says what it costs"),
    Untold("B19, S10", "recovery of a lost packet", "the slow path of packets out of order is not modelled"),
    Untold("P1 to P6", "PCIe without a card", "the model has PCIe only below an RNIC, without IOMMU or sockets"),
    Untold("S1 to S5", "headroom", "`stormglass headroom` has the methods; `tests/unit/net` holds the published tables"),
    Untold("S15", "two senders without PFC at 5 Gb/s", "the switch's memory is not known"),
    Untold("S16", "adaptive retransmission", "not modelled"),
    Untold("K1, K3", "arithmetic", "`hosts.defaults.rnic.timeout` and `cm-timeout` are its rows"),
    Untold("K11, K12", "times of drivers", "not modelled"),
    Untold("M2, M3, M5 to M8", "other drives", "no profile of them is in the tree yet"),
]
