# play - what a scenario comes to, and what one lost against another.  SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess

from healthy import as_yaml

PROGRAM = os.environ["STORMGLASS"]
VICTIM = 0.05  # of a workload's time


class Refused(Exception):
    """The scenario is none: what was drawn contradicts itself."""


class Unplayable(Exception):
    """The program failed: the words are its own."""


def program(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode == 2:
        raise Refused(done.stderr.strip().split("\n")[0])
    if done.returncode not in (0, 1) or (done.stdout == "" and done.stderr != ""):
        raise Unplayable(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[:400]}")
    return done.stdout


def write(scenario, path, note=""):
    with open(path, "w", encoding="utf-8") as file:
        file.write(note + as_yaml(scenario))
    return path


def play(scenario, path, *options):
    write(scenario, path)
    return json.loads(program("run", path, "--json", "--confirm", "0", *options))


def judged(path):
    """Of a scenario in a file, with experiments."""
    return json.loads(program("run", path, "--json"))


def seed_of_commit():
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
    return int((done.stdout[:7] or "1"), 16)


def unhealthy(result):
    """What a healthy scenario must not have, or None."""
    for name, count in result["drops"].items():
        if count:
            return f"{count} drops: {name}"
    for name in ("timeouts", "naks", "rnr_naks", "qp_errors", "retransmitted_packets"):
        if result["rnic"][name]:
            return f"{result['rnic'][name]} {name}"
    for work in result["workloads"]:
        if work["failed"] or work["unfinished"] or work["members_idle"]:
            return f"{work['name']}: failed, unfinished or idle"
        if work["completed"] < 40:
            return f"{work['name']}: only {work['completed']} operations"
    return f"{result['failures'][0]}" if result["failures"] else None


class Loss:
    """What HARMED lost against CLEAN: time of each workload, operations and members, lossless frames."""

    def __init__(self, clean, harmed):
        self.shares = {}
        self.time = 0.0
        self.failed = 0
        before = {work["name"]: work for work in clean["workloads"]}
        for work in harmed["workloads"]:
            was = before.get(work["name"])
            if was is None or was["completed"] == 0:
                continue
            share = max(0.0, 1 - work["completed"] / was["completed"])
            self.shares[work["name"]] = share
            if share >= VICTIM:
                self.time += share * work["members"]
            for key in ("failed", "unfinished", "corrupt", "members_idle"):
                self.failed += max(0, work[key] - was[key])
        self.lossless = max(0, harmed["drops"]["lossless"] - clean["drops"]["lossless"])

    def matters(self, noise=0.0):
        late = any(share >= max(VICTIM, noise) for share in self.shares.values())
        return self.failed > 0 or self.lossless > 0 or late

    def __str__(self):
        worst = max(self.shares, key=self.shares.get, default="-")
        return (f"{worst} {self.shares.get(worst, 0) * 100:.0f}% of its time, {self.failed} failed, "
                f"{self.lossless} lossless drops")
