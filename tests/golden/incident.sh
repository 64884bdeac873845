#!/bin/bash
# incident - a run's counters as real equipment prints them, and an incident's beside a replay's.
# SPDX-License-Identifier: Apache-2.0
set -u
samples=$PWD/tests/golden/sonic
. tests/golden/outside

"$program" run pause-storm --until 1ms -o run.db >/dev/null 2>err
[ $? -le 1 ] || fail "the run: $(cat err)"
# No frame was dropped; each table is to have a number.
sqlite3 run.db "INSERT INTO counter(node, port, priority, name, value, unit)
    SELECT node, 1, 5, column1, column2, 'count' FROM node, (VALUES('rx_prio5_buffer_dropped', 1234567), ('tx_prio5_queue_dropped', 89))
    WHERE name IN ('leaf0', 'spine0')" || fail 'no counters of drops'
"$program" counters run.db --as json >run.json || fail "json: exit code $?"
list() { gojq -c '.counters[] | [.port, .priority, .name, .difference]' "$1" | sort; }

# --- what is printed is read again, and is what the database has ---
[ "$(gojq '[.counters[].difference] | add' run.json)" = "$(sqlite3 -batch run.db \
    "SELECT sum(value) FROM counter WHERE port IS NOT NULL AND name NOT LIKE 'pfcwd%'")" ] || fail 'json: another sum'
"$program" counters run.db >later.txt || fail "ethtool: exit code $?"
sed 's/: [0-9]*$/: 0/' later.txt >earlier.txt
"$program" import counters earlier.txt later.txt >again.json 2>err || fail "ethtool again: $(cat err)"
[ -s err ] && fail "ethtool again: $(cat err)"
list again.json | diff - <(list run.json) >/dev/null || fail 'ethtool: other counters are read than were printed'
[ "$(gojq '.unmoved | length' again.json)" = "$(gojq '.unmoved | length' run.json)" ] || fail 'ethtool: zeroes'

"$program" counters run.db --port leaf0:p1 >'leaf0:p1.txt'
[ "$(head -n 1 'leaf0:p1.txt')" = 'NIC statistics:' ] || fail 'one port has a name before it'
sed 's/: [0-9]*$/: 0/' 'leaf0:p1.txt' >earlier.txt
"$program" import counters earlier.txt 'leaf0:p1.txt' >again.json 2>err || fail "one port: $(cat err)"
list again.json | diff - <(list run.json | grep -F '"leaf0:p1"') >/dev/null || fail 'one port: other counters'

"$program" counters run.db --as sonic --port leaf0 --port spine0 >later.txt || fail "sonic: exit code $?"
# The columns of queuestat and wredstat, and no others; ECN marks stand in the second.
grep TxQ later.txt | sort | uniq -c | awk '{$1=$1; print}' | diff - <(printf '%s\n' \
    '2 Port TxQ Counter/pkts Counter/bytes Drop/pkts Drop/bytes' '2 Port TxQ WredDrp/pkts WredDrp/bytes EcnMarked/pkts EcnMarked/bytes') ||
    fail 'sonic: other columns than the commands have'
zeroed() { # TABLES: SONiC's, every count 0
    awk '/^ *(Port|Ingress|==|-)/ || NF == 0 { print; next } { for (i = $2 ~ /^UC/ ? 3 : 2; i <= NF; i++) if ($i != "N/A") $i = 0; print }' "$1"
}
zeroed later.txt >earlier.txt
"$program" import counters earlier.txt later.txt >again.json 2>err || fail "sonic again: $(cat err)"
[ -s err ] && fail "sonic again: $(cat err)"
list again.json | diff - <(list run.json | grep -E '^\["(leaf0|spine0):' | grep -E \
    '[rt]x_prio._pause"|tx_prio._(packets|bytes|queue_dropped|ecn_marked)"|rx_prio._buffer_dropped"') >/dev/null ||
    fail 'sonic: other counters are read than were printed'
grep -q '[0-9],[0-9]' later.txt || fail 'sonic: no commas'
expect 'a port that is not there' 2 "did you mean 'leaf0" "$program" counters run.db --port leaf0x
expect 'a form that is not there' 2 'expected ethtool, sonic, json, openmetrics, ' "$program" counters run.db --as text
expect 'no database' 2 'run.json' "$program" counters run.json

# --- an incident beside a replay ---
expect 'the run itself' 0 ' within a factor of 10, 0 not' "$program" diff run.json run.db

# --- the score ranks faults: the incident has another seed than the runs that try to explain it ---
slow_host() { # HOST SEED NAME
    sed -e "s/^seed: .*/seed: $2/" -e "s/at: 3ms, for: 3ms, kind: slow-receiver, where: host0/at: 0ms, kind: slow-receiver, where: $1/" \
        "$OLDPWD"/scenarios/cases/pause-storm.yaml >"$3.yaml"
    "$program" run "$3.yaml" --until 5ms -o "$3.db" -q 2>err
    [ $? -le 1 ] || fail "$3: $(cat err)"
}
slow_host host0 77 hidden
slow_host host0 1 right
slow_host host1 1 wrong
"$program" counters hidden.db --as json >hidden.json || fail 'hidden: no counters'
score() { # RUN
    "$program" diff hidden.json "$1.db" --lasted 5ms --json | gojq '.score'
}
right=$(score right) wrong=$(score wrong)
awk -v right="$right" -v wrong="$wrong" 'BEGIN { exit !(wrong < 1.5 * right && right < 0) }' || fail "the wrong guess scores $wrong, the right one $right"
[ "$(score hidden)" = 0 ] || fail "the run itself scores $(score hidden)"

cat >incident.json <<'END'
{"stormglass-counters": 1, "counters": [
  {"port": "Ethernet0", "priority": 3, "name": "tx_prio3_packets", "difference": 40000000},
  {"port": "Ethernet0", "priority": null, "name": "rx_vport_unicast_packets", "difference": 7},
  {"port": "Ethernet4", "priority": 3, "name": "rx_prio3_pause", "difference": 12},
  {"port": "Ethernet4", "priority": 4, "name": "rx_prio4_pause", "difference": 12},
  {"port": "host1", "priority": null, "name": "local_ack_timeout_err", "difference": 500}
], "unmoved": [
  {"port": "Ethernet0", "priority": 3, "name": "rx_prio3_packets"},
  {"port": "Ethernet0", "priority": null, "name": "link_down_events_phy"}
]}
END
expect 'another scale' 1 'port' "$program" diff incident.json run.db --map Ethernet0=leaf0:p1
frames=$(sqlite3 -batch run.db "SELECT value FROM v_counter WHERE port = 'leaf0:p1' AND name = 'tx_prio3_packets'")
grep -qE "^Ethernet0 +tx_prio3_packets +40000000 +$frames +[0-9.e-]+ +replay 4 orders of magnitude lower" out || fail "orders: $(cat out)"
grep -qE '^Ethernet0 +rx_prio3_packets +0 +[0-9]+ +- +counted only in the replay' out || fail "unmoved: $(cat out)"
grep -qE '^host1 +local_ack_timeout_err +500 +0 +0 +counted only in the incident$' out || fail "only in the incident: $(cat out)"
grep -qF 'because the run has no such port (--map NAME=NODE:pN maps it): Ethernet4 (2 counters)' out || fail "no port: $(cat out)"
grep -qF 'because the run has no such counter: rx_vport_unicast_packets (1 port)' out || fail "no counter: $(cat out)"
grep -q link_down out && fail 'zero on both sides is told'
"$program" diff incident.json run.db --map Ethernet0=leaf0:p1 --lasted 10s --json >out.json 2>err
gojq -e '.compared == 3 and .scaled and .ports == 2 and (.counters[] | select(.name == "tx_prio3_packets") |
    .expected == 4000 and .orders == 0 and .agrees) and .ports_not_mapped == [{"name": "Ethernet4", "count": 2}]
    and .counters_not_known[0].name == "rx_vport_unicast_packets"' out.json >/dev/null || fail "scaled: $(cat out.json err)"

# Thirty counters that differ have a line each, and the others their number; with --all each has its line.
for many in 1 30 31 40; do
    for ((i = 0; i < many; i++)); do
        echo "{\"port\": \"leaf0:p$((i / 8))\", \"priority\": $((i % 8)), \"name\": \"tx_prio$((i % 8))_packets\", \"difference\": 4000000000},"
    done | sed '1s/^/{"stormglass-counters": 1, "counters": [/; $s/,$/]}/' >many.json
    differ=$("$program" diff many.json run.db --lasted 1ms --json 2>err | gojq '[.counters[] | select(.agrees | not)] | length')
    "$program" diff many.json run.db --lasted 1ms >out 2>err
    rest=$(sed -n 's/^\.\.\. and \([0-9]*\) more that differ (--all lists them)$/\1/p' out)
    [ "$(grep -c '^leaf0:p' out) ${rest:-none}" = "$((differ < 30 ? differ : 30)) $( ((differ > 30)) && echo $((differ - 30)) || echo none)" ] ||
        fail "$differ counters: $(cat out)"
    "$program" diff many.json run.db --lasted 1ms --all 2>err | grep -c '^leaf0:p' >out
    [ "$(cat out)" = "$many" ] || fail "all of $many counters: $(cat out)"
done

# What cannot be compared agrees with nothing.
for counters in '"port": "Ethernet96", "priority": 3, "name": "tx_prio3_packets"' \
    '"port": "host1", "priority": null, "name": "rx_vport_unicast_packets"'; do
    echo "{\"stormglass-counters\": 1, \"counters\": [{$counters, \"difference\": 40}], \"unmoved\": []}" >apart.json
    expect "nothing in common: $counters" 1 'nothing was compared: ' "$program" diff apart.json run.db
    expect "nothing in common, JSON: $counters" 1 '"compared": 0' "$program" diff apart.json run.db --json
done

# A card's own names are compared; an object of unknown counters alone is not.
cp "$OLDPWD"/tests/golden/field/01-bnxt.* .
"$program" import counters 01-bnxt.before 01-bnxt.after >bnxt.json 2>err || fail "bnxt: $(cat err)"
expect 'a card by its own names' 1 '7 counters of 1 port compared' "$program" diff bnxt.json run.db --map 01-bnxt=host0:p0
grep -qE '^01-bnxt +rx_prio3_pause +1200 ' out || fail "a card by its own names: $(cat out)"
printf '     a_new_counter: %s\n' 1 >01-new.before
printf '     a_new_counter: %s\n' 9 >01-new.after
"$program" import counters 01-new.before 01-new.after >new.json 2>err || fail "new: $(cat err)"
expect 'nothing but unknown' 1 'nothing was compared: ' "$program" diff new.json run.db --map 01-new=host0:p0
grep -qF 'because the run has no such counter: a_new_counter (1 port)' out || fail "unknown in diff: $(cat out)"

expect 'a map to nowhere' 2 "the run has no port 'leaf0:p77'" "$program" diff incident.json run.db --map a=leaf0:p77
expect 'half a map' 2 'expected PORT=NODE:pN' "$program" diff incident.json run.db --map leaf0:p1
expect 'no time' 2 'expected a time' "$program" diff incident.json run.db --lasted 5
expect 'a map between runs' 2 'require the counters of an incident' "$program" diff run.db run.db --map a=b

# --- switches whose configuration was imported: their ports are found by the names that SONiC has for them ---
"$program" import sonic "$samples"/leaf0.json "$samples"/leaf1.json "$samples"/spine0.json >fabric.yaml 2>err || fail "import: $(cat err)"
"$program" run fabric.yaml --until 1ms -o fabric.db >/dev/null 2>err
[ $? -le 1 ] || fail "the fabric: $(cat err)"
"$program" counters fabric.db --as sonic >later.txt || fail "sonic: exit code $?"
grep -qE '^ +Ethernet0 +UC3 ' later.txt || fail "no names of SONiC: $(head -n 5 later.txt)"
zeroed later.txt >earlier.txt
"$program" import counters earlier.txt later.txt >incident.json 2>err || fail "sonic again: $(cat err)"
gojq -e '[.counters[] | select(.port | test("^(leaf0|leaf1|spine0):Ethernet[0-9]+$") | not)] == []' incident.json >/dev/null ||
    fail "ports of several switches: $(gojq -c '[.counters[].port] | unique' incident.json)"
expect 'equipment and its model' 0 'of 10 ports compared' "$program" diff incident.json fabric.db
grep -q 'not compared' out && fail "equipment: $(cat out)"
"$program" counters fabric.db --as sonic --port leaf0 | head -n 3 | grep -q '^ *Ethernet0 ' || fail 'one switch: not the names of SONiC'

# --- and everything else calls them so, and knows their numbers ---
cp fabric.yaml called.yaml
echo 'faults: [{at: 100us, for: 500us, kind: pause-storm, where: server3, priority: 3}]' >>called.yaml
"$program" run called.yaml --until 1ms -o called.db >run.txt 2>err
[ $? -le 1 ] || fail "called: $(cat err)"
"$program" explain called.db >explain.txt || fail "explain: exit code $?"
"$program" draw called.db -o called.svg || fail "draw: exit code $?"
for file in run.txt explain.txt; do
    grep -qE 'paused by server3:' $file && ! grep -E '(leaf|spine)[0-9]+:p[0-9]' $file || fail "$file: ports by their numbers: $(cat $file)"
done
printf '%s\n' 'break leaf0:p0 queue > 1KiB' run 'show leaf0:Ethernet0' quit | "$program" step called.yaml >step.txt || fail "step: $(cat step.txt)"
grep -q '^leaf0:Ethernet0: ' step.txt && ! grep -qE 'leaf0:p0 (has|of)' step.txt || fail "step: $(cat step.txt)"
for port in leaf0:Ethernet4 leaf0:p1; do
    "$program" counters called.db --as json --port $port | gojq -e '[.counters[].port] | unique == ["leaf0:Ethernet4"]' >/dev/null || fail "counters of $port"
done

# --- JSON behind other text: a mistake is on its line of the file; folders that are too deep ---
printf 'admin@leaf0:~$ show queue counters --json\n\n{"a": 1,\n "b": tru}\n' >prompt.json
"$program" import counters prompt.json prompt.json >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q "^prompt.json:4:7: error: .*'tru'" err.txt || fail "prompt: $(cat err.txt)"
inner=nested
for level in 1 2 3 4 5 6 7 8 9; do
    mkdir "$inner" && cp earlier.txt "$inner/host$level.txt"
    inner=$inner/$level
done
"$program" import counters nested nested >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'nested.*/8:1:1: error: folders too deep' err.txt || fail "nested: $(cat err.txt)"

# --- what is no object of import counters: located, with exit code 2, within two seconds ---
refused() { # NAME PLACE WORDS TEXT
    printf '%s' "$4" >"$1.json"
    within 2 "$program" diff "$1.json" run.db >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] && grep -F "$1.json:$2: error:" err.txt | grep -qF "$3" || fail "$1: $(cat out.txt err.txt)"
}
refused version 1:1 'expected "stormglass-counters": 1' '{"counters": []}'
refused list 1:41 'expected "counters": a list' '{"stormglass-counters": 1, "counters":  {}}'
refused without 1:1 'expected "counters": a list' '{"stormglass-counters": 1}'
refused item 1:42 'expected an object with "port"' '{"stormglass-counters": 1, "counters": [ 5]}'
refused count 1:42 'expected "difference": a count' '{"stormglass-counters": 1, "counters": [ {"port": "a", "name": "b", "difference": -5}]}'
refused deep 1:10241 'depth' "$(yes '{"a":' | head -n 20000 | tr -d '\n')"

[ $failures = 0 ]
