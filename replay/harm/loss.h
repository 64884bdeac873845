/* SPDX-License-Identifier: Apache-2.0
 * loss - what a member lost: the only measure of harm.
 * A member (the instances of a workload from one host to another) is described by the work that it
 * did.  Its loss is the difference from a reference: the same member in a run without the cause, or
 * a good member of the same workload in the same run.  Commands or messages took longer, or fewer
 * were done: both are time, and the larger one counts.
 * Shares are in parts per million, times in virtual picoseconds. */
#ifndef STORMGLASS_REPLAY_HARM_LOSS_H
#define STORMGLASS_REPLAY_HARM_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct loss_work {
    int64_t done;         /* completed commands, messages or bytes */
    int64_t under_way_ps; /* their time, all together, and the time of those that never completed */
    int64_t failed;
    int64_t unfinished;
    int64_t inactive; /* idle instances, for instance because they never connected */
};

struct loss {
    int64_t lost_ps;
    int64_t whole_ps;         /* of which `lost_ps` is a part */
    int64_t failed, inactive; /* more than in the reference; negative if less */
};

/* How much longer the work was under way than as much work of the reference, or the time that the
 * missing work takes there, whichever is more.  0 if the reference did nothing. */
struct loss loss_between(const struct loss_work *work, const struct loss_work *reference);

/* Operations failed, or instances were idle, that are not in the reference. */
static inline bool loss_is_counted(const struct loss *loss)
{
    return loss->failed > 0 || loss->inactive > 0;
}

/* The lost time, in ppm of the whole. */
int64_t loss_share(const struct loss *loss);

/* The gain of the second in relation to its own time, or to the work of the first: 0.1 if it does a
 * tenth more, or if the first takes a tenth longer.  Negative if it loses. */
double loss_gain(const struct loss_work *first, const struct loss_work *second);

void loss_add(struct loss *sum, const struct loss *loss);
void loss_add_work(struct loss_work *sum, const struct loss_work *work);

#endif
