/* SPDX-License-Identifier: Apache-2.0
 * port - an Ethernet port: transmitter, PFC reaction and PFC sender.
 * Source: IEEE 802.3 cl. 31/annex 31B, IEEE 802.1Q cl. 36 (PFC: quanta of 512 bit times, XOFF, XON;
 * a frame in transmission is finished). XOFF is repeated every `pfc-refresh` while the pause is
 * asserted. The port sends what its owner has ready: a switch queues frames in the port, an RNIC
 * supplies them one by one on request (struct port_source). One event is due per frame and hop, its
 * arrival at the peer; a second one (DEQUEUE) only when another frame is ready behind it. Owner:
 * the node. Clock: now is passed in. */
#ifndef STORMGLASS_NET_PORT_PORT_H
#define STORMGLASS_NET_PORT_PORT_H

#include "base/opt.h"
#include "base/probe.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "net/frame/frame.h"

#include <stdalign.h>

enum { PRIORITIES = 8, DSCPS = 64 };

/* Event kinds of every node with ports; those of a node type start at NET_EVENT_FIRST_OWN. */
enum net_event {
    NET_EVENT_ARRIVAL = 1, /* argument: frame handle; the last bit (cut-through: the header) has
                        * arrived */
    NET_EVENT_PFC_ACT,     /* argument: PFC frame handle; its response delay has elapsed */
    NET_EVENT_PAUSE_END,   /* argument: priority; its quanta may have expired */
    NET_EVENT_PFC_REFRESH, /* argument: priority */
    NET_EVENT_CREDIT_TICK, /* the periodic credit updates are due; Fibre Channel: a stop may have
                            * lasted too long */
    NET_EVENT_CREDIT_FREE, /* argument: lane; a frame has left its buffer */
    NET_EVENT_FIRST_OWN = 16,
    NET_EVENT_DEQUEUE = EVENT_QUIET /* the wire may be free: send the next frame */
};

/* Flow control: PFC, per priority (IEEE 802.1Q cl. 36); global PAUSE, for all priorities while any
 * is asserted (IEEE 802.3 annex 31B); none; or credits (credits.h). A port ignores and counts pause
 * frames of another kind. */
#define PORT_FLOWS(X)  X(PFC, "pfc") X(GLOBAL, "global") X(NONE, "none") X(CREDITS, "credits")
/* FIBRE: the earlier spelling of FIBER. */
#define PORT_CABLES(X) X(FIBER, "fiber") X(TWINAX, "twinax") X(FIBRE, "fibre")
#define PORT_FECS(X)   X(NONE, "none") X(RS_528, "rs-528") X(RS_544, "rs-544") X(AUTO, "auto")

#define X(name, word) PORT_FLOW_##name,
enum port_flow_control { PORT_FLOWS(X) };
#undef X
/* What a frame is on the wire: with preamble and gap, without, or with fill words. */
enum port_kind { PORT_ETHERNET, PORT_INFINIBAND, PORT_FIBRE_CHANNEL };

#define X(name, word) PORT_CABLE_##name,
enum port_cable { PORT_CABLES(X) };
#undef X
#define X(name, word) PORT_FEC_##name,
enum port_fec { PORT_FECS(X) };
#undef X

struct port_params {
    int64_t rate;            /* bits per second */
    int64_t length;          /* millimeters */
    int64_t delay;           /* ps; 0: computed from cable and length */
    int64_t cable;           /* enum port_cable */
    int64_t fec;             /* enum port_fec */
    int64_t fec_latency;     /* ps; -1: computed from code and rate */
    int64_t mtu;             /* netdev MTU: L2 bytes less 18 */
    int64_t pfc_response;    /* ps from the last bit of the PFC frame to its effect */
    int64_t pfc_quanta;      /* pause time in an XOFF, quanta */
    int64_t pfc_refresh;     /* ps between XOFFs during a pause; 0: half of the pause time */
    int64_t pfc_enabled;     /* mask of priorities that send and obey pauses; or auto */
    int64_t pfc_xon;         /* false: pauses end when their quanta expire instead of by XON */
    int64_t flow_control;    /* enum port_flow_control */
    int64_t lane_buffer;     /* credits: bytes of the receive buffer of each lane */
    int64_t credit_interval; /* credits: ps between periodic updates; -1: computed from the rate */
    int64_t bb_credit;       /* Fibre Channel: frames of the receive buffer */
    int64_t bb_sc_n;         /* Fibre Channel: checkpoints every 2^n frames; 0: none */
    int64_t link_reset;      /* Fibre Channel: ps without credits until a link reset; 0: never */
    int64_t kind;            /* enum port_kind; not a row: that of the whole fabric */
};

/* No explicit pfc_enabled: the builder of the fabric derives it from the lossless priorities of
 * both ends; a port alone enables all. */
enum { PORT_PFC_AUTO = -1 };

extern const struct opt port_opts[];

/* Frames of pauses: PFC frames with this class enabled, or PAUSE frames; and the time that this end
 * paused its peer: closed intervals, and the start of the open one, or TIME_NEVER. A group, so that
 * the pauses of the whole port have it too. */
#define PORT_ASSERTED                                                                              \
    uint64_t tx_xoff, tx_xon;                                                                      \
    uint64_t rx_xoff, rx_xon;                                                                      \
    time_ps asserted_ps, asserted_since

struct port_asserted {
    PORT_ASSERTED;
};

/* Counters of one priority that not every frame touches. */
struct port_pauses {
    union {
        struct {
            PORT_ASSERTED;
        };
        struct port_asserted frames;
    };
    uint64_t rx_transitions; /* ends of the peer's pauses: XON, expiry, carrier lost */
    time_ps blocked_ps;      /* time that the transmitter was paused, closed intervals */
    time_ps blocked_since;   /* start of the open interval, or TIME_NEVER */
    time_ps blocked_longest;
    time_ps held_ps;    /* time that a pause of the peer was in force, obeyed or not, closed
                          * intervals */
    time_ps held_since; /* start of its open interval, or TIME_NEVER */
};

/* One priority of a port: what a frame touches, in one cache line. */
struct port_prio {
    alignas(64) uint32_t head; /* of the queue: a frame handle; POOL_NONE: empty */
    uint32_t tail;
    int64_t bytes;  /* queued, without the frame on the wire; 64 bits because a deep buffer
                    * exceeds 4 GiB */
    int64_t peak;   /* maximum of `bytes` */
    uint32_t cells; /* switch memory cells in use, and their maximum */
    uint32_t cells_peak;
    /* Counted as ethtool does: bytes with FCS but without preamble and gap. Frame and byte counters
     * are not adjacent, because gcc would add them as a vector, which is slower. */
    uint64_t tx_frames, rx_frames, tx_bytes, rx_bytes;
};

/* Reasons for frames to take the slow path through a port; 0: none. */
enum port_odd {
    PORT_DOWN = 1 << 0,        /* no carrier */
    PORT_FAULTY = 1 << 1,      /* an injected fault drops or corrupts frames */
    PORT_WATCHED = 1 << 2,     /* the probe records frames, or packets for the time accounting */
    PORT_CUT_THROUGH = 1 << 3, /* the peer acts on the header of a frame */
    PORT_SLOW_WIRE = 1 << 4,   /* a byte is not a whole number of picoseconds, the link is not
                                * Ethernet, or it has credits */
    PORT_REMOTE = 1 << 5,      /* the peer runs on another executor */
    PORT_CHOOSING = 1 << 6,    /* its source is choosing a frame: what becomes ready now waits */
    PORT_TELEMETRY = 1 << 7,   /* frames collect telemetry at this port */
};

struct port;
struct port_credits;
struct mail;

/* The largest frame that the MTU allows, L2 bytes. The MTU of InfiniBand and of Fibre Channel
 * counts payload alone. */
static inline uint32_t port_largest_frame(const struct port_params *params)
{
    return (uint32_t)params->mtu + (params->kind == PORT_INFINIBAND      ? WIRE_IB_MOST
                                    : params->kind == PORT_FIBRE_CHANNEL ? WIRE_FC_BYTES
                                                                         : WIRE_ETHERNET_BYTES);
}

/* Bytes of the link around each frame: preamble and gap of Ethernet, fill words of Fibre
 * Channel. */
static inline uint32_t port_gap_bytes(const struct port_params *params)
{
    return params->kind == PORT_INFINIBAND      ? 0
           : params->kind == PORT_FIBRE_CHANNEL ? WIRE_FC_GAP_BYTES
                                                : WIRE_GAP_BYTES;
}

/* Fills in the known reasons for a pause in force. */
typedef void port_reason(const struct port *port, struct probe_pause *why);

/* Returns the next frame whose priority is in `allowed` (never 0), or POOL_NONE; keeps port->ready
 * up to date. */
typedef uint32_t port_source(struct port *port, uint8_t allowed, time_ps now);

/* Ensures that the port sends its next frame when the wire is free, at busy_until. */
typedef void port_later(struct port *port);

struct port {
    /* One cache line: may a frame leave now, when does it arrive, and where. */
    alignas(64) time_ps busy_until; /* the wire is busy until then */
    time_ps dequeue_at;             /* time of the pending DEQUEUE, or TIME_NEVER */
    time_ps after_wire;             /* from busy_until to arrival: arrival_delay less the gap */
    struct node *node;              /* the owner */
    struct frame_pool *frames;
    uint64_t target;      /* event_target of a frame's arrival */
    uint32_t ps_per_byte; /* at this rate; 0: not a whole number */
    uint32_t sent;        /* frames sent; also the last number used on its line, where 0 is the
                           * DEQUEUE */
    union {
        struct {
            uint8_t odd;     /* enum port_odd */
            uint8_t ready;   /* mask: priorities with something to send; kept by the source */
            uint8_t paused;  /* mask: priorities stopped by a pause of the peer */
            uint8_t pfc_due; /* mask: priorities whose XOFF or XON is waiting for the wire; with
                              * credits: those that port_send_due must look at */
        };
        uint32_t busy; /* all of the above in one word; 0: a frame leaves at once if the wire is
                        * free */
    };
    uint16_t index;   /* port number in the node */
    uint16_t largest; /* maximum frame accepted by the fast path, L2 bytes; larger ones are
                       * giants; 0 without carrier, and with credits */

    struct port_prio prios[PRIORITIES];

    port_source *source;
    port_later *later; /* ensures a DEQUEUE when the wire is free */
    const struct probe *probe;
    port_reason *reason; /* called for a refresh; NULL: no reasons available */
    struct wire_rate rate;
    time_ps propagation;
    time_ps arrival_delay; /* propagation plus the peer's ingress latency */
    time_ps peer_response; /* the peer's delay from a PFC frame to its effect */
    int64_t peer_mtu;
    uint32_t peer_node;
    uint16_t peer_port;
    uint16_t cut_through; /* bytes after which the peer acts; 0: the whole frame */
    uint8_t asserted;     /* mask: priorities in which this end pauses its peer */
    uint8_t reported;     /* mask: priorities whose last PFC frame sent was an XOFF */
    uint8_t wanted;       /* mask: asserted by the owner, whether enabled or not */
    uint8_t enabled;      /* mask: pfc_enabled, or 0 without flow control */
    uint8_t held;         /* mask: priorities with a pause of the peer in force, obeyed or not */
    uint8_t ignored; /* mask: priorities that ignore pauses; in the others paused equals held */
    time_ps pause_until[PRIORITIES];
    time_ps refresh_at[PRIORITIES];
    struct port_pauses pauses[PRIORITIES];
    struct port_asserted global;  /* PAUSE frames */
    struct port_credits *credits; /* NULL: the link has no credits */
    struct port_params params;
    uint64_t giants, corrupt;              /* received and dropped */
    uint64_t pfc_frames_tx, pfc_frames_rx; /* MAC control frames of either kind */
    uint64_t pfc_frames_ignored;           /* received, of the kind that this port does not use */
    uint64_t xoffs_unheeded;               /* received, of the right kind, but for no priority
                                            * that obeys */
    uint64_t tx_discards;                  /* sent into a dead link */
    uint32_t carrier;                      /* number of times the carrier was lost */
    struct port_fault *fault;              /* NULL: none */
    struct mail *mail;                     /* to the peer's executor; NULL: same executor */
};

/* Frames that a fault counts and drops: all, including MAC control; those with a payload; PFC and
 * PAUSE frames that stop a priority; those that only resume. */
#define PORT_FAULT_FRAMES(X) X(ALL, "all") X(DATA, "data") X(PAUSE, "pause") X(RESUME, "resume")

enum port_fault_frames {
#define X(name, word) PORT_FAULT_##name,
    PORT_FAULT_FRAMES(X)
#undef X
        PORT_FAULT_KINDS
};

/* Faults injected into the frames that leave by a port. */
struct port_fault {
    uint64_t drop_every; /* drops every n-th frame; 0: none */
    uint8_t frames;      /* enum port_fault_frames */
    uint64_t seen;
    int64_t bits_between_errors; /* mean number of bits; 0: no errors */
    int64_t bits_to_error;
    struct rng errors;
    uint64_t loss_per_10_15; /* probability of losing a frame, per 10^15; 0: none */
    uint8_t loss_frames;     /* enum port_fault_frames */
    struct rng losses;
};

/* `source` NULL: the port's own queues, in strict priority (7 first). */
void port_init(struct port *port, struct node *node, uint16_t index,
               const struct port_params *params, struct frame_pool *frames,
               const struct probe *probe, port_source *source);
void port_fini(struct port *port);

/* Ingress of a port's node: the latency until it acts on a frame, and the number of bytes after
 * which it may. */
struct port_ingress {
    time_ps latency;
    uint16_t cut_through; /* bytes; 0: the whole frame */
};

/* Latency of forward error correction; 0 without FEC. */
time_ps port_fec_ps(const struct port_params *params);

/* One-way latency of the link: the configured delay, or that of the cable length, plus the FEC. It
 * applies to all frames, including PFC. */
time_ps port_propagation(const struct port_params *params);

/* Minimum time from sending by a joined port until its peer may act. */
time_ps port_reach(const struct port *port);

/* Joins two ports by a link in both directions, and declares the minimum delay between the nodes to
 * the engine. */
void port_join(struct port *a, struct port_ingress a_ingress, struct port *b,
               struct port_ingress b_ingress);

/* After port_join: sends frames through the mail, which outlives the port. */
void port_set_mail(struct port *port, struct mail *mail);

/* Appends a frame to the queue of its priority; the caller calls port_dequeue. */
void port_append(struct port *port, uint32_t handle, struct frame *frame);

/* Removes the first frame of a non-empty queue. */
uint32_t port_shift(struct port *port, uint8_t priority);

void port_dequeue(struct port *port, time_ps now);

/* The carrier comes or goes; frames sent into a dead link are dropped. When it goes, the pauses of
 * the peer end, including those still in their response delay; this end sends none until it comes
 * back, and then sends XOFF for what is asserted. */
void port_set_up(struct port *port, bool up, time_ps now);

/* Applies the fault to frames that leave by the port from now on; NULL: no fault. */
void port_set_fault(struct port *port, struct port_fault *fault);

/* Handles DEQUEUE, PFC_ACT, PAUSE_END, PFC_REFRESH and CREDIT_TICK. */
void port_on_event(struct port *port, const struct event *event);

/* Enables pauses for these priorities and disables them for all others. Disabled: this end stops
 * refreshing its pauses, so that the peer's quanta expire, and pauses of the peer end. Enabled:
 * what the owner still needs is asserted. */
void port_enable_pauses(struct port *port, uint8_t priorities, time_ps now);

/* Pauses the peer in one priority (XOFF, refreshed) until released (XON). */
void port_pfc_assert(struct port *port, uint8_t priority, const struct probe_pause *why);
void port_pfc_release(struct port *port, uint8_t priority, const struct probe_pause *why);

/* While on, pauses of the peer do not stop the priority, and a present one ends. Received pauses
 * are still counted, and held_ps advances as if they were obeyed. Off: a pause whose quanta have
 * not expired stops the priority again. */
void port_ignore_pauses(struct port *port, uint8_t priority, bool on, time_ps now);

/* Total time until now that pauses of the peer were in force in the priority, obeyed or not. */
time_ps port_held_ps(const struct port *port, uint8_t priority, time_ps now);

/* Duration of n pause quanta (512 bit times each) at the port's rate. */
time_ps port_quanta_ps(const struct port *port, uint32_t quanta);

/* Frames sent by the port, including PFC. */
static inline uint64_t port_frames_sent(const struct port *port)
{
    uint64_t frames = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        frames += port->prios[i].tx_frames;
    return frames;
}

/* From now on frames that collect telemetry do so at this port; their pool has room for it. */
void port_tell_telemetry(struct port *port);

void port_audit(const struct port *port);

#endif
