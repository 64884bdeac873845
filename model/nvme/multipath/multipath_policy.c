/* SPDX-License-Identifier: Apache-2.0
 * multipath_policy - path selection.
 * Linux caches a path for each NUMA node, that of the submitting CPU.
 *   numa         the nearest optimized path, as long as it stays optimized
 *   round-robin  the next optimized path in list order
 *   queue-depth  the optimized path with the fewest outstanding parts
 * Without an optimized path the same rule applies to the other usable ones. */
#include "nvme/multipath/multipath_private.h"

enum { NEAR = 10, FAR = 20 }; /* ACPI SLIT: LOCAL_DISTANCE, REMOTE_DISTANCE */

/* CPUs, and thus queues, are divided into nodes in consecutive blocks. */
static uint32_t node_of(const struct nvme_multipath *multipath, uint32_t queue)
{
    const uint64_t nodes = (uint64_t)multipath->params.numa_nodes;
    const uint64_t queues = (uint64_t)nvme_host_params_cores(&multipath->host_params);
    return (uint32_t)(queue % queues * nodes / queues);
}

static unsigned distance(const struct nvme_multipath *multipath, const struct path *path,
                         uint32_t node)
{
    return multipath->params.policy != NVME_IO_POLICY_NUMA || path->node == node ? NEAR : FAR;
}

static bool is_optimized(const struct path *path)
{
    return path->state == PATH_OPTIMIZED;
}

/* __nvme_find_path */
static struct path *find_path(struct nvme_multipath *multipath, uint32_t node)
{
    struct path *found = NULL, *fallback = NULL;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        struct path *path = &multipath->paths[i];
        struct path **best = is_optimized(path) ? &found : &fallback;
        if (!nvme_path_is_usable(path))
            continue;
        if (*best == NULL || distance(multipath, path, node) < distance(multipath, *best, node))
            *best = path;
    }
    if (found == NULL)
        found = fallback;
    if (found != NULL)
        multipath->current[node] = found;
    return found;
}

/* nvme_round_robin_path */
static struct path *find_next(struct nvme_multipath *multipath, uint32_t node, struct path *old)
{
    struct path *found = NULL;
    for (uint32_t i = 1; i < multipath->path_count; i++) {
        struct path *path = &multipath->paths[(old->index + i) % multipath->path_count];
        if (!nvme_path_is_usable(path))
            continue;
        found = path;
        if (is_optimized(path))
            break;
    }
    const bool other = found != NULL && is_optimized(found);
    if (!other && nvme_path_is_usable(old) && (is_optimized(old) || found == NULL))
        return old;
    if (found != NULL)
        multipath->current[node] = found;
    return found;
}

/* nvme_queue_depth_path of Linux 6.11 */
static struct path *find_shallow(struct nvme_multipath *multipath)
{
    struct path *found = NULL, *fallback = NULL;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        struct path *path = &multipath->paths[i];
        struct path **best = is_optimized(path) ? &found : &fallback;
        if (nvme_path_is_usable(path) && (*best == NULL || path->active < (*best)->active))
            *best = path;
    }
    return found != NULL ? found : fallback;
}

struct path *nvme_multipath_find(struct nvme_multipath *multipath, uint32_t queue)
{
    const uint32_t node = node_of(multipath, queue);
    struct path *path = multipath->current[node];
    if (multipath->params.policy == NVME_IO_POLICY_QUEUE_DEPTH)
        return find_shallow(multipath);
    if (path == NULL)
        return find_path(multipath, node);
    if (multipath->params.policy == NVME_IO_POLICY_ROUND_ROBIN)
        return find_next(multipath, node, path);
    return is_optimized(path) ? path : find_path(multipath, node);
}

/* nvme_mpath_set_live */
void nvme_multipath_set_live(struct path *path)
{
    struct nvme_multipath *multipath = path->multipath;
    for (uint32_t node = 0; is_optimized(path) && node < multipath->params.numa_nodes; node++)
        find_path(multipath, node);
    nvme_multipath_io_kick(multipath);
}

/* nvme_mpath_clear_current_path */
void nvme_multipath_clear(struct path *path)
{
    for (uint32_t node = 0; node < NVME_NUMA_NODES_MAX; node++)
        if (path->multipath->current[node] == path)
            path->multipath->current[node] = NULL;
}
