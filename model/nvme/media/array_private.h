/* SPDX-License-Identifier: Apache-2.0
 * array_private - what the files of an array share.
 * array.c         the medium: requests come, drives fail and are replaced
 * array_row.c     a part of a request within one stripe: which drives it needs, in which order
 * array_rebuild.c a drive that was replaced, window by window */
#ifndef STORMGLASS_NVME_MEDIA_ARRAY_PRIVATE_H
#define STORMGLASS_NVME_MEDIA_ARRAY_PRIVATE_H

#include "nvme/media/array.h"

enum { ROW_BUCKETS = 64 };

enum row_kind { ROW_READ, ROW_WRITE, ROW_FLUSH, ROW_REBUILD };

struct row;

/* A request to one drive. */
struct part {
    struct media_request request; /* first */
    struct row *row;
    uint32_t drive, failures; /* of the drive, when it was asked */
    struct part *next;        /* free */
};

/* Within a stripe; of a mirror, anywhere. */
struct row {
    struct row *next;                     /* in its bucket, behind another that waits, or free */
    struct row *waits_first, *waits_last; /* others that write the same stripe, in order */
    struct media_request *host;
    uint64_t stripe;
    uint64_t at; /* bytes from the start of the namespace; to be rebuilt: of the drive */
    uint32_t bytes;
    uint32_t pending; /* parts of this phase */
    time_ps served;   /* in what is over, by the slowest of each phase */
    time_ps slowest;  /* of this phase, by who came last */
    uint8_t kind;     /* enum row_kind */
    bool writes;      /* the reads before it are over */
    bool again;       /* a drive failed under it */
};

struct drive {
    struct media *media;
    uint64_t reading;  /* bytes under way */
    uint64_t rebuilt;  /* bytes from its start that can be read */
    uint32_t failures; /* so far */
    bool failed;       /* and was not replaced */
};

struct media {
    const struct env *env;
    const struct media_ops *ops; /* of the drives */
    struct array_params params;
    struct array_stats stats;
    struct drive *drives;
    uint64_t drive_bytes;
    bool broken; /* it lost more than it bears */
    struct row *free_rows;
    struct part *free_parts;
    void *chunks; /* each begins with the next */
    uint32_t rows_out, parts_out;
    struct row *buckets[ROW_BUCKETS]; /* stripes that are written */
    struct {
        struct timer timer;
        uint32_t drive;    /* ARRAY_DRIVES_MAX: none */
        uint32_t failures; /* of it, when it began */
        uint32_t rows;     /* of the window, under way */
        uint64_t end;      /* of the window */
        time_ps window_at, begun_at;
    } rebuild;
};

static inline bool array_is_whole(const struct media *media, uint32_t drive)
{
    return media->drives[drive].rebuilt == media->drive_bytes;
}

/* Drives that have the same, one behind the other. */
static inline uint32_t array_copies(const struct array_params *params)
{
    return (uint32_t)(params->layout != ARRAY_MIRROR ? 1
                      : params->copies == 0          ? params->drives
                                                     : params->copies);
}

/* Bytes up to `end` of the drive can be read. */
static inline bool array_has(const struct media *media, uint32_t drive, uint64_t end)
{
    return media->drives[drive].rebuilt >= end;
}

/* array.c: a row of the request is over; of the last one, what it was served is the request's. */
void array_host_served(struct media *media, struct media_request *request, time_ps served);

/* array_row.c: the row says what it is; it may be over when this returns. */
void array_row_begin(struct media *media, const struct row *like);
void array_row_audit(const struct media *media);

/* array_rebuild.c */
void array_rebuild_init(struct media *media);
/* Begins with the next drive that was replaced, where none is being rebuilt. */
void array_rebuild_next(struct media *media);
/* A strip of the window is there, or the array broke. */
void array_rebuild_done(struct media *media, const struct row *row);
/* While one was rebuilt, up to now. */
time_ps array_rebuild_time(const struct media *media);

#endif
