/* SPDX-License-Identifier: Apache-2.0
 * wire_crc - the invariant and the variant CRC of a packet.
 * The ICRC covers what does not change on the way: the other fields count as ones. A header that
 * the packet does not have, or that routers replace, counts as an LRH of ones. */
#include "base/check.h"
#include "replay/files/zip.h"
#include "reports/wire/wire.h"

#include <string.h>

enum { LRH_HEADER = 8, GRH_HEADER = 40, IP_HEADER = 20, UDP_HEADER = 8, BTH_HEADER = 12 };

static uint32_t in_wire_order(uint32_t crc)
{
    return (crc & 0xFF) << 24 | (crc & 0xFF00) << 8 | (crc >> 8 & 0xFF00) | crc >> 24;
}

uint32_t wire_icrc_v1(const uint8_t *grh, size_t bytes)
{
    enum { FIXED = GRH_HEADER + BTH_HEADER };
    uint8_t masked[8 + FIXED];
    CHECK(bytes >= FIXED);
    memset(masked, 0xFF, 8); /* in place of the LRH */
    uint8_t *copy = masked + 8;
    memcpy(copy, grh, FIXED);
    copy[0] |= 0x0F; /* traffic class, flow label */
    copy[1] = copy[2] = copy[3] = 0xFF;
    copy[7] = 0xFF;              /* hop limit */
    copy[GRH_HEADER + 4] = 0xFF; /* FECN, BECN, reserved */
    const uint32_t head = zip_crc(zip_crc_start(), masked, sizeof masked);
    return in_wire_order(zip_crc(head, grh + FIXED, bytes - FIXED));
}

uint32_t wire_icrc(const uint8_t *ip, size_t bytes)
{
    enum { FIXED = IP_HEADER + UDP_HEADER + BTH_HEADER };
    uint8_t masked[8 + FIXED];
    CHECK(bytes >= FIXED);
    memset(masked, 0xFF, 8); /* in place of the LRH */
    uint8_t *copy = masked + 8;
    memcpy(copy, ip, FIXED);
    copy[1] = copy[8] = copy[10] = copy[11] = 0xFF; /* TOS, TTL, header checksum */
    copy[26] = copy[27] = 0xFF;                     /* UDP checksum */
    copy[IP_HEADER + UDP_HEADER + 4] = 0xFF;        /* FECN, BECN, reserved */
    const uint32_t head = zip_crc(zip_crc_start(), masked, sizeof masked);
    return in_wire_order(zip_crc(head, ip + FIXED, bytes - FIXED));
}

/* Without GRH all of the LRH but the VL counts; with one the LRH is that of a single subnet. */
uint32_t wire_icrc_ib(const uint8_t *lrh, size_t bytes, bool grh)
{
    uint8_t masked[LRH_HEADER + BTH_HEADER];
    if (grh)
        return wire_icrc_v1(lrh + LRH_HEADER, bytes - LRH_HEADER);
    CHECK(bytes >= sizeof masked);
    memcpy(masked, lrh, sizeof masked);
    masked[0] |= 0xF0;             /* VL */
    masked[LRH_HEADER + 4] = 0xFF; /* FECN, BECN, reserved */
    const uint32_t head = zip_crc(zip_crc_start(), masked, sizeof masked);
    return in_wire_order(zip_crc(head, lrh + sizeof masked, bytes - sizeof masked));
}

uint16_t wire_vcrc(const uint8_t *lrh, size_t bytes)
{
    enum { REFLECTED = 0xD008 }; /* x^16 + x^12 + x^3 + x + 1 */
    uint32_t crc = 0xFFFF;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= lrh[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? REFLECTED : 0u);
    }
    crc = ~crc & 0xFFFF;
    return (uint16_t)(crc << 8 | crc >> 8);
}
