# bridge-paths-ours - Linux's host on our target with two ports: list-subsys, ANA changes, a port pulled, data verified.   SPDX-License-Identifier: Apache-2.0
# lab: nics=4 timeout=900 needs=bridge
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_four_nics
lab_cables eth0 eth1 eth2 eth3
stormglass-bridge run /lab/cases/lab-paths.yaml --role target --foreign --address 10.0.0.2+10.0.0.4 --serve --store memory \
    --set 'faults=[{at: 6s, for: 4s, kind: ana-change, where: host1, port: 0, state: inaccessible}]' >target.txt 2>&1 &
target=$!
trap 'cat target.txt; nvme list-subsys; dmesg | grep nvme | tail -n 30' EXIT
lab_listens target.txt
begun=$(date +%s)
at() { # SECONDS: of the target's moment 0, which is the end of its lead
    local left=$((begun + 1 + $1 - $(date +%s)))
    [ "$left" -le 0 ] || sleep "$left"
}
states() { # OF-PORT-0 OF-PORT-1
    lab_value "paths.$(($(date +%s) - begun))" "$(lab_path 10.0.0.2), $(lab_path 10.0.0.4)"
    lab_equal "path to port 0" "$(lab_path 10.0.0.2)" "$1"
    lab_equal "path to port 1" "$(lab_path 10.0.0.4)" "$2"
    lab_equal "listed path to port 0" "$(lab_listed_path 10.0.0.2)" "$1"
    lab_equal "listed path to port 1" "$(lab_listed_path 10.0.0.4)" "$2"
}
is_back() { [ "$(lab_path 10.0.0.2)" = "live optimized" ]; }

lab_discover 10.0.0.2 || lab_fail "discovery does not name the subsystem"
for way in "10.0.0.2 10.0.0.1" "10.0.0.4 10.0.0.3"; do
    lab_connect "${way% *}" -w "${way#* }" -i 1 --keep-alive-tmo=2 --reconnect-delay=1 --ctrl-loss-tmo=120
done
lab_fio through --rw=randrw --bs=4k --iodepth=4 --runtime=30 --time_based --rate_iops=50,50 --size=8m --randseed=1 \
    --verify=crc32c --verify_backlog=64 &
fio=$!
at 3
states "live optimized" "live optimized"
at 8
states "live inaccessible" "live optimized"
at 12
states "live optimized" "live optimized"
lab_pull eth0 eth1
at 22
lab_equal "path to port 1 while port 0 is away" "$(lab_path 10.0.0.4)" "live optimized"
case $(lab_path 10.0.0.2) in live*) lab_fail "the path to port 0 lives without a wire" ;; esac
lab_plug eth0 eth1
wait "$fio"
grep -q '"error" : 0,' through.json || lab_fail "fio had errors"
lab_await 120 is_back || lab_fail "the path to port 0 does not come back"
lab_value paths.back "$(($(date +%s) - begun))"
lab_equal "reconnects" "$(dmesg | grep -c 'Successfully reconnected')" 1

# What was written by one path is read by the other.
dd if=/dev/urandom of=pattern bs=4k count=64 2>/dev/null
dd if=pattern of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null
lab_pull eth2 eth3
dd if=/dev/nvme0n1 of=back bs=64k count=4 iflag=direct 2>/dev/null
cmp pattern back || lab_fail "what was written is not what is read"
lab_plug eth2 eth3
lab_none_refused
nvme disconnect -n "$LAB_SUBSYSTEM" | grep -q 'disconnected 2' || lab_fail "nvme disconnect"
kill "$target"
lab_await 20 lab_gone "$target" || lab_fail "the target does not end"
