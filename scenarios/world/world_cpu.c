/* SPDX-License-Identifier: Apache-2.0
 * world_cpu - the time that cores worked for each NVMe workload.
 * A host knows its controllers by identifier and time of connecting, because a crashed target uses
 * identifiers again. */
#include "base/memory.h"
#include "nvme/host/host.h"
#include "scenarios/world/world.h"

#include <stdlib.h>

struct account {
    uint16_t cntlid;
    time_ps made_at;
    struct nvme_cpu cpu;
};

struct accounts {
    struct account *rows; /* by identifier, then time */
    uint32_t count, room;
};

static void add_account(void *self, uint16_t cntlid, time_ps made_at, struct nvme_cpu cpu)
{
    struct accounts *accounts = self;
    accounts->rows =
        memory_grown(accounts->rows, accounts->count, &accounts->room, sizeof *accounts->rows);
    accounts->rows[accounts->count++] = (struct account){cntlid, made_at, cpu};
}

static int order_accounts(const void *left, const void *right)
{
    const struct account *a = left, *b = right;
    if (a->cntlid != b->cntlid)
        return a->cntlid < b->cntlid ? -1 : 1;
    return a->made_at < b->made_at ? -1 : a->made_at > b->made_at;
}

/* The last account of that identifier that was made before the Connect response arrived. */
static time_ps find_io(const struct accounts *accounts, const struct nvme_host_session *session)
{
    const struct account key = {.cntlid = session->cntlid, .made_at = session->at};
    uint32_t low = 0, high = accounts->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (order_accounts(&accounts->rows[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || accounts->rows[low - 1].cntlid != session->cntlid)
        return 0;
    return accounts->rows[low - 1].cpu.io;
}

/* Software RNICs share the processor of their machine, whose time belongs to no connection. */
static bool has_software_rnic(const struct world *world, uint32_t node)
{
    const struct host *host = world_host(world, node);
    for (uint32_t i = 0; i < host->rnic_count; i++)
        if (host->rnics[i]->soft != NULL)
            return true;
    return false;
}

static struct world_cpu_use use_of(const struct world *world, uint32_t workload,
                                   const struct accounts *targets, time_ps now)
{
    const struct scenario_workload *about = &world->scenario->workloads[workload];
    struct world_cpu_use use = {0};
    for (uint32_t i = 0; i < world_instances(world, workload); i++) {
        const struct scenario_pair *pair = &about->pairs[i / about->copies];
        const struct nvme_host *host;
        if (has_software_rnic(world, pair->from) || has_software_rnic(world, pair->to))
            return (struct world_cpu_use){0};
        for (uint32_t path = 0; (host = world_controller(world, workload, i, path)) != NULL;
             path++) {
            uint32_t count;
            const struct nvme_host_session *sessions = nvme_host_sessions(host, &count);
            use.known = true;
            use.host += nvme_host_cpu(host, now).io;
            for (uint32_t s = 0; s < count; s++)
                use.target +=
                    find_io(&targets[world->scenario->nodes[pair->to].index], &sessions[s]);
        }
    }
    return use;
}

void world_cpu_uses(const struct world *world, time_ps now, struct world_cpu_use *uses)
{
    struct accounts *targets = memory_zeroed(world->host_count, sizeof *targets);
    for (uint32_t i = 0; i < world->host_count; i++) {
        if (world->targets[i] == NULL)
            continue;
        nvme_target_cpu(world->targets[i], add_account, &targets[i]);
        qsort(targets[i].rows, targets[i].count, sizeof *targets[i].rows, order_accounts);
    }
    for (uint32_t w = 0; w < world->scenario->workload_count; w++)
        uses[w] = use_of(world, w, targets, now);
    for (uint32_t i = 0; i < world->host_count; i++)
        free(targets[i].rows);
    free(targets);
}
