/* SPDX-License-Identifier: Apache-2.0
 * workload - list of the kinds, and their common statistics. */
#include "scenarios/workload/workload.h"

#include <string.h>

#define KIND(stem) extern const struct workload_ops wl_##stem;
#include "scenarios/workload/workload.def"
#undef KIND

#define KIND(stem) &wl_##stem,
const struct workload_ops *const workload_kinds[] = {
#include "scenarios/workload/workload.def"
    NULL,
};
#undef KIND

const struct workload_ops *workload_find(const char *name)
{
    for (const struct workload_ops *const *kind = workload_kinds; *kind != NULL; kind++)
        if (strcmp((*kind)->name, name) == 0 ||
            ((*kind)->also != NULL && strcmp((*kind)->also, name) == 0))
            return *kind;
    return NULL;
}

void workload_name(struct workload_stats *stats, const char *name)
{
    snprintf(stats->name, sizeof stats->name, "%s", name);
    workload_reset(stats);
}

void workload_reset(struct workload_stats *stats)
{
    char name[WORKLOAD_NAME_BYTES];
    struct workload_latencies *each = stats->each;
    struct wl_history *history = stats->history;
    memcpy(name, stats->name, sizeof name);
    memset(stats, 0, sizeof *stats);
    memcpy(stats->name, name, sizeof name);
    stats->each = each;
    stats->history = history;
    hist_reset(&stats->latency);
}

static void fold_counts(struct workload_stats *into, const struct workload_stats *from)
{
    into->issued += from->issued;
    into->completed += from->completed;
    into->failed += from->failed;
    into->bytes += from->bytes;
    into->completed_window += from->completed_window;
    into->bytes_read += from->bytes_read;
    into->bytes_written += from->bytes_written;
    into->corrupt += from->corrupt;
    into->missed += from->missed;
    into->losses += from->losses;
    into->attempts += from->attempts;
    into->reconnects += from->reconnects;
    into->given_up += from->given_up;
    into->requeued += from->requeued;
    into->retried += from->retried;
    into->failovers += from->failovers;
    into->gap = time_later(into->gap, from->gap);
    into->recovery = time_later(into->recovery, from->recovery);
    into->degraded = time_later(into->degraded, from->degraded);
    into->admin += from->admin;
    into->admin_failed += from->admin_failed;
    into->without_service = time_later(into->without_service, from->without_service);
    into->begun += from->begun;
}

void workload_fold(struct workload_stats *into, const struct workload_stats *from)
{
    CHECK(into->each == NULL && from->each == NULL); /* the order in a list would depend on the
                                                      * executor */
    if (from->issued > 0)
        into->first_issue = into->issued > 0 ? time_earlier(into->first_issue, from->first_issue)
                                             : from->first_issue;
    if (from->begun > 0)
        into->window_from = into->begun > 0 ? time_earlier(into->window_from, from->window_from)
                                            : from->window_from;
    into->last_completion = time_later(into->last_completion, from->last_completion);
    into->window_to = time_later(into->window_to, from->window_to);
    hist_merge(&into->latency, &from->latency);
    fold_counts(into, from);
}

void workload_begins(struct workload_stats *stats, time_ps from)
{
    if (stats->begun == 0 || from < stats->window_from)
        stats->window_from = from;
    stats->begun++;
}

void workload_ends(struct workload_stats *stats, time_ps to)
{
    if (stats->window_to < to)
        stats->window_to = to;
}

void workload_done(struct workload_stats *stats, bool failed, time_ps last_completion, time_ps stop)
{
    const bool as_asked = !failed && last_completion < stop;
    workload_ends(stats, as_asked ? last_completion : stop);
}

void workload_issued(struct workload_stats *stats, time_ps at)
{
    if (stats->issued == 0 || at < stats->first_issue)
        stats->first_issue = at;
    stats->issued++;
}

void workload_barred(struct workload_stats *stats, time_ps at, time_ps stop)
{
    workload_issued(stats, at);
    stats->failed++;
    workload_ends(stats, stop);
}

void workload_member_issued(struct workload_member *member, time_ps at)
{
    if (member->issued == 0 || at < member->first_issue)
        member->first_issue = at;
    member->issued++;
}

void workload_member_completed(struct workload_member *member, time_ps issued_at, time_ps now,
                               uint64_t bytes)
{
    const time_ps latency = now - issued_at;
    member->completed++;
    member->bytes += bytes;
    member->latency_sum += latency;
    member->latency_max = time_later(member->latency_max, latency);
    member->last_completion = time_later(member->last_completion, now);
}

static void count_latency(struct workload_stats *stats, time_ps latency)
{
    struct workload_latencies *each = stats->each;
    hist_add(&stats->latency, latency);
    if (each != NULL && each->count < each->room)
        each->list[each->count++] = latency;
}

void workload_completed(struct workload_stats *stats, const struct workload_completion *done)
{
    stats->completed++;
    stats->bytes += done->bytes;
    *(done->read ? &stats->bytes_read : &stats->bytes_written) += done->bytes;
    if (done->issued_at >= done->from)
        count_latency(stats, done->now - done->issued_at);
    stats->completed_window += done->now > done->from && done->now <= done->stop;
    if (stats->history != NULL)
        wl_history_add(stats->history, done->now, done->now - done->issued_at, done->bytes,
                       done->member);
    if (stats->last_completion < done->now)
        stats->last_completion = done->now;
}
