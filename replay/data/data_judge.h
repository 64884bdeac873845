/* SPDX-License-Identifier: Apache-2.0
 * data_judge - did reads return what some order of the writes allows?
 * Told of every I/O when its host knows of its end, whatever host, queue and path it took.  Of each
 * unit of 4 KiB it knows the last writes, from when to when each was under way.  A read may return
 * a write that began before the read ended, unless another write began after that one had ended
 * and ended before the read began: then it is stale.  Nothing, where a write had ended before, is
 * lost; a mixture of writes that each covered the unit is torn.
 * This is regularity of registers (Lamport, "On interprocess communication", 1986) with several
 * writers.  A write that failed may take effect at any time, or never.  What cannot be decided is
 * not judged: units that were written in part, writes longer ago than WRITES others or not ended
 * yet, units beyond the first UNITS that were written, moments that are equal; and once blocks were
 * zeroed or deallocated, whether anything is lost or torn: such a command may have had its effect
 * long before its end is known, and on a part of a unit, so what was said is taken back.
 * Owner: the caller of data_judge_init.  Errors: none. */
#ifndef STORMGLASS_REPLAY_DATA_DATA_JUDGE_H
#define STORMGLASS_REPLAY_DATA_DATA_JUDGE_H

#include "base/probe.h"

enum { DATA_JUDGE_WRITES = 16, DATA_JUDGE_UNITS = 1 << 16 };

struct data_judge_unit;

struct data_judge {
    struct data_judge_unit *units; /* open addressing, linear probing */
    uint32_t room, count;
    uint64_t reads; /* that were judged, and of them: */
    uint64_t stale, lost, torn;
    bool empties;               /* blocks were zeroed or deallocated: lost and torn stay 0 */
    struct probe_host_io first; /* that was wrong; completed_at 0: none */
};

void data_judge_init(struct data_judge *judge);
void data_judge_fini(struct data_judge *judge);

/* In the order of their ends. */
void data_judge_io(struct data_judge *judge, const struct probe_host_io *io);

static inline uint64_t data_judge_wrong(const struct data_judge *judge)
{
    return judge->stale + judge->lost + judge->torn;
}

#endif
