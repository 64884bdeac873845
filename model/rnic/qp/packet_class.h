/* SPDX-License-Identifier: Apache-2.0
 * packet_class - the traffic class of a packet. */
#ifndef STORMGLASS_RNIC_QP_PACKET_CLASS_H
#define STORMGLASS_RNIC_QP_PACKET_CLASS_H

#include <stdint.h>

struct packet_class {
    uint8_t priority; /* at the sender's own port */
    uint8_t tos;      /* DSCP << 2 | ECN */
};

#endif
