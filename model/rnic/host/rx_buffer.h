/* SPDX-License-Identifier: Apache-2.0
 * rx_buffer - what an RNIC holds that the host has not taken yet.
 * A FIFO of frames drained at a rate; above `xoff` the peer is paused in all lossless priorities,
 * at or below `xon` it may go on; a frame that does not fit is dropped and reported.  The room
 * above xoff holds what can arrive before the peer is silent, in whatever priority, so lossy
 * frames, which come on, cannot push lossless ones out.  While the drain is unlimited nothing waits
 * and nothing is counted: no event, no branch beyond one.
 * The PFC watchdog: a pause that lasts too long without a break is given up (XON) until its cause
 * has gone, and what finds no room meanwhile is dropped on the watchdog's account.
 * Source: 802.1Q cl. 36; thresholds after Linux mlx5 port_buffer.c; the watchdog Guo et al.,
 * SIGCOMM 2016, 4.3, and Linux mlx5 en_ethtool.c.  Units: bytes of L2 frame. */
#ifndef STORMGLASS_RNIC_HOST_RX_BUFFER_H
#define STORMGLASS_RNIC_HOST_RX_BUFFER_H

#include "net/port/port.h"

struct rnic;
struct rnic_params;

enum { RX_BUFFER_HYSTERESIS = 9216 }; /* rx-xon auto: one largest frame of mlx5 below rx-xoff */

struct rx_buffer {
    bool stopped;        /* nothing drains */
    bool holds;          /* frames go through it: they drain at a rate, or the RNIC takes time */
    bool over;           /* above xoff and not yet down to xon */
    uint8_t storm;       /* mask: priorities that a fault keeps paused */
    uint8_t stalled;     /* mask: priorities whose pause lasted too long: none is sent */
    uint8_t lossless;    /* mask: priorities that are paused while over */
    uint32_t head, tail; /* frames by frame.next */
    int64_t held, peak;
    int64_t size, xoff, xon;
    time_ps due;        /* of the drain event; TIME_NEVER: none */
    uint64_t drain_bps; /* 0: unlimited */
    time_ps busy_ps;    /* something was in it, up to when it was last empty */
    time_ps busy_since; /* likewise since then; TIME_NEVER: it is empty */
    struct wire_rate rate;
    time_ps look_at[PRIORITIES]; /* of each priority: the watchdog's next look; TIME_NEVER: none */
};

void rx_buffer_init(struct rnic *rnic);

/* Bytes above which an RNIC with these parameters pauses its peer at such a port. */
int64_t rx_buffer_xoff(const struct rnic_params *params, const struct port_params *port);

/* Takes over the frame: hands it on now or later, or drops it. */
void rx_buffer_add(struct rnic *rnic, uint32_t handle, time_ps now);
void rx_buffer_on_drain(struct rnic *rnic, time_ps now);

/* The watchdog looks: a pause in the priority may have lasted for its time, or for most of it. */
void rx_buffer_on_stall(struct rnic *rnic, uint8_t priority, time_ps now);
/* How long something was in it until now: the host was draining it, or stood still. */
time_ps rx_buffer_busy(const struct rx_buffer *rx, time_ps now);
void rx_buffer_audit(const struct rnic *rnic);

#endif
