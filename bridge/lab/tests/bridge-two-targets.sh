# bridge-two-targets - Linux's host on two of our targets at once; one is killed and comes back, the other goes on.   SPDX-License-Identifier: Apache-2.0
# lab: nics=4 timeout=600 needs=bridge
. /lab/lib.sh

lab_four_nics
serve() { # HOST ADDRESS
    stormglass-bridge run /lab/cases/lab-two-targets.yaml --role target --foreign --as "$1" --address "$2" --serve --store memory \
        >>"$1.txt" 2>&1 &
}
serve host1 10.0.0.2
first=$!
serve host2 10.0.0.4
second=$!
trap 'cat host1.txt host2.txt; nvme list-subsys; dmesg | grep nvme | tail -n 30' EXIT
for host in host1 host2; do lab_listens $host.txt; done
modprobe nvme_rdma
for way in "10.0.0.2 10.0.0.1" "10.0.0.4 10.0.0.3"; do
    nvme discover -t rdma -a "${way% *}" -w "${way#* }" -s 4420 -q "$LAB_HOST" -I "$LAB_HOST_ID" >discovery.txt
    subsystem=$(sed -n 's/^subnqn: *//p' discovery.txt | grep -v discovery)
    nvme connect -t rdma -a "${way% *}" -w "${way#* }" -s 4420 -n "$subsystem" -q "$LAB_HOST" -I "$LAB_HOST_ID" -i 1 \
        --keep-alive-tmo=2 --reconnect-delay=1 --ctrl-loss-tmo=60
done
lab_await 30 [ -b /dev/nvme1n1 ] || lab_fail "there are not two namespaces"
lab_equal "subsystems" "$(nvme list-subsys | grep -c '^nvme-subsys')" 2
lab_equal "their names" "$(nvme list-subsys | sed -n 's/.*NQN=//p' | sort -u | wc -l)" 2
for n in 0 1; do
    dd if=/dev/urandom of=pattern$n bs=4k count=64 2>/dev/null
    dd if=pattern$n of=/dev/nvme${n}n1 bs=64k oflag=direct 2>/dev/null
done
for n in 0 1; do
    dd if=/dev/nvme${n}n1 of=back bs=64k count=4 iflag=direct 2>/dev/null
    cmp pattern$n back || lab_fail "target $n does not give what was written to it"
done
LAB_DEVICE=/dev/nvme1n1
lab_fio other --rw=randrw --bs=4k --iodepth=4 --runtime=12 --time_based --rate_iops=50,50 --size=8m \
    --randseed=1 --verify=crc32c --verify_backlog=64 &
fio=$!
sleep 2
kill -9 "$first"
sleep 4
serve host1 10.0.0.2
first=$!
wait "$fio"
grep -q '"error" : 0,' other.json || lab_fail "fio had errors"
lab_equal "reconnects" "$(dmesg | grep -c 'Successfully reconnected')" 1
lab_equal "lost controllers of the other target" "$(dmesg | grep -c 'nvme nvme1: .*reconnect')" 0
nvme disconnect-all
for target in "$first" "$second"; do
    kill "$target"
    lab_await 20 lab_gone "$target" || lab_fail "a target does not end"
done
