/* SPDX-License-Identifier: Apache-2.0
 * suspects - finds what can have had an effect at a place: active faults, settings that differ from
 * those of similar ports, switches and hosts, and settings of all devices. */
#ifndef STORMGLASS_REPLAY_HARM_SUSPECTS_H
#define STORMGLASS_REPLAY_HARM_SUSPECTS_H

#include "replay/harm/scene.h"

/* A port with its link and the nodes at both ends, or a node as a whole. */
struct suspects_place {
    uint32_t port; /* index in the fabric, or HARM_NONE */
    uint32_t node; /* or HARM_NONE */
};

struct suspect {
    enum harm_suspect suspect;
    char name[HARM_NAME_BYTES];
    char words[HARM_SENTENCE_BYTES /
               2]; /* "drop-every at host0"; "NAME is 1500B at leaf1:p0, elsewhere 4200B" */
};

/* Finds the first fault of these kinds (separated by spaces) active in this period. */
bool suspects_fault(const struct harm_scene *scene, const char *kinds, struct suspects_place place,
                    time_ps from, time_ps until, struct suspect *suspect);

struct suspect suspects_named_fault(const struct harm_scene *scene, uint32_t index);

/* The kinds of faults whose drops have this counter, separated by spaces. */
const char *suspects_kinds(const char *counted_as, char *text, size_t size);

/* Finds a deviating setting among these rows, in order of preference, that applies to the place
 * (none: any place). Settings that are not rows have names: dscp, routes, media,
 * congestion-control, and class of a workload. */
bool suspects_deviation(const struct harm_scene *scene, const char *rows,
                        struct suspects_place place, struct suspect *suspect);

/* Finds a deviating setting, row or not, that scales the part, applies to the place, is worse than
 * the common value and has an effect. */
bool suspects_deviation_of(const struct harm_scene *scene, enum opt_part part,
                           struct suspects_place place, struct suspect *suspect);

enum opt_part suspects_part(const struct deviation_change *change);

/* Whether its value can do harm compared with the common one; always true for settings without a
 * numeric value. */
bool suspects_is_worse(const struct deviation *deviation, const struct deviation_change *change);

/* Finds one of these rows that the scenario sets for all objects to another value than its
 * preset. */
bool suspects_general(const struct harm_scene *scene, const char *rows, struct suspect *suspect);

/* The same for rows of hosts that scale the part, if worse than the preset. */
bool suspects_scarce(const struct harm_scene *scene, enum opt_part part, struct suspect *suspect);

/* Finds one of these rows of the workload that is not at its preset. */
bool suspects_of_workload(const struct harm_scene *scene, const char *rows, uint32_t workload,
                          struct suspect *suspect);

/* Whether a list separated by spaces contains the word. */
bool suspects_listed(const char *words, const char *word);

struct suspect suspects_named_deviation(const struct harm_scene *scene,
                                        const struct deviation *deviation);

#endif
