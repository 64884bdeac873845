/* SPDX-License-Identifier: Apache-2.0
 * soft_params - what a software RNIC's work costs the processor.
 * Part of the RNIC's parameters; their rows are in soft_params.def, in the words of Linux's rxe.
 * Costs are processor time in ps, of a byte too. */
#ifndef STORMGLASS_RNIC_SOFT_SOFT_PARAMS_H
#define STORMGLASS_RNIC_SOFT_SOFT_PARAMS_H

#include <stdint.h>

struct soft_params {
    int64_t software; /* bool: the rest holds */
    /* rules of the transport */
    int64_t max_unacked;     /* PSNs; 0: the protocol's own limit */
    int64_t send_queue;      /* frames that wait for the wire before requests wait */
    int64_t receive_ring;    /* buffers for frames that wait for the processor */
    int64_t receive_backlog; /* frames that wait for a buffer before they are dropped */
    int64_t transmit_timer;  /* from a frame's doorbell to its leaving, with those after it */
    int64_t timer_tick;      /* of the kernel's timers; 0: exact */
    /* the kernel, before all processes */
    int64_t interrupt, idle;
    int64_t tick, tick_interval;
    int64_t softirq_limit, process_slice, wakeup_grain;
    int64_t send_packet, send_byte, respond_packet, send_ack, sent;
    int64_t receive_packet, receive_byte, receive_ack;
    int64_t complete;
    /* the process */
    int64_t post, work_request;
    int64_t wake, loop, event, completion, timer;
    int64_t registration, registration_byte, fill_byte, look_byte;
};

#endif
