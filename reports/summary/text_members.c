/* SPDX-License-Identifier: Apache-2.0
 * text_members - one line for each workload with something to report. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "replay/database/words.h"

enum { ROWS_MAX = 8 };

/* below this index, some member got visibly less than others */
static const double alike = 0.9;

/* A value of run --json; 0 if it is null. */
static double value_of(struct store *store, int64_t workload, const char *path)
{
    char whole[96];
    snprintf(whole, sizeof whole, "workloads[%lld].%s", (long long)workload, path);
    struct store_statement *row = store_prepare(store, "SELECT value FROM result WHERE path=?");
    store_bind(row, 1, STORE_T(whole));
    const double value = store_step(row) ? store_real(row, "value") : 0;
    store_finish(row);
    return value;
}

static struct words time_at(struct store *store, int64_t workload, const char *path)
{
    return words_time(words_whole(value_of(store, workload, path) * PS_PER_NS));
}

static void write_flows(struct store *store, int64_t w, FILE *out)
{
    fprintf(out, "%s %s, FCT p50 %s p99 %s max %s",
            words_count(words_whole(value_of(store, w, "flows"))).text,
            plural(words_whole(value_of(store, w, "flows")), "flow", "flows"),
            time_at(store, w, "fct_ns.p50").text, time_at(store, w, "fct_ns.p99").text,
            time_at(store, w, "fct_ns.max").text);
    if (value_of(store, w, "slowdown.max") > 0)
        fprintf(out, "; slowdown p50 %.2f p99 %.2f max %.2f", value_of(store, w, "slowdown.p50"),
                value_of(store, w, "slowdown.p99"), value_of(store, w, "slowdown.max"));
}

/* For messages of drawn sizes, by pFabric's size classes. */
static void write_sizes(struct store *store, int64_t w, FILE *out)
{
    static const struct {
        const char *key, *words;
    } classes[] = {{"small", "up to 100 KB"}, {"medium", "up to 10 MB"}, {"large", "above 10 MB"}};
    char path[64];
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        snprintf(path, sizeof path, "by_size.%s.flows", classes[i].key);
        const double flows = value_of(store, w, path);
        if (flows == 0)
            continue;
        fprintf(out, "    %-16s  %s flow%s", classes[i].words, words_count(words_whole(flows)).text,
                plural(flows, "", "s"));
        snprintf(path, sizeof path, "by_size.%s.fct_ns.p50", classes[i].key);
        fprintf(out, ", FCT p50 %s", time_at(store, w, path).text);
        snprintf(path, sizeof path, "by_size.%s.fct_ns.p99", classes[i].key);
        fprintf(out, " p99 %s", time_at(store, w, path).text);
        snprintf(path, sizeof path, "by_size.%s.slowdown.p50", classes[i].key);
        fprintf(out, "; slowdown p50 %.2f", value_of(store, w, path));
        snprintf(path, sizeof path, "by_size.%s.slowdown.p99", classes[i].key);
        fprintf(out, " p99 %.2f\n", value_of(store, w, path));
    }
}

static void write_rates(struct store *store, int64_t w, const char *between, FILE *out)
{
    fprintf(out, "%sgoodput of a pair of hosts: %s to %s; Jain's fairness index %.3f", between,
            words_rate(value_of(store, w, "fairness.least_bps")).text,
            words_rate(value_of(store, w, "fairness.most_bps")).text,
            value_of(store, w, "fairness.jain"));
}

void text_members(const struct text *text)
{
    struct store_statement *rows =
        store_prepare(text->store, "SELECT workload, name FROM workload ORDER BY workload");
    int shown = 0;
    while (shown < ROWS_MAX && store_step(rows)) {
        const int64_t w = store_int(rows, "workload");
        const double jain = value_of(text->store, w, "fairness.jain");
        const bool flows = value_of(text->store, w, "flows") > 1;
        if (!flows && (jain <= 0 || jain >= alike))
            continue;
        if (shown++ == 0)
            fprintf(text->out, "\n%sFlows and fairness%s\n", text->paint.bold, text->paint.off);
        fprintf(text->out, "  %-18.18s  ", store_text(rows, "name"));
        if (flows)
            write_flows(text->store, w, text->out);
        if (jain > 0)
            write_rates(text->store, w, flows ? "; " : "", text->out);
        fputc('\n', text->out);
        write_sizes(text->store, w, text->out);
    }
    store_finish(rows);
}
