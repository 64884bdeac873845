/* SPDX-License-Identifier: Apache-2.0
 * A drive that ages: its dies to the picosecond, and what a user sees of it. */
#include "nvme/media/die.h"
#include "nvme/media/media.h"
#include "tests/unit/nvme/greedy.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US PS_PER_US

/* ---- a die ---- */

enum { OPS_MAX = 8 };

struct step {
    time_ps at;
    enum die_kind kind;
    time_ps takes;
    uint8_t plane;
    time_ps done; /* when it should be */
};

static struct {
    struct fake_world world;
    struct die die;
    struct die_op ops[OPS_MAX];
    time_ps done[OPS_MAX];
} d;

static void on_op(void *self, struct die_op *op)
{
    (void)self;
    d.done[op - d.ops] = d.world.now;
}

static void play(const struct die_rules *rules, const struct step *steps, const char *name)
{
    memset(&d, 0, sizeof d);
    fake_init(&d.world);
    die_init(&d.die, &d.world.env, rules, on_op, NULL);
    unsigned count = 0;
    for (; count < OPS_MAX && steps[count].takes > 0; count++) {
        fake_run(&d.world, steps[count].at);
        d.ops[count] = (struct die_op){
            .kind = (uint8_t)steps[count].kind,
            .time = steps[count].takes,
            .plane = steps[count].plane,
        };
        die_add(&d.die, &d.ops[count]);
        die_audit(&d.die);
    }
    fake_run(&d.world, PS_PER_S);
    assert_int_equal(die_audit(&d.die), 0);
    for (unsigned i = 0; i < count; i++) {
        if (d.done[i] != steps[i].done)
            fail_msg("%s: operation %u is done at %lld us, not at %lld", name, i,
                     (long long)(d.done[i] / US), (long long)(steps[i].done / US));
        assert_int_equal(d.ops[i].served, steps[i].takes);
    }
    die_fini(&d.die);
    fake_fini(&d.world);
}

static const struct die_rules suspends = {1, 20 * US, 40 * US, 2, 3}, waits = {1, -1, -1, 2, 3},
                              planes = {2, 20 * US, 40 * US, 2, 3};

static void a_read_suspends_a_program(void **state)
{
    (void)state;
    static const struct step steps[] = {{0, DIE_PROGRAM, 700 * US, 0, (700 + 20 + 60) * US},
                                        {100 * US, DIE_READ, 60 * US, 0, (100 + 20 + 60) * US},
                                        {0}};
    play(&suspends, steps, "suspended");
    static const struct step late[] = {
        {0, DIE_PROGRAM, 700 * US, 0, 700 * US}, /* 20 us are left: there is nothing to be won */
        {680 * US, DIE_READ, 60 * US, 0, 760 * US},
        {0}};
    play(&suspends, late, "late");
    static const struct step off[] = {
        {0, DIE_PROGRAM, 700 * US, 0, 700 * US}, {100 * US, DIE_READ, 60 * US, 0, 760 * US}, {0}};
    play(&waits, off, "off");
}

static void a_read_suspends_an_erase_but_no_copy(void **state)
{
    (void)state;
    static const struct step erase[] = {
        {0, DIE_ERASE, 3000 * US, 0, (3000 + 40 + 60 + 40 + 60) * US},
        {100 * US, DIE_READ, 60 * US, 0, 200 * US},
        {1000 * US, DIE_READ, 60 * US, 0, 1100 * US},
        {2000 * US, DIE_READ, 60 * US, 0, 3260 * US}, /* twice is the limit */
        {0}};
    play(&suspends, erase, "erase");
    static const struct step copy[] = {
        {0, DIE_COPY, 60 * US, 0, 60 * US}, {10 * US, DIE_READ, 60 * US, 0, 120 * US}, {0}};
    play(&suspends, copy, "copy");
}

/* Three reads go before work that waits, and three while it is suspended; then it runs to its
 * end. */
static void reads_go_ahead_so_often(void **state)
{
    (void)state;
    static const struct step steps[] = {{0, DIE_READ, 60 * US, 0, 60 * US},
                                        {0, DIE_PROGRAM, 700 * US, 0, 940 * US},
                                        {0, DIE_READ, 60 * US, 0, 120 * US},
                                        {0, DIE_READ, 60 * US, 0, 180 * US},
                                        {0, DIE_READ, 60 * US, 0, 240 * US},
                                        {1, DIE_READ, 60 * US, 0, 1000 * US},
                                        {0}};
    play(&suspends, steps, "ahead");
    static const struct step while_suspended[] = {
        {0, DIE_PROGRAM, 700 * US, 0, (100 + 20 + 3 * 60 + 600) * US},
        {100 * US, DIE_READ, 60 * US, 0, 180 * US},
        {100 * US, DIE_READ, 60 * US, 0, 240 * US},
        {100 * US, DIE_READ, 60 * US, 0, 300 * US},
        {100 * US, DIE_READ, 60 * US, 0, 960 * US},
        {400 * US, DIE_READ, 60 * US, 0, 1020 * US},
        {0}};
    play(&suspends, while_suspended, "while suspended");
}

static void planes_read_by_themselves(void **state)
{
    (void)state;
    static const struct step steps[] = {{0, DIE_READ, 60 * US, 0, 60 * US},
                                        {0, DIE_READ, 50 * US, 1, 50 * US},
                                        {0, DIE_READ, 60 * US, 0, 120 * US},
                                        {10 * US, DIE_PROGRAM, 700 * US, 0, 820 * US},
                                        {0}};
    play(&planes, steps, "planes");
    static const struct step one[] = {
        {0, DIE_READ, 60 * US, 0, 60 * US}, {0, DIE_READ, 50 * US, 0, 110 * US}, {0}};
    play(&suspends, one, "one plane");
}

/* ---- a drive ---- */

enum { DEPTH_MAX = 256 };

static struct {
    struct fake_world world;
    const struct media_ops *ops;
    _Alignas(16) unsigned char params[MEDIA_PARAMS_MAX];
    struct media *media;
    struct media_request requests[DEPTH_MAX];
    struct rng rng;
    uint64_t done, next;
    time_ps sum, longest, served, reads_took;
    uint64_t reads;
    uint64_t capacity;
    unsigned read; /* percent */
    bool sequential, again;
} b;

static void set(const char *name, int64_t value)
{
    const struct opt *row = opt_find(b.ops->opts, name);
    assert_non_null(row);
    *opt_field(row, b.params) = value;
}

static void choose(const char *name, const char *word)
{
    const struct opt *row = opt_find(b.ops->opts, name);
    char why[OPT_WHY_BYTES];
    assert_non_null(row);
    assert_true(opt_parse(row, word, opt_field(row, b.params), why));
}

static void begin(void)
{
    memset(&b, 0, sizeof b);
    fake_init(&b.world);
    b.ops = media_find("ssd");
    opt_presets(b.ops->opts, b.params);
    b.rng = rng_stream(1, "test", "offsets");
    b.capacity = UINT64_C(1) << 40;
    set("modelled-size", 16 << 20);
}

static void make(void)
{
    b.media = b.ops->create(&(struct media_site){&b.world.env, b.params, 0, b.capacity});
}

static struct media_wear end(void)
{
    struct media_wear wear;
    b.ops->audit(b.media);
    b.ops->wear(b.media, &wear);
    b.ops->destroy(b.media);
    fake_fini(&b.world);
    return wear;
}

static void submit(unsigned index);

static void on_done(void *self, struct media_request *request)
{
    const time_ps took = request->done_at - request->submitted_at;
    (void)self;
    assert_int_equal(request->done_at, b.world.now);
    assert_true(request->submitted_at <= request->begun_at &&
                request->begun_at <= request->done_at);
    b.done++;
    b.sum += took;
    b.served += request->done_at - request->begun_at;
    b.longest = took > b.longest ? took : b.longest;
    b.reads += request->op == MEDIA_READ;
    b.reads_took += request->op == MEDIA_READ ? took : 0;
    if (b.again)
        submit((unsigned)(request - b.requests));
}

static void one(unsigned index, enum media_op op, uint64_t offset, uint32_t bytes)
{
    b.requests[index] =
        (struct media_request){.op = op, .offset = offset, .bytes = bytes, .done = on_done};
    b.ops->submit(b.media, &b.requests[index]);
}

static void submit(unsigned index)
{
    const uint32_t bytes = b.requests[index].bytes;
    const uint64_t places = b.capacity / bytes;
    const uint64_t at = b.sequential ? b.next++ % places : rng_below(&b.rng, places);
    one(index, rng_below(&b.rng, 100) < b.read ? MEDIA_READ : MEDIA_WRITE, at * bytes, bytes);
}

/* Keeps `depth` requests of a size under way; how many are done in a second. */
static uint64_t load(unsigned depth, uint32_t bytes, time_ps span)
{
    const uint64_t before = b.done;
    b.again = true;
    for (unsigned i = 0; i < depth; i++)
        if (b.requests[i].bytes == 0) {
            b.requests[i].bytes = bytes;
            submit(i);
        }
    b.sum = b.longest = 0;
    fake_run(&b.world, b.world.now + span);
    b.ops->audit(b.media);
    return (b.done - before) * (uint64_t)PS_PER_S / (uint64_t)span;
}

static time_ps alone(enum media_op op, uint64_t offset, uint32_t bytes)
{
    b.sum = b.served = 0;
    one(0, op, offset, bytes);
    fake_run(&b.world, b.world.now + PS_PER_S);
    assert_int_equal(b.sum, b.served); /* nothing was waited for */
    return b.sum;
}

static void alone_by_hand(void **state)
{
    (void)state;
    begin();
    make();
    /* 1.6 us + 60 us + 4096 * 8 / 9.6 Gb/s rounded up + 4096 * 8 / 25.6 Gb/s + 13 us */
    assert_int_equal(alone(MEDIA_READ, 40960, 4096),
                     1600000 + 60000000 + 3413334 + 1280000 + 13000000);
    /* 1.6 us + 4096 * 8 / 25.6 Gb/s + 14 us */
    assert_int_equal(alone(MEDIA_WRITE, 40960, 4096), 1600000 + 1280000 + 14000000);
    /* In the buffer: no die, no channel. */
    assert_int_equal(alone(MEDIA_READ, 40960, 4096), 1600000 + 1280000 + 13000000);
    assert_int_equal(alone(MEDIA_READ, 40960 + 512, 512), 1600000 + 160000 + 13000000);
    assert_int_equal(alone(MEDIA_FLUSH, 0, 0), 1600000);
    assert_int_equal(end().buffer_hits, 2);
    begin(); /* of a drive on which nothing was ever written nothing is read */
    choose("precondition", "fresh");
    make();
    assert_int_equal(alone(MEDIA_READ, 40960, 4096), 1600000 + 1280000 + 13000000);
    end();
}

/* A buffer that does not survive: a flush is as long as a program, and wastes the rest of it. */
static void a_flush_waits_for_flash(void **state)
{
    (void)state;
    begin();
    choose("precondition", "fresh");
    choose("power-loss-protection", "false");
    make();
    alone(MEDIA_WRITE, 0, 4096);
    alone(MEDIA_WRITE, 0, 4096);
    b.sum = 0;
    one(0, MEDIA_FLUSH, 0, 0);
    fake_run(&b.world, b.world.now + PS_PER_S);
    assert_int_equal(b.sum, 1600000 + 27306667 + 700000000); /* 32 KiB at 9.6 Gb/s */
    assert_int_equal(alone(MEDIA_FLUSH, 0, 0), 1600000);
    const struct media_wear wear = end();
    assert_int_equal(wear.host_bytes, 8192);
    assert_int_equal(wear.flash_bytes, 32768);
}

/* Whatever is written over in the buffer never comes to flash. */
static time_ps reads_of(uint32_t index)
{
    time_ps sum = 0;
    begin();
    set("read-p99", 200 * US);
    b.media = b.ops->create(&(struct media_site){&b.world.env, b.params, index, b.capacity});
    for (unsigned i = 0; i < 20; i++)
        sum += alone(MEDIA_READ, i << 20, 4096);
    end();
    return sum;
}

static void each_drive_has_times_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(reads_of(0), reads_of(0));
    assert_int_not_equal(reads_of(0), reads_of(1));
}

static void the_buffer_absorbs(void **state)
{
    (void)state;
    begin();
    choose("precondition", "fresh");
    set("program-time", 7 * PS_PER_MS);
    b.capacity = 1 << 20;
    make();
    load(32, 4096, 20 * PS_PER_MS);
    const struct media_wear wear = end();
    assert_true(wear.absorbed > 1000);
    assert_true(wear.flash_bytes < wear.host_bytes - wear.absorbed * 4096);
}

static double amplification(const struct media_wear *wear)
{
    return (double)wear->units_programmed / (double)wear->units_down;
}

/* Sequential writes go on at 64 dies * 32 KiB / 700 us; random ones are divided by the write
 * amplification of greedy collection (tests/unit/nvme/test_nvme_ftl.c), and reads of copies take
 * some of the dies too. */
static void random_writes_are_slower_for_ever(void **state)
{
    (void)state;
    static const int64_t spare[] = {125000, 250000, 1000000}; /* whole blocks of this drive */
    for (unsigned i = 0; i < 3; i++) {
        begin();
        set("over-provisioning", spare[i]);
        set("buffer", 4 << 20);
        make();
        load(64, 4096, 10 * PS_PER_MS);
        const uint64_t iops = load(64, 4096, 30 * PS_PER_MS);
        const struct media_wear wear = end();
        const double found = amplification(&wear), programs = 64 * 8 / 700e-6;
        const double expected = desnoyers((double)spare[i] / (double)PPM, 64);
        assert_in_range((uint64_t)(found / expected * 100), 90, 110);
        assert_in_range((uint64_t)((double)iops * found / programs * 100), 60, 101);
    }
    begin();
    choose("precondition", "filled");
    b.sequential = true;
    b.capacity = 16 << 20;
    set("buffer", 4 << 20);
    make();
    load(32, 131072, 50 * PS_PER_MS);
    assert_in_range(load(32, 131072, 50 * PS_PER_MS), 20000, 23000);
    const struct media_wear wear = end();
    assert_in_range((uint64_t)(amplification(&wear) * 100), 90, 105);
}

/* While there is room a write takes its 17 us and the controller's line; when there is none, its
 * time is the depth divided by what the flash takes. */
static void the_latency_jumps_when_the_buffer_is_full(void **state)
{
    (void)state;
    begin();
    make();
    load(32, 4096, 5 * PS_PER_MS);
    const time_ps empty = b.sum / (time_ps)b.done, longest = b.longest;
    load(32, 4096, 20 * PS_PER_MS);
    const uint64_t before = b.done;
    load(32, 4096, 20 * PS_PER_MS);
    const time_ps full = b.sum / (time_ps)(b.done - before);
    const struct media_wear wear = end();
    assert_true(empty < 60 * US && longest < 100 * US);
    assert_true(full > 5 * empty);
    assert_true(wear.waited > 0);
}

/* Reads of a drive that is written wait for programs and erases, or suspend them. */
static void suspension_is_what_reads_gain(void **state)
{
    (void)state;
    time_ps mean[2];
    for (unsigned i = 0; i < 2; i++) {
        begin();
        b.read = 90;
        set("pages-per-block", 20);
        if (i == 1) {
            choose("program-suspend", "off");
            choose("erase-suspend", "off");
        }
        make();
        load(32, 4096, 50 * PS_PER_MS);
        mean[i] = b.reads_took / (time_ps)b.reads;
        const struct media_wear wear = end();
        assert_true(wear.erases > 0);
        assert_int_equal(wear.suspensions > 0, i == 0);
    }
    assert_true(mean[0] * 3 < mean[1] * 2);
}

/* Any buffer, however small against writes and programs, lets every write and flush through. */
static void nothing_sticks(void **state)
{
    (void)state;
    static const int64_t buffers[] = {64 << 10, 1 << 20};
    static const int64_t pages[] = {4 << 10, 64 << 10};
    static const int64_t plane_counts[] = {1, 8};
    static const uint32_t sizes[] = {512, 24576, 8 << 20};
    for (unsigned i = 0; i < 2 * 2 * 2 * 3; i++) {
        begin();
        set("buffer", buffers[i % 2]);
        set("page-size", pages[i / 2 % 2]);
        set("planes", plane_counts[i / 4 % 2]);
        choose("power-loss-protection", i % 2 ? "true" : "false");
        set("over-provisioning", i % 3 == 0 ? 20000 : 280000);
        b.capacity = i % 2 ? 1 << 20 : UINT64_C(1) << 40;
        make();
        const uint32_t bytes = sizes[i / 8] < b.capacity ? sizes[i / 8] : (uint32_t)b.capacity;
        for (unsigned round = 0; round < 5; round++) {
            for (unsigned k = 0; k < 7; k++) {
                b.requests[k].bytes = bytes;
                submit(k);
            }
            one(7, MEDIA_FLUSH, 0, 0);
            fake_run(&b.world, b.world.now + 10 * PS_PER_S);
        }
        assert_int_equal(b.done, 40);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_suspends_a_program),
        cmocka_unit_test(a_read_suspends_an_erase_but_no_copy),
        cmocka_unit_test(reads_go_ahead_so_often),
        cmocka_unit_test(planes_read_by_themselves),
        cmocka_unit_test(alone_by_hand),
        cmocka_unit_test(a_flush_waits_for_flash),
        cmocka_unit_test(each_drive_has_times_of_its_own),
        cmocka_unit_test(the_buffer_absorbs),
        cmocka_unit_test(random_writes_are_slower_for_ever),
        cmocka_unit_test(the_latency_jumps_when_the_buffer_is_full),
        cmocka_unit_test(suspension_is_what_reads_gain),
        cmocka_unit_test(nothing_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
