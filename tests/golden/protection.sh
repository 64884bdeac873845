#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Protection information: what a drive corrupts in silence is seen by the judge alone without it, and is a status with it; its bytes on
# the wire; and what check says of settings around it.
set -u
. tests/golden/outside

cat >silent.yaml <<'END'
stormglass: 1
name: silent
duration: 30ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts:
  defaults: {rnic: {profile: ideal}, nvme: {max-retries: 0}}
  targets: {where: host0, namespaces: [{media: null, size: 1MiB}]}
workloads: [{name: w, kind: nvme, from: host1, to: host0, read: 50%, block-size: 4KiB, queue-depth: 4, size: 1MiB}]
END
space='hosts.targets.namespaces[0]'
play() { # OPTION...
    "$program" run silent.yaml --record ios "$@" --json -o run.db >run.json 2>err
    [ $? -le 1 ] || fail "$*: $(cat err)"
}
holds() { gojq -e "$1" run.json >/dev/null || fail "not so: $1:" "$(gojq -c '.data, .workloads[0].failed, .workloads[0].corrupt, .controllers' run.json)"; }
corrupt() { printf 'faults=[{kind: silent-corruption, where: host0, at: 28ms, error: %s, every: 7}]' "$1"; }

play --set "$space.pi-type=1"
holds '.workloads[0].failed == 0 and .workloads[0].corrupt == 0 and .workloads[0].unfinished == 0 and .workloads[0].completed > 100'
for error in misdirected-read flipped-bit; do
    play --set "$(corrupt $error)"
    holds '.workloads[0].failed == 0 and .workloads[0].corrupt > 10'
    play --set "$(corrupt $error)" --set "$space.pi-type=1" --set hosts.defaults.nvme.pi-chk=none
    holds '.workloads[0].failed == 0 and .workloads[0].corrupt > 10'
    for act in false true; do
        play --set "$(corrupt $error)" --set "$space.pi-type=1" --set hosts.defaults.nvme.pi-act=$act
        holds '.workloads[0].failed > 10 and .workloads[0].corrupt == 0'
        status=$("$program" query --tabs run.db 'SELECT DISTINCT printf("%X", status) FROM io WHERE status <> 0' | tail -n +2 | tr '\n' ' ')
        [ "$status" = "$([ $error = flipped-bit ] && echo '282 ' || echo '284 ')" ] || fail "$error ends with: $status"
        # A read that went astray is good the next time; a bit that was flipped stays so.
        play --set "$(corrupt $error)" --set "$space.pi-type=1" --set hosts.defaults.nvme.pi-act=$act --set hosts.defaults.nvme.max-retries=3
        if [ $error = misdirected-read ]; then
            holds '.workloads[0].failed == 0 and .workloads[0].corrupt == 0 and .workloads[0].controllers.retried > 10'
        else
            holds '.workloads[0].failed > 10 and .workloads[0].corrupt == 0'
        fi
    done
done
# A write that went astray is found where it went, and where it should be the old data are right in all but their age; one that was
# lost is found nowhere.
play --set "$(corrupt misdirected-write)"
holds '.workloads[0].failed == 0 and .workloads[0].corrupt > 10'
play --set "$(corrupt misdirected-write)" --set "$space.pi-type=2"
holds '.workloads[0].failed > 10'
for type in 0 1; do
    play --set "$(corrupt lost-write)" --set "$space.pi-type=$type"
    holds '.workloads[0].failed == 0 and .workloads[0].corrupt > 10 and .data.stale + .data.lost > 10'
done
echo "ok    silent without, a status with"

# A cause by its name.
play --set "$(corrupt flipped-bit)" --set "$space.pi-type=1"
expect 'the cause' 0 'the target on host0 corrupted data' "$program" explain run.db
echo "ok    its cause"

# On the wire: 1,000 reads of 8 blocks have 64 bytes more each, in packets of a path MTU of 4096 one packet more; with PRACT none.
count='workloads=[{name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 4, size: 1MiB, count: 1000, stop: 100ms}]'
sent() {
    play --set "$count" --set duration=110ms "$@"
    "$program" query --tabs run.db "SELECT sum(value) FROM v_counter WHERE node = 'host0' AND name = 'tx_bytes_phy'" | tail -n 1
}
plain=$(sent) inserted=$(sent --set "$space.pi-type=1" --set hosts.defaults.nvme.pi-act=true) behind=$(sent --set "$space.pi-type=1")
holds '.workloads[0].completed == 1000 and .workloads[0].bytes == 4096000'
# As no data come in capsules, those of the queue's Connect are fetched: a READ of 62 + 16 bytes, and a key that is invalidated, 4.
[ $((inserted - plain)) = 82 ] || fail "PRACT: $inserted B instead of $plain B and 82"
# 64 bytes in a packet of their own: Ethernet 14 + FCS 4, IP 20, UDP 8, BTH 12, ICRC 4.
[ $((behind - inserted)) = $((1000 * (64 + 62))) ] || fail "behind each block: $behind B instead of $inserted B and $((1000 * 126))"
echo "ok    the wire"

expect 'nothing to check' 0 'host1: nvme.pi-act has no effect: no namespace that it uses has protection information' \
    "$program" check silent.yaml --set hosts.defaults.nvme.pi-act=true
expect 'never checked' 0 'host1: nvme.pi-chk is none: protection information of host0 is stored but never checked' \
    "$program" check silent.yaml --set "$space.pi-type=1" --set hosts.defaults.nvme.pi-chk=none
expect 'checked' 0 'silent.yaml: no findings' "$program" check silent.yaml --set "$space.pi-type=1"
sed 's/hosts: 2/hosts: 3/; s/from: host1/from: [host1, host2]/; s|^  targets|  overrides: [{where: host1, nvme: {pi-chk: guard+app+ref, app-tag: 7}}]\n&|' silent.yaml >tags.yaml
expect 'two tags' 0 'host1: checks for application tag 7, but host2 writes at host0 with 0: blocks of both hosts get Application Tag Check Error (283h)' \
    "$program" check tags.yaml --set "$space.pi-type=1"
echo "ok    check"
[ $failures = 0 ]
