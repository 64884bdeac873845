/* SPDX-License-Identifier: Apache-2.0
 * test_embedded - what travels inside the program.
 * Tests run from the root of the tree, so that each embedded file can be held against its
 * original. */
#include "scenarios/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_order_and_end(void **state)
{
    (void)state;
    assert_non_null(embedded_files[0].name);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        assert_true(file->length > 0);
        assert_int_equal(file->bytes[file->length], 0);
        if (file[1].name != NULL)
            assert_true(strcmp(file->name, file[1].name) < 0);
    }
}

static void test_same_as_original(void **state)
{
    (void)state;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        char path[256];
        if (strncmp(file->name, "page/dygraph.", strlen("page/dygraph.")) == 0)
            continue; /* of a package */
        const bool report = strncmp(file->name, "page/", strlen("page/")) == 0 ||
                            strncmp(file->name, "playground/", strlen("playground/")) == 0;
        snprintf(path, sizeof path, "%s/%s", report ? "reports" : "scenarios", file->name);
        FILE *original = fopen(path, "rb");
        assert_non_null(original);
        for (size_t i = 0; i < file->length; i++)
            assert_int_equal(fgetc(original), file->bytes[i]);
        assert_int_equal(fgetc(original), EOF);
        fclose(original);
    }
}

static void test_version(void **state)
{
    (void)state;
    assert_true(stormglass_version[0] >= '0' && stormglass_version[0] <= '9');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_end),
        cmocka_unit_test(test_same_as_original),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
