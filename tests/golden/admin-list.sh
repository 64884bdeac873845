#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# admin: and linger: of a workload: which commands go out and when, what is refused where, and a whole capture of two Linux machines.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then
        echo "ok    $1: $2"
    else
        echo "FAIL  $1: got '$2', expected '$3'"
        failures=$((failures + 1))
    fi
}

scenario() { # LINES OF THE WORKLOAD...
    cat >"$work/tool.yaml" <<'END'
stormglass: 1
name: tool
about: What nvme-cli does.
duration: 50ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts:
  defaults: {nvme: {shutdown: true}}
  targets: {where: host0, namespaces: [{media: "null"}]}
workloads:
  - name: tool
    kind: nvme
    from: host1
    to: host0
END
    printf '    %s\n' "$@" >>"$work/tool.yaml"
}

ran() { # the words of the frames are in $work/words
    "$program" run --confirm 0 "$work/tool.yaml" -o "$work/run.db" --record packets >"$work/said" 2>"$work/error" || return $?
    "$program" pcap "$work/run.db" --port host1:p0 -o "$work/run.pcapng" >/dev/null && "$program" compare --wire "$work/run.pcapng" >"$work/words"
}

command_of() { # N: opcode, NSID, bytes and double words of the Nth command of the admin queue
    sed -n "s/^1 host requests .* | #$1 [A-Za-z-]* \(..\) flags 40 nsid \([0-9a-f]*\) sgl .. \([0-9]*\) B cdw \([0-9a-f ]*\) ~.*/\1 \2 \3 \4/p" "$work/words"
}

# The set-up of a controller with one namespace is 20 commands.
scenario 'count: none' 'linger: 10ms' 'admin:' \
    '- {at: 1ms, command: identify, cns: 0, nsid: 1, csi: 2}' \
    '- {at: 2ms, command: get-log, log: 112, nsid: 0, offset: 4KiB, bytes: 1KiB, retain: true}' \
    '- {at: 2ms, command: get-log, nsid: all}' \
    '- {at: 3ms, command: set-features, feature: 11, value: 2304}' \
    '- {at: 3ms, command: get-features, feature: 129, value: 1, select: 0}' \
    '- {at: 4ms, command: other, opcode: 24}' \
    '- {at: 5ms, command: other, opcode: 6, cdw10: 2, cdw14: 7, bytes: 4KiB}'
equal 'a list' "$(ran; echo $?)" 0
equal 'identify, with a command set' "$(command_of 21)" '06 1 4096 0 2000000 0 0 0 0'
equal 'a part of a log, retained' "$(command_of 22)" '02 0 1024 ff8070 0 1000 0 0 0'
equal 'SMART' "$(command_of 23)" '02 ffffffff 512 7f0002 0 0 0 0 0'
equal 'a feature' "$(command_of 24)" '09 0 0 b 900 0 0 0 0'
equal 'the host identifier' "$(command_of 25)" '0a 0 16 81 1 0 0 0 0'
equal 'by opcode' "$(command_of 26)" '18 0 0 0 0 0 0 0 0'
equal 'with double words' "$(command_of 27)" '06 0 4096 2 0 0 0 7 0'
equal 'the end' "$(command_of 28 | cut -d' ' -f1)" 7f
counted() { "$program" run --confirm 0 "$work/tool.yaml" -o "$work/json.db" --json | grep -A3 '"admin"' | tr -d ' \n"' | grep -o 'completed:[0-9]*,failed:[0-9]*' | tail -n 1; }
equal 'in JSON' "$(counted)" 'completed:6,failed:1'
equal 'a failure has its place' "$(grep -o 'admin command 2 of its list, opcode 0x02, failed: NVMe status 0x109' "$work/said" | head -n 1)" \
    'admin command 2 of its list, opcode 0x02, failed: NVMe status 0x109'

printf 'expect: [all-commands-complete, "tool.admin.failed == 1"]\n' >>"$work/tool.yaml"
"$program" run --confirm 0 "$work/tool.yaml" -o "$work/json.db" >/dev/null 2>&1
equal 'no I/O is no failure' $? 0
"$program" run --confirm 0 "$work/tool.yaml" --set 'faults=[{kind: link-down, where: host0, at: 0s}]' -o "$work/json.db" >/dev/null 2>&1
equal 'no connection is one' $? 1

# The shutdown comes 10 ms after the last command, which is due at 5 ms.
equal "idle before the end" "$("$program" query "$work/run.db" "SELECT DISTINCT at_ps / 1000000000 FROM frame ORDER BY 1" |
    tail -n +2 | paste -sd' ')" '0 1 2 3 4 5 15'

# A list that is longer than its workload's time.
scenario 'count: none' 'stop: 1ms' 'admin: [{at: 500us}, {at: 999us, command: get-log}, {at: 999us}, {at: 999500ns}]'
equal 'the rest is reported' "$(ran; echo $?) $(grep -c 'workload: [12] of 4 admin commands of its list w[ae][sr]e* not sent' "$work/said")" '0 1'

refused() { # NAME WORDS LINES...
    local name=$1 words=$2
    shift 2
    scenario "$@"
    "$program" check "$work/tool.yaml" >"$work/said" 2>&1
    equal "$name" "$? $(grep -c "^$work/tool.yaml:[0-9]*:[0-9]*: error: $words" "$work/said")" '2 1'
}
refused 'no list' 'admin: expected a list' 'admin: {command: identify}'
refused 'no command' 'expected a command, such as' 'admin: [identify]'
refused 'an unknown command' 'command: expected identify, .* but found "identfy"' 'admin: [{command: identfy}]'
refused 'an unknown key' "unknown key 'lid'" 'admin: [{command: get-log, lid: 2}]'
refused 'a value of another command' 'cns: command get-log has no such value' 'admin: [{command: get-log, cns: 1}]'
refused 'out of order' 'at: expected the commands in order' 'admin: [{at: 2ms}, {at: 1ms}]'
refused 'after the end' 'at: expected a moment before the workload stops, 50000 us after its start' 'admin: [{at: 50ms}]'
refused 'too much' 'bytes' 'admin: [{command: get-log, bytes: 32KiB}]'
refused 'no bytes' 'bytes: expected 4B or more for get-log' 'admin: [{command: get-log, bytes: 0B}]'
refused 'half a word' 'bytes' 'admin: [{command: get-log, bytes: 6B}]'
refused 'data to the controller' 'opcode: data to the controller are not modeled' 'admin: [{command: other, opcode: 17}]'
refused 'event requests' 'opcode: the host itself sends' 'admin: [{command: other, opcode: 12}]'

# nvme discover: Identify, events, the log as libnvme reads it, the end.
discovery='subsystem: nqn.2014-08.org.nvmexpress.discovery'
scenario 'count: none' "$discovery"
equal 'the discovery subsystem' "$(ran; echo $?)" 0
equal 'its Identify' "$(command_of 9)" '06 0 4096 1 0 0 0 0 0'
equal 'its events' "$(command_of 10)" '09 0 0 b 80000000 0 0 0 0'
equal 'the header of its log' "$(command_of 12)" '02 0 1024 ff8070 0 0 0 0 0'
equal 'its log' "$(command_of 13)" '02 0 3072 2ff0070 0 0 0 0 0'
equal 'its end' "$(command_of 14)" '7f 0 0 0 14 464061 0 0 0'
equal 'it has one queue' "$(grep -c 'host cm REQ' "$work/words")" 1
scenario 'count: none' "$discovery" 'linger: 3ms' 'admin: [{at: 1ms, command: get-log, log: 112, bytes: 1KiB}, {at: 2ms, command: keep-alive}]'
equal 'and tools at it' "$(ran; echo $?) $(command_of 14 | cut -d' ' -f1), $(command_of 15 | cut -d' ' -f1)" '0 02, 18'
refused 'I/O at the discovery subsystem' 'subsystem: the discovery subsystem has no namespaces: expected count: none' "$discovery"
refused 'paths to the discovery subsystem' 'subsystem: the discovery subsystem has no namespaces' "$discovery" 'count: none' 'paths: 1'

# What tests/laws/linux-6.1.wire has of two Linux machines, as a scenario: every frame.
cat >"$work/io.iolog" <<'END'
fio version 3 iolog
0 /dev/nvme0n1 add
0 /dev/nvme0n1 open
10 /dev/nvme0n1 read 0 4096
20 /dev/nvme0n1 read 0 131072
30 /dev/nvme0n1 write 0 4096
40 /dev/nvme0n1 write 0 65536
50 /dev/nvme0n1 close
END
cat >"$work/tool.yaml" <<'END'
stormglass: 1
name: capture
about: The capture of two Linux machines.
duration: 100ms
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {mtu: 4200B}
hosts:
  defaults:
    rnic: {profile: softroce, software: false, dscp: 0, priority: 0, path-mtu: 4096B, congestion-control: none}
    nvme: {partition-scan: true}
    target: {identity: linux-nvmet}
  targets: {where: host0, namespaces: [{media: "null", size: 250GiB}]}
workloads:
  - name: list
    kind: trace
    file: io.iolog
    from: host1
    to: host0
    queues: 1
    admin: [{at: 1ms, command: identify, cns: 0, nsid: 1}, {at: 1ms, command: identify, cns: 3, nsid: 1}]
END
sed -n 's/ *$//; /^[12] /p' tests/laws/linux-6.1.wire 2>/dev/null >"$work/linux"
equal 'a capture as a scenario' "$(ran; echo $?)" 0
frames() { grep -v 'DREQ\|DREP' "$1" | cut -d'|' -f1 | sed 's/ *$//' | sort; }
if [ -s "$work/linux" ]; then
    equal 'and each frame is there' "$(comm -23 <(frames "$work/linux") <(frames "$work/words") | wc -l) missing" '0 missing'
fi
[ "$failures" -eq 0 ]
