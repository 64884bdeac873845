# lib - what the tests in the guest share.                          SPDX-License-Identifier: Apache-2.0
# A test begins with `. /lab/lib.sh`, is run by `sh -eu` in /tmp, and fails by leaving with any code but 0.
# 77: it cannot be run here, and its last line says why.  Files in /tmp/keep are brought to the host.

LAB_SUBSYSTEM=nqn.2026-01.lab.stormglass:target
LAB_HOST=nqn.2026-01.lab.stormglass:host
LAB_HOST_ID=5d1c5a40-0000-4000-8000-000000000001
LAB_TRANSPORT=rdma # of Linux's target

lab_fail() { echo "FAILED: $*"; exit 1; }
lab_skip() { echo "SKIPPED: $*"; exit 77; }

# A number that the host's part of the test reads from the log.
lab_value() { echo "value $1 $2"; }

# lab_await SECONDS COMMAND...: until the command succeeds.
lab_await() {
    local left=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}

lab_gone() { ! kill -0 "$1"; } # PID

lab_equal() { [ "$2" = "$3" ] || lab_fail "$1: $2 instead of $3"; }

lab_configfs() {
    modprobe configfs
    grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs none /sys/kernel/config
}

# LAB_LINK is the kind of the devices: rxe (RoCE v2), or siw (iWARP).
lab_rdma() { # INTERFACE...: a device on each; the checksum of its frames first, or the driver cannot find it
    local nic link=${LAB_LINK:-rxe}
    case $link in
    rxe) modprobe crc32_generic && modprobe rdma_rxe ;;
    siw) modprobe crc32c_generic && modprobe siw ;;
    esac
    modprobe rdma_ucm
    lab_configfs
    for nic; do rdma link add "$link${nic#eth}" type "$link" netdev "$nic"; done
}

# lab_nics ADDRESS...: an interface for each, of one of two machines.
lab_nics() {
    local nic=0 all= address
    for address; do
        ip link set eth$nic up
        ip addr add "$address/24" dev eth$nic
        all="$all eth$nic"
        nic=$((nic + 1))
    done
    # shellcheck disable=SC2086 # a list of words
    lab_rdma $all
}

# lab_cross NIC ADDRESS OTHER ADDRESS [MTU]: frames between the two cross the wire: each address is reached through the
# other's interface, and only what came in from the wire is looked up as local.
lab_cross() {
    local setting nic mtu=${5:-1500}
    for nic in "$1" "$3"; do
        for setting in accept_local=1 rp_filter=0 arp_ignore=1; do
            echo "${setting#*=}" >"/proc/sys/net/ipv4/conf/$nic/${setting%=*}"
        done
        echo 1 >"/proc/sys/net/ipv6/conf/$nic/disable_ipv6"
        ip link set "$nic" mtu "$mtu" up
        ip rule add pref $((10 + ${nic#eth})) iif "$nic" lookup local
    done
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    ip addr add "$2/32" dev "$1"
    ip addr add "$4/32" dev "$3"
    ip route add "$4/32" dev "$1" src "$2"
    ip route add "$2/32" dev "$3" src "$4"
}
lab_local_last() {
    ip rule add pref 32768 lookup local
    ip rule del pref 0
}

# lab_two_nics [MTU]: 10.0.0.1 on eth0 and 10.0.0.2 on eth1.
lab_two_nics() {
    lab_cross eth0 10.0.0.1 eth1 10.0.0.2 "$@"
    lab_local_last
    lab_rdma eth0 eth1
}

# lab_four_nics: two fabrics, 10.0.0.1 on eth0 and 10.0.0.2 on eth1, 10.0.0.3 on eth2 and 10.0.0.4 on eth3.
lab_four_nics() {
    lab_cross eth0 10.0.0.1 eth1 10.0.0.2
    lab_cross eth2 10.0.0.3 eth3 10.0.0.4
    lab_local_last
    lab_rdma eth0 eth1 eth2 eth3
}

# lab_cables NIC...: these can be pulled and plugged; before the first frame of RoCE.  lab_pull NIC...: no frame leaves
# them; lab_plug NIC...: frames do again.  Only the loss of a queue that is there changes.  A queue that is added or
# deleted stops the interface for a moment: frames are refused then, not lost, and with Linux 6.12 a queue pair
# of rxe fails for good with the first refused frame, that of the connection manager too.  An interface that is set down
# takes its routes with it, which comes to the same.
lab_cables() {
    local nic
    modprobe sch_netem
    for nic; do /sbin/tc qdisc add dev "$nic" root netem limit 100000; done
}
lab_pull() {
    local nic
    for nic; do /sbin/tc qdisc change dev "$nic" root netem limit 100000 loss 100%; done
}
lab_plug() {
    local nic
    for nic; do /sbin/tc qdisc change dev "$nic" root netem limit 100000 loss 0%; done
}

# No frame of RoCE was refused; lost ones do not count.
lab_none_refused() {
    lab_equal "frames that the kernel refused" "$(cat /sys/class/infiniband/*/ports/1/hw_counters/send_err | grep -v -x 0)" ""
}

# lab_port NUMBER ADDRESS: a port of Linux's target, with the subsystem; LAB_TRANSPORT: rdma or tcp.
lab_port() {
    local port=/sys/kernel/config/nvmet/ports/$1
    mkdir -p "$port"
    echo "$LAB_TRANSPORT" >"$port/addr_trtype"
    echo ipv4 >"$port/addr_adrfam"
    echo "$2" >"$port/addr_traddr"
    echo 4420 >"$port/addr_trsvcid"
    ln -s "/sys/kernel/config/nvmet/subsystems/$LAB_SUBSYSTEM" "$port/subsystems/target"
}

# lab_linux_ports: four NICs, and Linux's target on the second and the fourth.
lab_linux_ports() {
    lab_four_nics
    modprobe brd rd_nr=1 rd_size=65536
    lab_target 10.0.0.2 /dev/ram0
    lab_port 2 10.0.0.4
}

# lab_path ADDRESS: the state of the path to it, "live optimized", read from sysfs.  `nvme list-subsys DEVICE` prints the
# same, but it sends commands by each path: on one that has lost its wire it can wait for a minute until they time out.
lab_path() {
    local controller
    for controller in /sys/class/nvme/nvme*; do
        case $(cat "$controller/address") in
        traddr="$1",*) echo "$(cat "$controller/state") $(cat "$controller"/nvme*c*n1/ana_state 2>/dev/null)" ;;
        esac
    done
}

# lab_listed_path ADDRESS: the same as `nvme list-subsys` prints it; while all paths are live.
lab_listed_path() { nvme list-subsys /dev/nvme0n1 | sed -n "s/.*traddr=$1,[^ ]* *//p"; }

# lab_target ADDRESS [DEVICE]: Linux's target on port 4420 of LAB_TRANSPORT, with one namespace.
lab_target() {
    local root=/sys/kernel/config/nvmet device=${2:-}
    lab_configfs
    [ "$LAB_TRANSPORT" != tcp ] || modprobe crc32c_generic # without it, an ICReq that asks for digests crashes nvmet_tcp of Linux 6.1
    modprobe "nvmet_$LAB_TRANSPORT"
    if [ -z "$device" ]; then
        modprobe null_blk gb=1 bs=4096
        device=/dev/nullb0
    fi
    mkdir -p "$root/subsystems/$LAB_SUBSYSTEM/namespaces/1"
    echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/attr_allow_any_host"
    echo "$device" >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/device_path"
    echo 1 >"$root/subsystems/$LAB_SUBSYSTEM/namespaces/1/enable"
    lab_port 1 "$1"
}

# lab_listens FILE: waits until our target, whose output is FILE, listens.
lab_listens() { lab_await 60 grep -q ' listens on ' "$1" || lab_fail "the target does not listen: $(cat "$1")"; }

# lab_our_target OPTION...: our target on 10.0.0.2, its words in target.txt, with the scenario LAB_CASE.
lab_our_target() {
    stormglass-bridge run "${LAB_CASE:-/lab/cases/lab-nvme.yaml}" --role target --address 10.0.0.2 --serve "$@" \
        >target.txt 2>&1 &
    LAB_TARGET=$!
    lab_listens target.txt
}
lab_end_target() {
    local code=0
    kill "$LAB_TARGET"
    lab_await 20 lab_gone "$LAB_TARGET" || lab_fail "the target does not end"
    wait "$LAB_TARGET" || code=$?
    cat target.txt
    lab_equal "exit code of the target" "$code" 0
}

# The kernel has met nothing that it did not understand.
lab_calm() {
    ! dmesg | grep -E 'nvme|rxe|WARNING|BUG:|Oops' |
        grep -i -E 'fail|error|timeout|invalid|unexpected|warn|bug|oops|reset|not support' >words.txt ||
        lab_fail "the kernel says: $(cat words.txt)"
}

lab_discover() { # ADDRESS: whether Linux's discovery names the subsystem there
    modprobe nvme_rdma
    nvme discover -t rdma -a "$1" -s 4420 -q "$LAB_HOST" -I "$LAB_HOST_ID" | tee discovery.txt |
        grep -q "subnqn: *$LAB_SUBSYSTEM"
}

# lab_connect ADDRESS [OPTION...]: Linux's host; the namespace is /dev/nvme0n1 then.
lab_connect() {
    local address=$1
    shift
    modprobe nvme_rdma
    nvme connect -t rdma -a "$address" -s 4420 -n "$LAB_SUBSYSTEM" -q "$LAB_HOST" -I "$LAB_HOST_ID" "$@"
    lab_await 30 [ -b /dev/nvme0n1 ] || lab_fail "the namespace did not come"
}

lab_disconnect() {
    nvme disconnect -n "$LAB_SUBSYSTEM" | grep -q 'disconnected 1' || lab_fail "nvme disconnect"
    lab_await 30 [ ! -e /dev/nvme0n1 ] || lab_fail "the namespace stays after disconnect"
}

# lab_tcp_fio NAME OPTIONS FIO-ARGUMENT...: one job of Linux's NVMe/TCP host with 10.0.0.2, with its own controller and I/O queue.
lab_tcp_fio() {
    local name=$1 options=$2 device
    shift 2
    echo "transport=tcp,traddr=10.0.0.2,trsvcid=4420,host_traddr=10.0.0.1,nqn=$LAB_SUBSYSTEM,hostnqn=$LAB_HOST,\
hostid=$LAB_HOST_ID,nr_io_queues=1,keep_alive_tmo=100$options" >/dev/nvme-fabrics
    lab_await 30 [ -b /dev/nvme0n1 ] || lab_fail "the namespace of $name did not come"
    for device in /sys/block/nvme0*n1; do echo 2 >"$device/queue/nomerges"; done
    fio --name="$name" --filename=/dev/nvme0n1 --direct=1 --ioengine=libaio "$@" >"$name.txt" || lab_fail "$name"
    lab_disconnect
}

# lab_fio NAME ARGUMENT...: runs one fio job on LAB_DEVICE (/dev/nvme0n1) and tells its numbers: completed operations, errors,
# operations per second, the median and the 99th percentile of the latency in nanoseconds.  These are of fio's log of
# each operation, as the bins of its percentiles are 2 % wide.
lab_fio() {
    local name=$1 direction
    shift
    fio --name="$name" --filename="${LAB_DEVICE:-/dev/nvme0n1}" --direct=1 --ioengine=libaio --output-format=json \
        --output="$name.json" --eta=never --write_lat_log="$name" "$@" >/dev/null
    for direction in read write; do
        awk -v name="$name.$direction" -v part="\"$direction\"" -F'[:,]' '
            /^ *"[a-z]+" : \{/ { inside = index($0, part) }
            inside && /^ *"total_ios"/ { total = $2 + 0 }
            inside && /^ *"iops" / { iops = $2 + 0 }
            END { if (total) print "value " name ".ios " total "\nvalue " name ".iops " iops }' "$name.json"
        awk -F', *' -v wanted="$([ "$direction" = read ] && echo 0 || echo 1)" '$3 == wanted { print $2 }' \
            "${name}_clat.1.log" | sort -n | awk -v name="$name.$direction" '
            { latency[NR] = $1 }
            END {
                if (NR) print "value " name ".p50_ns " latency[int((NR + 1) / 2)]
                if (NR) print "value " name ".p99_ns " latency[int(NR * 0.99 + 0.5)]
            }'
    done
    lab_value "$name.error" "$(sed -n 's/^ *"error" : \([0-9]*\),.*/\1/p' "$name.json" | head -n 1)"
    cp "$name.json" "${name}_clat.1.log" /tmp/keep/
}

lab_recovered() { # JSON-FILE TIMES: the host's controller was lost so often and came back, and no I/O failed
    local key value
    for key in lost reconnected attempts requeued without_service_ns; do
        value=$(sed -n "s/.*\"controllers\": {[^}]*\"$key\": \([0-9]*\).*/\1/p" "$1")
        lab_value "controllers.$key" "$value"
        case $key in lost | reconnected) lab_equal "controllers $key" "$value" "$2" ;; esac
    done
}

# lab_one_of_five: of the lines that it reads, the first of the first five, the second of the second five, and so on; the sixth
# five begin anew.  As the place moves, all values of all axes of a grid come up.
lab_one_of_five() { awk '{ n = NR - 1; if (n % 5 == int(n / 5) % 5) print }'; }

# lab_grid GRID [BASE HOST TARGET [CHOICE]]: each cell on the bridge, its database in /tmp/keep/CELL.db.  CHOICE is a command
# that passes on the cells to measure.
lab_grid() {
    local cell sets base=${2:-grid-base} host=${3:-10.0.0.1} target=${4:-10.0.0.2}
    stormglass predict --list "$1" | ${5:-cat} >cells
    while read -r cell sets; do
        # shellcheck disable=SC2086 # a list of words
        stormglass-bridge run "/lab/cases/$base.yaml" --role both --address "$host" --peer "$target" --lead 2s \
            $sets -o "/tmp/keep/$cell.db" >"$cell.txt" 2>&1 </dev/null || echo "$cell: code $?"
        # What a text of the run says of the workload, for the log.
        sed -n "s/^  io  */$cell  /p" "$cell.txt"
    done <cells
    lab_value cells "$(wc -l <cells)"
}

# Of two machines, a waits with lab_wait_for_b until b says lab_tell_a.
lab_wait_for_b() { # SECONDS
    timeout "$1" nc -l -p 999 </dev/null >/dev/null || lab_fail "the other machine did not come to its end"
}
lab_tell_a() { echo done | timeout 60 nc "$1" 999 || lab_fail "the other machine is gone"; }

# The names are as long as the model's, because page 83h of a logical unit contains them.
LAB_ISCSI_TARGET=iqn.2014-08.org.nvmexpress:stormglass:host5
LAB_ISCSI_HOST=iqn.2026-01.lab.stormglass:host

LAB_ISCSI_GROUP=/sys/kernel/config/target/iscsi/$LAB_ISCSI_TARGET/tpgt_1

# lab_iscsi_target ADDRESS [file]: Linux's target (LIO) on iSCSI port 3260, one logical unit of 64 MiB in memory, any host.
# With `file`, the unit is a file in memory and deallocates blocks by UNMAP, which LIO's disk in memory cannot.
lab_iscsi_target() {
    local root=/sys/kernel/config/target disk group=$LAB_ISCSI_GROUP
    modprobe crc32c_generic
    modprobe target_core_mod
    lab_configfs
    if [ "${2-}" = file ]; then
        modprobe target_core_file
        mkdir -p /tmp/unit
        mount -t tmpfs none /tmp/unit
        disk=$root/core/fileio_0/disk
        mkdir -p "$disk"
        echo fd_dev_name=/tmp/unit/disk,fd_dev_size=67108864 >"$disk/control"
    else
        disk=$root/core/rd_mcp_0/disk
        mkdir -p "$disk"
        echo rd_pages=16384 >"$disk/control"
    fi
    echo 1 >"$disk/enable"
    [ "${2-}" != file ] || echo 1 >"$disk/attrib/emulate_tpu"
    echo 5d1c5a4000000002 >"$disk/wwn/vpd_unit_serial" # without it, LIO has no VPD pages
    echo stormglass >"$disk/wwn/product_id"
    modprobe iscsi_target_mod
    mkdir -p "$root/iscsi"
    mkdir -p "$group/lun/lun_0" "$group/np/$1:3260"
    ln -s "$disk" "$group/lun/lun_0/disk"
    echo 0 >"$group/attrib/authentication"
    echo 1 >"$group/attrib/generate_node_acls"
    echo 0 >"$group/attrib/demo_mode_write_protect"
    echo 1 >"$group/enable"
}

# lab_iscsi_host: Linux's host (open-iscsi) with the settings of its package.
lab_iscsi_host() {
    modprobe iscsi_tcp
    modprobe sd_mod
    mkdir -p /run/lock /var/lib/iscsi
    echo "InitiatorName=$LAB_ISCSI_HOST" >/etc/iscsi/initiatorname.iscsi
    iscsid -f >/tmp/iscsid.txt 2>&1 &
}

# lab_iscsi_login ADDRESS [NAME=VALUE...]: a session with the target, whose logical unit is LAB_DEVICE then.
lab_iscsi_login() {
    local setting record="-m node -T $LAB_ISCSI_TARGET -p $1:3260,1"
    shift
    # shellcheck disable=SC2086 # a list of words
    lab_await 30 iscsiadm $record -o new || { iscsiadm $record -o new; lab_fail "iscsiadm makes no record"; }
    for setting; do
        # shellcheck disable=SC2086 # a list of words
        iscsiadm $record -o update -n "${setting%%=*}" -v "${setting#*=}"
    done
    # shellcheck disable=SC2086 # a list of words
    iscsiadm $record -l >login.txt 2>&1 || lab_fail "login: $(cat login.txt)"
    lab_await 30 lab_iscsi_device || lab_fail "the logical unit did not come"
}
lab_iscsi_device() {
    LAB_DEVICE=$(echo /sys/block/sd*)
    LAB_DEVICE=/dev/${LAB_DEVICE##*/}
    [ -b "$LAB_DEVICE" ]
}
lab_iscsi_logout() {
    iscsiadm -m node -T "$LAB_ISCSI_TARGET" -u >logout.txt 2>&1 || lab_fail "logout: $(cat logout.txt)"
    lab_await 30 [ ! -e "$LAB_DEVICE" ] || lab_fail "the logical unit stays after logout"
}

# As lab_calm, for iSCSI.
lab_iscsi_calm() {
    ! dmesg | grep -v 'ommand line:' | grep -E 'scsi| sd [0-9:]*:|WARNING|BUG:|Oops' | grep -i -E 'fail|error|timeout|timed out|invalid|warn|bug|oops|reset' >words.txt ||
        lab_fail "the kernel says: $(cat words.txt)"
}

# lab_iscsi_grid GRID [CHOICE]: each cell by fio on LAB_DEVICE, its numbers as values of the cell's name. CHOICE is as in lab_grid.
lab_iscsi_grid() {
    local cell sets set depth size read count delay=0 now=0 queue=/sys/block/${LAB_DEVICE#/dev/}/queue
    modprobe sch_netem
    echo none >"$queue/scheduler"
    echo 2 >"$queue/nomerges"
    stormglass predict --list "$1" | ${2:-cat} >cells
    while read -r cell sets; do
        count=1000
        for set in $sets; do
            case $set in
            workloads.io.queue-depth=*) depth=${set#*=} ;;
            workloads.io.block-size=*) size=${set#*=} ;;
            workloads.io.read=*) read=${set#*=} ;;
            workloads.io.count=*) count=${set#*=} ;;
            fabric.host-links.delay=*us) delay=${set#*=} delay=$((2 * ${delay%us})) ;;
            fabric.host-links.delay=*) delay=0 ;; # of a cable
            esac
        done
        if [ "$delay" != "$now" ]; then
            /sbin/tc qdisc replace dev lo root netem limit 10000 delay "${delay}us"
            now=$delay
        fi
        lab_fio "$cell" --rw=rand"$([ "$read" = 100% ] && echo read || echo write)" --bs="${size%iB}" --iodepth="$depth" \
            --number_ios="$count" --norandommap --randseed=1
        # From the call that submits it, which sends a write's data.
        lab_value "$cell.lat_p50_ns" "$(awk -F', *' '{ print $2 }' "${cell}_lat.1.log" | sort -n |
            awk '{ latency[NR] = $1 } END { print latency[int((NR + 1) / 2)] }')"
    done <cells
    lab_value cells "$(wc -l <cells)"
}

# Jobs of fio from Linux's host to Linux's target by RDMA, whose frames are compared with the model's.  A subsystem for each
# job: two controllers of one would be two ways to one disk.  nvme-cli would look at all that is connected already, so the
# kernel is asked itself; and the block layer is kept from making one command of two.
lab_linux_job() { # NAME NUMBER FIO-ARGUMENT...
    local name=$1 number=$2 subsystem=$LAB_SUBSYSTEM$2 device root=/sys/kernel/config/nvmet
    shift 2
    mkdir -p "$root/subsystems/$subsystem/namespaces/1"
    echo 1 >"$root/subsystems/$subsystem/attr_allow_any_host"
    echo /dev/nullb0 >"$root/subsystems/$subsystem/namespaces/1/device_path"
    echo 1 >"$root/subsystems/$subsystem/namespaces/1/enable"
    ln -s "$root/subsystems/$subsystem" "$root/ports/1/subsystems/target$number"
    echo "transport=rdma,traddr=10.0.0.2,trsvcid=4420,host_traddr=10.0.0.1,nqn=$subsystem,hostnqn=$LAB_HOST,\
hostid=$LAB_HOST_ID,nr_io_queues=1,keep_alive_tmo=100" >/dev/nvme-fabrics
    lab_await 30 [ -b "/dev/nvme${number}n1" ] || lab_fail "the namespace of $name did not come"
    for device in /sys/block/nvme"$number"*n1; do echo 2 >"$device/queue/nomerges"; done
    fio --name="$name" --filename="/dev/nvme${number}n1" --direct=1 --ioengine=libaio "$@" >"$name.txt" || lab_fail "$name"
}
lab_linux_jobs() {
    modprobe null_blk gb=1 bs=512
    lab_target 10.0.0.2 /dev/nullb0
    modprobe nvme_rdma
    lab_linux_job write4k 0 --rw=write --bs=4k --iodepth=1 --size=400k
    lab_linux_job read4k 1 --rw=read --bs=4k --iodepth=1 --size=400k
    lab_linux_job write64k 2 --rw=write --bs=64k --iodepth=1 --size=1920k
    lab_linux_job read64k 3 --rw=read --bs=64k --iodepth=4 --size=1920k
    lab_linux_job read512k 4 --rw=read --bs=512k --iodepth=1 --size=2m
}
