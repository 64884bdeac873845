# healthy - draws scenarios that lose nothing when they are played.  SPDX-License-Identifier: Apache-2.0
# A scenario is a mapping as the YAML file has it; a Healthy knows beside it what hangs where, so that a
# harm can be put on a way that frames take.  Everything is drawn from one random stream.

import json

SHAPES = ["star", "star", "pair", "pair", "leaf-spine", "leaf-spine", "leaf-spine", "fat-tree"]
NAMES = ["oltp", "backup", "mirror", "scan"]


def as_yaml(scenario):
    """A member a line, lists an item a line, and JSON within."""
    lines = []
    for key, value in scenario.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            for name, part in value.items():
                if isinstance(part, list) and part:
                    lines.append(f"  {name}:")
                    lines.extend(f"    - {json.dumps(item)}" for item in part)
                else:
                    lines.append(f"  {name}: {json.dumps(part)}")
        elif isinstance(value, list):
            lines.append(f"{key}:")
            lines.extend(f"  - {json.dumps(item)}" for item in value)
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


class Healthy:
    """Nodes, links and workloads of a drawn scenario."""

    def __init__(self, draw, wants):
        self.draw = draw
        self.links = []  # (node, port, node, port), those of hosts first
        self.switches = []
        self.spines = []
        self.fabric = {}
        self.by_design = []  # settings of all that slow things down
        self.rate = draw.choice([25, 100, 100])
        self.duration_us = draw.choice([1000, 1500, 2000])
        if wants.get("tcp"):
            self.duration_us *= 4  # TCP and NVMe take many round trips to connect
        self.build(wants.get("shape") or draw.choice(SHAPES), wants)
        self.settings(wants)
        self.workloads = []
        self.load(wants)
        self.need(wants.get("needed", {}))
        self.scenario = {
            "stormglass": 1, "name": "drawn", "about": "A drawn scenario.", "seed": draw.randint(1, 1000),
            "duration": f"{self.duration_us}us", "drain": "20s" if wants.get("glacial") else "400ms" if wants.get("tcp") else "8ms", "fabric": self.fabric,
            "hosts": self.hosts_section, "workloads": self.workloads,
        }

    # ---- the fabric

    def build(self, shape, wants):
        draw, self.shape = self.draw, shape
        if shape == "star":
            self.hosts = [f"host{i}" for i in range(draw.randint(4, 12))]
            self.switches = ["switch0"]
            self.links = [(host, 0, "switch0", i) for i, host in enumerate(self.hosts)]
            self.fabric["topology"] = {"kind": "single-switch", "hosts": len(self.hosts)}
        elif shape == "leaf-spine":
            leaves, each = draw.randint(2, 4), draw.randint(2, 6)
            spines = wants.get("spines") or draw.randint(1, 3)
            self.hosts = [f"host{i}" for i in range(leaves * each)]
            self.spines = [f"spine{i}" for i in range(spines)]
            self.switches = [f"leaf{i}" for i in range(leaves)] + self.spines
            self.links = [(host, 0, f"leaf{i // each}", i % each) for i, host in enumerate(self.hosts)]
            self.links += [(f"leaf{leaf}", each + spine, f"spine{spine}", leaf)
                           for leaf in range(leaves) for spine in range(spines)]
            self.fabric["topology"] = {"kind": "leaf-spine", "leaves": leaves, "spines": spines,
                                       "hosts-per-leaf": each}
        elif shape == "fat-tree":
            self.fat_tree()
        else:
            self.explicit(shape, wants)
        self.port_count = max(sum(switch in link for link in self.links) for switch in self.switches)

    def fat_tree(self):
        """Of switches with four ports: 16 hosts, four pods of two edge and two aggregation switches, four cores."""
        self.hosts = [f"host{i}" for i in range(16)]
        self.spines = [f"agg{i}" for i in range(8)] + [f"core{i}" for i in range(4)]
        self.switches = [f"edge{i}" for i in range(8)] + self.spines
        self.links = [(host, 0, f"edge{i // 2}", i % 2) for i, host in enumerate(self.hosts)]
        self.links += [(f"edge{i}", 2 + j, f"agg{i // 2 * 2 + j}", i % 2) for i in range(8) for j in range(2)]
        self.links += [(f"agg{i}", 2 + j, f"core{i % 2 * 2 + j}", i // 2) for i in range(8) for j in range(2)]
        self.fabric["topology"] = {"kind": "fat-tree", "k": 4}

    def explicit(self, shape, wants):
        """Two switches with one or two trunks, or a ring of three or four."""
        draw = self.draw
        count = 2 if shape == "pair" else draw.randint(3, 4)
        each = draw.randint(3, 5) if shape == "pair" else 2
        trunks = draw.randint(1, 2) if shape == "pair" else 1
        self.switches = [f"sw{i}" for i in range(count)]
        self.hosts = [f"host{i}" for i in range(count * each)]
        self.links = [(host, 0, f"sw{i // each}", i % each) for i, host in enumerate(self.hosts)]
        if shape == "pair":
            self.links += [("sw0", each + i, "sw1", each + i) for i in range(trunks)]
        else:
            self.links += [(f"sw{i}", each, f"sw{(i + 1) % count}", each + 1) for i in range(count)]
        trunk = {"rate": f"{self.rate * (wants.get('up') or draw.choice([1, 2, 4]))}Gbps", "mtu": "9216B"}
        if shape == "ring":
            trunk["rate"] = f"{self.rate}Gbps"
        self.fabric["topology"] = {
            "kind": "explicit", "hosts": self.hosts, "switches": self.switches,
            "links": [dict({"ends": [f"{a}:p{p}", f"{b}:p{q}"]}, **({} if a in self.hosts else trunk))
                      for a, p, b, q in self.links]}

    def settings(self, wants):
        draw, fabric = self.draw, self.fabric
        fabric["host-links"] = {"rate": f"{self.rate}Gbps", "length": f"{draw.choice([3, 3, 20])}m",
                                "mtu": "4200B"}
        up = wants.get("up") or draw.choice([1, 1, 2, 4])
        fabric["fabric-links"] = {"rate": f"{self.rate * up}Gbps", "length": f"{draw.choice([10, 30, 100])}m",
                                  "mtu": "9216B"}
        switch = {"buffer": self.buffer(wants, up), "ports": self.port_count,
                  "alpha": draw.choice(["12.5%", "25%", "100%"])}
        if "headroom" in wants:
            switch["headroom"] = wants["headroom"]
        self.control = wants.get("control") or draw.choice(["none", "none", "dcqcn"])
        if self.control == "dcqcn":
            kmin = self.rate * draw.choice([2, 4])
            switch.update({"ecn-kmin": f"{kmin}KB", "ecn-kmax": f"{kmin * 4}KB", "ecn-pmax": "20%"})
        if wants.get("classes"):
            switch.update({"pfc-priorities": [3, 4], "weight-3": 50, "weight-4": 50})
        fabric["switch"] = switch
        if draw.random() < 0.4:
            fabric["routing"] = {"detection": "50us", "convergence": "400us"}
        timeout = draw.choice([6, 7]) if self.control == "none" else 8
        rnic = {"profile": f"rnic-{self.rate}g", "congestion-control": self.control, "timeout": timeout,
                "min-rnr-timer": 4, "cm-timeout": "500us", "cm-retries": 4}
        if wants.get("classes"):
            rnic["pfc-priorities"] = [3, 4]
            rnic["dscp-to-priority"] = {"34": 4}
        if wants.get("drained"):
            rnic["drain"] = f"{self.rate * draw.randint(80, 92) * 10}Mbps"
            self.by_design.append("hosts.defaults.rnic.drain")
        nvme = {"reconnect-delay": "500us", "queue-size": 128}
        self.hosts_section = {"defaults": {"rnic": rnic, "nvme": nvme}}
        if wants.get("glacial"):
            self.glacial(rnic)

    def glacial(self, rnic):
        """Receivers so slow that a pause lasts longer than the 100 ms after which a switch's watchdog may act."""
        self.duration_us = 4_000_000
        self.by_design.append("hosts.defaults.rnic.drain")
        rnic.update({"drain": f"{self.draw.choice([300, 400, 600])}kbps", "timeout": 23,
                     "rx-buffer": "128KiB", "cm-timeout": "1s"})

    def buffer(self, wants, up):
        """Small: what is left beside the headroom of all ports makes a few senders pause."""
        if wants.get("buffer") != "small":
            return wants.get("buffer") or self.draw.choice(["4MiB", "8MiB", "16MiB"])
        each = int(wants["headroom"][:-3]) if "headroom" in wants else 60 + self.rate * up
        headroom = each * (2 if wants.get("classes") else 1) * self.port_count
        return f"{headroom + self.draw.choice([200, 400, 800])}KiB"

    def need(self, settings):
        """What a parameter needs to have an effect, of section fabric.switch or of all hosts.

        Without it the parameter would cost nothing: whoever repairs it repairs the harm, too."""
        for section, values in settings.items():
            where = self.fabric if section == "switch" else self.hosts_section["defaults"]
            for name, value in values.items():
                where.setdefault(section, {}).setdefault(name, value)
                self.by_design.append(f"fabric.switch.{name}" if section == "switch" else f"hosts.defaults.{section}.{name}")

    # ---- the load

    def load(self, wants):
        draw = self.draw
        if wants.get("shape") == "ring":
            return self.load_ring(wants)
        if wants.get("pairs"):
            return self.load_pairs(wants)
        if wants.get("crossing"):
            return self.load_crossing(wants)
        if wants.get("shared"):
            return self.load_shared(wants)
        count = wants.get("workloads") or draw.choice([1, 2, 2, 3])
        free = list(self.hosts)
        draw.shuffle(free)
        targets = []
        for index in range(min(count, len(free) // 2)):
            kind = draw.choice(["nvme", "nvme", "rdma-write", "rdma-read", "rdma-send"])
            if index == 0 or wants.get("all"):
                kind = wants.get("kind") or kind
            room = len(free) // (count - index)
            low_to = min(wants.get("to", 1), room // 2) if index == 0 else 1
            many = room >= 4 and low_to == 1 and (wants.get("incast") or draw.random() < 0.5)
            to = [free.pop() for _ in range(1 if many or room < 4 else draw.randint(low_to, room // 2))]
            low = 3 if many else 1
            senders = [free.pop() for _ in range(max(low, draw.randint(low, max(low, room - len(to)))))]
            if kind == "nvme":
                targets += to
            self.workloads.append(self.workload(index, kind, senders, to, wants))
        if targets:
            self.media(targets, wants)

    def load_ring(self, wants):
        """Each host writes to one at the switch after the next: over the ring, or back the short way."""
        count, each = len(self.switches), len(self.hosts) // len(self.switches)
        for index in range(each):
            senders = self.hosts[index::each]
            to = [senders[(i + 2) % count] for i in range(count)]
            made = self.workload(index, "rdma-write", senders, to, dict(wants, incast=True, qps=2))
            self.workloads.append(dict(made, pairing="one-to-one", outstanding=8))

    def load_pairs(self, wants):
        """Each host of a leaf or pod with one of another, by queue pairs enough for all ways between them."""
        if self.shape == "fat-tree":
            senders, to = self.hosts[:8], self.hosts[8:]
        else:
            leaves = self.draw.sample([switch for switch in self.switches if switch not in self.spines], 2)
            senders, to = (self.of_switch(leaf) for leaf in leaves)
        made = self.workload(0, wants.get("kind"), senders, to, dict(wants, incast=True))
        self.workloads.append(dict(made, pairing="one-to-one"))

    def load_crossing(self, wants):
        """An incast and another workload from one switch to the next: what stops the first stops both."""
        left, right = (self.of_switch(switch) for switch in self.switches[:2])
        wants = dict(wants, incast=True)
        self.workloads.append(self.workload(0, "rdma-write", left[:-1], right[:1], wants))
        self.workloads.append(self.workload(1, "rdma-write", left[-1:], right[1:2], wants))

    def load_shared(self, wants):
        """Two workloads that meet at one receiver: several hosts, and several or one."""
        hosts = self.draw.sample(self.hosts, min(len(self.hosts), self.draw.randint(4, 8)))
        half = len(hosts) - 1 if wants["shared"] == "one" else (len(hosts) + 1) // 2
        for index, senders in enumerate([hosts[1:half], hosts[half:]]):
            self.workloads.append(self.workload(index, wants.get("kind"), senders, hosts[:1], wants))

    def workload(self, index, kind, senders, to, wants):
        draw = self.draw
        made = {"name": NAMES[index], "kind": kind, "from": senders, "to": to}
        heavy = bool(wants.get("incast")) or draw.random() < 0.5
        if kind == "nvme":
            made["read"] = draw.choice(["0%", "30%", "70%", "100%"]) if not wants.get("writes") else "0%"
            if wants.get("reads"):
                made["read"] = "100%"
            made["block-size"] = f"{draw.choice([16, 32, 64] if heavy else [4, 8, 16])}KiB"
            made["queue-depth"] = draw.choice([8, 16] if heavy else [2, 4, 8])
            made["queues"] = wants.get("qps") or draw.choice([1, 2])
            if wants.get("tcp"):
                made["transport"] = "tcp"
            if len(to) > 1:
                made["pairing"] = "all-to-all"
        else:
            made["message-size"] = f"{draw.choice([32, 64, 128] if heavy else [4, 8, 16])}KiB"
            made["outstanding"] = draw.choice([2, 4, 8])
            made["qps"] = wants.get("qps") or draw.choice([1, 2])
        if wants.get("glacial"):
            made.update({"message-size": "4KiB", "outstanding": draw.choice([16, 24]), "qps": 1})
        if wants.get("classes") and index % 2 == 1:
            made["dscp"] = 34
        return made

    def media(self, targets, wants):
        draw = self.draw
        media = {"kind": "fixed", "read-latency": f"{draw.choice([5, 10, 20])}us",
                 "write-latency": f"{draw.choice([5, 10])}us", "parallel": 64}
        if wants.get("media", "fixed") != "fixed":
            media = {"kind": wants["media"]}
        space = {"media": media, "count": draw.randint(1, 2)}
        if wants.get("protected"):
            space.update({"pi-type": 1, "size": "1MiB"})  # so small that what is written is read again
        if wants.get("arrays"):  # that are busy
            media["parallel"] = draw.choice([1, 2, 4])
            space.update(draw.choice([{"drives": 2, "layout": "mirror"},
                                      {"drives": draw.choice([3, 5]), "layout": "parity"}]))
        self.hosts_section["targets"] = {"where": sorted(set(targets)), "namespaces": [space]}

    # ---- what lies where

    def link_of(self, host):
        return next(link for link in self.links if host in (link[0], link[2]))

    def switch_of(self, host):
        return self.link_of(host)[2]

    def of_switch(self, switch):
        return [host for host in self.hosts if self.switch_of(host) == switch]

    def fabric_links(self):
        """Between switches at which a host takes part."""
        used = {self.switch_of(host) for host in self.used()} | set(self.spines)
        return [link for link in self.links if link[0] in used and link[2] in used]

    def used(self):
        return [host for work in self.workloads for host in work["from"] + work["to"]]

    def used_switches(self):
        return sorted({self.switch_of(host) for host in self.used()} | set(self.spines))

    def targets(self):
        return self.hosts_section.get("targets", {}).get("where", [])

    def data(self, work):
        """Who sends most of the data of a workload, and who receives it."""
        reads = work["kind"] == "rdma-read" or (work["kind"] == "nvme" and int(work["read"][:-1]) > 50)
        return (work["to"], work["from"]) if reads else (work["from"], work["to"])

    def data_senders(self):
        return [host for work in self.workloads for host in self.data(work)[0]]

    def data_receivers(self):
        return [host for work in self.workloads for host in self.data(work)[1]]

