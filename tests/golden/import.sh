#!/bin/bash
# import - what `stormglass import` makes of configuration, and what it refuses.  SPDX-License-Identifier: Apache-2.0
# The files of tests/golden/sonic are two leaves and a spine: numbers as strings, the three spellings of references,
# keys with ranges.  expected.yaml is what becomes of them.
set -u
samples=$(cd "$(dirname "$0")/sonic" && pwd)
. tests/golden/outside

# ---- a fabric of three files ----

cp "$samples"/*.json .
"$program" import sonic leaf0.json leaf1.json spine0.json >fabric.yaml 2>notes.txt || fail "the import: exit code $?"
diff "$samples/expected.yaml" fabric.yaml || fail "the scenario is another one"
grep -c ': note: ' notes.txt | grep -qx "$(grep -c '^#   ' fabric.yaml)" || fail "notes and comments differ in number"
"$program" check fabric.yaml >check.txt || fail "check: $(cat check.txt)"
"$program" run fabric.yaml --json >run.json || fail "the run: exit code $?"
gojq -e '.drops.lossless == 0 and .workloads[0].completed > 1000' run.json >/dev/null || fail "the run: $(cat run.json)"

# The same fabric without DEVICE_NEIGHBOR: its cables from a list, from tables of LLDP, from a graph.
mkdir bare
for name in leaf0 leaf1 spine0; do
    gojq 'del(.DEVICE_NEIGHBOR)' "$name.json" >"bare/$name.json"
    gojq -r '.DEVICE_METADATA.localhost.hostname as $own | .DEVICE_NEIGHBOR | to_entries[] |
        [$own, .key, .value.name, .value.port] | @tsv' "$name.json"
done >cables.txt
awk '{ printf "%s\"%s\":\"%s\" -- \"%s\":\"%s\"\n", NR == 1 ? "graph g {\n" : "", $1, $2, $3, $4 } END { print "}" }' cables.txt >cables.dot
awk '$1 != own { own = $1; printf "==> out/%s.lldp <==\n%s\n%s\n%s\n", own, "Capability codes: (R) Router, (B) Bridge, (O) Other",
         "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr",
         "-----------  --------------  --------------  ------------  -----------------" }
     { printf "%-11s  %-14s  %-14s  %-12s  %s\n", $2, $3, $4, "BR", "descr" }' cables.txt >cables.lldp
for cables in cables.txt cables.dot cables.lldp; do
    "$program" import sonic "$cables" bare/*.json >bare.yaml 2>notes.txt || fail "$cables: exit code $?: $(cat notes.txt)"
    diff <(grep -F 'ends:' fabric.yaml) <(grep -F 'ends:' bare.yaml) || fail "$cables: other links"
done
"$program" import sonic bare/*.json >/dev/null 2>notes.txt
[ $? -eq 2 ] && grep -qF 'or a file of cables beside it' notes.txt || fail "no cables at all: $(cat notes.txt)"
echo 'leaf0 Ethernet99 spine0 Ethernet0' >wrong.txt
"$program" import sonic bare/*.json wrong.txt >/dev/null 2>notes.txt
[ $? -eq 2 ] && grep -q '^wrong.txt:1:7: error: leaf0 has no port .Ethernet99.' notes.txt || fail "a port that is not there: $(cat notes.txt)"

# A Clos of two vendors' switches, whole files: two top-of-rack ones with references as bare names, a row for each port
# and keys that come twice; two leaves with references in brackets and keys with ranges.
mkdir clos && cp "$samples"/clos/*.json clos && cd clos || exit 3
"$program" import sonic tor0.json tor1.json leaf0.json leaf1.json >clos.yaml 2>notes.txt || fail "the Clos: exit code $?"
diff "$samples/clos/expected.yaml" clos.yaml || fail "the Clos: the scenario is another one"
grep -qF "tor0.json:14:9: note: the key '192.0.2.8' appears again in line 15" notes.txt || fail "no word on a key that comes twice"
"$program" check clos.yaml >check.txt || fail "the Clos: check: $(cat check.txt)"
"$program" run clos.yaml --json >run.json || fail "the Clos: the run: exit code $?"
gojq -e '.drops.lossless == 0 and .workloads[0].completed > 1000' run.json >/dev/null || fail "the Clos: $(cat run.json)"
# A storm at a server: its switch pauses the leaf by the port's own name.
sed 's/^duration: .*/duration: 3ms/; s/^    queue-depth: 8/    queue-depth: 64/' clos.yaml >storm.yaml
printf 'faults: [{at: 500us, for: 2ms, kind: pause-storm, where: Servers5, priority: 3},\n {at: 2ms, kind: pfc-off, where: "leaf0:Ethernet8"}]\n' >>storm.yaml
"$program" run storm.yaml --json >run.json || fail "the storm: exit code $?"
gojq -e '.pfc.pause_frames > 0' run.json >/dev/null || fail "the storm: no pause"
cd ..

# Without the spine its links lead to a host, with a NIC for each cable.
"$program" import sonic leaf0.json leaf1.json >two.yaml 2>notes.txt || fail "two leaves: exit code $?"
grep -qF 'spine0 reports the type SpineRouter but has no configuration file here; it is imported as a host' notes.txt || fail "no word on the missing spine"
grep -qF 'hosts: [server0, server1, spine0, server2, server3]' two.yaml || fail "hosts of two leaves"

# changed SED-EXPRESSION: leaf0.json edited, alone
changed() {
    sed "$1" "$samples/leaf0.json" >one.json
    "$program" import sonic --verbose one.json >one.yaml 2>notes.txt || fail "$1: exit code $?"
}

# becomes SED-EXPRESSION LINE: a line of the scenario of leaf0 alone
becomes() {
    changed "$1"
    grep -qF "$2" one.yaml || fail "$1: no '$2'"
    "$program" check one.yaml >check.txt 2>&1
    [ $? -lt 2 ] || fail "$1: $(cat check.txt)"
}

# tells SED-EXPRESSION WORDS: a note
tells() {
    changed "$1"
    grep -F 'one.json:' notes.txt | grep -qF "$2" || fail "$1: no note '$2'"
}

becomes 's/"dynamic_th": "0"/"dynamic_th": "-3"/' 'alpha: 12.5%'
becomes 's/\[BUFFER_PROFILE|/[BUFFER_PROFILE_TABLE:/' 'headroom: 92KiB'
# Traffic classes beyond the eight queues, as devices with sixteen of them have.
class8='/"DSCP_TO_TC_MAP": {/,/}/s/"33": "[0-9]"/"33": "8"/'
becomes "$class8; /\"TC_TO_QUEUE_MAP\": {/,/}/s/\"7\": \"7\"/\"7\": \"7\", \"8\": \"7\"/" '33: 7'
becomes 's/, "dynamic_th": "0"/, "static_th": "500000"/' 'xoff: 500KB'
becomes 's/"pfc_enable": "3,4"/"pfc_enable": "4"/' 'dscp: 4, priority: 4'
becomes 's/"ecn": "ecn_all"/"ecn": "ecn_none"/' 'ecn: {kmin: 0B, kmax: 0B}'
becomes 's/"profile": "\[BUFFER_PROFILE|pg_lossless_100000_[0-9]*m_profile\]"/"profile": "NULL"/' 'headroom: auto'
becomes 's/"mtu": "9100"/"mtu": "1500"/' 'path-mtu: 1024B'
becomes 's/"5m", "Ethernet4"/"300m", "Ethernet4"/' 'length: 300m'
becomes 's/"server0"/"1 r\\u00e4ck: #{x}"/' 'hosts: [n1-r'
becomes 's/\("egress_lossless_pool": .*"size": "\)32712448/\134000000/' 'size: 34MB'
becomes '/|3-4": {"profile": "\[BUFFER_PROFILE|pg/d; s/\(ingress_lossy_profile\]"}\),$/\1/' 'headroom-pool: 1584KiB'
tells '/|3-4": {"profile": "\[BUFFER_PROFILE|pg/d; s/\(ingress_lossy_profile\]"}\),$/\1/' 'BUFFER_PG: no row of a lossless priority'
tells 's/"Ethernet0,Ethernet4,Ethernet8,Ethernet12|6"/"lc1|asic0|Ethernet0|6"/' 'QUEUE: 1 row (HOST|ASIC|PORT|NUMBER) of another line card'
tells 's/"fec": "rs"/"fec": "fc"/' "fec 'fc' is not modeled"
tells 's/"server0", "port"/"1 rack", "port"/' "the neighbor '1 rack' at leaf0 Ethernet0 is the host n1-rack here"
tells 's/"Ethernet8|3-4"/"Ethernet8,Ethernet99|3-4"/' "BUFFER_PG: 'Ethernet99' is not in PORT"
tells 's/"Ethernet0": {"admin_status": "up"/"Ethernet0": {"admin_status": "down"/' 'leaf0 Ethernet0: not linked: admin_status is down'
tells 's/"FEATURE"/"ACL\\n stormglass: 2"/' 'one.json:5:5: note: ACL\x0a stormglass: 2: a table without a counterpart'
tells 's/"4": "4", "5": "5"/"4": "5", "5": "5"/' 'traffic class 4 has priority group 4 and queue 5'
tells 's/"state": "enabled"/"state": "enabled", "state": "disabled"/' "one.json:6:18: note: the key 'state' appears again in line 6: that one is used"
becomes 's/"dynamic_th": "0"/"dynamic_th": "0", "dynamic_th": "1"/' 'alpha: 200%'
# What SONiC takes where a key is absent.
becomes 's/"mtu": "9100", //' 'rate: 100Gbps, length: 5m, mtu: 9100B'
tells 's/"mtu": "9100", //' "3 ports of 1 switch (leaf0 Ethernet0, ...): no mtu: 9100 B, SONiC's default"
becomes '/"Ethernet0": {"admin/s/, "speed": "100000"//' 'names: [Ethernet0, eth0], rate: 100Gbps'
tells '/"Ethernet0": {"admin/s/, "speed": "100000"//' "leaf0 Ethernet0: no speed: the speed of the switch's other ports with 4 lanes is used"
tells '/"Ethernet0": {/s/"admin_status": "up", //' "leaf0 Ethernet0: not linked: no admin_status, and SONiC's default is down"
# What no run feels is counted, and named when it is asked for; what shapes traffic is always named.
sed 's/"FEATURE"/"PORTCHANNEL": {}, "FEATURE"/' "$samples/leaf0.json" >one.json
"$program" import sonic one.json >/dev/null 2>notes.txt || fail "quiet: exit code $?"
grep -qF 'one.json:5:5: note: PORTCHANNEL: a table without a counterpart' notes.txt || fail "quiet: no PORTCHANNEL"
grep -F 'FEATURE' notes.txt && fail "quiet: FEATURE is named"
grep -qF 'note: tables and fields without a parameter in the model, not imported: 3 (stormglass import sonic --verbose lists them)' notes.txt || fail "quiet: $(cat notes.txt)"
# Alike notes of several files are one.
for n in 1 2 3; do sed "s/\"hostname\": \"leaf0\"/\"hostname\": \"leaf$n\"/; s/\"fec\": \"rs\"/\"fec\": \"fc\"/" "$samples/leaf0.json" >many$n.json; done
"$program" import sonic many?.json >/dev/null 2>notes.txt || fail "three leaves: exit code $?"
[ "$(grep -c "fec 'fc'" notes.txt)" = 1 ] || fail "three leaves: $(cat notes.txt)"
grep -qF "12 ports of 3 switches (leaf1 Ethernet0, ...): fec 'fc' is not modeled: imported as none" notes.txt || fail "three leaves: $(cat notes.txt)"
neighbor='s/"Ethernet12": {"name": "spine0", "port": "Ethernet0"}/"spine0": {"local_port": "Ethernet12", "port": "Ethernet0", "type": "Spine", "lo_addr": null}/'
becomes "$neighbor" '{ends: ["leaf0:p3", "spine0:p0"], names: [Ethernet12, Ethernet0]'
tells "$neighbor; s/SpineRouter/Spine/" 'spine0 reports the type Spine but has no configuration file'
tells "$neighbor" 'DEVICE_NEIGHBOR: lo_addr has no counterpart'
tells "$neighbor; s/\"local_port\": \"Ethernet12\"/\"local_port\": \"Ethernet13\"/" "DEVICE_NEIGHBOR: 'Ethernet13' is not in PORT"
computed='s/"profile": "\[BUFFER_PROFILE|pg_lossless_100000_[0-9]*m_profile\]"/"profile": "NULL"/'
parameters='s/^    "FEATURE"/    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "-1", "over_subscribe_ratio": "4", "max_headroom_size": "0"}},\n&/'
becomes "$computed; $parameters" 'alpha: 50%'
becomes "$computed; $parameters; s/, \"xoff\": \"1622016\"//" 'headroom: auto, headroom-pool: auto, headroom-ratio: 4'
tells "$computed; $parameters" 'max_headroom_size has no counterpart'
tells "$parameters" 'SONiC computes no profile here'
tells '/"Ethernet12": {"action"/s/"detection_time": "200"/"detection_time": "400"/' 'PFC_WD: 1 port has other values'

# ---- what is refused: located, with exit code 2, within two seconds, and nothing is written ----

# refused FILE PLACE WORDS [FILE...]
refused() {
    local file=$1 place=$2 words=$3 code
    shift 3
    within 2 "$program" import sonic "$@" "$file" >out.txt 2>err.txt </dev/null
    code=$?
    if [ $code -ne 2 ] || [ -s out.txt ]; then
        fail "$file: exit code $code, $(wc -c <out.txt) bytes written"
    elif ! grep -F "$file:$place: error:" err.txt | grep -qF "$words"; then
        fail "$file: expected $file:$place: error: ... $words"
        cut -c 1-300 err.txt
    else
        echo "ok   $(head -n 1 err.txt | cut -c 1-120)"
    fi
}

# edited NAME PLACE WORDS SED-EXPRESSION
edited() {
    sed "$4" "$samples/leaf0.json" >"$1.json"
    refused "$1.json" "$2" "$3"
}

edited unknown-profile 82:48 "did you mean 'pg_lossless_100000_5m_profile'" \
    's/"Ethernet0,Ethernet4|3-4": {"profile": "\[BUFFER_PROFILE|pg_lossless_100000_5m/"Ethernet0,Ethernet4|3-4": {"profile": "[BUFFER_PROFILE|pg_lossless_100000_6m/'
edited overlap 84:35 'Ethernet8|3 has a profile already' 's/"Ethernet12|3-4": {"profile": "\[BUFFER_PROFILE|pg/"Ethernet8,Ethernet12|3": {"profile": "[BUFFER_PROFILE|pg/'
edited bad-range 84:9 'expected a key of BUFFER_PG' 's/"Ethernet12|3-4": {"profile": "\[BUFFER_PROFILE|pg/"Ethernet12|4-3": {"profile": "[BUFFER_PROFILE|pg/'
edited speed 9:162 'expected speed: a whole number from 1 to 6400000' 's/"speed": "100000"/"speed": "99999999999999999999"/'
edited unit 9:145 'expected mtu' 's/"mtu": "9100"/"mtu": "9100B"/'
edited mask 28:112 'expected pfc_enable: priorities from 0 to 7' 's/"pfc_enable": "3,4"/"pfc_enable": "3,9"/'
edited no-speed 9:9 'expected speed: SONiC has no default' 's/, "speed": "100000"//'
edited no-status 9:9 "Ethernet0 has a neighbor, but no admin_status, and SONiC's default is down" 's/"admin_status": "up", //'
edited cable 15:90 'expected a length' 's/"40m"/"40"/'
edited row 44:30 'expected a row of BUFFER_POOL' 's/"egress_lossy_pool": {[^}]*}/"egress_lossy_pool": []/'
edited threshold 60:134 'at most green_max_threshold' 's/"green_min_threshold": "250000"/"green_min_threshold": "25000000"/'
edited two-neighbors 20:19 'Ethernet4 has a neighbor already, in line 19' "$neighbor; s/\"local_port\": \"Ethernet12\"/\"local_port\": \"Ethernet4\"/"
edited no-name 18:22 "expected the neighbor's name" 's/{"name": "server0", /{/'
edited no-neighbor 1:1 'at least one neighbor' 's/"DEVICE_NEIGHBOR"/"NEIGHBOR"/'
edited no-ports 1:1 'expected a table PORT' 's/"PORT"/"PORTS"/'
edited cut 86:1 'JSON' '$d'
printf '{"a": 1e999}' >real.json
refused real.json 1:7 'real number overflow'
printf '{"a": 99999999999999999999999999999999}' >integer.json
refused integer.json 1:38 'too big integer'
{ printf '{"a":'; head -c 200000 /dev/zero | tr '\0' '['; } >deep.json
refused deep.json 1:2053 'maximum parsing depth'
{ for _ in $(seq 100); do printf '{"a":'; done; printf 1; for _ in $(seq 100); do printf '}'; done; } >levels.json
refused levels.json 1:321 'more than 64 levels'
printf '[]' >list.json
refused list.json 1:1 'expected a JSON object'
printf '{"a": "\xff"}' >bytes.json
refused bytes.json 1:7 'unable to decode byte 0xff'
: >empty.json
refused empty.json 1:1 'expected near end of file'
refused missing.json 1:1 'No such file'
{ printf '{"a": "'; head -c 9000000 /dev/zero | tr '\0' 'x'; printf '"}'; } >large.json
refused large.json 1:1 'larger than 8 MiB'
cp leaf0.json again.json
refused again.json 3:22 "the switch 'leaf0' is also that of leaf0.json" leaf0.json

# ---- counters ----

cat >before.txt <<'END'
Last cached time was 2026-01-02
  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0   1,200     201     202     203     204     205     206     207
Ethernet4     N/A     N/A     N/A       0       0     N/A     N/A     N/A

  Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0       0       0       0      50       0       0       0       0
END
sed 's/203/1,203,203/; s/      50/       3/; s/^Ethernet4 /Ethernet8 /' before.txt >after.txt
"$program" import counters before.txt after.txt >counters.json 2>notes.txt || fail "counters: exit code $?"
echo '[{"difference":1203000,"name":"rx_prio3_pause","port":"Ethernet0","priority":3}]' >expected.json
gojq -c .counters counters.json | diff expected.json - || fail "counters: other differences"
told() {
    grep -qF "$1" notes.txt || fail "counters: no word on '$1' in $(cat notes.txt)"
}
told 'after.txt:9:41: note: tx_prio3_pause of Ethernet0 decreased'
told 'after.txt:5:41: note: rx_prio3_pause of Ethernet8 is not in the earlier file'
told 'before.txt:5:41: note: rx_prio3_pause of Ethernet4 is not in the later file'

printf 'NIC statistics:\n     rx_prio3_pause: 5\n     [0]: rx_ucast: 7\n' >a.txt
printf 'NIC statistics:\r\n     rx_prio3_pause: 9223372036854775807\r\n     [0]: rx_ucast: 8\r\n' >'eth"2.after'
"$program" import counters a.txt 'eth"2.after' >counters.json || fail "ethtool: exit code $?"
cat >expected.json <<'END'
["eth_2",3,"rx_prio3_pause","9223372036854775802"]
END
sed 's/\("difference": \)\([0-9]*\)/\1"\2"/' counters.json | gojq -c '.counters[] | [.port, .priority, .name, .difference]' |
    diff expected.json - || fail "ethtool: other differences"
gojq -e '.unknown == [{"port": "eth_2", "name": "[0]:_rx_ucast", "difference": 1}]' counters.json >/dev/null ||
    fail "ethtool: what is unknown: $(gojq -c .unknown counters.json)"

# Queues, priority groups, and several files in one with their names before them.
cat >before.txt <<'END'
For namespace :
     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes
---------  -----  --------------  ---------------  -----------  ------------
Ethernet0    UC3           1,000          500,000            0             0
Ethernet0   MC10               7                7            7             7
Ethernet0    ALL               7                7            7             7

Ingress PG dropped packets:
     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7    PG8
---------  -----  -----  -----  -----  -----  -----  -----  -----  -----
Ethernet0      0      0      0      4    N/A      0      0      0      9

Ingress headroom per PG:
     Port    PG0    PG1    PG2    PG3
---------  -----  -----  -----  -----
Ethernet0      0      0      0     99

==> out/eth1.before <==
NIC statistics:
     rx_prio3_pause: 10
==> host0:p0 <==
NIC statistics:
     rx_prio3_pause: 20
==> leaf1.before <==
 Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
Ethernet0      0       0       0      30       0       0       0       0
END
sed 's/1,000  /1,234  /; s/ 4    N/14    N/; s/: 20/: 21/; s/eth1.before/eth1.after/; s/ 30 / 35 /' before.txt >after.txt
"$program" import counters before.txt after.txt >counters.json 2>notes.txt || fail "queues: exit code $?"
gojq -c '.counters[] | [.port, .name, .difference]' counters.json | diff - <(cat <<'END'
["Ethernet0","tx_prio3_packets",234]
["Ethernet0","rx_prio3_buffer_dropped",10]
["Ethernet0","rx_prio3_headroom_peak",99]
["host0:p0","rx_prio3_pause",1]
["leaf1:Ethernet0","rx_prio3_pause",5]
END
) || fail 'queues: other differences'
gojq -e '[.unmoved[] | select(.port == "eth1" or .name == "tx_prio3_queue_dropped")] | length == 2' counters.json >/dev/null ||
    fail "queues: what did not move: $(gojq -c .unmoved counters.json)"
told 'after.txt: note: 2 counters have no counterpart in a run, 0 of them changed; all are listed as unknown'
told 'after.txt:5:13: note: rows left out because a run has no such queue: 2; the first is here'

# counters_refused NAME PLACE WORDS TEXT
counters_refused() {
    printf "$4" >"$1.txt"
    within 2 "$program" import counters a.txt "$1.txt" >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] && grep -F "$1.txt:$2: error:" err.txt | grep -qF "$3" ||
        fail "$1: $(cat err.txt)"
}
counters_refused number 2:9 'expected a count' 'NIC statistics:\n     a: 12x\n'
counters_refused large 2:9 'expected a count' 'NIC statistics:\n     a: 9223372036854775808\n'
counters_refused nothing 2:6 'expected a counter' 'NIC statistics:\n     abc\n'
counters_refused doubled 3:9 'a of doubled appears twice, also in line 2' 'NIC statistics:\n     a: 1\n     a: 2\n'
counters_refused short 1:1 'counters of two devices cannot be subtracted' 'Port Rx\nEthernet0 1\n'
counters_refused long 2:13 'expected no more counts than the table has columns' 'Port Rx\nEthernet0 1 2 3 4 5 6 7 8 9\n'
counters_refused other 1:1 'expected counters: the output of ethtool -S' 'hello\n'

# ---- mlxconfig ----

cat >mlx.txt <<'END'
Device #1:
Configurations:                              Next Boot
         NUM_OF_VFS                          8
         CLAMP_TGT_RATE_P1                   False(0)
         RPG_TIME_RESET_P1                   300
*        RPG_BYTE_RESET_P1                   100     32767
         RPG_AI_RATE_P1                      5
         RPG_AI_RATE_P2                      6
         RPG_GD_P1                           11
         DCE_TCP_G_P1                        1019
         INITIAL_ALPHA_VALUE_P1              1023
         MIN_TIME_BETWEEN_CNPS_P1            4
END
"$program" import mlxconfig mlx.txt >mlx.yaml 2>notes.txt || fail "mlxconfig: exit code $?"
for line in 'rate-timer: 300us' 'byte-counter: 2097088B' 'rai: 5Mbps' 'g: 5/1024' 'initial-alpha: 1 ' \
    'cnp-interval: 4us' 'clamp-target: false'; do
    grep -qF "        $line" mlx.yaml || fail "mlxconfig: no '$line'"
done
told 'mlx.txt:8:46: note: RPG_AI_RATE of another port'
told 'mlx.txt:9:46: note: RPG_GD has no counterpart here'
told 'mlx.txt:1:1: note: settings other than DCQCN left out: 1'
{
    printf 'stormglass: 1\nname: x\nduration: 1ms\nfabric:\n  topology: {kind: single-switch, hosts: 2}\n'
    cat mlx.yaml
    printf 'workloads:\n  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 4KiB}\n'
} >with.yaml
"$program" run with.yaml >/dev/null || fail "mlxconfig: its scenario does not run"
mlx_refused() { # NAME PLACE WORDS TEXT
    printf "$4" >"$1.txt"
    within 2 "$program" import mlxconfig "$1.txt" >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] && grep -F "$1.txt:$2: error:" err.txt | grep -qF "$3" ||
        fail "$1: $(cat err.txt)"
}
mlx_refused rate 1:16 'expected RPG_AI_RATE: a number from 1 to 1000000' 'RPG_AI_RATE_P1 9999999999\n'
mlx_refused word 1:16 'expected RPG_AI_RATE' 'RPG_AI_RATE_P1 fast(5\n'
mlx_refused again 2:16 'RPG_AI_RATE is already in line 1' 'RPG_AI_RATE_P1 5\nRPG_AI_RATE_P1 5\n'
mlx_refused no-settings 1:1 'expected the output of mlxconfig query' 'hello\n'

"$program" import soinc leaf0.json 2>err.txt
[ $? -eq 2 ] && grep -qF "did you mean 'sonic'" err.txt || fail "a kind that does not exist"

echo "$failures failures"
[ "$failures" -eq 0 ]
