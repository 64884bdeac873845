#!/bin/sh
# parameters - writes docs/parameters.md from the program's rows.  SPDX-License-Identifier: Apache-2.0
# usage: docs/parameters.sh STORMGLASS > docs/parameters.md        (`make docs` does it)
set -eu
export LC_ALL=C
program=$1

cat <<'HEAD'
# Parameters

`make docs` generates this page from the program's own tables, and a test compares the two. A scenario sets a parameter
under its path, and `--set PATH=VALUE` sets it from the command line. A profile may replace the default; the settings of a
run show each effective value and its origin. The column `acts on` names the part of a run that the parameter changes,
which values can make I/O slower, and the condition without which the parameter has no effect.
HEAD

# A path may hold a space, but only in braces: workloads{kind: nvme}.read
paths=$("$program" list parameters | sed -E 's/^([^ {]*(\{[^}]*\})?[^ ]*) .*/\1/')
echo "$paths" | tr '\n' '\0' | xargs -0 "$program" explain-parameter | PATHS=$paths awk '
    function cell(text) { gsub(/\|/, "\\|", text); return text }
    BEGIN { last = "none"; split(ENVIRON["PATHS"], listed, "\n"); next_one = 1 }
    /^[^ ]/ { # a short path is also explained as the end of longer ones, which have their own turn
        path = $0
        skipped = path != listed[next_one]
        if (!skipped) next_one++
        name = path; sub(/.*\./, "", name)
        group = substr(path, 1, length(path) - length(name) - 1)
        if (group == "") group = "Top level"
        about = value = preset = range = acts = source = ""
        expect_about = 1
        next
    }
    skipped { next }
    expect_about { about = $0; sub(/^ */, "", about); expect_about = 0; next }
    $1 == "value" { value = $0; sub(/^ *value */, "", value); next }
    $1 == "also" { also = $0; sub(/^ *also */, "", also); about = about " Also: " also "."; next }
    $1 == "default" { preset = $0; sub(/^ *default */, "", preset); next }
    $1 == "range" { range = $0; sub(/^ *range */, "", range); next }
    $1 == "legal" { legal = $0; sub(/^ *legal */, "", legal); range = range ": " legal; next }
    $1 == "acts" { acts = $0; sub(/^ *acts on */, "", acts); next }
    $1 == "effect" { effect = $0; sub(/^ *effect */, "", effect); acts = acts "; " effect; next }
    $1 == "only" { only = $0; sub(/^ *only if */, "", only); acts = acts "; only if " only; next }
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
