/* SPDX-License-Identifier: Apache-2.0
 * ssd_read - reads: buffered or unwritten data needs no flash access; of the rest each page is read
 * once. */
#include "nvme/media/ssd.h"

/* The page with the unit; FTL_NOWHERE: no flash access needed. */
static uint32_t page_of(struct media *media, uint64_t unit)
{
    if (write_cache_has(&media->cache, unit)) {
        media->wear.buffer_hits++;
        return FTL_NOWHERE;
    }
    const uint32_t place = ftl_place(&media->ftl, ssd_state_unit(media, unit));
    return place == FTL_NOWHERE ? FTL_NOWHERE : place / media->page_units;
}

/* Creates the parts of a request, one per page; returns the first of the list. */
static struct ssd_part *parts_of(struct media *media, struct media_request *request)
{
    struct ssd_part *first = NULL, *last = NULL;
    const uint64_t end = request->offset + request->bytes;
    for (uint64_t at = request->offset; at < end;) {
        const uint64_t unit = at / FTL_UNIT_BYTES, unit_end = (unit + 1) * FTL_UNIT_BYTES;
        const uint64_t stop = unit_end < end ? unit_end : end;
        const uint32_t page = page_of(media, unit);
        if (last == NULL || last->page != page) {
            struct ssd_part *part = ssd_take_part(media);
            part->request = request;
            part->page = page;
            if (last == NULL)
                first = part;
            else
                last->next = part;
            last = part;
            request->parts++;
        }
        last->bytes += (uint32_t)(stop - at);
        at = stop;
    }
    return first;
}

static void to_link(struct media *media, struct ssd_part *part)
{
    const time_ps service = ssd_transfer(part->bytes, media->params.link_rate);
    part->served += service;
    nvme_server_add(&media->link_out, &part->item.job, service);
}

void ssd_read_begin(struct media *media, struct media_request *request)
{
    request->parts = 0;
    struct ssd_part *part = parts_of(media, request);
    while (part != NULL) {
        struct ssd_part *next = part->next;
        if (part->page == FTL_NOWHERE) {
            to_link(media, part);
        } else {
            const uint32_t pages = media->slot_units / media->page_units;
            part->item.die = media->slot_die[part->page / pages];
            part->item.op.plane = (uint8_t)(part->page % media->rules.planes);
            ssd_to_die(media, &part->item, DIE_READ, rng_law_draw(&media->times, &media->read_law));
        }
        part = next;
    }
}

void ssd_read_left_die(struct media *media, struct ssd_part *part)
{
    const time_ps service = ssd_transfer(part->bytes, media->params.channel_rate);
    part->served += part->item.op.served + service;
    ssd_to_channel(media, &part->item, service);
}

void ssd_read_left_channel(struct media *media, struct ssd_part *part)
{
    if (part->request == NULL)
        ssd_write_copied(media, part);
    else
        to_link(media, part);
}

void ssd_read_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct ssd_part *part = (struct ssd_part *)(void *)job;
    struct media_request *request = part->request;
    const time_ps served = request->served + part->served + media->params.read_overhead;
    ssd_give_part(media, part);
    if (--request->parts == 0)
        ssd_finish(media, request, served);
}
