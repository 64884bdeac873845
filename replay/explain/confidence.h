/* SPDX-License-Identifier: Apache-2.0
 * confidence - how well the limit that binds a workload is known, and the interval that follows.
 * The bottleneck names a station of a card, host or drive; limit_value.def has the values that set
 * the station's rate, of which the largest cost counts. Its evidence and number of sources give
 * the error that results with such a value have had in laboratories whose figures were not used
 * (limit_error.def, which `make predictions` writes): four of five such results were within the
 * value divided and multiplied by 1 + error. Links, queue depth, pauses and offered load are no
 * limits of a device, and a value that the scenario sets itself has no interval.
 * Errors: none. Clock: none. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_CONFIDENCE_H
#define STORMGLASS_REPLAY_EXPLAIN_CONFIDENCE_H

#include "replay/explain/bottleneck.h"
#include "scenarios/data/scenario.h"

enum { CONFIDENCE_PATH_BYTES = 128, CONFIDENCE_VALUE_BYTES = 64, CONFIDENCE_SENTENCE_BYTES = 400 };

struct confidence {
    bool binds; /* false: no value of a device limits the workload; nothing else is set */
    char path[CONFIDENCE_PATH_BYTES], value[CONFIDENCE_VALUE_BYTES];
    const char *evidence; /* documented, measured, inferred or assumed; "scenario" */
    const char *source;   /* never NULL */
    uint32_t sources;     /* independent publications or laboratories */
    int64_t error;        /* ppm; 0: no interval */
    uint32_t causes;      /* confirmed causes of this run, which the bottleneck is without */
};

/* The place of a bottleneck: a resource, the node, and a station of limit_value.def (NULL: none).
 */
struct confidence_place {
    enum bottleneck_resource resource;
    uint32_t node;
    const char *station;
};

void confidence_find(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct confidence_place *place, struct confidence *found);

/* The error, in ppm, of results that depend on a value so well known; 0: unknown evidence. */
int64_t confidence_error(const char *evidence, uint32_t sources);

/* Evidence and number of sources of a value: of its profile; "scenario" and 0 if a file sets it; of
 * the parameter's source if it is the default. */
const char *confidence_evidence(const struct opt *row, const struct block_origin *origin,
                                uint32_t *sources);

/* "inferred (1 source); 4 of 5 measurements were within 18% of results that depend on such
 * a value" */
void confidence_evidence_words(const char *evidence, uint32_t sources, double error, char *text,
                               size_t size);

/* "5.20 M IOPS, 4.41 M to 6.14 M: PATH VALUE is inferred (1 source); 4 of 5 measurements were
 * within 18% of results that depend on such a value (in this run, with the confirmed cause)".
 * Empty without an interval. */
void confidence_words(const struct confidence *confidence, double iops, char *text, size_t size);

#endif
