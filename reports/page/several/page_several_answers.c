/* SPDX-License-Identifier: Apache-2.0
 * page_several_answers - what each input says, and what it lacks. */
#include "base/plural.h"
#include "reports/page/page_incident.h"
#include "reports/page/page_plan.h"
#include "reports/page/several/page_several_private.h"

#include <inttypes.h>

void several_answer(const struct page *page, const struct page_input *input)
{
    char text[PAGE_SENTENCE_BYTES] = "";
    if (input->kind == PAGE_INPUT_INCIDENT) {
        page_incident_verdict(page, &input->triage);
        return;
    }
    if (input->kind == PAGE_INPUT_PLAN) {
        page_plan_answer(input->store, text, sizeof text);
    } else {
        store_ask_text(input->store,
                       "SELECT scenario||': '||coalesce((SELECT 'harm '||value FROM result WHERE"
                       " path='harm.sentence'), status) FROM meta",
                       text, sizeof text);
    }
    page_text(page->out, text);
}

/* ------------------------------------------------------------------ what is missing */

/* A sentence if the query gives a number above 0. */
struct gap {
    const char *sql, *words;
};

static const struct gap run_gaps[] = {
    {"SELECT status<>'complete' FROM meta", "The run did not end."},
    {"SELECT record='summary' FROM meta",
     "Pauses, queues and rates over time: run with --record counters."},
    {"SELECT record='counters' FROM meta",
     "Single commands and their latencies: run with --record ios."},
    {"SELECT count(*)=0 FROM wait_total", "The time breakdown of commands: run with --waits."},
    {0}};

static const struct gap plan_gaps[] = {
    {"SELECT count(*) FROM candidate WHERE result='undecided'",
     "Some candidates are undecided: raise most-seeds, or tolerance."},
    {"SELECT count(*)=0 FROM assumed", "The effect of assumed values: run plan --assumed."},
    {"SELECT count(*)=0 FROM cliff",
     "How far the choice is from its limits: add cliff to the plan."},
    {"SELECT count(price)=0 FROM candidate", "Prices: add them to the plan."},
    {0}};

static bool write_gaps(const struct page *page, struct store *store, const struct gap *gaps)
{
    bool any = false;
    for (const struct gap *gap = gaps; gap->sql != NULL; gap++) {
        if (store_ask_int(store, gap->sql, 0) <= 0)
            continue;
        fprintf(page->out, "%s%s", any ? "<br>" : "", gap->words);
        any = true;
    }
    return any;
}

static void write_incident_gaps(const struct page *page, const struct page_input *input)
{
    const struct triage *triage = &input->triage;
    fputs("Runs of the suspects: incident --fit.", page->out);
    if (input->incident.scenario == NULL)
        fputs("<br>Cables: add LLDP neighbors or the configuration.", page->out);
    if (triage->unknown_count > 0)
        fprintf(page->out, "<br>Counters of %zu %s.", triage->unknown_count,
                plural(triage->unknown_count, "device", "devices"));
    if (triage->single)
        fputs("<br>A second sample of the counters.", page->out);
}

void several_missing(const struct page *page, const struct page_input *input)
{
    if (input->kind == PAGE_INPUT_INCIDENT)
        write_incident_gaps(page, input);
    else if (!write_gaps(page, input->store, input->kind == PAGE_INPUT_RUN ? run_gaps : plan_gaps))
        fputs("nothing", page->out);
}

/* ------------------------------------------------------------------ many runs */

void several_cell(const struct page *page, const char *label, const char *class, const char *text)
{
    struct page cell = *page;
    cell.label = label;
    page_begin_cell(&cell, class);
    fputs(">", page->out);
    page_text(page->out, text);
    fputs("</td>", page->out);
}

static void run_row(const struct page *page, const struct page_input *input)
{
    char text[PAGE_SENTENCE_BYTES];
    fputs("<tr>", page->out);
    several_cell(page, "run", "code", input->path);
    store_ask_text(input->store,
                   "SELECT 'seed '||seed||coalesce((SELECT '; '||group_concat(text, '; ') FROM"
                   " set_option), '') FROM meta",
                   text, sizeof text);
    several_cell(page, "changed", "code", text);
    for (const struct page_card *card = page_cards; card->label != NULL; card++) {
        int64_t value;
        struct words words;
        page_card_read(card, input->store, &value, &words);
        several_cell(page, card->label, "n", words.text);
    }
    fputs("</tr>\n", page->out);
}

void several_runs(const struct page *page, const struct page_several *several)
{
    page_section(page, "runs", "Runs",
                 "The key figures of all runs. The changes of two of them, and their charts over "
                 "time: stormglass report A.db B.db.");
    page_begin_table(page, "");
    fputs("><thead><tr><th>run</th><th>seed and --set</th>", page->out);
    for (const struct page_card *card = page_cards; card->label != NULL; card++)
        fprintf(page->out, "<th class=\"n\">%s</th>", card->label);
    fputs("</tr></thead><tbody>\n", page->out);
    for (size_t i = 0; i < several->count; i++)
        if (several->inputs[i].kind == PAGE_INPUT_RUN)
            run_row(page, &several->inputs[i]);
    fputs("</tbody></table></div>\n", page->out);
    page_section_end(page);
}
