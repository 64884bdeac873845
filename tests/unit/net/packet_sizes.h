/* SPDX-License-Identifier: Apache-2.0
 * packet_sizes - one WRITE and one READ of 3000 B in packets of 1024 B between two RNICs, and the
 * bytes of each kind of packet beyond the headers that every packet has: the same in each link
 * layer. */
#ifndef STORMGLASS_TESTS_UNIT_NET_PACKET_SIZES_H
#define STORMGLASS_TESTS_UNIT_NET_PACKET_SIZES_H

#include "tests/unit/rnic/rnic_pair.h"

enum { MTU = 1024, BYTES = 3000 };

void packet_sizes_exchange(struct pair *pair);

/* After the exchange. */
void packet_sizes_check(const struct pair *pair, unsigned headers);

#endif
