/* SPDX-License-Identifier: Apache-2.0
 * switch_params - what a scenario may say about a switch. */
#include "net/switch.h"

#define FIELD(name) offsetof(struct switch_params, name)
#define WEIGHT(n)                                                                                  \
    {                                                                                              \
        "weight-" #n, OPT_INT, FIELD(weight[n]), "0", "0", "100", NULL,                            \
            "Share of priority " #n                                                                \
            " among the weighted ones; 0: strict, highest priority first.",                        \
            "IEEE 802.1Q-2018 37 (ETS)"                                                            \
    }

const struct opt switch_opts[] = {
    {"buffer", OPT_SIZE, FIELD(buffer), "32MiB", "16KiB", "8GiB", NULL,
     "Packet memory that all ports share.", "assumed: a 100G leaf of 2018 to 2022"},
    {"ports", OPT_INT, FIELD(ports), "32", "1", "1024", NULL,
     "Ports that reserved room and headroom are set aside for; more if more are linked.", "own"},
    {"reserved", OPT_SIZE, FIELD(reserved), "0B", "0B", "16MiB", NULL,
     "Memory of each (ingress port, priority) that no other may use.", "SONiC BUFFER_PROFILE size"},
    {"policy", OPT_CHOICE, FIELD(policy), "dynamic", NULL, NULL, "dynamic|static",
     "How the shared memory is divided.", "Choudhury and Hahne 1998; SIGCOMM 2015 section 4"},
    {"alpha", OPT_PERCENT, FIELD(alpha), "100%", "0.1%", "12800%", NULL,
     "Dynamic policy: a lossless group may use alpha times the free shared memory.",
     "SONiC dynamic_th 0; DCQCN paper beta 8 is 800%"},
    {"alpha-lossy", OPT_PERCENT, FIELD(alpha_lossy), "100%", "0.1%", "12800%", NULL,
     "Dynamic policy: the same for lossy groups and egress queues.", "assumed: as alpha"},
    {"xoff", OPT_SIZE, FIELD(xoff), "96KiB", "0B", "1GiB", NULL,
     "Static policy: bytes of a group at which its sender is paused.", "assumed"},
    {"xon-offset", OPT_SIZE, FIELD(xon_offset), "8400B", "0B", "1GiB", NULL,
     "Bytes below the pause threshold at which the sender may go on.",
     "SIGCOMM 2015 section 4: two MTU"},
    {"headroom", OPT_SIZE, FIELD(headroom), "auto", "0B", "1GiB", "auto",
     "Room of each lossless group above its threshold, for what is still under way.",
     "auto: IEEE 802.1Q-2018 annex N for the link"},
    {"pfc-priorities", OPT_MASK, FIELD(pfc_priorities), "3", NULL, "0,1,2,3,4,5,6,7", NULL,
     "The lossless priorities, such as [3]; none: every priority may drop.",
     "common use: RoCE in priority 3"},
    {"ecn-kmin", OPT_SIZE, FIELD(ecn_kmin), "400KB", "0B", "1GiB", NULL,
     "Egress queue at which marking begins.",
     "HPCC artifact: 100 KB for each 25 Gb/s of link rate"},
    {"ecn-kmax", OPT_SIZE, FIELD(ecn_kmax), "1600KB", "0B", "1GiB", NULL,
     "Egress queue at which every packet is marked; 0: no marking.",
     "HPCC artifact: 400 KB for each 25 Gb/s of link rate"},
    {"ecn-pmax", OPT_PERCENT, FIELD(ecn_pmax), "20%", "0%", "100%", NULL,
     "Marking probability just below kmax.", "HPCC artifact: 0.2"},
    {"ecn-mark", OPT_CHOICE, FIELD(ecn_at), "enqueue", NULL, NULL, "enqueue|dequeue",
     "Which moment's queue decides.", "RFC 3168; SONiC test plan: dequeue-based marking"},
    {"latency", OPT_TIME, FIELD(latency), "300ns", "0ns", "100us", NULL,
     "From a frame's last bit (cut-through: its header) to the packet memory.",
     "measured by others: about 270 ns a pass through an SX6030"},
    {"forwarding", OPT_CHOICE, FIELD(forwarding), "store-and-forward", NULL, NULL,
     "store-and-forward|cut-through", "When a frame may leave.", "IEEE 802.1D; vendors' documents"},
    {"ecmp-seed", OPT_INT, FIELD(ecmp_seed), "auto", "0", "4294967295", "auto",
     "Seed of the path hash; auto: each switch its own. Equal seeds in two tiers polarize.", "own"},
    {"ecmp-hash", OPT_CHOICE, FIELD(ecmp_hash), "5-tuple", NULL, NULL,
     "5-tuple|addresses|queue-pair",
     "What tells flows apart: IP addresses, protocol and UDP ports; addresses alone; or the "
     "5-tuple "
     "and the BTH's destination queue pair.",
     "5-tuple: IBTA annex A17, UDP source port; queue-pair: switches with user-defined fields"},
    WEIGHT(0),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    {"watchdog", OPT_CHOICE, FIELD(watchdog), "off", NULL, NULL, "off|drop|forward|alert",
     "PFC watchdog, and what it does to a queue that pauses hold for too long.",
     "SONiC pfcwd: drop is its default where it is on"},
    {"watchdog-rule", OPT_CHOICE, FIELD(watchdog_rule), "mellanox", NULL, NULL,
     "mellanox|mellanox-2024|mellanox-2023|broadcom",
     "What the watchdog takes for a storm: packets wait, none left, paused for more than 99 % of "
     "the interval (mellanox, with 1 % of the detection time forgiven; mellanox-2024, without); "
     "packets wait, none left, any pause came, or none waits and 80 % (mellanox-2023); one pause "
     "from poll to poll (broadcom).",
     "sonic-swss pfc_detect_mellanox.lua, pull requests 3036 and 4784; pfc_detect_broadcom.lua, "
     "1111"},
    {"watchdog-detection", OPT_TIME, FIELD(watchdog_detection), "auto", "100ms", "5s", "auto",
     "How long a storm lasts before the watchdog acts; auto: 200 ms for each 32 ports.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled; 100 to 5000 ms"},
    {"watchdog-restoration", OPT_TIME, FIELD(watchdog_restoration), "auto", "100ms", "60s", "auto",
     "How long no pause comes before the queue is restored; auto: 200 ms for each 32 ports.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled; 100 to 60000 ms"},
    {"watchdog-poll", OPT_TIME, FIELD(watchdog_poll), "auto", "100ms", "1s", "auto",
     "Interval of the watchdog's polls; auto: 200 ms for each 32 ports, at most 1 s.",
     "sonic-utilities pfcwd/main.py: 200 ms, scaled; 100 to 1000 ms"},
    {"watchdog-start", OPT_TIME, FIELD(watchdog_start), "auto", "0ns", "10s", "auto",
     "Time of the first poll; auto: drawn for each switch within one interval.", "own"},
    {"watchdog-jitter", OPT_TIME, FIELD(watchdog_jitter), "0ns", "0ns", "10s", NULL,
     "Most that a poll is late, drawn for each.",
     "own; SONiC polls late when its CPU is busy (sonic-swss issue 4920)"},
    {0},
};
