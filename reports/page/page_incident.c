/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/page_incident.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/incident/incident_answer.h"
#include "replay/incident/incident_fabric.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SUSPECTS_SHOWN = 3, COUNTERS_SHOWN = 400 };

static bool has_runs(const struct fit *fit)
{
    return fit != NULL && fit->count > 0 && *fit->why == '\0' && fit->hypotheses[0].ran;
}

/* ---- tables ---- */

/* Columns separated by '|'; a number's column begins with '#'. */
static void begin_table(const struct page *page, const char *heads)
{
    page_begin_table(page, "");
    fputs("><thead><tr>", page->out);
    for (const char *at = heads; *at != '\0';) {
        const bool number = *at == '#';
        const size_t length = strcspn(at += number, "|");
        fprintf(page->out, "<th%s>%.*s</th>", number ? " class=\"n\"" : "", (int)length, at);
        at += length + (at[length] == '|');
    }
    fputs("</tr></thead><tbody>\n", page->out);
}

static void end_table(const struct page *page)
{
    fputs("</tbody></table></div>\n", page->out);
}

static void text_cell(struct page *page, const char *label, const char *class, const char *text)
{
    page->label = label;
    page_begin_cell(page, class);
    fputs(">", page->out);
    page_text(page->out, text == NULL ? "-" : text);
    fputs("</td>", page->out);
}

static void count_cell(struct page *page, const char *label, int64_t count)
{
    text_cell(page, label, "n", words_count(count).text);
}

/* "leaf0 Ethernet0" */
static void put_end(const struct page *page, const char *device, const char *port)
{
    page_text(page->out, device == NULL ? "an unknown neighbor" : device);
    if (device != NULL && port != NULL && *port != '\0')
        page_put(page->out, " %s", port);
}

static void put_place(const struct page *page, const struct triage_suspect *suspect)
{
    put_end(page, suspect->device, suspect->port);
    if (suspect->peer != NULL) {
        fputs(" (cable to ", page->out);
        put_end(page, suspect->peer, suspect->peer_port);
        fputs(")", page->out);
    }
}

/* ---- the answer ---- */

void page_incident_verdict(const struct page *page, const struct triage *triage)
{
    fputs(triage_verdict_words(triage), page->out);
    if (triage_names_suspect(triage)) {
        put_place(page, &triage->suspects[0]);
        fprintf(page->out, ": %s", suspects_about[triage->suspects[0].kind].about);
    }
}

static void write_verdict(const struct page *page, const struct triage *triage)
{
    static const char *const classes[] = {[TRIAGE_NONE] = " good",
                                          [TRIAGE_OVERLOAD] = " mild",
                                          [TRIAGE_UNCLEAR] = " mild",
                                          [TRIAGE_FAULT] = " bad"};
    fprintf(page->out, "<p class=\"verdict%s\">", classes[triage->verdict]);
    page_incident_verdict(page, triage);
    fputs("</p>\n", page->out);
}

static void write_head(const struct page *page, const struct triage *triage,
                       const struct incident *incident)
{
    fputs("<header><h1>Incident</h1>\n<p class=\"facts\">", page->out);
    fprintf(page->out, "%zu %s, %zu %s with counters or messages", incident->file_count,
            plural(incident->file_count, "file", "files"), incident->host_count,
            plural(incident->host_count, "device", "devices"));
    if (triage->seconds > 0)
        page_put(page->out, "; samples from %s to %s (%" PRId64 " s)", triage->from, triage->to,
                 triage->seconds);
    fputs("</p>\n", page->out);
    write_verdict(page, triage);
    fputs("</header>\n", page->out);
    if (triage->single)
        fprintf(page->out, "<ul class=\"cautions\"><li>%s</li></ul>\n",
                triage_caution_words(triage));
}

static void write_confirmation(const struct page *page, const struct fit *fit,
                               const struct triage *triage)
{
    if (fit == NULL) {
        fputs("<p class=\"finding\"><b>Not simulated</b> The suspects are ranked by the counters "
              "alone; <code>incident --fit</code> runs them.</p>\n",
              page->out);
    } else if (!has_runs(fit)) {
        fputs("<p class=\"finding\"><b>Nothing was run</b> ", page->out);
        page_put(page->out, "%s</p>\n", fit->why);
    } else {
        char answer[FIT_ANSWER_BYTES];
        fit_answer(fit, triage, answer);
        fputs("<p class=\"finding\"><b>By simulation</b> ", page->out);
        page_text(page->out, answer);
        for (uint32_t i = 1; i <= fit->alike; i++)
            page_put(page->out, "%s%s", i == 1 ? "; equally good: " : ", ",
                     fit->hypotheses[i].words);
        fputs("</p>\n", page->out);
    }
}

/* ---- suspects ---- */

static void put_signs(const struct page *page, const struct triage_sign *signs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : "<br>", page->out);
        page_text(page->out, signs[i].text);
        if (signs[i].place.file != NULL) {
            fputs(" <code class=\"about\">", page->out);
            page_put(page->out, "%s:%d", signs[i].place.file, signs[i].place.line);
            fputs("</code>", page->out);
        }
    }
    fputs(count == 0 ? "-" : "", page->out);
}

static void sign_cell(struct page *page, const char *label, const struct triage_sign *signs,
                      size_t count)
{
    page->label = label;
    page_begin_cell(page, "long");
    fputs(">", page->out);
    put_signs(page, signs, count);
    fputs("</td>", page->out);
}

static void suspect_rows(const struct page *page, const struct triage *triage, size_t from,
                         size_t until)
{
    struct page cell = *page;
    begin_table(page, "#rank|suspect|#score|evidence for it|against it");
    for (size_t i = from; i < until; i++) {
        const struct triage_suspect *suspect = &triage->suspects[i];
        char score[32];
        fputs("<tr>", page->out);
        count_cell(&cell, "rank", (int64_t)i + 1);
        cell.label = "suspect";
        page_begin_cell(&cell, "long");
        fputs("><b>", page->out);
        put_place(page, suspect);
        fprintf(page->out, "</b>: %s</td>", suspects_about[suspect->kind].about);
        snprintf(score, sizeof score, "%.1f", suspect->score);
        text_cell(&cell, "score", "n", score);
        sign_cell(&cell, "for", suspect->signs, suspect->sign_count);
        sign_cell(&cell, "against", suspect->against, suspect->against_count);
        fputs("</tr>\n", page->out);
    }
    end_table(page);
}

static void write_suspects(const struct page *page, const struct triage *triage)
{
    const size_t count = triage->suspect_count;
    const size_t shown = count < SUSPECTS_SHOWN ? count : SUSPECTS_SHOWN;
    if (count == 0)
        return;
    page_section(page, "suspects", "Suspects",
                 "Ranked by the counters alone. Each sign is in the file and line next to it.");
    suspect_rows(page, triage, 0, shown);
    if (count > shown) {
        fprintf(page->out, "<details><summary>%zu weaker %s</summary>\n", count - shown,
                plural(count - shown, "suspect", "suspects"));
        suspect_rows(page, triage, shown, count);
        fputs("</details>\n", page->out);
    }
    page_section_end(page);
}

/* ---- fabric ---- */

static const struct page_counts layers[INCIDENT_LAYERS] = {
    [INCIDENT_PAUSES] = {"pause frames received", "Pause frames received"},
    [INCIDENT_DROPS] = {"frames lost", "Frames dropped, discarded or received with errors"}};

static void write_layer(const struct page *page, const struct incident *incident,
                        const struct incident_fabric *fabric, enum incident_layer layer)
{
    const struct page drawn = {.store = fabric->store,
                               .out = page->out,
                               .flow = flow_words_of_kinds(incident->scenario->kinds),
                               .span = fabric->most > 0 ? fabric->most : 1,
                               .counts = &layers[layer],
                               .side = 1};
    fprintf(page->out, "<div><h3>%s</h3>\n", layers[layer].about);
    page_topology_drawing(&drawn);
    page_topology_legend(&drawn);
    fputs("</div>\n", page->out);
}

/* A layer without counts is not drawn, except that pauses show the fabric. */
static void write_fabric(const struct page *page, const struct triage *triage,
                         const struct incident *incident)
{
    if (incident->scenario == NULL)
        return;
    page_section(page, "topology", "Topology",
                 "Color of a link and a switch: the larger count of its ports, relative to the "
                 "largest of the fabric. Hover over a link to see the counts of both ends.");
    struct incident_fabric fabrics[INCIDENT_LAYERS];
    incident_fabric_make(fabrics, triage, incident);
    fputs("<div class=\"two\">\n", page->out);
    for (enum incident_layer layer = 0; layer < INCIDENT_LAYERS; layer++)
        if (fabrics[layer].store != NULL && (layer == INCIDENT_PAUSES || fabrics[layer].most > 0))
            write_layer(page, incident, &fabrics[layer], layer);
    fputs("</div>\n", page->out);
    for (enum incident_layer layer = 0; layer < INCIDENT_LAYERS; layer++)
        if (fabrics[layer].most == 0)
            fprintf(page->out, "<p class=\"about\">%s: none counted, or not known.</p>\n",
                    layers[layer].about);
    incident_fabric_free(fabrics);
    page_section_end(page);
}

/* ---- pauses ---- */

static void write_pauses(const struct page *page, const struct triage *triage)
{
    struct page cell = *page;
    if (triage->pause_count == 0)
        return;
    page_section(page, "pauses", "Pauses",
                 "Who paused whom: the receiver of a pause stops, and pauses its own senders.");
    fputs("<ul class=\"stopped\">\n", page->out);
    for (size_t i = 0; i < triage->pause_count; i++) {
        const struct triage_pause *pause = &triage->pauses[i];
        fputs("<li><span class=\"port\">", page->out);
        put_end(&cell, pause->from, pause->from_port);
        fputs(" pauses ", page->out);
        put_end(&cell, pause->to, pause->to_port);
        fputs("</span>", page->out);
        page_bar(page, "h4", pause->frames, triage->pauses[0].frames);
        fprintf(page->out, "<span class=\"n\">%s</span></li>\n", words_count(pause->frames).text);
    }
    fputs("</ul>\n<p class=\"about\">Pause frames during the incident.</p>\n", page->out);
    page_section_end(page);
}

/* ---- runs ---- */

static void write_hypotheses(const struct page *page, const struct fit *fit)
{
    struct page cell = *page;
    page_section(page, "hypotheses", "Simulated suspects",
                 "Score of the best run of each; 0: all counters agree.");
    begin_table(page, "suspect|magnitude|#score");
    for (uint32_t i = 0; i < fit->count; i++) {
        const struct fit_hypothesis *one = &fit->hypotheses[i];
        char score[32];
        snprintf(score, sizeof score, "%.0f", one->score);
        fputs("<tr>", page->out);
        text_cell(&cell, "suspect", NULL, one->words);
        text_cell(&cell, "magnitude", NULL, *one->magnitude == '\0' ? "-" : one->magnitude);
        text_cell(&cell, "score", "n", one->ran ? score : "not run");
        fputs("</tr>\n", page->out);
    }
    end_table(page);
    page_section_end(page);
}

static void remedy_row(struct page *page, const struct fit *fit, const char *words, bool ran,
                       const int64_t values[3])
{
    char share[32] = "-";
    const double part = fit_traffic_share(fit, values[0]);
    if (ran && part >= 0)
        snprintf(share, sizeof share, "%.0f%%", part * 100);
    fputs("<tr>", page->out);
    text_cell(page, "remedy", NULL, words);
    text_cell(page, "traffic", "n", ran ? share : "could not be run");
    text_cell(page, "lossless drops", "n", ran ? words_count(values[1]).text : "-");
    text_cell(page, "pause time", "n", ran ? page_time(values[2]).text : "-");
    fputs("</tr>\n", page->out);
}

static void write_remedies(const struct page *page, const struct fit *fit)
{
    const struct fit_hypothesis *first = &fit->hypotheses[0];
    struct page cell = *page;
    if (fit->remedy_count == 0)
        return;
    page_section(page, "remedies", "Remedies",
                 "Each simulated alone: traffic of the other hosts, relative to a run without a "
                 "fault.");
    begin_table(page, "remedy|#traffic|#lossless drops|#pause time");
    remedy_row(&cell, fit, "none", true,
               (const int64_t[]){first->received, first->drops, first->paused_ps});
    for (uint32_t i = 0; i < fit->remedy_count; i++) {
        const struct fit_remedy *one = &fit->remedies[i];
        remedy_row(&cell, fit, one->words, one->ran,
                   (const int64_t[]){one->received, one->drops, one->paused_ps});
    }
    end_table(page);
    page_section_end(page);
}

static void counter_rows(const struct page *page, const struct incident *incident,
                         const struct fit *fit)
{
    struct page cell = *page;
    const int64_t *replay = fit->hypotheses[0].replay;
    size_t shown = 0, left = 0;
    begin_table(page, "device|port|counter|#incident|#simulated");
    for (size_t i = 0; i < incident->count_count; i++) {
        const struct incident_count *count = &incident->counts[i];
        if (replay[i] < 0 || (count->difference == 0 && replay[i] == 0))
            continue;
        if (shown == COUNTERS_SHOWN) {
            left++;
            continue;
        }
        shown++;
        fputs("<tr>", page->out);
        text_cell(&cell, "device", NULL, count->host);
        text_cell(&cell, "port", NULL, count->port);
        text_cell(&cell, "counter", "code", count->name);
        count_cell(&cell, "incident", count->difference);
        count_cell(&cell, "simulated", (int64_t)((double)replay[i] * fit_times_per_run(fit)));
        fputs("</tr>\n", page->out);
    }
    end_table(page);
    if (left > 0)
        fprintf(page->out, "<p class=\"about\">%zu more %s.</p>\n", left,
                plural(left, "counter is not shown", "counters are not shown"));
}

/* One run lasts milliseconds and represents minutes: its counters are multiplied. */
static void write_counters(const struct page *page, const struct incident *incident,
                           const struct fit *fit)
{
    struct page cell = *page;
    page_section(page, "counters", "Counters of the incident and of its simulation", NULL);
    if (fit->separator_count > 0) {
        fputs("<p class=\"about\">The counters that best distinguish the best suspect from the "
              "next one, scaled to the duration of a run.</p>\n",
              page->out);
        begin_table(page, "device|port|counter|#incident|#best suspect|#next suspect");
        for (uint32_t i = 0; i < fit->separator_count; i++) {
            const struct fit_separator *one = &fit->separators[i];
            fputs("<tr>", page->out);
            text_cell(&cell, "device", NULL, one->host);
            text_cell(&cell, "port", NULL, one->port);
            text_cell(&cell, "counter", "code", one->counter);
            count_cell(&cell, "incident", one->incident);
            count_cell(&cell, "best suspect", one->replay);
            count_cell(&cell, "next suspect", one->other);
            fputs("</tr>\n", page->out);
        }
        end_table(page);
    }
    fprintf(page->out,
            "<details><summary>All compared counters</summary>\n<p class=\"about\">%s of %s each "
            "represents %" PRId64 " s: its counters are multiplied by %.6g.</p>\n",
            "A run", words_time(fit->lasts).text, fit->incident_s, fit_times_per_run(fit));
    counter_rows(page, incident, fit);
    fputs("</details>\n", page->out);
    page_section_end(page);
}

/* ---- what was read ---- */

static void write_files(const struct page *page, const struct triage *triage,
                        const struct incident *incident)
{
    struct page cell = *page;
    page_section(page, "files", "What is known", NULL);
    if (incident->scenario == NULL)
        fputs("<p>No cables are known, so pauses and losses cannot be followed from device to "
              "device.</p>\n",
              page->out);
    else
        fprintf(page->out, "<p>%zu of %zu %s %s counters from both ends.</p>\n",
                triage->cables_known, triage->cables, plural(triage->cables, "cable", "cables"),
                plural(triage->cables_known, "has", "have"));
    for (size_t i = 0; i < triage->unknown_count; i++)
        page_put(page->out, "%s%s",
                 i == 0 ? "Devices without counters, so their state is unknown: " : ", ",
                 triage->unknown[i]);
    fprintf(page->out, "<details><summary>%zu %s</summary>\n", incident->file_count,
            plural(incident->file_count, "file", "files"));
    begin_table(page, "file|#counters|#cables|#log lines|not used");
    for (size_t i = 0; i < incident->file_count; i++) {
        const struct incident_file *file = &incident->files[i];
        fputs("<tr>", page->out);
        text_cell(&cell, "file", "code", file->name);
        count_cell(&cell, "counters", file->numbers);
        count_cell(&cell, "cables", file->cables);
        count_cell(&cell, "log lines", file->log_lines);
        text_cell(&cell, "not used", NULL, file->left_out);
        fputs("</tr>\n", page->out);
    }
    end_table(page);
    fputs("</details>\n", page->out);
    page_section_end(page);
}

void page_incident_sections(const struct page *page, const struct triage *triage,
                            const struct incident *incident, const struct fit *fit)
{
    write_head(page, triage, incident);
    write_confirmation(page, fit, triage);
    write_suspects(page, triage);
    write_fabric(page, triage, incident);
    if (has_runs(fit)) {
        write_hypotheses(page, fit);
        write_remedies(page, fit);
        write_counters(page, incident, fit);
    }
    write_pauses(page, triage);
    write_files(page, triage, incident);
}

void page_incident_write(const struct triage *triage, const struct incident *incident,
                         const struct fit *fit, FILE *out)
{
    char *links = NULL, *sections = NULL;
    size_t links_length = 0, length = 0;
    const struct page page = {.out = memory_stream(&sections, &length),
                              .contents = memory_stream(&links, &links_length),
                              .span = 1,
                              .stacks = true};
    page_incident_sections(&page, triage, incident, fit);
    memory_stream_end(page.out);
    memory_stream_end(page.contents);
    page_begin(out, "Incident");
    page_contents(out, links, links_length);
    fwrite(sections, 1, length, out);
    page_foot(out, "");
    fputs("</body>\n</html>\n", out);
    free(links);
    free(sections);
}
