# harms - how something wrong is written into a scenario.           SPDX-License-Identifier: Apache-2.0
# A harm knows the paths under which it was written, as --set takes them, and by what other names
# the place where it lies goes: a port is called by either end of its link, too.

KINDS = {}


def harm(word, /, **wants):
    """Registers a kind: a function of (draw, healthy) to a Harm, or None.  WANTS: what Healthy must have."""
    def register(function):
        KINDS[word] = (function, wants)
        return function
    return register


class Harm:
    """What is written into a scenario, and the names of the place."""

    def __init__(self, places, *edits):
        self.places = set(places)
        self.edits = edits
        self.kind = None
        self.names = []  # paths of what was written

    def write(self, scenario):
        self.names = []
        for edit in self.edits:
            self.names += edit(scenario)


# ---- edits: each writes into a scenario and returns the paths

def keys(values):
    """Keyword arguments as a scenario spells them."""
    return {key.replace("_", "-"): value for key, value in values.items()}


def paths(value, path):
    if not isinstance(value, dict):
        return [path]
    return [leaf for key, part in value.items() for leaf in paths(part, f"{path}.{key}")]


def override(where, **values):
    def edit(scenario):
        entries = scenario["fabric"].setdefault("overrides", [])
        entries.append({"where": where, **keys(values)})
        return paths(keys(values), f"fabric.overrides.{len(entries) - 1}")
    return edit


def group(where, section, **values):
    def edit(scenario):
        name = f"odd-{where}"
        while name in scenario["hosts"]:
            name += "x"
        scenario["hosts"][name] = {"where": where, section: keys(values)}
        return paths(keys(values), f"hosts.{name}.{section}")
    return edit


def everywhere(path, **values):
    """Not odd anywhere: wrong for all."""
    def edit(scenario):
        section = scenario
        for key in path.split("."):
            section = section.setdefault(key, {})
        section.update(keys(values))
        return paths(keys(values), path)
    return edit


def route(at, to, via):
    def edit(scenario):
        entries = scenario["fabric"].setdefault("routes", [])
        entries.append({"at": at, "to": to, "via": via})
        return [f"fabric.routes.{len(entries) - 1}"]
    return edit


def fault(kind, where, **values):
    def edit(scenario):
        entries = scenario.setdefault("faults", [])
        entries.append({"kind": kind, "where": where, **values})
        return [f"faults.{len(entries) - 1}"]
    return edit


def of_workload(index, **values):
    def edit(scenario):
        work = scenario["workloads"][index]
        work.update(keys(values))
        return paths(keys(values), f"workloads.{index}") + paths(keys(values), f"workloads.{work['name']}")
    return edit


def arrays(**values):
    """All targets' drives are arrays of these values: nothing odd."""
    def edit(scenario):
        entry = scenario["hosts"]["targets"]
        entry["namespaces"] = [dict(space, **keys(values)) for space in entry["namespaces"]]
        return []
    return edit


def namespaces(host, names, **values):
    """One target's in a group of their own, with these values."""
    def edit(scenario):
        entry = scenario["hosts"].pop("targets")
        rest = [other for other in entry["where"] if other != host]
        scenario["hosts"]["targets"] = dict(entry, where=rest)
        spaces = [dict(space, **values) for space in entry["namespaces"]]
        scenario["hosts"]["aged"] = {"where": host, "namespaces": spaces}
        return [f"hosts.aged.namespaces.0.{name}" for name in names]
    return edit


# ---- harms at a place

def port(node, number):
    return f"{node}:p{number}"


def of_link(link):
    a, p, b, q = link
    return {port(a, p), port(b, q), f"{a}-{b}", f"{b}-{a}"}


def of_host(healthy, host):
    return {host} | of_link(healthy.link_of(host))


def of_switch(healthy, switch):
    """The switch and its ports: what is set at a switch lies at each of them."""
    ends = [(a, p) for a, p, _, _ in healthy.links] + [(b, q) for _, _, b, q in healthy.links]
    return {switch} | {port(node, number) for node, number in ends if node == switch}


def at_host(draw, healthy, host, section, **values):
    """In a group of its own or as an override: the same, written elsewhere."""
    if draw.random() < 0.5:
        return Harm(of_host(healthy, host), group(host, section, **values))
    return Harm(of_host(healthy, host), override(host, **{section: keys(values)}))


def at_switch(healthy, switch, **values):
    return Harm(of_switch(healthy, switch), override(switch, **values))


def at_some(draw, healthy, place, section=None, **values):
    """Of a host or a switch, or of all: what is wrong in itself is so without like to compare it with."""
    if draw.random() < 0.25:
        return Harm((), everywhere(f"hosts.defaults.{section}" if section else "fabric.switch", **values))
    return at_host(draw, healthy, place, section, **values) if section else at_switch(healthy, place, **values)


def at_link(link, where, **values):
    return Harm(of_link(link), override(where, **values))


def fault_of_host(healthy, kind, host, **values):
    return Harm(of_host(healthy, host), fault(kind, host, **values))


def fault_of_switch(healthy, kind, switch, **values):
    return Harm(of_switch(healthy, switch), fault(kind, switch, **values))


def fault_of_link(kind, link, where, **values):
    return Harm(of_link(link), fault(kind, where, **values))


# ---- where and when

def when(draw, healthy):
    """From the beginning or later; to the end or for a while that matters."""
    times = {}
    if draw.random() < 0.7:
        times["at"] = f"{int(healthy.duration_us * draw.uniform(0.05, 0.4))}us"
    if draw.random() < 0.6:
        times["for"] = f"{int(healthy.duration_us * draw.uniform(0.3, 0.6))}us"
    return times


def some_link(draw, healthy, of_fabric=0.5):
    """Of a host that takes part, or between switches."""
    between = healthy.fabric_links()
    if between and draw.random() < of_fabric:
        return draw.choice(between)
    return healthy.link_of(draw.choice(healthy.used()))


def sender_link(draw, healthy):
    """A link on which senders are paused: a sender's own, or one between switches."""
    if draw.random() < 0.6 or not healthy.fabric_links():
        return healthy.link_of(draw.choice(healthy.data_senders()))
    return draw.choice(healthy.fabric_links())


def link_name(healthy, link):
    """By its two nodes, or where there are several such links by a port of it."""
    alike = [other for other in healthy.links if {other[0], other[2]} == {link[0], link[2]}]
    return f"{link[0]}-{link[2]}" if len(alike) == 1 else port(link[0], link[1])


def end_of(draw, link):
    return draw.choice([port(link[0], link[1]), port(link[2], link[3])])


def some_switch(draw, healthy):
    return draw.choice(healthy.used_switches())


def receiver(draw, healthy):
    return draw.choice(healthy.data_receivers())


def wrong_way(draw, healthy):
    """A switch that sends what goes to a host back to where it came from, or to a wrong leaf."""
    host = draw.choice(healthy.used())
    home = healthy.switch_of(host)
    if draw.random() < 0.5:
        return home, host, draw.choice(healthy.spines)
    leaves = [switch for switch in healthy.switches if switch not in healthy.spines]
    return draw.choice(healthy.spines), host, draw.choice([leaf for leaf in leaves if leaf != home])
