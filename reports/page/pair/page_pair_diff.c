/* SPDX-License-Identifier: Apache-2.0
 * page_pair_diff - the differences found by diff, as sections of a page. */
#include "base/plural.h"
#include "reports/page/pair/page_pair_private.h"
#include "reports/text/diff_text.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS_MAX = 40 };

static void value(const struct pair *pair, const char *class, const struct diff_row *row, int side)
{
    FILE *out = pair->pages[0].out;
    const char *text = row->texts[side] == NULL ? "-" : row->texts[side];
    fprintf(out, "<td class=\"%s\" title=\"", class);
    page_put(out, "%s %s", text, row->unit);
    fputs("\">", out);
    struct words words;
    page_text(out, diff_side_text(row, side, &words));
    fputs("</td>", out);
}

/* A setting that one run does not have was only set in the other. */
static void set_by(const struct pair *pair, const struct diff_row *row)
{
    const char *a = row->where[0], *b = row->where[1];
    const bool one = a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0;
    page_put(pair->pages[0].out, one ? "%s%s" : "%s | %s", one && a[0] == '\0' ? b : a,
             one ? "" : b);
}

/* Settings show what set them, figures by how much they changed. */
static void rows(const struct pair *pair, enum diff_section_kind kind)
{
    const struct diff_section *section = &pair->diff->sections[kind];
    const bool settings = kind == DIFF_SETTINGS;
    const char *class = settings ? "code" : kind == DIFF_VERDICT ? "long" : "n";
    const char *last = settings ? "set by" : kind == DIFF_VERDICT ? "" : "change";
    FILE *out = pair->pages[0].out;
    fprintf(out,
            "<div class=\"wide\"><table><thead><tr><th></th><th class=\"%s\">A</th>"
            "<th class=\"%s\">B</th><th class=\"%s\">%s</th></tr></thead><tbody>\n",
            class, class, settings ? "" : "n", last);
    for (size_t i = 0; i < section->count && i < ROWS_MAX; i++) {
        const struct diff_row *row = &section->rows[i];
        fputs(settings ? "<tr><td class=\"code\">" : "<tr><td>", out);
        page_text(out, row->what);
        fputs("</td>", out);
        value(pair, class, row, 0);
        value(pair, class, row, 1);
        fputs(settings ? "<td>" : "<td class=\"n\">", out);
        if (settings)
            set_by(pair, row);
        else if (row->number)
            page_text(out, diff_change_words(row->values[0], row->values[1]).text);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (section->count > ROWS_MAX)
        fprintf(out, "<p class=\"about\">... and %zu more: stormglass diff --all A.db B.db</p>\n",
                section->count - ROWS_MAX);
}

void pair_settings(const struct pair *pair)
{
    FILE *out = pair->pages[0].out;
    page_fold(pair->pages, "settings", "Changed settings",
              "Settings that differ; all others are equal.");
    if (pair->diff->sections[DIFF_SETTINGS].count == 0)
        fputs("<p>No setting differs.</p>\n", out);
    else
        rows(pair, DIFF_SETTINGS);
    page_fold_end(pair->pages);
}

/* ------------------------------------------------------------------ events */

static void event(const struct pair *pair, int side, const struct eventlog_reported *reported)
{
    FILE *out = pair->pages[0].out;
    fputs("<tr><td>", out);
    if (side < 0)
        fputs("both", out);
    else
        pair_mark(pair, side);
    fprintf(out, "</td><td class=\"n\" title=\"%" PRId64 " ps\">%.6f us</td><td>", reported->at,
            (double)reported->at / PS_PER_US);
    page_text(out, reported->port);
    fputs("</td><td class=\"code\">", out);
    page_text(out, reported->what);
    fputs("</td></tr>\n", out);
}

static void parting(const struct pair *pair)
{
    const struct lockstep *lockstep = &pair->diff->lockstep;
    FILE *out = pair->pages[0].out;
    fputs("<p class=\"finding\"><b>Divergence</b> ", out);
    page_put(
        out, "at %.6f us in %s: %s; the %" PRIu64 " %s before it are equal",
        (double)lockstep->at / PS_PER_US, lockstep->node, lockstep->how,
        lockstep->events[lockstep->events[1] < lockstep->events[0]],
        plural(lockstep->events[lockstep->events[1] < lockstep->events[0]], "event", "events"));
    fputs("</p>\n<div class=\"wide\"><table><tbody>\n", out);
    for (uint32_t i = 0; i < lockstep->same_count; i++)
        event(pair, -1, &lockstep->same[i]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < lockstep->counts[side]; i++)
            event(pair, side, &lockstep->next[side][i]);
    fputs("</tbody></table></div>\n", out);
}

void pair_events(const struct pair *pair)
{
    const struct diff *diff = pair->diff;
    FILE *out = pair->pages[0].out;
    page_fold(pair->pages, "events", "First difference",
              "Both runs replayed side by side, up to the first event that differs.");
    if (diff->events == DIFF_EVENTS_PARTED)
        parting(pair);
    else if (diff->events == DIFF_EVENTS_UNKNOWN)
        page_put(out, "Not compared: %s.", diff->why);
    else if (strcmp(diff->digests[0], diff->digests[1]) == 0)
        fputs("<p>None: the digests are equal.</p>\n", out);
    else
        fputs("<p>This version replays both runs with equal events, but the recorded digests "
              "differ.</p>\n",
              out);
    page_fold_end(pair->pages);
}

/* ------------------------------------------------------------------ other sections */

void pair_all(const struct pair *pair)
{
    FILE *out = pair->pages[0].out;
    page_fold(pair->pages, "all", "All differences",
              "Most important first: losses, then waiting, then traffic.");
    for (int kind = DIFF_FABRIC; kind < DIFF_SECTION_COUNT; kind++) {
        const struct diff_section *section = &pair->diff->sections[kind];
        fprintf(out, "<details%s><summary>%s: %zu %s, %zu equal</summary>\n",
                kind == DIFF_VERDICT && section->count > 0 ? " open" : "",
                diff_section_heading((enum diff_section_kind)kind), section->count,
                plural(section->count, "differs", "differ"), section->equal);
        if (section->count > 0)
            rows(pair, (enum diff_section_kind)kind);
        fputs("</details>\n", out);
    }
    page_fold_end(pair->pages);
}
