/* SPDX-License-Identifier: Apache-2.0
 * port - an Ethernet port: transmitter, PFC reaction and PFC sender.
 * Source:  IEEE 802.3 cl. 31/annex 31B, IEEE 802.1Q cl. 36 (PFC: quanta of 512 bit times, XOFF,
 * XON; a frame that has begun is finished).  A pause is sent again every `pfc-refresh` while it
 * holds.
 * The port sends what its owner has ready: a switch queues frames in the port, an RNIC is
 * asked for the next one (struct port_source).  One event is due per frame and hop: its arrival at
 * the peer; a second one (DEQUEUE) only when something is ready behind it.
 * Owner: the node.  Clock: now is passed in. */
#ifndef STORMGLASS_NET_PORT_PORT_H
#define STORMGLASS_NET_PORT_PORT_H

#include "base/opt.h"
#include "base/probe.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "net/frame/frame.h"

#include <stdalign.h>

enum { PRIORITIES = 8, DSCPS = 64 };

/* Kinds of event that every node with ports has; a node type's own start at NET_EVENT_FIRST_OWN. */
enum net_event {
    NET_EVENT_ARRIVAL =
        1,             /* argument: frame handle; the last bit (cut-through: the header) is here */
    NET_EVENT_PFC_ACT, /* argument: PFC frame handle; its response delay is over */
    NET_EVENT_PAUSE_END,   /* argument: priority; its quanta may have run out */
    NET_EVENT_PFC_REFRESH, /* argument: priority */
    NET_EVENT_FIRST_OWN = 16,
    NET_EVENT_DEQUEUE = EVENT_QUIET /* the wire may be free: look for the next frame */
};

/* Which frames ask for pauses: PFC, each priority for itself (IEEE 802.1Q cl. 36); PAUSE, all
 * priorities while any is asserted (IEEE 802.3 annex 31B); none is sent nor obeyed.  A port ignores
 * and counts those of the other kind. */
#define PORT_FLOWS(X)  X(PFC, "pfc") X(GLOBAL, "global") X(NONE, "none")
#define PORT_CABLES(X) X(FIBRE, "fibre") X(TWINAX, "twinax")
#define PORT_FECS(X)   X(NONE, "none") X(RS_528, "rs-528") X(RS_544, "rs-544") X(AUTO, "auto")

#define X(name, word) PORT_FLOW_##name,
enum port_flow_control { PORT_FLOWS(X) };
#undef X
#define X(name, word) PORT_CABLE_##name,
enum port_cable { PORT_CABLES(X) };
#undef X
#define X(name, word) PORT_FEC_##name,
enum port_fec { PORT_FECS(X) };
#undef X

struct port_params {
    int64_t rate;         /* bits per second */
    int64_t length;       /* millimetres */
    int64_t delay;        /* ps; 0: from cable and length */
    int64_t cable;        /* enum port_cable */
    int64_t fec;          /* enum port_fec */
    int64_t fec_latency;  /* ps; -1: from code and rate */
    int64_t mtu;          /* netdev MTU: L2 bytes less 18 */
    int64_t pfc_response; /* ps from the PFC frame's last bit to its effect */
    int64_t pfc_quanta;   /* sent in an XOFF */
    int64_t pfc_refresh;  /* ps between XOFFs while one holds; 0: half of the quanta's time */
    int64_t pfc_enabled;  /* mask of priorities that may pause the peer, and obey it; or auto */
    int64_t pfc_xon;      /* an XON ends a pause; else its quanta run out */
    int64_t flow_control; /* enum port_flow_control */
};

/* pfc_enabled that is not said: who builds the fabric knows the lossless priorities of both ends; a
 * port by itself takes all. */
enum { PORT_PFC_AUTO = -1 };

extern const struct opt port_opts[];

/* Counters of one priority that are not touched by every frame. */
struct port_pauses {
    uint64_t tx_xoff, tx_xon; /* PFC frames sent with this class enabled */
    uint64_t rx_xoff, rx_xon;
    uint64_t rx_transitions; /* ends of pauses of the peer: XON, expiry, carrier lost */
    time_ps blocked_ps;      /* time that the transmitter obeyed a pause, closed intervals */
    time_ps blocked_since;   /* of the open interval, or TIME_NEVER */
    time_ps blocked_longest;
    time_ps held_ps;     /* time that a pause of the peer ran, obeyed or not, closed intervals */
    time_ps held_since;  /* likewise of the open interval, or TIME_NEVER */
    time_ps asserted_ps; /* time that this end held its peer paused */
    time_ps asserted_since;
};

/* One priority of a port: what a frame touches, in one line of memory. */
struct port_prio {
    alignas(64) uint32_t head; /* of the queue: a frame handle, POOL_NONE when it is empty */
    uint32_t tail;
    int64_t bytes; /* waiting, without the frame on the wire: a deep buffer holds more than 4 GiB */
    int64_t peak;  /* the most that ever waited */
    uint32_t cells; /* of a switch's memory that they take, and the most ever */
    uint32_t cells_peak;
    /* Counted as ethtool does, bytes with FCS but without preamble and gap.  Frames and bytes are
     * no neighbours: gcc would add them as a vector, which takes longer. */
    uint64_t tx_frames, rx_frames, tx_bytes, rx_bytes;
};

/* Why frames take the slow path through a port; 0: they do not. */
enum port_odd {
    PORT_DOWN = 1 << 0,        /* no carrier */
    PORT_FAULTY = 1 << 1,      /* a fault takes or damages frames */
    PORT_WATCHED = 1 << 2,     /* the probe wants frames, or packets of the account of time */
    PORT_CUT_THROUGH = 1 << 3, /* the peer acts on a frame's header */
    PORT_FRACTION = 1 << 4,    /* a byte is no whole picosecond */
    PORT_REMOTE = 1 << 5,      /* the peer's executor is another */
    PORT_CHOOSING = 1 << 6,    /* its source is being asked: what becomes ready now waits */
    PORT_TELEMETRY = 1 << 7,   /* frames that collect telemetry do so here */
};

struct port;
struct mail;

/* The largest frame that the MTU allows, L2 bytes. */
static inline uint32_t port_largest_frame(const struct port_params *params)
{
    return (uint32_t)params->mtu + WIRE_ETHERNET_BYTES;
}

/* Fills in what is known of a pause of the priority that holds. */
typedef void port_reason(const struct port *port, struct probe_pause *why);

/* Gives the next frame whose priority is in `allowed` (never 0), or POOL_NONE; keeps port->ready
 * current. */
typedef uint32_t port_source(struct port *port, uint8_t allowed, time_ps now);

/* Makes sure that the port looks for its next frame when the wire is free, at busy_until. */
typedef void port_later(struct port *port);

struct port {
    /* one line: may a frame leave now, when does it arrive, and where */
    alignas(64) time_ps busy_until; /* the wire is taken until then */
    time_ps dequeue_at;             /* time of the pending DEQUEUE, or TIME_NEVER */
    time_ps after_wire;             /* from busy_until: arrival_delay less the gap */
    struct node *node;              /* owner */
    struct frame_pool *frames;
    uint64_t target;      /* event_target of a frame's arrival */
    uint32_t ps_per_byte; /* of its rate; 0: no whole number */
    uint32_t sent;        /* frames so far, and a DEQUEUE before the first: numbers of its line */
    union {
        struct {
            uint8_t odd;     /* enum port_odd */
            uint8_t ready;   /* mask: priorities with something to send; the source keeps it */
            uint8_t paused;  /* mask: priorities that the peer has paused, and it is obeyed */
            uint8_t pfc_due; /* mask: priorities whose XOFF or XON waits for the wire */
        };
        uint32_t busy; /* any of these; 0: what comes while the wire is free leaves at once */
    };
    uint16_t index;   /* of this port in its node */
    uint16_t largest; /* frame that it takes, L2 bytes: above is a giant; 0 without carrier */

    struct port_prio prios[PRIORITIES];

    port_source *source;
    port_later *later; /* makes sure of a DEQUEUE when the wire is free */
    const struct probe *probe;
    port_reason *reason; /* for a refresh; NULL: the owner knows none */
    struct wire_rate rate;
    time_ps propagation;
    time_ps arrival_delay; /* propagation, and the peer's ingress latency */
    time_ps peer_response; /* the peer's delay from a PFC frame to its effect */
    int64_t peer_mtu;
    uint32_t peer_node;
    uint16_t peer_port;
    uint16_t cut_through; /* bytes after which the peer acts; 0: it waits for the whole frame */
    uint8_t asserted;     /* mask: priorities in which this end wants its peer paused, and may */
    uint8_t reported;     /* mask: priorities in which the last PFC frame sent was an XOFF */
    uint8_t wanted;       /* mask: asserted by the owner, enabled or not */
    uint8_t enabled;      /* mask: pfc_enabled, or 0 without flow control */
    uint8_t held;         /* mask: priorities in which a pause of the peer runs, obeyed or not */
    uint8_t ignored; /* mask: priorities in which no pause is obeyed; in others paused is held */
    time_ps pause_until[PRIORITIES];
    time_ps refresh_at[PRIORITIES];
    struct port_pauses pauses[PRIORITIES];
    struct port_pauses global; /* PAUSE frames; of the times only asserted */
    struct port_params params;
    uint64_t giants, corrupt;              /* received and dropped */
    uint64_t pfc_frames_tx, pfc_frames_rx; /* MAC control frames of either kind */
    uint64_t pfc_frames_ignored;           /* received, of the kind that is not obeyed */
    uint64_t xoffs_unheeded;               /* of the kind that is, with no priority that does */
    uint64_t tx_discards;                  /* sent into a dead link */
    uint32_t carrier;                      /* counts its losses */
    struct port_fault *fault;              /* NULL: none */
    struct mail *mail;                     /* to the peer's executor; NULL: it is the same */
};

/* The frames that a fault counts and loses: all, MAC control too; those with a payload; PFC and
 * PAUSE frames that stop something; those that only let go. */
#define PORT_FAULT_FRAMES(X) X(ALL, "all") X(DATA, "data") X(PAUSE, "pause") X(RESUME, "resume")

enum port_fault_frames {
#define X(name, word) PORT_FAULT_##name,
    PORT_FAULT_FRAMES(X)
#undef X
        PORT_FAULT_KINDS
};

/* What a scenario's faults do to the frames that leave by a port. */
struct port_fault {
    uint64_t drop_every; /* every n-th frame is lost; 0: none */
    uint8_t frames;      /* enum port_fault_frames */
    uint64_t seen;
    int64_t bits_between_errors; /* mean; 0: none */
    int64_t bits_to_error;
    struct rng errors;
    uint64_t loss_per_10_15; /* each frame is lost with this probability; 0: none */
    uint8_t loss_frames;     /* enum port_fault_frames */
    struct rng losses;
};

/* `source` NULL: the port's own queues, strict by priority (7 first). */
void port_init(struct port *port, struct node *node, uint16_t index,
               const struct port_params *params, struct frame_pool *frames,
               const struct probe *probe, port_source *source);

/* What a port's node does to frames that arrive: how long until it acts, and after how many bytes
 * it may. */
struct port_ingress {
    time_ps latency;
    uint16_t cut_through; /* 0: the whole frame */
};

/* What forward error correction adds to each bit's way; 0 when there is none. */
time_ps port_fec_ps(const struct port_params *params);

/* One way through the link: the delay, or that of the cable's length, and the FEC.  All frames take
 * it, PFC too. */
time_ps port_propagation(const struct port_params *params);

/* Of a joined port: from the moment that it sends until its peer may act, at the least. */
time_ps port_reach(const struct port *port);

/* Joins two ports by a link, both directions, and tells the engine how soon two nodes reach each
 * other. */
void port_join(struct port *a, struct port_ingress a_ingress, struct port *b,
               struct port_ingress b_ingress);

/* After port_join: what the port sends goes by the mail, which outlives it. */
void port_set_mail(struct port *port, struct mail *mail);

/* Queues a frame behind those of its priority; the caller calls port_dequeue. */
void port_append(struct port *port, uint32_t handle, struct frame *frame);

/* Takes the first frame of a queue that is not empty. */
uint32_t port_shift(struct port *port, uint8_t priority);

void port_dequeue(struct port *port, time_ps now);

/* The carrier comes or goes; frames sent into a dead link are dropped.  When it goes, pauses that
 * the peer asked for end, also those that still wait for their response; none is sent until it
 * comes, then one for what is asserted. */
void port_set_up(struct port *port, bool up, time_ps now);

/* Frames that leave by the port suffer the fault from now on; NULL: they suffer none. */
void port_set_fault(struct port *port, struct port_fault *fault);

/* Handles DEQUEUE, PFC_ACT, PAUSE_END and PFC_REFRESH. */
void port_on_event(struct port *port, const struct event *event);

/* Switches pauses on in these priorities and off in all others.  Off: what this end has asserted it
 * refreshes no more, and the peer's quanta run out; what the peer has asked for ends.  On: what the
 * owner still wants is asserted. */
void port_enable_pauses(struct port *port, uint8_t priorities, time_ps now);

/* Holds the peer paused in one priority (XOFF, refreshed) until released (XON). */
void port_pfc_assert(struct port *port, uint8_t priority, const struct probe_pause *why);
void port_pfc_release(struct port *port, uint8_t priority, const struct probe_pause *why);

/* While on, no pause of the peer stops the priority, and one that stops it now is over.  Pauses are
 * counted as received all the same, and held_ps runs as if they were obeyed.  Off: a pause whose
 * quanta still run stops it again. */
void port_ignore_pauses(struct port *port, uint8_t priority, bool on, time_ps now);

/* Time until now that pauses of the peer ran in the priority, obeyed or not. */
time_ps port_held_ps(const struct port *port, uint8_t priority, time_ps now);

/* Time of n pause quanta (512 bit times each) at the port's rate. */
time_ps port_quanta_ps(const struct port *port, uint32_t quanta);

/* Frames that left by the port, PFC too. */
static inline uint64_t port_frames_sent(const struct port *port)
{
    uint64_t frames = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        frames += port->prios[i].tx_frames;
    return frames;
}

/* From now on frames that collect telemetry do so where they leave by the port; their pool has room
 * for it. */
void port_tell_telemetry(struct port *port);

void port_audit(const struct port *port);

#endif
