#!/bin/bash
# plan-fio - options of a fio job as axes of a plan: each run is that of a job file that says so itself.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-fio.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

sed 's/{name: io, kind: nvme.*/{name: io, kind: fio, file: job.fio, from: "host1..host3", to: host0}/' "$here/plans/pair.yaml" >pair.yaml
cat >job.fio <<'END'
[global]
ioengine=libaio
rw=randread
iodepth=4
bs=16k

[a]

[b]
bs=4k
END
digest() { gojq -r .digest; }

# One run: as the file would have it, for all its jobs and for one.
sed 's/^iodepth=4/iodepth=16/; s/^\[b\]/&\nnumjobs=3/' job.fio >other.fio
sed 's/job.fio/other.fio/' pair.yaml >other.yaml
changed=$("$program" run pair.yaml --set workloads.io.options.iodepth=16 --set workloads.io.jobs.b.numjobs=3 -o run.db --json | digest)
[ -n "$changed" ] && [ "$changed" = "$("$program" run other.yaml --json | digest)" ] && [ "$changed" != "$("$program" run pair.yaml --json | digest)" ] ||
    fail "options are not those of the file"
"$program" replay run.db >/dev/null || fail "replay: exit $?"
[ "$("$program" query run.db "SELECT path || ' ' || value || ' ' || set_by FROM setting WHERE path IN ('workloads.io/a.queue-depth', 'workloads.io/a.block-size')" | tail -n +2 | sort | tr '\n' ';')" = \
  'workloads.io/a.block-size 16KiB job.fio:7;workloads.io/a.queue-depth 16 --set:1;' ] || fail "settings: $("$program" query run.db "SELECT path, value, set_by FROM setting WHERE path LIKE '%io/a.%'")"

# Axes: what is chosen, of few and of all, and a cliff.
cat >plan.yaml <<'END'
stormglass-plan: 1
name: depth
scenario: pair.yaml
vary:
  - {path: workloads.io.options.iodepth, as: qd, values: {from: 1, to: 16, times: 2}}
  - {path: workloads.io.jobs.a.numjobs, as: jobs, values: [1, 2]}
  - {path: workloads.io.jobs.b.bs, as: bs, values: [4k, 16k]}
slo: ["io/a.latency.p99 < 60us", "io/b.goodput > 12Gbps"]
cliff:
  - {path: workloads.io.jobs.a.bs, as: a-bs, values: [16k, 32k, 64k]}
seeds: 3
END
"$program" plan plan.yaml --json -o few.db >few.json || fail "plan: exit $?"
"$program" plan plan.yaml --json --exhaustive >all.json || fail "exhaustive: exit $?"
[ "$(gojq -c .chosen few.json)" = "$(gojq -c .chosen all.json)" ] || fail "chosen: $(gojq -c .chosen few.json all.json)"
gojq -e '[.candidates[].verdict] | index("holds") != null and index("fails") != null' all.json >/dev/null || fail "all the same: $(gojq -c '[.candidates[] | [.name, .verdict]]' all.json)"
gojq -e '.cliff[0].holds_to != null' few.json >/dev/null || fail "cliff: $(gojq -c .cliff few.json)"

# The page has a map of each two axes, in their order.
"$program" report few.db -o few.html >/dev/null || fail "report: exit $?"
[ "$(sed -n '/id="map"/,/<\/section>/p' few.html | grep -o '<h3>[^<]*' | tr '\n' ';')" = '<h3>qd, by jobs;<h3>qd, by bs;<h3>jobs, by bs;' ] ||
    fail "maps: $(sed -n '/id="map"/,/<\/section>/p' few.html | grep -o '<h3>[^<]*')"

# Another job as a value: when its file changes, runs of before are of another plan.
sed 's/^iodepth=4/iodepth=2/' job.fio >two.fio
sed '/^vary/,/^slo/{/  - /d}; /^cliff/,/as: a-bs/d; s/^vary:/&\n  - {path: workloads.io.file, as: job-, values: [job.fio, two.fio]}/' plan.yaml >jobs.yaml
"$program" plan jobs.yaml -o jobs.db >jobs.txt || fail "jobs: exit $?"
"$program" plan jobs.yaml --resume jobs.db >again.txt && cmp -s jobs.txt again.txt || fail "jobs: resumed"
sed -i 's/^iodepth=2/iodepth=3/' two.fio
"$program" plan jobs.yaml --resume jobs.db >again.txt 2>err.txt; [ $? = 2 ] && grep -q 'written for another plan, or the plan has changed since' err.txt || fail "a job that has changed: $(cat err.txt again.txt)"

refused() { # TEXT SED
    sed "$2" plan.yaml >bad.yaml
    "$program" plan bad.yaml >/dev/null 2>err.txt; [ $? = 2 ] && grep -q "^bad.yaml:[0-9]*:[0-9]*: error: $1" err.txt || fail "$2: $(cat err.txt)"
}
refused "fio has no option 'iodepht'; did you mean 'iodepth'?" 's/options.iodepth/options.iodepht/'
refused "'job.fio' has no job 'c'" 's/jobs.b.bs/jobs.c.bs/'
refused 'this setting belongs to the fio job file: expected options' 's/options.iodepth/queue-depth/'
refused 'this setting belongs to the fio job file: expected options' 's/options.iodepth/iodepth/'
refused "fio has no option 'bz'" 's/jobs.a.bs/jobs.a.bz/'
sed -i '/libaio/d' job.fio
refused "the job's ioengine has at most one outstanding I/O" 's/x/x/'
exit $failed
