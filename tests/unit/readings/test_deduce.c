/* SPDX-License-Identifier: Apache-2.0
 * What readings say of parameters: a row of readings, and what is known, bounded or contradicted.
 * Where the model made the readings, the parameters that it had are found again. */
#include "base/memory.h"
#include "replay/readings/deduce_private.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct readings readings;
    struct deduced deduced;
    struct diag diag;
    bool no_drive, together;
};

static int setup(void **state)
{
    *state = memory_zeroed(1, sizeof(struct fixture));
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    deduced_free(&fixture->deduced);
    readings_free(&fixture->readings);
    free(fixture);
    return 0;
}

static void add(struct fixture *fixture, struct reading reading)
{
    reading.tool = "perftest";
    reading.where = (struct diag_place){"in", (int)fixture->readings.count + 1, 1, 1};
    readings_add(&fixture->readings, reading, &fixture->diag);
}

static void add_rate(struct fixture *fixture, struct reading_work work, double mops)
{
    work.mtu = 4096;
    work.depth = 128;
    add(fixture,
        (struct reading){.kind = READING_RATE,
                         .work = work,
                         .rate = reading_number_times((struct reading_number){mops, 1e-6}, 1e6)});
}

static void add_latency(struct fixture *fixture, enum reading_verb verb, int64_t bytes, double us)
{
    add(fixture,
        (struct reading){.kind = READING_LATENCY,
                         .work = {.verb = verb, .bytes = bytes, .mtu = 4096, .inline_bytes = 220},
                         .latency = reading_number_times((struct reading_number){us, 0.01}, 1e6)});
}

static void add_setting(struct fixture *fixture, const char *path, const char *value)
{
    add(fixture, (struct reading){.kind = READING_SETTING, .path = path, .value = value});
}

static void run(struct fixture *fixture, const char *base, const char *rate)
{
    const struct deduce_ask ask = {
        .base = base, .rate = rate, .no_drive = fixture->no_drive, .together = fixture->together};
    if (!deduce(&fixture->deduced, &fixture->readings, &ask, &fixture->diag))
        fail_msg("%s", fixture->diag.messages[0].text);
}

static const struct deduced_parameter *of(const struct fixture *fixture,
                                          enum deduce_parameter which)
{
    return &fixture->deduced.parameters[which];
}

static void is_near(const struct fixture *fixture, enum deduce_parameter which, double value,
                    double tolerance)
{
    const struct deduced_parameter *parameter = of(fixture, which);
    assert_int_equal(parameter->state, DEDUCE_KNOWN);
    if ((double)parameter->value < value * (1 - tolerance) ||
        (double)parameter->value > value * (1 + tolerance))
        fail_msg("%s is %lld instead of %g", parameter->path, (long long)parameter->value, value);
}

/* ------------------------------------------------------------------ rates */

static void the_core_is_what_one_queue_pair_shows(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 2.5);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_POST_COST, 400000, 0.001);
    assert_string_equal(of(fixture, DEDUCE_POST_COST)->evidence, "measured");
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->state, DEDUCE_AT_MOST);
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->bound, 400000);
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->value, 5000); /* the base's, which fits */
    assert_int_equal(of(fixture, DEDUCE_READ_COST)->state, DEDUCE_OPEN);
    assert_int_equal(fixture->deduced.conflict_count, 0);
}

static void more_queue_pairs_tell_the_core_from_the_engine(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 2.5);
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 8}, 5);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_QP_MESSAGE_COST, 400000, 0.001);
    is_near(fixture, DEDUCE_POST_COST, 200000, 0.001);
}

static void reads_alone_say_what_the_core_takes(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.verb = READING_READ, .bytes = 8, .qps = 1}, 2);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_POST_COST, 500000, 0.001);
    assert_non_null(strstr(of(fixture, DEDUCE_POST_COST)->how, "only READs"));
}

static void lists_and_both_ways_are_bounds(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1, .post_list = 64}, 40);
    add_rate(fixture,
             (struct reading_work){.bytes = 8, .qps = 8, .verb = READING_READ, .both_ways = true},
             400);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_POST_COST)->state, DEDUCE_AT_MOST);
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->bound, 25000);
    assert_int_equal(of(fixture, DEDUCE_READ_COST)->bound, 5000);
    assert_int_equal(of(fixture, DEDUCE_READ_COST)->value, 5000); /* the base's is more */
}

/* A lone process, and files of several that ran at once: "in" is the lone one. */
static void add_cores(struct fixture *fixture, enum reading_verb verb, double each)
{
    static const char *const files[] = {"a", "b", "c", "d"};
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 5);
    for (int i = 0; i < 4; i++) {
        add_rate(fixture, (struct reading_work){.verb = verb, .bytes = 8, .qps = 4}, each);
        fixture->readings.list[fixture->readings.count - 1].where.file = files[i];
    }
}

static void cores_together_tell_the_engine(void **state)
{
    struct fixture *fixture = *state;
    fixture->together = true;
    add_cores(fixture, READING_WRITE, 2.5);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_POST_COST, 200000, 0.001);
    is_near(fixture, DEDUCE_MESSAGE_COST, 100000, 0.001);
    assert_int_equal(fixture->deduced.sum_count, 1);
    assert_int_equal(fixture->deduced.sums[0].work.cores, 4);
    assert_int_equal(fixture->deduced.sums[0].work.qps, 16);
    const struct deduced_figure *last =
        &fixture->deduced.figures[fixture->deduced.figure_count - 1];
    assert_ptr_equal(last->reading, &fixture->deduced.sums[0]);
    assert_true(fabs(last->modelled / last->measured - 1) < 0.02);
}

static void cores_that_gain_as_many_are_a_bound(void **state)
{
    struct fixture *fixture = *state;
    fixture->together = true;
    add_cores(fixture, READING_WRITE, 4.9);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->state, DEDUCE_AT_MOST);
    assert_int_equal(of(fixture, DEDUCE_MESSAGE_COST)->bound, 51020);
}

static void files_do_not_add_up_unless_it_is_said(void **state)
{
    struct fixture *fixture = *state;
    add_cores(fixture, READING_READ, 2.5);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.sum_count, 0);
    assert_int_equal(of(fixture, DEDUCE_READ_COST)->bound, 400000);
}

static void a_full_link_is_only_a_bound(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 65536, .qps = 1}, 0.1869);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_POST_COST)->state, DEDUCE_AT_MOST);
    assert_int_equal(of(fixture, DEDUCE_LINE_RATE)->state, DEDUCE_AT_LEAST);
    assert_int_equal(of(fixture, DEDUCE_PCIE_OVERHEAD)->state, DEDUCE_OPEN);
}

static void more_than_the_link_carries_contradicts(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 65536, .qps = 1}, 0.3);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_non_null(strstr(fixture->deduced.conflicts[0].sentence, "exceed the link rate"));
}

static void the_rate_that_is_said_counts(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 65536, .qps = 1}, 0.3);
    run(fixture, "connectx-5-100g", "200Gbps");
    assert_int_equal(fixture->deduced.conflict_count, 0);
    assert_int_equal(of(fixture, DEDUCE_LINE_RATE)->value, INT64_C(200000000000));
}

static void pcie_shows_where_the_link_is_faster(void **state)
{
    struct fixture *fixture = *state;
    add_setting(fixture, "rnic.pcie-generation", "3");
    add_setting(fixture, "rnic.pcie-lanes", "8");
    add_rate(fixture, (struct reading_work){.bytes = 1048576, .qps = 1},
             55.86e9 / 8 / 1048576 / 1e6);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_PCIE_OVERHEAD, 30000, 0.05);
    assert_int_equal(fixture->deduced.figure_count, 1);
    assert_true(fixture->deduced.figures[0].modelled > 0.99 * fixture->deduced.figures[0].measured);
    assert_true(fixture->deduced.figures[0].modelled < 1.01 * fixture->deduced.figures[0].measured);
}

static void more_than_pcie_carries_contradicts_its_width(void **state)
{
    struct fixture *fixture = *state;
    add_setting(fixture, "rnic.pcie-generation", "3");
    add_setting(fixture, "rnic.pcie-lanes", "8");
    add_rate(fixture, (struct reading_work){.bytes = 1048576, .qps = 1}, 90e9 / 8 / 1048576 / 1e6);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_ptr_equal(fixture->deduced.conflicts[0].other, &fixture->readings.list[1]);
    assert_non_null(strstr(fixture->deduced.conflicts[0].sentence, "exceed PCIe generation 3 x8"));
}

/* ------------------------------------------------------------------ latencies */

/* The model makes the readings with its own profile, and the profile comes of them. */
static void the_model_finds_its_own_delays(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        enum reading_verb verb;
        int64_t bytes;
    } works[] = {{READING_WRITE, 8}, {READING_WRITE, 256}, {READING_READ, 8}};
    struct deduced own = {.base = "connectx-6-200g"};
    struct readings none = {0};
    const struct deduce_ask ask = {.base = "connectx-6-200g"};
    assert_true(deduce(&own, &none, &ask, &fixture->diag));
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        const struct reading asked = {
            .kind = READING_LATENCY,
            .work = {
                .verb = works[i].verb, .bytes = works[i].bytes, .mtu = 4096, .inline_bytes = 220}};
        add_latency(fixture, works[i].verb, works[i].bytes, deduce_play(&own, &asked) / 1e6);
    }
    deduced_free(&own);
    run(fixture, "connectx-6-200g", NULL);
    is_near(fixture, DEDUCE_TX_DELAY, 855000, 0.001);
    is_near(fixture, DEDUCE_RX_DELAY, 855000, 0.001);
    is_near(fixture, DEDUCE_PCIE_READ_LATENCY, 890000, 0.001);
    is_near(fixture, DEDUCE_READ_DELAY, 900000, 0.001);
    assert_string_equal(of(fixture, DEDUCE_TX_DELAY)->evidence, "inferred");
    for (size_t i = 0; i < fixture->deduced.figure_count; i++) {
        const struct deduced_figure *figure = &fixture->deduced.figures[i];
        assert_true(fabs(figure->modelled / figure->measured - 1) < 0.002);
    }
}

/* From a base with another latency of PCIe too. */
static void delays_do_not_depend_on_the_base(void **state)
{
    struct fixture *fixture = *state;
    add_setting(fixture, "rnic.pcie-generation", "3");
    add_latency(fixture, READING_WRITE, 8, 1.02);
    add_latency(fixture, READING_WRITE, 256, 1.46);
    add_latency(fixture, READING_READ, 8, 1.85);
    run(fixture, "connectx-6-200g", NULL);
    assert_int_equal(fixture->deduced.figure_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct deduced_figure *figure = &fixture->deduced.figures[i];
        assert_true(fabs(figure->modelled / figure->measured - 1) < 0.002);
    }
}

static void a_latency_below_the_wire_contradicts(void **state)
{
    struct fixture *fixture = *state;
    add_latency(fixture, READING_WRITE, 8, 0.01);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_int_equal(of(fixture, DEDUCE_TX_DELAY)->value, 0);
}

/* ------------------------------------------------------------------ I/Os */

static void add_io(struct fixture *fixture, struct reading_work work, double kiops, double us,
                   double cpu_us)
{
    add(fixture, (struct reading){.kind = READING_IO,
                                  .work = work,
                                  .rate = {kiops * 1e3, 1},
                                  .latency = {us * 1e6, 1e4},
                                  .cpu = {cpu_us * 1e6, 1}});
}

static void io_bounds_software(void **state)
{
    struct fixture *fixture = *state;
    const struct reading_work deep = {.verb = READING_READ, .bytes = 4096, .qps = 2, .depth = 32};
    add_io(fixture, deep, 2000, 0, 0);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_SUBMIT_COST)->state, DEDUCE_AT_MOST);
    assert_int_equal(of(fixture, DEDUCE_SUBMIT_COST)->bound, 500000); /* 2 jobs, 2 M/s, half */
    assert_int_equal(of(fixture, DEDUCE_SUBMIT_COST)->value, 500000);
    assert_int_equal(of(fixture, DEDUCE_COMMAND_COST)->bound, 2000000); /* 4 cores */
    assert_int_equal(fixture->deduced.figure_count, 0);                 /* there may be a drive */
}

static void processor_time_bounds_the_host(void **state)
{
    struct fixture *fixture = *state;
    const struct reading_work deep = {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 32};
    add_io(fixture, deep, 100, 0, 1.6);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_SUBMIT_COST)->bound, 800000);
    assert_int_equal(of(fixture, DEDUCE_COMPLETE_COST)->value, 800000);
}

static void without_a_drive_software_is_what_is_left(void **state)
{
    struct fixture *fixture = *state;
    const struct reading_work one = {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 1};
    struct deduced own;
    struct readings none = {0};
    const struct deduce_ask ask = {.base = "connectx-5-100g"};
    assert_true(deduce(&own, &none, &ask, &fixture->diag));
    const struct reading asked = {.kind = READING_IO, .work = one};
    const double us = deduce_play(&own, &asked) / 1e6;
    deduced_free(&own);
    fixture->no_drive = true;
    add_io(fixture, one, 1e3 / (us + 6), us + 6, 0);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_SUBMIT_COST, 3000000, 0.02); /* 1 us of 3 had been there */
    is_near(fixture, DEDUCE_COMMAND_COST, 3000000, 0.02);
    assert_int_equal(fixture->deduced.figure_count, 1);
    assert_false(fixture->deduced.figures[0].is_rate);
    assert_true(fabs(fixture->deduced.figures[0].modelled / ((us + 6) * 1e6) - 1) < 0.01);
}

static void with_a_drive_less_than_the_base_scales_it(void **state)
{
    struct fixture *fixture = *state;
    const struct reading_work one = {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 1};
    add_io(fixture, one, 100, 500, 0);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(of(fixture, DEDUCE_COMMAND_COST)->value, 1000000); /* it fits */
    deduced_free(&fixture->deduced);
    add_io(fixture, one, 200, 5, 0);
    run(fixture, "connectx-5-100g", NULL);
    assert_true(of(fixture, DEDUCE_COMMAND_COST)->value < 1000000);
    assert_int_equal(of(fixture, DEDUCE_COMMAND_COST)->value,
                     of(fixture, DEDUCE_SUBMIT_COST)->value);
    deduced_free(&fixture->deduced);
    add_io(fixture, one, 1000, 0.5, 0);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_non_null(strstr(fixture->deduced.conflicts[0].sentence, "even without software"));
    assert_int_equal(of(fixture, DEDUCE_COMMAND_COST)->value, 1000000); /* of another link, then */
}

/* What the host's processor cannot have taken is the target's. */
static void without_a_drive_the_host_takes_no_more_than_its_processor(void **state)
{
    struct fixture *fixture = *state;
    const struct reading_work one = {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 1};
    fixture->no_drive = true;
    add_io(fixture, one, 80, 12, 1);
    run(fixture, "connectx-5-100g", NULL);
    is_near(fixture, DEDUCE_SUBMIT_COST, 500000, 0.001);
    is_near(fixture, DEDUCE_COMPLETE_COST, 500000, 0.001);
    assert_true(of(fixture, DEDUCE_COMMAND_COST)->value > 5000000);
    assert_true(fabs(fixture->deduced.figures[0].modelled / 12e6 - 1) < 0.01);
}

/* ------------------------------------------------------------------ settings, and each other */

/* Each reading that is too short for the base is named once. */
static void a_base_of_another_kind_is_said_once(void **state)
{
    struct fixture *fixture = *state;
    add_setting(fixture, "rnic.pcie-generation", "3");
    add_latency(fixture, READING_WRITE, 8, 1.02);
    add_latency(fixture, READING_WRITE, 256, 1.46);
    run(fixture, "softroce", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 2);
    assert_ptr_not_equal(fixture->deduced.conflicts[0].one, fixture->deduced.conflicts[1].one);
}

static void settings_that_differ_contradict(void **state)
{
    struct fixture *fixture = *state;
    add_setting(fixture, "rnic.path-mtu", "4096B");
    add_setting(fixture, "rnic.path-mtu", "4096B");
    add_setting(fixture, "rnic.path-mtu", "1024B");
    add_setting(fixture, "rnic.inline-size", "64B"); /* each test has its own */
    add_setting(fixture, "rnic.inline-size", "220B");
    run(fixture, "rnic-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_string_equal(fixture->deduced.conflicts[0].sentence,
                        "rnic.path-mtu is 4096B in the first and 1024B in the second");
    assert_int_equal(of(fixture, DEDUCE_PATH_MTU)->value, 4096);
    assert_int_equal(of(fixture, DEDUCE_INLINE_SIZE)->value, 220);
}

static void the_same_work_twice_must_agree(void **state)
{
    struct fixture *fixture = *state;
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 2.5);
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 2.45);
    add_rate(fixture, (struct reading_work){.bytes = 8, .qps = 1}, 1.25);
    run(fixture, "connectx-5-100g", NULL);
    assert_int_equal(fixture->deduced.conflict_count, 2); /* the last with each of the others */
    assert_non_null(strstr(fixture->deduced.conflicts[0].sentence,
                           "the same test, but the results differ by 100%"));
}

static void a_base_or_rate_that_is_none_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const struct deduce_ask none = {.base = "none"};
    const struct deduce_ask fast = {.base = "rnic-100g", .rate = "fast"};
    assert_false(deduce(&fixture->deduced, &fixture->readings, &none, &fixture->diag));
    assert_int_equal(fixture->diag.errors, 1);
    deduced_free(&fixture->deduced);
    assert_false(deduce(&fixture->deduced, &fixture->readings, &fast, &fixture->diag));
    assert_int_equal(fixture->diag.errors, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_core_is_what_one_queue_pair_shows),
        TEST(more_queue_pairs_tell_the_core_from_the_engine),
        TEST(reads_alone_say_what_the_core_takes),
        TEST(lists_and_both_ways_are_bounds),
        TEST(cores_together_tell_the_engine),
        TEST(cores_that_gain_as_many_are_a_bound),
        TEST(files_do_not_add_up_unless_it_is_said),
        TEST(a_full_link_is_only_a_bound),
        TEST(more_than_the_link_carries_contradicts),
        TEST(the_rate_that_is_said_counts),
        TEST(pcie_shows_where_the_link_is_faster),
        TEST(more_than_pcie_carries_contradicts_its_width),
        TEST(the_model_finds_its_own_delays),
        TEST(delays_do_not_depend_on_the_base),
        TEST(a_latency_below_the_wire_contradicts),
        TEST(io_bounds_software),
        TEST(processor_time_bounds_the_host),
        TEST(without_a_drive_software_is_what_is_left),
        TEST(without_a_drive_the_host_takes_no_more_than_its_processor),
        TEST(with_a_drive_less_than_the_base_scales_it),
        TEST(a_base_of_another_kind_is_said_once),
        TEST(settings_that_differ_contradict),
        TEST(the_same_work_twice_must_agree),
        TEST(a_base_or_rate_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
