/* SPDX-License-Identifier: Apache-2.0
 * state_machines - converts the edge lists for drawings. */
#include "cli/state_machines.h"

#include "base/memory.h"
#include "nvme/fsm/fsm.h"

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

/* Queue pairs have the states of <infiniband/verbs.h>; their list has edges without events. */
enum qp { QP_RESET, QP_INIT, QP_RTR, QP_RTS, QP_ERR };

static const struct draw_state qp_states[] = {
    [QP_RESET] = {"RESET", "created; no peer yet"},
    [QP_INIT] = {"INIT", "receives may be posted"},
    [QP_RTR] = {"RTR", "ready to receive"},
    [QP_RTS] = {"RTS", "ready to send"},
    [QP_ERR] = {"ERR", "all work requests complete with an error"},
};

static const struct draw_step qp_steps[] = {
#define EDGE(FROM, TO, WHEN) {QP_##FROM, QP_##TO, NULL, WHEN},
#include "rnic/qp/qp_state.def"
#undef EDGE
};

struct nvme_machine {
    const struct nvme_fsm *fsm;
    const char *name, *about;
};

static const struct nvme_machine nvme_machines[] = {
    {&nvme_fsm_host, "host", "a controller, at the host"},
    {&nvme_fsm_host_queue, "host-queue", "a queue pair of the host"},
    {&nvme_fsm_target_queue, "target-queue", "a queue pair of the target"},
    {&nvme_fsm_path, "path", "a path of a namespace"},
};

enum { NVME_MACHINES = sizeof nvme_machines / sizeof nvme_machines[0] };

static struct draw_machine convert(const struct nvme_machine *from)
{
    const struct nvme_fsm *fsm = from->fsm;
    struct draw_state *states = memory_zeroed(fsm->state_count, sizeof *states);
    struct draw_step *steps = memory_zeroed(fsm->edge_count, sizeof *steps);
    for (unsigned i = 0; i < fsm->state_count; i++)
        states[i] = (struct draw_state){fsm->states[i].name, fsm->states[i].about};
    for (unsigned i = 0; i < fsm->edge_count; i++) {
        const struct nvme_fsm_edge *edge = &fsm->edges[i];
        steps[i] =
            (struct draw_step){edge->from, edge->to, fsm->events[edge->event].name, edge->why};
    }
    return (struct draw_machine){from->name, from->about,      states,
                                 steps,      fsm->state_count, fsm->edge_count};
}

/* Created on first use and kept. */
const struct draw_machine *state_machines(unsigned *count)
{
    static struct draw_machine machines[NVME_MACHINES + 1];
    for (unsigned i = 0; i < NVME_MACHINES && machines[i].name == NULL; i++)
        machines[i] = convert(&nvme_machines[i]);
    machines[NVME_MACHINES] = (struct draw_machine){
        "qp",           "a reliable connection of an RNIC", qp_states, qp_steps, COUNT(qp_states),
        COUNT(qp_steps)};
    *count = NVME_MACHINES + 1;
    return machines;
}
