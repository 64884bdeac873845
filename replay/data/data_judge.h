/* SPDX-License-Identifier: Apache-2.0
 * data_judge - checks that reads return data that some order of the writes allows.
 * Receives every I/O when its host learns of its end, from any host, queue and path. For each 4 KiB
 * unit it keeps the last writes and when each was outstanding. A read may return a write that began
 * before the read ended, unless another write began after that one had ended and ended before the
 * read began: then the data are stale. Zeros after a completed write are lost data. A mixture of
 * writes that each covered the unit is torn.
 * This is regularity of registers (Lamport, "On interprocess communication", 1986) with several
 * writers. A failed write may take effect at any time, or never. Undecidable cases are not judged:
 * partially written units, writes that are more than DATA_JUDGE_WRITES writes old or unfinished,
 * units beyond the first DATA_JUDGE_UNITS, equal times. Once blocks were zeroed or deallocated,
 * lost and torn are not judged at all, and earlier such verdicts are withdrawn: the command may
 * take effect long before its end is known, and on part of a unit.
 * Owner: the caller of data_judge_init. Errors: none. */
#ifndef STORMGLASS_REPLAY_DATA_DATA_JUDGE_H
#define STORMGLASS_REPLAY_DATA_DATA_JUDGE_H

#include "base/probe.h"

enum { DATA_JUDGE_WRITES = 16, DATA_JUDGE_UNITS = 1 << 16 };

struct data_judge_unit;

struct data_judge {
    struct data_judge_unit *units; /* in the order of their first write */
    uint32_t room, count;
    uint32_t *places; /* open addressing, linear probing: 1 + index of a unit, 0: none */
    uint32_t place_count;
    uint64_t reads; /* reads that were judged; below, those found wrong */
    uint64_t stale, lost, torn;
    bool empties;               /* blocks were zeroed or deallocated: lost and torn stay 0 */
    struct probe_host_io first; /* first wrong read; completed_at 0: none */
};

void data_judge_init(struct data_judge *judge);
void data_judge_fini(struct data_judge *judge);

/* Call in the order of completion. */
void data_judge_io(struct data_judge *judge, const struct probe_host_io *io);

static inline uint64_t data_judge_wrong(const struct data_judge *judge)
{
    return judge->stale + judge->lost + judge->torn;
}

#endif
