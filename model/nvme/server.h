/* SPDX-License-Identifier: Apache-2.0
 * server - a FIFO queue with one server.
 * For a processor core, a flash die or a channel: each job occupies the server for its service
 * time, waits for `after` more (a constant of the server, so that the order is preserved) and is
 * passed to `done`. A job without cost on an idle server completes before nvme_server_add returns.
 * Owner: the struct that embeds it. Clock: env. Errors: none. */
#ifndef STORMGLASS_NVME_SERVER_H
#define STORMGLASS_NVME_SERVER_H

#include "base/cpu_core.h"
#include "base/env.h"

#include <stdbool.h>

/* Embedded in a job, which can be in one server at a time. */
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
    time_ps taken; /* total service time of all jobs added so far */
    struct nvme_job *first, *last;
    struct timer timer;
    struct env_work work; /* the first job, on a processor shared by the world */
    bool draining;
    bool shared;
    struct cpu_core *core; /* that it shares with others; NULL: none */
    struct cpu_job turn;   /* the first job, on this core */
};

/* The server must not be moved after this. */
void nvme_server_init(struct nvme_server *server, const struct env *env,
                      void (*done)(void *self, struct nvme_job *job), void *self, time_ps after);

/* Initializes the server of a processor: the world's, if it shares one. */
void nvme_server_init_cpu(struct nvme_server *server, const struct env *env,
                          void (*done)(void *self, struct nvme_job *job), void *self);

/* From now on the server takes turns on a core with others; NULL: it has one of its own.  It must
 * have no jobs. */
void nvme_server_run_on(struct nvme_server *server, struct cpu_core *core);

/* Discards its jobs without calling `done`. */
void nvme_server_fini(struct nvme_server *server);

/* Adds a job that occupies the server for `service`. */
void nvme_server_add(struct nvme_server *server, struct nvme_job *job, time_ps service);

/* Total service time until now. On a shared processor: the time that its work would take alone. */
time_ps nvme_server_busy(const struct nvme_server *server, time_ps now);
/* The same, with the work of others on its core. */
time_ps nvme_server_occupied(const struct nvme_server *server, time_ps now);

/* Time that cores worked for queues: the software of the host or target, and below it TCP or the
 * completions of an RNIC. */
struct nvme_cpu {
    time_ps admin, io; /* by the kind of queue */
};

/* Servers that share their work: cores, dies, channels. */
struct nvme_station {
    const char *name; /* "cores" */
    const struct nvme_server *servers;
    uint32_t count;
};

typedef void nvme_station_fn(void *self, const struct nvme_station *station);

/* CHECKs that jobs are in order and that the first will complete; returns their number. */
uint32_t nvme_server_audit(const struct nvme_server *server);

#endif
