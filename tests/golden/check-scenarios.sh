#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scenarios for trying `check`, written from public incident reports and standards before the rules:
# each misconfigured one has a warning or an error that names what is wrong, and that its repaired
# twin does not have; the sane ones have none.  Where a finding has values for --set, they end it.
# UPDATE=1 writes down which of them are found.
set -u
: "${STORMGLASS:?the program to test}"
program=$(realpath "$STORMGLASS")
here=$(cd "$(dirname "$0")" && pwd)/check
cd "$here" || exit 3
/usr/bin/python3 - "$program" "${UPDATE:-0}" <<'EOF'
import json
import re
import subprocess
import sys

PROGRAM, UPDATE = sys.argv[1], sys.argv[2] == "1"
failed = False


def fail(text):
    global failed
    failed = True
    print("FAIL", text)


def check(base, sets):
    options = [option for value in sets for option in ("--set", value)]
    run = subprocess.run([PROGRAM, "check", "--json", base, *options], capture_output=True, text=True)
    if run.returncode > 1 or not run.stdout:
        return None, run.stderr
    return [f for f in json.loads(run.stdout)["findings"] if f["level"] != "note"], ""


def words(finding):
    return finding["text"] + " " + (finding.get("remedy") or "")


def key(finding):
    return finding["rule"], finding["text"]


def rows(name):
    with open(name, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if not line.startswith("#"):
                yield line.split("\t")


def split(text):
    return text.split(";;") if text else []


def found(name, base, good, bad, expected):
    was, why = check(base, good)
    now, error = check(base, good + bad)
    if was is None:
        fail(f"{name}: the repaired one does not load: {why}")
        return True
    if now is None:
        return re.search(expected, error) is not None
    before = {key(f) for f in was}
    hits = [f for f in now if key(f) not in before and re.search(expected, words(f))]
    for hit in hits:
        if hit.get("set"):
            after, error = check(base, good + bad + hit["set"])
            # Two options may spell one parameter in two ways, which is refused.
            if after is None and "is set twice" not in error:
                fail(f"{name}: {hit['set']}: {error}")
            elif after is not None and key(hit) in {key(f) for f in after}:
                fail(f"{name}: {hit['set']} leaves: {hit['text']}")
    return bool(hits)


header, lines, missed = "", [], []
with open("rows.tsv", encoding="utf-8") as file:
    header = file.readline()
for row in rows("rows.tsv"):
    name, base, good, bad, expected, was = row[:6]
    is_found = found(name, base + ".yaml", split(good), split(bad), expected)
    if not is_found:
        missed.append(name)
    if is_found != (was == "found") and not UPDATE:
        fail(f"{name} is {'found' if is_found else 'missed'}, not {was}")
    lines.append("\t".join([*row[:5], "found" if is_found else "miss", *row[6:]]))
if UPDATE:
    with open("rows.tsv", "w", encoding="utf-8") as file:
        file.write(header + "\n".join(lines) + "\n")
print(f"{len(lines) - len(missed)} of {len(lines)} found; missed: {' '.join(missed) or 'none'}")

for name, base, *rest in rows("sane.tsv"):
    findings, error = check(base, split(rest[0]) if rest else [])
    if findings is None:
        fail(f"{name}: {error}")
    for finding in findings or []:
        fail(f"sane {name}: {finding['level']} {finding['rule']}: {finding['text']}")
sys.exit(failed)
EOF
