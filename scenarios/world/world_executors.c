/* SPDX-License-Identifier: Apache-2.0
 * world_executors - creates executors, and handles the end of a window. */
#include "scenarios/world/world_executors_private.h"

#include "base/memory.h"

#include <stdlib.h>

static void sort_journal(void *self, uint32_t executor)
{
    probe_journal_sort(((struct world *)self)->journals[executor]);
}

static void end_window(void *self)
{
    struct world *world = self;
    probe_journal_flush(world->journals, world->engine.executors);
}

static void receive_mail(void *self, uint32_t executor)
{
    struct world *world = self;
    struct world_executor *to = &world->executors[executor];
    const uint32_t count = world->engine.executors;
    to->mail_side ^= 1;
    for (uint32_t from = 0; from < count; from++)
        if (from != executor)
            mail_receive(&world->mails[from * count + executor],
                         &world->mails[executor * count + from], &to->frames, &world->engine);
}

/* True if every entry that has begun still has a busy instance on this executor. Then no entry
 * finishes earlier than a lookahead after that instance. */
static bool has_all_busy(void *self, uint32_t executor)
{
    return ((struct world *)self)->executors[executor].spent == 0;
}

static time_ps earliest_mail(void *self)
{
    const struct world *world = self;
    time_ps earliest = TIME_NEVER;
    for (uint32_t i = 0; i < world->engine.executors * world->engine.executors; i++)
        if (mail_earliest(&world->mails[i]) < earliest)
            earliest = mail_earliest(&world->mails[i]);
    return earliest;
}

static void init_frames(const struct world *world, uint32_t count)
{
    struct frame_pool *pools[ENGINE_EXECUTORS_MAX];
    CHECK(count > 0 && count <= ENGINE_EXECUTORS_MAX);
    for (uint32_t i = 0; i < count; i++)
        pools[i] = &world->executors[i].frames;
    frame_pool_init_several(pools, count);
}

void world_executors_init(struct world *world, uint32_t count, const struct probe *observer)
{
    engine_share(&world->engine, count);
    world->executors =
        memory_aligned(count, sizeof *world->executors, alignof(struct world_executor));
    world->mails =
        memory_aligned((size_t)count * count, sizeof *world->mails, alignof(struct mail));
    world->journals = memory_zeroed(count, sizeof *world->journals);
    init_frames(world, count);
    for (uint32_t i = 0; i < count; i++) {
        struct world_executor *executor = &world->executors[i];
        probe_journal_init(&executor->journal, observer, &world->engine.executor[i].current);
        world->journals[i] = &executor->journal;
        engine_items(&world->engine, i, executor->frames.frames.items, sizeof(struct frame));
    }
    for (uint32_t i = 0; i < count * count; i++)
        mail_init(&world->mails[i], &world->executors[i / count].mail_side);
    world->window = (struct engine_window){
        .self = world,
        .ran = sort_journal,
        .end = end_window,
        .begin = count > 1 ? receive_mail : NULL,
        .leads = count > 1 ? has_all_busy : NULL,
        .earliest = count > 1 ? earliest_mail : NULL,
    };
    if (count > 1 || observer != &probe_none)
        world->engine.window = &world->window;
}

void world_executors_fini(struct world *world)
{
    const uint32_t count = world->engine.executors;
    for (uint32_t i = 0; i < count; i++) {
        frame_pool_fini(&world->executors[i].frames);
        probe_journal_fini(&world->executors[i].journal);
    }
    for (uint32_t i = 0; i < count * count; i++)
        mail_fini(&world->mails[i]);
    free(world->executors);
    free(world->mails);
    free(world->journals);
}

const struct frame_pool *world_frames(const struct world *world, uint32_t node)
{
    return &world->executors[world->engine.nodes[node]->executor].frames;
}

struct mail *world_mail(const struct world *world, const struct node *from, const struct node *to)
{
    if (from->executor == to->executor)
        return NULL;
    return &world->mails[from->executor * world->engine.executors + to->executor];
}
