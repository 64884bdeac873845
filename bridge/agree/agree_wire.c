/* SPDX-License-Identifier: Apache-2.0
 * agree_wire - encodes and decodes the fields at their offsets. */
#include "bridge/agree/agree_wire.h"

#include "nvme/wire/wire.h"

#include <assert.h>
#include <string.h>

static const unsigned char magic[4] = {'s', 'g', 'a', 'g'};

enum {
    VERSION_AT = 4,
    KIND_AT = 6, /* of all three kinds of messages */
    PROVEN_AT = 7,
    NONCE_AT = 8,
    DIGEST_AT = 16, /* of JOIN */
    LINES_AT = 32,
    TARGET_AT = 36,
    PREFIX_AT = 16, /* of COMPARE */
    HASH_AT = 24,
    ANSWER_TEXT_LENGTH_AT = 7,
    ANSWER_LINES_AT = 8,
    ANSWER_NONCE_AT = 12,
    ANSWER_TEXT_AT = 28,
    SEQUENCE_AT = 8,
    CLOCK_AT = 16,
    ZERO_AT = 24,
    IPS_AT = 32
};

static_assert(ANSWER_TEXT_AT + AGREE_TEXT_BYTES - 1 + ACCESS_TAG_BYTES == AGREE_ANSWER_BYTES,
              "the text fills it");
static_assert(TARGET_AT + 4 + ACCESS_TAG_BYTES == AGREE_REQUEST_BYTES, "and the target this");

static void write_header(unsigned char *bytes, size_t length, uint16_t version, unsigned kind)
{
    memset(bytes, 0, length);
    memcpy(bytes, magic, sizeof magic);
    wire_put16(bytes + VERSION_AT, version);
    bytes[KIND_AT] = (unsigned char)kind;
}

static bool begins(const unsigned char *bytes, size_t length, size_t least)
{
    return length >= least && memcmp(bytes, magic, sizeof magic) == 0;
}

void agree_write_request(const struct agree_request *request, unsigned char *bytes)
{
    write_header(bytes, AGREE_REQUEST_BYTES, request->version, request->question);
    bytes[PROVEN_AT] = request->proven;
    wire_put64(bytes + NONCE_AT, request->nonce);
    if (request->question == AGREE_JOIN) {
        wire_put64(bytes + DIGEST_AT, request->digest.high);
        wire_put64(bytes + DIGEST_AT + 8, request->digest.low);
        wire_put32(bytes + LINES_AT, request->lines);
        wire_put32(bytes + TARGET_AT, request->target);
    } else if (request->question == AGREE_COMPARE) {
        wire_put32(bytes + PREFIX_AT, request->prefix);
        wire_put64(bytes + HASH_AT, request->prefix_hash);
    }
}

/* Of a message with another version, only the version is read. */
bool agree_read_request(const unsigned char *bytes, size_t length, struct agree_request *request)
{
    if (!begins(bytes, length, AGREE_REQUEST_BYTES))
        return false;
    *request = (struct agree_request){.version = wire_get16(bytes + VERSION_AT)};
    if (request->version != AGREE_VERSION)
        return true;
    request->question = (enum agree_question)bytes[KIND_AT];
    request->proven = bytes[PROVEN_AT] != 0;
    request->nonce = wire_get64(bytes + NONCE_AT);
    if (request->question == AGREE_JOIN) {
        request->digest.high = wire_get64(bytes + DIGEST_AT);
        request->digest.low = wire_get64(bytes + DIGEST_AT + 8);
        request->lines = wire_get32(bytes + LINES_AT);
        request->target = wire_get32(bytes + TARGET_AT);
    } else if (request->question == AGREE_COMPARE) {
        request->prefix = wire_get32(bytes + PREFIX_AT);
        request->prefix_hash = wire_get64(bytes + HASH_AT);
    }
    return request->question <= AGREE_CHALLENGE;
}

void agree_write_answer(const struct agree_answer *answer, unsigned char *bytes)
{
    const size_t length = strnlen(answer->text, AGREE_TEXT_BYTES - 1);
    write_header(bytes, AGREE_ANSWER_BYTES, answer->version, answer->verdict);
    bytes[ANSWER_TEXT_LENGTH_AT] = (unsigned char)length;
    wire_put32(bytes + ANSWER_LINES_AT, answer->lines);
    memcpy(bytes + ANSWER_NONCE_AT, answer->nonce, AGREE_NONCE_BYTES);
    memcpy(bytes + ANSWER_TEXT_AT, answer->text, length);
}

/* A peer's text is printed on a terminal, so only printable characters are kept. */
static void read_text(const unsigned char *bytes, size_t length, char *text)
{
    for (size_t i = 0; i < length; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] < 0x7F ? (char)bytes[i] : '?';
    text[length] = '\0';
}

bool agree_read_answer(const unsigned char *bytes, size_t length, struct agree_answer *answer)
{
    if (!begins(bytes, length, AGREE_ANSWER_BYTES))
        return false;
    const size_t text_length = bytes[ANSWER_TEXT_LENGTH_AT];
    *answer = (struct agree_answer){.version = wire_get16(bytes + VERSION_AT)};
    answer->verdict = (enum agree_verdict)bytes[KIND_AT];
    if (answer->version != AGREE_VERSION) {
        answer->verdict = AGREE_OTHER_VERSION;
        return true;
    }
    answer->lines = wire_get32(bytes + ANSWER_LINES_AT);
    memcpy(answer->nonce, bytes + ANSWER_NONCE_AT, AGREE_NONCE_BYTES);
    if (answer->verdict >= AGREE_VERDICTS || text_length >= AGREE_TEXT_BYTES)
        return false;
    read_text(bytes + ANSWER_TEXT_AT, text_length, answer->text);
    return true;
}

void agree_write_moment(const struct agree_moment *moment, unsigned char *bytes)
{
    write_header(bytes, AGREE_MOMENT_BYTES, AGREE_VERSION, moment->kind);
    wire_put32(bytes + SEQUENCE_AT, moment->sequence);
    wire_put64(bytes + CLOCK_AT, (uint64_t)moment->clock);
    wire_put64(bytes + ZERO_AT, (uint64_t)moment->zero);
    for (unsigned i = 0; i < NICS_MAX; i++)
        wire_put32(bytes + IPS_AT + 4 * i, moment->ips[i]);
}

/* Clocks start at 0 with their process; time_ps can represent at most three months. */
static bool is_moment(time_ps at)
{
    return at >= 0 && at < 8000000 * PS_PER_S;
}

bool agree_read_moment(const unsigned char *bytes, size_t length, struct agree_moment *moment)
{
    if (!begins(bytes, length, AGREE_MOMENT_BYTES) ||
        wire_get16(bytes + VERSION_AT) != AGREE_VERSION)
        return false;
    *moment = (struct agree_moment){
        .kind = (enum agree_kind)bytes[KIND_AT],
        .sequence = wire_get32(bytes + SEQUENCE_AT),
        .clock = (time_ps)wire_get64(bytes + CLOCK_AT),
        .zero = (time_ps)wire_get64(bytes + ZERO_AT),
    };
    for (unsigned i = 0; i < NICS_MAX; i++)
        moment->ips[i] = wire_get32(bytes + IPS_AT + 4 * i);
    return moment->kind < AGREE_KINDS && is_moment(moment->clock) &&
           (moment->zero == TIME_NEVER || is_moment(moment->zero));
}
