/* SPDX-License-Identifier: Apache-2.0
 * limits - what of an offered load counts against a limit of NVMe.
 * Units: I/Os or bits a second, as the limit has it. */
#ifndef STORMGLASS_SCENARIOS_CHECK_LIMITS_H
#define STORMGLASS_SCENARIOS_CHECK_LIMITS_H

#include "nvme/limit.h"
#include "scenarios/check/check.h"
#include "scenarios/check/offered.h"

struct limits_row {
    const char *row;
    bool reads, writes, bits; /* what counts; otherwise I/Os do */
};
extern const struct limits_row limits_rows[NVME_LIMITS];

/* Parts per million of the I/Os that count. */
int64_t limits_part(const struct offering *offering, int limit);

/* What open loops ask for, so many of them. */
__int128 limits_asked(const struct offering *offering, int limit, int64_t copies);

/* "12.0 Gbps", "400 I/Os a second" */
struct limits_text {
    char text[64];
};
struct limits_text limits_words(int limit, int64_t value);

#endif
