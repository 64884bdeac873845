/* SPDX-License-Identifier: Apache-2.0
 * psn - packet sequence numbers: 24 bits with wrap-around.
 * Source: IBTA Vol 1 9.7.2 and 9.7.1 (at most 2^23 may be outstanding, so that older and newer can
 * be distinguished). */
#ifndef STORMGLASS_RNIC_PSN_H
#define STORMGLASS_RNIC_PSN_H

#include <stdint.h>

#define PSN_MASK   UINT32_C(0xFFFFFF)
#define PSN_WINDOW INT32_C(0x7FFFFF)

/* Number of packets of the largest message: 1 GiB at a path MTU of 256 B. */
#define PSN_MESSAGE_MOST INT32_C(0x400000)

static inline uint32_t psn_add(uint32_t psn, uint32_t count)
{
    return (psn + count) & PSN_MASK;
}

/* Distance from b to a: negative when a is older. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) / 256;
}

/* Distance from b to a, where a is not older, in units of PSN_AHEAD: keeping the 24 bits at the top
 * of a word saves a mask. */
#define PSN_AHEAD UINT32_C(256)

static inline uint32_t psn_ahead(uint32_t a, uint32_t b)
{
    return (a - b) * PSN_AHEAD;
}

/* Number of PSNs for a message of `length` bytes; an empty message takes one. */
static inline uint32_t psn_count(uint32_t length, uint32_t mtu)
{
    return length <= mtu ? 1 : (uint32_t)(((uint64_t)length + mtu - 1) / mtu);
}

#endif
