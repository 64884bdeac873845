# both - scenarios that the model plays too: losses, short receive queues, MTU, rate, queues, a connect storm.
# SPDX-License-Identifier: Apache-2.0
# lab: nics=2 timeout=600 needs=bridge
# The bridge is host and target; what the scenario's faults do in the model, tc does here to frames that arrive.
. /lab/lib.sh

# Every N-th frame of RoCE whose opcode, under the mask, is this one is lost as it arrives.
lose() { # NIC OPCODE MASK N
    /sbin/tc qdisc add dev "$1" clsact
    /sbin/tc filter add dev "$1" ingress protocol ip u32 match u16 4791 0xffff at 22 match u8 "$2" "$3" at 28 \
        action pass random determ drop "$4"
}

# Frames from 4096 bytes on, of IP, do not arrive.
lose_large() { # NIC
    /sbin/tc qdisc add dev "$1" clsact
    /sbin/tc filter add dev "$1" ingress protocol ip u32 match u16 0x1000 0xf000 at 2 action drop
}

set_mtu() { for nic in eth0 eth1; do ip link set "$nic" mtu "$1"; done; }

# The path as the case wants it.  10.0.0.1 on eth0 is the host, so what eth1 receives are its data.
make_path() { # CASE
    case $1 in
    both-loss-middle) lose eth1 0 0xe0 1500 ;;
    both-loss-last) lose eth1 0 0xe0 20 ;;
    both-loss-ack) lose eth0 17 0xff 20 ;;
    both-loss-dead) lose eth1 0 0xe0 1 ;;
    both-mtu) set_mtu 4200 && lose_large eth1 ;;
    both-rate) /sbin/tc qdisc add dev eth0 root tbf rate 100mbit burst 3000 limit 1m ;;
    esac
}

restore_path() {
    for nic in eth0 eth1; do
        lost=$(/sbin/tc -s filter show dev "$nic" ingress | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p')
        [ -z "$lost" ] || lab_value "$1.$nic.lost" "$lost"
        /sbin/tc qdisc del dev "$nic" clsact 2>/dev/null || :
    done
    /sbin/tc qdisc del dev eth0 root 2>/dev/null || :
    [ "$1" != both-mtu ] || set_mtu 1500
}

counters() { # one line each: device.name value
    for file in /sys/class/infiniband/rxe[01]/ports/1/hw_counters/*; do
        [ "${file##*/}" = lifespan ] || echo "$(expr "$file" : '.*\(rxe.\)/').${file##*/} $(cat "$file")"
    done
}

play() { # CASE
    local code=0
    make_path "$1"
    counters >before
    stormglass-bridge run "/lab/cases/$1.yaml" --role both --address 10.0.0.1 --peer 10.0.0.2 --lead 100ms \
        --faults external --verify full --json >"/tmp/keep/$1.json" 2>"$1.txt" || code=$?
    counters | paste -d ' ' before - | awk -v name="$1" '$2 != $4 { print "value " name "." $1, $4 - $2 }'
    restore_path "$1"
    [ "$code" = 0 ] || { cat "$1.txt" "/tmp/keep/$1.json"; lab_fail "$1: code $code"; }
}

lab_two_nics
for module in sch_ingress cls_u32 act_gact sch_tbf; do modprobe "$module"; done
for file in /lab/cases/both-*.yaml; do
    name=${file##*/}
    play "${name%.yaml}"
done
