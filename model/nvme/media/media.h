/* SPDX-License-Identifier: Apache-2.0
 * media - what stores the blocks: one file per kind, one line in media.def.
 * A medium turns requests into completions in time; it holds no data (store.h does).
 * Every kind is given the same requests, may serve any number of them at once and finishes them
 * in any order.
 * Owner: the target, one instance per namespace.  Clock: env.  Errors: none yet; a request
 * always succeeds. */
#ifndef STORMGLASS_NVME_MEDIA_MEDIA_H
#define STORMGLASS_NVME_MEDIA_MEDIA_H

#include "base/env.h"
#include "base/opt.h"
#include "nvme/server.h"

struct media; /* an instance; each kind embeds what it needs */

enum media_op { MEDIA_READ, MEDIA_WRITE, MEDIA_FLUSH };

/* One request.  The submitter owns the memory, which stays in place until `done`. */
struct media_request {
    enum media_op op;
    uint64_t offset; /* bytes from the start of the medium */
    uint32_t bytes;  /* 0 for a flush */
    void (*done)(void *self, struct media_request *request);
    void *self;
    /* Set by the medium.  A request waits in more than one place; begun_at is done_at less the
     * time that it was served, as if all the waiting came first. */
    time_ps submitted_at, begun_at, done_at;
    /* The medium's own while it has the request. */
    struct nvme_job job;
    struct media_request *next;
    uint32_t parts; /* pages still to come */
    time_ps served; /* time in service so far */
};

struct media_ops {
    const char *name;  /* the word after `media:` */
    const char *about; /* one sentence */
    const struct opt *opts;
    size_t params_bytes;
    /* params are copied; index tells the media of one target apart (their random streams
     * differ). */
    struct media *(*create)(const struct env *env, const void *params, uint32_t index);
    /* `done` may be called before submit returns when the kind takes no time. */
    void (*submit)(struct media *media, struct media_request *request);
    /* What serves, in the order of a read; NULL: nothing takes time. */
    void (*stations)(const struct media *media, nvme_station_fn *call, void *self);
    void (*audit)(const struct media *media);
    void (*destroy)(struct media *media);
};

enum { MEDIA_PARAMS_MAX = 512 }; /* no kind's params_bytes is larger */

extern const struct media_ops *const media_kinds[]; /* NULL ends it; made from media.def */
const struct media_ops *media_find(const char *name);

#endif
