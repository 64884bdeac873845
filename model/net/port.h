/* SPDX-License-Identifier: Apache-2.0
 * port - an Ethernet port: transmitter, PFC reaction and PFC sender.
 * Source:  IEEE 802.3 cl. 31/annex 31B, IEEE 802.1Q cl. 36 (PFC: quanta of 512 bit
 * times, XOFF, XON; a frame that has begun is finished).  A pause is sent again every `pfc-refresh`
 * while it holds. The port sends what its owner has ready: a switch queues frames in the port, an
 * RNIC is asked for the next one (struct port_source).  One event is due per frame and hop: its
 * arrival at the peer; a second one (KICK) only when something is ready behind it. Owner: the node.
 * Clock: now is passed in. */
#ifndef STORMGLASS_NET_PORT_H
#define STORMGLASS_NET_PORT_H

#include "base/opt.h"
#include "base/probe.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "net/frame.h"

enum { PRIORITIES = 8 };

/* Kinds of event that every node with ports has; a node type's own start at NET_EVENT_FIRST_OWN. */
enum net_event {
    NET_EVENT_ARRIVAL =
        1,             /* argument: frame handle; the last bit (cut-through: the header) is here */
    NET_EVENT_KICK,    /* the wire may be free: look for the next frame */
    NET_EVENT_PFC_ACT, /* argument: PFC frame handle; its response delay is over */
    NET_EVENT_PAUSE_END,   /* argument: priority; its quanta may have run out */
    NET_EVENT_PFC_REFRESH, /* argument: priority */
    NET_EVENT_FIRST_OWN = 16
};

struct port_params {
    int64_t rate;         /* bits per second */
    int64_t length;       /* millimetres */
    int64_t delay;        /* ps; 0: from the length at 5.05 ns/m */
    int64_t mtu;          /* netdev MTU: L2 bytes less 18 */
    int64_t pfc_response; /* ps from the PFC frame's last bit to its effect */
    int64_t pfc_quanta;   /* sent in an XOFF */
    int64_t pfc_refresh;  /* ps between XOFFs while one holds; 0: half of the quanta's time */
    int64_t pfc_enabled;  /* mask of priorities whose pauses the transmitter obeys */
};

extern const struct opt port_opts[];

struct port_count {
    uint64_t frames, bytes; /* bytes without preamble and gap, with FCS, as ethtool counts them */
};

/* Counters of one priority that are not touched by every frame. */
struct port_pauses {
    uint64_t tx_xoff, tx_xon; /* PFC frames sent with this class enabled */
    uint64_t rx_xoff, rx_xon;
    time_ps blocked_ps;    /* time that the transmitter obeyed a pause, closed intervals */
    time_ps blocked_since; /* of the open interval, or TIME_NEVER */
    time_ps blocked_longest;
    time_ps asserted_ps; /* time that this end held its peer paused */
    time_ps asserted_since;
};

struct port_queue {
    uint32_t head, tail; /* frame handles, POOL_NONE when empty */
    uint32_t bytes;      /* waiting, without the frame on the wire */
    uint32_t deficit;    /* of the weighted scheduler */
};

struct port;

/* Gives the next frame whose priority is in `allowed` (never 0), or POOL_NONE; keeps port->ready
 * current. */
typedef uint32_t port_source(struct port *port, uint8_t allowed, time_ps now);

struct port {
    /* hot: one line decides whether a frame can leave now */
    time_ps busy_until; /* the wire is taken until then */
    time_ps kick_at;    /* time of the pending KICK, or TIME_NEVER */
    struct node *node;  /* owner */
    uint32_t peer_node;
    uint16_t peer_port;
    uint16_t index;   /* of this port in its node */
    uint8_t ready;    /* mask: priorities with something to send; the source keeps it */
    uint8_t paused;   /* mask: priorities that the peer has paused */
    uint8_t pfc_due;  /* mask: priorities whose XOFF or XON waits for the wire */
    uint8_t asserted; /* mask: priorities in which this end holds its peer paused */
    uint8_t told;     /* mask: priorities in which the last PFC frame sent was an XOFF */
    bool up;
    bool choosing; /* its source is being asked: what becomes ready now waits for the answer */
    uint8_t turn;  /* of the weighted scheduler */
    uint16_t cut_through; /* bytes after which the peer acts; 0: it waits for the whole frame */
    struct wire_rate rate;
    time_ps arrival_delay; /* propagation, and the peer's ingress latency */
    time_ps propagation;
    time_ps peer_response; /* the peer's delay from a PFC frame to its effect */
    int64_t peer_mtu;
    port_source *source;
    struct frame_pool *frames;

    struct port_queue queues[PRIORITIES];
    struct port_count tx[PRIORITIES], rx[PRIORITIES];

    time_ps pause_until[PRIORITIES];
    time_ps refresh_at[PRIORITIES];
    struct port_pauses pauses[PRIORITIES];
    struct port_params params;
    const struct probe *probe;
    uint64_t giants, corrupt; /* received and dropped */
    uint64_t pfc_frames_tx, pfc_frames_rx;
    uint64_t hops;            /* frames that crossed the link from here */
    struct port_fault *fault; /* NULL: none */
};

/* What a scenario's faults do to the frames that leave by a port. */
struct port_fault {
    uint64_t drop_every; /* every n-th frame is lost; 0: none */
    bool data_only;      /* counts and loses only frames with a payload */
    uint64_t seen;
    int64_t bits_between_errors; /* mean; 0: none */
    int64_t bits_to_error;
    struct rng errors;
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

/* One way through the cable: the delay, or the length at 5.05 ns/m. */
time_ps port_propagation(const struct port_params *params);

/* Joins two ports by a link, both directions. */
void port_join(struct port *a, struct port_ingress a_ingress, struct port *b,
               struct port_ingress b_ingress);

/* Something became ready: sends it now if the wire is free, else makes sure of a KICK. */
void port_kick(struct port *port, time_ps now);

/* Queues a frame behind those of its priority; the caller kicks. */
void port_append(struct port *port, uint32_t handle);

/* Takes the first frame of a queue that is not empty. */
uint32_t port_shift(struct port *port, uint8_t priority);

/* True when a frame of that priority may leave at once and nothing waits before it. */
static inline bool port_is_free(const struct port *port, uint8_t priority, time_ps now)
{
    return port->busy_until <= now && ((port->ready & ~port->paused) | port->pfc_due) == 0 &&
           (port->paused & 1u << priority) == 0;
}

/* Sends a frame now; the wire is free. */
void port_send(struct port *port, uint32_t handle, time_ps now);

/* The carrier comes or goes; frames sent into a dead link are dropped. */
void port_set_up(struct port *port, bool up, time_ps now);

/* Handles KICK, PFC_ACT, PAUSE_END and PFC_REFRESH. */
void port_on_event(struct port *port, const struct event *event);

/* A frame arrived: counts it; takes MAC control frames, giants and corrupt ones off the owner's
 * hands. False: the port has consumed or dropped it. */
bool port_receive(struct port *port, uint32_t handle, time_ps now);

/* Holds the peer paused in one priority (XOFF, refreshed) until released (XON). */
void port_pfc_assert(struct port *port, uint8_t priority, const struct probe_pause *why);
void port_pfc_release(struct port *port, uint8_t priority, const struct probe_pause *why);

/* Time of n pause quanta (512 bit times each) at the port's rate. */
time_ps port_quanta_ps(const struct port *port, uint32_t quanta);

/* True when a frame is larger than the port's MTU allows. */
static inline bool port_is_giant(const struct port *port, const struct frame *frame)
{
    return (int64_t)frame->bytes > port->params.mtu + WIRE_ETHERNET_BYTES;
}

void port_audit(const struct port *port);

#endif
