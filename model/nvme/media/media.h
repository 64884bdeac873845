/* SPDX-License-Identifier: Apache-2.0
 * media - what stores the blocks: one file per kind, one line in media.def.
 * A medium turns requests into completions in time; it holds no data (store.h does).
 * Every kind is given the same requests, may serve any number of them at once and finishes them
 * in any order.
 * Owner: the target, one instance per namespace.  Clock: env.  Errors: a request that
 * has `failed`, as those of an array (array.h) that lost its data. */
#ifndef STORMGLASS_NVME_MEDIA_MEDIA_H
#define STORMGLASS_NVME_MEDIA_MEDIA_H

#include "base/env.h"
#include "base/opt.h"
#include "nvme/server.h"

#include <stdbool.h>

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
    uint32_t parts;  /* pages still to come */
    time_ps served;  /* time in service so far */
    uint64_t serial; /* of a flush: the last write that it waits for */
    bool failed;     /* set before `done`: nothing was read or written */
};

/* What a run did to a medium that ages.
 *   host_bytes        written by hosts
 *   flash_bytes       programmed
 *   units_down        of 4 KiB, that left the buffer for flash
 *   units_programmed  that were written to flash with them
 *   absorbed          units that were written over in the buffer, and never came to flash
 *   buffer_hits       units that were read from the buffer
 *   waited            writes that found the buffer full
 *   erases            of blocks
 *   suspensions       of programs and erases, for reads
 * Write amplification is units_programmed / units_down: what is still buffered is in neither. */
#define MEDIA_WEAR(X)                                                                              \
    X(host_bytes)                                                                                  \
    X(flash_bytes)                                                                                 \
    X(units_down)                                                                                  \
    X(units_programmed)                                                                            \
    X(absorbed) X(buffer_hits) X(waited) X(erases) X(suspensions)

struct media_wear {
#define X(member) uint64_t member;
    MEDIA_WEAR(X)
#undef X
};

struct media_site {
    const struct env *env;
    const void *params; /* copied */
    uint32_t index;     /* tells the media of one target apart (their random streams differ) */
    uint64_t bytes;     /* capacity: requests are below */
};

struct media_ops {
    const char *name;  /* the word after `media:` */
    const char *about; /* one sentence */
    const struct opt *opts;
    size_t params_bytes;
    struct media *(*create)(const struct media_site *site);
    /* `done` may be called before submit returns when the kind takes no time. */
    void (*submit)(struct media *media, struct media_request *request);
    /* One medium finishes at most one such request each so long, but for what it has under way when
     * one begins to count: a bound, in ps, that needs no run.  NULL: any number. */
    time_ps (*least)(const void *params, enum media_op op, uint32_t bytes);
    /* What serves, in the order of a read; NULL: nothing takes time. */
    void (*stations)(const struct media *media, nvme_station_fn *call, void *self);
    /* False or NULL: it does not age. */
    bool (*wear)(const struct media *media, struct media_wear *wear);
    void (*audit)(const struct media *media);
    void (*destroy)(struct media *media);
};

enum { MEDIA_PARAMS_MAX = 512 }; /* no kind's params_bytes is larger */

extern const struct media_ops *const media_kinds[]; /* NULL ends it; made from media.def */
const struct media_ops *media_find(const char *name);

#endif
