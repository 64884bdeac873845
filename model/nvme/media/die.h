/* SPDX-License-Identifier: Apache-2.0
 * die - one die of flash: it reads, programs and erases, and may be interrupted.
 * Host reads wait for their plane, all other work for the whole die.  A read may go ahead of work
 * that waits, so often as `reads_ahead` says, and may suspend a program or erase that runs: after
 * `*_suspend` the reads go, as many again, and what is left of it follows.  What was suspended so
 * often as `suspend_limit` says, and what has its turn while reads still wait, runs to its end.
 * Source: Wu and He, "Reducing SSD read latency via NAND flash program and erase suspension", FAST
 * 2012; independent reads of planes: ONFI 5.0, 5.x (asynchronous independent plane read).
 * Not modelled: that a read beside a program's suspension is slower, cached reads and programs.
 * Owner: whoever embeds it.  Clock: env.  Errors: none.  Nothing is done before die_add returns. */
#ifndef STORMGLASS_NVME_MEDIA_DIE_H
#define STORMGLASS_NVME_MEDIA_DIE_H

#include "base/env.h"

#include <stdbool.h>

enum die_kind {
    DIE_READ, /* for a host */
    DIE_COPY, /* a read for collection */
    DIE_PROGRAM,
    DIE_ERASE
};

/* Embedded in what is done; in one die at a time. */
struct die_op {
    struct die_op *next;
    time_ps time; /* that it takes, set by whoever adds it; what was served is taken off */
    time_ps served;
    uint8_t kind, plane; /* plane: of a READ, below `planes` */
    uint32_t suspended;  /* how often */
};

struct die_rules {
    uint32_t planes;                        /* that read by themselves */
    time_ps program_suspend, erase_suspend; /* negative: it cannot be */
    int64_t suspend_limit, reads_ahead;
};

enum { DIE_PLANES_MAX = 8 };

struct die_plane {
    struct die *die;
    struct die_op *first, *last; /* wait */
    struct die_op *reads;        /* is read */
    struct timer timer;
};

enum die_state { DIE_FREE, DIE_WORKS, DIE_SUSPENDS, DIE_SUSPENDED };

struct die {
    const struct env *env;
    const struct die_rules *rules;
    void (*done)(void *self, struct die_op *op);
    void *self;
    struct die_op *first, *last; /* work that waits */
    struct die_op *work;         /* what runs, or is suspended */
    struct timer timer;          /* of its end, or of its being suspended */
    time_ps busy, active_since;  /* time in which it did something, until then; TIME_NEVER: free */
    int64_t passed;              /* reads that went ahead of the work that waits */
    bool firm;                   /* so many did that what runs is not suspended */
    uint32_t reading;            /* planes that read */
    uint64_t suspensions, erases;
    enum die_state state;
    struct die_plane planes[DIE_PLANES_MAX];
};

/* The die must not move from here on. */
void die_init(struct die *die, const struct env *env, const struct die_rules *rules,
              void (*done)(void *self, struct die_op *op), void *self);
void die_fini(struct die *die);

void die_add(struct die *die, struct die_op *op);

/* How long it has done something until now. */
time_ps die_busy(const struct die *die, time_ps now);

/* CHECKs that whatever waits is waited for by something; how many operations it has. */
uint32_t die_audit(const struct die *die);

#endif
