/* SPDX-License-Identifier: Apache-2.0
 * rx_buffer - frames that an RNIC has received and the host has not taken yet.
 * A FIFO of frames that drains at a rate. Above `xoff` the peer is paused in all lossless
 * priorities, at or below `xon` it is resumed; a frame that does not fit is dropped and reported.
 * The space above xoff holds whatever can arrive before the peer is silent, in any priority, so
 * that lossy frames, which keep arriving, cannot displace lossless ones. While the drain is
 * unlimited nothing waits and nothing is counted, at the cost of one branch. The PFC watchdog: a
 * pause that lasts too long without interruption is given up (XON) until its cause has ended, and
 * frames that do not fit in the meantime count as drops by the watchdog.
 * Source: 802.1Q cl. 36; thresholds after Linux mlx5 port_buffer.c; the watchdog Guo et al.,
 * SIGCOMM 2016, 4.3, and Linux mlx5 en_ethtool.c. Units: bytes of L2 frame. */
#ifndef STORMGLASS_RNIC_HOST_RX_BUFFER_H
#define STORMGLASS_RNIC_HOST_RX_BUFFER_H

#include "net/port/port.h"

struct rnic;
struct rnic_params;

enum {
    RX_BUFFER_HYSTERESIS = 9216
}; /* bytes; rx-xon auto: one largest frame of mlx5 below
                                       * rx-xoff */

struct rx_buffer {
    bool stopped;        /* draining is stopped */
    bool holds;          /* frames pass through it, because they drain at a rate or the RNIC
                          * takes time */
    bool over;           /* has been above xoff and not at or below xon since */
    uint8_t storm;       /* mask: priorities kept paused by an injected fault */
    uint8_t stalled;     /* mask: priorities whose pause lasted too long and was given up */
    uint8_t lossless;    /* mask: priorities paused while over */
    uint32_t head, tail; /* frames linked by frame.next */
    int64_t held, peak;
    int64_t size, xoff, xon;
    time_ps due;        /* time of the drain event; TIME_NEVER: none */
    uint64_t drain_bps; /* bits per second; 0: unlimited */
    time_ps busy_ps;    /* time not empty, up to when it was last empty */
    time_ps busy_since; /* start of the present time not empty; TIME_NEVER: empty */
    struct wire_rate rate;
    time_ps look_at[PRIORITIES]; /* by priority: next check of the watchdog; TIME_NEVER: none */
};

void rx_buffer_init(struct rnic *rnic);

/* XOFF threshold in bytes of an RNIC with these parameters at such a port. */
int64_t rx_buffer_xoff(const struct rnic_params *params, const struct port_params *port);

/* Consumes the frame: passes it on now or later, or drops it. */
void rx_buffer_add(struct rnic *rnic, uint32_t handle, time_ps now);
void rx_buffer_on_drain(struct rnic *rnic, time_ps now);

/* Check of the watchdog: a pause in the priority may have lasted for its limit, or for most of
 * it. */
void rx_buffer_on_stall(struct rnic *rnic, uint8_t priority, time_ps now);
/* Total time until now during which the buffer was not empty. */
time_ps rx_buffer_busy(const struct rx_buffer *rx, time_ps now);
void rx_buffer_audit(const struct rnic *rnic);

#endif
