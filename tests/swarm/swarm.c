/* SPDX-License-Identifier: Apache-2.0
 * swarm - plays scenarios that nobody wrote.
 * usage: swarm [--bent NAME] [--first SEED] [--seeds N] [--jobs N] [--reach] [--stop]
 *              [--keep FOLDER]
 *        swarm [--bent NAME] --print SEED | swarm [--seeds N] FILE...
 * Each seed is a scenario (draw.h), played in every way that must not matter (play.h) by a child
 * process: what aborts or hangs there is found like a broken law.  What is found is shrunk to the
 * least text that still breaks the same law and kept under tests/swarm/found, or FOLDER; FILEs are
 * played as they are, which is how what was found stays found: with each of FILE_SEEDS seeds, or
 * with N of them, the next file with the next ones.
 * --reach prints all that was reached, --stop ends at the first that is found.
 * Exit codes: 0 nothing was found and, of REACH_SEEDS or more, everything was reached; 1 otherwise.
 */
#include "draw.h"
#include "draw_bents.h"
#include "play.h"
#include "shrink.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REACH_SEEDS = 6000, JOBS_MAX = 16, FOUND_MAX = 12, FILE_SEEDS = 6 };

struct options {
    uint64_t first, seeds;
    unsigned jobs;
    bool reach, stop;
    const char *folder;
    enum bent bent; /* BENT_COUNT: any */
};

/* What children share. */
struct shared {
    struct reach reach;
    struct draw_count drawn;
    uint64_t next, played, costly, refused;
    uint64_t at[JOBS_MAX]; /* the seed that each child plays */
    uint64_t found_seed[FOUND_MAX];
    char found_law[FOUND_MAX][PLAY_TEXT];
    unsigned found;
    struct shrink_trial trial;
};

static struct shared *shared_new(void)
{
    void *place = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED);
    return place;
}

/* ------------------------------------------------------------------ a seed */

static unsigned ways_of(uint64_t seed)
{
    return (seed % 3 == 0 ? PLAY_THREADS : 0u) | (seed % 4 == 1 ? PLAY_RECORDED : 0u) |
           (seed % 2 == 0 ? PLAY_CHANGED : 0u);
}

static void note_found(struct shared *shared, uint64_t seed, const char *law)
{
    const unsigned number = __atomic_fetch_add(&shared->found, 1, __ATOMIC_RELAXED);
    if (number >= FOUND_MAX)
        return;
    shared->found_seed[number] = seed;
    snprintf(shared->found_law[number], PLAY_TEXT, "%s", law);
}

static void add_to(uint64_t *sum, uint64_t more)
{
    __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

static void play_seed(struct shared *shared, uint64_t seed, enum bent bent)
{
    static struct script script;
    static char text[SCRIPT_BYTES];
    static struct play_outcome outcome;
    struct draw_count count = {0};
    const bool drawn = draw_scenario(seed, bent, &script, &count);
    add_to(&shared->drawn.drawn, count.drawn);
    add_to(&shared->drawn.repaired, count.repaired);
    add_to(&shared->drawn.refused, count.refused);
    add_to(&shared->drawn.lines, count.lines);
    if (!drawn)
        return;
    script_text(&script, text);
    play_text(text, seed, ways_of(seed), &shared->reach, &outcome);
    add_to(&shared->refused, outcome.refused);
    add_to(&shared->costly, outcome.costly);
    if (outcome.broken[0] != '\0') {
        fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, outcome.broken);
        note_found(shared, seed, outcome.broken);
    }
}

/* ------------------------------------------------------------------ children */

static void work(struct shared *shared, const struct options *options, unsigned job)
{
    for (;;) {
        const uint64_t number = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED);
        if (number >= options->seeds || (options->stop && shared->found > 0))
            exit(0);
        shared->at[job] = options->first + number;
        alarm(SHRINK_SECONDS);
        play_seed(shared, shared->at[job], options->bent);
        add_to(&shared->played, 1);
    }
}

static pid_t start(struct shared *shared, const struct options *options, unsigned job)
{
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        work(shared, options, job);
    return child;
}

/* A child that dies has found something: its place is taken by another. */
static void play_all(struct shared *shared, const struct options *options)
{
    pid_t children[JOBS_MAX];
    unsigned alive = options->jobs;
    for (unsigned i = 0; i < options->jobs; i++)
        children[i] = start(shared, options, i);
    while (alive > 0) {
        int status;
        const pid_t ended = wait(&status);
        CHECK(ended > 0);
        for (unsigned i = 0; i < options->jobs; i++) {
            if (children[i] != ended)
                continue;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                alive--;
                break;
            }
            char law[PLAY_TEXT];
            shrink_describe_end(status, law);
            fprintf(stderr, "seed %" PRIu64 ": %s\n", shared->at[i], law);
            note_found(shared, shared->at[i], law);
            add_to(&shared->played, 1);
            children[i] = start(shared, options, i);
            break;
        }
    }
}

/* ------------------------------------------------------------------ what came of it */

static void keep_found(struct shared *shared, const struct options *options)
{
    static struct script script;
    for (unsigned i = 0; i < shared->found && i < FOUND_MAX; i++) {
        struct draw_count count = {0};
        const uint64_t seed = shared->found_seed[i];
        if (!draw_scenario(seed, options->bent, &script, &count))
            continue;
        shrink_script(&script, seed, ways_of(seed), &shared->trial);
        shrink_keep(&script, seed, &shared->trial, shared->found_law[i], options->folder);
    }
}

static int conclude(struct shared *shared, const struct options *options, double seconds)
{
    const unsigned missed = reach_print(&shared->reach, stdout, options->reach);
    const bool lacks = missed > 0 && options->seeds >= REACH_SEEDS;
    printf("%" PRIu64 " seeds from %" PRIu64 " on, %.1f s; lines left out of %" PRIu64
           " scenarios, %" PRIu64 " refused, %" PRIu64 " cut for their cost\n",
           shared->played, options->first, seconds, shared->drawn.repaired,
           shared->drawn.refused + shared->refused, shared->costly);
    printf("%u of %u features reached%s\n", shared->reach.count - missed, shared->reach.count,
           lacks ? ": those above never were, which is a finding" : "");
    printf("%u found\n", shared->found);
    return shared->found > 0 || lacks;
}

static int play_seeds(const struct options *options)
{
    struct timespec begun, ended;
    struct shared *shared = shared_new();
    reach_init(&shared->reach);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    play_all(shared, options);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (!options->stop)
        keep_found(shared, options);
    return conclude(shared, options,
                    (double)(ended.tv_sec - begun.tv_sec) +
                        (double)(ended.tv_nsec - begun.tv_nsec) * 1e-9);
}

static int print_seed(uint64_t seed, enum bent bent)
{
    static struct script script;
    static char text[SCRIPT_BYTES];
    struct draw_count count = {0};
    const bool drawn = draw_scenario(seed, bent, &script, &count);
    script_text(&script, text);
    fputs(text, stdout);
    return drawn ? 0 : 1;
}

/* Files that were found once, with what else a seed decides: threads, level, change. */
static int play_files(char *const *names, uint64_t seeds)
{
    struct shared *shared = shared_new();
    uint64_t next = 0;
    int code = 0;
    for (; *names != NULL; names++) {
        static struct script script;
        if (!shrink_read(*names, &script)) {
            fprintf(stderr, "%s: it cannot be read\n", *names);
            return 1;
        }
        for (uint64_t played = 0; played < FILE_SEEDS && played < seeds; played++) {
            shrink_try(&script, next++ % FILE_SEEDS, PLAY_ALL, &shared->trial);
            const struct play_outcome *outcome = &shared->trial.outcome;
            if (outcome->broken[0] == '\0' && !outcome->refused)
                continue;
            printf("%s: %s\n", *names,
                   outcome->refused ? "it is refused" : shared->trial.outcome.broken);
            code = 1;
            break;
        }
    }
    return code;
}

int main(int count, char **words)
{
    struct options options = {
        .first = 1, .seeds = 200, .jobs = 1, .folder = "tests/swarm/found", .bent = BENT_COUNT};
    draw_audit();
    int i = 1;
    for (; i < count && strncmp(words[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--print") == 0)
            return print_seed(strtoull(value, NULL, 10), options.bent);
        options.reach |= strcmp(words[i], "--reach") == 0;
        options.stop |= strcmp(words[i], "--stop") == 0;
        if (strcmp(words[i], "--reach") == 0 || strcmp(words[i], "--stop") == 0)
            continue;
        i++;
        if (strcmp(words[i - 1], "--first") == 0)
            options.first = strtoull(value, NULL, 10);
        else if (strcmp(words[i - 1], "--seeds") == 0)
            options.seeds = strtoull(value, NULL, 10);
        else if (strcmp(words[i - 1], "--jobs") == 0)
            options.jobs = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(words[i - 1], "--keep") == 0)
            options.folder = value;
        else if (strcmp(words[i - 1], "--bent") == 0)
            options.bent = bents_find(value);
        else {
            fprintf(stderr, "swarm: there is no option %s\n", words[i - 1]);
            return 2;
        }
    }
    if (options.jobs < 1 || options.jobs > JOBS_MAX)
        options.jobs = 1;
    return i < count ? play_files(words + i, options.seeds) : play_seeds(&options);
}
