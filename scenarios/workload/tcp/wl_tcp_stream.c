/* SPDX-License-Identifier: Apache-2.0
 * wl_tcp_stream - the active end of the kind tcp-stream.
 * A connection delivers in order, so the start times of its messages are a ring. The first error of
 * a connection ends it: its outstanding messages fail at once. */
#include "scenarios/workload/tcp/wl_tcp.h"
#include "scenarios/workload/wl_goodput.h"
#include "scenarios/workload/wl_pace.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "base/plural.h"
#include "base/probe.h"

#include <stdio.h>
#include <stdlib.h>

enum wl_tcp_state { WL_TCP_CONNECTING, WL_TCP_ISSUING, WL_TCP_ENDING, WL_TCP_IDLE };

struct wl_tcp_conn {
    struct wl_tcp *owner;
    struct stream_conn *conn;
    bool settled; /* connected or failed */
    bool usable;
    uint32_t oldest, under_way;
    time_ps *issued_at; /* ring of `outstanding` */
    uint32_t unsent;    /* messages that are not in the send buffer yet, or not all of it */
    uint32_t sent;      /* bytes of the first of these that are */
    uint64_t got;       /* bytes of the oldest message's response */
    struct wl_goodput goodput;
};

struct wl_tcp {
    struct workload_site site;
    struct wl_window window;
    struct wl_tcp_params params;
    enum wl_tcp_state state;
    struct timer timer;
    struct wl_pace pace;
    struct wl_tcp_conn *conns;
    uint32_t conn_count, settled, next_conn;
    uint64_t issued, under_way;
    struct workload_member did;
};

#define FIELD(name) offsetof(struct wl_tcp_params, name)

const struct opt wl_tcp_opts[] = {
    {"message-size", OPT_SIZE, FIELD(message_size), "64KiB", "16B", "1GiB", NULL,
     "Size of one message, including its header of 16 B.", "iperf3 -l",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"response-size", OPT_SIZE, FIELD(response_size), "64B", "1B", "1GiB", NULL,
     "Size of the response to each message. Throughput counts the larger of message and response.",
     "netperf TCP_RR -r", OPT_ACTS(ASKED, ANY, TRACE)},
    {"outstanding", OPT_INT, FIELD(outstanding), "2", "1", "4096", NULL,
     "Number of outstanding messages of each connection.", "netperf TCP_RR -b",
     OPT_SCALES(DEPTH, LESS, TRACE)},
    {"count", OPT_INT, FIELD(count), "0", "0", "1000000000000", NULL,
     "Number of messages of each instance; 0: no limit, until `stop`.", "own",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"connections", OPT_INT, FIELD(connections), "1", "1", "1024", NULL,
     "Number of TCP connections of each instance.", "iperf3 -P", OPT_ACTS(DEPTH, LESS, TRACE)},
    {"rate", OPT_DECIMAL, FIELD(rate), "0", "0", "1000000000", NULL,
     "Number of messages per second that each instance sends (open loop), such as 1250.5; 0: "
     "closed loop, with `outstanding` messages at any time.",
     "own", OPT_SCALES(ASKED, LIMIT, TRACE)},
    {"arrival", OPT_CHOICE, FIELD(arrival), "paced", NULL, NULL, OPT_WORDS(WL_PACE_ARRIVALS),
     "How operations arrive if `rate` is set. paced: evenly spaced, from a random start; poisson: "
     "as a Poisson process.",
     "fio rate_process", OPT_ACTS(ASKED, ANY, TRACE)},
    {0},
};

static struct wl_tcp *wl_of(const struct workload *workload)
{
    return (struct wl_tcp *)(uintptr_t)workload;
}

/* Data flows mostly back to the host that asks. */
static bool is_read(const struct wl_tcp *wl)
{
    return wl->params.response_size > wl->params.message_size;
}

static uint64_t operation_bytes(const struct wl_tcp *wl)
{
    return (uint64_t)(is_read(wl) ? wl->params.response_size : wl->params.message_size);
}

static void settle_state(struct wl_tcp *wl)
{
    if (wl->state != WL_TCP_ENDING || wl->under_way > 0)
        return;
    wl->state = WL_TCP_IDLE;
    env_timer_cancel(wl->site.env, &wl->timer);
    if (wl->site.on_idle != NULL)
        wl->site.on_idle(wl->site.on_idle_self);
}

static void finish_oldest(struct wl_tcp_conn *conn, bool good)
{
    struct wl_tcp *wl = conn->owner;
    const time_ps now = env_now(wl->site.env), issued_at = conn->issued_at[conn->oldest];
    CHECK(conn->under_way > 0 && wl->under_way > 0);
    conn->oldest = (conn->oldest + 1) % (uint32_t)wl->params.outstanding;
    conn->under_way--;
    wl->under_way--;
    if (!good) {
        wl->site.stats->failed++;
        wl->did.failed++;
        return;
    }
    const struct workload_completion done = {
        .issued_at = issued_at,
        .now = now,
        .from = wl->window.from,
        .stop = wl->window.to,
        .bytes = operation_bytes(wl),
        .member = wl->site.member,
        .read = is_read(wl),
    };
    workload_completed(wl->site.stats, &done);
    workload_member_completed(&wl->did, issued_at, now, done.bytes);
    wl_goodput_completed(&conn->goodput, &wl->window, now, done.bytes);
}

static bool any_usable(const struct wl_tcp *wl)
{
    for (uint32_t i = 0; i < wl->conn_count; i++)
        if (wl->conns[i].usable)
            return true;
    return false;
}

static void give_up(struct wl_tcp_conn *conn)
{
    const struct env *env = conn->owner->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner,
                     "workload: a TCP connection failed");
    conn->usable = false;
    while (conn->under_way > 0)
        finish_oldest(conn, false);
    if (conn->owner->state != WL_TCP_ISSUING)
        return;
    conn->owner->did.pairs_lost++;
    conn->owner->did.given_up |= !any_usable(conn->owner);
}

/* The rest of the first unsent message. False: the send buffer is full. */
static bool send_message(struct wl_tcp_conn *conn)
{
    const struct wl_tcp *wl = conn->owner;
    const uint32_t size = (uint32_t)wl->params.message_size;
    unsigned char bytes[WL_TCP_HEADER];
    wl_tcp_encode(&(struct wl_tcp_header){size, (uint32_t)wl->params.response_size}, bytes);
    while (conn->sent < size) {
        const bool header = conn->sent < WL_TCP_HEADER;
        const struct stream_piece piece = {
            .bytes = header ? bytes + conn->sent : NULL,
            .length = header ? WL_TCP_HEADER - conn->sent : size - conn->sent,
            .content = wl->site.serial,
            .offset = header ? 0 : conn->sent - WL_TCP_HEADER,
            .more = header && size > WL_TCP_HEADER,
        };
        const uint32_t taken = wl->site.streams->send(conn->conn, &piece);
        conn->sent += taken;
        if (taken < piece.length)
            return false;
    }
    return true;
}

static void send_messages(struct wl_tcp_conn *conn)
{
    while (conn->usable && conn->unsent > 0 && send_message(conn)) {
        conn->unsent--;
        conn->sent = 0;
    }
}

static void post(struct wl_tcp_conn *conn, time_ps issued_at)
{
    struct wl_tcp *wl = conn->owner;
    const uint32_t outstanding = (uint32_t)wl->params.outstanding;
    conn->issued_at[(conn->oldest + conn->under_way) % outstanding] = issued_at;
    conn->under_way++;
    conn->unsent++;
    wl->under_way++;
    wl->issued++;
    workload_issued(wl->site.stats, issued_at);
    workload_member_issued(&wl->did, issued_at);
    send_messages(conn);
}

/* The next usable connection in turn with room, or NULL. */
static struct wl_tcp_conn *find_room(struct wl_tcp *wl)
{
    for (uint32_t i = 0; i < wl->conn_count; i++) {
        const uint32_t at = (wl->next_conn + i) % wl->conn_count;
        struct wl_tcp_conn *conn = &wl->conns[at];
        if (!conn->usable || conn->under_way >= (uint32_t)wl->params.outstanding)
            continue;
        wl->next_conn = (at + 1) % wl->conn_count;
        return conn;
    }
    return NULL;
}

static void end_by_stop(struct wl_tcp *wl)
{
    uint64_t missed = wl_pace_count(&wl->pace, wl->site.stop, WL_PACE_EVENT);
    const uint64_t left = (uint64_t)wl->params.count - wl->issued;
    if (wl->params.count > 0 && missed > left)
        missed = left;
    wl->site.stats->missed += missed;
    workload_ends(wl->site.stats, wl->site.stop);
    wl->state = WL_TCP_ENDING;
}

/* Issues one message if that is possible now; otherwise sets the timer if only time is missing. */
static bool issue_one(struct wl_tcp *wl, time_ps now)
{
    if (now >= wl->site.stop) {
        end_by_stop(wl);
        return false;
    }
    if ((wl->params.count > 0 && wl->issued >= (uint64_t)wl->params.count) || !any_usable(wl)) {
        wl->state = WL_TCP_ENDING;
        return false;
    }
    if (wl->params.rate > 0 && wl->pace.due > now) {
        env_timer_set(wl->site.env, &wl->timer, time_earlier(wl->pace.due, wl->site.stop));
        return false;
    }
    struct wl_tcp_conn *conn = find_room(wl);
    if (conn == NULL)
        return false;
    post(conn, wl->params.rate > 0 ? wl_pace_take(&wl->pace, WL_PACE_EVENT) : now);
    return true;
}

static void pump(struct wl_tcp *wl)
{
    const time_ps now = env_now(wl->site.env);
    while (wl->state == WL_TCP_ISSUING && issue_one(wl, now)) {
    }
    if (wl->state == WL_TCP_ENDING && wl->under_way == 0)
        workload_done(wl->site.stats, wl->did.failed > 0, wl->did.last_completion, wl->site.stop);
    settle_state(wl);
}

static void on_timer(void *self, time_ps now)
{
    (void)now;
    pump(self);
}

/* Connections. */

/* When the last connection is established or has failed, issuing begins. */
static void settle(struct wl_tcp_conn *conn)
{
    struct wl_tcp *wl = conn->owner;
    char purpose[64];
    if (conn->settled)
        return;
    conn->settled = true;
    if (!conn->usable) {
        workload_barred(wl->site.stats, env_now(wl->site.env), wl->site.stop);
        wl->did.failed++;
    }
    if (++wl->settled < wl->conn_count)
        return;
    const time_ps now = env_now(wl->site.env), begin = workload_begin(&wl->site, now);
    wl->state = WL_TCP_ISSUING;
    wl->did.connected = any_usable(wl);
    wl->did.ready = now;
    if (wl->did.connected)
        workload_begins(wl->site.stats, wl->site.start);
    snprintf(purpose, sizeof purpose, "workload %u.%u.%u", wl->site.workload, wl->site.instance,
             wl->site.copy);
    wl_pace_init(&wl->pace, wl->params.rate, wl->params.arrival == WL_PACE_POISSON, begin,
                 env_stream(wl->site.env, purpose), WL_PACE_EVENT);
    if (now < begin && wl->did.connected)
        env_timer_set(wl->site.env, &wl->timer, begin);
    else
        pump(wl);
}

static void on_connected(void *self, struct stream_conn *stream)
{
    struct wl_tcp_conn *conn = self;
    (void)stream;
    conn->usable = true;
    settle(conn);
}

static void on_readable(void *self, struct stream_conn *stream)
{
    struct wl_tcp_conn *conn = self;
    struct wl_tcp *wl = conn->owner;
    const uint64_t size = (uint64_t)wl->params.response_size;
    uint32_t content, bytes;
    while ((bytes = wl->site.streams->read_bulk(stream, WL_TCP_MESSAGE_MAX, 0, &content)) > 0)
        conn->got += bytes;
    for (; conn->got >= size && conn->under_way > 0; conn->got -= size)
        finish_oldest(conn, true);
    pump(wl);
}

static void on_writable(void *self, struct stream_conn *stream)
{
    (void)stream;
    send_messages(self);
}

static void on_closed(void *self, struct stream_conn *stream, int error)
{
    struct wl_tcp_conn *conn = self;
    (void)stream;
    (void)error;
    give_up(conn);
    if (conn->settled)
        pump(conn->owner);
    else
        settle(conn);
}

static void connect_one(struct wl_tcp *wl, struct wl_tcp_conn *conn)
{
    const struct workload_site *site = &wl->site;
    const struct stream_user user = {.self = conn,
                                     .on_connected = on_connected,
                                     .on_readable = on_readable,
                                     .on_writable = on_writable,
                                     .on_closed = on_closed};
    struct stream_peer peer = {.port = WL_TCP_PORT};
    struct stream_device *device = site->stream_way(site, (uint32_t)(conn - wl->conns), &peer.ip);
    peer.class = (struct stream_class){.dscp_set = site->class.tos_set,
                                       .priority_set = site->class.priority_set,
                                       .dscp = site->class.tos >> 2,
                                       .priority = site->class.priority};
    conn->conn = site->streams->connect(device, &peer, &user);
}

/* The table. */

static struct workload *create(const struct workload_site *site)
{
    struct wl_tcp *wl = memory_new(sizeof *wl);
    wl->site = *site;
    wl->params = *(const struct wl_tcp_params *)site->params;
    wl->window = (struct wl_window){site->start, site->stop};
    wl->timer = (struct timer){.fire = on_timer, .self = wl, .due = TIME_NEVER};
    wl->conn_count = (uint32_t)wl->params.connections;
    wl->conns = memory_zeroed(wl->conn_count, sizeof *wl->conns);
    for (uint32_t i = 0; i < wl->conn_count; i++) {
        wl->conns[i].owner = wl;
        wl->conns[i].issued_at =
            memory_zeroed((size_t)wl->params.outstanding, sizeof *wl->conns[i].issued_at);
        wl_goodput_begin(&wl->conns[i].goodput, &wl->window, env_now(site->env));
    }
    return (struct workload *)wl;
}

static void start(struct workload *workload)
{
    struct wl_tcp *wl = wl_of(workload);
    wl->did.began = env_now(wl->site.env);
    for (uint32_t i = 0; i < wl->conn_count; i++) {
        connect_one(wl, &wl->conns[i]);
        if (wl->conns[i].conn == NULL)
            settle(&wl->conns[i]);
    }
}

/* Bytes that have arrived of what the connection carries in the direction that counts: those that
 * the other end has acknowledged, or that are here. */
static uint64_t arrived_of(const struct wl_tcp_conn *conn)
{
    struct stream_info info;
    if (!conn->usable)
        return conn->goodput.done;
    conn->owner->site.streams->info(conn->conn, &info);
    return is_read(conn->owner) ? info.bytes_received : info.bytes_acked;
}

static time_ps measure(struct workload *workload, time_ps now)
{
    struct wl_tcp *wl = wl_of(workload);
    for (uint32_t i = 0; i < wl->conn_count; i++)
        wl_goodput_mark(&wl->conns[i].goodput, &wl->window, now, arrived_of(&wl->conns[i]));
    return wl_window_next(&wl->window, now);
}

static void stop(struct workload *workload)
{
    struct wl_tcp *wl = wl_of(workload);
    const time_ps now = env_now(wl->site.env);
    if (now < wl->site.stop)
        wl->site.stop = now > wl->site.start ? now : wl->site.start;
    wl->window.to = wl->site.stop;
    measure(workload, now);
    if (wl->state == WL_TCP_ISSUING)
        end_by_stop(wl);
    settle_state(wl);
}

static struct workload_delivered by_direction(const struct wl_tcp *wl, uint64_t bytes)
{
    return is_read(wl) ? (struct workload_delivered){.read = bytes}
                       : (struct workload_delivered){.written = bytes};
}

static struct workload_delivered delivered(const struct workload *workload)
{
    const struct wl_tcp *wl = wl_of(workload);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < wl->conn_count; i++) {
        const struct wl_tcp_conn *conn = &wl->conns[i];
        sum += conn->usable ? wl_goodput_so_far(&conn->goodput, arrived_of(conn))
                            : wl_goodput_completed_only(&conn->goodput);
    }
    return by_direction(wl, sum);
}

static struct workload_delivered arrived(const struct workload *workload)
{
    const struct wl_tcp *wl = wl_of(workload);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < wl->conn_count; i++)
        sum += arrived_of(&wl->conns[i]);
    return by_direction(wl, sum);
}

static uint64_t outstanding(const struct workload *workload)
{
    return wl_of(workload)->under_way;
}

static void describe(const struct workload *workload, char *text, size_t size)
{
    const struct wl_tcp *wl = wl_of(workload);
    if (wl->state == WL_TCP_CONNECTING) {
        snprintf(text, size, "connecting %u of %u TCP %s", wl->conn_count - wl->settled,
                 wl->conn_count, plural(wl->conn_count, "connection", "connections"));
        return;
    }
    time_ps oldest = TIME_NEVER;
    for (uint32_t i = 0; i < wl->conn_count; i++) {
        const struct wl_tcp_conn *conn = &wl->conns[i];
        if (conn->under_way > 0)
            oldest = time_earlier(oldest, conn->issued_at[conn->oldest]);
    }
    if (oldest == TIME_NEVER) {
        snprintf(text, size, wl->state == WL_TCP_IDLE ? "idle" : "nothing outstanding");
        return;
    }
    snprintf(text, size, "%llu %s of %s to %s outstanding, the oldest for %s",
             (unsigned long long)wl->under_way, plural(wl->under_way, "message", "messages"),
             note_size((uint64_t)wl->params.message_size).text, note_ip(wl->site.target_ip).text,
             note_time(env_now(wl->site.env) - oldest).text);
}

static const struct workload_member *member(const struct workload *workload)
{
    return &wl_of(workload)->did;
}

static void destroy(struct workload *workload)
{
    struct wl_tcp *wl = wl_of(workload);
    env_timer_cancel(wl->site.env, &wl->timer);
    /* Connections end with their TCP: at the end of a run, nothing sends an RST. */
    for (uint32_t i = 0; i < wl->conn_count; i++)
        free(wl->conns[i].issued_at);
    free(wl->conns);
    free(wl);
}

const struct workload_ops wl_tcp_stream = {
    .name = "tcp-stream",
    .also = "tcp",
    .about = "messages over TCP connections, each answered by the other host",
    .opts = wl_tcp_opts,
    .params_bytes = sizeof(struct wl_tcp_params),
    .needs_tcp = true,
    .create = create,
    .start = start,
    .stop = stop,
    .measure = measure,
    .delivered = delivered,
    .arrived = arrived,
    .outstanding = outstanding,
    .describe = describe,
    .member = member,
    .destroy = destroy,
};
