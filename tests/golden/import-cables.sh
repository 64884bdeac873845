#!/bin/bash
# import-cables - what `stormglass import dot` and `clab` make of cables.            SPDX-License-Identifier: Apache-2.0
# The files of tests/golden/cables are a graph such as Cumulus' PTM has and a laboratory such as containerlab has.
set -u
samples=$(cd "$(dirname "$0")/cables" && pwd)
. tests/golden/outside
cp "$samples"/topology.dot "$samples"/fabric.clab.yml .

# whole KIND FILE OPTION...: the scenario is the known one, is told what its comments tell, checks and runs
whole() {
    local kind=$1 file=$2
    shift 2
    "$program" import "$kind" "$file" "$@" >"$kind.yaml" 2>notes.txt || fail "$kind: exit code $?"
    diff "$samples/$kind.yaml" "$kind.yaml" || fail "$kind: the scenario is another one"
    [ "$(grep -c ': note: ' notes.txt)" -eq "$(grep -c '^#   .*: note: ' "$kind.yaml")" ] || fail "$kind: notes and comments differ"
    "$program" check "$kind.yaml" >check.txt || fail "$kind: check: $(cat check.txt)"
    "$program" run "$kind.yaml" --json >run.json || fail "$kind: the run: exit code $?"
    gojq -e '.drops.lossless == 0 and .workloads[0].completed > 1000' run.json >/dev/null || fail "$kind: $(cat run.json)"
}
whole dot topology.dot --fabric-rate 400Gbps
whole clab fabric.clab.yml --host-rate 200Gbps --hosts 'client?'

# becomes KIND FILE SED-EXPRESSION LINE OPTION...: a line of the scenario of the edited file
becomes() {
    local kind=$1 expression=$3 line=$4
    sed "$expression" "$samples/$2" >one
    shift 4
    "$program" import "$kind" one "$@" >one.yaml 2>notes.txt || fail "$expression: exit code $?: $(cat notes.txt)"
    grep -qF -- "$line" one.yaml || fail "$expression: no '$line' in $(cat one.yaml)"
}
becomes dot topology.dot 's/"swp1" \[rate/"swp1":w [rate/' 'names: [swp51, ""], length'
becomes dot topology.dot 's/"swp1" \[rate/"swp1":w [rate/' "# spine01:p0 is called 'swp1:w'"
becomes dot topology.dot 's/"server02"/"2nd server"/' "note: '2nd server' is called n2nd-server here"
becomes dot topology.dot 's/leaf02/server09/' '{ends: ["server09:p0", "storage01:p1"], names: [swp3, eth2]}'
becomes dot topology.dot 's/"swp9"/"x1"/; s/"eth1"$/"y"/' 'hosts, because it has one neighbor: server02 server01 server04.rack server03'
becomes dot topology.dot '/function/d; s/swp/x/g' 'switches, because it has several neighbors: leaf01 spine01 spine02 leaf02'
becomes dot topology.dot 's/^graph fabric/digraph/; s/--/->/g' '{ends: ["leaf01:p3", "spine01:p0"], names: [swp51, swp1]'
becomes dot topology.dot 's/"leaf01":"swp1" /"leaf01":"swp1" -- "leaf01":"swp7"; &/' 'note: a cable from leaf01 to itself: left out'
becomes dot topology.dot 's/"spine02" \[/spare; &/' 'note: spare has no cable: left out'
becomes dot topology.dot 's/mtu="9216B"/mtu="1500B"/' 'path-mtu: 1024B'
becomes dot topology.dot '' 'hosts, because the host pattern matches it: leaf02' --hosts 'x,leaf?2'
becomes clab fabric.clab.yml 's/mtu: 9500/mtu: 1500/' 'path-mtu: 1024B'
becomes clab fabric.clab.yml '/^  defaults:/,/^    kind/d' 'switches, because a port is called swp or Ethernet: leaf2'
becomes clab fabric.clab.yml '/^  defaults:/,/^    kind/d' 'switches, because it has several neighbors: leaf1' --hosts none
becomes clab fabric.clab.yml 's/    leaf1:/    leaf1: {startup-config: x}/' 'note: node leaf1: startup-config has no counterpart'

# ---- what is refused: located, with exit code 2, within a second, and nothing is written ----

# refused KIND FILE PLACE WORDS
refused() {
    local code
    within 1 "$program" import "$1" "$2" >out.txt 2>err.txt </dev/null
    code=$?
    if [ $code -ne 2 ] || [ -s out.txt ]; then
        fail "$2: exit code $code, $(wc -c <out.txt) bytes written"
    elif ! grep -F "$2:$3: error:" err.txt | grep -qF -- "$4"; then
        fail "$2: expected $2:$3: error: ... $4"
        cut -c 1-300 err.txt
    else
        echo "ok   $(head -n 1 err.txt | cut -c 1-120)"
    fi
}

# dot NAME PLACE WORDS TEXT
dot() {
    printf "$4" >"$1.dot"
    refused dot "$1.dot" "$2" "$3"
}
dot empty 1:1 'expected a graph' ''
dot other 1:1 'expected a graph' 'hello'
dot strict 1:1 "leave 'strict' out" 'strict graph { a -- b }'
dot syntax 2:11 "syntax error at '='" 'graph {\n  a -- b [=] }'
dot open 3:1 "expected '}'" 'graph {\n  a -- b\n'
dot quote 2:8 'without a closing quote' 'graph {\n  a -- "b\n }'
dot comment 1:9 'a comment without an end' 'graph { /* a -- b }'
dot html 1:14 'not HTML' 'graph { a -- <b> }'
dot second 2:1 'expected the end of the file' 'graph { a -- b }\ngraph { c -- d }'
dot group 1:15 'a group of nodes' 'graph { {a b} -- c }'
dot groups 1:14 'a group of nodes' 'graph { a -- {b c} }'
dot subgraph 1:14 'a group of nodes' 'graph { a -- subgraph x {b c} }'
dot list 1:10 'a list of nodes' 'graph { a,b -- c }'
dot digit 1:14 'expected quotes around this name' 'graph { a -- 1a }'
dot dots 1:14 'expected quotes around this name' 'graph { a -- b.c }'
dot speed 1:22 'expected quotes around this name' 'graph { a -- b [rate=100G] }'
dot pieces 1:18 'a string in one piece' 'graph { a -- "b" + "c" }'
dot alone 1:1 'at least one link' 'graph { a; b }'
dot rate 2:2 'rate: expected a rate' 'graph {\n a:p -- b:p [rate="fast"] }'
dot no-length 3:2 'link a-b has no delay: give it a length or a delay' 'graph {\n a -- c [length="0m" delay="1ns"]\n a -- b [length="0m"] }'
dot twice 3:3 'port swp1 of s has a cable already, in line 2' 'graph {\n  s:swp1 -- a:eth0\n  s:swp1 -- b:eth0 }'
dot nul 1:9 'a control character' 'graph { \0 a -- b }'
dot bytes 1:9 'UTF-8' 'graph { \377 -- b }'
{ printf 'graph '; head -c 200000 /dev/zero | tr '\0' '{'; } >deep.dot
refused dot deep.dot 1:23 'more than 16 levels'
{ printf 'graph {'; seq -f ' a -- b [x%.0f=1]' 100000; printf '}'; } >attributes.dot
refused dot attributes.dot 33:10 'more than 32 different attributes'
{ printf 'graph {'; yes '{a}' | head -n 100000; printf '}'; } >many-groups.dot
refused dot many-groups.dot 1001:1 'more than 1000 groups'
{ printf 'graph {'; yes 'h -- s' | head -n 100001; printf '}'; } >links.dot
refused dot links.dot 100001:1 'more than 100000 links'
{ printf 'graph { a -- b [x="'; head -c 100000 /dev/zero | tr '\0' 'x'; printf '"] }'; } >word.dot
refused dot word.dot 1:19 'a word of more than 1024 bytes'
{ printf 'graph { a -- b //'; head -c 9000000 /dev/zero | tr '\0' 'x'; } >large.dot
refused dot large.dot 1:1 'larger than 8 MiB' 2>/dev/null
refused dot missing.dot 1:1 'No such file'
# Thirty thousand cables to one host's name, on one line.
{ printf 'graph {'; seq -f ' h -- s%.0f;' 30000; printf '}'; } | tr -d '\n' >star.dot
within 5 "$program" import dot --hosts h star.dot >star.yaml 2>notes.txt || fail "star.dot: exit code $?"

# clab NAME PLACE WORDS TEXT
clab() {
    printf "$4" >"$1.yml"
    refused clab "$1.yml" "$2" "$3"
}
clab nothing 1:1 'expected topology' 'name: x\n'
clab nodes 1:11 'expected nodes' 'topology: {links: []}'
clab links 1:11 'expected links' 'topology: {nodes: {a: }}'
clab ends 1:34 'expected endpoints' 'topology: {nodes: {a: }, links: [{a: 1}]}'
clab end 1:52 'expected an endpoint' 'topology: {nodes: {a: , b: }, links: [{endpoints: ["a", "b:x"]}]}'
clab node 1:60 "did you mean 'bb'?" 'topology: {nodes: {a: , bb: }, links: [{endpoints: ["a:x", "bc:x"]}]}'
clab mtu 1:72 'expected mtu: bytes' 'topology: {nodes: {a: , b: }, links: [{endpoints: ["a:x", "b:x"], mtu: jumbo}]}'
clab tag 1:11 'tag' 'topology: !x {}'
head -c 200000 /dev/zero | tr '\0' '[' >deep.yml
refused clab deep.yml 1:65 'more than 64 levels'
printf 'a: &a [x,x,x,x,x,x,x,x,x]\n' >bomb.yml
for i in b c d e f g h i; do printf '%s: &%s [%s]\n' $i $i "$(printf "*$(printf '\\%03o' $(($(printf '%d' "'$i") - 1))),%.0s" 1 2 3 4 5 6 7 8 9)"; done >>bomb.yml
within 1 "$program" import clab bomb.yml >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q '^bomb.yml:[0-9]*:[0-9]*: error: ' err.txt || fail "bomb.yml: $(cat err.txt)"

expect 'a rate that is none' 2 '--host-rate: expected a rate' "$program" import dot topology.dot --host-rate fast
expect 'an option of another kind' 2 'import sonic: --hosts is for dot and clab' "$program" import sonic --hosts x topology.dot
expect 'two files' 2 'import dot: expected one file' "$program" import dot topology.dot topology.dot
expect 'an unknown kind' 2 "did you mean 'clab'?" "$program" import klab x
expect 'a kind unlike any' 2 'there are sonic, dot, clab' "$program" import xyzzy x

# ---- a scenario that names the graph ----

# scenario TOPOLOGY: d.yaml
scenario() {
    cat >d.yaml <<END
stormglass: 1
name: d
duration: 1ms
fabric:
  topology: $1
  overrides: [{where: "leaf01:swp1", pfc-response: 600ns}]
workloads: [{name: w, kind: rdma-write, from: "server*", to: storage01}]
END
}
scenario '{kind: dot, file: topology.dot}'
"$program" check d.yaml >check.txt || fail "kind dot: $(cat check.txt)"
"$program" run d.yaml -o d.db --json >run.json || fail "kind dot: the run: exit code $?"
mkdir elsewhere && mv d.db elsewhere && (cd elsewhere && "$program" replay d.db >/dev/null) || fail "kind dot: the replay"
# The same cables, written out by the import, are the same run.
"$program" import dot topology.dot 2>/dev/null | sed '/^hosts:/,$d; s/^duration:.*/duration: 1ms/; s/^name:.*/name: d/; /^seed:/d' >e.yaml
sed -n '/^  overrides/,$p' d.yaml >>e.yaml
"$program" run e.yaml --json >other.json || fail "explicit: the run: exit code $?"
[ "$(gojq -r .digest run.json)" = "$(gojq -r .digest other.json)" ] || fail "kind dot and what import dot wrote differ"

# said WORDS TOPOLOGY: the scenario is refused with them
said() {
    scenario "$2"
    expect "$1" 2 "$1" "$program" check d.yaml
}
said 'expected a file' '{kind: dot}'
said "did you mean 'file'" '{kind: dot, fill: topology.dot}'
said 'No such file' '{kind: dot, file: none.dot}'
scenario '{kind: dot, file: topology.dot, hosts: "leaf02"}'
"$program" check d.yaml 2>&1 | grep -qF 'no path from server03:eth1 to storage01:eth1' || fail "kind dot: the pattern of hosts is not heeded"
sed -i 's/leaf01/1leaf/' topology.dot
said "a node cannot be called '1leaf'" '{kind: dot, file: topology.dot}'

[ "$failures" -eq 0 ]
