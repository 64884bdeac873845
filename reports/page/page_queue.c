/* SPDX-License-Identifier: Apache-2.0
 * page_queue - the flows in the congested queue at its maximum length. */
#include "reports/page/page_layout.h"

#include "base/plural.h"

#include <inttypes.h>

enum { FLOWS_SHOWN = 40 };

static void cell(const struct page *page, const char *class, const char *text)
{
    fprintf(page->out, "<td%s>", class);
    page_text(page->out, text);
    fputs("</td>", page->out);
}

static void write_flow(const struct page *page, const struct queued *queued,
                       const struct queued_flow *flow)
{
    static const char number[] = " class=\"n\"";
    char text[64];
    fputs("<tr>", page->out);
    cell(page, number, words_percent((double)flow->bytes, (double)queued->bytes).text);
    cell(page, "", flow->workload);
    cell(page, "", flow->from);
    cell(page, "", flow->to);
    snprintf(text, sizeof text, "%" PRIu32, flow->qpn);
    cell(page, number, text);
    snprintf(text, sizeof text, " class=\"n\" title=\"%" PRIu64 " %s\"", flow->bytes,
             plural(flow->bytes, "byte", "bytes"));
    cell(page, text, words_bytes((int64_t)flow->bytes).text);
    snprintf(text, sizeof text, "%" PRIu32, flow->frames);
    cell(page, number, text);
    fputs("</tr>\n", page->out);
}

static void write_flows(const struct page *page, const struct queued *queued)
{
    fputs("<p>", page->out);
    page_put(page->out, "%s priority %u at %s: %s in %" PRIu32 " %s", queued->port,
             queued->place.priority, words_time(queued->at).text,
             words_bytes((int64_t)queued->bytes).text, queued->frames,
             plural(queued->frames, "frame", "frames"));
    fputs("</p>\n<div class=\"wide\"><table><thead><tr><th class=\"n\">share</th>"
          "<th>workload</th><th>from</th><th>to</th><th class=\"n\">QP</th>"
          "<th class=\"n\">bytes</th><th class=\"n\">frames</th></tr></thead><tbody>\n",
          page->out);
    for (uint32_t i = 0; i < queued->flow_count && i < FLOWS_SHOWN; i++)
        write_flow(page, queued, &queued->flows[i]);
    fputs("</tbody></table></div>\n", page->out);
    if (queued->flow_count > FLOWS_SHOWN)
        fprintf(page->out, "<p>... and %" PRIu32 " more</p>\n", queued->flow_count - FLOWS_SHOWN);
}

void page_queue(const struct page *page, const struct queued *queued)
{
    if (queued == NULL)
        return;
    page_section(page, "queue", "Queue at its worst moment",
                 "The run is repeated up to the moment at which the congested queue was longest.");
    if (queued->bytes == 0)
        fputs("<p>No frame ever waited in a switch queue.</p>\n", page->out);
    else
        write_flows(page, queued);
    page_section_end(page);
}
