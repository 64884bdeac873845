# SPDX-License-Identifier: Apache-2.0
"""pages.py FILE...: one line for each file, by which a change of it is seen: the checksum of a page without what Graphviz
computes from the fonts of the machine (markup.py), of anything else as it is.  Style sheets and programs are the same on
each page: they have a line of their own."""
import re
import sys
import zlib
from pathlib import Path

from markup import without_layout

shared = {}
for name in sorted(sys.argv[1:]):
    text = Path(name).read_text()
    if name.endswith(('.html', '.svg')):
        text = re.sub(r'<svg width="\d+pt".*?</svg>', without_layout, text, flags=re.S)
        for kind, part in re.findall(r'<(style|script)>(.*?)</\1>', text, flags=re.S):
            shared.setdefault(f'{kind} {zlib.crc32(part.encode()):08x}', name)
        text = re.sub(r'<(style|script)>.*?</\1>', '', text, flags=re.S)
    print(f'{name} {zlib.crc32(text.encode()):08x}')
for part, first in shared.items():
    print(f'{part}, first in {first}')
