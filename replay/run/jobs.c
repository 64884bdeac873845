/* SPDX-License-Identifier: Apache-2.0
 * jobs - processes and pipes. */
#include "replay/run/jobs.h"

#include "base/memory.h"
#include "replay/run/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 100,   /* interval between checks for a stop */
    AWAY_NS = 200000 /* interval between checks of other places */
};

struct slot {
    pid_t process;
    int from;
    uint32_t index;
    size_t got; /* bytes received of its result */
    bool again; /* second attempt */
};

/* A run at another place. */
struct away {
    uint32_t index;
    bool busy, again;
};

struct ending {
    uint32_t index;
    bool well;
};

enum { ENDINGS_MAX = JOBS_AT_ONCE_MAX + JOBS_PLACES_MAX };

struct pool {
    const struct jobs *jobs;
    struct ending endings[ENDINGS_MAX]; /* not reported yet */
    uint32_t ending_count;
    struct slot slots[JOBS_AT_ONCE_MAX];
    struct away away[JOBS_PLACES_MAX];
    uint32_t running, running_away;
    bool well, stopping;
};

static void *result_of(const struct jobs *jobs, uint32_t index)
{
    return (char *)jobs->results + (size_t)index * jobs->bytes;
}

static bool write_all(int to, const void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(to, (const char *)what + done, size - done);
        if (wrote < 0 && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static void tell_endings(struct pool *pool)
{
    const struct jobs *jobs = pool->jobs;
    for (uint32_t i = 0; i < pool->ending_count && jobs->done != NULL; i++)
        jobs->done(jobs->self, pool->endings[i].index, pool->endings[i].well);
    pool->ending_count = 0;
}

static bool is_sound(const struct jobs *jobs, uint32_t index)
{
    return jobs->sound == NULL || jobs->sound(jobs->self, index, result_of(jobs, index));
}

/* Reported only when the slot has its next run, because the callback may write and wait for a
 * disk. */
static void note_end(struct pool *pool, uint32_t index, bool well)
{
    pool->well &= well;
    if (!well) /* discard a partial result */
        memset(result_of(pool->jobs, index), 0, pool->jobs->bytes);
    if (pool->ending_count == ENDINGS_MAX)
        tell_endings(pool);
    pool->endings[pool->ending_count++] = (struct ending){index, well};
}

/* Otherwise the child would outlive its parent, with no reader, and keep inherited locks. */
static void end_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
}

static void begin(struct pool *pool, uint32_t index, bool again)
{
    const struct jobs *jobs = pool->jobs;
    struct slot slot = {.process = -1, .from = -1, .index = index, .again = again};
    int ends[2];
    const pid_t parent = getpid();
    fflush(NULL);
    const bool piped = pipe(ends) == 0;
    if (piped && (slot.process = fork()) < 0) {
        close(ends[0]);
        close(ends[1]);
    }
    if (slot.process < 0) {
        jobs->play(jobs->self, index, result_of(jobs, index));
        note_end(pool, index, true);
        return;
    }
    if (slot.process == 0) {
        end_with_parent(parent);
        close(ends[0]);
        jobs->play(jobs->self, index, result_of(jobs, index));
        _exit(write_all(ends[1], result_of(jobs, index), jobs->bytes) ? 0 : 1);
    }
    close(ends[1]);
    slot.from = ends[0];
    pool->slots[pool->running++] = slot;
}

/* The process closed its pipe: it has sent its result or failed. */
static void collect(struct pool *pool, uint32_t at)
{
    const struct slot slot = pool->slots[at];
    int status = 0;
    pool->slots[at] = pool->slots[--pool->running];
    close(slot.from);
    while (waitpid(slot.process, &status, 0) < 0 && errno == EINTR)
        ;
    const bool well = slot.got == pool->jobs->bytes && WIFEXITED(status) &&
                      WEXITSTATUS(status) == 0 && is_sound(pool->jobs, slot.index);
    if (well || slot.again || pool->stopping) {
        note_end(pool, slot.index, well);
        return;
    }
    memset(result_of(pool->jobs, slot.index), 0, pool->jobs->bytes);
    begin(pool, slot.index, true);
}

/* Returns false when the pipe is closed. */
static bool receive_result(const struct pool *pool, struct slot *slot)
{
    char *to = (char *)result_of(pool->jobs, slot->index) + slot->got, more;
    const size_t left = pool->jobs->bytes - slot->got;
    const ssize_t got = left > 0 ? read(slot->from, to, left) : read(slot->from, &more, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    slot->got += got > 0 && left > 0 ? (size_t)got : 0;
    return got > 0 && left > 0;
}

static void wait_for_some(struct pool *pool)
{
    struct pollfd looks[JOBS_AT_ONCE_MAX];
    const uint32_t count = pool->running;
    const struct timespec pause = {.tv_nsec = AWAY_NS};
    const bool waits = pool->running_away > 0;
    for (uint32_t i = 0; i < count; i++)
        looks[i] = (struct pollfd){.fd = pool->slots[i].from, .events = POLLIN};
    /* poll without blocking: a signal just before it would not interrupt it */
    if (poll(looks, count, waits ? 0 : LOOK_MS) <= 0) {
        if (waits)
            nanosleep(&pause, NULL);
        return;
    }
    for (uint32_t i = count; i-- > 0;) /* collect() moves the last slot into the free one */
        if (looks[i].revents != 0 && !receive_result(pool, &pool->slots[i]))
            collect(pool, i);
}

/* ------------------------------------------------------------------ other places */

static uint32_t places(const struct pool *pool)
{
    const struct jobs_elsewhere *elsewhere = pool->jobs->elsewhere;
    const uint32_t count = elsewhere == NULL ? 0 : elsewhere->places;
    return count < JOBS_PLACES_MAX ? count : JOBS_PLACES_MAX;
}

static void begin_away(struct pool *pool, uint32_t place, uint32_t index, bool again)
{
    const struct jobs *jobs = pool->jobs;
    size_t length;
    char *errand = jobs->errand(jobs->self, index, &length);
    jobs->elsewhere->begin(jobs->elsewhere->self, place, errand, length);
    free(errand);
    pool->away[place] = (struct away){index, true, again};
    pool->running_away++;
}

static void collect_away(struct pool *pool)
{
    const struct jobs *jobs = pool->jobs;
    for (uint32_t i = 0; i < places(pool); i++) {
        const struct away away = pool->away[i];
        bool well = false;
        if (!away.busy || !jobs->elsewhere->ended(jobs->elsewhere->self, i,
                                                  result_of(jobs, away.index), jobs->bytes, &well))
            continue;
        pool->away[i].busy = false;
        pool->running_away--;
        well = well && is_sound(jobs, away.index);
        if (well || away.again || pool->stopping) {
            note_end(pool, away.index, well);
            continue;
        }
        memset(result_of(jobs, away.index), 0, jobs->bytes);
        begin_away(pool, i, away.index, true);
    }
}

static void stop_away(const struct pool *pool)
{
    const struct jobs_elsewhere *elsewhere = pool->jobs->elsewhere;
    for (uint32_t i = 0; i < places(pool); i++)
        if (pool->away[i].busy)
            elsewhere->stop(elsewhere->self, i);
}

/* Signals repeatedly, because a process that has just started may have missed it. */
static void look_for_stop(struct pool *pool)
{
    const struct jobs *jobs = pool->jobs;
    if (stop_asked() == 0 && (jobs->enough == NULL || !jobs->enough(jobs->self)))
        return;
    if (!pool->stopping)
        stop_away(pool);
    pool->stopping = true;
    pool->well = false;
    for (uint32_t i = 0; i < pool->running; i++)
        kill(pool->slots[i].process, SIGTERM);
}

uint32_t jobs_at_once(const struct jobs *jobs)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t most = jobs->at_once != 0 ? jobs->at_once : online < 1 ? 1 : (uint32_t)online;
    most = most > JOBS_AT_ONCE_MAX ? JOBS_AT_ONCE_MAX : most;
    return most < jobs->count ? most : jobs->count;
}

/* Starts as many as there is room for, local ones first, which need no transfer. */
static uint32_t begin_more(struct pool *pool, uint32_t begun)
{
    const struct jobs *jobs = pool->jobs;
    const uint32_t most = jobs_at_once(jobs);
    while (begun < jobs->count && pool->running < most && !pool->stopping) {
        begin(pool, begun++, false);
        look_for_stop(pool);
    }
    for (uint32_t i = 0; i < places(pool) && begun < jobs->count && !pool->stopping; i++)
        if (!pool->away[i].busy)
            begin_away(pool, i, begun++, false);
    return begun;
}

bool jobs_play(const struct jobs *jobs)
{
    struct pool *pool = memory_new(sizeof *pool);
    pool->jobs = jobs;
    pool->well = true;
    for (uint32_t begun = 0;;) {
        look_for_stop(pool);
        begun = begin_more(pool, begun);
        tell_endings(pool);
        if (pool->running + pool->running_away == 0)
            break;
        wait_for_some(pool);
        collect_away(pool);
    }
    const bool well = pool->well;
    free(pool);
    return well;
}
