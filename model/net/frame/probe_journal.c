/* SPDX-License-Identifier: Apache-2.0
 * probe_journal - recording, sorting and forwarding of calls. */
#include "net/frame/probe_journal.h"

#include "base/memory.h"
#include "net/frame/frame.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Calls whose payload is a single struct without pointers to memory that could be released. */
#define PLAIN_CALLS(X)                                                                             \
    X(drop, drop, DROP)                                                                            \
    X(blocked, blocked, BLOCKED)                                                                   \
    X(target_io, target_io, TARGET_IO)                                                             \
    X(host_io, host_io, HOST_IO)

/* The same kind of calls, but made only when the observer has set the function. */
#define OPTIONAL_CALLS(X)                                                                          \
    X(hop, hop, HOP)                                                                               \
    X(ack, hop, ACK)                                                                               \
    X(work, work, WORK)                                                                            \
    X(hold, hold, HOLD)                                                                            \
    X(use, use, USE)                                                                               \
    X(message, message, MESSAGE)                                                                   \
    X(segment, segment, SEGMENT)                                                                   \
    X(stream, stream, STREAM)

enum kind {
#define X(call, type, name) KIND_##name,
    PLAIN_CALLS(X) OPTIONAL_CALLS(X)
#undef X
        KIND_PAUSE,
    KIND_STATE,
    KIND_FRAME,
    KIND_NOTE
};

/* ------------------------------------------------------------------ recording */

static bool between_events(const struct probe_journal *journal)
{
    return *journal->current == NULL;
}

static NOINLINE void know_node(struct probe_journal *journal, uint32_t node)
{
    while (node >= journal->latest_count) {
        journal->latest = memory_grown(journal->latest, journal->latest_count,
                                       &journal->latest_room, sizeof *journal->latest);
        journal->latest[journal->latest_count++] = (struct probe_latest){.at = -1};
    }
}

/* The order key of the calls that the event makes. An event that a node posts for the present
 * moment may have a lower key than the event that posted it; its calls come after that event's,
 * so they get its key. Keys are unique, so this makes no tie between nodes. */
static INLINE uint64_t order_of(struct probe_journal *journal, const struct event *event)
{
    if (UNLIKELY(event->node >= journal->latest_count))
        know_node(journal, event->node);
    struct probe_latest *latest = &journal->latest[event->node];
    if (latest->at != event->at || latest->order < event->order)
        *latest = (struct probe_latest){event->at, event->order};
    return latest->order;
}

static NOINLINE void make_room(struct probe_journal *journal, size_t bytes)
{
    while (journal->byte_count + bytes > journal->byte_room) {
        journal->byte_room = journal->byte_room == 0 ? 4096 : journal->byte_room * 2;
        journal->bytes = memory_resized(journal->bytes, journal->byte_room, 1);
    }
    if (journal->call_count == journal->call_room)
        journal->calls = memory_grown(journal->calls, journal->call_count, &journal->call_room,
                                      sizeof *journal->calls);
}

/* Allocates a call's payload, aligned for any type. */
static INLINE unsigned char *keep_entry(struct probe_journal *journal, enum kind kind, size_t bytes)
{
    const struct event *event = *journal->current;
    const size_t room = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    const size_t payload = journal->byte_count;
    if (UNLIKELY(payload + room > journal->byte_room || journal->call_count == journal->call_room))
        make_room(journal, room);
    struct probe_call *call = &journal->calls[journal->call_count++];
    call->at = event->at;
    call->order = order_of(journal, event);
    call->payload = payload;
    call->kind = kind;
    journal->byte_count = payload + room;
    return journal->bytes + payload;
}

#define X(call, type, name)                                                                        \
    static void keep_##call(void *self, const struct probe_##type *reported)                       \
    {                                                                                              \
        struct probe_journal *journal = self;                                                      \
        if (between_events(journal))                                                               \
            journal->observer->call(journal->observer->self, reported);                            \
        else                                                                                       \
            memcpy(keep_entry(journal, KIND_##name, sizeof *reported), reported,                   \
                   sizeof *reported);                                                              \
    }
PLAIN_CALLS(X)
OPTIONAL_CALLS(X)
#undef X

/* A copy of the frame: by then the frame itself may be freed or on another executor. */
struct kept_pause {
    struct probe_pause reported;
    struct frame frame;
};

static void keep_pause(void *self, const struct probe_pause *reported)
{
    struct probe_journal *journal = self;
    if (between_events(journal)) {
        journal->observer->pause(journal->observer->self, reported);
        return;
    }
    struct kept_pause kept = {.reported = *reported};
    if (reported->frame != NULL)
        kept.frame = *reported->frame;
    memcpy(keep_entry(journal, KIND_PAUSE, sizeof kept), &kept, sizeof kept);
}

/* The machine may be gone by then and its memory reused: the observer's number for it is kept here,
 * and the machine stores its index among the numbers, from 1. */
struct kept_state {
    struct probe_state reported;
    uint32_t place;
};

static void give_place(struct probe_journal *journal, const struct probe_state *reported)
{
    if (*reported->number != 0)
        return;
    journal->numbers = memory_grown(journal->numbers, journal->number_count, &journal->number_room,
                                    sizeof *journal->numbers);
    journal->numbers[journal->number_count++] = 0;
    *reported->number = journal->number_count;
}

static void hand_on_state(struct probe_journal *journal, const struct kept_state *kept)
{
    struct probe_state reported = kept->reported;
    reported.number = &journal->numbers[kept->place - 1];
    journal->observer->state(journal->observer->self, &reported);
}

static void keep_state(void *self, const struct probe_state *reported)
{
    struct probe_journal *journal = self;
    give_place(journal, reported);
    const struct kept_state kept = {.reported = *reported, .place = *reported->number};
    if (between_events(journal))
        hand_on_state(journal, &kept);
    else
        memcpy(keep_entry(journal, KIND_STATE, sizeof kept), &kept, sizeof kept);
}

/* The frame changes after the call, so its cache line and its real bytes are copied. */
struct kept_frame {
    struct probe_frame reported;
    struct frame frame;
};

static void keep_frame(void *self, const struct probe_frame *reported)
{
    struct probe_journal *journal = self;
    if (between_events(journal)) {
        journal->observer->frame(journal->observer->self, reported);
        return;
    }
    const struct kept_frame kept = {.reported = *reported, .frame = *reported->frame};
    unsigned char *payload = keep_entry(journal, KIND_FRAME, sizeof kept + reported->head_bytes);
    memcpy(payload, &kept, sizeof kept);
    if (reported->head_bytes > 0)
        memcpy(payload + sizeof kept, reported->head, reported->head_bytes);
}

/* Two strings, each with its NUL; the owner first. */
struct kept_note {
    time_ps at;
    size_t text; /* offset of the text, after the owner */
};

static void keep_note(void *self, time_ps at, const char *owner, const char *text)
{
    struct probe_journal *journal = self;
    if (between_events(journal)) {
        journal->observer->note(journal->observer->self, at, owner, text);
        return;
    }
    const size_t owner_bytes = strlen(owner) + 1, text_bytes = strlen(text) + 1;
    const struct kept_note kept = {.at = at, .text = sizeof kept + owner_bytes};
    unsigned char *payload = keep_entry(journal, KIND_NOTE, kept.text + text_bytes);
    memcpy(payload, &kept, sizeof kept);
    memcpy(payload + sizeof kept, owner, owner_bytes);
    memcpy(payload + kept.text, text, text_bytes);
}

void probe_journal_init(struct probe_journal *journal, const struct probe *observer,
                        const struct event *const *current)
{
    *journal = (struct probe_journal){.observer = observer, .current = current};
    journal->probe.self = journal;
#define X(call, type, name) journal->probe.call = keep_##call;
    PLAIN_CALLS(X)
#undef X
#define X(call, type, name)                                                                        \
    if (observer->call != NULL)                                                                    \
        journal->probe.call = keep_##call;
    OPTIONAL_CALLS(X)
#undef X
    journal->probe.pause = keep_pause;
    journal->probe.state = keep_state;
    journal->probe.note = keep_note;
    if (observer->frame != NULL)
        journal->probe.frame = keep_frame;
}

void probe_journal_fini(struct probe_journal *journal)
{
    free(journal->calls);
    free(journal->spare);
    free(journal->bytes);
    free(journal->numbers);
    free(journal->latest);
    *journal = (struct probe_journal){0};
}

/* ------------------------------------------------------------------ the order */

/* Calls of one event in the order in which it made them. */
static inline bool call_before(const struct probe_call *x, const struct probe_call *y)
{
    if (x->at != y->at)
        return x->at < y->at;
    return x->order != y->order ? x->order < y->order : x->payload < y->payload;
}

/* End of the run of ordered calls that begins at `from`. */
static uint32_t run_end(const struct probe_call *calls, uint32_t from, uint32_t count)
{
    uint32_t end = from + 1;
    while (end < count && call_before(&calls[end - 1], &calls[end]))
        end++;
    return end;
}

/* Merges two adjacent runs. */
static void merge(struct probe_call *into, const struct probe_call *calls, uint32_t from,
                  uint32_t middle, uint32_t end)
{
    uint32_t a = from, b = middle;
    for (uint32_t i = from; i < end; i++)
        into[i] =
            b == end || (a < middle && call_before(&calls[a], &calls[b])) ? calls[a++] : calls[b++];
}

/* Merges each pair of adjacent runs. */
static void merge_runs(struct probe_journal *journal)
{
    struct probe_call *calls = journal->calls;
    const uint32_t count = journal->call_count, room = journal->call_room;
    if (journal->spare_room < count) {
        free(journal->spare);
        journal->spare = memory_zeroed(room, sizeof *journal->spare);
        journal->spare_room = room;
    }
    for (uint32_t from = 0, end; from < count; from = end) {
        const uint32_t middle = run_end(calls, from, count);
        end = middle < count ? run_end(calls, middle, count) : middle;
        merge(journal->spare, calls, from, middle, end);
    }
    journal->calls = journal->spare;
    journal->call_room = journal->spare_room;
    journal->spare = calls;
    journal->spare_room = room;
}

/* Calls of a group of nodes come in order, so there are few runs; qsort would cost about 60 more
 * instructions per NVMe command. */
void probe_journal_sort(struct probe_journal *journal)
{
    while (run_end(journal->calls, 0, journal->call_count) < journal->call_count)
        merge_runs(journal);
}

/* ------------------------------------------------------------------ forwarding */

static void hand_on_pause(const struct probe *to, const unsigned char *payload)
{
    struct kept_pause kept;
    memcpy(&kept, payload, sizeof kept);
    kept.reported.frame = kept.reported.frame == NULL ? NULL : &kept.frame;
    to->pause(to->self, &kept.reported);
}

static void hand_on_frame(const struct probe *to, const unsigned char *payload)
{
    struct kept_frame kept;
    memcpy(&kept, payload, sizeof kept);
    kept.reported.frame = &kept.frame;
    kept.reported.head = kept.reported.head == NULL ? NULL : payload + sizeof kept;
    to->frame(to->self, &kept.reported);
}

static void hand_on_note(const struct probe *to, const unsigned char *payload)
{
    struct kept_note kept;
    memcpy(&kept, payload, sizeof kept);
    to->note(to->self, kept.at, (const char *)payload + sizeof kept,
             (const char *)payload + kept.text);
}

static void hand_on(struct probe_journal *journal, const struct probe_call *call)
{
    const struct probe *to = journal->observer;
    const unsigned char *payload = journal->bytes + call->payload;
    switch ((enum kind)call->kind) {
#define X(call, type, name)                                                                        \
    case KIND_##name:                                                                              \
        to->call(to->self, (const void *)payload);                                                 \
        return;
        PLAIN_CALLS(X)
        OPTIONAL_CALLS(X)
#undef X
    case KIND_PAUSE:
        hand_on_pause(to, payload);
        return;
    case KIND_STATE:
        hand_on_state(journal, (const void *)payload);
        return;
    case KIND_FRAME:
        hand_on_frame(to, payload);
        return;
    case KIND_NOTE:
        hand_on_note(to, payload);
        return;
    }
    check_failed("a call is one of the kinds above", __FILE__, __LINE__);
}

/* The journal with the earliest remaining call; NULL: none has any left. */
static struct probe_journal *next_of(struct probe_journal *const *journals, uint32_t count)
{
    const struct probe_call *least = NULL;
    struct probe_journal *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct probe_journal *journal = journals[i];
        if (journal->handed_on == journal->call_count)
            continue;
        const struct probe_call *call = journal->calls + journal->handed_on;
        if (least == NULL || call_before(call, least)) {
            least = call;
            found = journal;
        }
    }
    return found;
}

void probe_journal_flush(struct probe_journal *const *journals, uint32_t count)
{
    struct probe_journal *journal = journals[0];
    if (count == 1)
        while (journal->handed_on < journal->call_count)
            hand_on(journal, &journal->calls[journal->handed_on++]);
    else
        while ((journal = next_of(journals, count)) != NULL)
            hand_on(journal, &journal->calls[journal->handed_on++]);
    for (uint32_t i = 0; i < count; i++) {
        journals[i]->call_count = journals[i]->handed_on = 0;
        journals[i]->byte_count = 0;
    }
}
