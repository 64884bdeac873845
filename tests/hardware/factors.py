#!/usr/bin/env python3
# factors - published figures of transports without a description of hosts: the model's figure and its factor.    SPDX-License-Identifier: Apache-2.0
# usage: STORMGLASS=PROGRAM tests/hardware/factors.py [PAGE]
# Runs every row, freezes the figures in factors.tsv before any is compared with the published one, and writes the last
# section of PAGE.  No value of the model was fitted on a row; the sources do not describe the hosts, so the rows are no
# part of the medians by laboratory.  Exit code 1: a row that is missed has no reason, or one that is met has one.
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
from collections import namedtuple

from figures import mops, steady
from hosts_over_tcp import POLLING_HOST, SPDK_BOTH, queues

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ["STORMGLASS"]
HEADING = "## Transports: factors"

# `published` is the least and the most; `runs` are the settings of each run, and `read` gets their results in order.
Row = namedtuple("Row", "about unit published source scenario runs read missed", defaults=(None,))
# What no scenario expresses.
NOT_RUN = [("a host that sends 16 commands, 64 KiB, or all commands of 50 us at once: 60 % more IOPS for a core", "Hwang et al., NSDI 2020 (i10)",
            "hosts send each command when it is submitted; no parameter delays commands to send them together"),
           ("SPDK with three copies of each write over TCP and RDMA: 1,662 and 5,790 writes a second", "longhorn#13402",
            "the engine that makes the copies takes most of the 521 us of a write over RDMA; no details of this engine or its drives are published"),
           ("MLPerf Storage over NVMe/TCP: 14.18, 35.4 and 4.6 GB/s", "MangoBoost, Lightbits, simplyblock",
            "the attached accelerators limit these rates (utilization 92 to 99 %); no host or link is at its limit"),
           ("TLS in the kernel: 3,833 instead of 7,383 Mb/s", "hyper-derp", "a relay of short messages; their size is not published"),
           ("gateways of Ceph with 450,000 I/Os per second, and one core of Longhorn with 110,000 reads", "IBM, longhorn#9771",
            "the object store and the engine are the limits, not the transport"),
           ("NVMe/TCP in place of iSCSI for 32 virtual machines: 50 % more I/Os, latency 33 % lower", "Blockbridge",
            "neither the number of iSCSI sessions nor the drives are published; in the model, one session reaches 71,000 I/Os per second, and 32 connections of NVMe/TCP reach 1.1 million")]


def mean_us(ran):
    return ran["workloads"][0]["latency_ns"]["mean"] / 1e3


def tail_us(ran):
    return ran["workloads"][0]["latency_ns"]["p99_99"] / 1e3


def mbps(ran):
    return steady(ran["workloads"][0], "goodput_bps") / 1e6


def less(runs):
    """Percent by which the mean time of the second half of the runs is shorter than of the first."""
    half = len(runs) // 2
    return 100 * (1 - sum(map(mean_us, runs[half:])) / sum(map(mean_us, runs[:half])))


def slower(runs):
    """Percent by which the second run has fewer I/Os than the first."""
    return 100 * (1 - mops(runs[1]) / mops(runs[0]))


def of(read, scale=1):
    return lambda runs: scale * read(runs[0])


CX7 = ("hosts.defaults.rnic.profile=connectx-7-400g", "fabric.host-links.rate=400Gbps", "fabric.host-links.mtu=4200B",
       "hosts.defaults.rnic.path-mtu=4096B", "workloads.w.block-size=4KiB", "duration=4ms")
SPDK_TEN = ("fabric.host-links.rate=10Gbps", "workloads.w.block-size=1KiB")
DISK = ("fabric.host-links.rate=40Gbps", "hosts.defaults.rnic.path-mtu=1024B", "workloads.w.queue-depth=32", "duration=100ms",
        "hosts.target.namespaces=[{media: {profile: flash-p3700}, size: 8GiB}]")
OPEN = queues(8, 64) + ("workloads.w.rate=200000", "workloads.w.arrival=poisson", "duration=100ms")
WAN = ("fabric.host-links.delay=22.5ms", "fabric.host-links.rate=10Gbps", "fabric.host-links.mtu=9000B", "drain=10s",
       "workloads.bulk.outstanding=256", "faults.0.rate=46/1000000") + tuple(
           f"hosts.defaults.tcp.{side}-buffer{most}=256MiB" for side in ("send", "receive") for most in ("", "-max"))
IRN = ("hosts.defaults.rnic.loss-recovery=selective-repeat", "hosts.defaults.rnic.timeout=6", "fabric.switch.pfc-priorities=none")
DCQCN = ("hosts.defaults.rnic.congestion-control=dcqcn", "fabric.switch.ecn-kmin=40KB", "fabric.switch.ecn-kmax=160KB",
         "fabric.switch.ecn-pmax=20%")


def seeds(*sides):
    return [side + (f"seed={seed}",) for side in sides for seed in (1, 2, 3)]


CARD = "the source names neither the processor nor the number of queues (8 assumed); times of scheduler and card are not modeled"
ROWS = [
    Row("SPDK target of 8 cores, reads of 4 KiB", "Mops/s", (10.94, 10.94), "SPDK 24.05, second hand", "nvme.yaml",
        [CX7 + ("hosts.targets.target={profile: spdk-target, cores: 8}", "workloads.w.queues=32", "workloads.w.queue-depth=64")],
        of(mops), "the time for a command of `spdk-target` is from SPDK 18 (spdk/spdk#321); a core of 2024 needs half of this time"),
    Row("SPDK host of 4 cores, reads of 4 KiB", "Mops/s", (5.46, 5.46), "SPDK 24.05, second hand", "nvme.yaml",
        [CX7 + ("fabric.host-links.rate=200Gbps", "hosts.targets.target={cores: 64, command-cost: 0ns}",
                "hosts.defaults.nvme={profile: spdk-host}", "workloads.w.queues=4", "workloads.w.queue-depth=127")],
        of(mops)),
    Row("a target of one core over TCP, reads of 1 KiB", "kops/s", (850, 850), "Klimovic et al., ASPLOS 2017 (ReFlex)", "nvme-tcp.yaml",
        [SPDK_TEN + SPDK_BOTH + queues(64, 32, "1KiB") + ("hosts.target.target.cores=1",)], of(mops, 1000),
        "ReFlex has its own TCP stack; the model has SPDK on the sockets of Linux"),
    Row("the same, one read at a time: time beyond that of the drive", "us", (21, 21), "Klimovic et al., ASPLOS 2017 (ReFlex)",
        "nvme-tcp.yaml", [SPDK_TEN + SPDK_BOTH + ("hosts.target.target.cores=1",)], of(mean_us),
        "as above; the interrupt of the host alone is 10 us here"),
    Row("iSCSI in place of NVMe over RDMA: I/Os lost by an application with 32 outstanding reads of 4 KiB", "%", (20, 20),
        "Guz et al., SYSTOR 2017", "nvme-tcp.yaml",
        [DISK + ("workloads.w.transport=rdma",), DISK + ("workloads.w.transport=iscsi",)], slower,
        "the model has a client that only reads, so one core of an iSCSI session is the limit; a key-value store also computes and reads from "
        "its cache, and the abstract gives neither time"),
    *[Row(f"{where}, 200,000 reads a second from a null device: {what}", "us", (given, given), "qedn patches, netdev", "nvme-tcp.yaml",
          [OPEN + sets], of(read), CARD)
      for where, sets, both in (("TCP of Linux", (), (105, 570)),
                                ("TCP in the card of the host", ("hosts.defaults.tcp.profile=iwarp-offload",), (39, 91)))
      for what, read, given in zip(("mean", "p99.99"), (mean_us, tail_us), both)],
    *[Row(f"10 Gb/s, 90 ms, MTU 9000, 46 of a million frames lost; {name}", "Mb/s", (490, 490), "ESnet, fasterdata.es.net (H-TCP)",
          "../laws/tcp-loss.yaml", [WAN + (f"hosts.defaults.tcp.congestion-control={cc}", "duration=300s")], of(mbps),
          "the source has H-TCP, which is not modeled; the formulas of RFC 9438 and of Mathis et al. give 247 and 144 Mb/s for CUBIC and NewReno")
      for cc, name in (("cubic", "CUBIC"), ("newreno", "NewReno"))],
    Row("polled sockets in place of interrupts, one read of 4 KiB: reduction of the latency", "%", (10, 20), "Lightbits, linux-nvme a7aef0d7",
        "nvme-tcp.yaml", [(), POLLING_HOST], less,
        "the drive is not published: a reduction of 8 us is 25 % of a read from a null device, and 19 % of a read from a drive of 10 us"),
    Row("a host of 100 Gb/s, two volumes, 128 outstanding reads of 4 KiB (16 jobs on each volume and drives of 80 us assumed)", "kops/s", (1060, 1060), "Lightbits, blog", "two-volumes.yaml",
        [()], of(mops, 1000)),
    Row("IRN without PFC in place of go-back-N with PFC: reduction of the mean flow time", "%", (6, 83),
        "Mittal et al., SIGCOMM 2018", "irn.yaml", seeds((), IRN), less),
    Row("the same with DCQCN", "%", (6, 83), "Mittal et al., SIGCOMM 2018", "irn.yaml", seeds(DCQCN, IRN + DCQCN), less,
        "no frame is lost with either. Without PFC no pause limits the queues, so frames get 2.2 times as many marks, and DCQCN reduces the rates further. The thresholds of ECN are assumed (40 KB, 160 KB, 20 %)"),
    *[Row(f"one read of 4 KiB over {name}", "us", given, "nvme-tcp.com, no description", scenario, [sets], of(mean_us), missed)
      for name, given, scenario, sets, missed in (
          ("TCP", (25, 40), "nvme-tcp.yaml", (), None),
          ("RDMA", (10, 20), "nvme-tcp.yaml", ("workloads.w.transport=rdma", "hosts.defaults.rnic.path-mtu=1024B"),
           "hosts poll for completions by default; the claim `latency-unloaded` has interrupts"),
          ("iSCSI", (100, 200), "nvme-tcp.yaml", ("workloads.w.transport=iscsi",),
           "the model has a null device and an idle session; the page does not name its devices"))],
]


def run(task):
    scenario, sets = task
    command = [PROGRAM, "run", "--json", "--confirm=0", str(HERE / scenario)] + [word for each in sets for word in ("--set", each)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def factor(row, value):
    """1 within the published range, else the ratio to its nearer end."""
    least, most = row.published
    return value / least if value < least else value / most if value > most else 1


def met(row, value):
    return 0.85 <= factor(row, value) <= 1.15


def words(row):
    least, most = row.published
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def section(figures, frozen):
    lines = [HEADING, "", "This section has published figures whose sources do not describe the hosts, and published ranges and ratios. Each is a run with shipped profiles and",
             "defaults; no value was fitted on a row. \"factor\" is the model's figure divided by the published one, or by the nearer end",
             "of a range; within a range it is 1. A row is met if its factor is 0.85 to 1.15. The figures are frozen in",
             f"`tests/hardware/factors.tsv` (SHA-256 of its rows `{frozen}`) before they are compared. The tables above do not include these rows.", "",
             "| | unit | published | model | factor | source | scenario | |", "|---|---|---|---|---|---|---|---|"]
    for row, value in zip(ROWS, figures):
        verdict = "met" if met(row, value) else f"missed: {row.missed}"
        lines.append(f"| {row.about} | {row.unit} | {words(row)} | {value:.4g} | {factor(row, value):.2f} | {row.source} | "
                     f"`{row.scenario}` | {verdict} |")
    lines += ["", "| not run | source | why |", "|---|---|---|"] + [f"| {about} | {source} | {why} |" for about, source, why in NOT_RUN]
    return "\n".join(lines) + "\n"


def write(page):
    """Runs all rows and, if there is a page, freezes the figures and writes its last section; returns the rows with a wrong verdict."""
    tasks = [(row.scenario, sets) for row in ROWS for sets in row.runs]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        results = iter(list(pool.map(run, tasks)))
    figures = [row.read([next(results) for _ in row.runs]) for row in ROWS]
    text = "".join(f"{row.about}\t{row.unit}\t{value:.6g}\n" for row, value in zip(ROWS, figures))
    if page:
        (HERE / "factors.tsv").write_text("figure\tunit\tmodel\n" + text)
        rest = page.read_text().split(HEADING)[0].rstrip("\n")
        page.write_text(rest + "\n\n" + section(figures, hashlib.sha256(text.encode()).hexdigest()))
    for row, value in zip(ROWS, figures):
        print(f"{row.about}: {value:.4g} {row.unit}, published {words(row)}, factor {factor(row, value):.2f}")
    return [f"{row.about}: {value:.4g} {row.unit}, published {words(row)}" for row, value in zip(ROWS, figures)
            if met(row, value) == bool(row.missed)]


if __name__ == "__main__":
    wrong = write(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    print("\n".join(wrong))
    sys.exit(bool(wrong))
