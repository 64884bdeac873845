/* SPDX-License-Identifier: Apache-2.0
 * test_fit_json - a remedy that could not be run has no results, not zeros. */
#include "reports/incident/fit_text.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_remedies(void **state)
{
    (void)state;
    struct fit *fit = memory_zeroed(1, sizeof *fit);
    char *text = NULL;
    size_t length = 0;
    struct json json;
    fit->remedy_count = 2;
    fit->remedies[0] = (struct fit_remedy){.words = "run", .ran = true, .received = 7};
    fit->remedies[1] = (struct fit_remedy){.words = "not run"};
    FILE *out = memory_stream(&text, &length);
    json_begin(&json, out);
    fit_json(fit, &json);
    json_end(&json);
    memory_stream_end(out);
    assert_non_null(strstr(text, "{\n \"schema\": 1,"));
    assert_non_null(strstr(text, "\"received_bytes\": 7"));
    const char *second = strstr(text, "\"words\": \"not run\"");
    assert_non_null(second);
    assert_non_null(strstr(second, "\"received_bytes\": null"));
    assert_non_null(strstr(second, "\"lossless_drops\": null"));
    assert_non_null(strstr(second, "\"paused_ps\": null"));
    free(text);
    free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_remedies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
