/* SPDX-License-Identifier: Apache-2.0
 * severity - rates the harm and describes it. */
#include "replay/harm/severity.h"

#include "base/plural.h"
#include "replay/database/flow_words.h"
#include "replay/database/words.h"
#include "replay/harm/margins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SEVERE = PPM / 4, MODERATE = PPM / 20 };

enum harm_severity severity_of(const struct harm *harm, const struct severity_loss *loss,
                               enum harm_severity least)
{
    if (harm->failed_operations > 0 || loss->inactive || loss->of_all >= SEVERE)
        return HARM_SEVERE;
    if (harm->lossless_drops > 0 || loss->of_all >= MODERATE || loss->of_one >= SEVERE)
        return HARM_MODERATE;
    return least;
}

/* ": 16 hosts lost 73.8 ms of I/O time to delay (summed over the hosts)": the words of the victims
 * use the same term. */
static size_t slowed_words(const struct harm *harm, char *text, size_t size)
{
    const bool by_host = harm->cause_count > 0 && harm->causes[0].confirmed;
    const struct words lost = words_time(harm->lost_ps);
    if (harm->victims <= 0)
        return (size_t)snprintf(text, size, ": %s of I/O time lost to delay", lost.text);
    const char *victims = by_host ? plural(harm->victims, "host", "hosts")
                                  : plural(harm->victims, "pair of hosts", "pairs of hosts");
    const char *sum = by_host ? plural(harm->victims, "", " (summed over the hosts)")
                              : plural(harm->victims, "", " (summed over the pairs)");
    return (size_t)snprintf(text, size, ": %" PRId64 " %s lost %s of I/O time to delay%s",
                            harm->victims, victims, lost.text, sum);
}

void severity_words(struct harm *harm)
{
    char *text = harm->sentence;
    const size_t size = sizeof harm->sentence;
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
    const bool slowed = harm->lost_ps > 0;
    const char *between = slowed ? ", " : ": ";
    used += (size_t)snprintf(text, size, "%s", harm_severity_word(harm->severity));
    if (slowed)
        used += slowed_words(harm, text + used, size - used);
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
        snprintf(text + used, size - used, "%s%s dropped", between,
                 flow_words_dropped(harm->flow, harm->drops, harm->control_drops).text);
}

const char *severity_standing(bool confirmed)
{
    return confirmed ? "confirmed by rerun" : "suspected";
}

void severity_print(FILE *out, const char *sentence, int indent)
{
    int depth = 0;
    for (const char *at = sentence; *at != '\0'; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth > 0 || strncmp(at, "; ", 2) != 0)
            fputc(*at, out);
        else
            fprintf(out, "\n%*s", indent - 1, ""); /* the space follows */
    }
    fputc('\n', out);
}

const char *severity_class_words(const char *class, int64_t hosts)
{
    static const struct {
        const char *class, *one, *many;
    } words[] = {
        {"direct", "the cause is on its path", "the cause is on their paths"},
        {"indirect", "the cause is not on its path, but on a path of the host's other I/O",
         "the cause is not on their paths, but on paths of the hosts' other I/O"},
        {"same-path", "its path shares ports with delayed traffic",
         "their paths share ports with delayed traffic"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].class, class) == 0)
            return plural(hosts, words[i].one, words[i].many);
    return class;
}
