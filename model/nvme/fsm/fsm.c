/* SPDX-License-Identifier: Apache-2.0
 * fsm - transition tables made from the edge lists. */
#include "nvme/fsm/fsm.h"

#include "base/check.h"
#include "base/probe.h"

#include <stddef.h>

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

#define EVENT(NAME, ABOUT)
#define EDGE(FROM, EV, TO, WHY)
#define STATE(NAME, ABOUT) {#NAME, ABOUT},
static const struct nvme_fsm_word host_states[] = {
#include "nvme/fsm/host_state.def"
};
static const struct nvme_fsm_word host_queue_states[] = {
#include "nvme/fsm/host_queue_state.def"
};
static const struct nvme_fsm_word target_queue_states[] = {
#include "nvme/fsm/target_queue_state.def"
};
static const struct nvme_fsm_word path_states[] = {
#include "nvme/fsm/path_state.def"
};
#undef STATE
#undef EVENT

#define STATE(NAME, ABOUT)
#define EVENT(NAME, ABOUT) {#NAME, ABOUT},
static const struct nvme_fsm_word host_events[] = {
#include "nvme/fsm/host_state.def"
};
static const struct nvme_fsm_word host_queue_events[] = {
#include "nvme/fsm/host_queue_state.def"
};
static const struct nvme_fsm_word target_queue_events[] = {
#include "nvme/fsm/target_queue_state.def"
};
static const struct nvme_fsm_word path_events[] = {
#include "nvme/fsm/path_state.def"
};
#undef EVENT
#undef EDGE

#define EVENT(NAME, ABOUT)
#define EDGE(FROM, EV, TO, WHY) {HOST_##FROM, HOST_ON_##EV, HOST_##TO, WHY},
static const struct nvme_fsm_edge host_edges[] = {
#include "nvme/fsm/host_state.def"
};
#undef EDGE
#define EDGE(FROM, EV, TO, WHY) {HOST_QUEUE_##FROM, HOST_QUEUE_ON_##EV, HOST_QUEUE_##TO, WHY},
static const struct nvme_fsm_edge host_queue_edges[] = {
#include "nvme/fsm/host_queue_state.def"
};
#undef EDGE
#define EDGE(FROM, EV, TO, WHY) {TARGET_QUEUE_##FROM, TARGET_QUEUE_ON_##EV, TARGET_QUEUE_##TO, WHY},
static const struct nvme_fsm_edge target_queue_edges[] = {
#include "nvme/fsm/target_queue_state.def"
};
#undef EDGE
#define EDGE(FROM, EV, TO, WHY) {PATH_##FROM, PATH_ON_##EV, PATH_##TO, WHY},
static const struct nvme_fsm_edge path_edges[] = {
#include "nvme/fsm/path_state.def"
};
#undef EDGE

#define MACHINE(name)                                                                              \
    {                                                                                              \
#name, name##_states, name##_events, name##_edges, COUNT(name##_states),                   \
            COUNT(name##_events), COUNT(name##_edges)                                              \
    }

const struct nvme_fsm nvme_fsm_host = MACHINE(host);
const struct nvme_fsm nvme_fsm_host_queue = MACHINE(host_queue);
const struct nvme_fsm nvme_fsm_target_queue = MACHINE(target_queue);
const struct nvme_fsm nvme_fsm_path = MACHINE(path);

bool nvme_fsm_next(const struct nvme_fsm *fsm, uint8_t state, uint8_t event, uint8_t *next)
{
    CHECK(state < fsm->state_count && event < fsm->event_count);
    for (unsigned i = 0; i < fsm->edge_count; i++) {
        const struct nvme_fsm_edge *edge = &fsm->edges[i];
        if (edge->from == state && edge->event == event) {
            *next = edge->to;
            return true;
        }
    }
    return false;
}

uint8_t nvme_fsm_step(const struct nvme_fsm *fsm, uint8_t state, uint8_t event)
{
    uint8_t next = state;
    CHECK(nvme_fsm_next(fsm, state, event, &next));
    return next;
}

uint8_t nvme_fsm_move(const struct nvme_fsm *fsm, const struct nvme_fsm_place *place, uint8_t state,
                      uint8_t event)
{
    const uint8_t next = nvme_fsm_step(fsm, state, event);
    if (next == state)
        return next;
    const struct env *env = place->env;
    const struct probe_state change = {
        .at = env_now(env),
        .machine = fsm->name,
        .owner = env->owner,
        .from = fsm->states[state].name,
        .event = fsm->events[event].name,
        .to = fsm->states[next].name,
        .peer_ip = place->peer_ip,
        .qid = place->qid,
        .number = place->number,
    };
    env->probe->state(env->probe->self, &change);
    return next;
}
