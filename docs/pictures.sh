#!/bin/sh
# pictures - draws the pictures of README and docs from runs.      SPDX-License-Identifier: Apache-2.0
# usage: docs/pictures.sh STORMGLASS FOLDER      (`make pictures` draws them into docs/pictures)
set -eu
program=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

# Exit code 1 says that an expectation of the case failed; the run is complete.
record() { "$program" run "$@" -o "$work/run.db" >/dev/null || [ $? = 1 ]; }

record pause-storm
"$program" draw "$work/run.db" -o "$folder/pause-storm.svg"
"$program" draw "$work/run.db" --what pauses -o "$folder/pause-tree.svg"
record first-io --record packets
"$program" draw "$work/run.db" --what io 1 -o "$folder/one-read.svg"
"$program" claims loss-recovery --svg >"$folder/loss-recovery.svg"
