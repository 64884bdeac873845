/* SPDX-License-Identifier: Apache-2.0
 * The time machine's parts: conditions that come true where they should, positions, and words for
 * everything that can be shown or asked for while it moves. */
#include "base/memory.h"
#include "replay/step/step_command.h"
#include "replay/step/step_tell.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "stormglass: 1\n"
    "name: step\n"
    "duration: 400us\n"
    "drain: 5ms\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 3}\n"
    "  switch: {buffer: 6MiB, headroom: 40KiB}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: fixed}]}\n"
    "workloads:\n"
    "  - {name: hot, kind: nvme, from: \"host1..host4\", to: host0, read: 30%, block-size: 32KiB,\n"
    "     queue-depth: 8, start: 50us}\n"
    "  - {name: raw, kind: rdma-write, from: host5, to: host3, message-size: 64KiB,\n"
    "     start: 50us}\n"
    "faults:\n"
    "  - {at: 100us, for: 150us, kind: slow-receiver, drain: 4%, where: host0}\n"
    "  - {at: 0s, kind: drop-every, where: \"host3:p0\", n: 40}\n";

static struct scenario *load(void)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const struct scenario_input input = {.name = "step", .text = text, .length = sizeof text - 1};
    struct scenario *scenario = scenario_load(&input, diag);
    if (scenario == NULL)
        diag_print(diag, stderr);
    assert_non_null(scenario);
    free(diag);
    return scenario;
}

static struct stepper *begin(const struct scenario *scenario)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct stepper *stepper = stepper_new(scenario, NULL, diag);
    diag_print(diag, stderr);
    assert_non_null(stepper);
    free(diag);
    return stepper;
}

/* ------------------------------------------------------------------ conditions */

/* How many events of the whole run a condition is true of. */
static uint64_t count(const struct scenario *scenario, const char *line)
{
    struct stepper *stepper = begin(scenario);
    struct step_command command;
    struct step_wrong wrong;
    struct step_moved moved;
    if (!step_command_parse(line, scenario, &command, &wrong))
        fail_msg("%s: %s", line, wrong.text);
    const struct step_goal goal = {
        .events = UINT64_MAX,
        .until = TIME_NEVER,
        .slice = UINT64_MAX,
        .condition_count = 1,
        .conditions = {command.condition},
    };
    stepper_move(stepper, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_END);
    stepper_free(stepper);
    return moved.hits;
}

/* What the world counts at the end of the same run. */
struct sums {
    uint64_t events, completed, dropped;
};

static struct sums sum_up(const struct scenario *scenario)
{
    struct stepper *stepper = begin(scenario);
    struct step_moved moved;
    const struct step_goal goal = {.events = UINT64_MAX, .until = TIME_NEVER, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, &moved);
    const struct world *world = stepper_world(stepper);
    struct sums sums = {.events = moved.position.events};
    sums.completed = world->stats[0].completed;
    for (uint32_t i = 0; i < world->host_count; i++) {
        const struct port *port = &world->hosts[i]->rnics[0]->port;
        sums.dropped += port->fault != NULL ? port->fault->seen / 40 : 0;
    }
    stepper_free(stepper);
    return sums;
}

static void conditions_come_true_as_often_as_the_world_counts(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    const struct sums sums = sum_up(scenario);
    assert_int_equal(count(scenario, "b event"), sums.events);
    assert_int_equal(count(scenario, "b drop"), sums.dropped);
    assert_int_equal(count(scenario, "b completed of hot"), sums.completed);
    assert_int_equal(count(scenario, "b failed of hot"), 0);
    assert_int_equal(count(scenario, "b completed of hot > 1s"), 0);
    assert_true(count(scenario, "b io of hot") > sums.completed);
    assert_true(sums.dropped > 0 && sums.completed > 0);
    assert_true(count(scenario, "b resent") > 0);
    assert_true(count(scenario, "b pause by host0") > 0);
    assert_int_equal(count(scenario, "b pause by host0"), count(scenario, "b resume by host0"));
    assert_int_equal(count(scenario, "b pause by host0"), count(scenario, "b paused leaf0:p0"));
    assert_true(count(scenario, "b paused") >= count(scenario, "b paused > 10us"));
    assert_true(count(scenario, "b queue leaf0:p0 > 10KiB") > 0);
    assert_true(count(scenario, "b ingress leaf0 > 10KiB") > 0);
    assert_true(count(scenario, "b buffer leaf0 > 1%") > 0);
    assert_true(count(scenario, "b buffer host0 > 50%") > 0);
    assert_int_equal(count(scenario, "b deadlock"), 0);
    assert_int_equal(count(scenario, "b packet from host1 to host0"),
                     count(scenario, "b packet host1 to host0"));
    scenario_free(scenario);
}

/* Of a host to which nothing comes, and of two between which frames go. */
static void a_buffer_is_empty_until_something_comes(void **state)
{
    (void)state;
    static const char lines[] =
        "stormglass: 1\n"
        "name: idle\n"
        "duration: 20us\n"
        "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
        "hosts: {overrides: [{where: host0, rnic: {drain: 10Gbps}}]}\n"
        "workloads: [{name: w, kind: rdma-write, from: host1, to: host0, message-size: 8KiB}]\n";
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const struct scenario_input input = {.name = "i", .text = lines, .length = sizeof lines - 1};
    struct scenario *scenario = scenario_load(&input, diag);
    assert_non_null(scenario);
    assert_int_equal(count(scenario, "b buffer host2 > 0%"), 0);
    assert_true(count(scenario, "b buffer host0 > 0%") > 0);
    assert_true(count(scenario, "b buffer switch0 > 0%") > 0);
    assert_true(count(scenario, "b buffer host0 > 0%") < count(scenario, "b event"));
    assert_int_equal(count(scenario, "b buffer host0 > 99%"), 0);
    scenario_free(scenario);
    free(diag);
}

/* What lies behind is reached at once: nothing moves. */
static void a_goal_behind_moves_nothing(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct stepper *stepper = begin(scenario);
    struct step_moved moved;
    struct step_goal goal = {.events = 300, .until = TIME_NEVER, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, &moved);
    const struct step_position at = moved.position;
    const struct digest digest = stepper_digest(stepper);
    assert_int_equal(at.events, 300);
    assert_false(at.between);
    const struct step_goal behind[] = {
        {.events = 300, .until = TIME_NEVER, .slice = UINT64_MAX},
        {.events = 7, .until = TIME_NEVER, .slice = UINT64_MAX},
        {.events = UINT64_MAX, .until = at.now - 1, .slice = UINT64_MAX},
        {.events = UINT64_MAX, .until = 0, .slice = UINT64_MAX},
        {.events = 301, .until = at.now - 1, .slice = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        stepper_move(stepper, &behind[i], &moved);
        assert_int_equal(moved.position.events, 300);
        assert_int_equal(moved.position.now, at.now);
        assert_false(moved.position.between);
        const struct digest now = stepper_digest(stepper);
        assert_memory_equal(&now, &digest, sizeof digest);
    }
    goal = (struct step_goal){.events = UINT64_MAX, .until = at.now, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, &moved); /* the moment is not done yet */
    assert_true(moved.position.between && moved.position.now == at.now);
    const uint64_t events = moved.position.events;
    stepper_move(stepper, &goal, &moved);
    assert_int_equal(moved.position.events, events);
    stepper_free(stepper);
    scenario_free(scenario);
}

/* The same of each of them, together. */
static uint64_t count_each(const struct scenario *scenario, const char *format,
                           const char *const *names)
{
    uint64_t sum = 0;
    for (; *names != NULL; names++) {
        char line[80];
        snprintf(line, sizeof line, "b %s %s", format, *names);
        sum += count(scenario, line);
    }
    return sum;
}

/* What is said of a part is true of that part alone: parts add up to the whole. */
static void parts_add_up_to_the_whole(void **state)
{
    (void)state;
    static const char *const nodes[] = {"host0", "host1", "host2", "host3",  "host4",
                                        "host5", "leaf0", "leaf1", "spine0", NULL};
    static const char *const ports[] = {"leaf0:p0", "leaf0:p1", "leaf0:p2", "leaf0:p3", NULL};
    static const char *const leaf[] = {"leaf0", NULL};
    static const char *const priorities[] = {"prio 0", "prio 1", "prio 2", "prio 3", "prio 4",
                                             "prio 5", "prio 6", "prio 7", NULL};
    static const char *const works[] = {"of hot", "of raw", NULL};
    static const char *const from[] = {"from host0", "from host1", "from host2", "from host3",
                                       "from host4", "from host5", NULL};
    static const char *const to[] = {"to host0", "to host1", "to host2", "to host3",
                                     "to host4", "to host5", NULL};
    static const char *const whole[] = {"", NULL};
    static const struct {
        const char *word;
        const char *const *parts, *const *of;
    } rows[] = {
        {"drop", nodes, whole},     {"pause", nodes, whole},       {"resume", nodes, whole},
        {"paused", ports, leaf},    {"paused", priorities, whole}, {"pause", priorities, whole},
        {"issued", works, whole},   {"completed", works, whole},   {"io", works, whole},
        {"completed", from, whole}, {"completed", to, whole},      {"resent", from, to},
        {"packet", from, to},       {"event", nodes, whole},
    };
    struct scenario *scenario = load();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t parts = count_each(scenario, rows[i].word, rows[i].parts);
        const uint64_t all = count_each(scenario, rows[i].word, rows[i].of);
        if (parts != all || all == 0)
            fail_msg("%s: %llu of %llu by %s", rows[i].word, (unsigned long long)parts,
                     (unsigned long long)all, rows[i].parts[0]);
    }
    /* One event ends a message and begins the next. */
    const uint64_t issued = count(scenario, "b issued of raw");
    const uint64_t completed = count(scenario, "b completed of raw");
    assert_true(completed > 0);
    assert_in_range(count(scenario, "b io of raw"), issued, issued + completed);
    scenario_free(scenario);
}

/* A fault happens at the very moment, and posts events of that moment. */
static void a_moment_is_done_with_its_faults_and_events(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const time_ps at = scenario->faults[i].end;
        if (at == TIME_NEVER)
            continue;
        struct stepper *stepper = begin(scenario);
        struct step_goal goal = {.events = UINT64_MAX, .until = at, .slice = UINT64_MAX};
        struct step_moved moved;
        stepper_move(stepper, &goal, &moved);
        assert_int_equal(moved.end, STEP_AT_TIME);
        goal.events = moved.position.events + 1;
        goal.until = TIME_NEVER;
        stepper_move(stepper, &goal, &moved);
        assert_true(moved.position.now > at);
        stepper_free(stepper);
    }
    scenario_free(scenario);
}

/* A switch that loses its power drops what it holds, and not in an event: a condition sees it, and
 * a move ends there. */
static void what_a_fault_does_itself_is_a_hit(void **state)
{
    (void)state;
    static const char down[] = "stormglass: 1\nname: down\nduration: 200us\ndrain: 100us\n"
                               "fabric: {topology: {kind: single-switch, hosts: 4}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: \"host1..host3\", "
                               "to: host0}]\n"
                               "faults: [{at: 100us, for: 50us, kind: switch-down, "
                               "where: switch0}]\n";
    static struct diag diag;
    const struct scenario_input input = {.name = "t", .text = down, .length = sizeof down - 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    struct stepper *stepper = begin(scenario);
    struct step_goal goal = {
        .events = UINT64_MAX, .until = 100 * PS_PER_US, .slice = UINT64_MAX, .hits = 1};
    goal.condition_count = 1;
    goal.conditions[0] = step_condition_of(STEP_DROP);
    struct step_moved moved;
    stepper_move(stepper, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_HIT);
    assert_int_equal(moved.hits, 1);
    assert_true(moved.position.between);
    assert_int_equal(moved.position.now, 100 * PS_PER_US);
    stepper_free(stepper);
    stepper = begin(scenario); /* with nothing to look for the move ends at the moment */
    goal.conditions[0] = step_condition_of(STEP_NAK);
    stepper_move(stepper, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_TIME);
    assert_int_equal(moved.hits, 0);
    stepper_free(stepper);
    scenario_free(scenario);
}

/* ------------------------------------------------------------------ words */

static void tell_all(const struct stepper *stepper, FILE *out)
{
    const struct scenario *scenario = stepper_world(stepper)->scenario;
    struct step_subject subject = step_subject_any;
    step_show(stepper, &subject, 0, out);
    step_list(stepper, &subject, 20, out);
    for (subject.node = 0; subject.node < scenario->node_count; subject.node++) {
        subject.port = SCENARIO_ALL_PORTS;
        step_show(stepper, &subject, 0, out);
        step_why(stepper, &subject, 0, out);
        for (subject.port = 0; subject.port < scenario->nodes[subject.node].port_count;
             subject.port++)
            step_show(stepper, &subject, 0, out);
    }
    subject = step_subject_any;
    for (subject.workload = 0; subject.workload < scenario->workload_count; subject.workload++) {
        step_show(stepper, &subject, 0, out);
        step_why(stepper, &subject, 0, out);
    }
}

static void tell_queue_pairs(const struct stepper *stepper, FILE *out)
{
    const struct world *world = stepper_world(stepper);
    struct step_subject subject = step_subject_any;
    for (uint32_t i = 0; i < world->host_count; i++)
        for (uint32_t n = 0; n < world->hosts[i]->rnics[0]->qps.used; n++) {
            subject.node = i;
            subject.qp = world->hosts[i]->rnics[0]->qp_slots[n].qpn;
            step_show(stepper, &subject, 0, out);
            step_why(stepper, &subject, 0, out);
        }
}

static void everything_can_be_told_at_any_time(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct stepper *stepper = begin(scenario), *silent = begin(scenario);
    struct step_goal goal = {.events = UINT64_MAX, .slice = UINT64_MAX};
    struct step_moved moved;
    char *reported = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&reported, &bytes);
    assert_non_null(out);
    do {
        goal.until += 7 * PS_PER_US;
        stepper_move(stepper, &goal, &moved);
        tell_all(stepper, out);
        tell_queue_pairs(stepper, out);
    } while (moved.end != STEP_AT_END);
    goal.until = TIME_NEVER;
    stepper_move(silent, &goal, &moved);
    const struct digest one = stepper_digest(stepper), other = stepper_digest(silent);
    assert_memory_equal(&one, &other, sizeof one);
    fclose(out);
    assert_non_null(strstr(reported, "root cause: host0 drains its receive buffer at 4.00 Gb/s"));
    assert_non_null(strstr(reported, "waits while the target reads its data from the host"));
    assert_non_null(strstr(reported, "hot: "));
    assert_null(strstr(reported, "nan"));
    free(reported);
    stepper_free(stepper);
    stepper_free(silent);
    scenario_free(scenario);
}

/* What is shown of a subject; the caller frees it. */
static char *shown(const struct stepper *stepper, const struct step_subject *subject)
{
    char *reported = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&reported, &bytes);
    assert_non_null(out);
    step_show(stepper, subject, 0, out);
    fclose(out);
    return reported;
}

static uint64_t lines_with(const char *reported, const char *begin)
{
    uint64_t count = 0;
    for (const char *at = reported; (at = strstr(at, begin)) != NULL; at++)
        count += at == reported || at[-1] == '\n';
    return count;
}

/* Queue pairs: each that has something under way has a line, and the others are counted. */
static void expect_queue_pairs(const struct stepper *stepper, uint32_t node)
{
    const struct rnic *rnic = world_host(stepper_world(stepper), node)->rnics[0];
    struct step_subject subject = step_subject_any;
    subject.node = node;
    char *reported = shown(stepper, &subject);
    const char *rest = strstr(reported, " idle queue pair");
    uint64_t count = lines_with(reported, "  qp "), used = 0;
    for (; rest != NULL && rest > reported && rest[-1] >= '0' && rest[-1] <= '9'; rest--)
        ;
    count += rest != NULL ? strtoull(rest, NULL, 10) : 0;
    for (uint32_t n = 0; n < rnic->qps.used; n++)
        used += rnic->qp_slots[n].qpn != 0;
    assert_int_equal(count, used);
    assert_int_equal(lines_with(reported, "target on host0: "), node == 0);
    free(reported);
}

/* Every command that is under way has a line, and every queue pair is counted. */
static void what_is_shown_is_all_that_is_there(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct stepper *stepper = begin(scenario);
    struct step_goal goal = {.events = UINT64_MAX, .slice = UINT64_MAX};
    struct step_moved moved;
    uint64_t most = 0;
    do {
        goal.until += 31 * PS_PER_US;
        stepper_move(stepper, &goal, &moved);
        struct step_subject subject = step_subject_any;
        subject.workload = 0;
        char *reported = shown(stepper, &subject);
        const uint64_t under_way = world_outstanding(stepper_world(stepper), 0);
        assert_int_equal(lines_with(reported, "  qid "), under_way);
        most = under_way > most ? under_way : most;
        free(reported);
        for (uint32_t node = 0; node < scenario->node_count; node++)
            if (scenario->nodes[node].kind == SCENARIO_HOST)
                expect_queue_pairs(stepper, node);
    } while (moved.end != STEP_AT_END);
    assert_in_range(most, 8, 32); /* of four hosts, eight each */
    stepper_free(stepper);
    scenario_free(scenario);
}

/* The numbers and moments of the last events, in microseconds, the earliest first. */
static void a_list_ends_with_the_event_that_was_played_last(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct stepper *stepper = begin(scenario);
    time_ps at[21];
    char *told = NULL;
    size_t bytes;
    FILE *out = open_memstream(&told, &bytes);
    for (uint64_t n = 1; n <= 20; n++) {
        const struct step_goal goal = {
            .events = n, .until = TIME_NEVER, .slice = UINT64_MAX, .hits = 1};
        struct step_moved moved;
        stepper_move(stepper, &goal, &moved);
        assert_int_equal(moved.end, STEP_AT_EVENT);
        at[n] = moved.position.now;
    }
    assert_true(at[20] > at[18]);
    step_list(stepper, &step_subject_any, 3, out);
    fclose(out);
    const char *line = told;
    for (int n = 18; n <= 20; n++) {
        char begin_of_line[60];
        snprintf(begin_of_line, sizeof begin_of_line, "event %d  %.6f us  ", n,
                 (double)at[n] / PS_PER_US);
        assert_memory_equal(line, begin_of_line, strlen(begin_of_line));
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(line, "");
    free(told);
    stepper_free(stepper);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_come_true_as_often_as_the_world_counts),
        cmocka_unit_test(a_buffer_is_empty_until_something_comes),
        cmocka_unit_test(a_goal_behind_moves_nothing),
        cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(a_moment_is_done_with_its_faults_and_events),
        cmocka_unit_test(what_a_fault_does_itself_is_a_hit),
        cmocka_unit_test(everything_can_be_told_at_any_time),
        cmocka_unit_test(what_is_shown_is_all_that_is_there),
        cmocka_unit_test(a_list_ends_with_the_event_that_was_played_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
