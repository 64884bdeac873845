#!/bin/bash
# suspects - stormglass incident: files of an incident lead to suspects.  SPDX-License-Identifier: Apache-2.0
set -u
field=$PWD/tests/golden/field
incidents=$PWD/tests/incidents/incidents
sample=$PWD/scenarios/incidents/pause-storm
. tests/golden/outside

# --- a run's counters, before and after ---
"$program" run pause-storm --until 4ms -o storm.db >/dev/null 2>err
[ $? -le 1 ] || fail "the run: $(cat err)"
mkdir -p storm/before storm/after
"$program" counters storm.db >storm/after/all.txt || fail 'counters'
sed 's/: [0-9]*$/: 0/' storm/after/all.txt >storm/before/all.txt
expect 'a storm' 1 'Suspected: host0: the host sends pauses to its switch' "$program" incident storm --fabric pause-storm
grep -qE 'storm/after/all.txt:[0-9]+ +host0 sent [0-9,]+ pauses' out || fail "no line that shows it: $(cat out)"
expect 'as JSON' 1 '' "$program" incident storm --fabric pause-storm --json
gojq -e '.verdict == "fault" and .suspects[0].device == "host0" and (.suspects[0].confirmed | not) and (.suspects[0].for | length) > 0' out >/dev/null ||
    fail "JSON: $(head -c 600 out)"
expect 'without cables' 1 'No cables are known' "$program" incident storm

# --- what is written ---
expect 'a folder' 1 'host0' "$program" incident storm --fabric pause-storm -o answer
[ -s answer/answer.txt ] && gojq -e .verdict answer/answer.json >/dev/null || fail 'the answer'
grep -q '<p class="verdict bad">Suspected: host0: the host sends pauses to its switch' answer/answer.html || fail "the page: $(grep verdict answer/answer.html)"
grep -q 'host0 sent [0-9,]* pauses <code class="about">storm/after/all.txt:[0-9]*</code>' answer/answer.html || fail 'the page has no line that shows it'
"$program" report answer -o page.html 2>err || fail "a page of a folder: $(cat err)"
expect 'its counters are those of the run' 0 ' within a factor of 10, 0 not' "$program" diff answer/incident.json storm.db

# --- a session of a switch, and what hangs on it ---
cat >leaf0.txt <<'END'
admin@leaf0:~$ date
Sat Nov 28 00:46:12 UTC 2026
admin@leaf0:~$ show pfc counters
  Port Rx    PFC0    PFC3
---------  ------  ------
Ethernet0       0     200
Ethernet4       0       0
  Port Tx    PFC0    PFC3
---------  ------  ------
Ethernet0       0       0
Ethernet4       0     700
admin@leaf0:~$ date
Sat Nov 28 00:46:42 UTC 2026
admin@leaf0:~$ show pfc counters
  Port Rx    PFC0    PFC3
---------  ------  ------
Ethernet0       0  184413
Ethernet4       0       0
  Port Tx    PFC0    PFC3
---------  ------  ------
Ethernet0       0       0
Ethernet4       0   90700
admin@leaf0:~$ show lldp table
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  -----------------
Ethernet0    db7             02:00:5e:00:53:01  BR            eth2
Ethernet4    db8             02:00:5e:00:53:02  R             eth2
END
expect 'a session' 1 'Suspected: db7: ' "$program" incident leaf0.txt -o session
grep -q 'Ethernet0 received 184,213 pauses from db7' out || fail "the difference: $(cat out)"
grep -q '(30 s)' out || fail "the time: $(cat out)"
grep -q 'Devices without counters, so their state is unknown: db7, db8' out || fail "what is unknown: $(cat out)"
expect 'its fabric' 0 '' "$program" check session/scenario.yaml
grep -q 'kind: slow-receiver.*where: "db7"' session/scenario.yaml || fail "the fault: $(tail -n 3 session/scenario.yaml)"

# --- the sample of the tree: leaf0 sends most pauses, host5 began ---
expect 'the sample' 1 'Suspected: host5: the host sends pauses to its switch' "$program" incident "$sample"
grep -q 'Devices without counters, so their state is unknown: host3' out || fail "the sample: $(cat out)"
grep -q 'lines\? of unknown kind' out && fail "the sample has lines that are not read: $(cat out)"

# --- no harm ---
sed 's/184413/   203/; s/90700/  700/' leaf0.txt >quiet.txt
expect 'no harm' 0 'No harm seen' "$program" incident quiet.txt

# --- samples of real equipment ---
for file in "$field"/*.after; do
    "$program" incident "$file" >out 2>err
    case $?$file in
    2*/c50-text.after | 2*/c76-json.after) continue ;; # no counters, no JSON
    esac
    grep -qE ': [0-9]+ counters?' out || fail "$(basename "$file"): $(cat out err)"
done

# --- one sample among pairs is not used ---
printf '[root@db9 ~]# ethtool -S eth2\nNIC statistics:\n     tx_prio3_pause: 999999\n' >db9.txt
expect 'an old count' 0 'Not used: 1 counter, which has only one sample' "$program" incident quiet.txt db9.txt

# --- what is wrong ---
printf 'NIC statistics:\n     tx_prio3_pause: 12x\n' >cut.txt
expect 'a wrong number' 2 'cut.txt:2:22: warning: expected a count' "$program" incident cut.txt
expect 'no file' 2 'none.txt' "$program" incident none.txt
echo 'It began after lunch.' >story.txt
expect 'no counters' 2 'expected counters or logs' "$program" incident story.txt
expect 'a wrong fabric' 2 'none.yaml' "$program" incident leaf0.txt --fabric none.yaml
printf 'NIC statistics:\n     tx_prio3_pause: 50\n' >$'db7\e[31m.txt'
"$program" incident $'db7\e[31m.txt' >out 2>&1
grep -q $'\e' out && fail 'a name that a terminal obeys'

# --- drawn incidents ---
expect 'a drawn storm' 0 'all ' "$incidents" --least 1 --only pause-storm 1 1
expect 'drawn errors' 0 'all ' "$incidents" --least 1 --only bit-errors 3 1
exit $((failures > 0))
