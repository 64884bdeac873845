# SPDX-License-Identifier: Apache-2.0
"""markup.py PAGE: a page or a drawing with each element on a line of its own, without the text of style sheets, programs and
figures (tests/golden/charts/check.py computes these), so that a difference names what has changed.  What Graphviz
computes depends on the fonts of the machine: places and sizes of its drawings are left out."""
import re
import sys


def without_layout(drawing):
    return re.sub(r' (points|d|x|y|cx|cy|rx|ry|width|height|viewBox|transform)="[^"]*"', '', drawing[0])


def main(page):
    text = re.sub(r'(<(style|script)\b[^>]*>).*?(</\2>)', r'\1\3', open(page).read(), flags=re.S)
    text = re.sub(r'<svg width="\d+pt".*?</svg>', without_layout, text, flags=re.S)
    for line in re.sub(r'(<(?!/))', r'\n\1', text).split('\n'):
        if line.strip():
            print(line.rstrip())


if __name__ == '__main__':
    main(sys.argv[1])
