/* SPDX-License-Identifier: Apache-2.0
 * nvme_pair - a host and a target on fake verbs, for tests. */
#include "tests/unit/nvme/nvme_pair.h"

#include <stdio.h>
#include <string.h>

static void on_target_io(void *self, const struct probe_target_io *io)
{
    struct nvme_pair *pair = self;
    pair->last = *io;
    pair->target_ios++;
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    struct nvme_pair *pair = self;
    (void)at, (void)owner;
    if (pair->note[0] == '\0')
        snprintf(pair->note, sizeof pair->note, "%s", text);
}

void nvme_pair_init(struct nvme_pair *pair, const char *media)
{
    memset(pair, 0, sizeof *pair);
    fake_init(&pair->world);
    pair->target_ip = PAIR_TARGET_IP;
    pair->namespace_count = 2;
    pair->world.probe.self = pair;
    pair->world.probe.target_io = on_target_io;
    pair->world.probe.note = on_note;
    pair->host_device = fake_device(&pair->world, PAIR_HOST_IP);
    pair->target_device = fake_device(&pair->world, PAIR_TARGET_IP);
    opt_presets(nvme_host_opts, &pair->host_params);
    opt_presets(nvme_target_opts, &pair->target_params);
    opt_presets(nvme_rdma_host_opts, &pair->rdma_params.host);
    opt_presets(nvme_rdma_target_opts, &pair->rdma_params.target);
    const struct media_ops *ops = media_find(media);
    CHECK(ops != NULL && ops->params_bytes <= sizeof pair->media_params);
    opt_presets(ops->opts, pair->media_params);
    for (unsigned i = 0; i < 2; i++) {
        opt_presets(nvme_namespace_opts, &pair->namespaces[i].params);
        pair->namespaces[i].media = ops;
        pair->namespaces[i].media_params = pair->media_params;
    }
}

void nvme_pair_fini(struct nvme_pair *pair)
{
    nvme_host_destroy(pair->host);
    nvme_target_destroy(pair->target);
    nvme_target_destroy(pair->former);
    CHECK(fake_held(pair->host_device) == 0);
    CHECK(fake_held(pair->target_device) == 0);
    fake_fini(&pair->world);
}

static void on_ready(void *self, uint16_t status)
{
    struct nvme_pair *pair = self;
    CHECK(!pair->ready);
    pair->ready = true;
    pair->ready_status = status;
}

static void on_io(void *self, struct nvme_io *io)
{
    struct nvme_pair *pair = self;
    pair->completed++;
    if (pair->resubmit && io->status == NVME_STATUS_OK) {
        io->issued_at = pair->world.now;
        CHECK(nvme_host_submit(pair->host, io->qid - 1u, io));
    }
}

static void on_change(void *self)
{
    ((struct nvme_pair *)self)->changes++;
}

static void on_event(void *self)
{
    ((struct nvme_pair *)self)->events++;
}

static void on_admin(void *self, struct nvme_admin *admin)
{
    struct nvme_pair *pair = self;
    CHECK(admin->completed_at == pair->world.now);
    pair->admin_done++;
}

void nvme_pair_make_target(struct nvme_pair *pair)
{
    const struct nvme_target_site target = {
        .env = &pair->world.env,
        .transport = nvme_rdma_create(&fake_verbs, pair->target_device, &pair->rdma_params),
        .params = &pair->target_params,
        .namespaces = pair->namespaces,
        .namespace_count = pair->namespace_count,
        .subsystems = pair->subsystems,
        .subsystem_count = pair->subsystem_count,
    };
    pair->target = nvme_target_create(&target);
    CHECK(pair->target != NULL);
}

void nvme_pair_make_host(struct nvme_pair *pair)
{
    const struct nvme_host_site host = {
        .env = &pair->world.env,
        .transport = nvme_rdma_create(&fake_verbs, pair->host_device, &pair->rdma_params),
        .params = &pair->host_params,
        .target_ip = pair->target_ip,
        .user = {.self = pair,
                 .on_ready = on_ready,
                 .on_io = on_io,
                 .on_change = on_change,
                 .on_event = on_event,
                 .on_admin = on_admin},
        .subsystem_nqn = pair->subsystem_nqn,
        .host_nqn = pair->host_nqn,
        .discovery = pair->discovery,
        .gives_back = pair->gives_back,
    };
    pair->host = nvme_host_create(&host);
}

void nvme_pair_start(struct nvme_pair *pair)
{
    nvme_pair_make_target(pair);
    nvme_pair_make_host(pair);
    for (unsigned i = 0; i < 200 && !pair->ready; i++)
        nvme_pair_run(pair, PS_PER_MS);
}

struct nvme_io *nvme_pair_fill(struct nvme_pair *pair, uint32_t index, enum nvme_opcode opcode,
                               uint64_t lba, uint32_t bytes)
{
    CHECK(index < PAIR_IOS);
    struct nvme_io *io = &pair->ios[index];
    *io = (struct nvme_io){
        .opcode = (uint8_t)opcode,
        .nsid = 1,
        .lba = lba,
        .bytes = bytes,
        .content = index + 1,
        .issued_at = pair->world.now,
    };
    return io;
}

struct nvme_io *nvme_pair_io(struct nvme_pair *pair, enum nvme_opcode opcode, uint64_t lba,
                             uint32_t bytes, uint32_t content)
{
    struct nvme_io *io = nvme_pair_fill(pair, 0, opcode, lba, bytes);
    const uint32_t before = pair->completed;
    io->content = content;
    CHECK(nvme_host_submit(pair->host, 0, io));
    for (unsigned i = 0; i < 1000 && pair->completed == before; i++)
        nvme_pair_run(pair, PS_PER_MS);
    CHECK(pair->completed == before + 1);
    return io;
}

void nvme_pair_run(struct nvme_pair *pair, time_ps span)
{
    fake_run(&pair->world, pair->world.now + span);
    if (pair->host != NULL)
        nvme_host_audit(pair->host);
    if (pair->target != NULL)
        nvme_target_audit(pair->target);
}
