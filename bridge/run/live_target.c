/* SPDX-License-Identifier: Apache-2.0
 * live_target - targets, their namespaces and the stores of these. */
#include "base/memory.h"
#include "bridge/run/live_private.h"

#include "base/check.h"
#include "base/plural.h"
#include "bridge/bytes/bytes.h"
#include "scenarios/data/subsystems.h"

#include <stdlib.h>

/* Limit of queues without a Connect; each takes half a megabyte with the default sizes. */
enum { STRANGERS = 64 };

static uint32_t namespaces_of(const struct scenario_host *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        count += host->namespaces[i].count;
    return count;
}

static struct nvme_target_namespace *list_namespaces(const struct scenario_host *host)
{
    struct nvme_target_namespace *list = memory_zeroed(namespaces_of(host), sizeof *list);
    uint32_t made = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        for (uint32_t n = 0; n < host->namespaces[i].count; n++)
            list[made++] =
                (struct nvme_target_namespace){.params = *host->namespaces[i].params,
                                               .media = host->namespaces[i].media,
                                               .media_params = host->namespaces[i].media_params,
                                               .ana_group = host->namespaces[i].ana_group};
    return list;
}

static bool open_store(struct live_run *run, const char *word, struct nvme_target_namespace *ns,
                       struct diag *diag)
{
    char why[BYTES_WHY_MAX];
    const char *path;
    const struct bytes_kind *kind = bytes_find(word, &path);
    CHECK(kind != NULL);
    ns->store = kind->open(path, (uint32_t)ns->params.block_size, &ns->params.size, why);
    if (ns->store == NULL)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL, "--store %s: %s", word, why);
    else
        run->stores[run->store_count++] = ns->store;
    return ns->store != NULL;
}

/* Lists the local targets and returns the number of their namespaces. */
static uint32_t list_targets(struct live_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->target_count; i++) {
        struct live_target *target = &run->targets[i];
        const struct scenario_host *host = run->scenario->nodes[target->node].host;
        if (!target->here)
            continue;
        target->namespaces = list_namespaces(host);
        target->namespace_count = namespaces_of(host);
        count += target->namespace_count;
    }
    return count;
}

void live_target_prepare(struct live_run *run, struct diag *diag)
{
    const struct live_options *options = &run->options;
    const uint32_t count = list_targets(run);
    uint32_t opened = 0;
    run->stores = memory_zeroed(count, sizeof *run->stores);
    if (options->store_count > 1 && options->store_count != count)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "--store was given %u %s: expected once, or once for each of %u %s",
                 options->store_count, plural(options->store_count, "time", "times"), count,
                 plural(count, "namespace", "namespaces"));
    for (uint32_t i = 0; options->store_count > 0 && i < run->target_count; i++)
        for (uint32_t n = 0; n < run->targets[i].namespace_count; n++, opened++)
            if (diag_failed(diag) ||
                !open_store(run, options->stores[opened % options->store_count],
                            &run->targets[i].namespaces[n], diag))
                return;
}

void live_target_keep(struct live_run *run)
{
    for (uint32_t i = 0; i < run->store_count; i++)
        bytes_keep(run->stores[i]);
}

bool live_target_make(struct live_target *target)
{
    const struct scenario_node *node = &target->run->scenario->nodes[target->node];
    struct nvme_target_params params = node->host->nvme_target->core;
    if (target->namespace_count == 0)
        return true;
    params.command_cost = 0;
    params.strangers = STRANGERS;
    const struct live_run *run = target->run;
    struct nvme_transport *transports[NICS_MAX];
    for (uint32_t i = 0; i < target->nics.count; i++) {
        const uint32_t ip = target->nics.ip[i];
        const struct nvme_carrier_site carrier = {.transport = run->by_tcp ? NVME_CARRIER_tcp
                                                                           : NVME_CARRIER_rdma,
                                                  .env = &target->env,
                                                  .verbs = run->verbs,
                                                  .device = live_device_at(run, ip),
                                                  .streams = &stream_real,
                                                  .stream = live_stream_at(run, ip),
                                                  .guard = &run->guard};
        transports[i] = nvme_carrier_of_target(&carrier, node->host->nvme_target);
    }
    const struct nvme_target_site site = {
        .env = &target->env,
        .transport = transports[0],
        .further = transports + 1,
        .further_count = target->nics.count - 1,
        .params = &params,
        .namespaces = target->namespaces,
        .namespace_count = target->namespace_count,
        .nqn = node->nqn,
        .subsystems = node->host->subsystems,
        .subsystem_count = node->host->subsystem_count,
    };
    target->nvme = nvme_target_create(&site);
    if (target->nvme != NULL)
        scenario_set_ana(node->host, target->nvme);
    free(target->namespaces); /* their stores belong to the target */
    target->namespaces = NULL;
    return target->nvme != NULL;
}

void live_target_free(struct live_target *target)
{
    if (target->nvme != NULL)
        nvme_target_destroy(target->nvme);
    for (uint32_t i = 0; target->namespaces != NULL && i < target->namespace_count; i++)
        if (target->namespaces[i].store != NULL)
            target->namespaces[i].store->ops->destroy(target->namespaces[i].store);
    free(target->namespaces);
    target->namespaces = NULL;
}
