/* SPDX-License-Identifier: Apache-2.0
 * soft - a software RNIC, like Linux's rxe.
 * The transport is that of every RNIC (requester, responder, completer); this module determines
 * when it runs: each packet is a work on the machine's processor.
 *   wire -> ring -> receive (interrupt) -> completer, responder -> answers, at once
 *   post -> requester, within the call, packet by packet while the window is open
 *   READ request -> responder's tasklet (interrupt), all responses of all READs
 *   frames -> transmit timer -> port
 *   completion -> the process (process.h)
 * Source: Linux 6.1 drivers/infiniband/sw/rxe: rxe_post_send (the requester runs in the caller),
 * rxe_resp_queue_pkt (READs by tasklet), rxe_completer (an opened window runs the requester), NAPI.
 * Owner: the RNIC. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_SOFT_SOFT_H
#define STORMGLASS_RNIC_SOFT_SOFT_H

#include "rnic/host/rnic.h"
#include "rnic/soft/machine.h"
#include "rnic/verbs.h"

struct soft_list {
    uint32_t head, tail; /* frames linked by frame.next */
    uint32_t count;
};

/* The tasks of a queue pair. */
struct soft_qp {
    struct work requester, responder;
    struct rnic *rnic;
    struct qp *qp;
    uint32_t request, response; /* frames being built, or POOL_NONE */
};

struct soft {
    struct rnic *rnic;
    struct machine *machine;
    struct work receive, control;
    struct soft_list ring;      /* received, not yet processed */
    struct soft_list waiting;   /* frames after the first one without a buffer, waiting in the
                                 * hub */
    struct soft_list overtaken; /* frames without a buffer at the interface; those in `waiting`
                                 * go first */
    uint32_t taken;             /* frames taken from the ring since buffers were last returned */
    struct soft_list controls;  /* answers to send */
    struct soft_list leaving;   /* frames waiting for the transmit timer */
    uint32_t handed;            /* frames passed to the port that have not left */
    uint32_t budget;            /* packets left in the present receive batch */
    bool polling;               /* NAPI polling: no interrupt until the ring is empty */
    bool transmitting;          /* the transmit timer is set */
    bool full;                  /* requests wait because the send queue is full */
};

/* Turns the RNIC into a software RNIC; call after rnic_init. */
void soft_init(struct rnic *rnic, struct machine *machine);
void soft_fini(struct rnic *rnic);

void soft_qp_init(struct rnic *rnic, struct qp *qp);
void soft_qp_fini(struct qp *qp);

/* Whether the queue pair may send more unacknowledged packets. */
bool soft_window_open(const struct rnic *rnic, const struct qp *qp);

/* Consumes a frame that the port has accepted. */
void soft_receive(struct rnic *rnic, uint32_t handle, time_ps now);

/* Schedules the queue pair's tasks if it has something to send. */
void soft_schedule(struct rnic *rnic, struct qp *qp, time_ps now);

/* Queues an answer or a control frame for sending; consumes it. */
void soft_send(struct rnic *rnic, uint32_t handle);

/* One call has posted `count` sends. */
void soft_post(struct rnic *rnic, struct qp *qp, uint32_t count, time_ps now);
void soft_posted_receive(struct rnic *rnic);

/* Adds the completion to the queue of its connection. */
void soft_complete(struct rnic *rnic, struct qp *qp, uint32_t index);

/* The RNIC of a connection's completion queue. */
const void *soft_device_of(const struct process_queue *queue);

/* Costs of the process for generating data, checking data, registering a buffer. */
void soft_fill(struct rnic *rnic, struct mr *mr, uint32_t length);
void soft_look(struct rnic *rnic, uint32_t length);
void soft_register(struct rnic *rnic, struct mr *mr);

/* The connection is destroyed. */
void soft_forget(struct verbs_conn *conn);

void soft_on_transmit(struct rnic *rnic, time_ps now);

/* The event is over: sends the answers listed in it. */
void soft_doorbell(struct rnic *rnic);

/* When a kernel timer set at `from` expires. */
time_ps soft_timer(const struct soft_params *params, time_ps from, time_ps wait);

void soft_audit(const struct rnic *rnic);

#endif
