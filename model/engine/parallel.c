/* SPDX-License-Identifier: Apache-2.0
 * parallel - threads and their synchronization. */
#include "engine/parallel.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    /* Number of polls before a member sleeps, adapted between these bounds; PATIENCE takes about a
     * tenth of a millisecond. */
    PATIENCE = 4000,
    PATIENCE_LEAST = 32,
    ROUND = 16, /* maximum windows per round; the calls to the observer are buffered for a round */
    MEMORY = 8, /* time constant, in rounds, of the mean that decides whether threads pay */
};

/* A counter that one thread raises and others wait for. */
struct count {
    alignas(128) atomic_uint_least64_t value;
    atomic_uint asleep;
    pthread_mutex_t lock;
    pthread_cond_t raised; /* used only while a thread sleeps */
};

struct member {
    struct count done; /* see done_outer and done_window */
    struct parallel *parallel;
    uint32_t number;
    int patience; /* private: number of polls before it sleeps */
    pthread_t thread;
};

/* Consecutive windows, including empty ones. */
struct round {
    int64_t window; /* number of the first; INT64_MAX: none is due */
    uint32_t windows;
    uint64_t first; /* number of windows that threads have executed before */
};

struct parallel {
    struct engine *engine;
    struct member *members;
    /* Written by the caller between rounds. */
    struct round round;
    bool alone;          /* the caller's thread executes all shares */
    bool over;           /* no more rounds: the threads exit */
    uint64_t events;     /* events of the engine so far */
    uint64_t recent;     /* MEMORY times the moving average of events per window */
    struct count rounds; /* rounds begun */
};

/* ------------------------------------------------------------------ counts */

static void relax_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void count_init(struct count *count)
{
    pthread_mutex_init(&count->lock, NULL);
    pthread_cond_init(&count->raised, NULL);
}

static void count_fini(struct count *count)
{
    pthread_mutex_destroy(&count->lock);
    pthread_cond_destroy(&count->raised);
}

/* Raises the count; all earlier writes are visible to threads that have waited for it. */
static void raise_to(struct count *count, uint64_t value)
{
    atomic_store(&count->value, value);
    if (LIKELY(atomic_load(&count->asleep) == 0))
        return;
    pthread_mutex_lock(&count->lock);
    pthread_cond_broadcast(&count->raised);
    pthread_mutex_unlock(&count->lock);
}

static void sleep_until(struct count *count, uint64_t value)
{
    pthread_mutex_lock(&count->lock);
    atomic_fetch_add(&count->asleep, 1);
    while (atomic_load(&count->value) < value)
        pthread_cond_wait(&count->raised, &count->lock);
    atomic_fetch_sub(&count->asleep, 1);
    pthread_mutex_unlock(&count->lock);
}

/* Polling pays while the other threads run on processors of their own. When they need this
 * processor, each poll delays them: a thread that had to sleep halves its number of polls, one
 * whose polling succeeded doubles it. sched_yield would give whole time slices to unrelated
 * programs, while a sleeping thread is woken at once. */
static void await_count(struct member *member, struct count *count, uint64_t value)
{
    for (int looks = 0; looks < member->patience; looks++) {
        if (atomic_load_explicit(&count->value, memory_order_acquire) >= value) {
            if (looks > 0 && member->patience < PATIENCE)
                member->patience *= 2;
            return;
        }
        relax_cpu();
    }
    sleep_until(count, value);
    if (member->patience > PATIENCE_LEAST)
        member->patience /= 2;
}

/* ------------------------------------------------------------------ windows */

/* Value of a member's count when it has sent everything that it sends in a window. */
static uint64_t done_outer(uint64_t window)
{
    return 2 * window + 1;
}

/* Value of a member's count when it has executed the whole window. */
static uint64_t done_window(uint64_t window)
{
    return 2 * window + 2;
}

static void receive_mail(const struct parallel *parallel, uint32_t number)
{
    const struct engine_window *window = parallel->engine->window;
    if (window->begin != NULL)
        window->begin(window->self, number);
}

/* The groups that send to other executors run first, so that the others can proceed early. */
static void execute_window(const struct parallel *parallel, uint32_t number, int64_t serial,
                           struct count *done, uint64_t window)
{
    struct engine *engine = parallel->engine;
    struct executor *executor = &engine->executor[number];
    const time_ps until = atomic_load(&engine->until);
    const bool due = wheel_due(&executor->queue, until) == serial;
    if (due && wheel_open(&executor->queue, until)) {
        wheel_halt(&executor->queue, engine->outer_words);
        engine_run_window(engine, executor);
        wheel_halt(&executor->queue, UINT32_MAX);
    }
    if (done != NULL)
        raise_to(done, done_outer(window));
    if (due)
        engine_run_window(engine, executor);
}

/* Waits until the executor may begin the window: everything due in it has been sent, and no member
 * still in the previous window can end the run before the end of this one. */
static void await_others(struct parallel *parallel, uint32_t number, uint64_t window)
{
    const struct engine_window *rules = parallel->engine->window;
    const bool leads = rules->leads != NULL && rules->leads(rules->self, number);
    for (uint32_t i = 0; i < parallel->engine->executors; i++)
        if (i != number)
            await_count(&parallel->members[number], &parallel->members[i].done,
                        leads ? done_outer(window - 1) : done_window(window - 1));
}

static void end_share(const struct parallel *parallel, uint32_t number)
{
    const struct engine_window *window = parallel->engine->window;
    if (window->ran != NULL)
        window->ran(window->self, number);
}

/* ------------------------------------------------------------------ rounds */

/* Executes a member's share of the round. For the others the round is over when the last share is
 * done. */
static void execute_share(struct parallel *parallel, uint32_t number)
{
    const struct round round = parallel->round;
    struct count *done = &parallel->members[number].done;
    for (uint32_t i = 0; i < round.windows; i++) {
        const uint64_t window = round.first + i;
        if (i > 0)
            await_others(parallel, number, window);
        receive_mail(parallel, number);
        execute_window(parallel, number, round.window + i, done, window);
        if (i + 1 == round.windows)
            end_share(parallel, number);
        raise_to(done, done_window(window));
    }
}

static void run_with_threads(struct parallel *parallel)
{
    raise_to(&parallel->rounds, parallel->rounds.value + 1);
    execute_share(parallel, 0);
    for (uint32_t i = 1; i < parallel->engine->executors; i++)
        await_count(&parallel->members[0], &parallel->members[i].done,
                    done_window(parallel->round.first + parallel->round.windows - 1));
    parallel->round.first += parallel->round.windows;
}

static void run_on_caller(struct parallel *parallel)
{
    for (uint32_t i = 0; i < parallel->engine->executors; i++) {
        receive_mail(parallel, i);
        execute_window(parallel, i, parallel->round.window, NULL, 0);
        end_share(parallel, i);
    }
}

/* Decides whether windows have enough events for threads to pay. The average adapts quickly: the
 * first full window starts the threads, while a single empty one does not stop them. */
static void decide_threads(struct parallel *parallel)
{
    const uint64_t events = engine_events(parallel->engine);
    if (parallel->round.windows > 0)
        parallel->recent +=
            (events - parallel->events) / parallel->round.windows - parallel->recent / MEMORY;
    parallel->events = events;
    parallel->alone = parallel->recent < (uint64_t)parallel->engine->worth * MEMORY;
}

static int64_t next_window(const struct engine *engine, time_ps until)
{
    const struct engine_window *window = engine->window;
    const time_ps mail = window->earliest != NULL ? window->earliest(window->self) : TIME_NEVER;
    int64_t serial = mail <= until ? wheel_window(&engine->executor[0].queue, mail) : INT64_MAX;
    for (uint32_t i = 0; i < engine->executors; i++)
        serial = min_i64(serial, wheel_due(&engine->executor[i].queue, until));
    return serial;
}

/* Ends one round and finds the next; false when there is none. */
static bool begin_round(struct parallel *parallel)
{
    const struct engine *engine = parallel->engine;
    const time_ps until = atomic_load(&engine->until);
    if (engine->window->end != NULL)
        engine->window->end(engine->window->self);
    decide_threads(parallel);
    parallel->round.windows = 0;
    if (engine_asked_to_stop(engine))
        return false;
    parallel->round.window = next_window(engine, until);
    if (parallel->round.window == INT64_MAX)
        return false;
    const int64_t left =
        wheel_window(&engine->executor[0].queue, until) - parallel->round.window + 1;
    parallel->round.windows = parallel->alone ? 1 : (uint32_t)min_i64(ROUND, left);
    return true;
}

void parallel_run(struct parallel *parallel)
{
    while (begin_round(parallel)) {
        if (parallel->alone)
            run_on_caller(parallel);
        else
            run_with_threads(parallel);
    }
    for (uint32_t i = 0; i < parallel->engine->executors; i++)
        receive_mail(parallel, i);
}

/* ------------------------------------------------------------------ threads */

static void *member_main(void *self)
{
    struct member *member = self;
    struct parallel *parallel = member->parallel;
    for (uint64_t round = 1;; round++) {
        await_count(member, &parallel->rounds, round);
        if (parallel->over)
            return NULL;
        execute_share(parallel, member->number);
    }
}

struct parallel *parallel_create(struct engine *engine)
{
    CHECK(engine->window != NULL && engine->executors > 1);
    struct parallel *parallel = memory_aligned(1, sizeof *parallel, alignof(struct parallel));
    parallel->engine = engine;
    parallel->members =
        memory_aligned(engine->executors, sizeof *parallel->members, alignof(struct member));
    count_init(&parallel->rounds);
    for (uint32_t i = 0; i < engine->executors; i++) {
        parallel->members[i].parallel = parallel;
        parallel->members[i].number = i;
        parallel->members[i].patience = PATIENCE;
        count_init(&parallel->members[i].done);
    }
    for (uint32_t i = 1; i < engine->executors; i++)
        if (pthread_create(&parallel->members[i].thread, NULL, member_main,
                           &parallel->members[i]) != 0)
            memory_out(0, "one more thread");
    return parallel;
}

void parallel_destroy(struct parallel *parallel)
{
    if (parallel == NULL)
        return;
    parallel->over = true;
    raise_to(&parallel->rounds, parallel->rounds.value + 1);
    for (uint32_t i = 1; i < parallel->engine->executors; i++)
        CHECK(pthread_join(parallel->members[i].thread, NULL) == 0);
    for (uint32_t i = 0; i < parallel->engine->executors; i++)
        count_fini(&parallel->members[i].done);
    count_fini(&parallel->rounds);
    free(parallel->members);
    free(parallel);
}
