/* SPDX-License-Identifier: Apache-2.0
 * blktrace - reads records of Linux's block layer about a device. */
#include "scenarios/trace/blktrace.h"

#include "base/check.h"
#include "base/plural.h"

#include <inttypes.h>
#include <linux/blktrace_api.h>
#include <string.h>

enum { SECTOR_BYTES = 512, MINOR_BITS = 20 };

enum left { LEFT_DISCARD, LEFT_PASSED, LEFT_LARGE, LEFT_EMPTY, LEFT_FUA, LEFT_COUNT };

static const struct {
    const char *one, *many, *rest;
} left_words[LEFT_COUNT] = {
    {"discard is", "discards are", "left out: this host sends none"},
    {"command that bypasses the file system is", "commands that bypass the file system are",
     "left out"},
    {"I/O larger than 64 MiB is", "I/Os larger than 64 MiB are", "left out"},
    {"read or write of zero bytes is", "reads and writes of zero bytes are", "left out"},
    {"forced write (FUA) is a plain write", "forced writes (FUA) are plain writes", "here"},
};

struct reader {
    const struct blktrace_ask *ask;
    struct diag *diag;
    struct trace *trace;
    struct trace_files files;
    const struct tree_file *file;
    size_t at; /* position of the record */
    bool swapped;
    struct blk_io_trace record;
    uint32_t left[LEFT_COUNT], others; /* others: records of other devices than the selected one */
    const struct tree_file *first_file[LEFT_COUNT];
    size_t first[LEFT_COUNT];
};

static bool report_error(struct reader *reader, const char *text)
{
    diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = reader->file->name}, NULL,
             "byte %zu: %s", reader->at, text);
    return false;
}

static void leave_out(struct reader *reader, enum left why)
{
    if (reader->left[why]++ > 0)
        return;
    reader->first_file[why] = reader->file;
    reader->first[why] = reader->at;
}

static void report_omissions(const struct reader *reader)
{
    for (int i = 0; i < LEFT_COUNT; i++)
        if (reader->left[i] > 0)
            diag_add(reader->diag, DIAG_NOTE,
                     (struct diag_place){.file = reader->first_file[i]->name}, NULL,
                     "%" PRIu32 " %s %s; the first is at byte %zu", reader->left[i],
                     plural(reader->left[i], left_words[i].one, left_words[i].many),
                     left_words[i].rest, reader->first[i]);
    if (reader->others > 0)
        diag_add(reader->diag, DIAG_NOTE, (struct diag_place){.file = reader->file->name}, NULL,
                 "%" PRIu32 " %s of other devices than %s are left out", reader->others,
                 plural(reader->others, "I/O", "I/Os"), reader->ask->device);
}

/* ---- records ---- */

#define SWAP(field, bits) (field) = __builtin_bswap##bits(field)

/* Swaps the bytes of the fields that are used. */
static void swap_record(struct blk_io_trace *record)
{
    SWAP(record->time, 64);
    SWAP(record->sector, 64);
    SWAP(record->bytes, 32);
    SWAP(record->action, 32);
    SWAP(record->device, 32);
    SWAP(record->pdu_len, 16);
}

/* Reads the record at reader->at, without the data attached to it. */
static bool take_record(struct reader *reader)
{
    const size_t left = reader->file->length - reader->at;
    struct blk_io_trace *record = &reader->record;
    if (left < sizeof *record)
        return report_error(reader, "the file ends inside a record");
    memcpy(record, reader->file->text + reader->at, sizeof *record);
    const uint32_t swapped = __builtin_bswap32(record->magic);
    reader->swapped = (swapped & 0xFFFFFF00) == BLK_IO_TRACE_MAGIC;
    const uint32_t magic = reader->swapped ? swapped : record->magic;
    if ((magic & 0xFFFFFF00) != BLK_IO_TRACE_MAGIC)
        return report_error(reader, "expected a record of blktrace");
    if ((magic & 0xFF) != BLK_IO_TRACE_VERSION)
        return report_error(reader, "expected version 7 of blktrace's records");
    if (reader->swapped)
        swap_record(record);
    return record->pdu_len <= left - sizeof *record ||
           report_error(reader, "the file ends inside a record");
}

static bool has(const struct reader *reader, uint32_t category)
{
    return (reader->record.action >> BLK_TC_SHIFT & category) != 0;
}

static bool is_taken(const struct reader *reader)
{
    const uint32_t cgroup = __BLK_TA_CGROUP, acts = (1u << BLK_TC_SHIFT) - 1;
    const uint32_t act = reader->record.action & acts & ~cgroup;
    const uint32_t wanted = reader->ask->issued ? __BLK_TA_ISSUE : __BLK_TA_QUEUE;
    return act == wanted && !has(reader, BLK_TC_NOTIFY);
}

static bool file_of(struct reader *reader, uint32_t *file)
{
    char name[32];
    const uint32_t device = reader->record.device;
    const int length = snprintf(name, sizeof name, "%" PRIu32 ",%" PRIu32, device >> MINOR_BITS,
                                device & ((1u << MINOR_BITS) - 1));
    const bool other = reader->ask->device != NULL && strcmp(reader->ask->device, name) != 0;
    *file = other ? TRACE_FILES_MAX : trace_file(&reader->files, name, (size_t)length);
    reader->others += other;
    return other || *file < TRACE_FILES_MAX || report_error(reader, "more than 1024 devices");
}

/* Times are in nanoseconds until all records have been read. */
static void add_io(struct reader *reader, enum trace_op op, uint32_t file)
{
    const struct blk_io_trace *record = &reader->record;
    const bool flush = op == TRACE_FLUSH;
    CHECK(reader->trace->count < TRACE_IOS_MAX);
    reader->trace->ios[reader->trace->count++] = (struct trace_io){
        .at = (time_ps)record->time,
        .offset = flush ? 0 : (int64_t)record->sector * SECTOR_BYTES,
        .bytes = flush ? 0 : record->bytes,
        .file = (uint16_t)file,
        .op = (uint8_t)op,
    };
}

static bool take_io(struct reader *reader)
{
    const struct blk_io_trace *record = &reader->record;
    const bool flush = has(reader, BLK_TC_FLUSH), write = has(reader, BLK_TC_WRITE);
    uint32_t file;
    if (!file_of(reader, &file))
        return false;
    if (file == TRACE_FILES_MAX)
        return true;
    if (record->time > INT64_MAX)
        return report_error(reader, "the time of the record is beyond 292 years");
    if (record->sector > (uint64_t)TRACE_OFFSET_MAX / SECTOR_BYTES)
        return report_error(reader, "the I/O is beyond 1 PiB");
    if (has(reader, BLK_TC_DISCARD) || has(reader, BLK_TC_PC)) {
        leave_out(reader, has(reader, BLK_TC_DISCARD) ? LEFT_DISCARD : LEFT_PASSED);
        return true;
    }
    /* When a write with a preceding flush is issued, its flush is issued as a separate request. */
    if (flush && (record->bytes == 0 || !reader->ask->issued))
        add_io(reader, TRACE_FLUSH, file);
    if (record->bytes > TRACE_IO_BYTES_MAX || (record->bytes == 0 && !flush))
        leave_out(reader, record->bytes == 0 ? LEFT_EMPTY : LEFT_LARGE);
    else if (record->bytes > 0)
        add_io(reader, write ? TRACE_WRITE : TRACE_READ, file);
    if (has(reader, BLK_TC_FUA) && record->bytes > 0)
        leave_out(reader, LEFT_FUA);
    return true;
}

static bool read_file(struct reader *reader, const struct tree_file *file)
{
    reader->file = file;
    reader->at = 0;
    if (file->length == 0)
        return true; /* file of a processor without records */
    while (reader->at < file->length) {
        if (!take_record(reader) || (is_taken(reader) && !take_io(reader)))
            return false;
        reader->at += sizeof reader->record + reader->record.pdu_len;
    }
    return true;
}

/* ---- main function ---- */

/* At most two I/Os per record. */
static bool make_room(struct reader *reader, struct arena *arena)
{
    size_t room = 0;
    for (size_t i = 0; i < reader->ask->count; i++)
        room += 2 * (reader->ask->files[i]->length / sizeof(struct blk_io_trace));
    if (room > TRACE_IOS_MAX) {
        diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = reader->ask->files[0]->name},
                 NULL, "more than %d records in all files", TRACE_IOS_MAX / 2);
        return false;
    }
    reader->trace->ios = arena_array(arena, room + 1, sizeof *reader->trace->ios);
    return true;
}

/* Makes times relative to the first I/O, in picoseconds. */
static bool set_times(struct reader *reader)
{
    struct trace *trace = reader->trace;
    const time_ps first = trace->ios[0].at, last = trace->ios[trace->count - 1].at;
    if (last - first > TRACE_TIME_MAX / PS_PER_NS) {
        reader->at = 0;
        return report_error(reader, "the trace lasts longer than 1000000 seconds");
    }
    for (uint32_t i = 0; i < trace->count; i++)
        trace->ios[i].at = (trace->ios[i].at - first) * PS_PER_NS;
    return true;
}

bool blktrace_read(struct arena *arena, const struct blktrace_ask *ask, struct trace *out,
                   struct diag *diag)
{
    struct reader reader = {.ask = ask, .diag = diag, .trace = out, .files = {.arena = arena}};
    *out = (struct trace){.timed = true};
    CHECK(ask->count > 0);
    if (!make_room(&reader, arena))
        return false;
    for (size_t i = 0; i < ask->count; i++)
        if (!read_file(&reader, ask->files[i]))
            return false;
    out->files = reader.files.names;
    out->file_count = reader.files.count;
    if (out->count == 0) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = ask->files[0]->name}, NULL,
                 "the trace has no read, write or flush that was %s%s%s",
                 ask->issued ? "issued" : "queued", ask->device != NULL ? " to device " : "",
                 ask->device != NULL ? ask->device : "");
        report_omissions(&reader);
        return false;
    }
    trace_sort(out, arena);
    report_omissions(&reader);
    return set_times(&reader);
}
