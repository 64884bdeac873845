/* SPDX-License-Identifier: Apache-2.0
 * step_list - the last events. */
#include "replay/step/step_tell.h"

#include "base/memory.h"

#include <stdlib.h>

void step_list(const struct stepper *stepper, const struct step_subject *subject, uint32_t number,
               FILE *out)
{
    (void)subject;
    struct arena arena = {0};
    struct eventlog_told *told = memory_zeroed(STEP_RECENT, sizeof *told);
    uint64_t first;
    const uint32_t count =
        stepper_recent(stepper, number < STEP_RECENT ? number : STEP_RECENT, &arena, told, &first);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "event %llu  %.6f us  %-10s  %s\n", (unsigned long long)(first + i),
                (double)told[i].at / PS_PER_US, told[i].port, told[i].what);
    free(told);
    arena_free(&arena);
}
