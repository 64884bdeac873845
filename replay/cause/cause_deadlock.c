/* SPDX-License-Identifier: Apache-2.0
 * cause_deadlock - queues that wait for each other indefinitely. */
#include "replay/cause/causes.h"

#include <stdio.h>

static void word_loop(const struct harm_scene *scene, const struct deadlock *deadlock, char *text,
                      size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s deadlock",
                                   deadlock->gone == TIME_NEVER ? "permanent" : "temporary");
    for (uint32_t i = 0; i < deadlock->cycle && used + 40 < size; i++) {
        char name[HARM_NAME_BYTES];
        const uint32_t port =
            scene_port_of(scene, deadlock->queues[i].node, deadlock->queues[i].port);
        used += (size_t)snprintf(text + used, size - used, "%s %.30s", i == 0 ? "" : " ->",
                                 cause_port_name(scene, port, name, sizeof name));
    }
}

static void look_at_deadlock(struct cause_search *search, const struct harm_scene *scene)
{
    const struct deadlock_watch *watch = &scene->world->deadlocks;
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct deadlock *deadlock = &watch->found[i];
        struct cause_clue clue = cause_clue();
        clue.place.port = scene_port_of(scene, deadlock->queues[0].node, deadlock->queues[0].port);
        clue.priority = deadlock->priority;
        clue.parts = HARM_LOST_PARTS | HARM_BIT(PAUSE);
        clue.everywhere = true;
        clue.faults = "misroute";
        clue.anywhere = true;
        clue.far_rows = "routes";
        clue.late_faults = "link-down link-flap switch-down";
        clue.otherwise = HARM_SWITCH;
        clue.proven = true;
        clue.standing = deadlock->gone == TIME_NEVER;
        word_loop(scene, deadlock, clue.seen, sizeof clue.seen);
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_deadlock = {
    .name = "deadlock",
    .about = "Queues wait for each other in a cycle.",
    .look = look_at_deadlock,
};
