#!/bin/bash
# plan by many processes - shares, ranks of MPI, some of them killed: one database whoever played; twice dead is told.
#                                                                       SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${STORMGLASS:?}
work=${TMPDIR:-/tmp}/plan-many.$$
mkdir -p "$work" && cd "$work" || exit 3
trap 'rm -rf "$work"' EXIT
cp "$here/plans/pair.yaml" .
failed=0
fail() { echo "FAIL: $*"; failed=1; }
dump() { sqlite3 "$1" .dump | sort; }

cat >both.yaml <<'END'
stormglass-plan: 1
name: both
scenario: pair.yaml
vary:
  - {path: fabric.host-links.rate, as: rate, values: [10Gbps, 25Gbps, 40Gbps], better: higher}
  - {path: workloads.io.queue-depth, as: qd, values: {from: 2, to: 16, times: 2}, better: higher}
slo: ["io.latency.p99 < 120us", "io.goodput > 20Gbps"]
prices: {currency: EUR, parts: [{part: nic, rate: 10Gbps, price: 100}, {part: nic, rate: 25Gbps, price: 200}, {part: nic, rate: 40Gbps, price: 300}]}
cliff: [{path: workloads.io.block-size, as: bs, values: [16KiB, 64KiB]}]
seeds: 3
END
"$program" plan both.yaml -j 2 -o one.db >one.txt || fail "exit $?"
same() { # NAME
    cmp -s one.txt "$1.txt" || fail "$1: another answer: $(diff one.txt "$1.txt" | head -3)"
    [ "$(dump one.db)" = "$(dump "$1.db")" ] || fail "$1: another database: $(diff <(dump one.db) <(dump "$1.db") | head -3)"
}

# --- Slurm: its scripts as it would begin them; a task that did not run is made up for -------------------------------

"$program" plan both.yaml --slurm tasks -j 2 >told.txt || fail "--slurm: exit $?"
tasks=$(sed -n 's/^#SBATCH --array=1-//p' tasks/plan.sbatch)
[ "$(cat told.txt)" = "$tasks tasks: tasks/submit.sh" ] && [ "$tasks" = "$("$program" plan both.yaml --list --json | gojq '[.candidates[] | select(.verdict == "open")] | length')" ] ||
    fail "--slurm says $(cat told.txt)"
for script in plan.sbatch gather.sbatch submit.sh; do bash -n tasks/$script || fail "$script"; done
# As sbatch reads them (its own parser needs a controller; with one: tests/plans/slurm): options before the first command, each known,
# with a value of its form.
for script in plan.sbatch gather.sbatch; do
    awk 'NR == 1 { well = /^#!\// } !/^#/ && NF { begun = 1 } /^#SBATCH/ { lines++; if (begun) well = 0
            if ($0 !~ /^#SBATCH --(job-name=[A-Za-z0-9._+%-]+|array=1-[1-9][0-9]*|ntasks=1|cpus-per-task=[1-9][0-9]*|output=[A-Za-z0-9.%-]+)$/) well = 0 }
         END { exit !(well && lines >= 4) }' tasks/$script || fail "$script: sbatch would not take it: $(cat tasks/$script)"
done
for ((task = 1; task <= tasks; task++)); do
    [ $task = 3 ] || SLURM_ARRAY_TASK_ID=$task bash tasks/plan.sbatch >>log || fail "share $task: exit $?: $(tail -n 1 log)"
done
bash tasks/gather.sbatch >gathered.txt || fail "gather: exit $?"
cp tasks/plan.db gathered.db
same gathered
[ "$(sqlite3 tasks/share-1.db 'SELECT count(*) FROM run')" -gt 0 ] || fail "a share played nothing"
for wrong in '--share 0/3' '--share 4/3' '--share 3' '--share 1/3 --list' '--gather nowhere' '--slurm tasks --json --csv'; do
    "$program" plan both.yaml $wrong >/dev/null 2>err.txt; [ $? = 2 ] && grep -q . err.txt || fail "$wrong: $(cat err.txt)"
done
sed 's/120us/100us/' both.yaml >changed.yaml
"$program" plan changed.yaml --gather tasks >/dev/null 2>err.txt; [ $? = 2 ] && grep -q 'for another plan' err.txt || fail "shares of another plan: $(cat err.txt)"

# --- a run whose process dies is played again; one that dies twice is told, with its command -------------------------

sed 's/duration: 1ms/duration: 300ms/' pair.yaml >long.yaml
sed 's/pair.yaml/long.yaml/; s/\[10Gbps, 25Gbps, 40Gbps\]/[25Gbps]/; s/from: 2, to: 16/from: 2, to: 2/; /^cliff/d' both.yaml >dead.yaml
"$program" plan dead.yaml -j 1 -o dead.db >dead.txt &
plan=$!
victims=
while [ "$(wc -w <<<"$victims")" -lt 2 ] && kill -0 $plan 2>/dev/null; do
    for child in $(cat /proc/$plan/task/$plan/children 2>/dev/null); do
        case " $victims " in *" $child "*) ;; *) kill -9 "$child" 2>/dev/null && victims="$victims $child" ;; esac
    done
done
wait $plan
code=$?
[ $code = 4 ] || fail "twice dead: exit $code"
grep -q '25G rate, 2 qd .*: undecided' dead.txt && grep -q "a run's process crashed twice" dead.txt &&
    grep -q '^      stormglass run long.yaml .*--set workloads.io.queue-depth=2 --set seed=1$' dead.txt &&
    [ -z "$(grep -A 1 '^      stormglass run long.yaml' dead.txt | tail -n 1)" ] || fail "twice dead: $(cat dead.txt)"
"$program" plan dead.yaml --resume dead.db >alive.txt || fail "resumed after a death: exit $?"
grep -q '^Chosen          25G rate, 2 qd' alive.txt || fail "resumed after a death: $(cat alive.txt)"

# --- ranks of MPI, where the program was built with it ---------------------------------------------------------------

if [ ! -x "$(dirname "$program")/stormglass-mpi" ] || ! command -v mpirun >/dev/null; then
    echo "plan-many: without Open MPI, ranks are not tried"
    exit $failed
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { timeout 300 mpirun --oversubscribe -n 2 "$program" plan "$@"; }
ranks both.yaml -o ranks.db >ranks.txt 2>err.txt || fail "2 ranks: exit $?: $(cat err.txt)"
same ranks
ranks no.yaml >out.txt 2>err.txt; [ $? = 2 ] && [ "$(grep -c 'no.yaml:1:1: error' err.txt)" = 1 ] || fail "no plan: $(cat err.txt)"
# Rank 1 is killed, which ends all; what was played is there.
sed 's/pair.yaml/long.yaml/; s/from: 2, to: 16/from: 2, to: 4/; /^cliff/d' both.yaml >kill.yaml
sed -i 's/300ms/20ms/' long.yaml
"$program" plan kill.yaml -j 2 -o one.db >one.txt || fail "kill.yaml: exit $?"
mpirun --oversubscribe -n 2 "$program" plan kill.yaml -o killed.db >/dev/null 2>&1 &
mpirun=$!
for ((i = 0; i < 200; i++)); do
    [ -e killed.db ] && [ "$(sqlite3 killed.db 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -gt 0 ] && break
    sleep 0.05
done
rank=$(cat /proc/$mpirun/task/$mpirun/children 2>/dev/null | awk '{ print $NF }')
[ -n "$rank" ] && kill -9 "$rank" 2>/dev/null
wait $mpirun
ranks kill.yaml --resume killed.db >killed.txt 2>err.txt || fail "resumed by ranks: exit $?: $(cat err.txt)"
same killed
exit $failed
