/* SPDX-License-Identifier: Apache-2.0
 * tcp_params - the rows of struct tcp_params. */
#include "tcp/tcp.h"

#include <stddef.h>

#define ROW(field) offsetof(struct tcp_params, field)
#define TCP_H      "Linux include/net/tcp.h"
#define SYSCTL     "Linux Documentation/networking/ip-sysctl.rst"

static const char congestion_controls[] =
#define TCP_CC(stem, about) "|" #stem
#include "tcp/tcp_cc.def"
#undef TCP_CC
    ;

const struct opt tcp_base_opts[] = {
    {"congestion-control", OPT_CHOICE, ROW(congestion_control), "cubic", NULL, NULL,
     &congestion_controls[1], "Congestion control algorithm of TCP.",
     SYSCTL ", tcp_congestion_control: cubic", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"initial-window", OPT_INT, ROW(initial_window), "10", "1", "1000", NULL,
     "Initial congestion window, in segments.", "RFC 6928; " TCP_H ", TCP_INIT_CWND",
     OPT_SCALES_IF(OPT_NEED_TCP, CONGESTION, LESS, TRACE)},
    {"reordering", OPT_INT, ROW(reordering), "3", "1", "300", NULL,
     "Number of duplicate ACKs, or of SACKed later segments, after which TCP treats a segment as "
     "lost.",
     SYSCTL ", tcp_reordering", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, ANY, TRACE)},
    {"rto-min", OPT_TIME, ROW(rto_min), "200ms", "1us", "10s", NULL,
     "Minimum difference between the retransmission timeout and the smoothed round-trip time.",
     TCP_H ", TCP_RTO_MIN: HZ/5", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, MORE, TRACE)},
    {"rto-initial", OPT_TIME, ROW(rto_initial), "1s", "1us", "60s", NULL,
     "Retransmission timeout until the first measurement of the round-trip time.",
     "RFC 6298 2.1; " TCP_H ", TCP_TIMEOUT_INIT", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, MORE, TRACE)},
    {"rto-max", OPT_TIME, ROW(rto_max), "120s", "1ms", "1000s", NULL,
     "Largest retransmission timeout.", TCP_H ", TCP_RTO_MAX",
     OPT_ACTS_IF(OPT_NEED_TCP, LOSS, MORE, TRACE)},
    {"timer-slack", OPT_TIME, ROW(timer_slack), "2ms", "0ns", "1s", NULL,
     "Time added to the timeout of the tail loss probe and to the reordering timeout of RACK (2 "
     "jiffies at HZ 1000).",
     TCP_H ", TCP_TIMEOUT_MIN_US", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, MORE, TRACE)},
    {"retries", OPT_INT, ROW(retries), "15", "1", "100", NULL,
     "Number of consecutive retransmission timeouts after which a connection "
     "fails.",
     SYSCTL ", tcp_retries2", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, LESS, TRACE)},
    {"syn-retries", OPT_INT, ROW(syn_retries), "6", "0", "100", NULL,
     "Number of SYN retransmissions after which connecting fails.", SYSCTL ", tcp_syn_retries",
     OPT_ACTS_IF(OPT_NEED_TCP, CONNECTING, LESS, TRACE)},
    {"sack", OPT_BOOL, ROW(sack), "true", NULL, NULL, NULL, "Use selective acknowledgments.",
     SYSCTL ", tcp_sack", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, ANY, TRACE)},
    {"rack", OPT_BOOL, ROW(rack), "true", NULL, NULL, NULL,
     "true: TCP detects losses by the send times of segments (RACK); false: by the number of "
     "later segments that are SACKed.",
     SYSCTL ", tcp_recovery: 1", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, ANY, TRACE)},
    {"tail-loss-probe", OPT_BOOL, ROW(tlp), "true", NULL, NULL, NULL,
     "Send a tail loss probe before the retransmission timeout.", SYSCTL ", tcp_early_retrans: 3",
     OPT_ACTS_IF(OPT_NEED_TCP, LOSS, ANY, TRACE)},
    {"frto", OPT_BOOL, ROW(frto), "true", NULL, NULL, NULL,
     "After a timeout, use new segments to detect whether the timeout was spurious (F-RTO).",
     SYSCTL ", tcp_frto: 2", OPT_ACTS_IF(OPT_NEED_TCP, LOSS, ANY, TRACE)},
    {"prr", OPT_BOOL, ROW(prr), "true", NULL, NULL, NULL,
     "true: the congestion window falls over one round trip (proportional rate reduction), so that "
     "the sender continues to send; false: it falls at once. With congestion-control: dctcp and "
     "true, marks that arrive in this round trip reduce the window a second time.",
     "RFC 6937; Linux tcp_input.c, tcp_cwnd_reduction: always; FreeBSD tcp(4), net.inet.tcp.do_prr",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"timestamps", OPT_BOOL, ROW(timestamps), "true", NULL, NULL, NULL,
     "Use the timestamps option, which adds 12 bytes to each segment.", SYSCTL ", tcp_timestamps",
     OPT_ACTS_IF(OPT_NEED_TCP, LINK, ANY, TRACE)},
    {"window-scaling", OPT_BOOL, ROW(window_scaling), "true", NULL, NULL, NULL,
     "Use the window scale option; false: no window exceeds 64 KiB.", SYSCTL ", tcp_window_scaling",
     OPT_ACTS_IF(OPT_NEED_TCP, WINDOW, ANY, TRACE)},
    {"ecn", OPT_CHOICE, ROW(ecn), "passive", NULL, NULL, OPT_WORDS(TCP_ECNS),
     "Negotiation of ECN. off: never; passive: accept classic ECN (RFC 3168) if the peer requests "
     "it; on: request and accept classic ECN; accurate: request and accept accurate ECN (RFC "
     "9768); accurate-passive: accept accurate ECN but request nothing; on-accurate-passive: "
     "accept accurate ECN but request only classic ECN. If the peer does not support accurate "
     "ECN, classic ECN is used. With congestion-control: dctcp, ECN is always requested.",
     SYSCTL ", tcp_ecn: 2; from Linux 7.0 on also 3, 5 and 4",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE), OPT_AGREES(ENDS, ECN)},
    {"ecn-option", OPT_CHOICE, ROW(ecn_option), "every-segment", NULL, NULL,
     OPT_WORDS(TCP_ECN_OPTIONS),
     "Accurate ECN: which segments carry the AccECN option of up to 12 bytes. never: none; "
     "minimum: segments after a change of its byte counters, and ecn-beacon segments per round "
     "trip; every-segment: all.",
     SYSCTL ", tcp_ecn_option: 2", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"ecn-beacon", OPT_INT, ROW(ecn_beacon), "3", "0", "63", NULL,
     "Accurate ECN: number of AccECN options per round trip if ecn-option is minimum; 0: only "
     "when a byte counter changes.",
     SYSCTL ", tcp_ecn_option_beacon: 3", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"delayed-ack", OPT_TIME, ROW(delayed_ack), "40ms", "1us", "1s", NULL,
     "Maximum delay of an ACK, which waits for a second segment or for data in the other "
     "direction.",
     TCP_H ", TCP_DELACK_MIN: HZ/25", OPT_SCALES_IF(OPT_NEED_TCP, DELAYED_ACK, MORE, TRACE)},
    {"quick-acks", OPT_INT, ROW(quick_acks), "16", "0", "255", NULL,
     "Number of ACKs that are not delayed at the start of a connection or after an idle time.",
     TCP_H ", TCP_MAX_QUICKACKS", OPT_ACTS_IF(OPT_NEED_TCP, DELAYED_ACK, LESS, TRACE)},
    {"send-buffer", OPT_SIZE, ROW(send_buffer), "16KiB", "4KiB", "1GiB", NULL,
     "Initial size of a connection's send buffer.", SYSCTL ", tcp_wmem: 4 KiB, 16 KiB, 4 MiB",
     OPT_SCALES_IF(OPT_NEED_TCP, WINDOW, LESS, TRACE)},
    {"send-buffer-max", OPT_SIZE, ROW(send_buffer_max), "4MiB", "4KiB", "1GiB", NULL,
     "Maximum size of a connection's send buffer, which grows to twice the congestion window.",
     SYSCTL ", tcp_wmem", OPT_SCALES_IF(OPT_NEED_TCP, WINDOW, LESS, TRACE)},
    {"receive-buffer", OPT_SIZE, ROW(receive_buffer), "128KiB", "32KiB", "1GiB", NULL,
     "Initial size of a connection's receive buffer. The receive window is half of it, because "
     "overhead uses the other half.",
     SYSCTL ", tcp_rmem: 4 KiB, 128 KiB, 6 MiB; tcp_adv_win_scale 1",
     OPT_SCALES_IF(OPT_NEED_TCP, WINDOW, LESS, TRACE)},
    {"receive-buffer-max", OPT_SIZE, ROW(receive_buffer_max), "6MiB", "32KiB", "1GiB", NULL,
     "Maximum size of a connection's receive buffer, which grows to twice the data that the "
     "application reads while one window of data arrives.",
     SYSCTL ", tcp_rmem", OPT_SCALES_IF(OPT_NEED_TCP, WINDOW, LESS, TRACE)},
    {"slow-start-after-idle", OPT_BOOL, ROW(slow_start_after_idle), "true", NULL, NULL, NULL,
     "Reset the congestion window to the initial one after an idle time of one timeout.",
     SYSCTL ", tcp_slow_start_after_idle", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"tso-size", OPT_SIZE, ROW(tso_size), "64KiB", "0B", "512KiB", NULL,
     "Maximum size of a batch of segments that TCP passes to the NIC at once (TSO); 0: one "
     "segment at a time.",
     "Linux include/linux/netdevice.h, GSO_LEGACY_MAX_SIZE",
     OPT_ACTS_IF(OPT_NEED_TCP, HOST_CPU, LESS, TRACE)},
    {"gro-size", OPT_SIZE, ROW(gro_size), "64KiB", "0B", "512KiB", NULL,
     "Maximum size of a batch of segments that the receiver merges (GRO); 0: no merging.",
     "Linux include/linux/netdevice.h, GRO_LEGACY_MAX_SIZE",
     OPT_ACTS_IF(OPT_NEED_TCP, HOST_CPU, LESS, TRACE)},
    {"output-limit", OPT_SIZE, ROW(output_limit), "1MiB", "4KiB", "1GiB", NULL,
     "Maximum bytes of a connection that may be queued below TCP, in driver and NIC.",
     SYSCTL ", tcp_limit_output_bytes", OPT_SCALES_IF(OPT_NEED_TCP, WINDOW, LESS, TRACE)},
    {"nic-queue", OPT_SIZE, ROW(nic_queue), "64KiB", "4KiB", "16MiB", NULL,
     "Maximum bytes in the NIC's transmit queue, for each priority.",
     "assumed: one batch; byte queue limits keep the queue about this short",
     OPT_ACTS_IF(OPT_NEED_TCP, WINDOW, ANY, TRACE)},
    {"pacing", OPT_BOOL, ROW(pacing), "false", NULL, NULL, NULL,
     "true: TCP paces segments at a rate computed from congestion window and round-trip time "
     "(qdisc fq); false: no pacing.",
     "Linux net/sched/sch_fq.c; the default qdisc fq_codel does not pace",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"pacing-slow-start", OPT_PERCENT, ROW(pacing_slow_start), "200%", "100%", "1000%", NULL,
     "Pacing rate in slow start, as a share of cwnd / srtt.", SYSCTL ", tcp_pacing_ss_ratio",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"pacing-avoidance", OPT_PERCENT, ROW(pacing_avoidance), "120%", "100%", "1000%", NULL,
     "Pacing rate in congestion avoidance, as a share of cwnd / srtt.",
     SYSCTL ", tcp_pacing_ca_ratio", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"interrupt-delay", OPT_TIME, ROW(interrupt_delay), "10us", "0ns", "10ms", NULL,
     "Time from the arrival of a segment to its interrupt: NIC, PCIe, interrupt moderation "
     "(rx-usecs of ethtool), exit from an idle state. It has no effect while the core already "
     "polls.",
     "inferred: latency at queue depth 1 of three laboratories, all within 10 %: spdk/spdk#2326 "
     "(27 us, 33 us), Linux commits 659a0de4 (24.3 us) and b78e6ad1 (23.1 us)",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, MORE, DELAY)},
    {"poll-delay", OPT_TIME, ROW(poll_delay), "6us", "0ns", "10ms", NULL,
     "Time from the arrival of a segment until a thread that polls finds it, at most "
     "interrupt-delay: NIC and PCIe. For the poll queues of an NVMe host, which have neither "
     "interrupt-cost nor wakeup-cost.",
     "inferred: Linux commit 10a51388: 40.9 us at queue depth 1 with a drive of 10 us became 32.0 "
     "us (profile busy-poll)",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, MORE, DELAY)},
    {"interrupt-cost", OPT_TIME, ROW(interrupt_cost), "1us", "0ns", "1ms", NULL,
     "CPU time of an interrupt, before the first segment is processed.",
     "assumed: 1 to 3 us with the soft interrupt",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, DELAY)},
    {"wakeup-cost", OPT_TIME, ROW(wakeup_cost), "3100ns", "0ns", "1ms", NULL,
     "CPU time to switch to the thread that reads the stream. It has no effect if the core was "
     "not idle when the interrupt arrived.",
     "inferred: Linux commit 659a0de4, which saved a thread switch and reduced 27.4 us at queue "
     "depth 1 to 24.3 us; 0 if the software polls",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, DELAY)},
    {"rx-batch-cost", OPT_TIME, ROW(rx_batch_cost), "300ns", "0ns", "1ms", NULL,
     "CPU time for each batch of received segments.",
     "assumed: 0.5 to 1 us for a segment alone, with rx-segment-cost",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"rx-segment-cost", OPT_TIME, ROW(rx_segment_cost), "100ns", "0ns", "1ms", NULL,
     "CPU time for each received segment, to merge it into a batch (GRO).",
     "assumed: 0.1 to 0.2 us for a segment that GRO merges",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"tx-batch-cost", OPT_TIME, ROW(tx_batch_cost), "500ns", "0ns", "1ms", NULL,
     "CPU time for each batch of segments that TCP sends.",
     "assumed: the same as rx-batch-cost, and a doorbell",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"copy-cost", OPT_TIME, ROW(copy_cost), "195ns", "0ns", "1ms", NULL,
     "CPU time to copy 1 KiB of received data that is in the processor's cache.",
     "Cai et al., SIGCOMM 2021: 42 Gb/s for each core, most of it the receiver's copy",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"cold-copy-cost", OPT_TIME, ROW(cold_copy_cost), "640ns", "0ns", "1ms", NULL,
     "CPU time to copy 1 KiB of received data that is not in the processor's cache.",
     "inferred: NVMe/TCP data digest offload, netdev v28: 8 full cores read 84 Gb/s in blocks of "
     "64 KiB and 98 Gb/s in blocks of 512 KiB at depth 128",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"cache", OPT_SIZE, ROW(cache), "10MiB", "0B", "1GiB", NULL,
     "Size of the processor's cache for received data. If the outstanding operations of a port "
     "have more data than this, the excess is not in the cache (see cold-copy-cost).",
     "inferred: umanskymax/spdk, io_pacing, test 7: a target's rate falls above 10 MB in flight",
     OPT_ACTS_IF(OPT_NEED_TCP, HOST_CPU, LESS, SERVICE)},
    {"digest-cost", OPT_TIME, ROW(digest_cost), "430ns", "0ns", "1ms", NULL,
     "CPU time to compute a data digest (CRC32C), for each 1 KiB sent or received.",
     "inferred: NVMe/TCP data digest offload, netdev v28: 8 full cores fell from 84 to 53 and from "
     "98 to 61 Gb/s",
     OPT_SCALES_IF(OPT_NEED_TCP, HOST_CPU, CEILING, COST)},
    {"tls-cost", OPT_TIME, ROW(tls_cost), "262ns", "0ns", "1ms", NULL,
     "TLS: CPU time to encrypt or decrypt 1 KiB.",
     "Drucker, Gueron, Krasnov, ITNG 2019: AES-GCM with AES-NI in 0.64 cycles for each byte, here "
     "at 2.5 GHz; less with VAES, 0 with TLS offload by the NIC",
     OPT_SCALES_IF(OPT_NEED_TLS, HOST_CPU, CEILING, COST)},
    {"tls-record-cost", OPT_TIME, ROW(tls_record_cost), "1us", "0ns", "1ms", NULL,
     "TLS: CPU time for each record, encrypted or decrypted, in addition to tls-cost.",
     "assumed: buffers, scatter lists and the crypto request of net/tls/tls_sw.c",
     OPT_SCALES_IF(OPT_NEED_TLS, HOST_CPU, CEILING, COST)},
    {"tls-handshake-cost", OPT_TIME, ROW(tls_handshake_cost), "100us", "0ns", "1s", NULL,
     "TLS: CPU time at each end for the handshake of a connection.",
     "assumed: two operations of X25519 and HKDF; the upcall to tlshd takes longer",
     OPT_ACTS_IF(OPT_NEED_TLS, CONNECTING, MORE, TRACE)},
    {"cores", OPT_INT, ROW(cores), "0", "0", "1024", NULL,
     "Number of CPU cores that execute TCP at a port; a hash selects the core of each connection. "
     "0: an NVMe connection runs on the core of its NVMe queue, and a tcp-stream connection on "
     "its own core.",
     "assumed: a core for each queue, as Linux and SPDK create them",
     OPT_ACTS_IF(OPT_NEED_TCP, HOST_CPU, LIMIT, TRACE)},
    {"dscp", OPT_DSCP, ROW(dscp), "0", "0", "63", NULL, "DSCP of TCP segments.",
     "RFC 2474: default forwarding", OPT_ACTS_IF(OPT_NEED_TCP, CLASSES, ANY, TRACE)},
    {"time-wait", OPT_TIME, ROW(time_wait), "60s", "1us", "1000s", NULL,
     "Time for which a closed connection keeps its ports.", TCP_H ", TCP_TIMEWAIT_LEN",
     OPT_ACTS_IF(OPT_NEED_TCP, CONNECTING, MORE, TRACE)},
    {0},
};

size_t tcp_rows(struct opt *rows)
{
    size_t count = opt_join(rows, 0, tcp_base_opts, 0);
    for (size_t i = 0; i < TCP_CCS; i++)
        count = opt_join(rows, count, tcp_cc_list[i]->opts,
                         offsetof(struct tcp_params, cc) + i * TCP_CC_PARAMS_MAX);
    return count + 1;
}
