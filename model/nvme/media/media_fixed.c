/* SPDX-License-Identifier: Apache-2.0
 * media_fixed - a fixed service time for reads and one for writes, optionally with a tail.
 * `parallel` servers share one queue: a request begins when a server is free, in order of arrival.
 * The next free server is the one whose work ends first, so requests also begin in order of
 * arrival. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"

#include <stdio.h>
#include <stdlib.h>

struct fixed_params {
    int64_t read_latency, write_latency, flush_latency, parallel;
    int64_t read_p99, write_p99;
};

struct media {
    const struct env *env;
    struct fixed_params params;
    struct rng times;
    struct rng_law read_law, write_law;
    struct nvme_server *servers;
};

#define PARAM(field) offsetof(struct fixed_params, field)

static const struct opt fixed_opts[] = {
    {"read-latency", OPT_TIME, PARAM(read_latency), "10us", "0ps", "10s", NULL,
     "Time of a read, whatever its size; its median.",
     "AnandTech 11209: Optane P4800X, 4 KiB random read, queue depth 1: 9 us",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"write-latency", OPT_TIME, PARAM(write_latency), "10us", "0ps", "10s", NULL,
     "Time of a write, whatever its size; its median.", "assumed: as a read",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"read-p99", OPT_TIME, PARAM(read_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a read (log-logistic); not above read-latency: no tail.",
     "assumed: none; AnandTech 11209: Optane P4800X, median 9 us and 10 us",
     OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"write-p99", OPT_TIME, PARAM(write_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a write (log-logistic); not above write-latency: no tail.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"flush-latency", OPT_TIME, PARAM(flush_latency), "0us", "0ps", "10s", NULL, "Time of a flush.",
     "assumed: nothing is held back", OPT_SCALES(MEDIA, MORE, DELAY)},
    {"parallel", OPT_INT, PARAM(parallel), "16", "1", "65536", NULL,
     "Requests served at once; the others wait.",
     "assumed: 16 / 10 us = 1.6 million IOPS, above what one device reaches",
     OPT_ACTS(MEDIA, LESS, SERVICE)},
    {0},
};

static void fixed_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request =
        (struct media_request *)(void *)((char *)job - offsetof(struct media_request, job));
    request->done_at = env_now(media->env);
    request->done(request->self, request);
}

static struct media *fixed_create(const struct media_site *site)
{
    struct media *media = memory_new(sizeof *media);
    char purpose[32];
    snprintf(purpose, sizeof purpose, "media-%03u", site->index);
    media->env = site->env;
    media->params = *(const struct fixed_params *)site->params;
    media->times = env_stream(site->env, purpose);
    media->read_law = rng_law(media->params.read_latency, media->params.read_p99);
    media->write_law = rng_law(media->params.write_latency, media->params.write_p99);
    media->servers = memory_zeroed((size_t)media->params.parallel, sizeof *media->servers);
    for (int64_t i = 0; i < media->params.parallel; i++)
        nvme_server_init(&media->servers[i], site->env, fixed_done, media, 0);
    return media;
}

static time_ps latency(const struct fixed_params *params, enum media_op op)
{
    switch (op) {
    case MEDIA_READ:
        return params->read_latency;
    case MEDIA_WRITE:
        return params->write_latency;
    default:
        return params->flush_latency;
    }
}

static time_ps service(struct media *media, enum media_op op)
{
    switch (op) {
    case MEDIA_READ:
        return rng_law_draw(&media->times, &media->read_law);
    case MEDIA_WRITE:
        return rng_law_draw(&media->times, &media->write_law);
    default:
        return media->params.flush_latency;
    }
}

static void fixed_submit(struct media *media, struct media_request *request)
{
    struct nvme_server *earliest = &media->servers[0];
    for (int64_t i = 1; i < media->params.parallel; i++)
        if (media->servers[i].busy_until < earliest->busy_until)
            earliest = &media->servers[i];
    const time_ps now = env_now(media->env);
    request->submitted_at = now;
    request->begun_at = earliest->busy_until > now ? earliest->busy_until : now;
    nvme_server_add(earliest, &request->job, service(media, request->op));
}

/* With a tail, all requests may be fast for a while. */
static time_ps fixed_least(const void *params, enum media_op op, uint32_t bytes)
{
    const struct fixed_params *fixed = params;
    const int64_t p99 = op == MEDIA_READ    ? fixed->read_p99
                        : op == MEDIA_WRITE ? fixed->write_p99
                                            : 0;
    (void)bytes;
    return p99 > latency(fixed, op) ? 0 : latency(fixed, op) / fixed->parallel;
}

static void fixed_stations(const struct media *media, nvme_station_fn *call, void *self)
{
    call(self, &(struct nvme_station){"medium", media->servers, (uint32_t)media->params.parallel});
}

static void fixed_audit(const struct media *media)
{
    for (int64_t i = 0; i < media->params.parallel; i++)
        nvme_server_audit(&media->servers[i]);
}

static void fixed_destroy(struct media *media)
{
    for (int64_t i = 0; i < media->params.parallel; i++)
        nvme_server_fini(&media->servers[i]);
    free(media->servers);
    free(media);
}

const struct media_ops media_fixed = {
    .name = "fixed",
    .about = "Every read, write and flush takes a time of its own, constant or with a tail.",
    .opts = fixed_opts,
    .params_bytes = sizeof(struct fixed_params),
    .create = fixed_create,
    .submit = fixed_submit,
    .least = fixed_least,
    .stations = fixed_stations,
    .audit = fixed_audit,
    .destroy = fixed_destroy,
};
