/* SPDX-License-Identifier: Apache-2.0
 * wire_words - describes frames header by header, in the order of wire.c. */
#include "reports/wire/wire_words_private.h"

#include "base/memory.h"
#include "net/frame/frame.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PSN_BITS = 24,
    TAG_MASK = 0x0FFF, /* Linux nvme.h: the upper 4 bits of a cid are a generation counter */
    DEFAULT_P_KEY = 0xFFFF,
    NO_CREDITS = 31, /* IBTA Vol 1 9.7.7.2.1 */
    CDW2_AT = 8      /* offset in a command */
};

void wire_say(struct words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = WIRE_WORDS_BYTES - to->used;
    const int length = vsnprintf(to->text + to->used, room, format, arguments);
    va_end(arguments);
    to->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Omits what ordinary frames of a class have in common. */
static void say_class(const struct wire_frame *frame, struct words *to)
{
    static const char *const ecn[] = {"", " ect1", " ect0", " ce"};
    if (frame->v1)
        wire_say(to, " v1");
    if (!frame->v1 && frame->tos >> 2 != 0)
        wire_say(to, " dscp %d", frame->tos >> 2);
    wire_say(to, "%s", frame->v1 ? "" : ecn[frame->tos & 3]);
    if (frame->fecn)
        wire_say(to, " fecn");
    if ((frame->flags & WIRE_BECN) != 0)
        wire_say(to, " becn");
    if (frame->migreq)
        wire_say(to, " migreq");
    if (frame->pkey != DEFAULT_P_KEY)
        wire_say(to, " p_key %04x", frame->pkey);
}

/* ------------------------------------------------------------------ connection manager */

/* Ports are chosen by the machine; whether the flow label is derived from them is not. */
static void say_flow_label(struct wire_connection *connection, const struct cm_mad *mad,
                           struct words *to)
{
    const uint32_t of_ports = cm_flow_label(mad->source_port, connection->port);
    if (mad->flow_label == of_ports)
        wire_say(to, " flow-label of its ports");
    else
        wire_say(to, " flow-label %05x", mad->flow_label);
}

static void say_req(struct wire_connection *connection, const struct cm_mad *mad, struct words *to)
{
    struct nvme_cm_request request;
    wire_say(to, " mtu %d retries %d rnr-retries %d timeout %d reads %d of %d",
             mad->mtu >= 1 && mad->mtu <= 5 ? 128 << mad->mtu : 0, mad->retry_count, mad->rnr_retry,
             mad->ack_timeout, mad->responder_resources, mad->initiator_depth);
    wire_say(to, " class %d sl %d rate %d hops %d delays %d %d cm-retries %d", mad->traffic_class,
             mad->service_level, mad->packet_rate, mad->hop_limit, mad->response_timeout,
             mad->peer_response_timeout, mad->max_retries);
    wire_say(to, " p_key %04x flow-control %d", mad->p_key, mad->flow_control);
    say_flow_label(connection, mad, to);
    if (!connection->nvme)
        return;
    nvme_fabrics_decode_request(&request, mad->private_data, mad->private_len);
    connection->qid = request.qid;
    wire_say(to, " format %d queue %d hrqsize %d hsqsize %d", request.format, request.qid,
             request.hrqsize, request.hsqsize);
}

static void say_rep(const struct wire_connection *connection, const struct cm_mad *mad,
                    struct words *to)
{
    wire_say(to, " rnr-retries %d reads %d of %d ack-delay %d flow-control %d", mad->rnr_retry,
             mad->responder_resources, mad->initiator_depth, mad->ack_delay, mad->flow_control);
    if (connection->nvme)
        wire_say(to, " format %d crqsize %d", wire_get16(mad->private_data),
                 wire_get16(mad->private_data + 2));
}

static void learn_psn(struct wire_connection *connection, enum wire_side from,
                      const struct cm_mad *mad)
{
    /* A message contains the PSN that its receiver must start with, IBTA Vol 1 12.7.31. */
    connection->psn[!from][WIRE_REQUESTS] = mad->starting_psn - 1;
    connection->psn[from][WIRE_ANSWERS] = mad->starting_psn - 1;
}

static const char dreq[] = "DREQ", drep[] = "DREP";

static void say_mad(struct wire_connection *connection, enum wire_side from,
                    const struct cm_mad *mad, struct words *to)
{
    switch ((enum cm_attribute)mad->attribute) {
    case CM_REQ:
        wire_say(to, "REQ");
        say_req(connection, mad, to);
        learn_psn(connection, from, mad);
        break;
    case CM_REP:
        wire_say(to, "REP");
        say_rep(connection, mad, to);
        learn_psn(connection, from, mad);
        break;
    case CM_REJ:
        wire_say(to, "REJ reason %d of %d", mad->reason, mad->message_rejected);
        if (connection->nvme)
            wire_say(to, " status %d", wire_get16(mad->private_data + 2));
        break;
    case CM_RTU:
        wire_say(to, "RTU");
        break;
    case CM_DREQ:
        wire_say(to, "%s%s", dreq,
                 mad->remote_qpn == connection->qpn[!from] ? "" : " of another queue pair");
        connection->ended = true;
        break;
    case CM_DREP:
        wire_say(to, "%s", drep);
        connection->ended = true;
        break;
    }
}

void wire_words_cm(struct wire_connection *connection, enum wire_side from,
                   const struct wire_frame *frame, const struct cm_mad *mad,
                   char words[WIRE_WORDS_BYTES])
{
    struct words to = {.text = words};
    say_mad(connection, from, mad, &to);
    say_class(frame, &to);
}

bool wire_words_end(const char *words)
{
    static const char *const ends[] = {dreq, drep, "Logout"};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strncmp(words, ends[i], strlen(ends[i])) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ commands */

struct wire_command *wire_find_command(struct wire_commands *commands, const struct wire_map *map,
                                       const struct wire_connection *connection, uint32_t name)
{
    const uint32_t at = wire_map_get(map, wire_map_pair(connection->index, name));
    return at == WIRE_MAP_NONE ? NULL : &commands->items[at];
}

struct wire_command *wire_add_command(struct wire_commands *commands,
                                      struct wire_connection *connection)
{
    commands->items =
        memory_grown(commands->items, commands->count, &commands->room, sizeof *commands->items);
    struct wire_command *command = &commands->items[commands->count++];
    *command = (struct wire_command){.number = ++connection->commands};
    return command;
}

/* Describes the previous use of the tag, and how its generation counter changed. */
static void say_tag(struct wire_commands *commands, struct wire_connection *connection,
                    uint16_t cid, struct words *to)
{
    const struct wire_command *last =
        wire_find_command(commands, &commands->by_tag, connection, cid & TAG_MASK);
    if (last == NULL)
        wire_say(to, " %c tag new, count %d", WIRE_WORDS_APART, cid >> 12);
    else
        wire_say(to, " %c tag of #%" PRIu32 ", count +%d", WIRE_WORDS_APART, last->number,
                 (cid - last->cid) >> 12 & 0xF);
}

static void remember_command(struct wire_commands *commands, struct wire_connection *connection,
                             const struct nvme_command *sqe)
{
    const uint32_t at = commands->count, own = connection->index;
    struct wire_command *command = wire_add_command(commands, connection);
    command->cid = sqe->cid;
    command->address = sqe->sgl.address;
    command->length = sqe->sgl.length;
    command->connect =
        sqe->opcode == NVME_FABRICS && nvme_capsule_fctype(sqe) == NVME_FCTYPE_CONNECT;
    if (connection->qid == 0)
        command->page = wire_page_of(sqe);
    wire_map_put(&commands->by_cid, wire_map_pair(own, sqe->cid), at);
    wire_map_put(&commands->by_tag, wire_map_pair(own, sqe->cid & TAG_MASK), at);
    if (sqe->sgl.type >> 4 == NVME_SGL_KEYED >> 4 && sqe->sgl.length > 0)
        wire_map_put(&commands->by_key, wire_map_pair(own, sqe->sgl.key), at);
}

static const char *opcode_name(const struct nvme_command *sqe, uint16_t qid)
{
    if (sqe->opcode == NVME_FABRICS)
        switch (nvme_capsule_fctype(sqe)) {
        case NVME_FCTYPE_SET:
            return "Property-Set";
        case NVME_FCTYPE_GET:
            return "Property-Get";
        default:
            return "Connect";
        }
    static const char *const io[256] = {
        [NVME_FLUSH] = "Flush", [NVME_WRITE] = "Write", [NVME_READ] = "Read"};
    static const char *const admin[256] = {
        [NVME_ADMIN_GET_LOG] = "Get-Log",
        [NVME_ADMIN_IDENTIFY] = "Identify",
        [NVME_ADMIN_ABORT] = "Abort",
        [NVME_ADMIN_SET_FEATURES] = "Set-Features",
        [NVME_ADMIN_GET_FEATURES] = "Get-Features",
        [NVME_ADMIN_ASYNC_EVENT] = "Async-Event",
        [NVME_ADMIN_KEEP_ALIVE] = "Keep-Alive",
    };
    const char *name = qid == 0 ? admin[sqe->opcode] : io[sqe->opcode];
    return name != NULL ? name : "Command";
}

void wire_say_command(struct wire_commands *commands, struct wire_connection *connection,
                      const unsigned char *bytes, struct words *to)
{
    struct nvme_command sqe;
    nvme_capsule_decode_command(&sqe, bytes);
    wire_say(to, " | #%" PRIu32 " %s %02x flags %02x nsid %" PRIx32 " sgl %02x %" PRIu32 " B cdw",
             connection->commands + 1, opcode_name(&sqe, connection->qid), sqe.opcode, sqe.flags,
             sqe.nsid, sqe.sgl.type, sqe.sgl.length);
    const uint32_t words[] = {sqe.cdw10, sqe.cdw11, sqe.cdw12, sqe.cdw13, sqe.cdw14, sqe.cdw15};
    for (unsigned i = 0; i < 6; i++)
        wire_say(to, " %" PRIx32, words[i]);
    for (unsigned i = 2; i < 4; i++) {
        const uint32_t word = wire_get32(bytes + CDW2_AT + (i - 2) * sizeof word);
        if (word != 0)
            wire_say(to, " cdw%u %" PRIx32, i, word);
    }
    say_tag(commands, connection, sqe.cid, to);
    remember_command(commands, connection, &sqe);
}

/* The command's number, or that there is none. */
void wire_say_number(const struct wire_command *command, struct words *to)
{
    if (command != NULL)
        wire_say(to, "#%" PRIu32, command->number);
    else
        wire_say(to, "no command");
}

void wire_say_response(struct wire_commands *commands, const struct wire_connection *connection,
                       const unsigned char *bytes, struct words *to)
{
    struct nvme_response cqe;
    nvme_capsule_decode_response(&cqe, bytes);
    const struct wire_command *command =
        wire_find_command(commands, &commands->by_cid, connection, cqe.cid);
    wire_say(to, " | response to ");
    wire_say_number(command, to);
    wire_say(to, " status %x sqhd %d queue %d", cqe.status, cqe.sqhd, cqe.sqid);
    if (command == NULL || !command->connect) /* the controller ID is chosen by the target */
        wire_say(to, " result %" PRIx64, cqe.result);
}

static void say_capsule(struct wire_commands *commands, struct wire_connection *connection,
                        enum wire_side from, const struct wire_frame *frame, struct words *to)
{
    const bool begins =
        frame->opcode == FRAME_RC_SEND_ONLY || frame->opcode == FRAME_RC_SEND_FIRST ||
        frame->opcode == FRAME_RC_SEND_ONLY_IMM || frame->opcode == FRAME_RC_SEND_ONLY_INV;
    if (!connection->nvme || !begins)
        return;
    if (from == WIRE_HOST && frame->payload >= NVME_SQE_BYTES &&
        frame->head_bytes >= NVME_SQE_BYTES)
        wire_say_command(commands, connection, frame->head, to);
    else if (from == WIRE_TARGET && frame->payload == NVME_CQE_BYTES &&
             frame->head_bytes >= NVME_CQE_BYTES)
        wire_say_response(commands, connection, frame->head, to);
    else
        wire_say(to, " | no capsule");
}

/* ------------------------------------------------------------------ packets */

enum wire_kind wire_kind_of(uint8_t opcode)
{
    const bool response = opcode >= FRAME_RC_READ_RESPONSE_FIRST && opcode <= FRAME_RC_ACKNOWLEDGE;
    return response ? WIRE_ANSWERS : WIRE_REQUESTS;
}

/* The first packet of a WRITE determines where the others go; retransmitted ones are recognized by
 * their PSNs. */
static void begin_transfer(const struct wire_commands *commands, struct wire_connection *connection,
                           const struct wire_command *command, const struct wire_frame *frame)
{
    connection->transfer = (struct wire_transfer){0};
    if (command == NULL || command->page.opcode == 0)
        return;
    connection->transfer = (struct wire_transfer){
        .command = (uint32_t)(command - commands->items) + 1,
        .first_psn = frame->psn,
        .packet_bytes = frame->payload,
        .at = frame->address - command->address,
    };
}

static bool is_write(uint8_t opcode)
{
    return opcode >= FRAME_RC_WRITE_FIRST && opcode <= FRAME_RC_WRITE_ONLY;
}

/* The last words of a line: nothing else is said of a write. */
static void say_page(const struct wire_commands *commands, const struct wire_connection *connection,
                     const struct wire_frame *frame, struct words *to)
{
    const struct wire_transfer *transfer = &connection->transfer;
    if (!is_write(frame->opcode) || transfer->command == 0)
        return;
    if (frame->head_bytes < frame->payload) {
        wire_say(to, " data not captured");
        return;
    }
    const uint64_t packet = (frame->psn - transfer->first_psn) & ((1u << PSN_BITS) - 1);
    wire_page_words(&commands->items[transfer->command - 1].page,
                    transfer->at + packet * transfer->packet_bytes, frame->head, frame->payload,
                    to->text + to->used, WIRE_WORDS_BYTES - to->used);
}

static void say_reth(struct wire_commands *commands, struct wire_connection *connection,
                     const struct wire_frame *frame, struct words *to)
{
    wire_say(to, " of %" PRIu32 " B", frame->length);
    if (!connection->nvme)
        return;
    const struct wire_command *command =
        wire_find_command(commands, &commands->by_key, connection, frame->rkey);
    wire_say(to, " for ");
    wire_say_number(command, to);
    if (command != NULL && frame->address != command->address)
        wire_say(to, " at %+" PRId64, (int64_t)(frame->address - command->address));
    if (is_write(frame->opcode))
        begin_transfer(commands, connection, command, frame);
}

static void say_aeth(const struct wire_frame *frame, struct words *to)
{
    if (frame->syndrome >> 5 == 0)
        wire_say(to, " ack");
    else if (frame->syndrome >> 5 == 1)
        wire_say(to, " RNR timer %d", frame->syndrome & 0x1F);
    else
        wire_say(to, " NAK %02x", frame->syndrome);
    if (frame->syndrome >> 5 == 0 && frame->syndrome != NO_CREDITS)
        wire_say(to, " credits %d", frame->syndrome);
    wire_say(to, " msn %" PRIu32, frame->msn);
}

/* The step between two PSNs, with its sign. */
static int32_t psn_step(uint32_t from, uint32_t to)
{
    return (int32_t)((to - from) << (32 - PSN_BITS)) >> (32 - PSN_BITS);
}

void wire_words_rc(struct wire_connection *connection, struct wire_commands *commands,
                   enum wire_side from, const struct wire_frame *frame,
                   char words[WIRE_WORDS_BYTES])
{
    struct words to = {.text = words};
    uint32_t *before = &connection->psn[from][wire_kind_of(frame->opcode)];
    const char *name = frame_opcode_name(frame->opcode);
    wire_say(&to, "%s psn %+" PRId32, name + (strncmp(name, "RC_", 3) == 0 ? 3 : 0),
             psn_step(*before, frame->psn));
    *before = frame->psn;
    if (frame->payload > 0)
        wire_say(&to, " %d B", frame->payload);
    if ((frame->flags & WIRE_ACK_REQUEST) != 0)
        wire_say(&to, " ack-request");
    if ((frame->flags & WIRE_SOLICITED) != 0)
        wire_say(&to, " solicited");
    say_class(frame, &to);
    if (frame->has_reth)
        say_reth(commands, connection, frame, &to);
    say_page(commands, connection, frame, &to);
    if (frame->has_aeth)
        say_aeth(frame, &to);
    if (frame->has_ieth) {
        wire_say(&to, " invalidates ");
        if (connection->nvme)
            wire_say_number(wire_find_command(commands, &commands->by_key, connection, frame->rkey),
                            &to);
        else
            wire_say(&to, "a key");
    }
    say_capsule(commands, connection, from, frame, &to);
}

void wire_commands_fini(struct wire_commands *commands)
{
    free(commands->items);
    wire_map_fini(&commands->by_cid);
    wire_map_fini(&commands->by_tag);
    wire_map_fini(&commands->by_key);
    *commands = (struct wire_commands){0};
}
