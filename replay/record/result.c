/* SPDX-License-Identifier: Apache-2.0
 * result - names, values and their printed form. */
#include "replay/record/result.h"

#include "base/memory.h"
#include "replay/breakdown/breakdown.h"
#include "replay/record/result_private.h"

#include "base/check.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct total_row {
    const char *path;
    size_t offset;
};

static const struct total_row total_rows[] = {
#define TOTAL(member, path) {path, offsetof(struct result_totals, member)},
#include "scenarios/load/quantity.def"
};

#define RATIO_ONE INT64_C(1000000000000000) /* scale of QUANTITY_RATIO */

enum { TOTAL_ROWS = sizeof total_rows / sizeof total_rows[0] };

static const char *const type_names[] = {
    [RESULT_NULL] = "null", [RESULT_BOOLEAN] = "boolean", [RESULT_INTEGER] = "integer",
    [RESULT_REAL] = "real", [RESULT_TEXT] = "text",       [RESULT_EMPTY] = "empty",
};

const char *result_type_name(enum result_type type)
{
    return type_names[type];
}

static int64_t member_of(const void *base, size_t offset)
{
    int64_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static struct result_ratio whole(int64_t value)
{
    return (struct result_ratio){.numerator = value, .denominator = 1};
}

static const char amplification[] = "media.write_amplification";

bool result_total(const struct result *result, const char *path, struct result_ratio *value)
{
    if (strcmp(path, amplification) == 0) {
        const __int128 units = (__int128)result->media_units_programmed * RATIO_ONE;
        *value = (struct result_ratio){units, result->media_units_down};
        return true;
    }
    for (int i = 0; i < TOTAL_ROWS; i++) {
        if (strcmp(total_rows[i].path, path) != 0)
            continue;
        *value = whole(member_of(&result->totals, total_rows[i].offset));
        return true;
    }
    return false;
}

int result_compare(struct result_ratio value, int64_t with)
{
    CHECK(value.denominator > 0);
    const __int128 right = (__int128)with * value.denominator;
    return value.numerator < right ? -1 : value.numerator > right;
}

void result_put(const struct result_out *out, struct result_item item, const char *format, ...)
{
    char path[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    item.path = path;
    out->emit(out->self, &item);
}

static void put_parts(const struct result_out *out, const char *of, const __int128 *parts)
{
    for (int part = 0; part < BREAKDOWN_PARTS; part++)
        result_put(out, result_integer((int64_t)parts[part]), "%s.parts_ps.%s", of,
                   breakdown_part_key((enum breakdown_part)part));
}

/* The waits of the commands or messages of one kind. */
static void put_sum(const struct result_out *out, const struct breakdown_sum *sum, const char *of)
{
    __int128 parts[BREAKDOWN_PARTS] = {0};
    char path[96];
    for (int i = 0; i < BREAKDOWN_PHASES * BREAKDOWN_PARTS; i++)
        parts[i % BREAKDOWN_PARTS] += sum->ps[i / BREAKDOWN_PARTS][i % BREAKDOWN_PARTS];
    result_put(out, result_integer((int64_t)sum->count), "%s.count", of);
    result_put(out, result_integer((int64_t)sum->latency_ps), "%s.latency_ps", of);
    put_parts(out, of, parts);
    result_put(out, result_integer((int64_t)sum->slow_count), "%s.slowest.count", of);
    snprintf(path, sizeof path, "%s.slowest", of);
    put_parts(out, path, sum->slow_ps);
}

static void put_waits(const struct result_out *out, const struct result *result, uint32_t workload)
{
    char path[64];
    for (enum breakdown_operation i = 0; result->waits != NULL && i < BREAKDOWN_OPERATIONS; i++) {
        const struct breakdown_sum *sum = breakdown_of(result->waits, workload, i);
        if (sum == NULL)
            continue;
        snprintf(path, sizeof path, "workloads[%u].waits.%s", workload, breakdown_operation_key(i));
        put_sum(out, sum, path);
    }
}

static double rate_of(const struct result_workload *workload, double amount)
{
    return workload->window_ps <= 0 ? 0 : amount * (double)PS_PER_S / (double)workload->window_ps;
}

/* The value that binds, and the interval of the rates that follows from how well it is known. */
static void put_confidence(const struct result_out *out, const struct result *result,
                           uint32_t index)
{
    const struct result_workload *workload = &result->workloads[index];
    if (result->limits == NULL)
        return;
    const struct confidence *confidence = &result->limits[index].confidence;
    const double factor = 1 + (double)confidence->error / (double)PPM;
    const double iops = rate_of(workload, (double)workload->completed_window);
    const double bps = rate_of(workload, 8 * (double)workload->bytes_window);
    const bool known = confidence->error > 0 && iops > 0 && !workload->few;
    char sentence[CONFIDENCE_SENTENCE_BYTES];
    if (!confidence->binds)
        return;
    confidence_words(confidence, known ? iops : 0, sentence, sizeof sentence);
    const struct {
        const char *key;
        struct result_item item;
    } items[] = {
        {"path", result_text(confidence->path)},
        {"value", result_text(confidence->value)},
        {"evidence", result_text(confidence->evidence)},
        {"sources", result_integer(confidence->sources)},
        {"source", result_text(confidence->source)},
        {"error", result_known(confidence->error > 0, result_share(confidence->error))},
        {"iops_low", result_known(known, result_real(iops / factor))},
        {"iops_high", result_known(known, result_real(iops * factor))},
        {"goodput_low_bps", result_known(known, result_real(bps / factor))},
        {"goodput_high_bps", result_known(known, result_real(bps * factor))},
        {"sentence", result_text(sentence[0] == '\0' ? NULL : sentence)},
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        result_put(out, items[i].item, "workloads[%u].confidence.%s", index, items[i].key);
}

static void put_workload(const struct result_out *out, const struct result *result, uint32_t index)
{
    const struct result_workload *workload = &result->workloads[index];
    const bool rates = workload->no_rates[0] == '\0';
    result_put(out, result_text(workload->name), "workloads[%u].name", index);
    result_workload_put(out, workload, index);
    result_put(out, result_text(rates ? NULL : workload->no_rates), "workloads[%u].no_rates",
               index);
    result_put(out, result_text(workload->latency_note), "workloads[%u].latency_note", index);
    result_put(out, result_text(workload->victim), "workloads[%u].victim", index);
    result_put(out, result_integer(workload->held_ps), "workloads[%u].victim_held_ps", index);
    put_confidence(out, result, index);
    put_waits(out, result, index);
}

static void put_cause(const struct result_out *out, const struct result *result)
{
    const struct result_cause *cause = &result->cause;
    const bool known = result->root_cause[0] != '\0';
    result_put(out, result_known(known, result_text(result->root_cause)), "root_cause");
    result_put(out, result_known(known, result_boolean(cause->sure)), "root_cause_sure");
    result_put(out, result_known(known, result_text(cause->kind)), "root_cause_kind");
    result_put(out, result_known(known, result_text(cause->node)), "root_cause_node");
    result_put(out, result_known(known, result_text(cause->port)), "root_cause_port");
    result_put(out, result_known(known, result_integer(cause->causes)), "root_causes");
    result_put(out, result_known(known, result_share(cause->share_ppm)), "root_cause_share");
}

static void put_warnings(const struct result_out *out, const struct result *result)
{
    result_put_list(out, result->warnings.count, "warnings");
    for (uint32_t i = 0; i < result->warnings.count; i++) {
        const struct check_finding *warning = &result->warnings.findings[i];
        const struct remedy *remedy = &warning->remedy;
        result_put(out, result_text(warning->rule), "warnings[%u].rule", i);
        result_put(out, result_text(warning->text), "warnings[%u].text", i);
        result_put(out, result_text(remedy->text), "warnings[%u].remedy", i);
        result_put_list(out, remedy->set_count, "warnings[%u].set", i);
        for (size_t k = 0; k < remedy->set_count; k++)
            result_put(out, result_text(remedy->sets[k]), "warnings[%u].set[%zu]", i, k);
    }
}

static const char *word_of(const struct result_expectation *expectation)
{
    return expectation->unjudged ? "undecided" : expectation->held ? "pass" : "fail";
}

static void put_verdict(const struct result_out *out, const struct result *result)
{
    result_put_list(out, result->expectation_count, "expectations");
    for (uint32_t i = 0; i < result->expectation_count; i++) {
        const struct result_expectation *of = &result->expectations[i];
        result_put(out, result_text(of->text), "expectations[%u].text", i);
        result_put(out, result_boolean(of->held), "expectations[%u].held", i);
        result_put(out, result_text(word_of(of)), "expectations[%u].result", i);
        result_put(out, result_boolean(!of->unjudged), "expectations[%u].judged", i);
        result_put(out, result_text(of->actual), "expectations[%u].actual", i);
    }
    result_put_list(out, result->failure_count, "failures");
    for (uint32_t i = 0; i < result->failure_count; i++)
        result_put(out, result_text(result->failures[i]), "failures[%u]", i);
    put_warnings(out, result);
    result_put(out, result_text(result->limit.text), "bottleneck");
    result_put(out, result_text(bottleneck_word(result->limit.resource)), "bottleneck_kind");
    if (result->limit.account[0] != '\0')
        result_put(out, result_text(result->limit.account), "bottleneck_account");
    put_cause(out, result);
    result_harm_put(out, result);
}

/* Some keys are only printed if they apply. */
static bool is_told(const struct result *result, const char *path)
{
    const struct result_totals *totals = &result->totals;
    if (text_begins(path, "media."))
        return result->media_age;
    if (text_begins(path, "array."))
        return result->arrays;
    if (strcmp(path, "rnic.cq_overruns") == 0)
        return totals->rnic_cq_overruns > 0;
    if (text_begins(path, "tcp."))
        return totals->tcp_segments > 0;
    return !text_begins(path, "data.") ||
           totals->data_stale + totals->data_lost + totals->data_torn + totals->data_damaged > 0;
}

static void put_totals(const struct result_out *out, const struct result *result)
{
    for (int i = 0; i < TOTAL_ROWS; i++)
        if (is_told(result, total_rows[i].path))
            result_put(out, result_integer(member_of(&result->totals, total_rows[i].offset)), "%s",
                       total_rows[i].path);
    const double down = (double)result->media_units_down;
    if (result->media_age)
        result_put(out,
                   result_known(result->media_units_down > 0,
                                result_real((double)result->media_units_programmed / down)),
                   amplification);
}

void result_emit(const struct result *result, result_emit_fn *emit, void *self)
{
    const struct result_out out = {emit, self};
    char digest[DIGEST_TEXT_BYTES];
    digest_format(&result->digest, digest);
    result_put(&out, result_text(result->scenario), "scenario");
    result_put(&out, result_text(result->version), "version");
    result_put(&out, result_integer((int64_t)result->seed), "seed");
    result_put(&out, result_text(digest), "digest");
    result_put(&out, result_text(result->status), "status");
    result_put(&out, result_boolean(result->cut), "cut");
    result_put(&out, result_integer(result->threads), "threads");
    result_put(&out, result_text(result->marked_at), "ecn_marked_at");
    put_totals(&out, result);
    result_put_list(&out, result->workload_count, "workloads");
    for (uint32_t i = 0; i < result->workload_count; i++)
        put_workload(&out, result, i);
    put_verdict(&out, result);
}

void result_fail(struct result *result, const char *format, ...)
{
    if (result->failure_count == RESULT_FAILURES_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->failures[result->failure_count++], RESULT_SENTENCE_BYTES, format, arguments);
    va_end(arguments);
}

bool result_held(const struct result *result)
{
    for (uint32_t i = 0; i < result->expectation_count; i++)
        if (!result->expectations[i].held && !result->expectations[i].unjudged)
            return false;
    return result->failure_count == 0;
}

void result_keep_latencies(struct result *result)
{
    result->latencies = memory_zeroed(result->workload_count, sizeof *result->latencies);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        result->latencies[i] = *result->workloads[i].latency;
        result->workloads[i].latency = &result->latencies[i];
    }
}

void result_free(struct result *result)
{
    free(result->latencies);
    free(result->workloads);
    free(result->limits);
    free(result->expectations);
    check_free(&result->warnings);
    harm_free(&result->harm);
    *result = (struct result){0};
}
