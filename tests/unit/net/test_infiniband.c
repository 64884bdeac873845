/* SPDX-License-Identifier: Apache-2.0
 * InfiniBand between HCAs back to back: sizes by hand, service level and virtual lane, credits of a
 * host. Headers: LRH 8, BTH 12, ICRC 4, VCRC 2, and a GRH of 40. */
#include "net/port/credits.h"
#include "rnic/host/verbs_sim.h"
#include "tests/unit/net/packet_sizes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LOCAL = 8 + 12 + 4 + 2, GLOBAL = LOCAL + 40 };

static struct pair *make(bool grh)
{
    struct pair_params params;
    pair_presets(&params);
    params.port.kind = PORT_INFINIBAND;
    params.port.flow_control = PORT_FLOW_CREDITS;
    params.port.mtu = 4096;
    params.rnic.path_mtu = MTU;
    params.rnic.link = PORT_INFINIBAND;
    params.rnic.grh = grh;
    params.rnic.pfc = 0;
    params.cc = "none";
    return pair_make(&params);
}

static void sizes_are_those_of_the_standard(void **state)
{
    (void)state;
    for (int grh = 0; grh < 2; grh++) {
        struct pair *pair = make(grh != 0);
        packet_sizes_exchange(pair);
        packet_sizes_check(pair, grh ? GLOBAL : LOCAL);
        pair_free(pair);
    }
}

/* Service level 5 at both ends, on the lane that the table of the sender gives it. */
static void the_service_level_selects_the_lane(void **state)
{
    (void)state;
    struct pair *pair = make(false);
    for (int side = 0; side < 2; side++)
        pair->rnics[side]->priority_of_tos[frame_ib_tos(5)] = 2;
    pair->class = (struct verbs_class){.priority_set = true, .priority = 5};
    packet_sizes_exchange(pair);
    for (unsigned i = 0; i < pair->log_count; i++)
        if (pair->log[i].opcode != FRAME_CREDIT)
            assert_int_equal(pair->log[i].tos, 5 << 2);
    for (int side = 0; side < 2; side++) {
        const struct port *port = &pair->rnics[side]->port;
        assert_int_equal(port->prios[2].tx_frames, port_frames_sent(port));
        assert_int_equal(port->credits->used, 1 << 2);
    }
    pair_free(pair);
}

/* The host returns the credits of all that arrived. */
static void a_host_returns_all_credits(void **state)
{
    (void)state;
    struct pair *pair = make(false);
    packet_sizes_exchange(pair);
    pair_run(pair, PS_PER_MS);
    for (int side = 0; side < 2; side++) {
        const struct port_credits *own = pair->rnics[side]->port.credits;
        const struct port_credits *peer = pair->rnics[1 - side]->port.credits;
        for (unsigned i = 0; i < PRIORITIES; i++) {
            assert_int_equal(own->lanes[i].free, own->buffer);
            assert_int_equal(own->lanes[i].received, peer->lanes[i].sent);
            assert_int_equal((own->lanes[i].limit - own->lanes[i].sent) & 4095, peer->buffer);
        }
    }
    pair_free(pair);
}

/* A host that takes nothing stops its peer, without drops; then all arrives. Of 1024 blocks a
 * packet takes 17, and the peer stops below the 66 of a largest packet: after 57, the first with a
 * RETH. */
static void a_slow_host_stops_its_peer(void **state)
{
    (void)state;
    struct pair *pair = make(false);
    const uint32_t bytes = 400000;
    struct verbs_mr *near = pair_mr(pair, 0, bytes, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, bytes, VERBS_BULK);
    pair_connect(pair);
    rnic_set_drain(pair->rnics[1], RNIC_STOPPED, rnic_now(pair->rnics[1]));
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US);
    const struct port *port = &pair->rnics[0]->port;
    assert_true(port->paused != 0);
    assert_int_equal(pair->rnics[1]->rx.held, 57 * (LOCAL + MTU) + 16);
    rnic_set_drain(pair->rnics[1], RNIC_UNLIMITED, rnic_now(pair->rnics[1]));
    pair_run(pair, 200 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[1]->counters.rx_buffer_drops, 0);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 0);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_standard),
        cmocka_unit_test(the_service_level_selects_the_lane),
        cmocka_unit_test(a_host_returns_all_credits),
        cmocka_unit_test(a_slow_host_stops_its_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
