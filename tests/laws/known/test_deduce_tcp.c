/* SPDX-License-Identifier: Apache-2.0
 * Costs of NVMe over TCP from I/Os: the model makes the readings with costs that the fit does not
 * have, and the fit finds them again; what it did not use, it predicts. */
#include "base/memory.h"
#include "replay/readings/deduce_private.h"
#include "tcp/tcp.h"

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

static const char base[] = "linux-nvmet-tcp";

static bool run(struct fixture *fixture, const char *of, bool no_drive)
{
    const struct deduce_ask ask = {.base = of, .no_drive = no_drive};
    return deduce(&fixture->deduced, &fixture->readings, &ask, &fixture->diag);
}

static const struct reading_work works[] = {
    {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 1},
    {.verb = READING_WRITE, .bytes = 4096, .qps = 1, .depth = 1},
    {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 16},
    {.verb = READING_READ, .bytes = 16384, .qps = 1, .depth = 8},
    {.verb = READING_WRITE, .bytes = 4096, .qps = 1, .depth = 16},
    {.verb = READING_READ, .bytes = 32768, .qps = 1, .depth = 4},
    {.verb = READING_READ, .bytes = 8192, .qps = 1, .depth = 8},
    {.verb = READING_WRITE, .bytes = 16384, .qps = 1, .depth = 8},
    {.verb = READING_READ, .bytes = 16384, .qps = 1, .depth = 1},
    {.verb = READING_READ, .bytes = 4096, .qps = 1, .depth = 4},
    {.verb = READING_READ, .bytes = 4096, .qps = 4, .depth = 8},
    {.verb = READING_WRITE, .bytes = 4096, .qps = 4, .depth = 16},
};

enum { WORKS = sizeof works / sizeof works[0] };

static const struct hidden {
    enum deduce_parameter which;
    int64_t value;
} hidden[] = {
    {DEDUCE_TCP_COPY_COST, 300000},
    {DEDUCE_TCP_INTERRUPT_DELAY, 14000000},
    {DEDUCE_COMMAND_COST, 1500000},
};

/* The first `count` figures of the model with the hidden costs, as fio would report them, and a
 * disturbance of the first one that no cost explains. */
static void add_readings(struct fixture *fixture, int count, time_ps disturbance)
{
    const struct deduce_ask ask = {.base = base};
    struct deduced own;
    assert_true(deduce(&own, &fixture->readings, &ask, &fixture->diag));
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        own.parameters[hidden[i].which].value = hidden[i].value;
    for (int i = 0; i < count; i++) {
        struct reading reading = {
            .kind = READING_IO, .tool = "fio", .where = {"in", i + 1, 1, 1}, .work = works[i]};
        const double played = deduce_play(&own, &reading);
        const double figure = i == 0 ? played + (double)disturbance : played;
        assert_true(played > 0);
        if (deduce_is_rate(&reading))
            reading.rate = (struct reading_number){figure, 1};
        else {
            reading.rate = (struct reading_number){1e12 / figure, 1};
            reading.latency = (struct reading_number){figure, 1000};
        }
        readings_add(&fixture->readings, reading, &fixture->diag);
    }
    deduced_free(&own);
}

/* A fit of the squares would spread the disturbance over all costs. */
static void hidden_costs_are_found(void **state)
{
    struct fixture *fixture = *state;
    add_readings(fixture, WORKS, 12 * PS_PER_US);
    assert_true(run(fixture, base, true));
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        const struct deduced_parameter *of = &fixture->deduced.parameters[hidden[i].which];
        if (of->state != DEDUCE_KNOWN ||
            fabs((double)of->value / (double)hidden[i].value - 1) > 0.15)
            fail_msg("%s is %lld instead of %lld", of->path, (long long)of->value,
                     (long long)hidden[i].value);
        assert_string_equal(of->evidence, "measured");
        assert_non_null(of->from);
    }
    size_t held_out = 0, near = 0, predicted = 0;
    assert_int_equal(fixture->deduced.figure_count, WORKS);
    for (int i = 0; i < WORKS; i++) {
        const struct deduced_figure *figure = &fixture->deduced.figures[i];
        held_out += figure->held_out;
        near += fabs(figure->modelled / figure->measured - 1) <= 0.02;
        predicted += figure->held_out && fabs(figure->modelled / figure->measured - 1) <= 0.02;
    }
    /* With 8 KiB at depth 8, batches and interrupts have two steady rhythms, 19% apart. */
    assert_in_range(near, WORKS - 3, WORKS - 1);
    assert_int_equal(fixture->deduced.conflict_count, 1);
    assert_ptr_equal(fixture->deduced.conflicts[0].one, &fixture->readings.list[0]);
    assert_string_equal(fixture->deduced.conflicts[0].sentence,
                        "an I/O takes 55.6 us, but according to the other results 43.6 us: this "
                        "result has little weight in the fit; measure it again");
    assert_in_range(predicted, 1, held_out);
    assert_in_range(held_out, 1, WORKS / 2);
}

/* Nothing of an RNIC belongs to the result. */
static void a_drive_leaves_only_bounds(void **state)
{
    struct fixture *fixture = *state;
    add_readings(fixture, WORKS, 0);
    assert_true(run(fixture, base, false));
    const struct deduced_parameter *parameters = fixture->deduced.parameters;
    assert_true(parameters[DEDUCE_TX_DELAY].absent);
    assert_int_equal(parameters[DEDUCE_TCP_COPY_COST].state, DEDUCE_OPEN);
    assert_int_equal(parameters[DEDUCE_SUBMIT_COST].state, DEDUCE_AT_MOST);
    assert_int_equal(fixture->deduced.figure_count, 0);
}

static void bases_of_other_kinds_are_refused(void **state)
{
    static const struct {
        const char *base, *words;
    } refused[] = {
        {"storage-class", "expected a profile of kind rnic or tcp"},
        {"linux-nvmet", "its kind is target, for RDMA"},
    };
    struct fixture *fixture = *state;
    add_readings(fixture, 1, 0);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        fixture->diag = (struct diag){0};
        assert_false(run(fixture, refused[i].base, true));
        assert_non_null(strstr(fixture->diag.messages[0].text, refused[i].words));
        assert_true(fixture->diag.messages[0].place.line > 0);
        deduced_free(&fixture->deduced);
    }
}

static void readings_of_rdma_are_refused(void **state)
{
    struct fixture *fixture = *state;
    readings_add(&fixture->readings,
                 (struct reading){.kind = READING_RATE,
                                  .tool = "perftest",
                                  .where = {"in", 18, 1, 1},
                                  .work = {.bytes = 8, .qps = 1},
                                  .rate = {1e6, 1}},
                 &fixture->diag);
    assert_false(run(fixture, "spdk-tcp", true));
    assert_non_null(strstr(fixture->diag.messages[0].text, "no I/O over TCP"));
    assert_int_equal(fixture->diag.messages[0].place.line, 18);
}

static bool is_parameter(const char *name)
{
    static const char *const paths[] = {
#define X(member, path, settle) path,
        DEDUCE_PARAMETERS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strncmp(paths[i], "tcp.", 4) == 0 && strcmp(paths[i] + 4, name) == 0)
            return true;
    return false;
}

/* fio does not report digests and TLS, and a benchmark here has neither. */
static void every_cost_of_tcp_is_a_parameter(void **state)
{
    (void)state;
    for (const struct opt *row = tcp_base_opts; row->name != NULL; row++) {
        const bool cost =
            row->type == OPT_TIME && row->effect.needs == OPT_NEED_TCP &&
            (row->effect.part == OPT_PART_HOST_CPU || strcmp(row->name, "interrupt-delay") == 0);
        if (is_parameter(row->name) != (cost && strcmp(row->name, "digest-cost") != 0))
            fail_msg("tcp.%s", row->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hidden_costs_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(a_drive_leaves_only_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(bases_of_other_kinds_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(readings_of_rdma_are_refused, setup, teardown),
        cmocka_unit_test(every_cost_of_tcp_is_a_parameter),
    };
    return cmocka_run_group_tests_name("readings/deduce_tcp", tests, NULL, NULL);
}
