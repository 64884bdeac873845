/* SPDX-License-Identifier: Apache-2.0
 * star - its parts. */
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    struct star *star = self;
    (void)owner;
    if (star->storms + star->restored == 0)
        snprintf(star->text, sizeof star->text, "%s", text);
    if (strncmp(text, "PFC watchdog: storm", 19) == 0)
        star->storm_at[star->storms++] = at;
    else
        star->restored_at[star->restored++] = at;
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    ((struct star *)self)->last_drop = *drop;
}

void star_presets(struct star *star)
{
    memset(star, 0, sizeof *star);
    opt_presets(port_opts, &star->port);
    switch_presets(&star->params);
    star->params.latency = 0;
    star->probe = probe_none;
    star->probe.self = star;
    star->probe.drop = on_drop;
    star->name = "switch0";
    star->pump_count = PUMPS;
}

void star_presets_watched(struct star *star, enum watchdog_action action)
{
    star_presets(star);
    star->port.rate = INT64_C(10000000000); /* a pause lasts 3.4 ms: few refreshes */
    star->params.buffer = 4 << 20;
    star->params.watchdog = action;
    star->params.watchdog_start = 0;
    star->probe.note = on_note;
    star->name = "leaf0";
    star->pump_count = 3;
    star->period = PS_PER_MS;
    star->hostile = true;
}

static void star_routes(struct star *star)
{
    struct route_link links[PUMPS];
    uint8_t forwards[PUMPS + 1] = {1};
    uint32_t endpoint_node[PUMPS];
    uint16_t endpoint_port[PUMPS] = {0};
    for (uint16_t i = 0; i < star->pump_count; i++) {
        links[i] = (struct route_link){0, i + 1u, i, 0};
        endpoint_node[i] = i + 1u;
    }
    const struct route_graph graph = {
        star->pump_count + 1, links,         star->pump_count, forwards,
        endpoint_node,        endpoint_port, star->pump_count};
    struct route_table tables[PUMPS + 1] = {0};
    route_compute(&graph, tables);
    star->swtch.routes = tables[0];
}

void star_init(struct star *star)
{
    struct port_params ports[PUMPS];
    for (uint32_t i = 0; i < star->pump_count; i++) {
        ports[i] = star->port;
        ports[i].rate = star->rates[i] > 0 ? star->rates[i] : star->port.rate;
    }
    engine_init(&star->engine, 1);
    star->engine.hostile = star->hostile;
    frame_pool_init(&star->frames);
    switch_init(&star->swtch, &star->engine, star->name, &star->params, (uint16_t)star->pump_count,
                ports, &star->frames, &star->probe);
    star_routes(star);
    for (uint32_t i = 0; i < star->pump_count; i++) {
        char name[] = "pump0";
        name[4] = (char)('0' + i);
        struct pump *pump = &star->pumps[i];
        pump_init(pump, &star->engine, name, &ports[i], &star->frames);
        pump->endpoint = i;
        pump->period = star->period;
        port_join(&star->swtch.ports[i], switch_ingress(&star->swtch), &pump->port, pump_ingress);
    }
    char why[128];
    assert_true(switch_carve(&star->swtch, why, sizeof why));
    engine_start(&star->engine);
    switch_start(&star->swtch);
}

void star_fini(struct star *star)
{
    star->swtch.node.ops->audit(&star->swtch.node);
    switch_fini(&star->swtch);
    for (uint32_t i = 0; i < star->pump_count; i++)
        port_fini(&star->pumps[i].port);
    engine_fini(&star->engine);
    frame_pool_fini(&star->frames);
}

void star_send(struct star *star, int from, int to, uint8_t priority)
{
    star->pumps[from].destination = (uint32_t)to;
    star->pumps[from].tos = (uint8_t)(priority << 5);
    pump_start(&star->pumps[from], star->engine.now);
}

void star_run(struct star *star, time_ps until)
{
    engine_run(&star->engine, until);
}

void star_storm(struct star *star, bool on, time_ps at)
{
    star_run(star, at);
    const struct probe_pause why = {.at = at, .priority = LOSSLESS, .xoff = on};
    if (on)
        port_pfc_assert(&star->pumps[1].port, LOSSLESS, &why);
    else
        port_pfc_release(&star->pumps[1].port, LOSSLESS, &why);
}
