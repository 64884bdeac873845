/* SPDX-License-Identifier: Apache-2.0
 * array - several drives of one kind as one medium: striped, mirrored, or with parity.
 * A request becomes parts, one for each strip that it touches and each drive that has to do with
 * it, and is done with the last of them.
 *
 *   stripe   strip i is on drive i mod N; who loses a drive loses all
 *   mirror   each drive has all of it, or so many copies are striped; a read goes to the copy with
 *            the fewest bytes of reads under way, a write to all
 *   parity   k data strips and m of parity in a stripe, which turn by a drive from one to the next;
 *            a whole stripe is written as it is, a part of one after the reads of what parity needs
 *
 * A drive that failed is done without: what it had is read from k others.  When it has been
 * replaced it is rebuilt, a window at a time, in competition with what hosts ask for.
 * Source: SPDK, module/bdev/raid: raid0.c (a request is split at strips), raid1.c (the base bdev
 * with the fewest blocks of reads outstanding), bdev_raid.c (process_window_size_kb,
 * process_max_bandwidth_mb_sec); the turn of parity is md's left-symmetric, and so is the choice
 * between reading what is overwritten and reading the rest of the stripe (Linux 6.1,
 * drivers/md/raid5.c, handle_stripe_dirtying).  Owner: the target.  Clock: env.  Errors: a request
 * of an array that lost more than it bears has `failed`.
 * Not modelled: the processor's time for parity, stripes that several writes fill before they are
 * written, a journal, errors of single blocks, drives that slow down before they fail. */
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
    int64_t drives;         /* from 2 */
    int64_t layout;         /* enum array_layout */
    int64_t strip;          /* bytes in a row on one drive */
    int64_t copies;         /* divides drives; 0: as many as drives; layout mirror alone */
    int64_t parity;         /* strips of a stripe, fewer than drives; layout parity alone */
    int64_t rebuild_window; /* bytes of a drive that are rebuilt at once: at least a strip */
    int64_t rebuild_rate;   /* bits a second; 0: as fast as it goes */
};

/* What its media_site.params points to. */
struct array_setup {
    struct array_params params;
    const struct media_ops *drive;
    const void *drive_params;
};

/* What a run did to arrays.
 *   host_bytes_read, host_bytes_written     by hosts
 *   drive_bytes_read, drive_bytes_written   of all drives
 *   degraded_reads    of a strip, that came from others
 *   partial_stripes   that were written in part, after reads
 *   drives_failed     ever
 *   bytes_rebuilt     of drives that were replaced
 *   bytes_to_rebuild  of them, at the end
 *   rebuild_ps        while one was rebuilt
 *   rebuilds          that are done */
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

/* Its stations are those of its drives, its wear their sum. */
extern const struct media_ops array_media;

/* Strips of data in a stripe; bytes that each drive has of a namespace of so many. */
uint32_t array_columns(const struct array_params *params);
/* Without these drives, a bit for each, not all can be read. */
bool array_is_lost(const struct array_params *params, uint32_t gone);
uint64_t array_drive_bytes(const struct array_params *params, uint64_t bytes);

uint32_t array_drives(const struct media *media);

/* The drive, from 0, is gone with all that is on it; or another is in its place.  Nothing happens
 * where it is so already. */
void array_fail(struct media *media, uint32_t drive);
void array_replace(struct media *media, uint32_t drive);

/* Adds to *sum. */
void array_stats(const struct media *media, struct array_stats *sum);

#endif
