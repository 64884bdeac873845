/* SPDX-License-Identifier: Apache-2.0
 * Several drives as one: which of them a request needs, how long it takes, what a drive that fails
 * costs, and how long a rebuild is. */
#include "nvme/media/array.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US PS_PER_US

enum { STRIP = 65536, READ_US = 80, WRITE_US = 20, DEPTH = 64, MIB = 1 << 20 };

static struct {
    struct fake_world world;
    struct array_setup setup;
    _Alignas(16) unsigned char params[MEDIA_PARAMS_MAX];
    struct media *media;
    struct media_request requests[DEPTH];
    time_ps done[DEPTH]; /* 0: not yet */
    bool failed[DEPTH];
    time_ps taken[ARRAY_DRIVES_MAX]; /* by a drive, in all */
    unsigned drives_seen, finished;
} a;

/* Drives that take 80 us to read and 20 us to write, whatever the size. */
static void begin(enum array_layout layout, int64_t drives, int64_t parity, int64_t parallel)
{
    memset(&a, 0, sizeof a);
    fake_init(&a.world);
    a.setup.drive = media_find("fixed");
    opt_presets(a.setup.drive->opts, a.params);
    *opt_field(opt_find(a.setup.drive->opts, "read-latency"), a.params) = READ_US * US;
    *opt_field(opt_find(a.setup.drive->opts, "write-latency"), a.params) = WRITE_US * US;
    *opt_field(opt_find(a.setup.drive->opts, "parallel"), a.params) = parallel;
    a.setup.drive_params = a.params;
    a.setup.params = (struct array_params){.drives = drives,
                                           .layout = layout,
                                           .strip = STRIP,
                                           .parity = parity,
                                           .rebuild_window = MIB};
}

static void make(uint64_t bytes)
{
    a.media = array_media.create(&(struct media_site){&a.world.env, &a.setup, 0, bytes});
    assert_int_equal(array_drives(a.media), a.setup.params.drives);
}

static void run_for(time_ps span)
{
    fake_run(&a.world, a.world.now + span);
    array_media.audit(a.media);
}

static struct array_stats stats(void)
{
    struct array_stats sum = {0};
    array_stats(a.media, &sum);
    return sum;
}

static struct array_stats end(void)
{
    const struct array_stats sum = stats();
    array_media.destroy(a.media);
    fake_fini(&a.world);
    return sum;
}

static void on_done(void *self, struct media_request *request)
{
    const size_t at = (size_t)(request - a.requests);
    (void)self;
    assert_int_equal(a.done[at], 0);
    assert_int_equal(request->done_at, a.world.now);
    assert_true(request->submitted_at <= request->begun_at);
    a.done[at] = request->done_at - request->submitted_at;
    a.done[at] += a.done[at] == 0; /* at once */
    a.failed[at] = request->failed;
    a.finished++;
}

static void ask(unsigned at, enum media_op op, uint64_t offset, uint32_t bytes)
{
    a.done[at] = 0;
    a.requests[at] =
        (struct media_request){.op = op, .offset = offset, .bytes = bytes, .done = on_done};
    array_media.submit(a.media, &a.requests[at]);
}

/* Of one that finds everything idle: how long it took. */
static int64_t alone_us(enum media_op op, int64_t offset, uint32_t bytes)
{
    ask(0, op, (uint64_t)offset, bytes);
    run_for(PS_PER_MS);
    assert_true(a.done[0] > 0 && !a.failed[0]);
    assert_int_equal(a.requests[0].begun_at, a.requests[0].submitted_at); /* no wait */
    return a.done[0] / US;
}

static void on_station(void *self, const struct nvme_station *station)
{
    (void)self;
    for (uint32_t i = 0; i < station->count; i++)
        a.taken[a.drives_seen] += station->servers[i].taken;
    a.drives_seen++;
}

/* Of each drive, in all so far, in us. */
static void look_at_drives(void)
{
    memset(a.taken, 0, sizeof a.taken);
    a.drives_seen = 0;
    array_media.stations(a.media, on_station, NULL);
    assert_int_equal(a.drives_seen, a.setup.params.drives);
    for (unsigned i = 0; i < a.drives_seen; i++)
        a.taken[i] /= US;
}

static void stripes_are_read_from_all_drives(void **state)
{
    (void)state;
    begin(ARRAY_STRIPE, 4, 1, 1);
    make(64 * MIB);
    assert_int_equal(array_columns(&a.setup.params), 4);
    assert_int_equal(array_drive_bytes(&a.setup.params, 64 * MIB), 16 * MIB);
    assert_int_equal(alone_us(MEDIA_READ, 0, 4 * STRIP), READ_US); /* one strip of each */
    look_at_drives();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(a.taken[i], READ_US);
    assert_int_equal(alone_us(MEDIA_WRITE, 5 * STRIP, STRIP), WRITE_US);
    look_at_drives();
    assert_int_equal(a.taken[1], READ_US + WRITE_US); /* strip 5 is on drive 1 */
    assert_int_equal(a.taken[0], READ_US);
    assert_int_equal(alone_us(MEDIA_READ, STRIP - 4096, 8192), READ_US); /* into the next */
    const struct array_stats sum = end();
    assert_int_equal(sum.host_bytes_read, 4 * STRIP + 8192);
    assert_int_equal(sum.drive_bytes_read, sum.host_bytes_read);
    assert_int_equal(sum.drive_bytes_written, STRIP);
}

static void mirrors_read_from_one_and_write_to_all(void **state)
{
    (void)state;
    begin(ARRAY_MIRROR, 3, 1, 1);
    make(64 * MIB);
    for (unsigned i = 0; i < 3; i++)
        ask(i, MEDIA_READ, 0, 4096); /* the same block: each drive reads one */
    run_for(PS_PER_MS);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(a.done[i] / US, READ_US);
    assert_int_equal(alone_us(MEDIA_WRITE, 0, 8 * STRIP), WRITE_US);
    look_at_drives();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(a.taken[i], READ_US + WRITE_US);
    const struct array_stats sum = end();
    assert_int_equal(sum.drive_bytes_read, 3 * 4096);
    assert_int_equal(sum.drive_bytes_written, 3 * 8 * STRIP);
}

/* Two copies over six drives: three strips at once, each of them twice. */
static void copies_are_striped(void **state)
{
    (void)state;
    begin(ARRAY_MIRROR, 6, 1, 1);
    a.setup.params.copies = 2;
    make(66 * MIB);
    assert_int_equal(array_columns(&a.setup.params), 3);
    assert_int_equal(array_drive_bytes(&a.setup.params, 66 * MIB), 22 * MIB);
    assert_int_equal(alone_us(MEDIA_WRITE, 0, 3 * STRIP), WRITE_US);
    look_at_drives();
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(a.taken[i], WRITE_US);
    for (unsigned i = 0; i < 2; i++)
        ask(i, MEDIA_READ, STRIP, 4096); /* drives 2 and 3 */
    run_for(PS_PER_MS);
    look_at_drives();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(a.done[i] / US, READ_US);
        assert_int_equal(a.taken[2 + i], WRITE_US + READ_US);
    }
    assert_int_equal(alone_us(MEDIA_WRITE, 4 * STRIP, 4096), WRITE_US); /* the same two */
    array_fail(a.media, 0); /* one of each pair may fail */
    array_fail(a.media, 3);
    array_fail(a.media, 5);
    assert_int_equal(alone_us(MEDIA_READ, 0, 3 * STRIP), READ_US);
    const uint64_t before = stats().drive_bytes_read;
    array_replace(a.media, 3);
    run_for(PS_PER_S);
    assert_int_equal(stats().bytes_rebuilt, 22 * MIB);
    assert_int_equal(stats().drive_bytes_read - before, 22 * MIB); /* of its pair alone */
    array_fail(a.media, 4);                                        /* and no pair */
    ask(0, MEDIA_READ, 0, 4096);
    run_for(PS_PER_MS);
    assert_true(a.failed[0]);
    end();
}

/* k data and m of parity; a write of so many strips from the first on; what it reads and writes. */
static const struct part_write {
    int64_t k, m, offset;
    uint32_t bytes;
    uint64_t read, written;
} part_writes[] = {
    {4, 1, 0, 4 * STRIP, 0, 5 * STRIP},         /* a whole stripe */
    {4, 2, 0, 4 * STRIP, 0, 6 * STRIP},         /* (k + m) / k */
    {4, 1, 4096, 4096, 2 * 4096, 2 * 4096},     /* old data and old parity */
    {4, 2, 4096, 4096, 3 * 4096, 3 * 4096},     /* ... both parities; as many as the rest */
    {2, 1, 4096, 4096, 4096, 2 * 4096},         /* the other data: one read, not two */
    {4, 1, 0, 3 * STRIP, STRIP, 4 * STRIP},     /* the rest of the stripe */
    {8, 1, 0, 2 * STRIP, 3 * STRIP, 3 * STRIP}, /* two old and the parity */
    {4, 1, 0, 8 * STRIP, 0, 10 * STRIP},        /* two stripes */
    {2, 2, STRIP - 4096, 8192, 2 * (STRIP - 4096), 8192 + 2 * STRIP}, /* the rest of both */
    {4, 1, 3 * STRIP, 2 * STRIP, 4 * STRIP, 4 * STRIP},               /* the ends of two stripes */
};

static void parity_is_written_with_as_few_reads_as_can_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof part_writes / sizeof part_writes[0]; i++) {
        const struct part_write *row = &part_writes[i];
        begin(ARRAY_PARITY, row->k + row->m, row->m, 4);
        make(64 * MIB);
        const int64_t took = alone_us(MEDIA_WRITE, row->offset, row->bytes);
        const struct array_stats sum = end();
        if (sum.drive_bytes_read != row->read || sum.drive_bytes_written != row->written)
            fail_msg("row %zu reads %llu and writes %llu", i,
                     (unsigned long long)sum.drive_bytes_read,
                     (unsigned long long)sum.drive_bytes_written);
        assert_int_equal(sum.partial_stripes > 0, row->read > 0);
        if (row->bytes <= row->k * STRIP && row->offset + row->bytes <= row->k * STRIP)
            assert_int_equal(took, (row->read > 0 ? READ_US : 0) + WRITE_US);
    }
}

/* As many reads either way: the rest of the stripe is read, as md does. */
static void of_two_ways_the_rest_is_read(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 4, 1, 1);
    make(64 * MIB);
    assert_int_equal(alone_us(MEDIA_WRITE, 0, 4096), READ_US + WRITE_US);
    look_at_drives();
    for (unsigned i = 0; i < 4; i++) /* what is written, and parity; the rest */
        assert_int_equal(a.taken[i], i == 0 || i == 3 ? WRITE_US : READ_US);
    end();
}

/* Parity goes round: after a write to as many stripes as drives, all drives did the same. */
static void parity_is_on_all_drives_in_turn(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 5, 1, 1);
    make(64 * MIB);
    for (unsigned stripe = 0; stripe < 5; stripe++)
        alone_us(MEDIA_WRITE, stripe * 4 * STRIP, 4096);
    look_at_drives();
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(a.taken[i], 2 * (READ_US + WRITE_US));
    end();
}

static void writes_of_one_stripe_go_one_after_the_other(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 5, 1, 8);
    make(64 * MIB);
    for (unsigned i = 0; i < 3; i++)
        ask(i, MEDIA_WRITE, i * STRIP, 4096); /* the same stripe, other drives */
    ask(3, MEDIA_WRITE, 4 * STRIP, 4096);     /* another stripe */
    ask(4, MEDIA_READ, 0, 4096);              /* reads wait for nobody */
    run_for(PS_PER_MS);
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(a.done[i] / US, (i + 1) * (READ_US + WRITE_US));
    assert_int_equal(a.done[3] / US, READ_US + WRITE_US);
    assert_int_equal(a.done[4] / US, READ_US);
    end();
}

static void what_a_lost_drive_had_is_read_from_others(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 6, 2, 1);
    make(64 * MIB);
    array_fail(a.media, 1);
    array_fail(a.media, 1);                                   /* it is gone already */
    assert_int_equal(alone_us(MEDIA_READ, 0, 4096), READ_US); /* on drive 0 */
    assert_int_equal(stats().drive_bytes_read, 4096);
    assert_int_equal(alone_us(MEDIA_READ, STRIP, 4096), READ_US);
    assert_int_equal(stats().drive_bytes_read, 5 * 4096);
    assert_int_equal(stats().degraded_reads, 1);
    array_fail(a.media, 2);
    assert_int_equal(alone_us(MEDIA_READ, STRIP, 4096), READ_US);
    /* A write of what is lost reads the rest of the stripe, of which drive 2 is lost too: k. */
    const uint64_t before = stats().drive_bytes_read;
    assert_int_equal(alone_us(MEDIA_WRITE, STRIP, 4096), READ_US + WRITE_US);
    assert_int_equal(stats().drive_bytes_read - before, 4 * 4096);
    assert_int_equal(stats().drive_bytes_written, 2 * 4096); /* both parities */
    array_fail(a.media, 0);                                  /* more than two */
    ask(0, MEDIA_READ, 5 * STRIP, 4096);
    run_for(PS_PER_MS);
    assert_true(a.failed[0]);
    assert_int_equal(end().drives_failed, 3);
}

/* Who bears how many. */
static void how_many_drives_may_fail(void **state)
{
    (void)state;
    static const struct {
        enum array_layout layout;
        int64_t drives, parity;
        uint32_t bears;
    } rows[] = {{ARRAY_STRIPE, 4, 1, 0}, {ARRAY_MIRROR, 2, 1, 1}, {ARRAY_MIRROR, 4, 1, 3},
                {ARRAY_PARITY, 5, 1, 1}, {ARRAY_PARITY, 6, 2, 2}, {ARRAY_PARITY, 12, 4, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].layout, rows[i].drives, rows[i].parity, 4);
        make(64 * MIB);
        for (uint32_t gone = 0; gone <= rows[i].bears; gone++) {
            for (unsigned k = 0; k < 2; k++) {
                ask(k, k == 0 ? MEDIA_READ : MEDIA_WRITE, 0, 8 * STRIP);
                run_for(PS_PER_MS);
                assert_true(a.done[k] > 0 && !a.failed[k]);
            }
            array_fail(a.media, gone);
        }
        ask(0, MEDIA_READ, 0, 4096);
        ask(1, MEDIA_WRITE, 0, 4096);
        ask(2, MEDIA_FLUSH, 0, 0);
        run_for(PS_PER_MS);
        for (unsigned k = 0; k < 3; k++)
            assert_true(a.done[k] > 0 && a.failed[k]);
        array_replace(a.media, 0); /* comes too late */
        ask(0, MEDIA_READ, 0, 4096);
        run_for(PS_PER_MS);
        assert_true(a.failed[0]);
        assert_int_equal(end().bytes_rebuilt, 0);
    }
}

/* A drive fails under reads and writes: what it was asked is asked of others. */
static void nothing_is_lost_under_way(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 5, 1, 16);
    make(64 * MIB);
    ask(0, MEDIA_READ, 0, 4096);
    ask(1, MEDIA_WRITE, 4 * STRIP, 4096);
    run_for(10 * US);
    array_fail(a.media, 0);
    run_for(PS_PER_MS);
    assert_true(!a.failed[0] && !a.failed[1]);
    assert_int_equal(a.done[0] / US, 2 * READ_US); /* anew, from the four others */
    assert_int_equal(end().degraded_reads, 1);
    begin(ARRAY_MIRROR, 2, 1, 1);
    make(64 * MIB);
    ask(0, MEDIA_READ, 0, 4096);
    array_fail(a.media, 0);
    run_for(PS_PER_MS);
    assert_int_equal(a.done[0] / US, 2 * READ_US);
    end();
}

/* Capacity of a drive over the rate: what the setting says, or what a window takes. */
static void a_rebuild_is_as_long_as_a_drive_is_large(void **state)
{
    (void)state;
    static const struct {
        enum array_layout layout;
        int64_t drives, rate;
        uint64_t read; /* for each byte that is rebuilt */
        int64_t us;
    } rows[] = {
        /* 16 strips at once, a read and a write each: 100 us a MiB */
        {ARRAY_MIRROR, 2, 0, 1, 64 * (READ_US + WRITE_US)},
        {ARRAY_PARITY, 5, 0, 4, 16 * (READ_US + WRITE_US)},
        /* 16 MiB at 1 Gb/s; the last window takes what it takes */
        {ARRAY_PARITY, 5, 1000000000, 4, 15 * 8389 + READ_US + WRITE_US},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].layout, rows[i].drives, 1, 16);
        a.setup.params.rebuild_rate = rows[i].rate;
        make(64 * MIB);
        const uint64_t bytes = array_drive_bytes(&a.setup.params, 64 * MIB);
        array_fail(a.media, 1);
        array_replace(a.media, 1);
        run_for(50 * US); /* under way */
        assert_int_equal(stats().bytes_to_rebuild, bytes);
        assert_int_equal(stats().rebuild_ps, 50 * US);
        run_for(PS_PER_S);
        const struct array_stats sum = end();
        assert_int_equal(sum.bytes_rebuilt, bytes);
        assert_int_equal(sum.bytes_to_rebuild, 0);
        assert_int_equal(sum.drive_bytes_read, bytes * rows[i].read);
        assert_int_equal(sum.drive_bytes_written, bytes);
        assert_int_equal(sum.rebuilds, 1);
        assert_in_range(sum.rebuild_ps / US, rows[i].us - 10, rows[i].us + 10);
    }
}

/* What has been rebuilt is read where it is, the rest from others; hosts and rebuilding slow each
 * other down. */
static void a_rebuild_competes(void **state)
{
    (void)state;
    begin(ARRAY_PARITY, 5, 1, 1);
    make(64 * MIB);
    array_fail(a.media, 0);
    array_replace(a.media, 0);
    run_for(10 * PS_PER_MS); /* several windows of 16 strips, one at a time each */
    const uint64_t rebuilt = stats().bytes_rebuilt;
    assert_in_range(rebuilt, 2 * MIB, 15 * MIB);
    ask(0, MEDIA_READ, 0, 4096); /* on drive 0, from its start */
    run_for(3 * PS_PER_MS);
    assert_int_equal(stats().degraded_reads, 0);
    ask(0, MEDIA_READ, 63 * MIB, 4096);        /* stripe 252: drive 3 */
    ask(1, MEDIA_READ, 250 * 4 * STRIP, 4096); /* stripe 250: drive 0 */
    run_for(3 * PS_PER_MS);
    assert_int_equal(stats().degraded_reads, 1);
    assert_true(a.done[1] > 2 * READ_US * US); /* behind reads of the rebuild */
    array_fail(a.media, 0);                    /* what was rebuilt is lost */
    array_replace(a.media, 0);
    run_for(PS_PER_S);
    const struct array_stats sum = end();
    assert_int_equal(sum.rebuilds, 1);
    assert_int_equal(sum.bytes_to_rebuild, 0);
    assert_true(sum.bytes_rebuilt > 16 * MIB);
}

/* Whatever comes while no more fail than may, all is done. */
static void nothing_sticks(void **state)
{
    (void)state;
    static const struct {
        enum array_layout layout;
        int64_t drives, parity;
        const char *drive;
        int64_t copies;
    } rows[] = {{ARRAY_MIRROR, 3, 1, "fixed", 0},    {ARRAY_MIRROR, 6, 1, "fixed", 2},
                {ARRAY_PARITY, 3, 1, "fixed", 0},    {ARRAY_PARITY, 7, 3, "fixed", 0},
                {ARRAY_PARITY, 6, 2, "null", 0},     {ARRAY_PARITY, 6, 2, "ssd", 0},
                {ARRAY_STRIPE, 3, 1, "flash-tlc", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].layout, rows[i].drives, rows[i].parity, 2);
        a.setup.drive = media_find(rows[i].drive);
        if (strcmp(rows[i].drive, "fixed") != 0)
            opt_presets(a.setup.drive->opts, a.params);
        a.setup.params.rebuild_window = 3 * STRIP;
        a.setup.params.copies = rows[i].copies;
        make(8 * MIB);
        struct rng rng = rng_stream(i + 1, "test", "array");
        for (unsigned round = 0; round < 300; round++) {
            const unsigned at = round % DEPTH;
            if (a.requests[at].done != NULL && a.done[at] == 0)
                run_for(100 * PS_PER_MS);
            const uint64_t offset = rng_below(&rng, 1024) * 4096;
            ask(at, (enum media_op)rng_below(&rng, 3), offset,
                (uint32_t)(1 + rng_below(&rng, 256)) * 4096);
            run_for((time_ps)rng_below(&rng, 300) * US);
            const uint32_t drive = (uint32_t)rng_below(&rng, (uint64_t)rows[i].drives);
            const bool whole = stats().bytes_to_rebuild == 0;
            if (rows[i].layout != ARRAY_STRIPE && whole && round % 5 == 0)
                array_fail(a.media, drive);
            for (uint32_t k = 0; round % 5 == 2 && k < (uint32_t)rows[i].drives; k++)
                array_replace(a.media, k);
        }
        run_for(10 * PS_PER_S);
        assert_int_equal(a.finished, 300);
        for (unsigned k = 0; k < DEPTH; k++)
            assert_true(a.done[k] > 0 && !a.failed[k]);
        const struct array_stats sum = end();
        assert_int_equal(sum.bytes_to_rebuild, 0);
        assert_int_equal(sum.drives_failed > 5, rows[i].layout != ARRAY_STRIPE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stripes_are_read_from_all_drives),
        cmocka_unit_test(mirrors_read_from_one_and_write_to_all),
        cmocka_unit_test(copies_are_striped),
        cmocka_unit_test(parity_is_written_with_as_few_reads_as_can_be),
        cmocka_unit_test(of_two_ways_the_rest_is_read),
        cmocka_unit_test(parity_is_on_all_drives_in_turn),
        cmocka_unit_test(writes_of_one_stripe_go_one_after_the_other),
        cmocka_unit_test(what_a_lost_drive_had_is_read_from_others),
        cmocka_unit_test(how_many_drives_may_fail),
        cmocka_unit_test(nothing_is_lost_under_way),
        cmocka_unit_test(a_rebuild_is_as_long_as_a_drive_is_large),
        cmocka_unit_test(a_rebuild_competes),
        cmocka_unit_test(nothing_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
