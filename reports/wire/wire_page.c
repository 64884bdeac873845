/* SPDX-License-Identifier: Apache-2.0
 * wire_page - runs of nonzero bytes. */
#include "reports/wire/wire_page.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    GAP = 4,       /* number of zeros that end a run */
    RUN_MAX = 32,  /* bytes, then the next run starts */
    RUN_TEXT = 96, /* its offset and bytes */
    REST_TEXT = 32 /* of a checksum */
};

struct wire_page wire_page_of(const struct nvme_command *sqe)
{
    struct wire_page page = {.opcode = sqe->opcode, .selector = (uint8_t)sqe->cdw10};
    if (sqe->opcode == NVME_ADMIN_GET_LOG)
        page.offset = nvme_capsule_log_offset(sqe);
    else if (sqe->opcode != NVME_ADMIN_IDENTIFY)
        page.opcode = 0;
    return page;
}

static bool is_own(const struct wire_page *page, uint64_t at)
{
    static const struct {
        uint8_t opcode, selector;
        uint16_t from, to, stride;
    } own[] = {
#define PAGE_OWN(opcode, selector, from, to, stride, text) {opcode, selector, from, to, stride},
#include "reports/wire/wire_left_out.def"
    };
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++) {
        const uint64_t place = own[i].stride > 0 ? at % own[i].stride : at;
        if (own[i].opcode == page->opcode && own[i].selector == page->selector &&
            place >= own[i].from && place < own[i].to)
            return true;
    }
    return false;
}

/* A part of a page, with the offset of its first byte. */
struct part {
    const struct wire_page *page;
    const unsigned char *bytes;
    uint64_t at;
    size_t count;
};

static unsigned byte_at(const struct part *part, size_t index)
{
    return is_own(part->page, part->at + index) ? 0 : part->bytes[index];
}

static size_t run_length(const struct part *part, size_t from)
{
    size_t end = from + 1;
    for (size_t i = from; i < part->count && i < end + GAP - 1 && i - from < RUN_MAX; i++)
        if (byte_at(part, i) != 0)
            end = i + 1;
    return end - from;
}

static size_t write_run(const struct part *part, size_t from, size_t length, char text[RUN_TEXT])
{
    int used = snprintf(text, RUN_TEXT, " %" PRIu64 "=", part->at + from);
    for (size_t i = 0; i < length; i++)
        used += snprintf(text + used, RUN_TEXT - (size_t)used, "%02x", byte_at(part, from + i));
    return (size_t)used;
}

/* FNV-1a over bytes and their offsets. */
static uint32_t checksum(const struct part *part, size_t from)
{
    uint32_t sum = 2166136261u;
    for (size_t i = from; i < part->count; i++)
        sum = (sum ^ byte_at(part, i)) * 16777619u;
    return sum;
}

void wire_page_words(const struct wire_page *page, uint64_t at, const unsigned char *bytes,
                     size_t count, char *text, size_t room)
{
    const struct part part = {page, bytes, page->offset + at, count};
    size_t used = (size_t)snprintf(text, room, " data");
    size_t i = 0;
    while (i < count && room - used > RUN_TEXT + REST_TEXT) {
        if (byte_at(&part, i) == 0) {
            i++;
            continue;
        }
        const size_t length = run_length(&part, i);
        used += write_run(&part, i, length, text + used);
        i += length;
    }
    if (i < count)
        snprintf(text + used, room - used, " rest %08x", checksum(&part, i));
    else if (used == sizeof " data" - 1)
        snprintf(text + used, room - used, " zeroes");
}
