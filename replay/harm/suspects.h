/* SPDX-License-Identifier: Apache-2.0
 * suspects - who or what is at a place and could have done it: faults that were in force, settings
 * that differ from those of like ports, switches and hosts, settings that hold everywhere. */
#ifndef STORMGLASS_REPLAY_HARM_SUSPECTS_H
#define STORMGLASS_REPLAY_HARM_SUSPECTS_H

#include "replay/harm/scene.h"

/* A port with its link and the nodes at both ends; or nodes as a whole. */
struct suspects_place {
    uint32_t port; /* of the fabric, or HARM_NONE */
    uint32_t node; /* or HARM_NONE */
};

struct suspect {
    enum harm_suspect suspect;
    char name[HARM_NAME_BYTES];
    char words[HARM_SENTENCE_BYTES /
               2]; /* "drop-every at host0"; "NAME is 1500B, elsewhere 4200B" */
    bool deviates; /* a setting: others have another value */
};

/* Of these kinds (words between spaces) and this moment; the first. */
bool suspects_fault(const struct harm_scene *scene, const char *kinds, struct suspects_place place,
                    time_ps from, time_ps until, struct suspect *suspect);

struct suspect suspects_named_fault(const struct harm_scene *scene, uint32_t index);

/* The kinds of faults that a total of drops counts, between spaces. */
const char *suspects_kinds(const char *counted_as, char *text, size_t size);

/* Of these rows, the first of which is looked for first: one that is about the place (none: any),
 * and not the value that like things have.  What is no row has a word: dscp, routes, media,
 * congestion-control, and class of a workload. */
bool suspects_deviation(const struct harm_scene *scene, const char *rows,
                        struct suspects_place place, struct suspect *suspect);

/* Of those that scale the part, what is no row too: one that is about the place, is worse than the
 * value that like things have, and has an effect. */
bool suspects_deviation_of(const struct harm_scene *scene, enum opt_part part,
                           struct suspects_place place, struct suspect *suspect);

enum opt_part suspects_part(const struct deviation_change *change);

/* Its value may do harm where others have the common one; what is no value always may. */
bool suspects_is_worse(const struct deviation *deviation, const struct deviation_change *change);

/* Of these rows of ports: one that an override writes, and that the port has, though its links have
 * no like; `more` than its class of links has, NULL: not asked. */
bool suspects_override(const struct harm_scene *scene, const char *rows, uint32_t port,
                       struct suspect *suspect, int64_t *more);

/* Of these rows: one that the scenario itself writes for all, and not its preset. */
bool suspects_general(const struct harm_scene *scene, const char *rows, struct suspect *suspect);

/* The same of those that scale the part, worse than its preset, of hosts. */
bool suspects_scarce(const struct harm_scene *scene, enum opt_part part, struct suspect *suspect);

/* Of these rows: one of the workload that is not its preset. */
bool suspects_of_workload(const struct harm_scene *scene, const char *rows, uint32_t workload,
                          struct suspect *suspect);

/* A word is one of those between spaces. */
bool suspects_listed(const char *words, const char *word);

struct suspect suspects_named_deviation(const struct deviation *deviation);

#endif
