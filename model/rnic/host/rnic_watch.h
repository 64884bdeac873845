/* SPDX-License-Identifier: Apache-2.0
 * rnic_watch - reports an RNIC's messages, and what holds a queue pair, to the time accounting.
 * Without accounting this costs a test of one bit: PORT_WATCHED, set for a port whose frames or
 * packets are reported. */
#ifndef STORMGLASS_RNIC_HOST_RNIC_WATCH_H
#define STORMGLASS_RNIC_HOST_RNIC_WATCH_H

#include "base/probe.h"
#include "rnic/host/rnic.h"

void rnic_watch_report_work(const struct rnic *rnic, const struct qp *qp, enum probe_work_kind kind,
                            unsigned operation, bool good, time_ps now);
void rnic_watch_report_hold(const struct rnic *rnic, struct qp *qp, time_ps now);

/* The operation of a work request. */
static inline enum probe_work_operation rnic_watch_operation(unsigned wr_opcode)
{
    return wr_opcode == IBV_WR_RDMA_READ ? PROBE_WORK_READ
           : wr_opcode == IBV_WR_RDMA_WRITE || wr_opcode == IBV_WR_RDMA_WRITE_WITH_IMM
               ? PROBE_WORK_WRITE
               : PROBE_WORK_SEND;
}

static inline bool rnic_is_watched(const struct rnic *rnic)
{
    return UNLIKELY((rnic->port.odd & PORT_WATCHED) != 0);
}

/* Reports a message of the queue pair, for ASKED and TAKEN one of its peer's. `operation`: enum
 * probe_work_operation. */
static inline void rnic_watch_work(const struct rnic *rnic, const struct qp *qp,
                                   enum probe_work_kind kind, unsigned operation, bool good,
                                   time_ps now)
{
    if (rnic_is_watched(rnic))
        rnic_watch_report_work(rnic, qp, kind, operation, good, now);
}

/* All of a SEND or WRITE of the peer has arrived. */
static inline void rnic_watch_taken(const struct rnic *rnic, const struct qp *qp, bool send,
                                    time_ps now)
{
    rnic_watch_work(rnic, qp, PROBE_WORK_TAKEN, send ? PROBE_WORK_SEND : PROBE_WORK_WRITE, true,
                    now);
}

/* Reports what the queue pair is waiting for after it was scheduled or put to sleep, if that has
 * changed. */
static inline void rnic_watch_hold(const struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (rnic_is_watched(rnic))
        rnic_watch_report_hold(rnic, qp, now);
}

#endif
