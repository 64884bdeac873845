/* SPDX-License-Identifier: Apache-2.0
 * text_causes - the bottleneck, the harm, its causes, and the spread of pauses. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/harm/severity.h"

#include <inttypes.h>

enum { SPREAD_PORTS = 3, DELAYED_PPM = 1000 };

/* Transmitters that were stopped, by distance from the root, a few of each. In a cyclic dependency
 * a port has several distances and is shown at the smallest. */
static void write_spread(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store, "SELECT hops, p.name, count(*) OVER (PARTITION BY hops) AS ports, rank FROM"
                     " (SELECT *, row_number() OVER (PARTITION BY hops ORDER BY held_ps DESC, node,"
                     " port) AS rank FROM (SELECT node, port, min(hops) AS hops, held_ps"
                     " FROM pause_path WHERE root=0 GROUP BY node, port))"
                     " JOIN port p USING(node, port)"
                     " ORDER BY hops, rank");
    int64_t hops = 0;
    while (store_step(rows)) {
        const int64_t rank = store_int(rows, "rank");
        if (store_int(rows, "hops") > 1 && hops == 0)
            break; /* the root's own neighbor always comes first */
        if (hops == 0)
            fprintf(text->out, "%s%-16s%s", text->paint.bold, "Paused ports", text->paint.off);
        else if (store_int(rows, "hops") != hops)
            fputs("  <-  ", text->out);
        if (rank <= SPREAD_PORTS)
            fprintf(text->out, "%s%s", rank == 1 ? "" : ", ", store_text(rows, "name"));
        else if (rank == SPREAD_PORTS + 1)
            fprintf(text->out, " and %" PRId64 " more", store_int(rows, "ports") - SPREAD_PORTS);
        hops = store_int(rows, "hops");
    }
    fputs(hops == 0 ? "" : "\n", text->out);
    store_finish(rows);
}

/* The nearest class of a workload, over the first cause and all certain ones. The database has the
 * victims that lost most of each cause (HARM_VICTIMS), and their number. */
static void write_victims(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store,
        "SELECT w.name, min(class) AS nearest, count(DISTINCT node) AS hosts,"
        " max(lost_ppm) AS most_ppm, max(held_ps) AS longest_ps,"
        " max((SELECT value FROM result WHERE path='causes['||cause||'].victims_in_all')"
        " > (SELECT count(*) FROM victim o WHERE o.cause=v.cause)) AS cut"
        " FROM victim v JOIN workload w USING(workload) WHERE cause=0 OR"
        " (SELECT value FROM result WHERE path='causes['||cause||'].sure')=1"
        " GROUP BY v.workload ORDER BY 2, 4 DESC, v.workload LIMIT 6");
    for (int shown = 0; store_step(rows); shown++) {
        const int64_t hosts = store_int(rows, "hosts");
        fprintf(text->out, "%s%-16s%s'%s': %s", text->paint.bold, shown == 0 ? "Victims" : "",
                text->paint.off, store_text(rows, "name"),
                store_int(rows, "cut") != 0 ? "at least " : "");
        fprintf(text->out, "%" PRId64 " %s", hosts, plural(hosts, "host", "hosts"));
        const int64_t most_ppm = store_int(rows, "most_ppm");
        if (most_ppm >= DELAYED_PPM)
            fprintf(text->out, " lost %s%s of %s I/O time to delay", hosts > 1 ? "up to " : "",
                    words_percent((double)most_ppm, PPM).text, plural(hosts, "its", "their"));
        fprintf(text->out, " (%s)", severity_class_words(store_text(rows, "nearest"), hosts));
        if (store_int(rows, "longest_ps") > 0)
            fprintf(text->out, "; a port on %s %s for %s%s",
                    plural(hosts, "its path", "their paths"), text->flow->was,
                    hosts > 1 ? "up to " : "", words_time(store_int(rows, "longest_ps")).text);
        fputc('\n', text->out);
    }
    store_finish(rows);
}

/* The root cause is left out if a cause already has it as its evidence. */
static void write_sentence(const struct text *text, const char *words, const char *path)
{
    char sentence[640];
    struct store_statement *row = store_prepare(
        text->store, "SELECT value FROM result r WHERE path=? AND NOT (path='root_cause'"
                     " AND EXISTS (SELECT 1 FROM result c WHERE c.path GLOB 'causes*.sentence'"
                     " AND instr(c.value, r.value)>0))");
    store_bind(row, 1, STORE_T(path));
    snprintf(sentence, sizeof sentence, "%s", store_step(row) ? store_text(row, "value") : "");
    store_finish(row);
    if (sentence[0] != '\0')
        fprintf(text->out, "%s%-16s%s%s\n", text->paint.bold, words, text->paint.off, sentence);
}

/* The harm, and the first few causes. */
static void write_harm(const struct text *text)
{
    write_sentence(text, "Harm", "harm.sentence");
    struct store_statement *rows = store_prepare(
        text->store,
        "SELECT s.value AS sentence, p.value AS share, c.value=1 AS confirmed FROM result s"
        " JOIN result p ON p.path=replace(s.path, '.sentence', '.share')"
        " JOIN result y ON y.path=replace(s.path, '.sentence', '.sure')"
        " LEFT JOIN result c ON c.path=replace(s.path, '.sentence', '.confirmed')"
        " WHERE s.path GLOB 'causes*.sentence' AND (p.value>0.2 OR y.value=1)"
        " ORDER BY s.position LIMIT 4");
    for (int shown = 0; store_step(rows); shown++) {
        fprintf(text->out, "%s%-16s%s%s of the harm (%s): ", text->paint.bold,
                shown == 0 ? "Causes" : "", text->paint.off,
                words_percent(store_real(rows, "share"), 1).text,
                severity_standing(store_int(rows, "confirmed") == 1));
        severity_print(text->out, store_text(rows, "sentence"), 18);
    }
    store_finish(rows);
}

/* Intervals of workloads that a value of a card, host or drive limits. */
static void write_confidence(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store, "SELECT n.value AS name, s.value AS sentence FROM result s JOIN result n"
                     " ON n.path=replace(s.path, '.confidence.sentence', '.name')"
                     " WHERE s.path GLOB 'workloads*.confidence.sentence' AND s.value IS NOT NULL"
                     " ORDER BY s.position LIMIT 4");
    for (int shown = 0; store_step(rows); shown++)
        fprintf(text->out, "%s%-16s%s%s: %s\n", text->paint.bold, shown == 0 ? "Confidence" : "",
                text->paint.off, store_text(rows, "name"), store_text(rows, "sentence"));
    store_finish(rows);
}

/* The root of the pauses is then evidence: it may be where the load is that a cause makes harmful.
 */
static bool has_confirmed(const struct text *text)
{
    return store_ask_int(text->store,
                         "SELECT count(*) FROM result WHERE path GLOB 'causes*.confirmed'"
                         " AND value=1",
                         0) > 0;
}

void text_causes(const struct text *text)
{
    fputc('\n', text->out);
    write_sentence(text, "Bottleneck", "bottleneck");
    write_sentence(text, "I/O time", "bottleneck_account");
    write_confidence(text);
    write_harm(text);
    write_sentence(text, has_confirmed(text) ? text->flow->origin : "Root cause", "root_cause");
    write_spread(text);
    write_victims(text);
}
