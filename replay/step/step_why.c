/* SPDX-License-Identifier: Apache-2.0
 * step_why - follows waits from the subject to the root.
 * Each line is one wait, indented by two more blanks per queue. Reaching a queue again closes a
 * cycle. */
#include "replay/database/flow_words.h"
#include "replay/step/step_why_private.h"

#include <stdarg.h>

void step_why_line(const struct step_walk *walk, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(walk->out, "%*s", walk->depth * 2, "");
    vfprintf(walk->out, format, arguments);
    fputc('\n', walk->out);
    va_end(arguments);
}

static void why_node(struct step_walk *walk, const struct step_subject *subject)
{
    const uint32_t node = subject->node;
    uint32_t reported = 0;
    for (uint16_t port = 0; port < step_node(walk->stepper, node)->port_count; port++)
        for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
            const struct port *at = world_port(stepper_world(walk->stepper), node, port);
            const struct step_prio prio = {node, port, priority};
            if (!step_subject_has(subject, node, port, priority) ||
                ((at->paused & 1u << priority) == 0 && at->prios[priority].bytes == 0))
                continue;
            step_why_prio(walk, &prio);
            reported++;
        }
    const struct flow_words *flow =
        flow_words_of_kind(stepper_world(walk->stepper)->scenario->nodes[node].link);
    if (reported > 0)
        return;
    if (subject->port == SCENARIO_ALL_PORTS)
        step_why_line(walk, "%s: no frame is queued, and no port %s",
                      step_node(walk->stepper, node)->name, flow->is);
    else
        step_why_line(walk, "%s: no frame is queued, and the port %s",
                      step_port_name(walk->stepper, node, subject->port).text, flow->is_not);
}

void step_why(const struct stepper *stepper, const struct step_subject *subject, uint32_t number,
              FILE *out)
{
    struct step_walk walk = {.stepper = stepper, .out = out};
    (void)number;
    if (subject->workload != STEP_ANY)
        step_why_workload(&walk, subject->workload);
    else if (subject->node == STEP_ANY)
        step_why_line(&walk, "why needs a subject: a port, a node or a workload");
    else if (subject->qp != STEP_ANY)
        step_why_qp(&walk, subject->node, subject->qp);
    else
        why_node(&walk, subject);
}
