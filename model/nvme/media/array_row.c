/* SPDX-License-Identifier: Apache-2.0
 * array_row - the part of a request within one stripe.
 *   read     the drive with the data; or, if that drive failed, k others
 *   write    [reads that parity needs] -> data and parity
 *   rebuild  k others -> the drive
 * Writes to one stripe are serialized because they share its parity. A drive's outstanding reads
 * are lost when it fails: the reads are planned again without it. */
#include "nvme/media/array_private.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

enum { CHUNK_ITEMS = 64 };

/* ---- memory ---- */

static void *new_chunk(struct media *media, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    char *chunk = memory_zeroed(1, align + bytes * CHUNK_ITEMS);
    *(void **)(void *)chunk = media->chunks;
    media->chunks = chunk;
    return chunk + align;
}

static struct row *take_row(struct media *media, const struct row *like)
{
    if (media->free_rows == NULL) {
        struct row *rows = new_chunk(media, sizeof *rows);
        for (unsigned i = 0; i < CHUNK_ITEMS; i++) {
            rows[i].next = media->free_rows;
            media->free_rows = &rows[i];
        }
    }
    struct row *row = media->free_rows;
    media->free_rows = row->next;
    media->rows_out++;
    *row = *like;
    return row;
}

static struct part *take_part(struct media *media)
{
    if (media->free_parts == NULL) {
        struct part *parts = new_chunk(media, sizeof *parts);
        for (unsigned i = 0; i < CHUNK_ITEMS; i++) {
            parts[i].next = media->free_parts;
            media->free_parts = &parts[i];
        }
    }
    struct part *part = media->free_parts;
    media->free_parts = part->next;
    media->parts_out++;
    return part;
}

/* ---- placement ---- */

/* Byte range on a drive, within a stripe. */
struct span {
    uint64_t from, to;
};

struct place {
    uint64_t stripe;
    uint32_t columns;
    uint32_t first, last; /* first and last column touched */
    struct span span;     /* smallest byte range that covers all touched columns */
    uint64_t begin, end;  /* first byte in the first column, end in the last */
};

static struct place place_of(const struct media *media, const struct row *row)
{
    const uint64_t strip = (uint64_t)media->params.strip;
    struct place place = {.columns = array_columns(&media->params)};
    const bool whole = media->params.layout == ARRAY_MIRROR && place.columns == 1;
    if (whole || row->kind == ROW_REBUILD) {
        place.stripe = row->at / strip;
        place.begin = row->at;
        place.end = row->at + row->bytes;
        place.span = (struct span){place.begin, place.end};
        return place;
    }
    const uint64_t stripe_bytes = strip * place.columns;
    place.stripe = row->at / stripe_bytes;
    const uint64_t from = row->at % stripe_bytes, to = from + row->bytes;
    const uint64_t start = place.stripe * strip;
    place.first = (uint32_t)(from / strip);
    place.last = (uint32_t)((to - 1) / strip);
    place.begin = start + from % strip;
    place.end = start + (to - 1) % strip + 1;
    place.span = place.first == place.last ? (struct span){place.begin, place.end}
                                           : (struct span){start, start + strip};
    return place;
}

/* Parity columns follow the data columns. */
static uint32_t drive_of(const struct media *media, uint64_t stripe, uint32_t column)
{
    const uint32_t drives = (uint32_t)media->params.drives;
    const uint32_t turn =
        media->params.layout == ARRAY_PARITY ? (uint32_t)(drives - stripe % drives) : 0;
    return (turn + column) % drives;
}

/* The range written in a touched column. */
static struct span written_span(const struct place *place, uint32_t column)
{
    struct span span = place->span;
    if (column == place->first)
        span.from = place->begin;
    if (column == place->last)
        span.to = place->end;
    return span;
}

static bool touches(const struct place *place, uint32_t column)
{
    return column >= place->first && column <= place->last;
}

/* ---- parts ---- */

static void part_done(void *self, struct media_request *request);

static void submit_part(struct media *media, struct row *row, enum media_op op, uint32_t drive,
                        struct span span)
{
    struct drive *asked = &media->drives[drive];
    struct part *part = take_part(media);
    const uint32_t bytes = (uint32_t)(span.to - span.from);
    *part = (struct part){
        .request =
            {
                .op = op,
                .offset = span.from,
                .bytes = bytes,
                .done = part_done,
                .self = media,
            },
        .row = row,
        .drive = drive,
        .failures = asked->failures,
    };
    CHECK(span.from <= span.to && span.to <= media->drive_bytes && !asked->failed);
    row->pending++;
    media->stats.drive_bytes_read += op == MEDIA_READ ? bytes : 0;
    media->stats.drive_bytes_written += op == MEDIA_WRITE ? bytes : 0;
    asked->reading += op == MEDIA_READ ? bytes : 0;
    media->ops->submit(asked->media, &part->request);
}

/* Reads the same range of any k readable drives other than `but`, where k is the number of data
 * columns. */
static void ask_others(struct media *media, struct row *row, uint64_t stripe, uint32_t but,
                       struct span span)
{
    const uint32_t columns = array_columns(&media->params);
    uint32_t left = columns;
    for (uint32_t i = 0; i < (uint32_t)media->params.drives && left > 0; i++) {
        const uint32_t drive = drive_of(media, stripe, i);
        if (drive == but || !array_has(media, drive, span.to))
            continue;
        submit_part(media, row, MEDIA_READ, drive, span);
        left--;
    }
    CHECK(left == 0); /* otherwise the array has lost data */
}

/* ---- reads ---- */

/* The readable copy of the column with the fewest bytes of outstanding reads (mirror). */
static uint32_t least_read(const struct media *media, uint32_t column, uint64_t end)
{
    const uint32_t copies = array_copies(&media->params);
    uint32_t best = ARRAY_DRIVES_MAX;
    for (uint32_t i = column * copies; i < (column + 1) * copies; i++)
        if (array_has(media, i, end) &&
            (best == ARRAY_DRIVES_MAX || media->drives[i].reading < media->drives[best].reading))
            best = i;
    CHECK(best < ARRAY_DRIVES_MAX);
    return best;
}

static void plan_read(struct media *media, struct row *row)
{
    const struct place place = place_of(media, row);
    if (media->params.layout == ARRAY_MIRROR) {
        submit_part(media, row, MEDIA_READ, least_read(media, place.first, place.end), place.span);
        return;
    }
    const uint32_t drive = drive_of(media, place.stripe, place.first);
    if (array_has(media, drive, place.end)) {
        submit_part(media, row, MEDIA_READ, drive, place.span);
        return;
    }
    media->stats.degraded_reads++;
    ask_others(media, row, place.stripe, drive, place.span);
}

/* ---- writes ---- */

struct needs {
    const struct place *place;
    uint32_t old;  /* number of reads of overwritten data and its parity */
    uint32_t rest; /* number of reads of the remaining data */
    bool can_old, can_rest, parity;
};

/* The ranges of a column that are not written: before and after the written one. */
static void rest_of(const struct place *place, uint32_t column, struct span rest[2])
{
    const struct span all = place->span;
    rest[0] = all;
    rest[1] = (struct span){all.to, all.to};
    if (!touches(place, column))
        return;
    const struct span own = written_span(place, column);
    rest[0].to = own.from;
    rest[1].from = own.to;
}

static struct needs needs_of(const struct media *media, const struct place *place)
{
    struct needs needs = {.place = place, .can_old = true, .can_rest = true};
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++) {
        const bool there = array_has(media, drive_of(media, place->stripe, i), place->span.to);
        struct span rest[2];
        if (i >= place->columns) {
            needs.old += there;
            needs.parity |= there;
            continue;
        }
        rest_of(place, i, rest);
        const uint32_t pieces =
            (uint32_t)(rest[0].from < rest[0].to) + (uint32_t)(rest[1].from < rest[1].to);
        needs.rest += pieces;
        needs.can_rest &= there || pieces == 0;
        needs.old += touches(place, i);
        needs.can_old &= there || !touches(place, i);
    }
    return needs;
}

static void read_old(struct media *media, struct row *row, const struct place *place)
{
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++) {
        const uint32_t drive = drive_of(media, place->stripe, i);
        if (i >= place->columns && array_has(media, drive, place->span.to))
            submit_part(media, row, MEDIA_READ, drive, place->span);
        else if (i < place->columns && touches(place, i))
            submit_part(media, row, MEDIA_READ, drive, written_span(place, i));
    }
}

static void read_rest(struct media *media, struct row *row, const struct place *place)
{
    for (uint32_t i = 0; i < place->columns; i++) {
        struct span rest[2];
        rest_of(place, i, rest);
        for (unsigned k = 0; k < 2; k++)
            if (rest[k].from < rest[k].to)
                submit_part(media, row, MEDIA_READ, drive_of(media, place->stripe, i), rest[k]);
    }
}

/* Issues the fewest reads from which parity can be computed. Returns false without any read when
 * the whole stripe is written or no parity drive is left. */
static bool read_before(struct media *media, struct row *row, const struct place *place)
{
    const struct needs needs = needs_of(media, place);
    if (!needs.parity || needs.rest == 0)
        return false;
    media->stats.partial_stripes++;
    if (needs.can_old && (!needs.can_rest || needs.old < needs.rest))
        read_old(media, row, place);
    else if (needs.can_rest)
        read_rest(media, row, place);
    else
        ask_others(media, row, place->stripe, ARRAY_DRIVES_MAX, place->span);
    return true;
}

static void write_column(struct media *media, struct row *row, uint32_t drive, struct span span)
{
    if (!media->drives[drive].failed)
        submit_part(media, row, MEDIA_WRITE, drive, span);
}

static void write_all(struct media *media, struct row *row, const struct place *place)
{
    const bool mirror = media->params.layout == ARRAY_MIRROR;
    row->writes = true;
    const uint32_t copies = array_copies(&media->params);
    for (uint32_t i = 0; mirror && i < copies; i++)
        write_column(media, row, place->first * copies + i, place->span);
    for (uint32_t i = 0; !mirror && i < (uint32_t)media->params.drives; i++) {
        const uint32_t drive = drive_of(media, place->stripe, i);
        if (i >= place->columns)
            write_column(media, row, drive, place->span);
        else if (touches(place, i))
            write_column(media, row, drive, written_span(place, i));
    }
}

/* ---- phases of a row ---- */

static void plan_write(struct media *media, struct row *row)
{
    const struct place place = place_of(media, row);
    const bool parity = media->params.layout == ARRAY_PARITY;
    if (!parity || row->writes || !read_before(media, row, &place))
        write_all(media, row, &place);
}

static void plan_rebuild(struct media *media, struct row *row)
{
    const struct place place = place_of(media, row);
    const uint32_t drive = media->rebuild.drive;
    if (row->writes)
        write_column(media, row, drive, place.span);
    else if (media->params.layout == ARRAY_MIRROR)
        submit_part(media, row, MEDIA_READ,
                    least_read(media, drive / array_copies(&media->params), place.end), place.span);
    else
        ask_others(media, row, place.stripe, drive, place.span);
}

static void plan_flush(struct media *media, struct row *row)
{
    row->writes = true;
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++)
        if (!media->drives[i].failed)
            submit_part(media, row, MEDIA_FLUSH, i, (struct span){0, 0});
}

static void plan_phase(struct media *media, struct row *row)
{
    switch (row->kind) {
    case ROW_READ:
        plan_read(media, row);
        break;
    case ROW_WRITE:
        plan_write(media, row);
        break;
    case ROW_FLUSH:
        plan_flush(media, row);
        break;
    default:
        plan_rebuild(media, row);
    }
}

static void finish(struct media *media, struct row *row);

/* All parts of the phase have completed. Returns true when another phase follows. */
static bool phase_over(struct media *media, struct row *row)
{
    row->served += row->slowest;
    row->slowest = 0;
    if (!media->broken && row->again) {
        row->again = false;
        return true;
    }
    if (media->broken || row->writes || row->kind == ROW_READ) {
        finish(media, row);
        return false;
    }
    return row->writes = true;
}

/* Counts itself as pending while it submits, because drives may complete at once. */
static void run_phases(struct media *media, struct row *row)
{
    do {
        row->pending = 1;
        if (!media->broken)
            plan_phase(media, row);
    } while (--row->pending == 0 && phase_over(media, row));
}

static void part_done(void *self, struct media_request *request)
{
    struct media *media = self;
    struct part *part = (struct part *)(void *)request;
    struct row *row = part->row;
    struct drive *drive = &media->drives[part->drive];
    const bool read = request->op == MEDIA_READ;
    CHECK(!read || drive->reading >= request->bytes);
    drive->reading -= read ? request->bytes : 0;
    row->again |= read && part->failures != drive->failures;
    row->slowest = request->done_at - request->begun_at;
    part->next = media->free_parts;
    media->free_parts = part;
    media->parts_out--;
    CHECK(row->pending > 0);
    if (--row->pending == 0 && phase_over(media, row))
        run_phases(media, row);
}

/* ---- serialization of writes to a stripe ---- */

static bool goes_alone(const struct media *media, const struct row *row)
{
    return media->params.layout == ARRAY_PARITY &&
           (row->kind == ROW_WRITE || row->kind == ROW_REBUILD);
}

static struct row **bucket_of(struct media *media, uint64_t stripe)
{
    return &media->buckets[hash_mix(stripe) % ROW_BUCKETS];
}

/* Enters the stripe; false: the row waits for another that has it. */
static bool enter_stripe(struct media *media, struct row *row)
{
    struct row **bucket = bucket_of(media, row->stripe), *other = *bucket;
    while (other != NULL && other->stripe != row->stripe)
        other = other->next;
    row->next = NULL;
    if (other == NULL) {
        row->next = *bucket;
        *bucket = row;
        return true;
    }
    if (other->waits_first == NULL)
        other->waits_first = row;
    else
        other->waits_last->next = row;
    other->waits_last = row;
    return false;
}

/* Releases the stripe and returns its next row, or NULL. */
static struct row *leave_stripe(struct media *media, struct row *row)
{
    struct row **at = bucket_of(media, row->stripe), *heir = row->waits_first;
    while (*at != row)
        at = &(*at)->next;
    if (heir == NULL) {
        *at = row->next;
        return NULL;
    }
    struct row *waits = heir->next;
    heir->waits_first = waits;
    heir->waits_last = waits == NULL ? NULL : row->waits_last;
    heir->next = row->next;
    return *at = heir;
}

static void finish(struct media *media, struct row *row)
{
    const struct row ended = *row;
    struct row *heir = goes_alone(media, row) ? leave_stripe(media, row) : NULL;
    row->next = media->free_rows;
    media->free_rows = row;
    media->rows_out--;
    if (heir != NULL)
        run_phases(media, heir);
    if (ended.kind == ROW_REBUILD)
        array_rebuild_done(media, &ended);
    else
        array_host_served(media, ended.host, ended.served);
}

void array_row_begin(struct media *media, const struct row *like)
{
    struct row *row = take_row(media, like);
    row->stripe = row->kind == ROW_FLUSH ? 0 : place_of(media, row).stripe;
    if (!goes_alone(media, row) || enter_stripe(media, row))
        run_phases(media, row);
}

void array_row_audit(const struct media *media)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < ROW_BUCKETS; i++)
        for (const struct row *row = media->buckets[i]; row != NULL; row = row->next) {
            CHECK(row->pending > 0);
            listed++;
            for (const struct row *waits = row->waits_first; waits != NULL; waits = waits->next) {
                CHECK(waits->stripe == row->stripe && waits->pending == 0);
                listed++;
            }
        }
    CHECK(listed <= media->rows_out);
    CHECK(media->parts_out > 0 || media->rows_out == 0);
}
