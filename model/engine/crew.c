/* SPDX-License-Identifier: Apache-2.0
 * crew - threads, and the one place where they meet. */
#include "engine/crew.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    PATIENCE = 4000, /* looks at the round before a member sleeps: a tenth of a millisecond or so */
    MEMORY = 8,      /* windows or so, whose mean says whether threads pay */
};

/* What members wait for: a number that grows by ROUND, and what they are to do then. */
enum { ROUND_WORK = 1, ROUND_END = 2, ROUND = 4 };

struct member {
    alignas(128) struct crew *crew;
    uint32_t number;
    pthread_t thread;
};

struct crew {
    struct engine *engine;
    struct member *members;
    /* Written between windows, by the last to arrive. */
    int64_t turn;    /* of the window that is next; INT64_MAX: none is due */
    bool alone;      /* the caller executes all shares */
    uint64_t events; /* of the engine, when that was last asked */
    uint64_t recent; /* MEMORY times the mean of a window's, the last most of all */
    pthread_mutex_t lock;
    pthread_cond_t begun; /* a round, while somebody sleeps */
    alignas(128) atomic_uint round;
    atomic_uint asleep;
    alignas(128) atomic_uint arrived;
};

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ rounds */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void sleep_while(struct crew *crew, unsigned seen)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep, 1);
    while (atomic_load(&crew->round) == seen)
        pthread_cond_wait(&crew->begun, &crew->lock);
    atomic_fetch_sub(&crew->asleep, 1);
    pthread_mutex_unlock(&crew->lock);
}

/* The round that comes after the one that was seen. */
static unsigned await(struct crew *crew, unsigned seen)
{
    for (int looks = 0; looks < PATIENCE; looks++) {
        const unsigned round = atomic_load_explicit(&crew->round, memory_order_acquire);
        if (round != seen)
            return round;
        relax();
    }
    sleep_while(crew, seen);
    return atomic_load(&crew->round);
}

/* By whoever is the only one at work. */
static unsigned begin_round(struct crew *crew, unsigned task)
{
    const unsigned round = (atomic_load(&crew->round) & ~(ROUND - 1u)) + ROUND + task;
    atomic_store(&crew->round, round);
    if (atomic_load(&crew->asleep) > 0) {
        pthread_mutex_lock(&crew->lock);
        pthread_cond_broadcast(&crew->begun);
        pthread_mutex_unlock(&crew->lock);
    }
    return round;
}

/* ------------------------------------------------------------------ windows */

/* Asks whether windows hold enough for threads to pay.  A mean forgets fast: the first full window
 * calls the threads, a single empty one does not send them away. */
static void reckon(struct crew *crew)
{
    const uint64_t events = engine_events(crew->engine);
    crew->recent += events - crew->events - crew->recent / MEMORY;
    crew->events = events;
    crew->alone = crew->recent < (uint64_t)crew->engine->worth * MEMORY;
}

/* Ends one window, and finds the next. */
static void between(struct crew *crew)
{
    const struct engine *engine = crew->engine;
    const struct engine_window *window = engine->window;
    const time_ps until = atomic_load(&engine->until);
    if (window->end != NULL)
        window->end(window->self);
    const time_ps mail = window->earliest != NULL ? window->earliest(window->self) : TIME_NEVER;
    crew->turn = mail <= until ? wheel_window(&engine->executor[0].queue, mail) : INT64_MAX;
    for (uint32_t i = 0; i < engine->executors; i++)
        crew->turn = lesser(crew->turn, wheel_due(&engine->executor[i].queue, until));
    reckon(crew);
}

static void receive(const struct crew *crew, uint32_t number)
{
    const struct engine_window *window = crew->engine->window;
    if (window->begin != NULL)
        window->begin(window->self, number);
}

static void execute_share(const struct crew *crew, uint32_t number)
{
    struct engine *engine = crew->engine;
    const struct engine_window *window = engine->window;
    struct executor *executor = &engine->executor[number];
    const time_ps until = atomic_load(&engine->until);
    receive(crew, number);
    if (wheel_due(&executor->queue, until) == crew->turn && wheel_open(&executor->queue, until))
        engine_run_window(engine, executor);
    if (window->ran != NULL)
        window->ran(window->self, number);
}

/* Of a round of work, and those that follow it without a break. */
static unsigned work(struct crew *crew, uint32_t number, unsigned round)
{
    while ((round & ROUND_WORK) != 0) {
        execute_share(crew, number);
        if (atomic_fetch_add(&crew->arrived, 1) + 1 < crew->engine->executors) {
            round = await(crew, round);
            continue;
        }
        between(crew);
        atomic_store(&crew->arrived, 0);
        round = begin_round(crew, crew->turn != INT64_MAX && !crew->alone ? ROUND_WORK : 0);
    }
    return round;
}

void crew_run(struct crew *crew)
{
    const uint32_t count = crew->engine->executors;
    between(crew);
    while (crew->turn != INT64_MAX) {
        if (!crew->alone) {
            work(crew, 0, begin_round(crew, ROUND_WORK));
            continue;
        }
        for (uint32_t i = 0; i < count; i++)
            execute_share(crew, i);
        between(crew);
    }
    for (uint32_t i = 0; i < count; i++)
        receive(crew, i);
}

/* ------------------------------------------------------------------ threads */

static void *member_main(void *self)
{
    const struct member *member = self;
    unsigned round = 0;
    for (;;) {
        round = work(member->crew, member->number, round); /* which may see the end already */
        if ((round & ROUND_END) != 0)
            return NULL;
        round = await(member->crew, round);
    }
}

struct crew *crew_create(struct engine *engine)
{
    CHECK(engine->window != NULL && engine->executors > 1);
    struct crew *crew = memory_aligned(1, sizeof *crew, alignof(struct crew));
    crew->engine = engine;
    crew->alone = engine->worth > 0;
    crew->members =
        memory_aligned(engine->executors, sizeof *crew->members, alignof(struct member));
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    for (uint32_t i = 1; i < engine->executors; i++) {
        struct member *member = &crew->members[i];
        *member = (struct member){.crew = crew, .number = i};
        CHECK(pthread_create(&member->thread, NULL, member_main, member) == 0);
    }
    return crew;
}

void crew_destroy(struct crew *crew)
{
    if (crew == NULL)
        return;
    begin_round(crew, ROUND_END);
    for (uint32_t i = 1; i < crew->engine->executors; i++)
        CHECK(pthread_join(crew->members[i].thread, NULL) == 0);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->begun);
    free(crew->members);
    free(crew);
}
