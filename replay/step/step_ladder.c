/* SPDX-License-Identifier: Apache-2.0
 * step_ladder - rungs, and where to start. */
#include "replay/step/step_ladder.h"

#include <string.h>

/* Limit for all rungs together, if none of their pages were shared. */
static const uint64_t memory_most = UINT64_C(2) << 30;

static const struct step_goal nowhere = {
    .events = UINT64_MAX, .until = TIME_NEVER, .slice = UINT64_MAX};

bool step_ladder_begin(struct step_ladder *ladder, struct stepper *stepper)
{
    uint64_t bytes;
    *ladder = (struct step_ladder){.count = 1, .most = STEP_RUNGS_MIN, .every = STEP_RUNG_EVENTS};
    ladder->present.player.fd = -1;
    if (!step_player_start(&ladder->rungs[0].player, stepper) ||
        !step_player_double(&ladder->rungs[0].player, &ladder->present.player) ||
        !step_player_memory(&ladder->rungs[0].player, &bytes))
        return false;
    const uint64_t fit = memory_most / (bytes + 1);
    if (fit > STEP_RUNGS_MIN)
        ladder->most = fit < STEP_RUNGS_MAX ? (uint32_t)fit : STEP_RUNGS_MAX;
    return true;
}

void step_ladder_end(struct step_ladder *ladder)
{
    for (uint32_t i = 0; i < ladder->count; i++)
        step_player_end(&ladder->rungs[i].player);
    step_player_end(&ladder->present.player);
    ladder->count = 0;
}

/* ------------------------------------------------------------------ rungs */

static bool is_after(const struct step_position *a, const struct step_position *b)
{
    if (a->events != b->events)
        return a->events > b->events;
    return a->now != b->now ? a->now > b->now : a->between && !b->between;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void remove_rung(struct step_ladder *ladder, uint32_t index)
{
    step_player_end(&ladder->rungs[index].player);
    ladder->count--;
    memmove(&ladder->rungs[index], &ladder->rungs[index + 1],
            (ladder->count - index) * sizeof ladder->rungs[0]);
}

/* The rung to drop: the one that leaves the smallest gap relative to its distance from the current
 * position. The first rung stays. */
static uint32_t least_missed(const struct step_ladder *ladder)
{
    const uint64_t now = ladder->present.position.events;
    uint32_t found = 1;
    double least = 0;
    for (uint32_t i = 1; i < ladder->count; i++) {
        const uint64_t from = ladder->rungs[i - 1].position.events;
        const uint64_t at = ladder->rungs[i].position.events;
        const uint64_t to = i + 1 < ladder->count ? ladder->rungs[i + 1].position.events : at;
        const double gap = (double)(to - from) / (double)(distance(at, now) + ladder->every);
        if (i > 1 && gap >= least)
            continue;
        least = gap;
        found = i;
    }
    return found;
}

/* Takes over the rung's player. */
static void add_rung(struct step_ladder *ladder, const struct step_rung *rung)
{
    uint32_t at = ladder->count;
    while (at > 0 && is_after(&ladder->rungs[at - 1].position, &rung->position))
        at--;
    memmove(&ladder->rungs[at + 1], &ladder->rungs[at],
            (ladder->count - at) * sizeof ladder->rungs[0]);
    ladder->rungs[at] = *rung;
    ladder->count++;
    if (ladder->count > ladder->most)
        remove_rung(ladder, least_missed(ladder));
}

/* No rung is closer than `every` events to the current position. */
static bool needs_rung(const struct step_ladder *ladder)
{
    const uint64_t now = ladder->present.position.events;
    for (uint32_t i = 0; i < ladder->count; i++)
        if (distance(ladder->rungs[i].position.events, now) < ladder->every)
            return false;
    return true;
}

/* If no process can be created, there is no rung, and going back takes longer. */
static void leave_rung(struct step_ladder *ladder)
{
    struct step_rung rung = {.position = ladder->present.position};
    if (needs_rung(ladder) && step_player_double(&ladder->present.player, &rung.player))
        add_rung(ladder, &rung);
}

/* The last rung from which the goal can be reached. */
static const struct step_rung *rung_before(const struct step_ladder *ladder,
                                           const struct step_goal *goal)
{
    uint32_t i = ladder->count - 1;
    while (i > 0 && !step_position_reaches(&ladder->rungs[i].position, goal))
        i--;
    return &ladder->rungs[i];
}

/* Makes a copy of the rung the current player; the previous one becomes a rung if one is needed
 * there. */
static bool go_to_rung(struct step_ladder *ladder, const struct step_rung *rung)
{
    struct step_rung next = {.position = rung->position};
    if (!step_player_double(&rung->player, &next.player))
        return false;
    const struct step_rung former = ladder->present;
    const bool keep = needs_rung(ladder);
    ladder->present = next;
    if (keep) {
        add_rung(ladder, &former);
    } else {
        struct step_player player = former.player;
        step_player_end(&player);
    }
    return true;
}

/* ------------------------------------------------------------------ moving */

bool step_ladder_move(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved)
{
    struct step_goal part = *goal;
    uint64_t hits = 0;
    part.slice = ladder->every;
    do {
        part.hits = goal->hits > 0 ? goal->hits - hits : 0;
        if (!step_player_move(&ladder->present.player, &part, moved))
            return false;
        ladder->present.position = moved->position;
        hits += moved->hits;
        leave_rung(ladder);
    } while (moved->end == STEP_AT_SLICE &&
             (ladder->is_asked_to_stop == NULL || !ladder->is_asked_to_stop()));
    moved->hits = hits;
    return true;
}

bool step_ladder_seek(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved)
{
    const struct step_rung *rung = rung_before(ladder, goal);
    if (!step_position_reaches(&ladder->present.position, goal) ||
        is_after(&rung->position, &ladder->present.position))
        if (!go_to_rung(ladder, rung))
            return false;
    return step_ladder_move(ladder, goal, moved);
}

/* ------------------------------------------------------------------ back to a hit */

/* Counts hits after the rung, up to and including the event. */
static bool count_hits(const struct step_rung *rung, const struct step_goal *conditions,
                       uint64_t until, uint64_t *hits)
{
    struct step_player copy;
    struct step_goal goal = *conditions;
    struct step_moved moved;
    goal.events = until;
    goal.until = TIME_NEVER;
    goal.slice = UINT64_MAX;
    goal.hits = 0;
    if (!step_player_double(&rung->player, &copy))
        return false;
    const bool well = step_player_move(&copy, &goal, &moved);
    *hits = moved.hits;
    step_player_end(&copy);
    return well;
}

static bool go_to_hit(struct step_ladder *ladder, const struct step_rung *rung,
                      const struct step_goal *conditions, uint64_t hit, struct step_moved *moved)
{
    struct step_goal goal = *conditions;
    goal.events = UINT64_MAX;
    goal.until = TIME_NEVER;
    goal.hits = hit;
    return go_to_rung(ladder, rung) && step_ladder_move(ladder, &goal, moved);
}

bool step_ladder_back(struct step_ladder *ladder, const struct step_goal *conditions, uint64_t n,
                      uint64_t *left, struct step_moved *moved)
{
    const struct step_position *now = &ladder->present.position;
    uint64_t last = now->events == 0 || now->between ? now->events : now->events - 1;
    for (uint32_t i = ladder->count; i-- > 0;) {
        const struct step_rung *rung = &ladder->rungs[i];
        uint64_t hits = 0;
        if (rung->position.events >= last)
            continue;
        if (!count_hits(rung, conditions, last, &hits))
            return false;
        if (hits >= n) {
            *left = 0;
            return go_to_hit(ladder, rung, conditions, hits - n + 1, moved);
        }
        n -= hits;
        last = rung->position.events;
    }
    struct step_goal begin = nowhere;
    begin.events = 0;
    *left = n;
    return step_ladder_seek(ladder, &begin, moved);
}
