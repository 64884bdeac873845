#!/bin/bash
# plan - what is chosen is what playing everything says; nothing depends on who plays, or on who was killed.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
cp "$here/plans/pair.yaml" .
failed=0
fail() { echo "FAIL: $*"; failed=1; }

nics='[{part: nic, rate: 10Gbps, price: 100, power: 9}, {part: nic, rate: 25Gbps, price: 200, power: 8},
    {part: nic, rate: 40Gbps, price: 300, power: 20}, {part: nic, rate: 100Gbps, price: 800, power: 18}]'

# space NAME REST: four rates and six depths, both said to be monotone, and what is asked of them.
space() {
    cat >"$1.yaml" <<END
stormglass-plan: 1
name: $1
scenario: pair.yaml
vary:
  - {path: fabric.host-links.rate, as: rate, values: [10Gbps, 25Gbps, 40Gbps, 100Gbps], better: higher}
  - {path: workloads.io.queue-depth, as: qd, values: {from: 1, to: 32, times: 2}, better: ${3:-higher}}
prices: {currency: EUR, parts: $nics}
$2
END
}

# --- spaces of 24 candidates: the same answer for less ------------------------------------------------------

space goodput 'slo: ["io.goodput > 30Gbps", no-lossless-drop]'
space latency 'slo: ["io.latency.p99 < 100us"]' lower
space both 'slo: ["io.latency.p99 < 120us", "io.goodput > 20Gbps"]'
space power 'slo: ["io.goodput > 8Gbps"]
objective: least-power'
space never 'slo: ["io.latency.p99 < 120us", "io.goodput > 93Gbps", "io.latency.mean < 15us"]'
for plan in goodput latency both power never; do
    "$program" plan $plan.yaml --json >few.json; few=$?
    "$program" plan $plan.yaml --json --exhaustive >all.json; all=$?
    [ $few = $all ] || fail "$plan: exit $few, and $all when everything is played"
    [ "$(gojq -c '.chosen' few.json)" = "$(gojq -c '.chosen' all.json)" ] || fail "$plan: chosen differs: $(gojq -c .chosen few.json all.json)"
    [ $plan = never ] || [ "$(gojq .packet_hops few.json)" -lt "$(gojq '.packet_hops / 2 | floor' all.json)" ] ||
        fail "$plan: half of the work was not saved"
    # Nobody who was dropped holds and costs less.
    cost=$([ $plan = power ] && echo power_w || echo cost)
    gojq -e -s --arg k $cost '(.[1].chosen[$k] // 1e9) as $cost | [.[0].candidates[] | select(.verdict == "implied" or .verdict == "refused").name] as $dropped
        | [.[1].candidates[] | select(.verdict == "holds" and .[$k] < $cost)] == [] and
          [.[1].candidates[] | select(.verdict == "holds" and (.name as $n | $dropped | index($n)))] == []' few.json all.json >/dev/null ||
        fail "$plan: a candidate was dropped that holds"
done
[ $few = 1 ] && [ "$(gojq .chosen few.json)" = null ] || fail "never: something is chosen"
"$program" plan both.yaml >both.txt || fail "both: exit $?"
grep -q '^Not monotone    workloads.io.queue-depth: ' both.txt || fail "the axis that is not monotone is not named"
grep -q '^Chosen          25G rate, 2 qd  EUR 800, 32 W' both.txt || fail "both: $(grep Chosen both.txt)"

# The front: in the order of costs whatever has more headroom, by more than the tolerance, than all before it that cost no more.
space front 'slo: ["io.goodput > 20Gbps"]
objective: front'
"$program" plan front.yaml --json --exhaustive >front-all.json || fail "front: exit $?"
"$program" plan front.yaml --json >front.json || fail "front: exit $?"
gojq -e '([.candidates[] | select(.verdict == "holds")] | group_by([.cost, .power_w]) | map(max_by(.headroom))) as $h |
    (reduce $h[] as $c ([]; if [.[] | select(.power_w <= $c.power_w and .headroom + 0.05 >= $c.headroom)] == [] then . + [$c] else . end)) as $front |
    [$front[] | [.cost, .power_w]] == [.front[] as $n | .candidates[] | select(.name == $n) | [.cost, .power_w]]' front-all.json >/dev/null ||
    fail "the front is not the front: $(gojq -c '[.front, [.candidates[] | [.name, .cost, .power_w, .headroom, .verdict]]]' front-all.json)"
[ "$(gojq -c '[.front, .chosen]' front.json)" = "$(gojq -c '[.front, .chosen]' front-all.json)" ] || fail "another front: $(gojq -c .front front.json front-all.json)"
[ "$(gojq .events front.json)" -lt "$(gojq '.events * 2 / 3 | floor' front-all.json)" ] || fail "front: a third of the work was not saved: $(gojq .events front.json front-all.json)"

# Most headroom: the cheapest of those that have as much, within the tolerance.
sed 's/^objective: front/objective: most-headroom/' front.yaml >most.yaml
"$program" plan most.yaml --json >most.json || fail "most headroom: exit $?"
gojq -e -s '.[0].chosen.name as $chosen | [.[1].candidates[] | select(.verdict == "holds")] as $h | ([$h[].headroom] | max - 0.05) as $bar |
    $chosen == ([$h[] | select(.headroom >= $bar)] | min_by(.cost).name)' most.json front-all.json >/dev/null || fail "most headroom: $(gojq -c .chosen most.json)"
[ "$(gojq .events most.json)" -lt "$(gojq '.events * 7 / 10 | floor' front-all.json)" ] || fail "most headroom: three tenths of the work were not saved: $(gojq .events most.json front-all.json)"

# --- cliffs: along each axis to the first value that does not hold, which every run of it says ------------------

sed '/^prices/i cliff:\n  - {path: workloads.io.block-size, as: bs, values: {from: 16KiB, to: 256KiB, times: 2}}\n  - {path: fabric.host-links.length, as: far, values: [3m, 300m]}' both.yaml >cliff.yaml
"$program" plan cliff.yaml --json -o cliff.db >cliff.json || fail "cliff: exit $?"
[ "$(gojq -c '[.cliff[] | [.as, .holds_to, .breaks_at]]' cliff.json)" = '[["bs","32KiB","64KiB"],["far","300m",null]]' ] || fail "cliffs: $(gojq -c .cliff cliff.json)"
[ "$(gojq -c .chosen cliff.json)" = "$(gojq -c .chosen <("$program" plan both.yaml --json))" ] || fail "cliffs change what is chosen"
set -- $(sqlite3 cliff.db "SELECT 'block-size=' || value FROM cliff WHERE cliff = 0 ORDER BY position")
for bs; do
    p99=$("$program" run pair.yaml --confirm 0 --set fabric.host-links.rate=25Gbps --set workloads.io.queue-depth=2 --set "workloads.io.$bs" --set duration=20ms --json | gojq '.workloads[0].steady.latency_ns.p99')
    case $bs in *=64KiB) [ "$p99" -gt 120000 ] ;; *) [ "$p99" -lt 120000 ] ;; esac || fail "cliff at $bs: p99 $p99 ns"
done
"$program" plan cliff.yaml --resume cliff.db --json >again.json
cmp -s cliff.json again.json || fail "cliffs that are resumed differ"

# What moves a cliff: the next value on each axis of the plan, and those of what-if, each played on from where the cliff is.
sed '/^prices/i what-if:\n  - {path: hosts.targets.namespaces.0.count, as: drives, values: [8, 16]}\n  - {path: hosts.defaults.rnic.path-mtu, as: mtu, values: [1024B]}' cliff.yaml >move.yaml
"$program" plan move.yaml --json -o move.db >move.json || fail "what-if: exit $?"
gojq -e --slurpfile plain cliff.json '.chosen == $plain[0].chosen and [.cliff[].points] == [$plain[0].cliff[].points]' move.json >/dev/null || fail "what-if changes the answer"
gojq -e '[.cliff[] | .moved_by | map(.path) | group_by(.) | map(length)] == [[2, 1, 2, 2], []]' move.json >/dev/null || fail "levers: $(gojq -c '.cliff[].moved_by' move.json)"
gojq -e '.cliff[0].moved_by | all(.played) and any(.steps == 1 and .value == "40Gbps") and any(.steps < 0 and .holds_to != null) and any(.steps < 0 and .holds_to == null)' move.json >/dev/null || fail "moves: $(gojq -c '.cliff[0].moved_by' move.json)"
gojq -r '.cliff[0].moved_by[] | "\(.path)=\(.value) \(.holds_to) \(.breaks_at)"' move.json >moves.txt
while read -r set to at; do
    for bs in $to $at; do
        [ "$bs" = null ] && continue
        "$program" run pair.yaml --confirm 0 --set fabric.host-links.rate=25Gbps --set workloads.io.queue-depth=2 --set "$set" --set "workloads.io.block-size=$bs" --set duration=20ms --json >run.json
        gojq -e --argjson holds "$([ "$bs" = "$to" ] && echo true || echo false)" '.workloads[0].steady | ((.latency_ns.p99 < 120000 and .goodput_bps > 20e9) == $holds)' run.json >/dev/null ||
            fail "$set at $bs: $(gojq -c '.workloads[0].steady | [.latency_ns.p99, .goodput_bps]' run.json)"
    done
done <moves.txt
"$program" plan move.yaml --resume move.db >moves-again.txt && grep -q '^      with fabric.host-links.rate=40Gbps: passes up to 64KiB, fails at 128KiB' moves-again.txt || fail "what-if in words: $(grep moved moves-again.txt)"
"$program" report move.db -o move.html && grep -q 'fabric.host-links.rate=40Gbps</td><td data-is="result">passes up to 64KiB, fails at 128KiB' move.html || fail "page: moves"
"$program" plan move.yaml -j 1 -o move1.db >/dev/null && [ "$(sqlite3 move.db .dump | sort)" = "$(sqlite3 move1.db .dump | sort)" ] || fail "moves depend on who played"
runs=$(gojq .runs cliff.json)
sed "1a budget: $((runs + 1))" move.yaml >spent.yaml
"$program" plan spent.yaml >spent.txt; code=$?
[ $code = 0 ] && grep -q 'ran out after the answer was known' spent.txt && ! grep -q 'with .*namespaces' spent.txt || fail "what-if beyond the budget: exit $code: $(grep 'spent\|moved' spent.txt)"
refused() { # TEXT SED
    sed "$2" move.yaml >bad.yaml
    "$program" plan bad.yaml >/dev/null 2>err.txt; [ $? = 2 ] && grep -q "^bad.yaml:[0-9]*:[0-9]*: error: $1" err.txt || fail "$2: $(cat err.txt)"
}
refused 'expected cliff too' '/^cliff/,/as: far/d'
refused '.*path-mtux' 's/path-mtu/path-mtux/'
refused 'more than 64 values' 's/values: \[8, 16\]/values: {from: 1, to: 65, step: 1}/'

# On a terminal there is a line with the time left; it goes when the answer comes.
script -qec "'$program' plan cliff.yaml" /dev/null >tty.txt </dev/null || fail "on a terminal: exit $?"
tr '\r' '\n' <tty.txt | grep -Eq '^[0-9]+ runs in [0-9]+ s; about [0-9]+ s left; [0-9]+ of 24 candidates open' || fail "no time left: $(tr '\r' '\n' <tty.txt | head -3)"
tr '\r' '\n' <tty.txt | grep -q 'left; answer found, measuring limits of rate25Gbps-qd2' || fail "no line after the answer"

# --- the page of a plan: what the database says, each candidate once, each cell of the map ------------------------

"$program" report cliff.db -o plan.html || fail "page: exit $?"
row() { sed -n "/id=\"$1\"/,/<\/section>/p" plan.html | grep -o "$2" | wc -l; }
own="FROM candidate WHERE candidate NOT IN (SELECT candidate FROM cliff)"
chosen=$(sqlite3 cliff.db "SELECT label FROM candidate WHERE candidate = (SELECT value FROM plan WHERE key = 'chosen')")
chosen_name=$(sqlite3 cliff.db "SELECT name FROM candidate WHERE label = '$chosen'")
grep -qF "Chosen: $chosen<" plan.html || fail "page: $chosen is not said to be chosen"
sqlite3 cliff.db "SELECT label $own" >labels
while read -r name; do
    grep -q "^<tr><td class=\"code\" data-is=\"candidate\">$name<" <(sed -n '/id="candidates"/,$p' plan.html) || fail "page: no $name"
done <labels
[ "$(row candidates '^<tr><td')" = "$(sqlite3 cliff.db "SELECT count(*) $own")" ] || fail "page: candidates"
[ "$(row cliffs '^<tr><td')" = "$(sqlite3 cliff.db 'SELECT (SELECT count(*) FROM cliff) + (SELECT count(*) FROM move)')" ] || fail "page: cliffs"
[ "$(row front '<circle')" = "$(sqlite3 cliff.db "SELECT count(*) $own AND price IS NOT NULL AND headroom IS NOT NULL")" ] || fail "page: points"
[ "$(row measures '^<h3>io<')" = 1 ] && [ "$(row measures '^<tr><td\|^<tbody><tr><td')" = "$(sqlite3 cliff.db "SELECT count(*) FROM candidate WHERE candidate IN (SELECT candidate FROM run)" | awk -v tables="$(row measures '^<h3>')" '{ print $1 * tables }')" ] || fail "page: measures"
gojq -e --arg name "$chosen" '.candidates[] | select(.label == $name).measures | .["io.goodput"] > 20e9 and .["io.latency.p99"] < 120e6' cliff.json >/dev/null || fail "measures: $(gojq -c '.candidates[0].measures' cliff.json)"
[ "$(row map '<td class="holds"')" = "$(sqlite3 cliff.db "SELECT count(*) $own AND verdict = 'holds'")" ] || fail "page: map"
# A folder of pages: each run that was played has its own, one click away, and that is the run of the command beside it.
"$program" plan cliff.yaml --resume cliff.db --pages pages >out.txt || fail "pages: exit $?"
cmp -s out.txt <("$program" plan cliff.yaml --resume cliff.db) || fail "pages change the answer"
[ "$(grep -o 'href="[^"#]*\.html"' pages/index.html | sort | uniq -d)" = "" ] || fail "pages: a link twice"
[ "$(grep -o 'href="[^"#]*\.html"' pages/index.html | sed 's/href="//; s/"//' | sort)" = "$(cd pages && ls | grep -v '^index.html$' | sort)" ] || fail "pages: links and pages differ"
[ "$(ls pages/*.html | wc -l)" = $((1 + $(sqlite3 cliff.db 'SELECT count(*) FROM candidate WHERE candidate IN (SELECT candidate FROM run)'))) ] || fail "pages: $(ls pages)"
eval "$(sqlite3 cliff.db "SELECT command FROM trial t JOIN candidate c USING(candidate) WHERE label = '$chosen' LIMIT 1" | sed "s,^stormglass,\"\$program\",") -o alone.db" >/dev/null
"$program" report alone.db -o alone.html
digest() { grep -oE 'digest [0-9a-f]{32}|[0-9a-f]{32}' "$1" | grep -oE '[0-9a-f]{32}' | sort -u; }
[ -n "$(digest alone.html)" ] && [ "$(digest alone.html)" = "$(digest "pages/$chosen_name.html")" ] || fail "pages: $chosen is another run"
"$program" plan cliff.yaml --pages pages >/dev/null 2>err.txt; [ $? = 2 ] && grep -q -- '--pages: expected --output too' err.txt || fail "pages without a database: $(cat err.txt)"
"$program" plan cliff.yaml --resume cliff.db --pages pair.yaml >/dev/null 2>err.txt; [ $? = 2 ] && grep -q 'pair.yaml: Not a directory' err.txt || fail "pages in a file: $(cat err.txt)"
"$program" report cliff.db -o plan2.html && cmp -s plan.html plan2.html || fail "the same plan is another page"
"$program" report cliff.db --text >out.txt 2>err.txt; [ $? = 2 ] && grep -q 'the database of a plan has only a page' err.txt || fail "report --text of a plan: $(cat err.txt)"
sqlite3 cliff.db "UPDATE candidate SET name = '<img src=x>', why = '<b>', headroom = 9e99 WHERE candidate = 0; UPDATE setting SET text = '</table>' WHERE position = 0"
"$program" report cliff.db -o odd.html && ! grep -q '<img\|why<b>' odd.html || fail "page: text becomes markup"

# --- what fails in mid-run: measures are of the whole run; 11 is the 99th percentile of latency ------------------------------------------

cat >event.yaml <<END
stormglass-plan: 1
name: event
scenario: pair.yaml
vary: [{path: fabric.host-links.rate, as: rate, values: [25Gbps]}]
slo: ["io.goodput > 1Gbps"]
survive: [{name: a link lost, kind: link-down, each: "host1:p0", at: 300us, for: 50us, slo: [all-commands-complete]}]
END
"$program" plan event.yaml --json -o event.db >event.json || fail "event: exit $?: $(gojq -c '.candidates' event.json)"
gojq -e '.chosen.name == "rate25Gbps"' event.json >/dev/null || fail "event: $(gojq -c '[.chosen, .candidates]' event.json)"
[ "$(sqlite3 event.db "SELECT count(DISTINCT trial) FROM measure WHERE position = 11 AND value > 0")" = 2 ] ||
    fail "event: measures: $(sqlite3 event.db "SELECT * FROM measure LIMIT 5")"

# --- what a bound refuses cannot be: every candidate played -------------------------------------------------

sed 's/^slo:.*/slo: ["io.goodput > 1bps"]/' goodput.yaml >bound.yaml
"$program" plan bound.yaml --json --exhaustive -o bound.db >/dev/null
for rate in 10 25 40 100; do
    most=$(sqlite3 bound.db "SELECT max(value) FROM figure JOIN candidate USING(candidate) WHERE name LIKE 'rate${rate}Gbps%'")
    sed "s/^slo:.*/slo: [\"io.goodput > ${most%.*}bps\"]/" goodput.yaml >tight.yaml
    "$program" plan tight.yaml --list --json | gojq -e --arg n "rate${rate}Gbps" '[.candidates[] | select((.name | startswith($n)) and .verdict == "refused")] == []' >/dev/null ||
        fail "the bound refuses ${most}bps, which was played with $rate Gb/s"
done

"$program" plan never.yaml --list >never.txt
grep -q 'io.goodput > 93Gbps: the links of targets (host0) carry at most 10.0 Gb/s' never.txt || fail "a bound does not say whose links: $(grep -m2 carry never.txt)"

# --- one process, two, killed and resumed: the same database -------------------------------------------------

dump() { sqlite3 "$1" .dump | sort; }
"$program" plan both.yaml -j 1 -o one.db >one.txt
"$program" plan both.yaml -j 2 -o two.db >two.txt
cmp -s one.txt two.txt || fail "the answer depends on how many play"
[ "$(dump one.db)" = "$(dump two.db)" ] || fail "the database depends on how many play"
sed -i 's/duration: 1ms/duration: 20ms/' pair.yaml
"$program" plan both.yaml -j 2 -o whole.db >whole.txt
for wait in 0.05 0.15 0.3; do
    rm -f killed.db*
    "$program" plan both.yaml -j 2 -o killed.db >/dev/null 2>&1 &
    sleep $wait
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    sleep 0.2 # until its processes have ended too
    if [ -e killed.db ]; then
        had=$(sqlite3 killed.db "SELECT count(*) FROM run")
        "$program" plan both.yaml --resume killed.db >killed.txt || fail "resume: exit $?"
        cmp -s whole.txt killed.txt || fail "killed after $had runs: another answer"
        [ "$(dump whole.db)" = "$(dump killed.db)" ] || fail "killed after $had runs and resumed: another database"
    fi
done
# A database that lies: what no search can have written is played again.
for lie in 'UPDATE run SET events = 9223372036854775807' 'UPDATE run SET packet_hops = -1, duration_ps = -9e18' \
    'UPDATE run SET figures = 0; DELETE FROM figure' 'DELETE FROM figure WHERE slo = 0' 'UPDATE run SET end = 3000000000' \
    'UPDATE figure SET value = 1e999, slack = 1e999' 'UPDATE figure SET seed = seed + 4294967296, value = 0' \
    'UPDATE figure SET candidate = -9223372036854775808, slack = 5 WHERE slo = 0 AND seed = 1 AND trial = 0'; do
    cp whole.db lie.db
    sqlite3 lie.db "$(sed 's/UPDATE figure/UPDATE OR IGNORE figure/g' <<<"$lie")"
    "$program" plan both.yaml --resume lie.db >lie.txt 2>err.txt || fail "$lie: exit $?: $(cat err.txt)"
    cmp -s whole.txt lie.txt || fail "$lie: another answer"
    [ "$(dump whole.db)" = "$(dump lie.db)" ] || fail "$lie: another database"
done
"$program" plan both.yaml -o stopped.db >stopped.txt 2>/dev/null &
sleep 0.2
kill -INT $! 2>/dev/null
wait $!
code=$?
[ $code = 130 ] || [ $code = 0 ] || fail "interrupted: exit $code"
"$program" plan both.yaml --resume stopped.db -o again.db >again.txt || fail "resume: exit $?"
cmp -s whole.txt again.txt || fail "interrupted and resumed: another answer"
sed -i 's/duration: 20ms/duration: 1ms/' pair.yaml
"$program" plan both.yaml --resume whole.db >/dev/null 2>err.txt; [ $? = 2 ] || fail "a database of another scenario is resumed"
grep -q "for another plan" err.txt || fail "resume of another plan: $(cat err.txt)"

# --- failures: who is away is away, and nobody passes by doing nothing ----------------------------------------

cat >spine.yaml <<'END'
stormglass: 1
name: spine
about: Two leaves.
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}
  host-links: {rate: 25Gbps, length: 3m, mtu: 4200B}
  fabric-links: {rate: 25Gbps, length: 30m, mtu: 4200B}
  switch: {profile: shared-buffer-32mb, pfc: {priorities: [3], headroom: auto}}
hosts:
  defaults: {rnic: {profile: rnic-100g, path-mtu: 4096B}}
  targets: {where: "host0..host1", namespaces: [{media: storage-class, count: 2}]}
workloads:
  - {name: io, kind: nvme, from: "host2..host3", to: "host0..host1", read: 100%, block-size: 16KiB, queue-depth: 8}
END
cat >spines.yaml <<'END'
stormglass-plan: 1
name: spines
scenario: spine.yaml
vary: [{path: fabric.topology.spines, as: spines, values: [1, 2, 3, 4], better: higher}]
slo: ["io.goodput > 20Gbps"]
survive: [{name: one spine down, kind: switch-down, each: "spine*"}]
prices: {currency: EUR, parts: [{part: switch, price: 1000}]}
END
"$program" plan spines.yaml --exhaustive --json >spines.json
[ "$(gojq -c '[.candidates[].verdict]' spines.json)" = '["idle","holds","holds","holds"]' ] || fail "spines: $(gojq -c '[.candidates[].verdict]' spines.json)"
gojq -e '.candidates[0].why | contains("with one spine down: spine0")' spines.json >/dev/null ||
    fail "without its only spine: $(gojq -c '.candidates[0]' spines.json)"
# Who only needs longer to connect than the template's duration is not idle.
sed 's/duration: 1ms/duration: 2500us/; s/length: 30m/length: 10km/; s/shared-buffer-32mb/shared-buffer-165mb/' spine.yaml >late.yaml
"$program" run late.yaml --json | gojq -e '.workloads[0].members_idle > 0' >/dev/null || fail "nobody is late: the test is none"
sed 's/spine.yaml/late.yaml/; s/values: \[1, 2, 3, 4\]/values: [2]/; s/20Gbps/1Gbps/; /^survive/d' spines.yaml >late-plan.yaml
"$program" plan late-plan.yaml --json >late.json || fail "late: exit $?: $(gojq -c '.candidates' late.json)"
gojq -e '.candidates[0].verdict == "holds"' late.json >/dev/null || fail "late: $(gojq -c '.candidates[0]' late.json)"
# Two at once need three, and nothing does without all of them.
sed 's/each: "spine\*"/&, together: 2/' spines.yaml >two-away.yaml
"$program" plan two-away.yaml --exhaustive --json >spines2.json
[ "$(gojq -c '[.candidates[].verdict]' spines2.json)" = '["idle","idle","holds","holds"]' ] || fail "two spines: $(gojq -c '[.candidates[].verdict]' spines2.json)"
gojq -e '.candidates[1].why | contains("with one spine down: spine0 and spine1")' spines2.json >/dev/null || fail "two spines: $(gojq -c '.candidates[1]' spines2.json)"
sed 's/each: "spine\*"/&, together: all/' spines.yaml >all-away.yaml
"$program" plan all-away.yaml --exhaustive --json >spines-all.json
[ $? = 1 ] && gojq -e '[.candidates[].verdict] | unique == ["idle"]' spines-all.json >/dev/null || fail "all spines: $(gojq -c '[.candidates[].verdict]' spines-all.json)"
# The command of a verdict plays what it says.
eval "$(gojq -r '.candidates[1].command' spines.json | sed "s,^stormglass,\"\$program\",") --json" >run.json
gojq -e '.workloads[0].goodput_bps > 0' run.json >/dev/null || fail "the command of a candidate: $(gojq -r '.candidates[1].command' spines.json)"

# Of the worst member and the slowest 1 %: those of the steady part, met by neither the mean nor the sum.
for asked in 'io.worst_member.latency.p99 < 120us' 'io.latency.slowest_1pct < 130us' 'io.worst_member.latency.mean < 80us' 'io.member_goodput.min > 6Gbps'; do
    sed "s/^slo:.*/slo: [\"$asked\"]/" latency.yaml >worst.yaml
    "$program" plan worst.yaml --exhaustive --json >worst.json || fail "$asked: exit $?"
    gojq -e '[.candidates[].verdict] | unique | index("holds") and index("fails")' worst.json >/dev/null || fail "$asked: $(gojq -c '[.candidates[].verdict]' worst.json)"
    eval "$(gojq -r '.chosen.name as $n | .candidates[] | select(.name == $n).command' worst.json | sed "s,^stormglass,\"\$program\",") --json" >run.json
    gojq -e --arg asked "$asked" '.workloads[0] | if $asked | test("goodput") then .member_goodput_bps.min > 6e9 else
        .steady | (.worst_member.latency_ns.p99, .latency_ns.slowest_1pct, .worst_member.latency_ns.mean) | . > 0 and . < 130000 end' run.json >/dev/null ||
        fail "$asked: the chosen has $(gojq -c '.workloads[0] | .worst_member, .member_goodput_bps, .steady' run.json)"
done

# A case by its name, wherever the plan is.
mkdir -p elsewhere
sed 's/^scenario:.*/scenario: incast-8to1/; s/io\./probe./; /^  - {path: work/d; s/1bps/1Gbps/' bound.yaml >elsewhere/case.yaml
"$program" plan elsewhere/case.yaml --list >out.txt 2>err.txt || fail "a case by its name: exit $?: $(cat err.txt)"
mkdir -p elsewhere && cp pair.yaml elsewhere/incast-8to1 && "$program" plan elsewhere/case.yaml --list >out.txt 2>err.txt
[ $? = 2 ] && grep -q 'no workload.*probe\|probe' err.txt || fail "a file beside the plan is not before a case: $(cat err.txt)"

# --- check: all that can be said of a plan without playing it ---------------------------------------------------

sed 's/^slo:.*/slo: ["io.goodput > 500Gbps"]/' spines.yaml >checked.yaml
"$program" check checked.yaml >check.txt; [ $? = 1 ] || fail "check: none can hold, and exit $?"
[ "$(grep -c 'cannot pass: ' check.txt)" = "$("$program" plan checked.yaml --list --json | gojq '[.candidates[] | select(.verdict == "refused")] | length')" ] ||
    fail "check refuses others than plan: $(cat check.txt)"
grep -q '^checked.yaml:4:7: note: 4 candidates, of which 4 cannot pass' check.txt && grep -q '^checked.yaml:3:11: error: no candidate can meet the objectives' check.txt || fail "check: $(cat check.txt)"
"$program" check spines.yaml --json | gojq -e '[.findings[].text | select(. == "4 candidates, of which 0 cannot pass; 14 cases")] | length == 1' >/dev/null ||
    fail "check --json: $("$program" check spines.yaml)"
"$program" check goodput.yaml >check.txt || fail "check: exit $? though some can hold"
[ "$(grep -c '^goodput.yaml:5:55: note: rate10Gbps-.* cannot pass' check.txt)" = 6 ] || fail "refused, but not at 10Gbps: $(cat check.txt)"
sed 's/topology.spines, as/topology.spine, as/' spines.yaml >wrong.yaml
"$program" check wrong.yaml >out.txt 2>err.txt; [ $? = 2 ] && grep -q "^wrong.yaml:4:31: error: unknown key 'spine'" err.txt || fail "check of a path that is none: $(cat out.txt err.txt)"

# --- what is wrong is said, and nothing is written ------------------------------------------------------------

wrong() { # SED WORDS
    sed "$1" both.yaml >wrong.yaml
    "$program" plan wrong.yaml -o wrong.db >out.txt 2>err.txt
    local code=$?
    [ $code = 2 ] && grep -qF -- "$2" err.txt && [ ! -s out.txt ] && [ ! -e wrong.db ] || fail "$1: exit $code: $(head -n 3 err.txt)"
}
wrong 's/io.latency.p99/oi.latency.p99/' "there is no quantity 'oi.latency.p99'"
wrong 's/queue-depth, as/queue-deep, as/' "wrong.yaml:6:25: error: unknown key 'queue-deep'"
wrong 's/40Gbps, 100Gbps/40Gbs, 100Gbps/' 'wrong.yaml:5:71: error: rate: expected a rate'
wrong 's/from: 1, to: 32, times: 2/from: 0, to: 4, step: 1/' 'wrong.yaml:6:54: error: queue-depth: 0 is less than the minimum'
wrong '/^prices/i adjust: [{where: {qd: 1}, set: {fabric.switch.bufer: 3}}]' "wrong.yaml:7:47: error: unknown key 'bufer'"
wrong '/^prices/i cliff: [{path: "workloads.io.queue-deep", as: q2, values: [1]}]' "wrong.yaml:7:30: error: unknown key 'queue-deep'"
wrong 's/scenario: pair.yaml/scenario: none.yaml/' 'none.yaml'
wrong 's/rate: 40Gbps, price: 300/rate: 25Gbps, price: 300/' 'the same part has a price'
wrong 's/{part: nic, rate: 100Gbps, price: 800, power: 18}/{part: nic, rate: 99Gbps, price: 8}/' 'prices: no nic of 100Gbps'
wrong 's/better: higher/better: more/' 'expected higher or lower'
wrong 's/^prices: .*/seeds: 1/; /{part: nic, rate: 40Gbps/d' 'less than the minimum, 3'
wrong '$a survive: [{kind: switch-down, each: "leaf*"}]' 'leaf*'
wrong '$a survive: [{kind: switch-dawn, each: "switch0"}]' "did you mean 'switch-down'"
wrong '$a survive: [{kind: switch-down, each: "switch0", together: 3}]' 'expected 2 (every two'
wrong '$a survive: [{kind: switch-down, each: "switch0", together: all, sample: 2}]' 'expected no sample'
wrong '$a cliff: [{path: a, as: b}]' 'expected values'
wrong '$a cliff: [{path: a, as: b}]' 'expected values'
wrong '$a objective: fastest' 'cheapest'
"$program" plan pair.yaml 2>err.txt; [ $? = 2 ] && grep -q 'expected a plan, but this is a scenario' err.txt || fail "a scenario as a plan: $(cat err.txt)"
"$program" run both.yaml 2>err.txt >/dev/null; [ $? = 2 ] && grep -q 'a plan; use stormglass plan' err.txt || fail "a plan as a scenario: $(cat err.txt)"
sed 's/^slo/most-runs: 7\nslo/' both.yaml >budget.yaml
"$program" plan budget.yaml >budget.txt; [ $? = 4 ] && grep -q 'the budget of 7 runs ran out' budget.txt || fail "budget: $(head -n 4 budget.txt)"


# --- a full disk ends a plan at once: no answer, and what was written stays ---------------------------------

space full 'slo: ["io.goodput > 30Gbps"]'
"$program" plan full.yaml --exhaustive -o whole.db >/dev/null
whole=$(sqlite3 whole.db 'SELECT count(*) FROM run')
(ulimit -f 160 && exec "$program" plan full.yaml --exhaustive -o full.db >out.txt 2>err.txt)
[ $? = 3 ] && [ ! -s out.txt ] && grep -q '^stormglass: the database: ' err.txt || fail "a full disk: $(cat out.txt err.txt)"
kept=$(sqlite3 full.db 'SELECT count(*) FROM run')
[ "$kept" -gt 0 ] && [ $((2 * kept)) -lt "$whole" ] || fail "a full disk: $kept of $whole runs are kept"
exit $failed
