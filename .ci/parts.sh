# parts - runs the parts of .ci/run and keeps their results.                SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
results=()
failed=0

part() { # NAME COMMAND...
    local name=$1 begun=$SECONDS verdict=ok
    shift
    echo
    echo "== $name"
    "$@" || { verdict=FAIL; failed=1; }
    results+=("$(printf '%-5s %s (%d s)' "$verdict" "$name" $((SECONDS - begun)))")
}

# Parts that use one processor run one after the other in the background. What they print appears when they are collected.
behind=$(mktemp -d)
trap 'rm -rf "$behind"' EXIT
in_background() { # QUEUE: lines "NAME|COMMAND"
    local name command begun verdict
    while IFS='|' read -r name command; do
        begun=$SECONDS
        echo
        echo "== $name, in the background"
        verdict=ok
        $command </dev/null || verdict=FAIL
        echo "$verdict|$name|$((SECONDS - begun))" >>"$behind/results"
    done <<<"$1" >"$behind/output" 2>&1
}
collect() { # waits for them
    local verdict name seconds
    wait
    cat "$behind/output"
    while IFS='|' read -r verdict name seconds; do
        [ "$verdict" = ok ] || failed=1
        results+=("$(printf '%-5s %s (%d s, in the background)' "$verdict" "$name" "$seconds")")
    done <"$behind/results"
}
report_parts() { # prints all results; status 0 if every part passed
    echo
    echo "== results"
    printf '  %s\n' "${results[@]}"
    printf '  %d s in all\n' "$SECONDS"
    return "$failed"
}
