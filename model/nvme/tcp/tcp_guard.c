/* SPDX-License-Identifier: Apache-2.0
 * tcp_guard - protects a target from peers that break the protocol or keep it waiting. */
#include "nvme/tcp/tcp_private.h"

void nvme_tcp_refuse(struct nvme_transport_conn *conn, const char *why)
{
    const struct nvme_tcp_site *site = &conn->tcp->site;
    if (site->guard != NULL && conn->role->awaits_peer != NULL && !conn->failed && !conn->closed)
        site->guard->on_refused(site->guard->self, site->streams->peer_ip(conn->stream),
                                site->streams->peer_port(conn->stream), why);
    nvme_tcp_fail(conn, why);
}

/* In the middle of a PDU, or as the role says. */
static bool awaits_peer(const struct nvme_transport_conn *conn)
{
    const struct tcp_arriving *from = &conn->arriving;
    return from->phase != TCP_COMMON || from->bytes > 0 || conn->role->awaits_peer(conn);
}

void nvme_tcp_on_idle(void *self, time_ps now)
{
    struct nvme_transport_conn *conn = self;
    const time_ps patience = conn->tcp->site.guard->patience;
    const struct nvme_stall *stall = conn->tcp->listener.stall;
    if (conn->failed || conn->closed || conn->ended)
        return;
    if (!awaits_peer(conn) || (stall != NULL && stall->on))
        conn->progress = now;
    if (now - conn->progress >= patience) {
        nvme_tcp_refuse(conn, conn->initialized ? "the peer kept the connection waiting"
                                                : "no ICReq arrived");
        return;
    }
    env_timer_set(conn->tcp->site.env, &conn->idle, conn->progress + patience);
}

void nvme_tcp_guard(struct nvme_transport_conn *conn)
{
    const struct nvme_tcp_site *site = &conn->tcp->site;
    if (site->guard == NULL)
        return;
    conn->progress = env_now(site->env);
    env_timer_set(site->env, &conn->idle, conn->progress + site->guard->patience);
}
