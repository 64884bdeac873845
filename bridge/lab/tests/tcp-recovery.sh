# tcp-recovery - each segment of an exchange of NVMe/TCP is lost once, with Linux at one end: how the kernel repairs the loss
# (tcp-recovery.check compares it with the model).                  SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=3000 needs=bridge asked=yes
. /lab/lib.sh

LAB_SUBSYSTEM=nqn.2014-08.org.nvmexpress:stormglass
lab_cross eth0 10.0.0.1 eth1 10.0.0.2
lab_local_last
# One segment a frame, also for the receiver; 10 ms each way, as in the scenarios; nothing learned from earlier connections.
modprobe sch_netem
for nic in eth0 eth1; do
    ethtool -K $nic gro off
    /sbin/tc qdisc add dev $nic root netem delay 10ms limit 100000
done
echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
modprobe crc32c_generic # for libcrc32c, which nf_tables needs
modprobe nf_tables
modprobe nft_numgen

# Segments with data and SYNs are longer than 52 bytes of IP; ACKs are not, before something is lost.
nft -f - <<'RULES'
table netdev loss {
    chain host { type filter hook ingress device "eth0" priority 0; }
    chain target { type filter hook ingress device "eth1" priority 0; }
}
RULES
lose() { # host|target N: the N-th, from 0, of those that arrive there; one beyond all of them counts them
    printf '%s\n' "flush chain netdev loss $1" \
        "add rule netdev loss $1 meta l4proto tcp ip length > 52 counter numgen inc mod 65536 $2 counter drop" | nft -f -
}
arrived_and_lost() { # host|target; no more are lost
    nft list chain netdev loss "$1" | sed -n 's/.*length > 52 counter packets \([0-9]*\).*counter packets \([0-9]*\).*/\1 \2/p'
    nft flush chain netdev loss "$1"
}

counters() { # timeouts, probes, recoveries, segments sent again
    awk '!($1 in names) { names[$1] = NR; for (i = 2; i <= NF; i++) name[$1, i] = $i; next }
        { for (i = 2; i <= NF; i++) value[name[$1, i]] += $i }
        END { print value["TCPTimeouts"], value["TCPLossProbes"], value["TCPSackRecovery"] + value["TCPRenoRecovery"], value["RetransSegs"] }' \
        /proc/net/netstat /proc/net/snmp
}

ours() {
    stormglass-bridge run /lab/files/ours.yaml --role host --address 10.0.0.1 --peer 10.0.0.2 --lead 100ms --faults external \
        >words.txt 2>&1
}
linux() {
    echo "transport=tcp,traddr=10.0.0.2,trsvcid=4420,host_traddr=10.0.0.1,nqn=$LAB_SUBSYSTEM,hostnqn=$LAB_HOST,\
hostid=$LAB_HOST_ID,nr_io_queues=1,keep_alive_tmo=100" >/dev/nvme-fabrics
    lab_await 30 [ -b /dev/nvme0n1 ] || lab_fail "the namespace did not come"
    dd if=pattern of=/dev/nvme0n1 oflag=direct bs=4k count=1
    dd if=/dev/nvme0n1 of=/dev/null iflag=direct bs=4k count=1
    dd if=pattern of=/dev/nvme0n1 oflag=direct bs=64k seek=1 count=1
    dd if=/dev/nvme0n1 of=/dev/null iflag=direct bs=64k skip=1 count=1
    echo 1 >/sys/class/nvme/nvme0/delete_controller
    lab_await 30 [ ! -e /dev/nvme0n1 ] || lab_fail "the namespace stays"
}

# One exchange.  A ping, whose size is the number of the run, precedes it in the capture.
run=0
play() { # HOST WHERE N
    local before
    run=$((run + 1))
    ping -c 1 -s $((100 + run)) 10.0.0.2 >/dev/null
    lose "$2" "$3"
    before=$(counters)
    "$1" >said.txt 2>&1 || { cat words.txt said.txt; lab_fail "$1 with segment $3 of those to the $2 lost"; }
    sleep 2 # until the connections have ended
    LAB_SEEN=$(arrived_and_lost "$2")
    echo "$before $(counters)" | awk -v run="run $run $1 $2 $3 lost ${LAB_SEEN#* }" '{ print run, $5 - $1, $6 - $2, $7 - $3, $8 - $4 }'
    LAB_SEEN=${LAB_SEEN% *}
}

losses() { # HOST
    local where count n
    for where in target host; do
        play "$1" $where 65000
        count=$LAB_SEEN
        n=0
        while [ $n -lt "$count" ]; do
            play "$1" $where $n
            n=$((n + 1))
        done
    done
}

# Our host and Linux's target.
modprobe brd rd_nr=1 rd_size=65536
LAB_TRANSPORT=tcp
lab_target 10.0.0.2 /dev/ram0
losses ours
rm /sys/kernel/config/nvmet/ports/1/subsystems/target
sleep 5

# Linux's host and our target.
modprobe nvme_tcp
head -c 65536 /dev/zero >pattern
stormglass-bridge run /lab/files/linux.yaml --role target --address 10.0.0.2 --serve --foreign --store memory --faults external \
    >target.txt 2>&1 &
LAB_TARGET=$!
lab_listens target.txt
losses linux
lab_end_target
