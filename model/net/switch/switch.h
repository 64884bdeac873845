/* SPDX-License-Identifier: Apache-2.0
 * switch - a shared-buffer Ethernet switch.
 * Ports, the shared packet memory, forwarding by destination with ECMP, ECN marking, PFC, strict
 * and weighted scheduling.  A frame's path: ingress port -> ingress latency -> checks -> memory ->
 * egress queue -> wire.
 * Source:  priorities, PFC and ETS IEEE 802.1Q-2018 cl. 36, 37; ECN RFC 3168 with the RED-like
 *          profile of DCQCN (SIGCOMM 2015); DSCP to priority by default DSCP >> 3 (RFC 2474).
 * Not modelled: learning (routes are given), multicast, VLANs, ports slower inside than outside. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_H
#define STORMGLASS_NET_SWITCH_SWITCH_H

#include "base/rng.h"
#include "net/port/dequeue_timers.h"
#include "net/port/port.h"
#include "net/route/route.h"
#include "net/switch/buffer.h"

/* ecn_mark, and forwarding. */
#define SWITCH_MARK_MOMENTS(X) X(ENQUEUE, "enqueue") X(DEQUEUE, "dequeue")
#define SWITCH_FORWARDINGS(X)  X(STORE_FORWARD, "store-and-forward") X(CUT_THROUGH, "cut-through")

#define X(name, word) SWITCH_##name,
enum { SWITCH_MARK_MOMENTS(X) };
enum { SWITCH_FORWARDINGS(X) };
#undef X

struct switch_params {
    int64_t buffer;             /* bytes of packet memory */
    int64_t ports;              /* ports that the memory is carved for; more when more are linked */
    int64_t cell;               /* bytes */
    int64_t reserved;           /* bytes for each lossless (ingress port, priority) */
    int64_t reserved_lossy;     /* bytes for each lossy one */
    int64_t reserved_queue;     /* bytes for each lossy (egress port, priority) */
    int64_t policy;             /* in buffer_policies */
    int64_t alpha;              /* ppm, lossless groups */
    int64_t alpha_lossy;        /* ppm, lossy groups; BUFFER_UNLIMITED */
    int64_t alpha_egress;       /* ppm, lossy queues; BUFFER_UNLIMITED */
    int64_t lossy_pool;         /* ppm of the shared memory that only lossy groups use; 0: common */
    int64_t egress_lossy_pool;  /* ppm of the shared memory that lossy queues may hold */
    int64_t egress_limit;       /* bytes of a lossless queue; -1: none */
    int64_t xon;                /* bytes of a share at which XON is sent at the latest */
    int64_t xon_offset;         /* bytes below the threshold at which XON is sent */
    int64_t headroom;           /* bytes for each lossless (port, priority); -1: auto, by link */
    int64_t headroom_pool;      /* bytes for all of them; -1: each its own, -2: by the ratio */
    int64_t headroom_ratio;     /* sum of headrooms for each cell of their pool */
    int64_t smallest_frame;     /* bytes: what headroom must expect */
    int64_t pfc_priorities;     /* mask of lossless priorities */
    int64_t ecn_kmin, ecn_kmax; /* bytes; kmax 0: no marking */
    int64_t ecn_pmax;           /* ppm */
    int64_t ecn_mark;           /* SWITCH_ENQUEUE, SWITCH_DEQUEUE */
    int64_t latency;            /* ps from a frame's last bit (cut-through: header) to the memory */
    int64_t forwarding;         /* SWITCH_STORE_FORWARD, SWITCH_CUT_THROUGH */
    int64_t ecmp_seed;          /* -1: own seed for each switch */
    int64_t ecmp_hash;          /* enum switch_hash */
    int64_t weight[PRIORITIES]; /* 0: strict, highest first; else share among the weighted */
    int64_t watchdog;           /* enum watchdog_action */
    int64_t watchdog_rule;      /* enum watchdog_rule */
    int64_t watchdog_detection, watchdog_restoration, watchdog_poll; /* ps; -1: by ports */
    int64_t watchdog_start;  /* ps: the first poll; -1: drawn */
    int64_t watchdog_jitter; /* ps: most that a poll is late */
    alignas(8) unsigned char policy_params[BUFFER_POLICIES_MAX][BUFFER_PARAMS_MAX]; /* their own */
};

extern const struct opt switch_opts[]; /* without the policies' own */

/* All rows over switch_params, those of policies with them, and the one that ends them: how many.
 * Fills them in unless `rows` is NULL. */
size_t switch_rows(struct opt *rows);

/* All presets. */
void switch_presets(struct switch_params *params);

/* Chooses the buffer policy of that name, which must exist; gives the parameters of its own. */
void *switch_choose_policy(struct switch_params *params, const char *name);

enum { SWITCH_HEADROOM_AUTO = -1, SWITCH_ECMP_SEED_OWN = -1, SWITCH_WATCHDOG_AUTO = -1 };
enum { SWITCH_HEADROOM_POOL_NONE = -1, SWITCH_HEADROOM_POOL_AUTO = -2 };
enum { SWITCH_EGRESS_LIMIT_NONE = -1 };

/* What ECMP tells flows apart by. */
#define SWITCH_HASHES(X) X(5_TUPLE, "5-tuple") X(ADDRESSES, "addresses") X(QUEUE_PAIR, "queue-pair")

#define X(name, word) SWITCH_HASH_##name,
enum switch_hash { SWITCH_HASHES(X) };
#undef X

enum { SWITCH_DROP_CAUSES_MAX = 24 }; /* of base/drop.def, at most */

struct switch_counters {
    uint64_t ecn_marked;
    uint64_t dropped[SWITCH_DROP_CAUSES_MAX]; /* by enum probe_drop_cause */
    uint64_t dropped_lossless; /* among BUFFER and EGRESS: of lossless priorities */
};

struct switch_port_counters {
    uint64_t dropped[SWITCH_DROP_CAUSES_MAX]; /* by ingress port */
    uint64_t ecn_marked[PRIORITIES];          /* by egress port */
    uint64_t queue_dropped[PRIORITIES];       /* likewise: the queue was at its limit */
};

/* Deficit round robin of one egress port. */
struct switch_turns {
    uint32_t deficit[PRIORITIES]; /* bytes that each may still send */
    uint8_t next;                 /* the priority that is served next */
};

struct swtch {
    alignas(64) struct node node;

    /* what every frame touches: the next two lines of memory, and a half */
    struct frame_pool *frames;
    struct port *ports;
    struct route_table routes;
    uint64_t ecmp_seed;
    int64_t mark_above[2]; /* queue bytes at enqueue and at dequeue: up to them nothing is marked */
    uint16_t port_count;
    uint8_t lossless; /* mask of priorities */
    uint8_t metered;  /* mask of priorities whose egress queues have a limit: lossy ones, or all */
    uint8_t strict;   /* mask of priorities that are served before the weighted ones */
    bool cut_through;
    bool special;      /* cuts through, or does not hash the 5-tuple */
    bool careful;      /* special, or something is condemned: frames are looked at twice */
    uint8_t condemned; /* mask of priorities in which the watchdog drops at some port */
    struct dequeue_timers dequeue_timers;
    struct buffer buffer;
    alignas(64) uint8_t priority_of_tos[4 * DSCPS]; /* whatever its ECN bits */

    struct switch_params params;
    struct switch_counters counters;
    struct switch_port_counters *port_counters;
    struct switch_turns *turns; /* of each port */
    struct rng marking;         /* ECN draws */
    uint32_t *waiting;          /* of all groups, see struct buffer_group */
    struct watchdog *watchdog;  /* NULL: off */
    const struct probe *probe;
};

/* Ports are created unjoined; `headroom` of each lossless group is set by switch_carve once links
 * are known. */
void switch_init(struct swtch *swtch, struct engine *engine, const char *name,
                 const struct switch_params *params, uint16_t port_count,
                 const struct port_params *port_params, struct frame_pool *frames,
                 const struct probe *probe);
void switch_fini(struct swtch *swtch);

/* Before frames come: the priority of a DSCP, at first DSCP >> 3. */
void switch_classify(struct swtch *swtch, unsigned dscp, uint8_t priority);

/* What port_join must know of a switch's ports. */
struct port_ingress switch_ingress(const struct swtch *swtch);

/* Cuts the memory when all ports are joined.  False: it is too small, and why. */
bool switch_carve(struct swtch *swtch, char *why, size_t size);

/* Begins what a switch does by itself, its watchdog's polls.  After engine_start. */
void switch_start(struct swtch *swtch);

/* The port that the frame would leave by, UINT16_MAX: none.  It looks at source, destination,
 * entropy and qpn. */
uint16_t switch_egress(const struct swtch *swtch, const struct frame *frame);

/* The power goes: every frame in the switch is lost (link-down).  Its ports have no carrier. */
void switch_lose(struct swtch *swtch, time_ps now);

extern const struct node_ops switch_node_ops;

#endif
