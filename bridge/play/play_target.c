/* SPDX-License-Identifier: Apache-2.0
 * play_target - targets, their namespaces and the stores of these. */
#include "base/memory.h"
#include "bridge/play/play_private.h"

#include "base/check.h"
#include "base/plural.h"
#include "bridge/bytes/bytes.h"
#include "scenarios/load/scenario_subsystems.h"

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

static bool open_store(struct play *play, const char *word, struct nvme_target_namespace *ns,
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
        play->stores[play->store_count++] = ns->store;
    return ns->store != NULL;
}

/* Lists the local targets and returns the number of their namespaces. */
static uint32_t list_targets(struct play *play)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < play->target_count; i++) {
        struct play_target *target = &play->targets[i];
        const struct scenario_host *host = play->scenario->nodes[target->node].host;
        if (!target->here)
            continue;
        target->namespaces = list_namespaces(host);
        target->namespace_count = namespaces_of(host);
        count += target->namespace_count;
    }
    return count;
}

void play_target_prepare(struct play *play, struct diag *diag)
{
    const struct play_options *options = &play->options;
    const uint32_t count = list_targets(play);
    uint32_t opened = 0;
    play->stores = memory_zeroed(count, sizeof *play->stores);
    if (options->store_count > 1 && options->store_count != count)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "--store was given %u %s: expected once, or once for each of %u %s",
                 options->store_count, plural(options->store_count, "time", "times"), count,
                 plural(count, "namespace", "namespaces"));
    for (uint32_t i = 0; options->store_count > 0 && i < play->target_count; i++)
        for (uint32_t n = 0; n < play->targets[i].namespace_count; n++, opened++)
            if (diag_failed(diag) ||
                !open_store(play, options->stores[opened % options->store_count],
                            &play->targets[i].namespaces[n], diag))
                return;
}

void play_target_keep(struct play *play)
{
    for (uint32_t i = 0; i < play->store_count; i++)
        bytes_keep(play->stores[i]);
}

bool play_target_make(struct play_target *target)
{
    const struct scenario_node *node = &target->play->scenario->nodes[target->node];
    struct nvme_target_params params = node->host->nvme_target->core;
    if (target->namespace_count == 0)
        return true;
    params.command_cost = 0;
    params.strangers = STRANGERS;
    struct nvme_transport *transports[NICS_MAX];
    for (uint32_t i = 0; i < target->nics.count; i++) {
        const struct nvme_carrier_site carrier = {
            .transport = NVME_CARRIER_rdma,
            .verbs = &verbs_real,
            .device = play_device_at(target->play, target->nics.ip[i])};
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

void play_target_drop(struct play_target *target)
{
    if (target->nvme != NULL)
        nvme_target_destroy(target->nvme);
    for (uint32_t i = 0; target->namespaces != NULL && i < target->namespace_count; i++)
        if (target->namespaces[i].store != NULL)
            target->namespaces[i].store->ops->destroy(target->namespaces[i].store);
    free(target->namespaces);
    target->namespaces = NULL;
}
