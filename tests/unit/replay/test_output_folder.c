/* SPDX-License-Identifier: Apache-2.0
 * What may be written into a folder, and what its list remembers. */
#include "replay/files/output_folder.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct output_inputs none;
static char folder_path[] = "/tmp/stormglass-folder-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void drop(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    unlink(path);
}

static bool writes(const char *name)
{
    struct output_folder folder;
    struct output output;
    bool well = output_folder_open(&folder, folder_path, &none);
    well = well && output_folder_file(&folder, name, &output);
    if (well) {
        fputs("ours", output.out);
        well = output_end(&output, true);
    }
    output_folder_close(&folder);
    return well;
}

static void test_own_files_are_replaced(void **state)
{
    (void)state;
    assert_true(writes("a.html"));
    assert_true(writes("a.html"));
    assert_true(writes("b.html"));
    assert_true(writes("a.html"));
    drop("a.html");
    assert_true(writes("a.html")); /* gone, and written anew */
    put("c.html", "precious");
    assert_false(writes("c.html"));
    assert_int_equal(errno, EEXIST);
    drop("c.html");
    assert_true(writes("c.html"));
}

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool opens, writes;
    } rows[] = {
        {"# Files that stormglass wrote here and may replace.\na.html\n", true, true},
        {"# Files that stormglass wrote here and may replace.\nb.html\n", true, false},
        {"# Files that stormglass wrote here and may replace.\n", true, false},
        {"# Files that stormglass wrote here and may replace.\na.html", false, false},
        {"a.html\n", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct output_folder folder;
        fuzz_input("folder", rows[i].text, strlen(rows[i].text));
        put("a.html", "precious");
        put(".stormglass", rows[i].text);
        assert_int_equal(output_folder_open(&folder, folder_path, &none), rows[i].opens);
        output_folder_close(&folder);
        assert_int_equal(writes("a.html"), rows[i].writes);
    }
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder_path) == NULL;
}

static int end(void **state)
{
    static const char *const names[] = {"a.html", "b.html", "c.html", ".stormglass"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        drop(names[i]);
    return rmdir(folder_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_files_are_replaced),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
