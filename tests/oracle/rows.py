# rows - what relieves what: the oracle's own opinion, of names alone.  SPDX-License-Identifier: Apache-2.0
# Every row that took effect in a run is looked at.  The first rule that its path meets says which kind of
# resource it is of and what relieves it: MORE is a tenth more, of numbers one at least; LESS is a tenth less.
# A row that no rule names is relieved as its unit says, under OTHER: should it gain most, then a limit has
# no name.  NEITHER: it is no rate, cost, depth or limit, but what is asked for, an address or a choice.
# Rows of a KIND/PART are relieved apart, as less of a wait may be more of a storm of retries: the best counts.
# How many cores, dies or queues there are is left: one more may be twice as many, and their cost is a row.
import re
from fractions import Fraction

MORE, LESS, NEITHER, ABSENT = "more", "less", "neither", "absent"
OTHER = "no resource"
TENTH = (Fraction(11, 10), Fraction(11, 10))  # times as much of MORE, a part of LESS
LIMITLESS = (Fraction(8), Fraction(1000))

RULES = [(re.compile(path), kind, how) for path, kind, how in (
    (r"^(seed|duration|drain)$", None, NEITHER),
    (r"^fabric\.topology\.|^fabric\.switch\.(ports|cell|smallest-frame|ecmp-|watchdog|pfc-priorities|reserved)", None, NEITHER),
    (r"\.(weight-\d|dscp|priority|accept-dscp|ack-dscp|ack-priority|cnp-dscp|cnp-priority|ttl|pfc-enabled|lag-seed)$", None, NEITHER),
    (r"\.(mtu|path-mtu|path-mtu-agreement|accept-timeout|line-rate|pfc-priorities|max-transfer|rdma-size|headroom-ratio)$", None, NEITHER),
    (r"\.(cores|parallel|channels|dies-per-channel|page-size|program-size|read-jitter)$", None, NEITHER),
    (r"\.namespaces\[\d+\]\.(count|size|lba-size)$", None, NEITHER),
    (r"^workloads\..*\.(start|stop|warm-up|read|block-size|message-size|count|size|offset|namespace)$", None, NEITHER),
    (r"^workloads\..*\.(queues|qps|threads|loop|skip)$|\.nvme\.queues$|\.max-queues$", None, NEITHER),
    (r"^fabric\.[a-z-]*links.*\.rate$", "link", MORE),
    (r"\.rnic\.((qp-)?message|qp-(read-)?packet|gather|(qp-)?read|read-response|register|read-context-miss|wr-cache-miss|srq-receive|[tr]x-packet|qp-cache-miss)-cost$", "rnic", LESS),
    (r"\.rnic\.pcie-(lanes|tags)$", "pcie", MORE),
    (r"\.rnic\.(interrupt|completion)-cost$", "completions", LESS),
    (r"\.rnic\.(event|iotlb-miss)-cost$", "pcie", LESS),
    (r"\.rnic\.iotlb-(entries|page|window)$", None, NEITHER),
    (r"\.rnic\.(inline-size|register-inline|qp-cache|read-contexts|wr-cache|copy-rate|read-overlap|completions|post-jitter|cq-moderation-(count|time)|pcie-(generation|payload|read-request|overhead))$", None, NEITHER),
    (r"\.tcp\.((r|t)x-batch|rx-segment|interrupt|copy|tls|tls-record)-cost$|\.tcp\.(interrupt-delay|tls-cost)$", "host cpu", LESS),
    (r"\.tcp\.(send|receive)-buffer(-max)?$|\.tcp\.output-limit$", "send window", MORE),
    (r"\.tcp\.initial-window$", "congestion control", MORE),
    (r"\.tcp\.(rto-min|timer-slack)$", "loss/timeout", LESS),
    (r"\.tcp\.delayed-ack$", "delayed ACKs", LESS),
    (r"\.tcp\.|\.nvme\.tcp-|\.target\.tcp-", None, NEITHER),
    (r"\.rnic\.drain$", "slow receiver", MORE),
    (r"\.media\.(channel-rate|link-rate|buffer)$", "media", MORE),
    (r"\.media\.", "media", LESS),
    (r"\.namespaces\[\d+\]\.drives$", "media", MORE),
    (r"\.target\.(command|lock)-cost$", "target cpu", LESS),
    (r"\.nvme\.(submit|complete)-cost$|\.rnic\.(cpu-|post-cost$)", "host cpu", LESS),
    (r"\.switch\.(alpha|xoff|buffer)$|\.rnic\.(rx-buffer|rx-xoff|rx-xon)$", "pauses", MORE),
    (r"\.switch\.xon-offset$", "pauses", LESS),
    (r"^workloads\..*\.receives$", "credit", MORE),
    (r"^workloads\..*\.receive-delay$", "credit", LESS),
    (r"\.min-rnr-timer$", "credit/timer", LESS),
    (r"\.timer-tick$", "credit/tick", LESS),
    (r"\.receive-ring$", "loss/ring", MORE),  # a software RNIC drops what it has no room for
    (r"\.rnic\.congestion-control$", "congestion control", ABSENT),
    (r"\.congestion-control\.|\.switch\.ecn-", "congestion control", NEITHER),  # it is off then
    (r"\.rnic\.timeout$", "loss/timeout", LESS),
    (r"\.nvme\.reconnect-delay$", "recovery", LESS),
    (r"\.rnic\.max-rd-atomic$", "outstanding reads", MORE),
    (r"\.rnic\.max-unacked$", "send window", MORE),
    (r"\.(queue-size|max-queue-size)$", "queue size", MORE),
    (r"^workloads\..*\.(queue-depth|outstanding)$", "queue depth", MORE),
    (r"^workloads\..*\.(rate|speed)$", "asked for", MORE),
    (r"^workloads\..*\.think-time$", "asked for", LESS),
    (r"\.pfc-quanta$", OTHER, LESS),
    (r"timeout$|-tmo$|\.keep-alive$|\.(retry-count|rnr-retry|cm-retries)$", None, NEITHER),  # of faults, which end
)]

# What ends with a fault that never comes.  What a link that is down takes is lost, and found again.
FAULTS = {
    "slow-receiver": ["slow receiver"],
    "pause-storm": ["pauses"],
    "bit-errors": ["loss"],
    "drop-every": ["loss"],
    "link-down": ["loss", "recovery"],
    "link-flap": ["loss", "recovery"],
    "switch-down": ["loss", "recovery"],
    "target-stall": ["recovery"],
    "target-crash": ["recovery"],
}

# How a value is written: its unit, in which unit it is set, and how much of that it is.
UNITS = {"": ("", 1), "%": ("%", 1), "m": ("m", 1)}
UNITS.update({f"{prefix}bps": ("bps", 1000 ** power) for power, prefix in enumerate(["", "K", "M", "G", "T"])})
UNITS.update({unit: ("ps", 1000 ** power) for power, unit in enumerate(["ps", "ns", "us", "ms", "s"])})
UNITS.update({f"{prefix}iB": ("B", 1024 ** power) for power, prefix in enumerate("KMGT", 1)})
UNITS.update({f"{prefix}B": ("B", 1000 ** power) for power, prefix in enumerate(["", "K", "M", "G", "T"])})


def number(text):
    """A value as a whole number of its unit, and the unit; of words, ratios and nothing: None."""
    met = re.fullmatch(r"(\d+)(?:\.(\d+))?([A-Za-z%]*)", text)
    if met is None or (met[2] and met[3] in ("", "%", "m")):
        return None
    unit, factor = UNITS[met[3]]  # another unit is a mistake of this list
    value = Fraction(f"{met[1]}.{met[2] or 0}") * factor
    return (int(value), unit) if value > 0 else None


def rule_of(path):
    for rule, kind, how in RULES:
        if rule.search(path):
            return kind, how
    return OTHER, None


def relieved(path, how, value, unit, times):
    """The value with a tenth more, or less, of it; None where there is no such value."""
    if how is None:
        how = LESS if unit in ("ps", "m") else MORE
    if how == LESS:
        step = {"": 1, "m": 1}.get(unit, 0)
        less = min(value - step, int(value / times[1]))
        if path.endswith(".receive-delay"):  # whole microseconds
            less = less // 1_000_000 * 1_000_000
        return less if less > 0 else None
    return int(value * times[0]) if unit == "%" else max(value + 1, int(value * times[0]))


def reliefs(settings, faults, never, times=TENTH):
    """By kind, or part of one: what is set to relieve it.  `settings` are texts by path, `faults` the kinds by number."""
    found = {}
    for path, text in settings.items():
        kind, how = rule_of(path)
        if how == ABSENT and text != "none":
            found.setdefault(kind, []).append(f"{path}=none")
        if how in (NEITHER, ABSENT) or path.startswith("faults[") or number(text) is None:
            continue
        value, unit = number(text)
        after = relieved(path, how, value, unit, times)
        if after is not None and after != value:
            found.setdefault(kind, []).append(f"{path}={after}{unit}")
    for index, fault in enumerate(faults):
        for kind in FAULTS[fault]:
            found.setdefault(kind, []).append(f"faults[{index}].at={never}")
    return found
