#!/usr/bin/env python3
# same.py FIRST COUNT: whether a verdict depends on how a scenario is written.  SPDX-License-Identifier: Apache-2.0
# Draws harmed and clean scenarios as culprit does, and writes each again with its workloads, its faults, or the keys of
# its mappings in reverse order, and with other names of workloads.  The printed causes must be the same, and the severity
# within one step: frames meet in another order, so that a loss may pass a limit, or an operation fail that did not.
# FIRST empty: drawn by the commit.
import copy
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import draw  # noqa: E402
import play  # noqa: E402
from harms import KINDS  # noqa: E402
from rows import Rows  # noqa: E402

PRINTED = 0.2  # of the loss: causes of less are printed if they are confirmed
SEVERITIES = ("none", "slight", "moderate", "severe")


def in_reverse(mapping):
    return dict(reversed(list(mapping.items())))


def workloads(scenario, _faults, _names):
    scenario["workloads"].reverse()


def faults(scenario, order, _names):
    scenario["faults"].reverse()
    order.reverse()


def keys(scenario, _faults, _names):
    for name in ("workloads", "faults"):
        if name in scenario:
            scenario[name] = [in_reverse(entry) for entry in scenario[name]]
    scenario["fabric"] = in_reverse(scenario["fabric"])
    again = in_reverse(scenario)
    scenario.clear()
    scenario.update(again)


def names(scenario, _faults, known):
    for number, workload in enumerate(scenario["workloads"]):
        other = f"z{len(scenario['workloads']) - number}"
        known[other] = workload["name"]
        workload["name"] = other


def verdict(result, order, known):
    """The causes as the first scenario would name them, the severity, and whether operations failed."""
    causes = set()
    for cause in result["causes"]:
        name = "load" if cause["suspect"] == "load" else cause["name"]
        parts = name.split(".")
        if parts[0] == "faults":
            parts[1] = str(order[int(parts[1])])
        if parts[0] == "workloads":
            parts[1] = known.get(parts[1], parts[1])
        if cause["confirmed"] or cause["share"] > PRINTED:
            causes.add((".".join(parts), cause["confirmed"]))
    harm = result["harm"]
    return sorted(causes), harm["severity"], harm["failed_operations"] > 0


def are_same(one, other):
    step = abs(SEVERITIES.index(one[1]) - SEVERITIES.index(other[1]))
    return one[0] == other[0] and (step <= 1 or one[2] != other[2])


def differences(scenario, path):
    first = None
    for change in (None, workloads, faults, keys, names):
        again = copy.deepcopy(scenario)
        order, known = list(range(len(again.get("faults", [])))), {}
        if change is faults and len(order) < 2:
            continue
        if change is not None:
            change(again, order, known)
        play.write(again, path)
        found = verdict(play.judged(path), order, known)
        first = found if change is None else first
        if not are_same(found, first):
            yield change.__name__, first, found


def main():
    first = int(sys.argv[1]) if sys.argv[1] else play.seed_of_commit()
    count, rows, wrong, drawn = int(sys.argv[2]), Rows(), 0, 0
    kinds = sorted(KINDS) + [draw.CLEAN]
    with tempfile.TemporaryDirectory(prefix="same") as room:
        path = os.path.join(room, "drawn.yaml")
        for seed in range(first, first + count):
            case = draw.draw_case(seed, kinds[seed % len(kinds)], path, rows)
            if case is None:
                continue
            drawn += 1
            for change, was, found in differences(case.scenario, path):
                wrong += 1
                print(f"seed {seed}, {case.kind}: {change} in another order: {was} became {found}", flush=True)
    print(f"same: {drawn} of {count} drawn, {wrong} verdicts depend on how the scenario is written")
    return 1 if wrong or drawn * 2 < count else 0


if __name__ == "__main__":
    sys.exit(main())
