/* SPDX-License-Identifier: Apache-2.0
 * lockstep - windows of events, and the first node that acts differently.
 * Only the events of the current window and the previous one are kept. */
#include "replay/run/lockstep.h"

#include "base/memory.h"
#include "replay/database/words.h"
#include "replay/run/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A window grows while it has fewer events than this, and shrinks if it has more than four times as
 * many. */
enum { WINDOW_EVENTS = 32768, EXTRA_WINDOWS = 12, LOOK_AHEAD = 16 };
static const time_ps window_min = PS_PER_US / 64, window_max = 64 * PS_PER_US;

#define NOBODY UINT32_MAX

/* A node's events within a window: `count` indices from `first` on. */
struct share {
    uint32_t first, count;
};

struct side {
    const struct lockstep_side *about;
    struct world *world;
    struct eventlog log;
    uint32_t *place;      /* by node: its index among side 0's nodes, or after them */
    struct share *shares; /* by that index */
    uint32_t *sorted;     /* indices of events by node index, in order of time */
    uint32_t sorted_room;
    uint32_t former; /* events of the previous window, kept in the log for output */
    uint64_t passed; /* events of all earlier windows */
    bool over;
};

struct play {
    struct lockstep *result;
    struct side sides[2];
    uint32_t places;
    const char **names; /* by node index */
    time_ps now, window;
    struct progress progress;
};

/* ------------------------------------------------------------------ both worlds */

static uint32_t find_node(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (strcmp(scenario->nodes[i].name, name) == 0)
            return i;
    return NOBODY;
}

/* Nodes correspond if they have the same name; nodes that only side 1 has come last. */
static void place_nodes(struct play *play)
{
    const struct scenario *first = play->sides[0].about->scenario;
    const struct scenario *second = play->sides[1].about->scenario;
    const uint32_t most = first->node_count + second->node_count;
    play->names = memory_zeroed(most, sizeof *play->names);
    for (int i = 0; i < 2; i++)
        play->sides[i].place = memory_zeroed(most, sizeof(uint32_t));
    for (uint32_t i = 0; i < first->node_count; i++) {
        play->names[i] = first->nodes[i].name;
        play->sides[0].place[i] = i;
    }
    play->places = first->node_count;
    for (uint32_t i = 0; i < second->node_count; i++) {
        const char *name = second->nodes[i].name;
        /* usually both sides have the same nodes in the same order */
        const bool same = i < first->node_count && strcmp(first->nodes[i].name, name) == 0;
        uint32_t place = same ? i : find_node(first, name);
        if (place == NOBODY) {
            place = play->places++;
            play->names[place] = name;
        }
        play->sides[1].place[i] = place;
    }
    for (int i = 0; i < 2; i++)
        play->sides[i].shares = memory_zeroed(play->places, sizeof(struct share));
}

static bool begin_sides(struct play *play, const struct lockstep_side sides[2], struct diag *diag)
{
    for (int i = 0; i < 2; i++) {
        struct side *side = &play->sides[i];
        side->about = &sides[i];
        side->world = world_build(sides[i].scenario, &probe_none, diag);
        if (side->world == NULL)
            return false;
        eventlog_init(&side->log, side->world);
    }
    place_nodes(play);
    return true;
}

static void end_sides(struct play *play)
{
    for (int i = 0; i < 2; i++) {
        struct side *side = &play->sides[i];
        if (side->world != NULL)
            eventlog_fini(&side->log);
        world_free(side->world);
        free(side->place);
        free(side->shares);
        free(side->sorted);
    }
    free(play->names);
}

/* ------------------------------------------------------------------ windows */

static void advance_side(struct side *side, time_ps to)
{
    const time_ps until = side->about->until;
    if (side->over)
        return;
    side->over = !world_run(side->world, to < until ? to : until) || to >= until;
}

/* Forgets all windows before the previous one. */
static void forget(struct side *side)
{
    struct eventlog *log = &side->log;
    const uint32_t last = log->count - side->former;
    memmove(log->events, log->events + side->former, last * sizeof *log->events);
    log->count = side->former = last;
    side->passed += last;
}

static void sort_by_place(struct side *side, uint32_t places)
{
    const struct eventlog *log = &side->log;
    if (side->sorted_room < log->count) {
        free(side->sorted);
        side->sorted_room = log->room;
        side->sorted = memory_zeroed(side->sorted_room, sizeof *side->sorted);
    }
    memset(side->shares, 0, places * sizeof *side->shares);
    for (uint32_t i = side->former; i < log->count; i++)
        side->shares[side->place[log->events[i].node]].count++;
    uint32_t first = 0;
    for (uint32_t i = 0; i < places; i++) {
        side->shares[i].first = first;
        first += side->shares[i].count;
        side->shares[i].count = 0;
    }
    for (uint32_t i = side->former; i < log->count; i++) {
        struct share *share = &side->shares[side->place[log->events[i].node]];
        side->sorted[share->first + share->count++] = i;
    }
}

/* The n-th event of a node in the current window; NULL if it has fewer. */
static const struct eventlog_event *nth(const struct side *side, uint32_t place, uint32_t n)
{
    const struct share *share = &side->shares[place];
    return n < share->count ? &side->log.events[side->sorted[share->first + n]] : NULL;
}

/* Number of leading events of a node in the window that are equal. */
static uint32_t same_events(const struct play *play, uint32_t place)
{
    for (uint32_t n = 0;; n++) {
        const struct eventlog_event *a = nth(&play->sides[0], place, n);
        const struct eventlog_event *b = nth(&play->sides[1], place, n);
        if (a == NULL || b == NULL || !eventlog_equal(a, b))
            return n;
    }
}

static bool is_equal_in_order(const struct play *play)
{
    const struct side *a = &play->sides[0], *b = &play->sides[1];
    const uint32_t count = a->log.count - a->former;
    if (b->log.count - b->former != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct eventlog_event *left = &a->log.events[a->former + i];
        const struct eventlog_event *right = &b->log.events[b->former + i];
        if (a->place[left->node] != b->place[right->node] || !eventlog_equal(left, right))
            return false;
    }
    return true;
}

/* When a node's events diverge in this window; TIME_NEVER if they do not. */
static time_ps parts_at(const struct play *play, uint32_t place, uint32_t *same)
{
    *same = same_events(play, place);
    const struct eventlog_event *a = nth(&play->sides[0], place, *same);
    const struct eventlog_event *b = nth(&play->sides[1], place, *same);
    const time_ps left = a == NULL ? TIME_NEVER : a->at, right = b == NULL ? TIME_NEVER : b->at;
    return left < right ? left : right;
}

/* The node whose events diverge first; NOBODY if none do. */
static uint32_t first_to_part(struct play *play, uint32_t *same, time_ps *at)
{
    uint32_t found = NOBODY;
    *at = TIME_NEVER;
    if (is_equal_in_order(play))
        return NOBODY;
    for (int i = 0; i < 2; i++)
        sort_by_place(&play->sides[i], play->places);
    for (uint32_t place = 0; place < play->places; place++) {
        uint32_t count;
        const time_ps when = parts_at(play, place, &count);
        if (when >= *at)
            continue;
        *at = when;
        *same = count;
        found = place;
    }
    return found;
}

/* ------------------------------------------------------------------ output */

/* Reports the node's last events in the log before index `before`, oldest first. */
static void tell_before(const struct play *play, uint32_t place, uint32_t before)
{
    const struct side *side = &play->sides[0];
    struct lockstep *result = play->result;
    uint32_t indices[LOCKSTEP_BEFORE], count = 0;
    for (uint32_t i = before; i-- > 0 && count < LOCKSTEP_BEFORE;)
        if (side->place[side->log.events[i].node] == place)
            indices[count++] = i;
    result->same_count = count;
    for (uint32_t i = 0; i < count; i++)
        result->same[i] =
            eventlog_tell(&side->log, &side->log.events[indices[count - 1 - i]], &result->arena);
}

/* By how much later the event occurs on the other side; false if it is not among the next ones.
 * Events without a frame are indistinguishable, so only the very next one can be the same. */
static bool comes_later(const struct side *other, uint32_t place, uint32_t from,
                        const struct eventlog_event *event, time_ps *later)
{
    for (uint32_t n = 0; n < LOOK_AHEAD; n++) {
        const struct eventlog_event *candidate = nth(other, place, from + n);
        if (candidate == NULL || (n > 0 && event->bytes == 0))
            return false;
        struct eventlog_event moved = *candidate;
        moved.at = event->at;
        *later = candidate->at - event->at;
        if (eventlog_equal(event, &moved))
            return true;
    }
    return false;
}

static const char *how_events_part(const struct eventlog_event *a, const struct eventlog_event *b)
{
    if (a->at != b->at)
        return a->at < b->at ? "B does not have A's event" : "A does not have B's event";
    if (a->kind != b->kind || a->port != b->port)
        return "different event at the same time";
    if (a->opcode != b->opcode || a->bytes != b->bytes || a->psn != b->psn || a->qpn != b->qpn ||
        a->source != b->source || a->destination != b->destination)
        return "different frame at the same time";
    return "same event, different outcome";
}

static const char *how_they_part(const struct play *play, uint32_t place, uint32_t same)
{
    struct arena *arena = &play->result->arena;
    const struct eventlog_event *first[2];
    for (int i = 0; i < 2; i++)
        first[i] = nth(&play->sides[i], place, same);
    for (int i = 0; i < 2; i++)
        if (first[i] == NULL)
            return arena_format(
                arena, play->sides[i].over ? "%c has ended" : "%c has no event here", "AB"[i]);
    for (int i = 0; i < 2; i++) {
        time_ps later;
        if (first[i]->at > first[!i]->at ||
            !comes_later(&play->sides[!i], place, same, first[i], &later))
            continue;
        if (later == 0)
            return "events at the same time in a different order";
        return arena_format(arena, "the event of %c happens %s later in %c", "AB"[i],
                            words_time(later).text, "AB"[!i]);
    }
    return how_events_part(first[0], first[1]);
}

/* From here on the log keeps only the events of one node, which this side may not have. */
static void keep_only(struct side *side, uint32_t place)
{
    side->log.only = NOBODY - 1;
    for (uint32_t i = 0; i < side->about->scenario->node_count; i++)
        if (side->place[i] == place)
            side->log.only = i;
}

static bool has_shown_enough(const struct play *play, uint32_t place, uint32_t same)
{
    for (int i = 0; i < 2; i++)
        if (!play->sides[i].over && play->sides[i].shares[place].count < same + LOCKSTEP_BEHIND)
            return false;
    return true;
}

/* Continues until both sides have shown what the node does next. */
static void play_on(struct play *play, uint32_t place, uint32_t same)
{
    for (int i = 0; i < 2; i++)
        keep_only(&play->sides[i], place);
    for (int n = 0; n < EXTRA_WINDOWS && !has_shown_enough(play, place, same); n++) {
        play->now += play->window;
        play->window *= 2;
        for (int i = 0; i < 2; i++) {
            advance_side(&play->sides[i], play->now);
            sort_by_place(&play->sides[i], play->places);
        }
    }
}

static void tell_next(const struct play *play, int which, uint32_t place, uint32_t same)
{
    const struct side *side = &play->sides[which];
    struct lockstep *result = play->result;
    for (uint32_t n = 0; n < LOCKSTEP_BEHIND; n++) {
        const struct eventlog_event *event = nth(side, place, same + n);
        if (event == NULL)
            break;
        result->next[which][result->counts[which]++] =
            eventlog_tell(&side->log, event, &result->arena);
    }
}

static void tell_parting(struct play *play, uint32_t place, uint32_t same)
{
    struct lockstep *result = play->result;
    const struct side *first = &play->sides[0];
    const char *name = play->names[place];
    result->node = arena_text(&result->arena, name, strlen(name));
    for (int i = 0; i < 2; i++) {
        const struct side *side = &play->sides[i];
        result->events[i] = side->passed;
        for (uint32_t k = side->former; k < side->log.count; k++)
            result->events[i] += side->log.events[k].at < result->at;
    }
    play_on(play, place, same);
    for (int i = 0; i < 2; i++)
        tell_next(play, i, place, same);
    result->how = how_they_part(play, place, same);
    tell_before(play, place,
                same < first->shares[place].count ? first->sorted[first->shares[place].first + same]
                                                  : first->log.count);
}

/* ------------------------------------------------------------------ entry point */

static void next_window(struct play *play)
{
    uint32_t events = 0;
    for (int i = 0; i < 2; i++) {
        const uint32_t own = play->sides[i].log.count - play->sides[i].former;
        events = own > events ? own : events;
    }
    if (events < WINDOW_EVENTS && play->window < window_max)
        play->window *= 2;
    else if (events > 4 * WINDOW_EVENTS && play->window > window_min)
        play->window /= 2;
    for (int i = 0; i < 2; i++)
        forget(&play->sides[i]);
}

static enum lockstep_end play_windows(struct play *play)
{
    struct lockstep *result = play->result;
    play->window = PS_PER_US;
    while (!play->sides[0].over || !play->sides[1].over) {
        uint32_t same = 0;
        play->now += play->window;
        for (int i = 0; i < 2; i++)
            advance_side(&play->sides[i], play->now);
        progress_show(&play->progress, play->now, play->sides[0].about->scenario->duration);
        const uint32_t place = first_to_part(play, &same, &result->at);
        if (place != NOBODY) {
            tell_parting(play, place, same);
            return LOCKSTEP_PARTED;
        }
        next_window(play);
    }
    return LOCKSTEP_EQUAL;
}

enum lockstep_end lockstep_play(struct lockstep *lockstep, const struct lockstep_side sides[2],
                                bool progress, struct diag *diag)
{
    struct play play = {.result = lockstep};
    *lockstep = (struct lockstep){0};
    progress_begin(&play.progress, progress);
    const enum lockstep_end verdict =
        begin_sides(&play, sides, diag) ? play_windows(&play) : LOCKSTEP_REFUSED;
    progress_end(&play.progress);
    end_sides(&play);
    return verdict;
}

void lockstep_free(struct lockstep *lockstep)
{
    arena_free(&lockstep->arena);
}
