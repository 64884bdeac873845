/* SPDX-License-Identifier: Apache-2.0
 * pcapng - blocks are type, length, body, options, length; everything in steps of four bytes. */
#include "reports/pcapng.h"

#include <string.h>

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    MAGIC = 0x1A2B3C4D,
    LINKTYPE_ETHERNET = 1,
    OPTION_COMMENT = 1,
    OPTION_APPLICATION = 4, /* of a section */
    OPTION_NAME = 2,        /* of an interface */
    OPTION_SPEED = 8,
    OPTION_RESOLUTION = 9,
    OPTION_FLAGS = 2, /* of a packet */
};

struct option {
    uint16_t code, bytes;
    const void *value;
};

static uint32_t padded(size_t bytes)
{
    return (uint32_t)((bytes + 3) & ~(size_t)3);
}

static void put(FILE *out, const void *bytes, size_t count)
{
    static const char zeros[4];
    fwrite(bytes, 1, count, out);
    fwrite(zeros, 1, padded(count) - count, out);
}

static void put_u32(FILE *out, uint32_t value)
{
    fwrite(&value, sizeof value, 1, out);
}

/* A block of a fixed body, data and options; options end with one of code 0. */
static void block(FILE *out, uint32_t type, const void *body, size_t body_bytes,
                  const struct option *options, const void *data, size_t data_bytes)
{
    uint32_t length = 12 + padded(body_bytes) + padded(data_bytes);
    for (const struct option *option = options; option->code != 0; option++)
        length += 4 + padded(option->bytes);
    length += 4; /* the last option says that it is */
    put_u32(out, type);
    put_u32(out, length);
    put(out, body, body_bytes);
    put(out, data, data_bytes);
    for (const struct option *option = options; option->code != 0; option++) {
        fwrite(&option->code, sizeof option->code, 1, out);
        fwrite(&option->bytes, sizeof option->bytes, 1, out);
        put(out, option->value, option->bytes);
    }
    put_u32(out, 0);
    put_u32(out, length);
}

void pcapng_begin(FILE *out, const char *application)
{
    const struct {
        uint32_t magic;
        uint16_t major, minor;
        int64_t length;
    } __attribute__((packed)) body = {MAGIC, 1, 0, -1};
    const struct option options[] = {
        {OPTION_APPLICATION, (uint16_t)strlen(application), application}, {0}};
    block(out, BLOCK_SECTION, &body, sizeof body, options, "", 0);
}

void pcapng_interface(FILE *out, const char *name, uint64_t speed_bps)
{
    const struct {
        uint16_t link_type, reserved;
        uint32_t snap_length;
    } body = {LINKTYPE_ETHERNET, 0, 0};
    static const uint8_t nanoseconds = 9;
    const struct option options[] = {
        {OPTION_NAME, (uint16_t)strlen(name), name},
        {OPTION_SPEED, sizeof speed_bps, &speed_bps},
        {OPTION_RESOLUTION, sizeof nanoseconds, &nanoseconds},
        {0},
    };
    block(out, BLOCK_INTERFACE, &body, sizeof body, options, "", 0);
}

void pcapng_write(FILE *out, const struct pcapng_packet *packet)
{
    const uint32_t body[] = {
        packet->interface,       (uint32_t)(packet->at_ns >> 32), (uint32_t)packet->at_ns,
        (uint32_t)packet->count, (uint32_t)packet->length,
    };
    struct option options[3] = {{OPTION_FLAGS, sizeof packet->flags, &packet->flags}};
    if (packet->comment != NULL)
        options[1] =
            (struct option){OPTION_COMMENT, (uint16_t)strlen(packet->comment), packet->comment};
    block(out, BLOCK_PACKET, body, sizeof body, options, packet->bytes, packet->count);
}
