/* SPDX-License-Identifier: Apache-2.0
 * wire_words_iscsi - describes PDUs of iSCSI, field by field.
 * StatSN counts from the value that the target chose at Login. Tags are replaced by what they refer
 * to: an Initiator Task Tag by the number of its command, a Target Transfer Tag by its R2T. Digests
 * and data are not compared: what a capture of the model has in place of data is zeros.
 * Source: RFC 7143, 11. */
#include "nvme/iscsi/text.h"
#include "reports/wire/wire_words_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum wire_kind kind_of(uint8_t opcode)
{
    switch (opcode) {
    case ISCSI_COMMAND:
    case ISCSI_TASK:
        return WIRE_REQUESTS;
    case ISCSI_DATA_OUT:
    case ISCSI_DATA_IN:
    case ISCSI_R2T:
    case ISCSI_RESPONSE:
    case ISCSI_TASK_RESPONSE:
        return WIRE_ANSWERS;
    default:
        return WIRE_CM;
    }
}

/* ---- what most PDUs have ---- */

static const char *stage_name(unsigned stage)
{
    static const char *const names[] = {"security", "operational", "2", "full"};
    return names[stage & 3];
}

static void say_name(const struct iscsi_pdu *pdu, struct words *to)
{
    const char *name = iscsi_pdu_name(pdu->opcode);
    char text[48];
    snprintf(text, sizeof text, "%s", name);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ' ')
            *at = '-';
    wire_say(to, "%s%s%s", text, pdu->immediate ? " immediate" : "",
             (pdu->flags & ISCSI_FINAL) != 0 ? " final" : "");
}

static void say_host_numbers(const struct wire_connection *connection, const struct iscsi_pdu *pdu,
                             struct words *to)
{
    if (pdu->opcode != ISCSI_DATA_OUT)
        wire_say(to, " cmdsn %" PRIu32, pdu->sn);
    else if (pdu->sn != 0)
        wire_say(to, " reserved %08" PRIX32, pdu->sn);
    wire_say(to, " expstatsn %" PRIu32, pdu->expected - connection->stat_sn);
}

/* A Data-In without status has no StatSN, but the field. */
static void say_target_numbers(const struct wire_connection *connection,
                               const struct iscsi_pdu *pdu, struct words *to)
{
    if (pdu->opcode == ISCSI_DATA_IN && (pdu->flags & ISCSI_DATA_STATUS) == 0)
        wire_say(to, " reserved %08" PRIX32, pdu->sn);
    else
        wire_say(to, " statsn %" PRIu32, pdu->sn - connection->stat_sn);
    wire_say(to, " expcmdsn %" PRIu32 " maxcmdsn %" PRIu32, pdu->expected, pdu->max);
}

static void say_lun(const struct iscsi_pdu *pdu, struct words *to)
{
    wire_say(to, " lun %" PRIX64, pdu->lun);
}

static void say_residual(const struct iscsi_pdu *pdu, struct words *to)
{
    if ((pdu->flags & ISCSI_UNDERFLOW) != 0)
        wire_say(to, " underflow");
    if ((pdu->flags & ISCSI_OVERFLOW) != 0)
        wire_say(to, " overflow");
    if (pdu->count != 0)
        wire_say(to, " residual %" PRIu32, pdu->count);
}

static void say_command_of(struct wire_commands *commands, const struct wire_connection *connection,
                           uint32_t itt, struct words *to)
{
    wire_say(to, " for ");
    wire_say_number(wire_find_command(commands, &commands->by_tag, connection, itt), to);
}

/* ---- Login ---- */

static bool is_named_by_user(const char *key)
{
    static const char *const names[] = {"InitiatorName", "InitiatorAlias", "TargetName",
                                        "TargetAlias"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/* Text of the capture: what a terminal would not print is a question mark, and so is the mark. */
static void say_captured(const char *text, struct words *to)
{
    for (; *text != '\0'; text++) {
        const bool plain = *text > ' ' && *text < WIRE_WORDS_APART;
        wire_say(to, "%c", plain ? *text : '?');
    }
}

static void say_keys(const struct iscsi_text *text, bool named, struct words *to)
{
    struct iscsi_pair pair;
    struct iscsi_fault fault = {0};
    uint32_t at = 0;
    while (iscsi_text_next(text, &at, &pair, &fault))
        if (is_named_by_user(pair.key) == named) {
            wire_say(to, " ");
            say_captured(pair.key, to);
            wire_say(to, "=");
            say_captured(pair.value, to);
        }
    if (fault.reason != ISCSI_REJECT_NONE && !named)
        wire_say(to, " (%s)", fault.why);
}

static void say_login(struct wire_connection *connection, const struct iscsi_pdu *pdu,
                      const struct iscsi_text *text, struct words *to)
{
    const bool response = pdu->opcode == ISCSI_LOGIN_RESPONSE;
    if (response)
        connection->stat_sn = pdu->sn;
    wire_say(to, " in %s", stage_name(pdu->flags >> 2));
    if ((pdu->flags & ISCSI_LOGIN_TRANSIT) != 0)
        wire_say(to, " to %s", stage_name(pdu->flags));
    if ((pdu->flags & ISCSI_LOGIN_CONTINUE) != 0)
        wire_say(to, " continued");
    wire_say(to, " versions %u %u", pdu->byte2, pdu->byte3);
    if (response)
        wire_say(to, " status %04" PRIX32 " expcmdsn %" PRIu32 " maxcmdsn %" PRIu32,
                 pdu->data_sn >> 16, pdu->expected, pdu->max);
    else
        wire_say(to, " cid %" PRIu32 " cmdsn %" PRIu32, pdu->tag >> 16, pdu->sn);
    say_keys(text, false, to);
    wire_say(to, " %c isid %012" PRIX64 " tsih %" PRIu64 " %" PRIu32 " B", WIRE_WORDS_APART,
             pdu->lun >> 16, pdu->lun & 0xFFFF, pdu->length);
    say_keys(text, true, to);
}

/* ---- tasks ---- */

static void say_command(struct wire_commands *commands, struct wire_connection *connection,
                        const struct iscsi_pdu *pdu, struct words *to)
{
    const uint32_t at = commands->count;
    struct wire_command *command = wire_add_command(commands, connection);
    command->length = pdu->tag;
    wire_map_put(&commands->by_tag, wire_map_pair(connection->index, pdu->itt), at);
    wire_say(to, " #%" PRIu32 "%s%s attribute %u", command->number,
             (pdu->flags & ISCSI_COMMAND_READ) != 0 ? " read" : "",
             (pdu->flags & ISCSI_COMMAND_WRITE) != 0 ? " write" : "", pdu->flags & 7u);
    wire_say(to, " of %" PRIu32 " B with %" PRIu32 " B", pdu->tag, pdu->length);
    say_lun(pdu, to);
    wire_say(to, " cdb ");
    for (unsigned i = 0; i < ISCSI_CDB_BYTES; i++)
        wire_say(to, "%02x", pdu->cdb[i]);
    say_host_numbers(connection, pdu, to);
    wire_say(to, " %c itt %08" PRIX32, WIRE_WORDS_APART, pdu->itt);
}

static void say_data_out(struct wire_commands *commands, const struct wire_connection *connection,
                         const struct iscsi_pdu *pdu, struct words *to)
{
    const uint32_t r2t =
        wire_map_get(&commands->by_key, wire_map_pair(connection->index, pdu->tag));
    wire_say(to, " %" PRIu32 " B at %" PRIu32 " datasn %" PRIu32, pdu->length, pdu->offset,
             pdu->data_sn);
    say_command_of(commands, connection, pdu->itt, to);
    if (pdu->tag == ISCSI_TAG_NONE)
        wire_say(to, " unsolicited");
    else if (r2t == WIRE_MAP_NONE)
        wire_say(to, " of no R2T");
    else
        wire_say(to, " of R2T %" PRIu32, r2t);
    say_lun(pdu, to);
    say_host_numbers(connection, pdu, to);
}

static void say_data_in(struct wire_commands *commands, const struct wire_connection *connection,
                        const struct iscsi_pdu *pdu, struct words *to)
{
    wire_say(to, " %" PRIu32 " B at %" PRIu32 " datasn %" PRIu32, pdu->length, pdu->offset,
             pdu->data_sn);
    say_command_of(commands, connection, pdu->itt, to);
    if ((pdu->flags & ISCSI_DATA_STATUS) != 0)
        wire_say(to, " status %02X", pdu->byte3);
    say_residual(pdu, to);
    wire_say(to, " ttt %08" PRIX32, pdu->tag);
    say_lun(pdu, to);
    say_target_numbers(connection, pdu, to);
}

static void say_r2t(struct wire_commands *commands, const struct wire_connection *connection,
                    const struct iscsi_pdu *pdu, struct words *to)
{
    wire_map_put(&commands->by_key, wire_map_pair(connection->index, pdu->tag), pdu->data_sn);
    wire_say(to, " %" PRIu32 " for %" PRIu32 " B at %" PRIu32, pdu->data_sn, pdu->count,
             pdu->offset);
    say_command_of(commands, connection, pdu->itt, to);
    say_lun(pdu, to);
    say_target_numbers(connection, pdu, to);
    wire_say(to, " %c ttt %08" PRIX32, WIRE_WORDS_APART, pdu->tag);
}

static void say_response(struct wire_commands *commands, const struct wire_connection *connection,
                         const struct iscsi_pdu *pdu, struct words *to)
{
    say_command_of(commands, connection, pdu->itt, to);
    wire_say(to, " response %02X status %02X with %" PRIu32 " B expdatasn %" PRIu32, pdu->byte2,
             pdu->byte3, pdu->length, pdu->data_sn);
    say_residual(pdu, to);
    say_target_numbers(connection, pdu, to);
}

/* ---- others ---- */

static void say_task(struct wire_commands *commands, struct wire_connection *connection,
                     const struct iscsi_pdu *pdu, struct words *to)
{
    const uint32_t at = commands->count;
    const struct wire_command *command = wire_add_command(commands, connection);
    wire_say(to, " #%" PRIu32 " function %u", command->number, pdu->flags & 0x7Fu);
    say_command_of(commands, connection, pdu->tag, to);
    wire_map_put(&commands->by_tag, wire_map_pair(connection->index, pdu->itt), at);
    say_lun(pdu, to);
    say_host_numbers(connection, pdu, to);
}

/* NOP, Logout, Text, Asynchronous Message, Reject: sent, or answered, by host or target. */
static void say_other(const struct wire_connection *connection, const struct iscsi_pdu *pdu,
                      struct words *to)
{
    const bool host = pdu->opcode < ISCSI_NOP_IN;
    wire_say(to, " byte-1 %02X bytes-2-3 %02X%02X with %" PRIu32 " B%s%s", pdu->flags & 0x7Fu,
             pdu->byte2, pdu->byte3, pdu->length, pdu->itt == ISCSI_TAG_NONE ? " no itt" : "",
             pdu->tag == ISCSI_TAG_NONE ? " no ttt" : "");
    say_lun(pdu, to);
    if (host)
        say_host_numbers(connection, pdu, to);
    else
        say_target_numbers(connection, pdu, to);
}

enum wire_kind wire_words_iscsi(struct wire_connection *connection, struct wire_commands *commands,
                                const struct iscsi_pdu *pdu, const struct iscsi_text *text,
                                char words[WIRE_WORDS_BYTES])
{
    struct words to = {.text = words};
    say_name(pdu, &to);
    switch (pdu->opcode) {
    case ISCSI_LOGIN:
    case ISCSI_LOGIN_RESPONSE:
        say_login(connection, pdu, text, &to);
        break;
    case ISCSI_COMMAND:
        say_command(commands, connection, pdu, &to);
        break;
    case ISCSI_DATA_OUT:
        say_data_out(commands, connection, pdu, &to);
        break;
    case ISCSI_DATA_IN:
        say_data_in(commands, connection, pdu, &to);
        break;
    case ISCSI_R2T:
        say_r2t(commands, connection, pdu, &to);
        break;
    case ISCSI_RESPONSE:
    case ISCSI_TASK_RESPONSE:
        say_response(commands, connection, pdu, &to);
        break;
    case ISCSI_TASK:
        say_task(commands, connection, pdu, &to);
        break;
    default:
        say_other(connection, pdu, &to);
    }
    return kind_of(pdu->opcode);
}
