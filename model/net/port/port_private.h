/* SPDX-License-Identifier: Apache-2.0
 * port_private - what the files of a port share.
 * Included only by port*.c. */
#ifndef STORMGLASS_NET_PORT_PORT_PRIVATE_H
#define STORMGLASS_NET_PORT_PORT_PRIVATE_H

#include "net/port/port_inline.h"

/* A MAC control frame has arrived; consumes it. */
void port_receive_pfc(struct port *port, uint32_t handle, time_ps now);

/* PFC_ACT: what an arrived frame asks for takes effect; consumes it. */
void port_obey(struct port *port, uint32_t handle, time_ps now);

/* PAUSE_END: of a priority.  PFC_REFRESH: of a timer, which is a priority, or 0 when global. */
void port_pause_end(struct port *port, uint8_t priority, time_ps now);
void port_refresh(struct port *port, uint8_t timer, time_ps now);

/* The pauses that the peer asked for in these priorities are over. */
void port_rx_pause_forget(struct port *port, uint8_t priorities, time_ps now);

/* The carrier came or went: after it XOFFs are due for what is asserted. */
void port_tx_pause_carrier(struct port *port, bool up);

/* port->enabled has changed: what is wanted is asserted, what may not be is so no more. */
void port_tx_pause_enable(struct port *port, time_ps now);

enum { ALL_PRIORITIES = (1 << PRIORITIES) - 1 };

#endif
