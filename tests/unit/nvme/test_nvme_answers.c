/* SPDX-License-Identifier: Apache-2.0
 * Responses that no target should send: the host believes none of them, gives the controller up
 * with the reason, and every I/O comes back once. */
#include "tests/unit/nvme/nvme_pair.h"

#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE_SIZE = 16, SQHD_AT = 8, CID_AT = 12 };

static struct nvme_pair pair;

static const struct answer {
    const char *what, *note;
    uint16_t cid_flip, cid_tag; /* bits changed; a tag that takes the place of its own */
    uint16_t sqhd;
    uint32_t length; /* of the capsule */
} * now;

static const struct answer good = {.what = "as it should be"};

static const struct answer bad[] = {
    {.what = "the first tag behind the last",
     .note = "response to no command",
     .cid_tag = QUEUE_SIZE},
    {.what = "a tag far behind the last", .note = "response to no command", .cid_tag = 0xFFF},
    {.what = "a tag that is not out", .note = "response to no command", .cid_tag = QUEUE_SIZE - 1},
    {.what = "a former use of the tag", .note = "response to no command", .cid_flip = 0x1000},
    {.what = "a head behind the queue's end", .note = "response to no command", .sqhd = QUEUE_SIZE},
    {.what = "a byte too few", .note = "response capsule too short", .length = NVME_CQE_BYTES - 1},
};

/* Only of the I/O queue: in the admin queue's responses the queue is 0. */
static void spoil(struct fake_world *world, struct ibv_send_wr *wr, unsigned char *bytes,
                  uint32_t *length)
{
    (void)world, (void)wr;
    if (*length != NVME_CQE_BYTES || now == NULL)
        return;
    uint16_t cid = wire_get16(bytes + CID_AT);
    cid ^= now->cid_flip;
    if (now->cid_tag > 0)
        cid = (uint16_t)((cid & 0xF000) | now->cid_tag);
    wire_put16(bytes + CID_AT, cid);
    if (now->sqhd > 0)
        wire_put16(bytes + SQHD_AT, now->sqhd);
    if (now->length > 0)
        *length = now->length;
    now = NULL;
}

static void start(void)
{
    nvme_pair_init(&pair, "null");
    pair.host_params.queue_size = QUEUE_SIZE;
    pair.host_params.queues = 1;
    pair.host_params.reconnect_delay = PS_PER_MS;
    pair.host_params.ctrl_loss_tmo = 20 * PS_PER_MS;
    pair.world.spoil = spoil;
    now = NULL;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    pair.note[0] = '\0';
}

static void a_good_answer(void **state)
{
    (void)state;
    start();
    now = &good;
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
    assert_string_equal(pair.note, "");
    nvme_pair_fini(&pair);
}

static void bad_answers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        start();
        now = &bad[i];
        struct nvme_io *io = nvme_pair_fill(&pair, 0, NVME_READ, 0, 4096);
        assert_true(nvme_host_submit(pair.host, 0, io));
        nvme_pair_run(&pair, PS_PER_MS / 2);
        if (strstr(pair.note, bad[i].note) == NULL)
            fail_msg("%s: %s", bad[i].what, pair.note);
        assert_false(nvme_host_live(pair.host));
        assert_int_equal(pair.completed, 0);
        nvme_pair_run(&pair, 20 * PS_PER_MS);
        assert_true(nvme_host_live(pair.host));
        assert_int_equal(pair.completed, 1);
        assert_int_equal(io->status, NVME_STATUS_OK);
        nvme_pair_fini(&pair);
    }
}

/* ---- a controller that is not ready ---- */

enum { CSTS_ANSWER = 7 }; /* of the responses, as the host enables the controller */

static struct {
    uint32_t answers, times; /* responses so far; Property Gets that find it not ready */
    unsigned char state;     /* CSTS then */
} slow;

static void spoil_ready(struct fake_world *world, struct ibv_send_wr *wr, unsigned char *bytes,
                        uint32_t *length)
{
    (void)world, (void)wr;
    if (*length == NVME_CQE_BYTES && ++slow.answers >= CSTS_ANSWER &&
        slow.answers < CSTS_ANSWER + slow.times) {
        assert_int_equal(bytes[0], NVME_CSTS_READY);
        bytes[0] = slow.state;
    }
}

/* The tenths of a millisecond until the host is ready or has failed. */
static uint32_t start_slowly(uint32_t times, unsigned char state)
{
    uint32_t tenths = 0;
    nvme_pair_init(&pair, "null");
    slow.answers = 0;
    slow.times = times;
    slow.state = state;
    pair.world.spoil = spoil_ready;
    nvme_pair_make_target(&pair);
    nvme_pair_make_host(&pair);
    for (; !pair.ready && tenths < 1000; tenths++)
        nvme_pair_run(&pair, PS_PER_MS / 10);
    return tenths;
}

/* nvme_wait_ready: asked again every millisecond, until it is ready. */
static void a_controller_may_take_its_time(void **state)
{
    (void)state;
    const uint32_t at_once = start_slowly(0, 0);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
    for (uint32_t times = 1; times < 4; times++) {
        assert_int_equal(start_slowly(times, 0), at_once + 10 * times);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
        assert_string_equal(pair.note, "");
        nvme_pair_fini(&pair);
    }
}

static void a_controller_that_failed_is_given_up(void **state)
{
    (void)state;
    start_slowly(1, NVME_CSTS_FATAL);
    assert_int_not_equal(pair.ready_status, NVME_STATUS_OK);
    assert_non_null(strstr(pair.note, "Property Get CSTS"));
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_answer),
        cmocka_unit_test(bad_answers),
        cmocka_unit_test(a_controller_may_take_its_time),
        cmocka_unit_test(a_controller_that_failed_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
