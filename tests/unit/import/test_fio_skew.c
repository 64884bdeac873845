/* SPDX-License-Identifier: Apache-2.0
 * test_fio_skew - distributions, percentages, included files and notes of fio job files. */
#include "scenarios/fio/fio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

struct shelf_file {
    const char *name, *text;
};

/* Files that a job file may include. */
static const struct shelf_file shelf[] = {
    {"bs.inc", "bs=8k\n"},
    {"deep/a.inc", "iodepth=7\ninclude bs.inc\n"},
    {"global.inc", "\xef\xbb\xbf[global]\nbs=16k\nioengine=libaio\n"},
    {"self.inc", "include self.inc\n"},
    {"wrong.inc", "bs=8k\nbss=4k\n"},
};

static struct tree_file opened;

static const struct tree_file *open_shelf(void *self, const char *name)
{
    (*(int *)self)++;
    for (size_t i = 0; i < LENGTH(shelf); i++)
        if (strcmp(shelf[i].name, name) == 0) {
            opened = (struct tree_file){shelf[i].name, shelf[i].text, strlen(shelf[i].text)};
            return &opened;
        }
    return NULL;
}

struct load {
    struct fio_jobs jobs;
    struct diag diag;
    int opened;
};

static bool load(struct load *load, const char *text)
{
    *load = (struct load){0};
    const struct fio_file file = {.name = "t.fio",
                                  .text = text,
                                  .length = strlen(text),
                                  .open = open_shelf,
                                  .open_self = &load->opened};
    return fio_load_changed(&file, &load->jobs, &load->diag);
}

static void what_is_wrong_is_refused_at_its_place(void **state)
{
    static const struct {
        const char *text, *file;
        int line, column;
        const char *words;
    } rows[] = {
        {"[a]\nrandom_distribution=zipf:1\n", "t.fio", 2, 21, "not 1"},
        {"[a]\nrandom_distribution=zipf:11\n", "t.fio", 2, 21, "at most 10"},
        {"[a]\nrandom_distribution=zipf:1.2.3\n", "t.fio", 2, 21, "THETA"},
        {"[a]\nrandom_distribution=zipf:.\n", "t.fio", 2, 21, "THETA"},
        {"[a]\nrandom_distribution=pareto:1\n", "t.fio", 2, 21, "0 < H < 1"},
        {"[a]\nrandom_distribution=normal:100\n", "t.fio", 2, 21, "DEVIATION"},
        {"[a]\nrandom_distribution=zipf:1.2:1.5\n", "t.fio", 2, 21, "center"},
        {"[a]\nrandom_distribution=zipf:1.2:0:3\n", "t.fio", 2, 21, "THETA"},
        {"[a]\nrandom_distribution=zipfy:1.2\n", "t.fio", 2, 21, "expected random, zipf"},
        {"[a]\nrandom_distribution=sequence:1,2\n", "t.fio", 2, 21, "not supported"},
        {"[a]\nrandom_distribution=zoned_abs:60/0:40/1g\n", "t.fio", 2, 21, "zoned_abs"},
        {"[a]\nrandom_distribution=zoned_abs:60/1g:40/\n", "t.fio", 2, 21, "zoned_abs"},
        {"[a]\nrandom_distribution=zoned\n", "t.fio", 2, 21, "expected random"},
        {"[a]\nioengine=/opt/x/other.so\n", "t.fio", 2, 10, "SPDK's"},
        {"[a]\nfilesize=20%\n", "t.fio", 2, 10, "'20%'"},
        {"[a]\nbs=600\n", "t.fio", 2, 4, "multiple of 512"},
        {"> [a]\n> bs=4k\n", "t.fio", 1, 1, "quoted"},
        {"[a]\nsize=101%\n", "t.fio", 2, 6, "0% to 100%"},
        {"[a]\nsize=-3%\n", "t.fio", 2, 6, "0% to 100%"},
        {"[a]\ninclude /etc/passwd\n", "t.fio", 2, 9, "folder"},
        {"[a]\ninclude a/../../b\n", "t.fio", 2, 9, "folder"},
        {"[a]\ninclude ../b\n", "t.fio", 2, 9, "folder"},
        {"[a]\n\ninclude none.inc\n", "t.fio", 3, 9, "cannot read the included file 'none.inc'"},
        {"[a]\ninclude self.inc\n", "self.inc", 1, 9, "more than 8 deep"},
        {"[a]\ninclude wrong.inc\n", "wrong.inc", 2, 1, "no option 'bss'"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load loaded;
        const bool good = load(&loaded, rows[i].text);
        const struct diag_message *message = &loaded.diag.messages[0];
        if (good || loaded.diag.errors != 1)
            fail_msg("row %zu: %d errors", i, loaded.diag.errors);
        if (strcmp(message->place.file, rows[i].file) != 0 || message->place.line != rows[i].line ||
            message->place.column != rows[i].column || strstr(message->text, rows[i].words) == NULL)
            fail_msg("row %zu: %s:%d:%d: %s", i, message->place.file, message->place.line,
                     message->place.column, message->text);
        fio_free(&loaded.jobs);
    }
}

static void a_lone_file_includes_nothing(void **state)
{
    (void)state;
    static const char text[] = "[a]\ninclude bs.inc\n";
    struct load loaded;
    loaded = (struct load){0};
    assert_false(fio_load("t.fio", text, sizeof text - 1, &loaded.jobs, &loaded.diag));
    assert_non_null(strstr(loaded.diag.messages[0].text, "only a scenario's job file"));
}

static void included_lines_count_where_they_are_included(void **state)
{
    (void)state;
    struct load loaded;
    assert_true(load(&loaded, "include global.inc\n[a]\n[b]\ninclude deep/a.inc\n[c]\nbs=4k\n"));
    assert_int_equal(loaded.jobs.count, 3);
    assert_int_equal(loaded.jobs.jobs[0].nvme.block_size, 16384);
    assert_int_equal(loaded.jobs.jobs[1].nvme.block_size, 8192);
    assert_int_equal(loaded.jobs.jobs[1].nvme.queue_depth, 7);
    assert_int_equal(loaded.jobs.jobs[1].line, 3);
    assert_int_equal(loaded.jobs.jobs[2].nvme.block_size, 4096);
    assert_int_equal(loaded.opened, 3);
    fio_free(&loaded.jobs);
}

static void options_of_a_plugin_are_noted_in_the_files_words(void **state)
{
    (void)state;
    struct load loaded;
    assert_true(load(&loaded, "[a]\nioengine=external:/x/spdk_nvme.so\niodepth=5\nfdp_pli=1\n"
                              "sync=none\npi_act=1\n[b]\nioengine=sync\niodepth=5\nfdp_pli=2\n"));
    static const char *const words[] = {"'ioengine=external:/x/spdk_nvme.so'", "'fdp_pli'",
                                        "'pi_act'"};
    assert_int_equal(loaded.diag.count, LENGTH(words));
    for (size_t i = 0; i < LENGTH(words); i++)
        assert_non_null(strstr(loaded.diag.messages[i].text, words[i]));
    assert_int_equal(loaded.jobs.jobs[0].nvme.queue_depth, 5);
    assert_int_equal(loaded.jobs.jobs[1].nvme.queue_depth, 1);
    fio_free(&loaded.jobs);
}

static void odd_sizes_are_noted(void **state)
{
    static const struct {
        const char *text, *words;
        int64_t read, write;
    } rows[] = {
        {"bs=4160", "the 4096 B of data", 4096, 4096},
        {"bs=520", "the 512 B of data", 512, 512},
        {"bs=4k-64k", "one size for reads and one for writes", 4096, 65536},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[64];
        struct load loaded;
        snprintf(text, sizeof text, "[a]\nrw=randrw\n%s\n", rows[i].text);
        assert_true(load(&loaded, text));
        const struct wl_plan_sizes *sizes = loaded.jobs.jobs[0].nvme.fio.plan.sizes;
        assert_int_equal(sizes[WL_READ].entries[0].low, rows[i].read);
        assert_int_equal(sizes[WL_WRITE].entries[0].low, rows[i].write);
        assert_int_equal(loaded.diag.count, 1);
        assert_non_null(strstr(loaded.diag.messages[0].text, rows[i].words));
        fio_free(&loaded.jobs);
    }
}

static void distributions_reach_the_plan(void **state)
{
    static const struct {
        const char *text;
        struct skew_params skew;
    } rows[] = {
        {"zipf", {SKEW_ZIPF, 1100000, SKEW_NO_CENTER}},
        {"zipf:1.25", {SKEW_ZIPF, 1250000, SKEW_NO_CENTER}},
        {"zipf:.5:1", {SKEW_ZIPF, 500000, 1000000}},
        {"pareto", {SKEW_PARETO, 200000, SKEW_NO_CENTER}},
        {"pareto:0.123456789:0.25", {SKEW_PARETO, 123456, 250000}},
        {"normal", {SKEW_NORMAL, 0, SKEW_NO_CENTER}},
        {"normal:12.5", {SKEW_NORMAL, 12500000, SKEW_NO_CENTER}},
        {"zipf:1.2\nrandom_distribution=random", {SKEW_NONE, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[128];
        struct load loaded;
        snprintf(text, sizeof text, "[a]\nrw=randread\nrandom_distribution=%s\n", rows[i].text);
        assert_true(load(&loaded, text));
        const struct skew_params *skew = &loaded.jobs.jobs[0].nvme.fio.plan.skew;
        if (memcmp(skew, &rows[i].skew, sizeof *skew) != 0)
            fail_msg("row %zu: %d, %lld, %lld", i, (int)skew->kind, (long long)skew->value,
                     (long long)skew->center);
        fio_free(&loaded.jobs);
    }
}

static void zones_may_differ_by_direction(void **state)
{
    (void)state;
    struct load loaded;
    assert_true(load(&loaded, "[a]\nrw=randrw\nrandom_distribution=zoned:60/10:40/,100/100\n[b]\n"
                              "rw=randread\nrandom_distribution=zoned_abs:60/1m:40/3g\n"));
    const struct wl_plan_zones *zones = loaded.jobs.jobs[0].nvme.fio.plan.zones;
    assert_int_equal(zones[WL_READ].count, 2);
    assert_int_equal(zones[WL_READ].entries[1].percent, 90);
    assert_int_equal(zones[WL_WRITE].count, 1);
    zones = loaded.jobs.jobs[1].nvme.fio.plan.zones;
    assert_int_equal(zones[WL_READ].entries[0].bytes, 1048576);
    assert_int_equal(zones[WL_WRITE].entries[1].bytes, INT64_C(3) << 30);
    fio_free(&loaded.jobs);
}

/* fio counts percentages of the whole device, in whole blocks. */
static void percentages_are_of_the_namespace(void **state)
{
    static const struct {
        const char *text;
        uint32_t copy;
        int64_t offset, bytes; /* of a namespace of 1000 blocks of 4 KiB, in blocks */
    } rows[] = {
        {"size=50%", 0, 0, 500},
        {"size=100%\noffset=25%", 0, 250, 750},
        {"size=33%\nbs=32k", 0, 0, 328},
        {"size=10%\noffset=25%\noffset_increment=10%\nnumjobs=3", 2, 450, 100},
        {"size=40k\noffset=1%\noffset_increment=8k\nnumjobs=3", 2, 14, 10},
        {"offset=99%", 0, 990, 10},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[128];
        struct load loaded;
        struct wl_region region;
        const struct workload_space space = {
            .copy = rows[i].copy, .block_bytes = 4096, .bytes = 4096000};
        snprintf(text, sizeof text, "[a]\n%s\n", rows[i].text);
        assert_true(load(&loaded, text));
        assert_true(wl_nvme_region(&loaded.jobs.jobs[0].nvme, &space, &region));
        if (region.offset != 4096 * rows[i].offset || region.bytes != 4096 * rows[i].bytes)
            fail_msg("row %zu: %lld, %lld", i, (long long)region.offset / 4096,
                     (long long)region.bytes / 4096);
        fio_free(&loaded.jobs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_at_its_place),
        cmocka_unit_test(a_lone_file_includes_nothing),
        cmocka_unit_test(included_lines_count_where_they_are_included),
        cmocka_unit_test(options_of_a_plugin_are_noted_in_the_files_words),
        cmocka_unit_test(odd_sizes_are_noted),
        cmocka_unit_test(distributions_reach_the_plan),
        cmocka_unit_test(zones_may_differ_by_direction),
        cmocka_unit_test(percentages_are_of_the_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
