/* SPDX-License-Identifier: Apache-2.0
 * load - reads scenarios: the text becomes a struct scenario (scenarios/data/scenario.h).
 * Errors: located messages in the diag; the functions return NULL if diag_failed. */
#ifndef STORMGLASS_SCENARIOS_LOAD_LOAD_H
#define STORMGLASS_SCENARIOS_LOAD_LOAD_H

#include "scenarios/data/scenario.h"

/* Input of the loader. `--seed N` of a command is the set "seed=N". */
struct scenario_input {
    const char *name; /* name in messages */
    const char *text; /* NULL: read the file `name` */
    size_t length;
    const struct scenario_source *files; /* replacements for files next to the scenario (text !=
                                          * NULL), or for scenarios without a file that it
                                          * changes */
    uint32_t file_count;
    const char *const *sets; /* "path=value" */
    uint32_t set_count;
};

struct scenario *scenario_load(const struct scenario_input *input, struct diag *diag);
struct scenario *scenario_load_file(const char *path, const char *const *sets, uint32_t set_count,
                                    struct diag *diag);
/* The texts that `scenario` was loaded from, with more sets after its own. Owner: the caller.
 * Errors go to `diag`. */
struct scenario *scenario_load_again(const struct scenario *scenario, const char *const *sets,
                                     uint32_t set_count, struct diag *diag);

/* Parameters outside the model: the top of the file, `fabric.routing` (struct scenario_routing), an
 * entry of `namespaces:`, and those common to all workloads and to all faults. */
extern const struct opt scenario_top_opts[];
extern const struct opt scenario_routing_opts[];
extern const struct opt scenario_namespace_opts[];
extern const struct opt scenario_workload_opts[];
extern const struct opt scenario_defaults_opts[]; /* beside the sections of hosts.defaults */
extern const struct opt scenario_fault_opts[];

/* Other notations for the parameters of a switch, such as "pfc.headroom". */
extern const struct block_word scenario_switch_words[];
/* For RNICs and workloads: the ToS, whose upper six bits are the DSCP. */
extern const struct block_word scenario_tos_words[];

/* A row of the settings table as text. */
struct scenario_setting_text {
    const char *path;
    const char *value, *preset; /* in the syntax of a scenario */
    const char *where;          /* "FILE:LINE", "profile NAME" or "default" */
    const char *evidence;       /* "" unless the value is from a profile */
    const char *source;
};

typedef void scenario_setting_fn(void *self, const struct scenario_setting_text *setting);
void scenario_settings(const struct scenario *scenario, scenario_setting_fn *call, void *self);

#endif
