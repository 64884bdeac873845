/* SPDX-License-Identifier: Apache-2.0
 * wire_page - the bytes of what Identify and Get Log Page read, in words that two captures share:
 * where they are not zero, as PLACE=BYTES in hexadecimal.  What is a machine's own
 * (wire_left_out.def) is left out.
 * Source of the layouts: NVMe base 5.14.1, 5.15.2. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_PAGE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_PAGE_H

#include "nvme/wire/capsule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_page {
    uint64_t offset; /* of the first byte that is read */
    uint8_t opcode;  /* 0: no such page */
    uint8_t selector;
};

/* What an admin command reads. */
struct wire_page wire_page_of(const struct nvme_command *sqe);

/* Writes the words of `count` bytes from `at` on; a longer text than `room` ends with a checksum of
 * the rest.  Returns its length. */
size_t wire_page_words(const struct wire_page *page, uint64_t at, const unsigned char *bytes,
                       size_t count, char *text, size_t room);

#endif
