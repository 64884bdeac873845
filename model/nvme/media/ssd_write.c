/* SPDX-License-Identifier: Apache-2.0
 * ssd_write - writes, which complete when they are in the buffer, and the programs behind them.
 *   buffer -> map -> [copies: die -> channel] -> channel -> die programs -> buffer space released
 * Each program takes as many units as a die programs at once, in the order of the map: host units,
 * and copies of garbage collection, which wait for their reads. At most two programs per die are
 * outstanding, so that collection gets its share of the dies and data waiting in the buffer can
 * still be overwritten. */
#include "nvme/media/ssd.h"

enum { PROGRAMS_PER_DIE = 2 };

static uint64_t units_of(const struct media_request *request)
{
    const uint64_t end = request->offset + request->bytes;
    return (end - 1) / FTL_UNIT_BYTES - request->offset / FTL_UNIT_BYTES + 1;
}

/* ---- buffer space ---- */

static uint64_t buffered(const struct media *media)
{
    return media->incoming + media->cache.versions;
}

/* False when nothing in progress will free space; less than one program is buffered then. */
static bool makes_room(const struct media *media)
{
    return media->incoming > 0 || media->cache.waiting > 0 || media->programs > 0;
}

static bool has_room(const struct media *media, uint64_t units)
{
    const uint64_t limit = (uint64_t)media->params.buffer / FTL_UNIT_BYTES;
    return buffered(media) + units <= limit || !makes_room(media);
}

static void admit_writes(struct media *media)
{
    while (media->waiting_first != NULL) {
        struct media_request *request = media->waiting_first;
        const uint64_t units = units_of(request);
        if (!has_room(media, units))
            return;
        media->waiting_first = request->next;
        media->incoming += units;
        const time_ps service = ssd_transfer(request->bytes, media->params.link_rate);
        request->served += service + media->params.write_overhead;
        nvme_server_add(&media->link_in, &request->job, service);
    }
}

void ssd_write_begin(struct media *media, struct media_request *request)
{
    request->next = NULL;
    if (media->waiting_first == NULL)
        media->waiting_first = request;
    else
        media->waiting_last->next = request;
    media->waiting_last = request;
    const struct media_request *first = media->waiting_first;
    media->wear.waited += first != request || !has_room(media, units_of(request));
    admit_writes(media);
}

/* ---- from the buffer to flash ---- */

static void program_go(struct media *media, struct ssd_program *program)
{
    if (!program->full || program->reads > 0)
        return;
    const uint64_t bytes = (uint64_t)media->slot_units * FTL_UNIT_BYTES;
    ssd_to_channel(media, &program->item, ssd_transfer(bytes, media->params.channel_rate));
}

/* The program for the next place: the open one, or a new one on the next die. */
static struct ssd_program *program_at(struct media *media, uint32_t place)
{
    if (place % media->slot_units == 0) {
        CHECK(media->open == NULL);
        media->open = ssd_take_program(media);
        media->open->item.die = media->next_die;
        media->slot_die[place / media->slot_units] = (uint16_t)media->next_die;
        media->next_die = (media->next_die + 1) % media->die_count;
    }
    CHECK(media->open != NULL);
    return media->open;
}

/* Dispatches the program when its last place has been assigned. */
static void dispatch_if_full(struct media *media, uint32_t place)
{
    struct ssd_program *program = media->open;
    if ((place + 1) % media->slot_units != 0)
        return;
    program->full = true;
    media->open = NULL;
    media->programs++;
    program_go(media, program);
}

/* Copied units of one page that go into the same program are read together. */
static void on_copied(void *self, uint32_t from, uint32_t to)
{
    struct media *media = self;
    struct ssd_program *program = program_at(media, to);
    struct ssd_part *part = media->copy;
    const uint32_t page = from / media->page_units;
    if (part == NULL || part->page != page || part->program != program) {
        part = media->copy = ssd_take_part(media);
        part->program = program;
        part->page = page;
        part->item.die = media->slot_die[from / media->slot_units];
        program->reads++;
        ssd_to_die(media, &part->item, DIE_COPY, rng_law_draw(&media->times, &media->read_law));
    }
    part->bytes += FTL_UNIT_BYTES;
    dispatch_if_full(media, to);
}

void ssd_write_copied(struct media *media, struct ssd_part *part)
{
    struct ssd_program *program = part->program;
    CHECK(program->reads > 0);
    program->reads--;
    ssd_give_part(media, part);
    program_go(media, program);
}

/* A flush does not wait until a program is full. */
static void pad_program(struct media *media)
{
    while (media->open != NULL && media->open->count > 0) {
        const uint32_t place = ftl_pad(&media->ftl);
        CHECK(place != FTL_NOWHERE);
        dispatch_if_full(media, place);
    }
}

static void write_on(struct media *media)
{
    const uint32_t most = PROGRAMS_PER_DIE * media->die_count;
    while (media->cache.waiting > 0 && media->programs < most) {
        const struct write_cache_item item = write_cache_take(&media->cache);
        const uint32_t unit = ssd_state_unit(media, item.unit);
        const uint32_t place = ftl_write(&media->ftl, unit, on_copied, media);
        media->copy = NULL;
        struct ssd_program *program = program_at(media, place);
        program->items[program->count++] = item;
        dispatch_if_full(media, place);
    }
    if (media->flushes != NULL && media->cache.waiting == 0)
        pad_program(media);
    admit_writes(media);
}

void ssd_write_arrived(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request = ssd_request_of(job);
    const uint64_t units = units_of(request), first = request->offset / FTL_UNIT_BYTES;
    media->incoming -= units;
    for (uint64_t i = 0; i < units; i++)
        media->wear.absorbed += !write_cache_put(&media->cache, first + i);
    media->wear.host_bytes += request->bytes;
    ssd_finish(media, request, request->served);
    write_on(media);
}

/* ---- programs and erases ---- */

void ssd_write_left_channel(struct media *media, struct ssd_program *program)
{
    ssd_to_die(media, &program->item, DIE_PROGRAM,
               rng_law_draw(&media->times, &media->program_law));
}

/* The unit is in flash: each flush waits for one unit less. */
static void release_unit(struct media *media, struct write_cache_item item)
{
    write_cache_release(&media->cache, item.unit);
    for (struct media_request **at = &media->flushes; *at != NULL;) {
        struct media_request *flush = *at;
        if (item.serial <= flush->serial && --flush->parts == 0) {
            *at = flush->next;
            ssd_finish(media, flush, flush->served);
        } else {
            at = &flush->next;
        }
    }
}

/* From the first collection on, blocks are reused, and each page that a die programs is in a block
 * that had to be erased before. */
static void age_die(struct media *media, uint32_t die)
{
    if (media->ftl.collected == 0)
        return;
    media->pages[die]++;
    if (media->pages[die] < media->params.pages_per_block || media->erasing[die])
        return;
    media->pages[die] -= (uint32_t)media->params.pages_per_block;
    media->erasing[die] = true;
    media->erases[die] = (struct die_op){.kind = DIE_ERASE, .time = media->params.erase_time};
    die_add(&media->dies[die], &media->erases[die]);
}

void ssd_write_programmed(struct media *media, struct ssd_program *program)
{
    CHECK(media->programs > 0);
    media->programs--;
    media->wear.flash_bytes += (uint64_t)media->slot_units * FTL_UNIT_BYTES;
    for (uint32_t i = 0; i < program->count; i++)
        release_unit(media, program->items[i]);
    age_die(media, program->item.die);
    ssd_give_program(media, program);
    write_on(media);
}

void ssd_write_erased(struct media *media, struct die_op *op)
{
    media->erasing[op - media->erases] = false;
    media->wear.erases++;
}

/* ---- flush ---- */

void ssd_write_flush(struct media *media, struct media_request *request)
{
    if (media->params.protected_buffer || media->cache.versions == 0) {
        ssd_finish(media, request, request->served);
        return;
    }
    request->parts = (uint32_t)media->cache.versions;
    request->serial = media->cache.serial;
    request->next = media->flushes;
    media->flushes = request;
    write_on(media);
}
