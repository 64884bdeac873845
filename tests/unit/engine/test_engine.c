/* SPDX-License-Identifier: Apache-2.0
 * The engine runs nodes: whom it asks for an audit, and when. */
#include "engine/engine.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct counter {
    struct node node; /* first */
    unsigned events, audits;
};

static void on_event(struct node *node, const struct event *event)
{
    (void)event;
    ((struct counter *)(void *)node)->events++;
}

/* After the event, of the node that has executed it. */
static void on_audit(const struct node *node)
{
    struct counter *counter = (struct counter *)(uintptr_t)node;
    counter->audits++;
    assert_int_equal(counter->audits, counter->events);
}

static const struct node_ops ops = {.name = "counter", .on_event = on_event, .audit = on_audit};

static void run(bool hostile, unsigned audits[2])
{
    struct engine engine;
    struct counter nodes[2] = {0};
    engine_init(&engine, 1);
    engine.hostile = hostile;
    engine_add(&engine, &nodes[0].node, &ops, "one");
    engine_add(&engine, &nodes[1].node, &ops, "two");
    engine_link(&engine, PS_PER_US);
    engine_start(&engine);
    for (unsigned i = 0; i < 7; i++)
        node_post(&nodes[i % 3 == 0].node, i % 3 == 0, (time_ps)(i + 1) * PS_PER_US, 0, 0, i);
    assert_false(engine_run(&engine, PS_PER_MS));
    assert_int_equal(nodes[0].events, 4);
    assert_int_equal(nodes[1].events, 3);
    for (unsigned i = 0; i < 2; i++)
        audits[i] = nodes[i].audits;
    engine_fini(&engine);
}

static void a_node_is_audited_after_each_of_its_events(void **state)
{
    (void)state;
    unsigned audits[2];
    run(true, audits);
    assert_int_equal(audits[0], 4);
    assert_int_equal(audits[1], 3);
    run(false, audits);
    assert_int_equal(audits[0] + audits[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_audited_after_each_of_its_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
