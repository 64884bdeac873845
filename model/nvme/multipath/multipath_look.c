/* SPDX-License-Identifier: Apache-2.0
 * multipath_look - queries about the paths. */
#include "nvme/multipath/multipath_private.h"

#include "base/plural.h"

#include <stdio.h>

uint32_t nvme_multipath_paths(const struct nvme_multipath *multipath)
{
    return multipath->path_count;
}

const struct nvme_host *nvme_multipath_host(const struct nvme_multipath *multipath, uint32_t path)
{
    return path < multipath->path_count ? multipath->paths[path].host : NULL;
}

enum nvme_path_state nvme_multipath_state(const struct nvme_multipath *multipath, uint32_t path)
{
    CHECK(path < multipath->path_count);
    return (enum nvme_path_state)multipath->paths[path].state;
}

struct nvme_host *nvme_multipath_first(const struct nvme_multipath *multipath)
{
    struct nvme_host *known = NULL;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        struct nvme_host *host = multipath->paths[i].host;
        if (host == NULL)
            continue;
        if (nvme_host_live(host))
            return host;
        if (known == NULL && nvme_host_queues(host) > 0)
            known = host;
    }
    return known;
}

static void add_stats(struct nvme_host_stats *sum, const struct nvme_host_stats *stats)
{
    sum->losses += stats->losses;
    sum->attempts += stats->attempts;
    sum->reconnects += stats->reconnects;
    sum->given_up += stats->given_up;
    sum->requeued += stats->requeued;
    sum->retried += stats->retried;
    sum->aborts += stats->aborts;
}

struct nvme_multipath_stats nvme_multipath_stats(const struct nvme_multipath *multipath,
                                                 time_ps now)
{
    struct nvme_multipath_stats stats = {
        .failovers = multipath->failovers,
        .recovery = state_time_longest(&multipath->recovering, now),
        .degraded = state_time_longest(&multipath->degraded, now),
    };
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        const struct nvme_host *host = multipath->paths[i].host;
        if (host == NULL)
            continue;
        add_stats(&stats.controllers, nvme_host_stats(host));
        stats.without_service =
            time_later(stats.without_service, nvme_host_without_service(host, now));
    }
    return stats;
}

void nvme_multipath_describe(const struct nvme_multipath *multipath, char *text, size_t size)
{
    const struct nvme_host *host = nvme_multipath_first(multipath);
    if (host == NULL)
        host = multipath->paths[0].host;
    if (host == NULL)
        snprintf(text, size, "no path was found");
    else if (nvme_multipath_usable(multipath) > 0)
        snprintf(text, size, "%u of %u %s usable, %llu %s outstanding",
                 nvme_multipath_usable(multipath), multipath->path_count,
                 plural(multipath->path_count, "path", "paths"),
                 (unsigned long long)multipath->outstanding,
                 plural(multipath->outstanding, "I/O", "I/Os"));
    else
        nvme_host_describe(host, text, size);
}

void nvme_multipath_audit(const struct nvme_multipath *multipath)
{
    uint64_t parts = multipath->requeued.count;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        const struct path *path = &multipath->paths[i];
        parts += path->active;
        CHECK(path->waiting.count <= path->active);
        if (path->host != NULL)
            nvme_host_audit(path->host);
        if (path->finder != NULL)
            nvme_host_audit(path->finder);
    }
    CHECK(parts == multipath->parts && parts >= multipath->outstanding);
    CHECK((parts == 0) == (multipath->outstanding == 0));
}
