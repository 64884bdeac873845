#!/usr/bin/env python3
# lesson - the text of a lesson as Markdown for slides.            SPDX-License-Identifier: Apache-2.0
# usage: docs/slides/lesson.py NAME TEACHING.md [PICTURE.svg...] <TEXT      TEXT is the output of `stormglass lesson NAME`.
# Answers and the notes of TEACHING.md become notes for the teacher, which pandoc marks as such.

import itertools
import re
import sys

CAPTIONS = {
    "fabric": "The fabric after the run",
    "io": "One command on the wire",
    "pauses": "The pauses, from their cause to the victims",
    "waits": "The queues that wait for each other",
}
LINES_MAX = 12  # of one slide; a longer part continues on a second one
# Label of a note in TEACHING.md, and the part of the lesson that it belongs to.
PART_OF = {"Ask": "Predict", "Point at": "Run", "Misconception": "What happened", "Afterwards": "Question"}


def read_notes(path, name):
    """Part of the lesson -> note."""
    with open(path, encoding="utf-8") as file:
        sections = re.split(r"^### ", file.read(), flags=re.M)
    notes = {}
    for section in sections:
        if section.split("\n")[0] == name:
            for label, text in re.findall(r"^- \*\*(.*?):\*\* (.*)$", section, flags=re.M):
                notes[PART_OF[label]] = f"{label}: {text}"
    return notes


def literal(text):
    """Text of a lesson is no Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#$~^|@])", r"\\\1", text)


def kind_of(line):
    return "code" if line.startswith("    ") else "answer" if re.match(r"  [a-z]\. ", line) else "measured" if line.startswith("  ") else "text"


def convert(kind, lines):
    """Successive lines of one kind as Markdown."""
    if kind == "code":
        return ["```"] + [line[4:] for line in lines] + ["```"]
    if kind == "answer":
        return [f"{line[2]}. {literal(line[5:])}" for line in lines]
    return [("- " if kind == "measured" else "") + literal(line.strip()) for line in lines]


def print_notes(notes):
    if notes:
        print("\n::: notes\n\n" + "\n\n".join(notes) + "\n\n:::")


def split(lines):
    """All lines, or two halves if they are too many for one slide: the second begins with a sentence."""
    if len(lines) <= LINES_MAX:
        return [lines]
    starts = [i for i in range(1, len(lines)) if kind_of(lines[i]) == "text" and (kind_of(lines[i - 1]) == "measured" or lines[i - 1].endswith("."))]
    cut = min(starts, key=lambda start: abs(start - len(lines) / 2), default=len(lines) // 2)
    return [lines[:cut], lines[cut:]]


def print_part(heading, lines, notes):
    """The slides of a part. The answer that the run shows is for the teacher."""
    shown = [line for line in lines if not re.match(r"The run( with .*)? shows ", line)]
    notes = notes + [literal(line) for line in lines if line not in shown]
    for number, part in enumerate(split(shown)):
        dense = " {.dense}" if heading.startswith("Where") else ""
        print(f"\n## {heading}{', continued' if number else ''}{dense}")
        for kind, group in itertools.groupby(part, kind_of):
            print("", *convert(kind, group), sep="\n")
    print_notes(notes)


def main():
    name, teaching, *pictures = sys.argv[1:]
    head, *parts = re.split(r"^== ", sys.stdin.read().split("\nNext: ")[0], flags=re.M)
    title, goal = head.strip().split("\n")
    notes = read_notes(teaching, name)
    print(f"% {literal(title)}\n\n## Goal\n\n{literal(goal)}\n\nScenario: `{name}`")
    for part in parts:
        heading, *lines = part.strip("\n").split("\n")
        print_part(heading, lines, [notes[heading]] if heading in notes else [])
        for picture in pictures if heading == "Run" else []:
            caption = CAPTIONS[picture.rsplit("-", 1)[1].removesuffix(".svg")]
            print(f"\n## {caption} {{.picture}}\n\n![]({picture})")


main()
