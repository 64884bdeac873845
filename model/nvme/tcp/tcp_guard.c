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
    if (nvme_tcp_is_over(conn))
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

/* ---- strangers ---- */

void nvme_tcp_forget_stranger(struct nvme_transport_conn *conn)
{
    struct nvme_transport_conn **at = &conn->tcp->strangers;
    while (*at != conn)
        at = &(*at)->next_stranger;
    *at = conn->next_stranger;
    conn->tcp->stranger_count--;
}

/* A connection cannot be freed within its own callback. */
static void free_ended_strangers(struct nvme_tcp *tcp)
{
    for (struct nvme_transport_conn *at = tcp->strangers, *next; at != NULL; at = next) {
        next = at->next_stranger;
        if (at->deferred || !at->ended)
            continue;
        nvme_tcp_drop(at);
        at->role->release(at);
    }
}

void nvme_tcp_on_reaper(void *self, time_ps now)
{
    (void)now;
    free_ended_strangers(self);
}

/* Makes room for one more; the oldest is last in the list. False: a stall has deferred all. */
bool nvme_tcp_bound_strangers(struct nvme_tcp *tcp)
{
    const struct nvme_tcp_guard *guard = tcp->site.guard;
    struct nvme_transport_conn *oldest = NULL;
    free_ended_strangers(tcp);
    if (guard == NULL || tcp->stranger_count < guard->strangers)
        return true;
    for (struct nvme_transport_conn *at = tcp->strangers; at != NULL; at = at->next_stranger)
        oldest = at->deferred ? oldest : at;
    if (oldest == NULL)
        return false;
    nvme_tcp_drop(oldest);
    oldest->role->release(oldest);
    return true;
}
