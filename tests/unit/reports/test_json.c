/* SPDX-License-Identifier: Apache-2.0
 * test_json - strings, numbers and the containers that paths open and close. */
#include "reports/text/json_members.h"

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void strings_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", "\"\""},
        {"plain text", "\"plain text\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\x1b\x7f", "\"\\u000a\\u0009\\u001b\\u007f\""},
        {"\u00b5s", "\"\u00b5s\""},
        {"\u202e", "\"\\u202e\""},              /* changes the direction of text */
        {"\U000e0001x", "\"\\udb40\\udc01x\""}, /* a surrogate pair: RFC 8259, 7 */
        {"\xff"
         "b\xc3",
         "\"\\ufffdb\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = memory_stream(&text, &length);
        json_string(out, rows[i].text);
        memory_stream_end(out);
        assert_string_equal(text, rows[i].wanted);
        free(text);
    }
}

static void reals_are_exact(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *wanted;
    } rows[] = {
        {0, "0.0"},
        {1, "1.0"},
        {-3, "-3.0"},
        {0.25, "0.25"},
        {1e300, "1e+300"},
        {1e15, "1e+15"},
        {123456789012345, "123456789012345.0"},
        {0.1, "0.1"},
        {1e-7, "1e-07"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
        {(double)NAN, "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = memory_stream(&text, &length);
        json_real(out, rows[i].value);
        memory_stream_end(out);
        assert_string_equal(text, rows[i].wanted);
        free(text);
    }
}

static void paths_open_and_close_containers(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    struct json json;
    json_begin(&json, memory_stream(&text, &length));
    json_text(&json, "name", "n");
    json_boolean(&json, "a.on", true);
    json_boolean(&json, "a.off", false);
    json_null(&json, "a.b.none");
    json_integer(&json, "a.b.c.deep", -5);
    json_integer(&json, "ab.other", 1); /* begins like the one before */
    json_empty(&json, "empty");
    json_integer(&json, "list[0]", 1);
    json_integer(&json, "list[1]", 2);
    json_integer(&json, "rows[0].x", 1);
    json_number(&json, "rows[0].y", 1.5);
    json_integer(&json, "rows[1].x", 2);
    json_integer(&json, "rows[1].in[0].z", 3);
    json_integer(&json, "rows[1].in[1].z", 4);
    json_integer(&json, "rows[10].x", 5);
    json_text_or_null(&json, "t", NULL);
    json_text_or_null(&json, "u", "u");
    json_end(&json);
    memory_stream_end(json.out);
    assert_string_equal(
        text,
        "{\n \"schema\": 1,\n \"name\": \"n\",\n \"a\": {\"on\": true, \"off\": false, \"b\": "
        "{\"none\": null, \"c\": "
        "{\"deep\": -5}}},\n \"ab\": {\"other\": 1},\n \"empty\": [],\n \"list\": [\n  1,\n  2],\n"
        " \"rows\": [\n  {\"x\": 1, \"y\": 1.5},\n  {\"x\": 2, \"in\": [{\"z\": 3}, {\"z\": "
        "4}]},\n  {\"x\": 5}],\n"
        " \"t\": null,\n \"u\": \"u\"}\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(reals_are_exact),
        cmocka_unit_test(paths_open_and_close_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
