/* SPDX-License-Identifier: Apache-2.0
 * test_fio - fio job files: values, options, errors. */
#include "scenarios/fio/fio.h"
#include "scenarios/fio/fio_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

struct load {
    struct fio_jobs jobs;
    struct diag diag;
    bool good;
};

static struct load *load_bytes(const char *text, size_t length)
{
    struct load *load = calloc(1, sizeof *load);
    assert_non_null(load);
    load->good = fio_load("t.fio", text, length, &load->jobs, &load->diag);
    return load;
}

static struct load *load_text(const char *text)
{
    return load_bytes(text, strlen(text));
}

static void unload(struct load *load)
{
    fio_free(&load->jobs);
    free(load);
}

static void sizes_have_fios_suffixes(void **state)
{
    static const struct {
        const char *text;
        int64_t base, value;
    } rows[] = {
        {"4096", 1024, 4096},
        {"4k", 1024, 4096},
        {"4K", 1024, 4096},
        {"4kb", 1024, 4096},
        {"4KB", 1024, 4096},
        {"4ki", 1024, 4096},
        {"4kib", 1024, 4000},
        {"4KiB", 1024, 4000},
        {"4096b", 1024, 4096},
        {"1m", 1024, 1048576},
        {"1g", 1024, 1073741824},
        {"1t", 1024, 1099511627776},
        {"4k", 1000, 4000},
        {"4kib", 1000, 4096},
        {"1m", 1000, 1000000},
        {"0x1000", 1024, 4096},
        {"0x10k", 1024, 16384},
        {"-8k", 1024, -8192},
        {"1p", 1024, 1125899906842624},
        {"", 1024, -1},
        {"k", 1024, -1},
        {"4x", 1024, -1},
        {"4kk", 1024, -1},
        {"1.5k", 1024, -1},
        {"(4*4)", 1024, -1},
        {"4 k", 1024, -1},
        {"20%", 1024, -1},
        {"-", 1024, -1},
        {"9223372036854775808", 1024, -1},
        {"9007199254740992k", 1024, -1},
        {"4kibb", 1024, -1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        int64_t value = -1;
        const bool good = fio_value_size(rows[i].text, strlen(rows[i].text), rows[i].base, &value);
        if (good != (rows[i].value != -1) || (good && value != rows[i].value))
            fail_msg("'%s' base %d gives %lld", rows[i].text, (int)rows[i].base, (long long)value);
    }
}

static void times_have_fios_suffixes(void **state)
{
    static const struct {
        const char *text;
        int64_t unit, value;
    } rows[] = {
        {"15", PS_PER_S, 15 * PS_PER_S},
        {"500000", PS_PER_US, 500 * PS_PER_MS},
        {"10s", PS_PER_US, 10 * PS_PER_S},
        {"5m", PS_PER_S, 300 * PS_PER_S},
        {"500ms", PS_PER_S, 500 * PS_PER_MS},
        {"7usec", PS_PER_S, 7 * PS_PER_US},
        {"1h", PS_PER_S, 3600 * PS_PER_S},
        {"2D", PS_PER_S, 172800 * PS_PER_S},
        {"5x", PS_PER_S, -1},
        {"", PS_PER_S, -1},
        {"s", PS_PER_S, -1},
        {"365d", PS_PER_S, -1},
        {"15", 1, 15},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        int64_t value = -1;
        const bool good = fio_value_time(rows[i].text, strlen(rows[i].text), rows[i].unit, &value);
        if (good != (rows[i].value != -1) || (good && value != rows[i].value))
            fail_msg("'%s' gives %lld", rows[i].text, (long long)value);
    }
}

static void percents_have_decimals(void **state)
{
    int64_t ppm = 0;
    (void)state;
    assert_true(fio_value_percent("99.9", 4, &ppm));
    assert_int_equal(ppm, 999000);
    assert_true(fio_value_percent("100", 3, &ppm));
    assert_int_equal(ppm, 1000000);
    assert_true(fio_value_percent("99.9999", 7, &ppm));
    assert_int_equal(ppm, 999999);
    assert_false(fio_value_percent("100.1", 5, &ppm));
    assert_false(fio_value_percent("99.", 3, &ppm));
    assert_false(fio_value_percent("x", 1, &ppm));
    assert_false(fio_value_percent("50x", 3, &ppm));
    assert_false(fio_value_percent("50x5", 4, &ppm));
    assert_false(fio_value_percent("1.00001", 7, &ppm));
}

static void a_job_inherits_the_global_sections_above_it(void **state)
{
    (void)state;
    struct load *load = load_text("; a comment\n[global]\nbs=8k\nioengine=libaio # really\n"
                                  "iodepth=4\n\n[one]\nrw=randread\n[two]\n  iodepth = 16 \n"
                                  "[global]\nbs=16k\n[three]\nnumjobs=3\n");
    assert_true(load->good);
    assert_int_equal(load->jobs.count, 3);
    const struct fio_job *jobs = load->jobs.jobs;
    assert_string_equal(jobs[0].name, "one");
    assert_int_equal(jobs[0].nvme.fio.plan.sizes[WL_READ].entries[0].low, 8192);
    assert_int_equal(jobs[0].nvme.queue_depth, 4);
    assert_true(jobs[0].nvme.fio.plan.random);
    assert_int_equal(jobs[1].nvme.queue_depth, 16);
    assert_false(jobs[1].nvme.fio.plan.random);
    assert_int_equal(jobs[2].nvme.block_size, 16384);
    assert_int_equal(jobs[2].copies, 3);
    assert_int_equal(jobs[2].line, 13);
    unload(load);
}

static void the_mix_and_the_sizes_reach_the_plan(void **state)
{
    (void)state;
    struct load *load =
        load_text("[a]\nrw=randrw\nrwmixread=70\nrwmixwrite=60\nbs=4k,8k\n"
                  "[b]\nrw=rw\nbssplit=4k/60:8k/:64k/\n[c]\nbsrange=4k-16k\n[d]\nrw=write:4k\n"
                  "[e]\nbs=,8k\nrw=randwrite\nrandom_distribution=zoned:60/10:40/\n");
    assert_true(load->good);
    const struct fio_job *jobs = load->jobs.jobs;
    assert_int_equal(jobs[0].nvme.fio.plan.read_ppm, 400000);
    assert_int_equal(jobs[0].nvme.fio.plan.sizes[WL_READ].entries[0].low, 4096);
    assert_int_equal(jobs[0].nvme.fio.plan.sizes[WL_WRITE].entries[0].high, 8192);
    const struct wl_plan_sizes *split = &jobs[1].nvme.fio.plan.sizes[WL_WRITE];
    assert_int_equal(split->count, 3);
    assert_int_equal(split->entries[0].share, 60);
    assert_int_equal(split->entries[1].share, 20);
    assert_int_equal(split->entries[2].share, 20);
    assert_int_equal(split->entries[2].low, 65536);
    assert_int_equal(jobs[2].nvme.fio.plan.sizes[WL_READ].entries[0].high, 16384);
    assert_int_equal(jobs[3].nvme.fio.plan.stride, 4096);
    assert_int_equal(jobs[3].nvme.fio.plan.read_ppm, 0);
    assert_int_equal(jobs[4].nvme.fio.plan.sizes[WL_READ].entries[0].low, 4096);
    assert_int_equal(jobs[4].nvme.fio.plan.zones[WL_READ].count, 2);
    assert_int_equal(jobs[4].nvme.fio.plan.zones[WL_READ].entries[1].percent, 90);
    unload(load);
}

static void synchronous_engines_keep_one_io_under_way(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\niodepth=32\n[b]\niodepth=32\nioengine=io_uring\n");
    assert_true(load->good);
    assert_int_equal(load->jobs.jobs[0].nvme.queue_depth, 1);
    assert_int_equal(load->jobs.jobs[1].nvme.queue_depth, 32);
    unload(load);
}

static void amounts_follow_fio(void **state)
{
    static const struct {
        const char *options;
        int64_t size, io_bytes, loop_ios;
        time_ps runtime;
    } rows[] = {
        {"size=1m\n", 1048576, WL_NVME_ONE_PASS, 0, TIME_NEVER},
        {"size=1m\nio_size=4m\n", 1048576, 4194304, 0, TIME_NEVER},
        {"filesize=1m\nnrfiles=4\n", 4194304, WL_NVME_ONE_PASS, 0, TIME_NEVER},
        {"filesize=1m\nsize=9m\n", 1048576, 9437184, 0, TIME_NEVER},
        {"number_ios=10\n", 0, WL_NVME_ONE_PASS, 10, TIME_NEVER},
        {"size=1m\nruntime=2\n", 1048576, WL_NVME_ONE_PASS, 0, 2 * PS_PER_S},
        {"size=1m\ntimeout=2\ntime_based\nramp_time=500ms\n", 1048576, 0, 0, 2500 * PS_PER_MS},
        {"size=1m\ntime_based\n", 1048576, WL_NVME_ONE_PASS, 0, TIME_NEVER},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        snprintf(text, sizeof text, "[a]\n%s", rows[i].options);
        struct load *load = load_text(text);
        assert_true(load->good);
        const struct fio_job *job = &load->jobs.jobs[0];
        assert_int_equal(job->nvme.size, rows[i].size);
        assert_int_equal(job->nvme.fio.io_bytes, rows[i].io_bytes);
        assert_int_equal(job->nvme.fio.loop_ios, rows[i].loop_ios);
        assert_int_equal(job->runtime, rows[i].runtime);
        unload(load);
    }
}

static void stonewalls_and_wait_for_put_jobs_in_order(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\n[b]\nstonewall\n[c]\n[d]\nwait_for=b\nnew_group\n"
                                  "[e]\nwait_for_previous\nexitall\nexit_what=all\n");
    assert_true(load->good);
    const struct fio_job *jobs = load->jobs.jobs;
    static const uint32_t barriers[] = {0, 1, 1, 1, 4}, groups[] = {0, 1, 1, 2, 3};
    for (size_t i = 0; i < LENGTH(barriers); i++) {
        assert_int_equal(jobs[i].barrier, barriers[i]);
        assert_int_equal(jobs[i].group, groups[i]);
    }
    assert_int_equal(jobs[3].wait_for, 1);
    assert_int_equal(jobs[4].wait_for, FIO_NO_JOB);
    assert_int_equal(jobs[3].exit, FIO_EXIT_NONE);
    assert_int_equal(jobs[4].exit, FIO_EXIT_ALL);
    unload(load);
}

static void a_line_has_a_limit(void **state)
{
    (void)state;
    static char text[FIO_LINE_BYTES_MAX + 16] = "[a]\n";
    for (size_t more = 0; more <= 1; more++) {
        memset(text + 4, '#', FIO_LINE_BYTES_MAX + more);
        strcpy(text + 4 + FIO_LINE_BYTES_MAX + more, "\n");
        struct load *load = load_text(text);
        assert_int_equal(load->good, more == 0);
        if (more > 0) {
            assert_int_equal(load->diag.messages[0].place.line, 2);
            assert_non_null(strstr(load->diag.messages[0].text, "a line is longer than"));
        }
        unload(load);
    }
}

static void a_job_for_a_time_without_a_runtime_is_told(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\nsize=4k\ntime_based\n");
    const struct diag_message *message = &load->diag.messages[0];
    assert_true(load->good);
    assert_int_equal(load->diag.count, 1);
    assert_int_equal(message->level, DIAG_WARNING);
    assert_int_equal(message->place.line, 1); /* of the job */
    assert_int_equal(message->place.column, 1);
    assert_int_equal(message->place.width, 1);
    assert_string_equal(message->snippet, "[a]");
    assert_string_equal(message->text,
                        "time_based needs a runtime: the job ends when its size is done");
    unload(load);
}

static void rates_verify_and_latency_are_carried_over(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\nrw=rw\nrate=1m,500k\nrate_process=poisson\n"
                                  "[b]\nrate_iops=,200\nthinktime=2000\nthinktime_blocks=4\n"
                                  "[c]\nrw=write\nverify=crc32c\nverify_backlog=8\n"
                                  "[d]\nrw=write\nverify=md5\ndo_verify=0\n"
                                  "[e]\nlatency_target=500000\nlatency_window=5s\n"
                                  "latency_percentile=99.9\n");
    assert_true(load->good);
    const struct fio_job *jobs = load->jobs.jobs;
    assert_int_equal(jobs[0].nvme.fio.rate_bytes[WL_READ], 1048576);
    assert_int_equal(jobs[0].nvme.fio.rate_bytes[WL_WRITE], 512000);
    assert_int_equal(jobs[0].nvme.arrival, WL_PACE_POISSON);
    assert_int_equal(jobs[1].nvme.fio.rate_iops[WL_READ], 0);
    assert_int_equal(jobs[1].nvme.fio.rate_iops[WL_WRITE], 200);
    assert_int_equal(jobs[1].nvme.think_time, 2 * PS_PER_MS);
    assert_int_equal(jobs[1].nvme.fio.think_blocks, 4);
    assert_int_equal(jobs[2].nvme.fio.verify_backlog, 8);
    assert_int_equal(jobs[3].nvme.fio.verify_backlog, 0);
    assert_int_equal(jobs[4].nvme.fio.latency_target, 500 * PS_PER_MS);
    assert_int_equal(jobs[4].nvme.fio.latency_window, 5 * PS_PER_S);
    assert_int_equal(jobs[4].nvme.fio.latency_ppm, 999000);
    unload(load);
}

static void names_are_cleaned_and_made_unique(void **state)
{
    (void)state;
    struct load *load = load_text("[global]\nname=all\n[punch 50%]\n[a]\n[a]\n[b]\nname=c\n");
    assert_true(load->good);
    assert_string_equal(load->jobs.jobs[0].name, "punch-50-");
    assert_string_equal(load->jobs.jobs[1].name, "a");
    assert_string_equal(load->jobs.jobs[2].name, "a-2");
    assert_string_equal(load->jobs.jobs[3].name, "c");
    unload(load);
}

static void options_without_meaning_are_listed_once_in_order(void **state)
{
    (void)state;
    struct load *load = load_text("[global]\ndirect=1\nfilename=/dev/x\n[a]\ndirect=0\n");
    assert_true(load->good);
    assert_int_equal(load->diag.count, 2);
    assert_int_equal(load->diag.errors, 0);
    assert_int_equal(load->diag.messages[0].level, DIAG_NOTE);
    assert_int_equal(load->diag.messages[0].place.line, 2);
    assert_non_null(strstr(load->diag.messages[0].text, "'direct' has no effect here"));
    assert_int_equal(load->diag.messages[1].place.line, 3);
    unload(load);
}

/* Each is refused at that place, and the message holds these words. */
static void bad_files_are_refused_at_their_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } rows[] = {
        {"", 0, 1, "no job"},
        {"[global]\nbs=4k\n", 2, 1, "no job"},
        {"bs=4k\n", 1, 1, "expected a section"},
        {"[a\n", 1, 1, "']'"},
        {"[]\n", 1, 1, "1 to 31"},
        {"[a]\nbsz=4k\n", 2, 1, "did you mean 'bs'"},
        {"[a]\n  frobnicate\n", 2, 3, "no option 'frobnicate'"},
        {"[a]\nbs=4x\n", 2, 4, "'4x'"},
        {"[a]\nbs=100\n", 2, 4, "from 512"},
        {"[a]\nbs=700\n", 2, 4, "multiple of 512"},
        {"[a]\nbs\n", 2, 1, "needs a value"},
        {"[a]\nbs = \n", 2, 1, "needs a value"},
        {"[a]\nexit_what=some\nexitall\n", 2, 11, "one of"},
        {"[a]\nrw=randread:-8\n", 1, 1, "counts I/Os"},
        {"[a]\noffset_increment=100\n", 1, 1, "offsets are multiples of 512"},
        {"[a]\nrw=trimwrite\n", 2, 4, "trims mixed with other I/O"},
        {"[a]\nrw=raed\n", 2, 4, "expected read, write"},
        {"[a]\nrw=${RW}\n", 2, 4, "environment"},
        {"[a]\nioengine=rdma\nhostname=x\n[b]\n", 2, 10, "'rdma' is not supported"},
        {"[a]\nioengine=libaoi\n", 2, 10, "did you mean 'libaio'"},
        {"[global]\nioengine=net\nprotocol=tcp\n[a]\nioengine=sync\n[b]\n", 2, 10, "'net' is not"},
        {"[a]\nflow=8\n", 2, 1, "'flow' is not supported"},
        {"[a]\nzonemode=zbd\n", 2, 10, "zoned block devices"},
        {"[a]\nbssplit=4k/60:8k/60\n", 2, 9, "add up to 100"},
        {"[a]\nbssplit=4k/60:8k/30\n", 2, 9, "add up to 100"},
        {"[a]\nbsrange=4k\n", 2, 9, "ranges such as"},
        {"[a]\nbsrange=4k-8k,4k-8k,4k-8k,4k-8k\n", 2, 9, "ranges such as"},
        {"[a]\nbssplit=4k/100,4k/100,4k/100,4k/100\n", 2, 9, "add up to 100"},
        {"[a]\nrw=randread\nrandom_distribution=zoned:60/10:40/91\n", 3, 21, "zoned"},
        {"[a]\nrw=randread\nrandom_distribution=zoned:60/10:41/90\n", 3, 21, "zoned"},
        {"[a]\nrw=randread\nrandom_distribution=zoned:60/10:39/90\n", 3, 21, "zoned"},
        {"[a]\nrw=randread\nrandom_distribution=zoned:101/10:-1/90\n", 3, 21, "zoned"},
        {"[a]\nrwmixread=101\n", 2, 11, "0 to 100"},
        {"[a]\niodepth=0\n", 2, 9, "from 1 to"},
        {"[a]\nnumjobs=4097\n", 2, 9, "from 1 to 4096"},
        {"[a]\nnumjobs=4000\n[b]\nnumjobs=97\n", 3, 1, "more than 4096"},
        {"[a]\nsize=101%\n", 2, 6, "'101%'"},
        {"[a]\nruntime=365d\n", 2, 9, "at most 100 days"},
        {"[a]\nwait_for=b\n[b]\n", 1, 1, "no job 'b'"},
        {"[a]\nsize=4k\nbs=8k\n", 1, 1, "less than one of its blocks"},
        {"[a]\nrate=1m\nrate_iops=5\n", 1, 1, "exclude"},
        {"[a]\nrw=randread\nzonemode=strided\nzonesize=1m\n", 1, 1, "sequential"},
        {"[a]\nlatency_percentile=101\n", 2, 20, "99.9"},
        {"[a]\nrw=write\nverify=crc33\n", 3, 8, "a check of fio's"},
        {"[a]\nthinktime_blocks_type=issue\n", 2, 1, "not supported"},
        {"\x7F"
         "ELF\x01\x02",
         1, 5, "not a text file"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load *load = load_text(rows[i].text);
        const struct diag_message *message = &load->diag.messages[0];
        if (load->good || load->diag.errors != 1 || load->jobs.jobs != NULL)
            fail_msg("row %zu: %d errors, jobs %u", i, load->diag.errors, load->jobs.count);
        if (message->place.line != rows[i].line || message->place.column != rows[i].column ||
            strstr(message->text, rows[i].words) == NULL)
            fail_msg("row %zu: %d:%d: %s", i, message->place.line, message->place.column,
                     message->text);
        unload(load);
    }
}

static void defaults_of_refused_options_are_fine(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\nfsync=0\nflow=0\nsync=none\niodepth_batch=1\n"
                                  "percentage_random=100\nrw_sequencer=sequential\n");
    assert_true(load->good);
    unload(load);
}

static void kb_base_counts_wherever_it_stands(void **state)
{
    (void)state;
    struct load *load = load_text("[a]\nsize=1m\nkb_base=1000\n[b]\nsize=1m\n");
    assert_true(load->good);
    assert_int_equal(load->jobs.jobs[0].nvme.size, 1000000);
    assert_int_equal(load->jobs.jobs[1].nvme.size, 1048576);
    unload(load);
}

static void limits_hold(void **state)
{
    (void)state;
    char *text = malloc(FIO_FILE_BYTES_MAX + 2);
    assert_non_null(text);
    memset(text, '\n', FIO_FILE_BYTES_MAX + 2);
    struct load *load = load_bytes(text, FIO_FILE_BYTES_MAX + 1);
    assert_false(load->good);
    assert_int_equal(load->diag.messages[0].place.line, 0);
    assert_non_null(strstr(load->diag.messages[0].text, "a fio job file has at most"));
    unload(load);
    size_t at = 0;
    while (at + 4 <= 4 * (FIO_JOBS_MAX + 1)) {
        memcpy(text + at, "[a]\n", 4);
        at += 4;
    }
    load = load_bytes(text, at);
    assert_false(load->good);
    assert_int_equal(load->diag.errors, 1);
    unload(load);
    load = load_bytes(text, at - 4);
    assert_true(load->good);
    assert_int_equal(load->jobs.count, FIO_JOBS_MAX);
    assert_string_equal(load->jobs.jobs[FIO_JOBS_MAX - 1].name, "a-4096");
    unload(load);
    free(text);
}

static bool count_class(void *self, const char *name, const char *alias, const char *class,
                        const char *about)
{
    int *counts = self;
    (void)alias;
    assert_true(name[0] != '\0' && about[0] != '\0');
    counts[class[0] == 'u' ? 0 : class[0] == 'n' ? 1 : 2]++;
    return true;
}

static bool stop_at_once(void *self, const char *name, const char *alias, const char *class,
                         const char *about)
{
    (void)name, (void)alias, (void)class, (void)about;
    (*(int *)self)++;
    return false;
}

static void the_table_can_be_listed(void **state)
{
    int counts[3] = {0}, calls = 0;
    (void)state;
    assert_true(fio_options_each(count_class, counts));
    assert_in_range(counts[0], 40, 80);
    assert_in_range(counts[1], 100, 300);
    assert_in_range(counts[2], 30, 80);
    assert_false(fio_options_each(stop_at_once, &calls));
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_fios_suffixes),
        cmocka_unit_test(times_have_fios_suffixes),
        cmocka_unit_test(percents_have_decimals),
        cmocka_unit_test(a_job_inherits_the_global_sections_above_it),
        cmocka_unit_test(the_mix_and_the_sizes_reach_the_plan),
        cmocka_unit_test(synchronous_engines_keep_one_io_under_way),
        cmocka_unit_test(amounts_follow_fio),
        cmocka_unit_test(stonewalls_and_wait_for_put_jobs_in_order),
        cmocka_unit_test(a_line_has_a_limit),
        cmocka_unit_test(a_job_for_a_time_without_a_runtime_is_told),
        cmocka_unit_test(rates_verify_and_latency_are_carried_over),
        cmocka_unit_test(names_are_cleaned_and_made_unique),
        cmocka_unit_test(options_without_meaning_are_listed_once_in_order),
        cmocka_unit_test(bad_files_are_refused_at_their_place),
        cmocka_unit_test(defaults_of_refused_options_are_fine),
        cmocka_unit_test(kb_base_counts_wherever_it_stands),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(the_table_can_be_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
