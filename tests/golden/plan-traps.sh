#!/bin/bash
# plan-traps - questions with a mistake in them: each a clear answer at its place, none a choice that nothing was asked of.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-traps.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

printf '[global]\nioengine=libaio\ndirect=1\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=4\ntime_based\nruntime=60\n[oltp]\n' >oltp.fio
cat >site.yaml <<'END'
stormglass: 1
name: site
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}
  host-links: {rate: 25Gbps, length: 3m, mtu: 4200B}
  fabric-links: {rate: 100Gbps, length: 30m, mtu: 4200B}
  switch: {profile: shared-buffer-32mb, pfc: {priorities: [3], headroom: auto}}
hosts:
  defaults: {rnic: {profile: rnic-100g, path-mtu: 4096B}}
  targets: {where: [host0], namespaces: [{media: storage-class, count: 4}]}
workloads:
  - {name: oltp, kind: fio, file: oltp.fio, from: "host4..host6", to: host0}
  - {name: backup, kind: nvme, from: host1, to: host0, read: 100%, block-size: 128KiB, queue-depth: 2}
END
cat >plan.yaml <<'END'
stormglass-plan: 1
name: mine
scenario: site.yaml
vary:
  - {path: fabric.host-links.rate, as: nic, values: [25Gbps, 100Gbps]}
  - {path: fabric.topology.spines, as: spines, values: [1, 2]}
slo: ["oltp.latency.p99 < 300us", no-lossless-drop]
survive:
  - {name: spine, kind: switch-down, each: spines}
prices:
  currency: USD
  parts:
    - {part: nic, rate: 25Gbps, price: 100}
    - {part: nic, rate: 100Gbps, price: 400}
    - {part: switch, price: 5000}
END

"$program" plan plan.yaml >plan.txt || fail "the plan itself: exit $?"
grep -q '^Chosen          25G nic, 2 spines  USD 20,800$' plan.txt || fail "the plan itself: $(cat plan.txt)"
grep -q '^       4  switch  *5,000 each' plan.txt || fail "a switch of any number of ports: $(grep switch plan.txt)"

# The plan that the help shows is one.
"$program" help plan | sed -n '/^    stormglass-plan/,/^$/s/^    //p' >help.yaml
"$program" plan help.yaml >out.txt 2>err.txt || fail "the help's: $(cat err.txt out.txt)"
grep -q '^Chosen          25G nic, 2 spines  USD 20,800$' out.txt && grep -q '^Limits of 25G nic, 2 spines: ' out.txt || fail "the help's: $(cat out.txt)"

refused() { # LINE:COLUMN TEXT SED: exit 2, one error, at its place
    sed "$3" plan.yaml >bad.yaml
    "$program" plan bad.yaml >out.txt 2>err.txt
    [ $? = 2 ] && [ "$(grep -c ': error: ' err.txt)" = 1 ] && grep -qF "bad.yaml:$1: error: $2" err.txt || fail "$3: $(cat err.txt out.txt)"
    "$program" check bad.yaml >out.txt 2>&1
    [ $? = 2 ] && grep -qF "bad.yaml:$1: error: $2" out.txt || fail "check, $3: $(cat out.txt)"
}
# A failure that nobody would feel is none that was survived.
refused 9:56 'the failure is too late: the run ends at 1ms' 's/each: spines/&, at: 500ms/'
refused 9:56 'the failure is too late: the run ends at 1ms' 's/each: spines/&, at: 1ms/'
refused 9:57 'expected at too: without at, the failure lasts for the whole run' 's/each: spines/&, for: 100us/'
sed 's/to: host0}/to: host0, stop: 400us}/' site.yaml >stop.yaml
refused 9:56 'the failure is too late for oltp, which stops at 400us' 's/each: spines/&, at: 400us/; s/site.yaml/stop.yaml/'
# What is wrong with a failure is said before anything is played, not as what refuses each candidate.
refused 9:56 'at: expected a time such as 55us, but "3" has no unit' 's/each: spines/&, at: 3/'
refused 9:60 'drain: expected a percentage such as 20%, or a ratio such as 1/16, but "10Gbps" has another unit' 's/switch-down, each: spines/slow-receiver, each: hosts, drain: 10Gbps/'
refused 9:53 "unknown key 'drian'; did you mean 'drain'?" 's/switch-down, each: spines/slow-receiver, each: hosts, drian: 10%/'
refused 9:44 "no switch is called 'spine9'; did you mean 'spine0'?" 's/each: spines/each: spine9/'
refused 9:25 "there is no fault 'swich-down'; did you mean 'switch-down'?" 's/switch-down/swich-down/'
# Axes.
refused 6:28 "unknown key 'spine'; did you mean 'spines'?" 's/topology.spines,/topology.spine,/'
refused 6:56 'expected 1 to 256 values' 's/\[1, 2\]/[]/'
refused 6:60 'duplicate value' 's/\[1, 2\]/[2, 2]/'
refused 5:62 'duplicate value: it is 25Gbps' 's/\[25Gbps, 100Gbps\]/[25Gbps, 25000Mbps]/'
refused 5:54 'rate: expected a rate such as 100Gbps, but "25GB" has another unit' 's/\[25Gbps,/[25GB,/'
refused 6:12 'each candidate is run with the same seeds: expected the key seeds of the plan, such as seeds: 5' 's/path: fabric.topology.spines/path: seed/'
refused 7:39 "the axis 'nic' already varies this setting: expected another one" '7s/^/adjust: [{where: {nic: 25Gbps}, set: {fabric.host-links.rate: 100Gbps}}]\n/'
refused 7:39 "the axis 'spines' already varies this setting: expected another one" '7s/^/adjust: [{where: {nic: 25Gbps}, set: {fabric.topology: 3}}]\n/'
# Objectives.
refused 16:12 'no part of the prices has a power: expected at least one, in watts' '$aobjective: least-power'
refused 7:7 'expected a comparison such as "oltp.goodput < 100Gbps" after oltp.goodput' 's/oltp.latency.p99 < 300us/oltp.goodput/'
refused 7:7 "there is no quantity 'olpt.latency.p99'; did you mean 'oltp.latency.p99'?" 's/oltp.latency/olpt.latency/'
# Cliffs and changes: a value that no candidate can have, whichever it is.
refused 16:67 'length: expected a length such as 3m, but "5kmm" has another unit' '$acliff: [{path: fabric.fabric-links.length, as: far, values: [30m, 5kmm]}]'
refused 16:69 'queue-depth: 70000 is more than the maximum, 65535' '$acliff: [{path: workloads.backup.queue-depth, as: qd, values: [2, 4, 70000]}]'
refused 17:62 "no host is called 'x'" '$acliff: [{path: workloads.backup.queue-depth, as: qd, values: [2, 4]}]\nwhat-if: [{path: workloads.oltp.from, as: f, values: [host4, x]}]'
# Growth of a fio job: its own options, where they are numbers.
refused 16:32 'the scenario has no such setting' '$agrow: {years: 2, load: [{path: workloads.olpt.queue-depth, each-year: 50%}]}'
refused 16:32 'this setting belongs to the fio job file: expected options' '$agrow: {years: 2, load: [{path: workloads.oltp.queue-depth, each-year: 50%}]}'
refused 16:32 'expected iodepth, numjobs, rate or rate_iops of the job' '$agrow: {years: 2, load: [{path: workloads.oltp.options.bs, each-year: 50%}]}'
refused 16:32 'it is 0 in the scenario, so it cannot grow' '$agrow: {years: 2, load: [{path: workloads.oltp.options.rate_iops, each-year: 50%}]}'
# Prices.
refused 11:3 'prices: no nic of 100Gbps' '/rate: 100Gbps, price/d'
refused 16:7 'the same part has a price in line 15 already' '$a\    - {part: switch, price: 50}'
refused 13:40 'price: expected a number such as 1250 or 0.5, to the thousandth, but "-100" is negative' 's/price: 100}/price: -100}/'

# An SLO that nothing can meet: closed forms refuse it, of a fio job too.
none() { # TEXT SED
    sed "$2" plan.yaml >bad.yaml
    "$program" plan bad.yaml >out.txt 2>err.txt
    [ $? = 1 ] && grep -q '^No candidate chosen: every candidate fails' out.txt && grep -q "$1" out.txt || fail "$2: $(cat out.txt err.txt)"
}
none 'oltp.iops > 5000000: the CPUs of the queues of oltp handle at most 1,500,003 commands per second' 's/oltp.latency.p99 < 300us/oltp.iops > 5000000/'
none 'oltp.goodput > 90Gbps: the links of targets (host0) carry at most 50.0 Gb/s' 's/oltp.latency.p99 < 300us/oltp.goodput > 90Gbps/'
none 'oltp.latency.p99 < 1us: an operation of oltp takes at least 2.68 us on its hosts.* links' 's/300us/1us/'
none 'oltp.latency.p99 > 400us: [0-9.]* us +- .* misses the limit by' 's/oltp.latency.p99 < 300us/&", "oltp.latency.p99 > 400us/'
# What ends does not settle, however long the run is.
sed 's/^time_based/number_ios=20/; /^runtime/d' oltp.fio >few.fio
sed 's/oltp.fio/few.fio/' site.yaml >few.yaml
sed 's/site.yaml/few.yaml/' plan.yaml >bad.yaml
"$program" plan bad.yaml >out.txt; [ $? = 4 ] && grep -q '^No candidate chosen: no candidate passes yet, but some are undecided' out.txt && grep -q 'oltp ends after 60 operations, before it is steady' out.txt ||
    fail "what ends: $(cat out.txt)"
# Growth: with twice and three times the depth, and the plan's own objective.
sed '$a\grow: {years: 2, load: [{path: workloads.oltp.options.iodepth, each-year: 50%}]}' plan.yaml >grow.yaml
"$program" plan grow.yaml --json -o grow.db >out.txt || fail "grow: exit $?"
sqlite3 grow.db "SELECT count(*) FROM trial WHERE command LIKE '%--set workloads.oltp.options.iodepth=6 %'" | grep -qx '[1-9].*' && sqlite3 grow.db "SELECT count(*) FROM trial WHERE command LIKE '%--set workloads.oltp.options.iodepth=9 %'" | grep -qx '[1-9].*' ||
    fail "grow: $(sqlite3 grow.db 'SELECT command FROM trial')"
# What is counted in a run depends on its length.
sed 's/no-lossless-drop/"ecn.marked < 100", "drops.lossy == 0", "oltp.iops > 1000"/' plan.yaml >count.yaml
"$program" plan count.yaml --list >out.txt 2>err.txt; [ "$(grep -c warning: err.txt)" = 1 ] && grep -q 'count.yaml:7:35: warning: this count grows with the run' err.txt || fail "counts: $(cat err.txt)"
# More runs than the budget has.
sed '$a budget: 3' plan.yaml >bad.yaml
"$program" plan bad.yaml >out.txt; [ $? = 4 ] && grep -q 'the budget of 3 runs ran out before the answer was known' out.txt && grep -q '[0-9] candidates are undecided; continue with --resume and a larger budget' out.txt || fail "budget: $(cat out.txt)"
# What a failure in mid-run was judged within is part of the answer.
sed '9a\  - {name: a link lost, kind: link-down, each: "leaf*-spine*", sample: 1, at: 300us, slo: [all-commands-complete]}' plan.yaml >lost.yaml
"$program" plan lost.yaml >out.txt && grep -q '^  failures during the run: a link lost at 300us of 1.000 ms; outstanding operations then have up to 60.0 s to finish (detection 1ms, convergence 100ms, timeout 14, retry-count 7, keep-alive 5s, io-timeout 30s, reconnect-delay 10s)$' out.txt ||
    fail "horizon: $(cat out.txt)"
"$program" plan lost.yaml --json | gojq -e '.chosen | .run_ps == 1000000000 and .wait_ps == 60000000000000 and (.timers | test("^detection 1ms, "))' >/dev/null || fail "horizon in JSON"

# An axis that is said to be monotone and is not, where the first candidates that could show it do not settle: nothing rests on it.
cat >depth.yaml <<'END'
stormglass-plan: 1
name: depth
scenario: site.yaml
vary:
  - {path: workloads.oltp.options.iodepth, as: qd, values: {from: 1, to: 64, times: 2}, better: lower}
  - {path: workloads.oltp.options.numjobs, as: jobs, values: [1, 2, 4], better: lower}
slo: ["oltp.latency.p99 < 200us", "oltp.goodput > 12Gbps", "backup.goodput > 1Gbps", no-lossless-drop]
END
"$program" plan depth.yaml --json >few.json; "$program" plan depth.yaml --json --exhaustive >all.json
gojq -e -s '.[0].chosen == .[1].chosen and ([.[0].candidates[] | select(.verdict == "implied").name] as $implied |
    [.[1].candidates[] | select(.verdict != "fails" and (.name as $n | $implied | index($n) != null))] == [])' few.json all.json >/dev/null ||
    fail "said to fail: $(gojq -c '[.candidates[] | [.name, .verdict]]' few.json all.json)"

# Prices of 0: the first that holds, and nothing that costs more than it.
sed 's/price: [0-9]*/price: 0/' plan.yaml >free.yaml
"$program" plan free.yaml >out.txt && grep -q '^Chosen          25G nic, 2 spines  USD 0$' out.txt || fail "for nothing: $(cat out.txt)"
exit $failed
