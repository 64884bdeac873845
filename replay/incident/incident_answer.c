/* SPDX-License-Identifier: Apache-2.0
 * incident_answer - sentences of the triage, and of runs. */
#include "replay/incident/incident_answer.h"

#include <inttypes.h>
#include <stdio.h>

bool triage_names_suspect(const struct triage *triage)
{
    return triage->verdict != TRIAGE_NONE && triage->suspect_count > 0;
}

const char *triage_verdict_words(const struct triage *triage)
{
    static const char *const heads[] = {
        [TRIAGE_NONE] = "No harm seen: no pauses, drops, losses or errors in these counters.",
        [TRIAGE_OVERLOAD] = "Overload, no fault seen: ",
        [TRIAGE_UNCLEAR] = "No clear suspect; the strongest sign is weak: ",
        [TRIAGE_FAULT] = "Suspected: "};
    if (triage->rival != NULL)
        return "Undecided; the first of several suspects that explain the counters equally well: ";
    if (triage->verdict == TRIAGE_NONE || triage_names_suspect(triage))
        return heads[triage->verdict];
    return "No clear suspect: the counters show pauses or losses, but not their origin.";
}

const char *triage_caution_words(const struct triage *triage)
{
    return triage->single ? "Each counter has only one sample: the counts cover the time since the "
                            "last reset, not only the incident."
                          : "";
}

/* Whether the run of the first hypothesis is clearly better than that of no fault. */
static bool explains(const struct fit *fit)
{
    for (uint32_t i = 0; i < fit->count; i++)
        if (fit->hypotheses[i].kind == FIT_NOTHING)
            return fit->hypotheses[0].ran &&
                   fit->hypotheses[0].score > fit->hypotheses[i].score + 1;
    return false;
}

void fit_answer(const struct fit *fit, const struct triage *triage, char text[FIT_ANSWER_BYTES])
{
    const struct fit_hypothesis *first = &fit->hypotheses[0];
    const bool sized = explains(fit) || first->measured; /* magnitude and share mean something */
    char lasts[64] = "";
    const char *since = first->suspect == SIZE_MAX ? NULL : triage->suspects[first->suspect].since;
    if (sized && first->share < 1)
        snprintf(lasts, sizeof lasts, ", during about %.0f s of the %" PRId64 " s",
                 first->share * (double)fit->incident_s, fit->incident_s);
    if (first->kind == FIT_NOTHING)
        snprintf(text, FIT_ANSWER_BYTES, "%s",
                 triage->verdict == TRIAGE_OVERLOAD
                     ? "Overload: the traffic alone explains the counters, no fault is needed."
                     : "No fault: no change of the fabric explains the counters better.");
    else
        snprintf(text, FIT_ANSWER_BYTES, "%s: %s%s%s%s%s%s%s",
                 fit->confirmed ? "Confirmed" : "Suspected", first->words,
                 sized && *first->magnitude != '\0' ? ", " : "", sized ? first->magnitude : "",
                 lasts,
                 explains(fit) ? ""
                               : " (from the counters alone: a run with this fault matches the "
                                 "counters no better than a run without a fault)",
                 since == NULL ? "" : ", first seen at ", since == NULL ? "" : since);
}

double fit_times_per_run(const struct fit *fit)
{
    return (double)fit->incident_s * (double)PS_PER_S / (double)fit->lasts;
}

double fit_traffic_share(const struct fit *fit, int64_t received)
{
    return fit->healthy_ran && fit->healthy_received > 0
               ? (double)received / (double)fit->healthy_received
               : -1;
}
