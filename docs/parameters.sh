#!/bin/sh
# parameters - writes docs/parameters.md from the program's rows.  SPDX-License-Identifier: Apache-2.0
# usage: docs/parameters.sh STORMGLASS > docs/parameters.md        (`make docs` does it)
set -eu
export LC_ALL=C
program=$1

cat <<'HEAD'
# Parameters

Made from the program's own rows by `make docs`; a test holds it against them. A parameter is written in a
scenario under its path and set from the command line by `--set PATH=VALUE`. A profile may give another value;
what took effect in a run, and who set it, stands in its settings. The column `acts on` names the part of a run that the
parameter changes, which values are worse and how they show, and when the parameter has no effect.
HEAD

# A path may hold a space, but only in braces: workloads{kind: nvme}.read
"$program" list parameters | sed -E 's/^([^ {]*(\{[^}]*\})?[^ ]*) .*/\1/' | while read -r path; do
    "$program" explain-parameter "$path" | sed '/^$/q'
done | awk '
    function cell(text) { gsub(/\|/, "\\|", text); return text }
    BEGIN { last = "none" }
    /^[^ ]/ {
        path = $0
        name = path; sub(/.*\./, "", name)
        group = substr(path, 1, length(path) - length(name) - 1)
        if (group == "") group = "Top level"
        about = value = preset = range = acts = source = ""
        expect_about = 1
        next
    }
    expect_about { about = $0; sub(/^ */, "", about); expect_about = 0; next }
    $1 == "value" { value = $0; sub(/^ *value */, "", value); next }
    $1 == "also" { also = $0; sub(/^ *also */, "", also); about = about " Also: " also "."; next }
    $1 == "default" { preset = $0; sub(/^ *default */, "", preset); next }
    $1 == "range" { range = $0; sub(/^ *range */, "", range); next }
    $1 == "legal" { legal = $0; sub(/^ *legal */, "", legal); range = range ": " legal; next }
    $1 == "acts" { acts = $0; sub(/^ *acts on */, "", acts); next }
    $1 == "effect" { effect = $0; sub(/^ *effect */, "", effect); acts = acts "; " effect; next }
    $1 == "needs" {
        needs = $0; sub(/^ *needs */, "", needs); sub(/; otherwise it has no effect$/, "", needs)
        acts = acts "; no effect unless " needs; next
    }
    $1 == "source" {
        source = $0; sub(/^ *source */, "", source)
        if (group != last) {
            print "\n## " group "\n"
            print "| name | default | range | meaning | acts on | source |"
            print "|---|---|---|---|---|---|"
            last = group
        }
        if (range == "") range = value
        print "| `" name "` | " cell(preset) " | " cell(range) " | " cell(about) " | " cell(acts) " | " cell(source) " |"
    }'
