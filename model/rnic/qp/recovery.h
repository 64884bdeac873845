/* SPDX-License-Identifier: Apache-2.0
 * recovery - the plug-in interface of loss recovery: one file and one line in recovery.def per
 * method.
 * The requester, the responder and the completer implement what all methods have in common; a
 * method defines its differences. Each hook may be NULL: the default is go-back-N as described in
 * IBTA Vol 1 9.7. No hook is called while nothing is lost.
 * Owner: an RNIC, for all its queue pairs. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_QP_RECOVERY_H
#define STORMGLASS_RNIC_QP_RECOVERY_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct qp;
struct qp_wqe;
struct rnic;

struct recovery_ops {
    const char *name; /* word in scenarios */
    /* A message in progress may be restarted: what was acknowledged or received of it no longer
     * counts, and PSNs that were answered come again. */
    bool restarts;

    /* Packets ahead of sequence are kept, and only missing ones are retransmitted: a queue pair has
     * a struct selective. */
    bool selective;

    /* Requester: the PSN of the work request to go back to, if different from the missing one. May
     * take una_psn back. */
    uint32_t (*go_back)(struct qp *qp, const struct qp_wqe *wqe, uint32_t psn);

    /* Responder: a packet arrived ahead of the expected one, for which the NAK has just been
     * sent. */
    void (*on_gap)(struct qp *qp);

    /* Responder: replaces the NAK for a gap and the silence after it. */
    void (*on_early)(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

    /* Responder: returns the next of the packets kept ahead of sequence, if it is now the expected
     * one; sets QP_RX_HELD if more are left. */
    bool (*next_early)(struct rnic *rnic, struct qp *qp, struct frame *frame);

    /* Requester: replace going back. on_nak: a sequence NAK; on_missing: an answer beyond a READ
     * that lacks a response; on_late_response: a possible missing response; on_timeout: no answer
     * in time, true when it counts as a retry. */
    void (*on_nak)(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);
    void (*on_missing)(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now);
    void (*on_late_response)(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                             time_ps now);
    bool (*on_timeout)(struct rnic *rnic, struct qp *qp, time_ps now);

    /* Requester: the receiver was not ready, and dropped later packets. */
    void (*on_rnr)(struct rnic *rnic, struct qp *qp);

    /* Responder: makes an older packet the expected one again; true when it has. */
    bool (*expects_again)(struct qp *qp, const struct frame *frame);
};

#define RECOVERY(stem, word) extern const struct recovery_ops recovery_##stem;
#include "rnic/qp/recovery.def"
#undef RECOVERY

/* In the order of recovery.def; only indices into the list depend on it. */
enum {
#define RECOVERY(stem, word) RECOVERY_##stem,
#include "rnic/qp/recovery.def"
#undef RECOVERY
};

extern const struct recovery_ops *const recovery_list[]; /* ends with NULL */

#endif
