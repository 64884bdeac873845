# SPDX-License-Identifier: Apache-2.0
"""markup.py PAGE: a page or a drawing with each element on a line of its own, without style sheets, programs and
figures (tests/golden/charts/check.py computes these), so that a difference names what has changed."""
import re
import sys

text = re.sub(r'<(style|script)\b.*?</\1>', '', open(sys.argv[1]).read(), flags=re.S)
for line in re.sub(r'(<(?!/))', r'\n\1', text).split('\n'):
    if line.strip():
        print(line.rstrip())
