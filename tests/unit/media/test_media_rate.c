/* SPDX-License-Identifier: Apache-2.0
 * The rates of media of kind `fixed`, worked by hand: at 8 Gb/s a byte takes 1 ns. */
#include "nvme/media/media.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { REQUESTS = 64, BLOCK = 4096, LATENCY_NS = 10000 };

static struct {
    struct fake_world world;
    _Alignas(16) unsigned char params[MEDIA_PARAMS_MAX];
    const struct media_ops *ops;
    struct media *media;
    struct media_request requests[REQUESTS];
    uint64_t done;
    bool again;
} drive;

static void set(const char *name, int64_t value)
{
    const struct opt *row = opt_find(drive.ops->opts, name);
    assert_non_null(row);
    *opt_field(row, drive.params) = value;
}

static void begin(void)
{
    fake_init(&drive.world);
    drive.done = 0;
    drive.again = false;
    drive.ops = media_find("fixed");
    opt_presets(drive.ops->opts, drive.params);
    set("read-rate", INT64_C(8000000000));
    set("write-rate", INT64_C(8000000000));
}

static void make(void)
{
    const struct media_site site = {&drive.world.env, drive.params, 0, UINT64_C(1) << 40};
    drive.media = drive.ops->create(&site);
}

static void end(void)
{
    drive.ops->audit(drive.media);
    drive.ops->destroy(drive.media);
    fake_fini(&drive.world);
}

static void on_done(void *self, struct media_request *request)
{
    (void)self;
    drive.done++;
    assert_int_equal(request->done_at, drive.world.now);
    if (drive.again)
        drive.ops->submit(drive.media, request);
}

static void run(unsigned count, enum media_op op, time_ps span)
{
    for (unsigned i = 0; i < count; i++) {
        drive.requests[i] = (struct media_request){
            .op = op, .bytes = op == MEDIA_FLUSH ? 0 : BLOCK, .done = on_done};
        drive.ops->submit(drive.media, &drive.requests[i]);
    }
    fake_run(&drive.world, drive.world.now + span);
}

/* Of two requests at once the second waits for the link: reads after their latency, writes before
 * it. */
static void the_link_passes_one_request_at_a_time(void **state)
{
    (void)state;
    static const struct {
        enum media_op op;
        unsigned count;
        time_ps ends_ns, waited_ns;
    } rows[] = {
        {MEDIA_READ, 1, LATENCY_NS + BLOCK, 0},
        {MEDIA_READ, 2, LATENCY_NS + 2 * BLOCK, BLOCK},
        {MEDIA_WRITE, 2, LATENCY_NS + 2 * BLOCK, BLOCK},
        {MEDIA_FLUSH, 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        make();
        run(rows[i].count, rows[i].op, PS_PER_S);
        assert_int_equal(drive.done, rows[i].count);
        const struct media_request *last = &drive.requests[rows[i].count - 1];
        assert_int_equal(last->done_at, rows[i].ends_ns * PS_PER_NS);
        assert_int_equal(last->begun_at - last->submitted_at, rows[i].waited_ns * PS_PER_NS);
        end();
    }
}

/* Ten at once in 10 us each: latency bounds reads of 512 B, the rate reads of 4 KiB. */
static void the_slower_of_latency_and_rate_is_the_bound(void **state)
{
    (void)state;
    begin();
    set("parallel", 10);
    assert_int_equal(drive.ops->least(drive.params, MEDIA_READ, 512), 1000 * PS_PER_NS);
    assert_int_equal(drive.ops->least(drive.params, MEDIA_READ, BLOCK), BLOCK * PS_PER_NS);
    make();
    drive.again = true;
    run(REQUESTS, MEDIA_READ, LATENCY_NS * PS_PER_NS + 1000 * BLOCK * PS_PER_NS);
    assert_int_equal(drive.done, 1000);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_link_passes_one_request_at_a_time),
        cmocka_unit_test(the_slower_of_latency_and_rate_is_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
