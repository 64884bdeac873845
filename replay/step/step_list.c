/* SPDX-License-Identifier: Apache-2.0
 * step_list - lists the last events. */
#include "replay/step/step_tell.h"

#include "base/memory.h"

#include <stdlib.h>

void step_list(const struct stepper *stepper, const struct step_subject *subject, uint32_t number,
               FILE *out)
{
    (void)subject;
    struct arena arena = {0};
    struct eventlog_reported *reported = memory_zeroed(STEP_RECENT, sizeof *reported);
    uint64_t first;
    const uint32_t count = stepper_recent(stepper, number < STEP_RECENT ? number : STEP_RECENT,
                                          &arena, reported, &first);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "event %llu  %.6f us  %-10s  %s\n", (unsigned long long)(first + i),
                (double)reported[i].at / PS_PER_US, reported[i].port, reported[i].what);
    free(reported);
    arena_free(&arena);
}
