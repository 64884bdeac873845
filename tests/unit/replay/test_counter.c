/* SPDX-License-Identifier: Apache-2.0
 * The names of counters: found again, once each, and those of drops in the order of the causes. */
#include "base/drop.h"
#include "replay/database/counter.h"

#include "base/probe.h"
#include "replay/record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void every_name_is_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        for (int priority = 0; priority < 8; priority++) {
            char text[COUNTER_NAME_BYTES];
            enum counter_id id;
            int found;
            counter_text(text, counters_about[i].name, priority);
            assert_true(counter_find(text, &id, &found));
            assert_int_equal(id, i);
            assert_int_equal(found, counter_has_priority(id) ? priority : -1);
        }
    }
}

static void other_names_are_not(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "rx_prio3",
                                        "rx_prio8_pause",
                                        "rx_prio3_pauses",
                                        "rx_prio%d_pause",
                                        "rx_vport_unicast_packets",
                                        "tx_packets_phys"};
    enum counter_id id;
    int priority;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_false(counter_find(names[i], &id, &priority));
}

static void each_cause_of_a_drop_has_its_counter(void **state)
{
    (void)state;
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++) {
        char text[COUNTER_NAME_BYTES];
        snprintf(text, sizeof text, "rx_dropped_%s", probe_drops[i].word);
        assert_string_equal(counters_about[counters_of_drops[i]].name, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found_again),
        cmocka_unit_test(other_names_are_not),
        cmocka_unit_test(each_cause_of_a_drop_has_its_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
