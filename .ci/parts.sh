# parts - runs the parts of .ci/run and keeps their results.                SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# CI is killed without a word at its limit. Before that, a part that is still at work is ended as failed, and the table is printed.
# Parts of drawn seeds are left out, by name, once the time for them is spent: other commits draw others.
CI_SECONDS=${CI_SECONDS:-5100}  # for all parts
CI_ENOUGH=${CI_ENOUGH:-4000}    # a part of drawn seeds does not begin later
results=()
failed=0

work_ms=0
count_work() { # processor time of all processes that have ended, in ms, into work_ms
    local user system
    times >"$behind/times"
    read -r user system < <(tail -n 1 "$behind/times")
    work_ms=$(awk -v u="$user" -v s="$system" 'function ms(t, p) { split(t, p, "m"); return p[1] * 60000 + p[2] * 1000 } BEGIN { print int(ms(u) + ms(s)) }')
}
limited() { # COMMAND...: ended when the time for all parts is over
    timeout -k 20 $((CI_SECONDS > SECONDS ? CI_SECONDS - SECONDS : 1)) "$@"
}

part() { # NAME COMMAND...
    local name=$1 begun=$SECONDS verdict=ok before
    shift
    echo
    echo "== $name"
    count_work && before=$work_ms
    limited "$@" || { verdict=FAIL; failed=1; }
    count_work
    results+=("$(printf '%-5s %s (%d s, %d s of processor time)' "$verdict" "$name" $((SECONDS - begun)) $(((work_ms - before) / 1000)))")
}
drawn() { # NAME COMMAND...: a part of seeds that are drawn by the commit
    if [ "$SECONDS" -lt "$CI_ENOUGH" ]; then
        part "$@"
    else
        results+=("left out: $1, as $SECONDS s are spent")
    fi
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
        limited $command </dev/null || verdict=FAIL
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
    rm "$behind/results"
}
report_parts() { # prints all results; status 0 if every part passed
    echo
    echo "== results"
    printf '  %s\n' "${results[@]}"
    printf '  %d s in all\n' "$SECONDS"
    return "$failed"
}
