/* SPDX-License-Identifier: Apache-2.0
 * What connections cost to make: one, several at a time, one after the other; worked out by hand.
 * Both ends: resolve 1 ms, CREATE 0.4 ms, each change of state 0.2 ms, the first context 10 ms. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/cm/cm_conn.h"
#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define US PS_PER_US

enum { MANY = 4, SLACK_US = 60 };

struct caller {
    struct pair *pair;
    struct verbs_conn *conn;
    time_ps at; /* of its last event */
    enum rdma_cm_event_type type;
};

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct caller *caller = self;
    (void)conn;
    caller->at = rnic_now(caller->pair->rnics[0]);
    caller->type = event->type;
}

static struct pair *make(int64_t slots, time_ps context)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.context_cost = context;
    params.rnic.resolve_cost = PS_PER_MS;
    params.rnic.qp_create_cost = 400 * US;
    params.rnic.qp_modify_cost = 200 * US;
    params.rnic.qp_destroy_cost = 5 * PS_PER_MS;
    params.rnic.command_slots = slots;
    return pair_make(&params);
}

static void ask(struct caller *caller)
{
    static const struct ibv_qp_cap cap = {.max_send_wr = 4, .max_recv_wr = 4};
    static const struct rdma_conn_param param = {.responder_resources = 4, .initiator_depth = 4};
    const struct verbs_user user = {.self = caller, .on_cm = on_cm};
    const struct verbs_peer peer = {RNIC_FIRST_IP + 1, PAIR_SERVICE, caller->pair->class};
    caller->conn = verbs_sim.connect(caller->pair->ends[0].device, &peer, &cap, &param, &user);
}

static void expect(const struct caller *caller, time_ps from, int64_t us)
{
    assert_int_equal(caller->type, RDMA_CM_EVENT_ESTABLISHED);
    assert_in_range(caller->at - from, us * US, (us + SLACK_US) * US);
    assert_int_equal(caller->conn->qp->state, IBV_QPS_RTS);
}

/* The first connection is that of pair_connect. */
static void test_one(void **state)
{
    (void)state;
    struct pair *pair = make(1, 10 * PS_PER_MS);
    pair_connect(pair);
    pair_run(pair, 12 * PS_PER_MS + 900 * US);
    assert_int_equal(pair->ends[0].cm_count, 0);
    assert_int_equal(pair->ends[0].conn->state, CM_CONNECTING);
    pair_run(pair, 200 * US); /* 10 + 1 + 0.6, at the other end 1.0, 0.4 */
    assert_int_equal(pair->ends[0].cms[0], RDMA_CM_EVENT_ESTABLISHED);
    assert_int_equal(pair->ends[1].cms[1], RDMA_CM_EVENT_ESTABLISHED);
    rnic_audit(pair->rnics[0]);
    pair_free(pair);
}

static void play_many(int64_t slots, const int64_t us[MANY - 1])
{
    struct pair *pair = make(slots, 10 * PS_PER_MS);
    struct caller callers[MANY - 1];
    pair_connect(pair);
    const time_ps from = pair->engine.now;
    for (int i = 0; i < MANY - 1; i++) {
        callers[i] = (struct caller){.pair = pair};
        ask(&callers[i]);
    }
    pair_run(pair, 30 * PS_PER_MS);
    for (int i = 0; i < MANY - 1; i++)
        expect(&callers[i], from, us[i]);
    pair_free(pair);
}

/* REQs leave at 11.6, 12.2, 12.8, 13.4 ms; the other end takes 1 ms for each: 12.6, 13.6, 14.6,
 * 15.6; then RTR and RTS behind what is asked for before: 13.8, 14.2, 15.0, 16.0. */
static void test_many_at_a_time(void **state)
{
    (void)state;
    play_many(1, (const int64_t[]){14200 - 10, 15000 - 10, 16000 - 10});
    play_many(MANY, (const int64_t[]){13000 - 10, 13000 - 10, 13000 - 10});
}

static void test_one_after_the_other(void **state)
{
    (void)state;
    struct pair *pair = make(1, 10 * PS_PER_MS);
    pair_connect(pair);
    pair_run(pair, 14 * PS_PER_MS);
    for (int i = 0; i < 3; i++) {
        struct caller caller = {.pair = pair};
        const time_ps from = pair->engine.now;
        ask(&caller);
        pair_run(pair, 4 * PS_PER_MS);
        expect(&caller, from, 3000); /* the context is there */
    }
    pair_free(pair);
}

/* Who comes behind a DESTROY waits for it. */
static void test_destroying(void **state)
{
    (void)state;
    struct pair *pair = make(1, 0);
    pair_connect(pair);
    pair_run(pair, 4 * PS_PER_MS);
    struct caller caller = {.pair = pair};
    const time_ps from = pair->engine.now;
    verbs_sim.destroy(pair->ends[0].conn);
    ask(&caller);
    pair_run(pair, 10 * PS_PER_MS);
    expect(&caller, from, 5000 + 600 + 1000 + 400);
    pair_free(pair);
}

/* Given up within each step: the other end hears of it where it knows of it. */
static void test_given_up_on_the_way(void **state)
{
    (void)state;
    static const struct {
        time_ps after;
        enum cm_state here;
        unsigned heard; /* events of the other end */
    } rows[] = {
        {500 * US, CM_RESOLVING, 0},
        {1300 * US, CM_CREATING, 0},
        {2000 * US, CM_REQ_SENT, 1},
        {2800 * US, CM_CONNECTING, 2},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int destroy = 0; destroy < 2; destroy++) {
            struct pair *pair = make(1, 0);
            pair_connect(pair);
            pair_run(pair, rows[i].after - 10 * US);
            struct verbs_conn *conn = pair->ends[0].conn;
            assert_int_equal(conn->state, rows[i].here);
            if (destroy)
                verbs_sim.destroy(conn);
            else
                verbs_sim.disconnect(conn);
            pair_run(pair, 10 * PS_PER_MS);
            assert_int_equal(pair->ends[1].cm_count, rows[i].heard);
            if (rows[i].here == CM_CONNECTING)
                assert_int_equal(pair->ends[1].cms[1], RDMA_CM_EVENT_DISCONNECTED);
            if (!destroy)
                assert_int_equal(conn->state, CM_CLOSED);
            for (int side = 0; side < 2; side++)
                rnic_audit(pair->rnics[side]);
            pair_free(pair);
        }
}

/* The end that accepts changes its mind: the REQ is rejected. */
static void test_accepting_is_given_up(void **state)
{
    (void)state;
    struct pair *pair = make(1, 0);
    pair_connect(pair);
    pair_run(pair, 2 * PS_PER_MS);
    assert_int_equal(pair->ends[1].conn->state, CM_ACCEPTING);
    verbs_sim.disconnect(pair->ends[1].conn);
    pair_run(pair, 2 * PS_PER_MS);
    assert_int_equal(pair->ends[0].cms[0], RDMA_CM_EVENT_REJECTED);
    assert_int_equal(pair->ends[1].conn->state, CM_CLOSED);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_many_at_a_time),
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_destroying),
        cmocka_unit_test(test_given_up_on_the_way),
        cmocka_unit_test(test_accepting_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
