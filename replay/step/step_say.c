/* SPDX-License-Identifier: Apache-2.0
 * step_say - names, wait states and stages. */
#include "replay/step/step_say_private.h"

#include "nvme/wire/spec.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"

#include <stdio.h>

struct step_name step_port_name(const struct stepper *stepper, uint32_t node, uint16_t port)
{
    struct step_name name;
    world_port_name(stepper_world(stepper), node, port, name.text, sizeof name.text);
    return name;
}

bool step_peer(const struct stepper *stepper, uint32_t node, uint16_t port, uint32_t *peer,
               uint16_t *peer_port)
{
    const struct scenario_port *at = &step_node(stepper, node)->ports[port];
    *peer = at->peer_node;
    *peer_port = at->peer_port;
    return at->link != SCENARIO_NO_LINK;
}

struct step_name step_peer_name(const struct stepper *stepper, uint32_t node, uint16_t port)
{
    uint32_t peer;
    uint16_t peer_port;
    if (!step_peer(stepper, node, port, &peer, &peer_port))
        return (struct step_name){"nobody"};
    return step_port_name(stepper, peer, peer_port);
}

uint32_t step_frames(const struct port *port, uint8_t priority)
{
    uint32_t count = 0;
    for (uint32_t at = port->prios[priority].head; at != POOL_NONE;
         at = frame_at(port->frames, at)->next)
        count++;
    return count;
}

bool step_prio_is_busy(const struct stepper *stepper, uint32_t node, uint16_t port,
                       uint8_t priority)
{
    const struct world *world = stepper_world(stepper);
    const struct port *at = world_port(world, node, port);
    const uint8_t bit = (uint8_t)(1u << priority);
    if (((at->ready | at->paused | at->asserted) & bit) != 0 || at->prios[priority].bytes > 0)
        return true;
    if (!step_is_switch(stepper, node))
        return false;
    const struct buffer *buffer = &world_switch(world, node)->buffer;
    return buffer_held(&buffer->groups[port * PRIORITIES + priority]) > 0;
}

/* ------------------------------------------------------------------ queue pairs */

const struct qp *step_find_qp(const struct stepper *stepper, uint32_t node, uint32_t qpn,
                              const struct rnic **rnic)
{
    if (step_is_switch(stepper, node))
        return NULL;
    const struct host *host = world_host(stepper_world(stepper), node);
    for (uint32_t i = 0; i < host->rnic_count; i++) {
        const struct qp *qp = rnic_find_qp(host->rnics[i], qpn);
        *rnic = host->rnics[i];
        if (qp != NULL)
            return qp;
    }
    return NULL;
}

static bool is_responding(const struct qp *qp)
{
    return (qp->flags & QP_RESPOND) != 0;
}

enum step_qp_wait step_qp_wait(const struct rnic *rnic, const struct qp *qp, time_ps now,
                               time_ps *until)
{
    const bool has_more = (qp->flags & QP_TX_ACTIVE) != 0 || qp->sq_cur != qp->sq_visible;
    *until = TIME_NEVER;
    if (qp->state != IBV_QPS_RTS)
        return STEP_QP_STATE;
    if (!has_more && !is_responding(qp))
        return STEP_QP_IDLE;
    if (!requester_ready(qp) && !is_responding(qp))
        return (qp->flags & QP_BLOCKED) != 0 ? STEP_QP_BLOCKED : STEP_QP_WINDOW;
    if ((qp->flags & QP_RNR_WAIT) != 0 && qp->rnr_until > now && !is_responding(qp)) {
        *until = qp->rnr_until;
        return STEP_QP_RNR;
    }
    if (!requester_ready(qp) && responder_due(qp) > now) {
        *until = responder_due(qp);
        return STEP_QP_DATA;
    }
    if ((qp->flags & QP_FULL) != 0 && !is_responding(qp))
        return STEP_QP_WINDOW;
    *until = (qp->flags & QP_FLIGHT) != 0 ? qp->pacer.flight->paced_until : qp->paced_until;
    if (*until > now)
        return STEP_QP_PACED;
    *until = TIME_NEVER;
    return (rnic->port.paused & 1u << qp->data.priority) != 0 ? STEP_QP_STOPPED : STEP_QP_FREE;
}

const char *step_qp_wait_words(enum step_qp_wait wait)
{
    static const char *const words[] = {
#define X(name, words) words,
        STEP_QP_WAITS(X)
#undef X
    };
    return words[wait];
}

/* ------------------------------------------------------------------ commands */

struct search {
    const struct probe_target_io *wanted;
    struct nvme_target_command *found;
    bool is_found;
};

static void look_at_command(void *self, const struct nvme_target_command *command)
{
    struct search *search = self;
    const struct probe_target_io *a = &command->times, *b = search->wanted;
    if (a->host_ip != b->host_ip || a->controller != b->controller || a->qid != b->qid ||
        a->cid != b->cid)
        return;
    *search->found = *command;
    search->is_found = true;
}

bool step_find_at_target(const struct stepper *stepper, uint32_t node,
                         const struct probe_target_io *wanted, struct nvme_target_command *found)
{
    const struct nvme_target *target =
        stepper_world(stepper)->targets[step_node(stepper, node)->index];
    struct search search = {.wanted = wanted, .found = found};
    *found = (struct nvme_target_command){0};
    if (target != NULL)
        nvme_target_look(target, look_at_command, &search);
    return search.is_found;
}

const char *step_target_stage_words(enum nvme_target_stage stage)
{
    switch (stage) {
    case NVME_TARGET_ON_CORE:
        return "waits for a core of the target, or runs on one, before the media access";
    case NVME_TARGET_UNBUFFERED:
        return "waits for the target's data buffers";
    case NVME_TARGET_WITHOUT_WRS:
        return "waits for the target's data work requests";
    case NVME_TARGET_LIMITED:
        return "waits for an IOPS or bandwidth limit of its namespace or subsystem";
    case NVME_TARGET_STARVED:
        return "waits for room in the target's send queue";
    case NVME_TARGET_FETCHES:
        return "waits while the target reads its data from the host";
    case NVME_TARGET_IN_MEDIA:
        return "is in the media";
    case NVME_TARGET_AFTER_MEDIA:
        return "waits for a core of the target, or runs on one, after the media access";
    case NVME_TARGET_RESPONDED:
        return "waits for the host to acknowledge its response";
    }
    return "";
}

const char *step_host_stage_words(enum nvme_host_stage stage)
{
    switch (stage) {
    case NVME_HOST_WAITS:
        return "waits for room in its queue, or for its controller";
    case NVME_HOST_SUBMITS:
        return "waits for the host's CPU to send it";
    case NVME_HOST_SENT:
        return "waits for the response to its capsule";
    case NVME_HOST_ANSWERED:
        return "has its response, but its send or invalidation is not complete";
    case NVME_HOST_COMPLETES:
        return "waits for the host's CPU to complete it";
    }
    return "";
}

const char *step_opcode_words(uint8_t opcode)
{
    return nvme_opcode_word(opcode);
}
