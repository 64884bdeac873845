/* SPDX-License-Identifier: Apache-2.0
 * run_laws - what holds in every run, whatever its scenario: watched while it goes on, judged in
 * the end.
 * Knows nothing of what the model computes where it can be known otherwise: what a port may send
 * follows from the PFC frames that reached it, what a responder may acknowledge from the packets
 * that reached it, and so on: from frames on wires, parameters and faults of the scenario alone.
 * Each law says itself when it does not hold (a fault, a software RNIC ...).
 *
 *   run_laws_pause.c      pauses: edges, frames for them, what obeys them
 *   run_laws_transport.c  reliable connections: PSNs, answers, retries, waits
 *   run_laws_arrivals.c   what a responder can expect
 *   run_laws_marks.c      ECN marks, and the CNPs that answer them
 *   run_laws_qp.c         queue pairs when all is over
 *   run_laws_cm.c         connection management: messages, answers, repeats
 *   run_laws_breakdown.c      the account of time
 *   run_laws.c            headroom is used before a frame is refused
 *   run_laws_close.c      controllers that are shut down
 *   run_laws_nvme.c       commands: carried out once, in order, bytes accounted for
 *   run_laws_limits.c     limits of namespaces and subsystems
 *   run_laws_goodput.c    what is delivered in the measured part
 *   run_laws_bounds.c     closed forms of plans: no run is beyond them
 *   run_laws_vacuous.c    expectations: none passes that compared nothing
 *   run_laws_end.c        what is left: frames and bytes conserved, all at rest, operations, rates
 *
 * The first law that is broken is kept as a sentence.  Owner: run_laws_fini. */
#ifndef STORMGLASS_TESTS_LAWS_RUN_LAWS_H
#define STORMGLASS_TESTS_LAWS_RUN_LAWS_H

#include "base/drop.h"
#include "replay/breakdown/breakdown.h"
#include "replay/data/data_judge.h"
#include "scenarios/world/world.h"

enum {
    RUN_LAWS_NODES = 128,
    RUN_LAWS_PORTS = 64,
    RUN_LAWS_TEXT = 300,
    RUN_LAWS_WORKLOADS = 32,
    RUN_LAWS_PRIORITIES = 8
};

struct run_laws_loss {
    uint64_t frames, bytes;
};

/* What a law may rest upon. */
struct run_laws_terms {
    bool faults;       /* there are any */
    bool pauses_sound; /* no fault takes pauses away, no link fails */
    bool links_fail;   /* carrier comes and goes */
    bool software;     /* some RNIC is a processor's work, or its timers */
    bool slow_hosts;   /* some receive buffer holds frames back */
    bool watchdogs;    /* queues may be freed from pauses, and drained */
    bool loops;        /* written routes */
    bool crashes;      /* targets die */
    bool data_lost;    /* a target forgets what was written */
    bool go_back_0;    /* messages may begin anew */
    bool selective;    /* what comes out of order is kept */
    bool refuses;      /* requests that name memory wrongly end queue pairs */
    bool reacts;       /* a loss takes a card's own time, or timers that adapt */
    bool splits;       /* an I/O may be several commands, or a host has some of its own */
    bool discovers;    /* discovery controllers stay, and no workload shows them */
};

/* Bytes of I/Os that lie within the measured part, and of those that reach into it. */
struct run_laws_goodput {
    uint64_t within, reaching;
};

struct run_laws_pauses;
struct run_laws_path;
struct run_laws_transport;
struct run_laws_marks;
struct run_laws_cm;
struct run_laws_nvme;
struct run_laws_limits;

struct run_laws {
    struct probe probe; /* for world_build */
    const struct scenario *scenario;
    const struct world *world;
    struct run_laws_terms terms;
    char broken[RUN_LAWS_TEXT]; /* empty: nothing so far */
    struct run_laws_loss on_cable[RUN_LAWS_NODES * RUN_LAWS_PORTS];
    struct run_laws_loss in_switch[RUN_LAWS_NODES];
    struct run_laws_goodput goodput[RUN_LAWS_WORKLOADS][2]; /* written, read */
    /* By endpoint: when its last frame of a priority left. */
    time_ps left[RUN_LAWS_NODES][RUN_LAWS_PRIORITIES];
    uint64_t causes[PROBE_DROP_CAUSE_COUNT], lossless, edges, gave_up;
    struct run_laws_pauses *pauses;
    struct run_laws_path *way;
    struct run_laws_transport *transport;
    struct run_laws_marks *marks;
    struct run_laws_cm *cm;
    struct run_laws_nvme *nvme;
    struct run_laws_limits *limits;
    struct breakdown *waits; /* NULL: frames are not watched */
    struct data_judge data;
    struct explain_fabric fabric;
    bool closing;   /* controllers were shut down */
    bool over;      /* all faults had ended when the run did */
    time_ps *light; /* least time from host to host: bare propagation */
};

/* False: the scenario has more nodes or ports than are watched. `frames`: every frame is looked at,
 * which takes longer and shows the way of watched frames through the model, not that of others. */
bool run_laws_init(struct run_laws *laws, const struct scenario *scenario, bool frames);

/* The world that was built with the probe, before it plays. */
void run_laws_watch(struct run_laws *laws, const struct world *world);

/* Between two moments of the run. */
void run_laws_look(struct run_laws *laws);

/* The run has ended: what is yet to come is the engine's alone. */
void run_laws_ended(struct run_laws *laws);

/* Plays on, up to so many events, until nothing is left: what is left are answers and orderly ends,
 * and pauses whose end was lost run out.  Then controllers are shut down, which would send
 * keep-alives for ever. */
void run_laws_close(struct run_laws *laws, struct world *world, uint64_t events);

void run_laws_judge(struct run_laws *laws);
void run_laws_fini(struct run_laws *laws);

/* Keeps the sentence if it is the first. */
void run_laws_break(struct run_laws *laws, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct result;
enum { RUN_LAWS_BOUND_BYTES = 400 };

/* Whether what a run came to is on the right side of every closed form that a plan refuses
 * candidates by: how many there were, and a sentence on one that is not, or an empty one. */
uint32_t run_laws_bounds(const struct scenario *scenario, const struct result *result,
                         char sentence[RUN_LAWS_BOUND_BYTES]);

/* A sentence when an expectation passes that compared nothing, or "". */
void run_laws_vacuous(const struct scenario *scenario, const struct result *result,
                      char sentence[RUN_LAWS_BOUND_BYTES]);

struct store;

/* Whether each figure that a run's database stores, and each that run --json and the summary print,
 * can be: a sentence on one that cannot, or an empty one.  Times are at most the run, rates what
 * the links carry in their own interval, parts at most their whole, percentiles in order; an
 * undefined figure is NULL. */
void run_laws_figures(struct store *store, char sentence[RUN_LAWS_BOUND_BYTES]);

#endif
