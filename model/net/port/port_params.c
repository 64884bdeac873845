/* SPDX-License-Identifier: Apache-2.0
 * port_params - the table of port parameters. */
#include "net/port/port.h"

/* IEEE 802.3 annex 31D: maximum quanta between the last bit of a PAUSE and silence at 100 Gb/s. */
const struct opt port_opts[] = {
    {"rate", OPT_RATE, offsetof(struct port_params, rate), "100Gbps", "1Mbps", "6400Gbps", NULL,
     "Link speed, in bits per second on the wire.", "IEEE 802.3", OPT_SCALES(LINK, LESS, RATE),
     OPT_AGREES(LINK, ALWAYS)},
    {"length", OPT_LENGTH, offsetof(struct port_params, length), "3m", "0m", "198000km", NULL,
     "Length of the cable; the propagation delay follows from it.",
     "IEEE 802.3; the maximum: the distance that light travels in fiber in 1 s, the maximum of "
     "`delay`",
     OPT_ACTS(LATENCY, MORE, DELAY)},
    {"cable", OPT_CHOICE, offsetof(struct port_params, cable), "fiber", NULL, NULL,
     OPT_WORDS(PORT_CABLES),
     "Cable type, which sets the propagation delay: 5.05 ns/m in fiber, 4.76 ns/m in twinax "
     "(copper).",
     "SONiC buffer model: 198 000 km/s; Cisco Nexus 5010: 476 ns in 100 m of twinax",
     OPT_ACTS(LATENCY, ANY, TRACE)},
    {"delay", OPT_TIME, offsetof(struct port_params, delay), "0ns", "0ns", "1s", NULL,
     "One-way propagation delay of the cable; 0: computed from `cable` and `length`.", "own",
     OPT_ACTS(LATENCY, MORE, DELAY)},
    {"fec", OPT_CHOICE, offsetof(struct port_params, fec), "none", NULL, NULL, OPT_WORDS(PORT_FECS),
     "Forward error correction (FEC) code of the link; its latency is part of the one-way delay. "
     "auto: the usual code for the link rate.",
     "IEEE 802.3 cl. 91, 108, 119, 134, 172", OPT_ACTS(LATENCY, ANY, TRACE),
     OPT_AGREES(LINK, ALWAYS)},
    {"fec-latency", OPT_TIME, offsetof(struct port_params, fec_latency), "auto", "0ns", "1ms",
     "auto",
     "One-way latency of the FEC. auto: the time to receive the codewords plus the time of the "
     "decoder.",
     "inferred: time of the codewords interleaved, and 42 ns (rs-528) or 37 ns (rs-544)",
     OPT_ACTS(LATENCY, MORE, DELAY)},
    {"mtu", OPT_SIZE, offsetof(struct port_params, mtu), "4200B", "256B", "16000B", NULL,
     "Largest frame, not counting Ethernet header and FCS; larger frames are dropped as giants.",
     "IEEE 802.3; path MTU 4096 needs 4200 (vendors' advice)", OPT_ACTS(DROPS, LESS, TRACE),
     OPT_AGREES(PATH, ALWAYS)},
    {"pfc-response", OPT_TIME, offsetof(struct port_params, pfc_response), "500ns", "0ns", "1ms",
     NULL, "Time from the last bit of a PFC frame to its effect on the transmitter.",
     "assumed; IEEE 802.3 annex 31D allows 394 quanta (2.017 us) at 100 Gb/s",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, MORE, TRACE)},
    {"pfc-quanta", OPT_INT, offsetof(struct port_params, pfc_quanta), "65535", "1", "65535", NULL,
     "Pause time in an XOFF, in quanta of 512 bit times.", "IEEE 802.1Q-2018 36.1",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"pfc-refresh", OPT_TIME, offsetof(struct port_params, pfc_refresh), "0ns", "0ns", "10s", NULL,
     "Time between XOFFs while a pause lasts; 0: half of the pause time in an XOFF.",
     "half: Linux ixgbe_dcb_82599.c, FCRTV = pause_time / 2",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, MORE, TRACE)},
    {"pfc-xon", OPT_BOOL, offsetof(struct port_params, pfc_xon), "true", NULL, NULL, NULL,
     "An XON (a PFC frame with time 0) ends a pause; false: a pause ends when its quanta expire.",
     "both exist: AMD PG051, auto XON", OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, ANY, TRACE)},
    {"flow-control", OPT_CHOICE, offsetof(struct port_params, flow_control), "pfc", NULL, NULL,
     OPT_WORDS(PORT_FLOWS),
     "Flow control of the link. pfc: each priority is paused separately; global: the whole port "
     "is paused (802.3x PAUSE); none: no pauses; credits: credit-based flow control, always used "
     "by InfiniBand and Fibre Channel and only by these.",
     "IEEE 802.1Q-2018 36; IEEE 802.3 annex 31B; IBTA Vol 1 7.9", OPT_ACTS(DROPS, ANY, TRACE),
     OPT_AGREES(LINK, LOSSLESS)},
    {"vl-buffer", OPT_SIZE, offsetof(struct port_params, lane_buffer), "64KiB", "64B", "128KiB",
     NULL,
     "InfiniBand: size of the receive buffer of each virtual lane, at both ends of a link. One "
     "credit lets the peer send 64 B.",
     "assumed: more than a round trip of 400 Gb/s over a few meters; IBTA Vol 1 7.9.4: at most "
     "2048 "
     "blocks",
     "64B", 0, OPT_ACTS_IF(OPT_NEED_INFINIBAND, LINK, LESS, TRACE)},
    {"credit-interval", OPT_TIME, offsetof(struct port_params, credit_interval), "auto", "100ns",
     "1s", "auto",
     "InfiniBand: maximum time between two credit updates. A port sends an update after this time "
     "even if nothing has changed, because the last update may have been lost. auto: 65536 symbol "
     "times of one lane.",
     "IBTA Vol 1 7.9.4", OPT_ACTS_IF(OPT_NEED_INFINIBAND, DROPS, MORE, TRACE)},
    {"bb-credit", OPT_INT, offsetof(struct port_params, bb_credit), "20", "1", "2047", NULL,
     "Fibre Channel: number of frames, of any size, that fit in the receive buffer at each end of "
     "a link. The peer starts with one credit for each of them.",
     "inferred: F_Ports of Brocade Gen 6 switches; FC-FS: BB_Credit",
     OPT_ACTS_IF(OPT_NEED_FIBRE_CHANNEL, LINK, LESS, TRACE)},
    {"bb-sc-n", OPT_INT, offsetof(struct port_params, bb_sc_n), "0", "0", "15", NULL,
     "Fibre Channel: the exponent n. After every 2^n frames and every 2^n R_RDYs, both ends "
     "compare their counts and restore lost credits. 0: never.",
     "FC-FS: BB_SC_N; vendors enable it between switches, and often not at hosts",
     OPT_ACTS_IF(OPT_NEED_FIBRE_CHANNEL, DROPS, ANY, TRACE), OPT_AGREES(LINK, SET)},
    {"link-reset", OPT_TIME, offsetof(struct port_params, link_reset), "100ms", "0ms", "10s", NULL,
     "Fibre Channel: a port that has frames to send but no credit for this time resets the link "
     "(LR, LRR), which restores lost credits. 0: never.",
     "assumed; FC-FS: E_D_TOV, 2 s; Cisco MDS: 1 s at F_Ports, 1.5 s at E_Ports",
     OPT_ACTS_IF(OPT_NEED_FIBRE_CHANNEL, DROPS, MORE, TRACE)},
    {"pfc-enabled", OPT_MASK, offsetof(struct port_params, pfc_enabled), "auto", NULL,
     "0,1,2,3,4,5,6,7", "auto",
     "Priorities for which the port sends PFC frames and obeys received ones. auto: at a switch "
     "port, the lossless priorities of the switch; at a NIC, rnic.pfc-priorities (DCBX). With "
     "flow-control: global, the priorities whose buffers trigger a PAUSE frame (auto: all), and "
     "none means that the port also ignores received PAUSE frames.",
     "IEEE 802.1Q-2018 36.1.3.3; SONiC pfc_enable; mlnx_qos --pfc", OPT_ACTS(DROPS, ANY, TRACE),
     OPT_AGREES(LINK, LOSSLESS)},
    {0},
};
