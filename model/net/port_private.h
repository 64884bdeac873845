/* SPDX-License-Identifier: Apache-2.0
 * port_private - what the files of a port share.
 * Included only by port*.c. */
#ifndef STORMGLASS_NET_PORT_PRIVATE_H
#define STORMGLASS_NET_PORT_PRIVATE_H

#include "net/port.h"

/* A MAC control frame has arrived; consumes it. */
void port_receive_pfc(struct port *port, uint32_t handle, time_ps now);

/* PFC_ACT: what an arrived frame asks for takes effect; consumes it. */
void port_obey(struct port *port, uint32_t handle, time_ps now);

/* PAUSE_END and PFC_REFRESH. */
void port_pause_end(struct port *port, uint8_t priority, time_ps now);
void port_refresh(struct port *port, uint8_t priority, time_ps now);

#endif
