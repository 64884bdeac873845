/* SPDX-License-Identifier: Apache-2.0
 * Media: exact times, unloaded latency, saturation, the store. */
#include "nvme/media/media.h"
#include "nvme/media/tag_store.h"
#include "nvme/wire/spec.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH_MAX = 1024 };

struct bench {
    struct fake_world world;
    const struct media_ops *ops;
    _Alignas(16) unsigned char params[MEDIA_PARAMS_MAX];
    struct media *media;
    struct media_request requests[DEPTH_MAX];
    struct rng rng;
    uint64_t done;
    time_ps waited, served; /* sums */
    uint64_t span;          /* of the offsets */
    uint64_t capacity;
    bool again; /* a request that is done is submitted again elsewhere */
};

static struct bench bench;

static void set(const char *name, int64_t value)
{
    const struct opt *row = opt_find(bench.ops->opts, name);
    assert_non_null(row);
    *opt_field(row, bench.params) = value;
}

static void begin(const char *kind)
{
    memset(&bench, 0, sizeof bench);
    fake_init(&bench.world);
    bench.ops = media_find(kind);
    assert_non_null(bench.ops);
    assert_true(bench.ops->params_bytes <= MEDIA_PARAMS_MAX);
    opt_presets(bench.ops->opts, bench.params);
    bench.rng = rng_stream(1, "test", "offsets");
    bench.span = bench.capacity = UINT64_C(1) << 40;
}

static void create(uint32_t index)
{
    const struct media_site site = {&bench.world.env, bench.params, index, bench.capacity};
    bench.media = bench.ops->create(&site);
}

static void make(void)
{
    create(0);
    /* The medium has its own copy. */
    memset(bench.params, 0xFF, sizeof bench.params);
}

static void end(void)
{
    bench.ops->audit(bench.media);
    bench.ops->destroy(bench.media);
    fake_fini(&bench.world);
}

static void submit(unsigned index);

static void on_done(void *self, struct media_request *request)
{
    const unsigned index = (unsigned)(request - bench.requests);
    (void)self;
    assert_int_equal(request->done_at, bench.world.now);
    assert_true(request->submitted_at <= request->begun_at &&
                request->begun_at <= request->done_at);
    bench.done++;
    bench.waited += request->begun_at - request->submitted_at;
    bench.served += request->done_at - request->begun_at;
    if (bench.again)
        submit(index);
}

static void submit(unsigned index)
{
    struct media_request *request = &bench.requests[index];
    const uint64_t places = bench.span / 4096;
    const enum media_op op = request->op;
    const uint32_t bytes = request->bytes;
    *request = (struct media_request){
        .op = op,
        .bytes = bytes,
        .offset = rng_below(&bench.rng, places) * 4096,
        .done = on_done,
    };
    bench.ops->submit(bench.media, request);
}

static void run(unsigned depth, enum media_op op, uint32_t bytes, time_ps span)
{
    for (unsigned i = 0; i < depth; i++) {
        bench.requests[i].op = op;
        bench.requests[i].bytes = bytes;
        submit(i);
    }
    fake_run(&bench.world, bench.world.now + span);
    bench.ops->audit(bench.media);
}

static void null_takes_no_time(void **state)
{
    (void)state;
    begin("null");
    make();
    run(10, MEDIA_READ, 4096, 0);
    assert_int_equal(bench.done, 10);
    assert_int_equal(bench.waited + bench.served, 0);
    end();
}

/* Three servers, seven reads of 10 us: they end at 10, 20 and 30 us, having waited 0, 10 and 20. */
static void fixed_is_exact(void **state)
{
    (void)state;
    begin("fixed");
    set("parallel", 3);
    set("write-latency", 25 * PS_PER_US);
    make();
    run(7, MEDIA_READ, 4096, 10 * PS_PER_US);
    assert_int_equal(bench.done, 3);
    fake_run(&bench.world, 20 * PS_PER_US - 1);
    assert_int_equal(bench.done, 3);
    fake_run(&bench.world, 30 * PS_PER_US);
    assert_int_equal(bench.done, 7);
    assert_int_equal(bench.waited, (3 * 10 + 20) * PS_PER_US);
    assert_int_equal(bench.served, 70 * PS_PER_US);
    run(1, MEDIA_WRITE, 1 << 20, 25 * PS_PER_US - 1);
    assert_int_equal(bench.done, 7);
    fake_run(&bench.world, bench.world.now + 1);
    assert_int_equal(bench.done, 8);
    run(1, MEDIA_FLUSH, 0, 0);
    assert_int_equal(bench.done, 9);
    end();
}

/* Without jitter the sum of the stages is known: see media_flash.c. */
static void flash_alone_by_hand(void **state)
{
    (void)state;
    static const struct {
        enum media_op op;
        uint32_t bytes;
        time_ps expected;
    } rows[] = {
        /* 1.6 us + 60 us + 4096 * 8 / 9.6 Gb/s rounded up + 4096 * 8 / 25.6 Gb/s + 13 us */
        {MEDIA_READ, 4096, 1600000 + 60000000 + 3413334 + 1280000 + 13000000},
        /* 1.6 us + 4096 * 8 / 25.6 Gb/s + 14 us */
        {MEDIA_WRITE, 4096, 1600000 + 1280000 + 14000000},
        {MEDIA_FLUSH, 0, 1600000},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("flash-tlc");
        set("read-jitter", 0);
        make();
        run(1, rows[i].op, rows[i].bytes, PS_PER_S);
        assert_int_equal(bench.done, 1);
        assert_int_equal(bench.waited, 0);
        assert_int_equal(bench.served, rows[i].expected);
        end();
    }
}

/* Bands for the defaults: about 80 us alone, several 100 thousand IOPS when full. */
static void flash_bands(void **state)
{
    (void)state;
    static const struct {
        unsigned depth;
        enum media_op op;
        uint32_t bytes;
        uint64_t least, most; /* per second */
        time_ps mean_least, mean_most;
    } rows[] = {
        {1, MEDIA_READ, 4096, 11700, 13300, 75 * PS_PER_US, 85 * PS_PER_US},
        {16, MEDIA_READ, 4096, 140000, 200000, 80 * PS_PER_US, 120 * PS_PER_US},
        {256, MEDIA_READ, 4096, 500000, 625000, 400 * PS_PER_US, 600 * PS_PER_US},
        {1, MEDIA_WRITE, 4096, 55000, 62000, 15 * PS_PER_US, 18 * PS_PER_US},
        /* 3.2 GB/s of link for reads of 128 KiB; 3 GB/s of programs for writes. */
        {64, MEDIA_READ, 131072, 20000, 24500, 2500 * PS_PER_US, 3300 * PS_PER_US},
        {64, MEDIA_WRITE, 131072, 21000, 24500, 2400 * PS_PER_US, 3100 * PS_PER_US},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("flash-tlc");
        make();
        bench.again = true;
        run(rows[i].depth, rows[i].op, rows[i].bytes, PS_PER_S / 4);
        const uint64_t per_second = bench.done * 4;
        const time_ps mean = (bench.waited + bench.served) / (time_ps)bench.done;
        if (per_second < rows[i].least || per_second > rows[i].most || mean < rows[i].mean_least ||
            mean > rows[i].mean_most)
            fail_msg("row %u: %llu per second, mean %lld ns", i, (unsigned long long)per_second,
                     (long long)(mean / 1000));
        end();
    }
}

/* Any buffer, however small against writes and programs, lets every write through. */
static void flash_never_sticks(void **state)
{
    (void)state;
    static const int64_t buffers[] = {64 << 10, 1 << 20, 64 << 20};
    static const int64_t programs[] = {4 << 10, 32 << 10, 16 << 20};
    static const uint32_t sizes[] = {4096, 24576, 1 << 20, 8 << 20};
    for (unsigned i = 0; i < 3 * 3 * 4; i++) {
        begin("flash-tlc");
        set("buffer", buffers[i % 3]);
        set("program-size", programs[i / 3 % 3]);
        make();
        for (unsigned round = 0; round < 20; round++)
            run(7, MEDIA_WRITE, sizes[i / 9], 10 * PS_PER_S);
        assert_int_equal(bench.done, 140);
        end();
    }
}

/* The same seed gives the same times; another device of the target has its own jitter. */
static void flash_repeats(void **state)
{
    (void)state;
    time_ps sums[3];
    for (unsigned i = 0; i < 3; i++) {
        begin("flash-tlc");
        create(i / 2);
        run(100, MEDIA_READ, 65536, PS_PER_S);
        sums[i] = bench.waited + bench.served;
        end();
    }
    assert_int_equal(sums[0], sums[1]);
    assert_int_not_equal(sums[0], sums[2]);
}

/* One after the other; how many took longer than so long. */
enum { TRIES = 20000 };

static unsigned longer_than(const char *kind, const char *p99, enum media_op op, time_ps limit)
{
    unsigned longer = 0;
    begin(kind);
    if (p99 != NULL)
        set(p99, 3 * *opt_field(opt_find(bench.ops->opts, op == MEDIA_WRITE ? "write-latency"
                                                          : kind[1] == 'i'  ? "read-latency"
                                                                            : "read-time"),
                                bench.params));
    if (kind[1] == 'l') { /* nothing beside the page */
        set("command-time", 0);
        set("read-overhead", 0);
        set("link-rate", INT64_C(10000000000000));
        set("channel-rate", INT64_C(1000000000000));
        set("read-jitter", 0);
    }
    make();
    for (unsigned i = 0; i < TRIES; i++) {
        const time_ps before = bench.served;
        run(1, op, 512, PS_PER_S);
        longer += bench.served - before > limit;
    }
    assert_int_equal(bench.waited, 0);
    end();
    return longer;
}

/* Of the law: half above the median, a hundredth above the 99th percentile, and above
 * median * 3^(ln 999 / ln 99) a thousandth. */
static void tails_are_as_long_as_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *p99;
        enum media_op op;
        double median;
    } rows[] = {{"fixed", "read-p99", MEDIA_READ, 10e6},
                {"fixed", "write-p99", MEDIA_WRITE, 10e6},
                {"flash-tlc", "read-p99", MEDIA_READ, 60e6}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const time_ps slack = rows[i].kind[1] == 'l' ? 10000 : 0; /* 512 B over wires */
        const double far = rows[i].median * 5.213;
        const time_ps limits[] = {(time_ps)rows[i].median, 3 * (time_ps)rows[i].median,
                                  (time_ps)far};
        const unsigned expected[] = {TRIES / 2, TRIES / 100, TRIES / 1000};
        for (unsigned k = 0; k < 3; k++) {
            const unsigned found =
                longer_than(rows[i].kind, rows[i].p99, rows[i].op, limits[k] + slack);
            const unsigned spread = k == 0 ? 250 : k == 1 ? 45 : 15; /* three deviations */
            assert_in_range(found, expected[k] - spread, expected[k] + spread);
        }
        assert_int_equal(longer_than(rows[i].kind, NULL, rows[i].op, limits[0] + slack), 0);
    }
}

/* Programs too: a full buffer waits for the slow ones. */
static void programs_have_tails(void **state)
{
    (void)state;
    uint64_t done[2];
    for (unsigned i = 0; i < 2; i++) {
        begin("flash-tlc");
        set("buffer", 1 << 20);
        set("program-p99", i == 0 ? 0 : 2800 * PS_PER_US);
        make();
        bench.again = true;
        run(64, MEDIA_WRITE, 32768, 200 * PS_PER_MS);
        done[i] = bench.done;
        bench.again = false;
        fake_run(&bench.world, bench.world.now + PS_PER_S);
        end();
    }
    /* Four medians, so a mean of (pi / b) / sin(pi / b) medians, b = ln 99 / ln 4: 1.17. */
    assert_in_range(done[1] * 100 / done[0], 75, 95);
}

static void every_kind_is_found(void **state)
{
    (void)state;
    unsigned count = 0;
    for (; media_kinds[count] != NULL; count++) {
        assert_ptr_equal(media_find(media_kinds[count]->name), media_kinds[count]);
        assert_non_null(media_kinds[count]->opts);
    }
    assert_int_equal(count, 4);
    assert_null(media_find("tape"));
}

/* ---- what the blocks hold ---- */

static void store_remembers_ranges(void **state)
{
    (void)state;
    struct nvme_tag_store store;
    nvme_tag_store_init(&store, 512, NVME_TAG_STORE_LIMIT);
    assert_int_equal(nvme_tag_store_read(&store, 0, 8), 0);
    nvme_tag_store_write(&store, 8, 64, 5);
    assert_int_equal(nvme_tag_store_read(&store, 8, 64), 5);
    assert_int_equal(nvme_tag_store_read(&store, 15, 3), 5);
    assert_int_equal(nvme_tag_store_read(&store, 7, 2), NVME_CONTENT_MIXED);
    nvme_tag_store_write(&store, 17, 1, 6); /* one block inside */
    assert_int_equal(nvme_tag_store_read(&store, 17, 1), 6);
    assert_int_equal(nvme_tag_store_read(&store, 16, 1), 5);
    assert_int_equal(nvme_tag_store_read(&store, 18, 6), 5);
    assert_int_equal(nvme_tag_store_read(&store, 16, 2), NVME_CONTENT_MIXED);
    nvme_tag_store_write(&store, 16, 8, 7);
    assert_int_equal(nvme_tag_store_read(&store, 16, 8), 7);
    nvme_tag_store_write(&store, 1000, 1, 8); /* in a place that held nothing */
    assert_int_equal(nvme_tag_store_read(&store, 1001, 1), 0);
    nvme_tag_store_fini(&store);
}

/* A write whose data is of several others, or that brings none, leaves no tag that a read could
 * take for one. */
static void data_without_a_tag_is_mixed(void **state)
{
    (void)state;
    struct nvme_store *store = nvme_tag_store_create(512);
    const struct nvme_range range = {8, 8};
    const struct nvme_buffer known = {.content = 5}, unknown = {.content = NVME_CONTENT_NONE};
    const struct nvme_buffer *const data[] = {&known, &unknown, &known, NULL, &known};
    for (unsigned i = 0; i < sizeof data / sizeof data[0]; i++) {
        struct nvme_buffer read = {0};
        assert_int_equal(store->ops->write(store, range, data[i], 0), NVME_STATUS_OK);
        assert_int_equal(store->ops->read(store, range, &read), NVME_STATUS_OK);
        assert_int_equal(read.content, data[i] == &known ? 5 : NVME_CONTENT_MIXED);
    }
    store->ops->destroy(store);
}

/* What is more than the limit is forgotten, and said to be; a store that is full stays as it is. */
static void a_full_store_does_not_grow(void **state)
{
    (void)state;
    enum { LIMIT = 512 };
    struct nvme_tag_store store;
    nvme_tag_store_init(&store, 4096, LIMIT);
    for (uint32_t i = 0; i < LIMIT; i++)
        nvme_tag_store_write(&store, i, 1, i + 1);
    const uint64_t capacity = store.capacity;
    assert_in_range(capacity, LIMIT, 4 * LIMIT);
    assert_int_equal(nvme_tag_store_read(&store, LIMIT, 1), 0);
    for (uint32_t i = 0; i < 3 * LIMIT; i++)
        nvme_tag_store_write(&store, i, 1, i + 7);
    assert_int_equal(store.capacity, capacity);
    for (uint32_t i = 0; i < LIMIT; i++) /* those that it holds can change */
        assert_int_equal(nvme_tag_store_read(&store, i, 1), i + 7);
    assert_int_equal(nvme_tag_store_read(&store, LIMIT, 1), NVME_CONTENT_MIXED);
    nvme_tag_store_fini(&store);
}

/* Write Zeroes: as if never written, in parts of 4 KiB, in whole ones, in all of a namespace. */
static void zeroed_blocks_were_never_written(void **state)
{
    (void)state;
    static const struct nvme_range ranges[] = {
        {3, 2}, {3, 5}, {5, 20}, {8, 16}, {0, UINT64_C(1) << 40}, {20, UINT64_C(1) << 40}};
    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct nvme_store *base = nvme_tag_store_create(512);
        struct nvme_tag_store *store = (struct nvme_tag_store *)(void *)base;
        nvme_tag_store_write(store, 0, 64, 5);
        nvme_tag_store_write(store, 13, 1, 6);
        assert_int_equal(base->ops->zero(base, ranges[i]), NVME_STATUS_OK);
        for (uint64_t lba = 0; lba < 64; lba++) {
            const bool zeroed = lba >= ranges[i].lba && lba - ranges[i].lba < ranges[i].blocks;
            assert_int_equal(nvme_tag_store_read(store, lba, 1), zeroed ? 0 : lba == 13 ? 6 : 5);
        }
        base->ops->destroy(base);
    }
}

/* Against an array, with small and large blocks. */
static void store_against_an_array(void **state)
{
    (void)state;
    static uint32_t truth[4096];
    for (unsigned big = 0; big < 2; big++) {
        struct nvme_tag_store store;
        struct rng rng = rng_stream(2, "test", "store");
        nvme_tag_store_init(&store, big ? 4096 : 512, NVME_TAG_STORE_LIMIT);
        memset(truth, 0, sizeof truth);
        for (uint32_t i = 1; i < 20000; i++) {
            const uint32_t blocks = 1 + (uint32_t)rng_below(&rng, 40);
            const uint64_t lba = rng_below(&rng, 4096 - blocks);
            uint32_t expected = truth[lba];
            for (uint32_t k = 0; k < blocks; k++)
                if (truth[lba + k] != expected)
                    expected = NVME_CONTENT_MIXED;
            assert_int_equal(nvme_tag_store_read(&store, lba, blocks), expected);
            if (i % 2 == 0)
                continue;
            nvme_tag_store_write(&store, lba, blocks, i);
            for (uint32_t k = 0; k < blocks; k++)
                truth[lba + k] = i;
        }
        nvme_tag_store_fini(&store);
    }
}

/* Whatever a medium is at when it goes, nothing comes of it afterwards. */
static void destroyed_at_any_time(void **state)
{
    static const char *const kinds[] = {"null", "fixed", "flash-tlc"};
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        for (time_ps after = 0; after < PS_PER_MS; after += 7 * PS_PER_US) {
            begin(kinds[kind]);
            make();
            run(8, MEDIA_READ, 16384, 0);
            for (unsigned i = 8; i < 72; i++) {
                bench.requests[i].op = MEDIA_WRITE;
                bench.requests[i].bytes = 65536;
                submit(i);
            }
            fake_run(&bench.world, after);
            const uint64_t done = bench.done;
            bench.ops->destroy(bench.media);
            fake_run(&bench.world, after + PS_PER_S);
            assert_int_equal(bench.done, done);
            fake_fini(&bench.world);
        }
}

/* A store that is full keeps what it has and admits what it does not know. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_takes_no_time),
        cmocka_unit_test(fixed_is_exact),
        cmocka_unit_test(flash_alone_by_hand),
        cmocka_unit_test(flash_bands),
        cmocka_unit_test(flash_never_sticks),
        cmocka_unit_test(flash_repeats),
        cmocka_unit_test(tails_are_as_long_as_they_say),
        cmocka_unit_test(programs_have_tails),
        cmocka_unit_test(every_kind_is_found),
        cmocka_unit_test(store_remembers_ranges),
        cmocka_unit_test(zeroed_blocks_were_never_written),
        cmocka_unit_test(store_against_an_array),
        cmocka_unit_test(data_without_a_tag_is_mixed),
        cmocka_unit_test(a_full_store_does_not_grow),
        cmocka_unit_test(destroyed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
