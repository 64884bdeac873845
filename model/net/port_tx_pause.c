/* SPDX-License-Identifier: Apache-2.0
 * port_tx_pause - pauses that this end asks its peer for. */
#include "net/port_private.h"

static uint32_t pfc_frame(struct port *port)
{
    const uint32_t handle = frame_take(port->frames);
    struct frame *frame = frame_at(port->frames, handle);
    *frame = (struct frame){
        .bytes = WIRE_PFC_BYTES,
        .opcode = FRAME_PFC,
        .priority = PRIORITIES - 1,
        .classes = port->pfc_due,
        .blob = POOL_NONE,
    };
    for (unsigned i = 0; i < PRIORITIES; i++) {
        if ((port->pfc_due & 1u << i) == 0)
            continue;
        const bool xoff = (port->asserted & 1u << i) != 0;
        frame->quanta[i] = xoff ? (uint16_t)port->params.pfc_quanta : 0;
        port->told = (uint8_t)(xoff ? port->told | 1u << i : port->told & ~(1u << i));
        port->pauses[i].tx_xoff += xoff;
        port->pauses[i].tx_xon += !xoff;
    }
    port->pfc_due = 0;
    port->pfc_frames_tx++;
    return handle;
}

void port_send_pfc(struct port *port, time_ps now)
{
    port_send_odd(port, pfc_frame(port), now);
}

static void refresh_later(struct port *port, uint8_t priority, time_ps now)
{
    port->refresh_at[priority] = now + port->params.pfc_refresh;
    node_post(port->node, port->node->id, port->refresh_at[priority], NET_EVENT_PFC_REFRESH,
              port->index, priority);
}

void port_pfc_assert(struct port *port, uint8_t priority, const struct probe_pause *why)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    if ((port->params.pfc_enabled & bit) == 0 || (port->asserted & bit) != 0)
        return;
    port->asserted |= bit;
    port->pfc_due |= bit;
    port->pauses[priority].asserted_since = why->at;
    port->probe->pause(port->probe->self, why);
    refresh_later(port, priority, why->at);
    port_kick(port, why->at);
}

void port_pfc_release(struct port *port, uint8_t priority, const struct probe_pause *why)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    if ((port->asserted & bit) == 0)
        return;
    port->asserted &= (uint8_t)~bit;
    if ((port->told & bit) != 0)
        port->pfc_due |= bit;
    else
        port->pfc_due &= (uint8_t)~bit; /* the peer never heard of it */
    struct port_pauses *pauses = &port->pauses[priority];
    pauses->asserted_ps += why->at - pauses->asserted_since;
    pauses->asserted_since = TIME_NEVER;
    port->refresh_at[priority] = TIME_NEVER;
    port->probe->pause(port->probe->self, why);
    port_kick(port, why->at);
}

void port_refresh(struct port *port, uint8_t priority, time_ps now)
{
    if (port->refresh_at[priority] != now)
        return; /* released since, or released and asserted again */
    port->pfc_due |= (uint8_t)(1u << priority);
    const struct probe_pause again = {.at = now,
                                      .node = port->node->id,
                                      .port = port->index,
                                      .priority = priority,
                                      .xoff = true,
                                      .refresh = true,
                                      .egress = UINT16_MAX};
    port->probe->pause(port->probe->self, &again);
    refresh_later(port, priority, now);
    port_kick(port, now);
}
