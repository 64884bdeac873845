#!/usr/bin/env python3
# truth - what each cause costs, by counterfactual runs.           SPDX-License-Identifier: Apache-2.0
"""usage: truth.py [NAME...]

Prints truth.tsv with its last column measured anew with $STORMGLASS (default: stormglass): for each row the scenario is
run as it is and with TEXT replaced by REPLACEMENT (\\n is a line break).  The cause "all" replaces the texts of all rows
of the scenario.  A row without a text and with another cause keeps its figures.  The cost is the change of each workload,
and of its member (an initiator-target pair) that lost most bytes and of the one whose mean latency rose most."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MEMBERS = "SELECT workload, member, host, target, bytes, mean_us FROM v_member"


def run_text(program, text):
    """Workloads by name, and members by workload and number, of a scenario given as text."""
    with tempfile.TemporaryDirectory() as folder:
        scenario, database = os.path.join(folder, "s.yaml"), os.path.join(folder, "r.db")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([program, "run", scenario, "--json", "-o", database], capture_output=True, text=True, check=False)
        rows = subprocess.run([program, "query", "--json", database, MEMBERS], capture_output=True, text=True, check=True).stdout
        workloads = {w["name"]: w for w in json.loads(done.stdout)["workloads"]}
        return workloads, {(m["workload"], m["member"]): m for m in json.loads(rows)}


def share(now, normal):
    return f"{100 * (now / normal - 1):+.0f}%" if normal else "-"


def times(now, normal):
    return f"x{now / normal:.2f}" if now and normal else "-"


def cost_of(as_is, without):
    parts = []
    for name, now in as_is[0].items():
        if name not in without[0]:  # the cause is this workload
            continue
        normal = without[0][name]
        if not normal["completed"]:
            continue
        part = (f"{name}: goodput {share(now['goodput_bps'], normal['goodput_bps'])}, "
                f"mean {times(now['latency_ns']['mean'], normal['latency_ns']['mean'])}, "
                f"p99 {times(now['latency_ns']['p99'], normal['latency_ns']['p99'])}")
        if now["failed"] != normal["failed"]:
            part += f", failed {now['failed']} for {normal['failed']}"
        pairs = [(m, without[1][k]) for k, m in as_is[1].items() if k[0] == name and k in without[1]]
        lost = [p for p in pairs if p[1]["bytes"]]
        if lost:
            m, n = min(lost, key=lambda p: p[0]["bytes"] / p[1]["bytes"])
            part += f"; {m['host']} to {m['target']}: bytes {share(m['bytes'], n['bytes'])}"
        late = [p for p in pairs if p[0]["mean_us"] and p[1]["mean_us"]]
        if late:
            m, n = max(late, key=lambda p: p[0]["mean_us"] / p[1]["mean_us"])
            part += f"; {m['host']} to {m['target']}: mean {times(m['mean_us'], n['mean_us'])}"
        parts.append(part)
    return " | ".join(parts)


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__)
        return 0
    program = os.environ.get("STORMGLASS", "stormglass")
    with open(os.path.join(HERE, "truth.tsv"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    rows = [(line.split("\t") + [""] * 5)[:5] for line in lines if not line.startswith("#")]
    print("\n".join(line for line in lines if line.startswith("#")))
    runs = {}
    for name, cause, text, replacement, cost in rows:
        if sys.argv[1:] and not any(name.startswith(a) for a in sys.argv[1:]):
            continue
        changes = [(text, replacement)] if text else [(r[2], r[3]) for r in rows if r[0] == name and r[2]] if cause == "all" else []
        if changes:
            with open(os.path.join(HERE, name + ".yaml"), encoding="utf-8") as file:
                scenario = file.read()
            if name not in runs:
                runs[name] = run_text(program, scenario)
            for old, new in changes:
                old = old.replace("\\n", "\n")
                if old not in scenario:
                    print(f"truth.py: {name} has no text {old!r}", file=sys.stderr)
                    return 2
                scenario = scenario.replace(old, new.replace("\\n", "\n"))
            cost = cost_of(runs[name], run_text(program, scenario))
        print("\t".join([name, cause, text, replacement, cost]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
