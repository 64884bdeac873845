/* SPDX-License-Identifier: Apache-2.0
 * pcapng - blocks consist of type, length, body, options, length, each padded to four bytes. */
#include "reports/wire/pcapng.h"

#include "nvme/wire/wire.h"

#include <string.h>

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    MAGIC = 0x1A2B3C4D,
    MAJOR = 1,
    MINOR = 0,
    OPTION_COMMENT = 1,
    OPTION_APPLICATION = 4, /* in a section header */
    OPTION_NAME = 2,        /* in an interface description */
    OPTION_SPEED = 8,
    OPTION_RESOLUTION = 9,
    OPTION_FLAGS = 2, /* in a packet block */
};

struct option {
    uint16_t code, bytes;
    const void *value;
};

static uint32_t padded(size_t bytes)
{
    return (uint32_t)((bytes + 3) & ~(size_t)3);
}

static void put_bytes(FILE *out, const void *bytes, size_t count)
{
    static const char zeros[4];
    fwrite(bytes, 1, count, out);
    fwrite(zeros, 1, padded(count) - count, out);
}

static void put_u16(FILE *out, uint16_t value)
{
    unsigned char bytes[2];
    wire_put16(bytes, value);
    fwrite(bytes, 1, sizeof bytes, out);
}

static void put_u32(FILE *out, uint32_t value)
{
    unsigned char bytes[4];
    wire_put32(bytes, value);
    fwrite(bytes, 1, sizeof bytes, out);
}

/* A block with a fixed body, data and options; options end with code 0. */
static void block(FILE *out, uint32_t type, const void *body, size_t body_bytes,
                  const struct option *options, const void *data, size_t data_bytes)
{
    uint32_t length = 12 + padded(body_bytes) + padded(data_bytes);
    for (const struct option *option = options; option->code != 0; option++)
        length += 4 + padded(option->bytes);
    length += 4; /* the end-of-options option */
    put_u32(out, type);
    put_u32(out, length);
    put_bytes(out, body, body_bytes);
    put_bytes(out, data, data_bytes);
    for (const struct option *option = options; option->code != 0; option++) {
        put_u16(out, option->code);
        put_u16(out, option->bytes);
        put_bytes(out, option->value, option->bytes);
    }
    put_u32(out, 0);
    put_u32(out, length);
}

void pcapng_begin(FILE *out, const char *application)
{
    unsigned char body[16];
    wire_put32(body, MAGIC);
    wire_put16(body + 4, MAJOR);
    wire_put16(body + 6, MINOR);
    wire_put64(body + 8, UINT64_MAX); /* section length: unspecified */
    const struct option options[] = {
        {OPTION_APPLICATION, (uint16_t)strlen(application), application}, {0}};
    block(out, BLOCK_SECTION, body, sizeof body, options, "", 0);
}

void pcapng_interface(FILE *out, const char *name, uint64_t speed_bps, enum pcapng_link link)
{
    unsigned char body[8] = {0}, speed[8]; /* reserved field, and unlimited SnapLen */
    wire_put16(body, (uint16_t)link);
    wire_put64(speed, speed_bps);
    static const uint8_t nanoseconds = 9;
    const struct option options[] = {
        {OPTION_NAME, (uint16_t)strlen(name), name},
        {OPTION_SPEED, sizeof speed, speed},
        {OPTION_RESOLUTION, sizeof nanoseconds, &nanoseconds},
        {0},
    };
    block(out, BLOCK_INTERFACE, body, sizeof body, options, "", 0);
}

void pcapng_write(FILE *out, const struct pcapng_packet *packet)
{
    unsigned char body[20], flags[4];
    wire_put32(body, packet->interface);
    wire_put32(body + 4, (uint32_t)(packet->at_ns >> 32));
    wire_put32(body + 8, (uint32_t)packet->at_ns);
    wire_put32(body + 12, (uint32_t)packet->count);
    wire_put32(body + 16, (uint32_t)packet->length);
    wire_put32(flags, packet->flags);
    struct option options[3] = {{OPTION_FLAGS, sizeof flags, flags}};
    if (packet->comment != NULL)
        options[1] =
            (struct option){OPTION_COMMENT, (uint16_t)strlen(packet->comment), packet->comment};
    block(out, BLOCK_PACKET, body, sizeof body, options, packet->bytes, packet->count);
}
