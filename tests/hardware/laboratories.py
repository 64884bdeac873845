# laboratories - the second sheet: figures of laboratories whose cards no profile was fitted to.    SPDX-License-Identifier: Apache-2.0
#
# As figures.py, and by laboratory.  A value that the source does not give and that belongs to the host, not the card,
# is fitted on the figures that say so (`fits`); everything else is the shipped profile's.
from figures import CX5, CX6, CX7, EXPERIMENTS, Experiment, Figure, Untold, card, gbps, gbps_of, kops, mean_us, median_us, mib, \
    mops, p99_us, rnic, work
from hosts_over_tcp import TCP

SHORT = ("duration=150us",)
LONG = ("duration=4ms",)
THREADS = {1: 1.809, 8: 14.535, 16: 28.710, 24: 42.083, 32: 55.201, 48: 75.383, 64: 90.325, 80: 105.486, 96: 111.177}
DEPTHS = {
    12: {1: 5.103, 4: 13.591, 8: 21.799, 16: 31.122, 24: 36.984, 32: 40.367},
    48: {1: 18.520, 4: 48.747, 8: 75.472, 16: 102.509, 24: 111.123, 32: 103.987},
    72: {1: 25.847, 4: 66.897, 8: 98.616, 16: 107.140, 24: 96.071, 32: 73.152},
    96: {1: 32.969, 4: 81.563, 8: 110.982, 16: 78.111, 24: 76.959, 32: 55.161},
}
FITTED = {(12, 32): "post-cost of that host", (96, 16): "wr-cache", (72, 32): "wr-cache-miss-cost"}
NULL_BLOCK = {  # read or write, block: SRQs of 1024, SRQs of 256, private receive queues, one SRQ of 4096
    ("READ", "1KiB"): (5.88, 5.45, 6.77, 2.2), ("READ", "2KiB"): (3.56, 3.45, 3.72, 2.12),
    ("READ", "4KiB"): (1.8, 1.87, 1.88, 1.59), ("WRITE", "1KiB"): (5.42, 5.14, 7.75, 2.14),
    ("WRITE", "2KiB"): (4.15, 4.14, 4.16, 2.08), ("WRITE", "4KiB"): (2.17, 2.17, 2.16, 1.62),
}
QP_PACKET = {"write": "qp-packet-cost", "read": "qp-read-packet-cost"}
RECEIVES = (("24 SRQs of 1024", 24 * 1024, "0ns"), ("24 SRQs of 256", 24 * 256, "0ns"), ("private receive queues", 0, "0ns"),
            ("one SRQ of 4096", 4096, "440ns"))
RECEIVE_FITS = {"private receive queues": "command-cost", "one SRQ of 4096": "lock-cost"}


def latency(key):
    return lambda run: run["workloads"][0]["latency_ns"][key] / 1e3


def frames_per_ack(frames):
    """Data frames of a message for each packet of the other direction."""
    def read(run):
        messages = run["workloads"][0]["completed"]
        return frames * messages / (run["packets"] - frames * messages)
    return read


def reads(threads, depth):
    """A thread posts all its READs, waits for all of them, and begins again; its cost of posting is the host's."""
    return work("rdma-read", "8B", depth, threads, threads) + (f"workloads.0.batch={depth}",) + rnic(post_cost="215ns")


def drives(gbps_given, depth, cores, missed=None, tolerance=0.06):
    return Figure(f"depth {depth} a host, {cores} core{'s' if cores > 1 else ''}", "Gb/s", gbps, gbps_given, tolerance,
                  (f"workloads.0.queue-depth={depth // 4}", f"hosts.targets.target.cores={cores}"), None, missed)


SMART, KEYSIGHT, NOVITA = "Tsinghua (SMART)", "Keysight and SONiC", "Novita"
DAQIRI, NUS, STORAGE = "NVIDIA daqiri", "NUS (LinkGuardian)", "Mellanox storage"
AMD, USERS = "AMD rocm-xio", "single users"

MORE = [
    Experiment("R1", "ConnectX-6 of 200 Gb/s (InfiniBand there), 8-B READs, 8 outstanding, a queue pair and a doorbell of its "
               "own for each thread", "madsys-dev/smart, fig3a.csv", "pair.yaml", "connectx-6-200g", [
                   Figure(f"{threads} threads", "Mops/s", mops, given, 0.08, reads(threads, 8),
                          "read-cost" if threads == 96 else None)
                   for threads, given in THREADS.items()
               ], (), CX6 + SHORT, SMART),
    Experiment("R3", "the same, with the 12 doorbells that the library shares", "madsys-dev/smart, fig3a.csv", "pair.yaml",
               "connectx-6-200g", [
                   Figure(f"{kind.upper()}, {threads} threads", "Mops/s", mops, given, 0.10,
                          reads(threads, 8) + (f"workloads.0.kind=rdma-{kind}",), fits)  # its WRITEs are not inline
                   for kind, row in (("read", (1.917, 39.037, 39.085, 32.282, 23.344, 19.158)),
                                     ("write", (1.816, 35.927, 37.444, 30.924, 23.307, 19.133)))
                   for threads, given in zip((1, 24, 32, 40, 56, 96), row)
                   for fits in ("doorbell-cost" if kind == "read" and threads in (32, 96) else None,)
               ], (), CX6 + SHORT + ("workloads.0.doorbells=12",) + rnic(inline_size="0B"), SMART),
    Experiment("R5", "the same, by outstanding READs of a thread", "madsys-dev/smart, fig4a.csv", "pair.yaml", "connectx-6-200g", [
        Figure(f"{threads} threads, {depth} outstanding", "Mops/s", mops, given, 0.10, reads(threads, depth),
               FITTED.get((threads, depth)))
        for threads, row in DEPTHS.items() for depth, given in row.items()
    ], (), CX6 + SHORT, SMART),
    Experiment("R7", "the same, 96 threads, 768 READs outstanding at most", "madsys-dev/smart, fig13b.csv", "pair.yaml",
               "connectx-6-200g", [Figure("throttled", "Mops/s", mops, 109.2, 0.05, reads(96, 8))], (), CX6 + SHORT, SMART),
    Experiment("R8", "the same, one READ outstanding: its latency", "madsys-dev/smart, fig4a.csv", "pair.yaml", "connectx-6-200g", [
        Figure(f"{threads} threads", "us", mean_us, given, 0.10, reads(threads, 1)) for threads, given in ((12, 2.35), (96, 2.91))
    ], (), CX6 + SHORT, SMART),
    Experiment("R9", "ConnectX-7 of 400 Gb/s, operations of 4 MB, perftest", "novitalabs/pegaflow#291", "pair.yaml",
               "connectx-7-400g", [
                   Figure(f"{kind.upper()}, {qps} queue pair{'s' if qps > 1 else ''}", "Gb/s", gbps, given, 0.05,
                          work(f"rdma-{kind}", "4MB", 16, qps), None if qps > 1 else QP_PACKET[kind])
                   for kind, row in (("write", (365, 392)), ("read", (320, 390))) for qps, given in zip((1, 2), row)
               ] + [
                   Figure(f"loopback {kind.upper()}, {qps} queue pair{'s' if qps > 1 else ''}", "Gb/s", gbps, given, 0.05,
                          work(f"rdma-{kind}", "4MB", 16, qps) + ("workloads.0.to=a", "workloads.0.loopback=true"))
                   for kind, row in (("write", (361, 374, 375, 375)), ("read", (322, 374, 375, 375)))
                   for qps, given in zip((1, 2, 4, 8), row)
               ], (), CX7 + LONG, NOVITA),
    Experiment("R12", "DGX Spark, ConnectX-7, two links of 100 Gb/s, one queue pair on each; twice the rate of one link",
               "NVIDIA/daqiri, performance-dgx-spark.md", "pair.yaml", "connectx-7-400g", [
                   Figure(f"{size} SEND, payload", "Gb/s", lambda run: 2 * gbps(run), given, near,
                          work("rdma-send", size, 16), fits)
                   for size, given, near, fits in (("8MB", 195.55, 0.02, None), ("1MB", 194.92, 0.02, None),
                                                   ("8KB", 169.85, 0.10, "post-cost of that host"), ("4KB", 71.47, 0.10, None))
               ], (), card("connectx-7-400g", "100Gbps") + rnic(line_rate="100Gbps", post_cost="771ns") + LONG, DAQIRI),
    Experiment("R17", "ConnectX-5, WRITEs of 24,387 B, one at a time, over five switch hops, with one of a thousand frames lost; the MTU is not given: 1024 assumed", "NUS-SNL/linkguardian, sigcomm23-ae", "lossy-pair.yaml", "connectx-5-100g", [
                   Figure(about, "us", latency(key), given, near, (), "delay of switch and software" if key == "p50" else None)
                   for about, key, given, near in (("median", "p50", 17.958, 0.10), ("p90", "p90", 19.917, 0.10),
                                                   ("p95", "p95", 22.292, 0.10), ("p99", "p99", 32.542, 0.20),
                                                   ("p99.9", "p99_9", 1090.19, 0.10), ("p99.99", "p99_99", 1335.352, 0.25),
                                                   ("mean", "mean", 19.851, 0.10))
               ], (), (), NUS),
    Experiment("A1", "a tester of 400 Gb/s and a SONiC switch: 3:1 incast over four weighted classes, two of them lossless",
               "sonic-net/sonic-mgmt#25347", "incast-classes.yaml", "connectx-7-400g", [
                   Figure(f"{name}, received", "Gb/s", gbps_of(name), given, 0.02)
                   # of 4,158 B with the preamble's 20 less: the payload's share of a frame is 4096/4158
                   for name, given in (("q3", 159.234 * 4096 / 4158), ("q4", 79.617 * 4096 / 4162))
               ], (), (), KEYSIGHT),
    Experiment("A3", "the same tester: data frames for each ACK; 32.0 in another run (A4)", "sonic-net/sonic-mgmt#25347", "pair.yaml", "connectx-7-400g", [
        Figure("messages of 128 KiB", "-", frames_per_ack(32), 37.9, 0.3, work("rdma-write", "128KiB", 32)),
        Figure("messages of 4 KiB", "-", frames_per_ack(1), 37.9, 0.3, work("rdma-write", "4KiB", 128) + rnic(post_cost="0ns")),
    ], (), CX7 + LONG + rnic(ack_each_message="false", ack_interval=32), KEYSIGHT),
    Experiment("N1b", "kernel target, ConnectX-5 with two ports of 100 Gb/s, four hosts of 12 jobs of depth 128, null_blk, no "
               "registration", "linux-nvme 0da3b82b, 9bbe9615", "four-hosts.yaml", "connectx-5-100g", [
                   Figure(f"{kind} {size}, {about}", "Mops/s", mops, given, 0.10,
                          (f"workloads.0.block-size={size}", f"workloads.0.read={100 if kind == 'READ' else 0}%",
                           f"hosts.targets.target.shared-receives={receives}", f"hosts.targets.target.lock-cost={lock}"),
                          RECEIVE_FITS.get(about) if (kind, size) == ("READ", "1KiB") else None)
                   for (kind, size), row in NULL_BLOCK.items() for (about, receives, lock), given in zip(RECEIVES, row)
               ], (), (), STORAGE),
    Experiment("N9b", "SPDK target of 200 Gb/s, 16 drives, two hosts of 100 Gb/s, random reads of 128 KiB; the drives are not named",
               "umanskymax/spdk, io_pacing, test 7", "sixteen-drives.yaml", "connectx-6-200g", [
                   drives(given, depth, cores)
                   for depth, row in ((8, (101.8, 109.5, 106.4, 104.5)), (16, (150.8, 171.7, 174.4, 174.7)),
                                      (32, (177.8, 184.7, 184.8, 184.8)), (256, (156.9, 184.8, 184.8, 184.7)))
                   for cores, given in zip((1, 2, 4, 8), row)
               ], (), (), STORAGE),
    Experiment("G1", "ConnectX-6 of 200 Gb/s (InfiniBand there), ib_write_bw of 32 MiB; then GPUs (A30) on a different socket than the card, at both ends",
               "linux-rdma/perftest#241", "pair.yaml", "connectx-6-200g", [
                   Figure("host memory", "MiB/s", mib, 23000, 0.05, work("rdma-write", "32MiB", 4)),
                   Figure("GPU memory", "MiB/s", mib, 11000, 0.05, work("rdma-write", "32MiB", 4) + rnic(peer_read_rate="92Gbps"),
                          "peer-read-rate of that host"),
               ], (), CX6 + ("duration=20ms",)),
    Experiment("SR1", "ConnectX-6 class of 200 Gb/s, ib_send_bw of 4 KiB, two queue pairs, one core", "linux-rdma/rdma-core#1183", "pair.yaml",
               "connectx-6-200g", [
                   Figure("private receives", "Mops/s", mops, 5.436, 0.05, work("rdma-send", "4KiB", 128, 2), "post-cost of that host"),
                   Figure("one SRQ, entries in a ring", "Mops/s", mops, 5.388, 0.05,
                          work("rdma-send", "4KiB", 128, 2) + ("workloads.0.shared-receives=512",)),
                   Figure("one SRQ, entries in a list", "Mops/s", mops, 1.790, 0.10,
                          work("rdma-send", "4KiB", 128, 2) + ("workloads.0.shared-receives=512",)),
               ], (), CX6 + rnic(post_cost="184ns") + ("duration=1ms",)),
    Experiment("M1b", "Microchip MTR SLC 16 GB, kernel 6.17, one synchronous read at a time", "rocm-xio, performance.rst", "drive.yaml",
               None, [
                   Figure(f"{size}", "us", mean_us, given, 0.15, (f"workloads.0.block-size={size}",), fits)
                   for size, given, fits in (("512B", 12.5, "read-latency"), ("4KiB", 13.2, None), ("64KiB", 43.8, None),
                                             ("1MiB", 620, "read-rate"))
               ], (), ("fabric.host-links.rate=400Gbps", "duration=20ms",
                       "hosts.targets.namespaces.0.media={kind: fixed, read-latency: 12200ns, read-rate: 14.3Gbps}"), AMD),
    Experiment("M4b", "Intel SSDPE2KE064T8, SPDK, 4 KiB random reads", "spdk/spdk#970", "drive.yaml", "flash-tlc", [
        Figure("best", "kops/s", kops, 698, 0.10, ("workloads.0.queue-depth=512", "workloads.0.queues=4")),
    ], (), ("hosts.targets.namespaces.0.media={profile: flash-tlc}", "duration=20ms"), USERS),
] + TCP

# Misses whose published conditions do not determine the figure.
REASONS = [
    Untold("N1b", "blocks of 2 and 4 KiB", "READs reach 58 to 62 Gb/s and WRITEs 68 to 71 Gb/s with both sizes: a limit in bytes, below the 107 Gb/s of the slot that is assumed, and above the 56 Gb/s of half that slot (B1). Interrupts do not explain the limit: with `completions: interrupt` the model reaches 4.9 million READs of 1 KiB (published: 6.8) and 3.2 million of 4 KiB. The source does not name the slot, the memory, or the port rates of its four initiators, which are of three generations"),
    Untold("N1b", "blocks of 1 KiB, 24 SRQs", "5.1 to 5.9 million I/Os with shared receives, 6.8 and 7.8 million with private ones: 176 ns for each receive "
           "(`srq-receive-cost`) is within 10 % of all four figures, but not of the figures of SR1, so no profile has this value"),
    Untold("N1b", "READs of 1 and 4 KiB, one SRQ of 4096", "6,096 commands are outstanding and 4,096 receives are posted: messages that find no receive wait for RNR timers; "
           "the source does not say how its hosts share the receives"),
    Untold("SR1", "one SRQ, entries in a list", "the card fetches the receives of a list one after another, one in 559 ns; from a ring, it fetches one in 186 ns. With 24 queues of a ConnectX-5 it is 176 ns (N1b): both laboratories measured a cost, but no single value of `srq-receive-cost` gives both results, so no profile sets it"),
    Untold("N9b", "one core at depths 16 and 256", "151 to 157 Gb/s at both depths, but 178 Gb/s at depth 32, which is between them: a fixed time for each I/O cannot explain this; the source does not give the drives, the processor, or the division of the core's buffer pool"),
    Untold("T2", "42.5 and 45.1 us", "T1 publishes 27 us for the same software: the processor, idle states and interrupt moderation of the machines with 15 to 18 us are not given"),
    Untold("H1", "3 jobs", "the mean latency grows by 71 us from one job to three, by 53 us from three to five and by 95 us from five to seven. The queue of "
           "one drive alone would grow faster with each job, so three jobs shared something else, such as a core that takes interrupts; "
           "how connections and interrupts were spread over cores is not given"),
    Untold("H4", "depth 32", "at depth 1 a read takes 22 us besides the drive in H2 and 23 us here, at depth 32 the same two machines do 259 (H2b) and 165 thousand reads a second: no CPU time per read fits both. The source gives neither the target nor the end that was saturated"),
    Untold("R12", "SEND of 4 KB", "the source has fewer messages per second than with 8 KB (1.09 and 1.30 million), with a spread of 7 % between runs; no cost in the source falls with the size"),
    Untold("R17", "p95", "the hosts cause the spread without loss (p90 is 2 us above the median), and only its percentiles are published"),
]

# Laboratories of the first sheet; where none is named, the pair of hosts of which the figures are.
LABORATORY = {
    "W1": "Trivedi", "B1": "ConnectX-5 pair at PCIe 3.0 x8", "B4": "ConnectX-6 pair, perftest", "B5": "ConnectX-6 pair, perftest",
    "B6": "OpenUCX", "B7": "linux-rdma perftest", "B8": "AMD ionic", "B9": "ConnectX-6 pair, 32 threads", "B13": "ConnectX-7, H100 nodes",
    "B15": "ConnectX-7 pair", "B17": "ConnectX-3 pair", "N1": STORAGE, "N2": STORAGE, "N5": "SPDK", "N6": "SPDK",
    "P1": "pcie-bench", "P3": "pcie-bench", "M1": "AnandTech", "M2": "AnandTech", "M5": "Linux block",
}
