/* SPDX-License-Identifier: Apache-2.0
 * wire_words_pdu - describes PDUs of NVMe/TCP.
 * The header digest was checked by the decoder, and data is not compared: what a capture of the
 * model has in its place is zeros. */
#include "nvme/wire/capsule.h"
#include "nvme/wire/wire.h"
#include "reports/wire/wire_words_private.h"

#include <inttypes.h>

static enum wire_kind kind_of(uint8_t type)
{
    const bool connection = type == NVME_PDU_ICREQ || type == NVME_PDU_ICRESP;
    if (connection || nvme_pdu_is_term(type))
        return WIRE_CM;
    return type == NVME_PDU_COMMAND ? WIRE_REQUESTS : WIRE_ANSWERS;
}

static void say_data(const struct nvme_pdu *pdu, struct words *to)
{
    wire_say(to, " %" PRIu32 " B at %" PRIu32, pdu->length, pdu->at);
    if ((pdu->flags & NVME_PDU_LAST) != 0)
        wire_say(to, " last");
    if ((pdu->flags & NVME_PDU_SUCCESS) != 0)
        wire_say(to, " success");
}

/* Connect names the queue of the connection. */
static void learn_queue(struct wire_connection *connection, const struct nvme_pdu *pdu)
{
    struct nvme_command sqe;
    nvme_capsule_decode_command(&sqe, pdu->entry);
    if (sqe.opcode == NVME_FABRICS && nvme_capsule_fctype(&sqe) == NVME_FCTYPE_CONNECT)
        connection->qid = (uint16_t)(sqe.cdw10 >> 16);
}

static void say_format(const struct nvme_pdu *pdu, struct words *to)
{
    if ((pdu->flags & NVME_PDU_HDGST) != 0)
        wire_say(to, " header-digest");
    if ((pdu->flags & NVME_PDU_DDGST) != 0)
        wire_say(to, " data-digest");
    if (nvme_pdu_has_data(pdu) && !nvme_pdu_is_term(pdu->type))
        wire_say(to, " pdo %" PRIu32, pdu->before);
}

enum wire_kind wire_words_pdu(struct wire_connection *connection, struct wire_commands *commands,
                              const struct nvme_pdu *pdu, char words[WIRE_WORDS_BYTES])
{
    struct words to = {.text = words};
    wire_say(&to, "%s", nvme_pdu_name(pdu->type));
    say_format(pdu, &to);
    switch (pdu->type) {
    case NVME_PDU_ICREQ:
        wire_say(&to, " pfv %u hpda %u digests %u maxr2t %" PRIu32, pdu->version, pdu->pda,
                 pdu->digests, pdu->limit);
        break;
    case NVME_PDU_ICRESP:
        wire_say(&to, " pfv %u cpda %u digests %u maxh2cdata %" PRIu32, pdu->version, pdu->pda,
                 pdu->digests, pdu->limit);
        break;
    case NVME_PDU_H2C_TERM:
    case NVME_PDU_C2H_TERM:
        wire_say(&to, " %s, field %" PRIu32,
                 nvme_pdu_fes_name(pdu->fes, pdu->type == NVME_PDU_H2C_TERM), pdu->fei);
        break;
    case NVME_PDU_COMMAND:
        if (pdu->length > 0)
            wire_say(&to, " with %" PRIu32 " B", pdu->length);
        learn_queue(connection, pdu);
        wire_say_command(commands, connection, pdu->entry, &to);
        break;
    case NVME_PDU_RESPONSE:
        wire_say_response(commands, connection, pdu->entry, &to);
        break;
    default:
        say_data(pdu, &to);
        wire_say(&to, " for ");
        wire_say_number(wire_find_command(commands, &commands->by_cid, connection, pdu->cid), &to);
        if (pdu->type != NVME_PDU_C2H_DATA) /* the controller chooses it */
            wire_say(&to, " %c ttag %u", WIRE_WORDS_APART, pdu->ttag);
    }
    return kind_of(pdu->type);
}
