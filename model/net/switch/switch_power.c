/* SPDX-License-Identifier: Apache-2.0
 * switch_power - power loss of a switch, with the loss of every frame in it. */
#include "net/switch/switch_private.h"

/* Releasing space ends the pauses of the switch, but sends no XON because no port has carrier. The
 * scheduler removes the frames, so that the accounting stays correct. */
void switch_lose(struct swtch *swtch, time_ps now)
{
    const int64_t mark_above = swtch->mark_above[SWITCH_DEQUEUE];
    swtch->mark_above[SWITCH_DEQUEUE] = INT64_MAX;
    for (uint16_t i = 0; i < swtch->port_count; i++)
        port_set_choosing(&swtch->ports[i], true); /* nothing is sent in the meantime */
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        struct port *port = &swtch->ports[i];
        for (uint32_t handle; (handle = switch_take(port, UINT8_MAX, now)) != POOL_NONE;)
            switch_lose_frame(swtch, handle, port->index, now);
    }
    for (uint16_t i = 0; i < swtch->port_count; i++)
        port_set_choosing(&swtch->ports[i], false);
    CHECK(swtch->buffer.used == 0 && swtch->buffer.egress.used == 0);
    swtch->mark_above[SWITCH_DEQUEUE] = mark_above;
}
