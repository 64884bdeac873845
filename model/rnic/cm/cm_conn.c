/* SPDX-License-Identifier: Apache-2.0
 * cm_conn - slots and communication IDs. */
#include "rnic/cm/cm_conn.h"

#include "base/memory.h"
#include "rnic/host/lag.h"
#include "rnic/soft/soft.h"

#include <stdlib.h>
#include <string.h>

enum { CONN_BITS = 16, CONN_MAX = 1 << CONN_BITS, FIRST_REQUESTS = 8 };

void cm_conn_init(struct cm *cm)
{
    slab_init(&cm->conns, "connections of an RNIC", sizeof(struct verbs_conn), CONN_MAX);
}

static void forget_messages(struct verbs_conn *conn)
{
    cm_mad_keep(&conn->mine, NULL);
    cm_mad_keep(&conn->theirs, NULL);
}

void cm_conn_fini(struct cm *cm)
{
    for (uint32_t i = 0; i < cm->conns.used; i++)
        forget_messages(slab_at(&cm->conns, i));
    slab_fini(&cm->conns);
    free(cm->requests);
}

uint32_t cm_conn_id(const struct verbs_conn *conn)
{
    return ((uint32_t)conn->generation << CONN_BITS | conn->slot) ^ conn->rnic->cm.id_base;
}

struct verbs_conn *cm_conn_of_id(struct rnic *rnic, uint32_t id)
{
    const uint32_t index = (id ^ rnic->cm.id_base) & (CONN_MAX - 1);
    if (index >= rnic->cm.conns.used)
        return NULL;
    struct verbs_conn *conn = slab_at(&rnic->cm.conns, index);
    return conn->taken && !conn->destroyed && cm_conn_id(conn) == id ? conn : NULL;
}

/* The timer is kept when a slot is reused, because a wake-up of its previous use may be pending. */
struct verbs_conn *cm_conn_take(struct rnic *rnic, const struct verbs_user *user,
                                void (*on_timer)(void *self, time_ps now))
{
    const uint32_t slot = slab_take(&rnic->cm.conns);
    struct verbs_conn *conn = slab_at(&rnic->cm.conns, slot);
    const uint8_t generation = (uint8_t)(conn->generation + 1);
    const struct timer timer = conn->timer;
    const bool fresh = timer.fire == NULL;
    *conn = (struct verbs_conn){
        .slot = slot,
        .rnic = rnic,
        .user = *user,
        .taken = true,
        .generation = generation,
        .timer = timer,
    };
    if (fresh)
        conn->timer =
            (struct timer){.fire = on_timer, .self = conn, .due = TIME_NEVER, .wakeup = TIME_NEVER};
    return conn;
}

/* ------------------------------------------------------------------ table by request */

static uint32_t *bucket_of(const struct cm *cm, uint32_t peer, uint32_t remote_id)
{
    const uint64_t hash = hash_mix((uint64_t)peer << 32 | remote_id);
    return &cm->requests[hash & (cm->request_room - 1)];
}

static void put_request(struct cm *cm, struct verbs_conn *conn)
{
    uint32_t *bucket = bucket_of(cm, conn->peer.endpoint, conn->remote_id);
    conn->next_request = *bucket;
    *bucket = conn->slot;
}

static void grow(struct cm *cm)
{
    cm->request_room = cm->request_room == 0 ? FIRST_REQUESTS : cm->request_room * 2;
    free(cm->requests);
    cm->requests = memory_resized(NULL, cm->request_room, sizeof *cm->requests);
    memset(cm->requests, 0xFF, cm->request_room * sizeof *cm->requests);
    for (uint32_t i = 0; i < cm->conns.used; i++) {
        struct verbs_conn *conn = slab_at(&cm->conns, i);
        if (conn->taken && conn->passive)
            put_request(cm, conn);
    }
}

void cm_conn_enter(struct verbs_conn *conn)
{
    struct cm *cm = &conn->rnic->cm;
    if (cm->request_count++ == cm->request_room)
        grow(cm);
    conn->passive = true;
    put_request(cm, conn);
}

static void leave_requests(struct cm *cm, const struct verbs_conn *conn)
{
    uint32_t *at = bucket_of(cm, conn->peer.endpoint, conn->remote_id);
    while (*at != conn->slot)
        at = &((struct verbs_conn *)slab_at(&cm->conns, *at))->next_request;
    *at = conn->next_request;
    cm->request_count--;
}

void cm_conn_give(struct verbs_conn *conn)
{
    conn->taken = false;
    forget_messages(conn);
    if (conn->passive)
        leave_requests(&conn->rnic->cm, conn);
    if (conn->rnic->soft != NULL)
        soft_forget(conn);
    slab_give(&conn->rnic->cm.conns, conn->slot);
}

struct verbs_conn *cm_conn_of_request(struct rnic *rnic, uint32_t peer, uint32_t remote_id)
{
    const struct cm *cm = &rnic->cm;
    if (cm->request_count == 0)
        return NULL;
    for (uint32_t at = *bucket_of(cm, peer, remote_id); at != POOL_NONE;) {
        struct verbs_conn *conn = slab_at(&cm->conns, at);
        if (!conn->destroyed && conn->peer.endpoint == peer && conn->remote_id == remote_id)
            return conn;
        at = conn->next_request;
    }
    return NULL;
}

struct rnic *cm_conn_member(struct rnic *rnic, const struct frame *frame, const struct cm_mad *mad)
{
    const struct lag *lag = rnic->lag;
    for (uint32_t i = 0; lag != NULL && i < lag->count; i++) {
        struct rnic *member = lag->members[i];
        const struct verbs_conn *conn =
            mad->attribute == CM_REQ ? cm_conn_of_request(member, frame->source, mad->local_id)
                                     : cm_conn_of_id(member, mad->remote_id);
        if (conn != NULL)
            return member;
    }
    if (mad->attribute != CM_REQ)
        return rnic;
    return lag_choose(rnic, rnic_ip(frame->source), mad->flow_label, frame_is_v1(frame->tos));
}

/* Exactly the passive connections are in the table by request. */
void cm_conn_audit(const struct cm *cm)
{
    uint32_t passive = 0, entered = 0;
    for (uint32_t i = 0; i < cm->conns.used; i++) {
        const struct verbs_conn *conn = slab_at(&cm->conns, i);
        passive += conn->taken && conn->passive;
    }
    for (uint32_t i = 0; i < cm->request_room && passive + cm->request_count > 0; i++)
        for (uint32_t at = cm->requests[i]; at != POOL_NONE; entered++) {
            const struct verbs_conn *conn = slab_at(&cm->conns, at);
            CHECK(conn->taken && conn->passive);
            CHECK(bucket_of(cm, conn->peer.endpoint, conn->remote_id) == &cm->requests[i]);
            at = conn->next_request;
        }
    CHECK(passive == cm->request_count && entered == cm->request_count);
    CHECK(cm->request_count <= cm->request_room);
}
