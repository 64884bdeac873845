/* SPDX-License-Identifier: Apache-2.0
 * jobs - processes and pipes. */
#include "replay/run/jobs.h"

#include "replay/run/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 100 }; /* so often a stop is looked for */

struct slot {
    pid_t process;
    int from;
    uint32_t index;
    size_t got; /* bytes of its result */
    bool again; /* it is played for the second time */
};

struct pool {
    const struct jobs *jobs;
    struct slot slots[JOBS_AT_ONCE_MAX];
    uint32_t running;
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

static void end(struct pool *pool, uint32_t index, bool well)
{
    pool->well &= well;
    if (pool->jobs->done != NULL)
        pool->jobs->done(pool->jobs->self, index, well);
}

/* Nobody would read its answer, and what it has inherited, such as locks, it would hold. */
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
        end(pool, index, true);
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

/* What has closed its pipe: it has answered, or never will. */
static void collect(struct pool *pool, uint32_t at)
{
    const struct slot slot = pool->slots[at];
    int status = 0;
    pool->slots[at] = pool->slots[--pool->running];
    close(slot.from);
    while (waitpid(slot.process, &status, 0) < 0 && errno == EINTR)
        ;
    const bool well =
        slot.got == pool->jobs->bytes && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (well || slot.again || pool->stopping) {
        end(pool, slot.index, well);
        return;
    }
    memset(result_of(pool->jobs, slot.index), 0, pool->jobs->bytes);
    begin(pool, slot.index, true);
}

/* False: it has no more to say. */
static bool take(const struct pool *pool, struct slot *slot)
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
    for (uint32_t i = 0; i < count; i++)
        looks[i] = (struct pollfd){.fd = pool->slots[i].from, .events = POLLIN};
    /* A signal that comes just before would not wake it. */
    if (poll(looks, count, LOOK_MS) <= 0)
        return;
    for (uint32_t i = count; i-- > 0;) /* the last one takes the place of what has ended */
        if (looks[i].revents != 0 && !take(pool, &pool->slots[i]))
            collect(pool, i);
}

/* Again and again: a process that has only just begun may not have listened. */
static void look_for_stop(struct pool *pool)
{
    const struct jobs *jobs = pool->jobs;
    if (stop_asked() == 0 && (jobs->enough == NULL || !jobs->enough(jobs->self)))
        return;
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

bool jobs_play(const struct jobs *jobs)
{
    struct pool pool = {.jobs = jobs, .well = true};
    const uint32_t most = jobs_at_once(jobs);
    for (uint32_t begun = 0;;) {
        look_for_stop(&pool);
        while (begun < jobs->count && pool.running < most && !pool.stopping) {
            begin(&pool, begun++, false);
            look_for_stop(&pool);
        }
        if (pool.running == 0)
            return pool.well;
        wait_for_some(&pool);
    }
}
