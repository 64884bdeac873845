/* SPDX-License-Identifier: Apache-2.0
 * test_fio_job - what the options of a section make of its workload. */
#include "scenarios/fio/fio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

struct load {
    struct fio_jobs jobs;
    struct diag diag;
};

/* The options as the only job of a file, whose last line has no end. */
static const struct fio_job *load(struct load *load, const char *options)
{
    char text[512];
    const int length = snprintf(text, sizeof text, "[job]\n%s", options);
    assert_in_range(length, 1, sizeof text - 1);
    *load = (struct load){0};
    return fio_load("t.fio", text, (size_t)length, &load->jobs, &load->diag) ? &load->jobs.jobs[0]
                                                                             : NULL;
}

static void every_number_reaches_the_workload(void **state)
{
    (void)state;
    struct load loaded;
    const struct fio_job *job =
        load(&loaded, "rw=randrw:8\nblockalign=8k,16k\noffset=64k\noffset_increment=1m\nloops=3\n"
                      "numjobs=5\nstartdelay=2\nramp_time=250ms\nnumber_ios=77\nthinktime=9\n"
                      "thinktime_blocks=6\nrate_iops=100,200\nioengine=libaio\niodepth=12\n"
                      "latency_target=300\nlatency_window=7\nlatency_run=1\nsize=1g");
    assert_non_null(job);
    const struct wl_nvme_params *nvme = &job->nvme;
    const struct wl_nvme_fio *fio = &nvme->fio;
    const struct {
        const char *name;
        int64_t is, expected;
    } rows[] = {
        {"copies", job->copies, 5},
        {"start delay", job->start_delay, 2 * PS_PER_S},
        {"runtime", job->runtime, TIME_NEVER},
        {"warm-up", nvme->warm_up, 250 * PS_PER_MS},
        {"reads", nvme->read, 500000},
        {"block size", nvme->block_size, 4096},
        {"pattern", nvme->pattern, WL_NVME_RANDOM},
        {"depth", nvme->queue_depth, 12},
        {"queues", nvme->queues, 1},
        {"arrival", nvme->arrival, WL_PACE_PACED},
        {"size", nvme->size, INT64_C(1) << 30},
        {"offset", nvme->offset, 65536},
        {"think time", nvme->think_time, 9 * PS_PER_US},
        {"think blocks", fio->think_blocks, 6},
        {"offset step", fio->offset_step, 1048576},
        {"I/Os of a loop", fio->loop_ios, 77},
        {"loops", fio->loops, 3},
        {"reads per second", fio->rate_iops[WL_READ], 100},
        {"writes per second", fio->rate_iops[WL_WRITE], 200},
        {"latency target", fio->latency_target, 300 * PS_PER_US},
        {"latency window", fio->latency_window, 7 * PS_PER_US},
        {"latency share", fio->latency_ppm, 1000000},
        {"latency run", fio->latency_keep, 1},
        {"read-back", fio->verify_backlog, 0},
        {"alignment of reads", fio->plan.align[WL_READ], 8192},
        {"alignment of writes", fio->plan.align[WL_WRITE], 16384},
        {"run", fio->plan.run, 8},
        {"stride", fio->plan.stride, 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].is != rows[i].expected)
            fail_msg("%s: %lld", rows[i].name, (long long)rows[i].is);
    assert_true(fio->planned);
    fio_free(&loaded.jobs);
}

/* Loops are repetitions of an amount; a job for a time has none. */
static void a_job_for_a_time_is_one_loop(void **state)
{
    (void)state;
    struct load loaded;
    assert_int_equal(load(&loaded, "size=1m\nloops=4\ntime_based\nruntime=3")->nvme.fio.loops, 1);
    assert_int_equal(loaded.diag.count, 0);
    fio_free(&loaded.jobs);
    assert_int_equal(load(&loaded, "size=1m\nloops=4\nruntime=3")->nvme.fio.loops, 4);
    assert_int_equal(loaded.diag.count, 0);
    fio_free(&loaded.jobs);
}

static void written_data_are_read_back_where_verify_says(void **state)
{
    static const struct {
        const char *options;
        int64_t backlog;
    } rows[] = {
        {"rw=write\nverify=md5", INT64_MAX},
        {"rw=randrw\nverify=pattern\nverify_backlog=1", 1},
        {"rw=write\nverify=md5\nverify=0", 0},
        {"rw=write\nverify=null", 0},
        {"rw=read\nverify=crc32c\nverify_backlog=8", 0},
        {"rw=write\nverify_backlog=8", 0},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load loaded;
        const struct fio_job *job = load(&loaded, rows[i].options);
        assert_non_null(job);
        if (job->nvme.fio.verify_backlog != rows[i].backlog)
            fail_msg("%s: %lld", rows[i].options, (long long)job->nvme.fio.verify_backlog);
        fio_free(&loaded.jobs);
    }
}

/* reads[,writes[,trims]]: one value is for both; one that is left out stays as it was. */
static void values_for_two_directions(void **state)
{
    static const struct {
        const char *options;
        int64_t read, write; /* -1: refused */
    } rows[] = {
        {"rate=5000", 5000, 5000}, {"rate=5000,", 5000, 0},
        {"rate=,6000", 0, 6000},   {"rate=5000,6000", 5000, 6000},
        {"rate=5,6,7", 5, 6},      {"rate=9\nrate=,8", 9, 8},
        {"rate=5,,7", 5, 0},       {"rate=5,6,7,8", -1, -1},
        {"rate=5,6,x", -1, -1},    {"rate=", -1, -1},
        {"rate", -1, -1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load loaded;
        const struct fio_job *job = load(&loaded, rows[i].options);
        const int64_t read = job != NULL ? job->nvme.fio.rate_bytes[WL_READ] : -1;
        const int64_t write = job != NULL ? job->nvme.fio.rate_bytes[WL_WRITE] : -1;
        if (read != rows[i].read || write != rows[i].write)
            fail_msg("%s: %lld, %lld", rows[i].options, (long long)read, (long long)write);
        fio_free(&loaded.jobs);
    }
}

static void ranges_and_shares_of_sizes(void **state)
{
    (void)state;
    struct load loaded;
    const struct fio_job *job = load(&loaded, "rw=rw\nbsrange=16k-4k,8k:8k,1k-2k");
    assert_non_null(job);
    const struct wl_plan_sizes *sizes = job->nvme.fio.plan.sizes;
    assert_int_equal(sizes[WL_READ].count, 1);
    assert_int_equal(sizes[WL_READ].total, 1);
    assert_int_equal(sizes[WL_READ].entries[0].low, 4096);
    assert_int_equal(sizes[WL_READ].entries[0].high, 16384);
    assert_int_equal(sizes[WL_WRITE].entries[0].low, 8192);
    assert_int_equal(sizes[WL_WRITE].entries[0].high, 8192);
    assert_int_equal(job->nvme.block_size, 16384);
    assert_int_equal(job->nvme.pattern, WL_NVME_SEQUENTIAL);
    fio_free(&loaded.jobs);
    job = load(&loaded, "rw=rw\nbsrange=4k-8k"); /* one range is that of both directions */
    assert_non_null(job);
    sizes = job->nvme.fio.plan.sizes;
    for (int way = WL_READ; way <= WL_WRITE; way++) {
        assert_int_equal(sizes[way].entries[0].low, 4096);
        assert_int_equal(sizes[way].entries[0].high, 8192);
    }
    fio_free(&loaded.jobs);
    job = load(&loaded, "rw=rw\nbsrange=4k-8k,16k-32k"); /* and the last of two is the write's */
    assert_non_null(job);
    sizes = job->nvme.fio.plan.sizes;
    assert_int_equal(sizes[WL_READ].entries[0].high, 8192);
    assert_int_equal(sizes[WL_WRITE].entries[0].low, 16384);
    assert_int_equal(sizes[WL_WRITE].entries[0].high, 32768);
    fio_free(&loaded.jobs);
    job = load(&loaded, "rw=rw\nbssplit=4k/25:8k:16k:32k/1,64k/100");
    assert_non_null(job);
    sizes = job->nvme.fio.plan.sizes;
    static const int64_t shares[] = {25, 37, 37, 1};
    assert_int_equal(sizes[WL_READ].count, LENGTH(shares));
    assert_int_equal(sizes[WL_READ].total, 100);
    for (size_t i = 0; i < LENGTH(shares); i++)
        assert_int_equal(sizes[WL_READ].entries[i].share, shares[i]);
    assert_int_equal(sizes[WL_WRITE].count, 1);
    assert_int_equal(sizes[WL_WRITE].entries[0].low, 65536);
    fio_free(&loaded.jobs);
}

static void strided_zones(void **state)
{
    static const struct {
        const char *options;
        int64_t bytes, skip;
        const char *refused;
    } rows[] = {
        {"zonesize=64k\nzonerange=256k\nzoneskip=4k", 65536, 196608 + 4096, NULL},
        {"zonesize=64k\nzoneskip=4k", 65536, 4096, NULL},
        {"zonesize=64k\nzonerange=64k", 65536, 0, NULL},
        {"zonesize=64k\nzonerange=63k", 0, 0, "not larger than the zonerange"},
        {"zonerange=64k", 0, 0, "needs a zonesize"},
        {"zonesize=700", 0, 0, "multiples of 512"},
        {"zonesize=512\nzonerange=1025", 0, 0, "multiples of 512"},
        {"zonesize=512\nzoneskip=1", 0, 0, "multiples of 512"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load loaded;
        char options[128];
        snprintf(options, sizeof options, "zonemode=strided\n%s", rows[i].options);
        const struct fio_job *job = load(&loaded, options);
        if ((job == NULL) != (rows[i].refused != NULL))
            fail_msg("row %zu", i);
        if (job == NULL) {
            assert_non_null(strstr(loaded.diag.messages[0].text, rows[i].refused));
            continue;
        }
        assert_int_equal(job->nvme.fio.plan.zone_bytes, rows[i].bytes);
        assert_int_equal(job->nvme.fio.plan.zone_skip, rows[i].skip);
        fio_free(&loaded.jobs);
    }
    struct load loaded;
    const struct fio_job *job = load(&loaded, "zonemode=none\nzonesize=64k");
    assert_int_equal(job->nvme.fio.plan.zone_bytes, 0);
    fio_free(&loaded.jobs);
}

static void who_else_ends_with_a_job(void **state)
{
    static const struct {
        const char *options;
        enum fio_exit exit;
    } rows[] = {
        {"exitall", FIO_EXIT_GROUP},
        {"exitall=1\nexit_what=group", FIO_EXIT_GROUP},
        {"exitall\nexit_what=stonewall", FIO_EXIT_STONEWALL},
        {"exit_what=all\nexitall", FIO_EXIT_ALL},
        {"exitall=0\nexit_what=all", FIO_EXIT_NONE},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct load loaded;
        const struct fio_job *job = load(&loaded, rows[i].options);
        assert_non_null(job);
        if (job->exit != rows[i].exit)
            fail_msg("%s: %d", rows[i].options, (int)job->exit);
        fio_free(&loaded.jobs);
    }
}

/* Only `global` is a section that others inherit; what stands behind a bracket says nothing. */
static void names_of_sections(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct fio_jobs jobs;
    static const char text[] =
        "[global] bs=1k\niodepth=9\nioengine=libaio\n[globe]\n[globals]\n"
        "iodepth=3\n[Global]\n [a] ] ; [b]\n[a234567890123456789012345678901]";
    assert_true(fio_load("t.fio", text, sizeof text - 1, &jobs, &diag));
    static const char *const names[] = {"globe", "globals", "Global", "a",
                                        "a234567890123456789012345678901"};
    static const int depths[] = {9, 3, 9, 9, 9};
    assert_int_equal(jobs.count, LENGTH(names));
    for (uint32_t i = 0; i < jobs.count; i++) {
        assert_string_equal(jobs.jobs[i].name, names[i]);
        assert_int_equal(jobs.jobs[i].nvme.queue_depth, depths[i]);
        assert_int_equal(jobs.jobs[i].nvme.block_size, 4096);
    }
    fio_free(&jobs);
}

static void a_share_has_a_size(void **state)
{
    (void)state;
    static const char *const wrong[] = {"rw=read\nbssplit=/50:8k/50", "rw=read\nbssplit=8k/50:/50",
                                        "rw=randread\nrandom_distribution=zoned:/50:50/50"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct load loaded;
        assert_null(load(&loaded, wrong[i]));
        fio_free(&loaded.jobs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_has_a_size),
        cmocka_unit_test(every_number_reaches_the_workload),
        cmocka_unit_test(a_job_for_a_time_is_one_loop),
        cmocka_unit_test(written_data_are_read_back_where_verify_says),
        cmocka_unit_test(values_for_two_directions),
        cmocka_unit_test(ranges_and_shares_of_sizes),
        cmocka_unit_test(strided_zones),
        cmocka_unit_test(who_else_ends_with_a_job),
        cmocka_unit_test(names_of_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
