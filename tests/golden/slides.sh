#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make slides: each lesson has a file that loads nothing, with a slide for each part, pictures of its run, the right answers
# only in notes, and every note of docs/teaching.md.  A third of the lessons in turn, by the commit; ALL=1: all.
set -u
tree=$PWD
. tests/golden/outside
command -v pandoc >/dev/null || { echo 'pandoc is not installed (.ci/packages test)' && exit 77; }

slides=$work/slides names='' number=0
for name in $("$program" list lessons | sed 's/ .*//'); do ! in_turn $((number++)) 3 || names+=" $name"; done
[ $number -ge 13 ] && [ -n "$names" ] || fail "$number lessons"
(cd "$tree" && LESSONS=$names docs/slides/build.sh "$program" "$slides") >log 2>&1 || fail "the slides cannot be built: $(cat log)"
"$tree/tests/links.py" "$slides" >log || fail "links of the slides: $(cat log)"

# plain FILE [notes]: the text of the slides, or only of the notes, without markup.
cat >plain.py <<'PY'
import html.parser, re, sys
class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.notes, self.inside, self.off, self.text = len(sys.argv) > 2, 0, 0, []
    def handle_starttag(self, tag, attrs):
        self.off += tag in ('script', 'style')
        if tag == 'div':
            self.inside += self.inside > 0 or dict(attrs).get('role') == 'note'
    def handle_endtag(self, tag):
        self.off -= tag in ('script', 'style')
        self.inside -= tag == 'div' and self.inside > 0
    def handle_data(self, data):
        if not self.off and bool(self.inside) == self.notes:
            self.text.append(data)
text = Text()
text.feed(open(sys.argv[1], encoding='utf-8').read())
print(re.sub(r'\s+', ' ', ''.join(text.text)))
PY
plain() { python3 plain.py "$@"; }

for name in $names; do
    page=$slides/$name.html
    [ -s "$page" ] || { fail "$name has no slides" && continue; }
    grep -q "href=\"$name.html\"" "$slides/index.html" || fail "$name is not in the index"
    grep -qE '(src|href)="[^d#]' "$page" && fail "$name: the slides need another file: $(grep -oE '(src|href)="[^d#].{40}' "$page" | head -n 1)"
    for part in Predict Run 'What happened' 'Where the numbers come from' Question; do
        grep -q "^<h2[^>]*>$part</h2>" "$page" || fail "$name has no slide '$part'"
    done
    grep -q 'src="data:image/svg+xml' "$page" || fail "$name has no picture"
    grep -q '@media print' "$page" || fail "$name cannot be printed as slides"
    plain "$page" >shown.txt
    plain "$page" notes >notes.txt
    "$program" lesson "$name" </dev/null >"$name.txt"
    # Each line of the lesson is on a slide, except the answers: those are in the notes.
    while IFS= read -r line; do
        case $line in
        '' | '== '* | 'Next: '*) ;;
        'The run shows '* | 'The run with '*) grep -qF -- "$line" notes.txt && ! grep -qF -- "$line" shown.txt || fail "$name: not only in the notes: $line" ;;
        *)
            line=$(sed 's/^  [a-z]\. //; s/  */ /g; s/^ //; s/ $//' <<<"$line")
            grep -qF -- "$line" shown.txt || fail "$name: not on a slide: $line"
            ;;
        esac
    done <"$name.txt"
    sed -n "/^### $name\$/,/^### /p" "$tree/docs/teaching.md" | grep '^- ' >wanted.txt
    [ "$(wc -l <wanted.txt)" = 4 ] || fail "docs/teaching.md: $name has not four notes"
    while IFS= read -r line; do
        grep -qF -- "$(sed 's/^- //; s/[*`]//g' <<<"$line")" notes.txt || fail "$name lacks the note: $line"
    done <wanted.txt
done

# Which pictures: of the deadlock its queues, of a command its frames.
for row in 'deadlock|The queues that wait' 'nvme-wire|One command on the wire' 'watchdog|The pauses, from their cause'; do
    [[ " $names " == *" ${row%%|*} "* ]] || continue
    plain "$slides/${row%%|*}.html" | grep -qF "${row#*|}" || fail "${row%%|*} has no slide '${row#*|}'"
done
[ $failures = 0 ]
