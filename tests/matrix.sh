#!/bin/bash
# matrix - one scenario, one digest: whatever compiled it.         SPDX-License-Identifier: Apache-2.0
# usage: tests/matrix.sh [CASE...]     plays each case, cut short, with every build below.
set -u
cd "$(dirname "$0")/.." || exit 3
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C

# compiler kind-of-build optimisation
builds='gcc release
gcc plain -O0
gcc asan
clang release
clang asan'

# How long each case is played: enough for pauses, marks and rate changes; short enough for -O0 and sanitizers.
until_of() {
    case $1 in
    *fat-tree-128*) echo 100us ;;
    *) echo "${MATRIX_UNTIL:-2ms}" ;;
    esac
}

programs=()
while read -r cc build opt; do
    make all CC="$cc" BUILD="$build" OPT="$opt" || exit 1
    programs+=("build/$cc-$build$opt/stormglass")
done <<<"$builds"

digest_of() { # PROGRAM CASE
    "$1" run "$2" --until "$(until_of "$2")" --json 2>"$work/messages" |
        sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' | head -n 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- scenarios/cases/*.yaml
failed=0
for case in "$@"; do
    first=
    verdict=same
    for program in "${programs[@]}"; do
        digest=$(digest_of "$program" "$case")
        if [ -z "$digest" ]; then
            verdict="no digest from $program"
            tail -n 5 "$work/messages"
            break
        fi
        [ -n "$first" ] || first=$digest
        if [ "$digest" != "$first" ]; then
            verdict="$program says $digest"
            break
        fi
    done
    [ "$verdict" = same ] || failed=$((failed + 1))
    printf '  %-5s %-28s %s %s\n' "$([ "$verdict" = same ] && echo ok || echo FAIL)" \
        "$(basename "$case" .yaml)" "${first:--}" "$verdict"
done
echo "digest matrix: $# cases, ${#programs[@]} builds, $failed differ"
[ "$failed" = 0 ]
