/* SPDX-License-Identifier: Apache-2.0
 * diff - compares two databases, and reruns both scenarios if their digests differ. */
#include "replay/compare/diff.h"

#include "replay/database/stored.h"
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
        cannot_play(diff, "a stored scenario cannot be run by this version");
    stored_free(&stored[0]);
    stored_free(&stored[1]);
    return events;
}

static enum diff_events find_events(struct diff *diff, struct store *stores[2], bool progress,
                                    struct diag *diag)
{
    const struct compare_side *a = &diff->sides[0], *b = &diff->sides[1];
    if (a->measured || b->measured)
        return cannot_play(diff, "a measured run cannot be replayed");
    if (strcmp(diff->digests[0], diff->digests[1]) == 0)
        return DIFF_EVENTS_EQUAL;
    return play_both(diff, stores, progress, diag);
}

/* ------------------------------------------------------------------ entry point */

static bool refuse_diff(struct diff *diff, const char *path, const char *why)
{
    snprintf(diff->why, sizeof diff->why, "%.200s: %.280s", path, why);
    return false;
}

static bool is_well(struct diff *diff, const char *path, const struct store *store)
{
    return store_error(store) == NULL || refuse_diff(diff, path, store_error(store));
}

static bool read_side(struct diff *diff, int which, struct store *store, const char *path)
{
    char digest[DIGEST_TEXT_BYTES], why[STORE_ERROR_BYTES];
    compare_side_read(&diff->sides[which], &diff->arena, store, path);
    store_ask_text(store, "SELECT digest FROM meta", digest, sizeof digest);
    diff->digests[which] = arena_text(&diff->arena, digest, strlen(digest));
    if (stored_is_cut(store, why))
        return refuse_diff(diff, path, why);
    return is_well(diff, path, store);
}

static bool open_side(struct diff *diff, int which, struct store **store, const char *path)
{
    char why[STORE_ERROR_BYTES];
    *store = stored_open(path, why);
    return *store == NULL ? refuse_diff(diff, path, why) : read_side(diff, which, *store, path);
}

enum diff_end diff_runs(struct diff *diff, const char *a, const char *b, bool progress,
                        struct diag *diag)
{
    struct store *stores[2] = {NULL, NULL};
    *diff = (struct diff){0};
    bool well = open_side(diff, 0, &stores[0], a) && open_side(diff, 1, &stores[1], b);
    if (well) {
        diff_read(diff, stores);
        well = is_well(diff, a, stores[0]) && is_well(diff, b, stores[1]);
    }
    if (well) {
        diff->events = find_events(diff, stores, progress, diag);
        checkpoint_compare(stores[0], stores[1], &diff->recorded);
        checkpoint_nodes(&diff->recorded, stores[0], diff->nodes);
    }
    for (int i = 0; i < 2; i++)
        store_close(stores[i]);
    return well ? DIFF_DONE : DIFF_REFUSED;
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
           strcmp(diff->digests[0], diff->digests[1]) == 0;
}
