/* SPDX-License-Identifier: Apache-2.0
 * step_show - an overview, workloads, and dispatch to the other files. */
#include "replay/step/step_show_private.h"

#include "base/plural.h"
#include "scenarios/data/fault.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ commands */

static void look_at_target(const struct step_commands_of *of, const struct nvme_host_command *mine)
{
    struct nvme_target_command there;
    const struct probe_target_io wanted = {
        .host_ip = of->host_ip,
        .controller = nvme_host_controller(of->controller),
        .qid = mine->qid,
        .cid = mine->cid,
    };
    if (mine->stage == NVME_HOST_SENT &&
        step_find_at_target(of->stepper, of->target, &wanted, &there))
        fprintf(of->out, "; %s", step_target_stage_words(there.stage));
}

static void show_command(void *self, const struct nvme_host_command *command)
{
    struct step_commands_of *of = self;
    if (of->shown++ >= STEP_SHOWN_MOST)
        return;
    fprintf(of->out, "  qid %u cid %#06x  %s of %s at LBA %" PRIu64 ", issued %s ago: %s",
            command->qid, command->cid, step_opcode_words(command->opcode),
            words_bytes(command->bytes).text, command->lba,
            words_time(step_now(of->stepper) - command->issued_at).text,
            step_host_stage_words(command->stage));
    look_at_target(of, command);
    fputc('\n', of->out);
}

static uint32_t node_of_ip(const struct stepper *stepper, uint32_t ip)
{
    return stepper_host_of(stepper, ip - RNIC_FIRST_IP);
}

void step_show_controller(const struct stepper *stepper, uint32_t from,
                          const struct nvme_host *controller, FILE *out)
{
    char text[160];
    const uint32_t to = node_of_ip(stepper, nvme_host_target_ip(controller));
    struct step_commands_of of = {
        .stepper = stepper,
        .controller = controller,
        .host_ip = nvme_host_local_ip(controller),
        .target = to,
        .out = out,
    };
    nvme_host_describe(controller, text, sizeof text);
    fprintf(out, "%s to %s, controller %u: %s\n", step_node(stepper, from)->name,
            step_node(stepper, to)->name, nvme_host_controller(controller), text);
    nvme_host_look(controller, show_command, &of);
    if (of.shown > STEP_SHOWN_MOST)
        fprintf(out, "  ... and %u more %s\n", of.shown - STEP_SHOWN_MOST,
                plural(of.shown - STEP_SHOWN_MOST, "command", "commands"));
}

/* ------------------------------------------------------------------ workloads */

uint32_t step_instance_from(const struct stepper *stepper, uint32_t workload, uint32_t instance)
{
    const struct scenario_workload *at = &stepper_world(stepper)->scenario->workloads[workload];
    return at->pairs[instance / at->copies].from;
}

static void show_workload_line(const struct stepper *stepper, uint32_t workload, FILE *out)
{
    const struct world *world = stepper_world(stepper);
    const struct workload_stats *stats = &world->stats[workload];
    const uint64_t under_way =
        world_instances(world, workload) == 0 ? 0 : world_outstanding(world, workload);
    fprintf(out,
            "%s: %" PRIu64 " %s issued, %" PRIu64 " completed, %" PRIu64 " failed, %" PRIu64
            " outstanding\n",
            stats->name, stats->issued, plural(stats->issued, "operation", "operations"),
            stats->completed, stats->failed, under_way);
}

static void show_workload(const struct stepper *stepper, uint32_t workload, FILE *out)
{
    const struct world *world = stepper_world(stepper);
    char text[256];
    show_workload_line(stepper, workload, out);
    for (uint32_t i = 0; i < world_instances(world, workload); i++) {
        const struct nvme_host *controller;
        for (uint32_t p = 0; (controller = world_controller(world, workload, i, p)) != NULL; p++)
            step_show_controller(stepper, step_instance_from(stepper, workload, i), controller,
                                 out);
    }
    if (world_instances(world, workload) > 0 && world_controller(world, workload, 0, 0) == NULL) {
        world_describe(world, workload, text, sizeof text);
        fprintf(out, "  %s\n", text[0] == '\0' ? "no operation is outstanding" : text);
    }
}

/* ------------------------------------------------------------------ overview */

static void show_faults(const struct stepper *stepper, FILE *out)
{
    const struct scenario *scenario = stepper_world(stepper)->scenario;
    const time_ps now = step_now(stepper);
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        if (fault->at <= now && now < fault->end)
            fprintf(out, "fault %s at %s%s began %s ago\n", fault->ops->name,
                    step_node(stepper, fault->spots[0].node)->name,
                    fault->spot_count > 1 ? " and other ports" : "",
                    words_time(now - fault->at).text);
    }
}

static void show_all(const struct stepper *stepper, FILE *out)
{
    const struct world *world = stepper_world(stepper);
    for (uint32_t node = 0; node < world->engine.node_count; node++)
        if (step_is_switch(stepper, node))
            step_show_buffer(stepper, node, true, out);
        else
            step_show_rx_buffers(stepper, node, true, out);
    for (uint32_t node = 0; node < world->engine.node_count; node++)
        step_show_stops(stepper, node, out);
    show_faults(stepper, out);
    for (uint32_t i = 0; i < world->deadlocks.count; i++)
        if (world->deadlocks.found[i].gone == TIME_NEVER)
            fprintf(out, "deadlock on priority %u began %s ago\n",
                    world->deadlocks.found[i].priority,
                    words_time(step_now(stepper) - world->deadlocks.found[i].since).text);
    for (uint32_t i = 0; i < world->workload_count; i++)
        show_workload_line(stepper, i, out);
}

void step_show(const struct stepper *stepper, const struct step_subject *subject, uint32_t number,
               FILE *out)
{
    (void)number;
    if (subject->workload != STEP_ANY)
        show_workload(stepper, subject->workload, out);
    else if (subject->node == STEP_ANY)
        show_all(stepper, out);
    else if (subject->qp != STEP_ANY)
        step_show_qp(stepper, subject->node, subject->qp, out);
    else if (subject->port != SCENARIO_ALL_PORTS)
        step_show_port(stepper, subject, out);
    else if (step_is_switch(stepper, subject->node))
        step_show_switch(stepper, subject, out);
    else
        step_show_host(stepper, subject, out);
}
