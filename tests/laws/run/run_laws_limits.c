/* SPDX-License-Identifier: Apache-2.0
 * run_laws_limits - namespaces, subsystems and workloads with limits of IOPS or bandwidth.
 *   - until any moment its users have had no more than the limit allows since their first I/O: a
 *     millisecond's worth for each that has begun, and one I/O more
 *   - a namespace without a limit is not counted: what waits for one is named by the account */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "nvme/target/target.h"
#include "nvme/wire/spec.h"

#include <string.h>

enum { STORES = 64, SUBSYSTEM = 1 << 30 /* beside its number */ };

#define WORKLOAD (UINT64_C(1) << 63) /* beside its number, and that of the instance */

struct store {
    uint64_t number;
    bool used;
    time_ps begun, now;
    uint64_t ios, read, written, largest; /* bits */
};

struct run_laws_limits {
    struct store stores[STORES];
};

struct run_laws_limits *run_laws_limits_new(void)
{
    return memory_zeroed(1, sizeof(struct run_laws_limits));
}

static const struct nvme_namespace_params *params_of(const struct scenario_host *host,
                                                     uint32_t index)
{
    for (uint32_t i = 0; i < host->namespace_count; i++) {
        if (index < host->namespaces[i].count)
            return host->namespaces[i].params;
        index -= host->namespaces[i].count;
    }
    return NULL;
}

/* The one that the workload names, or the first; NULL: the target has the usual one. */
static const struct nvme_target_subsystem *subsystem_of(const struct scenario_host *host,
                                                        const char *name)
{
    for (uint32_t i = 0; i < host->subsystem_count; i++)
        if (name == NULL || strcmp(host->subsystems[i].nqn, name) == 0)
            return &host->subsystems[i];
    return NULL;
}

/* NULL: more are used than are watched. */
static struct store *store_of(struct run_laws_limits *limits, uint64_t number)
{
    struct store *at = limits->stores;
    struct store *const end = at + STORES;
    while (at < end && at->used && at->number != number)
        at++;
    return at == end ? NULL : at;
}

static void check(struct run_laws *laws, const struct store *store, int64_t limit, uint64_t had,
                  uint64_t more)
{
    const uint64_t slices = (uint64_t)(store->now / PS_PER_MS - store->begun / PS_PER_MS + 1);
    if (limit > 0 && had > ((unsigned __int128)slices * (uint64_t)limit + 999) / 1000 + more)
        run_laws_break(laws, "a %s with a limit of %lld a second gave %llu within %llu ms",
                       (store->number & WORKLOAD) != 0    ? "workload"
                       : (store->number & SUBSYSTEM) != 0 ? "subsystem"
                                                          : "namespace",
                       (long long)limit, (unsigned long long)had, (unsigned long long)slices);
}

static void count(struct run_laws *laws, const struct probe_host_io *io, uint64_t number,
                  const struct nvme_limits *most)
{
    const uint64_t bits = (uint64_t)io->bytes * 8;
    const bool read = io->opcode == NVME_READ || io->opcode == NVME_COMPARE;
    struct store *store = store_of(laws->limits, number);
    if (store == NULL)
        return;
    if (!store->used)
        *store = (struct store){.number = number, .used = true, .begun = io->issued_at};
    store->now = io->completed_at;
    store->begun = io->issued_at < store->begun ? io->issued_at : store->begun;
    store->largest = bits > store->largest ? bits : store->largest;
    store->ios++;
    store->read += read ? bits : 0;
    store->written += read ? 0 : bits;
    check(laws, store, most->of[NVME_LIMIT_IOPS], store->ios, 1);
    check(laws, store, most->of[NVME_LIMIT_RATE], store->read + store->written, store->largest);
    check(laws, store, most->of[NVME_LIMIT_READ], store->read, store->largest);
    check(laws, store, most->of[NVME_LIMIT_WRITE], store->written, store->largest);
}

/* Of kinds that have such limits. */
static void count_own(struct run_laws *laws, const struct probe_host_io *io)
{
    static const char *const rows[NVME_LIMITS] = {[NVME_LIMIT_IOPS] = "iops-limit",
                                                  [NVME_LIMIT_RATE] = "rate-limit",
                                                  [NVME_LIMIT_READ] = "read-limit",
                                                  [NVME_LIMIT_WRITE] = "write-limit"};
    const struct scenario_workload *workload = &laws->scenario->workloads[io->workload];
    struct nvme_limits most;
    for (int i = 0; i < NVME_LIMITS; i++)
        most.of[i] = run_laws_value(workload, rows[i]);
    if (nvme_limits_any(&most))
        count(laws, io, WORKLOAD | (uint64_t)io->workload << 32 | io->member, &most);
}

void run_laws_limits_io(struct run_laws *laws, const struct probe_host_io *io)
{
    const bool read = io->opcode == NVME_READ || io->opcode == NVME_COMPARE;
    if (io->status != NVME_STATUS_OK || (!read && io->opcode != NVME_WRITE))
        return;
    const struct scenario_host *host =
        laws->scenario->nodes[run_laws_node_of_ip(laws, io->target_ip)].host;
    const struct nvme_namespace_params *ns = params_of(host, (uint32_t)io->store);
    const char *name = laws->scenario->workloads[io->workload].subsystem;
    const struct nvme_target_subsystem *subsystem = subsystem_of(host, name);
    if (ns != NULL)
        count(laws, io, io->store, &ns->limits);
    count_own(laws, io);
    if (subsystem != NULL)
        count(laws, io,
              (io->store >> 32 << 32) | SUBSYSTEM | (uint64_t)(subsystem - host->subsystems),
              &subsystem->limits);
}
