/* SPDX-License-Identifier: Apache-2.0
 * What importers make of texts: each has a file in tests/unit/import/imports, see import_case.h. */
#include "scenarios/counters/counts.h"
#include "scenarios/device/device.h"
#include "scenarios/import/cabling_import.h"
#include "scenarios/import/clab.h"
#include "scenarios/import/dot.h"
#include "scenarios/import/hpcc.h"
#include "scenarios/import/htsim.h"
#include "scenarios/sonic/sonic.h"

#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/import/import_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Up to three files, the later ones "b.json" and "c.json". */
static char *of_sonic(const char *text)
{
    static const char *const names[] = {"a.json", "b.json", "c.json"};
    struct sonic_input inputs[3] = {0};
    struct sonic_result result;
    struct diag diag = {0};
    size_t count = 0;
    for (; *text != '\0' && count < 3; count++) {
        char *file = import_file(&text);
        fuzz_input("sonic", file, strlen(file));
        inputs[count] = (struct sonic_input){names[count], file, strlen(file)};
    }
    const struct sonic_ask ask = {.inputs = inputs, .count = count, .verbose = true};
    const bool good = sonic_import(&ask, &result, &diag);
    assert_int_equal(good, !diag_failed(&diag));
    char *lines = import_lines(result.scenario, result.notes, &diag);
    sonic_free(&result);
    while (count-- > 0)
        free((char *)inputs[count].text);
    return lines;
}

/* Gives fuzz_input("mlxconfig"), fuzz_input("mlnx_qos"), fuzz_input("nvme"), fuzz_input("sysctl"),
 * fuzz_input("nxos"), fuzz_input("eos"), fuzz_input("cumulus") and fuzz_input("junos"): the names
 * of device.def. */
static char *of_device(device_read_fn *read, const char *target, const char *text)
{
    struct device_result result;
    struct diag diag = {0};
    fuzz_input(target, text, strlen(text));
    const bool good = device_import(read, "in", text, strlen(text), &result, &diag);
    assert_int_equal(good, !diag_failed(&diag));
    char *lines = import_lines(result.yaml, result.notes, &diag);
    device_free(&result);
    return lines;
}

#define DEVICE(stem, about)                                                                        \
    static char *of_##stem(const char *text)                                                       \
    {                                                                                              \
        return of_device(device_##stem, #stem, text);                                              \
    }
#include "scenarios/device/device.def"
#undef DEVICE

/* The earlier file and the later one. */
static char *of_counters(const char *text)
{
    struct counts_result result;
    struct diag diag = {0};
    fuzz_input("counters", text, strlen(text));
    char *before = import_file(&text), *after = import_file(&text);
    const struct counts_input old = {"in/eth0.before", before, strlen(before)};
    const struct counts_input new = {"in/eth0.after", after, strlen(after)};
    const bool good = counts_import(&old, &new, &result, &diag);
    assert_int_equal(good, !diag_failed(&diag));
    char *lines = import_lines(result.json, result.notes, &diag);
    counts_free(&result);
    free(before);
    free(after);
    return lines;
}

/* Up to three files, the later ones "b" and "c". */
static char *of_cables(const char *kind, cabling_reader *read, const char *text)
{
    static const char *const names[] = {"b", "c"};
    char *files[3] = {NULL};
    size_t count = 0;
    while (*text != '\0' && count < 3)
        files[count++] = import_file(&text);
    const struct cabling_input input = {.kind = kind,
                                        .read = read,
                                        .name = "in",
                                        .text = count > 0 ? files[0] : "",
                                        .length = count > 0 ? strlen(files[0]) : 0,
                                        .others = names,
                                        .other_texts = (const char *const *)files + 1,
                                        .other_count = count > 0 ? count - 1 : 0};
    struct cabling_result result;
    struct diag diag = {0};
    const bool good = cabling_import(&input, &result, &diag);
    assert_int_equal(good, !diag_failed(&diag));
    char *lines = import_lines(result.scenario, result.notes, &diag);
    cabling_import_free(&result);
    while (count-- > 0)
        free(files[count]);
    return lines;
}

static char *of_clab(const char *text)
{
    fuzz_input("clab", text, strlen(text));
    return of_cables("clab", clab_read, text);
}

static char *of_dot(const char *text)
{
    fuzz_input("dot", text, strlen(text));
    return of_cables("dot", dot_read, text);
}

static char *of_hpcc(const char *text)
{
    fuzz_input("hpcc", text, strlen(text));
    return of_cables("hpcc", hpcc_read, text);
}

static char *of_htsim(const char *text)
{
    fuzz_input("htsim", text, strlen(text));
    return of_cables("htsim", htsim_read, text);
}

#define IMPORTERS(X)                                                                               \
    X(sonic)                                                                                       \
    X(mlnx_qos)                                                                                    \
    X(mlxconfig)                                                                                   \
    X(counters)                                                                                    \
    X(clab)                                                                                        \
    X(dot)                                                                                         \
    X(nvme)                                                                                        \
    X(sysctl)                                                                                      \
    X(nxos)                                                                                        \
    X(eos)                                                                                         \
    X(cumulus)                                                                                     \
    X(junos)                                                                                       \
    X(hpcc)                                                                                        \
    X(htsim)

#define TEST(name)                                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        import_check(of_##name, "tests/unit/import/imports/" #name ".txt");                        \
    }
IMPORTERS(TEST)

/* Nothing is compared, and nothing more is said, after the first file that cannot be read. */
static void the_first_missing_counters_end_it(void **state)
{
    (void)state;
    struct counts_result result;
    struct diag diag = {0};
    const struct counts_input old = {.name = "no/such/before"}, new = {.name = "no/such/after"};
    assert_false(counts_import(&old, &new, &result, &diag));
    assert_int_equal(diag.count, 1);
    assert_string_equal(diag.messages[0].file, "no/such/before");
    assert_null(result.json);
}

int main(void)
{
#define ROW(name) cmocka_unit_test(name),
    const struct CMUnitTest tests[] = {IMPORTERS(ROW)
                                           cmocka_unit_test(the_first_missing_counters_end_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
