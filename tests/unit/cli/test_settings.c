/* SPDX-License-Identifier: Apache-2.0
 * test_settings - the options of a run as text: values, defaults, limits and reasons. */
#include "cli/library/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void an_option_is_set_and_reset(void **state)
{
    (void)state;
    struct settings settings;
    char why[SETTINGS_WHY_BYTES];
    settings_init(&settings);
    assert_true(settings.how.until == TIME_NEVER && settings.how.judge == confirm_judge);
    assert_true(settings_read(&settings, "until", "5ms", why));
    assert_true(settings_read(&settings, "seed", "7", why));
    assert_true(settings_read(&settings, "threads", "auto", why));
    assert_true(settings_read(&settings, "record", "ios", why));
    assert_true(settings_read(&settings, "interval", "0", why));
    assert_true(settings_read(&settings, "confirm", "0", why));
    assert_true(settings_read(&settings, "waits", "true", why));
    assert_true(settings_read(&settings, "output", "run.db", why));
    assert_true(settings.how.until == 5 * PS_PER_MS && settings.how.threads == RUN_THREADS_AUTO);
    assert_true(settings.how.level == RECORD_IOS && settings.how.interval == 0);
    assert_true(settings.how.judge == NULL && settings.how.waits);
    assert_string_equal(settings.seed, "seed=7");
    assert_string_equal(settings.how.path, "run.db");
    for (int i = 0; settings_names[i] != NULL; i++)
        assert_true(settings_read(&settings, settings_names[i], NULL, why));
    assert_true(settings.how.until == TIME_NEVER && settings.how.threads == 0);
    assert_true(settings.how.level == RECORD_SUMMARY && settings.how.interval == SERIES_AUTO);
    assert_true(settings.how.judge == confirm_judge && !settings.how.waits);
    assert_true(settings.confirm.events == CONFIRM_EVENTS);
    assert_true(settings.seed[0] == '\0' && settings.how.path == NULL);
    settings_free(&settings);
}

static void a_wrong_value_has_a_reason(void **state)
{
    static const char *const rows[][3] = {
        {"until", "0s", "above 0"},
        {"until", "5parsec", "a time such as"},
        {"seed", "-1", "from 0 to"},
        {"seed", "x", "whole number"},
        {"threads", "0", "from 1 to 1024"},
        {"threads", "1025", "or auto"},
        {"record", "all", "packets"},
        {"interval", "fast", "a time"},
        {"confirm", "-1", "or 0"},
        {"waits", "yes", "true or false"},
        {"output", "", "the path of a file"},
        {"utnil", "5ms", "did you mean 'until'?"},
    };
    (void)state;
    struct settings settings;
    char why[SETTINGS_WHY_BYTES];
    settings_init(&settings);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_false(settings_read(&settings, rows[i][0], rows[i][1], why));
        if (strstr(why, rows[i][2]) == NULL)
            fail_msg("%s %s: %s", rows[i][0], rows[i][1], why);
    }
    settings_free(&settings);
}

static void rows_need_a_database(void **state)
{
    (void)state;
    struct settings settings;
    char why[SETTINGS_WHY_BYTES];
    settings_init(&settings);
    assert_false(settings_limit(&settings));
    assert_true(settings.how.brief);
    assert_true(settings_read(&settings, "record", "packets", why));
    assert_true(settings_limit(&settings));
    assert_true(settings.how.level == RECORD_SUMMARY && settings.how.waits);
    settings_free(&settings);
    settings_init(&settings);
    assert_true(settings_read(&settings, "record", "packets", why));
    assert_true(settings_read(&settings, "output", "run.db", why));
    assert_false(settings_limit(&settings));
    assert_true(settings.how.level == RECORD_PACKETS && !settings.how.brief);
    settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_is_set_and_reset),
        cmocka_unit_test(a_wrong_value_has_a_reason),
        cmocka_unit_test(rows_need_a_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
