#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wasm.sh - what cli/wasm puts in the place of libraries: linked by the native compiler, it plays every shipped case to the same digest.
set -u
wasm=$(realpath "${WASM:-build/gcc-plain/cli/wasm/stormglass}")
cases=("$PWD"/scenarios/cases/*.yaml)
. tests/golden/outside

digest() { sed -n 's/.*"digest": *"\([0-9a-f]\{32\}\)".*/\1/p' "$1" | head -n 1; }

for case in "${cases[@]}"; do
    name=$(basename "$case" .yaml)
    "$program" run "$case" --until 100us --json >native 2>/dev/null
    code=$?
    wanted=$(digest native)
    expect "$name" $code "\"digest\": \"${wanted:-none from the program}\"" "$wasm" run "$name" --until 100us
done

# A system's library in it is one that the build for WebAssembly lacks.
expect 'needs the C library alone' 0 libc.so readelf -d "$wasm"
grep 'NEEDED' out | grep -Eq 'yaml|sqlite|jansson|cgraph|cminpack|libz' && fail "it is linked with $(grep NEEDED out)"
expect 'another file' 2 'there is no such case' "$wasm" run no-such-case
exit $((failures > 0))
