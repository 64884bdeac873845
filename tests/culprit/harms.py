# harms - one thing that goes wrong in a healthy scenario, of each kind.  SPDX-License-Identifier: Apache-2.0
# A kind is one function below HARM: it draws where and how much, and returns a Harm.  A fault has the
# word of `stormglass list faults` as its kind, and needs a function here on the day it lands.
import copy

from healthy import PFC_PRIORITY, places_of_host, places_of_link, places_of_switch, port

KINDS = {}


class Harm:
    """What is written into a scenario, and by what else than its path the place may be called."""

    def __init__(self, places, *edits):
        self.places = set(places)
        self.edits = edits
        self.kind = None
        self.names = []  # paths as --set takes them, of what was written

    def write(self, scenario):
        self.names = []
        for edit in self.edits:
            edit(self, scenario)


def harm(word, /, **wants):
    """WORD: of the kind; WANTS: what the healthy scenario must have, as Healthy takes it."""
    def register(function):
        KINDS[word] = (function, wants)
        return function
    return register


# ---- edits

def leaves(value, path):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}")
    else:
        yield path


def override(where, **values):
    def write(self, scenario):
        entries = scenario["fabric"].setdefault("overrides", [])
        for key, value in values.items():
            self.names += leaves(value, f"fabric.overrides.{len(entries)}.{key.replace('_', '-')}")
        entries.append(dict({"where": where}, **{key.replace("_", "-"): value for key, value in values.items()}))
    return write


def group(where, section, **values):
    """A group of hosts of its own; or, half of the time, an override: the same, written elsewhere."""
    def write(self, scenario):
        name = f"odd-{where}"
        while name in scenario["hosts"]:
            name += "x"
        written = {key.replace("_", "-"): value for key, value in values.items()}
        scenario["hosts"][name] = {"where": where, section: written}
        self.names += leaves(written, f"hosts.{name}.{section}")
    return write


def at_host(draw, host, section, **values):
    if draw.random() < 0.5:
        return group(host, section, **values)
    return override(host, **{section: {key.replace("_", "-"): value for key, value in values.items()}})


def route(at, to, via):
    def write(self, scenario):
        entries = scenario["fabric"].setdefault("routes", [])
        self.names.append(f"fabric.routes.{len(entries)}")
        entries.append({"at": at, "to": to, "via": via})
    return write


def fault(kind, where, **values):
    def write(self, scenario):
        entries = scenario.setdefault("faults", [])
        self.names.append(f"faults.{len(entries)}")
        entries.append(dict({"kind": kind, "where": where}, **values))
    return write


def of_workload(index, **values):
    def write(self, scenario):
        for key, value in values.items():
            scenario["workloads"][index][key.replace("_", "-")] = value
            self.names.append(f"workloads.{index}.{key.replace('_', '-')}")
    return write


# ---- where and when

def when(draw, healthy):
    """From the beginning or later; to the end or for a while that matters."""
    times = {}
    if draw.random() < 0.7:
        times["at"] = f"{int(healthy.duration_us * draw.uniform(0.05, 0.4))}us"
    if draw.random() < 0.6:
        times["for"] = f"{int(healthy.duration_us * draw.uniform(0.3, 0.6))}us"
    return times


def some_link(draw, healthy, fabric=0.5):
    between = healthy.fabric_links()
    if between and draw.random() < fabric:
        return draw.choice(between)
    return healthy.link_of(draw.choice(healthy.used()))


def link_name(link):
    return f"{link[0]}-{link[2]}" if link[1] == 0 and link[0].startswith("host") else port(link[0], link[1])


def end_of(draw, link):
    return draw.choice([port(link[0], link[1]), port(link[2], link[3])])


def a_switch(draw, healthy):
    return draw.choice(healthy.used_switches())


# ---- faults

@harm("slow-receiver")
def slow_receiver(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host),
                fault("slow-receiver", host, drain=f"{draw.choice([1, 3, 5, 10, 20])}%", **when(draw, healthy)))


@harm("pause-storm")
def pause_storm(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host),
                fault("pause-storm", host, priority=PFC_PRIORITY, **when(draw, healthy)))


@harm("link-down")
def link_down(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link), fault("link-down", named(healthy, link), **when(draw, healthy)))


@harm("dead-link")
def dead_link(draw, healthy):
    """From the start: its hosts never connect."""
    link = healthy.link_of(draw.choice(healthy.used()))
    return Harm(places_of_link(link) | {link[0]}, fault("link-down", named(healthy, link)))


def named(healthy, link):
    """By its two nodes, or where there are several such links by a port of it."""
    alike = [other for other in healthy.links if {other[0], other[2]} == {link[0], link[2]}]
    return f"{link[0]}-{link[2]}" if len(alike) == 1 else port(link[0], link[1])


@harm("link-flap")
def link_flap(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link),
                fault("link-flap", named(healthy, link), period=f"{draw.choice([200, 400, 700])}us",
                      duty=f"{draw.choice([20, 50, 70])}%", **when(draw, healthy)))


@harm("bit-errors")
def bit_errors(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link),
                fault("bit-errors", named(healthy, link), rate=draw.choice(["1e-6", "3e-6", "1e-7"]),
                      **when(draw, healthy)))


@harm("drop-every")
def drop_every(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link),
                fault("drop-every", end_of(draw, link), n=draw.choice([8, 16, 64, 128]),
                      **when(draw, healthy)))


@harm("pfc-off", incast=True, buffer="small", control="none")
def pfc_off(draw, healthy):
    host = draw.choice(healthy.data_senders())
    link = healthy.link_of(host) if draw.random() < 0.6 or not healthy.fabric_links() else some_link(draw, healthy, 1)
    return Harm(places_of_link(link), fault("pfc-off", end_of(draw, link), **when(draw, healthy)))


@harm("switch-down")
def switch_down(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch), fault("switch-down", switch, **when(draw, healthy)))


@harm("misroute", shape="leaf-spine")
def misroute(draw, healthy):
    at, to, via = wrong_way(draw, healthy)
    return Harm(places_of_switch(healthy, at), fault("misroute", at, to=to, via=via, **when(draw, healthy)))


@harm("target-stall", kind="nvme")
def target_stall(draw, healthy):
    host = draw.choice(healthy.targets())
    return Harm(places_of_host(healthy, host), fault("target-stall", host, **when(draw, healthy)))


@harm("target-crash", kind="nvme")
def target_crash(draw, healthy):
    host = draw.choice(healthy.targets())
    return Harm(places_of_host(healthy, host),
                fault("target-crash", host, how=draw.choice(["process", "power"]), **when(draw, healthy)))


# ---- lossless or not

@harm("no-pfc-port", incast=True, buffer="small", control="none")
def no_pfc_port(draw, healthy):
    host = draw.choice(healthy.data_senders())
    link = healthy.link_of(host) if draw.random() < 0.6 or not healthy.fabric_links() else some_link(draw, healthy, 1)
    values = draw.choice([{"flow_control": "none"}, {"pfc_enabled": [0, 1, 2, 4, 5, 6, 7]}])
    return Harm(places_of_link(link), override(end_of(draw, link), **values))


@harm("no-pfc-switch", incast=True, buffer="small", control="none")
def no_pfc_switch(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch), override(switch, pfc_priorities=draw.choice([[], [4], [2]])))


@harm("dscp-map-switch", incast=True, buffer="small", control="none")
def dscp_map_switch(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch), override(switch, dscp={"26": draw.choice([0, 1, 5])}))


@harm("priority-host", incast=True, buffer="small", control="none")
def priority_host(draw, healthy):
    """What it sends is in a class of its port that nobody pauses."""
    host = draw.choice(healthy.data_senders())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", priority=draw.choice([0, 1, 4])))


@harm("pauses-other-class", drained=True, incast=True, control="none")
def pauses_other_class(draw, healthy):
    """A full receive buffer pauses a priority that nobody sends."""
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", pfc_priorities=[draw.choice([0, 4, 5])]))


@harm("host-without-pfc", drained=True, incast=True, control="none")
def host_without_pfc(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", pfc=False))


@harm("headroom", incast=True, buffer="small", control="none")
def headroom(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch), override(switch, headroom=draw.choice(["0B", "2KiB", "4KiB"])))


@harm("pause-time", incast=True, buffer="small", control="none")
def pause_time(draw, healthy):
    """Pauses that end before the next XOFF."""
    host = draw.choice(healthy.data_senders())
    link = healthy.link_of(host) if draw.random() < 0.6 or not healthy.fabric_links() else some_link(draw, healthy, 1)
    return Harm(places_of_link(link), override(named(healthy, link), pfc_quanta=draw.choice([20, 100, 300]),
                                               pfc_refresh=f"{draw.choice([50, 200])}us"))


@harm("pause-delay", incast=True, buffer="small", control="none", headroom="120KiB", up=1)
def pause_delay(draw, healthy):
    """A transmitter that obeys later than the headroom allows for."""
    host = draw.choice(healthy.data_senders())
    link = healthy.link_of(host)
    return Harm(places_of_link(link), override(port(host, 0), pfc_response=f"{draw.choice([100, 200, 500])}us"))


@harm("rnic-watchdog", drained=True, incast=True, control="none")
def rnic_watchdog(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", pfc_watchdog=f"{draw.choice([1, 3, 10])}us"))


# ---- thresholds

@harm("alpha", shape="pair", crossing=True, up=4, buffer="32MiB", control="none")
def alpha(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch),
                override(switch, alpha=draw.choice(["0.1%", "0.2%"]), xon_offset=draw.choice(["0B", "8400B", "1MiB"])))


@harm("xoff", shape="pair", crossing=True, up=4, buffer="32MiB", control="none")
def xoff(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch),
                override(switch, policy="static", xoff=draw.choice(["1KB", "2KB", "5KB"])))


@harm("receive-buffer", drained=True, incast=True, control="none")
def receive_buffer(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", rx_buffer=draw.choice(["16KiB", "20KiB"])))


@harm("receive-xoff", drained=True)
def receive_xoff(draw, healthy):
    """A host that pauses at once and lets go late."""
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", rx_xoff="1KB", rx_xon="0B"))


@harm("marking", control="dcqcn", incast=True)
def marking(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch),
                override(switch, ecn_kmin=draw.choice(["0B", "1KB"]), ecn_kmax=draw.choice(["2KB", "5KB"]),
                         ecn_pmax="100%"))


@harm("no-congestion-control", control="dcqcn", incast=True, shared="one", kind="rdma-write")
def no_congestion_control(draw, healthy):
    host = healthy.workloads[1]["from"][0]
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", congestion_control="none"))


# ---- size and ways

@harm("mtu-link")
def mtu_link(draw, healthy):
    link = some_link(draw, healthy, 0.8)
    return Harm(places_of_link(link),
                override(draw.choice([named(healthy, link), end_of(draw, link)]), mtu=draw.choice(["1500B", "2048B"])))


@harm("mtu-host")
def mtu_host(draw, healthy):
    host = draw.choice(healthy.used())
    return Harm(places_of_host(healthy, host), override(host, mtu=draw.choice(["1500B", "2200B"])))


@harm("path-mtu", kind="rdma-write", workloads=1)
def path_mtu(draw, healthy):
    host = draw.choice(healthy.used())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", path_mtu=draw.choice(["256B", "512B"])))


def wrong_way(draw, healthy):
    """A switch that sends what goes to a host back to where it came from, or to a wrong leaf."""
    host = draw.choice(healthy.used())
    home = healthy.switch_of(host)
    if draw.random() < 0.5:
        return home, host, draw.choice(healthy.spines)
    other = draw.choice([switch for switch in healthy.switches if switch not in healthy.spines and switch != home])
    return draw.choice(healthy.spines), host, other


@harm("static-route", shape="leaf-spine")
def static_route(draw, healthy):
    at, to, via = wrong_way(draw, healthy)
    return Harm(places_of_switch(healthy, at), route(at, to, via))


@harm("ttl", shape="leaf-spine")
def ttl(draw, healthy):
    host = draw.choice(healthy.used())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", ttl=draw.choice([1, 2])))


@harm("deadlock", shape="ring", control="none", buffer="small")
def deadlock(draw, healthy):
    """What goes on by the next switch but one goes round: each waits for the next when buffers fill."""
    edits, ring = [], healthy.switches
    for i, switch in enumerate(ring):
        far = [host for host in healthy.hosts if healthy.switch_of(host) == ring[(i + 2) % len(ring)]]
        edits.append(route(switch, far, ring[(i + 1) % len(ring)]))
    places = set().union(*(places_of_switch(healthy, switch) for switch in ring))
    return Harm(places, *edits)


@harm("collision", shape="leaf-spine", spines=4, qps=8, kind="rdma-write", pairs=True, up=1, control="none")
def collision(draw, healthy):
    """All queue pairs of two hosts go one way."""
    switch = draw.choice(sorted({healthy.switch_of(host) for host in healthy.data_senders()}))
    return Harm(places_of_switch(healthy, switch), override(switch, ecmp_hash="addresses"))


@harm("slow-link")
def slow_link(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link), override(named(healthy, link), rate=draw.choice(["1Gbps", "5Gbps", "10Gbps"])))


@harm("long-link", buffer="32MiB")
def long_link(draw, healthy):
    link = some_link(draw, healthy)
    return Harm(places_of_link(link), override(named(healthy, link), delay=f"{draw.choice([10, 20, 40])}us"))


@harm("slow-switch", buffer="128MiB")
def slow_switch(draw, healthy):
    switch = a_switch(draw, healthy)
    return Harm(places_of_switch(healthy, switch), override(switch, latency=f"{draw.choice([10, 20, 50])}us"))


@harm("weight", classes=True, shared="half", incast=True, kind="rdma-write")
def weight(draw, healthy):
    """One of two classes that share a switch is starved."""
    switch = a_switch(draw, healthy)
    starved, other = draw.choice([(3, 4), (4, 3)])
    values = draw.choice([{f"weight-{starved}": 1, f"weight-{other}": 99}, {f"weight-{other}": 0}])
    return Harm(places_of_switch(healthy, switch), override(switch, **values))


# ---- hosts and targets

@harm("slow-drain")
def slow_drain(draw, healthy):
    host = draw.choice(healthy.data_receivers())
    return Harm(places_of_host(healthy, host),
                at_host(draw, host, "rnic", drain=f"{healthy.rate * draw.choice([2, 5, 10, 15]) * 10}Mbps"))


@harm("host-cpu", kind="nvme")
def host_cpu(draw, healthy):
    work = draw.choice([work for work in healthy.workloads if work["kind"] == "nvme"])
    host = draw.choice(work["from"])
    return Harm(places_of_host(healthy, host),
                at_host(draw, host, "nvme", **{draw.choice(["submit_cost", "complete_cost"]):
                                               f"{draw.choice([10, 20, 40])}us"}))


@harm("target-cpu", kind="nvme")
def target_cpu(draw, healthy):
    host = draw.choice(healthy.targets())
    return Harm(places_of_host(healthy, host),
                at_host(draw, host, "target", command_cost=f"{draw.choice([10, 30, 60])}us"))


@harm("queue-size", kind="nvme")
def queue_size(draw, healthy):
    work = draw.choice([work for work in healthy.workloads if work["kind"] == "nvme"])
    host = draw.choice(work["from"] + work["to"])
    if host in work["from"]:
        return Harm(places_of_host(healthy, host), at_host(draw, host, "nvme", queue_size=2))
    return Harm(places_of_host(healthy, host), at_host(draw, host, "target", max_queue_size=2))


@harm("outstanding-reads", kind="rdma-read", all=True)
def outstanding_reads(draw, healthy):
    work = draw.choice(healthy.workloads)
    host = draw.choice(work["from"] + work["to"])
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", max_rd_atomic=1))


@harm("media", kind="nvme")
def media(draw, healthy):
    """One target with a device that is slower than the others."""
    host = draw.choice(healthy.targets())
    slow = {"kind": "fixed", "read-latency": f"{draw.choice([200, 500])}us",
            "write-latency": f"{draw.choice([200, 500])}us", "parallel": 64}

    def write(self, scenario):
        rest = [other for other in healthy.targets() if other != host]
        entry = scenario["hosts"].pop("targets")
        spaces = copy.deepcopy(entry["namespaces"])
        spaces[0]["media"] = slow
        if rest:
            scenario["hosts"]["targets"] = dict(entry, where=rest)
        scenario["hosts"]["aged"] = {"where": host, "namespaces": spaces}
        self.names += [f"hosts.aged.namespaces.0.media.{key}" for key in ("read-latency", "write-latency")]
    return Harm(places_of_host(healthy, host), write)


@harm("retry-count")
def retry_count(draw, healthy):
    """Gives up at once, and sooner than an answer may come."""
    host = draw.choice(healthy.used())
    return Harm(places_of_host(healthy, host),
                at_host(draw, host, "rnic", timeout=draw.choice([1, 2]), retry_count=draw.choice([0, 1])))


@harm("ack-timeout", incast=True)
def ack_timeout(draw, healthy):
    host = draw.choice(healthy.used())
    return Harm(places_of_host(healthy, host), at_host(draw, host, "rnic", timeout=draw.choice([1, 2])))


@harm("receives", kind="rdma-send", all=True)
def receives(draw, healthy):
    """Messages find no posted receive."""
    index = draw.randrange(len(healthy.workloads))
    return Harm({healthy.workloads[index]["name"], *healthy.workloads[index]["to"]},
                of_workload(index, receives=1, receive_delay=f"{draw.choice([10, 30, 60])}us"))
