/* SPDX-License-Identifier: Apache-2.0
 * recovery - what is sent again after a loss, a plug-in: one file and one line in recovery.def.
 * The requester, the responder and the completer do what all kinds share; a kind says where it
 * differs.  Each hook may be NULL: then go-back-N stands, which is what IBTA Vol 1 9.7 describes.
 * Nothing of it is asked while nothing is lost.
 * Owner: an RNIC, for all its queue pairs.  Clock: now is passed in. */
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
    const char *name; /* the word of a scenario */
    /* A message under way may begin anew: what was acknowledged or received of it counts for
     * nothing then, and PSNs that were answered come again. */
    bool restarts;

    /* What comes early is kept, and only what is missing is sent again: a queue pair has a struct
     * selective. */
    bool selective;

    /* Requester: the PSN of the work request to go back to, if it is not the one that is missing.
     * It may take una_psn back. */
    uint32_t (*go_back)(struct qp *qp, const struct qp_wqe *wqe, uint32_t psn);

    /* Responder: a packet came before the expected one, which its NAK has just asked for. */
    void (*on_gap)(struct qp *qp);

    /* Responder: instead of a NAK for the gap and silence. */
    void (*on_early)(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

    /* Responder: the next of those that came early, if it is the expected one now; QP_RX_HELD, if
     * more are left. */
    bool (*next_early)(struct rnic *rnic, struct qp *qp, struct frame *frame);

    /* Requester: instead of going back.  A sequence NAK; an answer to what is beyond a READ that
     * lacks a response; that response, where it is one; nothing in time, true: it is a retry. */
    void (*on_nak)(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);
    void (*on_missing)(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now);
    void (*on_late_response)(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                             time_ps now);
    bool (*on_timeout)(struct rnic *rnic, struct qp *qp, time_ps now);

    /* Requester: the receiver was not ready, and dropped what came meanwhile. */
    void (*on_rnr)(struct rnic *rnic, struct qp *qp);

    /* Responder: an older packet is the expected one after all, which it now is. */
    bool (*expects_again)(struct qp *qp, const struct frame *frame);
};

#define RECOVERY(stem, word) extern const struct recovery_ops recovery_##stem;
#include "rnic/qp/recovery.def"
#undef RECOVERY

/* In the order of recovery.def, which nothing but an index into these depends on. */
enum {
#define RECOVERY(stem, word) RECOVERY_##stem,
#include "rnic/qp/recovery.def"
#undef RECOVERY
};

extern const struct recovery_ops *const recovery_list[]; /* ended by NULL */

#endif
