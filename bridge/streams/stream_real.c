/* SPDX-License-Identifier: Apache-2.0
 * stream_real - the device, its listeners, the table of operations. */
#define _GNU_SOURCE /* accept4 */
#include "bridge/streams/stream_real_private.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, ACCEPTS_AT_ONCE = 16 };

/* Without descriptors, `accept` fails until a connection ends. */
static const time_ps accept_again = 100 * PS_PER_MS;

/* ---- listeners ---- */

static void say_refused(struct stream_device *device, uint32_t ip, uint16_t port, const char *why)
{
    char text[160];
    device->counters.refused++;
    snprintf(text, sizeof text, "refused %u.%u.%u.%u at port %u: %s", ip >> 24, ip >> 16 & 255,
             ip >> 8 & 255, ip & 255, port, why);
    if (device->site.on_refused != NULL)
        device->site.on_refused(device->site.self, text);
}

static void reset_socket(int fd)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

/* The kernel gives the lowest free descriptor, so its number is the count of those in use. */
static bool is_of_reserve(int fd)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           (rlim_t)fd + STREAM_REAL_RESERVE >= limit.rlim_cur;
}

static void take_connection(struct real_listener *listener, int fd, uint32_t ip, uint16_t port)
{
    struct stream_device *device = listener->device;
    const struct stream_real_site *site = &device->site;
    if (site->admits != NULL && !site->admits(site->self, listener->port, ip)) {
        device->counters.refused++;
        reset_socket(fd);
        return;
    }
    if (device->accepted >= STREAM_REAL_ACCEPTED_MAX) {
        say_refused(device, ip, listener->port, "too many connections");
        reset_socket(fd);
        return;
    }
    if (is_of_reserve(fd)) {
        say_refused(device, ip, listener->port, "too few file descriptors (ulimit -n)");
        reset_socket(fd);
        return;
    }
    struct stream_conn *conn = stream_real_conn_new(device, fd, ip, port);
    conn->accepted = true;
    device->accepted++;
    stream_real_conn_begin(conn);
    if (!listener->user.on_accept(listener->user.self, conn, ip, &conn->user)) {
        say_refused(device, ip, listener->port, "no room");
        stream_real_conn_destroy(conn);
        return;
    }
    device->counters.accepts++;
}

static void wait_for_descriptors(struct real_listener *listener)
{
    const struct env *env = &listener->device->env;
    loop_watch_for(listener->device->site.loop, listener->watch, false, NULL);
    env_timer_set(env, &listener->resume, env_now(env) + accept_again);
}

static void on_resume(void *self, time_ps now)
{
    struct real_listener *listener = self;
    (void)now;
    loop_watch_for(listener->device->site.loop, listener->watch, true, NULL);
}

static void on_connection(void *self)
{
    struct real_listener *listener = self;
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        const int fd =
            accept4(listener->fd, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            take_connection(listener, fd, ntohl(from.sin_addr.s_addr), ntohs(from.sin_port));
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            wait_for_descriptors(listener);
        return;
    }
}

static int open_listener(const struct stream_real_site *site, uint16_t port)
{
    const struct sockaddr_in here = stream_real_address(site->any ? INADDR_ANY : site->ip, port);
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&here, sizeof here) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool listen_at(struct stream_device *device, uint16_t port,
                      const struct stream_listener *user)
{
    const int fd = open_listener(&device->site, port);
    if (fd < 0)
        return false;
    struct real_listener *listener = memory_zeroed(1, sizeof *listener);
    listener->device = device;
    listener->user = *user;
    listener->fd = fd;
    listener->port = port;
    listener->resume = (struct timer){.fire = on_resume, .self = listener, .due = TIME_NEVER};
    listener->watch = loop_watch(device->site.loop, fd, on_connection, listener);
    listener->next = device->listeners;
    device->listeners = listener;
    return true;
}

static void end_listener(struct real_listener *listener)
{
    struct stream_device *device = listener->device;
    env_timer_cancel(&device->env, &listener->resume);
    loop_unwatch(device->site.loop, listener->watch);
    close(listener->fd);
    free(listener);
}

static void unlisten(struct stream_device *device, uint16_t port)
{
    struct real_listener **link = &device->listeners;
    while (*link != NULL) {
        struct real_listener *listener = *link;
        if (listener->port != port) {
            link = &listener->next;
            continue;
        }
        *link = listener->next;
        end_listener(listener);
    }
}

/* ---- device ---- */

struct stream_device *stream_real_open(const struct stream_real_site *site)
{
    const struct sockaddr_in here = stream_real_address(site->ip, 0);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    const bool local = bind(fd, (const struct sockaddr *)&here, sizeof here) == 0;
    const int error = errno;
    close(fd);
    errno = error;
    if (!local)
        return NULL;
    struct stream_device *device = memory_zeroed(1, sizeof *device);
    device->site = *site;
    device->env = (struct env){.ops = &loop_env_ops, .world = site->loop, .owner = "streams"};
    return device;
}

void stream_real_close(struct stream_device *device)
{
    while (device->conns != NULL)
        stream_real_conn_destroy(device->conns);
    while (device->listeners != NULL) {
        struct real_listener *listener = device->listeners;
        device->listeners = listener->next;
        end_listener(listener);
    }
    free(device);
}

const struct stream_real_counters *stream_real_counters(const struct stream_device *device)
{
    return &device->counters;
}

/* 127.0.0.0/8 is the loopback interface's, whichever address of it is used. */
void stream_real_name(const struct stream_device *device, char name[STREAM_REAL_NAME_BYTES])
{
    struct ifaddrs *all = NULL;
    snprintf(name, STREAM_REAL_NAME_BYTES, "%s", device->site.ip >> 24 == 127 ? "lo" : "unknown");
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET)
            continue;
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)at->ifa_addr;
        if (ntohl(in->sin_addr.s_addr) == device->site.ip)
            snprintf(name, STREAM_REAL_NAME_BYTES, "%s", at->ifa_name);
    }
    freeifaddrs(all);
}

/* ---- table ---- */

static bool ended(const struct stream_conn *conn)
{
    return conn->peer_ended && conn->count == 0;
}

static void fill_info(const struct stream_conn *conn, struct stream_info *info)
{
    struct tcp_info tcp = {0};
    socklen_t size = sizeof tcp;
    *info = (struct stream_info){.state = conn->state == STREAM_OPEN ? "established" : "closed",
                                 .congestion_control = "system",
                                 .readable = conn->count};
    if (conn->fd < 0 || getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &tcp, &size) != 0)
        return;
    info->rtt = (time_ps)tcp.tcpi_rtt * PS_PER_US;
    info->rttvar = (time_ps)tcp.tcpi_rttvar * PS_PER_US;
    info->rto = (time_ps)tcp.tcpi_rto * PS_PER_US;
    info->cwnd = tcp.tcpi_snd_cwnd;
    info->ssthresh = tcp.tcpi_snd_ssthresh;
    info->mss = tcp.tcpi_snd_mss;
    info->retrans = tcp.tcpi_total_retrans;
    info->reordering = tcp.tcpi_reordering;
}

static uint32_t local_ip(const struct stream_device *device)
{
    return device->site.ip;
}

static uint32_t peer_ip(const struct stream_conn *conn)
{
    return conn->peer_ip;
}

static uint16_t local_port(const struct stream_conn *conn)
{
    return conn->local_port;
}

static uint16_t peer_port(const struct stream_conn *conn)
{
    return conn->peer_port;
}

const struct stream_ops stream_real = {
    .name = "sockets",
    .listen = listen_at,
    .unlisten = unlisten,
    .connect = stream_real_conn_connect,
    .send = stream_real_send,
    .read = stream_real_read,
    .read_bulk = stream_real_read_bulk,
    .bulk_crc = stream_real_bulk_crc,
    .read_crc = stream_real_read_crc,
    .ended = ended,
    .close = stream_real_conn_close,
    .reset = stream_real_conn_reset,
    .destroy = stream_real_conn_destroy,
    .info = fill_info,
    .local_ip = local_ip,
    .peer_ip = peer_ip,
    .local_port = local_port,
    .peer_port = peer_port,
};
