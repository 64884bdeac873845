#!/usr/bin/env python3
# named - what documents and comments name is there.               SPDX-License-Identifier: Apache-2.0
# usage: tests/named.py       Prints FILE:LINE: what is named and missing.
#
# - A path that begins with a folder of this tree exists, or is the beginning of a file's name: `net/port/port` is port.c and
#   port.h.  A path with a word in capitals (NAME, ROOM) or a wildcard stands for several.
# - A file name alone between backquotes of a document is the name of a file here, or in FOREIGN.
# - A name_with_underscores between backquotes of a document is a word of the sources.
# - The first comment of a source begins with the name of its file.

import os
import re
import subprocess
import sys

FOREIGN = {"saibuffer.h", "saiport.h", "saiqueue.h"}  # of SAI; paths of other projects have a folder of theirs

PATH = re.compile(
    r"(?<![\w./<>*$~{}%\\-])"
    r"((?:(?:model|scenarios|replay|reports|bridge|cli|tests|docs)"
    r"|(?:base|engine|rnic|nvme)(?=/[a-z_/]+(?:\.[a-z]+)?)"
    r"|net(?=/(?:frame|port|route|headroom|switch|trial|deadlock)\b))"
    r"(?:/[\w.*<>\[\]-]+)+/?)"
)
QUOTED = re.compile(r"`([^`]+)`")
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def find_missing(path, here, stems):
    """The part of `path` that should exist and does not, or None."""
    path = path.rstrip("/.-")
    if re.search(r"[*<>\[\]]|(?:^|[/_.-])[A-Z]+(?:[_.-]|$)", path) and not path.endswith("README.md"):
        return None
    places = (path, os.path.join("model", path), os.path.join(os.path.dirname(here), path))
    return None if any(os.path.exists(place) or place in stems for place in places) else path


def comments_of(text):
    """The text with everything outside of comments blanked out, lines kept."""
    out, at = [], 0
    for match in COMMENT.finditer(text):
        out.append("\n" * text.count("\n", at, match.start()))
        comment = match.group(0)
        out.append(comment if comment.startswith("/*") else "\n" * comment.count("\n"))
        at = match.end()
    return "".join(out)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = subprocess.run(["find", ".", "(", "-name", ".git", "-o", "-name", "build", ")", "-prune", "-o", "-type", "f", "-print"],
                           check=True, capture_output=True, text=True).stdout.split("\n")
    files = sorted(file[2:] for file in files if file and "/corpus/" not in file)
    names = {os.path.basename(file) for file in files}
    stems = {file[: file.rindex(".")] for file in files if "." in os.path.basename(file)}
    sources = [file for file in files if file.endswith((".c", ".h", ".def"))]
    scripts = [file for file in files if file.endswith((".sh", ".awk", ".py", ".js")) or file == "Makefile"]
    documents = [file for file in files if file == "README.md" or re.fullmatch(r"(docs/\w[\w-]*|bridge(/lab)?/README)\.md", file)]
    words = set()
    for file in sources + scripts + [file for file in files if file.endswith(".yaml")]:
        words.update(re.findall(r"\w+", read(file)))
    findings = []

    def look_for_paths(file, number, line):
        for match in PATH.finditer(line):
            missing = find_missing(match.group(1), file, stems)
            if missing:
                findings.append(f"{file}:{number}: there is no {missing}")

    for file in documents:
        for number, line in enumerate(read(file).split("\n"), 1):
            for quoted in QUOTED.findall(line):
                look_for_paths(file, number, quoted)
                if re.fullmatch(r"(?!build/)[a-z]+/[a-z_/.-]+\.(yaml|c|h|def|sh|js|md|awk)", quoted) and find_missing(quoted, file, stems):
                    findings.append(f"{file}:{number}: there is no {quoted}")
                if re.fullmatch(r"[a-z][a-z0-9_-]*\.(c|h|def|sh|awk|py)", quoted) and quoted not in names | FOREIGN:
                    findings.append(f"{file}:{number}: there is no file {quoted}")
                for word in re.findall(r"(?<!\w)[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!\w)", quoted):
                    if word not in words and not any(word in stem for stem in stems):
                        findings.append(f"{file}:{number}: no source has the word {word}")
    for file in sources:
        text = read(file)
        for number, line in enumerate(comments_of(text).split("\n"), 1):
            look_for_paths(file, number, line)
        titled = re.match(r"[^\n]*\n \* (\w+) - ", text)
        if titled and titled.group(1) != os.path.basename(file).rsplit(".", 1)[0]:
            findings.append(f"{file}:2: the comment is that of {titled.group(1)}")
    findings = list(dict.fromkeys(findings))
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


sys.exit(main())
