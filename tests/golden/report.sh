#!/bin/bash
# report - a page opens without a network, and says what the database says.  SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

# same NAME JQ SQL: the page's figures and the database say the same.  They are asked together, by `settle`.
same() {
    tr '\n' ' ' <<<"$2" >>"$work/$1.asked" && echo >>"$work/$1.asked"
    echo "([$2] | map(tostring) | join(\"\\n\")), \"\\u001e\"," >>"$work/$1.jq"
    printf '%s;\n.print "\\036"\n' "$3" >>"$work/$1.sql"
}
settle() { # NAME...: all that was asked of each
    local of page database i
    for of; do
        gojq -j "$(cat "$work/$of.jq") empty" "$work/$of.json" >"$work/pages" || fail "$of: gojq"
        sqlite3 -batch -separator ' ' "$work/$of.db" <"$work/$of.sql" >"$work/rows" || fail "$of: SQL"
        readarray -t asked <"$work/$of.asked"
        readarray -d $'\x1e' -t pages <"$work/pages"
        readarray -d $'\x1e' -t databases <"$work/rows"
        for i in "${!asked[@]}"; do
            page=${pages[i]-} database=${databases[i]-}
            database=${database#$'\n'} database=${database%$'\n'}
            [ -n "$page" ] && [ "$page" = "$database" ] || fail "$of: ${asked[i]}: '$page' and not '$database'"
        done
        rm "$work/$of.asked" "$work/$of.jq" "$work/$of.sql"
    done
}
chart() { echo ".charts[] | select(.id == \"$1\")"; }
series() { echo "[$(chart "$1") | .series[] | select(.name == \"$2\") | .values[]]"; }

for case in pause-storm:ios incast-8to1:counters first-io:summary dcqcn-2to1:ios; do
    name=${case%:*}
    "$program" run --confirm 0 "$name" -o "$work/$name.db" --record "${case#*:}" >"$work/$name.text" || fail "$name did not run"
    "$program" report "$work/$name.db" -o "$work/$name.html" || fail "$name: no page"
    "$program" report "$work/$name.db" >"$work/again.html" || fail "$name: no page on standard output"
    cmp -s "$work/$name.html" "$work/again.html" || fail "$name: two pages differ"
    "$program" report --text "$work/$name.db" | cmp -s - "$work/$name.text" || fail "$name: --text is another summary"
    "$program" report --figures "$work/$name.db" >"$work/$name.json" || fail "$name: no figures"
    # The figures in the page are these.
    sed -n 's/.*<script type="application\/json" id="figures">/ /; /^ {/,/<\/script>/p' "$work/$name.html" |
        sed 's/<\/script>.*//' | gojq . >"$work/inside.json" || fail "$name: the page's figures are no JSON"
    gojq . "$work/$name.json" | cmp -s - "$work/inside.json" || fail "$name: the page has other figures"
    [ "$(stat -c %s "$work/$name.html")" -lt 2000000 ] || fail "$name: the page has 2 MB"
    # Nothing is fetched: neither markup nor style sheets name what is not in the page.
    grep -n -i -E '(src|href|action|srcset) *= *["'\'']? *(https?:|//|file:)|url\( *["'\'']?(https?:|//)|@import|sourceMappingURL' \
        "$work/$name.html" && fail "$name: the page refers to something outside"
done

# Every stop is a band, and what a band says to be stopped was.
same pause-storm "[$(chart pauses) | .bands[]] | length" 'SELECT count(*) FROM blocked'
same pause-storm "[$(chart pauses) | .bands[][3]] | add" 'SELECT sum(until_ps-from_ps) FROM blocked'
same pause-storm "[$(chart pauses) | .rows[].blocked_ps] | add" 'SELECT sum(until_ps-from_ps) FROM blocked'
same pause-storm "$(chart pauses) | .rows[0] | \"\(.port) \(.blocked_ps)\"" \
    "SELECT p.name, sum(until_ps-from_ps) AS ps FROM blocked JOIN port p USING(node, port)
     GROUP BY node, port ORDER BY ps DESC LIMIT 1"
same pause-storm "[$(chart spread) | .series[].values[]] | add" 'SELECT sum(until_ps-from_ps) FROM blocked'
same pause-storm "$(series spread hosts) | add" \
    "SELECT sum(until_ps-from_ps) FROM blocked JOIN node USING(node) WHERE kind='host'"
same pause-storm "[$(chart occupancy) | .series[].points[][1]] | max" 'SELECT max(occupancy_bytes) FROM pause_edge'
same pause-storm "[$(chart occupancy) | .series[].points[][1]] | min" 'SELECT min(occupancy_bytes) FROM pause_edge'

# Goodput is that of the samples at every level, also where each command is known; commands under way and latencies by rank.
step=$(gojq "$(chart underway) | .step_ps" "$work/pause-storm.json")
points() { echo "[$(chart "$1") | .series[] | select(.name == \"$2\") | .points[][1]]"; }
for name in backup victims; do
    same pause-storm "$(points goodput $name) | max" "SELECT max(CAST(s.bytes*8*1e12/(until_ps-from_ps) AS INTEGER))
        FROM series_workload s JOIN series USING(sample) JOIN workload w USING(workload) WHERE w.name='$name' AND NOT partial"
done
same pause-storm "$(series underway backup) | .[200]" \
    "SELECT count(*) FROM io WHERE workload=0 AND issued_ps/$step<=200 AND completed_ps/$step>200"
same pause-storm "$(series underway backup) | .[399]" 'SELECT 0'
same pause-storm "$(series latency1 max) | max" "SELECT latency_max_ps FROM workload WHERE name='victims'"
step=$(gojq "$(chart latency1) | .step_ps" "$work/pause-storm.json")
for bin in 5 37 75; do
    for rank in p50:50 p99:99 max:100; do
        same pause-storm "$(series latency1 "${rank%:*}") | .[$bin]" \
            "WITH l AS (SELECT completed_ps-issued_ps AS ps FROM io WHERE workload=1 AND completed_ps/$step=$bin)
             SELECT ps FROM l ORDER BY ps LIMIT 1 OFFSET ((SELECT count(*) FROM l)*${rank#*:}+99)/100-1"
    done
done

# The distribution, from the histogram that every run has.
for of in pause-storm incast-8to1 first-io; do
    same $of "[$(chart tail) | .series[].points[]] | length" 'SELECT count(*)+count(DISTINCT workload) FROM latency'
    same $of "$(chart tail) | .series[0].points[0] == [$(sqlite3 "$work/$of.db" 'SELECT from_ps FROM latency ORDER BY workload, from_ps LIMIT 1'),1]" "SELECT 'true'"
    same $of "$(chart tail) | .series[0].points[1][0]" 'SELECT below_ps FROM latency ORDER BY workload, from_ps LIMIT 1'
done
same pause-storm "[$(chart tail) | .series[1].points[] | select(.[1] <= 0.01)][0][0]" \
    'SELECT min(below_ps) FROM latency l WHERE workload=1 AND (SELECT sum(count) FROM latency m
     WHERE m.workload=1 AND m.from_ps>l.from_ps)*100 <= (SELECT sum(count) FROM latency WHERE workload=1)'

# A fault of the scenario has its kind, its place and what it was set to.
same pause-storm '.faults[] | "\(.name) \(.from_ps) \(.until_ps)"' "SELECT 'slow-receiver at host0, drain 10% 3000000000 6000000000'"
same first-io '.faults | length' 'SELECT 0'

# Samples over time: each line is its place's, the least and the most of them are there, and absent rows are 0.
same pause-storm "[$(chart rates) | .series[].name] | join(\",\")" \
    "SELECT group_concat(name) FROM (SELECT p.name FROM series_port JOIN port p USING(node, port) GROUP BY node, port
     ORDER BY sum(tx_bytes) DESC, node, port LIMIT 12)"
same pause-storm "$(points rates leaf0:p0) | max" "SELECT max(bps) FROM (SELECT
    CAST(sum(tx_bytes)*8*1e12/(until_ps-s.from_ps) AS INTEGER) AS bps FROM series_port JOIN series s USING(sample)
    JOIN port p USING(node, port) WHERE p.name='leaf0:p0' AND NOT partial GROUP BY sample)"
same pause-storm "$(points queues 'leaf0:p0 priority 3') | max" "SELECT max(queue_bytes) FROM v_series_port
    WHERE port='leaf0:p0' AND priority=3"
same pause-storm "$(points queues 'leaf0:p0 priority 3') | min" 'SELECT 0'
same pause-storm "$(points buffers leaf0) | max" "SELECT max(buffer_bytes) FROM series_switch JOIN node USING(node)
    WHERE name='leaf0'"
same pause-storm "$(points buffers 'leaf0, headroom') | max" "SELECT max(headroom_bytes) FROM series_switch
    JOIN node USING(node) WHERE name='leaf0'"
same pause-storm "$(points receive host0:p0) | max" "SELECT max(receive_bytes) FROM series_rnic JOIN node USING(node)
    WHERE name='host0'"
same pause-storm "[$(chart control) | .series[].points[][1]] | min" 'SELECT min(rate_bps) FROM series_flow'
same pause-storm "[$(chart control) | .series[].points[][1]] | max" 'SELECT max(rate_bps) FROM port WHERE ip IS NOT NULL'
same pause-storm "[$(chart rates) | .series[] | .hidden // false] | [index(true), length] | join(\" \")" "SELECT '6 12'"
# A line has as many points as its samples, but for those that could not be seen.
same dcqcn-2to1 "$(points control 'host0 to host2, QP 9498122') | length > 200" "SELECT 'true'"
same dcqcn-2to1 "$(points control 'host0 to host2, QP 9498122') | min" \
    'SELECT min(rate_bps) FROM series_flow JOIN node USING(node) WHERE name='"'host0'"

# Without commands the work is told by the samples, at every level and for every kind of workload.
for of in incast-8to1 dcqcn-2to1 first-io; do
    name=$(sqlite3 "$work/$of.db" 'SELECT name FROM workload WHERE workload=0')
    same $of "$(points goodput "$name") | max" "SELECT max(CAST(s.bytes*8*1e12/(until_ps-from_ps) AS INTEGER))
        FROM series_workload s JOIN series USING(sample) WHERE workload=0 AND NOT partial"
    same $of "$(points underway "$name") | max // 0" 'SELECT max(outstanding) FROM series_workload WHERE workload=0'
    for rank in p50:latency_p50_ps p99:latency_p99_ps max:latency_max_ps; do
        same $of "[$(chart latency0) | .series[] | select(.name == \"${rank%:*}\") | .points[][1]] | max" \
            "SELECT max(${rank#*:}) FROM series_workload WHERE workload=0"
    done
done

# What was not recorded is said, with what to record; a chart is never simply left out.
same first-io "$(chart pauses) | .missing" "SELECT 'Record the run with --record counters to see this.'"
"$program" run --confirm 0 first-io --interval 0 -o "$work/bare.db" >/dev/null || fail 'bare did not run'
"$program" report --figures "$work/bare.db" >"$work/bare.json" || fail 'bare: no figures'
for of in rates queues buffers receive control goodput underway latency0; do
    same bare "$(chart $of) | .missing" "SELECT 'Record the run with --interval above 0 to see this.'"
done
for of in pause-storm incast-8to1 first-io bare; do
    same $of '[.charts[].id | select(startswith("latency") | not)] | join(" ")' \
        "SELECT 'pauses spread occupancy queues buffers receive rates control goodput underway tail'"
done

settle pause-storm incast-8to1 first-io dcqcn-2to1 bare

# The exact numbers stand in the tables.
sqlite3 "$work/pause-storm.db" 'SELECT latency_p99_ps FROM workload UNION SELECT goodput_bps FROM workload
    UNION SELECT held_ps FROM pause_root' >"$work/numbers"
while read -r number; do
    grep -q "title=\"$number " "$work/pause-storm.html" || fail "the tables do not have $number"
done <"$work/numbers"
for text in "$(sqlite3 "$work/pause-storm.db" 'SELECT digest FROM meta')" 'the receive buffer of host0 drains more slowly'; do
    grep -q "$text" "$work/pause-storm.html" || fail "the page does not say: $text"
done

# Well-formed markup: every element that is opened is closed, in its order.
well_formed() {
    python3 - "$1" <<'PY'
import sys
from html.parser import HTMLParser

void = {"meta", "link", "br", "img", "input", "hr"}

class Check(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong = [], []
    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.wrong.append((self.getpos(), "an attribute twice", tag))
        if tag not in void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((self.getpos(), "closes what is not open", tag))
    def handle_startendtag(self, tag, attrs):
        pass

check = Check()
check.feed(open(sys.argv[1], encoding="utf-8", errors="strict").read())
check.close()
for wrong in check.wrong[:5]:
    print(*wrong)
if check.open:
    print("never closed:", check.open)
sys.exit(bool(check.wrong or check.open))
PY
}
for of in pause-storm incast-8to1 first-io; do well_formed "$work/$of.html" || fail "$of: not well-formed"; done

# Drawings: each transmitter that the root stopped, the slowest commands frame by frame; a style sheet for all.
"$program" run --confirm 0 pause-storm --until 4ms -o "$work/packets.db" --record packets >/dev/null || fail 'packets did not run'
"$program" report "$work/packets.db" -o "$work/packets.html" || fail 'packets: no page'
well_formed "$work/packets.html" || fail 'packets: not well-formed'
[ "$(grep -c '<title>root 0 hop [^&]*<' "$work/packets.html")" = "$(sqlite3 "$work/packets.db" \
    'SELECT count(*) FROM pause_path WHERE root=0')" ] || fail 'packets: the tree of the root'
for io in $(sqlite3 "$work/packets.db" 'SELECT io FROM (SELECT io, max(completed_ps-issued_ps) FROM io GROUP BY workload)'); do
    grep -q "this is number $io\." "$work/packets.html" || fail "packets: command $io is a workload's slowest"
done
[ "$(grep -c -- '--sg-paper-fill:#' "$work/packets.html")" = 2 ] || fail 'packets: more than one style sheet of drawings'

# Text of a scenario stays text.
cat >"$work/hostile.yaml" <<'YAML'
stormglass: 1
name: "</script><script>alert(1)</script><!--"
about: "<img src=x onerror=alert(1)> & \"quotes\" 'too' </style>"
seed: 1
duration: 100us
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 100Gbps, length: 3m}
hosts:
  targets: {where: host0, namespaces: [{media: null, count: 1}]}
workloads:
  - {name: one, kind: nvme, from: host1, to: host0, block-size: 4KiB, queue-depth: 1}
YAML
"$program" run --confirm 0 "$work/hostile.yaml" -o "$work/hostile.db" --record ios >"$work/out" 2>&1 || fail "hostile: $(cat "$work/out")"
"$program" report "$work/hostile.db" -o "$work/hostile.html" || fail 'hostile: no page'
grep -n -F -e '<script>alert' -e '<img' "$work/hostile.html" && fail 'text of the scenario became markup'
well_formed "$work/hostile.html" || fail 'hostile: not well-formed'

# A run that was killed has a page too, which says so.
cp "$work/pause-storm.db" "$work/killed.db"
sqlite3 "$work/killed.db" "UPDATE meta SET status='running', digest=NULL, simulated_ps=NULL, drain_ps=NULL;
    DELETE FROM result; DELETE FROM workload; DELETE FROM pause_root"
"$program" report "$work/killed.db" -o "$work/killed.html" || fail 'killed: no page'
grep -q 'This run is running' "$work/killed.html" || fail 'killed: the page does not say so'
well_formed "$work/killed.html" || fail 'killed: not well-formed'

# What was measured stands beside; the rest of the page is as it was.
cp "$work/first-io.db" "$work/measured.db"
sqlite3 "$work/measured.db" "INSERT INTO measured VALUES('device','rxe<0>'),('kernel','6.1');
    UPDATE workload SET latency_p50_ps=latency_p50_ps*2"
"$program" report "$work/first-io.db" --measured "$work/measured.db" -o "$work/beside.html" || fail 'measured: no page'
grep -q 'Verdict *the protocol is equal; 2 of 4 figures within 15%' "$work/beside.html" || fail 'measured: no verdict'
grep -q 'rxe&lt;0&gt;, Linux 6.1' "$work/beside.html" || fail 'measured: no device'
diff "$work/first-io.html" "$work/beside.html" | grep -q '^<' && fail 'measured: something is missing'
well_formed "$work/beside.html" || fail 'measured: not well-formed'

# Tables of the charts are the figures; a chart without data has none.
"$program" report "$work/pause-storm.db" --csv "$work/tables" || fail 'csv: no tables'
[ "$(ls "$work/tables" | tr '\n' ' ')" = "buffers.csv control.csv goodput.csv latency0.csv latency1.csv latency2.csv occupancy.csv pauses.csv queues.csv rates.csv receive.csv spread.csv tail.csv underway.csv " ] ||
    fail "csv: $(ls "$work/tables")"
for column in 1:2 2:3 3:4; do
    same pause-storm "[$(chart underway) | .series[${column%:*}-1].values[]] | add" \
        "SELECT $(awk -F, -v c="${column#*:}" 'NR > 1 { sum += $c } END { printf "%.0f", sum }' "$work/tables/underway.csv")"
done
same pause-storm "[$(chart goodput) | .series[].points[]] | length" "SELECT $(($(wc -l <"$work/tables/goodput.csv") - 1))"
same pause-storm "[$(chart pauses) | .bands[][3]] | add" \
    "SELECT $(awk -F, 'NR > 1 { sum += $NF } END { printf "%.0f", sum }' "$work/tables/pauses.csv")"
same pause-storm "[$(chart tail) | .series[].points[]] | length" "SELECT $(($(wc -l <"$work/tables/tail.csv") - 1))"
same pause-storm "[$(chart rates) | .series[].points[]] | length" "SELECT $(($(wc -l <"$work/tables/rates.csv") - 1))"
settle pause-storm
"$program" report "$work/bare.db" --csv "$work/few" || fail 'csv: no tables of little'
[ "$(ls "$work/few")" = tail.csv ] || fail "csv of a bare run: $(ls "$work/few")"

# Two runs on one page: what was changed, where they part, what each got; all from the two databases.
"$program" run --confirm 0 pause-storm --seed 2 --set fabric.switch.alpha=25% -o "$work/other.db" --record ios >/dev/null || fail 'other did not run'
"$program" report "$work/pause-storm.db" "$work/other.db" -o "$work/pair.html" 2>/dev/null || fail 'pair: no page'
"$program" report "$work/pause-storm.db" "$work/other.db" 2>/dev/null | cmp -s - "$work/pair.html" || fail 'pair: two pages differ'
"$program" report "$work/pause-storm.db" "$work/other.db" --figures -o "$work/pair.json" 2>/dev/null || fail 'pair: no figures'
sed -n 's/.*<script type="application\/json" id="figures">/ /; /^ {/,/<\/script>/p' "$work/pair.html" |
    sed 's/<\/script>.*//' | gojq . >"$work/inside.json" || fail "pair: the page's figures are no JSON"
gojq . "$work/pair.json" | cmp -s - "$work/inside.json" || fail 'pair: the page has other figures'
well_formed "$work/pair.html" || fail 'pair: not well-formed'
grep -q 'id="stages"' "$work/pair.html" || fail 'pair: no time of stages'
"$program" run --confirm 0 incast-8to1 --until 100us -o "$work/messages.db" >/dev/null
"$program" report "$work/messages.db" "$work/messages.db" -o "$work/messages.html" || fail 'messages: no page'
grep -q 'id="stages"' "$work/messages.html" && fail 'messages have no stages'
[ "$(stat -c %s "$work/pair.html")" -lt 2000000 ] || fail 'pair: the page has 2 MB'
for run in A:pause-storm B:other; do
    cp "$work/${run#*:}.db" "$work/pair.db"
    same pair "$(points goodput "backup ${run%:*}") | max" "SELECT max(CAST(s.bytes*8*1e12/(until_ps-from_ps) AS INTEGER))
        FROM series_workload s JOIN series USING(sample) WHERE workload=0 AND NOT partial"
    id=$(echo "${run%:*}" | tr AB ab)
    same pair "[$(chart "pauses-$id") | .rows[].blocked_ps] | add" 'SELECT sum(until_ps-from_ps) FROM blocked'
    same pair "[$(chart tail) | .series[] | select(.name == \"victims ${run%:*}\") | .points[]] | length" \
        "SELECT count(*)+1 FROM latency JOIN workload USING(workload) WHERE name='victims'"
    settle pair
    sqlite3 "$work/pair.db" "SELECT latency_p99_ps FROM workload UNION SELECT goodput_bps FROM workload UNION
        SELECT max(until_ps) FROM (SELECT sum(until_ps-from_ps) AS until_ps FROM blocked GROUP BY node, port)" >"$work/numbers"
    while read -r number; do
        grep -q "title=\"$number " "$work/pair.html" || fail "the page of two does not have $run's $number"
    done <"$work/numbers"
done
same pair '[.charts[] | select(.kind == "tail") | .series[] | select(.dashed) | .colour // 0] == [0, 1, 2]' "SELECT 'true'"
settle pair
grep -q 'fabric.switch.alpha</td><td class="code" title="12.5% ">12.5%</td><td class="code" title="25% ">25%' "$work/pair.html" ||
    fail 'pair: the setting that was changed'
grep -q '<b>Divergence</b> at [0-9.]* us in ' "$work/pair.html" || fail 'pair: where they part'
"$program" report "$work/pause-storm.db" "$work/other.db" --text 2>/dev/null >"$work/pair.text" || fail 'pair: no text'
"$program" diff "$work/pause-storm.db" "$work/other.db" 2>/dev/null | cmp -s - "$work/pair.text" || fail 'pair: --text is not diff'
"$program" report "$work/pause-storm.db" "$work/other.db" --csv "$work/both" 2>/dev/null || fail 'pair: no tables'
[ "$(wc -l <"$work/both/difference.csv")" = $(($("$program" diff --json "$work/pause-storm.db" "$work/other.db" 2>/dev/null |
    gojq '[.settings, .fabric, .verdict, .workloads, .pauses, .drops, .totals, .counters | .different | length] | add') + 1)) ] ||
    fail 'pair: difference.csv has not every row that differs'
# Members and the account of time of both: every number of each, also where the other run has no account.
for seed in 1 2; do
    "$program" run --confirm 0 pause-storm --seed $seed --set duration=2ms --waits -o "$work/waits$seed.db" >/dev/null || fail "waits$seed did not run"
done
"$program" report "$work/waits1.db" "$work/waits2.db" -o "$work/waits.html" || fail 'waits: no page'
"$program" report "$work/waits1.db" "$work/other.db" -o "$work/half.html" || fail 'half: no page'
well_formed "$work/waits.html" || fail 'waits: not well-formed'
section() { sed -n "/<section id=\"$1\"/,/<\/section>/p" "$2"; }
for seed in 1 2; do
    section members "$work/waits.html" >"$work/members"
    section waits "$work/waits.html" >"$work/waited"
    sqlite3 "$work/waits$seed.db" "SELECT value FROM result WHERE path GLOB 'workloads*fairness.least_bps'
        UNION SELECT CAST(min(rate_bps) AS INTEGER) FROM v_member GROUP BY workload" >"$work/numbers"
    while read -r number; do
        grep -q "title=\"${number%.*}[ .]" "$work/members" || fail "the members of two do not have $number of seed $seed"
    done <"$work/numbers"
    sqlite3 "$work/waits$seed.db" "SELECT sum(sum_ps)/count FROM wait JOIN wait_total USING(workload, operation)
        GROUP BY workload, operation, part HAVING sum(sum_ps)*20>=latency_ps" >"$work/numbers"
    [ -s "$work/numbers" ] || fail "seed $seed waited for nothing"
    while read -r number; do
        grep -q "title=\"$number " "$work/waited" || fail "the waits of two do not have $number of seed $seed"
    done <"$work/numbers"
done
section waits "$work/half.html" | grep -q '<td class="n">-</td>' || fail 'half: a run without an account has one'
section waits "$work/pair.html" | grep -q . && fail 'pair: waits of runs without an account'

"$program" report "$work/pause-storm.db" "$work/pause-storm.db" -o "$work/same.html" || fail 'pair: no page of the same'
grep -q 'The runs are equal' "$work/same.html" || fail 'pair: equal runs are not'

# What cannot be is refused, and nothing is left behind.
refuses() {
    local pattern=$1 wanted=$2 code
    shift 2
    "$program" report "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = "$wanted" ] || fail "$*: exit code $code instead of $wanted"
    grep -q -e "$pattern" "$work/err" || fail "$*: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "$*: something on standard output"
}
refuses 'none.db' 2 "$work/none.db" -o "$work/none.html"
refuses 'expected one of them' 2 "$work/first-io.db" --text --figures
refuses 'expected one of them' 2 "$work/first-io.db" --csv "$work/none" --figures
refuses 'expected no --output' 2 "$work/first-io.db" --csv "$work/none" -o "$work/none.html"
refuses 'expected one database' 2 "$work/first-io.db" "$work/first-io.db" --measured "$work/measured.db"
refuses 'none.db' 2 "$work/first-io.db" "$work/none.db" -o "$work/none.html"
refuses 'nowhere/tables' 3 "$work/first-io.db" --csv "$work/nowhere/tables"
refuses 'both runs of the model' 2 "$work/first-io.db" --measured "$work/first-io.db"
refuses 'No such file' 3 "$work/first-io.db" -o "$work/nowhere/page.html"
echo text >"$work/text.db"
refuses 'text.db' 2 "$work/text.db" -o "$work/none.html"
# The files of a run, in their order: the scenario first.
"$program" run --confirm 0 oltp-fio --until 100us -o "$work/fio.db" >/dev/null 2>&1 && "$program" report "$work/fio.db" -o "$work/fio.html"
[ "$(grep -oE '<summary>[a-z.-]+\.(yaml|fio)<' "$work/fio.html" | tr -d '\n')" = '<summary>oltp-fio.yaml<<summary>oltp.fio<' ] ||
    fail "files: $(grep -o '<summary>[^<]*' "$work/fio.html")"
ls "$work"/*.asked >"$work/out" 2>/dev/null && fail "asked, and not looked at: $(cat "$work/out")"
ls "$work"/.*.stormglass-* "$work/none.html" >"$work/out" 2>/dev/null && fail "left behind: $(cat "$work/out")"

[ $failures = 0 ]
