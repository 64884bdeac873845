/* SPDX-License-Identifier: Apache-2.0
 * lifetimes - how long a switch holds a frame that cannot leave.
 * Without credits a frame waits and occupies its buffer. After a time limit the switch discards it,
 * so that a host that returns no credits, or a deadlock, does not block other hosts permanently.
 * Fibre Channel limits the time since the frame arrived (hold time). InfiniBand limits this time
 * (LifeTimeValue of the switch) and the time as the first of its lane (HOQLife of the port). Both
 * have a shorter limit for ports to hosts, so that frames for a stuck host are discarded before
 * they block the links between switches.
 * Source: Brocade Fabric OS Command Reference, configure, edge hold time; IBTA Vol 1 14.2.5.4,
 * 14.2.5.6 and 18.2.5.4; OpenSM osm_base.h. Not modeled: VLStallCount, after which a lane discards
 * everything for a while. Owner: the switch. Clock: now is passed in. */
#ifndef STORMGLASS_NET_SWITCH_LIFETIMES_H
#define STORMGLASS_NET_SWITCH_LIFETIMES_H

#include "net/switch/switch.h"

/* Limits of the frames at one egress port; TIME_NEVER: none. */
struct lifetime {
    time_ps in_switch; /* since its arrival */
    time_ps as_first;  /* since it is the first of its queue */
};

/* The limits that the parameters set; `edge`: the port leads to a host. */
struct lifetime lifetime_of(const struct switch_params *params, enum port_kind kind, bool edge);

/* The earlier one. */
static inline time_ps lifetime_least(const struct lifetime *lifetime)
{
    return time_earlier(lifetime->in_switch, lifetime->as_first);
}

/* When all ports are joined. Ethernet has no lifetimes. */
void lifetimes_make(struct swtch *swtch);
void lifetimes_free(struct swtch *swtch);

/* A frame has joined the queue, or its first one has left. */
void lifetimes_note(struct port *port, uint8_t priority, bool joined, time_ps now);

/* SWITCH_EVENT_LIFETIME: discards the frames that have waited too long. */
void lifetimes_expire(struct port *port, uint8_t priority, time_ps now);

void lifetimes_audit(const struct swtch *swtch);

#endif
