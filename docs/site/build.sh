#!/bin/bash
# build - the documents as a static site, with sample reports.     SPDX-License-Identifier: Apache-2.0
# usage: docs/site/build.sh STORMGLASS FOLDER      (`make site` builds it in build/site)
# Pages lie where their documents lie in the tree, so that links work in both.  Nothing on a page comes from the network.
set -eu
program=$(realpath "$1") site=$2
here=docs/site
rm -rf "$site"
mkdir -p "$site/reports" "$site/docs/man"
cp "$here/style.css" LICENSE "$site"

# --- sample reports -------------------------------------------------------------------------------------

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reports=()
report() { # NAME TITLE DATABASE...
    "$program" report "${@:3}" -o "$site/reports/$1.html"
    reports+=("$1|$2")
}
for name in pause-storm incast-8to1 mtu-mismatch fail-over; do
    # Exit code 1 says that an expectation of the case failed; the run is complete.
    "$program" run "$name" -o "$work/$name.db" --record counters >/dev/null || [ $? = 1 ]
    report "$name" "$("$program" list cases | sed -n "s/^$name  *//p")" "$work/$name.db"
done
"$program" run pause-storm -o "$work/seed-2.db" --seed 2 >/dev/null || [ $? = 1 ]
report two-runs "Two runs of pause-storm with different seeds." "$work/pause-storm.db" "$work/seed-2.db"
"$program" plan scenarios/plans/architect.yaml -o "$work/plan.db" >/dev/null
report architect "The answer to the plan architect.yaml." "$work/plan.db"
# Without the engine for browsers (make playground) the site has no playground.
if "$program" report --playground pause-storm -o "$site/reports/playground.html" 2>"$work/no-playground"; then
    reports+=("playground|All cases and lessons to change and run in the browser.")
fi

{
    echo '# Sample reports'
    echo
    echo 'Each of these pages is one file that `stormglass report` writes from a run database.'
    echo
    for row in "${reports[@]}"; do echo "- [${row%%|*}](${row%%|*}.html): ${row#*|}"; done
} >"$work/reports.md"

# --- pages ------------------------------------------------------------------------------------------------

# section | page | title in the navigation
pages='Start|README.md|Overview
Start|docs/tutorial.md|Tutorial
Start|docs/howto.md|How-to
Start|docs/teaching.md|Teaching
Start|slides|Slides
Start|reports|Sample reports
Reference|docs/man/stormglass.1|Commands
Reference|docs/man/stormglass-scenario.5|Scenarios
Reference|docs/parameters.md|Parameters
Reference|docs/recording.md|Run databases
Reference|docs/counters.md|Counters
Reference|docs/glossary.md|Glossary
Explanation|docs/model.md|The model
Explanation|docs/architecture.md|Architecture
Evidence|docs/claims.md|Claims
Evidence|docs/plans.md|Plans
Evidence|docs/predictions-hardware.md|Hardware
Evidence|docs/measured.md|Soft-RoCE
Evidence|docs/testing.md|Testing
Evidence|docs/performance.md|Performance
Contributing|docs/adding.md|Adding
Contributing|bridge/README.md|Bridge
Contributing|bridge/lab/README.md|Laboratory'

page_of() { # DOCUMENT: its page
    case $1 in
    reports | slides) echo "$1/index.html" ;;
    *.[1-8]) echo "$1.html" ;;
    *) echo "$1" | sed 's,README\.md$,index.html,; s,\.md$,.html,' ;;
    esac
}

navigation() { # DOCUMENT ROOT
    local section page title last=
    while IFS='|' read -r section page title; do
        [ "$section" = "$last" ] || echo "${last:+</ul>}<p>$section</p><ul>"
        last=$section
        echo "<li$([ "$page" = "$1" ] && echo ' class="here"')><a href=\"$2$(page_of "$page")\">$title</a></li>"
    done <<<"$pages"
    echo '</ul>'
}

render() { # DOCUMENT SOURCE FORMAT TITLE
    local out root headings
    out=$(page_of "$1")
    root=$(dirname "$out" | sed 's,^\.$,,; s,[^/][^/]*,..,g; s,$,/,; s,^/$,,')
    mkdir -p "$site/$(dirname "$out")"
    headings=$(grep -c '^##* \|<h1' "$2" || true)
    pandoc -f "$3" -t html5 --template "$here/template.html" --lua-filter "$here/links.lua" --no-highlight --wrap=preserve \
        -M title="$4" -V root="$root" -V navigation="$(navigation "$1" "$root")" \
        $([ "$headings" -gt 5 ] && echo --toc --toc-depth=2) $([ "$headings" -lt 30 ] && echo -V open=1) "$2" -o "$site/$out"
}

title_of() { sed -n 's/^# //p' "$1" | head -1; }

for document in README.md docs/*.md bridge/README.md bridge/lab/README.md; do
    render "$document" "$document" gfm "$(title_of "$document")"
done
render reports "$work/reports.md" gfm 'Sample reports'
# A manual page as mandoc writes it; links to the manuals of other programs become text.
for document in docs/man/*.[1-8]; do
    name=$(basename "$document" | sed 's/\.\([1-8]\)$/(\1)/')
    {
        printf '```{=html}\n<h1>%s</h1>\n' "$name"
        mandoc -T html -O fragment,man="%N.%S.html" "$document" |
            sed -E '/class="Xr" href="stormglass/!s,<a class="Xr" href="[^"]*"[^>]*>([^<]*)</a>,\1,g'
        echo '```'
    } >"$work/page.md"
    render "$document" "$work/page.md" markdown "$name"
done

docs/slides/build.sh "$program" "$site/slides"

# --- files that pages show or name ------------------------------------------------------------------------

cp -R docs/pictures docs/*.csv "$site/docs"
mkdir -p "$site/scenarios"
cp -R scenarios/plans scenarios/cases "$site/scenarios"
