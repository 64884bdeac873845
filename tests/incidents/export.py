# export - a run as the files that an engineer has after an incident.  SPDX-License-Identifier: Apache-2.0
# Counters have the names and the tables of real tools, and nothing that only a simulator knows: hosts print
# `ethtool -S` and `rdma statistic` as mlx5 does and with TCP `nstat`, switches the tables of SONiC.  Frames that a device loses
# without counting them (drop-every, random-loss) are in no counter.  A run of milliseconds stands for a minute:
# its counts are multiplied, and each host's clock is off by up to two seconds.
# Sources: mlx5 en_stats.c; sonic-utilities scripts pfcstat, queuestat, wredstat, pg-drop and portstat;
# iproute2 misc/nstat.c.
import json
import os
import re
import sqlite3
import zlib

import play

SECONDS = 60  # that a run stands for
PASTED_MOST = 12  # samples of all switches in one session
LANES = 4  # of a port as the export numbers it
CLOCK = 2.0  # seconds by which a clock is off
EVENTS = ("link_down_events_phy", "pfcwd_storms", "pfcwd_restored")  # happen once: not multiplied

ETHTOOL = ["rx_packets_phy", "tx_packets_phy", "rx_bytes_phy", "tx_bytes_phy", "rx_crc_errors_phy", "rx_oversize_pkts_phy",
           "rx_discards_phy", "tx_discards_phy", "link_down_events_phy", "rx_pause_ctrl_phy", "tx_pause_ctrl_phy",
           "tx_pause_storm_warning_events", "tx_pause_storm_error_events", "rx_out_of_buffer",
           "rx_global_pause", "tx_global_pause"]
ETHTOOL_PRIO = ["rx_prio%d_bytes", "rx_prio%d_packets", "tx_prio%d_bytes", "tx_prio%d_packets", "rx_prio%d_pause",
                "rx_prio%d_pause_duration", "tx_prio%d_pause", "tx_prio%d_pause_duration", "rx_prio%d_pause_transition"]
RDMA = ["rx_write_requests", "rx_read_requests", "out_of_buffer", "out_of_sequence", "duplicate_request",
        "rnr_nak_retry_err", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err",
        "req_transport_retries_exceeded", "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent"]


def tcp_names():
    """Those of nstat."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "model", "tcp", "tcp_counters.def")
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^TCP_COUNTER\(\w+, "((?:Tcp|IpExt)\w+)"', file.read(), re.M)


TCP = tcp_names()


class Sample:
    """The counters of a run that was stopped at some time."""

    def __init__(self, path):
        self.values = {}  # (node, port, name) -> value
        with sqlite3.connect(path) as base:
            self.rates = dict(base.execute("SELECT name || ' ' || port, rate_bps FROM (SELECT node.name, port, rate_bps "
                                           "FROM port JOIN node USING(node))"))
            for node, port, priority, name, value in base.execute(
                    "SELECT node.name, port, priority, counter.name, value FROM counter JOIN node USING(node) WHERE port IS NOT NULL"):
                if name.startswith("pfcwd"):
                    name = f"{name}:{priority}"
                self.values[node, port, name] = value

    def get(self, node, port, name):
        return self.values.get((node, port, name), 0)

    def subtract(self, first):
        self.values = {key: max(value - first.values.get(key, 0), 0) for key, value in self.values.items()}


class Series:
    """Samples of a run, between which counts grow evenly."""

    def __init__(self, samples, before, draw):
        self.samples, self.before, self.draw = samples, before, draw
        self.base = {}  # what each counter had before

    def between(self, samples, share, key):
        """The count after that share of a run, as the device counts it."""
        place = min(max(share, 0.0), 1.0) * (len(samples) - 1)
        first = min(int(place), len(samples) - 2)
        low, high = (samples[first + i].get(*key) for i in (0, 1))
        if key[2].split(":")[0] in EVENTS:
            return low if place - first < 0.5 else high
        return (low + (high - low) * (place - first)) * self.factor

    def at(self, share, *key):
        """The same as the device prints it; before 0, of the healthy run."""
        if key not in self.base:
            self.base[key] = self.first(key)
        return self.base[key] + int(self.between(self.before, share + 1, key) + self.between(self.samples, share, key))

    def first(self, key):
        """What a counter had long before."""
        name = key[2]
        if name in EVENTS or name.startswith("pfcwd"):
            return self.draw.choice([0, 0, 1, 3]) + 1
        if name.startswith("link_down") or any(word in name for word in ("pause", "err", "drop", "discard")):
            return self.draw.choice([0, 0, self.draw.randrange(5000)]) + 1
        return self.draw.randrange(10 ** 9) * (self.samples[-1].get(*key) > 0) + 1


def table(heads, rows):
    """As Python's tabulate prints it for SONiC."""
    widths = [max(len(str(row[i])) for row in [heads, *rows]) for i in range(len(heads))]
    lines = ["  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)) for row in [heads, *rows]]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"


def commas(value):
    return f"{value:,}"


class Export:
    """Writes the folders of one incident."""

    def __init__(self, draw, healthy, scenario, series, folder):
        """SCENARIO: the file with what is wrong, whose switches have the configuration."""
        self.draw, self.healthy, self.scenario, self.series, self.folder = draw, healthy, scenario, series, folder
        self.clock = {node: draw.uniform(-CLOCK, CLOCK) for node in healthy.hosts + healthy.switches}
        self.missing = {host for host in healthy.hosts if draw.random() < 0.1}
        self.configured = draw.random() < 0.6  # with config_db.json
        self.paste = draw.random() < 0.3  # a session of all switches in one file
        self.step = draw.choice([4, 5, 8])
        self.tcp = {host for host in healthy.hosts if any(series.samples[-1].get(host, 0, name) for name in TCP)}

    def ethernet(self, port):
        return f"Ethernet{port * self.step}"

    def ports(self, node):
        ends = [(a, p, b, q) for a, p, b, q in self.healthy.links] + [(b, q, a, p) for a, p, b, q in self.healthy.links]
        return sorted((p, far, q) for at, p, far, q in ends if at == node)

    def write(self, text, *path):
        path = os.path.join(self.folder, *path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)

    def date(self, node, share):
        second = 12 * 3600 + 600 + share * SECONDS + self.clock[node]
        hour, rest = divmod(int(second), 3600)
        return f"Sat Nov 28 {hour:02}:{rest // 60:02}:{rest % 60:02} UTC 2026\n"

    def value(self, node, port, name, share):
        return self.series.at(share + self.clock[node] / SECONDS * 0.5, node, port, name)

    # ---- hosts

    def host(self, host, word, share):
        def get(name):
            return self.value(host, 0, name, share)
        names = ETHTOOL + [name % prio for prio in range(8) for name in ETHTOOL_PRIO]
        text = f"[root@{host} ~]# date\n{self.date(host, share)}[root@{host} ~]# ethtool -S eth2\nNIC statistics:\n"
        text += "".join(f"     {name}: {get(name)}\n" for name in names)
        text += f"[root@{host} ~]# rdma statistic\nlink mlx5_0/1 " + " ".join(f"{name} {get(name)}" for name in RDMA) + "\n"
        if host in self.tcp:
            text += f"[root@{host} ~]# nstat -asz\n#kernel\n"
            text += "".join(f"{name:<32}{get(name):<16}{0:6.1f}\n" for name in TCP)
        self.write(text, word, f"{host}.txt")

    # ---- switches

    def pauses(self, switch, side, share):
        name = {"Rx": "rx_prio%d_pause", "Tx": "tx_prio%d_pause"}[side]
        return table([f"Port {side}"] + [f"PFC{i}" for i in range(8)],
                     [[self.ethernet(port)] + [commas(self.value(switch, port, name % i, share)) for i in range(8)]
                      for port, _, _ in self.ports(switch)])

    def queues(self, switch, heads, columns, share):
        return table(["Port", "TxQ"] + heads,
                     [[self.ethernet(port), f"UC{i}"] +
                      [commas(self.value(switch, port, name % i, share)) if name else "N/A" for name in columns]
                      for port, _, _ in self.ports(switch) for i in range(8)])

    def drops(self, switch, share):
        return "Ingress PG dropped packets:\n" + table(
            ["Port"] + [f"PG{i}" for i in range(8)],
            [[self.ethernet(port)] + [self.value(switch, port, f"rx_prio{i}_buffer_dropped", share) for i in range(8)]
             for port, _, _ in self.ports(switch)])

    def interfaces(self, switch, share):
        def get(port, *names):
            return commas(sum(self.value(switch, port, name, share) for name in names))
        heads = ["IFACE", "STATE", "RX_OK", "RX_BPS", "RX_UTIL", "RX_ERR", "RX_DRP", "RX_OVR", "TX_OK", "TX_BPS", "TX_UTIL",
                 "TX_ERR", "TX_DRP", "TX_OVR"]
        return table(heads, [[
            self.ethernet(port), "U", get(port, "rx_packets_phy"), "N/A", "N/A", get(port, "rx_crc_errors_phy"),
            get(port, "rx_dropped_buffer", "rx_dropped_no-route", "rx_dropped_ttl", "rx_dropped_mtu"), get(port, "rx_oversize_pkts_phy"),
            get(port, "tx_packets_phy"), "N/A", "N/A", 0, get(port, "tx_discards_phy", "rx_dropped_egress-buffer"), 0]
            for port, _, _ in self.ports(switch)])

    def watchdog(self, switch, share):
        def pair(port, prio, first, second):
            return "/".join(str(self.value(switch, port, f"pfcwd_{name}:{prio}", share)) for name in (first, second))
        rows = [[f"{self.ethernet(port)}:{prio}", "operational", pair(port, prio, "storms", "restored"),
                 pair(port, prio, "tx_ok", "tx_dropped"), pair(port, prio, "rx_ok", "rx_dropped"), "0/0", "0/0"]
                for port, _, _ in self.ports(switch) for prio in (3,)
                if self.series.samples[-1].get(switch, port, f"pfcwd_storms:{prio}")]
        return table(["QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP", "TX LAST OK/DROP",
                      "RX LAST OK/DROP"], rows) if rows else ""

    def switch(self, switch, word, share):
        prompt = f"admin@{switch}:~$ "
        parts = [("date", self.date(switch, share)),
                 ("show pfc counters", self.pauses(switch, "Rx", share) + "\n" + self.pauses(switch, "Tx", share)),
                 ("show queue counters", self.queues(switch, ["Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes"],
                                                     ["tx_prio%d_packets", "tx_prio%d_bytes", "tx_prio%d_queue_dropped", None], share)),
                 ("show queue wredcounters", self.queues(switch, ["WredDrp/pkts", "WredDrp/bytes", "EcnMarked/pkts", "EcnMarked/bytes"],
                                                         [None, None, "tx_prio%d_ecn_marked", None], share)),
                 ("show priority-group drop counters", self.drops(switch, share)),
                 ("show interfaces counters", self.interfaces(switch, share))]
        watched = self.watchdog(switch, share)
        if watched:
            parts.append(("show pfcwd stats", watched))
        text = "".join(f"{prompt}{command}\n{output}" for command, output in parts)
        if self.paste:
            self.write(text, "switches-session.txt")
        else:
            self.write(text, word, f"{switch}.txt")

    # ---- cables and configuration

    def cables(self, switch):
        rows = []
        for port, far, number in self.ports(switch):
            is_switch = far in self.healthy.switches
            mac = f"02:00:{zlib.crc32(far.encode()) % 256:02x}:00:00:{number:02x}"
            rows.append([self.ethernet(port), far, self.ethernet(number) if is_switch else mac, "BR" if is_switch else "R",
                         self.ethernet(number) if is_switch else "eth2"])
        rows = [[str(cell) for cell in row] for row in rows]
        heads = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"]
        widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(5)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [heads, *rows]]
        text = "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
        self.write(f"admin@{switch}:~$ show lldp table\nCapability codes: (R) Router, (B) Bridge, (O) Other\n{text}\n"
                   "--------------------------------------------------\nTotal entries displayed:  "
                   f"{len(rows)}\n", f"{switch}-lldp.txt")

    def configuration(self, switch):
        """What `stormglass export sonic` writes, with the names of this switch's ports; cables are those of LLDP."""
        def rename(match):
            return self.ethernet(int(match.group(1)) // LANES) + match.group(2)
        text = re.sub(r"\bEthernet(\d+)(\b)", rename, play.program("export", "sonic", self.scenario, "--node", switch))
        tables = json.loads(text)
        del tables["DEVICE_NEIGHBOR"]
        for name, port in tables["PORT"].items():
            port["alias"] = f"etp{int(name[len('Ethernet'):]) // self.step}"
        self.write(json.dumps(tables, indent=4) + "\n", "config", f"{switch}.json")

    # ---- logs

    def logs(self, events):
        """Of links that went down, from the counters of both ends; of lost controllers, from the run's events."""
        for node in self.healthy.hosts + self.healthy.switches:
            for port, _, _ in self.ports(node):
                if self.series.samples[-1].get(node, port, "link_down_events_phy") == 0 or node in self.missing:
                    continue
                stamp = self.date(node, 0.3).split()[3]
                if node in self.healthy.switches:
                    self.write(f"Nov 28 {stamp}.120311 {node} NOTICE swss#orchagent: :- updatePortOperStatus: Port "
                               f"{self.ethernet(port)} oper state set from up to down\n", "logs", f"{node}.log")
                else:
                    self.write(f"Nov 28 {stamp} {node} kernel: mlx5_core 0000:3b:00.0 eth2: Link down\n", "logs", f"{node}.log")
        for host, share, number in events:
            if host not in self.missing:
                stamp = self.date(host, share).split()[3]
                self.write(f"Nov 28 {stamp} {host} kernel: nvme nvme{number}: starting error recovery\n"
                           f"Nov 28 {stamp} {host} kernel: nvme nvme{number}: Reconnecting in 10 seconds...\n",
                           "logs", f"{host}.log")

    def everything(self, words, events):
        self.paste &= len(words) <= PASTED_MOST
        for switch in self.healthy.switches:
            self.cables(switch)
            if self.configured:
                self.configuration(switch)
        for word, share in words:
            for switch in self.healthy.switches:
                self.switch(switch, word, share)
            for host in self.healthy.hosts:
                if host not in self.missing:
                    self.host(host, word, share)
        self.logs(events)
