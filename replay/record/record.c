/* SPDX-License-Identifier: Apache-2.0
 * record - rows that come while the run goes on. */
#include "replay/record/record.h"

#include "base/check.h"
#include "base/memory.h"
#include "net/frame/frame.h"
#include "replay/record/record_begin.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/qp.h"

#include <stdlib.h>
#include <string.h>

struct record {
    struct store *store;
    enum record_level level;
    bool brief;
    struct store_statement *io, *drop, *pause, *blocked, *frame, *state, *note, *reach;
    time_ps reached;
    uint32_t ios, drops, notes, states, machines;
};

static const char *const level_names[] = {
    [RECORD_SUMMARY] = "summary",
    [RECORD_COUNTERS] = "counters",
    [RECORD_IOS] = "ios",
    [RECORD_PACKETS] = "packets",
};

static const char *const cause_names[] = {
#define X(name, word, about) [PROBE_DROP_##name] = word,
    PROBE_DROP_CAUSES(X)
#undef X
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

/* NVM command set 1.0, figure 24: flush 0, write 1, read 2. */
const char *record_operation(uint8_t opcode)
{
    static const char *const names[] = {"flush", "write", "read"};
    return opcode < sizeof names / sizeof names[0] ? names[opcode] : "other";
}

const char *record_drop_cause(uint8_t cause)
{
    CHECK(cause < PROBE_DROP_CAUSE_COUNT);
    return cause_names[cause];
}

static void prepare(struct record *record)
{
    struct store *store = record->store;
    record->io = store_prepare(store, "INSERT INTO io VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                                      "?,?,?,?,?)");
    record->drop = store_prepare(store, "INSERT INTO drop_event VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    record->pause =
        store_prepare(store, "INSERT INTO pause_edge VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    record->blocked = store_prepare(store, "INSERT INTO blocked VALUES(?,?,?,?,?)");
    record->frame = store_prepare(store, "INSERT INTO frame VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                                         "?,?,?,?,?,?,?,?,?,?,?)");
    record->state = store_prepare(store, "INSERT INTO state_change VALUES(NULL,?,?,?,?,?,?,?,?,?)");
    record->note = store_prepare(store, "INSERT INTO note VALUES(?,?,?)");
    record->reach = store_prepare(store, "UPDATE meta SET reached_ps=?");
}

struct record *record_open(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES])
{
    struct store *store = record_begin(options, scenario, error);
    if (store == NULL)
        return NULL;
    struct record *record = memory_new(sizeof *record);
    record->store = store;
    record->level = options->level;
    record->brief = options->brief;
    prepare(record);
    return record;
}

bool record_close(struct record *record)
{
    struct store_statement *const statements[] = {record->io,      record->drop,  record->pause,
                                                  record->blocked, record->frame, record->state,
                                                  record->note,    record->reach};
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        store_finish(statements[i]);
    const bool well = store_close(record->store);
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

/* A moment that did not happen is 0 in the probe and NULL in the table. */
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
    STORE_INSERT(record->io, STORE_I(host->workload), STORE_I(host->host_ip),
                 STORE_I(host->target_ip), STORE_I(host->qid), STORE_I(host->cid),
                 STORE_T(record_operation(host->opcode)), STORE_I(host->lba), STORE_I(host->bytes),
                 STORE_I(host->status), STORE_I(host->issued_at), STORE_I(host->posted_at),
                 moment(at->capsule_at), moment(at->fetch_at), moment(at->fetched_at),
                 moment(at->media_at), moment(at->media_begun_at), moment(at->media_done_at),
                 moment(at->response_at), STORE_I(host->response_at), STORE_I(host->completed_at),
                 STORE_I(host->serial));
}

void record_drop(struct record *record, const struct probe_drop *drop)
{
    if (record == NULL || record->drops >= RECORD_FIRST_DROPS)
        return;
    record->drops++;
    STORE_INSERT(record->drop, STORE_I(drop->at), STORE_I(drop->node), STORE_I(drop->port),
                 drop->egress == UINT16_MAX ? STORE_N : STORE_I(drop->egress),
                 STORE_I(drop->priority), STORE_T(record_drop_cause(drop->cause)),
                 STORE_I(drop->lossless), STORE_I(drop->frame_bytes), STORE_I(drop->occupancy),
                 STORE_I(drop->threshold), STORE_I(drop->headroom), STORE_I(drop->headroom_limit));
}

void record_pause(struct record *record, const struct probe_pause *pause)
{
    if (record == NULL || record->level < RECORD_COUNTERS)
        return;
    const char *edge = !pause->xoff ? "xon" : pause->refresh ? "refresh" : "xoff";
    static const struct frame none;
    const struct frame *frame = pause->frame == NULL ? &none : pause->frame;
    const bool there = pause->frame != NULL;
    STORE_INSERT(record->pause, STORE_I(pause->at), STORE_I(pause->node), STORE_I(pause->port),
                 STORE_I(pause->priority), STORE_T(edge),
                 pause->egress == UINT16_MAX ? STORE_N : STORE_I(pause->egress),
                 STORE_I(pause->occupancy), STORE_I(pause->threshold), when(there, frame->source),
                 when(there, frame->destination), when(there, frame->qpn), when(there, frame->psn),
                 when(there, frame->bytes));
}

void record_blocked(struct record *record, uint32_t node, uint16_t port, uint8_t priority,
                    time_ps from, time_ps until)
{
    if (record == NULL || record->level < RECORD_COUNTERS)
        return;
    STORE_INSERT(record->blocked, STORE_I(node), STORE_I(port), STORE_I(priority), STORE_I(from),
                 STORE_I(until));
}

static uint16_t udp_source(const struct frame *frame)
{
    return qp_entropy_port(frame->entropy, rnic_ip(frame->source), rnic_ip(frame->destination));
}

/* A MAC control frame from its opcode on: IEEE 802.3 annex 31B, IEEE 802.1Q-2018 36. */
static uint32_t control_bytes(const struct frame *frame, unsigned char bytes[20])
{
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

void record_frame(struct record *record, const struct probe_frame *probe)
{
    if (record == NULL)
        return;
    const struct frame *frame = probe->frame;
    const bool control = frame_is_mac_control(frame), roce = !control;
    const bool reth = frame_has_reth(frame->opcode), aeth = frame_has_aeth(frame->opcode);
    unsigned char mac[20];
    const unsigned char *head = control ? mac : probe->head;
    const uint32_t head_bytes = control ? control_bytes(frame, mac) : probe->head_bytes;
    STORE_INSERT(
        record->frame, STORE_I(probe->at), STORE_I(probe->wire_ps), STORE_I(probe->node),
        STORE_I(probe->port), STORE_T(frame_opcode_name(frame->opcode)), when(roce, frame->source),
        when(roce, frame->destination), when(roce, frame->qpn), when(roce, frame->psn),
        STORE_I(frame->bytes), STORE_I(frame->payload), STORE_I(frame->priority),
        STORE_I(frame->tos), STORE_I(frame->flags & ~FRAME_CONTROL), when(roce, frame->opcode),
        STORE_I(probe->lost), when(roce, frame->ttl), when(roce, udp_source(frame)),
        when(aeth, frame->aeth >> 24), when(aeth, frame->aeth & 0xFFFFFF),
        when(reth, frame->address), when(reth || frame_has_ieth(frame->opcode), frame->rkey),
        when(reth, frame->length), when(roce && frame->payload > 0, frame->content),
        STORE_B(head, head_bytes));
}

void record_state(struct record *record, const struct probe_state *state)
{
    if (record == NULL || record->level < RECORD_COUNTERS || record->states >= RECORD_STATES_MAX)
        return;
    record->states++;
    if (*state->number == 0)
        *state->number = ++record->machines;
    STORE_INSERT(record->state, STORE_I(state->at), STORE_T(state->machine),
                 STORE_I(*state->number), STORE_T(state->owner), STORE_I(state->peer_ip),
                 state->qid < 0 ? STORE_N : STORE_I(state->qid), STORE_T(state->from),
                 STORE_T(state->event), STORE_T(state->to));
}

void record_note(struct record *record, time_ps at, const char *owner, const char *text)
{
    if (record == NULL || record->notes >= RECORD_NOTES_MAX)
        return;
    record->notes++;
    STORE_INSERT(record->note, STORE_I(at), STORE_T(owner), STORE_T(text));
}
