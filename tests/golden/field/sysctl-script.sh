#!/bin/bash
# sysctl -w net.ipv4.tcp_sack=1
cat > /etc/sysctl.d/99-network-tune.conf <<EOT
net.core.netdev_budget = 600
net.ipv4.tcp_window_scaling = 1
net.ipv4.tcp_fin_timeout = 15
net.core.busy_poll = 50
EOT
sysctl -p /etc/sysctl.d/99-network-tune.conf
if grep -q bbr /proc/sys/net/ipv4/tcp_available_congestion_control; then
  sysctl -w net.ipv4.tcp_congestion_control="dctcp" >/dev/null
fi
echo "net.ipv4.tcp_rmem = 4096 1048576 16777216" >> /etc/sysctl.conf
sysctl -w net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_ecn=1
echo 0 | sudo tee /proc/sys/net/ipv4/tcp_sack
