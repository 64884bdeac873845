/* SPDX-License-Identifier: Apache-2.0
 * soft_params - CPU costs of a software RNIC.
 * Part of the RNIC's parameters; the rows are in soft_params.def and use the terms of Linux's rxe.
 * Costs are CPU time in ps, also those per byte. */
#ifndef STORMGLASS_RNIC_SOFT_SOFT_PARAMS_H
#define STORMGLASS_RNIC_SOFT_SOFT_PARAMS_H

#include <stdint.h>

struct soft_params {
    int64_t software; /* bool: enables the rest */
    /* transport rules */
    int64_t max_unacked;     /* PSNs; 0: the protocol's own limit */
    int64_t send_queue;      /* frames waiting for the wire above which requests wait */
    int64_t receive_ring;    /* buffers for frames waiting for the processor */
    int64_t receive_backlog; /* frames waiting for a buffer above which frames are dropped */
    int64_t transmit_timer;  /* ps from a frame's doorbell to its departure, together with later
                              * frames */
    int64_t timer_tick;      /* ps, resolution of kernel timers; 0: exact */
    /* kernel: precedes all processes */
    int64_t interrupt, idle;
    int64_t tick, tick_interval;
    int64_t softirq_limit, process_slice, wakeup_grain;
    int64_t send_packet, send_byte, respond_packet, send_ack, sent;
    int64_t receive_packet, receive_byte, receive_ack;
    int64_t complete;
    /* process */
    int64_t post, work_request;
    int64_t wake, loop, event, completion, timer;
    int64_t registration, registration_byte, fill_byte, look_byte;
};

#endif
