/* SPDX-License-Identifier: Apache-2.0
 * record_flows - queue pairs as rows. */
#include "replay/record/record_flows.h"

#include "replay/database/record_schema.h"

static void write_flow(struct store *store, const struct rnic *rnic, const struct qp *qp)
{
    const struct cc_view view = pacer_view(&qp->pacer, &rnic->cc_site, rnic_now(rnic));
    RECORD_ROW(store, flow, .node = STORE_I(rnic->port.node->id), .port = STORE_I(rnic->port.index),
               .qpn = STORE_I(qp->qpn), .state = STORE_T(qp_state_name(qp->state)),
               .peer_ip = STORE_I(rnic_ip(qp->flow.destination)), .peer_qpn = STORE_I(qp->flow.qpn),
               .udp_source = STORE_I(qp_entropy_port(qp->flow.entropy, rnic_ip(rnic->endpoint),
                                                     rnic_ip(qp->flow.destination))),
               .dscp = STORE_I(qp->data.tos >> 2), .priority = STORE_I(qp->data.priority),
               .path_mtu_bytes = STORE_I(qp->mtu),
               .limited = STORE_I((qp->flags & QP_LIMITED) != 0),
               .rate_bps = STORE_I(view.rate_bps), .target_bps = STORE_I(view.target_bps),
               .alpha_ppm = STORE_I(view.alpha_ppm));
}

void record_flows(struct store *store, const struct world *world)
{
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++) {
            const struct rnic *rnic = world_host(world, node)->rnics[i];
            for (uint32_t slot = 0; slot < rnic->qps.used; slot++)
                if (rnic->qp_slots[slot].qpn != 0)
                    write_flow(store, rnic, &rnic->qp_slots[slot]);
        }
    }
}
