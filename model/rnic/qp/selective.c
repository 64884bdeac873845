/* SPDX-License-Identifier: Apache-2.0
 * selective - creation, end and audit; its use is described in recovery_selective_repeat.c. */
#include "rnic/qp/selective.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define CAP_TIME (24 * PS_PER_US) /* IRN's longest round trip: 120 KB at 40 Gb/s */

void selective_forget(struct rnic *rnic, struct selective *own, uint32_t index)
{
    if (own->held[index].blob != POOL_NONE)
        frame_blob_give(rnic->port.frames, own->held[index].blob);
}

void selective_begin(struct rnic *rnic, struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    if (index >= rnic->selective_room) {
        const uint32_t room = rnic->qp_mask + 1;
        struct selective **grown = memory_zeroed(room, sizeof *grown);
        if (rnic->selective_room > 0)
            memcpy(grown, rnic->selective, rnic->selective_room * sizeof *grown);
        free(rnic->selective);
        rnic->selective = grown;
        rnic->selective_room = room;
    }
    const int64_t cap = rnic->params.bdp_cap != RNIC_AUTO
                            ? rnic->params.bdp_cap
                            : (int64_t)((__int128)rnic->cc_site.line_bps * CAP_TIME / 8 / PS_PER_S);
    const int64_t packets = cap / qp->data.bytes;
    struct selective *own = memory_zeroed(1, sizeof *own);
    own->acked = own->lost_below = own->answers_below = qp->una_psn;
    own->cursor = own->recovery_psn = qp->una_psn;
    own->window = (uint32_t)(packets > 0 ? packets : 1);
    rnic->selective[index] = own;
    qp->flags |= QP_SELECTIVE;
}

void selective_drop(struct rnic *rnic, struct qp *qp)
{
    struct selective *own = selective_of(rnic, qp);
    for (uint32_t i = 0; i < own->count; i++)
        selective_forget(rnic, own, i);
    own->count = 0;
    own->recovering = false;
    qp->rx_flags &= (uint8_t)~QP_RX_HELD;
}

static void end(struct rnic *rnic, uint32_t index)
{
    struct selective *own = rnic->selective[index];
    if (own == NULL)
        return;
    free(own->bits);
    free(own->held);
    free(own);
    rnic->selective[index] = NULL;
}

void selective_end(struct rnic *rnic, struct qp *qp)
{
    selective_drop(rnic, qp);
    end(rnic, rnic_qp_index(rnic, qp));
}

void selective_fini(struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->selective_room; i++)
        end(rnic, i);
    free(rnic->selective);
}

void selective_audit(const struct rnic *rnic, const struct qp *qp)
{
    const struct selective *own = selective_of(rnic, qp);
    CHECK(own->count <= own->window && own->count <= own->held_room);
    CHECK((own->count > 0) == ((qp->rx_flags & QP_RX_HELD) != 0));
    for (uint32_t i = 0; i < own->count; i++)
        CHECK(psn_diff(own->held[i].psn, i == 0 ? qp->epsn : own->held[i - 1].psn) > 0);
    CHECK(qp->una_end == qp->una_psn && psn_diff(own->acked, qp->una_psn) >= 0);
    CHECK(own->recovering || qp->next_psn == qp->high_psn);
    CHECK(((qp->flags & QP_FULL) != 0) == selective_is_full(rnic, qp) ||
          (qp->flags & QP_FLIGHT) != 0);
    CHECK(qp->timeout_pending == false || own->event_at >= rnic_now(rnic) || qp->timeout == 0 ||
          !qp_outstanding(qp));
}
