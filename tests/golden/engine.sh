#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# engine.sh - the commands of the playground's engine, linked by the native compiler with the libraries that a browser has: digests
# of all cases, offers, a page, a lesson, and a stepper that goes back without fork().
set -u
engine=$(realpath "${ENGINE:-build/gcc-plain/cli/playground/stormglass}")
[ -e "$engine" ] || [ -n "${ENGINE-}" ] || { echo "SKIP  make build/gcc-plain/cli/playground/stormglass builds the engine"; exit 77; }
cases=("$PWD"/scenarios/cases/*.yaml "$PWD"/scenarios/lessons/*.yaml)
. tests/golden/outside

digest() { sed -n 's/.*"digest": *"\([0-9a-f]\{32\}\)".*/\1/p' "$1" | head -n 1; }

for case in "${cases[@]}"; do
    name=$(basename "$case" .yaml)
    "$program" run "$case" --until 50us --confirm 0 --json >native 2>/dev/null
    code=$?
    wanted=$(digest native)
    expect "$name" $code "\"digest\": \"${wanted:-none from the program}\"" "$engine" run "$case" --until 50us --confirm 0 --json
    "$engine" offers "$case" >offers.json 2>err && gojq -e '.parameters | length > 3 and all(.value != null)' offers.json >/dev/null ||
        fail "offers of $name: $(cat err)"
done

# A page has the same charts; the drawings of Graphviz are missing, and a capture cannot be read.
"$engine" run first-io --record packets -o run.db >/dev/null && "$engine" report run.db -o page.html && "$program" report run.db -o native.html ||
    fail 'no page'
charts() { grep -o '{"id":"[a-z0-9-]*"' "$1" | sort; }
[ -n "$(charts page.html)" ] && [ "$(charts page.html)" = "$(charts native.html)" ] || fail "charts: $(diff <(charts page.html) <(charts native.html))"
expect 'a lesson' 0 'PFC' "$engine" lesson pfc
printf '%s\n' 'next 40' 'back 5' digest 'next 3' show >commands
"$program" step first-io <commands >native.txt 2>&1
"$engine" step first-io <commands >stepped.txt 2>&1
[ "$(wc -l <stepped.txt)" -gt 5 ] && cmp native.txt stepped.txt || fail "step: $(diff native.txt stepped.txt | head -n 5)"

# A system's library in it is one that the build for WebAssembly lacks.
readelf -d "$engine" >needed
grep NEEDED needed | grep -Eq 'jansson|cgraph|cminpack|libz|pcap' && fail "it is linked with $(grep NEEDED needed)"
exit $((failures > 0))
