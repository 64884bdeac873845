/* SPDX-License-Identifier: Apache-2.0
 * port_audit - CHECKs the invariants of a port. */
#include "net/port/credits.h"
#include "net/port/port_private.h"

static void audit_pauses(const struct port *port)
{
    const bool global = port->params.flow_control == PORT_FLOW_GLOBAL;
    CHECK(port->asserted == (port->wanted & port->enabled));
    CHECK(port->paused == (port->held & ~port->ignored));
    CHECK((port->global.asserted_since != TIME_NEVER) == (global && port->asserted != 0));
    CHECK((port->odd & PORT_DOWN) == 0 || (port->held | port->pfc_due | port->reported) == 0);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const struct port_pauses *pauses = &port->pauses[i];
        const bool asserted = (port->asserted & 1u << i) != 0;
        const bool refreshed = global ? i == 0 && port->asserted != 0 : asserted;
        CHECK(((port->paused & 1u << i) != 0) == (pauses->blocked_since != TIME_NEVER));
        CHECK(((port->held & 1u << i) != 0) == (pauses->held_since != TIME_NEVER));
        CHECK(asserted == (pauses->asserted_since != TIME_NEVER));
        CHECK(refreshed == (port->refresh_at[i] != TIME_NEVER));
    }
}

void port_audit(const struct port *port)
{
    audit_pauses(port);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        CHECK((port->prios[i].head == POOL_NONE) == (port->prios[i].bytes == 0));
        CHECK(port->prios[i].bytes <= port->prios[i].peak);
    }
    CHECK(((port->odd & PORT_FAULTY) != 0) == (port->fault != NULL));
    CHECK(((port->odd & PORT_DOWN) != 0 || port->credits != NULL) == (port->largest == 0));
    if (port->credits != NULL)
        credits_audit(port);
}
