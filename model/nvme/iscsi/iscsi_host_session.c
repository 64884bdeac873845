/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_session - begins and ends a host's session. */
#include "nvme/iscsi/iscsi_host_private.h"

#include "base/memory.h"

/* A session ends with its admin queue: by a Logout, if it is in its full feature phase. */
void iscsi_host_disconnect(struct nvme_transport_conn *conn)
{
    struct host_session *session = iscsi_host_of(conn->session);
    const struct env *env = conn->session->iscsi->site.env;
    if (conn->index != ISCSI_ADMIN)
        return;
    struct iscsi_connection *leader = conn->session->connections;
    if (!leader->full_feature || iscsi_is_over(conn->session)) {
        iscsi_part(conn->session);
        return;
    }
    session->logging_out = true;
    const struct iscsi_out out = {.pdu = {.opcode = ISCSI_LOGOUT,
                                          .immediate = true,
                                          .flags = ISCSI_FINAL | ISCSI_LOGOUT_SESSION,
                                          .itt = ISCSI_QUEUES << 16,
                                          .sn = session->cmd_sn}};
    iscsi_send(leader, &out, PROBE_STREAM_POSTED);
    iscsi_flush(leader);
    env_timer_set(env, &conn->session->linger, env_now(env) + PS_PER_S);
}

static void on_connected(void *self, struct stream_conn *stream)
{
    struct iscsi_connection *connection = self;
    struct iscsi_session *session = connection->session;
    (void)stream;
    struct nvme_transport_conn *conn = session->queues[ISCSI_ADMIN];
    if (!iscsi_is_used(conn) || iscsi_is_over(session))
        return;
    if (!iscsi_is_leading(connection)) {
        iscsi_host_login(connection, ISCSI_QUEUES << 16 | connection->cid);
        return;
    }
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    queue->established = true;
    queue->user.on_established(queue->user.self);
}

/* False: no local port is free. */
static bool open_connection(struct host_session *session, uint16_t cid)
{
    const struct iscsi *iscsi = session->base.iscsi;
    struct iscsi_connection *connection = iscsi_connection_add(&session->base, cid);
    struct stream_user user = iscsi_stream_user(connection);
    user.on_connected = on_connected;
    const struct stream_peer peer = {session->ip, ISCSI_PORT, iscsi->params.class};
    connection->stream = iscsi->site.streams->connect(iscsi->site.device, &peer, &user);
    connection->ended = connection->stream == NULL;
    return !connection->ended;
}

static struct iscsi_session *open_session(struct iscsi *iscsi, uint32_t ip)
{
    struct host_session *session = memory_zeroed(1, sizeof *session);
    iscsi_session_init(&session->base, iscsi, &iscsi_host_role);
    session->ip = ip;
    if (open_connection(session, 0))
        return &session->base;
    iscsi_session_free(&session->base);
    return NULL;
}

void iscsi_host_connect_further(struct host_session *session)
{
    const uint32_t count = session->base.connections->terms.connections;
    for (uint32_t cid = 1; cid < count; cid++)
        if (!open_connection(session, (uint16_t)cid)) {
            iscsi_fail(&session->base, "no local port is free for a connection of the session");
            return;
        }
}

bool iscsi_host_is_complete(const struct iscsi_session *session)
{
    for (const struct iscsi_connection *at = session->connections; at != NULL; at = at->next)
        if (!at->full_feature)
            return false;
    return true;
}

/* The session whose admin queue is up and which has no I/O queue. */
static struct iscsi_session *find_session(const struct iscsi *iscsi)
{
    for (struct iscsi_session *at = iscsi->sessions; at != NULL; at = at->next)
        if (iscsi_is_used(at->queues[ISCSI_ADMIN]) && !iscsi_is_over(at) &&
            at->connections->full_feature && at->queues[ISCSI_IO] == NULL)
            return at;
    return NULL;
}

struct nvme_transport_conn *iscsi_connect(struct nvme_transport *transport,
                                          const struct nvme_transport_connect *how)
{
    struct iscsi *iscsi = iscsi_of(transport);
    struct iscsi_session *session =
        how->qid == 0 ? open_session(iscsi, how->ip) : find_session(iscsi);
    if (session == NULL)
        return NULL;
    struct host_queue_conn *queue = memory_zeroed(1, sizeof *queue);
    queue->base = (struct nvme_transport_conn){
        .session = session, .index = how->qid == 0 ? ISCSI_ADMIN : ISCSI_IO, .attached = true};
    queue->user = how->user;
    queue->entries = how->entries;
    queue->slots = memory_zeroed(how->entries, sizeof *queue->slots);
    session->queues[queue->base.index] = &queue->base;
    if (how->qid > 0)
        iscsi_later(session);
    return &queue->base;
}
