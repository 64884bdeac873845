/* SPDX-License-Identifier: Apache-2.0
 * shrink - the least scenario that still breaks the same law.
 * Lines are taken out with what belongs to them, larger pieces first, and numbers made smaller, as
 * long as the same law is broken; each trial is a child process of its own.
 * Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 28(2), 2002.
 */
#ifndef STORMGLASS_TESTS_SWARM_SHRINK_H
#define STORMGLASS_TESTS_SWARM_SHRINK_H

#include "play.h"
#include "script.h"

enum { SHRINK_SECONDS = 240, SHRINK_TRIALS = 400 };

/* In memory that a child shares. */
struct shrink_trial {
    struct play_outcome outcome;
};

/* Plays it in a child; a death or a hang is an outcome too. */
void shrink_try(const struct script *script, uint64_t seed, unsigned ways,
                struct shrink_trial *trial);

/* Leaves the least in the script, and its outcome in the trial. */
void shrink_script(struct script *script, uint64_t seed, unsigned ways, struct shrink_trial *trial);

/* Writes it into the folder, named after its law, and prints how it is played. */
void shrink_keep(const struct script *script, uint64_t seed, const struct shrink_trial *trial,
                 const char *law, const char *folder);

bool shrink_read(const char *path, struct script *script);

/* "aborted", "took more than 240 s" ... of a child's status. */
void shrink_describe_end(int status, char text[PLAY_TEXT]);

#endif
