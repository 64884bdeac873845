/* SPDX-License-Identifier: Apache-2.0
 * queued - the flows in the queue at its maximum length. */
#include "reports/explain/account.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "reports/text/json_members.h"

#include <inttypes.h>

enum { FLOWS_SHOWN = 16 };

void queued_text(const struct queued *queued, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sQueue at its worst moment%s\n", paint->bold, paint->off);
    if (queued->bytes == 0) {
        fputs("  no frame ever waited in a switch queue\n", out);
        return;
    }
    fprintf(out, "  %s priority %u at %s: %s in %" PRIu32 " %s of %" PRIu32 " flow%s\n",
            queued->port, queued->place.priority, words_time(queued->at).text,
            words_bytes((int64_t)queued->bytes).text, queued->frames,
            plural(queued->frames, "frame", "frames"), queued->flow_count,
            plural(queued->flow_count, "", "s"));
    for (uint32_t i = 0; i < queued->flow_count && i < FLOWS_SHOWN; i++) {
        const struct queued_flow *flow = &queued->flows[i];
        fprintf(out, "  %5s  %-16s %s -> %s, QP %" PRIu32 ": %s in %" PRIu32 " frame%s\n",
                words_percent((double)flow->bytes, (double)queued->bytes).text,
                flow->workload[0] == '\0' ? "(none)" : flow->workload, flow->from, flow->to,
                flow->qpn, words_bytes((int64_t)flow->bytes).text, flow->frames,
                plural(flow->frames, "", "s"));
    }
    if (queued->flow_count > FLOWS_SHOWN)
        fprintf(out, "  ... and %" PRIu32 " more (--json lists all)\n",
                queued->flow_count - FLOWS_SHOWN);
}

static void write_flow(struct json *json, const struct queued *queued, uint32_t i)
{
    static const char list[] = "queue.flows";
    const struct queued_flow *flow = &queued->flows[i];
    char at[JSON_PATH_BYTES];
    if (flow->workload[0] == '\0')
        json_null(json, json_member(at, list, i, "workload"));
    else
        json_text(json, json_member(at, list, i, "workload"), flow->workload);
    json_text(json, json_member(at, list, i, "from"), flow->from);
    json_text(json, json_member(at, list, i, "to"), flow->to);
    json_integer(json, json_member(at, list, i, "qpn"), flow->qpn);
    json_integer(json, json_member(at, list, i, "bytes"), (int64_t)flow->bytes);
    json_integer(json, json_member(at, list, i, "frames"), flow->frames);
    json_number(json, json_member(at, list, i, "share"),
                (double)flow->bytes / (double)queued->bytes);
}

void queued_json(const struct queued *queued, struct json *json)
{
    if (queued->bytes == 0) {
        json_null(json, "queue");
        return;
    }
    json_text(json, "queue.port", queued->port);
    json_integer(json, "queue.priority", queued->place.priority);
    json_integer(json, "queue.at_ps", queued->at);
    json_integer(json, "queue.bytes", (int64_t)queued->bytes);
    json_integer(json, "queue.frames", queued->frames);
    for (uint32_t i = 0; i < queued->flow_count; i++)
        write_flow(json, queued, i);
}
