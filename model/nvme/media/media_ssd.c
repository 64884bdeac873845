/* SPDX-License-Identifier: Apache-2.0
 * media_ssd - a NAND SSD that ages: map, garbage collection, buffer, dies with suspension.
 *   read:   controller -> buffer, or for each page die (tR) -> channel; -> link to the host -> done
 *   write:  controller -> space in the buffer -> link from the host -> done
 *           afterwards: map -> copies that free space -> channel -> die (tPROG)
 * The map (ftl.h) places the data, the die (die.h) schedules its operations, programs rotate over
 * the dies, and from time to time a die erases. With the defaults a 4 KiB read takes 79.3 us, as
 * for flash-tlc; sequential writes are sustained at 64 dies * 32 KiB / 700 us = 3 GB/s, random ones
 * at that rate divided by the write amplification, less the time of copies and erases.
 * Source: the structure of MQSim (Tavakkol et al., FAST 2018) and FEMU (Li et al., FAST 2018). Not
 * modeled: read-modify-write for partial units of 4 KiB, wear leveling, read disturb, bad blocks, a
 * read cache, SLC caches, thermal limits. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"
#include "nvme/media/ssd.h"

#include <stdio.h>
#include <stdlib.h>

#define PARAM(field) offsetof(struct ssd_params, field)
#define DEVICE       "assumed: of the size of an Intel P4510 (77 us read, 637k IOPS, 3.2 GB/s)"

static const struct opt ssd_opts[] = {
    {"channels", OPT_INT, PARAM(channels), "8", "1", "64", NULL,
     "Number of flash channels of the drive.", DEVICE, OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"dies-per-channel", OPT_INT, PARAM(dies_per_channel), "8", "1", "64", NULL,
     "Number of dies on each channel.", DEVICE, OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"planes", OPT_INT, PARAM(planes), "2", "1", "8", NULL,
     "Number of planes of a die. One program operation writes one page in each plane.",
     "assumed: common for TLC", .factor = 2, OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"independent-plane-reads", OPT_BOOL, PARAM(independent_reads), "false", NULL, NULL, NULL,
     "true: the planes of a die read pages independently of each other; false: a die reads one "
     "page at a time.",
     "ONFI 5.0 (asynchronous independent plane reads); assumed: an older die",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"page-size", OPT_SIZE, PARAM(page_size), "16KiB", "4KiB", "64KiB", NULL,
     "Size of a page of one plane.", "assumed: common page of 3D TLC", .factor = 2,
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"pages-per-block", OPT_INT, PARAM(pages_per_block), "768", "1", "65536", NULL,
     "Number of pages of a flash block, which is the number of program operations of a die "
     "between two erases.",
     "assumed: 3D TLC of 64 layers", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"read-time", OPT_TIME, PARAM(read_time), "60us", "0ps", "100ms", NULL,
     "Median time for a die to read a page (tR).",
     "assumed: gives 80 us for an unloaded 4 KiB read", OPT_SCALES(MEDIA, MORE, DELAY)},
    {"read-p99", OPT_TIME, PARAM(read_p99), "0us", "0ps", "1s", NULL,
     "99th percentile of the time to read a page, which has a log-logistic distribution. A value "
     "not above read-time: every read of a page takes read-time.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"program-time", OPT_TIME, PARAM(program_time), "700us", "0ps", "1s", NULL,
     "Median time for a die to program a page of each plane (tPROG).",
     "assumed: gives 3 GB/s over all dies", OPT_SCALES(MEDIA, MORE, DELAY)},
    {"program-p99", OPT_TIME, PARAM(program_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a program operation, which has a log-logistic distribution. "
     "A value not above program-time: every program operation takes program-time.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"erase-time", OPT_TIME, PARAM(erase_time), "3500us", "0ps", "1s", NULL,
     "Time for a die to erase a block (tBERS).", "assumed: 3 to 5 ms for 3D TLC",
     OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"program-suspend", OPT_TIME, PARAM(program_suspend), "20us", "0ps", "10ms", "off",
     "Time to suspend a program operation when a read arrives; off: the read waits until the "
     "program operation ends.",
     "assumed: Wu and He, FAST 2012, suspend within a pulse of a program",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"erase-suspend", OPT_TIME, PARAM(erase_suspend), "40us", "0ps", "10ms", "off",
     "Time to suspend an erase when a read arrives; off: the read waits until the erase ends.",
     "assumed: Kim et al., USENIX ATC 2019, tens of us to more than a hundred",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"suspend-limit", OPT_INT, PARAM(suspend_limit), "8", "0", "65536", NULL,
     "Maximum number of suspensions of one program operation or erase. After these it runs to "
     "completion; 0: no suspension.",
     "assumed: vendors limit it; the figure is under NDA", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"reads-ahead", OPT_INT, PARAM(reads_ahead), "8", "0", "65536", NULL,
     "Maximum number of reads that a die serves before a program operation, copy or erase that is "
     "already waiting; 0: none.",
     "assumed: keeps writes going", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"channel-rate", OPT_RATE, PARAM(channel_rate), "9.6Gbps", "1Mbps", "1Tbps", NULL,
     "Transfer rate of a channel.", "assumed: 8 bits at 1200 MT/s (ONFI 4.1)",
     OPT_SCALES(MEDIA, LESS, SERVICE)},
    {"link-rate", OPT_RATE, PARAM(link_rate), "25.6Gbps", "1Mbps", "10Tbps", NULL,
     "Transfer rate of the drive's PCIe link, in each direction.", "assumed: 3.2 GB/s, PCIe 3.0 x4",
     OPT_SCALES(MEDIA, LESS, SERVICE)},
    {"command-time", OPT_TIME, PARAM(command_time), "1600ns", "0ps", "1s", NULL,
     "Time of the drive's controller for each command. It processes one command at a time, so the "
     "inverse of this time is the maximum IOPS.",
     DEVICE, OPT_SCALES(MEDIA, MORE, DELAY)},
    {"read-overhead", OPT_TIME, PARAM(read_overhead), "13us", "0ps", "1s", NULL,
     "Additional latency of each read, which does not delay other operations.",
     "assumed, so that an unloaded read takes 80 us", OPT_SCALES(MEDIA, MORE, DELAY)},
    {"write-overhead", OPT_TIME, PARAM(write_overhead), "14us", "0ps", "1s", NULL,
     "Additional latency of each write, which does not delay other operations.",
     "assumed: gives 17 us for an unloaded 4 KiB write (P4510: 18 us)",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"buffer", OPT_SIZE, PARAM(buffer), "16MiB", "64KiB", "64GiB", NULL,
     "Size of the write buffer. A write completes when its data are in the buffer, and waits "
     "while the buffer is full.",
     "assumed: the amount that capacitors can save", OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"power-loss-protection", OPT_BOOL, PARAM(protected_buffer), "true", NULL, NULL, NULL,
     "true: data in the write buffer survive a power loss, and a flush takes no time; false: the "
     "data are lost, and a flush waits until they are written to flash.",
     "assumed: data center drives have it", OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"over-provisioning", OPT_PERCENT, PARAM(over_provisioning), "7%", "2%", "400%", NULL,
     "Amount of spare flash, in percent of the usable capacity.",
     "assumed: the difference between GiB and GB; 28 % and more in drives for writes",
     OPT_SCALES(MEDIA, LESS, SERVICE)},
    {"modelled-size", OPT_SIZE, PARAM(modelled_size), "64MiB", "16MiB", "1GiB", NULL,
     "Size of the part of the drive whose mapping table the model simulates. Results for a larger "
     "drive are scaled from this part.",
     "own: a run of milliseconds writes enough of it", .step = "16MiB", OPT_INERT},
    {"precondition", OPT_CHOICE, PARAM(precondition), "sustained", NULL, NULL,
     OPT_WORDS(SSD_PRECONDITIONS),
     "State of the drive before the run. fresh: nothing was written; filled: the drive was "
     "written once, in order; sustained: after that it was overwritten three times, at random.",
     "SNIA SSS Performance Test Specification: fresh out of box, and steady state",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {0},
};

/* ---- memory ---- */

enum { CHUNK_ITEMS = 64 };

/* Allocates items of a size after a pointer to the next chunk; *step is the distance between
 * items. */
static char *new_chunk(struct media *media, size_t bytes, size_t *step)
{
    const size_t align = _Alignof(max_align_t);
    *step = (bytes + align - 1) / align * align;
    char *chunk = memory_zeroed(1, align + *step * CHUNK_ITEMS);
    *(void **)(void *)chunk = media->chunks;
    media->chunks = chunk;
    return chunk + align;
}

struct ssd_part *ssd_take_part(struct media *media)
{
    if (media->free_parts == NULL) {
        size_t step;
        char *item = new_chunk(media, sizeof(struct ssd_part), &step);
        for (unsigned i = 0; i < CHUNK_ITEMS; i++, item += step) {
            struct ssd_part *part = (struct ssd_part *)(void *)item;
            part->next = media->free_parts;
            media->free_parts = part;
        }
    }
    struct ssd_part *part = media->free_parts;
    media->free_parts = part->next;
    media->parts_out++;
    *part = (struct ssd_part){0};
    return part;
}

void ssd_give_part(struct media *media, struct ssd_part *part)
{
    part->next = media->free_parts;
    media->free_parts = part;
    media->parts_out--;
}

struct ssd_program *ssd_take_program(struct media *media)
{
    if (media->free_programs == NULL) {
        size_t step;
        const size_t bytes =
            sizeof(struct ssd_program) + media->slot_units * sizeof(struct write_cache_item);
        char *item = new_chunk(media, bytes, &step);
        for (unsigned i = 0; i < CHUNK_ITEMS; i++, item += step) {
            struct ssd_program *program = (struct ssd_program *)(void *)item;
            program->next = media->free_programs;
            media->free_programs = program;
        }
    }
    struct ssd_program *program = media->free_programs;
    media->free_programs = program->next;
    media->programs_out++;
    *program = (struct ssd_program){.item.programs = true};
    return program;
}

void ssd_give_program(struct media *media, struct ssd_program *program)
{
    program->next = media->free_programs;
    media->free_programs = program;
    media->programs_out--;
}

/* ---- after each stage ---- */

void ssd_finish(struct media *media, struct media_request *request, time_ps served)
{
    request->done_at = env_now(media->env);
    request->begun_at = request->done_at - served;
    CHECK(request->begun_at >= request->submitted_at);
    request->done(request->self, request);
}

static void controller_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request = ssd_request_of(job);
    request->served = media->params.command_time; /* later stages are added */
    if (request->op == MEDIA_READ && request->bytes > 0)
        ssd_read_begin(media, request);
    else if (request->op == MEDIA_WRITE && request->bytes > 0)
        ssd_write_begin(media, request);
    else if (request->op == MEDIA_FLUSH)
        ssd_write_flush(media, request);
    else
        ssd_finish(media, request, request->served);
}

void ssd_to_channel(struct media *media, struct ssd_item *item, time_ps service)
{
    nvme_server_add(&media->channels[item->die % (uint32_t)media->params.channels], &item->job,
                    service);
}

void ssd_to_die(struct media *media, struct ssd_item *item, enum die_kind kind, time_ps takes)
{
    item->op.kind = (uint8_t)kind;
    item->op.time = takes;
    die_add(&media->dies[item->die], &item->op);
}

static void channel_done(void *self, struct nvme_job *job)
{
    struct ssd_item *item = (struct ssd_item *)(void *)job;
    if (item->programs)
        ssd_write_left_channel(self, (struct ssd_program *)(void *)item);
    else
        ssd_read_left_channel(self, (struct ssd_part *)(void *)item);
}

static void die_done(void *self, struct die_op *op)
{
    if (op->kind == DIE_ERASE) {
        ssd_write_erased(self, op);
        return;
    }
    struct ssd_item *item = (struct ssd_item *)(void *)((char *)op - offsetof(struct ssd_item, op));
    if (item->programs)
        ssd_write_programmed(self, (struct ssd_program *)(void *)item);
    else
        ssd_read_left_die(self, (struct ssd_part *)(void *)item);
}

/* ---- the medium ---- */

static void make_dies(struct media *media)
{
    const struct ssd_params *params = &media->params;
    media->die_count = (uint32_t)(params->channels * params->dies_per_channel);
    media->page_units = (uint32_t)(params->page_size / FTL_UNIT_BYTES);
    media->slot_units = media->page_units * (uint32_t)params->planes;
    media->rules = (struct die_rules){
        .planes = params->independent_reads ? (uint32_t)params->planes : 1,
        .program_suspend = params->program_suspend,
        .erase_suspend = params->erase_suspend,
        .suspend_limit = params->suspend_limit,
        .reads_ahead = params->reads_ahead,
    };
    media->dies = memory_zeroed(media->die_count, sizeof *media->dies);
    media->meters = memory_zeroed(media->die_count, sizeof *media->meters);
    media->erases = memory_zeroed(media->die_count, sizeof *media->erases);
    media->pages = memory_zeroed(media->die_count, sizeof *media->pages);
    media->erasing = memory_zeroed(media->die_count, sizeof *media->erasing);
    for (uint32_t i = 0; i < media->die_count; i++)
        die_init(&media->dies[i], media->env, &media->rules, die_done, media);
}

static struct media *ssd_create(const struct media_site *site)
{
    struct media *media = memory_new(sizeof *media);
    char purpose[32];
    snprintf(purpose, sizeof purpose, "media-%03u", site->index);
    media->env = site->env;
    media->index = site->index;
    media->params = *(const struct ssd_params *)site->params;
    const struct ssd_params *params = &media->params;
    media->times = env_stream(site->env, purpose);
    media->read_law = rng_law(params->read_time, params->read_p99);
    media->program_law = rng_law(params->program_time, params->program_p99);
    make_dies(media);
    ssd_state_init(media, site->bytes);
    nvme_server_init(&media->controller, site->env, controller_done, media, 0);
    nvme_server_init(&media->link_out, site->env, ssd_read_done, media, params->read_overhead);
    nvme_server_init(&media->link_in, site->env, ssd_write_arrived, media, params->write_overhead);
    media->channels = memory_zeroed((size_t)params->channels, sizeof *media->channels);
    for (int64_t i = 0; i < params->channels; i++)
        nvme_server_init(&media->channels[i], site->env, channel_done, media, 0);
    return media;
}

static void ssd_submit(struct media *media, struct media_request *request)
{
    if (!media->ready)
        ssd_state_precondition(media);
    request->submitted_at = env_now(media->env);
    nvme_server_add(&media->controller, &request->job, media->params.command_time);
}

static void ssd_stations(const struct media *media, nvme_station_fn *call, void *self)
{
    const time_ps now = env_now(media->env);
    for (uint32_t i = 0; i < media->die_count; i++)
        media->meters[i].taken = die_busy(&media->dies[i], now);
    const struct nvme_station stations[] = {
        {"controller", &media->controller, 1},
        {"dies", media->meters, media->die_count},
        {"channels", media->channels, (uint32_t)media->params.channels},
        {"host interface, reads", &media->link_out, 1},
        {"host interface, writes", &media->link_in, 1},
    };
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++)
        call(self, &stations[i]);
}

static bool ssd_wear(const struct media *media, struct media_wear *wear)
{
    const struct ftl *ftl = &media->ftl;
    *wear = media->wear;
    wear->units_down = ftl->written;
    wear->units_programmed = ftl->written + ftl->copied + ftl->padded;
    for (uint32_t i = 0; i < media->die_count; i++)
        wear->suspensions += media->dies[i].suspensions;
    return true;
}

/* Every allocated item is at a die, on a channel or on the link, or is being filled. */
static void ssd_audit(const struct media *media)
{
    uint32_t items = nvme_server_audit(&media->link_out), erases = 0;
    uint64_t incoming = 0;
    nvme_server_audit(&media->controller);
    nvme_server_audit(&media->link_in);
    for (struct nvme_job *job = media->link_in.first; job != NULL; job = job->next) {
        const struct media_request *request = ssd_request_of(job);
        incoming += (request->offset + request->bytes - 1) / FTL_UNIT_BYTES -
                    request->offset / FTL_UNIT_BYTES + 1;
    }
    CHECK(incoming == media->incoming);
    for (int64_t i = 0; i < media->params.channels; i++)
        items += nvme_server_audit(&media->channels[i]);
    for (uint32_t i = 0; i < media->die_count; i++) {
        items += die_audit(&media->dies[i]);
        erases += media->erasing[i];
    }
    CHECK(items - erases >= media->parts_out);
    CHECK(items - erases <= media->parts_out + media->programs_out);
    CHECK(media->programs + (media->open != NULL) == media->programs_out);
    CHECK(media->ftl.filled <= media->ftl.block_units && media->ftl.free_blocks > 0);
    CHECK(media->waiting_first == NULL || media->cache.versions + media->incoming > 0);
}

static void ssd_destroy(struct media *media)
{
    nvme_server_fini(&media->controller);
    nvme_server_fini(&media->link_in);
    nvme_server_fini(&media->link_out);
    for (int64_t i = 0; i < media->params.channels; i++)
        nvme_server_fini(&media->channels[i]);
    for (uint32_t i = 0; i < media->die_count; i++)
        die_fini(&media->dies[i]);
    while (media->chunks != NULL) {
        void *chunk = media->chunks;
        media->chunks = *(void **)chunk;
        free(chunk);
    }
    ftl_fini(&media->ftl);
    write_cache_fini(&media->cache);
    free(media->slot_die);
    free(media->channels);
    free(media->dies);
    free(media->meters);
    free(media->erases);
    free(media->pages);
    free(media->erasing);
    free(media);
}

const struct media_ops media_ssd = {
    .name = "ssd",
    .about = "An SSD that ages: garbage collection, a write cache that fills, reads that wait for "
             "programs and erases or suspend them.",
    .opts = ssd_opts,
    .params_bytes = sizeof(struct ssd_params),
    .create = ssd_create,
    .submit = ssd_submit,
    .stations = ssd_stations,
    .wear = ssd_wear,
    .audit = ssd_audit,
    .destroy = ssd_destroy,
};
