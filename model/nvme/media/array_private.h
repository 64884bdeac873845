/* SPDX-License-Identifier: Apache-2.0
 * array_private - declarations shared by the files of an array.
 *   array.c          the medium: requests, drive failure and replacement
 *   array_row.c      the part of a request within one stripe: drives and order of their I/O
 *   array_rebuild.c  rebuilding a replaced drive, window by window */
#ifndef STORMGLASS_NVME_MEDIA_ARRAY_PRIVATE_H
#define STORMGLASS_NVME_MEDIA_ARRAY_PRIVATE_H

#include "nvme/media/array.h"

enum { ROW_BUCKETS = 64 };

enum row_kind { ROW_READ, ROW_WRITE, ROW_FLUSH, ROW_REBUILD };

struct row;

/* A request to one drive. */
struct part {
    struct media_request request; /* first member */
    struct row *row;
    uint32_t drive, failures; /* drive, and its failure count when the request was submitted */
    struct part *next;        /* in the free list */
};

/* The part of a request within a stripe; for an unstriped mirror any range. */
struct row {
    struct row *next;                     /* in its bucket, in the waiting list of another row,
                                           * or in the free list */
    struct row *waits_first, *waits_last; /* rows waiting to write the same stripe, in order */
    struct media_request *host;
    uint64_t stripe;
    uint64_t at; /* offset in the namespace, bytes; for a rebuild: on the drive */
    uint32_t bytes;
    uint32_t pending; /* outstanding parts of this phase */
    time_ps served;   /* service time of the completed phases */
    time_ps slowest;  /* service time of the part that completed last in this phase */
    uint8_t kind;     /* enum row_kind */
    bool writes;      /* the preceding reads are done */
    bool again;       /* a drive failed during the phase, which is repeated */
};

struct drive {
    struct media *media;
    uint64_t reading;  /* bytes of outstanding reads */
    uint64_t rebuilt;  /* bytes from its start that are readable */
    uint32_t failures; /* number of failures so far */
    bool failed;       /* failed and not replaced */
};

struct media {
    const struct env *env;
    const struct media_ops *ops; /* media type of the drives */
    struct array_params params;
    struct array_stats stats;
    struct drive *drives;
    uint64_t drive_bytes;
    bool broken; /* too many drives have failed */
    struct row *free_rows;
    struct part *free_parts;
    void *chunks; /* list of allocations; each starts with a pointer to the next */
    uint32_t rows_out, parts_out;
    struct row *buckets[ROW_BUCKETS]; /* hash table of stripes being written */
    struct {
        struct timer timer;
        uint32_t drive;    /* ARRAY_DRIVES_MAX: none */
        uint32_t failures; /* its failure count when the rebuild began */
        uint32_t rows;     /* outstanding rows of the window */
        uint64_t end;      /* end of the window, bytes */
        time_ps window_at, begun_at;
    } rebuild;
};

static inline bool array_is_whole(const struct media *media, uint32_t drive)
{
    return media->drives[drive].rebuilt == media->drive_bytes;
}

/* Number of drives with the same data, which have consecutive numbers. */
static inline uint32_t array_copies(const struct array_params *params)
{
    return (uint32_t)(params->layout != ARRAY_MIRROR ? 1
                      : params->copies == 0          ? params->drives
                                                     : params->copies);
}

/* Whether the drive is readable up to `end`. */
static inline bool array_has(const struct media *media, uint32_t drive, uint64_t end)
{
    return media->drives[drive].rebuilt >= end;
}

/* array.c: a row of the request has completed; the service time of the last row is that of the
 * request. */
void array_host_served(struct media *media, struct media_request *request, time_ps served);

/* array_row.c: `like` describes the row, which may complete before this returns. */
void array_row_begin(struct media *media, const struct row *like);
void array_row_audit(const struct media *media);

/* array_rebuild.c */
void array_rebuild_init(struct media *media);
/* Starts rebuilding the next replaced drive unless one is being rebuilt. */
void array_rebuild_next(struct media *media);
/* A strip of the window is complete, or the array has lost data. */
void array_rebuild_done(struct media *media, const struct row *row);
/* Total time until now during which a drive was being rebuilt. */
time_ps array_rebuild_time(const struct media *media);

#endif
