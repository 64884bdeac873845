/* SPDX-License-Identifier: Apache-2.0
 * switch_params - the parameters of a switch: the common rows, then those of each buffer policy. */
#include "base/check.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch_private.h"
#include "net/switch/watchdog.h"

#include <string.h>

#define FIELD(name) offsetof(struct switch_params, name)
#define WEIGHT(n)                                                                                  \
    {                                                                                              \
        "weight-" #n, OPT_INT, FIELD(weight[n]), "0", "0", "100", NULL,                            \
            "ETS weight of priority " #n                                                           \
            "; 0: strict priority, served before all weighted priorities.",                        \
            "IEEE 802.1Q-2018 37 (ETS)", OPT_ACTS(CLASSES, ANY, TRACE)                             \
    }

/* The policy names, each preceded by a bar; the first bar is skipped. */
static const char policies[] =
#define POLICY(stem) "|" #stem
#include "net/switch/buffer.def"
#undef POLICY
    ;

const struct opt switch_opts[] = {
    {"buffer", OPT_SIZE, FIELD(buffer), "32MiB", "16KiB", "32TiB", NULL,
     "Packet memory that all ports share, on-chip or HBM; at most 2147483647 cells.",
     "assumed: a 100G leaf of 2018 to 2022; the maximum: 2^31 cells of 16 KiB",
     OPT_SCALES_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"ports", OPT_INT, FIELD(ports), "32", "1", "1024", NULL,
     "Number of ports for which the switch reserves buffer and headroom. If more ports than this "
     "have links, it reserves them for all ports with links.",
     "own", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE)},
    {"cell", OPT_SIZE, FIELD(cell), "256B", "1B", "16KiB", NULL,
     "Allocation unit of packet memory: a frame occupies whole cells.",
     "Broadcom Trident3, sonic-mgmt pull request 25573; 208 B on Tomahawk, 254 B on Tomahawk3, 96 "
     "B on Spectrum",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE)},
    {"reserved", OPT_SIZE, FIELD(reserved), "0B", "0B", "16MiB", NULL,
     "Buffer reserved for each lossless priority of each ingress port.",
     "SONiC BUFFER_PROFILE size", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE)},
    {"reserved-lossy", OPT_SIZE, FIELD(reserved_lossy), "0B", "0B", "16MiB", NULL,
     "Buffer reserved for each lossy priority of each ingress port.",
     "SONiC ingress_lossy_profile: size 0", OPT_ACTS(DROPS, ANY, TRACE)},
    {"reserved-queue", OPT_SIZE, FIELD(reserved_queue), "0B", "0B", "16MiB", NULL,
     "Buffer reserved for each lossy priority of each egress port.",
     "SONiC egress_lossy_profile size", OPT_ACTS(DROPS, ANY, TRACE)},
    {"policy", OPT_CHOICE, FIELD(policy), "dynamic", NULL, NULL, policies + 1,
     "How the shared memory is divided among ingress groups (a group is one port and priority).",
     "Choudhury and Hahne 1998; SIGCOMM 2015 section 4",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, ANY, TRACE)},
    {"alpha", OPT_PERCENT, FIELD(alpha), "100%", "0.1%", "12800%", NULL,
     "Dynamic policy: a lossless group may use alpha times the free shared memory.",
     "SONiC dynamic_th 0; dynamic_th n is 2^n",
     OPT_SCALES_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"alpha-lossy", OPT_PERCENT, FIELD(alpha_lossy), "none", "0.1%", "12800%", "none",
     "Dynamic policy: alpha of a lossy ingress group (one port and priority); none: only the lossy "
     "pool and the egress queues "
     "limit lossy groups.",
     "SONiC on Broadcom: ingress_lossy_profile static_th is the whole pool",
     OPT_ACTS(DROPS, LESS, TRACE)},
    {"alpha-egress", OPT_PERCENT, FIELD(alpha_egress), "100%", "0.1%", "12800%", "none",
     "A lossy egress queue may use this multiple of the free egress lossy pool; it drops frames "
     "beyond that.",
     "SONiC egress_lossy_profile dynamic_th 0", OPT_ACTS(DROPS, LESS, TRACE)},
    {"lossy-pool", OPT_PERCENT, FIELD(lossy_pool), "0%", "0%", "95%", NULL,
     "Share of the shared memory that only lossy ingress groups may use; 0%: lossy and lossless "
     "groups share one pool.",
     "SONiC ingress_lossy_pool; most Broadcom profiles have none", OPT_ACTS(DROPS, ANY, TRACE)},
    {"egress-lossy-pool", OPT_PERCENT, FIELD(egress_lossy_pool), "100%", "1%", "100%", NULL,
     "Share of the shared memory that all lossy egress queues together may use.",
     "SONiC egress_lossy_pool", OPT_ACTS(DROPS, ANY, TRACE)},
    {"egress-limit", OPT_SIZE, FIELD(egress_limit), "none", "1B", "32TiB", "none",
     "Queue length at which even a lossless egress queue drops frames; none: no limit.",
     "SONiC egress_lossless_profile static_th: the whole memory",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"xon", OPT_SIZE, FIELD(xon), "0B", "0B", "32TiB", NULL,
     "Fill level of an ingress group at or below which its paused sender may always resume, even "
     "if the pause threshold minus xon-offset is lower.",
     "SAI_BUFFER_PROFILE_ATTR_XON_TH: at most max(xon, threshold - xon-offset)",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, LESS, TRACE)},
    {"xon-offset", OPT_SIZE, FIELD(xon_offset), "8400B", "0B", "32TiB", NULL,
     "How far below the pause threshold an ingress group has to drain before its sender may "
     "resume.",
     "SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH; SIGCOMM 2015 section 4: two MTU",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, PAUSES, MORE, TRACE)},
    {"headroom", OPT_SIZE, FIELD(headroom), "auto", "0B", "32TiB", "auto",
     "Buffer of each lossless group above its threshold, for frames still in flight after XOFF.",
     "auto: IEEE 802.1Q-2018 annex N for the link; SAI_BUFFER_PROFILE_ATTR_XOFF_TH",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"headroom-pool", OPT_SIZE, FIELD(headroom_pool), "none", "0B", "32TiB", "none|auto",
     "Size of a headroom pool that all lossless groups share. none: no pool, each group has its "
     "own headroom; auto: the sum of all headrooms divided by headroom-ratio.",
     "SAI_BUFFER_POOL_ATTR_XOFF_SIZE", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"headroom-ratio", OPT_INT, FIELD(headroom_ratio), "2", "1", "64", NULL,
     "Oversubscription ratio of the headroom pool: the sum of all headrooms divided by the size "
     "of the pool. It has no effect unless headroom-pool is auto.",
     "SONiC over_subscribe_ratio; 2 in its tests",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"smallest-frame", OPT_SIZE, FIELD(smallest_frame), "66B", "62B", "9216B", NULL,
     "Smallest frame of a lossless class. headroom: auto assumes that all frames have this size, "
     "because small frames leave most of each buffer cell unused.",
     "a RoCEv2 acknowledgment: 62 and AETH 4; IEEE 802.3 allows 64", OPT_ACTS(DROPS, ANY, TRACE)},
    {"pfc-priorities", OPT_MASK, FIELD(pfc_priorities), "3", NULL, "0,1,2,3,4,5,6,7", NULL,
     "The lossless priorities, such as [3]; none: frames of every priority may be dropped.",
     "common use: RoCE in priority 3", OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE),
     OPT_AGREES(PATH, LOSSLESS)},
    {"ecn-kmin", OPT_SIZE, FIELD(ecn_kmin), "400KB", "0B", "16TiB", NULL,
     "Length of the egress queue above which ECN marking starts.",
     "HPCC artifact: 100 KB for each 25 Gb/s of link rate",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_ECN, CONGESTION, LESS, TRACE), OPT_AGREES(PATH, ECN)},
    {"ecn-kmax", OPT_SIZE, FIELD(ecn_kmax), "1600KB", "0B", "16TiB", NULL,
     "Length of the egress queue above which every packet is marked; 0: no marking.",
     "HPCC artifact: 400 KB for each 25 Gb/s of link rate",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, CONGESTION, LESS, TRACE), OPT_AGREES(PATH, ECN)},
    {"ecn-pmax", OPT_PERCENT, FIELD(ecn_pmax), "20%", "0%", "100%", NULL,
     "Marking probability at a queue length just below ecn-kmax.", "HPCC artifact: 0.2",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_ECN, CONGESTION, MORE, TRACE), OPT_AGREES(PATH, ECN)},
    {"ecn-mark", OPT_CHOICE, FIELD(ecn_mark), "enqueue", NULL, NULL, OPT_WORDS(SWITCH_MARK_MOMENTS),
     "When the switch compares the length of the egress queue with ecn-kmin and ecn-kmax: when "
     "the packet enters the queue (enqueue), or when it leaves (dequeue).",
     "RFC 3168; SONiC test plan: dequeue-based marking",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_ECN, CONGESTION, ANY, TRACE)},
    {"fecn-threshold", OPT_INT, FIELD(fecn_threshold), "15", "0", "15", NULL,
     "InfiniBand (Threshold): a packet may get FECN if more than (16 - n) / 16 of a lane's buffer "
     "wait for its egress port and lane; 0: no marking.",
     "IBTA annex A10.2.1.1: 0 none, 15 the most aggressive; the fractions are assumed",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, CONGESTION, ANY, TRACE)},
    {"fecn-marking-rate", OPT_INT, FIELD(fecn_marking_rate), "0", "0", "65535", NULL,
     "InfiniBand (Marking_Rate): number of eligible packets of a lane between two with FECN; 0: "
     "all get it.",
     "IBTA annex A10.4.3.6; opensm-cc-conf-gen.rb of LLNL: 0 to 80",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, CONGESTION, ANY, TRACE)},
    {"fecn-packet-size", OPT_SIZE, FIELD(fecn_packet_size), "64B", "0B", "16320B", NULL,
     "InfiniBand (Packet_Size): size of the smallest packet that gets FECN.",
     "IBTA annex A10.4.3.6, in units of 64 B; opensm-cc-conf-gen.rb of LLNL: 1", "64B", 0,
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, CONGESTION, ANY, TRACE)},
    {"fecn-victims", OPT_CHOICE, FIELD(fecn_victims), "hosts", NULL, NULL,
     OPT_WORDS(SWITCH_VICTIMS),
     "InfiniBand (Victim_Mask): ports that mark packets although their lane has no credits. hosts: "
     "those to hosts, since a slow host is a root of congestion that cannot mark.",
     "IBTA annex A10.2.1.1; opensm-cc-conf-gen.rb of LLNL: all ports",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, CONGESTION, ANY, TRACE)},
    {"latency", OPT_TIME, FIELD(latency), "300ns", "0ns", "100us", NULL,
     "Time from the arrival of a frame's last bit until the frame is in packet memory; with "
     "cut-through, from the arrival of its header.",
     "measured by others: about 270 ns a pass through an SX6030", OPT_ACTS(LATENCY, MORE, DELAY)},
    {"forwarding", OPT_CHOICE, FIELD(forwarding), "store-and-forward", NULL, NULL,
     OPT_WORDS(SWITCH_FORWARDINGS),
     "Whether the switch forwards a frame only after its last bit has arrived "
     "(store-and-forward), or as soon as its header has arrived (cut-through).",
     "IEEE 802.1D; vendors' documents", OPT_ACTS(LATENCY, ANY, TRACE)},
    {"router", OPT_BOOL, FIELD(router), "false", NULL, NULL, NULL,
     "true: the switch is an IP router with each port in a separate VLAN, so it drops frames "
     "without an IP header, such as RoCE v1 frames; false: it forwards all frames.",
     "IBTA annex A16, annex A17: RoCE v1 is a link protocol, RoCE v2 is routable",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, LESS, TRACE)},
    {"ecmp-seed", OPT_INT, FIELD(ecmp_seed), "auto", "0", "4294967295", "auto",
     "Seed of the ECMP hash. auto: a different seed for each switch. Equal seeds in two tiers "
     "cause hash polarization.",
     "own", OPT_ACTS(PATHS, DRAW, TRACE)},
    {"ecmp-hash", OPT_CHOICE, FIELD(ecmp_hash), "5-tuple", NULL, NULL, OPT_WORDS(SWITCH_HASHES),
     "Fields of the flow hash. 5-tuple: IP addresses, protocol and UDP ports; addresses: IP "
     "addresses alone; queue-pair: the 5-tuple and the destination queue pair of the BTH.",
     "5-tuple: IBTA annex A17, UDP source port; queue-pair: switches with user-defined fields",
     OPT_ACTS(PATHS, ANY, TRACE)},
    WEIGHT(0),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    {"watchdog", OPT_CHOICE, FIELD(watchdog), "off", NULL, NULL, OPT_WORDS(WATCHDOG_ACTIONS),
     "PFC watchdog: action on a queue that is paused for too long.",
     "SONiC pfcwd: drop is the default where it is enabled",
     OPT_ACTS_IF(OPT_NEED_ETHERNET, DROPS, ANY, TRACE)},
    {"watchdog-rule", OPT_CHOICE, FIELD(watchdog_rule), "mellanox", NULL, NULL,
     OPT_WORDS(WATCHDOG_RULE_WORDS),
     "Rule by which the watchdog detects a storm, named after the SONiC platform. mellanox-2024: "
     "packets are queued, none was sent since the last poll, and the queue was paused for more "
     "than 99 % of that time. mellanox: the same, with a tolerance of 1 % of the detection time. "
     "mellanox-2023: either packets are queued, none was sent, and a PFC frame arrived; or no "
     "packet is queued, and the queue was paused for more than 80 % of the time. broadcom: a PFC "
     "frame arrived, and one pause lasted from one poll to the next.",
     "sonic-swss pfc_detect_mellanox.lua, pull requests 3036 and 4784; pfc_detect_broadcom.lua, "
     "1111",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, ANY, TRACE)},
    {"watchdog-detection", OPT_TIME, FIELD(watchdog_detection), "auto", "1ms", "5s", "auto",
     "Duration of a storm after which the watchdog acts. auto: 200 ms for each 32 ports or part "
     "of 32, at most 5 s.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled, at most 5000 ms; the minimum: SAI counts "
     "milliseconds (SAI_SWITCH_ATTR_PFC_TC_DLD_INTERVAL)",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, LESS, TRACE)},
    {"watchdog-restoration", OPT_TIME, FIELD(watchdog_restoration), "auto", "1ms", "60s", "auto",
     "Time without a received PFC frame of this priority after which the watchdog restores the "
     "queue. auto: 200 ms for each 32 ports or part of 32, at most 60 s.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled, at most 60000 ms; the minimum: SAI counts "
     "milliseconds (SAI_SWITCH_ATTR_PFC_TC_DLR_INTERVAL)",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, ANY, TRACE)},
    {"watchdog-poll", OPT_TIME, FIELD(watchdog_poll), "auto", "1ms", "1s", "auto",
     "Interval at which the watchdog reads its counters. auto: 200 ms for each 32 ports or part "
     "of 32, at most 1 s.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled, at most 1000 ms; the minimum: SAI counts "
     "milliseconds",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, LESS, TRACE)},
    {"watchdog-start", OPT_TIME, FIELD(watchdog_start), "auto", "0ns", "10s", "auto",
     "Time of the watchdog's first poll. auto: a random time within one watchdog-poll, different "
     "for each switch.",
     "own", OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, ANY, TRACE)},
    {"watchdog-jitter", OPT_TIME, FIELD(watchdog_jitter), "0ns", "0ns", "10s", NULL,
     "Maximum random delay of each poll of the watchdog.",
     "own; SONiC polls late when its CPU is busy (sonic-swss issue 4920)",
     OPT_ACTS_IF(OPT_NEED_ETHERNET | OPT_NEED_WATCHDOG, DROPS, ANY, TRACE)},
    {"hold-time", OPT_TIME, FIELD(hold_time), "500ms", "0ms", "10s", NULL,
     "Fibre Channel: maximum time that a frame waits in a switch for a port to another switch; "
     "after that, the switch discards it. 0: no limit.",
     "Brocade FOS, Cisco MDS (congestion-drop timeout): 500 ms",
     OPT_ACTS_IF(OPT_NEED_FIBRE_CHANNEL, DROPS, ANY, TRACE)},
    {"edge-hold-time", OPT_TIME, FIELD(edge_hold_time), "220ms", "0ms", "10s", NULL,
     "Fibre Channel: maximum time that a frame waits in a switch for a port to a host; after "
     "that, the switch discards it. 0: no limit.",
     "Brocade FOS 7 and later: edge hold time, 220 ms; Cisco MDS: 500 ms",
     OPT_ACTS_IF(OPT_NEED_FIBRE_CHANNEL, DROPS, ANY, TRACE)},
    {"head-of-queue-lifetime", OPT_INT, FIELD(hoq_life), "18", "0", "31", NULL,
     "InfiniBand (HOQLife): the exponent n. A switch discards a packet that has been the first of "
     "its virtual lane for 4.096 us x 2^n at a port to another switch. 18 is 1.07 s; above 19: no "
     "limit.",
     "OpenSM osm_base.h: 0x12; IBTA Vol 1 18.2.5.4",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, DROPS, ANY, TRACE)},
    {"leaf-head-of-queue-lifetime", OPT_INT, FIELD(leaf_hoq_life), "16", "0", "31", NULL,
     "InfiniBand (HOQLife): the exponent n. A switch discards a packet that has been the first of "
     "its virtual lane for 4.096 us x 2^n at a port to a host. 16 is 268 ms; above 19: no limit.",
     "OpenSM osm_base.h: 0x10", OPT_ACTS_IF(OPT_NEED_INFINIBAND, DROPS, ANY, TRACE)},
    {"packet-life-time", OPT_INT, FIELD(packet_life), "18", "0", "31", NULL,
     "InfiniBand (LifeTimeValue): the exponent n. A switch discards a packet that has been in the "
     "switch for 4.096 us x 2^n. 18 is 1.07 s; above 19: no limit.",
     "OpenSM osm_base.h: 0x12; IBTA Vol 1 14.2.5.4",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, DROPS, ANY, TRACE)},
    {"vl-high-limit", OPT_INT, FIELD(vl_high_limit), "255", "0", "255", NULL,
     "InfiniBand (VLHighLimit): after this number of times 4096 B from lanes with weight 0 (the "
     "high-priority table), a lane with a weight may send one packet. 0: after each packet; 255: "
     "no limit.",
     "IBTA Vol 1 7.6.9.2; OpenSM: qos_high_limit",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, CLASSES, ANY, TRACE)},
    {0},
};

size_t switch_rows(struct opt *rows)
{
    size_t count = opt_join(rows, 0, switch_opts, 0);
    for (size_t i = 0; i < BUFFER_POLICIES; i++) {
        CHECK(buffer_policies[i]->params_bytes <= BUFFER_PARAMS_MAX);
        count = opt_join(rows, count, buffer_policies[i]->opts, FIELD(policy_params[i]));
    }
    return count + 1;
}

void switch_presets(struct switch_params *params)
{
    opt_presets(switch_opts, params);
    for (size_t i = 0; i < BUFFER_POLICIES; i++)
        if (buffer_policies[i]->opts != NULL)
            opt_presets_onto(buffer_policies[i]->opts, params->policy_params[i]);
}

void *switch_choose_policy(struct switch_params *params, const char *name)
{
    params->policy = 0;
    while (strcmp(buffer_policy_names[params->policy], name) != 0) {
        params->policy++;
        CHECK(params->policy < BUFFER_POLICIES);
    }
    return params->policy_params[params->policy];
}
