/* SPDX-License-Identifier: Apache-2.0
 * test_prices - NICs by transport, in the bill of a scenario. */
#include "scenarios/vary/prices.h"
#include "tests/unit/plan/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char base[] = "stormglass: 1\nname: base\nduration: 1ms\n"
                           "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
                           "hosts:\n"
                           "  targets: {where: host0, namespaces: [{media: \"null\"}]}\n"
                           "workloads: [{name: io, kind: nvme, from: host1, to: host0}]\n";

static struct prices prices_in(struct arena *arena, const char *words, struct diag *diag)
{
    struct prices prices = {0};
    const struct tree_file *file = tree_hold(arena, "prices", words, strlen(words));
    const struct tree_node *root = tree_parse(arena, file, 0, diag);
    assert_non_null(root);
    prices_read(arena, root, &prices, diag);
    return prices;
}

static void a_nic_carries_its_transport_and_tcp(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        int64_t price; /* per NIC, in thousandths; 0: none fits */
    } cases[] = {
        {"hosts.defaults.transport=rdma", 800000},
        {"hosts.defaults.transport=tcp", 300000},
        {"hosts.defaults.transport=iscsi", 300000},
        {"hosts.defaults.transport=iwarp", 0},
    };
    static const char words[] = "parts:\n- {part: nic, transport: rdma, price: 800}\n"
                                "- {part: nic, transport: tcp, price: 300}\n";
    struct arena arena = {0};
    struct diag diag = {0};
    const struct prices prices = prices_in(&arena, words, &diag);
    assert_int_equal(diag.errors, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario *scenario = load_changed(base, cases[i].set);
        struct prices_bill bill;
        char why[DIAG_TEXT_BYTES] = "";
        assert_int_equal(prices_of(&prices, scenario, &bill, why), cases[i].price > 0);
        if (cases[i].price > 0)
            assert_int_equal(bill.price, cases[i].price * (bill.counts[0] + bill.counts[1]));
        else
            assert_non_null(strstr(why, " for iwarp"));
        scenario_free(scenario);
    }
    prices_in(&arena, "parts:\n- {part: nic, transport: udp}\n", &diag);
    assert_non_null(strstr(diag.messages[0].text, "transport 'udp': expected one of rdma|tcp"));
    diag = (struct diag){0};
    prices_in(&arena, "parts:\n- {part: host, transport: tcp}\n", &diag);
    assert_string_equal(diag.messages[0].text, "only a part nic has a transport");
    arena_free(&arena);
}

/* The scenario says nothing about cores: a run does. The cheapest are bought. */
static void measured_cores_are_added(void **state)
{
    (void)state;
    static const char words[] = "parts:\n- {part: core, rate: 25Gbps, price: 150, power: 5}\n"
                                "- {part: core, price: 120, power: 4}\n- {part: host, price: 10}\n";
    struct arena arena = {0};
    struct diag diag = {0};
    const struct prices prices = prices_in(&arena, words, &diag);
    struct scenario *scenario = load_changed(base, "hosts.defaults.transport=tcp");
    struct prices_bill bill;
    char why[DIAG_TEXT_BYTES];
    assert_true(prices_have(&prices, PRICES_CORE));
    assert_true(prices_of(&prices, scenario, &bill, why));
    assert_int_equal(bill.counts[0] + bill.counts[1], 0);
    const int64_t without = bill.price;
    prices_add_cores(&prices, 3, &bill);
    assert_int_equal(bill.counts[1], 3);
    assert_int_equal(bill.price - without, 360000);
    assert_int_equal(bill.power, 12000);
    scenario_free(scenario);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nic_carries_its_transport_and_tcp),
        cmocka_unit_test(measured_cores_are_added),
    };
    return cmocka_run_group_tests_name("plan/prices", tests, NULL, NULL);
}
