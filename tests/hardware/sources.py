#!/usr/bin/env python3
# sources - the sources of the profiles' values are those of constants.py.    SPDX-License-Identifier: Apache-2.0
# usage: STORMGLASS=PROGRAM tests/hardware/sources.py
# A value with estimates of several laboratories has that number of sources, and lies between the estimates; of one
# laboratory, one.  A profile that names more than one source has its laboratories in constants.py.
import json
import os
import re
import subprocess
import sys

from constants import CONSTANTS, HOSTS_OF_CARDS

PROGRAM = os.environ["STORMGLASS"]
UNITS = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6}


def number(text):
    value, unit = re.fullmatch(r"([0-9.]+)([A-Za-z%]*)", text).groups()
    return float(value) * UNITS.get(unit, 1)


def ask(*words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True, check=True).stdout)


def shipped():
    """The values of profiles by profile and name."""
    paths = [p["name"] for p in ask("list", "parameters")["parameters"] if p["name"].startswith("hosts.")]
    found = {}
    for parameter in ask("explain-parameter", *paths)["parameters"]:
        for each in parameter["profiles"]:
            found[(each["profile"], parameter["name"].rsplit(".", 1)[-1])] = each
    return found


def findings(table, found):
    for key, estimates in table.items():
        value = found.get(key)
        if value is None:
            yield f"{key}: no such value"
            continue
        count, given = len(estimates), number(value["value"])
        if value["evidence"] != "assumed" or value["sources"] > 0:
            if value["sources"] != count:
                yield f"{key}: {value['sources']} sources in the profile, {count} in constants.py"
        least, most = min(estimates.values()), max(estimates.values())
        if not 0.95 * least <= given <= 1.05 * most:
            yield f"{key}: {given} is not between {least} and {most}"
    for key, value in found.items():
        if value["sources"] > 1 and key not in table:
            yield f"{key}: {value['sources']} sources, but constants.py has none"


def main():
    table = dict(HOSTS_OF_CARDS)
    for c in CONSTANTS:
        if isinstance(c.used_by, str):
            table[(c.used_by, c.path.rsplit(".", 1)[1])] = c.estimates
    wrong = list(findings(table, shipped()))
    print("\n".join(wrong) if wrong else f"{len(table)} values agree")
    return bool(wrong)


sys.exit(main())
