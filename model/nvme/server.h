/* SPDX-License-Identifier: Apache-2.0
 * server - one at a time, first come first served.
 * A processor core, a flash die, a channel: jobs enter, each holds the server for its service
 * time, waits for `after` more (a constant of the server, so that order is kept) and is handed
 * to `done`.  A job that finds the server idle and costs nothing is done before nvme_server_add
 * returns.
 * Owner: whoever embeds it.  Clock: env.  Errors: none. */
#ifndef STORMGLASS_NVME_SERVER_H
#define STORMGLASS_NVME_SERVER_H

#include "base/env.h"

#include <stdbool.h>

/* Embedded in what is served; in one server at a time. */
struct nvme_job {
    struct nvme_job *next;
    time_ps due;
};

struct nvme_server {
    const struct env *env;
    void (*done)(void *self, struct nvme_job *job);
    void *self;
    time_ps after;
    time_ps busy_until;
    time_ps taken; /* service of all jobs so far, what lies ahead included */
    struct nvme_job *first, *last;
    struct timer timer;
    struct env_work work; /* of the first job, on a processor that the world shares out */
    bool draining;
    bool shared;
};

/* The server must not move from here on. */
void nvme_server_init(struct nvme_server *server, const struct env *env,
                      void (*done)(void *self, struct nvme_job *job), void *self, time_ps after);

/* Begins the server of a processor: the world's, where it shares one out. */
void nvme_server_init_cpu(struct nvme_server *server, const struct env *env,
                          void (*done)(void *self, struct nvme_job *job), void *self);

/* Forgets its jobs; nothing is called. */
void nvme_server_fini(struct nvme_server *server);

/* When a job that is added now will be served; of a shared processor: now. */
time_ps nvme_server_begins(const struct nvme_server *server);

/* Returns when the service begins; of a shared processor: now. */
time_ps nvme_server_add(struct nvme_server *server, struct nvme_job *job, time_ps service);

/* How long it has served until now.  Of a shared processor: what its work would take alone. */
time_ps nvme_server_busy(const struct nvme_server *server, time_ps now);

/* Servers that share their work: cores, dies, channels. */
struct nvme_station {
    const char *name; /* "cores" */
    const struct nvme_server *servers;
    uint32_t count;
};

typedef void nvme_station_fn(void *self, const struct nvme_station *station);

/* CHECKs that jobs are in order and that something will end the first; how many there are. */
uint32_t nvme_server_audit(const struct nvme_server *server);

#endif
