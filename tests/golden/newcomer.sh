#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What somebody types who is new to the program: slips, a file in the place of another, and what other programs take.
set -u
. tests/golden/outside
root=$OLDPWD cases=$OLDPWD/scenarios/cases

# --- a slip: the nearest word, and all where they are few ---
expect 'a case' 2 "and there is no such case; did you mean 'pause-storm'?" "$program" run pause-strom
expect 'a case with its ending' 2 "did you mean 'pause-storm'?" "$program" check pause-strom.yaml
expect 'no case at all' 2 'see stormglass list cases' "$program" draw zzzzzz
expect 'a path is no case' 2 'none/pause-strom:1:1: error: No such file or directory' "$program" run none/pause-strom
mkdir near
cp "$cases/first-io.yaml" near/two-sites.yaml
expect 'a file' 2 "near/two-sitse.yaml:1:1: error: No such file or directory; did you mean 'near/two-sites.yaml'?" "$program" run near/two-sitse.yaml
expect 'a file without its ending' 2 "did you mean 'near/two-sites.yaml'?" "$program" plan near/two-sites
expect 'a slip without its ending' 2 "did you mean 'near/two-sites.yaml'?" "$program" check near/two-site
cp near/two-sites.yaml .
expect 'in this folder' 2 "no such case; did you mean 'two-sites.yaml'?" "$program" run two-site
expect 'no file of that name' 2 'near/zzzzzzzz.yaml:1:1: error: No such file or directory
' "$program" plan near/zzzzzzzz.yaml
expect 'a case is no plan' 2 'pause-storm:1:1: error: this is a built-in case, not a file: expected the file of a plan' "$program" plan pause-storm
# set WORDS PATH=VALUE
set_says() { expect "--set $2" 2 "$1" "$program" run pause-storm --set "$2"; }
set_says "did you mean 'dcqcn'? There are none, dcqcn, dcqcn-paper, dcqcn-mlx5," hosts.defaults.rnic.congestion-control=dcqn
set_says '; there are single-switch, leaf-spine, fat-tree, explicit and dot' fabric.topology.kind=x
set_says '; there are slow-receiver, pause-storm, link-down,' faults.0.kind=x
set_says "did you mean 'kind'? There are kind, where, at, for and drain" faults.0.kin=x
set_says '; there are nvme, rdma-write, rdma-read, rdma-send, rdma-ping-pong, tcp-stream, trace and fio' workloads.0.kind=x
set_says '; there are null, fixed, flash-tlc and ' hosts.targets.namespaces.0.media=x
set_says "no host is called 'host12,host25'; to select several, write a list: [host12,host25]" workloads.0.to=host12,host25
expect 'list' 2 "'stormglass list' prints the kinds" "$program" list x
expect 'list' 2 "did you mean 'cases'?" "$program" list case
expect 'import' 2 '; there are sonic, dot, clab,' "$program" import x y
expect '--what' 2 '; there are fabric, pauses, waits, io and states' "$program" draw --what x first-io

expect 'one dash' 2 'unknown option -json; did you mean --json?' "$program" run first-io -json
"$program" run first-io --record packets -o first.db >/dev/null || fail 'first.db'
expect 'a view' 2 "no such table: v_worklod; did you mean 'v_workload'?" "$program" query first.db 'SELECT * FROM v_worklod'
expect 'a port' 2 "no port 'host0:0' in the run; did you mean 'host0:p0'? There are" "$program" pcap first.db --port host0:0 -o x
expect 'a port twice' 2 'port given twice' "$program" pcap first.db --port host0:p0 --port host0:p0 -o x

# --- a parameter is explained by any way to write it ---
for word in 'faults[0].drain' faults.0.drain drain; do
    expect "explain-parameter $word" 0 'faults{kind: slow-receiver}.drain' "$program" explain-parameter "$word"
done
for word in workloads.victims.block-size 'workloads[2].block-size' workloads.0.block-size; do
    expect "explain-parameter $word" 0 'workloads{kind: nvme}.block-size' "$program" explain-parameter "$word"
done
# In a section of some the parameter is that of the section of all.
while read -r word parameter; do
    expect "explain-parameter $word" 0 "$parameter" "$program" explain-parameter "$word"
    grep -qxF "$parameter" out || fail "explain-parameter $word: $(cat out)"
done <<'END'
fabric.fabric-links.rate fabric.host-links.rate
fabric.topology.links.rate fabric.host-links.rate
fabric.overrides[0].rate fabric.host-links.rate
fabric.overrides[1].alpha fabric.switch.alpha
fabric.overrides.0.rnic.path-mtu hosts.defaults.rnic.path-mtu
hosts.lab.rnic.path-mtu hosts.defaults.rnic.path-mtu
hosts.lab.namespaces[0].media.read-latency hosts.targets.namespaces.media{kind: fixed}.read-latency
END
expect 'a group' 0 'fabric.switch.ecn-pmax' "$program" explain-parameter ecn
expect 'a profile by its abbreviation' 0 'value    busy-poll' "$program" explain-parameter adq
expect 'a profile by its name' 0 'hosts.defaults.rnic.profile' "$program" explain-parameter connectx-6-200g
expect 'none' 2 "did you mean 'drain'?" "$program" explain-parameter faults.0.drian

# --- a path is written as the summary prints it, or with dots ---
"$program" run pause-storm --until 100us --set faults.0.at=10us --set faults.0.drain=20% >dots || fail "faults.0: exit code $?"
"$program" run pause-storm --until 100us --set 'faults[0].at=10us' --set 'faults[0].drain=20%' >brackets ||
    fail "faults[0]: exit code $?"
diff <(tail -n 1 dots) <(tail -n 1 brackets) >/dev/null || fail 'faults[0] is not faults.0'
expect 'by name' 0 'read=11%, queue-depth=8' "$program" run pause-storm --until 1us --set 'workloads[victims].read=11%'
set_says 'this bracket is not closed' 'faults[0.at=1ms'
set_says "expected '.' or '[' after the bracket" 'faults[0]at=1ms'

# --- what one command has, another has too ---
expect 'check --set' 1 'error' "$program" check pause-storm --set fabric.fabric-links.mtu=1500B
"$program" check pause-storm first-io --set fabric.fabric-links.mtu=1500B --json >check.json 2>err
[ $? = 1 ] || fail "check --json: another exit code: $(cat err)"
gojq -e '.errors >= 1 and ([.findings[].level] | index("error")) != null and
    ([.findings[] | .scenario, .file, .text] | map(type) | unique == ["string"]) and
    .errors + .warnings + .notes == (.findings | length)' check.json >/dev/null || fail "check --json: $(cat check.json)"
"$program" check first-io --json | gojq -e '.findings | type == "array"' >/dev/null || fail 'check --json: nothing found'

for kind in '' $("$program" list | sed 's/ .*//'); do
    # shellcheck disable=SC2086 # no kind is no word
    "$program" list $kind --json >list.json || fail "list $kind --json: exit code $?"
    # shellcheck disable=SC2086
    [ "$(gojq '.[] | arrays | length' list.json)" = "$("$program" list $kind | wc -l)" ] || fail "list $kind --json: others"
    gojq -e --arg kind "${kind:-kinds}" '[.[$kind][] | .name != "" and (.about | type) == "string"] | all' list.json >/dev/null ||
        fail "list $kind --json: $(head -n 5 list.json)"
done
"$program" list parameters --json | gojq -e '.parameters[] | select(.name == "seed") | .default == "1"' >/dev/null ||
    fail 'list parameters --json: the default of seed'

# --- completion knows the paths of --set, each once, and they are taken ---
# shellcheck source=/dev/null
. <("$program" completion bash)
complete_words() { # WORD... : what is offered for the last one
    COMP_WORDS=("$program" "$@") COMP_CWORD=$#
    _stormglass
    printf '%s\n' "${COMPREPLY[@]}"
}
"$program" list paths | sed 's/ .*//' >paths
[ -z "$(sort paths | uniq -d)" ] || fail "list paths: twice: $(sort paths | uniq -d)"
[ "$(complete_words run first-io --set fabric.switch.ecn-kmi)" = fabric.switch.ecn-kmin= ] || fail 'completion of --set'
[ "$(complete_words run first-io --set '' | wc -l)" = "$(wc -l <paths)" ] || fail 'completion of --set offers others'
[ "$(complete_words help expl | xargs)" = 'explain explain-parameter' ] || fail 'completion of help'
for path in seed=2 duration=1ms fabric.topology.kind=leaf-spine workloads.0.kind=nvme faults.0.drain=5% \
    fabric.switch.ecn-kmin=100KB hosts.defaults.rnic.congestion-control=none hosts.targets.namespaces.0.count=2; do
    grep -qxF "${path%=*}" paths || fail "list paths has no ${path%=*}"
    "$program" check pause-storm --set "$path" >out 2>&1
    [ $? -le 1 ] || fail "--set $path: $(cat out)"
done

# --- headroom says what it rests on; a grid's table; an import's output ---
expect 'headroom' 0 "computed for a peer response time of 500ns (assumed; " "$program" headroom
expect 'headroom, given' 0 "a peer response time of 600ns (given by --response)" "$program" headroom --response 600ns
expect 'headroom, table' 0 "Source of the peer response time, on which bound and need depend: assumed; " "$program" headroom --table --phases 0
"$program" headroom --phases 0 --json | gojq -e '.links[0].link.response_source | startswith("assumed")' >/dev/null ||
    fail 'headroom --json: no source of the response'
cat >first.yaml <<'YAML'
stormglass-grid: 1
name: blocks
scenario: first-io
vary: [{path: workloads.read.block-size, as: bs, values: [4KiB, 8KiB]}]
YAML
"$program" predict first.yaml -o cells --seed 7 --set workloads.write.block-size=16KiB >table 2>err || fail "predict: $(cat err)"
[ "$(grep -c '^bs[48]KiB  *\(read\|write\)  *1 .* us .*b/s$' table)" = 4 ] || fail "predict prints no table: $(cat table)"
gojq -e '[.cells[].sets | index("seed=7"), index("workloads.write.block-size=16KiB")] | all(. != null)' \
    cells/predictions.json >/dev/null || fail 'predict: what was frozen does not say what was set'
"$program" predict first.yaml --list --set duration=2ms | grep -q -- ' --set duration=2ms --set workloads.read.block-size=8KiB$' ||
    fail 'predict --list: no --set'
expect 'predict --set' 2 'expected path=value of letters' "$program" predict first.yaml --list --set 'a=b c'
printf 'graph { a:p -- b:q }\n' >cables.dot
"$program" import dot cables.dot --hosts a,b -o written.yaml >out 2>err || fail "import -o: $(cat err)"
[ ! -s out ] && diff <("$program" import dot cables.dot --hosts a,b 2>err) written.yaml >/dev/null || fail 'import -o: something else'
expect 'import -o: its input' 2 'cables.dot' "$program" import dot cables.dot --hosts a,b -o cables.dot

# --- a file in the place of another ---
cp "$cases/first-io.yaml" scenario.yaml
"$program" run first-io --record packets -o run.db >/dev/null || fail 'first-io'
"$program" report run.db -o page.html || fail 'page.html'
"$program" pcap run.db -o run.pcapng || fail 'run.pcapng'
printf 'stormglass-grid: 1\n' >grid.yaml
cat >plan.yaml <<'YAML'
stormglass-plan: 1
name: nothing
scenario: scenario.yaml
vary: [{path: workloads.read.queue-depth, as: qd, values: [1, 2]}]
slo: ["read.goodput > 1Gbps"]
budget: 1ps
YAML
"$program" plan plan.yaml -o plan.db >/dev/null
: >empty
mkdir folder
for command in report replay query counters pcap diff compare 'compare --any'; do
    # shellcheck disable=SC2086 # words
    case $command in query) more=x ;; diff | compare*) more=run.db ;; *) more= ;; esac
    for file in 'scenario.yaml a scenario; use stormglass run' 'page.html an HTML page; a browser shows it' \
        'run.pcapng a capture; stormglass compare --wire reads it' 'empty an empty file' \
        "plan.db a plan's database; stormglass report, plan --resume and query read it"; do
        case "$command $file" in 'report plan'* | 'query plan'*) continue ;; esac
        # shellcheck disable=SC2086 # words
        expect "$command ${file%% *}" 2 "not a run database: this is ${file#* }" "$program" $command "${file%% *}" $more
    done
    case $command in report) is='expected counters or logs of an incident in the folder' ;; *) is='Is a directory' ;; esac
    # shellcheck disable=SC2086 # words
    expect "$command folder" 2 "$is" "$program" $command folder $more
done
for command in run check bench explain; do
    [ $command = explain ] ||
        expect "$command run.db" 2 'run.db:1:1: error: expected text, but this is a run database; stormglass explain,' \
        "$program" $command run.db
    expect "$command grid" 2 'but this is a grid; use stormglass predict' "$program" $command grid.yaml
    expect "$command empty" 2 'empty:1:1: error: expected a value, but this is empty' "$program" $command empty
    expect "$command folder" 2 'folder:1:1: error: Is a directory' "$program" $command folder
done
expect 'predict' 2 'scenario.yaml:1:1: error: expected a grid, but this is a scenario' "$program" predict scenario.yaml -o d
[ ! -e d ] || fail 'predict has made a folder'
expect 'run plan.db' 2 "expected text, but this is a plan's database; stormglass report," "$program" run plan.db
expect 'step plan.db' 2 "not a run database: this is a plan's database" "$program" step plan.db
expect 'draw plan.db' 2 "not a run database: this is a plan's database" "$program" draw plan.db -o x.svg
cp plan.db kept.db
expect 'a run over a plan' 2 'plan.db: exists and is not a run database' "$program" run first-io -o plan.db
expect 'a plan over a run' 2 "run.db: exists and is not a plan's database" "$program" plan plan.yaml -o run.db
expect 'resume a run' 2 "not a plan's database" "$program" plan plan.yaml --resume run.db
expect 'plan -o -' 2 "a plan's database cannot be written to standard output" "$program" plan plan.yaml -o -
cmp -s plan.db kept.db && "$program" replay run.db >/dev/null || fail 'a database was overwritten by one of another kind'
sqlite3 -batch other.db 'CREATE TABLE t(a)'
expect 'a foreign database' 2 'this is an SQLite database, but not a run database' "$program" explain other.db

# --- "-" is standard input ---
for command in run check draw; do
    "$program" $command - <scenario.yaml >piped 2>err || fail "$command -: $(cat err)"
    "$program" $command scenario.yaml >named || fail "$command"
    diff <(sed 's/ in [0-9.]* s$//; s/<stdin>/scenario.yaml/' piped) <(sed 's/ in [0-9.]* s$//' named) >/dev/null || fail "$command -: another result"
done
echo 'name: [' | expect 'a place in it' 2 '<stdin>:2:1: error:' "$program" run -
printf '%s\n' 'next 30' where >steps
"$program" step --script steps scenario.yaml >named && "$program" step --script steps - <scenario.yaml >piped && [ -s piped ] &&
    diff piped named || fail 'step -: another result'
"$program" bench --json - <scenario.yaml | gojq -e '.hosts > 1' >/dev/null || fail 'bench -'
expect 'commands and scenario' 2 'expected --script FILE too' "$program" step - <scenario.yaml
for command in 'diff - -' 'diff first.db -' 'replay -' 'report -'; do
    # shellcheck disable=SC2086 # words
    expect "$command" 2 '' "$program" $command <scenario.yaml
done
expect 'a database from there' 2 'a run database is not read from standard input' "$program" diff - - <scenario.yaml
"$program" run - -o piped.db <scenario.yaml >/dev/null && expect 'it plays again' 0 'equal: ' "$program" replay piped.db
printf 'graph { a:p -- b:q }\n' | "$program" import dot - --hosts a,b >cables.yaml 2>err || fail "import dot -: $(cat err)"
grep -q '^stormglass: 1' cables.yaml || fail 'import dot -: no scenario'
expect 'a scenario from there' 0 'Bottleneck of each workload' "$program" explain - <scenario.yaml
[ $failures = 0 ]
