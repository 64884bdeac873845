/* SPDX-License-Identifier: Apache-2.0
 * incident_fabric - the fabric of an incident as a run database in memory, for what draws the
 * fabric of a run.
 * It has the nodes, ports and links of the cables that are known, the suspects as roots, and for
 * each port the counts of one layer, as the counter that drawings of runs read as pause time.
 * Owner: incident_fabric_free. The incident and the triage have to live as long. */
#ifndef STORMGLASS_REPLAY_INCIDENT_INCIDENT_FABRIC_H
#define STORMGLASS_REPLAY_INCIDENT_INCIDENT_FABRIC_H

#include "replay/database/store.h"
#include "replay/incident/triage.h"
#include "replay/record/record_fabric.h"

enum incident_layer { INCIDENT_PAUSES, INCIDENT_DROPS, INCIDENT_LAYERS };

struct incident_fabric {
    struct record_fabric rows;
    struct store *store; /* NULL: no cables are known */
    int64_t most;        /* the largest count of a port */
};

/* Pauses: frames that a port received. Drops: frames that it dropped, discarded or received with
 * errors. */
void incident_fabric_make(struct incident_fabric fabrics[INCIDENT_LAYERS],
                          const struct triage *triage, const struct incident *incident);
void incident_fabric_free(struct incident_fabric fabrics[INCIDENT_LAYERS]);

#endif
