/* SPDX-License-Identifier: Apache-2.0
 * soft - an RNIC made of software, as Linux's rxe is.
 * The transport is the RNIC's own (requester, responder, completer); here is when it runs: each
 * packet is work on the machine's processor.
 *
 *   wire -> ring -> receive (interrupt) -> completer, responder -> answers, at once
 *   post -> requester, within the call, packet by packet while the window is open
 *   READ request -> responder's tasklet (interrupt), all responses of all READs
 *   frames -> transmit timer -> port
 *   completion -> the process (process.h)
 *
 * Source: Linux 6.1 drivers/infiniband/sw/rxe: rxe_post_send (the requester runs in the caller),
 * rxe_resp_queue_pkt (READs by tasklet), rxe_completer (an opened window runs the requester), NAPI.
 * Owner: the RNIC.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_SOFT_SOFT_H
#define STORMGLASS_RNIC_SOFT_SOFT_H

#include "rnic/host/rnic.h"
#include "rnic/soft/machine.h"
#include "rnic/verbs.h"

struct soft_list {
    uint32_t head, tail; /* frames by frame.next */
    uint32_t count;
};

/* The tasks of a queue pair. */
struct soft_qp {
    struct work requester, responder;
    struct rnic *rnic;
    struct qp *qp;
    uint32_t request, response; /* frames that are being made, or POOL_NONE */
};

struct soft {
    struct rnic *rnic;
    struct machine *machine;
    struct work receive, control;
    struct soft_list ring;      /* received, and not looked at */
    struct soft_list waiting;   /* that found no buffer, and behind them what came later */
    struct soft_list overtaken; /* that was offered when there was none: those behind go first */
    uint32_t taken;             /* from the ring since its buffers were given back */
    struct soft_list controls;  /* answers to be sent */
    struct soft_list leaving;   /* until the transmit timer */
    uint32_t handed;            /* frames to the port that have not left */
    uint32_t budget;            /* of the packets that are received in one go */
    bool polling;               /* no interrupt until the ring is empty */
    bool transmitting;          /* the transmit timer runs */
    bool full;                  /* requests wait for the port */
};

/* Makes the RNIC a software one, after rnic_init. */
void soft_init(struct rnic *rnic, struct machine *machine);
void soft_fini(struct rnic *rnic);

void soft_qp_init(struct rnic *rnic, struct qp *qp);
void soft_qp_fini(struct qp *qp);

/* Fewer packets of it are unacknowledged than may be. */
bool soft_window_open(const struct rnic *rnic, const struct qp *qp);

/* A frame that the port let through; takes it over. */
void soft_receive(struct rnic *rnic, uint32_t handle, time_ps now);

/* The queue pair may have something to send. */
void soft_schedule(struct rnic *rnic, struct qp *qp, time_ps now);

/* An answer or a control frame is to be sent; takes it over. */
void soft_send(struct rnic *rnic, uint32_t handle);

/* Sends were posted by one call. */
void soft_post(struct rnic *rnic, struct qp *qp, uint32_t count, time_ps now);
void soft_posted_receive(struct rnic *rnic);

/* The completion goes to the queue of its connection. */
void soft_complete(struct rnic *rnic, struct qp *qp, uint32_t index);

/* Of a connection's completion queue: its RNIC. */
const void *soft_device_of(const struct process_queue *queue);

/* The process makes data, looks at data, registers a buffer. */
void soft_fill(struct rnic *rnic, struct mr *mr, uint32_t length);
void soft_look(struct rnic *rnic, uint32_t length);
void soft_register(struct rnic *rnic, struct mr *mr);

/* The connection is no more. */
void soft_forget(struct verbs_conn *conn);

void soft_on_transmit(struct rnic *rnic, time_ps now);

/* The event is over: answers that were listed in it are sent. */
void soft_doorbell(struct rnic *rnic);

/* When a kernel timer ends that was set at `from`. */
time_ps soft_timer(const struct soft_params *params, time_ps from, time_ps wait);

void soft_audit(const struct rnic *rnic);

#endif
