# SPDX-License-Identifier: Apache-2.0
"""drawing.py FABRIC.dot...: a line for each: where its boxes and lines are, in whole points from the first box.  The sizes
of a fabric's boxes and their places are not Graphviz's, so that they are the same on each machine; where its canvas
begins is."""
import re
import sys
import zlib
from pathlib import Path


def places(text):
    text = re.sub(r'\\\n', '', text)
    found, origin = [], None
    for name, attributes in re.findall(r'^\t("[^"]*"|\w+(?: -> \w+)?|"[^"]*" -> "[^"]*")\s*\[(.*?)\];$', text, flags=re.S | re.M):
        fields = dict(re.findall(r'(\w+)=("[^"]*"|[^,\s\]]+)', attributes))
        if 'pos' not in fields:
            continue
        points = [float(number) for number in re.findall(r'-?[0-9.]+(?:e[+-]?\d+)?', fields['pos'])]
        origin = origin or points[:2]
        moved = [round(number - origin[i % 2]) for i, number in enumerate(points)]
        sizes = [round(72 * float(fields[key])) for key in ('width', 'height') if key in fields]
        found.append(' '.join([name, *map(str, moved), *map(str, sizes)]))
    return found


for file in sorted(sys.argv[1:]):
    drawn = places(Path(file).read_text())
    print(f'{file} {len(drawn)} {zlib.crc32(chr(10).join(drawn).encode()):08x}')
