#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/teaching.md: its commands run, its minutes add up, its answers are right, and each figure is in the output of a command
# that its section names.
set -u
page=$PWD/docs/teaching.md
. tests/golden/outside
mkdir bin
ln -s "$program" bin/stormglass
PATH=$work/bin:$PATH

# The output of each command of a text, and of the lesson with its name.  An expectation may fail.
outputs() { # TEXT
    local command code
    while IFS= read -r command; do
        echo "$command" >>commands
        bash -c "$command" </dev/null 2>&1
        code=$?
        case $code in 0 | 1) ;; *) fail "code $code: $command" ;; esac
    done < <(grep -oE '^    stormglass .*|`stormglass [^`]*`' <<<"$1" | sed 's/^ *//; s/`//g')
}

# Figures of a text: not digits of names, ranges of minutes, or code.
figures() {
    sed -E '/^    /d; s/`[^`]*`//g; s/^\| [0-9]+-[0-9]+ \|//; s/^\| [0-9]+ minutes.*//; s/[0-9]+ minutes//g; s/^#.*//' |
        grep -oP '(?<![\w.,:])\d[\d,]*(\.\d+)?( (Gb/s|Mb/s|ms|us|ns|KiB|B|m|km|%))?(?![\w])'
}

section() { awk -v heading="$1" '/^##+ / { inside = $0 == heading; next } inside' "$page"; }

mapfile -t headings < <(grep '^##' "$page")
checked=0
for heading in "${headings[@]}"; do
    text=$(section "$heading")
    case $heading in
    '### '*) "$program" lesson "${heading#'### '}" </dev/null >printed 2>&1 || fail "no lesson ${heading#'### '}" ;;
    '## Exercise'*)
        "$program" lesson headroom >printed
        for bytes in 24947 24948 24964; do
            code=0
            [ $bytes != 24947 ] || code=1
            expect "a headroom of $bytes B" $code '' stormglass run headroom --set fabric.host-links.length=100m --set fabric.switch.pfc.headroom=${bytes}B
            echo "$bytes B" >>printed
        done
        ;;
    *) : >printed ;;
    esac
    outputs "$text" >>printed
    tr -s ' \n' ' ' <printed >flat
    while IFS= read -r figure; do
        checked=$((checked + 1))
        grep -qP "(?<![\\w.,])\\Q$figure\\E(?![\\w]|[.,]\\d)" flat || fail "'$heading': '$figure' is in no output of its commands"
    done < <(figures <<<"$text")
done
[ $checked -gt 60 ] || fail "only $checked figures were found"
grep -q 'lesson pfc --answer c' commands || fail 'the commands were not found'

# The answers are right.
while IFS= read -r command; do
    expect "$command" 0 Right: bash -c "$command"
done < <(grep -oE 'stormglass lesson [a-z-]* --answer [a-z]' "$page")

# The plan has no gap, and each class has its minutes.
at=0
while IFS=- read -r from to; do
    [ "$from" = $at ] || fail "the plan has a gap before minute $from"
    at=$to
done < <(sed -nE 's/^\| ([0-9]+-[0-9]+) \|.*/\1/p' "$page")
[ $at = 45 ] || fail "the plan ends at minute $at"
for class in 20 90; do
    row=$(grep "^| $class minutes" "$page")
    sum=$(($(grep -oE '\([0-9]+\)' <<<"$row" | paste -sd+)))
    [ $sum = $class ] || fail "the lessons of $class minutes take $sum"
done

# Every lesson of the program has notes, and every lesson that the page names exists.
"$program" list lessons | sed 's/ .*//' | sort >lessons
sed -n 's/^### //p' "$page" | sort | diff lessons - || fail 'the notes are not those of the lessons'
[ $failures = 0 ]
