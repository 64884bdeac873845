/* SPDX-License-Identifier: Apache-2.0
 * triage_effect - whether counters show the harm that a setting would cause, at its place.
 * Reads the map and the change of the work. */
#ifndef STORMGLASS_REPLAY_INCIDENT_TRIAGE_EFFECT_H
#define STORMGLASS_REPLAY_INCIDENT_TRIAGE_EFFECT_H

#include "base/opt_effect.h"
#include "replay/incident/triage_private.h"

/* A device, or one of its ports. */
struct triage_spot {
    int node, port; /* TRIAGE_NO_PORT: the device */
};

struct triage_effect {
    bool known;
    double strength;                    /* 0: no symptom of this kind there, to 1: most of them */
    const struct incident_count *count; /* the largest, or NULL */
};

struct triage_effect triage_effect(const struct triage_work *work, const struct triage_spot *spot,
                                   enum opt_part part);
/* Of a DSCP in another class: whether the device sends more in this class than before. */
struct triage_effect triage_class_effect(const struct triage_work *work,
                                         const struct triage_spot *spot, int priority);

#endif
