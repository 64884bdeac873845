/* SPDX-License-Identifier: Apache-2.0
 * test_zip - gzip streams that gzip itself packed. */
#include "replay/files/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* printf hello | gzip -n */
#define HELLO                                                                                      \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05"     \
    "\x00\x00\x00"
#define TEXT(text) text, sizeof(text) - 1

static void members_are_unpacked_one_behind_the_other(void **state)
{
    (void)state;
    static const struct {
        const char *packed;
        size_t bytes;
        const char *text, *why; /* text NULL: refused */
    } rows[] = {
        {TEXT(HELLO), "hello", ""},
        {TEXT(HELLO HELLO), "hellohello", ""},
        {HELLO, sizeof HELLO - 1 - 8, "hello", ""}, /* cut before the checksum */
        {TEXT("hello"), NULL, "expected a gzip stream"},
        {HELLO, 10, NULL, "expected a gzip stream"}, /* only the header */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[ZIP_WHY_BYTES] = "";
        size_t count = 0;
        FILE *in = fmemopen((void *)(uintptr_t)rows[i].packed, rows[i].bytes, "rb");
        assert_non_null(in);
        char *text = zip_unpack(in, 100, &count, why);
        fclose(in);
        assert_string_equal(why, rows[i].why);
        if ((text == NULL) != (rows[i].text == NULL))
            fail_msg("row %zu: %s", i, text == NULL ? "refused" : "unpacked");
        if (text != NULL) {
            assert_int_equal(count, strlen(rows[i].text));
            assert_memory_equal(text, rows[i].text, count);
        }
        free(text);
    }
}

static void a_limit_refuses_what_is_longer(void **state)
{
    (void)state;
    char why[ZIP_WHY_BYTES] = "";
    size_t count = 0;
    for (size_t most = 4; most <= 5; most++) {
        FILE *in = fmemopen((void *)(uintptr_t)HELLO, sizeof HELLO - 1, "rb");
        assert_non_null(in);
        char *text = zip_unpack(in, most, &count, why);
        fclose(in);
        assert_int_equal(text != NULL, most == 5);
        assert_string_equal(why, "unpacks to more than 0 MiB"); /* of the first */
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_unpacked_one_behind_the_other),
        cmocka_unit_test(a_limit_refuses_what_is_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
