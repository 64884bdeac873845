# hosts - the configuration of hosts as their own tools print it.     SPDX-License-Identifier: Apache-2.0
# `sysctl -a` for TCP, `nvme connect` or its config.json for initiators, `mlnx_qos -i` for RDMA.  Each setting of a host
# that one of these tools prints is printed; names and units are those that the importers list (sysctl.def, nvme_connect.def).
# Sources: sysctl(8); Documentation/nvme-connect.txt of nvme-cli; mlnx_qos of mlnx-tools (its output).
import json
import os
import re
import sqlite3

from rows import number

DEVICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenarios", "device")
UNITS = {"": 1, "B": 1, "%": 1, "us": 10**6, "ms": 10**9, "s": 10**12}  # in which the tools print
PRIORITIES, DSCPS = range(8), range(64)
NEVER = -1


def listed(file, word):
    with open(os.path.join(DEVICE, file), encoding="utf-8") as lines:
        return [re.findall(r'"[^"]*"|[^,\s()"]+', row) for row in re.findall(rf"^{word}\(((?:[^()\"]|\"[^\"]*\")*)\)", lines.read(), re.M)]


class Settings:
    """What each host has of a section, from the database of a run and the scenario."""

    def __init__(self, scenario, database):
        self.scenario = scenario
        with sqlite3.connect(database) as base:
            self.common = dict(base.execute("SELECT path, value FROM setting"))

    def own(self, host, section):
        values = {}
        for name, entry in self.scenario["hosts"].items():
            if name != "defaults" and host in ([entry["where"]] if isinstance(entry["where"], str) else entry["where"]):
                values.update(entry.get(section, {}))
        for entry in self.scenario["fabric"].get("overrides", []):
            if entry["where"] == host:
                values.update(entry.get(section, {}))
        return values

    def value(self, host, section, row):
        """As the scenario writes it, or None."""
        own = self.own(host, section)
        return own[row] if row in own else self.common.get(f"hosts.defaults.{section}.{row}")

    def digits(self, host, section, row, unit):
        value = self.value(host, section, row)
        if value is None or str(value) == "never":
            return None if value is None else NEVER
        own, number_of = number(str(value))
        return None if own is None else round(number_of / UNITS[unit])


class Hosts:
    """The files of hosts; `export` writes."""

    def __init__(self, export, settings):
        self.export, self.settings = export, settings
        healthy = export.healthy
        works = [work for work in healthy.workloads if work["kind"] == "nvme"]
        self.paths = {host: [(to, work.get("transport", "rdma")) for work in works if host in work["from"] for to in work["to"]]
                      for host in healthy.hosts}
        self.tcp = {host for work in works if work.get("transport") == "tcp" for host in work["from"] + work["to"]}
        self.as_json = export.draw.random() < 0.5
        self.in_session = export.draw.random() < 0.5

    def sysctl(self, host):
        words, numbers = {}, {}
        for key, row, choices in listed("sysctl.def", "WORDS"):
            value = self.settings.value(host, "tcp", row[1:-1])
            words[key[1:-1]] = next((choice.split(" ")[0] for choice in choices[1:-1].split("|")
                                     if choice.split(" ")[1] == str(value).lower() and choice[0] != "*"), None)
        for key, index, unit, row in listed("sysctl.def", "NUMBER"):
            numbers.setdefault(key[1:-1], {})[int(index)] = self.settings.digits(host, "tcp", row[1:-1], unit[1:-1])
        lines = [f"net.{key} = {word}" for key, word in words.items() if word is not None]
        for key, values in numbers.items():
            if None not in values.values():
                first = ["4096"] if 0 not in values else []
                lines.append(f"net.{key} = " + "\t".join(first + [str(values[i]) for i in sorted(values)]))
        return "\n".join(sorted(lines)) + "\n"

    def options(self, host):
        """Of nvme connect: (name, value), True for those without one."""
        found = []
        for name, _, row, unit in listed("nvme_connect.def", "NUMBER"):
            digits = self.settings.digits(host, "nvme", row[1:-1], unit[1:-1])
            if digits is not None and (digits > 0 or digits == NEVER):  # of us: no whole second
                found.append((name[1:-1], digits))
        for name, _, row, value in listed("nvme_connect.def", "SWITCH"):
            if str(self.settings.value(host, "nvme", row[1:-1])).lower() == value and name[1:-1] != "concat":
                found.append((name[1:-1], True))
        return found

    def connect(self, host):
        ends = [(transport, to) for to, transport in self.paths[host]]
        port = {"tcp": "4420", "rdma": "4420"}
        if self.as_json:
            ports = [dict({"transport": transport, "traddr": f"10.0.0.{self.export.healthy.hosts.index(to) + 1}",
                           "trsvcid": port[transport]}, **{name.replace("-", "_"): value for name, value in self.options(host)})
                     for transport, to in ends]
            subsystems = [{"nqn": f"nqn.2026-01.org.example:{to}", "ports": [one]} for one, (_, to) in zip(ports, ends)]
            return json.dumps([{"hostnqn": f"nqn.2026-01.org.example:{host}", "subsystems": subsystems}], indent=2) + "\n"
        options = " ".join(f"--{name}" if value is True else f"--{name}={value}" for name, value in self.options(host))
        return "#!/bin/sh\n" + "".join(
            f"nvme connect -t {transport} -n nqn.2026-01.org.example:{to} -a 10.0.0.{self.export.healthy.hosts.index(to) + 1} "
            f"-s {port[transport]} {options}\n" for transport, to in ends)

    def mlnx_qos(self, host):
        get = self.settings.value
        classes = {dscp: dscp >> 3 for dscp in DSCPS}
        for section in (self.settings.scenario["hosts"]["defaults"].get("rnic", {}), self.settings.own(host, "rnic")):
            classes.update({int(dscp): value for dscp, value in section.get("dscp-to-priority", {}).items()})
        priority = self.settings.own(host, "rnic").get("priority")
        if priority is not None:
            classes[26] = priority
        text = "DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
        for one in PRIORITIES:
            members = [dscp for dscp in DSCPS if classes[dscp] == one]
            text += f"\tprio:{one} dscp:" + "".join(f"{dscp:02}," for dscp in members) + "\n" if members else ""
        lossless = str(get(host, "rnic", "pfc-priorities"))
        lossless = str(classes[26]) if lossless == "auto" else lossless
        enabled = lossless.strip("[]").replace(" ", "").split(",")
        on = [int(str(one) in enabled and str(get(host, "rnic", "pfc")).lower() != "false") for one in PRIORITIES]
        _, buffer = number(str(get(host, "rnic", "rx-buffer")))
        text += f"Receive buffer size (bytes): 20016,{round(buffer)},0,0,0,0,0,0,max_buffer_size={round(buffer) + 20016}\nCable len: 7\n"
        text += "PFC configuration:\n\tpriority    " + "   ".join(str(one) for one in PRIORITIES) + "\n"
        text += "\tenabled     " + "   ".join(str(one) for one in on) + "\n"
        return text + "\tbuffer      " + "   ".join(str(one) for one in on) + "\n"

    def files(self, host):
        """Name, command that prints it or None, and text."""
        if host in self.tcp:
            yield "sysctl.txt", "sysctl -a", self.sysctl(host)
        else:
            yield "qos.txt", "mlnx_qos -i eth2", self.mlnx_qos(host)
        if self.paths[host]:
            yield ("connect.json" if self.as_json else "connect.sh"), None, self.connect(host)

    def write(self):
        for host in self.export.healthy.hosts:
            for name, command, text in self.files(host) if host not in self.export.missing else ():
                if command and self.in_session:
                    text = f"[root@{host} ~]# {command}\n{text}"
                self.export.write(text, "config", f"{host}-{name}")
