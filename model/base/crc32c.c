/* SPDX-License-Identifier: Apache-2.0
 * crc32c - four bits at a time, with a table that is short enough to check by eye. */
#include "base/crc32c.h"

/* Entry i: i, shifted through the reflected polynomial 82F63B78h four times. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t length)
{
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ nibbles[crc & 0xF];
        crc = crc >> 4 ^ nibbles[crc & 0xF];
    }
    return ~crc;
}
