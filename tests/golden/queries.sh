#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the program asks a run database grows no faster than the run: every query that the commands send is
# counted by SQLite itself, for a run, for one of four times as many hosts and for one of four times the time.
# Four times as much work is well; sixteen times means that a table is gone through for each row of another.
set -u
queries=$PWD/tests/golden/queries.c
circle=$PWD/tests/validation/hotnets-deadlock.yaml
. tests/golden/outside

LEAST=5000 # steps of SQLite's machine: what is below costs nothing
MOST=8     # times as many

${CC:-cc} -shared -fPIC -O1 -Wall -Wextra -Werror -o queries.so "$queries" || { fail 'queries.c'; exit 1; }

# Near pairs and slow receivers in each leaf: rows of every table, as many for each host, however many there are.
cat >growth.yaml <<'YAML'
stormglass: 1
name: growth
duration: 250us
fabric:
  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 20}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
  fabric-links: {rate: 400Gbps, length: 30m, mtu: 9216B}
  switch: {profile: shared-buffer-12mb, alpha: 1.5625%, pfc-priorities: [3]}
hosts:
  defaults: {rnic: {profile: rnic-100g, congestion-control: dcqcn, path-mtu: 4096B}}
  targets: {where: "host*", namespaces: [{media: storage-class}]}
workloads:
  - {name: near, kind: nvme, from: "host*3", to: "host*0", pairing: one-to-one, read: 20%, block-size: 64KiB, queue-depth: 8}
  - {name: beside, kind: nvme, from: "host*8", to: "host*0", pairing: one-to-one, read: 20%, block-size: 64KiB, queue-depth: 8}
  - {name: raw, kind: rdma-write, from: "host*6", to: "host*5", pairing: permutation, message-size: 64KiB, outstanding: 2}
faults:
  - {at: 50us, for: 150us, kind: slow-receiver, where: "host*0", drain: 10%}
  - {at: 50us, for: 150us, kind: drop-every, where: "host*6", n: 10}
YAML
printf '%s\n' 'break leaf0:p0 prio 3 paused > 10us' run 'why leaf0:p0' quit >steps

# ask CODE ARGUMENTS...: the program, with its queries counted
ask() {
    local wanted=$1 code
    shift
    LD_PRELOAD=$work/queries.so QUERIES=$work/$size.asked "$program" "$@" >out 2>err
    code=$?
    [ $code = "$wanted" ] || fail "$size: $*: exit code $code instead of $wanted: $(cat err)"
}

# everything SIZE SETTING: each command that reads a run database, on runs with that setting
everything() {
    local size=$1 view
    local play=(run growth.yaml --set "$2" --interval 10us)
    ask 0 "${play[@]}" --record packets -o "$size.db"
    ask 0 "${play[@]}" --record packets -o other.db --seed 2
    ask 0 "${play[@]}" --record ios -o ios.db --json
    ask 0 explain "$size.db"
    ask 0 explain "$size.db" --prove --json
    ask 1 diff "$size.db" other.db --all
    ask 1 diff "$size.db" other.db --json
    ask 0 report "$size.db" -o page.html
    ask 0 report "$size.db" other.db -o page.html
    ask 0 report "$size.db" --text
    ask 0 report "$size.db" --csv tables
    ask 0 compare --any "$size.db" ios.db
    ask 0 counters "$size.db"
    ask 0 counters "$size.db" --as sonic
    ask 0 counters "$size.db" --as json
    ask 0 draw "$size.db" -o fabric.dot
    ask 0 draw "$size.db" --what pauses -o pauses.dot
    ask 0 draw "$size.db" --what io 3 -o io.svg
    ask 0 pcap "$size.db" -o all.pcapng
    ask 0 pcap "$size.db" --port host10:p0 -o one.pcapng
    "$program" counters "$size.db" >later.txt
    sed 's/: [0-9]*$/: 0/' later.txt >earlier.txt
    "$program" import counters earlier.txt later.txt >incident.json 2>err || fail "$size: import: $(cat err)"
    ask 0 diff incident.json "$size.db"
    ask 0 replay "$size.db"
    ask 0 step "$size.db" --script steps
    for view in $(sqlite3 "$size.db" "SELECT name FROM sqlite_schema WHERE type='view'"); do
        ask 0 query "$size.db" "SELECT * FROM $view"
    done
    rm -rf tables
}

size=circle
ask 0 run "$circle" -o circle.db
ask 0 draw circle.db --what waits -o waits.dot
everything small duration=250us
everything wide fabric.topology.leaves=16
everything long duration=1ms

# The most that one execution costs, and how often it is asked, by text: STEPS TIMES TEXT
summed() {
    awk -F'\t' '$1 == "cost" {times[$5]++; if ($2 > steps[$5]) steps[$5] = $2}
        END {for (sql in steps) printf "%d\t%d\t%s\n", steps[sql], times[sql], sql}' "$1.asked" | sort -t$'\t' -k3
}
summed small >small
[ "$(wc -l <small)" -ge 150 ] || fail "only $(wc -l <small) queries were seen"
for size in wide long; do
    join -t$'\t' -1 3 -2 3 small <(summed $size) >both
    [ "$(wc -l <both)" -ge 150 ] || fail "$size: only $(wc -l <both) queries are the same"
    awk -F'\t' -v least=$LEAST -v most=$MOST '{
        often = $5 > 20 ? $5 / $3 : 1
        if ($4 * $5 > least && $4 / $2 * often > most)
            printf "%d steps %d times, then %d steps %d times: %s\n", $2, $3, $4, $5, $1
    }' both >grown
    [ ! -s grown ] || fail "$size: four times the run is not four times the work:" "$(cat grown)"
done

# No plan has a scan inside a scan of tables that grow.  A plan names tables by what the query calls them.
for table in $(sqlite3 small.db "SELECT name FROM sqlite_schema WHERE type='table'"); do
    read -r small wide long < <(for size in small wide long; do
        sqlite3 $size.db "SELECT count(*) FROM $table"; done | xargs)
    [ "$wide" -le $((2 * small)) ] && [ "$long" -le $((2 * small)) ] || echo "$table"
done >growing
for table in port counter workload_way pause_edge blocked io frame series_port state_change dropped; do
    grep -qx $table growing || fail "$table does not grow: $(cat growing)"
done
sqlite3 small.db "SELECT name, replace(sql, char(10), ' ') FROM sqlite_schema WHERE type='view'" -separator $'\t' >views
cat small.asked wide.asked long.asked | awk -F'\t' '
    function grows(name,    table) {
        if (name in growing) return 1
        for (table in growing) if (text ~ "[ (,]" table " (AS )?" name "([ ,)]|$)") return 1
        return 0
    }
    function judge(    i, j) {
        for (i in scanned) for (j in scanned)
            if (above[i] == above[j] && i + 0 < j + 0 && grows(scanned[i]) && grows(scanned[j]))
                print scanned[j] " inside " scanned[i] ": " sql
        delete scanned
    }
    FILENAME == "growing" {growing[$1]; next}
    FILENAME == "views" {views[$1] = $2; next}
    $1 == "cost" {
        judge()
        text = sql = $5
        for (depth = 0; depth < 2; depth++) # a view may be made of another
            for (view in views) if ((text " ") ~ view "[ ,)]") text = text " " views[view]
    }
    $1 == "plan" && split($4, words, " ") && words[1] == "SCAN" {scanned[$2] = words[2]; above[$2] = $3}
    END {judge()}' growing views - | sort -u >nested
[ ! -s nested ] || fail 'a scan inside a scan:' "$(cat nested)"
[ $failures = 0 ]
