/* SPDX-License-Identifier: Apache-2.0
 * sonic_defaults - SONiC's defaults for missing keys of PORT, for ports with a link.
 * admin_status is down and mtu is 9100. speed has no default, but is taken from ports with the same
 * number of lanes.
 * Source: sonic-swss cfgmgr/portmgr (mtu, admin_status), sonic-buildimage sonic-port.yang. */
#include "scenarios/sonic/sonic_private.h"

#include "base/plural.h"

enum { DEFAULT_MTU = 9100 };

/* The common speed of all ports with this number of lanes; unset if they differ. */
static int64_t speed_of_lanes(const struct sonic_switch *node, uint32_t lanes)
{
    int64_t speed = SONIC_UNSET;
    for (uint32_t i = 0; i < node->port_count; i++) {
        const struct sonic_port *port = &node->ports[i];
        if (port->lanes != lanes || port->speed == SONIC_UNSET)
            continue;
        if (speed != SONIC_UNSET && speed != port->speed)
            return SONIC_UNSET;
        speed = port->speed;
    }
    return speed;
}

static void take_speed(struct sonic_import *import, const struct sonic_switch *node,
                       struct sonic_port *port)
{
    char text[DIAG_TEXT_BYTES];
    port->speed = port->lanes == 0 ? SONIC_UNSET : speed_of_lanes(node, port->lanes);
    if (port->speed != SONIC_UNSET) {
        sonic_port_note(import, node, port, port->item->key_place,
                        "no speed: the speed of the switch's other ports with %u %s is used",
                        port->lanes, plural(port->lanes, "lane", "lanes"));
        return;
    }
    snprintf(text, sizeof text,
             "expected speed: SONiC has no default, and the ports with the same number of lanes do "
             "not have one common speed");
    tree_message(import->diag, DIAG_ERROR, port->item->value, port->item->key_place, text);
}

void sonic_defaults(struct sonic_import *import)
{
    for (uint32_t i = 0; i < import->switch_count; i++) {
        const struct sonic_switch *node = &import->switches[i];
        for (uint32_t p = 0; p < node->port_count; p++) {
            struct sonic_port *port = &node->ports[p];
            if (port->linked && port->speed == SONIC_UNSET)
                take_speed(import, node, port);
            if (!port->linked || port->mtu != SONIC_UNSET)
                continue;
            port->mtu = DEFAULT_MTU;
            sonic_port_note(import, node, port, port->item->key_place,
                            "no mtu: 9100 B, SONiC's default");
        }
    }
}
