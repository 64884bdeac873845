/* SPDX-License-Identifier: Apache-2.0
 * step_show_host - RNICs, queue pairs, and the commands of a host or target. */
#include "replay/step/step_show_private.h"

#include "base/plural.h"

#include <inttypes.h>

void step_show_rx_buffers(const struct stepper *stepper, uint32_t node, bool busy, FILE *out)
{
    const struct host *host = world_host(stepper_world(stepper), node);
    for (uint32_t i = 0; i < host->rnic_count; i++) {
        const struct rx_buffer *rx = &host->rnics[i]->rx;
        if (busy && rx->held == 0 && rx->storm == 0)
            continue;
        fprintf(out, "%s: receive buffer holds %s of %s",
                step_port_name(stepper, node, (uint16_t)i).text, words_bytes(rx->held).text,
                words_bytes(rx->size).text);
        if (host->rnics[i]->port.credits == NULL)
            fprintf(out, " (XOFF above %s, XON at %s)", words_bytes(rx->xoff).text,
                    words_bytes(rx->xon).text);
        if (rx->stopped)
            fprintf(out, ", not drained");
        else if (rx->drain_bps > 0)
            fprintf(out, ", drained at %s", words_rate((double)rx->drain_bps).text);
        fprintf(out, "%s\n", rx->storm != 0 ? "; a fault keeps its peer paused" : "");
    }
}

/* ------------------------------------------------------------------ queue pairs */

static void show_rate(const struct rnic *rnic, const struct qp *qp, FILE *out)
{
    if ((qp->flags & QP_LIMITED) == 0)
        return;
    const struct cc_view view = pacer_view(&qp->pacer, &rnic->cc_site, rnic_now(rnic));
    fprintf(out, "; congestion control limits the rate to %s (target %s, alpha %.3f)",
            words_rate((double)view.rate_bps).text, words_rate((double)view.target_bps).text,
            (double)view.alpha_ppm / (double)PPM);
}

static void show_wait(const struct stepper *stepper, const struct rnic *rnic, const struct qp *qp,
                      FILE *out)
{
    time_ps until;
    const time_ps now = step_now(stepper);
    const enum step_qp_wait wait = step_qp_wait(rnic, qp, now, &until);
    fprintf(out, "; %s", step_qp_wait_words(wait));
    if (until != TIME_NEVER && until > now)
        fprintf(out, " (%s left)", words_time(until - now).text);
}

static void show_qp(const struct stepper *stepper, const struct rnic *rnic, const struct qp *qp,
                    FILE *out)
{
    fprintf(out, "  qp %u to qp %u of %s, state %s: next PSN to send %u, next PSN expected %u",
            qp->qpn, qp->flow.qpn,
            step_node(stepper, stepper_host_of(stepper, qp->flow.destination))->name,
            qp_state_name((enum ibv_qp_state)qp->state), qp->next_psn, qp->epsn);
    if (qp_outstanding(qp))
        fprintf(out, "; %u unacknowledged %s, starting at PSN %u",
                (unsigned)psn_diff(qp->high_psn, qp->una_psn),
                plural(psn_diff(qp->high_psn, qp->una_psn), "packet", "packets"), qp->una_psn);
    fprintf(out, "; %u work %s and %u %s posted", qp->sq_tail - qp->sq_head,
            plural(qp->sq_tail - qp->sq_head, "request", "requests"), qp->rq_tail - qp->rq_head,
            plural(qp->rq_tail - qp->rq_head, "receive", "receives"));
    show_rate(rnic, qp, out);
    show_wait(stepper, rnic, qp, out);
    fputc('\n', out);
}

static bool is_quiet(const struct qp *qp)
{
    return !qp_outstanding(qp) && qp->sq_cur == qp->sq_visible &&
           (qp->flags & (QP_TX_ACTIVE | QP_RESPOND | QP_LIMITED)) == 0;
}

static void show_qps(const struct stepper *stepper, const struct rnic *rnic, FILE *out)
{
    uint32_t quiet = 0, more = 0, shown = 0;
    for (uint32_t i = 0; i < rnic->qps.used; i++) {
        const struct qp *qp =
            rnic->qp_slots[i].qpn == 0 ? NULL : rnic_find_qp(rnic, rnic->qp_slots[i].qpn);
        if (qp == NULL || qp->state == IBV_QPS_RESET)
            continue;
        if (is_quiet(qp))
            quiet++;
        else if (shown++ < STEP_SHOWN_MOST)
            show_qp(stepper, rnic, qp, out);
        else
            more++;
    }
    if (more > 0)
        fprintf(out, "  ... and %u more active queue %s\n", more, plural(more, "pair", "pairs"));
    fprintf(out, "  %u idle queue %s\n", quiet, plural(quiet, "pair", "pairs"));
}

void step_show_qp(const struct stepper *stepper, uint32_t node, uint32_t qpn, FILE *out)
{
    const struct rnic *rnic;
    const struct qp *qp = step_find_qp(stepper, node, qpn, &rnic);
    if (qp == NULL)
        fprintf(out, "%s has no queue pair %u\n", step_node(stepper, node)->name, qpn);
    else
        show_qp(stepper, rnic, qp, out);
}

/* ------------------------------------------------------------------ NVMe */

static void show_served(void *self, const struct nvme_target_command *command)
{
    struct step_commands_of *of = self;
    if (of->shown++ >= STEP_SHOWN_MOST)
        return;
    fprintf(
        of->out, "  qid %u cid %#06x  %s of %s for %s, received %s ago: %s\n", command->times.qid,
        command->times.cid, step_opcode_words(command->opcode), words_bytes(command->bytes).text,
        step_node(of->stepper, stepper_host_of(of->stepper, command->times.host_ip - RNIC_FIRST_IP))
            ->name,
        words_time(step_now(of->stepper) - command->times.capsule_at).text,
        step_target_stage_words(command->stage));
}

static void show_target(const struct stepper *stepper, uint32_t node, FILE *out)
{
    const struct nvme_target *target =
        stepper_world(stepper)->targets[step_node(stepper, node)->index];
    struct step_commands_of of = {.stepper = stepper, .out = out};
    if (target == NULL)
        return;
    const struct nvme_target_stats *stats = nvme_target_stats(target);
    fprintf(out, "target on %s: %u %s, %u %s%s; %" PRIu64 " %s received so far\n",
            step_node(stepper, node)->name, stats->controllers,
            plural(stats->controllers, "controller", "controllers"), stats->queues,
            plural(stats->queues, "queue", "queues"),
            nvme_target_is_dead(target)      ? ", crashed"
            : nvme_target_is_stalled(target) ? ", stalled"
                                             : "",
            stats->commands, plural(stats->commands, "command", "commands"));
    nvme_target_look(target, show_served, &of);
    if (of.shown > STEP_SHOWN_MOST)
        fprintf(out, "  ... and %u more %s\n", of.shown - STEP_SHOWN_MOST,
                plural(of.shown - STEP_SHOWN_MOST, "command", "commands"));
}

static void show_controllers(const struct stepper *stepper, uint32_t node, FILE *out)
{
    const struct world *world = stepper_world(stepper);
    for (uint32_t w = 0; w < world->workload_count; w++)
        for (uint32_t i = 0; i < world_instances(world, w); i++) {
            const struct nvme_host *controller;
            for (uint32_t p = 0; (controller = world_controller(world, w, i, p)) != NULL; p++)
                if (step_instance_from(stepper, w, i) == node)
                    step_show_controller(stepper, node, controller, out);
        }
}

void step_show_host(const struct stepper *stepper, const struct step_subject *subject, FILE *out)
{
    const struct host *host = world_host(stepper_world(stepper), subject->node);
    step_show_rx_buffers(stepper, subject->node, false, out);
    step_show_prios(stepper, subject, out);
    for (uint32_t i = 0; i < host->rnic_count; i++)
        show_qps(stepper, host->rnics[i], out);
    step_show_tcp(stepper, subject->node, out);
    show_target(stepper, subject->node, out);
    show_controllers(stepper, subject->node, out);
}
