/* SPDX-License-Identifier: Apache-2.0
 * The PFC watchdog of an RNIC: a pause that lasts too long is given up until its cause has gone. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SIGNALED = IBV_SEND_SIGNALED };

#define MS(n) ((time_ps)(n)*PS_PER_MS)

static struct pair *pair_with(time_ps stall, int64_t timeout)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pfc_watchdog = stall;
    params.rnic.timeout = timeout;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    return pair;
}

static void write_4mib(struct pair *pair)
{
    struct verbs_mr *from = pair_mr(pair, 0, 4 << 20, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4 << 20, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
}

static bool peer_is_paused(const struct pair *pair)
{
    return (pair->rnics[0]->port.paused & 1 << 3) != 0;
}

/* Warned at 85 ms, given up at 100 ms; traffic runs although the storm goes on, and the next storm
 * pauses again. */
static void a_storm_is_given_up(void **state)
{
    (void)state;
    struct pair *pair = pair_with(MS(100), 0);
    const struct rnic *rnic = pair->rnics[1];
    rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
    pair_run(pair, MS(85) - PS_PER_US);
    assert_int_equal(rnic->counters.stall_warnings, 0);
    write_4mib(pair);
    pair_run(pair, MS(15) - PS_PER_US);
    assert_int_equal(rnic->counters.stall_warnings, 1);
    assert_int_equal(rnic->counters.stalls, 0);
    assert_true(peer_is_paused(pair));
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(rnic->counters.stalls, 1);
    assert_false(peer_is_paused(pair));
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->drops[PROBE_DROP_WATCHDOG], 0); /* there was room */
    pair_run(pair, MS(500));
    assert_int_equal(rnic->counters.stalls, 1);
    rnic_set_storm(pair->rnics[1], 3, false, pair->engine.now);
    assert_int_equal(rnic->rx.stalled, 0);
    rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
    pair_run(pair, MS(1));
    assert_true(peer_is_paused(pair));
    pair_free(pair);
}

/* The host takes nothing: what finds no room is dropped on the watchdog's account, not as a loss of
 * a lossless class; when the host goes on, pauses do, and the transport makes good. */
static void a_stopped_receiver_drops(void **state)
{
    (void)state;
    struct pair *pair = pair_with(MS(100), 14);
    const struct rnic *rnic = pair->rnics[1];
    rnic_set_drain(pair->rnics[1], RNIC_STOPPED, pair->engine.now);
    write_4mib(pair);
    pair_run(pair, MS(100));
    assert_true(peer_is_paused(pair));
    assert_int_equal(pair->drops[PROBE_DROP_WATCHDOG], 0);
    pair_run(pair, MS(1));
    assert_false(peer_is_paused(pair));
    assert_true(pair->drops[PROBE_DROP_WATCHDOG] > 100);
    assert_int_equal(pair->drops[PROBE_DROP_RX_BUFFER], 0);
    assert_int_equal(rnic->counters.rx_buffer_drops, pair->drops[PROBE_DROP_WATCHDOG]);
    rnic_set_drain(pair->rnics[1], INT64_C(10000000000), pair->engine.now);
    pair_run(pair, MS(1));
    assert_int_equal(rnic->rx.stalled, 0);
    pair_run(pair, MS(200));
    assert_true(pair->pauses > 2); /* it pauses again */
    assert_int_equal(rnic->counters.stalls, 1);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->ends[0].wcs[0].status, IBV_WC_SUCCESS);
    pair_free(pair);
}

/* A break, however short, begins the time anew. */
static void a_break_begins_anew(void **state)
{
    (void)state;
    struct pair *pair = pair_with(MS(100), 0);
    const struct rnic *rnic = pair->rnics[1];
    for (int i = 0; i < 5; i++) {
        rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
        pair_run(pair, MS(99));
        rnic_set_storm(pair->rnics[1], 3, false, pair->engine.now);
        pair_run(pair, PS_PER_US);
    }
    assert_int_equal(rnic->counters.stalls, 0);
    assert_int_equal(rnic->counters.stall_warnings, 5);
    pair_free(pair);
}

/* Time in which the port may send no pause is none of the pause's. */
static void pfc_off_is_a_break(void **state)
{
    (void)state;
    struct pair *pair = pair_with(MS(100), 0);
    const struct rnic *rnic = pair->rnics[1];
    struct port *port = &pair->rnics[1]->port;
    port_enable_pauses(port, 0, pair->engine.now);
    rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
    pair_run(pair, MS(250));
    assert_int_equal(rnic->counters.stalls + rnic->counters.stall_warnings, 0);
    port_enable_pauses(port, 1 << 3, pair->engine.now);
    pair_run(pair, MS(99));
    assert_true(peer_is_paused(pair));
    assert_int_equal(rnic->counters.stall_warnings, 1);
    assert_int_equal(rnic->counters.stalls, 0);
    pair_run(pair, MS(2));
    assert_int_equal(rnic->counters.stalls, 1);
    pair_free(pair);
}

/* Times below 80 ms warn when they run out; 0 never does. */
static void short_times_and_none(void **state)
{
    (void)state;
    for (int ms = 0; ms <= 20; ms += 20) {
        struct pair *pair = pair_with(MS(ms), 0);
        rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
        pair_run(pair, MS(1000));
        assert_int_equal(pair->rnics[1]->counters.stalls, ms > 0);
        assert_int_equal(pair->rnics[1]->counters.stall_warnings, ms > 0);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_storm_is_given_up),  cmocka_unit_test(a_stopped_receiver_drops),
        cmocka_unit_test(a_break_begins_anew),  cmocka_unit_test(pfc_off_is_a_break),
        cmocka_unit_test(short_times_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
