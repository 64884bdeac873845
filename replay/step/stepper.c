/* SPDX-License-Identifier: Apache-2.0
 * stepper - watches the engine, and moves. */
#include "replay/step/stepper_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct world *stepper_world(const struct stepper *stepper)
{
    return stepper->world;
}

struct digest stepper_digest(const struct stepper *stepper)
{
    return engine_digest(&stepper->world->engine);
}

uint32_t stepper_host_of(const struct stepper *stepper, uint32_t endpoint)
{
    return stepper->words.host_of[endpoint];
}

struct step_position stepper_position(const struct stepper *stepper)
{
    return (struct step_position){
        .events = stepper->events,
        .now = stepper->world->engine.now,
        .between = stepper->between,
    };
}

bool step_position_reaches(const struct step_position *from, const struct step_goal *goal)
{
    if (goal->events != UINT64_MAX)
        return from->events < goal->events || (from->events == goal->events && !from->between);
    return from->now <= goal->until;
}

/* ------------------------------------------------------------------ the watch */

static void before(void *self, struct node *node, const struct event *event)
{
    struct stepper *stepper = self;
    if (!event_is_quiet(event))
        node_digest_event(node, event);
    struct eventlog_event *note = &stepper->recent[stepper->events % STEP_RECENT];
    *note = eventlog_note(stepper->world, event);
    if (stepper->goal->condition_count > 0)
        stepper_conditions_before(stepper, note, event);
}

/* Whether the move ends here, and why. */
static bool is_enough(struct stepper *stepper)
{
    const struct step_goal *goal = stepper->goal;
    struct step_moved *moved = stepper->moved;
    if (goal->hits > 0 && moved->hits >= goal->hits)
        moved->end = STEP_AT_HIT;
    else if (stepper->events == goal->events)
        moved->end = STEP_AT_EVENT;
    else if (stepper->events == stepper->slice_end)
        moved->end = STEP_AT_SLICE;
    else
        return false;
    return true;
}

static void after(void *self, struct node *node, const struct event *event)
{
    struct stepper *stepper = self;
    (void)event;
    stepper->events++;
    if (stepper->goal->condition_count > 0)
        stepper_conditions_after(stepper, node->id);
    if (is_enough(stepper))
        engine_pause(&stepper->world->engine);
}

/* ------------------------------------------------------------------ moving */

static bool is_behind(const struct stepper *stepper, const struct step_goal *goal)
{
    const time_ps now = stepper->world->engine.now;
    return stepper->events >= goal->events || goal->until < now ||
           (goal->until == now && stepper->between);
}

/* The next checkpoint to compare; TIME_NEVER if there is none. */
static time_ps next_check(const struct stepper *stepper)
{
    const struct step_checks *checks = stepper->checks;
    if (checks == NULL || stepper->differs_at != TIME_NEVER || stepper->checked == checks->count)
        return TIME_NEVER;
    return checks->list[stepper->checked].at;
}

static void look_at_check(struct stepper *stepper)
{
    const struct step_check *check = &stepper->checks->list[stepper->checked];
    stepper->differs_in = step_check_differs(check, stepper->world);
    if (stepper->differs_in == UINT32_MAX)
        stepper->checked++;
    else
        stepper->differs_at = check->at;
}

/* world_run, with a comparison at each checkpoint on the way. */
static bool run_to(struct stepper *stepper, time_ps until)
{
    for (;;) {
        const time_ps check = next_check(stepper), end = check < until ? check : until;
        const bool more = world_run(stepper->world, end);
        if (!more || stepper->world->engine.paused)
            return more;
        if (end == check)
            look_at_check(stepper);
        if (end == until)
            return true;
    }
}

static void move(struct stepper *stepper, const struct step_goal *goal, struct step_moved *moved)
{
    struct engine *engine = &stepper->world->engine;
    stepper->goal = goal;
    stepper->moved = moved;
    stepper->slice_end =
        goal->slice > UINT64_MAX - stepper->events ? UINT64_MAX : stepper->events + goal->slice;
    stepper_conditions_begin(stepper);
    const bool more = run_to(stepper, goal->until);
    stepper->between = !engine->paused;
    if (stepper->between)
        moved->end = more ? STEP_AT_TIME : STEP_AT_END;
    /* effects of a fault at exactly this time count, too */
    if (stepper->between && goal->condition_count > 0) {
        stepper_conditions_after(stepper, STEP_ANY);
        if (goal->hits > 0 && moved->hits >= goal->hits)
            moved->end = STEP_AT_HIT;
    }
    stepper->goal = &stepper->nothing;
}

void stepper_move(struct stepper *stepper, const struct step_goal *goal, struct step_moved *moved)
{
    *moved = (struct step_moved){.end = goal->events == UINT64_MAX ? STEP_AT_TIME : STEP_AT_EVENT};
    if (!is_behind(stepper, goal))
        move(stepper, goal, moved);
    moved->position = stepper_position(stepper);
    moved->checked = stepper->checked;
    moved->differs_at = stepper->differs_at;
    moved->differs_in = stepper->differs_in;
}

/* ------------------------------------------------------------------ the last events */

uint32_t stepper_recent(const struct stepper *stepper, uint32_t count, struct arena *arena,
                        struct eventlog_reported *reported, uint64_t *first)
{
    const uint64_t have = stepper->events < STEP_RECENT ? stepper->events : STEP_RECENT;
    count = count < have ? count : (uint32_t)have;
    *first = stepper->events - count + 1;
    for (uint32_t i = 0; i < count; i++)
        reported[i] = eventlog_tell(
            &stepper->words, &stepper->recent[(stepper->events - count + i) % STEP_RECENT], arena);
    return count;
}

/* ------------------------------------------------------------------ start and end */

struct stepper *stepper_new(const struct scenario *scenario, const struct step_checks *checks,
                            struct diag *diag)
{
    struct stepper *stepper = memory_zeroed(1, sizeof *stepper);
    stepper->checks = checks;
    stepper->differs_at = TIME_NEVER;
    stepper_conditions_init(stepper, scenario);
    stepper->goal = &stepper->nothing;
    stepper->world = world_build(scenario, &stepper->probe, diag);
    if (stepper->world == NULL) {
        stepper_free(stepper);
        return NULL;
    }
    eventlog_begin(&stepper->words, stepper->world);
    stepper->watch = (struct engine_watch){.self = stepper, .before = before, .after = after};
    stepper->world->engine.watch = &stepper->watch;
    return stepper;
}

void stepper_free(struct stepper *stepper)
{
    if (stepper == NULL)
        return;
    if (stepper->world != NULL)
        eventlog_fini(&stepper->words);
    world_free(stepper->world);
    free(stepper->issued);
    free(stepper->stops);
    free(stepper);
}
