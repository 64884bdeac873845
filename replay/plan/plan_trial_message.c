/* SPDX-License-Identifier: Apache-2.0
 * plan_trial_message - encodes a trial as a sequence of strings. */
#include "replay/plan/plan_trial_message.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = GRID_SETS_MAX + 2 }; /* 2 for points of moved cliffs */

/* ------------------------------------------------------------------ writing */

struct writing {
    char *at; /* NULL: only count the bytes */
    size_t length;
};

static void put_string(struct writing *writing, const char *word)
{
    const size_t size = strlen(word) + 1;
    if (writing->at != NULL)
        memcpy(writing->at + writing->length, word, size);
    writing->length += size;
}

static void put_number(struct writing *writing, int64_t number)
{
    char word[24];
    snprintf(word, sizeof word, "%" PRId64, number);
    put_string(writing, word);
}

static void put_all(struct writing *writing, const struct plan_trial *trial)
{
    const struct plan_failure *failure = trial->of->failure;
    put_number(writing, (int64_t)trial->seed);
    put_number(writing, trial->longest);
    put_number(writing, failure == NULL ? -1 : failure - trial->plan->failures);
    put_number(writing, trial->of->set_count);
    for (uint32_t i = 0; i < trial->of->set_count; i++)
        put_string(writing, trial->of->sets[i]);
    put_number(writing, trial->candidate->set_count);
    for (uint32_t i = 0; i < trial->candidate->set_count; i++)
        put_string(writing, trial->candidate->sets[i]);
}

char *plan_trial_message_write(const struct plan_trial *trial, size_t *length)
{
    struct writing counted = {NULL, 0};
    put_all(&counted, trial);
    struct writing written = {memory_new(counted.length), 0};
    put_all(&written, trial);
    *length = written.length;
    return written.at;
}

/* ------------------------------------------------------------------ reading */

struct reading {
    const char *at;
    size_t left;
    bool well;
};

static const char *read_string(struct reading *reading)
{
    const char *word = reading->at;
    const char *end = reading->left == 0 ? NULL : memchr(word, '\0', reading->left);
    if (end == NULL) {
        reading->well = false;
        return "";
    }
    reading->left -= (size_t)(end + 1 - word);
    reading->at = end + 1;
    return word;
}

/* A number from `least` to `most`. */
static int64_t take_number(struct reading *reading, int64_t least, int64_t most)
{
    const char *word = read_string(reading);
    char *end;
    const int64_t number = strtoll(word, &end, 10);
    reading->well &= end != word && *end == '\0' && number >= least && number <= most;
    return reading->well ? number : least;
}

bool plan_trial_message_read(struct arena *arena, const struct plan *plan, const char *bytes,
                             size_t length, struct plan_trial_message *errand)
{
    struct reading reading = {bytes, length, true};
    *errand = (struct plan_trial_message){.cell = {.name = ""}, .of = {.name = ""}};
    const uint64_t seed = (uint64_t)take_number(&reading, INT64_MIN, INT64_MAX);
    const int64_t longest = take_number(&reading, 1, INT64_MAX);
    const int64_t failure = take_number(&reading, -1, (int64_t)plan->failure_count - 1);
    errand->of.failure = failure < 0 ? NULL : &plan->failures[failure];
    errand->of.set_count = (uint32_t)take_number(
        &reading, 0, (int64_t)(sizeof errand->of.sets / sizeof *errand->of.sets));
    for (uint32_t i = 0; i < errand->of.set_count; i++)
        errand->of.sets[i] = read_string(&reading);
    errand->cell.set_count = (uint32_t)take_number(&reading, 0, SETS_MAX);
    errand->cell.sets = arena_array(arena, errand->cell.set_count + 1, sizeof *errand->cell.sets);
    for (uint32_t i = 0; i < errand->cell.set_count; i++)
        errand->cell.sets[i] = read_string(&reading);
    errand->trial = (struct plan_trial){plan, &errand->cell, &errand->of, seed, longest};
    return reading.well && reading.left == 0;
}
