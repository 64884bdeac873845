/* SPDX-License-Identifier: Apache-2.0
 * port_private - declarations shared by the files of a port.
 * Included only by port*.c. */
#ifndef STORMGLASS_NET_PORT_PORT_PRIVATE_H
#define STORMGLASS_NET_PORT_PORT_PRIVATE_H

#include "net/port/port_inline.h"

/* Handles a MAC control frame that has arrived; consumes the frame. */
void port_receive_pfc(struct port *port, uint32_t handle, time_ps now);

/* PFC_ACT: applies a pause frame that has arrived; consumes the frame. */
void port_obey(struct port *port, uint32_t handle, time_ps now);

/* PAUSE_END of a priority. PFC_REFRESH of a timer: a priority, or 0 with global flow control. */
void port_pause_end(struct port *port, uint8_t priority, time_ps now);
void port_refresh(struct port *port, uint8_t timer, time_ps now);

/* Ends the peer's pauses in these priorities. */
void port_rx_pause_forget(struct port *port, uint8_t priorities, time_ps now);

/* The carrier came or went: once it is up, XOFFs are due for what is asserted. */
void port_tx_pause_carrier(struct port *port, bool up);

/* After a change of port->enabled: asserts what the owner needs, ends what is no longer enabled. */
void port_tx_pause_enable(struct port *port, time_ps now);

/* Stops these priorities until port_rx_pause_forget. */
void port_rx_pause_hold(struct port *port, uint8_t priorities, time_ps now);

/* ---- credits: port_credits.c; all need port->credits, except port_credits_make ---- */

void port_credits_make(struct port *port);
void port_credits_free(struct port *port);

/* The peer's buffer is known. */
void port_credits_join(struct port *port, const struct port *peer);
void port_credits_carrier(struct port *port, bool up);
void port_credits_tick(struct port *port, time_ps now);

/* Handles an update that has arrived; consumes the frame. */
void port_credits_receive(struct port *port, uint32_t handle, time_ps now);

/* A frame has arrived intact, and occupies the buffer of its priority. False: it is a giant, which
 * occupies nothing. */
bool port_credits_take(struct port *port, const struct frame *frame, time_ps now);

/* A damaged frame has arrived and is discarded. Fibre Channel: its credit is returned; a damaged
 * primitive is lost. */
void port_credits_damaged(struct port *port, const struct frame *frame, time_ps now);

/* A frame leaves. */
void port_credits_spend(struct port *port, const struct frame *frame, time_ps now);

/* port_send_due of a port with credits. */
bool port_credits_serve(struct port *port, time_ps now);

enum { ALL_PRIORITIES = (1 << PRIORITIES) - 1 };

#endif
