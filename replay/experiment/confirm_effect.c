/* SPDX-License-Identifier: Apache-2.0
 * confirm_effect - what a confirmed cause costs, in words, and what limits the run without it. */
#include "replay/experiment/confirm_private.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/record/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t add_count(char *text, size_t size, size_t used, const char *what, int64_t was,
                        int64_t is)
{
    if (was == is)
        return used;
    return used + (size_t)snprintf(text + used, size - used, "%s%s %s from %s to %s",
                                   used == 0 ? "" : ", ", what, is < was ? "fall" : "rise",
                                   words_count(was).text, words_count(is).text);
}

/* "the victims' highest p99 is 15 us instead of 1.29 ms, failed operations fall from 12 to 0" */
static void change_words(const struct prove_impact *was, const struct prove_impact *is, char *text,
                         size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if ((__int128)is->p99_ps * 20 < (__int128)was->p99_ps * 19 && is->p99_ps > 0)
        used += (size_t)snprintf(text, size, "the victims' highest p99 is %s instead of %s",
                                 words_time(is->p99_ps).text, words_time(was->p99_ps).text);
    used = add_count(text, size, used, "failed operations", was->failed, is->failed);
    used =
        add_count(text, size, used, "host-target pairs without I/O", was->inactive, is->inactive);
    add_count(text, size, used, "dropped lossless frames", was->lossless_drops, is->lossless_drops);
}

const char *confirm_member_words(const struct scenario *scenario, const struct prove_harm *harm,
                                 char text[CONFIRM_MEMBER_BYTES])
{
    const char *name = scenario->workloads[harm->workload].name;
    if (harm->from == TRIAL_ANY_HOST)
        snprintf(text, CONFIRM_MEMBER_BYTES, SCENARIO_WORKLOAD_WORDS, name);
    else
        snprintf(text, CONFIRM_MEMBER_BYTES, SCENARIO_WORKLOAD_WORDS " from %.60s to %.60s", name,
                 scenario->nodes[harm->from].name, scenario->nodes[harm->to].name);
    return text;
}

/* None of several culprits recovers much alone: each hides the others. */
static bool are_hidden(const struct prove *prove)
{
    double apart = 0;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].culprit)
            apart += prove_gone(prove, &prove->before, &prove->rows[i].after);
    return prove->culprits > 1 && apart < prove_gone(prove, &prove->before, &prove->after) / 2;
}

/* The culprits that do harm without a partner: "target-stall at host0", or "the causes above". */
static void others_words(const struct prove *prove, const struct trial_base *base, char *text,
                         size_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        if (!prove->rows[i].culprit || prove->rows[i].partner)
            continue;
        if (count++ == 0)
            trial_cause_words(&prove->rows[i].repair, base, text, size);
        else
            snprintf(text, size, "the causes above");
    }
}

void confirm_effect_words(const struct prove *prove, const struct trial_base *base,
                          const struct prove_row *row, char *text, size_t size)
{
    const double gone = prove_gone(prove, &prove->before, &row->after);
    char change[200], member[CONFIRM_MEMBER_BYTES], others[PROVE_WORDS_BYTES];
    change_words(&prove->before, &row->after, change, sizeof change);
    if (row->partner) {
        others_words(prove, base, others, sizeof others);
        snprintf(
            text, size,
            "this cause alone does no harm, but it adds to the harm of %.150s; without it, %s of "
            "the harm disappears",
            others, words_percent(gone, 1).text);
    } else if (prove->culprits > 1 && row->harmful && row->harm.permille > 0) {
        const size_t used =
            (size_t)snprintf(text, size, "this cause alone costs %s %s of its I/O time",
                             confirm_member_words(base->scenario, &row->harm, member),
                             words_percent((double)row->harm.permille, 1000).text);
        if (are_hidden(prove))
            snprintf(text + used, size - used,
                     "; without this cause, %s of the harm disappears; without all causes listed "
                     "here, %s of the harm disappears",
                     words_percent(gone > 0 ? gone : 0, 1).text,
                     words_percent(prove_gone(prove, &prove->before, &prove->after), 1).text);
    } else {
        snprintf(text, size, "without this cause, %s%s%s of the harm disappears", change,
                 change[0] == '\0' ? "" : ", and ", words_percent(gone, 1).text);
    }
}

/* What limits the run is what remains when the causes are removed. The time of an operation and the
 * interval of its rate stay those of this run. */
static void replace_limit(struct bottleneck *limit, const struct bottleneck *remaining,
                          uint32_t causes)
{
    limit->resource = remaining->resource;
    limit->gain = remaining->gain;
    snprintf(limit->text, sizeof limit->text, "%.*s (in the rerun without the confirmed %s)",
             (int)sizeof limit->text - 48, remaining->text, plural(causes, "cause", "causes"));
}

void confirm_replace_limits(const struct prove *prove, const struct bottleneck *limits,
                            struct result *result)
{
    if (prove->limit.text[0] == '\0')
        return;
    replace_limit(&result->limit, &prove->limit, prove->culprits);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        replace_limit(&result->limits[i].found, &limits[i], prove->culprits);
        result->limits[i].confidence.causes = prove->culprits;
    }
}
