# SPDX-License-Identifier: Apache-2.0
"""number - whether a number in words is what it stands for: the exact one is within half of its last digit."""
import re

UNITS = {'ps': 1, 'ns': 10**3, 'us': 10**6, 'ms': 10**9, 's': 10**12, '%': 0.01, '': 1, 'k': 10**3, 'M': 10**6, 'G': 10**9,
         'b/s': 1, 'kb/s': 10**3, 'Mb/s': 10**6, 'Gb/s': 10**9, 'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30, 'TiB': 2**40}


def agrees(words, exact):
    """`words`: "53%", "76.8 us", "1,254", "-" for none."""
    match = re.fullmatch(r'([\d,]+)(\.\d+)? ?([a-zA-Z/%]*)', words.strip())
    if exact is None or match is None:
        return exact is None and words.strip() == '-'
    value, digits = float(match[1].replace(',', '') + (match[2] or '')), len(match[2] or '.') - 1
    whole = match[1].replace(',', '')
    if not match[2] and len(whole) > 3 and whole.endswith('0') and ',' not in match[1]:
        digits = -1
    unit = UNITS[match[3]]
    return abs(value * unit - exact) <= 0.5001 * 10**-digits * unit
