/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/limits.h"

#include "base/quantity.h"
#include "scenarios/fio/fio.h"

#include <stdio.h>

const struct limits_row limits_rows[NVME_LIMITS] = {
    [NVME_LIMIT_IOPS] = {"iops-limit", true, true, false},
    [NVME_LIMIT_RATE] = {"rate-limit", true, true, true},
    [NVME_LIMIT_READ] = {"read-limit", true, false, true},
    [NVME_LIMIT_WRITE] = {"write-limit", false, true, true},
};

int64_t limits_part(const struct offering *offering, int limit)
{
    return (limits_rows[limit].reads ? offering->share : 0) +
           (limits_rows[limit].writes ? PPM - offering->share : 0);
}

__int128 limits_asked(const struct offering *offering, int limit, int64_t copies)
{
    const int64_t each = limits_rows[limit].bits ? offering->mean * 8 : 1;
    const __int128 rate = (__int128)offering->rate * copies;
    return rate * limits_part(offering, limit) / PPM * each / QUANTITY_DECIMAL_ONE;
}

/* Mean size of a direction's I/Os: each entry draws a multiple of `low` up to `high`. */
static int64_t mean_of(const struct wl_plan_sizes *sizes)
{
    __int128 sum = 0;
    for (int64_t i = 0; i < sizes->count; i++) {
        const struct wl_plan_size *entry = &sizes->entries[i];
        sum += (__int128)entry->share * entry->low * (1 + entry->high / entry->low) / 2;
    }
    return sizes->total == 0 ? 0 : (int64_t)(sum / sizes->total);
}

/* I/Os per second that the rate of a direction allows; 0: it has no rate, or no I/Os. */
static __int128 ios_by_rate(const struct wl_nvme_params *job, int direction, int64_t ppm)
{
    const struct wl_nvme_fio *fio = &job->fio;
    if (ppm == 0)
        return 0;
    if (fio->rate_bytes[direction] == 0)
        return fio->rate_iops[direction];
    return fio->rate_bytes[direction] / mean_of(&fio->plan.sizes[direction]);
}

/* A direction without a rate keeps its share of the mix, because the job waits for the direction
 * that has one. */
__int128 limits_asked_by_job(const struct scenario_workload *workload, int limit)
{
    const struct wl_nvme_params *job = &workload->job->nvme;
    const int64_t read_ppm = job->fio.plan.read_ppm;
    const int64_t ppm[WL_DIRECTIONS] = {read_ppm, PPM - read_ppm};
    const bool counts[WL_DIRECTIONS] = {limits_rows[limit].reads, limits_rows[limit].writes};
    __int128 ios[WL_DIRECTIONS] = {0}, sum = 0;
    for (int i = 0; i < WL_DIRECTIONS; i++)
        ios[i] = ios_by_rate(job, i, ppm[i]);
    for (int i = 0; i < WL_DIRECTIONS; i++)
        if (ios[i] == 0 && ppm[1 - i] > 0)
            ios[i] = ios[1 - i] * ppm[i] / ppm[1 - i];
    for (int i = 0; i < WL_DIRECTIONS; i++)
        if (counts[i] && ios[i] > 0)
            sum += ios[i] * (limits_rows[limit].bits ? 8 * mean_of(&job->fio.plan.sizes[i]) : 1);
    return sum * workload->copies;
}

struct limits_text limits_words(int limit, int64_t value)
{
    struct limits_text words;
    char number[QUANTITY_TEXT_BYTES];
    const bool bits = limits_rows[limit].bits;
    quantity_format(bits ? QUANTITY_RATE : QUANTITY_INT, value, number, sizeof number);
    snprintf(words.text, sizeof words.text, "%.40s%s", number, bits ? "" : " I/Os per second");
    return words;
}
