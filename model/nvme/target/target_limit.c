/* SPDX-License-Identifier: Apache-2.0
 * target_limit - IOPS and bandwidth that a namespace may have, whoever uses it, or a subsystem.
 * Each limit is a bucket: a millisecond's worth is put in at each whole millisecond, what was not
 * used by then is gone, and who finds something in it goes, also where that overdraws it.  Reads
 * and writes that find a bucket empty wait in order, and pass those that another bucket keeps.
 * A command is admitted by its subsystem first, a tenant's, then by its namespace.
 * Source: lib/bdev/bdev.c of SPDK, bdev_channel_poll_qos, bdev_qos_io_submit,
 * SPDK_BDEV_QOS_TIMESLICE_IN_USEC 1000; bdev_set_qos_limit, whose limits are whole thousands of
 * IOPS and MiB/s.
 * Units: thousandths of an I/O or a bit, so that a second's limit is a slice's. */
#include "nvme/target/target_private.h"

#include "base/memory.h"

#include <stdlib.h>

#define SLICE (1 * PS_PER_MS)

struct target_limits {
    struct nvme_target *target;
    struct nvme_limits most, left; /* most: of a slice; left: of this one */
    int64_t slice;                 /* number of the one that `left` is of */
    struct target_list waiting;
    struct timer timer;
};

static int64_t cost_of(const struct target_command *command, enum nvme_limit limit)
{
    const bool read = command->media.op == MEDIA_READ;
    switch (limit) {
    case NVME_LIMIT_IOPS:
        return 1000;
    case NVME_LIMIT_READ:
        return read ? (int64_t)command->media.bytes * 8000 : 0;
    case NVME_LIMIT_WRITE:
        return read ? 0 : (int64_t)command->media.bytes * 8000;
    default:
        return (int64_t)command->media.bytes * 8000;
    }
}

static void refill(struct target_limits *limits, time_ps now)
{
    const int64_t passed = now / SLICE - limits->slice;
    limits->slice += passed;
    for (int i = 0; i < NVME_LIMITS && passed > 0; i++) {
        const int64_t most = limits->most.of[i],
                      owed = limits->left.of[i] < 0 ? -limits->left.of[i] : 0;
        if (most == 0)
            continue;
        limits->left.of[i] = passed > owed / most + 1 ? most : passed * most - owed;
        CHECK(limits->left.of[i] <= most);
    }
}

static bool take(struct target_limits *limits, const struct target_command *command)
{
    for (int i = 0; i < NVME_LIMITS; i++)
        if (limits->most.of[i] > 0 && limits->left.of[i] <= 0 &&
            cost_of(command, (enum nvme_limit)i) > 0)
            return false;
    for (int i = 0; i < NVME_LIMITS; i++)
        if (limits->most.of[i] > 0)
            limits->left.of[i] -= cost_of(command, (enum nvme_limit)i);
    return true;
}

static void watch(struct target_limits *limits)
{
    if (limits->waiting.first != NULL)
        env_timer_set(limits->target->site.env, &limits->timer, (limits->slice + 1) * SLICE);
}

/* False: it waits for these limits. */
static bool pass(struct target_limits *limits, struct target_command *command)
{
    if (limits == NULL)
        return true;
    refill(limits, nvme_target_now(command->queue));
    if (take(limits, command))
        return true;
    if (command->times.limit_at == 0)
        command->times.limit_at = nvme_target_now(command->queue);
    const bool first = limits->waiting.first == NULL;
    nvme_target_list_add(&limits->waiting, command);
    if (first)
        watch(limits);
    return false;
}

/* Those of queues that are closing go with them. */
static void serve(struct target_limits *limits)
{
    struct target_list waiting = limits->waiting;
    struct target_command *command;
    limits->waiting = (struct target_list){0};
    refill(limits, env_now(limits->target->site.env));
    while ((command = nvme_target_list_take(&waiting)) != NULL) {
        if (command->queue->state == TARGET_QUEUE_CLOSING)
            (void)nvme_target_command_back(command);
        else if (!take(limits, command))
            nvme_target_list_add(&limits->waiting, command);
        else if (limits == command->ns->limits || pass(command->ns->limits, command))
            nvme_target_io_submit(command);
    }
    watch(limits);
}

static void slice_due(void *self, const void *what)
{
    struct target_limits *limits = self;
    (void)what;
    if (!nvme_stall_holds(&limits->target->stall, slice_due, limits, NULL, 0))
        serve(limits);
}

static void on_slice(void *self, time_ps now)
{
    (void)now;
    slice_due(self, NULL);
}

bool nvme_target_limit_admits(struct target_command *command)
{
    if (command->media.op == MEDIA_FLUSH)
        return true;
    return pass(command->queue->controller->subsystem->limits, command) &&
           pass(command->ns->limits, command);
}

struct target_limits *nvme_target_limit_create(struct nvme_target *target,
                                               const struct nvme_limits *most)
{
    if (!nvme_limits_any(most))
        return NULL;
    struct target_limits *limits = memory_new(sizeof *limits);
    *limits = (struct target_limits){
        .target = target,
        .most = *most,
        .slice = -1,
        .timer = {.fire = on_slice, .self = limits, .due = TIME_NEVER},
    };
    target->limited = true;
    return limits;
}

void nvme_target_limit_destroy(struct target_limits *limits)
{
    if (limits == NULL)
        return;
    env_timer_cancel(limits->target->site.env, &limits->timer);
    free(limits);
}
