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
    if (!conn->session->full_feature || iscsi_is_over(conn->session)) {
        iscsi_part(conn->session);
        return;
    }
    session->logging_out = true;
    const struct iscsi_out out = {.pdu = {.opcode = ISCSI_LOGOUT,
                                          .immediate = true,
                                          .flags = ISCSI_FINAL | ISCSI_LOGOUT_SESSION,
                                          .itt = ISCSI_QUEUES << 16,
                                          .sn = session->cmd_sn}};
    iscsi_send(conn->session, &out, PROBE_STREAM_POSTED);
    iscsi_flush(conn->session);
    env_timer_set(env, &conn->session->linger, env_now(env) + PS_PER_S);
}

static void on_connected(void *self, struct stream_conn *stream)
{
    struct iscsi_session *session = self;
    (void)stream;
    struct nvme_transport_conn *conn = session->queues[ISCSI_ADMIN];
    if (!iscsi_is_used(conn) || iscsi_is_over(session))
        return;
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    queue->established = true;
    queue->user.on_established(queue->user.self);
}

static struct iscsi_session *open_session(struct iscsi *iscsi, uint32_t ip)
{
    struct host_session *session = memory_zeroed(1, sizeof *session);
    iscsi_session_init(&session->base, iscsi, &iscsi_host_role);
    struct stream_user user = iscsi_session_user(&session->base);
    user.on_connected = on_connected;
    const struct stream_peer peer = {ip, ISCSI_PORT, iscsi->params.class};
    session->base.stream = iscsi->site.streams->connect(iscsi->site.device, &peer, &user);
    return &session->base;
}

/* The session whose admin queue is up and which has no I/O queue. */
static struct iscsi_session *find_session(const struct iscsi *iscsi)
{
    for (struct iscsi_session *at = iscsi->sessions; at != NULL; at = at->next)
        if (iscsi_is_used(at->queues[ISCSI_ADMIN]) && !iscsi_is_over(at) && at->full_feature &&
            at->queues[ISCSI_IO] == NULL)
            return at;
    return NULL;
}

struct nvme_transport_conn *iscsi_connect(struct nvme_transport *transport,
                                          const struct nvme_transport_connect *how)
{
    struct iscsi *iscsi = iscsi_of(transport);
    struct iscsi_session *session =
        how->qid == 0 ? open_session(iscsi, how->ip) : find_session(iscsi);
    if (session == NULL || session->stream == NULL) {
        if (session != NULL)
            iscsi_session_free(session);
        return NULL;
    }
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
