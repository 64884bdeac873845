/* SPDX-License-Identifier: Apache-2.0
 * fsm - a state machine defined by a list of edges.
 * Each machine is a file X_state.def with STATE(NAME, "about"), EVENT(NAME, "about") and EDGE(FROM,
 * EVENT, TO, "why"), from which the enum, the names, the diagram and this check of transitions are
 * generated. An event without an edge in the present state is a bug and stops the program. */
#ifndef STORMGLASS_NVME_FSM_FSM_H
#define STORMGLASS_NVME_FSM_FSM_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

struct nvme_fsm_word {
    const char *name, *about;
};

struct nvme_fsm_edge {
    uint8_t from, event, to;
    const char *why;
};

struct nvme_fsm {
    const char *name;
    const struct nvme_fsm_word *states, *events;
    const struct nvme_fsm_edge *edges;
    unsigned state_count, event_count, edge_count;
};

extern const struct nvme_fsm nvme_fsm_host, nvme_fsm_host_queue, nvme_fsm_target_queue,
    nvme_fsm_path;

/* Returns true and the next state when the state has an edge for the event. */
bool nvme_fsm_next(const struct nvme_fsm *fsm, uint8_t state, uint8_t event, uint8_t *next);

/* Returns the next state; CHECKs that there is one. */
uint8_t nvme_fsm_step(const struct nvme_fsm *fsm, uint8_t state, uint8_t event);

/* Identifies the machine to the observer (probe.h). */
struct nvme_fsm_place {
    const struct env *env;
    uint32_t peer_ip;
    int32_t qid;      /* -1: the controller as a whole */
    uint32_t *number; /* the observer's number of the machine */
};

/* Returns the state after the event, and reports it to the probe when it differs. */
uint8_t nvme_fsm_move(const struct nvme_fsm *fsm, const struct nvme_fsm_place *place, uint8_t state,
                      uint8_t event);

#define EVENT(NAME, ABOUT)
#define EDGE(FROM, EV, TO, WHY)
#define STATE(NAME, ABOUT) HOST_##NAME,
enum nvme_host_state {
#include "nvme/fsm/host_state.def"
};
#undef STATE
#define STATE(NAME, ABOUT) HOST_QUEUE_##NAME,
enum nvme_host_queue_state {
#include "nvme/fsm/host_queue_state.def"
};
#undef STATE
#define STATE(NAME, ABOUT) TARGET_QUEUE_##NAME,
enum nvme_target_queue_state {
#include "nvme/fsm/target_queue_state.def"
};
#undef STATE
#define STATE(NAME, ABOUT) PATH_##NAME,
enum nvme_path_state {
#include "nvme/fsm/path_state.def"
};
#undef STATE
#undef EVENT

#define STATE(NAME, ABOUT)
#define EVENT(NAME, ABOUT) HOST_ON_##NAME,
enum nvme_host_event {
#include "nvme/fsm/host_state.def"
};
#undef EVENT
#define EVENT(NAME, ABOUT) HOST_QUEUE_ON_##NAME,
enum nvme_host_queue_event {
#include "nvme/fsm/host_queue_state.def"
};
#undef EVENT
#define EVENT(NAME, ABOUT) TARGET_QUEUE_ON_##NAME,
enum nvme_target_queue_event {
#include "nvme/fsm/target_queue_state.def"
};
#undef EVENT
#define EVENT(NAME, ABOUT) PATH_ON_##NAME,
enum nvme_path_event {
#include "nvme/fsm/path_state.def"
};
#undef EVENT
#undef STATE
#undef EDGE

#endif
