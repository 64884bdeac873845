#!/usr/bin/env python3
# links - links lead to files and headings that exist.             SPDX-License-Identifier: Apache-2.0
# usage: tests/links.py FILE.md|FILE.html|FOLDER...      Prints FILE:LINE: the link.  A folder stands for all pages in it.
# Pages may load nothing from the network.

import html.parser
import os
import re
import sys
import urllib.parse


def slug(heading):
    """The anchor that a forge gives a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append((self.getpos()[0], value or ""))
            elif name in ("src", "href", "data", "poster") and tag != "a":
                self.loads.append((self.getpos()[0], value or ""))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_markdown(text):
    page, fenced = Page(), False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if re.match(r"#+ ", line):
            page.anchors.add(slug(line.lstrip("#")))
        line = re.sub(r"`[^`]*`", "", line)
        page.links += [(number, link) for link in re.findall(r"\]\(([^)\s]+)\)", line)]
    return page


known = {}


def look_at(path):
    if path not in known:
        text = read(path)
        if path.endswith(".md"):
            known[path] = read_markdown(text)
        else:
            known[path] = Page()
            known[path].feed(text)
    return known[path]


def find_broken(path):
    page = look_at(path)
    for number, link in page.loads:
        if re.match(r"(https?:)?//", link):
            yield number, f"loads {link} from the network"
    for number, link in page.links + page.loads:
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target))) if target else path
        if not os.path.exists(target):
            yield number, f"there is no {target}"
        elif anchor and target.endswith((".md", ".html")) and urllib.parse.unquote(anchor) not in look_at(target).anchors:
            yield number, f"{target} has no heading #{anchor}"


def main():
    files = []
    for name in sys.argv[1:]:
        if os.path.isdir(name):
            files += sorted(os.path.join(folder, file) for folder, _, names in os.walk(name) for file in names if file.endswith(".html"))
        else:
            files.append(name)
    broken = [f"{path}:{number}: {text}" for path in files for number, text in find_broken(path)]
    print("\n".join(broken), end="\n" if broken else "")
    sys.exit(bool(broken) or not files)


main()
