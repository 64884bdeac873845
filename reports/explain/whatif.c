/* SPDX-License-Identifier: Apache-2.0
 * whatif - rows of gains. */
#include "reports/explain/account.h"

#include "base/plural.h"
#include "reports/text/json_members.h"

#include <inttypes.h>
#include <math.h>

static const char *what(const struct whatif *whatif)
{
    return whatif->open ? "mean latency" : "goodput";
}

/* "+9.1%"; "no gain" for insignificant gains. */
static const char *percent(const struct whatif_gain *gain, char text[32])
{
    if (!gain->some && fabs(gain->mean) < 0.01)
        return "no gain";
    snprintf(text, 32, "%+.1f%%", gain->mean * 100);
    return text;
}

/* The row gains something, in total or for one workload. */
static bool has_gain(const struct whatif *whatif, const struct whatif_row *row)
{
    bool some = row->gain.some;
    for (uint32_t i = 0; i < whatif->workload_count; i++)
        some |= row->workloads[i].some;
    return some;
}

static void write_row(const struct whatif *whatif, const struct whatif_row *row, FILE *out)
{
    char text[32], name[64];
    const bool pair = row->other != BOTTLENECK_RESOURCES;
    snprintf(name, sizeof name, "%s%s%s", bottleneck_label(row->resource), pair ? " and " : "",
             pair ? bottleneck_label(row->other) : "");
    fprintf(out, "  %-20s %8s", name, percent(&row->gain, text));
    if (row->gain.error > 0)
        fprintf(out, " (+-%.1f%%)", row->gain.error * 100);
    else if (row->seeds < whatif->seeds)
        fputs(" (one seed)", out);
    if (row->played_limitless)
        fprintf(out, ", if unlimited %s", percent(&row->without_limit, text));
    const bool told = has_gain(whatif, row);
    for (uint32_t i = 0; told && whatif->workload_count > 1 && i < whatif->workload_count; i++)
        fprintf(out, "%s%s %s", i == 0 ? "; by workload: " : ", ", whatif->workloads[i],
                percent(&row->workloads[i], text));
    fprintf(out, "\n");
    if (told && row->words[0] != '\0')
        fprintf(out, "                       %s\n", row->words);
}

static bool any_gains(const struct whatif *whatif)
{
    for (uint32_t i = 0; i < whatif->row_count; i++)
        if (whatif->rows[i].gain.some)
            return true;
    return false;
}

void whatif_text(const struct whatif *whatif, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sWhat if%s\n", paint->bold, paint->off);
    fprintf(out,
            "  change of %s if one resource had 10%% more capacity (%" PRIu32
            " %s with up to %" PRIu32 " %s)\n",
            what(whatif), whatif->runs, plural(whatif->runs, "run", "runs"), whatif->seeds,
            plural(whatif->seeds, "seed", "seeds"));
    for (uint32_t i = 0; i < whatif->row_count; i++)
        write_row(whatif, &whatif->rows[i], out);
    if (!any_gains(whatif))
        fprintf(out, "  no resource gains anything: the offered load is the limit\n");
    if (whatif->next[0] != '\0')
        fprintf(out, "  next bottleneck      %s\n", whatif->next);
    for (uint32_t i = 0; i < whatif->need_count; i++) {
        const struct whatif_need *need = &whatif->needs[i];
        if (need->resource == BOTTLENECK_RESOURCES)
            fprintf(out, "  expectation %s: no single resource makes it pass\n", need->text);
        else
            fprintf(out, "  expectation %s: passes with %.2f times the %s capacity (%s)\n",
                    need->text, (double)need->permille / 1000, bottleneck_word(need->resource),
                    need->words);
    }
}

static void json_gain(struct json *json, const char *at, const char *name,
                      const struct whatif_gain *gain)
{
    char path[JSON_PATH_BYTES];
    snprintf(path, sizeof path, "%s.%s.mean", at, name);
    json_number(json, path, gain->mean);
    snprintf(path, sizeof path, "%s.%s.error", at, name);
    json_number(json, path, gain->error);
    snprintf(path, sizeof path, "%s.%s.counts", at, name);
    json_boolean(json, path, gain->some);
}

static void json_row(const struct whatif *whatif, uint32_t i, struct json *json)
{
    const struct whatif_row *row = &whatif->rows[i];
    char at[JSON_PATH_BYTES], path[JSON_PATH_BYTES];
    json_text(json, json_member(at, "what_if.reliefs", i, "resource"),
              bottleneck_word(row->resource));
    if (row->other != BOTTLENECK_RESOURCES)
        json_text(json, json_member(at, "what_if.reliefs", i, "with"), bottleneck_word(row->other));
    json_text(json, json_member(at, "what_if.reliefs", i, "settings"), row->words);
    snprintf(at, sizeof at, "what_if.reliefs[%u]", i);
    json_gain(json, at, "gain", &row->gain);
    if (row->played_limitless)
        json_gain(json, at, "without_limit", &row->without_limit);
    for (uint32_t k = 0; k < whatif->workload_count; k++) {
        snprintf(at, sizeof at, "what_if.reliefs[%u].workloads[%u]", i, k);
        snprintf(path, sizeof path, "%.100s.name", at);
        json_text(json, path, whatif->workloads[k]);
        json_gain(json, at, "gain", &row->workloads[k]);
    }
}

void whatif_json(const struct whatif *whatif, struct json *json)
{
    char at[JSON_PATH_BYTES];
    json_text(json, "what_if.of", whatif->open ? "latency_ns.mean" : "goodput_bps");
    json_integer(json, "what_if.seeds", whatif->seeds);
    json_integer(json, "what_if.runs", whatif->runs);
    json_text(json, "what_if.bottleneck", whatif->judged);
    json_text(json, "what_if.limit",
              any_gains(whatif) ? bottleneck_word(whatif->rows[0].resource)
                                : bottleneck_word(BOTTLENECK_ASKED));
    if (whatif->next[0] != '\0')
        json_text(json, "what_if.next", whatif->next);
    else
        json_null(json, "what_if.next");
    if (whatif->row_count == 0)
        json_empty(json, "what_if.reliefs");
    for (uint32_t i = 0; i < whatif->row_count; i++)
        json_row(whatif, i, json);
    if (whatif->need_count == 0)
        json_empty(json, "what_if.expectations");
    for (uint32_t i = 0; i < whatif->need_count; i++) {
        const struct whatif_need *need = &whatif->needs[i];
        const bool found = need->resource != BOTTLENECK_RESOURCES;
        json_text(json, json_member(at, "what_if.expectations", i, "text"), need->text);
        if (!found) {
            json_null(json, json_member(at, "what_if.expectations", i, "resource"));
            continue;
        }
        json_text(json, json_member(at, "what_if.expectations", i, "resource"),
                  bottleneck_word(need->resource));
        json_number(json, json_member(at, "what_if.expectations", i, "times"),
                    (double)need->permille / 1000);
        json_text(json, json_member(at, "what_if.expectations", i, "settings"), need->words);
    }
}
