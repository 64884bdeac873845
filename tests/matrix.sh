#!/bin/bash
# matrix - one scenario, one digest: whatever compiled it, whatever plays it.      SPDX-License-Identifier: Apache-2.0
# usage: tests/matrix.sh [CASE...]     plays each case, cut short, with every build below.
# MACHINES= leaves out the builds for other machines.
set -u
cd "$(dirname "$0")/.." || exit 3
unset MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C

# Compiler, kind of build, optimization, further flag. Without optimization there is no fast path either. Each makes the small
# program of cli/wasm from the files that it takes: half of the tree. The builds of make test are here whole.
builds='gcc release
gcc plain -O0 -DRNIC_NO_FAST_PATH
clang release
clang fuzz'
machines=${MACHINES-aarch64 s390x wasm} # targets of make, each of which makes build/NAME/digest

# How long each case is played: enough for pauses, marks and rate changes; short enough for -O0, sanitizers and qemu.
until_of() {
    case $1 in
    *fat-tree-128*) echo 100us ;;
    *) echo "${MATRIX_UNTIL:-2ms}" ;;
    esac
}

make digest-files || exit 1
programs=() names=()
for build in plain asan; do
    make BUILD=$build build/gcc-$build/stormglass || exit 1
    programs+=("build/gcc-$build/stormglass")
    names+=("gcc-$build")
done
while read -r cc build opt extra; do
    program=build/$cc-$build$opt/digest
    make TARGET=digest "$program" CC="$cc" BUILD="$build" OPT="$opt" EXTRA_CFLAGS="$extra" || exit 1
    programs+=("$program")
    names+=("$cc-$build$opt$extra")
done <<<"$builds"
for machine in $machines; do
    make "$machine" || exit 1
    programs+=("build/$machine/digest")
    names+=("$machine")
done
built=$SECONDS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- scenarios/cases/*.yaml
cases=("$@")

digest_of() { # PROGRAM CASE FILE
    "$1" run "$2" --until "$(until_of "$2")" --json 2>"$3.messages" |
        sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' | head -n 1 >"$3"
}

for i in "${!cases[@]}"; do
    for k in "${!programs[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
        digest_of "${programs[k]}" "${cases[i]}" "$work/$i.$k" &
    done
done
wait

failed=0
for i in "${!cases[@]}"; do
    first=$(cat "$work/$i.0")
    verdict=
    for k in "${!programs[@]}"; do
        digest=$(cat "$work/$i.$k")
        [ -n "$digest" ] && [ "$digest" = "$first" ] && continue
        verdict+=" ${names[k]} says ${digest:-nothing: $(tail -n 2 "$work/$i.$k.messages")}"
    done
    [ -z "$verdict" ] || failed=$((failed + 1))
    printf '  %-5s %-28s %s%s\n' "$([ -z "$verdict" ] && echo ok || echo FAIL)" \
        "$(basename "${cases[i]}" .yaml)" "${first:--}" "$verdict"
done
echo "digest matrix: ${#cases[@]} cases; ${names[*]}; $failed differ; builds took $built s, playing $((SECONDS - built)) s"
[ "$failed" = 0 ]
