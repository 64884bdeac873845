/* SPDX-License-Identifier: Apache-2.0
 * array - several drives of one kind as one medium: striped, mirrored, or with parity.
 * A request is split into parts, one per strip and drive involved, and completes with the last of
 * them.
 *   stripe   strip i is on drive i mod N; losing one drive loses all data
 *   mirror   each drive has all data, or a number of copies is striped; a read goes to the copy
 *            with the fewest bytes of outstanding reads, a write to all
 *   parity   k data strips and m parity strips per stripe, rotated by one drive per stripe; a whole
 *            stripe is written directly, part of one after the reads that parity needs
 * Data of a failed drive is reconstructed from k others. A replaced drive is rebuilt a window at a
 * time, in competition with host I/O.
 * Source: SPDK, module/bdev/raid: raid0.c (splitting at strips), raid1.c (the base bdev with the
 * fewest blocks of reads outstanding), bdev_raid.c (process_window_size_kb,
 * process_max_bandwidth_mb_sec); the rotation of parity is md's left-symmetric, as is the choice
 * between reading overwritten data and reading the rest of the stripe (Linux 6.1,
 * drivers/md/raid5.c, handle_stripe_dirtying). Owner: the target. Clock: env. Errors: a request to
 * an array with too many failed drives is marked `failed`. Not modeled: CPU time for parity,
 * combining several writes into a full stripe, a journal, errors of single blocks, drives that slow
 * down before they fail. */
#ifndef STORMGLASS_NVME_MEDIA_ARRAY_H
#define STORMGLASS_NVME_MEDIA_ARRAY_H

#include "nvme/media/media.h"

#include <stdbool.h>

/* X(NAME, "word") */
#define ARRAY_LAYOUTS(X)                                                                           \
    X(STRIPE, "stripe")                                                                            \
    X(MIRROR, "mirror")                                                                            \
    X(PARITY, "parity")

#define X(name, word) ARRAY_##name,
enum array_layout { ARRAY_LAYOUTS(X) };
#undef X

enum { ARRAY_DRIVES_MAX = 32 };

struct array_params {
    int64_t drives;         /* 2 or more */
    int64_t layout;         /* enum array_layout */
    int64_t strip;          /* contiguous bytes on one drive */
    int64_t copies;         /* divides drives; 0: as many as drives; only for layout mirror */
    int64_t parity;         /* parity strips per stripe, fewer than drives; only for layout
                             * parity */
    int64_t rebuild_window; /* bytes of a drive rebuilt at once; at least a strip */
    int64_t rebuild_rate;   /* bits per second; 0: unlimited */
};

/* Type of media_site.params for an array. */
struct array_setup {
    struct array_params params;
    const struct media_ops *drive;
    const void *drive_params;
};

/* Statistics of the arrays in a run.
 *   host_bytes_read, host_bytes_written     by hosts
 *   drive_bytes_read, drive_bytes_written   of all drives
 *   degraded_reads    reads of a strip reconstructed from other drives
 *   partial_stripes   stripes written in part, after reads
 *   drives_failed     total
 *   bytes_rebuilt     of replaced drives
 *   bytes_to_rebuild  of replaced drives, left at the end
 *   rebuild_ps        time during which a drive was being rebuilt
 *   rebuilds          completed */
#define ARRAY_STATS(X)                                                                             \
    X(host_bytes_read)                                                                             \
    X(host_bytes_written)                                                                          \
    X(drive_bytes_read)                                                                            \
    X(drive_bytes_written)                                                                         \
    X(degraded_reads)                                                                              \
    X(partial_stripes)                                                                             \
    X(drives_failed) X(bytes_rebuilt) X(bytes_to_rebuild) X(rebuild_ps) X(rebuilds)

struct array_stats {
#define X(member) uint64_t member;
    ARRAY_STATS(X)
#undef X
};

/* Its stations are those of its drives, its wear is their sum. */
extern const struct media_ops array_media;

/* Data strips per stripe; array_drive_bytes: bytes per drive for a namespace of `bytes`. */
uint32_t array_columns(const struct array_params *params);
/* Whether data is lost when the drives in bit mask `gone` are missing. */
bool array_is_lost(const struct array_params *params, uint32_t gone);
uint64_t array_drive_bytes(const struct array_params *params, uint64_t bytes);

uint32_t array_drives(const struct media *media);

/* Fails drive number `drive`, from 0, with all its data; or replaces it. No-op when it already is
 * in that state. */
void array_fail(struct media *media, uint32_t drive);
void array_replace(struct media *media, uint32_t drive);

/* Adds to *sum. */
void array_stats(const struct media *media, struct array_stats *sum);

#endif
