/* SPDX-License-Identifier: Apache-2.0
 * media_fixed - a fixed service time for reads and one for writes, optionally with a tail, and a
 * rate in each direction.
 * `parallel` servers share one queue: a request begins when a server is free, in order of arrival.
 * The next free server is the one whose work ends first, so requests also begin in order of
 * arrival. The interface passes the data of one request at a time: after the service time of a
 * read, before that of a write. One large request therefore takes its latency and its transfer; of
 * many, latency and transfer overlap. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"

#include <stdio.h>
#include <stdlib.h>

struct fixed_params {
    int64_t read_latency, write_latency, flush_latency, parallel;
    int64_t read_p99, write_p99;
    int64_t read_rate, write_rate; /* 0: no limit */
};

struct media {
    const struct env *env;
    struct fixed_params params;
    struct rng times;
    struct rng_law read_law, write_law;
    struct nvme_server *servers;
    struct nvme_server out, in; /* data of reads, of writes */
};

#define PARAM(field) offsetof(struct fixed_params, field)

static const struct opt fixed_opts[] = {
    {"read-latency", OPT_TIME, PARAM(read_latency), "10us", "0ps", "10s", NULL,
     "Median time of a read, independent of its size.",
     "AnandTech 11209: Optane P4800X, 4 KiB random read, queue depth 1: 9 us",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"write-latency", OPT_TIME, PARAM(write_latency), "10us", "0ps", "10s", NULL,
     "Median time of a write, independent of its size.", "assumed: the same as a read",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"read-p99", OPT_TIME, PARAM(read_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a read, which has a log-logistic distribution. A value not "
     "above read-latency: every read takes read-latency.",
     "assumed: none; AnandTech 11209: Optane P4800X, median 9 us and 10 us",
     OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"write-p99", OPT_TIME, PARAM(write_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a write, which has a log-logistic distribution. A value not "
     "above write-latency: every write takes write-latency.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"read-rate", OPT_RATE, PARAM(read_rate), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate at which the drive and its interface transfer the data of reads; 0: no limit.",
     "assumed: none; see the profiles for values", OPT_SCALES(MEDIA, LIMIT, SERVICE)},
    {"write-rate", OPT_RATE, PARAM(write_rate), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate at which the drive and its interface transfer the data of writes; 0: no limit.",
     "assumed: none; see the profiles for values", OPT_SCALES(MEDIA, LIMIT, SERVICE)},
    {"flush-latency", OPT_TIME, PARAM(flush_latency), "0us", "0ps", "10s", NULL,
     "Time of a Flush command.", "assumed: no write buffer", OPT_SCALES(MEDIA, MORE, DELAY)},
    {"parallel", OPT_INT, PARAM(parallel), "16", "1", "65536", NULL,
     "Number of requests that the drive serves at the same time; further requests wait.",
     "assumed: 16 / 10 us = 1.6 million IOPS, above what one device reaches",
     OPT_ACTS(MEDIA, LESS, SERVICE)},
    {0},
};

static struct media_request *request_of(struct nvme_job *job)
{
    return (struct media_request *)(void *)((char *)job - offsetof(struct media_request, job));
}

static int64_t rate_of(const struct fixed_params *params, enum media_op op)
{
    return op == MEDIA_READ ? params->read_rate : op == MEDIA_WRITE ? params->write_rate : 0;
}

static time_ps transfer_time(int64_t rate, uint32_t bytes)
{
    return rate == 0 ? 0 : (time_ps)((__int128)bytes * 8 * PS_PER_S / rate);
}

static void finish(struct media *media, struct media_request *request)
{
    request->done_at = env_now(media->env);
    request->begun_at = request->done_at - request->served;
    request->done(request->self, request);
}

static void transfer(struct media *media, struct nvme_server *link, struct media_request *request)
{
    const time_ps takes = transfer_time(rate_of(&media->params, request->op), request->bytes);
    request->served += takes;
    nvme_server_add(link, &request->job, takes);
}

/* The service time is over. */
static void fixed_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request = request_of(job);
    if (request->op == MEDIA_READ && media->params.read_rate > 0)
        transfer(media, &media->out, request);
    else
        finish(media, request);
}

static void out_done(void *self, struct nvme_job *job)
{
    finish(self, request_of(job));
}

static void serve(struct media *media, struct media_request *request);

static void in_done(void *self, struct nvme_job *job)
{
    serve(self, request_of(job));
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
    nvme_server_init(&media->out, site->env, out_done, media, 0);
    nvme_server_init(&media->in, site->env, in_done, media, 0);
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

/* Takes the server that is free first. */
static void serve(struct media *media, struct media_request *request)
{
    struct nvme_server *earliest = &media->servers[0];
    for (int64_t i = 1; i < media->params.parallel; i++)
        if (media->servers[i].busy_until < earliest->busy_until)
            earliest = &media->servers[i];
    const time_ps takes = service(media, request->op), now = env_now(media->env);
    request->begun_at = earliest->busy_until > now ? earliest->busy_until : now;
    request->served += takes;
    nvme_server_add(earliest, &request->job, takes);
}

static void fixed_submit(struct media *media, struct media_request *request)
{
    request->submitted_at = env_now(media->env);
    request->served = 0;
    if (request->op == MEDIA_WRITE && media->params.write_rate > 0)
        transfer(media, &media->in, request);
    else
        serve(media, request);
}

/* With a tail, all requests may be fast for a while; the rate holds in any case. */
static time_ps fixed_least(const void *params, enum media_op op, uint32_t bytes)
{
    const struct fixed_params *fixed = params;
    const int64_t p99 = op == MEDIA_READ    ? fixed->read_p99
                        : op == MEDIA_WRITE ? fixed->write_p99
                                            : 0;
    const time_ps served = p99 > latency(fixed, op) ? 0 : latency(fixed, op) / fixed->parallel;
    const time_ps passed = transfer_time(rate_of(fixed, op), bytes);
    return served > passed ? served : passed;
}

static void fixed_stations(const struct media *media, nvme_station_fn *call, void *self)
{
    call(self, &(struct nvme_station){"medium", media->servers, (uint32_t)media->params.parallel});
    if (media->params.read_rate > 0)
        call(self, &(struct nvme_station){"host interface, reads", &media->out, 1});
    if (media->params.write_rate > 0)
        call(self, &(struct nvme_station){"host interface, writes", &media->in, 1});
}

static void fixed_audit(const struct media *media)
{
    for (int64_t i = 0; i < media->params.parallel; i++)
        nvme_server_audit(&media->servers[i]);
    nvme_server_audit(&media->out);
    nvme_server_audit(&media->in);
}

static void fixed_destroy(struct media *media)
{
    for (int64_t i = 0; i < media->params.parallel; i++)
        nvme_server_fini(&media->servers[i]);
    nvme_server_fini(&media->out);
    nvme_server_fini(&media->in);
    free(media->servers);
    free(media);
}

const struct media_ops media_fixed = {
    .name = "fixed",
    .about =
        "Every read, write and flush takes a time of its own, constant or with a tail, and data "
        "pass at a rate.",
    .opts = fixed_opts,
    .params_bytes = sizeof(struct fixed_params),
    .create = fixed_create,
    .submit = fixed_submit,
    .least = fixed_least,
    .stations = fixed_stations,
    .audit = fixed_audit,
    .destroy = fixed_destroy,
};
