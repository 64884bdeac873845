/* SPDX-License-Identifier: Apache-2.0
 * loss - what a member lost. */
#include "replay/harm/loss.h"

#include "base/numbers.h"

struct loss loss_between(const struct loss_work *work, const struct loss_work *reference)
{
    const int64_t whole = max_i64(work->under_way_ps, reference->under_way_ps);
    const int64_t needed =
        reference->done == 0
            ? whole
            : (int64_t)((__int128)reference->under_way_ps * work->done / reference->done);
    return (struct loss){.lost_ps = max_i64(whole - needed, 0),
                         .whole_ps = whole,
                         .failed = work->failed - reference->failed,
                         .inactive = work->inactive - reference->inactive};
}

int64_t loss_share(const struct loss *loss)
{
    return share_ppm(loss->lost_ps, loss->whole_ps);
}

double loss_gain(const struct loss_work *first, const struct loss_work *second)
{
    const struct loss more = loss_between(first, second), less = loss_between(second, first);
    const int64_t rest = more.whole_ps - more.lost_ps;
    const double gain = more.lost_ps == 0 ? 0 : rest == 0 ? 1 : (double)more.lost_ps / (double)rest;
    return less.lost_ps == 0 ? gain : gain - (double)less.lost_ps / (double)less.whole_ps;
}

void loss_add(struct loss *sum, const struct loss *loss)
{
    sum->lost_ps += loss->lost_ps;
    sum->whole_ps += loss->whole_ps;
    sum->failed += loss->failed;
    sum->inactive += loss->inactive;
}

void loss_add_work(struct loss_work *sum, const struct loss_work *work)
{
    sum->done += work->done;
    sum->under_way_ps += work->under_way_ps;
    sum->failed += work->failed;
    sum->unfinished += work->unfinished;
    sum->inactive += work->inactive;
}
