/* SPDX-License-Identifier: Apache-2.0
 * switch - a shared-buffer Ethernet switch.
 * Ports, shared packet memory, forwarding by destination with ECMP, ECN marking, PFC, strict and
 * weighted scheduling. Path of a frame: ingress port -> ingress latency -> checks -> memory ->
 * egress queue -> wire.
 * Source: priorities, PFC and ETS IEEE 802.1Q-2018 cl. 36, 37; ECN RFC 3168 with the RED-like
 * profile of DCQCN (SIGCOMM 2015); DSCP to priority by default DSCP >> 3 (RFC 2474), of frames
 * without an IP header by the PCP of their VLAN tag. Not modeled: learning (routes are given),
 * multicast, several VLANs, ports whose internal rate is below the line rate. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_H
#define STORMGLASS_NET_SWITCH_SWITCH_H

#include "base/rng.h"
#include "net/port/dequeue_timers.h"
#include "net/port/port.h"
#include "net/route/route.h"
#include "net/switch/buffer.h"

/* Values of ecn_mark and of forwarding. */
#define SWITCH_MARK_MOMENTS(X) X(ENQUEUE, "enqueue") X(DEQUEUE, "dequeue")
#define SWITCH_FORWARDINGS(X)  X(STORE_FORWARD, "store-and-forward") X(CUT_THROUGH, "cut-through")

#define X(name, word) SWITCH_##name,
enum { SWITCH_MARK_MOMENTS(X) };
enum { SWITCH_FORWARDINGS(X) };
#undef X

struct switch_params {
    int64_t buffer;             /* bytes of packet memory */
    int64_t ports;              /* number of ports for which the memory is divided; more if more
                                 * are linked */
    int64_t cell;               /* bytes */
    int64_t reserved;           /* bytes per lossless (ingress port, priority) */
    int64_t reserved_lossy;     /* bytes per lossy (ingress port, priority) */
    int64_t reserved_queue;     /* bytes per lossy (egress port, priority) */
    int64_t policy;             /* index in buffer_policies */
    int64_t alpha;              /* ppm, lossless groups */
    int64_t alpha_lossy;        /* ppm, lossy groups; BUFFER_UNLIMITED */
    int64_t alpha_egress;       /* ppm, lossy queues; BUFFER_UNLIMITED */
    int64_t lossy_pool;         /* ppm of the shared memory reserved for lossy groups; 0: common
                                 * pool */
    int64_t egress_lossy_pool;  /* ppm of the shared memory that lossy queues may use */
    int64_t egress_limit;       /* bytes per lossless queue; -1: no limit */
    int64_t xon;                /* bytes of a group's share at or below which XON is sent */
    int64_t xon_offset;         /* bytes below the threshold at which XON is sent */
    int64_t headroom;           /* bytes per lossless (port, priority); -1: auto, from the link */
    int64_t headroom_pool;      /* bytes, common to all; -1: no common pool, -2: from the ratio */
    int64_t headroom_ratio;     /* over-subscription: sum of headrooms divided by their common
                                 * pool */
    int64_t smallest_frame;     /* bytes, for computing headroom */
    int64_t pfc_priorities;     /* mask of lossless priorities */
    int64_t ecn_kmin, ecn_kmax; /* bytes; kmax 0: no marking */
    int64_t ecn_pmax;           /* ppm */
    int64_t ecn_mark;           /* SWITCH_ENQUEUE, SWITCH_DEQUEUE */
    int64_t fecn_threshold;     /* InfiniBand: 0 to 15; 0: no marking */
    int64_t fecn_marking_rate;  /* eligible packets between two marks */
    int64_t fecn_packet_size;   /* bytes of the smallest packet that is marked */
    int64_t fecn_victims;       /* enum switch_victims: ports that mark without credits */
    int64_t latency;            /* ps from the last bit (cut-through: header) of a frame to the
                                 * memory */
    int64_t forwarding;         /* SWITCH_STORE_FORWARD, SWITCH_CUT_THROUGH */
    int64_t router;             /* bool: between VLANs, so frames need an IP header */
    int64_t ecmp_seed;          /* -1: a different seed for each switch */
    int64_t ecmp_hash;          /* enum switch_hash */
    int64_t weight[PRIORITIES]; /* 0: strict, highest first; else weight among the weighted
                                 * priorities */
    int64_t watchdog;           /* enum watchdog_action */
    int64_t watchdog_rule;      /* enum watchdog_rule */
    int64_t watchdog_detection, watchdog_restoration, watchdog_poll; /* ps; -1: from the number
                                                                      * of ports */
    int64_t watchdog_start;            /* ps of the first poll; -1: random */
    int64_t watchdog_jitter;           /* ps: maximum delay of a poll */
    int64_t hold_time, edge_hold_time; /* Fibre Channel: ps; 0: no limit */
    int64_t hoq_life, leaf_hoq_life;   /* InfiniBand: 4.096 us times two to the power of it */
    int64_t packet_life;
    int64_t vl_high_limit; /* InfiniBand: times 4096 B; SWITCH_VL_HIGH_UNLIMITED */
    alignas(8) unsigned char policy_params[BUFFER_POLICIES_MAX]
                                          [BUFFER_PARAMS_MAX]; /* parameters of each
                                                                                     * policy */
};

extern const struct opt switch_opts[]; /* without the parameters of policies */

/* All rows for switch_params, including those of policies and the terminator. Returns their number;
 * fills them in unless `rows` is NULL. */
size_t switch_rows(struct opt *rows);

/* Sets all parameters to their defaults. */
void switch_presets(struct switch_params *params);

/* Selects the buffer policy of that name, which must exist; returns its own parameters. */
void *switch_choose_policy(struct switch_params *params, const char *name);

enum { SWITCH_HEADROOM_AUTO = -1, SWITCH_ECMP_SEED_OWN = -1, SWITCH_WATCHDOG_AUTO = -1 };
enum { SWITCH_HEADROOM_POOL_NONE = -1, SWITCH_HEADROOM_POOL_AUTO = -2 };
enum { SWITCH_EGRESS_LIMIT_NONE = -1 };

/* Hash inputs of ECMP. */
#define SWITCH_HASHES(X) X(5_TUPLE, "5-tuple") X(ADDRESSES, "addresses") X(QUEUE_PAIR, "queue-pair")

#define X(name, word) SWITCH_HASH_##name,
enum switch_hash { SWITCH_HASHES(X) };
#undef X

/* Ports that mark packets although they have no credits, and so are no root of congestion. */
#define SWITCH_VICTIMS(X) X(NONE, "none") X(HOSTS, "hosts") X(ALL, "all")

#define X(name, word) SWITCH_VICTIMS_##name,
enum switch_victims { SWITCH_VICTIMS(X) };
#undef X

enum { SWITCH_FECN_MOST = 15, SWITCH_VL_HIGH_UNLIMITED = 255 };

enum { SWITCH_DROP_CAUSES_MAX = 24 }; /* upper bound for the number of causes in base/drop.def */

struct switch_counters {
    uint64_t ecn_marked;
    uint64_t dropped[SWITCH_DROP_CAUSES_MAX]; /* by enum probe_drop_cause */
    uint64_t dropped_lossless;                /* BUFFER and EGRESS drops in lossless priorities */
};

struct switch_port_counters {
    uint64_t dropped[SWITCH_DROP_CAUSES_MAX]; /* by ingress port */
    uint64_t ecn_marked[PRIORITIES];          /* by egress port */
    uint64_t fecn_eligible[PRIORITIES];       /* by egress port: marked, or left by the rate */
    uint64_t queue_dropped[PRIORITIES];       /* by egress port: dropped at the queue's limit */
};

/* Deficit round robin of one egress port. */
struct switch_turns {
    uint32_t deficit[PRIORITIES]; /* bytes that each priority may still send in its turn */
    uint8_t next;                 /* priority whose turn it is */
    bool high_spent;              /* InfiniBand: a lane with a weight may send a packet first */
    int64_t high_blocks;          /* of 64 B that high lanes have sent since the last opportunity */
};

struct swtch {
    alignas(64) struct node node;

    /* touched by every frame: the next two and a half cache lines */
    struct frame_pool *frames;
    struct port *ports;
    struct route_table routes;
    uint64_t ecmp_seed;
    int64_t mark_above[2]; /* queue bytes at enqueue and at dequeue up to which no frame is
                            * marked */
    uint16_t port_count;
    uint8_t lossless; /* mask of priorities */
    uint8_t metered;  /* mask of priorities whose egress queues have a limit: lossy ones, or all */
    uint8_t strict;   /* mask of priorities served before the weighted ones */
    uint8_t limited;  /* mask of priorities served before the weighted ones up to vl_high_limit */
    bool cut_through;
    bool fecn;         /* marks by annex A10 of InfiniBand */
    bool credits;      /* its links have flow control by credits */
    bool special;      /* cut-through, a router, or an ECMP hash other than the 5-tuple */
    bool careful;      /* special, or the watchdog drops a priority: frames take the slow path */
    uint8_t condemned; /* mask of priorities that the watchdog drops at some port */
    struct dequeue_timers dequeue_timers;
    struct buffer buffer;
    alignas(64) uint8_t priority_of_tos[FRAME_TOS_VALUES]; /* see frame_classify */

    struct switch_params params;
    struct switch_counters counters;
    struct switch_port_counters *port_counters;
    struct switch_turns *turns;  /* by port */
    struct rng marking;          /* random stream of ECN marking */
    uint32_t *waiting;           /* of all groups, see struct buffer_group */
    struct watchdog *watchdog;   /* NULL: off */
    struct lifetimes *lifetimes; /* NULL: frames may wait without limit */
    const struct probe *probe;
};

/* Creates the ports unjoined; switch_carve sets the `headroom` of lossless groups once the links
 * are known. */
void switch_init(struct swtch *swtch, struct engine *engine, const char *name,
                 const struct switch_params *params, uint16_t port_count,
                 const struct port_params *port_params, struct frame_pool *frames,
                 const struct probe *probe);
void switch_fini(struct swtch *swtch);

/* Before any frame arrives: maps a DSCP to a priority; the default is DSCP >> 3. */
void switch_classify(struct swtch *swtch, unsigned dscp, uint8_t priority);

/* Ingress parameters of the ports, for port_join. */
struct port_ingress switch_ingress(const struct swtch *swtch);

/* Divides the memory, when all ports are joined. Returns false with the reason when the memory is
 * too small. */
bool switch_carve(struct swtch *swtch, char *why, size_t size);

/* Starts the activities of the switch itself: the polls of its watchdog. Call after
 * engine_start. */
void switch_start(struct swtch *swtch);

/* The egress port of a frame, UINT16_MAX: none. Uses source, destination, entropy and qpn. */
uint16_t switch_egress(const struct swtch *swtch, const struct frame *frame);

/* Power loss: drops every frame in the switch (link-down). Its ports have no carrier. */
void switch_lose(struct swtch *swtch, time_ps now);

extern const struct node_ops switch_node_ops;

#endif
