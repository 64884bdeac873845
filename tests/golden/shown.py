#!/usr/bin/env python3
# shown - documents show what the program prints.                  SPDX-License-Identifier: Apache-2.0
# usage: tests/golden/shown.py [--update] PROGRAM TREE DOCUMENT...     In an empty folder.
#
# <!-- file: NAME -->       before a fenced block: the block is the file NAME, which later commands of the document read.
# <!-- shown -->            before a fenced block: each line that begins with "$ " is a command, and what follows is its output.
# <!-- shown: WORD, ... --> the same, but of the output only the paragraphs that begin with one of the words ("1" is the first
#                           paragraph; WORD/N only its first N lines).
# Lines "(step) COMMAND" are typed into the debugger.  Answers of `stormglass plan scenarios/plans/NAME.yaml` come from docs/plans.md,
# which `make plans` writes, because they take longer.  --update writes the outputs anew.

import os
import re
import subprocess
import sys

MARK = re.compile(r"^ *<!-- (file|shown)(?:: (.*?))? -->$")


def untimed(text):
    """Wall-clock times and trailing spaces differ from run to run and from editor to editor."""
    return re.sub(r" in [0-9.]+ s$", "", re.sub(r" +$", "", text, flags=re.M), flags=re.M)


def select(output, words):
    """The paragraphs of `output` that `words` names, in their order."""
    if not words:
        return output.strip("\n")
    chosen = []
    paragraphs = re.split(r"\n\n+", output.strip("\n"))
    for wanted in (word.strip() for word in words.split(",")):
        word, _, most = wanted.partition("/")
        found = paragraphs[:1] if word == "1" else [text for text in paragraphs if text.startswith(word)]
        if not found:
            raise LookupError(f"the output has no paragraph '{word}'")
        chosen += ["\n".join(text.split("\n")[: int(most)]) if most else text for text in found[:1]]
    return "\n\n".join(chosen)


def planned(tree, plan):
    """The answer to a plan in docs/plans.md: the last fenced block of its section."""
    with open(os.path.join(tree, "docs/plans.md"), encoding="utf-8") as file:
        for section in file.read().split("\n## "):
            if section.find(f"[{plan}]") >= 0:
                return re.split(r"^```.*\n", section, flags=re.M)[-2]
    raise LookupError(f"docs/plans.md has no answer to {plan}")


def run(tree, command, typed):
    plan = re.fullmatch(r"stormglass plan (scenarios/plans/\S+\.yaml)", command)
    if plan:
        return planned(tree, plan.group(1))
    if typed:
        with open("typed.step", "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in typed))
        command += " --script typed.step"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise LookupError(f"exit code {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def renew(tree, words, block):
    """The block with the outputs that its commands have now."""
    out = []
    for part in re.split(r"^(?=\$ )", block, flags=re.M):
        if not part.startswith("$ "):
            if part.strip():
                raise LookupError("the block does not begin with a command")
            continue
        head, rest = [], part.rstrip("\n").split("\n")
        head.append(rest.pop(0))
        while head[-1].endswith("\\"):
            head.append(rest.pop(0))
        command = "\n".join(head)[2:]
        typed = [line[7:] for line in rest if line.startswith("(step) ")]
        output = run(tree, command, typed)
        if typed:
            if untimed("\n".join(line for line in rest if not line.startswith("(step) "))) != untimed(output.rstrip("\n")):
                raise LookupError(f"the debugger prints:\n{output}")
            out += head + rest
            continue
        shown = select(output, words)
        if untimed(shown) == untimed("\n".join(rest)):
            shown = "\n".join(rest)
        out += head + ([shown] if shown else [])
    return "\n".join(out) + "\n"


def check(tree, path, update):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    wrong, at, blocks = [], 0, 0
    while at < len(lines):
        mark = MARK.match(lines[at])
        at += 1
        if not mark:
            continue
        if not lines[at].startswith("```"):
            wrong.append(f"{path}:{at}: no fenced block follows")
            continue
        begin = at + 1
        end = lines.index("```", begin)
        block = "".join(line + "\n" for line in lines[begin:end])
        blocks += 1
        if mark.group(1) == "file":
            with open(mark.group(2), "w", encoding="utf-8") as file:
                file.write(block)
        else:
            try:
                now = renew(tree, mark.group(2), block)
                if update:
                    lines[begin:end] = now.split("\n")[:-1]
                elif untimed(now) != untimed(block):
                    wrong.append(f"{path}:{at}: shows another output than this: UPDATE=1 tests/golden/readme.sh\n{now}")
            except LookupError as error:
                wrong.append(f"{path}:{at}: {error}")
        at = lines.index("```", begin)
    if not blocks:
        wrong.append(f"{path}: no block is marked")
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return wrong


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    program, tree, *documents = arguments[update:]
    os.makedirs("bin", exist_ok=True)
    for link, target in (("bin/stormglass", os.path.abspath(program)), ("scenarios", os.path.join(tree, "scenarios"))):
        if not os.path.lexists(link):
            os.symlink(target, link)
    os.environ["PATH"] = os.path.abspath("bin") + ":" + os.environ["PATH"]
    wrong = [text for path in documents for text in check(tree, path, update)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
