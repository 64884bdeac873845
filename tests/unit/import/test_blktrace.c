/* SPDX-License-Identifier: Apache-2.0
 * Records of blktrace: which become I/Os, in which order, and what is refused. */
#include "scenarios/trace/blktrace.h"
#include "tests/unit/base/fuzz_input.h"

#include <linux/blktrace_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS_MAX = 16, NVME = 259 << 20, SCSI = (8 << 20) + 16 };

static struct arena arena;
static struct diag diag;
static struct blk_io_trace records[RECORDS_MAX];
static size_t record_count;

static int forget(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    record_count = 0;
    return 0;
}

static struct blk_io_trace *add(uint64_t ns, uint64_t sector, uint32_t bytes, uint32_t category)
{
    struct blk_io_trace *record = &records[record_count++];
    *record = (struct blk_io_trace){
        .magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION,
        .time = ns,
        .sector = sector,
        .bytes = bytes,
        .action = (category | BLK_TC_QUEUE) << BLK_TC_SHIFT | __BLK_TA_QUEUE,
        .device = NVME,
    };
    return record;
}

static bool read_ask(struct blktrace_ask ask, size_t bytes, struct trace *trace)
{
    fuzz_input("blktrace", records, bytes);
    const struct tree_file *file = tree_hold(&arena, "t.bin", (const char *)records, bytes);
    diag = (struct diag){0};
    ask.files = &file;
    ask.count = 1;
    return blktrace_read(&arena, &ask, trace, &diag);
}

static struct trace read_all(struct blktrace_ask ask)
{
    struct trace trace;
    assert_true(read_ask(ask, record_count * sizeof records[0], &trace));
    return trace;
}

static void expect_io(const struct trace *trace, uint32_t index, enum trace_op op, int64_t at_ns,
                      int64_t offset, uint32_t bytes)
{
    assert_true(index < trace->count);
    assert_int_equal(trace->ios[index].op, op);
    assert_int_equal(trace->ios[index].at, at_ns * PS_PER_NS);
    assert_int_equal(trace->ios[index].offset, offset);
    assert_int_equal(trace->ios[index].bytes, bytes);
}

static void queued_ios_are_taken_in_the_order_of_their_times(void **state)
{
    (void)state;
    add(5000, 8, 4096, BLK_TC_READ);
    add(4000, 16, 512, BLK_TC_WRITE);
    add(9000, 0, 0, BLK_TC_WRITE | BLK_TC_FLUSH);
    add(9000, 24, 512, BLK_TC_WRITE | BLK_TC_FLUSH | BLK_TC_FUA);
    struct blk_io_trace *other = add(6000, 0, 512, BLK_TC_READ); /* of a later stage */
    other->action = (BLK_TC_READ | BLK_TC_COMPLETE) << BLK_TC_SHIFT | __BLK_TA_COMPLETE;
    other = add(9500, 32, 512, BLK_TC_READ); /* with the number of its control group */
    other->action |= __BLK_TA_CGROUP;
    const struct trace trace = read_all((struct blktrace_ask){0});
    assert_int_equal(trace.count, 6);
    expect_io(&trace, 0, TRACE_WRITE, 0, 16 * 512, 512);
    expect_io(&trace, 1, TRACE_READ, 1000, 8 * 512, 4096);
    expect_io(&trace, 2, TRACE_FLUSH, 5000, 0, 0);
    expect_io(&trace, 3, TRACE_FLUSH, 5000, 0, 0);
    expect_io(&trace, 4, TRACE_WRITE, 5000, 24 * 512, 512);
    expect_io(&trace, 5, TRACE_READ, 5500, 32 * 512, 512);
    assert_string_equal(trace.files[0], "259,0");
    assert_int_equal(diag.count, 1);
    assert_non_null(strstr(diag.messages[0].text, "1 forced write (FUA)"));
}

static void each_record_may_be_two_ios(void **state)
{
    (void)state;
    for (int i = 0; i < RECORDS_MAX; i++)
        add(1000, 8, 512, BLK_TC_WRITE | BLK_TC_FLUSH);
    const struct trace trace = read_all((struct blktrace_ask){0});
    assert_int_equal(trace.count, 2 * RECORDS_MAX);
    for (uint32_t i = 0; i < RECORDS_MAX; i++) {
        expect_io(&trace, 2 * i, TRACE_FLUSH, 0, 0, 0);
        expect_io(&trace, 2 * i + 1, TRACE_WRITE, 0, 4096, 512);
    }
}

static void issued_ios_have_flushes_of_their_own(void **state)
{
    (void)state;
    add(1000, 0, 512, BLK_TC_READ);
    add(2000, 0, 0, BLK_TC_WRITE | BLK_TC_FLUSH);
    add(3000, 24, 512, BLK_TC_WRITE | BLK_TC_FLUSH);
    for (int i = 1; i < 3; i++)
        records[i].action = (records[i].action & ~(uint32_t)(BLK_TC_QUEUE << BLK_TC_SHIFT | 0xFF)) |
                            BLK_TC_ISSUE << BLK_TC_SHIFT | __BLK_TA_ISSUE;
    const struct trace trace = read_all((struct blktrace_ask){.issued = true});
    assert_int_equal(trace.count, 2);
    expect_io(&trace, 0, TRACE_FLUSH, 0, 0, 0);
    expect_io(&trace, 1, TRACE_WRITE, 1000, 24 * 512, 512);
}

static void devices_are_files_and_one_may_be_asked_for(void **state)
{
    (void)state;
    add(1000, 8, 512, BLK_TC_READ);
    add(2000, 16, 512, BLK_TC_READ)->device = SCSI;
    struct trace trace = read_all((struct blktrace_ask){0});
    assert_int_equal(trace.file_count, 2);
    assert_string_equal(trace.files[1], "8,16");
    trace = read_all((struct blktrace_ask){.device = "8,16"});
    assert_int_equal(trace.count, 1);
    expect_io(&trace, 0, TRACE_READ, 0, 16 * 512, 512);
    assert_non_null(strstr(diag.messages[0].text, "1 I/O of other devices than 8,16"));
    assert_false(read_ask((struct blktrace_ask){.device = "1,1"}, sizeof records[0], &trace));
    assert_non_null(strstr(diag.messages[0].text, "that was queued to device 1,1"));
}

static void what_the_host_does_not_send_is_told(void **state)
{
    static const char *const words[] = {"1 discard is", "1 command that bypasses", "1 I/O larger",
                                        "1 read or write of zero bytes"};
    (void)state;
    add(1000, 8, 512, BLK_TC_READ);
    add(1000, 8, 512, BLK_TC_WRITE | BLK_TC_DISCARD);
    add(1000, 8, 512, BLK_TC_READ | BLK_TC_PC);
    add(1000, 8, UINT32_MAX, BLK_TC_WRITE);
    add(1000, 8, 0, BLK_TC_READ);
    const struct trace trace = read_all((struct blktrace_ask){0});
    assert_int_equal(trace.count, 1);
    assert_int_equal(diag.count, 4);
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(diag.messages[i].text, words[i]));
}

static void the_other_byte_order_is_the_same(void **state)
{
    (void)state;
    struct blk_io_trace *record = add(1000, 8, 4096, BLK_TC_WRITE);
    record->magic = __builtin_bswap32(record->magic);
    record->time = __builtin_bswap64(record->time);
    record->sector = __builtin_bswap64(record->sector);
    record->bytes = __builtin_bswap32(record->bytes);
    record->action = __builtin_bswap32(record->action);
    record->device = __builtin_bswap32(record->device);
    const struct trace trace = read_all((struct blktrace_ask){0});
    expect_io(&trace, 0, TRACE_WRITE, 0, 4096, 4096);
    assert_string_equal(trace.files[0], "259,0");
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    struct trace trace;
    const size_t one = sizeof records[0];
    add(1000, 8, 4096, BLK_TC_READ);
    add(2000, 8, 4096, BLK_TC_READ);
    assert_false(read_ask((struct blktrace_ask){0}, 0, &trace));
    assert_non_null(strstr(diag.messages[0].text, "no read, write or flush"));
    assert_false(read_ask((struct blktrace_ask){0}, one + 7, &trace));
    assert_non_null(strstr(diag.messages[0].text, "byte 48: the file ends inside a record"));
    records[1].pdu_len = 1;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "byte 48: the file ends inside a record"));
    records[1].pdu_len = 0;
    records[1].magic = 0;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "byte 48: expected a record"));
    records[1].magic = records[0].magic - 1;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "byte 48: expected version 7"));
    records[1].magic = records[0].magic;
    records[1].time = UINT64_MAX;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "292 years"));
    records[1].time = 1000000000000001 + 1000;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "longer than 1000000 seconds"));
    records[1].sector = UINT64_MAX;
    assert_false(read_ask((struct blktrace_ask){0}, 2 * one, &trace));
    assert_non_null(strstr(diag.messages[0].text, "beyond 1 PiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(queued_ios_are_taken_in_the_order_of_their_times, forget),
        cmocka_unit_test_teardown(each_record_may_be_two_ios, forget),
        cmocka_unit_test_teardown(issued_ios_have_flushes_of_their_own, forget),
        cmocka_unit_test_teardown(devices_are_files_and_one_may_be_asked_for, forget),
        cmocka_unit_test_teardown(what_the_host_does_not_send_is_told, forget),
        cmocka_unit_test_teardown(the_other_byte_order_is_the_same, forget),
        cmocka_unit_test_teardown(what_is_no_trace_is_refused, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
