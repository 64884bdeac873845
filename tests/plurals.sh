#!/bin/bash
# plurals - no "1 operations failed".                              SPDX-License-Identifier: Apache-2.0
# The format strings of the sources take every noun and verb that a count may precede from plural(); so does whatever the
# program prints of a run that has one of everything, and all output that golden tests expect.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 3
. tests/golden/outside
sources=$top/tests/plurals/sources.py outputs=$top/tests/plurals/outputs.py

# --- the searches find what they look for, and nothing else -----------------------------------------------------------

cat >bad.c <<'EOF'
void f(void)
{
    printf("%u operations failed\n", failed);
    printf("%s lossless frames dropped\n", words_count(drops).text);
    printf("%" PRIu64 " of its %" PRIu64
           " queue pairs\n", some, all);
    printf("%zu %s are more\n", count, plural(count, "node", "nodes"));
    printf("%u were refused\n", refused);
    printf("%u host%s\n", hosts, hosts == 1 ? "" : "s");
    printf("%s: %*d NAKs\n", name, width, naks);
    printf("%u %s that are not RoCE\n", others, plural(others, "frame", "frames"));
}
EOF
cat >good.c <<'EOF'
void f(void)
{
    printf("%u %s failed\n", failed, plural(failed, "operation", "operations"));
    printf("at most %d hosts\n", HOSTS_MAX);
    printf("priority %u leaves %lld B of %s frames\n", priority, bytes, name);
    printf("%u ms, %u Gb/s, %s\n", ms, rate, hosts == 1 ? "%d" : "1/%d");
    printf("%u %s not RoCE\n", others, plural(others, "frame that is", "frames that are"));
    printf("class %d hops %d retries %d\n", class, hops, retries);
}
EOF
"$sources" bad.c >found
[ "$(sed 's/^bad.c:\([0-9]*\):.*/\1/' found | sort -un | tr '\n' ' ')" = '3 4 5 7 8 9 10 11 ' ] || fail "sources: $(cat found)"
"$sources" good.c >found || fail "sources finds too much: $(cat found)"
printf '%s\n' '  severe: 1 pair of hosts lost 20.0 ms, 1 operations failed' '1 idle queue pairs' 'x, 1 CNPs, y' '<b>1</b> hosts' >bad.txt
printf '%s\n' '11 operations' '1.1 frames' '1,001 frames' 'p1 frames' 'in 1 of 3 runs' '1 is less' 'priority 1 frames=3' >good.txt
"$outputs" bad.txt >found
[ "$(wc -l <found)" = 4 ] || fail "outputs: $(cat found)"

# --- sources ------------------------------------------------------------------------------------------------------------

(cd "$top" && "$sources" model scenarios replay reports cli bridge) >found || fail "sources: $(cat found)"

# --- outputs ------------------------------------------------------------------------------------------------------------

(cd "$top" && find tests/golden -type f ! -name '*.sh' ! -name '*.[ch]' ! -name '*.yaml' ! -path '*/words/said' -print0 |
    xargs -0 "$outputs" README.md docs/man/*.[1-9]) >found || fail "expected outputs: $(cat found)"

# One of everything: a pair of hosts, a message, a command, a drop, a retransmission, a retry.
cat >one.yaml <<'EOF'
stormglass: 1
name: one
about: One pair of hosts.
seed: 1
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 2}
  switch: {profile: shared-buffer-32mb, pfc: {priorities: [3]}}
hosts:
  targets: {where: host0, namespaces: [{media: flash-tlc, count: 1}]}
workloads:
  - {name: io, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, queues: 1, count: 1}
  - {name: raw, kind: rdma-write, from: host1, to: host0, message-size: 1KiB, outstanding: 1, count: 1}
EOF
sed -e 's/^name: one/name: worse/' -e '/^  switch:/a\  overrides: [{where: "link host0-switch0", mtu: 1500B}]' one.yaml >worse.yaml
sed -e 's/^name: one/name: crash/' -e 's/, count: 1}$/}/' one.yaml >crash.yaml
echo 'faults: [{at: 300us, for: 300us, kind: target-crash, where: host0}, {at: 900us, kind: link-down, where: "link host0-switch0"}]' >>crash.yaml
for name in one worse crash; do
    {
        "$program" check $name.yaml
        "$program" run $name.yaml --waits --record packets -o $name.db
        "$program" run $name.yaml --seeds 1
        "$program" explain $name.db --prove
        "$program" explain $name.db --what-if
        "$program" explain $name.db --queue
        "$program" report $name.db
        "$program" report $name.db --text
        "$program" counters $name.db --as sonic
        "$program" draw $name.db -o fabric.svg && cat fabric.svg
        "$program" draw $name.db --what pauses -o pauses.svg && cat pauses.svg
        "$program" draw $name.db --what io 0 -o io.svg && cat io.svg
        "$program" replay $name.db
        "$program" pcap $name.db -o $name.pcapng
        "$program" compare --wire $name.pcapng | sed "s/^[0-9]* //" # the number of the connection
        printf '%s\n' 'show host0' 'until 2us' 'show host1' 'show host0' 'show io' 'why io' 'until 10us' 'show host1' 'show raw' 'why raw' 'show switch0' 'where' |
            "$program" step $name.yaml
    } >$name.out 2>&1
    "$outputs" $name.out >found || fail "$name: $(cat found)"
    [ "$(wc -l <$name.out)" -gt 200 ] || fail "$name: too little to look at: $(cat $name.out)"
done
{
    "$program" diff one.db worse.db
    "$program" report one.db worse.db
    "$program" compare --any one.db worse.db
    "$program" compare --wire one.pcapng worse.pcapng
} >two.out 2>&1
"$outputs" two.out >found || fail "of two: $(cat found)"
[ $failures = 0 ] && echo "ok    plurals"
