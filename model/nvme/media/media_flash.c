/* SPDX-License-Identifier: Apache-2.0
 * media_flash - a NAND SSD: controller, channels, dies, write buffer.
 *   read:   controller -> per page: die (tR) -> channel -> link to the host -> overhead -> done
 *   write:  controller -> space in the buffer -> link from the host -> overhead -> done
 *           and in the background: channel -> die (tPROG) -> buffer space is released
 * Each stage serves one request at a time in order of arrival. Pages are striped over the channels
 * first, then over the dies of a channel; programs rotate over the dies in the same order. Unloaded
 * 4 KiB read with the defaults: 1.6 us + 60 us + 4096 B at 9.6 Gb/s (3.4 us) + 4096 B at 25.6 Gb/s
 * (1.3 us) + 13 us = 79.3 us; reads saturate the controller at 1 / 1.6 us = 625 thousand per second
 * (64 dies / 60 us would allow a million), sustained writes run at 64 dies * 32 KiB / 700 us = 3
 * GB/s.
 * Not modeled: garbage collection beyond a constant write amplification, suspended programs, reads
 * served from the buffer, multi-plane reads, wear. */
#include "base/memory.h"
#include "nvme/media/media_kinds.h"

#include <stdio.h>
#include <stdlib.h>

struct flash_params {
    int64_t channels, dies_per_channel;
    int64_t page_size, read_time, read_jitter;
    int64_t program_size, program_time, write_amplification;
    int64_t read_p99, program_p99;
    int64_t channel_rate, link_rate;
    int64_t command_time, read_overhead, write_overhead;
    int64_t buffer;
};

#define PARAM(field) offsetof(struct flash_params, field)
#define DEVICE       "assumed: of the size of an Intel P4510 (77 us read, 637k IOPS, 3.2 GB/s)"

static const struct opt flash_opts[] = {
    {"channels", OPT_INT, PARAM(channels), "8", "1", "64", NULL,
     "Number of flash channels of the drive.", DEVICE, OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"dies-per-channel", OPT_INT, PARAM(dies_per_channel), "8", "1", "64", NULL,
     "Number of dies on each channel. A die executes one operation at a time.", DEVICE,
     OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"page-size", OPT_SIZE, PARAM(page_size), "16KiB", "4KiB", "1MiB", NULL,
     "Bytes that one die reads at once.", "assumed: common page of 3D TLC",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"read-time", OPT_TIME, PARAM(read_time), "60us", "0ps", "100ms", NULL,
     "Time for a die to read a page (tR).", "assumed: gives 80 us for an unloaded 4 KiB read",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"read-jitter", OPT_PERCENT, PARAM(read_jitter), "10%", "0%", "100%", NULL,
     "Variation of the time to read a page: uniformly distributed within read-time plus or minus "
     "this percentage.",
     "assumed: page kinds of TLC differ", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"read-p99", OPT_TIME, PARAM(read_p99), "0us", "0ps", "1s", NULL,
     "99th percentile of the time to read a page, which then has a log-logistic distribution with "
     "median read-time, and read-jitter has no effect. A value not above read-time: read-jitter "
     "applies.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"program-size", OPT_SIZE, PARAM(program_size), "32KiB", "4KiB", "16MiB", NULL,
     "Bytes that one die programs at once.", "assumed: two planes of one page",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"program-time", OPT_TIME, PARAM(program_time), "700us", "0ps", "1s", NULL,
     "Time for a die to program program-size bytes (tPROG).", "assumed: gives 3 GB/s over all dies",
     OPT_SCALES(MEDIA, MORE, DELAY)},
    {"program-p99", OPT_TIME, PARAM(program_p99), "0us", "0ps", "10s", NULL,
     "99th percentile of the time of a program operation, which has a log-logistic distribution "
     "with median program-time. A value not above program-time: every program operation takes "
     "program-time.",
     "assumed: none", OPT_SCALES(MEDIA, MORE, SERVICE)},
    {"write-amplification", OPT_PERCENT, PARAM(write_amplification), "100%", "100%", "10000%", NULL,
     "Number of bytes written to flash for each byte that hosts write, in percent. It lengthens "
     "every program operation.",
     "assumed: a fresh device", OPT_ACTS(MEDIA, MORE, SERVICE)},
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
    {"buffer", OPT_SIZE, PARAM(buffer), "64MiB", "64KiB", "64GiB", NULL,
     "Size of the write buffer. A write completes when its data are in the buffer, and waits "
     "while the buffer is full.",
     "assumed: protected against loss of power", OPT_ACTS(MEDIA, LESS, SERVICE)},
    {0},
};

/* One page to read, or one unit to program. */
struct part {
    struct nvme_job job;           /* first member: a job is cast to its part */
    struct media_request *request; /* NULL: a program */
    struct part *next_free;
    uint32_t bytes;
    uint32_t die;
    time_ps served;
};

enum { CHUNK_PARTS = 256 };

struct chunk {
    struct chunk *next;
    struct part parts[CHUNK_PARTS];
};

struct media {
    const struct env *env;
    struct flash_params params;
    struct rng jitter;
    struct rng_law read_law, program_law;
    struct nvme_server controller, link_out, link_in;
    struct nvme_server *channels, *dies;
    uint32_t die_count;
    uint32_t next_program;   /* the die that programs next */
    int64_t buffered, dirty; /* bytes in the buffer; the part of them not in a program yet */
    struct media_request *waiting_first, *waiting_last; /* waiting for space in the buffer */
    struct part *free_parts;
    struct chunk *chunks;
    uint64_t parts_out;
};

static struct media_request *request_of(struct nvme_job *job)
{
    return (struct media_request *)(void *)((char *)job - offsetof(struct media_request, job));
}

static struct part *take_part(struct media *media)
{
    if (media->free_parts == NULL) {
        struct chunk *chunk = memory_new(sizeof *chunk);
        chunk->next = media->chunks;
        media->chunks = chunk;
        for (unsigned i = 0; i < CHUNK_PARTS; i++) {
            chunk->parts[i].next_free = media->free_parts;
            media->free_parts = &chunk->parts[i];
        }
    }
    struct part *part = media->free_parts;
    media->free_parts = part->next_free;
    media->parts_out++;
    *part = (struct part){0};
    return part;
}

static void give_part(struct media *media, struct part *part)
{
    part->next_free = media->free_parts;
    media->free_parts = part;
    media->parts_out--;
}

static void serve(struct nvme_server *server, struct part *part, time_ps service)
{
    part->served += service;
    nvme_server_add(server, &part->job, service);
}

static time_ps transfer(uint32_t bytes, int64_t rate)
{
    return units_transfer_ps(bytes, (uint64_t)rate);
}

static struct nvme_server *channel_of(const struct media *media, uint32_t die)
{
    return &media->channels[die % (uint32_t)media->params.channels];
}

/* `served` is the total service time; the rest of the time since submission was waiting. */
static void finish(struct media *media, struct media_request *request, time_ps served)
{
    request->done_at = env_now(media->env);
    request->begun_at = request->done_at - served;
    CHECK(request->begun_at >= request->submitted_at);
    request->done(request->self, request);
}

/* ---- reads ---- */

static time_ps page_time(struct media *media)
{
    if (media->read_law.log2_ratio > 0)
        return rng_law_draw(&media->jitter, &media->read_law);
    const time_ps mean = media->params.read_time;
    const time_ps span = (time_ps)((__int128)mean * media->params.read_jitter / PPM);
    if (span == 0)
        return mean;
    return mean - span + (time_ps)rng_below(&media->jitter, (uint64_t)span * 2 + 1);
}

static void read_pages(struct media *media, struct media_request *request)
{
    const uint64_t page_size = (uint64_t)media->params.page_size;
    const uint64_t end = request->offset + request->bytes;
    request->parts = (uint32_t)((end - 1) / page_size - request->offset / page_size + 1);
    for (uint64_t at = request->offset; at < end;) {
        const uint64_t page = at / page_size;
        const uint64_t page_end = (page + 1) * page_size;
        const uint64_t stop = page_end < end ? page_end : end;
        struct part *part = take_part(media);
        part->request = request;
        part->bytes = (uint32_t)(stop - at);
        part->die = (uint32_t)(page % media->die_count);
        at = stop;
        serve(&media->dies[part->die], part, page_time(media));
    }
}

static void read_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct part *part = (struct part *)(void *)job;
    struct media_request *request = part->request;
    const time_ps served = request->served + part->served + media->params.read_overhead;
    give_part(media, part);
    if (--request->parts == 0)
        finish(media, request, served);
}

/* ---- writes ---- */

static void admit_writes(struct media *media)
{
    while (media->waiting_first != NULL) {
        struct media_request *request = media->waiting_first;
        /* When nothing in progress will free space, less than one program is left: then even a
         * write larger than the buffer is admitted. */
        const bool moving = media->buffered > media->dirty;
        if (moving && media->buffered + request->bytes > media->params.buffer)
            return;
        media->waiting_first = request->next;
        media->buffered += request->bytes;
        const time_ps service = transfer(request->bytes, media->params.link_rate);
        request->served += service + media->params.write_overhead;
        nvme_server_add(&media->link_in, &request->job, service);
    }
}

static void start_programs(struct media *media)
{
    while (media->dirty >= media->params.program_size) {
        media->dirty -= media->params.program_size;
        struct part *part = take_part(media);
        part->bytes = (uint32_t)media->params.program_size;
        part->die = media->next_program;
        media->next_program = (media->next_program + 1) % media->die_count;
        serve(channel_of(media, part->die), part,
              transfer(part->bytes, media->params.channel_rate));
    }
}

static void write_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request = request_of(job);
    media->dirty += request->bytes;
    finish(media, request, request->served);
    start_programs(media);
    admit_writes(media);
}

static void program_done(struct media *media, struct part *part)
{
    media->buffered -= part->bytes;
    give_part(media, part);
    admit_writes(media);
}

/* ---- after each stage ---- */

static void controller_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct media_request *request = request_of(job);
    request->served = media->params.command_time; /* later stages are added */
    if (request->op == MEDIA_READ && request->bytes > 0) {
        read_pages(media, request);
    } else if (request->op == MEDIA_WRITE && request->bytes > 0) {
        request->next = NULL;
        if (media->waiting_first == NULL)
            media->waiting_first = request;
        else
            media->waiting_last->next = request;
        media->waiting_last = request;
        admit_writes(media);
    } else {
        finish(media, request, request->served);
    }
}

static void die_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct part *part = (struct part *)(void *)job;
    if (part->request == NULL)
        program_done(media, part);
    else
        serve(channel_of(media, part->die), part,
              transfer(part->bytes, media->params.channel_rate));
}

static void channel_done(void *self, struct nvme_job *job)
{
    struct media *media = self;
    struct part *part = (struct part *)(void *)job;
    const struct flash_params *params = &media->params;
    if (part->request == NULL)
        serve(&media->dies[part->die], part,
              (time_ps)((__int128)rng_law_draw(&media->jitter, &media->program_law) *
                        params->write_amplification / PPM));
    else
        serve(&media->link_out, part, transfer(part->bytes, params->link_rate));
}

static struct media *flash_create(const struct media_site *site)
{
    struct media *media = memory_new(sizeof *media);
    char purpose[32];
    snprintf(purpose, sizeof purpose, "media-%03u", site->index);
    media->env = site->env;
    media->params = *(const struct flash_params *)site->params;
    media->jitter = env_stream(site->env, purpose);
    media->read_law = rng_law(media->params.read_time, media->params.read_p99);
    media->program_law = rng_law(media->params.program_time, media->params.program_p99);
    media->die_count = (uint32_t)(media->params.channels * media->params.dies_per_channel);
    media->channels = memory_zeroed((size_t)media->params.channels, sizeof *media->channels);
    media->dies = memory_zeroed(media->die_count, sizeof *media->dies);
    nvme_server_init(&media->controller, site->env, controller_done, media, 0);
    nvme_server_init(&media->link_out, site->env, read_done, media, media->params.read_overhead);
    nvme_server_init(&media->link_in, site->env, write_done, media, media->params.write_overhead);
    for (int64_t i = 0; i < media->params.channels; i++)
        nvme_server_init(&media->channels[i], site->env, channel_done, media, 0);
    for (uint32_t i = 0; i < media->die_count; i++)
        nvme_server_init(&media->dies[i], site->env, die_done, media, 0);
    return media;
}

static void flash_submit(struct media *media, struct media_request *request)
{
    request->submitted_at = env_now(media->env);
    nvme_server_add(&media->controller, &request->job, media->params.command_time);
}

/* Bound by the slowest stage: the controller, the link, and for reads the dies. The buffer can for
 * a while absorb writes faster than the dies program them, and with a tail all pages may be fast
 * for a while. */
static time_ps flash_least(const void *params, enum media_op op, uint32_t bytes)
{
    const struct flash_params *flash = params;
    const time_ps link = transfer(bytes, flash->link_rate);
    const time_ps slowest = link > flash->command_time ? link : flash->command_time;
    if (op == MEDIA_FLUSH)
        return flash->command_time;
    if (op == MEDIA_WRITE)
        return slowest;
    if (flash->read_p99 > flash->read_time)
        return slowest;
    const __int128 pages = (bytes + flash->page_size - 1) / flash->page_size;
    const __int128 shortest = (__int128)flash->read_time * (PPM - flash->read_jitter) / PPM;
    const __int128 dies = pages * shortest / (flash->channels * flash->dies_per_channel);
    return dies > slowest ? (time_ps)dies : slowest;
}

/* Counts the parts in a server's queue; returns the bytes of those that are programs. */
static int64_t parts_audit(const struct nvme_server *server, uint64_t *count)
{
    int64_t bytes = 0;
    nvme_server_audit(server);
    for (const struct nvme_job *job = server->first; job != NULL; job = job->next) {
        const struct part *part = (const struct part *)(const void *)job;
        bytes += part->request == NULL ? part->bytes : 0;
        *count += 1;
    }
    return bytes;
}

/* Data in the buffer is being received, waiting for a program or in one. */
static void buffer_audit(const struct media *media)
{
    uint64_t parts = 0;
    int64_t buffered = media->dirty;
    for (int64_t i = 0; i < media->params.channels; i++)
        buffered += parts_audit(&media->channels[i], &parts);
    for (uint32_t i = 0; i < media->die_count; i++)
        buffered += parts_audit(&media->dies[i], &parts);
    CHECK(parts_audit(&media->link_out, &parts) == 0);
    CHECK(parts == media->parts_out);
    for (struct nvme_job *job = media->link_in.first; job != NULL; job = job->next)
        buffered += request_of(job)->bytes;
    CHECK(buffered == media->buffered);
}

static void flash_stations(const struct media *media, nvme_station_fn *call, void *self)
{
    const struct nvme_station stations[] = {
        {"controller", &media->controller, 1},
        {"dies", media->dies, media->die_count},
        {"channels", media->channels, (uint32_t)media->params.channels},
        {"host interface, reads", &media->link_out, 1},
        {"host interface, writes", &media->link_in, 1},
    };
    for (size_t i = 0; i < sizeof stations / sizeof stations[0]; i++)
        call(self, &stations[i]);
}

static void flash_audit(const struct media *media)
{
    const struct media_request *waiting = media->waiting_first;
    CHECK(media->dirty >= 0 && media->dirty < media->params.program_size);
    CHECK(media->buffered >= media->dirty);
    CHECK(waiting == NULL || (media->buffered > media->dirty &&
                              media->buffered + waiting->bytes > media->params.buffer));
    CHECK(media->next_program < media->die_count);
    nvme_server_audit(&media->controller);
    nvme_server_audit(&media->link_in);
    buffer_audit(media);
}

static void flash_destroy(struct media *media)
{
    nvme_server_fini(&media->controller);
    nvme_server_fini(&media->link_in);
    nvme_server_fini(&media->link_out);
    for (int64_t i = 0; i < media->params.channels; i++)
        nvme_server_fini(&media->channels[i]);
    for (uint32_t i = 0; i < media->die_count; i++)
        nvme_server_fini(&media->dies[i]);
    while (media->chunks != NULL) {
        struct chunk *chunk = media->chunks;
        media->chunks = chunk->next;
        free(chunk);
    }
    free(media->channels);
    free(media->dies);
    free(media);
}

const struct media_ops media_flash = {
    .name = "flash-tlc",
    .about =
        "An SSD of TLC NAND: dies in parallel, a write buffer, a controller with an IOPS ceiling.",
    .opts = flash_opts,
    .params_bytes = sizeof(struct flash_params),
    .create = flash_create,
    .submit = flash_submit,
    .least = flash_least,
    .stations = flash_stations,
    .audit = flash_audit,
    .destroy = flash_destroy,
};
