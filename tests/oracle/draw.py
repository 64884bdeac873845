# draw - scenarios with one to three likely bottlenecks.  SPDX-License-Identifier: Apache-2.0
# Of one host, which all kinds of resource can limit: a link, its CPU, its media, what it may have outstanding;
# and of a few that write to or read from it.  What is likely need not come true: only relief shows it.
import os
import random

US = 1_000_000  # in ps
GBPS = 1_000_000_000

EITHER = ["link", "queue depth", "asked for", "outstanding reads", "congestion control", "pauses", "loss", "host cpu", "rnic", "pcie"]
NVME = EITHER + ["media", "target cpu", "queue size", "recovery"]
TCP = ["link", "queue depth", "asked for", "host cpu", "host cpu", "send window", "send window", "media", "target cpu", "queue size", "recovery"]
RDMA = EITHER + ["slow receiver", "credit", "send window"]
KINDS = sorted(set(NVME + RDMA))
# Others often limit in their place: drawn more often, and most times alone, so that in 500 each is the limit 20 times.
SELDOM = [*["asked for"] * 2, *["congestion control"] * 2, *["credit"] * 4, *["loss"] * 3, "media", *["outstanding reads"] * 4,
          *["pauses"] * 2, *["pcie"] * 2, *["queue depth"] * 3, *["queue size"] * 2, *["recovery"] * 2, *["rnic"] * 4,
          *["send window"] * 3, *["slow receiver"] * 2, "target cpu"]


# Share of NVMe/TCP scenarios.
TCP_SHARE = float(os.environ.get("TCP_SHARE", "0.15"))


class Scenario:
    """What is drawn: a text, and values that are set by path."""

    def __init__(self, seed):
        self.seed = seed
        self.draw = random.Random(f"oracle {seed}")
        # A stream of its own decides about TCP, so that the others are what they were.
        self.tcp = random.Random(f"oracle transport {seed}").random() < TCP_SHARE
        first = self.draw.choice(TCP if self.tcp else KINDS + SELDOM)
        self.nvme = self.tcp or (first in NVME and (first not in RDMA or self.draw.random() < 0.5))
        kinds = TCP if self.tcp else NVME if self.nvme else RDMA
        more = self.draw.choice([0, 0, 0, 0, 0, 1, 1] if first in SELDOM else [0, 0, 1, 1, 2])
        self.likely = {first, *self.draw.sample(kinds, more)}
        self.values = {}
        self.faults = []  # (kind, the rest)
        self.duration = self.draw.choice([2000, 3000, 4000])  # us
        self.text = (draw_nvme if self.nvme else draw_rdma)(self)

    def set(self, path, value, unit=""):
        self.values[path] = f"{int(value)}{unit}"

    def time(self, path, us):
        self.set(path, us * US, "ps")

    def options(self):
        return [f"--set={path}={value}" for path, value in self.values.items()]

    def lines_of_faults(self):
        """Long enough faults begin when everything flows, and end before the run does."""
        lines = [f"  - {{kind: {kind}, where: {rest}}}\n" for kind, rest in self.faults]
        return "faults:\n" + "".join(lines) if lines else ""

    def fault(self, kind, where, *keys, share=None):
        keys = list(keys)
        if share is not None:
            keys += [f"at: {self.duration // 5}us", f"for: {int(self.duration * share)}us"]
        self.faults.append((kind, ", ".join([where, *keys])))


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def fabric(scenario, hosts):
    draw = scenario.draw
    rate = draw.choice([2, 5, 10]) if "link" in scenario.likely else draw.choice([40, 100, 100, 200])
    scenario.set("fabric.host-links.rate", rate * GBPS, "bps")
    length = draw.choice([3, 30, 300])
    switch = "buffer: 16MiB"
    if "congestion control" in scenario.likely:
        low = draw.choice([2, 4, 10])
        switch += f", ecn: {{kmin: {low}KB, kmax: {low * 2}KB, pmax: 100%}}"
    if "pauses" in scenario.likely:
        scenario.fault("pause-storm", draw.choice(["host0", "host1"]), share=draw.uniform(0.2, 0.6))
    if "loss" in scenario.likely:
        draw_loss(scenario)
    draw_silicon(scenario)
    return (
        f"stormglass: 1\nname: drawn\nduration: {scenario.duration}us\nfabric:\n"
        f"  topology: {{kind: single-switch, hosts: {hosts}}}\n"
        f"  host-links: {{rate: 100Gbps, length: {length}m, mtu: 4200B}}\n"
        f"  switch: {{{switch}}}\n"
    )


def draw_silicon(scenario):
    """An RNIC whose engines, or whose PCIe link, are slower than its port."""
    draw, rnic = scenario.draw, "hosts.defaults.rnic."
    if "rnic" in scenario.likely:
        cost = draw.choice(["qp-message-cost", "message-cost", "tx-packet-cost", "rx-packet-cost"])
        scenario.time(rnic + cost, log_uniform(draw, *((0.3, 1) if "packet" in cost else (0.4, 4))))
        if cost == "message-cost":
            scenario.time(rnic + "read-cost", log_uniform(draw, 0.4, 4))
    if "pcie" in scenario.likely:
        scenario.set(rnic + "pcie-generation", draw.choice([1, 1, 2]))
        scenario.set(rnic + "pcie-lanes", draw.choice([10, 12, 16]))


def draw_loss(scenario):
    """Seldom enough that something comes through, with time-outs of 0.13 to 1 ms."""
    draw = scenario.draw
    scenario.set("hosts.defaults.rnic.timeout", draw.choice([5, 6, 8]))
    where = draw.choice(["host0", "host1", '"switch0:p0"'])
    if draw.random() < 0.7:
        scenario.fault("drop-every", where, f"n: {draw.choice([20, 50, 100, 200])}")
    else:
        scenario.fault("bit-errors", where, f"rate: {draw.choice(['1e-6', '3e-7', '2e-6'])}")


def control(scenario):
    draw = scenario.draw
    if "congestion control" not in scenario.likely:
        return draw.choice(["none", "none", "none", "dcqcn"])
    if draw.random() < 0.3:
        return draw.choice(["{kind: swift, max-cwnd: 1}", "{kind: swift, max-cwnd: 2}", "{kind: hpcc, eta: 0.3}"])
    rai, rhai = draw.choice([1, 5, 40]), draw.choice([5, 40, 200])
    return f"{{kind: dcqcn, rai: {rai}Mbps, rhai: {rhai}Mbps}}"


def draw_media(scenario):
    draw = scenario.draw
    base = "hosts.targets.namespaces.0.media."
    slow = "media" in scenario.likely
    if slow and draw.random() < 0.5:
        scenario.time(base + "read-time", log_uniform(draw, 60, 200))
        scenario.time(base + "program-time", log_uniform(draw, 300, 1000))
        scenario.time(base + "command-time", log_uniform(draw, 0.5, 8))
        scenario.set(base + "channels", draw.choice([2, 4, 8]))
        scenario.set(base + "dies-per-channel", draw.choice([2, 4, 8]))
        return "{kind: flash-tlc}"
    latency = log_uniform(draw, 10, 80) if slow else log_uniform(draw, 1, 20)
    scenario.time(base + "read-latency", latency)
    scenario.time(base + "write-latency", latency * draw.uniform(0.5, 1.5))
    scenario.set(base + "parallel", draw.choice([1, 2, 4, 8]) if slow else 64)
    return "{kind: fixed}"


def draw_cpus(scenario):
    draw = scenario.draw
    slow = "target cpu" in scenario.likely
    scenario.time("hosts.defaults.target.command-cost", log_uniform(draw, *((4, 15) if slow else (0.1, 1.5))))
    scenario.set("hosts.defaults.target.cores", draw.choice([1, 1, 2, 4]) if slow else 8)
    slow = "host cpu" in scenario.likely
    for cost in ("submit-cost", "complete-cost"):
        scenario.time(f"hosts.defaults.nvme.{cost}", log_uniform(draw, *((3, 10) if slow else (0.1, 1))))


def draw_tcp(scenario):
    """Cores that take long for each batch or byte, or windows and send buffers that are too small."""
    draw, tcp = scenario.draw, "hosts.defaults.tcp."
    slow = "host cpu" in scenario.likely
    for cost in ("rx-batch-cost", "tx-batch-cost", "interrupt-cost"):
        scenario.time(tcp + cost, log_uniform(draw, *((2, 10) if slow else (0.05, 0.5))))
    scenario.time(tcp + "copy-cost", log_uniform(draw, *((0.3, 2) if slow else (0.01, 0.05))))
    if slow and draw.random() < 0.5:
        scenario.set(tcp + "cores", draw.choice([1, 2]))
    if "send window" in scenario.likely:
        which = draw.choice(["receive-buffer", "send-buffer"])
        size = draw.choice([32, 48, 64] if which == "receive-buffer" else [16, 24, 32]) * 1024
        # A tenth more of a window of few segments may be no segment, or a fifth more.
        scenario.set("fabric.host-links.mtu", 1500, "B")
        scenario.set(tcp + which, size, "B")
        scenario.set(tcp + which + "-max", size, "B")


def draw_outage(scenario, targets):
    """A target that stands still, or one that is gone and found again."""
    draw = scenario.draw
    where = f"host{draw.randrange(targets)}"
    if draw.random() < 0.6:
        scenario.fault("target-stall", where, share=draw.uniform(0.2, 0.6))
        return
    scenario.time("hosts.defaults.nvme.reconnect-delay", draw.choice([50, 200, 500]))
    scenario.fault("target-crash", where, "how: process", share=draw.uniform(0.2, 0.5))


def draw_nvme(scenario):
    draw, likely = scenario.draw, scenario.likely
    hosts, targets = draw.randint(1, 4), draw.randint(1, 2)
    block = draw.choice([4096, 4096, 8192, 16384, 65536])
    if "send window" in likely and scenario.tcp:
        block = draw.choice([65536, 131072])
    depth = draw.choice([1, 2, 4, 8, 16]) if "queue depth" in likely else draw.choice([32, 48, 64, 100])
    read = 0 if "outstanding reads" in likely else draw.choice([0, 50, 100, 100])
    if likely & {"link", "outstanding reads"}:
        block = max(block, 16384)
    elif "queue size" in likely:
        block, hosts = 4096, min(hosts, 2)
    text = fabric(scenario, hosts + targets)
    media = draw_media(scenario)
    text += f"hosts:\n  defaults: {{rnic: {{profile: rnic-100g, congestion-control: {control(scenario)}}}}}\n"
    text += f"  targets: {{where: \"host0..host{targets - 1}\", namespaces: [{{media: {media}, count: {draw.randint(1, 2)}}}]}}\n"
    draw_cpus(scenario)
    if scenario.tcp:
        draw_tcp(scenario)
    if "recovery" in likely:
        draw_outage(scenario, targets)
    entries = draw.choice([3, 4, 6, 9, 17]) if "queue size" in likely else 1024
    scenario.set("hosts.defaults.nvme.queue-size", entries)
    scenario.set("hosts.defaults.target.max-queue-size", 1024)
    scenario.set("hosts.defaults.rnic.max-rd-atomic", draw.choice([1, 1, 2]) if "outstanding reads" in likely else 16)
    text += f"workloads:\n  - {{name: w, kind: nvme, from: \"host{targets}..host{targets + hosts - 1}\", to: \"host0..host{targets - 1}\","
    text += f" pairing: all-to-all, read: {read}%, block-size: {block}B{', transport: tcp' if scenario.tcp else ''}}}\n"
    scenario.set("workloads.w.queue-depth", depth)
    scenario.set("workloads.w.queues", draw.choice([1, 1, 2]))
    if "asked for" in likely and draw.random() < 0.4:
        scenario.time("workloads.w.think-time", log_uniform(draw, 20, 400))
        likely.discard("asked for")
    scenario.instances = hosts * targets
    return text + scenario.lines_of_faults()


def kind_of_rdma(scenario):
    if "credit" in scenario.likely:
        return "rdma-send"
    if "outstanding reads" in scenario.likely:
        return "rdma-read"
    kind = scenario.draw.choice(["rdma-write", "rdma-write", "rdma-read", "rdma-send"])
    return "rdma-write" if "slow receiver" in scenario.likely and kind == "rdma-read" else kind


def draw_rdma(scenario):
    draw, likely = scenario.draw, scenario.likely
    hosts = draw.randint(1, 5)
    kind = kind_of_rdma(scenario)
    text = fabric(scenario, hosts + 1)
    rnic = f"profile: rnic-100g, congestion-control: {control(scenario)}"
    if "host cpu" in likely:
        rnic = "profile: softroce, congestion-control: none, receive-ring: 4096"
    elif "send window" in likely:
        rnic = f"profile: softroce, congestion-control: none, receive-ring: 4096, max-unacked: {draw.choice([1, 2, 3, 4])}"
    if kind == "rdma-send" and "credit" in likely:
        rnic += f", min-rnr-timer: {draw.choice([1, 2, 4])}"
    text += f"hosts:\n  defaults: {{rnic: {{{rnic}}}}}\n"
    if "slow receiver" in likely:
        rate = int(scenario.values["fabric.host-links.rate"].removesuffix("bps"))
        scenario.set("hosts.defaults.rnic.drain", rate * draw.uniform(0.1, 0.7), "bps")
    size = draw.choice([4096, 16384, 65536, 262144])
    depth = draw.choice([16, 32, 64])
    if "queue depth" in likely:
        depth, size = draw.choice([1, 1, 2, 3, 4]), draw.choice([512, 4096, 16384])
    reads = 64
    if "outstanding reads" in likely:
        reads, size = draw.choice([1, 1, 2, 4]), draw.choice([512, 4096, 8192])
    scenario.set("hosts.defaults.rnic.max-rd-atomic", reads)
    text += f"workloads:\n  - {{name: w, kind: {kind}, from: \"host1..host{hosts}\", to: host0, message-size: {size}B}}\n"
    scenario.set("workloads.w.outstanding", depth)
    scenario.set("workloads.w.qps", draw.choice([1, 1, 2, 4]))
    if kind == "rdma-send" and "credit" in likely:
        scenario.set("workloads.w.receives", draw.choice([2, 4, 8]))
        scenario.time("workloads.w.receive-delay", draw.choice([10, 20, 40]))
    scenario.instances = hosts
    return text + scenario.lines_of_faults()
