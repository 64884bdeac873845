/* SPDX-License-Identifier: Apache-2.0
 * diff - two databases, and both runs once more when their digests differ. */
#include "replay/diff.h"

#include "replay/stored.h"
#include "scenarios/embedded.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *heading;
} sections[DIFF_SECTION_COUNT] = {
#define X(NAME, word, heading) {word, heading},
    DIFF_SECTIONS(X)
#undef X
};

const char *diff_section_word(enum diff_section_kind kind)
{
    return sections[kind].word;
}

const char *diff_section_heading(enum diff_section_kind kind)
{
    return sections[kind].heading;
}

/* ------------------------------------------------------------------ sides */

static const char *ask(struct diff *diff, struct store *store, const char *sql)
{
    char text[256];
    store_ask_text(store, sql, text, sizeof text);
    return arena_text(&diff->arena, text, strlen(text));
}

static void read_side(struct diff *diff, struct diff_side *side, struct store *store,
                      const char *path)
{
    *side = (struct diff_side){
        .path = path,
        .scenario = ask(diff, store, "SELECT scenario FROM meta"),
        .version = ask(diff, store, "SELECT version FROM meta"),
        .status = ask(diff, store, "SELECT status FROM meta"),
        .record = ask(diff, store, "SELECT record FROM meta"),
        .digest = ask(diff, store, "SELECT digest FROM meta"),
        .measured = store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0,
    };
}

/* ------------------------------------------------------------------ events */

static enum diff_events cannot_play(struct diff *diff, const char *why)
{
    snprintf(diff->why, sizeof diff->why, "%s", why);
    return DIFF_EVENTS_UNKNOWN;
}

static enum diff_events play_both(struct diff *diff, struct store *stores[2], bool progress,
                                  struct diag *diag)
{
    struct stored stored[2] = {0};
    enum diff_events events = DIFF_EVENTS_UNKNOWN;
    const bool loaded =
        stored_load(&stored[0], stores[0], diag) && stored_load(&stored[1], stores[1], diag);
    if (loaded) {
        const struct lockstep_side sides[2] = {{stored[0].scenario, stored[0].until},
                                               {stored[1].scenario, stored[1].until}};
        switch (lockstep_play(&diff->lockstep, sides, progress, diag)) {
        case LOCKSTEP_EQUAL:
            events = DIFF_EVENTS_EQUAL;
            break;
        case LOCKSTEP_PARTED:
            events = DIFF_EVENTS_PARTED;
            break;
        case LOCKSTEP_REFUSED:
            break;
        }
    }
    if (events == DIFF_EVENTS_UNKNOWN)
        cannot_play(diff, "a stored scenario cannot be played by this version");
    stored_free(&stored[0]);
    stored_free(&stored[1]);
    return events;
}

static enum diff_events find_events(struct diff *diff, struct store *stores[2], bool progress,
                                    struct diag *diag)
{
    const struct diff_side *a = &diff->sides[0], *b = &diff->sides[1];
    if (a->measured || b->measured)
        return cannot_play(diff, "what was measured cannot be played again");
    if (strcmp(a->digest, b->digest) == 0)
        return DIFF_EVENTS_EQUAL;
    return play_both(diff, stores, progress, diag);
}

/* ------------------------------------------------------------------ all of it */

static enum diff_end diff_stores(struct diff *diff, struct store *stores[2],
                                 const char *const *paths, bool progress, struct diag *diag)
{
    for (int i = 0; i < 2; i++) {
        struct diff_side *side = &diff->sides[i];
        read_side(diff, side, stores[i], paths[i]);
        char why[STORE_ERROR_BYTES];
        if (!stored_is_readable(stores[i], why)) {
            snprintf(diff->why, sizeof diff->why, "%.200s: %.280s", paths[i], why);
            return DIFF_REFUSED;
        }
        if (store_error(stores[i]) == NULL && strcmp(side->status, "running") != 0)
            continue;
        snprintf(diff->why, sizeof diff->why, "%.200s: %.280s", paths[i],
                 store_error(stores[i]) != NULL ? store_error(stores[i])
                                                : "the run did not end, so it has no results");
        return DIFF_REFUSED;
    }
    diff_read(diff, stores);
    for (int i = 0; i < 2; i++)
        if (store_error(stores[i]) != NULL) {
            snprintf(diff->why, sizeof diff->why, "%.200s: %.280s", paths[i],
                     store_error(stores[i]));
            return DIFF_REFUSED;
        }
    diff->events = find_events(diff, stores, progress, diag);
    checkpoint_compare(stores[0], stores[1], &diff->recorded);
    checkpoint_nodes(&diff->recorded, stores[0], diff->nodes);
    return DIFF_DONE;
}

enum diff_end diff_runs(struct diff *diff, const char *a, const char *b, bool progress,
                        struct diag *diag)
{
    const char *const paths[2] = {a, b};
    struct store *stores[2] = {NULL, NULL};
    enum diff_end end = DIFF_REFUSED;
    *diff = (struct diff){0};
    for (int i = 0; i < 2 && (i == 0 || stores[0] != NULL); i++) {
        char why[STORE_ERROR_BYTES];
        stores[i] = store_open(paths[i], why);
        if (stores[i] == NULL)
            snprintf(diff->why, sizeof diff->why, "%.200s: %.280s", paths[i], why);
    }
    if (stores[0] != NULL && stores[1] != NULL)
        end = diff_stores(diff, stores, paths, progress, diag);
    for (int i = 0; i < 2; i++)
        store_close(stores[i]);
    return end;
}

void diff_free(struct diff *diff)
{
    lockstep_free(&diff->lockstep);
    arena_free(&diff->arena);
}

bool diff_is_equal(const struct diff *diff)
{
    size_t different = 0;
    for (int i = 0; i < DIFF_SECTION_COUNT; i++)
        different += diff->sections[i].count;
    return different == 0 && diff->events == DIFF_EVENTS_EQUAL &&
           strcmp(diff->sides[0].digest, diff->sides[1].digest) == 0;
}
