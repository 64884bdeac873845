#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --store from outside and without a device: what cannot be played leaves no file behind, and what was there is as it was.
set -u
. tests/golden/outside

cat >scenario.yaml <<'YAML'
stormglass: 1
name: stores
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 2}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "null", count: 2}]}}
workloads: [{name: w, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, count: 2}]
YAML

target=("$program" bridge run scenario.yaml --role target --address 10.0.0.1)
# NAME CODE WORDS STORES...
nothing_left() {
    expect "$1" "$2" "$3" "${target[@]}" "${@:4}"
    ! compgen -G '*.disk' >/dev/null || { fail "$1: $(echo ./*.disk) was left behind"; rm -f ./*.disk; }
}
nothing_left 'a later one fails' 2 '--store file:none/b.disk: No such file' --store file:a.disk --store file:none/b.disk
nothing_left 'one file for two' 2 'it is in use' --store file:a.disk
nothing_left 'no device' 3 'RDMA device' --store file:a.disk --store file:b.disk
: >empty
echo 0123456789 >small
expect 'an option that is none' 2 'stormglass-bridge: run: unknown option --stor; did you mean --store?' \
    "${target[@]}" --stor null
expect 'a small one' 2 'smaller than a block' "${target[@]}" --store file:empty --store file:small
[ ! -s empty ] && [ -e empty ] || fail 'a file that was empty is not, or it is gone'
[ "$(cat small)" = 0123456789 ] || fail 'a file that was there has changed'
[ $failures = 0 ]
