/* SPDX-License-Identifier: Apache-2.0
 * Fifty paced flows share one link (V09).
 * Constant-rate flows with random phases: the wait of a frame, in frame times, averaged over
 * phases.  Known answers: 0.48 at 50 % load, 1.50 at 80 %, 2.27 at 90 %, 3.01 at 95 %, 3.82 at 100
 * % (N*D/D/1; HPCC, SIGCOMM 2019, appendix A.1 gives "about 3" and "less than 5" for the last
 * two). */
#include "base/rng.h"
#include "net/switch/switch.h"
#include "tests/unit/net/pump.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { FLOWS = 50, ROUNDS = 20, DRAWS = 400 };

/* A flow's frame n leaves its host at phase + n * period, so the arrival says how long it waited.
 * */
struct flow {
    struct pump pump;
    time_ps phase;
};

struct sink {
    struct pump pump;
    const struct flow *flows;
    time_ps unhindered, period;
    __int128 waited;
    uint64_t frames;
    time_ps longest;
};

static void sink_event(struct node *node, const struct event *event)
{
    struct sink *sink = (struct sink *)(void *)node;
    if (event->kind != NET_EVENT_ARRIVAL)
        return;
    const uint32_t handle = (uint32_t)event->argument;
    const struct frame *frame = frame_at(sink->pump.frames, handle);
    const time_ps left = sink->flows[frame->source].phase + (time_ps)frame->psn * sink->period;
    const time_ps waited = event->at - left - sink->unhindered;
    assert_true(waited >= 0);
    sink->waited += waited;
    sink->longest = waited > sink->longest ? waited : sink->longest;
    sink->frames++;
    frame_give(sink->pump.frames, handle);
}

static const struct node_ops sink_ops = {.name = "sink", .on_event = sink_event};

struct fabric {
    struct engine engine;
    struct frame_pool frames;
    struct swtch swtch;
    struct flow flows[FLOWS];
    struct sink sink;
};

/* Everything leads to port FLOWS. */
static void routes(struct swtch *swtch)
{
    struct route_link link = {0, 1, FLOWS, 0};
    const uint8_t forwards[2] = {1, 0};
    const uint32_t node = 1;
    const uint16_t port = 0;
    const struct route_graph graph = {2, &link, 1, forwards, &node, &port, 1};
    struct route_table tables[2] = {{0}};
    route_compute(&graph, tables);
    swtch->routes = tables[0];
}

static void fabric_init(struct fabric *fabric)
{
    struct port_params port, ports[FLOWS + 1];
    struct switch_params params;
    opt_presets(port_opts, &port);
    switch_presets(&params);
    params.latency = 0;
    params.ports = FLOWS + 1;
    for (int i = 0; i <= FLOWS; i++)
        ports[i] = port;
    engine_init(&fabric->engine, 1);
    frame_pool_init(&fabric->frames);
    switch_init(&fabric->swtch, &fabric->engine, "switch0", &params, FLOWS + 1, ports,
                &fabric->frames, &probe_none);
    routes(&fabric->swtch);
    for (int i = 0; i <= FLOWS; i++) {
        char name[16] = {'p', (char)('A' + i / 26), (char)('a' + i % 26)};
        struct pump *pump = i < FLOWS ? &fabric->flows[i].pump : &fabric->sink.pump;
        pump_init(pump, &fabric->engine, name, &port, &fabric->frames);
        pump->endpoint = (uint32_t)i;
        pump->destination = 0;
        port_join(&fabric->swtch.ports[i], switch_ingress(&fabric->swtch), &pump->port,
                  pump_ingress);
    }
    fabric->sink.pump.node.ops = &sink_ops;
    char why[128];
    assert_true(switch_carve(&fabric->swtch, why, sizeof why));
    engine_start(&fabric->engine);
}

/* Mean wait in thousandths of a frame time. */
static int64_t mean_wait(int64_t load_ppm, time_ps *longest)
{
    const time_ps frame_ps = 1538 * 80;
    __int128 waited = 0;
    uint64_t frames = 0;
    struct rng rng = rng_stream((uint64_t)load_ppm, "test", "phases");
    struct fabric *fabric = malloc(sizeof *fabric);
    assert_non_null(fabric);
    for (int draw = 0; draw < DRAWS; draw++) {
        memset(fabric, 0, sizeof *fabric);
        fabric_init(fabric);
        struct sink *sink = &fabric->sink;
        sink->flows = fabric->flows;
        sink->period = frame_ps * FLOWS * PPM / load_ppm;
        sink->unhindered = 2 * (1526 * 80 + 15150);
        for (int i = 0; i < FLOWS; i++) {
            struct flow *flow = &fabric->flows[i];
            flow->phase = (time_ps)rng_below(&rng, (uint64_t)sink->period);
            flow->pump.period = sink->period;
            flow->pump.to_send = ROUNDS;
            pump_start(&flow->pump, flow->phase);
        }
        engine_run(&fabric->engine, TIME_NEVER - 1);
        assert_int_equal(sink->frames, FLOWS * ROUNDS);
        waited += sink->waited;
        frames += sink->frames;
        *longest = sink->longest > *longest ? sink->longest : *longest;
        switch_fini(&fabric->swtch);
        engine_fini(&fabric->engine);
        frame_pool_fini(&fabric->frames);
    }
    free(fabric);
    return (int64_t)(waited * 1000 / ((__int128)frames * frame_ps));
}

static void waits_are_those_of_paced_flows(void **state)
{
    (void)state;
    const struct {
        int64_t load, expected;
    } rows[] = {{500000, 480}, {800000, 1500}, {900000, 2270}, {950000, 3010}, {1000000, 3820}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        time_ps longest = 0;
        const int64_t wait = mean_wait(rows[i].load, &longest);
        print_message("load %lld ppm: %lld (known %lld)\n", (long long)rows[i].load,
                      (long long)wait, (long long)rows[i].expected);
        assert_in_range(wait, rows[i].expected - 150, rows[i].expected + 150);
        assert_true(longest < 20 * 1538 * 80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_are_those_of_paced_flows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
