/* SPDX-License-Identifier: Apache-2.0
 * arrived - payload that a queue pair has written to bulk memory, in order: of complete messages
 * and of those in progress.
 * Duplicate packets and packets ahead of sequence do not count. For observers, between events. */
#ifndef STORMGLASS_RNIC_QP_ARRIVED_H
#define STORMGLASS_RNIC_QP_ARRIVED_H

#include "rnic/qp/qp.h"

uint64_t arrived_bytes(const struct qp *qp);

#endif
