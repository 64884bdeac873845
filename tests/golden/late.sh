#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# When a workload works is nothing that limits it or harms it: begun later, stopped long before the end, or beside another that
# works all the time, it is said to be limited by the same link, and by the same paused port.
# Hazards: the time without work counts, and a full link is said to be 27 % used, or who is paused half of the time a tenth.
set -u
causes=$(realpath tests/golden/words/causes)
. tests/golden/outside

cat >load.yaml <<'END'
stormglass: 1
name: load
duration: 500us
fabric:
  topology: {kind: single-switch, hosts: 6}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: w, kind: rdma-write, from: "host1..host3", to: host0, message-size: 64KiB, outstanding: 4}
END
sed 's/duration: 500us/duration: 5ms/; s/outstanding: 4}/outstanding: 4, start: 4500us}/' load.yaml >begins-late.yaml
sed 's/duration: 500us/duration: 5ms/; s/outstanding: 4}/outstanding: 4, stop: 500us}/' load.yaml >stops-early.yaml
for name in begins-late stops-early; do
    cp $name.yaml $name-beside.yaml
    echo '  - {name: trickle, kind: rdma-write, from: host4, to: host5, message-size: 4KiB, outstanding: 1, rate: 2000}' >>$name-beside.yaml
done
for name in load begins-late stops-early begins-late-beside stops-early-beside; do
    "$program" run $name.yaml -o run.db >out || fail "$name: exit code $?"
    grep -q '^Bottleneck *link: switch0:p0 to host0 is \(100\|99\)% busy' out || fail "$name: $(grep Bottleneck out)"
done

# The same cause, the same severity and the same loss, 2 ms later: NAME LATER...
later() {
    local name=$1 options
    shift
    for when in now later; do
        options=()
        [ $when = now ] || options=("$@")
        "$program" run "$causes/$name.yaml" --json ${options[@]+"${options[@]}"} >$when.json 2>err
        [ $? -le 1 ] || fail "$name, $when: $(cat err)"
        gojq -c '[.harm.severity, .causes[0].name]' $when.json >$when.says
        gojq '.causes[0].victims[0].lost_share' $when.json >$when.lost
    done
    cmp -s now.says later.says || fail "$name: $(cat now.says later.says)"
    awk -v "a=$(cat now.lost)" -v "b=$(cat later.lost)" 'BEGIN { exit !(a > 0.1 && b > 0.8 * a && b < 1.25 * a) }' ||
        fail "$name: lost $(cat now.lost), and later $(cat later.lost)"
}
later alpha --set duration=3ms --set workloads.oltp.start=2ms --set workloads.backup.start=2ms --set faults.0.at=2ms
later pause-storm --set duration=4ms --set workloads.oltp.start=2ms --set workloads.backup.start=2ms \
    --set workloads.mirror.start=2ms --set faults.0.at=2748us
later slow-drive --set duration=22ms --set workloads.db.start=2ms
[ $failures = 0 ] && echo ok
exit $((failures > 0))
