#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clock-offset: two senders whose clocks are exact meet a full queue in the same order for ever, and one of them gets nothing; with
# 100 ppm between them they meet it in turn.  1 % is refused.
set -u
. tests/golden/two-senders
. tests/golden/outside

scenario() { two_senders clock.yaml 40ms "$1"; } # OFFSET

# share OFFSET: what the slower of both gets of the faster one's rate, in percent
share() {
    scenario "$1"
    "$program" run clock.yaml --json >run.json
    [ $? -le 1 ] || fail "$1: not played"
    gojq '.workloads[0].member_goodput_bps | 100 * .min / .max | floor' run.json
}

[ "$(share 0ppm)" -lt 5 ] || fail "exact clocks: the slower one gets $(share 0ppm) %"
[ "$(share 100ppm)" -gt 80 ] || fail "100 ppm: the slower one gets $(share 100ppm) %"
# As much written as a percentage is the same.
scenario 0.01%
"$program" run clock.yaml --json | gojq .digest >percent
scenario 100ppm
"$program" run clock.yaml --json | gojq .digest >parts
cmp -s percent parts || fail "0.01% is not 100ppm"
scenario 1%
"$program" check clock.yaml >out 2>err
[ $? = 2 ] || fail "1% is not refused"
grep -q 'clock.yaml:11:.*more than the maximum, 0.1%' err || fail "1%: $(cat err)"
exit $((failures > 0))
