/* SPDX-License-Identifier: Apache-2.0
 * record - rows written during the run. */
#include "replay/record/record.h"

#include "base/check.h"
#include "base/drop.h"
#include "base/memory.h"
#include "fc/fc_frame.h"
#include "net/port/credits.h"
#include "nvme/wire/spec.h"
#include "replay/database/record_schema.h"
#include "replay/record/record_begin.h"
#include "replay/record/record_events.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/qp.h"
#include "tcp/segment.h"

#include <stdlib.h>
#include <string.h>

struct record {
    struct store *store;
    struct record_fabric fabric;
    enum record_level level;
    bool brief, members;
    struct store_statement *reach;
    time_ps reached;
    uint32_t ios, drops, notes, states, machines;
};

static const char *const level_names[] = {
    [RECORD_SUMMARY] = "summary",
    [RECORD_COUNTERS] = "counters",
    [RECORD_IOS] = "ios",
    [RECORD_PACKETS] = "packets",
};

const char *record_level_name(enum record_level level)
{
    return level_names[level];
}

bool record_level_find(const char *name, enum record_level *level)
{
    for (int i = RECORD_SUMMARY; i <= RECORD_PACKETS; i++) {
        if (strcmp(level_names[i], name) != 0)
            continue;
        *level = (enum record_level)i;
        return true;
    }
    return false;
}

const char *record_operation(uint8_t opcode)
{
    return nvme_opcode_word(opcode);
}

struct record *record_open(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES])
{
    struct record *record = memory_new(sizeof *record);
    record_fabric_init(&record->fabric, scenario);
    record->store = record_begin(options, &record->fabric, error);
    if (record->store == NULL) {
        record_fabric_free(&record->fabric);
        free(record);
        return NULL;
    }
    record->level = options->level;
    record->brief = options->brief;
    record->members = !options->brief || options->members;
    record->reach = store_prepare(record->store, "UPDATE meta SET reached_ps=?");
    return record;
}

bool record_close(struct record *record)
{
    store_finish(record->reach);
    const bool well = store_close(record->store);
    record_fabric_free(&record->fabric);
    free(record);
    return well;
}

struct store *record_store(struct record *record)
{
    return record->store;
}

enum record_level record_level_of(const struct record *record)
{
    return record->level;
}

bool record_is_brief(const struct record *record)
{
    return record->brief;
}

bool record_is_of_members(const struct record *record)
{
    return record->members;
}

const char *record_error(const struct record *record)
{
    return store_error(record->store);
}

void record_reached(struct record *record, time_ps at)
{
    record->reached = at;
}

void record_tick(struct record *record, bool now)
{
    if (!now && store_pending(record->store) < RECORD_BATCH_ROWS)
        return;
    STORE_INSERT(record->reach, STORE_I(record->reached));
    store_commit(record->store);
}

/* A time that was not reached is 0 in the probe and NULL in the table. */
static struct store_value moment(time_ps at)
{
    return at == 0 ? STORE_N : STORE_I(at);
}

static struct store_value when(bool there, uint64_t value)
{
    return there ? STORE_I(value) : STORE_N;
}

void record_io(struct record *record, const struct probe_host_io *host,
               const struct probe_target_io *target)
{
    static const struct probe_target_io nothing = {0};
    if (record == NULL || (record->level < RECORD_IOS && record->ios >= RECORD_FIRST_IOS))
        return;
    record->ios++;
    const struct probe_target_io *at = target == NULL ? &nothing : target;
    RECORD_ROW(
        record->store, io, .workload = STORE_I(host->workload), .host_ip = STORE_I(host->host_ip),
        .target_ip = STORE_I(host->target_ip), .qid = STORE_I(host->qid), .cid = STORE_I(host->cid),
        .operation = STORE_T(record_operation(host->opcode)), .lba = STORE_I(host->lba),
        .bytes = STORE_I(host->bytes), .status = STORE_I(host->status),
        .issued_ps = STORE_I(host->issued_at), .admitted_ps = moment(host->admitted_at),
        .posted_ps = moment(host->posted_at), .capsule_ps = moment(at->capsule_at),
        .begun_ps = moment(at->begun_at), .buffered_ps = moment(at->buffered_at),
        .wrs_ps = moment(at->wrs_at), .fetch_ps = moment(at->fetch_at),
        .fetched_ps = moment(at->fetched_at), .limit_ps = moment(at->limit_at),
        .media_ps = moment(at->media_at), .media_begun_ps = moment(at->media_begun_at),
        .media_done_ps = moment(at->media_done_at), .response_sent_ps = moment(at->response_at),
        .response_ps = moment(host->response_at), .completed_ps = STORE_I(host->completed_at),
        .serial = STORE_I(host->serial));
}

void record_drop(struct record *record, const struct probe_drop *drop)
{
    if (record == NULL || record->drops >= RECORD_FIRST_DROPS)
        return;
    record->drops++;
    RECORD_ROW(record->store, drop_event, .at_ps = STORE_I(drop->at), .node = STORE_I(drop->node),
               .port = STORE_I(drop->port),
               .egress = drop->egress == UINT16_MAX ? STORE_N : STORE_I(drop->egress),
               .priority = STORE_I(drop->priority), .cause = STORE_T(probe_drops[drop->cause].word),
               .lossless = STORE_I(drop->lossless), .frame_bytes = STORE_I(drop->frame_bytes),
               .occupancy_bytes = STORE_I(drop->occupancy),
               .threshold_bytes = STORE_I(drop->threshold),
               .headroom_bytes = STORE_I(drop->headroom),
               .headroom_limit_bytes = STORE_I(drop->headroom_limit));
}

void record_pause(struct record *record, const struct probe_pause *pause)
{
    if (record == NULL || record->level < RECORD_COUNTERS)
        return;
    const char *edge = !pause->xoff ? "xon" : pause->refresh ? "refresh" : "xoff";
    static const struct frame none;
    const struct frame *frame = pause->frame == NULL ? &none : pause->frame;
    const bool there = pause->frame != NULL;
    RECORD_ROW(record->store, pause_edge, .at_ps = STORE_I(pause->at), .node = STORE_I(pause->node),
               .port = STORE_I(pause->port), .priority = STORE_I(pause->priority),
               .edge = STORE_T(edge),
               .egress = pause->egress == UINT16_MAX ? STORE_N : STORE_I(pause->egress),
               .occupancy_bytes = STORE_I(pause->occupancy),
               .threshold_bytes = STORE_I(pause->threshold), .source = when(there, frame->source),
               .destination = when(there, frame->destination), .qpn = when(there, frame->qpn),
               .psn = when(there, frame->psn), .frame_bytes = when(there, frame->bytes));
}

void record_blocked(struct record *record, uint32_t node, uint16_t port, uint8_t priority,
                    time_ps from, time_ps until)
{
    if (record == NULL || record->level < RECORD_COUNTERS)
        return;
    RECORD_ROW(record->store, blocked, .node = STORE_I(node), .port = STORE_I(port),
               .priority = STORE_I(priority), .from_ps = STORE_I(from), .until_ps = STORE_I(until));
}

static uint16_t udp_source(const struct frame *frame)
{
    return qp_entropy_port(frame->entropy, rnic_ip(frame->source), rnic_ip(frame->destination));
}

/* A flow-control packet of InfiniBand without its CRC: Op 0, FCTBS, VL, FCCL: IBTA Vol 1 7.9.4. */
static uint32_t credit_bytes(const struct frame *frame, unsigned char bytes[20])
{
    const unsigned sent = credits_decode_sent(frame->psn), limit = credits_decode_limit(frame->psn);
    bytes[0] = (unsigned char)(sent >> 8);
    bytes[1] = (unsigned char)sent;
    bytes[2] = (unsigned char)((unsigned)frame->priority << 4 | limit >> 8);
    bytes[3] = (unsigned char)limit;
    return 4;
}

/* The bytes of a MAC control frame from its opcode on: IEEE 802.3 annex 31B, IEEE 802.1Q-2018
 * 36. */
static uint32_t control_bytes(const struct frame *frame, unsigned char bytes[20])
{
    if (frame->opcode == FRAME_CREDIT)
        return credit_bytes(frame, bytes);
    const bool pfc = frame->opcode == FRAME_PFC;
    const uint32_t length = pfc ? 20 : 4;
    memset(bytes, 0, 20);
    bytes[0] = pfc;
    bytes[1] = 1;
    bytes[3] = pfc ? frame->classes : 0;
    for (uint32_t i = 0; i < (pfc ? 8u : 1u); i++) {
        bytes[(pfc ? 4 : 2) + 2 * i] = (unsigned char)(frame->quanta[i] >> 8);
        bytes[(pfc ? 5 : 3) + 2 * i] = (unsigned char)frame->quanta[i];
    }
    return length;
}

/* A TCP header with all options, and the largest payload; a header of Fibre Channel is shorter. */
enum { SEGMENT_ROOM = 60 + UINT16_MAX };

/* The real bytes at the beginning of a frame, with a header that has no columns. */
static uint32_t head_of(const struct probe_frame *probe, unsigned char bytes[SEGMENT_ROOM])
{
    const struct frame *frame = probe->frame;
    if (frame_is_mac_control(frame))
        return control_bytes(frame, bytes);
    if (frame->opcode == FRAME_TCP)
        return segment_encode(frame, probe->head, bytes, SEGMENT_ROOM);
    return fc_frame_encode(frame, probe->head, probe->head_bytes, bytes);
}

void record_frame(struct record *record, const struct probe_frame *probe)
{
    if (record == NULL)
        return;
    const struct frame *frame = probe->frame;
    const bool control = frame_is_mac_control(frame), roce = !control;
    const bool reth = frame_has_reth(frame->opcode), aeth = frame_has_aeth(frame->opcode);
    unsigned char bytes[SEGMENT_ROOM];
    const bool other = frame->opcode == FRAME_TCP || frame->opcode == FRAME_FC;
    const unsigned char *head = control || other ? bytes : probe->head;
    const uint32_t head_bytes = control || other ? head_of(probe, bytes) : probe->head_bytes;
    RECORD_ROW(record->store, frame, .at_ps = STORE_I(probe->at),
               .wire_ps = STORE_I(probe->wire_ps), .node = STORE_I(probe->node),
               .port = STORE_I(probe->port), .opcode = STORE_T(frame_opcode_name(frame->opcode)),
               .source = when(roce, frame->source), .destination = when(roce, frame->destination),
               .qpn = when(roce, frame->qpn), .psn = when(roce, frame->psn),
               .bytes = STORE_I(frame->bytes), .payload_bytes = STORE_I(frame->payload),
               .priority = STORE_I(frame->priority), .tos = STORE_I(frame->tos),
               .flags = STORE_I(frame->flags & ~FRAME_CONTROL), .bth = when(roce, frame->opcode),
               .lost = STORE_I(probe->lost), .ttl = when(roce, frame->ttl),
               .udp_source = when(roce && !other && !frame_is_v1(frame->tos), udp_source(frame)),
               .syndrome = when(aeth, frame->aeth >> 24), .msn = when(aeth, frame->aeth & 0xFFFFFF),
               .address = when(reth, frame->address),
               .rkey = when(reth || frame_has_ieth(frame->opcode), frame->rkey),
               .length = when(reth, frame->length),
               .immediate = when(roce && frame_has_immediate(frame->opcode), frame->immediate),
               .content = when(roce && frame->payload > 0, frame->content),
               .head = STORE_B(head, head_bytes));
}

void record_state(struct record *record, const struct probe_state *state)
{
    if (record == NULL || record->level < RECORD_COUNTERS || record->states >= RECORD_STATES_MAX)
        return;
    record->states++;
    if (*state->number == 0)
        *state->number = ++record->machines;
    RECORD_ROW(record->store, state_change, .at_ps = STORE_I(state->at),
               .machine = STORE_T(state->machine), .number = STORE_I(*state->number),
               .owner = STORE_T(state->owner), .peer_ip = STORE_I(state->peer_ip),
               .qid = state->qid < 0 ? STORE_N : STORE_I(state->qid),
               .from_state = STORE_T(state->from), .event = STORE_T(state->event),
               .to_state = STORE_T(state->to));
}

void record_note(struct record *record, time_ps at, const char *owner, const char *text)
{
    if (record == NULL || record->notes >= RECORD_EVENTS_MAX)
        return;
    record_event_of_note(record->store, at, owner, text);
    if (record->notes++ >= RECORD_NOTES_MAX)
        return;
    RECORD_ROW(record->store, note, .at_ps = STORE_I(at), .owner = STORE_T(owner),
               .text = STORE_T(text));
}
