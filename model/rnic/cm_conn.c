/* SPDX-License-Identifier: Apache-2.0
 * cm_conn - slots and communication IDs. */
#include "rnic/cm_conn.h"

#include "rnic/soft.h"

enum { CONN_BITS = 16, CONN_MAX = 1 << CONN_BITS };

void cm_conn_init(struct cm *cm)
{
    pool_init(&cm->conns, "connections of an RNIC", sizeof(struct verbs_conn), CONN_MAX);
}

uint32_t cm_conn_id(const struct verbs_conn *conn)
{
    const struct cm *cm = &conn->rnic->cm;
    const size_t index = (size_t)((const unsigned char *)conn - cm->conns.items) / sizeof *conn;
    return ((uint32_t)conn->generation << CONN_BITS | (uint32_t)index) ^ cm->id_base;
}

struct verbs_conn *cm_conn_of_id(struct rnic *rnic, uint32_t id)
{
    const uint32_t index = (id ^ rnic->cm.id_base) & (CONN_MAX - 1);
    if (index >= rnic->cm.conns.used)
        return NULL;
    struct verbs_conn *conn = pool_at(&rnic->cm.conns, index);
    return conn->taken && !conn->destroyed && cm_conn_id(conn) == id ? conn : NULL;
}

/* The timer outlives a connection: a wake-up of its last use may be on its way. */
struct verbs_conn *cm_conn_take(struct rnic *rnic, const struct verbs_user *user,
                                void (*on_timer)(void *self, time_ps now))
{
    struct verbs_conn *conn = pool_at(&rnic->cm.conns, pool_take(&rnic->cm.conns));
    const uint8_t generation = (uint8_t)(conn->generation + 1);
    const struct timer timer = conn->timer;
    const bool fresh = timer.fire == NULL;
    *conn = (struct verbs_conn){
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

void cm_conn_give(struct verbs_conn *conn)
{
    struct pool *pool = &conn->rnic->cm.conns;
    conn->taken = false;
    if (conn->rnic->soft != NULL)
        soft_forget(conn);
    pool_give(pool, (uint32_t)((size_t)((unsigned char *)conn - pool->items) / sizeof *conn));
}

struct verbs_conn *cm_conn_of_request(struct rnic *rnic, uint32_t peer, uint32_t remote_id)
{
    for (uint32_t i = 0; i < rnic->cm.conns.used; i++) {
        struct verbs_conn *conn = pool_at(&rnic->cm.conns, i);
        if (conn->taken && !conn->destroyed && conn->passive && conn->way.peer == peer &&
            conn->remote_id == remote_id)
            return conn;
    }
    return NULL;
}
