/* SPDX-License-Identifier: Apache-2.0
 * severity - rates the harm and describes it. */
#include "replay/harm/severity.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/harm/margins.h"

#include <inttypes.h>
#include <stdio.h>

/* Failed operations count first, then lost time. Dropped frames of a lossless class break a
 * guarantee and count, too. */
enum harm_severity severity_of(const struct harm_scene *scene, const struct harm *harm,
                               int64_t blamed_ps)
{
    __int128 span = 0;
    for (uint32_t i = 0; i < scene->member_count; i++)
        span += scene->members[i].span;
    const int64_t percent = span == 0 ? 0 : (int64_t)((__int128)harm->lost_ps * 100 / span);
    const int64_t blamed = span == 0 ? 0 : (int64_t)((__int128)blamed_ps * 100 / span);
    if (harm->failed_operations > 0 || blamed >= 25)
        return HARM_SEVERE;
    if (harm->lossless_drops > 0 || blamed >= 5)
        return HARM_MODERATE;
    return harm->cause_count > 0 && (percent >= 1 || harm->drops > 0) ? HARM_SLIGHT : HARM_NOTHING;
}

void severity_words(struct harm *harm)
{
    char *text = harm->sentence;
    const size_t size = sizeof harm->sentence;
    const bool by_host = harm->cause_count > 0 && harm->causes[0].confirmed;
    size_t used = 0;
    if (harm->severity == HARM_NOTHING) {
        used = harm->untold[0] == '\0'
                   ? (size_t)snprintf(text, size, "none: no measurable impact")
                   : (size_t)snprintf(text, size,
                                      "none visible in this run (explain --prove also "
                                      "simulates it without %s)",
                                      harm->untold);
        margins_words(harm, text + used, size - used);
        return;
    }
    const bool slowed = harm->victims > 0 || harm->lost_ps > 0;
    const char *between = slowed ? ", " : ": ";
    used += (size_t)snprintf(text, size, "%s", harm_severity_word(harm->severity));
    if (slowed)
        used += (size_t)snprintf(
            text + used, size - used, ": %" PRId64 " %s lost %s of I/O time%s", harm->victims,
            by_host ? plural(harm->victims, "host", "hosts")
                    : plural(harm->victims, "pair of hosts", "pairs of hosts"),
            words_time(harm->lost_ps).text, plural(harm->victims, "", " in total"));
    if (harm->failed_operations > 0) {
        used += (size_t)snprintf(text + used, size - used, "%s%s %s failed or never completed",
                                 between, words_count(harm->failed_operations).text,
                                 plural(harm->failed_operations, "operation", "operations"));
        between = ", ";
    }
    if (harm->lossless_drops > 0)
        snprintf(text + used, size - used, "%s%s %s of lossless classes dropped", between,
                 words_count(harm->lossless_drops).text,
                 plural(harm->lossless_drops, "frame", "frames"));
    else if (harm->drops > 0)
        snprintf(text + used, size - used, "%s%s %s dropped", between,
                 words_count(harm->drops).text, plural(harm->drops, "frame", "frames"));
}

const char *severity_standing(bool confirmed)
{
    return confirmed ? "confirmed by rerun" : "suspected";
}

const char *severity_of_time(int64_t hosts)
{
    return plural(hosts, "of its I/O time", "of their I/O time");
}
