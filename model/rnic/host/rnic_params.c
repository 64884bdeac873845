/* SPDX-License-Identifier: Apache-2.0
 * rnic_params - the table of RNIC parameters. */
#include "rnic/host/rnic.h"

#define ROW(field) offsetof(struct rnic_params, field)
#define WEIGHT(n)                                                                                  \
    {                                                                                              \
        "weight-" #n, OPT_INT, ROW(weight[n]), "0", "0", "100", NULL,                              \
            "ETS weight of priority " #n                                                           \
            " at the host; 0: strict priority, served before all weighted priorities.",            \
            "IEEE 802.1Q-2018 37 (ETS); mlnx_qos --tsa ets --tcbw", OPT_ACTS(CLASSES, ANY, TRACE)  \
    }

static const char recovery_words[] =
#define RECOVERY(stem, word) "|" word
#include "rnic/qp/recovery.def"
#undef RECOVERY
    ;

const struct opt rnic_opts[] = {
    {"path-mtu", OPT_SIZE, ROW(path_mtu), "4096B", "256B", "4096B", NULL,
     "Maximum payload of a packet: 256, 512, 1024, 2048 or 4096 B. By default both ends of a "
     "connection use the value of the host that connects (see path-mtu-agreement).",
     "IBTA Vol 1 table 81 (PathMTU); Linux cm.c adopts the REQ's value",
     OPT_ACTS(LINK, LESS, SERVICE), OPT_AGREES(ENDS, ALWAYS)},
    {"path-mtu-agreement", OPT_CHOICE, ROW(path_mtu_agreement), "request", NULL, NULL,
     OPT_WORDS(RNIC_MTU_AGREEMENTS),
     "Path MTU of a connection whose two hosts have different values of path-mtu. At the host "
     "that connects: request (both use the value in its REQ), or smaller (both use the smaller "
     "value, as programs that exchange their values do). At the host that accepts: refuse (it "
     "rejects a REQ with a larger value than its own, REJ 26), or own (each host uses its own "
     "value).",
     "Linux cm.c; min of both active_mtu, as programs with an exchange of their own; IBTA Vol 1 "
     "12.6.7.2 (REJ 26, invalid path MTU)",
     OPT_ACTS(DROPS, ANY, TRACE)},
    {"timeout", OPT_INT, ROW(timeout), "14", "0", "31", NULL,
     "Code t of the local ACK timeout, 4.096 us x 2^t; 0: no timeout. The value of the host that "
     "connects applies at both ends, unless the other end sets accept-timeout.",
     "IBTA Vol 1 9.7.6.1.3, 12.7.34; 14 (67 ms) is perftest's default, rdma_cm on RoCE takes 19",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, LESS, TRACE)},
    {"accept-timeout", OPT_INT, ROW(accept_timeout), "auto", "0", "31", "auto",
     "Code of the local ACK timeout for connections that this host accepts; auto: the code of the "
     "host that connects.",
     "IBTA Vol 1 12.7.34; set by the program that accepts: Linux cma.c, rdma_set_ack_timeout",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, ANY, TRACE)},
    {"timeout-spread", OPT_PERCENT, ROW(timeout_spread), "0%", "0%", "300%", NULL,
     "Maximum random delay that is added each time the ACK timer starts, as a percentage of the "
     "timeout; 0%: no delay.",
     "IBTA Vol 1 9.7.6.1.3: between once and four times",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, ANY, TRACE)},
    {"retry-count", OPT_INT, ROW(retry_count), "7", "0", "7", NULL,
     "A queue pair fails after this number of retries without progress; timeouts and sequence "
     "NAKs cause retries. The connecting host's value applies at both ends; if the protocol "
     "requests a lower value, the lower one applies. With a software RNIC, 7 means unlimited.",
     "IBTA Vol 1 9.7.6.1.3, where 7 is a limit like the others; Linux rxe_comp.c retries without "
     "limit at 7",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, LESS, TRACE)},
    {"rnr-retry", OPT_INT, ROW(rnr_retry), "7", "0", "7", NULL,
     "Number of times that the peer of a connection resends a message that this host rejected "
     "with a receiver-not-ready NAK; then the peer's queue pair fails (RNR_RETRY_EXC_ERR). 7: "
     "unlimited.",
     "IBTA Vol 1 9.7.5.2.8; carried in REQ and REP, 12.6.5 and 12.6.8",
     OPT_ACTS_IF(OPT_NEED_RDMA, CREDIT, LESS, TRACE)},
    {"min-rnr-timer", OPT_INT, ROW(min_rnr_timer), "0", "0", "31", NULL,
     "Code of the time for which the sender waits after a receiver-not-ready NAK of this host "
     "(IBTA table 45). Code 0 is 655.36 ms, code 1 is 10 us, code 31 is 491.52 ms.",
     "IBTA Vol 1 table 45; 0 as the Linux CM sets it",
     OPT_ACTS_IF(OPT_NEED_RDMA, CREDIT, ANY, TRACE)},
    {"ack-interval", OPT_INT, ROW(ack_interval), "256", "1", "32768", NULL,
     "A sender requests an ACK at least once in this number of packets. They are counted within "
     "one message, or across messages if ack-each-message is false.",
     "Linux mlx5_ib: log_ack_req_freq 8; rxe requests one about every 65th packet, other drivers "
     "every packet",
     OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, ANY, TRACE)},
    {"ack-each-message", OPT_BOOL, ROW(ack_each_message), "true", NULL, NULL, NULL,
     "true: the last packet of each message requests an ACK; false: it does so only if no later "
     "SEND or WRITE is posted on the queue pair, so that one ACK completes many short messages.",
     "mlx5 and rxe request one; a 400 Gb/s tester sends one ACK for 32 to 38 packets, with "
     "messages of 4 KiB and of 128 KiB alike: sonic-net/sonic-mgmt#25347",
     OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, ANY, TRACE)},
    {"ack-coalescing", OPT_BOOL, ROW(ack_coalescing), "true", NULL, NULL, NULL,
     "true: a new ACK replaces an earlier ACK of the same queue pair that has not been sent yet.",
     "IBTA Vol 1 9.7.5.1.2", OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, ANY, TRACE)},
    {"loss-recovery", OPT_CHOICE, ROW(loss_recovery), "go-back-n", NULL, NULL, &recovery_words[1],
     "Packets that are retransmitted after a loss. go-back-n: the lost packet and all later ones; "
     "go-back-0: all packets of the message; selective-repeat: only the lost packets (both ends "
     "must support it).",
     "IBTA Vol 1 9.7.6; go-back-0: Guo et al., SIGCOMM 2016, 4.1; selective-repeat: Mittal et al., "
     "SIGCOMM 2018 (IRN)",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, ANY, TRACE)},
    {"bdp-cap", OPT_SIZE, ROW(bdp_cap), "auto", "1KB", "1GiB", "auto",
     "Maximum number of outstanding bytes of a queue pair; also the maximum that it can receive "
     "out of order. auto: line rate x 24 us. It has no effect unless loss-recovery is "
     "selective-repeat.",
     "Mittal et al., SIGCOMM 2018 (IRN), BDP-FC: 120 KB at 40 Gb/s",
     OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_SELECTIVE_REPEAT, WINDOW, LESS, SERVICE)},
    {"rto-low", OPT_TIME, ROW(rto_low), "100us", "1us", "10s", NULL,
     "Retransmission timeout while a queue pair has at most rto-low-packets outstanding, if it is "
     "shorter than `timeout`. It has no effect unless loss-recovery is selective-repeat.",
     "Mittal et al., SIGCOMM 2018 (IRN): RTO_low 100 us",
     OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_SELECTIVE_REPEAT, LOSS, ANY, TRACE)},
    {"rto-low-packets", OPT_INT, ROW(rto_low_packets), "3", "0", "1000", NULL,
     "Maximum number of outstanding packets at which rto-low applies. It has no effect unless "
     "loss-recovery is selective-repeat.",
     "Mittal et al., SIGCOMM 2018 (IRN): N = 3",
     OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_SELECTIVE_REPEAT, LOSS, ANY, TRACE)},
    {"nak-delay", OPT_TIME, ROW(nak_delay), "0ns", "0ns", "1s", NULL,
     "Time from the arrival of an out-of-order packet until the receiver sends the NAK for the "
     "missing packets, once per gap. It has no effect with selective-repeat.",
     "Yu et al., SIGCOMM 2023 (Lumina): NACK generation latency; ConnectX-5: about 20 us a gap, "
     "NVIDIA forum 358441",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, MORE, TRACE)},
    {"retransmit-delay", OPT_TIME, ROW(retransmit_delay), "0ns", "0ns", "1s", NULL,
     "Time from the arrival of a sequence NAK, or from the detection of a missing READ response, "
     "to the first retransmitted packet. It has no effect with selective-repeat.",
     "Yu et al., SIGCOMM 2023 (Lumina): NACK reaction latency; firmware that goes back took "
     "hundreds of us, Bai et al., NSDI 2023, 2.4",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, MORE, TRACE)},
    {"rnr-timer-step", OPT_TIME, ROW(rnr_timer_step), "0ns", "0ns", "100ms", NULL,
     "The wait after a receiver-not-ready NAK is rounded up to a multiple of this time; 0: it is "
     "not rounded.",
     "IBTA Vol 1 9.7.5.2.8 allows a longer wait than the NAK requests; ConnectX-4 waits 1.5 ms "
     "when 0.12 ms are requested, NVIDIA forum 207566",
     OPT_ACTS_IF(OPT_NEED_RDMA, CREDIT, MORE, TRACE)},
    {"adaptive-retransmission", OPT_BOOL, ROW(adaptive), "false", NULL, NULL, NULL,
     "true: the ACK timeout starts at adaptive-timeout and doubles up to `timeout`; a queue pair "
     "fails after retry-count x `timeout` without progress. It has no effect with "
     "selective-repeat.",
     "NVIDIA, Adaptive Retransmission: Parameters Control",
     OPT_ACTS_IF(OPT_NEED_RDMA, LOSS, ANY, TRACE)},
    {"adaptive-timeout", OPT_TIME, ROW(adaptive_timeout), "4096us", "4us", "100s", NULL,
     "Initial ACK timeout with adaptive-retransmission, to which each progress resets the "
     "timeout.",
     "at least 4 us: NVIDIA, Adaptive Retransmission: Parameters Control; 4.096 ms assumed",
     OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_ADAPTIVE, LOSS, ANY, TRACE)},
    {"adaptive-tries", OPT_INT, ROW(adaptive_tries), "1", "1", "255", NULL,
     "Number of timeouts, with adaptive-retransmission, before the ACK timeout doubles.",
     "NVIDIA, Adaptive Retransmission: Parameters Control (timeout_retry_num); 1 assumed",
     OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_ADAPTIVE, LOSS, ANY, TRACE)},
    {"max-rd-atomic", OPT_INT, ROW(max_rd_atomic), "16", "0", "255", NULL,
     "Maximum number of outstanding RDMA READs of a queue pair: those that it requests, and those "
     "that it serves for its peer.",
     "mlx5 max_qp_rd_atom 16 (as commonly seen); rxe 128",
     OPT_SCALES_IF(OPT_NEED_RDMA, READS, LESS, SERVICE)},
    {"tx-delay", OPT_TIME, ROW(tx_delay), "300ns", "0ns", "1ms", NULL,
     "Time from posting a work request to its first packet: doorbell, WQE and data fetch over "
     "PCIe.",
     "assumed; with rx-delay near the 0.6 to 0.8 us that ConnectX-6 briefs state",
     OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, MORE, DELAY)},
    {"rx-delay", OPT_TIME, ROW(rx_delay), "300ns", "0ns", "1ms", NULL,
     "Time from a message's last packet to its completion at the host.", "assumed; see tx-delay",
     OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, MORE, DELAY)},
    {"read-delay", OPT_TIME, ROW(read_delay), "300ns", "0ns", "1ms", NULL,
     "Time from a READ request to its first response: data fetch over PCIe.",
     "0.3 to 0.4 us unloaded, Neugebauer et al., SIGCOMM 2018",
     OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, MORE, DELAY)},
    {"dscp", OPT_DSCP, ROW(dscp), "26", "0", "63", NULL,
     "DSCP of connections that the host opens, unless their workload sets one. Connections that "
     "the host accepts use the DSCP in the REQ.",
     "vendors' convention for lossless RoCE; Linux cma.c default_roce_tos, cm.c "
     "cm_format_paths_from_req",
     OPT_ACTS(CLASSES, ANY, TRACE), OPT_AGREES(PATH, DSCP)},
    {"priority", OPT_INT, ROW(priority), "3", "0", "7", NULL,
     "Priority of packets with this `dscp` at the host's own port. The map dscp-to-priority sets "
     "the priority of other DSCPs; without an entry it is DSCP >> 3.",
     "vendors' convention: DSCP 26 to priority 3; mlnx_qos --trust dscp",
     OPT_ACTS(CLASSES, ANY, TRACE), OPT_AGREES(PATH, LOSSLESS)},
    {"accept-dscp", OPT_DSCP, ROW(accept_dscp), "auto", "0", "63", "auto",
     "DSCP of the packets that this host sends on connections that it accepts. auto: the DSCP in "
     "the connection request (CM REQ). With another value, the two directions of a connection may "
     "have different "
     "priorities.",
     "IBTA Vol 1 12.7.11; a device-wide traffic class overrides it: MLNX_OFED sysfs "
     "infiniband/DEV/tc/PORT/traffic_class",
     OPT_ACTS(CLASSES, ANY, TRACE)},
    {"ack-dscp", OPT_DSCP, ROW(ack_dscp), "auto", "0", "63", "auto",
     "DSCP of ACKs and NAKs; auto: the DSCP of the queue pair. With another DSCP, ACKs may "
     "overtake READ responses, and the requester then treats these responses as lost.",
     "one address path in a queue pair's context (Linux mlx5_ib qp.c mlx5_set_path)",
     OPT_ACTS_IF(OPT_NEED_RDMA, CLASSES, ANY, TRACE)},
    {"ack-priority", OPT_INT, ROW(ack_priority), "auto", "0", "7", "auto",
     "Priority of ACKs and NAKs at the host's own port; auto: the priority of ack-dscp if it is "
     "set, "
     "else the priority of the queue pair.",
     "see ack-dscp", OPT_ACTS_IF(OPT_NEED_RDMA, CLASSES, ANY, TRACE)},
    WEIGHT(0),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    {"cnp-dscp", OPT_DSCP, ROW(cnp_dscp), "48", "0", "63", NULL,
     "DSCP of CNPs (congestion notification packets).", "ConnectX CNP_DSCP 48",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE), OPT_AGREES(PATH, ECN)},
    {"cnp-priority", OPT_INT, ROW(cnp_priority), "6", "0", "7", NULL,
     "Priority of CNPs (congestion notification packets) at the host's own port.",
     "ConnectX CNP_802P_PRIO 6", OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"ttl", OPT_INT, ROW(ttl), "64", "1", "255", NULL, "IPv4 time to live of sent packets.",
     "Linux default hop limit", OPT_ACTS(DROPS, LESS, TRACE)},
    {"rx-buffer", OPT_SIZE, ROW(rx_buffer), "262016B", "16KiB", "1GiB", NULL,
     "Size of the receive buffer between the wire and the host.",
     "ConnectX port buffer size 262016, Mellanox community DOC-2933",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"rx-xoff", OPT_SIZE, ROW(rx_xoff), "auto", "1KB", "1GiB", "auto",
     "Fill level of the receive buffer above which the RNIC pauses its peer. auto: rx-buffer "
     "minus the headroom for rate, cable and MTU.",
     "Linux mlx5 port_buffer.c: (301 + 2.16 m) Gb/s + 2.72 MTU",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"rx-xon", OPT_SIZE, ROW(rx_xon), "auto", "0B", "1GiB", "auto",
     "Fill level of the receive buffer at which a paused peer may resume. auto: rx-xoff minus one "
     "largest frame (9216 B).",
     "Linux mlx5 port_buffer.c", OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"drain", OPT_RATE, ROW(drain), "0bps", "0bps", "10Tbps", NULL,
     "Rate at which the host empties the receive buffer; 0: at least as fast as the wire fills "
     "it.",
     "own: hosts are no bottleneck unless a scenario says so", OPT_SCALES(RECEIVER, LIMIT, RATE)},
    {"pfc", OPT_BOOL, ROW(pfc), "true", NULL, NULL, NULL,
     "true: the RNIC pauses its peer while its receive buffer is above rx-xoff, and obeys the "
     "peer's pauses; false: it sends no pauses, drops frames that do not fit in the buffer, and "
     "obeys pauses only in the priorities of the port's pfc-enabled.",
     "IEEE 802.1Q cl. 36; mlnx_qos --pfc", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE),
     OPT_AGREES(LINK, LOSSLESS)},
    {"pfc-priorities", OPT_MASK, ROW(pfc_priorities), "auto", NULL, "0,1,2,3,4,5,6,7", "auto",
     "The lossless priorities of the NIC. When its receive buffer exceeds rx-xoff, the NIC pauses "
     "all of them. It obeys pauses in the same priorities, unless the port's pfc-enabled lists "
     "others. auto: the priority of `dscp`; the NIC then also obeys pauses in its switch's "
     "lossless priorities (DCBX).",
     "mlnx_qos --pfc; own: one buffer for all", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE),
     OPT_AGREES(LINK, LOSSLESS)},
    {"pfc-watchdog", OPT_TIME, ROW(pfc_watchdog), "0ns", "0ns", "60s", NULL,
     "When the RNIC has paused its peer continuously for this time, it stops sending pauses and "
     "drops frames that do not fit in its buffer, until its buffer drains. 0: never.",
     "Guo et al., SIGCOMM 2016, 4.3: 100 ms; Linux mlx5 pfc-prevention-tout: 80 ms to 8 s, auto "
     "100 ms",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LIMIT, TRACE)},
    {"cm-timeout", OPT_TIME, ROW(cm_timeout), "6144ms", "1us", "1000s", NULL,
     "Time after which the host that connects retransmits an unanswered message of the connection "
     "manager. The host that accepts uses the response timeout in the REQ, which is the largest "
     "power of two that is not above cm-timeout.",
     "Linux cma.c and cm.c: 2 x 2^10 + 2^12 ms on RoCE, and cm_req_handler: 2^12 ms",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"cm-retries", OPT_INT, ROW(cm_retries), "15", "0", "15", NULL,
     "Maximum number of retransmissions of a connection manager message. The host that accepts "
     "uses the number in the REQ.",
     "Linux cma.c CMA_MAX_CM_RETRIES; cm.c cm_req_handler",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, LESS, TRACE)},
    {"address-timeout", OPT_TIME, ROW(address_timeout), "3s", "1us", "1000s", NULL,
     "Time after which an attempt to connect to an unreachable peer (powered off, or without a "
     "route) fails; never more than cm-timeout x (cm-retries + 1). ARP requests repeat at a third "
     "of this time.",
     "Linux nvme-rdma NVME_RDMA_CM_TIMEOUT_MS 3000; addr.c; neighbor table: mcast_solicit 3, "
     "retrans_time 1 s",
     OPT_ACTS(CONNECTING, ANY, TRACE)},
    {"context-cost", OPT_TIME, ROW(context_cost), "0us", "0us", "10s", NULL,
     "Time to open the RNIC, once before its first connection.",
     "Wei et al., USENIX ATC 2022 (KRCORE): most of 15.7 ms from user space",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"resolve-cost", OPT_TIME, ROW(resolve_cost), "0us", "0us", "10s", NULL,
     "Time to resolve address and route of a peer and to create an address handle, before the "
     "REQ. Several connections may do this at the same time.",
     "irdma polls 1 ms for an address handle: linux-rdma 7dab522e7",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"qp-create-cost", OPT_TIME, ROW(qp_create_cost), "0us", "0us", "1s", NULL,
     "Time of the RNIC's command that creates a queue pair.",
     "Wei et al., USENIX ATC 2022 (KRCORE): about 0.4 ms",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"qp-modify-cost", OPT_TIME, ROW(qp_modify_cost), "0us", "0us", "1s", NULL,
     "Time of each RNIC command that changes the state of a queue pair (to INIT, RTR and RTS).",
     "Wei et al., USENIX ATC 2022 (KRCORE): 0.2 to 0.3 ms",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"qp-destroy-cost", OPT_TIME, ROW(qp_destroy_cost), "0us", "0us", "1s", NULL,
     "Time of the RNIC's command that destroys a queue pair. Software does not wait for this "
     "command, but later commands do.",
     "own", OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, MORE, TRACE)},
    {"command-slots", OPT_INT, ROW(command_slots), "1", "1", "32", NULL,
     "Number of commands on queue pairs that the RNIC executes at the same time; further commands "
     "wait in order.",
     "one command channel that all share: linux-rdma 4695b191a; mlx5 has 32 entries in its queue, "
     "and its firmware executes few at once",
     OPT_ACTS(CONNECTING, LESS, TRACE)},
    {"ca-ack-delay", OPT_INT, ROW(ca_ack_delay), "16", "0", "31", NULL,
     "Code d that the RNIC reports in its REP: it acknowledges each packet within 4.096 us x 2^d.",
     "IBTA Vol 1 11.2.1.2, 12.6.8; ibv_devinfo -v (local_ca_ack_delay): 16 of ConnectX, 15 of rxe",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONNECTING, ANY, TRACE)},
    {"roce-version", OPT_INT, ROW(roce_version), "2", "1", "2", NULL,
     "RoCE version. 2: over UDP and IPv4; 1: EtherType 0x8915 with a GRH, only between hosts in "
     "one VLAN, without DSCP, ECN and UDP source port. The value of the host that connects "
     "applies at both ends.",
     "IBTA annex A16, annex A17; rdma_cm prefers 2 (Linux cma.c CMA_PREFERRED_ROCE_GID_TYPE)",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_RDMA, CLASSES, LESS, TRACE),
     OPT_AGREES(ENDS, ALWAYS)},
    {"priority-tag", OPT_BOOL, ROW(priority_tag), "false", NULL, NULL, NULL,
     "true: RoCE v1 frames carry a VLAN tag with their priority (PCP), whose 4 B count toward the "
     "MTU; false: they carry no tag, and switches use priority 0 for them.",
     "IEEE 802.1Q-2018 9.6 (PCP), 6.9.3: the default priority of a port is 0",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_RDMA | OPT_NEED_ROCE_V1, CLASSES, ANY, TRACE),
     OPT_AGREES(PATH, LOSSLESS)},
    {"grh", OPT_BOOL, ROW(grh), "false", NULL, NULL, NULL,
     "true: each InfiniBand packet that the host sends has a GRH of 40 B, as if its peer were in "
     "another subnet.",
     "IBTA Vol 1 8.3", OPT_ACTS_IF(OPT_NEED_RDMA | OPT_NEED_INFINIBAND, LINK, ANY, TRACE)},
    {"udp-source-port", OPT_CHOICE, ROW(udp_source_port), "queue-pairs", NULL, NULL,
     OPT_WORDS(RNIC_UDP_SOURCES),
     "Values from which the UDP source port is computed; ECMP hashes this port. queue-pairs: the "
     "numbers of both queue pairs, which give the same port in both directions; flow-label: the "
     "flow label in the REQ, which rdma_cm computes from the ports of the connection; queue-pair: "
     "the number of the sender's queue pair.",
     "Linux ib_verbs.h rdma_get_udp_sport, with flow label 0 and without; cma.c "
     "cma_get_roce_udp_flow_label; rxe_qp.c rxe_qp_init_req",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PATHS, ANY, TRACE)},
    {"lag", OPT_CHOICE, ROW(lag), "none", NULL, NULL, OPT_WORDS(RNIC_LAGS),
     "Whether all ports of the host form one link aggregation group with one address (IEEE "
     "802.1AX), and how a queue pair's port is selected. none: no group, each port is a separate "
     "NIC; queue-affinity: each new queue pair uses the next port; layer2, layer2+3, layer3+4: "
     "the Linux bonding hash of this name. layer3+4 includes the UDP source port, which is "
     "computed from the flow label in the REQ.",
     "Linux mlx5 core/lag (lag_port_select_mode queue_affinity, hash); "
     "Documentation/networking/bonding.rst, xmit_hash_policy",
     OPT_ACTS(PATHS, ANY, TRACE)},
    {"lag-seed", OPT_INT, ROW(lag_seed), "auto", "0", "4294967295", "auto",
     "Seed of the random source ports of connections over a link aggregation group, which "
     "layer3+4 hashes. auto: a different seed for each host, derived from the scenario's seed.",
     "Linux cma.c cma_alloc_any_port: ports from a random start upward",
     OPT_ACTS(PATHS, DRAW, TRACE)},
    {"card-ports", OPT_INT, ROW(card_ports), "1", "1", "8", NULL,
     "Number of NICs of a host that are ports of one card, and share its PCIe slot, engines and "
     "contexts; 1: each NIC is a separate card.",
     "own; Mellanox MCX516A and others: two ports of 100 Gb/s in one slot of 16 lanes",
     OPT_ACTS(PCIE, MORE, SERVICE)},
    {"loopback-rate", OPT_RATE, ROW(loopback_rate), "auto", "1Mbps", "6400Gbps", "auto",
     "Rate at which the RNIC carries loopback traffic, in each direction; auto: the rate of its "
     "link. It has no effect unless a workload has loopback: true.",
     "assumed: no measured rate was found; Collie, NSDI 2022: loopback and link traffic compete "
     "for PCIe",
     OPT_ACTS_IF(OPT_NEED_LOOPBACK, LINK, LESS, RATE)},
    {"migreq", OPT_BOOL, ROW(migreq), "true", NULL, NULL, NULL,
     "true: the MigReq bit is set in the BTH of each packet, as in the migrated state. Only "
     "captures show it; it has no effect on a run.",
     "IBTA Vol 1 17.2.8; Linux rxe_req.c and rxe_resp.c leave it 0", OPT_INERT},
    {"clock-offset", OPT_PERCENT, ROW(clock_offset), "0%", "0%", "0.1%", NULL,
     "Deviation of the RNIC's clock, such as 100ppm: the RNIC sends faster than the nominal rate "
     "by this share. Its timers do not deviate.",
     "IEEE 802.3 allows 100 ppm either way, so two ends differ by 200 ppm at most",
     OPT_ACTS(LINK, ANY, TRACE)},
    {"line-rate", OPT_RATE, ROW(line_rate), "any", "1Mbps", "6400Gbps", "any",
     "Link rate for which the RNIC is designed. check warns if its link has another rate; any: no "
     "warning. It has no effect on a run.",
     "own", OPT_INERT},
#include "rnic/pipeline/pipeline_params.def"
#include "rnic/soft/soft_params.def"
    {0},
};
