/* SPDX-License-Identifier: Apache-2.0
 * trials - processes and pipes. */
#include "replay/prove/trials.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE_MAX = 64 };

struct trials {
    trials_play_fn *play;
    void *self;
    size_t bytes;
};

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

static bool read_all(int from, void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(from, (char *)what + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

struct child {
    void *result;
    pid_t process; /* 0: it was played here */
    int from;
};

static void begin(const struct trials *trials, struct child *child, uint32_t index)
{
    int ends[2];
    child->process = 0;
    child->from = -1;
    const bool piped = pipe(ends) == 0;
    if (piped && (child->process = fork()) < 0) {
        close(ends[0]);
        close(ends[1]);
    }
    if (!piped || child->process < 0) {
        child->process = 0;
        trials->play(trials->self, index, child->result);
        return;
    }
    if (child->process == 0) {
        close(ends[0]);
        trials->play(trials->self, index, child->result);
        _exit(write_all(ends[1], child->result, trials->bytes) ? 0 : 1);
    }
    close(ends[1]);
    child->from = ends[0];
}

static bool end(const struct trials *trials, const struct child *child)
{
    int status = 0;
    if (child->process == 0)
        return true;
    const bool answered = read_all(child->from, child->result, trials->bytes);
    close(child->from);
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    return answered && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool trials_play(trials_play_fn *play, void *self, uint32_t count, void *results, size_t bytes)
{
    const struct trials trials = {play, self, bytes};
    struct child children[AT_ONCE_MAX];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = online < 1 ? 1 : online > AT_ONCE_MAX ? AT_ONCE_MAX : (uint32_t)online;
    bool well = true;
    for (uint32_t begun = 0, ended = 0; ended < count; ended++) {
        for (; begun < count && begun - ended < most; begun++) {
            children[begun % most].result = (char *)results + begun * bytes;
            begin(&trials, &children[begun % most], begun);
        }
        well &= end(&trials, &children[ended % most]);
    }
    return well;
}
