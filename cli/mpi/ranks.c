/* SPDX-License-Identifier: Apache-2.0
 * ranks - four kinds of messages. */
#include "cli/mpi/ranks.h"

#include "base/memory.h"
#include "cli/run/planning.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum message {
    MESSAGE_LOADED, /* to rank 0: fingerprint of what a rank has loaded */
    MESSAGE_RUN,    /* from rank 0: a run to execute; empty: no more runs */
    MESSAGE_STOP,   /* from rank 0: stop the current run */
    MESSAGE_RESULT  /* to rank 0: one byte, whether there is a result, and the result */
};

static void pause_briefly(void)
{
    const struct timespec pause = {.tv_nsec = 200000};
    nanosleep(&pause, NULL);
}

/* Owner of the result: the caller, with free. */
static char *receive(int from, int kind, size_t *length)
{
    MPI_Status status;
    int there = 0, count;
    for (;;) {
        MPI_Iprobe(from, kind, MPI_COMM_WORLD, &there, &status);
        if (there)
            break;
        pause_briefly();
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    char *bytes = memory_new((size_t)count + 1);
    MPI_Recv(bytes, count, MPI_BYTE, from, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *length = (size_t)count;
    return bytes;
}

static void deliver(int to, int kind, const void *bytes, size_t length)
{
    MPI_Send(bytes, length > INT_MAX ? 0 : (int)length, MPI_BYTE, to, kind, MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------ rank 0 */

static int rank_of(uint32_t place)
{
    return (int)place + 1;
}

static void hear(struct ranks *ranks)
{
    for (int i = 0; i < ranks->count && !ranks->heard; i++) {
        size_t length;
        char *text = receive(i + 1, MESSAGE_LOADED, &length);
        snprintf(ranks->loaded[i], sizeof ranks->loaded[i], "%s", text);
        free(text);
    }
    ranks->heard = true;
}

static bool agree(void *self, const char *fingerprint)
{
    struct ranks *ranks = self;
    hear(ranks);
    for (int i = 0; i < ranks->count; i++)
        if (strcmp(ranks->loaded[i], fingerprint) != 0) {
            cli_error("rank %d has %s", i + 1,
                      ranks->loaded[i][0] == '\0'
                          ? "no such plan: expected the same files on all ranks"
                          : "a different plan, scenario or version of the program");
            return false;
        }
    return true;
}

static void begin(void *self, uint32_t place, const char *errand, size_t length)
{
    (void)self;
    deliver(rank_of(place), MESSAGE_RUN, errand, length);
}

static bool ended(void *self, uint32_t place, void *result, size_t bytes, bool *well)
{
    int there = 0;
    size_t length;
    (void)self;
    MPI_Iprobe(rank_of(place), MESSAGE_RESULT, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (!there)
        return false;
    char *answer = receive(rank_of(place), MESSAGE_RESULT, &length);
    *well = length == bytes + 1 && answer[0] != 0;
    if (*well)
        memcpy(result, answer + 1, bytes);
    free(answer);
    return true;
}

static void stop(void *self, uint32_t place)
{
    (void)self;
    deliver(rank_of(place), MESSAGE_STOP, "", 0);
}

void ranks_open(struct ranks *ranks)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *ranks = (struct ranks){.count = size - 1};
    ranks->loaded = memory_zeroed((size_t)size, sizeof *ranks->loaded);
    ranks->others = (struct cmd_plan_others){.elsewhere = {.self = ranks,
                                                           .places = (uint32_t)ranks->count,
                                                           .begin = begin,
                                                           .ended = ended,
                                                           .stop = stop},
                                             .agree = agree};
}

void ranks_close(struct ranks *ranks)
{
    hear(ranks);
    for (int i = 0; i < ranks->count; i++)
        deliver(i + 1, MESSAGE_RUN, "", 0);
    free(ranks->loaded);
}

/* ------------------------------------------------------------------ other ranks */

static void tell(void *self, const char *fingerprint)
{
    (void)self;
    deliver(0, MESSAGE_LOADED, fingerprint, strlen(fingerprint));
}

/* True if a stop message has arrived; it has no content. */
static bool take_stop(void)
{
    int there = 0;
    size_t length;
    MPI_Iprobe(0, MESSAGE_STOP, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there)
        free(receive(0, MESSAGE_STOP, &length));
    return there != 0;
}

static char *next(void *self, size_t *length)
{
    (void)self;
    char *bytes = receive(0, MESSAGE_RUN, length);
    while (take_stop()) /* stop messages for runs that had already ended */
        ;
    if (*length > 0)
        return bytes;
    free(bytes);
    return NULL;
}

static void answer(void *self, const void *result, size_t bytes, bool well)
{
    char *whole = memory_new(bytes + 1);
    (void)self;
    whole[0] = well;
    memcpy(whole + 1, result, bytes);
    deliver(0, MESSAGE_RESULT, whole, bytes + 1);
    free(whole);
}

static bool stopped(void *self)
{
    (void)self;
    return take_stop();
}

struct cmd_plan_serving ranks_serving(void)
{
    return (struct cmd_plan_serving){
        .tell = tell, .next = next, .answer = answer, .stopped = stopped};
}
