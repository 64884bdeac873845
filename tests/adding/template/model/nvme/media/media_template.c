/* SPDX-License-Identifier: Apache-2.0
 * media_template - one request after the other, each for the same time.
 * Source: own; a template. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"

#include <stdlib.h>

struct params {
    int64_t latency;
};

struct media {
    const struct env *env;
    struct params params;
    struct nvme_server server;
};

static const struct opt rows[] = {
    {"latency", OPT_TIME, offsetof(struct params, latency), "5us", "0ps", "10s", NULL,
     "Time of a request.", "own", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {0},
};

static void done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request =
        (struct media_request *)(void *)((char *)job - offsetof(struct media_request, job));
    request->done_at = env_now(media->env);
    request->begun_at = request->done_at - media->params.latency;
    request->done(request->self, request);
}

static struct media *create(const struct media_site *site)
{
    struct media *media = memory_zeroed(1, sizeof *media);
    media->env = site->env;
    media->params = *(const struct params *)site->params;
    nvme_server_init(&media->server, site->env, done, media, 0);
    return media;
}

static void submit(struct media *media, struct media_request *request)
{
    request->submitted_at = env_now(media->env);
    nvme_server_add(&media->server, &request->job, media->params.latency);
}

static void audit(const struct media *media)
{
    nvme_server_audit(&media->server);
}

static void destroy(struct media *media)
{
    nvme_server_fini(&media->server);
    free(media);
}

const struct media_ops media_template = {
    .name = "template",
    .about = "One request after the other.",
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .create = create,
    .submit = submit,
    .audit = audit,
    .destroy = destroy,
};
