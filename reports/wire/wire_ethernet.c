/* SPDX-License-Identifier: Apache-2.0
 * wire_ethernet - the header of a frame up to its network header. It is a file of its own because
 * the playground uses it, and has no library for the CRCs of wire.c. */
#include "base/big_endian.h"
#include "reports/wire/wire.h"

enum { TAGS_MAX = 8 }; /* in a frame; QinQ has two */

/* IEEE 802.1Q, 802.1ad, and the type used before 802.1ad. */
static bool is_tag(uint16_t type)
{
    return type == WIRE_ETHERTYPE_VLAN || type == 0x88A8 || type == 0x9100 || type == 0x9200;
}

size_t wire_skip_ethernet(const uint8_t *bytes, size_t count, uint16_t *type)
{
    size_t end = WIRE_ETHERNET_HEADER;
    for (int tags = 0; end <= count; tags++, end += 4) {
        *type = big_get16(bytes + end - 2);
        if (!is_tag(*type) || tags == TAGS_MAX)
            return end;
    }
    return 0;
}
