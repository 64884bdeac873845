#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Drawings are well-formed, have what the database has, and are the same bytes twice; every state machine of the
# code is drawn; what cannot be drawn is said.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
. tests/golden/outside

equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then echo "ok    $1: $2"; else fail "$1: got '$2', expected '$3'"; fi
}

draw() { # OUT ARGUMENTS...
    local out=$1
    shift
    "$program" draw "$@" -o "$out" 2>err || fail "draw $*: exit code $?: $(cat err)"
    [ -s err ] && fail "draw $* said: $(cat err)"
    case $out in
    *.svg)
        "$program" draw "$@" >again.svg 2>/dev/null
        cmp -s "$out" again.svg || fail "draw $*: not the same bytes twice"
        grep -q -i 'graphviz' "$out" && fail "draw $*: $out names the program that made it"
        grep -q 'prefers-color-scheme:dark' "$out" || fail "draw $*: no colours for a dark page"
        ;;
    esac
}

# What an SVG has of a kind, by an XML parser: groups of a class, with a label.
count() { # FILE CLASS [TITLE]
    /usr/bin/python3 - "$@" <<'PY'
import re, sys
import xml.etree.ElementTree as tree
name, wanted = sys.argv[1], set(sys.argv[2].split())
title = re.compile(sys.argv[3]) if len(sys.argv) > 3 else None
svg = '{http://www.w3.org/2000/svg}'
print(sum(wanted <= set(g.get('class', '').split()) and
          (title is None or bool(title.fullmatch(g.findtext(svg + 'title', ''))))
          for g in tree.parse(name).iter(svg + 'g')))
PY
}

ask() { "$program" query --tabs "$1" "$2" | tail -n +2; }

# A scenario: a box for each node, a line for each link.
draw plain.svg pause-storm
equal 'hosts of pause-storm' "$(count plain.svg 'node host')" 32
equal 'switches of pause-storm' "$(count plain.svg 'node switch')" 6
equal 'links of pause-storm' "$(count plain.svg edge '(host|leaf|spine).*')" 40

# Up to 25 Gb/s a line has 0.8 points, and 0.55 more with each doubling; the legend has one of each rate.
cat >widths.yaml <<'YAML'
stormglass: 1
name: widths
duration: 1ms
fabric:
  topology:
    kind: explicit
    hosts: [a, b, c, d]
    switches: [s]
    links: [{ends: [a, s], rate: 10Gbps}, {ends: [b, s], rate: 25Gbps}, {ends: [c, s], rate: 50Gbps}, {ends: [d, s], rate: 400Gbps}]
workloads: [{name: w, kind: rdma-write, from: a, to: b}]
YAML
draw widths.svg widths.yaml
widths='0.8 0.8 1.35 3'
equal 'widths of links and of the legend' "$(grep -o 'path fill="none" stroke="[^"]*" stroke-width="[0-9.]*"' widths.svg |
    grep -o '[0-9.]*"$' | tr -d '"' | xargs)" "$widths $widths"

# A run: as many warm lines as there are links with an end that had to stop; one root.
"$program" run --confirm 0 pause-storm --until 4ms --record packets -o storm.db >/dev/null 2>&1
draw storm.svg storm.db
paused=$(ask storm.db "SELECT count(DISTINCT p.link) FROM counter c JOIN port p ON p.node=c.node AND p.port=c.port
    WHERE c.name='tx_prio'||c.priority||'_blocked_ps'")
cold=$(count storm.svg 'edge heat0' '(host|leaf|spine).*')
equal 'links of the run that had to stop' "$((40 - cold))" "$paused"
equal 'the root cause' "$(count storm.svg 'node root' "$(ask storm.db \
    'SELECT name FROM pause_root JOIN node USING(node) WHERE position=0')")" 1

# Its tree: a box for each transmitter of the root.
draw tree.svg storm.db --what pauses
equal 'transmitters that the root stopped' "$(count tree.svg node 'root 0 hop [1-9].*')" \
    "$(ask storm.db 'SELECT count(*) FROM pause_path WHERE root=0')"
equal 'victims of the root' "$(count tree.svg 'node victim' 'root 0 .*')" \
    "$(ask storm.db 'SELECT count(DISTINCT workload) FROM victim WHERE root=0')"

# Two hosts that each stop their own: both are causes, in the drawings and in the page.
cat >two.yaml <<'YAML'
stormglass: 1
name: two
duration: 3ms
fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 4}, switch: {pfc: {priorities: [3]}}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: "host0..host1", namespaces: [{media: "null", count: 1}]}}
workloads: [{name: w, kind: nvme, from: "host4..host5", to: "host0..host1", read: 0%, block-size: 64KiB, queue-depth: 8}]
faults:
  - {at: 1ms, for: 500us, kind: pause-storm, where: "host0..host1", priority: 3}
YAML
"$program" run --confirm 0 two.yaml -o two.db >/dev/null 2>&1
equal 'causes of two' "$(ask two.db "SELECT value FROM result WHERE path='root_causes'")" 2
draw two.svg two.db
equal 'two causes in the fabric' "$(count two.svg 'node root' 'host[01]')" 2
draw two-tree.svg two.db --what pauses
equal 'two causes in the trees' "$(grep -c 'Root cause: ' two-tree.svg) $(grep -c 'Also' two-tree.svg)" '2 0'
"$program" report two.db -o two.html
equal 'two causes in the page' "$(grep -o '<b>Root</b> host[01]' two.html | sort -u | wc -l)" 2

# A deadlock: its circle is closed.
"$program" run --confirm 0 "$here/tests/validation/hotnets-deadlock.yaml" -o dead.db >/dev/null 2>&1
draw dead.svg dead.db -w waits
circle=$(ask dead.db "SELECT count(*) FROM deadlock_queue WHERE role='cycle'")
equal 'queues of the circle' "$(count dead.svg 'node heat5')" "$circle"
equal 'steps of the circle' "$(count dead.svg 'edge heat5')" "$circle"
draw dead-fabric.svg dead.db
# The page of the run has it in words, with its time and bytes.
"$program" report dead.db -o dead.html >/dev/null || fail 'no page of a deadlock'
equal 'the deadlock in the page' "$(grep -c -F "$(ask dead.db "SELECT '>' || replace(text, '>', '&gt;') || '</td><td class=\"n\"' ||
    ' title=\"' || since_ps || ' ps\">' FROM deadlock LIMIT 1")" dead.html)" 1
# A cyclic pause is one root, in whose tree each transmitter is drawn once.  Roots of less than a fiftieth of all pauses
# that are no cause are not drawn, nor transmitters that stood still for less than a thousandth of their root's time.
draw round.svg dead.db -w pauses
equal 'transmitters where pauses go round' "$(count round.svg node 'root [0-3] hop .*')" "$(ask dead.db \
    'SELECT count(*) FROM (SELECT sum(p.held_ps) AS ps, r.held_ps AS most FROM pause_path p JOIN pause_root r
     ON r.position=p.root WHERE root=0 OR r.held_ps*50>=(SELECT sum(held_ps) FROM pause_root)
     GROUP BY root, p.node, p.port) WHERE ps>=most/1000')"
equal 'each has its cause, victims too' "$(count round.svg edge)" "$(count round.svg node 'root [0-3] (hop|victim) .*')"

# A command on the wire: the hops of its frames, which are all that there are in a run of one read.
"$program" run --confirm 0 first-io --record packets -o first.db >/dev/null 2>&1
draw io.svg first.db 1 --what io
hops=$(ask first.db "SELECT count(*) FROM frame, io WHERE io=1 AND opcode LIKE 'RC%' AND at_ps>=posted_ps
    AND at_ps<=completed_ps")
equal 'hops of the first read' "$(count io.svg edge '.*PSN.*')" "$hops"
equal 'its data' "$(count io.svg edge 'WRITE ONLY.*host1 to switch0.*')" 1
for io in $(ask storm.db 'SELECT io FROM io ORDER BY io LIMIT 8'); do
    "$program" draw -w io storm.db "$io" -o io.svg || fail "command $io"
    [ "$(count io.svg edge 'SEND.*')" -ge 4 ] || fail "command $io has no command and response"
done

# The words beside a lane never overlap, however short the time between two of them is: they are 15 apart.
cat >near.yaml <<'Y'
stormglass: 1
name: near
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: w, kind: nvme, from: host0, to: host1, count: 2, read: 50%}]
Y
for cost in 1ns 20ns 200ns; do
    "$program" run --confirm 0 near.yaml --set "hosts.targets.target.command-cost=$cost" --set "hosts.defaults.nvme.submit-cost=$cost" \
        --record packets -o "near-$cost.db" >/dev/null 2>&1
    draw near.svg "near-$cost.db" 1 -w io
    /usr/bin/python3 - near.svg <<'PY' || fail "words after $cost overlap"
import collections, sys
import xml.etree.ElementTree as tree
svg, lanes = '{http://www.w3.org/2000/svg}', collections.defaultdict(list)
for group in tree.parse(sys.argv[1]).iter(svg + 'g'):
    for text in group.findall(svg + 'text'):
        if group.get('class') == 'node plain' and text.get('font-size') == '9.5':
            lanes[text.get('x')].append(float(text.get('y')))
gaps = [b - a for lane in lanes.values() for a, b in zip(sorted(lane), sorted(lane)[1:])]
sys.exit(not (len(lanes) == 2 and len(gaps) >= 4 and min(gaps) > 14.85))
PY
done

# What is lost is sent again, and both are seen: in a command whose response was lost.
cat >loss.yaml <<'Y'
stormglass: 1
name: loss
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: fixed}]}}
workloads: [{name: w, kind: nvme, from: host0, to: host1, queue-depth: 2, count: 60, start: 500us}]
faults: [{at: 500us, kind: drop-every, where: "switch0:p0", n: 17}]
Y
"$program" run --confirm 0 loss.yaml --record packets -o loss.db >/dev/null 2>&1
io=$(ask loss.db "SELECT io FROM io, frame f WHERE lost=1 AND at_ps BETWEEN response_sent_ps AND response_ps AND
    opcode LIKE '%SEND_ONLY%' AND hex(substr(head, 13, 2))=printf('%02X%02X', cid % 256, cid / 256) LIMIT 1")
draw loss.svg loss.db "${io:-none}" -w io
equal 'its lost response' "$(count loss.svg 'edge lost' 'SEND.*, lost')" 1
equal 'its response again, both hops' "$(count loss.svg 'edge lost' 'SEND.*retransmitted')" 2
equal 'the NAK' "$(count loss.svg 'edge lost' 'NAK.*host0 to switch0.*')" 1

# State machines: every edge list of the code.
draw states.svg --what states
for list in "$here"/model/*/*/*_state.def; do
    machine=$(basename "$list" _state.def | tr _ -)
    draw one.svg --what states "$machine"
    states=$(sed -n 's/^EDGE(\([^"]*\), ".*/\1/p' "$list" | awk -F', ' '{ print $1; print $NF }' | sort -u | wc -l)
    equal "states of $machine" "$(count one.svg 'node')" "$states"
    equal "states of $machine among all" "$(count states.svg node "$machine .*")" "$states"
done

# Ten thousand hosts are drawn in seconds, as few boxes.
cat >big.yaml <<'Y'
stormglass: 1
name: big
duration: 1ms
fabric: {topology: {kind: leaf-spine, leaves: 320, spines: 16, hosts-per-leaf: 32}}
workloads: [{name: raw, kind: rdma-write, from: host3, to: host4, message-size: 1MiB}]
Y
begun=$SECONDS
draw big.svg big.yaml
[ $((SECONDS - begun)) -le 20 ] || fail "ten thousand hosts took $((SECONDS - begun)) s"
equal 'boxes of ten thousand hosts' "$(count big.svg 'node host')" 16
equal 'members of a box' "$(grep -c '>640 hosts<' big.svg)" 16

# Other formats, and text that is markup.
draw storm.dot storm.db
grep -q '^digraph' storm.dot || fail 'storm.dot is no graph'
draw storm.png storm.db
[ "$(head -c 4 storm.png | tail -c 3)" = PNG ] || fail 'storm.png is no PNG'
draw storm.pdf storm.db
[ "$(head -c 4 storm.pdf)" = %PDF ] || fail 'storm.pdf is no PDF'
sed 's/^name: big/name: "a <b> \& \\"c\\" \\\\N"/; s/leaves: 320/leaves: 2/' big.yaml >odd.yaml
draw odd.svg odd.yaml
# shellcheck disable=SC2016
/usr/bin/python3 -c 'import xml.etree.ElementTree as t
print([e.text for e in t.parse("odd.svg").iter() if e.tag.endswith("}text")].count("a <b> & \"c\" \\N"))' >found
equal 'a name that is markup' "$(cat found)" 1

# A database that somebody else made: names that are markup, or no text at all.
sqlite3 first.db "UPDATE node SET name='a'||char(1)||'<b>\"&'||x'ff'||node; UPDATE workload SET name=x'fe'||char(2);
    UPDATE port SET name='<p>'||x'ff80'||node||port"
draw odd.svg first.db
draw odd-io.svg first.db -w io
equal 'lanes whose names are markup' "$(grep -c '>a\\x01&lt;b&gt;&quot;&amp;\\xff[0-9]</text>' odd-io.svg)" 3
sqlite3 dead.db 'DELETE FROM deadlock_queue WHERE position=0'
draw odd-dead.svg dead.db -w waits
for file in odd.svg odd-io.svg odd-dead.svg; do
    /usr/bin/python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$file" || fail "$file is no XML"
done

# What cannot be drawn: exit code 2, a sentence, and no file.
refused() { # SENTENCE ARGUMENTS...
    local sentence=$1
    shift
    rm -f none.*
    "$program" draw "$@" >/dev/null 2>err
    equal "draw $*" "$?" 2
    grep -q -- "$sentence" err || fail "draw $*: said '$(cat err)'"
    [ -z "$(ls none.* 2>/dev/null)" ] || fail "draw $*: left a file"
}
"$program" run --confirm 0 first-io -o summary.db >/dev/null 2>&1
echo 'stormglass: 2' >bad.yaml
refused "did you mean 'states'" --what state
refused 'there are fabric' --what everything first.db
refused 'is missing'
refused 'too many arguments' first.db 1
refused 'ends in .svg' first.db -o none.jpg
refused 'a database of' --what pauses first-io -o none.svg
refused 'no port was paused' --what pauses first.db -o none.svg
refused 'no deadlock' --what waits first.db -o none.svg
refused 'expected the number' --what io first.db x
refused 'no command 99999' --what io first.db 99999 -o none.svg
refused 'only be drawn as SVG' --what io first.db 1 -o none.png
refused '--record packets' --what io summary.db 1 -o none.svg
refused "did you mean 'host-queue'" --what states hostqueue
refused 'bad.yaml:1:' bad.yaml -o none.svg
refused 'nowhere.yaml' nowhere.yaml -o none.svg
# An SVG on a terminal helps nobody.
script -qec "$(printf %q "$program") draw first.db" /dev/null >terminal </dev/null
equal 'an SVG for a terminal' "$?" 2
grep -q 'use -o fabric.svg, or redirect the output' terminal || fail "a terminal was told: $(cat terminal)"
"$program" draw first.db -o no/such/place.svg 2>/dev/null
equal 'a place that is none' "$?" 3

echo "$failures failures"
[ "$failures" = 0 ]
