/* SPDX-License-Identifier: Apache-2.0
 * The tables of names lead to counters that a run has, and know all of them. */
#include "replay/database/counter.h"
#include "scenarios/counters/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A run has the counter, and its unit is one that equipment counts in. */
static void leads_to_a_counter(const char *name, int priority, const char *source)
{
    char text[COUNTER_NAME_BYTES];
    enum counter_id id;
    int found = -1;
    if (name == NULL)
        return;
    counter_text(text, name, priority);
    if (strncmp(text, "pfcwd_", 6) == 0)
        return; /* its priority is not in its name */
    if (!counter_find(text, &id, &found))
        fail_msg("%s (%s): a run has no such counter", text, source);
    assert_int_equal(found, strstr(name, "%d") == NULL ? -1 : priority);
}

static void every_row_leads_to_a_counter(void **state)
{
    (void)state;
    for (size_t i = 0; i < counts_row_count; i++) {
        const struct counts_row *row = &counts_rows[i];
        leads_to_a_counter(row->name, 5, row->source);
        /* A priority of the one is a priority of the other. */
        assert_int_equal(strstr(row->pattern, "%d") == NULL, strstr(row->name, "%d") == NULL);
        assert_true(row->source[0] != '\0');
    }
#define COLUMN(head, with, without, source)                                                        \
    leads_to_a_counter(with, 5, source);                                                           \
    leads_to_a_counter(without, -1, source);
#define WIDE(head, source)
#define TITLE(title, name, kind, source) leads_to_a_counter(name, 5, source);
#include "scenarios/counters/columns.def"
#undef COLUMN
#undef WIDE
#undef TITLE
}

/* The first row that fits is taken, so none may hide a later one. */
static void no_row_hides_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < counts_row_count; i++) {
        char text[COUNTER_NAME_BYTES];
        counter_text(text, counts_rows[i].pattern, 7);
        const struct counts_meaning what = counts_name(text, counts_rows[i].scope);
        if (what.name != counts_rows[i].name && strcmp(what.name, counts_rows[i].name) != 0)
            fail_msg("%s: %s and not %s", text, what.name, counts_rows[i].name);
        for (size_t k = 0; k < i; k++)
            if (counts_rows[k].scope == counts_rows[i].scope)
                assert_string_not_equal(counts_rows[k].pattern, counts_rows[i].pattern);
    }
}

/* All but those of a switch as a whole, and of the watchdog, whose names have no priority. */
static void every_counter_of_a_run_is_known(void **state)
{
    (void)state;
    for (int id = 0; id < COUNTER_COUNT; id++) {
        const struct counter_about *about = &counters_about[id];
        char text[COUNTER_NAME_BYTES];
        if (about->scope == COUNTER_OF_SWITCH || strncmp(about->name, "pfcwd_", 6) == 0)
            continue;
        counter_text(text, about->name, 3);
        const struct counts_meaning what = counts_name(text, COUNTS_ETHERNET);
        if (what.name == NULL)
            fail_msg("%s is not in names.def", text);
        assert_string_equal(what.name, about->name);
        assert_int_equal(what.priority, strstr(about->name, "%d") == NULL ? -1 : 3);
        const bool peak =
            strstr(about->name, "_peak") != NULL || strstr(about->name, "_longest") != NULL;
        assert_int_equal(what.kind, peak ? COUNTS_PEAK : COUNTS_WHOLE);
    }
}

/* COUNTERS_DB's name of a counter leads back to it. */
static void names_of_sai_lead_back(void **state)
{
    (void)state;
    for (int id = 0; id < COUNTER_COUNT; id++) {
        const struct counter_about *about = &counters_about[id];
        char text[COUNTER_NAME_BYTES];
        if (about->sai == NULL || strstr(about->sai, "WATERMARK") != NULL)
            continue;
        counter_text(text, about->sai, 3);
        const bool of_port = strncmp(text, "SAI_PORT_STAT_", 14) == 0;
        const struct counts_meaning what =
            of_port ? counts_name(text, COUNTS_SAI) : counts_column(text, 3);
        if (what.name == NULL)
            fail_msg("%s is not read", text);
        assert_string_equal(what.name, about->name);
    }
}

static void what_no_row_has_is_unknown(void **state)
{
    (void)state;
    static const char *const names[] = {"",           "rx_prio8_pause",       "rx_prio3_pauses",
                                        "rx_prio_",   "port.rx_priority_3",   "rx_prio33_pause",
                                        "np_cnp_sen", "rx_pfc_ena_frames_pri"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_null(counts_name(names[i], COUNTS_ANY).name);
    assert_string_equal(counts_name("rx_out_of_buffer", COUNTS_RDMA).name, "out_of_buffer");
    assert_string_equal(counts_name("rx_out_of_buffer", COUNTS_ETHERNET).name, "rx_out_of_buffer");
    assert_null(counts_name("cnpSent", COUNTS_ETHERNET).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_leads_to_a_counter),    cmocka_unit_test(no_row_hides_another),
        cmocka_unit_test(every_counter_of_a_run_is_known), cmocka_unit_test(names_of_sai_lead_back),
        cmocka_unit_test(what_no_row_has_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
