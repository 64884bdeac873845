/* SPDX-License-Identifier: Apache-2.0
 * test_breakdown_stages - the two halves of commands, and their stages. */
#include "replay/breakdown/breakdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct probe_target_io target_of(uint32_t number)
{
    return (struct probe_target_io){.host_ip = 1 + number % 7,
                                    .target_ip = 100 + number % 3,
                                    .qid = (uint16_t)(number % 5),
                                    .cid = (uint16_t)number,
                                    .capsule_at = 1000 + number};
}

static struct probe_host_io host_of(uint32_t number)
{
    const struct probe_target_io target = target_of(number);
    return (struct probe_host_io){.host_ip = target.host_ip,
                                  .target_ip = target.target_ip,
                                  .qid = target.qid,
                                  .cid = target.cid};
}

static const struct explain_fabric no_fabric;

/* Every command is found after the table has grown and others have been taken from between. */
static void many_commands_are_each_found_once(void **state)
{
    (void)state;
    enum { COMMANDS = 5000 };
    struct breakdown *breakdown = breakdown_new(&no_fabric, 1, false);
    struct probe_target_io found;
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const struct probe_target_io io = target_of(i);
        breakdown_target_io(breakdown, &io);
    }
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const uint32_t number = (i * 1237) % COMMANDS; /* prime to the number of commands */
        const struct probe_host_io io = host_of(number);
        assert_true(breakdown_host_io(breakdown, &io, &found));
        assert_int_equal(found.capsule_at, 1000 + number);
        assert_false(breakdown_host_io(breakdown, &io, &found));
    }
    breakdown_free(breakdown);
}

static void later_record_of_a_command_replaces_the_earlier(void **state)
{
    (void)state;
    struct breakdown *breakdown = breakdown_new(&no_fabric, 1, false);
    struct probe_target_io io = target_of(1), found;
    const struct probe_host_io host = host_of(1);
    breakdown_target_io(breakdown, &io);
    io.capsule_at = 77;
    breakdown_target_io(breakdown, &io);
    assert_true(breakdown_host_io(breakdown, &host, &found));
    assert_int_equal(found.capsule_at, 77);
    assert_false(breakdown_host_io(breakdown, &host, &found));
    breakdown_free(breakdown);
}

static time_ps sum_of(const time_ps stages[BREAKDOWN_STAGES])
{
    time_ps sum = 0;
    for (int i = 0; i < BREAKDOWN_STAGES; i++)
        sum += stages[i];
    return sum;
}

static const struct probe_host_io host_part = {
    .issued_at = 100, .posted_at = 110, .response_at = 900, .completed_at = 950};

static void stages_of_a_write_add_up_to_its_latency(void **state)
{
    (void)state;
    const struct probe_target_io target = {.capsule_at = 200,
                                           .fetch_at = 230,
                                           .fetched_at = 400,
                                           .media_at = 405,
                                           .media_begun_at = 450,
                                           .media_done_at = 700,
                                           .response_at = 720};
    time_ps stages[BREAKDOWN_STAGES];
    breakdown_stages(&host_part, &target, stages);
    assert_int_equal(stages[BREAKDOWN_STAGE_SUBMIT], 10);
    assert_int_equal(stages[BREAKDOWN_STAGE_REQUEST], 90);
    assert_int_equal(stages[BREAKDOWN_STAGE_TARGET], 30 + 5);
    assert_int_equal(stages[BREAKDOWN_STAGE_FETCH], 170);
    assert_int_equal(stages[BREAKDOWN_STAGE_WAIT], 45);
    assert_int_equal(stages[BREAKDOWN_STAGE_MEDIA], 250);
    assert_int_equal(stages[BREAKDOWN_STAGE_RESPOND], 20);
    assert_int_equal(stages[BREAKDOWN_STAGE_RESPONSE], 180);
    assert_int_equal(stages[BREAKDOWN_STAGE_COMPLETE], 50);
    assert_int_equal(sum_of(stages), 850);
}

static void stages_that_did_not_happen_are_zero(void **state)
{
    (void)state;
    const struct probe_target_io read = {.capsule_at = 200,
                                         .media_at = 240,
                                         .media_begun_at = 240,
                                         .media_done_at = 700,
                                         .response_at = 700};
    time_ps stages[BREAKDOWN_STAGES];
    breakdown_stages(&host_part, &read, stages);
    assert_int_equal(stages[BREAKDOWN_STAGE_FETCH], 0);
    assert_int_equal(stages[BREAKDOWN_STAGE_WAIT], 0);
    assert_int_equal(stages[BREAKDOWN_STAGE_TARGET], 40);
    assert_int_equal(sum_of(stages), 850);
    /* an error answered without the media */
    const struct probe_target_io refused = {.capsule_at = 200, .response_at = 260};
    breakdown_stages(&host_part, &refused, stages);
    assert_int_equal(stages[BREAKDOWN_STAGE_RESPOND], 60);
    assert_int_equal(sum_of(stages), 850);
}

static void buffers_are_waited_for_between_two_parts_of_the_software(void **state)
{
    (void)state;
    const struct probe_target_io read = {.capsule_at = 200,
                                         .begun_at = 210,
                                         .buffered_at = 300,
                                         .media_at = 305,
                                         .media_begun_at = 305,
                                         .media_done_at = 700,
                                         .response_at = 700};
    time_ps stages[BREAKDOWN_STAGES];
    breakdown_stages(&host_part, &read, stages);
    assert_int_equal(stages[BREAKDOWN_STAGE_BUFFERS], 90);
    assert_int_equal(stages[BREAKDOWN_STAGE_TARGET], 15);
    assert_int_equal(sum_of(stages), 850);
}

static void command_without_a_target_part_keeps_its_latency(void **state)
{
    (void)state;
    time_ps stages[BREAKDOWN_STAGES];
    breakdown_stages(&host_part, NULL, stages);
    assert_int_equal(stages[BREAKDOWN_STAGE_REQUEST], 790);
    assert_int_equal(sum_of(stages), 850);
}

/* The sums are those of the commands that completed, one by one. */
static void sums_are_of_the_commands_that_completed(void **state)
{
    (void)state;
    struct breakdown *breakdown = breakdown_new(&no_fabric, 2, false);
    struct probe_target_io found;
    struct probe_host_io io = host_part;
    io.workload = 1;
    io.opcode = 2;
    const struct probe_target_io target = {
        .capsule_at = 200, .media_at = 240, .media_begun_at = 250, .media_done_at = 700};
    breakdown_target_io(breakdown, &target);
    assert_true(breakdown_host_io(breakdown, &io, &found));
    assert_false(breakdown_host_io(breakdown, &io, &found));
    io.status = UINT16_MAX;
    breakdown_host_io(breakdown, &io, &found);
    const struct breakdown_stage_sum *sum = breakdown_stage_sum(breakdown, 1, BREAKDOWN_READ);
    assert_int_equal(sum->count, 2);
    assert_int_equal((int64_t)sum->sum_ps[BREAKDOWN_STAGE_MEDIA], 450);
    assert_int_equal((int64_t)sum->sum_ps[BREAKDOWN_STAGE_REQUEST], 90 + 790);
    assert_int_equal(sum->max_ps[BREAKDOWN_STAGE_REQUEST], 790);
    assert_int_equal(breakdown_stage_sum(breakdown, 1, BREAKDOWN_WRITE)->count, 0);
    assert_int_equal(breakdown_stage_sum(breakdown, 0, BREAKDOWN_READ)->count, 0);
    breakdown_free(breakdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_commands_are_each_found_once),
        cmocka_unit_test(later_record_of_a_command_replaces_the_earlier),
        cmocka_unit_test(stages_of_a_write_add_up_to_its_latency),
        cmocka_unit_test(stages_that_did_not_happen_are_zero),
        cmocka_unit_test(buffers_are_waited_for_between_two_parts_of_the_software),
        cmocka_unit_test(command_without_a_target_part_keeps_its_latency),
        cmocka_unit_test(sums_are_of_the_commands_that_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
