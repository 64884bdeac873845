/* SPDX-License-Identifier: Apache-2.0
 * bridge_pair - host, target, loop. */
#include "tests/unit/bridge/bridge_pair.h"

#include "base/check.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <stdio.h>
#include <string.h>

static const time_ps patience = 5 * PS_PER_S;

static void on_removed(void *self)
{
    struct bridge_pair *pair = self;
    pair->removed++;
}

static void on_port(void *self, bool up)
{
    struct bridge_pair *pair = self;
    (void)up;
    pair->port_changes++;
}

static void on_refused(void *self, const char *why)
{
    struct bridge_pair *pair = self;
    snprintf(pair->refused, sizeof pair->refused, "%s", why);
}

static void on_fatal(void *self, const char *why)
{
    struct bridge_pair *pair = self;
    snprintf(pair->fatal, sizeof pair->fatal, "%s", why);
}

void bridge_pair_init(struct bridge_pair *pair)
{
    memset(pair, 0, sizeof *pair);
    fake_rdma_init();
    fake_rdma_node(BRIDGE_HOST_IP);
    fake_rdma_node(BRIDGE_TARGET_IP);
    pair->loop = loop_create();
    CHECK(pair->loop != NULL);
    pair->probe = probe_none;
    pair->env = (struct env){.ops = &loop_env_ops,
                             .world = pair->loop,
                             .probe = &pair->probe,
                             .seed = 1,
                             .owner = "bridge"};
    pair->site = (struct verbs_real_site){.calls = &fake_rdma_calls,
                                          .loop = pair->loop,
                                          .depth = CONTENT_FULL,
                                          .on_removed = on_removed,
                                          .on_port = on_port,
                                          .on_refused = on_refused,
                                          .on_fatal = on_fatal,
                                          .self = pair};
    opt_presets(nvme_host_opts, &pair->host_params);
    opt_presets(nvme_target_opts, &pair->target_params);
    opt_presets(nvme_rdma_host_opts, &pair->rdma_params.host);
    opt_presets(nvme_rdma_target_opts, &pair->rdma_params.target);
    opt_presets(nvme_namespace_opts, &pair->space.params);
    pair->host_params.submit_cost = pair->host_params.complete_cost = 0;
    pair->host_params.queues = 2;
    pair->host_params.ctrl_loss_tmo = 0; /* what is lost is over, unless a test is of its return */
    pair->host_params.queue_size = 32;
    pair->target_params.command_cost = 0;
    pair->space.media = media_find("null");
    opt_presets(pair->space.media->opts, pair->media_params);
    pair->space.media_params = pair->media_params;
}

void bridge_pair_open(struct bridge_pair *pair)
{
    pair->site.ip = BRIDGE_HOST_IP;
    pair->host_device = verbs_real_open(&pair->site);
    CHECK(pair->host_device != NULL);
    bridge_pair_open_target(pair);
}

void bridge_pair_end_target(struct bridge_pair *pair)
{
    nvme_target_destroy(pair->target);
    pair->target = NULL;
    verbs_real_close(pair->target_device);
    pair->target_device = NULL;
}

void bridge_pair_open_target(struct bridge_pair *pair)
{
    pair->site.ip = BRIDGE_TARGET_IP;
    pair->target_device = verbs_real_open(&pair->site);
    CHECK(pair->target_device != NULL);
    const struct nvme_target_site target = {
        .env = &pair->env,
        .transport = nvme_rdma_create(&verbs_real, pair->target_device, &pair->rdma_params),
        .params = &pair->target_params,
        .namespaces = &pair->space,
        .namespace_count = 1,
    };
    pair->target = nvme_target_create(&target);
    CHECK(pair->target != NULL);
}

static void on_ready(void *self, uint16_t status)
{
    struct bridge_pair *pair = self;
    pair->ready = true;
    pair->ready_status = status;
    loop_stop(pair->loop);
}

static void on_io(void *self, struct nvme_io *io)
{
    struct bridge_pair *pair = self;
    (void)io;
    if (++pair->completed == pair->wanted)
        loop_stop(pair->loop);
}

void bridge_pair_start(struct bridge_pair *pair)
{
    const struct nvme_host_site site = {
        .env = &pair->env,
        .transport = nvme_rdma_create(&verbs_real, pair->host_device, &pair->rdma_params),
        .params = &pair->host_params,
        .target_ip = BRIDGE_TARGET_IP,
        .user = {.self = pair, .on_ready = on_ready, .on_io = on_io},
    };
    pair->ready = false;
    loop_touch(pair->loop);
    pair->host = nvme_host_create(&site);
    if (!pair->ready)
        loop_run(pair->loop, loop_now(pair->loop) + patience);
}

void bridge_pair_end_host(struct bridge_pair *pair)
{
    if (pair->host != NULL)
        nvme_host_destroy(pair->host);
    pair->host = NULL;
}

void bridge_pair_fini(struct bridge_pair *pair)
{
    bridge_pair_end_host(pair);
    if (pair->target != NULL)
        nvme_target_destroy(pair->target);
    if (pair->host_device != NULL)
        verbs_real_close(pair->host_device);
    if (pair->target_device != NULL)
        verbs_real_close(pair->target_device);
    loop_free(pair->loop);
    CHECK(fake_rdma_fini() == 0);
}

void bridge_pair_run(struct bridge_pair *pair, time_ps span)
{
    loop_touch(pair->loop);
    loop_run(pair->loop, loop_now(pair->loop) + span);
}

void bridge_pair_submit(struct bridge_pair *pair, unsigned index, enum nvme_opcode opcode,
                        uint64_t lba, uint32_t bytes, uint32_t content)
{
    loop_touch(pair->loop);
    pair->ios[index] = (struct nvme_io){
        .opcode = (uint8_t)opcode,
        .nsid = 1,
        .lba = lba,
        .bytes = bytes,
        .content = content,
        .issued_at = loop_now(pair->loop),
    };
    CHECK(nvme_host_submit(pair->host, 0, &pair->ios[index]));
}

void bridge_pair_await(struct bridge_pair *pair, unsigned count)
{
    pair->wanted = count;
    if (pair->completed < count)
        bridge_pair_run(pair, patience);
    CHECK(pair->completed >= count);
}

struct nvme_io *bridge_pair_io(struct bridge_pair *pair, enum nvme_opcode opcode, uint64_t lba,
                               uint32_t bytes, uint32_t content)
{
    bridge_pair_submit(pair, 0, opcode, lba, bytes, content);
    bridge_pair_await(pair, pair->completed + 1);
    return &pair->ios[0];
}
