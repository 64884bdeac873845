#!/bin/bash
# man - the parts of the man pages that --help has, too.            SPDX-License-Identifier: Apache-2.0
# usage: docs/man.sh PROGRAM [FOLDER]     Rewrites the line after .Nd and the sections EXIT STATUS and EXAMPLES of each command's
#        page in FOLDER (docs/man), and the list of commands of the first page, from the help, so that page and program agree. What follows a line `.\" Further examples.` is kept.
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

rewrite() { # PAGE: from standard input
    cat >"$1.new"
    cmp -s "$1" "$1.new" || cat "$1.new" >"$1"
    rm "$1.new"
}

abouts=$(mktemp)
trap 'rm -f "$abouts"' EXIT
"$program" help | sed -n 's/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p' >"$abouts"
awk -F '\t' -v abouts="$abouts" '
    BEGIN { while ((getline <abouts) > 0) about[$1] = $2 }
    listed != "" { print about[listed]; listed = ""; next }
    { print }
    /^\.It Xr stormglass-[a-z-]* 1$/ { listed = $0; sub(/.*stormglass-/, "", listed); sub(/ 1$/, "", listed) }
' "$folder/stormglass.1" | rewrite "$folder/stormglass.1"

for page in "$folder"/stormglass-*.1; do
    command=$(basename "$page" .1)
    command=${command#stormglass-}
    about=$(sed -n "s/^$command\t//p" "$abouts")
    sed "s|^\.Nd .*|.Nd $about|" "$page" | rewrite "$page"
    [ "$command" != bridge ] || continue # the page of another program
    sections "$command" >"$page.sections"
    awk -v sections="$page.sections" '
        /^\.Sh EXIT STATUS$/ { while ((getline line <sections) > 0) print line; skips = 1 }
        /^\.\\" Further examples\.$/ || (/^\.Sh / && !/EXIT STATUS|EXAMPLES/) { skips = 0 }
        !skips' "$page" | rewrite "$page"
    rm "$page.sections"
done
