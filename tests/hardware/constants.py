# constants - values that were fitted, and on whose figures: predict each laboratory with the others.    SPDX-License-Identifier: Apache-2.0
#
# `estimates`: what the figures of one laboratory alone give, by laboratory.  A laboratory is predicted with the median
# of the others' estimates; without any, with `otherwise`: what the model has for a card, host or drive that was not
# measured (the value of the nearest shipped profile, or no cost).  `otherwise` None: no other source says anything of
# that value, and the laboratory's figures that rest on it count as missed.
# `used_by`: a profile, or identifiers of experiments.  The profiles' `sources` are the number of estimates.
import statistics
from collections import namedtuple

Constant = namedtuple("Constant", "path used_by estimates otherwise unit", defaults=(None, "ns"))

CX5_PAIR, CX6_PAIR, CX6_THREADS = "ConnectX-5 pair at PCIe 3.0 x8", "ConnectX-6 pair, perftest", "ConnectX-6 pair, 32 threads"
CX7_PAIR, H100, CX3_PAIR, UCX, PERFTEST = "ConnectX-7 pair", "ConnectX-7, H100 nodes", "ConnectX-3 pair", "OpenUCX", "linux-rdma perftest"
SMART, NOVITA, DAQIRI, TRIVEDI, KEYSIGHT = "Tsinghua (SMART)", "Novita", "NVIDIA daqiri", "Trivedi", "Keysight and SONiC"
STORAGE, SPDK, SPDK_ISSUES, PCIE, NUS = "Mellanox storage", "SPDK", "SPDK issues", "pcie-bench", "NUS (LinkGuardian)"
AMD, ROCM, ANAND, BLOCK = "AMD ionic", "AMD rocm-xio", "AnandTech", "Linux block"
INTEL, LIGHTBITS, OFFLOAD, OTHERS = "Intel, kernel NVMe/TCP", "Lightbits, kernel NVMe/TCP", "netdev, CX-7", "i10, Blockbridge"

SENDERS, PHOTON, FIO = "maikel/senders-io#53", "PhotonLibOS, file I/O performance", "axboe/fio#1206"
GPU_USER = "linux-rdma/perftest#241"

RNIC, TCP, MEDIA, TARGET = "hosts.defaults.rnic.", "hosts.defaults.tcp.", "hosts.targets.namespaces.0.media.", "hosts.targets.target."
CX3, CX5, CX6, CX7, IONIC = "connectx-3-40g", "connectx-5-100g", "connectx-6-200g", "connectx-7-400g", "ionic-400g"
OVER_TCP = ("H1", "H2", "H2b", "H3", "H4", "T1", "T2", "T5", "T9", "T13", "H11")

# One core posts small messages with perftest's loop, whatever the card; two of the laboratories have other software.
POST_COST = {TRIVEDI: 322, CX6_PAIR: 380, UCX: 391, PERFTEST: 379, SMART: 215, DAQIRI: 771}

# Of post-cost: round trips of perftest at the 99th percentile, and their median.
JITTER = {CX5_PAIR: 34, CX6_PAIR: 49, CX7_PAIR: 31}

# Values of profiles whose constants above belong to experiments.
HOSTS_OF_CARDS = {
    (CX5, "post-cost"): {TRIVEDI: 322}, (CX6, "post-cost"): {CX6_PAIR: 380, UCX: 391, PERFTEST: 379},
    (CX7, "post-cost"): {H100: 330}, ("spdk-target", "command-cost"): {SPDK_ISSUES: 1483},
    (CX5, "post-jitter"): JITTER, (CX6, "post-jitter"): JITTER, (CX7, "post-jitter"): JITTER,
    ("optane-p4800x", "read-latency"): {ANAND: 7200}, ("flash-p3700", "read-time"): {ANAND: 58000},
    ("optane-p5800x", "read-latency"): {BLOCK: 2990},
    ("linux-libaio", "submit-cost"): {SENDERS: 1920, PHOTON: 1930}, ("linux-libaio", "complete-cost"): {SENDERS: 1640, PHOTON: 1660},
    ("linux-io-uring", "submit-cost"): {FIO: 784, PHOTON: 1155},
}

CONSTANTS = [
    # hosts
    Constant(RNIC + "post-cost", ("W1", "B5", "B6", "B7", "R1", "R3", "R5", "R7", "R8", "R12"), POST_COST),
    Constant("workloads.0.doorbell-cost", ("R3",), {SMART: 60}, 0),
    Constant(RNIC + "completion-cost", ("N1", "N2"), {STORAGE: 3600, SPDK: 3070}),
    Constant("hosts.defaults.nvme.submit-cost", ("N5",), {SPDK: 3070, STORAGE: 3630}),
    Constant("hosts.defaults.nvme.complete-cost", ("N5",), {SPDK: 3070, STORAGE: 3630}),
    Constant(RNIC + "peer-read-rate", ("G1",), {GPU_USER: 92}, 0, "Gbps"),
    Constant(TARGET + "command-cost", ("N5",), {SPDK: 190, SPDK_ISSUES: 1483}),
    Constant(TARGET + "command-cost", ("N6",), {SPDK: 190, SPDK_ISSUES: 1483}),
    Constant(TARGET + "command-cost", ("N1b",), {STORAGE: 3230}, 1483),
    Constant(TARGET + "lock-cost", ("N1b",), {STORAGE: 440}, 0),
    Constant("hosts.target.target.lock-cost", ("T5",), {SPDK_ISSUES: 266}, 0),
    Constant(TCP + "interrupt-delay", ("T1", "T2"), {SPDK_ISSUES: 10900, LIGHTBITS: 9500}),
    Constant("hosts.target.tcp.interrupt-delay", ("H3", "H4"), {SPDK_ISSUES: 10900, LIGHTBITS: 9500}),
    Constant(TCP + "interrupt-delay", ("H2",), {INTEL: 6000}, 10000),
    Constant("hosts.defaults.nvme.iscsi-submit-cost", ("T9",), {OTHERS: 5230}),
    Constant("hosts.defaults.nvme.iscsi-complete-cost", ("T9",), {OTHERS: 5230}),
    Constant(TCP + "cold-copy-cost", ("T13",), {OFFLOAD: 640}, 195),
    Constant(TCP + "digest-cost", OVER_TCP, {OFFLOAD: 430, SPDK_ISSUES: 424}),
    # ConnectX-3
    Constant(RNIC + "tx-delay", CX3, {CX3_PAIR: 410}, 480),
    Constant(RNIC + "rx-delay", CX3, {CX3_PAIR: 410}, 480),
    Constant(RNIC + "path-mtu", CX3, {CX3_PAIR: 2048}, 4096, "B"),
    # ConnectX-5; without RC in the second laboratory
    Constant(RNIC + "tx-delay", CX5, {CX5_PAIR: 480, "IBM": 390}),
    Constant(RNIC + "rx-delay", CX5, {CX5_PAIR: 480, "IBM": 390}),
    Constant(RNIC + "pcie-overhead", CX5, {CX5_PAIR: 3, PCIE: 3}, None, "%"),
    Constant(RNIC + "event-cost", CX5, {STORAGE: 125}, 0),
    Constant(RNIC + "ack-interval", CX5, {TRIVEDI: 30, KEYSIGHT: 35}, None, ""),
    Constant(RNIC + "ack-interval", ("A3",), {TRIVEDI: 30, KEYSIGHT: 35}, None, ""),
    # ConnectX-6
    Constant(RNIC + "tx-delay", CX6, {CX6_PAIR: 852, SMART: 856}),
    Constant(RNIC + "rx-delay", CX6, {CX6_PAIR: 852, SMART: 856}),
    Constant(RNIC + "pcie-read-latency", CX6, {CX6_PAIR: 890}, 466),
    Constant(RNIC + "copy-rate", CX6, {CX6_PAIR: 53}, 90, "Gbps"),
    Constant(RNIC + "message-cost", CX6, {CX6_THREADS: 8.13}, 9),
    Constant(RNIC + "read-cost", CX6, {SMART: 9, CX6_THREADS: 8.13}),
    Constant(RNIC + "read-response-cost", CX6, {SMART: 9, CX6_THREADS: 8.13}),
    Constant(RNIC + "wr-cache", CX6, {SMART: 768, CX6_THREADS: 780}, None, ""),
    Constant(RNIC + "wr-cache-miss-cost", CX6, {SMART: 17, CX6_THREADS: 16.4}),
    Constant(RNIC + "qp-read-cost", CX6, {UCX: 614}, 890),
    Constant(RNIC + "read-overlap", CX6, {UCX: 128, SMART: 8}, None, "B"),
    Constant(RNIC + "qp-cache-miss-cost", CX6, {CX6_THREADS: 1.4}, 20),
    # ConnectX-7
    Constant(RNIC + "tx-delay", CX7, {CX7_PAIR: 400}, 480),
    Constant(RNIC + "rx-delay", CX7, {CX7_PAIR: 400}, 480),
    Constant(RNIC + "qp-packet-cost", CX7, {NOVITA: 89.8, H100: 84.9}),
    Constant(RNIC + "qp-read-packet-cost", CX7, {NOVITA: 102.4, CX7_PAIR: 99.7}),
    Constant(RNIC + "copy-rate", CX7, {H100: 90}, 53, "Gbps"),
    # another vendor's card
    Constant(RNIC + "message-cost", IONIC, {AMD: 217}, 3),
    Constant(RNIC + "gather-cost", IONIC, {AMD: 51}, 0),
    # PCIe; a switch whose five passes take 500 ns each, as other switches of its time
    Constant("hosts.overrides.0.rnic.pcie-tags", ("P1", "P3"), {PCIE: 29}, 32, ""),
    Constant("hosts.overrides.0.rnic.iotlb-entries", ("P3",), {PCIE: 120}, 120, ""),
    Constant("hosts.overrides.0.rnic.iotlb-miss-cost", ("P3",), {PCIE: 36.3}, 0),
    Constant("fabric.switch.latency", ("R17",), {NUS: 7100}, 2500),
    # drives
    Constant(MEDIA + "read-latency", ("M1",), {ANAND: 7200}),
    Constant(MEDIA + "read-time", ("M2",), {ANAND: 58000}),
    Constant(MEDIA + "read-latency", ("M5",), {BLOCK: 2990}),
    Constant(MEDIA + "read-latency", ("M1b",), {ROCM: 12200}),
]


def is_used(constant, experiment):
    profile = constant.used_by if isinstance(constant.used_by, str) else None
    return experiment.profile == profile if profile else experiment.id in constant.used_by


def others(constant, laboratory):
    """What the other laboratories say of the constant; None: nothing."""
    rest = [value for name, value in constant.estimates.items() if name != laboratory]
    return statistics.median(rest) if rest else constant.otherwise


def written(value, unit):
    if unit == "ns" and value != int(value):
        return f"{value * 1000:.0f}ps"
    return f"{value:g}{unit}"


def without(laboratory, experiment):
    """The settings that predict an experiment without its own laboratory; None: no other source."""
    sets = []
    for constant in CONSTANTS:
        if laboratory in constant.estimates and is_used(constant, experiment):
            value = others(constant, laboratory)
            if value is None:
                return None
            sets.append(f"{constant.path}={written(value, constant.unit)}")
    return tuple(sets)


def sources_left(laboratory, experiment, path):
    """How many other laboratories say what `path` is; None: the laboratory's figures do not decide it."""
    name = path.rsplit(".", 1)[-1]
    for constant in CONSTANTS:
        if constant.path.rsplit(".", 1)[-1] == name and laboratory in constant.estimates and is_used(constant, experiment):
            return len(constant.estimates) - 1
    return None
