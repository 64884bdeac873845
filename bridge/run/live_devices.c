/* SPDX-License-Identifier: Apache-2.0
 * live_devices - the devices of a run: RDMA devices, or TCP at addresses of this machine. */
#include "bridge/run/live_private.h"

#include "base/memory.h"
#include "base/printable.h"
#include "rnic/host/rnic.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- RDMA ---- */

static void on_removed(void *self)
{
    struct live_run *run = self;
    run->gone = true;
    loop_stop(run->loop);
}

static void on_port(void *self, bool up)
{
    (void)self;
    printable_say("stormglass-bridge", "the port of the RDMA device %s",
                  up ? "is up again" : "went down: outstanding operations end by their timeouts");
}

static void on_refused(void *self, const char *why)
{
    (void)self;
    printable_say("stormglass-bridge", "a connection was refused: %s", why);
}

/* The portable core cannot continue, and its memory cannot be released. */
static void on_fatal(void *self, const char *why)
{
    (void)self;
    printable_say("stormglass-bridge", "%s", why);
    exit(3);
}

struct verbs_device *live_device_at(const struct live_run *run, uint32_t ip)
{
    for (uint32_t i = 0; i < run->device_count; i++)
        if (run->devices[i].ip == ip)
            return run->devices[i].device;
    return NULL;
}

/* READs in flight that the scenario allows the queue pairs of its targets; each device limits them
 * further. */
static int64_t rd_atomic_of(const struct live_run *run)
{
    int64_t least = 0;
    for (uint32_t i = 0; i < run->target_count; i++) {
        const struct scenario_node *node = &run->scenario->nodes[run->targets[i].node];
        if (least == 0 || node->host->rnic->max_rd_atomic < least)
            least = node->host->rnic->max_rd_atomic;
    }
    return least;
}

/* The smallest path MTU of all hosts, so that both ends compute the same value. A foreign peer uses
 * the path MTU of the REQ, which is the port's. */
static int64_t path_mtu_of(const struct live_run *run)
{
    int64_t least = 0;
    if (run->options.foreign)
        return 0;
    for (uint32_t i = 0; i < run->scenario->host_count; i++) {
        const int64_t wanted = run->scenario->nodes[i].host->rnic->path_mtu;
        least = least == 0 || wanted < least ? wanted : least;
    }
    return least;
}

static struct verbs_real_wishes wishes_of(const struct live_run *run, uint32_t node)
{
    const struct rnic_params *rnic = run->scenario->nodes[node].host->rnic;
    static_assert((int)VERBS_REAL_ANY == (int)RNIC_AUTO, "no value was requested");
    return (struct verbs_real_wishes){
        .retry_count = rnic->retry_count,
        .rnr_retry = rnic->rnr_retry,
        .min_rnr_timer = rnic->min_rnr_timer,
        .timeout = rnic->timeout,
        .accept_timeout = rnic->accept_timeout,
        .path_mtu = path_mtu_of(run),
        .max_rd_atomic = rd_atomic_of(run),
        .dscp = rnic->dscp,
        .accept_dscp = rnic->accept_dscp,
        .inline_size = rnic->pipeline.inline_size,
    };
}

/* False, with the reason. */
static bool open_rdma(struct live_run *run, uint32_t ip, uint32_t node, char why[LIVE_WHY_BYTES])
{
    const struct live_options *options = &run->options;
    const struct verbs_real_wishes wishes = wishes_of(run, node);
    const struct verbs_real_site site = {
        .calls = options->calls,
        .loop = run->loop,
        .ip = ip,
        .any = options->any,
        .busy = options->busy,
        .depth = options->depth,
        .wishes = &wishes,
        .admits = live_access_admits,
        .on_removed = on_removed,
        .on_port = on_port,
        .on_refused = on_refused,
        .on_fatal = on_fatal,
        .self = run,
    };
    struct verbs_device *open = verbs_real_open(&site);
    if (open == NULL) {
        snprintf(why, LIVE_WHY_BYTES, "no usable RDMA device at the address: %s", strerror(errno));
        return false;
    }
    run->devices[run->device_count++] = (struct live_device){ip, open};
    return verbs_real_can(open, why);
}

static void on_refused_stream(void *self, const char *text)
{
    live_access_report(self, text);
}

static bool open_tcp(struct live_run *run, uint32_t ip, char why[LIVE_WHY_BYTES])
{
    const struct stream_real_site site = {
        .loop = run->loop,
        .ip = ip,
        .any = run->options.any,
        .depth = run->options.depth,
        .admits = live_access_admits,
        .on_refused = on_refused_stream,
        .on_seen = run->options.capture != NULL ? live_capture_take : NULL,
        .self = run,
    };
    struct verbs_device *open = verbs_tcp_open(&site);
    if (open == NULL) {
        snprintf(why, LIVE_WHY_BYTES, "the address %u.%u.%u.%u cannot be used: %s", ip >> 24,
                 ip >> 16 & 255, ip >> 8 & 255, ip & 255, strerror(errno));
        return false;
    }
    run->devices[run->device_count++] = (struct live_device){ip, open};
    return true;
}

static bool open_device(struct live_run *run, uint32_t ip, uint32_t node, char why[LIVE_WHY_BYTES])
{
    if (live_device_at(run, ip) != NULL)
        return true;
    return run->by_tcp ? open_tcp(run, ip, why) : open_rdma(run, ip, node, why);
}

static bool open_all(struct live_run *run, const struct nic_addresses *nics, uint32_t node,
                     char why[LIVE_WHY_BYTES])
{
    for (uint32_t i = 0; i < nics->count; i++)
        if (!open_device(run, nics->ip[i], node, why))
            return false;
    return true;
}

bool live_devices_open(struct live_run *run, char why[LIVE_WHY_BYTES])
{
    const bool host = (run->options.role & LIVE_HOST) != 0;
    const uint32_t first = run->scenario->workloads[0].pairs[0].from;
    run->devices = memory_zeroed((1 + (size_t)run->target_count) * NICS_MAX, sizeof *run->devices);
    bool open = !host || open_all(run, &run->options.address, first, why);
    for (uint32_t i = 0; open && i < run->target_count; i++)
        if (run->targets[i].here)
            open = open_all(run, &run->targets[i].nics, run->targets[i].node, why);
    return open;
}

void live_devices_close(struct live_run *run)
{
    for (uint32_t i = 0; i < run->device_count; i++)
        if (run->by_tcp)
            verbs_tcp_close(run->devices[i].device);
        else
            verbs_real_close(run->devices[i].device);
    free(run->devices);
}

struct stream_device *live_stream_at(const struct live_run *run, uint32_t ip)
{
    return run->by_tcp ? verbs_tcp_streams(live_device_at(run, ip)) : NULL;
}

/* ---- what they report ---- */

static struct verbs_real_counters rdma_counters(const struct live_run *run)
{
    struct verbs_real_counters sum = {0};
    for (uint32_t i = 0; i < run->device_count; i++) {
        const struct verbs_real_counters *counters = verbs_real_counters(run->devices[i].device);
#define X(member, name) sum.member += counters->member;
        VERBS_REAL_COUNTERS(X)
#undef X
        sum.open += counters->open;
    }
    return sum;
}

static struct stream_real_counters tcp_counters(const struct live_run *run)
{
    struct stream_real_counters sum = {0};
    for (uint32_t i = 0; i < run->device_count; i++) {
        const struct stream_real_counters *counters =
            stream_real_counters(verbs_tcp_streams(run->devices[i].device));
#define X(member, name) sum.member += counters->member;
        STREAM_REAL_COUNTERS(X)
#undef X
        sum.open += counters->open;
    }
    return sum;
}

/* A TCP connection is accepted before its peer has sent anything, so what counts is who was
 * admitted: hosts that agreed, and controllers. */
static struct live_counts tcp_hosts(const struct live_run *run)
{
    struct live_counts counts = {.had = run->agreed.joined, .has = run->agreed.hosts};
    for (uint32_t i = 0; i < run->target_count; i++) {
        if (run->targets[i].nvme == NULL)
            continue;
        const struct nvme_target_stats *stats = nvme_target_stats(run->targets[i].nvme);
        counts.had += stats->admitted;
        counts.has += stats->controllers;
    }
    return counts;
}

struct live_counts live_counts(const struct live_run *run)
{
    if (run->by_tcp) {
        struct live_counts counts = tcp_hosts(run);
        counts.unsound = tcp_counters(run).unsound;
        return counts;
    }
    const struct verbs_real_counters rdma = rdma_counters(run);
    return (struct live_counts){.had = rdma.accepts, .has = rdma.open, .unsound = rdma.unsound};
}

void live_devices_describe(const struct live_run *run,
                           void (*text)(struct store *, const char *name, const char *value),
                           void (*number)(struct store *, const char *name, uint64_t value),
                           struct store *store)
{
    const struct verbs_device *device = run->devices[0].device;
    text(store, "transport", run->by_tcp ? "tcp" : "rdma");
    if (run->by_tcp) {
        const struct stream_real_counters tcp = tcp_counters(run);
        char name[STREAM_REAL_NAME_BYTES];
        stream_real_name(verbs_tcp_streams(device), name);
        text(store, "device", name);
#define X(member, name) number(store, name, tcp.member);
        STREAM_REAL_COUNTERS(X)
#undef X
        return;
    }
    const struct ibv_device_attr *attributes = verbs_real_attributes(device);
    const struct verbs_real_counters rdma = rdma_counters(run);
    text(store, "device", verbs_real_name(device));
    text(store, "firmware", attributes->fw_ver);
    number(store, "vendor_id", attributes->vendor_id);
    number(store, "vendor_part_id", attributes->vendor_part_id);
#define X(member, name) number(store, name, rdma.member);
    VERBS_REAL_COUNTERS(X)
#undef X
}
