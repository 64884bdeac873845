#!/bin/bash
# man - the sections EXIT STATUS and EXAMPLES of the man pages.    SPDX-License-Identifier: Apache-2.0
# usage: docs/man.sh PROGRAM [FOLDER]     Rewrites both sections of each command's page in FOLDER (docs/man) from its --help,
#        so that page and program have one table of each. What follows a line `.\" Further examples.` is kept.
set -eu
program=$1
folder=${2:-$(dirname "$0")/man}

sections() { # COMMAND
    "$program" "$1" --help | awk '
        function escaped(text) { gsub(/\\/, "\\e", text); return text }
        /^Examples:$/ { part = "examples"; next }
        /^Exit codes:$/ { part = "codes"; next }
        /^$/ { part = "" }
        part == "examples" && /^  # / { abouts[++count] = substr($0, 5) }
        part == "examples" && /^    / { lines[count] = substr($0, 5) }
        part == "codes" { codes[++rows] = $1; sub(/^ *[0-9]+ */, ""); means[rows] = $0 }
        END {
            print ".Sh EXIT STATUS\n.Bl -tag -width 3n -compact"
            for (i = 1; i <= rows; i++) print ".It " codes[i] "\n" escaped(means[i])
            print ".El\n.Sh EXAMPLES"
            for (i = 1; i <= count; i++) {
                if (i > 1) print ".Pp"
                print escaped(abouts[i]) ":\n.Bd -literal -offset indent\n" escaped(lines[i]) "\n.Ed"
            }
        }'
}

for page in "$folder"/stormglass-*.1; do
    command=$(basename "$page" .1)
    command=${command#stormglass-}
    [ "$command" != bridge ] || continue # the page of another program
    sections "$command" >"$page.sections"
    awk -v sections="$page.sections" '
        /^\.Sh EXIT STATUS$/ { while ((getline line <sections) > 0) print line; skips = 1 }
        /^\.\\" Further examples\.$/ || (/^\.Sh / && !/EXIT STATUS|EXAMPLES/) { skips = 0 }
        !skips' "$page" >"$page.new"
    rm "$page.sections"
    cmp -s "$page" "$page.new" || cat "$page.new" >"$page"
    rm "$page.new"
done
