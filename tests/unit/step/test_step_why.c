/* SPDX-License-Identifier: Apache-2.0
 * What `why` says: of a workload its oldest command, of a queue whose frames wait in it. */
#include "replay/step/step_command.h"
#include "replay/step/step_say_private.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 7 };

static const char text[] =
    "stormglass: 1\n"
    "name: why\n"
    "duration: 300us\n"
    "fabric: {topology: {kind: single-switch, hosts: 7}}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: ideal, congestion-control: none}}\n"
    "  targets: {where: host0, namespaces: [{media: fixed}]}\n"
    "workloads:\n"
    "  - {name: reads, kind: nvme, from: \"host1..host2\", to: host0, read: 100%,\n"
    "     block-size: 16KiB, queue-depth: 4, start: 200us}\n"
    "  - {name: writes, kind: rdma-write, from: \"host1..host6\", to: host0, message-size: 64KiB,\n"
    "     stop: 100us}\n"
    "faults:\n"
    "  - {kind: target-stall, where: host0, at: 290us}\n";

static struct diag diag;
static struct scenario *scenario;
static struct stepper *stepper;

static int set_up(void **state)
{
    (void)state;
    const struct scenario_input input = {.name = "why", .text = text, .length = sizeof text - 1};
    diag = (struct diag){0};
    scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    stepper = stepper_new(scenario, NULL, &diag);
    assert_non_null(stepper);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stepper_free(stepper);
    scenario_free(scenario);
    return 0;
}

static void go(time_ps until)
{
    struct step_moved moved;
    const struct step_goal goal = {.events = UINT64_MAX, .until = until, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, &moved);
}

/* The caller frees it. */
static char *why(const struct step_subject *subject)
{
    char *told = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&told, &bytes);
    assert_non_null(out);
    step_why(stepper, subject, 0, out);
    fclose(out);
    return told;
}

static void has(const char *told, const char *words)
{
    if (strstr(told, words) == NULL)
        fail_msg("no '%s' in:\n%s", words, told);
}

struct oldest {
    struct nvme_host_command command;
    uint32_t commands;
};

static void look(void *self, const struct nvme_host_command *command)
{
    struct oldest *oldest = self;
    if (oldest->commands++ == 0 || command->issued_at < oldest->command.issued_at)
        oldest->command = *command;
}

static void a_workload_is_why_its_oldest_command_is(void **state)
{
    (void)state;
    const struct world *world = stepper_world(stepper);
    struct step_subject subject = step_subject_any;
    subject.workload = 0;
    uint32_t told_of = 0;
    for (time_ps at = 190 * PS_PER_US; at < 300 * PS_PER_US; at += 7 * PS_PER_US) {
        struct oldest oldest = {0};
        go(at);
        for (uint32_t i = 0; i < world_instances(world, 0); i++)
            if (world_controller(world, 0, i, 0) != NULL)
                nvme_host_look(world_controller(world, 0, i, 0), look, &oldest);
        char *told = why(&subject), words[160];
        if (oldest.commands == 0) {
            has(told, "reads: ");
            assert_null(strstr(told, "the oldest command"));
        } else {
            snprintf(words, sizeof words, "qid %u cid %#06x, issued %s ago: %s", oldest.command.qid,
                     oldest.command.cid, words_time(at - oldest.command.issued_at).text,
                     step_host_stage_words(oldest.command.stage));
            has(told, "the oldest command: a read of 16.0 KiB from host");
            has(told, words);
            has(told, "root cause: ");
            told_of++;
        }
        free(told);
    }
    assert_true(told_of > 5);
}

/* Six hosts send to one: the switch's queue has frames of all, and four of them are named. */
static void a_full_queue_names_its_greatest_sources(void **state)
{
    (void)state;
    const struct world *world = stepper_world(stepper);
    go(15 * PS_PER_US);
    struct step_subject subject = step_subject_any;
    subject.node = scenario_find_node(scenario, "switch0");
    subject.port = 0;
    const struct port *port = world_port(world, subject.node, 0);
    uint32_t bytes[HOSTS] = {0}, sources = 0, named = 0;
    for (uint32_t at = port->prios[3].head; at != POOL_NONE; at = frame_at(port->frames, at)->next)
        bytes[frame_at(port->frames, at)->source] += frame_at(port->frames, at)->bytes;
    char *told = why(&subject), words[64];
    for (uint32_t i = 0; i < HOSTS; i++)
        sources += bytes[i] > 0;
    assert_int_equal(sources, 6);
    for (uint32_t i = 0; i < HOSTS; i++) {
        uint32_t greater = 0;
        for (uint32_t k = 0; k < HOSTS; k++)
            greater += bytes[k] > bytes[i] || (bytes[k] == bytes[i] && k < i);
        snprintf(words, sizeof words, "host%u (%s)", i, words_bytes(bytes[i]).text);
        named += strstr(told, words) != NULL;
        if (greater == 0)
            has(told, words);
    }
    assert_int_equal(named, 4);
    has(told, " and 2 more hosts\n");
    free(told);
}

static void nothing_outstanding_is_said(void **state)
{
    (void)state;
    struct step_subject subject = step_subject_any;
    subject.workload = 1;
    go(5 * PS_PER_US);
    char *told = why(&subject);
    has(told, "writes: ");
    assert_null(strstr(told, "no operation is outstanding"));
    free(told);
    go(199 * PS_PER_US);
    told = why(&subject);
    has(told, "writes: no operation is outstanding\n");
    free(told);
}

static bool is_in(const struct port *port, const struct qp *qp, uint32_t psn)
{
    for (uint8_t priority = 0; priority < PRIORITIES; priority++)
        for (uint32_t at = port->prios[priority].head; at != POOL_NONE;
             at = frame_at(port->frames, at)->next) {
            const struct frame *frame = frame_at(port->frames, at);
            if (frame->destination == qp->flow.destination && frame->qpn == qp->flow.qpn &&
                frame->psn == psn)
                return true;
        }
    return false;
}

/* Six queue pairs have frames in one queue: of each it is a frame of its own that is named. */
static void a_queue_pair_is_held_up_by_its_own_frame(void **state)
{
    (void)state;
    const struct world *world = stepper_world(stepper);
    uint32_t named = 0;
    for (time_ps at = 2 * PS_PER_US; at < 20 * PS_PER_US; at += PS_PER_US) {
        go(at);
        for (uint32_t node = 1; node < HOSTS; node++) {
            const struct rnic *rnic = world_host(world, node)->rnics[0];
            for (uint32_t i = 0; i < rnic->qps.used; i++) {
                const struct qp *qp = &rnic->qp_slots[i];
                struct step_subject subject = step_subject_any;
                subject.node = node;
                subject.qp = qp->qpn;
                char *told = why(&subject), words[32];
                const char *psn = strstr(told, " with PSN "),
                           *where = strstr(told, "is queued at ");
                snprintf(words, sizeof words, "is queued at host%u:p0", node);
                if (psn != NULL && where != NULL) {
                    const struct port *port = strncmp(where, words, strlen(words)) == 0
                                                  ? world_port(world, node, 0)
                                                  : world_port(world, HOSTS, 0);
                    assert_true(
                        is_in(port, qp, (uint32_t)strtoul(psn + strlen(" with PSN "), NULL, 10)));
                    named++;
                }
                free(told);
            }
        }
    }
    assert_true(named > HOSTS);
}

static void a_stalled_target_is_a_root(void **state)
{
    (void)state;
    struct step_subject subject = step_subject_any;
    subject.workload = 0;
    go(299 * PS_PER_US);
    char *told = why(&subject);
    has(told, "root cause: host0 is stalled by a fault of the scenario\n");
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_workload_is_why_its_oldest_command_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_queue_names_its_greatest_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_outstanding_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_queue_pair_is_held_up_by_its_own_frame, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_stalled_target_is_a_root, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
