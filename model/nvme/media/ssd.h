/* SPDX-License-Identifier: Apache-2.0
 * ssd - declarations shared by the files of the medium `ssd`.
 *   media_ssd.c   parameters, structure of a drive, its controller
 *   ssd_state.c   scaling, and the data written before a run begins
 *   ssd_read.c    reads: buffer, dies, channels, link
 *   ssd_write.c   writes, flushes, programs, garbage collection, erases */
#ifndef STORMGLASS_NVME_MEDIA_SSD_H
#define STORMGLASS_NVME_MEDIA_SSD_H

#include "nvme/media/die.h"
#include "nvme/media/ftl.h"
#include "nvme/media/media.h"
#include "nvme/media/write_cache.h"

struct ssd_params {
    int64_t channels, dies_per_channel, planes, independent_reads;
    int64_t page_size, pages_per_block;
    int64_t read_time, read_p99, program_time, program_p99, erase_time;
    int64_t program_suspend, erase_suspend, suspend_limit, reads_ahead;
    int64_t channel_rate, link_rate;
    int64_t command_time, read_overhead, write_overhead;
    int64_t buffer, protected_buffer;
    int64_t over_provisioning, modelled_size, precondition;
};

#define SSD_PRECONDITIONS(X) X(FRESH, "fresh") X(FILLED, "filled") X(SUSTAINED, "sustained")

#define X(name, word) SSD_##name,
enum ssd_precondition { SSD_PRECONDITIONS(X) };
#undef X

/* A transfer over a channel to or from a die. */
struct ssd_item {
    struct nvme_job job; /* first member: a job is cast to its item */
    struct die_op op;
    uint32_t die;
    bool programs; /* true: a struct ssd_program; false: a struct ssd_part */
};

/* Data in transit between a die and the link or the controller. */
struct ssd_part {
    struct ssd_item item;          /* first member */
    struct media_request *request; /* host request; NULL: copy for garbage collection */
    struct ssd_program *program;   /* program that the copy is for */
    struct ssd_part *next;         /* in the free list, or the next part of the same request */
    uint32_t page;                 /* page to read; FTL_NOWHERE: none */
    uint32_t bytes;
    time_ps served;
};

/* One page of each plane of a die, programmed together. */
struct ssd_program {
    struct ssd_item item; /* first member */
    struct ssd_program *next;
    uint32_t reads; /* outstanding reads of copies */
    uint32_t count; /* units that came from hosts */
    bool full;
    struct write_cache_item items[];
};

struct media {
    const struct env *env;
    struct ssd_params params;
    struct rng times;
    struct rng_law read_law, program_law;
    struct nvme_server controller, link_out, link_in;
    struct nvme_server *channels;
    struct nvme_server *meters; /* by die: only for reporting busy times */
    struct die *dies;
    struct die_rules rules;
    struct die_op *erases; /* one per die */
    uint32_t *pages;       /* by die: pages programmed since the last erase */
    bool *erasing;         /* by die: an erase is in progress */
    uint32_t die_count, page_units, slot_units;
    uint32_t index; /* index of the medium in the target */

    /* Scale: each region of the drive has `region` units, represented by `modelled` units of the
     * map. */
    uint64_t units, region, modelled;
    struct ftl ftl;
    uint16_t *slot_die; /* by program: its die */
    uint32_t next_die;
    bool ready; /* preconditioning is done */

    struct write_cache cache;
    uint64_t incoming; /* admitted units that have not arrived yet */
    struct media_request *waiting_first, *waiting_last; /* writes waiting for buffer space */
    struct media_request *flushes;                      /* waiting flushes */
    struct ssd_program *open;                           /* program being filled */
    struct ssd_part *copy;                              /* last copy during a call of the map */
    uint32_t programs;                                  /* full and not completed */

    struct ssd_part *free_parts;
    struct ssd_program *free_programs;
    void *chunks; /* list of allocations for parts and programs; each starts with a pointer to
                   * the next */
    uint32_t parts_out, programs_out;
    struct media_wear wear;
};

static inline struct media_request *ssd_request_of(struct nvme_job *job)
{
    return (struct media_request *)(void *)((char *)job - offsetof(struct media_request, job));
}

static inline time_ps ssd_transfer(uint64_t bytes, int64_t rate)
{
    return units_transfer_ps(bytes, (uint64_t)rate);
}

/* media_ssd.c */
struct ssd_part *ssd_take_part(struct media *media);
void ssd_give_part(struct media *media, struct ssd_part *part);
struct ssd_program *ssd_take_program(struct media *media);
void ssd_give_program(struct media *media, struct ssd_program *program);
/* `served` is the total service time; the rest of the time since submission was waiting. */
void ssd_finish(struct media *media, struct media_request *request, time_ps served);
/* Transfers over the channel of the item's die. */
void ssd_to_channel(struct media *media, struct ssd_item *item, time_ps service);
void ssd_to_die(struct media *media, struct ssd_item *item, enum die_kind kind, time_ps takes);

/* ssd_state.c */
void ssd_state_init(struct media *media, uint64_t bytes);
/* Call before the first request. */
void ssd_state_precondition(struct media *media);
/* The unit of the map that represents a unit of the drive. */
uint32_t ssd_state_unit(const struct media *media, uint64_t unit);

/* ssd_read.c */
void ssd_read_begin(struct media *media, struct media_request *request);
void ssd_read_left_die(struct media *media, struct ssd_part *part);
void ssd_read_left_channel(struct media *media, struct ssd_part *part);
void ssd_read_done(void *self, struct nvme_job *job);

/* ssd_write.c */
void ssd_write_begin(struct media *media, struct media_request *request);
void ssd_write_flush(struct media *media, struct media_request *request);
void ssd_write_arrived(void *self, struct nvme_job *job);
void ssd_write_copied(struct media *media, struct ssd_part *part);
void ssd_write_left_channel(struct media *media, struct ssd_program *program);
void ssd_write_programmed(struct media *media, struct ssd_program *program);
void ssd_write_erased(struct media *media, struct die_op *op);

#endif
