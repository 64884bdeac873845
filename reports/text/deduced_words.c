/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text/deduced_words.h"

#include "base/plural.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void work_words(const struct reading *reading, char *text, size_t size)
{
    const struct reading_work *work = &reading->work;
    const int64_t qps = work->qps > 0 ? work->qps : 1;
    int used =
        snprintf(text, size, ": %" PRId64 " B %s", work->bytes, reading_verb_word(work->verb));
    if (reading->kind == READING_IO)
        used += snprintf(text + used, size - (size_t)used,
                         ", %" PRId64 " job%s, depth %" PRId64 ", %.0f IOPS", qps,
                         plural(qps, "", "s"), work->depth, reading->rate.value);
    if (reading->kind == READING_RATE)
        used += snprintf(text + used, size - (size_t)used, ", %" PRId64 " queue pair%s", qps,
                         plural(qps, "", "s"));
    if (work->cores > 1)
        used += snprintf(text + used, size - (size_t)used, ", %" PRId64 " %s", work->cores,
                         plural(work->cores, "core", "cores"));
    if (work->post_list > 1)
        used += snprintf(text + used, size - (size_t)used, ", lists of %" PRId64, work->post_list);
    snprintf(text + used, size - (size_t)used, "%s%s",
             work->both_ways ? ", bidirectional"
             : work->mixed   ? ", mixed with other work"
                             : "",
             reading->kind == READING_LATENCY ? ", latency" : "");
}

void deduced_file_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES])
{
    snprintf(text, DEDUCED_WORDS_BYTES, "%.120s", reading->where.file);
    for (char *at = text; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

bool deduced_is_first(const struct readings *readings, const struct reading *reading)
{
    const struct reading *other = readings->list;
    while (strcmp(other->where.file, reading->where.file) != 0)
        other++;
    return other == reading;
}

bool deduced_is_by(const struct deduced_parameter *parameter, const struct reading *reading)
{
    return parameter->from != NULL && strcmp(parameter->from->where.file, reading->where.file) == 0;
}

void deduced_reading_words(const struct reading *reading, char text[DEDUCED_WORDS_BYTES])
{
    deduced_file_words(reading, text);
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, DEDUCED_WORDS_BYTES - used, ":%d, %.20s",
                             reading->where.line, reading->tool);
    if (reading->kind != READING_SETTING && reading->kind != READING_NOTE)
        work_words(reading, text + used, DEDUCED_WORDS_BYTES - used);
}

void deduced_source_words(const struct deduced_parameter *parameter, char text[DEDUCED_WORDS_BYTES])
{
    text[0] = '\0';
    if (parameter->from != NULL)
        deduced_reading_words(parameter->from, text);
    const size_t used = strlen(text);
    if (parameter->how != NULL)
        snprintf(text + used, DEDUCED_WORDS_BYTES - used, "%s%.120s", used == 0 ? "" : "; ",
                 parameter->how);
}

void deduced_precision_words(const struct deduced_parameter *parameter,
                             char text[DEDUCED_WORDS_BYTES])
{
    const double value = (double)parameter->value;
    text[0] = '\0';
    if (parameter->state == DEDUCE_KNOWN && !parameter->measured)
        snprintf(text, DEDUCED_WORDS_BYTES, "exact");
    else if (parameter->state == DEDUCE_KNOWN && value > 0)
        snprintf(text, DEDUCED_WORDS_BYTES, "%.2g%%", fmax(0.01, 100 * parameter->spread / value));
}

double deduced_error(const struct deduced_figure *figure)
{
    return figure->modelled / figure->measured - 1;
}
