/* SPDX-License-Identifier: Apache-2.0
 * step_say_private - what `show` and `why` have in common.
 * Included only by step_*.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_SAY_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEP_SAY_PRIVATE_H

#include "nvme/host/host.h"
#include "replay/database/words.h"
#include "replay/step/step_tell.h"

enum { STEP_NAME_BYTES = 80 };

struct step_name {
    char text[STEP_NAME_BYTES];
};

/* "leaf0:p3"; for its peer: the other end of its link, or "nobody". */
struct step_name step_port_name(const struct stepper *stepper, uint32_t node, uint16_t port);
struct step_name step_peer_name(const struct stepper *stepper, uint32_t node, uint16_t port);

/* Returns false if the port has no link. */
bool step_peer(const struct stepper *stepper, uint32_t node, uint16_t port, uint32_t *peer,
               uint16_t *peer_port);

static inline const struct scenario_node *step_node(const struct stepper *stepper, uint32_t node)
{
    return &stepper_world(stepper)->scenario->nodes[node];
}

static inline bool step_is_switch(const struct stepper *stepper, uint32_t node)
{
    return step_node(stepper, node)->kind == SCENARIO_SWITCH;
}

static inline time_ps step_now(const struct stepper *stepper)
{
    return stepper_world(stepper)->engine.now;
}

/* Number of frames in a port's queue of that priority. */
uint32_t step_frames(const struct port *port, uint8_t priority);

/* Whether frames are queued, or a pause is sent or obeyed. */
bool step_prio_is_busy(const struct stepper *stepper, uint32_t node, uint16_t port,
                       uint8_t priority);

/* Finds a queue pair and its RNIC; NULL if the host has none of that number. */
const struct qp *step_find_qp(const struct stepper *stepper, uint32_t node, uint32_t qpn,
                              const struct rnic **rnic);

/* Why a queue pair with data to send does not send: name, and what it does instead. */
#define STEP_QP_WAITS(X)                                                                           \
    X(FREE, "waits for the link")                                                                  \
    X(IDLE, "has nothing to send")                                                                 \
    X(STATE, "cannot send in this state")                                                          \
    X(BLOCKED, "waits until earlier requests are complete")                                        \
    X(WINDOW, "waits for acknowledgments: its whole window is outstanding")                        \
    X(RNR, "waits for the RNR timer, because its peer had no receive posted")                      \
    X(PACED, "is rate-limited by congestion control")                                              \
    X(DATA, "waits for the data of a READ from its own memory")                                    \
    X(STOPPED, "cannot send because its port is paused")

enum step_qp_wait {
#define X(name, words) STEP_QP_##name,
    STEP_QP_WAITS(X)
#undef X
};

enum step_qp_wait step_qp_wait(const struct rnic *rnic, const struct qp *qp, time_ps now,
                               time_ps *until);
const char *step_qp_wait_words(enum step_qp_wait wait);

/* Finds a command at a target by host, controller, queue and identifier; false if it is not
 * there. */
bool step_find_at_target(const struct stepper *stepper, uint32_t node,
                         const struct probe_target_io *wanted, struct nvme_target_command *found);

const char *step_target_stage_words(enum nvme_target_stage stage);
const char *step_host_stage_words(enum nvme_host_stage stage);
const char *step_opcode_words(uint8_t opcode);

#endif
