# survive - a thousand connects, ends that are killed in mid-I/O, a port that goes down, a device that is taken away.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=900 needs=bridge
. /lab/lib.sh

steady=/lab/cases/lab-steady.yaml

serve() { # a target that stays
    stormglass-bridge run "$1" --role target --address 10.0.0.2 --serve -o target.db >target.txt 2>&1 &
    target=$!
    lab_listens target.txt
}

host() { # CASE OPTION...: whose words are in host.txt
    stormglass-bridge run "$1" --role host --address 10.0.0.1 --peer 10.0.0.2 --lead 500ms --json >host.txt 2>&1
}

kill_bridges() { # EXCEPT
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" = /usr/bin/stormglass-bridge ] || continue
        [ "${process#/proc/}" = "$1" ] || kill -KILL "${process#/proc/}"
    done
}

descriptors() { ls "/proc/$1/fd" | wc -l; }
resident() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# What rxe and the CM hold for it; the kernel takes them down a moment after the disconnect.
objects() { rdma resource show | awk '{ for (i = 3; i < NF; i += 2) sum += $(i + 1) } END { print sum }'; }

counts() { grep -o '"issued": [0-9]*, "completed": [0-9]*, "failed": [0-9]*, "unfinished": [0-9]*' host.txt; }

wait_for() { # PID SECONDS WHAT
    lab_await "$2" lab_gone "$1" || lab_fail "$3 hangs: $(cat host.txt target.txt)"
    code=0
    wait "$1" || code=$?
}

many_connects() {
    serve /lab/cases/lab-connects.yaml
    for round in 1 2 3 4 5 6 7 8 9 10; do
        host /lab/cases/lab-connects.yaml || { cat host.txt; lab_fail "round $round of a hundred connects"; }
        sleep 1
        echo "after ${round}00 connects: $(descriptors $target) descriptors, $(resident $target) kB, $(objects) objects"
        if [ "$round" = 2 ]; then
            fds=$(descriptors $target) kb=$(resident $target) held=$(objects)
        fi
    done
    lab_equal "descriptors of the target after a thousand connects" "$(descriptors $target)" "$fds"
    lab_equal "objects of verbs after a thousand connects" "$(objects)" "$held"
    [ "$(resident $target)" -le $((kb + 1024)) ] || lab_fail "the target grew from $kb to $(resident $target) kB"
    kill -TERM $target
    wait_for $target 20 "the target"
}

killed_target() {
    serve $steady
    host $steady &
    host=$!
    sleep 2
    kill -KILL $target
    wait $target || :
    wait_for $host 60 "the host whose target was killed"
    counts
    lab_equal "exit code of the host whose target was killed" "$code" 1
}

killed_host() {
    serve $steady
    host $steady &
    host=$!
    sleep 2
    kill_bridges "$target"
    wait $host || :
    host $steady || { cat host.txt target.txt; lab_fail "the next host is not served"; }
    kill -TERM $target
    wait_for $target 20 "the target whose host was killed"
}

port_down() {
    serve $steady
    host $steady &
    host=$!
    sleep 2
    ip link set eth0 down
    sleep 1
    ip link set eth0 up
    ip route add 10.0.0.2/32 dev eth0 src 10.0.0.1
    wait_for $host 90 "the host whose port was down"
    counts
    echo "the host left with $code"
    [ "$code" -le 1 ] || { cat host.txt; lab_fail "exit code of the host whose port was down: $code"; }
    kill -TERM $target
    wait_for $target 20 "the target"
}

taken_device() {
    serve $steady
    host $steady &
    host=$!
    sleep 2
    rdma link delete rxe0 &
    deletion=$!
    wait_for $host 60 "the host whose device was taken away"
    tail -n 1 host.txt
    lab_equal "exit code of the host whose device was taken away" "$code" 3
    wait_for $deletion 60 "rdma link delete"
    rdma link add rxe0 type rxe netdev eth0
    kill -TERM $target
    wait_for $target 20 "the target"
}

lab_two_nics
failed=
# The port is last: with it go what the kernel knew of its routes.
for step in many_connects killed_target killed_host taken_device port_down; do
    echo "--- $step at $(cut -d ' ' -f 1 /proc/uptime) s"
    ($step) || failed="$failed $step"
    kill_bridges none # of a step that failed nothing is in the way of the next
done
[ -z "$failed" ] || lab_fail "$failed"
