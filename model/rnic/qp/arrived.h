/* SPDX-License-Identifier: Apache-2.0
 * arrived - payload that a queue pair has taken into bulk memory, in order: of whole messages, and
 * what it has of those under way.  A packet that comes again, or before its turn, adds nothing.
 * For who looks on between events. */
#ifndef STORMGLASS_RNIC_QP_ARRIVED_H
#define STORMGLASS_RNIC_QP_ARRIVED_H

#include "rnic/qp/qp.h"

uint64_t arrived_bytes(const struct qp *qp);

#endif
