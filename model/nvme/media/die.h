/* SPDX-License-Identifier: Apache-2.0
 * die - one flash die: reads, programs and erases that can be suspended.
 * Host reads wait for their plane, all other work for the whole die. Up to `reads_ahead` reads may
 * bypass waiting work, and a read may suspend a running program or erase: after `*_suspend` the
 * reads run, up to `reads_ahead` again, then the operation resumes. An operation that has been
 * suspended `suspend_limit` times, or that is due while reads still wait, runs to completion.
 * Source: Wu and He, "Reducing SSD read latency via NAND flash program and erase suspension", FAST
 * 2012; independent reads of planes: ONFI 5.0, 5.x (asynchronous independent plane read). Not
 * modeled: slower reads during the suspension of a program, cached reads and programs. Owner: the
 * struct that embeds it. Clock: env. Errors: none. No operation completes before die_add
 * returns. */
#ifndef STORMGLASS_NVME_MEDIA_DIE_H
#define STORMGLASS_NVME_MEDIA_DIE_H

#include "base/env.h"

#include <stdbool.h>

enum die_kind {
    DIE_READ, /* read for a host */
    DIE_COPY, /* read for garbage collection */
    DIE_PROGRAM,
    DIE_ERASE
};

/* Embedded in an operation, which can be in one die at a time. */
struct die_op {
    struct die_op *next;
    time_ps time; /* remaining duration, set by the caller of die_add; time served is subtracted */
    time_ps served;
    uint8_t kind, plane; /* plane: of a READ, less than `planes` */
    uint32_t suspended;  /* number of suspensions */
};

struct die_rules {
    uint32_t planes;                        /* planes that read independently */
    time_ps program_suspend, erase_suspend; /* negative: cannot be suspended */
    int64_t suspend_limit, reads_ahead;
};

enum { DIE_PLANES_MAX = 8 };

struct die_plane {
    struct die *die;
    struct die_op *first, *last; /* waiting reads */
    struct die_op *reads;        /* read in progress */
    struct timer timer;
};

enum die_state { DIE_FREE, DIE_WORKS, DIE_SUSPENDS, DIE_SUSPENDED };

struct die {
    const struct env *env;
    const struct die_rules *rules;
    void (*done)(void *self, struct die_op *op);
    void *self;
    struct die_op *first, *last; /* waiting work */
    struct die_op *work;         /* running or suspended operation */
    struct timer timer;          /* end of the operation or of its suspension */
    time_ps busy, active_since;  /* busy time up to active_since; TIME_NEVER: free */
    int64_t passed;              /* reads that bypassed waiting work */
    bool firm;                   /* reads_ahead is used up: the running operation is not
                                  * suspended */
    uint32_t reading;            /* number of planes with a read in progress */
    uint64_t suspensions, erases;
    enum die_state state;
    struct die_plane planes[DIE_PLANES_MAX];
};

/* The die must not be moved after this. */
void die_init(struct die *die, const struct env *env, const struct die_rules *rules,
              void (*done)(void *self, struct die_op *op), void *self);
void die_fini(struct die *die);

void die_add(struct die *die, struct die_op *op);

/* Total busy time until now. */
time_ps die_busy(const struct die *die, time_ps now);

/* CHECKs that every waiting operation will be started; returns the number of operations. */
uint32_t die_audit(const struct die *die);

#endif
