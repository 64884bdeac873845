#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# profile-sources - the profiles' values have as many sources as the table of published figures, and explain-parameter prints them.
set -u
top=$PWD
. tests/golden/outside

STORMGLASS=$program "$top/tests/hardware/sources.py" >out 2>&1 || fail "sources: $(cat out)"
expect 'text' 0 'profile  connectx-6-200g: 768 (inferred, 2 sources)' "$program" explain-parameter wr-cache
expect 'one source' 0 'profile  connectx-7-400g: 400ns (assumed, 1 source)' "$program" explain-parameter rnic.tx-delay
expect 'no source' 0 'profile  connectx-5-100g: 768 (assumed)' "$program" explain-parameter wr-cache

cat >s.yaml <<'END'
stormglass: 1
name: s
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: card.yaml}}}
workloads: [{name: w, kind: rdma-write, from: host0, to: host1, count: 1}]
END
# bad SOURCES EVIDENCE WORDS: a profile with them is refused at the place
bad() {
    cat >card.yaml <<END
stormglass-profile: 1
name: card
kind: rnic
values:
  tx-delay: {value: 1us, evidence: $2, sources: $1, source: test}
END
    expect "sources: $1, $2" 2 "card.yaml:5:$((47 + ${#2})): error: sources: expected $3" "$program" check s.yaml
}
for count in 0 100 -1 two '[2]' ''; do
    bad "$count" measured 'the number of independent sources, from 1 to 99'
done
bad 2 assumed '0 or 1, because the value is assumed'

[ $failures = 0 ]
