/* SPDX-License-Identifier: Apache-2.0
 * media_null - a medium that takes no time.
 * For testing the layers above: every request completes before submit returns. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"

#include <stdlib.h>

struct media {
    const struct env *env;
};

static const struct opt null_opts[] = {{0}};

static struct media *null_create(const struct media_site *site)
{
    struct media *media = memory_new(sizeof *media);
    media->env = site->env;
    return media;
}

static void null_submit(struct media *media, struct media_request *request)
{
    request->submitted_at = request->begun_at = request->done_at = env_now(media->env);
    request->done(request->self, request);
}

static void null_audit(const struct media *media)
{
    CHECK(media->env != NULL);
}

static void null_destroy(struct media *media)
{
    free(media);
}

const struct media_ops media_null = {
    .name = "null",
    .about = "Takes no time and serves any number of requests at once.",
    .opts = null_opts,
    .params_bytes = 0,
    .create = null_create,
    .submit = null_submit,
    .audit = null_audit,
    .destroy = null_destroy,
};
