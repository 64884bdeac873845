/* SPDX-License-Identifier: Apache-2.0
 * settings - the options of a run as text: those of `stormglass run` and of the library.
 * Errors: a reason without the option's name. */
#ifndef STORMGLASS_CLI_LIBRARY_SETTINGS_H
#define STORMGLASS_CLI_LIBRARY_SETTINGS_H

#include "replay/experiment/confirm.h"

enum { SETTINGS_SEED_BYTES = 64, SETTINGS_WHY_BYTES = 512 };

/* Do not move it: the options refer to `confirm`. */
struct settings {
    struct run_options how;
    struct confirm confirm;
    char seed[SETTINGS_SEED_BYTES]; /* the change "seed=N"; empty: the scenario's seed */
    char *path;                     /* a copy, which how.path refers to */
};

/* Names of the options, terminated by NULL: seed, until, threads, record, interval, confirm, waits
 * (true or false), output. */
extern const char *const settings_names[];

void settings_init(struct settings *settings);
void settings_free(struct settings *settings);

/* Sets an option; `value` NULL: its default. */
bool settings_read(struct settings *settings, const char *name, const char *value,
                   char why[SETTINGS_WHY_BYTES]);

/* Without a database, recorded rows cannot be read and would only use memory: removes options that
 * would record them. Returns whether there were any. */
bool settings_limit(struct settings *settings);

/* Whether the scenario can be run with these options; sets *name to the option that prevents it. */
bool settings_fit(const struct settings *settings, const struct scenario *scenario,
                  const char **name, char why[SETTINGS_WHY_BYTES]);

/* Single options. The first writes "seed=N". */
bool settings_seed(const char *text, char set[SETTINGS_SEED_BYTES], char why[SETTINGS_WHY_BYTES]);
bool settings_threads(const char *text, uint32_t *threads, char why[SETTINGS_WHY_BYTES]);

#endif
