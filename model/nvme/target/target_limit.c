/* SPDX-License-Identifier: Apache-2.0
 * target_limit - IOPS and bandwidth limits of a namespace for all its users, or of a subsystem.
 * Reads and writes that find a bucket (limit.h) empty wait in order and may be overtaken by
 * commands that use other buckets. A command must first pass the limits of its subsystem (a
 * tenant), then those of its namespace. */
#include "nvme/target/target_private.h"

#include "base/memory.h"

#include <stdlib.h>

struct target_limits {
    struct nvme_target *target;
    struct nvme_bucket bucket;
    struct target_list waiting;
    struct timer timer;
};

static bool take_tokens(struct target_limits *limits, const struct target_command *command)
{
    return nvme_bucket_take(&limits->bucket, command->media.op == MEDIA_READ, command->media.bytes);
}

static void watch(struct target_limits *limits)
{
    if (limits->waiting.first != NULL)
        env_timer_set(limits->target->site.env, &limits->timer, nvme_bucket_next(&limits->bucket));
}

/* Returns false when the command waits for these limits. */
static bool pass_limits(struct target_limits *limits, struct target_command *command)
{
    if (limits == NULL)
        return true;
    nvme_bucket_refill(&limits->bucket, nvme_target_now(command->queue));
    if (take_tokens(limits, command))
        return true;
    if (command->times.limit_at == 0)
        command->times.limit_at = nvme_target_now(command->queue);
    const bool first = limits->waiting.first == NULL;
    nvme_target_list_add(&limits->waiting, command);
    if (first)
        watch(limits);
    return false;
}

/* Commands of closing queues are removed with their queue. */
static void serve_waiting(struct target_limits *limits)
{
    struct target_list waiting = limits->waiting;
    struct target_command *command;
    limits->waiting = (struct target_list){0};
    nvme_bucket_refill(&limits->bucket, env_now(limits->target->site.env));
    while ((command = nvme_target_list_take(&waiting)) != NULL) {
        if (command->queue->state == TARGET_QUEUE_CLOSING)
            (void)nvme_target_command_back(command);
        else if (!take_tokens(limits, command))
            nvme_target_list_add(&limits->waiting, command);
        else if (limits == command->ns->limits || pass_limits(command->ns->limits, command))
            nvme_target_io_submit(command);
    }
    watch(limits);
}

static void slice_due(void *self, const void *what)
{
    struct target_limits *limits = self;
    (void)what;
    if (!nvme_stall_holds(&limits->target->stall, slice_due, limits, NULL, 0))
        serve_waiting(limits);
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
    return pass_limits(command->queue->controller->subsystem->limits, command) &&
           pass_limits(command->ns->limits, command);
}

struct target_limits *nvme_target_limit_create(struct nvme_target *target,
                                               const struct nvme_limits *most)
{
    if (!nvme_limits_any(most))
        return NULL;
    struct target_limits *limits = memory_new(sizeof *limits);
    *limits = (struct target_limits){
        .target = target,
        .timer = {.fire = on_slice, .self = limits, .due = TIME_NEVER},
    };
    nvme_bucket_init(&limits->bucket, most);
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
