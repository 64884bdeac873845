/* SPDX-License-Identifier: Apache-2.0
 * seeds_text - three lines per workload: mean with its interval, worst value, and its seed. */
#include "reports/summary/seeds_text.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "reports/text/paint.h"

enum { COLUMN = 22, SHOWN = 20 };

static const struct {
    enum seeds_figure figure;
    const char *head;
    enum { COUNT, RATE, TIME } kind;
} columns[] = {
    {SEEDS_IOPS, "IOPS", COUNT},          {SEEDS_GOODPUT, "goodput", RATE},
    {SEEDS_LATENCY_MEAN, "mean", TIME},   {SEEDS_LATENCY_P99, "p99", TIME},
    {SEEDS_LATENCY_P99_9, "p99.9", TIME},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static struct words value_words(int column, double value)
{
    switch (columns[column].kind) {
    case COUNT:
        return words_short(value);
    case RATE:
        return words_rate(value);
    case TIME:
        break;
    }
    return words_time(words_whole(value * PS_PER_NS));
}

static void write_workload(const struct seeds *seeds, uint32_t workload, FILE *out)
{
    struct seeds_summary summaries[COLUMNS];
    fprintf(out, "  %-18.18s", seeds->scenario->workloads[workload].name);
    for (int i = 0; i < COLUMNS; i++) {
        char text[80];
        summaries[i] = seeds_summarise(seeds, workload, columns[i].figure);
        snprintf(text, sizeof text, "%s +- %s", value_words(i, summaries[i].mean).text,
                 words_percent(summaries[i].half, summaries[i].mean).text);
        fprintf(out, "%*s", COLUMN, text);
    }
    fprintf(out, "\n  %18s", "worst");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%*s", COLUMN, value_words(i, summaries[i].worst).text);
    fprintf(out, "\n  %18s", "with seed");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%*llu", COLUMN, (unsigned long long)summaries[i].worst_seed);
    fputc('\n', out);
}

/* "  3 of 20 failed: seeds 4, 9, 11" */
static void write_verdict(const struct seeds *seeds, const struct paint *paint, FILE *out)
{
    static const char *const words[] = {"could not be run", "failed"};
    for (int kind = 0; kind < 2; kind++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < seeds->count; i++) {
            const struct seeds_run *run = &seeds->runs[i];
            if (kind == 0 ? run->played : !run->played || run->held)
                continue;
            if (found == 0)
                fprintf(out, "%s%s", paint->bad,
                        kind == 0 ? "\nNot run: seeds " : "\nFAILED with seeds ");
            if (found < SHOWN)
                fprintf(out, "%s%llu", found == 0 ? "" : ", ", (unsigned long long)run->seed);
            found++;
        }
        if (found > 0)
            fprintf(out, "%s: %u of %u %s%s\n", found > SHOWN ? ", ..." : "", (unsigned)found,
                    (unsigned)seeds->count, words[kind], paint->off);
    }
}

bool seeds_text(const struct seeds *seeds, FILE *out)
{
    const struct paint paint = paint_for(out);
    fprintf(
        out,
        "%s%s%s  %u %s from %llu on, %u in parallel; +- is half of the 95%% confidence interval\n",
        paint.bold, seeds->scenario->name, paint.off, (unsigned)seeds->count,
        plural(seeds->count, "seed", "seeds"), (unsigned long long)seeds->scenario->seed,
        (unsigned)seeds->jobs);
    fprintf(out, "\n%s%-20s", paint.bold, "Workloads");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%*s", COLUMN, columns[i].head);
    fprintf(out, "%s\n", paint.off);
    for (uint32_t i = 0; i < seeds->scenario->workload_count; i++)
        write_workload(seeds, i, out);
    write_verdict(seeds, &paint, out);
    return ferror(out) == 0;
}
