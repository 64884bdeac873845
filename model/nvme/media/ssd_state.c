/* SPDX-License-Identifier: Apache-2.0
 * ssd_state - represents a drive of terabytes by a map of megabytes, and its history before the
 * run.
 * Write amplification does not depend on the size of a drive, but only on its over-provisioning and
 * on how often each part is written. The drive is therefore divided into REGIONS, each represented
 * by a region of the map, within which addresses wrap around: a workload that writes a tenth of the
 * drive writes a tenth of the map, and a sequential workload stays sequential. */
#include "nvme/media/ssd.h"

#include "base/memory.h"

#include <stdio.h>

enum { REGIONS = 64, BLOCK_UNITS = 64, OVERWRITES = 3 };

void ssd_state_init(struct media *media, uint64_t bytes)
{
    const uint64_t most = (uint64_t)media->params.modelled_size / FTL_UNIT_BYTES;
    media->units = (bytes - 1) / FTL_UNIT_BYTES + 1;
    media->region = media->modelled = media->units;
    if (media->units > most) {
        media->region = (media->units - 1) / REGIONS + 1;
        media->modelled = most / REGIONS;
    }
    const uint64_t mapped = media->units > most ? most : media->units;
    const uint32_t slots = media->slot_units < BLOCK_UNITS ? BLOCK_UNITS / media->slot_units : 1;
    const struct ftl_size size = {
        .units = (uint32_t)mapped,
        .block_units = slots * media->slot_units,
        .over_provisioning = media->params.over_provisioning,
    };
    ftl_init(&media->ftl, &size);
    const uint32_t all = media->ftl.blocks * slots;
    media->slot_die = memory_zeroed(all, sizeof *media->slot_die);
    for (uint32_t i = 0; i < all; i++)
        media->slot_die[i] = (uint16_t)(i % media->die_count);
    for (uint32_t i = 0; i < media->die_count; i++) /* so that the dies do not all erase at once */
        media->pages[i] =
            (uint32_t)((uint64_t)i * (uint64_t)media->params.pages_per_block / media->die_count);
}

void ssd_state_precondition(struct media *media)
{
    struct ftl *ftl = &media->ftl;
    media->ready = true;
    if (media->params.precondition == SSD_FRESH)
        return;
    for (uint32_t unit = 0; unit < ftl->units; unit++)
        ftl_write(ftl, unit, NULL, NULL);
    char purpose[32];
    snprintf(purpose, sizeof purpose, "media-%03u-past", media->index);
    struct rng rng = env_stream(media->env, purpose);
    const uint64_t writes =
        media->params.precondition == SSD_SUSTAINED ? (uint64_t)OVERWRITES * ftl->units : 0;
    for (uint64_t i = 0; i < writes; i++)
        ftl_write(ftl, (uint32_t)rng_below(&rng, ftl->units), NULL, NULL);
    while (ftl->filled % media->slot_units != 0)
        ftl_pad(ftl);
    ftl_forget(ftl);
}

uint32_t ssd_state_unit(const struct media *media, uint64_t unit)
{
    CHECK(unit < media->units);
    return (uint32_t)(unit / media->region * media->modelled +
                      unit % media->region % media->modelled);
}
