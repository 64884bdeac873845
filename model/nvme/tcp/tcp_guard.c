/* SPDX-License-Identifier: Apache-2.0
 * tcp_guard - protects a target from peers that break the protocol or keep it waiting. */
#include "nvme/tcp/tcp_private.h"

void nvme_tcp_refuse(struct nvme_transport_conn *conn, const char *why)
{
    const struct nvme_tcp_site *site = &conn->tcp->site;
    if (site->guard != NULL && conn->role->awaits_since != NULL && !conn->failed && !conn->closed)
        site->guard->on_refused(site->guard->self, site->streams->peer_ip(conn->stream),
                                site->streams->peer_port(conn->stream), why);
    nvme_tcp_fail(conn, why);
}

/* TIME_NEVER: nothing is awaited. */
static time_ps awaits_since(const struct nvme_transport_conn *conn)
{
    const struct tcp_arriving *from = &conn->arriving;
    const bool within = from->phase != TCP_COMMON || from->bytes > 0;
    const time_ps since =
        time_earlier(within ? conn->pdu_at : TIME_NEVER, conn->role->awaits_since(conn));
    return since != TIME_NEVER && since < conn->excused ? conn->excused : since;
}

void nvme_tcp_on_idle(void *self, time_ps now)
{
    struct nvme_transport_conn *conn = self;
    const time_ps patience = conn->tcp->site.guard->patience;
    const struct nvme_stall *stall = conn->tcp->listener.stall;
    if (conn->failed || conn->closed || conn->ended)
        return;
    if (stall != NULL && stall->on)
        conn->excused = now;
    const time_ps since = awaits_since(conn);
    if (since != TIME_NEVER && now - since >= patience) {
        nvme_tcp_refuse(conn, conn->initialized ? "the peer kept the connection waiting"
                                                : "no ICReq arrived");
        return;
    }
    env_timer_set(conn->tcp->site.env, &conn->idle, time_earlier(since, now) + patience);
}

void nvme_tcp_guard(struct nvme_transport_conn *conn)
{
    const struct nvme_tcp_site *site = &conn->tcp->site;
    if (site->guard != NULL)
        env_timer_set(site->env, &conn->idle, env_now(site->env) + site->guard->patience);
}
