/* SPDX-License-Identifier: Apache-2.0
 * stream_real_conn - a connection: its beginning, its events, its end. */
#include "bridge/streams/stream_real_private.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* When the kernel gives up a peer: after one retry of the SYN, as Linux's host does
 * (nvme_tcp_alloc_queue: TCP_SYNCNT); our own choice for data without an ACK and for keep-alives of
 * an idle connection. */
enum { SYN_RETRIES = 1, UNACKED_MS = 30000, PROBE_AFTER_S = 15, PROBE_EVERY_S = 5, PROBES = 3 };

/* For the peer to answer the FIN. It would otherwise occupy a connection for ever. */
static const time_ps linger = PS_PER_S;

static void set_option(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof value); /* without it the defaults apply */
}

static void set_options(int fd)
{
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, IPPROTO_TCP, TCP_SYNCNT, SYN_RETRIES);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKED_MS);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_EVERY_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
}

/* ---- end ---- */

static void close_socket(struct stream_conn *conn)
{
    if (conn->fd < 0)
        return;
    loop_unwatch(conn->device->site.loop, conn->watch);
    conn->watch = NULL;
    close(conn->fd);
    conn->fd = -1;
    conn->device->counters.open--;
}

static void on_over(void *self, time_ps now)
{
    struct stream_conn *conn = self;
    (void)now;
    conn->state = STREAM_OVER;
    conn->device->counters.resets += conn->error != 0;
    close_socket(conn);
    if (conn->user.on_closed != NULL)
        conn->user.on_closed(conn->user.self, conn, conn->error);
}

static void report_soon(struct stream_conn *conn)
{
    if (conn->over.due == TIME_NEVER)
        env_timer_set(&conn->device->env, &conn->over, env_now(&conn->device->env));
}

void stream_real_conn_fail(struct stream_conn *conn, int error)
{
    if (conn->error != 0 || conn->state == STREAM_OVER)
        return;
    const bool reset = error == ECONNRESET || error == EPIPE;
    conn->error = reset ? ECONNRESET : error == ECONNREFUSED ? ECONNREFUSED : ETIMEDOUT;
    stream_real_conn_watch(conn);
    report_soon(conn);
}

static void end_if_both_closed(struct stream_conn *conn)
{
    if (conn->closed && conn->peer_ended)
        report_soon(conn);
}

void stream_real_conn_close(struct stream_conn *conn)
{
    if (conn->closed || conn->state == STREAM_OVER)
        return;
    conn->closed = true;
    conn->device->counters.closes++;
    if (conn->state != STREAM_OPEN) {
        stream_real_conn_fail(conn, ECONNRESET);
        return;
    }
    if (conn->error == 0)
        shutdown(conn->fd, SHUT_WR);
    env_timer_set(&conn->device->env, &conn->linger, env_now(&conn->device->env) + linger);
    conn->first = conn->count = 0;
    conn->paused = false;
    stream_real_conn_watch(conn);
    end_if_both_closed(conn);
}

void stream_real_conn_reset(struct stream_conn *conn)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    env_timer_cancel(&conn->device->env, &conn->over);
    env_timer_cancel(&conn->device->env, &conn->linger);
    if (conn->fd >= 0)
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close_socket(conn);
    conn->state = STREAM_OVER;
}

static void on_linger(void *self, time_ps now)
{
    (void)now;
    stream_real_conn_reset(self);
}

void stream_real_conn_destroy(struct stream_conn *conn)
{
    struct stream_device *device = conn->device;
    env_timer_cancel(&device->env, &conn->over);
    env_timer_cancel(&device->env, &conn->linger);
    close_socket(conn); /* FIN, or RST if the kernel has data that were not read */
    *conn->link = conn->next;
    if (conn->next != NULL)
        conn->next->link = conn->link;
    device->accepted -= conn->accepted;
    free(conn->buffer);
    free(conn);
}

/* ---- events ---- */

static uint16_t port_of(int fd)
{
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    return getsockname(fd, (struct sockaddr *)&at, &size) == 0 ? ntohs(at.sin_port) : 0;
}

static void finish_connecting(struct stream_conn *conn)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error != 0) {
        stream_real_conn_fail(conn, error);
        return;
    }
    conn->state = STREAM_OPEN;
    conn->local_port = port_of(conn->fd);
    stream_real_show_begin(conn);
    stream_real_conn_watch(conn);
    if (conn->user.on_connected != NULL)
        conn->user.on_connected(conn->user.self, conn);
}

static void on_writable(void *self)
{
    struct stream_conn *conn = self;
    if (conn->state == STREAM_CONNECTING) {
        finish_connecting(conn);
        return;
    }
    conn->wants_room = false;
    stream_real_conn_watch(conn);
    if (conn->user.on_writable != NULL && !conn->closed)
        conn->user.on_writable(conn->user.self, conn);
}

static void on_readable(void *self)
{
    struct stream_conn *conn = self;
    stream_real_receive(conn);
    if (conn->closed) /* the data are dropped */
        conn->first = conn->count = 0;
    else if (conn->error == 0)
        conn->user.on_readable(conn->user.self, conn);
    if (conn->state != STREAM_OPEN)
        return;
    conn->paused = conn->count == REAL_BUFFER_BYTES;
    stream_real_conn_watch(conn);
    end_if_both_closed(conn);
}

void stream_real_conn_watch(struct stream_conn *conn)
{
    const bool live = conn->error == 0;
    if (conn->watch == NULL)
        return;
    const bool reads = live && conn->state == STREAM_OPEN && !conn->paused && !conn->peer_ended;
    const bool writes = live && (conn->state == STREAM_CONNECTING || conn->wants_room);
    loop_watch_for(conn->device->site.loop, conn->watch, reads, writes ? on_writable : NULL);
}

/* ---- beginning ---- */

struct stream_conn *stream_real_conn_new(struct stream_device *device, int fd, uint32_t peer_ip,
                                         uint16_t peer_port)
{
    struct stream_conn *conn = memory_zeroed(1, sizeof *conn);
    conn->device = device;
    conn->fd = fd;
    conn->peer_ip = peer_ip;
    conn->peer_port = peer_port;
    conn->over = (struct timer){.fire = on_over, .self = conn, .due = TIME_NEVER};
    conn->linger = (struct timer){.fire = on_linger, .self = conn, .due = TIME_NEVER};
    conn->buffer = memory_zeroed(REAL_BUFFER_BYTES, 1);
    conn->next = device->conns;
    conn->link = &device->conns;
    if (conn->next != NULL)
        conn->next->link = &conn->next;
    device->conns = conn;
    device->counters.open++;
    set_options(fd);
    return conn;
}

void stream_real_conn_begin(struct stream_conn *conn)
{
    conn->state = STREAM_OPEN;
    conn->local_port = port_of(conn->fd);
    stream_real_show_begin(conn);
    conn->watch = loop_watch(conn->device->site.loop, conn->fd, on_readable, conn);
}

struct sockaddr_in stream_real_address(uint32_t ip, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};
}

struct stream_conn *stream_real_conn_connect(struct stream_device *device,
                                             const struct stream_peer *peer,
                                             const struct stream_user *user)
{
    const struct sockaddr_in here = stream_real_address(device->site.ip, 0);
    const struct sockaddr_in there = stream_real_address(peer->ip, peer->port);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    if (bind(fd, (const struct sockaddr *)&here, sizeof here) != 0) {
        close(fd);
        return NULL;
    }
    struct stream_conn *conn = stream_real_conn_new(device, fd, peer->ip, peer->port);
    conn->user = *user;
    conn->state = STREAM_CONNECTING;
    device->counters.connects++;
    if (peer->class.dscp_set)
        set_option(fd, IPPROTO_IP, IP_TOS, peer->class.dscp << 2);
    const int result = connect(fd, (const struct sockaddr *)&there, sizeof there);
    conn->watch = loop_watch(device->site.loop, fd, on_readable, conn);
    stream_real_conn_watch(conn);
    if (result != 0 && errno != EINPROGRESS)
        stream_real_conn_fail(conn, errno);
    return conn;
}
