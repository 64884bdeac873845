/* SPDX-License-Identifier: Apache-2.0
 * fake_srq - receives, of one connection or shared. */
#include "tests/unit/rnic/fake_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void fake_add_receive(struct receive **first, struct receive **last, const struct ibv_recv_wr *wr)
{
    struct receive *receive = calloc(1, sizeof *receive);
    CHECK(receive != NULL);
    receive->wr_id = wr->wr_id;
    receive->count = wr->num_sge;
    memcpy(receive->sges, wr->sg_list, sizeof(struct ibv_sge) * (size_t)wr->num_sge);
    if (*first == NULL)
        *first = receive;
    else
        (*last)->next = receive;
    *last = receive;
}

struct receive *fake_srq_take(struct verbs_srq *srq)
{
    struct receive *receive = srq->first;
    srq->first = receive->next;
    if (srq->first == NULL)
        srq->last = NULL;
    srq->count--;
    if (srq->count < srq->limit) {
        srq->limit = 0;
        srq->user.on_limit(srq->user.self);
    }
    return receive;
}

struct verbs_srq *fake_create_srq(struct verbs_device *device, uint32_t max_wr,
                                  const struct verbs_srq_user *user)
{
    struct verbs_srq *srq = calloc(1, sizeof *srq);
    CHECK(srq != NULL);
    *srq = (struct verbs_srq){.device = device, .user = *user, .most = max_wr};
    device->srq_count++;
    return srq;
}

int fake_post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    for (; wr != NULL; wr = wr->next) {
        if (srq->count == srq->most || wr->num_sge > SGES_MAX) {
            *bad = wr;
            return srq->count == srq->most ? ENOMEM : EINVAL;
        }
        fake_add_receive(&srq->first, &srq->last, wr);
        srq->count++;
    }
    for (struct verbs_conn *conn = srq->device->conns; conn != NULL; conn = conn->next)
        if (conn->user.srq == srq && conn->stuck != NULL)
            fake_unstick(conn);
    return 0;
}

void fake_arm_srq(struct verbs_srq *srq, uint32_t limit)
{
    srq->limit = limit;
}

void fake_destroy_srq(struct verbs_srq *srq)
{
    while (srq->first != NULL)
        free(fake_srq_take(srq));
    srq->device->srq_count--;
    free(srq);
}
