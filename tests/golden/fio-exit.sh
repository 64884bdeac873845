#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# exitall of a fio file: jobs that end with another one have issued by then exactly what they issue by then in a run
# without exitall, and complete it; all other jobs run as long as they would, and jobs that have not begun never do.
set -u
. tests/golden/outside

scenario() { # TRANSPORT
    cat >exit.yaml <<Y
stormglass: 1
name: exit
seed: 1
duration: 40ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: fixed, size: 1GiB}]}}
workloads: [{name: w, kind: fio, file: job.fio, from: host0, to: host1, transport: $1}]
Y
}

# The jobs: two of the group of the first, one of another group, one behind a barrier.
jobs() { # OPTIONS OF THE FIRST
    printf '%b\n' '[global]\nioengine=libaio\nrw=randread\nbs=4k\nsize=64m\nnumber_ios=400' \
        "[short]\niodepth=2\nnumber_ios=40\n$1" '[peer]\niodepth=8\nnumjobs=2' '[other]\nnew_group\niodepth=4' \
        '[later]\nstonewall\niodepth=8' >job.fio
}

counts() { # DATABASE: what each job has issued and completed
    "$program" query --tabs "$1" 'SELECT name, issued, completed FROM workload ORDER BY workload' | tail -n +2 | tr '\t\n' ' ;'
}

# In the run without exitall: what a job has issued when the first one is done.
so_far() { # JOB
    "$program" query --tabs all.db "SELECT count(*) FROM io JOIN workload w USING(workload) WHERE w.name='w/$1' AND
        issued_ps<=(SELECT last_completion_ps FROM workload WHERE name='w/short')" | tail -n 1
}

for transport in rdma tcp; do
    scenario $transport
    jobs ''
    "$program" run exit.yaml --record ios -o all.db >out 2>&1 || fail "$transport: exit code $?: $(cat out)"
    whole='w/short 40 40;w/peer 800 800;w/other 400 400;w/later 400 400;'
    [ "$(counts all.db)" = "$whole" ] || fail "$transport, without exitall: $(counts all.db)"
    peer=$(so_far peer) other=$(so_far other)
    { [ "$peer" -gt 40 ] && [ "$peer" -lt 800 ] && [ "$other" -gt 40 ] && [ "$other" -lt 400 ]; } ||
        fail "$transport: the first job is not the first to end: $peer, $other"
    cut_peer="w/short 40 40;w/peer $peer $peer;" cut_other="w/other $other $other;"
    while IFS='|' read -r options wanted; do
        jobs "$options"
        "$program" run exit.yaml -o ended.db >out 2>&1 || fail "$transport, $options: exit code $?: $(cat out)"
        [ "$(counts ended.db)" = "$wanted" ] || fail "$transport, $options: $(counts ended.db) instead of $wanted"
    done <<ROWS
exitall=0\nexit_what=all|$whole
exitall|${cut_peer}w/other 400 400;w/later 400 400;
exitall\nexit_what=stonewall|$cut_peer${cut_other}w/later 400 400;
exitall\nexit_what=all|$cut_peer${cut_other}w/later 0 0;
ROWS
done
[ $failures = 0 ]
