# score - whether what the program accuses is what was injected.    SPDX-License-Identifier: Apache-2.0
#
# A cause is the harm when
# - it is the fault's name (faults.0), or the path of the setting as --set takes it, the entry that holds
#   it (fabric.overrides.0, hosts.odd-host3) or the same parameter of that entry by another of its words;
# - or it is the place: the host, switch, port or link at which the fault or setting lies, a port also by
#   the other end of its link, a switch also by one of its ports, a workload's setting by the workload.
# Load accuses nobody; nor does the drain of all receivers, where a scenario has slow ones by design: without
# them there would be no pauses, and no harm.
import json
import re

from play import play, program

ENTRY = re.compile(r"(fabric\.(?:overrides|routes)\.\d+|hosts\.(?!defaults\b)[^.]+|faults\.\d+|workloads\.[^.]+)(?:\.|$)")
SHARED = re.compile(r"fabric\.switch\.|hosts\.defaults\.\w+\.")
BY_PATH = ("fault", "setting")


def normal(name):
    return re.sub(r"\[(\d+)\]", r".\1", name or "")


def same_path(own, name):
    section = SHARED.match(own)
    if section and name.startswith(section.group(0)):
        return own.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]
    entry, other = ENTRY.match(own), ENTRY.match(name)
    if not entry or not other or entry.group(1) != other.group(1):
        return own == name
    return name == other.group(1) or name.startswith(own) or own.startswith(name + ".") or \
        own.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]


def is_harm(harm, cause):
    if cause.get("suspect") in BY_PATH:
        return any(same_path(own, normal(cause.get("name"))) for own in harm.names)
    return cause.get("name") in harm.places


def blamed(case, cause):
    return cause.get("suspect") != "load" and normal(cause.get("name")) not in case.healthy.by_design


def text(cause):
    sure = "" if cause.get("sure") else ", unsure"
    return f"{cause.get('suspect')} {cause.get('name')} ({cause.get('kind')}{sure})"


def ask(path, database):
    """The account of a recorded run; run and explain say the same, the second may say more."""
    ran = json.loads(program("run", path, "--json", "-o", database, "--record", "counters"))
    return ran, json.loads(program("explain", "--json", database))


def rule_of_thumb(database):
    """The host that sends most pauses, else the busiest link."""
    for query in (
            "SELECT n.name FROM counter c JOIN node n USING(node) WHERE n.kind='host' AND "
            "c.name='tx_pause_ctrl_phy' ORDER BY c.value DESC, n.node LIMIT 1",
            "SELECT p.name FROM counter c JOIN port p USING(node, port) WHERE c.name='tx_busy_ps' "
            "ORDER BY c.value DESC, p.node, p.port LIMIT 1"):
        found = json.loads(program("query", "--json", database, query))
        if found:
            return next(iter(found[0].values()))
    return None


RUINED = 0.75  # of what a member of another workload gets without the neighbor


def worst_members(result):
    """Of each workload the goodput of the member that gets least, and the latency of the slowest."""
    return {work["name"]: (work["member_goodput_bps"]["min"] or 0, work["worst_member"]["latency_ns"]["mean"] or 0)
            for work in result["workloads"]}


def is_neighbor(case, cause, ran, path):
    """Without the workload that is named, a member of another one really gets a quarter more, or in a quarter less time."""
    others = [work for work in case.scenario["workloads"] if work["name"] != cause.get("name")]
    if cause.get("suspect") != "load" or not cause.get("confirmed") or len(others) == len(case.scenario["workloads"]):
        return False
    before = worst_members(ran)
    without = worst_members(play({**case.scenario, "workloads": others}, path))
    return any(before[name][0] < RUINED * goodput or latency < RUINED * before[name][1]
               for name, (goodput, latency) in without.items())


class Verdict:
    def __init__(self, case, path, database, prove):
        self.case, self.path = case, path
        ran, account = ask(path, database)
        said = account if "causes" in account else ran
        self.ran = ran
        self.causes, self.harm = said.get("causes", []), said.get("harm", {})
        self.silent = "causes" not in said
        thumb = rule_of_thumb(database)
        self.thumb = any(thumb in harm.places for harm in case.harms)
        self.accused = [cause for cause in self.causes if cause.get("sure") and blamed(case, cause)
                        and not any(is_harm(harm, cause) for harm in case.harms)]
        self.named = self.named_first()
        self.suspects = []
        self.proof = self.proved(database) if prove and case.harms else None

    def named_first(self):
        if not self.case.harms:
            return not self.silent and not any(blamed(self.case, cause) for cause in self.causes) and \
                (self.harm.get("severity") in ("none", "slight") or self.is_crowded())
        first = self.causes[:len(self.case.harms)]
        return len(first) > 0 and any(is_harm(harm, first[0]) for harm in self.case.harms) and \
            all(any(is_harm(harm, cause) for cause in first) for harm in self.case.harms)

    def is_crowded(self):
        """A clean scenario without room for all its load: each workload that is blamed is to blame."""
        return self.harm.get("severity") == "moderate" and len(self.causes) > 0 and \
            all(is_neighbor(self.case, cause, self.ran, self.path + ".without.yaml") for cause in self.causes)

    def is_runner_up(self, suspect):
        """The first cause that is no harm."""
        others = [cause for cause in self.causes if blamed(self.case, cause)
                  and not any(is_harm(harm, cause) for harm in self.case.harms)]
        return bool(others) and all(others[0].get(key) == suspect.get(key) for key in ("suspect", "name"))

    def proved(self, database):
        """Every harm is convicted and nobody else; alone it takes 80 % of the loss away, the runner-up no 20 %.

        Of a harm of several parameters it is enough that they are convicted together.  That a workload's
        going takes a loss away convicts nobody: traffic is needed for any harm."""
        account = json.loads(program("explain", "--prove", "--json", database))
        self.suspects = (account.get("prove") or {}).get("suspects", [])
        convicted = {}  # harm: the parts of the loss that repairing each of its settings takes away
        for suspect in self.suspects:
            part = suspect.get("gone") or 0.0
            harm = next((harm for harm in self.case.harms if is_harm(harm, suspect)), None)
            limit = 0.2 if self.is_runner_up(suspect) else 2.0
            if harm is None and blamed(self.case, suspect) and (suspect.get("culprit") or part >= limit):
                return False
            if harm is not None and suspect.get("culprit"):
                convicted.setdefault(harm, []).append(part)
        if len(convicted) < len(self.case.harms):
            return False
        alone = next(iter(convicted.values())) if len(convicted) == 1 else []
        return len(alone) != 1 or alone[0] >= 0.8

    def said(self):
        if self.proof is False:
            parts = sorted(self.suspects, key=lambda suspect: -(suspect.get("gone") or 0))[:4]
            shown = "; ".join(f"{part.get('suspect')} {part.get('name')} {part.get('gone')}"
                              f"{' culprit' if part.get('culprit') else ''}" for part in parts)
            return f"{self.named_text()}; proved {shown or 'nothing'}"
        return self.named_text()

    def named_text(self):
        if self.silent:
            return "no causes"
        named = "; ".join(text(cause) for cause in self.causes[:3])
        return named or f"nobody, severity {self.harm.get('severity')}"
