/* SPDX-License-Identifier: Apache-2.0
 * wire_page - formats the data of Identify and Get Log Page for comparison of two captures.
 * Nonzero bytes are written as OFFSET=BYTES in hexadecimal. Machine-specific bytes
 * (wire_left_out.def) are left out.
 * Source of the layouts: NVMe base 5.14.1, 5.15.2. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_PAGE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_PAGE_H

#include "nvme/wire/capsule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_page {
    uint64_t offset; /* of the first byte to be read */
    uint8_t opcode;  /* 0: not such a page */
    uint8_t selector;
};

/* The page that an admin command reads. */
struct wire_page wire_page_of(const struct nvme_command *sqe);

/* Formats `count` bytes starting at offset `at`; a text longer than `room` ends with a checksum of
 * the rest. */
void wire_page_words(const struct wire_page *page, uint64_t at, const unsigned char *bytes,
                     size_t count, char *text, size_t room);

#endif
