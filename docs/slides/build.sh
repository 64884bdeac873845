#!/bin/bash
# build - slides of all lessons, one file each.                    SPDX-License-Identifier: Apache-2.0
# usage: docs/slides/build.sh STORMGLASS FOLDER      (`make slides` builds them in build/slides; LESSONS: only of these)
# Each file works alone and offline.  Texts and pictures come from runs.
set -eu
program=$(realpath "$1") slides=$2
here=docs/slides
rm -rf "$slides"
mkdir -p "$slides"
slides=$(realpath "$slides")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The pictures of a run that it has data for: the fabric, and a deadlock, the pauses, or a command on the wire.
draw() { # NAME
    local name=$1 record=
    pictures=()
    ! grep -q -e '--what io' "scenarios/lessons/$name.md" || record='--record packets'
    # shellcheck disable=SC2086 # an option and its value, or none. Exit code 1: an expectation failed; the run is complete.
    "$program" run "$name" -o "$work/$name.db" $record >/dev/null || [ $? = 1 ]
    "$program" draw "$work/$name.db" -o "$work/$name-fabric.svg"
    pictures+=("$name-fabric.svg")
    if [ -n "$record" ]; then
        "$program" draw "$work/$name.db" --what io 1 -o "$work/$name-io.svg"
        pictures+=("$name-io.svg")
    fi
    for picture in waits pauses; do
        # Without a deadlock or without pauses there is nothing to draw: exit code 2.
        "$program" draw "$work/$name.db" --what "$picture" -o "$work/$name-$picture.svg" 2>"$work/error" || {
            [ $? = 2 ] || { cat "$work/error" >&2 && exit 1; }
            continue
        }
        pictures+=("$name-$picture.svg")
        break
    done
}

names=$("$program" lesson | sed -n 's/^ *[0-9][0-9]*  \([^ ]*\) .*/\1/p')
for name in ${LESSONS:-$names}; do
    draw "$name"
    "$program" lesson "$name" </dev/null >"$work/$name.txt"
    "$here/lesson.py" "$name" docs/teaching.md "${pictures[@]}" <"$work/$name.txt" >"$work/$name.md"
    pandoc -f markdown-smart -t dzslides --slide-level 2 --self-contained --no-highlight --resource-path "$work" \
        --css "$here/slides.css" --include-after-body "$here/notes.html" "$work/$name.md" -o "$slides/$name.html"
done

{
    echo 'Keys: arrows (next and previous slide), `n` (notes for the teacher), `o` (all slides), `f` (full screen). A print has one slide and'
    echo 'its notes on each page.'
    echo
    for name in ${LESSONS:-$names}; do echo "1. [$(sed -n '1s/^Lesson [^:]*: //p' "$work/$name.txt")]($name.html)"; done
} >"$work/index.md"
pandoc -f markdown -t html5 --standalone -M title='Slides of the lessons' -M lang=en "$work/index.md" -o "$slides/index.html"
