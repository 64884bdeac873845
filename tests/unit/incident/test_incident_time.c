/* SPDX-License-Identifier: Apache-2.0
 * Dates as tools print them. */
#include "scenarios/incident/incident_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* date -u -d '2026-11-28 00:46:12' +%s */
enum { THEN = 1795826772 };

static void dates_are_read(void **state)
{
    static const struct {
        const char *text, *rest;
        int64_t seconds;
    } rows[] = {
        {"Sat Nov 28 00:46:12 UTC 2026", "", THEN},
        {"Sat 28 Nov 2026 12:46:12 AM UTC", "", THEN},
        {"Sat Nov 28 12:46:12 PM CET 2026", "", THEN + 12 * 3600},
        {"2026-11-28T00:46:12.123456+00:00 db7 kernel: x", "db7 kernel: x", THEN},
        {"2026-11-28T02:46:12+02:00", "", THEN},
        {"2026-11-27T19:46:12-0500 x", "x", THEN},
        {"2026-11-28 00:46:12,500 x", "x", THEN},
        {"2026 Nov 28 00:46:12.120311 leaf0 NOTICE", "leaf0 NOTICE", THEN},
        {"00:46:12.123 UTC Sat Nov 28 2026", "", THEN},
        {"2000-02-29T23:59:59Z", "", 951868799},
        {"2100-03-01T00:00:00Z", "", 4107542400},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct incident_time time;
        if (!incident_time_read(rows[i].text, &time))
            fail_msg("%s: no date", rows[i].text);
        assert_int_equal(time.seconds, rows[i].seconds);
        assert_string_equal(time.end, rows[i].rest);
    }
}

/* A log without a year: its lines are in order. */
static void a_year_may_be_missing(void **state)
{
    struct incident_time before, after;
    (void)state;
    assert_true(incident_time_read("Feb 28 23:59:59 db7 kernel: x", &before));
    assert_true(incident_time_read("Feb 29 00:00:00 db7 kernel: x", &after));
    assert_int_equal(after.seconds - before.seconds, 1);
}

static void other_lines_are_no_dates(void **state)
{
    static const char *const rows[] = {"",
                                       "Ethernet0  12  13",
                                       "Nov 28",
                                       "28 Nov 2026",
                                       "00:46:12",
                                       "Sat Nov 28 24:46:12 2026",
                                       "2026-13-28T00:46:12",
                                       "rx_prio3_pause: 12",
                                       "Nov 32 00:46:12",
                                       "2026-11-28Tx"};
    struct incident_time time;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (incident_time_read(rows[i], &time))
            fail_msg("%s: read as a date", rows[i]);
}

static void a_stamp_of_a_file_is_read(void **state)
{
    int64_t seconds;
    (void)state;
    assert_true(incident_time_stamp("20261128T004612", 15, &seconds));
    assert_int_equal(seconds, THEN);
    assert_true(incident_time_stamp("20261128-004612", 15, &seconds));
    assert_false(incident_time_stamp("20261328-004612", 15, &seconds));
    assert_false(incident_time_stamp("2026112800461", 13, &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read), cmocka_unit_test(a_year_may_be_missing),
        cmocka_unit_test(other_lines_are_no_dates), cmocka_unit_test(a_stamp_of_a_file_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
