/* SPDX-License-Identifier: Apache-2.0
 * port_pair - joins, asks, and checks that edges alternate. */
#include "tests/unit/net/port_pair.h"

struct port_params pair_params(int64_t gbps, int64_t response)
{
    struct port_params params;
    opt_presets(port_opts, &params);
    params.rate = gbps * 1000000000;
    params.pfc_response = response;
    return params;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct pair_edges *edges = &((struct pair *)self)->edges[pause->priority];
    if (pause->refresh) {
        edges->refreshes++;
        edges->wrong += !edges->asserted;
        return;
    }
    edges->xoff += pause->xoff;
    edges->xon += !pause->xoff;
    edges->wrong += pause->xoff == edges->asserted;
    edges->asserted = pause->xoff;
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    struct pair_edges *edges = &((struct pair *)self)->edges[blocked->priority];
    edges->blocks += blocked->blocked;
    edges->unblocks += !blocked->blocked;
    edges->wrong += blocked->blocked == edges->blocked;
    edges->blocked = blocked->blocked;
}

void pair_init_ports(struct pair *pair, const struct port_params *a, const struct port_params *b)
{
    *pair = (struct pair){.probe = probe_none};
    pair->probe.self = pair;
    pair->probe.pause = on_pause;
    pair->probe.blocked = on_blocked;
    engine_init(&pair->engine, 1);
    pair->engine.hostile = true;
    frame_pool_init(&pair->frames);
    pump_init(&pair->a, &pair->engine, "a", a, &pair->frames);
    pump_init(&pair->b, &pair->engine, "b", b, &pair->frames);
    pair->a.port.probe = pair->b.port.probe = &pair->probe;
    port_join(&pair->a.port, pump_ingress, &pair->b.port, pump_ingress);
    engine_start(&pair->engine);
}

void pair_init(struct pair *pair, int64_t gbps, int64_t response)
{
    const struct port_params params = pair_params(gbps, response);
    pair_init_ports(pair, &params, &params);
}

void pair_fini(struct pair *pair)
{
    port_fini(&pair->a.port);
    port_fini(&pair->b.port);
    engine_fini(&pair->engine);
    frame_pool_fini(&pair->frames);
}

void pair_ask(struct pair *pair, uint8_t priority, bool xoff, time_ps at)
{
    engine_run(&pair->engine, at);
    const struct probe_pause why = {.at = at, .priority = priority, .xoff = xoff};
    if (xoff)
        port_pfc_assert(&pair->b.port, priority, &why);
    else
        port_pfc_release(&pair->b.port, priority, &why);
}

void pair_set_up(struct pair *pair, bool up, time_ps at)
{
    engine_run(&pair->engine, at);
    port_set_up(&pair->a.port, up, at);
    port_set_up(&pair->b.port, up, at);
}

time_ps pair_heard_ps(const struct pair *pair)
{
    const struct port *b = &pair->b.port;
    return (WIRE_PREAMBLE_BYTES + WIRE_PFC_BYTES) * (time_ps)b->ps_per_byte + b->propagation +
           b->peer_response;
}
