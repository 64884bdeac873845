/* SPDX-License-Identifier: Apache-2.0
 * acted_controller - an NVMe controller for tests of workloads.
 * Who includes this defines the functions of nvme/host/host.h itself: the device takes a fixed
 * time, remembers the content of each block, and can be made to fail, to lie and to have short
 * queues. */
#ifndef STORMGLASS_TESTS_UNIT_WORKLOAD_ACTED_CONTROLLER_H
#define STORMGLASS_TESTS_UNIT_WORKLOAD_ACTED_CONTROLLER_H

#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/workload.h"
#include "tests/unit/workload/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCAL_IP = 0x0A000001, BLOCKS = 1024, BLOCK_BYTES = 4096, QUEUES_MAX = 8 };

/* What the acted device does; one at a time. */
static struct device {
    struct stage *stage;
    time_ps service;
    uint32_t grants;       /* I/O queues */
    uint32_t queue_size;   /* commands that a queue takes */
    uint16_t ready_status; /* of connecting */
    uint64_t fails_from;   /* I/O number from which all fail; 0: none */
    uint64_t dies_at;      /* I/O number at which the controller is gone; 0: never */
    bool lies;             /* reads return another content */
    bool seen;             /* somebody can see what has arrived */
    struct nvme_transport_arrived arrived;
    uint64_t submitted;
    uint32_t most[QUEUES_MAX]; /* under way in each queue */
    uint32_t content[BLOCKS];
    bool asked_queues;
} device;

struct nvme_host {
    struct nvme_host_stats stats;
    struct nvme_host_site site;
    bool live;
    uint32_t under_way[QUEUES_MAX];
    struct nvme_host_namespace spaces[2];
};

static inline void ready(void *self, void *what)
{
    struct nvme_host *host = self;
    host->live = what == NULL && device.ready_status == 0;
    host->site.user.on_ready(host->site.user.self, device.ready_status);
}

struct nvme_host *nvme_host_create(const struct nvme_host_site *site)
{
    struct nvme_host *host = calloc(1, sizeof *host);
    assert_non_null(host);
    host->site = *site;
    for (uint32_t i = 0; i < 2; i++)
        host->spaces[i] = (struct nvme_host_namespace){
            .nsid = i + 1, .block_bytes = BLOCK_BYTES, .blocks = BLOCKS};
    if (device.grants == 0)
        device.grants = (uint32_t)site->params->queues;
    stage_at(device.stage, device.stage->now + 1000, ready, host, NULL);
    return host;
}

void nvme_host_destroy(struct nvme_host *host)
{
    host->site.transport->ops->destroy(host->site.transport);
    free(host);
}

static inline void complete(void *self, void *what)
{
    struct nvme_host *host = self;
    struct nvme_io *io = what;
    host->under_way[io->qid - 1]--;
    io->completed_at = device.stage->now;
    if (!host->live)
        io->status = NVME_STATUS_TRANSPORT;
    for (uint32_t i = 0; io->status == 0 && i < io->bytes / BLOCK_BYTES; i++) {
        if (io->opcode == NVME_WRITE)
            device.content[io->lba + i] = io->content;
        else
            io->content = device.content[io->lba + i] + (device.lies ? 1 : 0);
    }
    host->site.user.on_io(host->site.user.self, io);
}

bool nvme_host_submit(struct nvme_host *host, uint32_t queue, struct nvme_io *io)
{
    assert_true(queue < device.grants);
    if (!host->live || host->under_way[queue] == device.queue_size)
        return false;
    assert_in_range(io->lba + io->bytes / BLOCK_BYTES, 1, BLOCKS);
    if (++device.submitted == device.dies_at)
        host->live = false;
    io->status = device.fails_from > 0 && device.submitted >= device.fails_from ? 0x80 : 0;
    io->qid = (uint16_t)(queue + 1);
    io->posted_at = device.stage->now;
    if (++host->under_way[queue] > device.most[queue])
        device.most[queue] = host->under_way[queue];
    stage_at(device.stage, device.stage->now + device.service, complete, host, io);
    return true;
}

bool nvme_host_lost(const struct nvme_host *host)
{
    return !host->live;
}

const struct nvme_host_stats *nvme_host_stats(const struct nvme_host *host)
{
    return &host->stats;
}

time_ps nvme_host_without_service(const struct nvme_host *host, time_ps now)
{
    (void)host, (void)now;
    return 0;
}

/* No workload of these tests asks for admin commands or an orderly end. */
bool nvme_host_admin_submit(struct nvme_host *host, struct nvme_admin *admin)
{
    (void)host, (void)admin;
    fail_msg("nobody has asked for admin commands");
    return false;
}

void nvme_host_shutdown(struct nvme_host *host)
{
    (void)host;
    fail_msg("nobody has asked for an orderly end");
}

bool nvme_host_closed(const struct nvme_host *host)
{
    return !host->live;
}

bool nvme_host_arrived(const struct nvme_host *host, struct nvme_transport_arrived *sum)
{
    *sum = device.arrived;
    return host->live && device.seen;
}

uint32_t nvme_host_target_ip(const struct nvme_host *host)
{
    return host->site.target_ip;
}

uint32_t nvme_host_local_ip(const struct nvme_host *host)
{
    (void)host;
    return LOCAL_IP;
}

/* What only paths ask for, which no workload of these tests has. */
static inline void nobody_has_paths(void)
{
    fail_msg("nobody has asked for paths");
}

bool nvme_host_live(const struct nvme_host *host)
{
    nobody_has_paths();
    return host->live;
}

bool nvme_host_gone(const struct nvme_host *host)
{
    nobody_has_paths();
    return !host->live;
}

enum nvme_ana_state nvme_host_ana(const struct nvme_host *host, uint32_t nsid)
{
    (void)host, (void)nsid;
    nobody_has_paths();
    return NVME_ANA_OPTIMIZED;
}

void nvme_host_read_ana(struct nvme_host *host)
{
    (void)host;
    nobody_has_paths();
}

uint32_t nvme_host_records(const struct nvme_host *host)
{
    (void)host;
    nobody_has_paths();
    return 0;
}

const struct nvme_discovery_record *nvme_host_record(const struct nvme_host *host, uint32_t index)
{
    (void)host, (void)index;
    nobody_has_paths();
    return NULL;
}

uint32_t nvme_host_max_transfer(const struct nvme_host *host)
{
    (void)host;
    nobody_has_paths();
    return 0;
}

void nvme_host_audit(const struct nvme_host *host)
{
    (void)host;
    nobody_has_paths();
}

uint32_t nvme_host_queues(const struct nvme_host *host)
{
    (void)host;
    return device.grants;
}

uint32_t nvme_host_cores(const struct nvme_host *host)
{
    (void)host;
    return device.grants;
}

uint32_t nvme_host_queue_of(const struct nvme_host *host, uint32_t core, const struct nvme_io *io)
{
    (void)io;
    return core % nvme_host_cores(host);
}

uint32_t nvme_host_namespaces(const struct nvme_host *host)
{
    (void)host;
    return 2;
}

const struct nvme_host_namespace *nvme_host_namespace(const struct nvme_host *host, uint32_t index)
{
    return &host->spaces[index];
}

uint16_t nvme_host_controller(const struct nvme_host *host)
{
    (void)host;
    return 1;
}

void nvme_host_describe(const struct nvme_host *host, char *text, size_t size)
{
    (void)host;
    snprintf(text, size, "connecting");
}

static inline uint32_t local_ip(struct verbs_device *verbs_device)
{
    (void)verbs_device;
    return LOCAL_IP;
}

static const struct verbs_ops verbs = {.name = "acted", .local_ip = local_ip};
static const struct nvme_carrier_host host_params = {.core = {.queue_size = 128}};

struct play {
    struct stage stage;
    struct wl_nvme_params params;
    struct workload_stats stats;
    struct workload_site site;
    struct workload *workload;
    int idle;
    time_ps idle_at;
};

static inline void on_idle(void *self)
{
    struct play *play = self;
    play->idle++;
    play->idle_at = play->stage.now;
}

static inline const struct workload_ops *kind(void)
{
    return workload_find("nvme");
}

static inline struct play *begin(void)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    stage_init(&play->stage, 1);
    memset(&device, 0, sizeof device);
    device.stage = &play->stage;
    device.service = 100 * PS_PER_US;
    device.queue_size = 127;
    opt_presets(kind()->opts, &play->params);
    play->params.queue_depth = 4;
    hist_reset(&play->stats.latency);
    play->site = (struct workload_site){
        .env = &play->stage.env,
        .verbs = &verbs,
        .target_ip = 0x0A000002,
        .serial = 7,
        .params = &play->params,
        .nvme = &host_params,
        .start = PS_PER_MS,
        .stop = 11 * PS_PER_MS,
        .stats = &play->stats,
        .on_idle = on_idle,
        .on_idle_self = play,
    };
    return play;
}

static inline void run(struct play *play, time_ps until)
{
    if (play->workload == NULL) {
        play->workload = kind()->create(&play->site);
        kind()->start(play->workload);
    }
    stage_run(&play->stage, until);
}

static inline void end(struct play *play)
{
    kind()->destroy(play->workload);
    free(play);
}

#endif
