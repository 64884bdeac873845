/* SPDX-License-Identifier: Apache-2.0
 * failing-calls - makes one call of a kind fail, in a program that knows nothing of it
 * (LD_PRELOAD).
 * FAIL=memory: malloc, calloc, realloc, aligned_alloc, posix_memalign, mmap; FAIL=write: write,
 * pwrite, fsync, fdatasync, ftruncate, with FAIL_ERRNO=EIO or ENOSPC.  Libraries' calls count too;
 * the C library's own output does not.
 *   FAIL_AT=N        the Nth fails, from 1
 *   FAIL_COUNT=FILE  at the end: how many calls there were, and how many copies
 *   FAIL_EACH=FILE   at each call that comes from where none came before, a copy of the process
 *                    goes on with the failure; FAIL_ALL: at each call.  FILE tells of those that
 *                    end neither with exit code 3 and a sentence, nor with 0 and FAIL_EXPECTED in
 *                    what they print.  Not for a program that writes files: the copies have the
 *                    same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static struct {
    bool on, memory, all, copied;
    int error;
    long calls, at, tries;
    int each; /* file, or -1 */
    const char *count, *expected;
} fail = {.each = -1};

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAIL"), *at = getenv("FAIL_AT"), *each = getenv("FAIL_EACH");
    const char *error = getenv("FAIL_ERRNO");
    fail.memory = kind != NULL && strcmp(kind, "memory") == 0;
    fail.error = fail.memory ? ENOMEM : error != NULL && strcmp(error, "EIO") == 0 ? EIO : ENOSPC;
    fail.at = at == NULL ? 0 : atol(at);
    fail.each = each == NULL ? -1 : open(each, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    fail.count = getenv("FAIL_COUNT");
    fail.expected = getenv("FAIL_EXPECTED");
    fail.all = getenv("FAIL_ALL") != NULL;
    void *frame;
    backtrace(&frame, 1); /* takes memory itself, once */
    fail.on = kind != NULL;
}

__attribute__((destructor)) static void end(void)
{
    const bool counts = fail.on && fail.count != NULL;
    fail.on = false;
    FILE *out = counts ? fopen(fail.count, "w") : NULL;
    if (out != NULL) {
        fprintf(out, "%ld %ld\n", fail.calls, fail.tries);
        fclose(out);
    }
}

/* Either it says that there was no memory, or it did without and the result is right. */
static void judge(int status, const char *text)
{
    const bool ended = WIFEXITED(status);
    const int code = ended ? WEXITSTATUS(status) : WTERMSIG(status);
    if (ended && code == 3 && strstr(text, "stormglass: ") != NULL)
        return;
    if (ended && code == 0 && fail.expected != NULL && strstr(text, fail.expected) != NULL)
        return;
    dprintf(fail.each, "%ld: %s %d: %.300s\n", fail.calls, ended ? "exit code" : "signal", code,
            text);
}

/* In the copy: true. */
static bool tried(void)
{
    int said[2];
    char text[1 << 14];
    if (pipe(said) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        fail.on = false;
        dup2(said[1], STDERR_FILENO);
        fail.copied = true;
        dup2(said[1], STDOUT_FILENO);
        close(said[0]);
        close(said[1]);
        alarm(20);
        return true;
    }
    close(said[1]);
    ssize_t used = 0;
    for (ssize_t got; (got = read(said[0], text + used, sizeof text - 1 - (size_t)used)) > 0;)
        used += got;
    text[used] = '\0';
    close(said[0]);
    int status = 0;
    waitpid(child, &status, 0);
    fail.tries++;
    judge(status, text);
    return false;
}

/* Whether the call comes from where none came before. */
static bool is_new(void)
{
    enum { DEPTH = 24, ROOM = 1 << 16 };
    static uint64_t seen[ROOM];
    void *frames[DEPTH];
    uint64_t hash = 1;
    const int depth = backtrace(frames, DEPTH);
    for (int i = 0; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(0x9E3779B97F4A7C15) >> 7 |
               hash << 57;
    for (uint64_t at = hash % ROOM;; at = (at + 1) % ROOM) {
        if (seen[at] == hash)
            return false;
        if (seen[at] == 0) {
            seen[at] = hash;
            return true;
        }
    }
}

static bool fails(bool memory)
{
    static bool inside;
    if (!fail.on || fail.memory != memory || inside)
        return false;
    inside = true;
    fail.calls++;
    const bool now = fail.calls == fail.at || (fail.each >= 0 && (fail.all || is_new()) && tried());
    inside = false;
    errno = now ? fail.error : errno;
    return now;
}

void *malloc(size_t bytes)
{
    return fails(true) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(true) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails(true) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(true) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    *memory = aligned_alloc(alignment, bytes);
    return *memory == NULL ? ENOMEM : 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *mmap(void *address, size_t bytes, int access, int flags, int file, off_t offset)
{
    return fails(true) ? MAP_FAILED : NEXT(mmap)(address, bytes, access, flags, file, offset);
}

/* ---- writes ---- */

#define CALL_THAT_WRITES(type, name, parameters, arguments)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        return fails(false) ? -1 : NEXT(name) arguments;                                           \
    }

CALL_THAT_WRITES(ssize_t, write, (int file, const void *from, size_t bytes), (file, from, bytes))
CALL_THAT_WRITES(ssize_t, pwrite, (int file, const void *from, size_t bytes, off_t at),
                 (file, from, bytes, at))
CALL_THAT_WRITES(ssize_t, pwrite64, (int file, const void *from, size_t bytes, off64_t at),
                 (file, from, bytes, at))
CALL_THAT_WRITES(int, ftruncate, (int file, off_t bytes), (file, bytes))
CALL_THAT_WRITES(int, ftruncate64, (int file, off64_t bytes), (file, bytes))
CALL_THAT_WRITES(int, fsync, (int file), (file))
CALL_THAT_WRITES(int, fdatasync, (int file), (file))

/* ---- locks ---- */

/* A mutex that may be taken twice belongs to the thread that took it, which the copy is not: it has
 * no other one that could have it. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return fail.copied ? 0 : NEXT(pthread_mutex_lock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return fail.copied ? 0 : NEXT(pthread_mutex_unlock)(mutex);
}
