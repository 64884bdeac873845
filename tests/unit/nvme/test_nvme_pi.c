/* SPDX-License-Identifier: Apache-2.0
 * Protection information: the guard's known values, what is checked, what travels, and which
 * corruption is a status with it and silent without. */
#include "tests/unit/nvme/nvme_pair.h"
#include "tests/unit/nvme/raw_host.h"

#include "nvme/wire/identify.h"
#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_pair pair;
static struct raw_host raw;

/* The catalogue's check value, those of T10 (SBC-4, 4.22.4: 32 bytes of each), and that one bit of
 * a block is always seen. */
static void the_guard_is_the_one_of_t10(void **state)
{
    (void)state;
    unsigned char bytes[512] = {0};
    assert_int_equal(nvme_pi_guard((const unsigned char *)"123456789", 9), 0xD0DB);
    assert_int_equal(nvme_pi_guard(bytes, 0), 0);
    assert_int_equal(nvme_pi_guard(bytes, 32), 0);
    memset(bytes, 0xFF, 32);
    assert_int_equal(nvme_pi_guard(bytes, 32), 0xA293);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(nvme_pi_guard(bytes, 32), 0x0224);
    memset(bytes, 0, 32);
    bytes[0] = 0xFF, bytes[1] = 0xFF;
    assert_int_equal(nvme_pi_guard(bytes, 32), 0x21B8);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (unsigned char)(0xFF - i);
    assert_int_equal(nvme_pi_guard(bytes, 32), 0xA0B7);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    const uint16_t whole = nvme_pi_guard(bytes, sizeof bytes);
    for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(nvme_pi_guard(bytes, sizeof bytes), whole);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void tuples_travel_in_big_endian(void **state)
{
    (void)state;
    static const unsigned char expected[NVME_PI_BYTES] = {0xD0, 0xDB, 0x12, 0x34,
                                                          0xA1, 0xB2, 0xC3, 0xD4};
    const struct nvme_pi pi = {.guard = 0xD0DB, .application = 0x1234, .reference = 0xA1B2C3D4};
    unsigned char bytes[NVME_PI_BYTES];
    struct nvme_pi back;
    nvme_pi_encode(&pi, bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
    nvme_pi_decode(&back, bytes);
    assert_int_equal(back.guard, pi.guard);
    assert_int_equal(back.application, pi.application);
    assert_int_equal(back.reference, pi.reference);
}

/* A block 2 behind the first of a command with initial tag 100, LBA 100, application tag AB00h. */
static void each_check_is_asked_for_alone(void **state)
{
    (void)state;
    enum { G = NVME_PI_CHK_GUARD, A = NVME_PI_CHK_APP, R = NVME_PI_CHK_REF, ALL = G | A | R };
    static const struct {
        uint32_t asks, mask;
        unsigned type;
        struct nvme_pi pi;
        uint16_t guard, status;
    } rows[] = {
        {ALL, 0xFFFF, 1, {102, 7, 0xAB00}, 7, NVME_STATUS_OK},
        {ALL, 0xFFFF, 1, {102, 7, 0xAB00}, 8, NVME_STATUS_GUARD_CHECK},
        {A | R, 0xFFFF, 1, {102, 7, 0xAB00}, 8, NVME_STATUS_OK},
        {ALL, 0xFFFF, 1, {102, 7, 0xAB01}, 7, NVME_STATUS_APPLICATION_CHECK},
        {ALL, 0xFF00, 1, {102, 7, 0xAB01}, 7, NVME_STATUS_OK},
        {G | R, 0xFFFF, 1, {102, 7, 0xAB01}, 7, NVME_STATUS_OK},
        {ALL, 0xFFFF, 1, {103, 7, 0xAB00}, 7, NVME_STATUS_REFERENCE_CHECK},
        {ALL, 0xFFFF, 2, {100, 7, 0xAB00}, 7, NVME_STATUS_REFERENCE_CHECK},
        {G | A, 0xFFFF, 1, {103, 7, 0xAB00}, 7, NVME_STATUS_OK},
        {ALL, 0xFFFF, 3, {999, 7, 0xAB00}, 7, NVME_STATUS_OK},
        /* nothing is to be checked */
        {ALL, 0xFFFF, 1, {999, 7, 0xFFFF}, 8, NVME_STATUS_OK},
        {ALL, 0xFFFF, 2, {999, 7, 0xFFFF}, 8, NVME_STATUS_OK},
        {G, 0xFFFF, 3, {999, 7, 0xFFFF}, 8, NVME_STATUS_GUARD_CHECK},
        {G, 0xFFFF, 3, {UINT32_MAX, 7, 0xFFFF}, 8, NVME_STATUS_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct nvme_command command = {.cdw10 = 100,
                                             .cdw12 = rows[i].asks | 7,
                                             .cdw14 = 100,
                                             .cdw15 = rows[i].mask << 16 | 0xAB00};
        if (nvme_pi_check(&command, rows[i].type, 2, &rows[i].pi, rows[i].guard) != rows[i].status)
            fail_msg("row %zu", i);
    }
}

static void start(int64_t type, bool act, int64_t chk)
{
    nvme_pair_init(&pair, "null");
    pair.namespaces[0].params.pi_type = type;
    pair.host_params.pi_act = act;
    pair.host_params.pi_chk = chk;
    pair.host_params.max_retries = 2;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
}

static uint16_t io(enum nvme_opcode opcode, uint64_t lba, uint32_t content)
{
    return nvme_pair_io(&pair, opcode, lba, 4096, content)->status;
}

/* Length of the longest message of the last I/O: its data. */
static uint32_t moved(enum nvme_opcode opcode, uint32_t bytes)
{
    const uint32_t from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, opcode, 0, bytes, 9)->status, NVME_STATUS_OK);
    uint32_t most = 0;
    for (uint32_t i = from; i < pair.world.logged; i++)
        most = pair.world.log[i].length > most ? pair.world.log[i].length : most;
    return most;
}

/* 8 bytes behind each block of 512 or 4096, and none with PRACT; no data in capsules either way. */
static void it_travels_or_the_controller_has_it(void **state)
{
    (void)state;
    for (unsigned large = 0; large < 2; large++)
        for (unsigned type = 0; type <= 3; type++)
            for (unsigned act = 0; act < 2; act++) {
                nvme_pair_init(&pair, "null");
                pair.namespaces[0].params.block_size = large ? 4096 : 512;
                pair.namespaces[0].params.pi_type = type;
                pair.host_params.pi_act = act;
                nvme_pair_start(&pair);
                const struct nvme_host_namespace *ns = nvme_host_namespace(pair.host, 0);
                const uint32_t each = type > 0 && !act ? 8 : 0, block = large ? 4096 : 512;
                assert_int_equal(ns->pi_type, type);
                assert_int_equal(ns->metadata, each);
                assert_int_equal(moved(NVME_READ, 65536), 65536 + 65536 / block * each);
                assert_int_equal(moved(NVME_WRITE, 65536), 65536 + 65536 / block * each);
                assert_int_equal(moved(NVME_READ, 1 << 20), (1 << 20) + (1 << 20) / block * each);
                const uint32_t small = moved(NVME_WRITE, 4096);
                assert_int_equal(small, type == 0 ? 64 + 4096 : 4096 + 4096 / block * each);
                assert_int_equal(nvme_target_stats(pair.target)->bytes_read, 65536 + (1 << 20));
                assert_int_equal(nvme_target_stats(pair.target)->bytes_written, 65536 + 4096);
                nvme_pair_fini(&pair);
            }
}

/* In pieces of 64 KiB, the most that a command may move is more than 8 MiB: each piece has room. */
static void the_largest_command_has_room(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.namespaces[0].params.pi_type = 1;
    pair.target_params.max_transfer = pair.host_params.max_transfer = 8 << 20;
    pair.rdma_params.target.rdma_size = 64 << 10;
    pair.host_params.queue_size = 2;
    nvme_pair_start(&pair);
    const uint32_t from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 8 << 20, 0)->status, NVME_STATUS_OK);
    assert_int_equal(pair.world.logged - from, 2 + 130);
    nvme_pair_fini(&pair);
}

static void good_data_pass_every_check(void **state)
{
    (void)state;
    for (int64_t type = 1; type <= 3; type++)
        for (unsigned act = 0; act < 2; act++) {
            start(type, act, NVME_HOST_CHECKS_ALL);
            assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK); /* never written */
            assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
            assert_int_equal(io(NVME_WRITE, 4, 8), NVME_STATUS_OK); /* over its second half */
            assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
            assert_int_equal(pair.ios[0].content, NVME_CONTENT_MIXED);
            assert_int_equal(io(NVME_READ, 4, 0), NVME_STATUS_OK);
            assert_int_equal(pair.ios[0].content, 8);
            assert_int_equal(io(NVME_COMPARE, 4, 8), NVME_STATUS_OK);
            assert_int_equal(io(NVME_COMPARE, 4, 9), NVME_STATUS_COMPARE_FAILED);
            assert_int_equal(io(NVME_WRITE_ZEROES, 4, 0), NVME_STATUS_OK);
            assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
            assert_int_equal(io(NVME_DATASET, 0, 0), NVME_STATUS_OK);
            assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
            assert_int_equal(pair.ios[0].content, 0);
            nvme_pair_fini(&pair);
        }
}

/* What the drive does; what the reads of the place written and of the place behind it end with. */
static const struct {
    enum nvme_corruption how;
    uint16_t here, behind;
    uint16_t type3_here, type3_behind;
} corruptions[] = {
    {NVME_CORRUPTION_MISDIRECTED_READ, NVME_STATUS_REFERENCE_CHECK, NVME_STATUS_OK, NVME_STATUS_OK,
     NVME_STATUS_OK}, /* behind the second block nothing was written: it is not checked */
    {NVME_CORRUPTION_MISDIRECTED_WRITE, NVME_STATUS_OK, NVME_STATUS_REFERENCE_CHECK, NVME_STATUS_OK,
     NVME_STATUS_OK}, /* the first is as old as it was, and so is what protects it */
    {NVME_CORRUPTION_LOST_WRITE, NVME_STATUS_OK, NVME_STATUS_OK, NVME_STATUS_OK, NVME_STATUS_OK},
    {NVME_CORRUPTION_FLIPPED_BIT, NVME_STATUS_GUARD_CHECK, NVME_STATUS_OK, NVME_STATUS_GUARD_CHECK,
     NVME_STATUS_OK},
};

/* Without protection each is silent: the content is another, and no status says so. */
static void what_is_silent_without_is_a_status_with(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof corruptions / sizeof corruptions[0]; i++)
        for (int64_t type = 0; type <= 3; type++)
            for (unsigned act = 0; act < 2; act++) {
                start(type, act, NVME_HOST_CHECKS_REFERENCE);
                assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
                assert_int_equal(io(NVME_WRITE, 8, 8), NVME_STATUS_OK);
                assert_true(nvme_target_corrupt(pair.target, 1, corruptions[i].how, 1));
                assert_int_equal(io(NVME_WRITE, 0, 9), NVME_STATUS_OK);
                const uint16_t here = io(NVME_READ, 0, 0);
                const uint32_t content = pair.ios[0].content;
                const uint64_t retried = nvme_host_stats(pair.host)->retried;
                const uint16_t behind = io(NVME_READ, 8, 0);
                assert_int_equal(here, type == 0   ? NVME_STATUS_OK
                                       : type == 3 ? corruptions[i].type3_here
                                                   : corruptions[i].here);
                assert_int_equal(behind, type == 0   ? NVME_STATUS_OK
                                         : type == 3 ? corruptions[i].type3_behind
                                                     : corruptions[i].behind);
                assert_int_equal(retried, here == NVME_STATUS_OK ? 0 : 2);
                if (here == NVME_STATUS_OK)
                    assert_int_not_equal(content, 9);
                nvme_pair_fini(&pair);
            }
}

/* A read that fails is sent again, and finds what it should where each second goes astray. */
static void a_read_that_went_astray_is_healed(void **state)
{
    (void)state;
    start(1, false, NVME_HOST_CHECKS_REFERENCE);
    assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
    assert_int_equal(io(NVME_WRITE, 8, 8), NVME_STATUS_OK);
    assert_true(nvme_target_corrupt(pair.target, 1, NVME_CORRUPTION_MISDIRECTED_READ, 2));
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
        assert_int_equal(pair.ios[0].content, 7);
    }
    assert_int_equal(nvme_host_stats(pair.host)->retried, 5);
    assert_true(nvme_target_corrupt(pair.target, 1, NVME_CORRUPTION_MISDIRECTED_READ, 0));
    assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
    assert_int_equal(nvme_host_stats(pair.host)->retried, 5);
    assert_false(nvme_target_corrupt(pair.target, 3, NVME_CORRUPTION_MISDIRECTED_READ, 1));
    assert_false(nvme_target_corrupt(pair.target, 0, NVME_CORRUPTION_MISDIRECTED_READ, 1));
    nvme_pair_fini(&pair);
}

/* Nothing is checked that was not asked for. */
static void what_is_not_checked_is_silent(void **state)
{
    (void)state;
    static const int64_t asks[] = {NVME_HOST_CHECKS_NOTHING, NVME_HOST_CHECKS_GUARD};
    for (size_t i = 0; i < 2; i++) {
        start(1, false, asks[i]);
        assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
        assert_int_equal(io(NVME_WRITE, 8, 8), NVME_STATUS_OK);
        assert_true(nvme_target_corrupt(pair.target, 1, NVME_CORRUPTION_MISDIRECTED_READ, 1));
        assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
        assert_int_equal(pair.ios[0].content, 8);
        assert_true(nvme_target_corrupt(pair.target, 1, NVME_CORRUPTION_FLIPPED_BIT, 1));
        assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
        assert_int_equal(io(NVME_READ, 0, 0), i == 0 ? NVME_STATUS_OK : NVME_STATUS_GUARD_CHECK);
        nvme_pair_fini(&pair);
    }
}

/* Data that came to the target from several places, as a transport's mistake leaves them. */
static void write_of_damaged_data(int64_t type, uint16_t status, uint64_t damaged)
{
    start(type, false, NVME_HOST_CHECKS_REFERENCE);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 0, 65536, NVME_CONTENT_MIXED)->status, status);
    assert_int_equal(nvme_target_stats(pair.target)->damaged, damaged);
    nvme_pair_fini(&pair);
}

static void data_that_were_damaged_on_the_way_are_refused(void **state)
{
    (void)state;
    write_of_damaged_data(0, NVME_STATUS_OK, 1);
    for (int64_t type = 1; type <= 3; type++)
        write_of_damaged_data(type, NVME_STATUS_GUARD_CHECK, 0);
}

/* Blocks whose data were lost are read as never written. */
static void nothing_is_kept_of_data_that_are_lost(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.namespaces[0].params.pi_type = 1;
    pair.host_params.reconnect_delay = PS_PER_MS;
    pair.host_params.pi_chk = NVME_HOST_CHECKS_ALL;
    nvme_pair_start(&pair);
    assert_true(nvme_target_corrupt(pair.target, 1, NVME_CORRUPTION_FLIPPED_BIT, 1));
    assert_int_equal(io(NVME_WRITE, 0, 7), NVME_STATUS_OK);
    assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_GUARD_CHECK);
    nvme_target_kill(pair.target, true);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 50 * PS_PER_MS);
    assert_int_equal(io(NVME_READ, 0, 0), NVME_STATUS_OK);
    assert_int_equal(pair.ios[0].content, 0);
    nvme_pair_fini(&pair);
}

/* ---- a host that says what it likes ---- */

static uint16_t ask(enum nvme_opcode opcode, uint32_t lba, uint32_t prinfo, uint32_t reference)
{
    const uint32_t bytes = 512 + ((prinfo & NVME_PI_ACT) != 0 ? 0 : NVME_PI_BYTES);
    const struct nvme_command command = {
        .opcode = (uint8_t)opcode,
        .flags = NVME_FLAGS_SGL,
        .nsid = 1,
        .sgl = {raw.buffer->addr, bytes, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = lba,
        .cdw12 = prinfo,
        .cdw14 = reference,
    };
    return raw_send(&raw, 1, &command, 0);
}

static void begin(int64_t type)
{
    raw_init_protected(&raw, type);
    raw_bring_up(&raw);
}

static void tags_of_the_command_are_judged(void **state)
{
    (void)state;
    enum { ACT = NVME_PI_ACT, REF = NVME_PI_CHK_REF, GUARD = NVME_PI_CHK_GUARD };
    static const struct {
        int64_t type;
        uint32_t prinfo, reference;
        uint16_t status;
    } rows[] = {
        {1, REF, 5, NVME_STATUS_OK},
        {1, REF, 6, NVME_STATUS_INVALID_PROTECTION | NVME_STATUS_DNR},
        {1, ACT, 6, NVME_STATUS_INVALID_PROTECTION | NVME_STATUS_DNR},
        {1, GUARD, 6, NVME_STATUS_OK},
        {2, REF | ACT, 6, NVME_STATUS_OK},
        {3, GUARD, 6, NVME_STATUS_OK},
        {3, REF, 5, NVME_STATUS_INVALID_PROTECTION | NVME_STATUS_DNR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].type);
        if (ask(NVME_WRITE, 5, rows[i].prinfo, rows[i].reference) != rows[i].status)
            fail_msg("row %zu: %03X", i, raw.queues[1].last.status);
        raw_fini(&raw);
    }
}

/* Type 2: the host's own tag is the one that a read must ask for. */
static void a_tag_of_the_hosts_own_is_kept(void **state)
{
    (void)state;
    begin(2);
    assert_int_equal(ask(NVME_WRITE, 5, NVME_PI_CHK_REF, 900), NVME_STATUS_OK);
    assert_int_equal(ask(NVME_READ, 5, NVME_PI_CHK_REF, 900), NVME_STATUS_OK);
    assert_int_equal(ask(NVME_READ, 5, NVME_PI_CHK_REF | NVME_PI_ACT, 900), NVME_STATUS_OK);
    assert_int_equal(ask(NVME_READ, 5, NVME_PI_CHK_REF, 5), NVME_STATUS_REFERENCE_CHECK);
    assert_int_equal(ask(NVME_READ, 6, NVME_PI_CHK_REF, 5), NVME_STATUS_OK); /* never written */
    raw_fini(&raw);
}

/* Lengths without the tuples, or with them where the controller inserts them. */
static void the_length_says_whether_it_travels(void **state)
{
    (void)state;
    begin(1);
    struct nvme_command command = {
        .opcode = NVME_READ,
        .flags = NVME_FLAGS_SGL,
        .nsid = 1,
        .sgl = {raw.buffer->addr, 512, raw.buffer->rkey, NVME_SGL_KEYED},
    };
    assert_int_equal(raw_send(&raw, 1, &command, 0), NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR);
    command.sgl.length = 520;
    assert_int_equal(raw_send(&raw, 1, &command, 0), NVME_STATUS_OK);
    command.cdw12 = NVME_PI_ACT;
    assert_int_equal(raw_send(&raw, 1, &command, 0), NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR);
    raw_fini(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guard_is_the_one_of_t10),
        cmocka_unit_test(tuples_travel_in_big_endian),
        cmocka_unit_test(each_check_is_asked_for_alone),
        cmocka_unit_test(it_travels_or_the_controller_has_it),
        cmocka_unit_test(the_largest_command_has_room),
        cmocka_unit_test(good_data_pass_every_check),
        cmocka_unit_test(what_is_silent_without_is_a_status_with),
        cmocka_unit_test(a_read_that_went_astray_is_healed),
        cmocka_unit_test(what_is_not_checked_is_silent),
        cmocka_unit_test(data_that_were_damaged_on_the_way_are_refused),
        cmocka_unit_test(nothing_is_kept_of_data_that_are_lost),
        cmocka_unit_test(tags_of_the_command_are_judged),
        cmocka_unit_test(a_tag_of_the_hosts_own_is_kept),
        cmocka_unit_test(the_length_says_whether_it_travels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
