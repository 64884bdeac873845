/* SPDX-License-Identifier: Apache-2.0
 * test_fio_change - options of a fio job that a scenario says in place of the file. */
#include "scenarios/fio/fio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char two[] = "[global]\nioengine=libaio\niodepth=8\nrw=randread\nbs=8k\n"
                          "[boot]\nnumjobs=2\n[office]\niodepth=4\n";

struct load {
    struct fio_jobs jobs;
    struct diag diag;
    bool good;
};

/* The change stands at column 7 of line 3. */
static struct fio_change change_of(const char *job, const char *option, const char *text)
{
    static const struct diag_place at = {"set.yaml", 3, 7, 1}, behind = {"set.yaml", 3, 16, 1};
    return (struct fio_change){
        job, option, text, at, behind, "    x: iodepth: 3", "    x: iodepth: 3"};
}

static struct load *load_with(const char *text, const struct fio_change *changes, size_t count)
{
    struct load *load = calloc(1, sizeof *load);
    assert_non_null(load);
    const struct fio_file file = {"t.fio", text, strlen(text), changes, count};
    load->good = fio_load_changed(&file, &load->jobs, &load->diag);
    return load;
}

static void unload(struct load *load)
{
    fio_free(&load->jobs);
    free(load);
}

static void options_of_all_jobs_go_before_the_file(void **state)
{
    (void)state;
    const struct fio_change changes[] = {change_of(NULL, "iodepth", "16"),
                                         change_of(NULL, "blocksize", "64k")};
    struct load *load = load_with(two, changes, 2);
    assert_true(load->good);
    assert_int_equal(load->jobs.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(load->jobs.jobs[i].nvme.queue_depth, 16);
        assert_int_equal(load->jobs.jobs[i].nvme.block_size, 65536);
    }
    assert_int_equal(load->jobs.jobs[0].copies, 2);
    unload(load);
}

static void options_of_one_job_go_before_those_of_all(void **state)
{
    (void)state;
    const struct fio_change changes[] = {change_of(NULL, "iodepth", "16"),
                                         change_of("office", "iodepth", "3"),
                                         change_of("office", "numjobs", "5")};
    struct load *load = load_with(two, changes, 3);
    assert_true(load->good);
    assert_int_equal(load->jobs.jobs[0].nvme.queue_depth, 16);
    assert_int_equal(load->jobs.jobs[0].copies, 2);
    assert_int_equal(load->jobs.jobs[1].nvme.queue_depth, 3);
    assert_int_equal(load->jobs.jobs[1].copies, 5);
    unload(load);
}

static void what_changes_nothing_or_names_nothing_is_an_error(void **state)
{
    (void)state;
    static const char sync[] = "[a]\nrw=read\niodepth=8\n";
    static const char split[] = "[a]\nioengine=libaio\nrw=randread\nbssplit=4k/50:8k/50\n";
    static const struct {
        const char *file, *job, *option, *text, *why;
        int column;
    } rows[] = {
        {two, NULL, "iodepht", "3", "fio has no option 'iodepht'; did you mean 'iodepth'?", 7},
        {two, NULL, "iodepth", "x", "'x' is not a value of 'iodepth'", 16},
        {two, NULL, "iodepth", "0", "'0' is not a value of 'iodepth'", 16},
        {two, NULL, "numjobs", "4097", "'4097' is not a value of 'numjobs'", 16},
        {two, NULL, "numjobs", "4096", "more than 4096 jobs with their clones", 1},
        {two, "bot", "iodepth", "3", "'t.fio' has no job 'bot'; did you mean 'boot'?", 7},
        {two, NULL, "direct", "1", "'direct' has no effect here", 7},
        {two, NULL, "name", "x", "expected 'name' in the job file", 7},
        {two, NULL, "kb_base", "1000", "expected 'kb_base' in the job file", 7},
        {two, NULL, "rwmixread", "30", "the job does not mix reads and writes", 7},
        {two, NULL, "ioengine", "rbd", "", 16},
        {sync, NULL, "iodepth", "4", "the job's ioengine has at most one outstanding I/O", 7},
        {split, NULL, "bs", "4k", "the job has bssplit, which overrides bs", 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fio_change change = change_of(rows[i].job, rows[i].option, rows[i].text);
        struct load *load = load_with(rows[i].file, &change, 1);
        assert_false(load->good);
        assert_int_equal(load->jobs.count, 0);
        assert_non_null(strstr(load->diag.messages[0].text, rows[i].why));
        assert_int_equal(load->diag.messages[0].place.column, rows[i].column);
        if (rows[i].column > 1)
            assert_string_equal(load->diag.messages[0].file, "set.yaml");
        unload(load);
    }
}

static void an_engine_may_be_changed_with_the_depth(void **state)
{
    (void)state;
    const struct fio_change changes[] = {change_of(NULL, "iodepth", "6"),
                                         change_of(NULL, "ioengine", "io_uring")};
    struct load *load = load_with("[a]\nrw=read\n", changes, 2);
    assert_true(load->good);
    assert_int_equal(load->jobs.jobs[0].nvme.queue_depth, 6);
    unload(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_all_jobs_go_before_the_file),
        cmocka_unit_test(options_of_one_job_go_before_those_of_all),
        cmocka_unit_test(what_changes_nothing_or_names_nothing_is_an_error),
        cmocka_unit_test(an_engine_may_be_changed_with_the_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
