/* SPDX-License-Identifier: Apache-2.0
 * step_why_io - queue pairs, commands, and their frames in flight.
 * A queue pair waits for its port, its pacing, or unacknowledged packets; a command waits for the
 * queue pair, a core, or the medium. */
#include "replay/step/step_why_private.h"

#include "base/plural.h"

/* ------------------------------------------------------------------ frames in flight */

/* The first switch queue with a frame for that queue pair of the endpoint. */
static bool find_frame(const struct step_walk *walk, uint32_t destination, uint32_t qpn,
                       struct step_prio *prio, const struct frame **found)
{
    const struct world *world = stepper_world(walk->stepper);
    for (uint32_t node = 0; node < world->engine.node_count; node++)
        for (uint16_t i = 0; i < world->scenario->nodes[node].port_count; i++)
            for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
                uint32_t at = world_port(world, node, i)->prios[priority].head;
                for (; at != POOL_NONE; at = (*found)->next) {
                    *found = frame_at(world_frames(world, node), at);
                    *prio = (struct step_prio){node, i, priority};
                    if ((*found)->destination == destination && (*found)->qpn == qpn)
                        return true;
                }
            }
    return false;
}

/* The first queued frame of the queue pair, or of the TCP connection with these ports. */
bool step_why_frame(struct step_walk *walk, uint32_t destination, uint32_t qpn)
{
    struct step_prio prio;
    const struct frame *frame;
    if (!find_frame(walk, destination, qpn, &prio, &frame))
        return false;
    step_why_line(
        walk, "its %s with %s %u is queued at %s, priority %u:", frame_opcode_name(frame->opcode),
        frame->opcode == FRAME_TCP ? "seq" : "PSN", frame->psn,
        step_port_name(walk->stepper, prio.node, prio.port).text, prio.priority);
    step_why_prio(walk, &prio);
    return true;
}

/* ------------------------------------------------------------------ queue pairs */

static void why_paced(const struct step_walk *walk, const struct rnic *rnic, const struct qp *qp,
                      time_ps until)
{
    const struct cc_view view = pacer_view(&qp->pacer, &rnic->cc_site, rnic_now(rnic));
    step_why_line(walk, "root cause: %s limits the queue pair to %s; its next send is due in %s",
                  rnic->cc_site.ops->name, words_rate((double)view.rate_bps).text,
                  words_time(until - step_now(walk->stepper)).text);
}

/* Why it does not send; false if it can, or has nothing to send. */
static bool why_not_sending(struct step_walk *walk, uint32_t node, const struct rnic *rnic,
                            const struct qp *qp)
{
    time_ps until;
    const enum step_qp_wait wait = step_qp_wait(rnic, qp, step_now(walk->stepper), &until);
    const struct step_prio prio = {node, rnic->port.index, qp->data.priority};
    step_why_line(
        walk, "qp %u of %s to %s %s", qp->qpn, step_node(walk->stepper, node)->name,
        step_node(walk->stepper, stepper_host_of(walk->stepper, qp->flow.destination))->name,
        step_qp_wait_words(wait));
    if (wait == STEP_QP_PACED)
        why_paced(walk, rnic, qp, until);
    else if (wait == STEP_QP_STOPPED)
        step_why_prio(walk, &prio);
    else if (until != TIME_NEVER)
        step_why_line(walk, "root cause: the queue pair may send again in %s",
                      words_time(until - step_now(walk->stepper)).text);
    return wait == STEP_QP_PACED || wait == STEP_QP_STOPPED || wait == STEP_QP_RNR ||
           wait == STEP_QP_DATA;
}

/* The peer's response is missing: checks whether the peer is kept from sending it. */
static bool why_peer(struct step_walk *walk, const struct qp *qp)
{
    const struct rnic *rnic = NULL;
    const uint32_t node = stepper_host_of(walk->stepper, qp->flow.destination);
    const struct qp *peer = step_find_qp(walk->stepper, node, qp->flow.qpn, &rnic);
    return peer != NULL && why_not_sending(walk, node, rnic, peer);
}

/* Unacknowledged packets: either they or their ACKs are in flight. */
static void why_outstanding(struct step_walk *walk, const struct rnic *rnic, const struct qp *qp)
{
    const time_ps now = step_now(walk->stepper);
    step_why_line(walk, "%u unacknowledged %s, starting at PSN %u",
                  (unsigned)psn_diff(qp->high_psn, qp->una_psn),
                  plural(psn_diff(qp->high_psn, qp->una_psn), "packet", "packets"), qp->una_psn);
    if (step_why_frame(walk, qp->flow.destination, qp->flow.qpn) ||
        step_why_frame(walk, rnic->endpoint, qp->qpn) || why_peer(walk, qp))
        return;
    step_why_line(walk, "root cause: no packet or acknowledgment is queued: it is in flight or "
                        "lost");
    if (qp->timeout != 0 && qp->timeout_due > now)
        step_why_line(walk, "the ACK timer expires in %s", words_time(qp->timeout_due - now).text);
}

void step_why_qp(struct step_walk *walk, uint32_t node, uint32_t qpn)
{
    const struct rnic *rnic = NULL;
    const struct qp *qp = step_find_qp(walk->stepper, node, qpn, &rnic);
    if (qp == NULL)
        step_why_line(walk, "%s has no queue pair %u", step_node(walk->stepper, node)->name, qpn);
    else if (why_not_sending(walk, node, rnic, qp))
        return;
    else if (qp_outstanding(qp))
        why_outstanding(walk, rnic, qp);
    else
        step_why_frame(walk, qp->flow.destination, qp->flow.qpn);
}

/* A command without a queue pair is on a TCP connection. */
static void why_connection(struct step_walk *walk, uint32_t node, uint32_t peer, uint32_t qpn)
{
    if (qpn != 0)
        step_why_qp(walk, node, qpn);
    else
        step_why_tcp(walk, node, peer);
}

/* ------------------------------------------------------------------ commands */

struct oldest {
    const struct step_walk *walk;
    struct nvme_host_command command;
    const struct nvme_host *controller, *looking_at;
    uint32_t from, looking_from;
    bool found;
};

static void keep_oldest(void *self, const struct nvme_host_command *command)
{
    struct oldest *oldest = self;
    if (oldest->found && command->issued_at >= oldest->command.issued_at)
        return;
    oldest->command = *command;
    oldest->controller = oldest->looking_at;
    oldest->from = oldest->looking_from;
    oldest->found = true;
}

static void why_served(struct step_walk *walk, uint32_t from, uint32_t target,
                       const struct nvme_target_command *there)
{
    const struct nvme_target *at =
        stepper_world(walk->stepper)->targets[step_node(walk->stepper, target)->index];
    const char *name = step_node(walk->stepper, target)->name;
    step_why_line(walk, "%s received the command %s ago; the command %s", name,
                  words_time(step_now(walk->stepper) - there->times.capsule_at).text,
                  step_target_stage_words(there->stage));
    if (nvme_target_is_stalled(at))
        step_why_line(walk, "root cause: %s is stalled by a fault of the scenario", name);
    else if (there->stage == NVME_TARGET_FETCHES || there->stage == NVME_TARGET_RESPONDED ||
             there->stage == NVME_TARGET_STARVED)
        why_connection(walk, target, from, there->qpn);
    else if (there->stage == NVME_TARGET_UNBUFFERED)
        step_why_line(walk, "root cause: too few data buffers of %s are free", name);
    else if (there->stage == NVME_TARGET_WITHOUT_WRS)
        step_why_line(walk, "root cause: too few data work requests of %s are free", name);
    else if (there->stage == NVME_TARGET_LIMITED)
        step_why_line(walk,
                      "root cause: its namespace or subsystem at %s has reached its IOPS or "
                      "bandwidth limit",
                      name);
    else if (there->stage == NVME_TARGET_IN_MEDIA)
        step_why_line(walk, "root cause: the command has been in the media for %s",
                      words_time(step_now(walk->stepper) - there->times.media_at).text);
    else
        step_why_line(walk, "root cause: the cores of the target are busy");
}

static void why_command(struct step_walk *walk, const struct oldest *oldest)
{
    const struct nvme_host_command *command = &oldest->command;
    const uint32_t target =
        stepper_host_of(walk->stepper, nvme_host_target_ip(oldest->controller) - RNIC_FIRST_IP);
    const struct probe_target_io wanted = {
        .host_ip = nvme_host_local_ip(oldest->controller),
        .controller = nvme_host_controller(oldest->controller),
        .qid = command->qid,
        .cid = command->cid,
    };
    struct nvme_target_command there;
    char text[160];
    step_why_line(
        walk, "the oldest command: a %s of %s from %s to %s, qid %u cid %#06x, issued %s ago: %s",
        step_opcode_words(command->opcode), words_bytes(command->bytes).text,
        step_node(walk->stepper, oldest->from)->name, step_node(walk->stepper, target)->name,
        command->qid, command->cid, words_time(step_now(walk->stepper) - command->issued_at).text,
        step_host_stage_words(command->stage));
    walk->depth++;
    nvme_host_describe(oldest->controller, text, sizeof text);
    if (command->stage == NVME_HOST_WAITS)
        step_why_line(walk, "root cause: state of its controller: %s", text);
    else if (command->stage == NVME_HOST_SENT &&
             step_find_at_target(walk->stepper, target, &wanted, &there))
        why_served(walk, oldest->from, target, &there);
    else if (command->stage == NVME_HOST_SENT || command->stage == NVME_HOST_ANSWERED)
        why_connection(walk, oldest->from, target, command->qpn);
    else
        step_why_line(walk, "root cause: the host's CPU for this queue is busy");
    walk->depth--;
}

void step_why_workload(struct step_walk *walk, uint32_t workload)
{
    const struct world *world = stepper_world(walk->stepper);
    struct oldest oldest = {.walk = walk};
    char text[256];
    for (uint32_t i = 0; i < world_instances(world, workload); i++) {
        oldest.looking_from = step_instance_from(walk->stepper, workload, i);
        for (uint32_t p = 0; (oldest.looking_at = world_controller(world, workload, i, p)) != NULL;
             p++)
            nvme_host_look(oldest.looking_at, keep_oldest, &oldest);
    }
    if (oldest.found) {
        why_command(walk, &oldest);
        return;
    }
    text[0] = '\0';
    if (world_instances(world, workload) > 0)
        world_describe(world, workload, text, sizeof text);
    step_why_line(walk, "%s: %s", world->stats[workload].name,
                  text[0] == '\0' ? "no operation is outstanding" : text);
}
