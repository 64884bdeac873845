# rows - kinds of harm from the program's parameters.                SPDX-License-Identifier: Apache-2.0
# `stormglass explain-parameter --json` has what a parameter acts on, which values are worse and what it needs.  Each
# number with a worse direction is a kind: a worse value at one link, switch, host, target, namespace or workload, or
# at all of them.  Nothing here lists parameters, and nothing says how much of one is too much: a value is drawn, and
# kept if it costs a member time.  A new parameter is drawn from the day on which it lands.
import json
import math
import re

from harms import (Harm, arrays, at_host, at_link, at_switch, end_of, everywhere, link_name, namespaces, of_host,
                   of_workload, some_link, some_switch)
from play import program

UNITS = {  # to the smallest unit, in which values are written
    "ps": ("ps", 1), "ns": ("ps", 10**3), "us": ("ps", 10**6), "ms": ("ps", 10**9), "s": ("ps", 10**12),
    "h": ("ps", 3600 * 10**12), "B": ("B", 1), "KB": ("B", 1000), "KiB": ("B", 1024), "MB": ("B", 10**6),
    "MiB": ("B", 2**20), "GiB": ("B", 2**30), "TiB": ("B", 2**40), "bps": ("bps", 1), "kbps": ("bps", 10**3),
    "Mbps": ("bps", 10**6), "Gbps": ("bps", 10**9), "Tbps": ("bps", 10**12), "m": ("m", 1), "km": ("m", 1000),
    "%": ("%", 1), "": ("", 1),
}
# What all workloads of the draw have more of by themselves: where a limit of 0 ends, and a cost of 0 begins.
LEAST = {"ps": 10**4, "B": 1024, "bps": 10**7, "m": 1, "%": 0.1, "": 1}
MOST = {"ps": 10**9, "B": 2**24, "bps": 10**11, "m": 10**5, "%": 100, "": 10**5}
LOAD = ("asked", "depth")  # what users ask for is no harm
WORKLOADS = ("nvme", "rdma-write", "rdma-read", "rdma-send")  # that Healthy writes
MEDIA = ("fixed", "flash-tlc", "ssd")


def number(text):
    """A quantity as (unit, value), or (None, None) for a word such as auto."""
    match = re.fullmatch(r"([\d.]+(?:e-?\d+)?)([a-zA-Z%]*)", text)
    if not match or match.group(2) not in UNITS:
        return None, None
    unit, scale = UNITS[match.group(2)]
    return unit, float(match.group(1)) * scale


class Row:
    """A parameter as explain-parameter --json has it."""

    def __init__(self, fields):
        self.path, self.fields = fields["name"], fields
        self.section, self.name = re.match(r"(?:(.*)\.)?([^.]*)$", self.path).groups()
        self.part = fields["acts_on"]
        self.needs = fields["needs"]
        self.worse = {"lower": "less", "higher": "more"}.get(fields["worse"])
        self.limit = self.worse == "less" and fields["zero_is_off"]
        quantity = fields["type"] not in ("boolean", "choice", "list", "dscp")
        self.unit, self.low = number(fields["min"] or "") if quantity else (None, None)
        self.high = math.inf if fields["max"] is None else number(fields["max"])[1]
        self.preset = number(fields["default"])[1]

    def why_none(self):
        """Why it is no kind of harm, or None."""
        if self.worse is None:
            return "no direction is worse"
        if self.unit is None or self.high is None:
            return "no number"
        if self.part in LOAD:
            return "offered load"
        if self.section.startswith("faults"):
            return "a fault: each has a function in kinds.py"
        return None if placed(self) else "no place for it in drawn scenarios"

    def drawn(self, draw):
        """A worse value: a factor of 2 to 1000 from the default, or one that most loads notice."""
        least, most = max(self.low, LEAST[self.unit]), min(self.high, MOST[self.unit])
        if self.preset:
            factor = 10 ** draw.uniform(0.3, 3)
            value = self.preset / factor if self.worse == "less" else self.preset * factor
        else:
            value = least * (max(most, least) / least) ** draw.random()
        value = min(max(value, self.low), self.high)
        if self.limit and value < 1:
            value = 1
        power, step = self.fields["power_of"], self.fields["multiple_of"]
        if power:
            value = self.low * int(power) ** round(math.log(value / self.low, int(power)))
        elif step:
            value = max(self.low, value // number(step)[1] * number(step)[1])
        return self.written(value)

    def written(self, value):
        if self.unit == "%":
            return f"{value:.1f}%"
        return f"{round(value)}{self.unit}" if self.unit else round(value)


def all_rows():
    paths = [row["name"] for row in json.loads(program("list", "parameters", "--json"))["parameters"]]
    rows = {}
    for fields in json.loads(program("explain-parameter", "--json", *paths))["parameters"]:
        rows.setdefault(fields["name"], Row(fields))
    return rows


# ---- what a need is, written into a healthy scenario

def needed(row, rows):
    """Settings with which the row has an effect; what a workload must do is left to the draw."""
    settings = {}
    for need in row.needs:
        match = re.fullmatch(r"(\S+) is (not 0|not off|set|true|\S+)(?: or \S+)?", need)
        other = match and rows.get(f"{row.section}.{match.group(1)}")
        if other is None:
            continue
        word = match.group(2)
        if word == "not off":
            word = next(choice for choice in other.fields["choices"] if choice != "off")
        elif word in ("not 0", "set"):
            least = max(other.low, LEAST[other.unit])
            word = other.written(min(max(least * 50 if other.worse == "more" else least * 4, other.low), other.high))
        settings[match.group(1)] = True if word == "true" else word
    if any("miss of the QP cache" in need for need in row.needs):
        settings["qp-cache-miss-cost"] = "1us"
    return settings


# ---- where a row is written

def used_host(draw, healthy, row):
    if row.section == "hosts.defaults.target":
        return draw.choice(healthy.targets())
    return draw.choice(healthy.used())


def at_port(draw, healthy, row, values):
    link = some_link(draw, healthy)
    return at_link(link, draw.choice([link_name(healthy, link), end_of(draw, link)]), **values)


def at_a_switch(draw, healthy, row, values):
    if draw.random() < 0.25:
        return Harm((), everywhere("fabric.switch", **values))
    return at_switch(healthy, some_switch(draw, healthy), **values)


def at_fabric(draw, healthy, row, values):
    return Harm((), everywhere(row.section, **values))


def at_a_host(draw, healthy, row, values):
    section = row.section.rsplit(".", 1)[1]
    if draw.random() < 0.25:
        return Harm((), everywhere(row.section, **values))
    return at_host(draw, healthy, used_host(draw, healthy, row), section, **values)


def at_namespace(draw, healthy, row, values):
    """One target's, or where there is but one all of them."""
    if not healthy.targets():
        return None
    media = row.section.startswith("hosts.targets.namespaces.media")
    spaces = healthy.scenario["hosts"]["targets"]["namespaces"]
    written = {"media": dict(spaces[0]["media"], **values)} if media else values
    name = f"media.{row.name}" if media else row.name
    if len(healthy.targets()) < 2 or draw.random() < 0.25:
        def edit(scenario):
            arrays(**written)(scenario)
            return [f"hosts.targets.namespaces.0.{name}"]
        return Harm((), edit)
    host = draw.choice(healthy.targets())
    return Harm(of_host(healthy, host), namespaces(host, [name], **written))


def at_workload(draw, healthy, row, values):
    kind = re.search(r"kind: ([\w-]+)", row.section).group(1)
    index = draw.choice([i for i, work in enumerate(healthy.workloads) if work["kind"] == kind])
    work = healthy.workloads[index]
    return Harm({work["name"], *work["to"]}, of_workload(index, **values))


PLACES = [  # section, where, what the healthy scenario must have
    (r"fabric\.host-links", at_port, {}),
    (r"fabric\.switch", at_a_switch, {}),
    (r"fabric\.routing", at_fabric, {}),
    (r"hosts\.defaults\.rnic", at_a_host, {}),
    (r"hosts\.defaults\.(nvme|target)", at_a_host, {"kind": "nvme"}),
    (r"hosts\.defaults\.tcp", at_a_host, {"kind": "nvme", "tcp": True}),
    (r"hosts\.targets\.namespaces", at_namespace, {"kind": "nvme", "to": 2}),
    *((r"hosts\.targets\.namespaces\.media\{kind: %s\}" % kind, at_namespace,
       {"kind": "nvme", "to": 2, "media": kind}) for kind in MEDIA),
    *((r"workloads\{kind: %s\}" % kind, at_workload, {"kind": kind}) for kind in WORKLOADS),
]
# What else drawn scenarios have: which of them a parameter needs is found by trying.
SURROUNDINGS = [
    {}, {}, {"incast": True}, {"writes": True}, {"reads": True}, {"control": "dcqcn", "incast": True},
    {"control": "dcqcn", "incast": True, "shared": "half"}, {"drained": True, "incast": True, "control": "none"},
    {"incast": True, "buffer": "small", "control": "none"}, {"kind": "nvme", "incast": True},
    {"shape": "pair", "crossing": True, "up": 4, "buffer": "32MiB", "control": "none"},
    {"kind": "rdma-read", "all": True}, {"kind": "rdma-send", "all": True},
]


def placed(row):
    return next(((where, wants) for section, where, wants in PLACES if re.fullmatch(section, row.section or "")), None)


class Rows:
    """The kinds of harm that rows make, by what they act on."""

    def __init__(self):
        self.rows = all_rows()
        self.left_out = {path: row.why_none() for path, row in self.rows.items() if row.why_none()}
        self.parts = {}
        for path, row in sorted(self.rows.items()):
            if path not in self.left_out:
                self.parts.setdefault(row.part, []).append(path)

    def part_of(self, kind):
        """What the parameter acts on; None: a harm of kinds.py."""
        return self.rows[kind].part if kind in self.rows else None

    def wants(self, kind, draw):
        row = self.rows[kind]
        wants = dict(draw.choice(SURROUNDINGS), **placed(row)[1])
        if "the host has TCP traffic" in row.needs:
            wants["tcp"] = True
        if any("uses TLS" in need for need in row.needs):
            return dict(wants, needed={"nvme": {"tcp-tls": True}})
        section = row.section.rsplit(".", 1)[-1]
        return dict(wants, needed={section: needed(row, self.rows)}) if row.needs else wants

    def make(self, kind, draw, healthy):
        row = self.rows[kind]
        harm = placed(row)[0](draw, healthy, row, {row.name: row.drawn(draw)})
        if harm is not None:
            harm.kind = kind
        return harm
