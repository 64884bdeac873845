#!/bin/bash
# Both interfaces to all portals of the array.
NQN="nqn.2024-01.com.example:storage.array0"
TUNING="--ctrl-loss-tmo=1800 --reconnect-delay=10"
DEPTH=${DEPTH:-1024}
modprobe nvme-tcp || exit 1
nvme disconnect -n "$NQN"
sudo nvme connect -t tcp -a 192.168.100.10 -s 4420 -n $NQN \
    --host-iface=ens1f0 --host-traddr=192.168.100.1 \
    --ctrl-loss-tmo=1800 --reconnect-delay=10 --nr-io-queues 16 -Q "$DEPTH" -gG
sudo nvme connect -t tcp -a 192.168.101.10 -s 4420 -n $NQN --host-iface=ens1f1 --host-traddr=192.168.101.1 \
    $TUNING --nr-io-queues 8 >/dev/null 2>&1 || { echo failed; exit 1; }
# nvme connect -t tcp -a 192.168.102.10 -s 4420 -n $NQN
for ip in 192.168.103.10; do nvme connect --transport=tcp --traddr=$ip --nqn=$NQN --hostnqn=$(cat /etc/nvme/hostnqn) --nr-poll-queues=$[$QUEUES/3] --tls --dhchap-secret=DHHC-1:00:xyz: -k 15; done
