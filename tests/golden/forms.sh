#!/bin/bash
# forms - every form of the command line that a --help lists is accepted.    SPDX-License-Identifier: Apache-2.0
# The usage line of each command is taken apart: alternatives, what may be left out, and operands, each of which has an
# example below.  An operand or a kind of file without one fails: a new form needs its example.
set -u
top=$PWD
. tests/golden/outside

# --- examples -----------------------------------------------------------------------------------------------------

"$program" run first-io --record packets -o run.db >out 2>&1 || fail "run: $(cat out)"
"$program" run first-io --seed 2 -o other.db >out 2>&1
"$program" export scenario first-io --set seed=3 -o site.yaml >out 2>&1 || fail "export: $(cat out)"
cp run.db measured.db
sqlite3 measured.db "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
"$program" pcap run.db -o run.pcapng
"$program" counters run.db >later.txt && sed 's/: [0-9]*$/: 0/' later.txt >earlier.txt
"$program" import counters earlier.txt later.txt >counters.json 2>out
cp "$top"/tests/golden/field/{hpcc-*.txt,*.topo,*.cm,*.csv,id-ctrl.json,sysctl-*,nxos-*.cfg,eos-*.cfg,cumulus-nvue.txt,junos-set.conf} "$top"/tests/golden/cables/* "$top"/tests/golden/sonic/*.json "$top"/tests/golden/readings/* .
samples=$top/tests/fuzz/corpus
cp "$samples/iolog/paced.log" "$samples/blktrace/plain.bin" .
cp "$samples/mlnx_qos/pcp" mlnx_qos.txt
mkdir incident && cp earlier.txt later.txt incident
cat >base.yaml <<'YAML'
stormglass: 1
name: base
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {targets: {where: host1, namespaces: [{media: "null"}]}}
workloads: [{name: io, kind: nvme, from: host0, to: host1, count: 20}]
YAML
cat >grid.yaml <<'YAML'
stormglass-grid: 1
name: small
scenario: base.yaml
vary: [{path: workloads.io.queue-depth, as: qd, values: [1]}]
YAML
"$program" predict grid.yaml -o predicted >out 2>&1 || fail "predict: $(cat out)"
mkdir cells
"$program" run base.yaml --set workloads.io.queue-depth=1 -o "cells/$("$program" predict --list grid.yaml | sed 's/ .*//').db" >out 2>&1
sqlite3 cells/*.db "INSERT INTO measured VALUES('device','rxe0'),('kernel','6.1')"
cat >plan.yaml <<'YAML'
stormglass-plan: 1
name: small
scenario: base.yaml
vary: [{path: fabric.host-links.rate, as: nic, values: [25Gbps, 100Gbps]}]
slo: [all-commands-complete]
prices: {currency: USD, parts: [{part: nic, rate: 25Gbps, price: 100}, {part: nic, rate: 100Gbps, price: 500},
  {part: switch, ports: 32, rate: 25Gbps, price: 9000}, {part: switch, ports: 32, rate: 100Gbps, price: 20000},
  {part: cable, rate: 25Gbps, up-to: 5m, price: 30}, {part: cable, rate: 100Gbps, up-to: 5m, price: 90}]}
YAML
"$program" plan plan.yaml -o plan.db >out 2>&1
[ -s plan.db ] || fail "plan: $(cat out)"
cat >figures.json <<'JSON'
{"stormglass-figures": 1, "device": "rxe0", "kernel": "6.1", "facts": ["rnic.path-mtu=1024B"], "sets": [],
 "figures": {"send-small": {"latency_ps": [2000000], "interval_ps": [2100000], "connect_ps": [9000000]}}}
JSON

# The example of an operand; "-": it needs RDMA devices, or the engine of the playground, and is not tried.
example() { # COMMAND OPERAND
    case "$1 $2" in
    'list KIND') echo cases ;;
    'lesson LESSON') echo pfc ;;
    'claims ID...') echo rdma-write ;;
    'incident FILE') echo later.txt ;;
    'incident FOLDER...') echo incident ;;
    'explain-parameter NAME...') echo ecn-kmin ;;
    'draw NAME') echo host-queue ;;
    'predict DIR') echo again ;;
    'calibrate FILE...') echo write_bw.txt ;;
    'report --playground') echo - ;; # tests/golden/playground.sh
    'calibrate --address' | 'calibrate A' | 'calibrate B' | 'calibrate --peer') echo - ;;
    *' PLAN.db') echo plan.db ;;
    *' INCIDENT...') echo incident ;;
    *' RUN.db' | *' A.db' | *' MODEL.db') echo run.db ;;
    *' B.db' | *' OTHER.db') echo other.db ;;
    *' MEASURED.db') echo measured.db ;;
    *' SCENARIO.yaml' | *' SCENARIO.yaml...' | *' SCENARIO') echo site.yaml ;;
    *' PLAN.yaml') echo plan.yaml ;;
    *' GRID.yaml') echo grid.yaml ;;
    *' INCIDENT.json') echo counters.json ;;
    *' FIGURES.json') echo figures.json ;;
    *' PREDICTIONS') echo predicted/predictions.json ;;
    *' DIR') echo cells ;;
    *' CAPTURE') echo run.pcapng ;;
    *' SQL') echo 'SELECT 1' ;;
    *' WORK...') echo first-io ;;
    *' N') echo 1 ;;
    *' -'*) echo "$2" ;;
    *' states' | *' io') echo "$2" ;;
    esac
}

# The files of each kind that `import` reads; of each that `export` writes, the node.
files_of() { # KIND
    case $1 in
    sonic) echo leaf0.json leaf1.json spine0.json ;;
    dot) echo topology.dot ;;
    clab) echo fabric.clab.yml ;;
    hpcc) echo hpcc-topology3.txt hpcc-flow.txt ;;
    htsim) echo leaf-spine.topo incast.cm ;;
    counters) echo earlier.txt later.txt ;;
    mlxconfig) echo mlxconfig.txt ;;
    mlnx_qos) echo mlnx_qos.txt ;;
    nvme) echo id-ctrl.json ;;
    sysctl) echo sysctl-tuned.conf ;;
    nxos) echo nxos-roce.cfg ;;
    eos) echo eos-profile.cfg ;;
    cumulus) echo cumulus-nvue.txt ;;
    junos) echo junos-set.conf ;;
    iolog) echo paced.log ;;
    trace) echo src2_0.csv ;;
    blktrace) echo plain.bin ;;
    esac
}

# --- forms -----------------------------------------------------------------------------------------------------------

# Each form of the rest of a usage line: "A|B [C]" is A, B, A C and B C; " | " and ", or " part whole forms.
forms() {
    python3 - "$1" <<'PY'
import itertools, re, sys
for form in re.split(r' \| |, or ', sys.argv[1]):
    choices = [['']]
    for optional, word in re.findall(r'\[([^]]*)\]|(\S+)', form):
        choices.append(['', optional] if optional else word.split('|'))
    for each in itertools.product(*choices):
        print(' '.join(' '.join(each).split()))
PY
}

accepts() { # COMMAND WORD...
    tried=$((tried + 1))
    in_turn $tried 2 || return 0 # each takes some tenths of a second; ALL=1: all
    timeout 120 "$program" "$@" >out 2>err </dev/null
    local code=$?
    case $code in 0 | 1 | 4) ;; *) false ;; esac || fail "$*: exit code $code: $(head -n 3 err)"
}

try() { # COMMAND FORM
    local command=$1 word words=() found
    [ "$command $2" != 'claims ' ] || return # every claim: make claims-check
    for word in $2; do
        found=$(example "$command" "$word")
        [ -n "$found" ] || { fail "$command: no example of $word"; return; }
        [ "$found" != - ] || return
        words+=("$found")
    done
    accepts "$command" ${words[@]+"${words[@]}"}
}

kinds_of() { "$program" "$1" --help | sed -n '/^KIND is/,$s/^  \([a-z_]*\)  *.*/\1/p'; }

tried=0
commands=$("$program" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
for command in $commands; do
    usage=$("$program" "$command" --help | sed -n "1s/^usage: stormglass $command \[OPTIONS\] *//p")
    case $command in
    bridge) ;; # a program of its own, which needs RDMA devices
    import)
        for kind in $(kinds_of import); do
            files=$(files_of "$kind")
            [ -n "$files" ] || fail "import: no example of $kind"
            # shellcheck disable=SC2086 # names without spaces
            accepts import "$kind" $files
        done
        ;;
    export) for kind in $(kinds_of export); do
        case $kind in scenario) accepts export "$kind" site.yaml ;; sonic) accepts export "$kind" site.yaml --node switch0 ;;
        *) accepts export "$kind" site.yaml --node host0 ;; esac
    done ;;
    watch) for operand in later.txt incident; do accepts watch --once --state "$operand.state" $operand; done ;; # runs forever without --once
    *) while read -r form; do try "$command" "$form"; done < <(forms "$usage") ;;
    esac
done
[ $tried -gt 30 ] || fail "only $tried forms were tried"

# Options of explain, with a database and with a scenario.
for operand in run.db site.yaml; do
    for option in $("$program" explain --help | sed -n 's/^      --\([a-z-]*\)  .*/--\1/p' | grep -v -e --color); do
        accepts explain "$option" "$operand"
    done
done
accepts explain --set seed=2 site.yaml
accepts explain --seed 3 --prove site.yaml
[ $failures = 0 ] && echo "ok    $tried forms"
