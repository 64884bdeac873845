#!/usr/bin/env python3
# wording - documents, man pages and output use plain words.        SPDX-License-Identifier: Apache-2.0
# usage: tests/wording.py FILE...       Prints FILE:LINE: the words, and what to write instead (tests/wording.tsv).
# Left out are code, fenced and indented blocks, and comments; of man pages also displays, macros for names, and the examples,
# whose captions come from --help; of output (.txt) words in quotes, names such as a-b-c, and markup.

import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wording.tsv")
NAMES = re.compile(r"\.(Fl|Ar|Cm|Ql|Dl|Pa|Va|Li|Xr|Nm|Op|Em|Sy|It Fl|It Cm|It Ql|It Va|It Xr|Sh|Dd|Dt|Os|Bl|El|Pq|Sq|Dq|Nd)\b")


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return [(re.compile(pattern), instead) for pattern, instead in rows]


def prose_of_markdown(lines):
    fenced = False
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
        if fenced or line.startswith(("    ", "```", "<!--")):
            yield ""
            continue
        line = re.sub(r"`[^`]*`", "`x`", line)
        line = re.sub(r"\]\([^)]*\)", "]", line)
        yield re.sub(r"^[-*>#| ]+|^\d+\. ", "", line.replace("**", ""))


def prose_of_manual(lines):
    shown = examples = False
    for line in lines:
        if line.startswith(".Sh "):
            examples = line == ".Sh EXAMPLES"
        if re.match(r"\.(Bd|TS)", line):
            shown = True
        elif re.match(r"\.(Ed|TE)", line):
            shown = False
        yield "" if shown or examples or NAMES.match(line) or line.startswith('.\\"') else line


def prose_of_output(lines):
    for line in lines:
        line = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\w+(-\w+){2,}", "x", line)
        yield "" if line.startswith(("<", "What if")) else line


def is_repeated(line, previous):
    """True if two lines in a row begin or end with the same words, as after an edit that left the old line in place."""
    now, before = line.split(), previous.split()
    return len(now) >= 5 and len(before) >= 5 and (now[:5] == before[:5] or now[-5:] == before[-5:])


def find(path, table):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    kinds = {".md": prose_of_markdown, ".txt": prose_of_output}
    kind = os.path.splitext(path)[1]
    prose = list(kinds.get(kind, prose_of_manual)(lines))
    for number, line in enumerate(prose, 1):
        if kind not in kinds and number > 1 and not line.startswith(".") and is_repeated(line, prose[number - 2]):
            yield f"{path}:{number}: repeats the line above: remove one of the two"
        for pattern, instead in table:
            match = pattern.search(line)
            if match:
                yield f'{path}:{number}: "{match.group(0).strip(" ,.;:")}": {instead}'


def main():
    table = read_table()
    findings = [finding for path in sys.argv[1:] for finding in find(path, table)]
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(bool(findings))


main()
