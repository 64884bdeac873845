/* SPDX-License-Identifier: Apache-2.0
 * page_several - the table of inputs, and their sections. */
#include "reports/page/several/page_several.h"

#include "base/memory.h"
#include "base/plural.h"
#include "reports/page/page_incident.h"
#include "reports/page/page_layout.h"
#include "reports/page/page_plan.h"
#include "reports/page/pair/page_pair.h"
#include "reports/page/several/page_several_private.h"

#include <stdlib.h>
#include <string.h>

enum { PREFIX_BYTES = 32, TITLE_BYTES = 128 };

static const char *const one[PAGE_INPUT_KINDS] = {"run", "plan", "incident"},
                         *const many[PAGE_INPUT_KINDS] = {"runs", "plans", "incidents"};

static size_t count_of(const struct page_several *several, enum page_input_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < several->count; i++)
        count += several->inputs[i].kind == kind;
    return count;
}

/* "2 runs, 1 plan and 1 incident" */
static void put_title(const struct page_several *several, char title[TITLE_BYTES])
{
    size_t length = 0, left = 0;
    for (enum page_input_kind kind = 0; kind < PAGE_INPUT_KINDS; kind++)
        left += count_of(several, kind) > 0;
    title[0] = '\0';
    for (enum page_input_kind kind = 0; kind < PAGE_INPUT_KINDS; kind++) {
        const size_t count = count_of(several, kind);
        if (count == 0)
            continue;
        const char *before = length == 0 ? "" : left == 1 ? " and " : ", ";
        length += (size_t)snprintf(title + length, TITLE_BYTES - length, "%s%zu %s", before, count,
                                   plural(count, one[kind], many[kind]));
        left--;
    }
}

/* Two runs share one part. */
static void part_name(const struct page_several *several, size_t input, char name[PREFIX_BYTES])
{
    const enum page_input_kind kind = several->inputs[input].kind;
    size_t number = 1;
    for (size_t i = 0; i < input; i++)
        number += several->inputs[i].kind == kind;
    if (kind == PAGE_INPUT_RUN && several->diff != NULL)
        snprintf(name, PREFIX_BYTES, "runs");
    else
        snprintf(name, PREFIX_BYTES, "%s%zu", one[kind], number);
}

/* ------------------------------------------------------------------ inputs */

static void input_row(const struct page *page, const struct page_several *several, size_t i)
{
    const struct page_input *input = &several->inputs[i];
    struct page cell = *page;
    char part[PREFIX_BYTES];
    part_name(several, i, part);
    fputs("<tr>", page->out);
    cell.label = "file";
    page_begin_cell(&cell, "code");
    fprintf(page->out, "><a href=\"#%s\">", part);
    page_text(page->out, input->path);
    fputs("</a></td>", page->out);
    several_cell(page, "kind", NULL, one[input->kind]);
    cell.label = "answer";
    page_begin_cell(&cell, "long");
    fputs(">", page->out);
    several_answer(&cell, input);
    fputs("</td>", page->out);
    cell.label = "missing";
    page_begin_cell(&cell, "long");
    fputs(">", page->out);
    several_missing(&cell, input);
    fputs("</td></tr>\n", page->out);
}

static void write_inputs(const struct page *page, const struct page_several *several,
                         const char *title)
{
    fputs("<header><h1>", page->out);
    page_text(page->out, title);
    fputs("</h1></header>\n", page->out);
    page_section(page, "inputs", "Answers", NULL);
    page_begin_table(page, "");
    fputs("><thead><tr><th>file</th><th>kind</th><th>answer</th><th>missing</th></tr></thead>"
          "<tbody>\n",
          page->out);
    for (enum page_input_kind kind = 0; kind < PAGE_INPUT_KINDS; kind++)
        for (size_t i = 0; i < several->count; i++)
            if (several->inputs[i].kind == kind)
                input_row(page, several, i);
    fputs("</tbody></table></div>\n", page->out);
    page_section_end(page);
}

/* ------------------------------------------------------------------ parts */

/* The links to a part's sections precede it, and are known after it. */
static void write_part(const struct page *page, const char *name, const char *heading,
                       const char *links, const char *sections, size_t length)
{
    fprintf(page->contents, "<a href=\"#%s\">", name);
    page_text(page->contents, heading);
    fputs("</a>\n", page->contents);
    fprintf(page->out, "<article class=\"part\" id=\"%s\">\n<p class=\"brand\">", name);
    page_text(page->out, heading);
    fprintf(page->out, "</p>\n<nav>%s</nav>\n", links);
    fwrite(sections, 1, length, page->out);
    fputs("</article>\n", page->out);
}

static void write_input(const struct page *page, const struct page_several *several, size_t i)
{
    const struct page_input *input = &several->inputs[i];
    char name[PREFIX_BYTES], prefix[PREFIX_BYTES + 1], *links = NULL, *sections = NULL;
    size_t links_length = 0, length = 0;
    const bool charts = input->kind == PAGE_INPUT_RUN && count_of(several, PAGE_INPUT_RUN) == 1;
    part_name(several, i, name);
    snprintf(prefix, sizeof prefix, "%s-", name);
    struct page part = {.store = input->store,
                        .out = memory_stream(&sections, &length),
                        .contents = memory_stream(&links, &links_length),
                        .span = 1,
                        .stacks = input->kind != PAGE_INPUT_RUN,
                        .prefix = charts || several->diff != NULL ? NULL : prefix};
    if (input->kind == PAGE_INPUT_PLAN) {
        part.prefix = prefix;
        page_plan_sections(&part, false);
    } else if (input->kind == PAGE_INPUT_INCIDENT) {
        part.prefix = prefix;
        page_incident_sections(&part, &input->triage, &input->incident, NULL);
    } else {
        part.flow = flow_words(input->store);
        part.span = page_span(input->store);
        part.side = charts ? 0 : 1;
        page_run_sections(&part, (struct page_extra){0});
    }
    memory_stream_end(part.out);
    memory_stream_end(part.contents);
    write_part(page, name, input->path, links, sections, length);
    free(links);
    free(sections);
}

static void pair_of(const struct page_several *several, struct store *stores[2])
{
    for (size_t i = 0, side = 0; i < several->count && side < 2; i++)
        if (several->inputs[i].kind == PAGE_INPUT_RUN)
            stores[side++] = several->inputs[i].store;
}

static void write_pair(const struct page *page, const struct page_several *several)
{
    char *links = NULL, *sections = NULL;
    size_t links_length = 0, length = 0;
    FILE *out = memory_stream(&sections, &length), *contents = memory_stream(&links, &links_length);
    struct store *stores[2];
    pair_of(several, stores);
    page_pair_sections(stores, several->diff, out, contents);
    memory_stream_end(out);
    memory_stream_end(contents);
    write_part(page, "runs", "two runs", links, sections, length);
    free(links);
    free(sections);
}

static bool own_figures(const void *self, FILE *out)
{
    const struct page_several *several = self;
    struct store *stores[2] = {NULL, NULL};
    pair_of(several, stores);
    if (several->diff != NULL)
        return page_pair_figures(stores, out);
    if (stores[0] != NULL && stores[1] == NULL)
        return page_figures(stores[0], out);
    fputs("{\"charts\":[],\"faults\":[]}", out);
    return true;
}

bool page_several_write(const struct page_several *several, FILE *out)
{
    char *links = NULL, *sections = NULL, title[TITLE_BYTES];
    size_t links_length = 0, length = 0;
    const struct page page = {.out = memory_stream(&sections, &length),
                              .contents = memory_stream(&links, &links_length),
                              .span = 1,
                              .stacks = true};
    put_title(several, title);
    write_inputs(&page, several, title);
    if (several->diff != NULL)
        write_pair(&page, several);
    else if (count_of(several, PAGE_INPUT_RUN) > 2)
        several_runs(&page, several);
    for (enum page_input_kind kind = 0; kind < PAGE_INPUT_KINDS; kind++)
        for (size_t i = 0; i < several->count; i++)
            if (several->inputs[i].kind == kind &&
                (kind != PAGE_INPUT_RUN || several->diff == NULL))
                write_input(&page, several, i);
    memory_stream_end(page.out);
    memory_stream_end(page.contents);
    page_begin(out, title);
    page_contents(out, links, links_length);
    fwrite(sections, 1, length, out);
    free(links);
    free(sections);
    bool well = page_end(out, own_figures, several);
    for (size_t i = 0; i < several->count; i++)
        well = well &&
               (several->inputs[i].store == NULL || store_error(several->inputs[i].store) == NULL);
    return well;
}
