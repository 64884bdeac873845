#!/usr/bin/env python3
# score - how many diagnoses are right.                            SPDX-License-Identifier: Apache-2.0
"""usage: score.py [--explain | --account] [--list] [--set n|h|p|q|r|t|u|v] [NAME...]

Runs each scenario of expected.tsv with $STORMGLASS (default: stormglass) and compares the verdict with the expected one.
  --explain   scores `explain --prove` in place of `run`
  --account   scores `run --confirm 0`: without experiments
  --list      lists the scenarios and their expected answers, and runs nothing
  --set S     only the scenarios whose names begin with S (n, h, p, q, r, t, u or v)
NAME is the beginning of a scenario's name.

one   right: the first printed cause that is not load matches, and no other printed cause of 25 % or more is foreign.
      half: the cause appears, but not first or not printed, or the severity differs.  wrong: all else.
two   right: all causes are printed (of a pattern with "load", a cause that is load counts).  half: one.  wrong: none.
      Three causes have two patterns in the column of the second cause, with " && " between them.
none  right: no cause but load is printed, and the severity is none or slight.  Otherwise it is a false alarm.
In set t, whose scenarios use TCP, the bottleneck counts as well: of a right verdict with another one, half is left.
It is the bottleneck without the confirmed causes; if a cause is expected and none is confirmed, it does not count.
A cause is printed if it is confirmed or sure, or if its share is above 20 %.
All scenarios together, `run` fails below 90 % right, or with more than two false alarms: exit code 1."""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERDICTS = ("right", "half", "wrong", "false alarm")


def read_rows(names, prefix):
    rows = []
    with open(os.path.join(HERE, "expected.tsv"), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            row = (line.split("\t") + [""] * 7)[:7]
            if row[0].startswith(prefix) and (not names or any(row[0].startswith(n) for n in names)):
                rows.append(row)
    return rows


def run_verdict(program, scenario, explain, account=False):
    """The parsed JSON of run, or of explain --prove, which has the proof's suspects as causes."""
    command = [program, "explain", "--prove", "--json", scenario] if explain else \
        [program, "run", scenario, "--json", *(["--confirm", "0"] if account else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
        verdict = json.loads(done.stdout)
    except (ValueError, subprocess.TimeoutExpired):
        return None
    proof = (verdict.get("prove") or {}).get("suspects") or []
    if explain and not any(c.get("confirmed") for c in verdict.get("causes", [])) and proof:
        causes = verdict.get("causes", [])
        verdict["causes"] = []
        for suspect in proof:
            same = [c for c in causes if c["name"] == suspect["name"]]
            verdict["causes"].append({
                "name": suspect["name"], "suspect": suspect["suspect"], "sure": bool(suspect["culprit"]),
                "share": suspect["gone"] or 0.0 if suspect["culprit"] else 0.0,
                "sentence": " ".join([suspect["text"]] + [c["sentence"] for c in same])})
        verdict["causes"].sort(key=lambda c: (not c["sure"], -c["share"]))
    return verdict


def text_of(cause):
    return cause["name"] + " " + cause["sentence"]


def is_printed(cause):
    return bool(cause.get("confirmed")) or bool(cause.get("sure")) or (cause.get("share") or 0) > 0.2


def matches(pattern, text):
    return bool(re.search(pattern, text, re.IGNORECASE))


def judge_one(root, never, causes, faulty, printed, everything):
    first = bool(printed) and matches(root, text_of(printed[0]))
    if not faulty and "load" in root:
        first = any(matches(root, text_of(c)) for c in causes)
    foreign = [c for c in printed[1:] if (c.get("share") or 0) >= 0.25 and not matches(root, text_of(c))]
    if never and matches(never, " ".join(text_of(c) for c in printed)):
        return "wrong"
    if first and not foreign:
        return "right"
    return "half" if matches(root, everything) else "wrong"


def judge(row, verdict):
    name, root, bottleneck, never, kind, second, severity = row
    causes = verdict["causes"]
    limited = f"{verdict.get('bottleneck_kind')}: {verdict.get('bottleneck')}"
    counts = name.startswith("t") and (kind == "none" or any(c.get("confirmed") for c in causes))
    other_limit = counts and not matches(bottleneck, limited)
    faulty = [c for c in causes if c["suspect"] != "load"]
    printed = [c for c in faulty if is_printed(c)]
    found = verdict["harm"]["severity"]
    everything = " ".join([text_of(c) for c in causes] + [str(verdict.get("bottleneck") or ""),
                          str(verdict.get("root_cause") or "")] + [str(w) for w in verdict.get("warnings", [])])
    if kind == "none":
        harmless = all(root != "^$" and matches(root, text_of(c)) for c in printed)
        return "false alarm" if not harmless or found not in ("none", "slight") else "half" if other_limit else "right"
    if kind == "two":
        patterns = [root, *second.split(" && ")]
        hits = [any(matches(p, text_of(c)) for c in (filter(is_printed, causes) if "load" in p else printed)) for p in patterns]
        result = "right" if all(hits) else "half" if any(hits) or any(matches(p, everything) for p in patterns) else "wrong"
    else:
        result = judge_one(root, never, causes, faulty, printed, everything)
    if result == "right" and (other_limit or (severity not in ("", ".") and not matches(severity, found))):
        result = "half"
    return result


def print_scores(scores):
    for name in sorted(scores):
        count = scores[name]
        print(f"{name}: {count['right']} of {sum(count.values())} right, " +
              ", ".join(f"{count[v]} {v}" for v in VERDICTS[1:]))


def main():
    arguments = sys.argv[1:]
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    prefix = ""
    if "--set" in arguments[:-1]:
        at = arguments.index("--set")
        prefix = arguments[at + 1]
        del arguments[at:at + 2]
    unknown = [a for a in arguments if a.startswith("-") and a not in ("--explain", "--account", "--list")]
    rows = read_rows([a for a in arguments if not a.startswith("-")], prefix)
    if unknown or not rows:
        print(f"score.py: {'unknown option ' + unknown[0] if unknown else 'no scenario has that name'}", file=sys.stderr)
        return 2
    if "--list" in arguments:
        for row in rows:
            print("\t".join(row))
        return 0
    scores, total = {}, dict.fromkeys(VERDICTS, 0)
    for row in rows:
        verdict = run_verdict(os.environ.get("STORMGLASS", "stormglass"), os.path.join(HERE, row[0] + ".yaml"), "--explain" in arguments,
                              "--account" in arguments)
        result = judge(row, verdict) if verdict else "false alarm" if row[4] == "none" else "wrong"
        said = " || ".join(f"{c.get('share') or 0:.0%} {text_of(c)[:110]}" for c in verdict["causes"]) if verdict else "no result"
        print("\t".join([result, row[0], verdict["harm"]["severity"] if verdict else "-", said]), flush=True)
        for name in ("set " + row[0][0], "set " + row[0][0] + " " + row[4]):
            scores.setdefault(name, dict.fromkeys(VERDICTS, 0))[result] += 1
        total[result] += 1
    print_scores(scores)
    whole = not (prefix or "--explain" in arguments or "--account" in arguments or len(rows) < len(read_rows([], "")))
    return int(whole and (total["right"] < 0.9 * len(rows) or total["false alarm"] > 2))


if __name__ == "__main__":
    sys.exit(main())
