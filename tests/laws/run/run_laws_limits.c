/* SPDX-License-Identifier: Apache-2.0
 * run_laws_limits - namespaces with limits of IOPS or bandwidth.
 *   - until any moment its users have had no more than the limit allows since their first I/O: a
 *     millisecond's worth for each that has begun, and one I/O more
 *   - a namespace without a limit is not counted: what waits for one is named by the account */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "nvme/target/target.h"
#include "nvme/wire/spec.h"

#include <stdlib.h>

enum { STORES = 64 };

struct store {
    uint64_t number;
    const struct nvme_namespace_params *params; /* NULL: the place is free */
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

/* NULL: more are used than are watched. */
static struct store *store_of(struct run_laws *laws, const struct probe_host_io *io)
{
    struct store *at = laws->limits->stores;
    struct store *const end = at + STORES;
    while (at < end && at->params != NULL && at->number != io->store)
        at++;
    if (at == end || at->params != NULL)
        return at == end ? NULL : at;
    const uint32_t node = run_laws_node_of_ip(laws, io->target_ip);
    *at =
        (struct store){.number = io->store,
                       .begun = io->issued_at,
                       .params = params_of(laws->scenario->nodes[node].host, (uint32_t)io->store)};
    return at->params == NULL ? NULL : at;
}

static void check(struct run_laws *laws, const struct store *store, int64_t limit, uint64_t had,
                  uint64_t more)
{
    const uint64_t slices = (uint64_t)(store->now / PS_PER_MS - store->begun / PS_PER_MS + 1);
    if (limit > 0 && had > ((unsigned __int128)slices * (uint64_t)limit + 999) / 1000 + more)
        run_laws_break(laws, "a namespace with a limit of %lld a second gave %llu within %llu ms",
                       (long long)limit, (unsigned long long)had, (unsigned long long)slices);
}

void run_laws_limits_io(struct run_laws *laws, const struct probe_host_io *io)
{
    const uint64_t bits = (uint64_t)io->bytes * 8;
    const bool read = io->opcode == NVME_READ || io->opcode == NVME_COMPARE;
    struct store *store = io->status == NVME_STATUS_OK && (read || io->opcode == NVME_WRITE)
                              ? store_of(laws, io)
                              : NULL;
    if (store == NULL)
        return;
    const struct nvme_namespace_params *params = store->params;
    store->now = io->completed_at;
    store->begun = io->issued_at < store->begun ? io->issued_at : store->begun;
    store->largest = bits > store->largest ? bits : store->largest;
    store->ios++;
    store->read += read ? bits : 0;
    store->written += read ? 0 : bits;
    check(laws, store, params->iops_limit, store->ios, 1);
    check(laws, store, params->rate_limit, store->read + store->written, store->largest);
    check(laws, store, params->read_limit, store->read, store->largest);
    check(laws, store, params->write_limit, store->written, store->largest);
}
