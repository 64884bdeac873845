/* SPDX-License-Identifier: Apache-2.0
 * media - models of what stores the blocks: one file per kind, one line in media.def.
 * A medium determines when requests complete; it stores no data (store.h does). It may serve any
 * number of requests concurrently and complete them in any order.
 * Owner: the target, one instance per namespace. Clock: env. Errors: a request may be marked
 * `failed`, as by an array (array.h) that has lost data. */
#ifndef STORMGLASS_NVME_MEDIA_MEDIA_H
#define STORMGLASS_NVME_MEDIA_MEDIA_H

#include "base/env.h"
#include "base/opt.h"
#include "nvme/server.h"

#include <stdbool.h>

struct media; /* an instance; each kind defines its own struct */

enum media_op { MEDIA_READ, MEDIA_WRITE, MEDIA_FLUSH };

/* One request. The submitter owns the memory, which must not move until `done`. */
struct media_request {
    enum media_op op;
    uint64_t offset; /* bytes from the start of the medium */
    uint32_t bytes;  /* 0 for a flush */
    void (*done)(void *self, struct media_request *request);
    void *self;
    /* Set by the medium. A request may wait in several places; begun_at is done_at minus its total
     * service time, as if all waiting came first. */
    time_ps submitted_at, begun_at, done_at;
    /* Private to the medium while it has the request. */
    struct nvme_job job;
    struct media_request *next;
    uint32_t parts;  /* pages still outstanding */
    time_ps served;  /* service time so far */
    uint64_t serial; /* for a flush: serial number of the last write that it waits for */
    bool failed;     /* set before `done`: nothing was read or written */
};

/* Wear statistics of a medium in a run.
 *   host_bytes        written by hosts
 *   flash_bytes       programmed
 *   units_down        units of 4 KiB that left the buffer for flash
 *   units_programmed  units written to flash, including copies
 *   absorbed          units overwritten in the buffer, never written to flash
 *   buffer_hits       units read from the buffer
 *   waited            writes that found the buffer full
 *   erases            blocks erased
 *   suspensions       of programs and erases, for reads
 * Write amplification is units_programmed / units_down; data still in the buffer is in neither. */
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
    uint32_t index;     /* distinguishes the media of one target, whose random streams differ */
    uint64_t bytes;     /* capacity: requests end at or below it */
};

struct media_ops {
    const char *name;  /* word in `media:` */
    const char *about; /* one sentence */
    const struct opt *opts;
    size_t params_bytes;
    struct media *(*create)(const struct media_site *site);
    /* `done` may be called before submit returns if the kind takes no time. */
    void (*submit)(struct media *media, struct media_request *request);
    /* Lower bound of the time per request in steady state, in ps, computed without a run: apart
     * from requests outstanding when counting starts, a medium completes at most one such request
     * per interval. NULL: no bound. */
    time_ps (*least)(const void *params, enum media_op op, uint32_t bytes);
    /* Calls back for each station, in the order of a read; NULL: nothing takes time. */
    void (*stations)(const struct media *media, nvme_station_fn *call, void *self);
    /* False or NULL: the medium does not age. */
    bool (*wear)(const struct media *media, struct media_wear *wear);
    void (*audit)(const struct media *media);
    void (*destroy)(struct media *media);
};

enum { MEDIA_PARAMS_MAX = 512 }; /* upper bound of params_bytes for all kinds */

extern const struct media_ops *const media_kinds[]; /* generated from media.def; ends with NULL */
const struct media_ops *media_find(const char *name);

#endif
