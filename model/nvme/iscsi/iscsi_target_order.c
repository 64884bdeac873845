/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_order - commands begin in the order of their CmdSN, whichever connection of the
 * session carried them (RFC 7143, 4.2.2.1).
 * A command that arrives before an earlier one keeps its turn: its data may arrive meanwhile. With
 * one connection TCP has the order, and a gap is an error of the initiator. */
#include "nvme/iscsi/iscsi_target_private.h"

#include "base/memory.h"

static struct target_turn *turn_of(struct target_session *session, uint32_t sn)
{
    return &session->turns[sn % TARGET_TURNS];
}

void iscsi_target_order(struct target_session *session)
{
    if (session->turns != NULL)
        return;
    session->turns = memory_zeroed(TARGET_TURNS, sizeof *session->turns);
    session->begin_sn = session->exp_cmd_sn;
}

/* Commands outside the window and repeated ones are ignored: their data is dropped, and they have
 * no response (RFC 7143, 4.2.2.1). */
enum target_arrival iscsi_target_count(struct target_session *session, const struct iscsi_pdu *pdu,
                                       struct iscsi_fault *fault)
{
    if (pdu->immediate)
        return TARGET_NEW;
    if (iscsi_apart(pdu->sn, session->exp_cmd_sn) < 0 ||
        iscsi_apart(pdu->sn, session->max_cmd_sn) > 0)
        return TARGET_IGNORED;
    if (session->turns == NULL && pdu->sn == session->exp_cmd_sn) {
        session->exp_cmd_sn++;
        return TARGET_NEW;
    }
    if (session->turns == NULL || pdu->sn - session->begin_sn >= TARGET_TURNS) {
        iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s: CmdSN is %u, expected %u",
                        iscsi_pdu_name(pdu->opcode), pdu->sn, session->exp_cmd_sn);
        return TARGET_FAULT;
    }
    if (turn_of(session, pdu->sn)->here)
        return TARGET_IGNORED;
    turn_of(session, pdu->sn)->here = true;
    while (session->exp_cmd_sn - session->begin_sn < TARGET_TURNS &&
           turn_of(session, session->exp_cmd_sn)->here)
        session->exp_cmd_sn++;
    return TARGET_NEW;
}

void iscsi_target_ready(struct target_session *session, const struct iscsi_pdu *pdu,
                        struct target_task *task)
{
    const uint32_t sn = task != NULL ? task->sn : pdu->sn;
    const bool counts = task != NULL ? task->counts : !pdu->immediate;
    /* A command that arrived when the session had one connection has no turn. */
    if (session->turns == NULL || !counts || iscsi_apart(sn, session->begin_sn) < 0) {
        if (task != NULL)
            iscsi_target_start(session, task);
        return;
    }
    turn_of(session, sn)->ready = true;
    turn_of(session, sn)->task = task;
    while (!iscsi_is_over(&session->base) && turn_of(session, session->begin_sn)->ready) {
        struct target_turn *turn = turn_of(session, session->begin_sn++);
        struct target_task *next = turn->task;
        *turn = (struct target_turn){0};
        if (next != NULL)
            iscsi_target_start(session, next);
    }
}
