#!/bin/sh
# examples - the scenario in the manual loads and runs.           SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '/^\.Sh EXAMPLES$/,/^\.Ed$/p' docs/man/stormglass-scenario.5 | sed '/^\./d' >"$work/manual.yaml"

example=$work/manual.yaml
[ -s "$example" ] || { echo "$example is empty"; exit 1; }
"$STORMGLASS" check "$example"
code=0
"$STORMGLASS" run "$example" --until 200us >/dev/null || code=$?
[ "$code" -le 1 ] || { echo "$example: exit code $code"; exit 1; }
