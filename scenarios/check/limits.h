/* SPDX-License-Identifier: Apache-2.0
 * limits - the part of an offered load that counts against an NVMe limit.
 * Units: I/Os or bits per second, as the limit has it. */
#ifndef STORMGLASS_SCENARIOS_CHECK_LIMITS_H
#define STORMGLASS_SCENARIOS_CHECK_LIMITS_H

#include "nvme/limit.h"
#include "scenarios/check/check.h"
#include "scenarios/check/offered.h"

struct limits_row {
    const char *row;
    bool reads, writes, bits; /* what counts; without bits, I/Os */
};
extern const struct limits_row limits_rows[NVME_LIMITS];

/* Part of the I/Os that counts, in ppm. */
int64_t limits_part(const struct offering *offering, int limit);

/* Load of `copies` open loops that counts against the limit. */
__int128 limits_asked(const struct offering *offering, int limit, int64_t copies);

/* The same of the copies of a fio job: at most, because iodepth limits them too. 0: no rate. */
__int128 limits_asked_by_job(const struct scenario_workload *workload, int limit);

/* "12.0 Gbps" or "400 I/Os a second" */
struct limits_text {
    char text[64];
};
struct limits_text limits_words(int limit, int64_t value);

#endif
