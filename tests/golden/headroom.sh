#!/bin/bash
# headroom - what `stormglass headroom` says, and its exit codes.  SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "$*"
    failed=1
}

# is EXPECTED JQ-EXPRESSION OPTION...: of the only link.
is() {
    local expected=$1 expression=$2 got
    shift 2
    got=$("$program" headroom --json "$@" | gojq -c ".links[0] | $expression")
    [ "$got" = "$expected" ] || fail "$* $expression: $got instead of $expected"
}

# V06, by the command.
method() { echo "(.methods[] | select(.name == \"$1\") | .bytes)"; }
is 62841 "$(method mlx5)" --phases 0 --length 100m --mtu 4096B
is 217941 "$(method mlx5)" --phases 0 --rate 400Gbps --length 100m --mtu 4096B
is 16520 "$(method mlx5)" --phases 0 --rate 25Gbps --length 5m --mtu 1500B
is 40960 "$(method sonic-dynamic)" --phases 0 --length 40m --mtu 9216B --lossless-mtu 1500B
is 43008 "$(method sonic-static)" --phases 0 --length 40m
is null "$(method sonic-static)" --phases 0 --rate 800Gbps
is 21856 "$(method ieee)" --phases 0 --rate 40Gbps --length 100m --mtu 1500B
is 35272 "$(method gist)" --phases 0 --length 100m --mtu 9216B
is 18750 "$(method hpcc)" --phases 0 --delay 500ns

# Terms add up, the need is what was found, and the bound is no less.
is true '[.bound, .methods[] | select(.bytes != null) | .bytes == ([.terms[].bytes] | add)] | all' --phases 0
is true '.need_bytes == ([.proofs[].found_bytes] | max) and .need_bytes <= .bound.bytes' --phases 2
is true '[.proofs[] | .holds and .losing_phases > 0 and .drops_below > 0 and .found_bytes == .formula_bytes] | all' \
    --phases 4 --length 30m
is '[1518]' '[.proofs[].frame_bytes]' --phases 1 --policy static --frame 1518B
is 100000 '.link.length_mm' --phases 0 --delay 505ns
is 47600 '.link.propagation_ps' --phases 0 --length 10m --cable twinax
is 605000 '.link.propagation_ps' --phases 0 --length 100m --fec rs-528 --fec-latency 100ns
is 2017280 '.link.response_ps' --phases 0 --response ieee
is 0 '(.proofs | length)' --phases 0
is 144 '.link.cell_bytes' --phases 0 --cell 144B

# Every speed holds; one line each.
"$program" headroom --table --phases 1 --length 30m >"$work/table" || fail "--table: exit code $?"
[ "$(grep -c ' holds$' "$work/table")" = 8 ] || fail "--table: $(cat "$work/table")"
lines=$("$program" headroom --rate 10Gbps --rate 2.5Gbps --phases 1 | grep -c ' holds$')
[ "$lines" = 2 ] || fail "two rates give $lines lines"
"$program" headroom --phases 1 >"$work/text" || fail "exit code $?"
grep -q '^Proof ' "$work/text" || fail 'no proof in the text'

# PATTERN OPTION...: refused, nothing on standard output.
refuses() {
    local pattern=$1 code
    shift
    "$program" headroom "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = 2 ] || fail "$*: exit code $code instead of 2"
    [ ! -s "$work/out" ] || fail "$*: wrote to standard output"
    grep -q -e "$pattern" "$work/err" || fail "$*: no '$pattern' in: $(cat "$work/err")"
}

# A profile that was fitted says over which work; without a scenario nobody asks.
sed 's/^kind: switch/&\ncalibrated: {block-size: 4KiB..64KiB}/' scenarios/profiles/shared-buffer-32mb.yaml >"$work/fitted.yaml"
grep -q calibrated "$work/fitted.yaml" || fail "the profile was not changed"
"$program" headroom --profile "$work/fitted.yaml" >/dev/null || fail "a fitted profile: exit code $?"

refuses 'a rate such as' --rate fast
refuses 'above 0' --length 0m
refuses 'such as' --response soon
refuses 'the table has no response time for 800Gbps' --rate 800Gbps --response ieee
refuses 'dynamic' --policy lazy
refuses 'frames of this class have 66 to 1518 bytes' --mtu 1500B --frame 1519B
refuses 'does not fit' --mtu 256B --smallest 300B
refuses "did you mean 'shared-buffer-32mb'" --profile shared-buffer-32m
refuses 'of kind switch' --profile rnic-100g
refuses 'too many frames' --rate 6400Gbps --delay 1s
refuses 'too many arguments' 100Gbps
exit "$failed"
