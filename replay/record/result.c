/* SPDX-License-Identifier: Apache-2.0
 * result - names, values and their printed form. */
#include "replay/record/result.h"

#include "base/memory.h"
#include "replay/breakdown/breakdown.h"
#include "replay/record/result_harm.h"
#include "replay/record/result_workload.h"

#include "base/check.h"

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

bool result_of_workload(const struct result_workload *workload, const char *path,
                        struct result_ratio *value)
{
    return result_workload_value(workload, path, value);
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

static void emit_text(result_emit_fn *emit, void *self, const char *path, const char *text)
{
    emit(self, &(struct result_item){.path = path, .type = RESULT_TEXT, .text = text});
}

static void emit_integer(result_emit_fn *emit, void *self, const char *path, int64_t value)
{
    emit(self, &(struct result_item){.path = path, .type = RESULT_INTEGER, .integer = value});
}

static void emit_or_null(result_emit_fn *emit, void *self, bool any, struct result_item item)
{
    if (!any)
        item.type = RESULT_NULL;
    emit(self, &item);
}

static void emit_parts(result_emit_fn *emit, void *self, const char *of, const __int128 *parts)
{
    char path[128];
    for (int part = 0; part < BREAKDOWN_PARTS; part++) {
        snprintf(path, sizeof path, "%s.parts_ps.%s", of,
                 breakdown_part_key((enum breakdown_part)part));
        emit_integer(emit, self, path, (int64_t)parts[part]);
    }
}

/* The waits of the commands or messages of one kind. */
static void emit_sum(const struct breakdown_sum *sum, const char *of, result_emit_fn *emit,
                     void *self)
{
    __int128 parts[BREAKDOWN_PARTS] = {0};
    char path[96];
    for (int i = 0; i < BREAKDOWN_PHASES * BREAKDOWN_PARTS; i++)
        parts[i % BREAKDOWN_PARTS] += sum->ps[i / BREAKDOWN_PARTS][i % BREAKDOWN_PARTS];
    snprintf(path, sizeof path, "%s.count", of);
    emit_integer(emit, self, path, (int64_t)sum->count);
    snprintf(path, sizeof path, "%s.latency_ps", of);
    emit_integer(emit, self, path, (int64_t)sum->latency_ps);
    emit_parts(emit, self, of, parts);
    snprintf(path, sizeof path, "%s.slowest.count", of);
    emit_integer(emit, self, path, (int64_t)sum->slow_count);
    snprintf(path, sizeof path, "%s.slowest", of);
    emit_parts(emit, self, path, sum->slow_ps);
}

static void emit_waits(const struct result *result, uint32_t workload, result_emit_fn *emit,
                       void *self)
{
    char path[64];
    if (result->waits == NULL)
        return;
    for (int i = 0; i < BREAKDOWN_OPERATIONS; i++) {
        const enum breakdown_operation operation = (enum breakdown_operation)i;
        const struct breakdown_sum *sum = breakdown_of(result->waits, workload, operation);
        if (sum == NULL)
            continue;
        snprintf(path, sizeof path, "workloads[%u].waits.%s", workload,
                 breakdown_operation_key(operation));
        emit_sum(sum, path, emit, self);
    }
}

static void emit_workload(const struct result *result, uint32_t index, result_emit_fn *emit,
                          void *self)
{
    const struct result_workload *workload = &result->workloads[index];
    char path[96];
    snprintf(path, sizeof path, "workloads[%u].name", index);
    emit_text(emit, self, path, workload->name);
    result_workload_emit(workload, index, emit, self);
    snprintf(path, sizeof path, "workloads[%u].no_rates", index);
    emit_or_null(emit, self, workload->no_rates[0] != '\0',
                 (struct result_item){path, RESULT_TEXT, 0, 0, workload->no_rates});
    snprintf(path, sizeof path, "workloads[%u].victim", index);
    emit_or_null(emit, self, workload->victim != NULL,
                 (struct result_item){path, RESULT_TEXT, 0, 0, workload->victim});
    snprintf(path, sizeof path, "workloads[%u].victim_held_ps", index);
    emit_integer(emit, self, path, workload->held_ps);
    emit_waits(result, index, emit, self);
}

static void emit_boolean(result_emit_fn *emit, void *self, const char *path, bool value)
{
    emit(self, &(struct result_item){.path = path, .type = RESULT_BOOLEAN, .integer = value});
}

/* An empty list has its own row, so that its key is printed. */
static void emit_list(result_emit_fn *emit, void *self, const char *path, uint32_t members)
{
    if (members == 0)
        emit(self, &(struct result_item){.path = path, .type = RESULT_EMPTY});
}

static void emit_cause(const struct result *result, result_emit_fn *emit, void *self)
{
    const struct result_cause *cause = &result->cause;
    const struct result_item items[] = {
        {.path = "root_cause", .type = RESULT_TEXT, .text = result->root_cause},
        {.path = "root_cause_sure", .type = RESULT_BOOLEAN, .integer = cause->sure},
        {.path = "root_cause_kind", .type = RESULT_TEXT, .text = cause->kind},
        {.path = "root_cause_node", .type = RESULT_TEXT, .text = cause->node},
        {.path = "root_cause_port", .type = RESULT_TEXT, .text = cause->port},
        {.path = "root_causes", .type = RESULT_INTEGER, .integer = cause->causes},
        {.path = "root_cause_share", .type = RESULT_REAL, .real = (double)cause->share_ppm / 1e6},
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        emit_or_null(emit, self, result->root_cause[0] != '\0', items[i]);
}

static void emit_remedy(const struct remedy *remedy, uint32_t warning, result_emit_fn *emit,
                        void *self)
{
    char path[64];
    snprintf(path, sizeof path, "warnings[%u].remedy", warning);
    emit_or_null(emit, self, remedy->text != NULL,
                 (struct result_item){.path = path, .type = RESULT_TEXT, .text = remedy->text});
    snprintf(path, sizeof path, "warnings[%u].set", warning);
    emit_list(emit, self, path, (uint32_t)remedy->set_count);
    for (size_t i = 0; i < remedy->set_count; i++) {
        snprintf(path, sizeof path, "warnings[%u].set[%zu]", warning, i);
        emit_text(emit, self, path, remedy->sets[i]);
    }
}

static void emit_warnings(const struct result *result, result_emit_fn *emit, void *self)
{
    char path[64];
    emit_list(emit, self, "warnings", (uint32_t)result->warnings.count);
    for (uint32_t i = 0; i < result->warnings.count; i++) {
        const struct check_finding *warning = &result->warnings.findings[i];
        snprintf(path, sizeof path, "warnings[%u].rule", i);
        emit_text(emit, self, path, warning->rule);
        snprintf(path, sizeof path, "warnings[%u].text", i);
        emit_text(emit, self, path, warning->text);
        emit_remedy(&warning->remedy, i, emit, self);
    }
}

const char *result_word(const struct result_expectation *expectation)
{
    if (expectation->unjudged)
        return "undecided";
    return expectation->held ? "pass" : "fail";
}

static void emit_verdict(const struct result *result, result_emit_fn *emit, void *self)
{
    char path[64];
    emit_list(emit, self, "expectations", result->expectation_count);
    for (uint32_t i = 0; i < result->expectation_count; i++) {
        const struct result_expectation *expectation = &result->expectations[i];
        snprintf(path, sizeof path, "expectations[%u].text", i);
        emit_text(emit, self, path, expectation->text);
        snprintf(path, sizeof path, "expectations[%u].held", i);
        emit_boolean(emit, self, path, expectation->held);
        snprintf(path, sizeof path, "expectations[%u].result", i);
        emit_text(emit, self, path, result_word(expectation));
        snprintf(path, sizeof path, "expectations[%u].judged", i);
        emit_boolean(emit, self, path, !expectation->unjudged);
        snprintf(path, sizeof path, "expectations[%u].actual", i);
        emit_text(emit, self, path, expectation->actual);
    }
    emit_list(emit, self, "failures", result->failure_count);
    for (uint32_t i = 0; i < result->failure_count; i++) {
        snprintf(path, sizeof path, "failures[%u]", i);
        emit_text(emit, self, path, result->failures[i]);
    }
    emit_warnings(result, emit, self);
    emit_text(emit, self, "bottleneck", result->limit.text);
    emit_text(emit, self, "bottleneck_kind", bottleneck_word(result->limit.resource));
    if (result->limit.account[0] != '\0')
        emit_text(emit, self, "bottleneck_account", result->limit.account);
    emit_cause(result, emit, self);
    result_harm_emit(result, emit, self);
}

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

/* Some keys are only printed if they apply. */
static bool is_told(const struct result *result, const char *path)
{
    const struct result_totals *totals = &result->totals;
    if (begins(path, "media."))
        return result->media_age;
    if (begins(path, "array."))
        return result->arrays;
    if (strcmp(path, "rnic.cq_overruns") == 0)
        return totals->rnic_cq_overruns > 0;
    if (begins(path, "tcp."))
        return totals->tcp_segments > 0;
    return !begins(path, "data.") ||
           totals->data_stale + totals->data_lost + totals->data_torn + totals->data_damaged > 0;
}

static void emit_totals(const struct result *result, result_emit_fn *emit, void *self)
{
    for (int i = 0; i < TOTAL_ROWS; i++)
        if (is_told(result, total_rows[i].path))
            emit_integer(emit, self, total_rows[i].path,
                         member_of(&result->totals, total_rows[i].offset));
    const double down = (double)result->media_units_down;
    if (result->media_age)
        emit_or_null(emit, self, result->media_units_down > 0,
                     (struct result_item){.path = amplification,
                                          .type = RESULT_REAL,
                                          .real = (double)result->media_units_programmed / down});
}

void result_emit(const struct result *result, result_emit_fn *emit, void *self)
{
    char digest[DIGEST_TEXT_BYTES];
    digest_format(&result->digest, digest);
    emit_text(emit, self, "scenario", result->scenario);
    emit_text(emit, self, "version", result->version);
    emit_integer(emit, self, "seed", (int64_t)result->seed);
    emit_text(emit, self, "digest", digest);
    emit_text(emit, self, "status", result->status);
    emit_boolean(emit, self, "cut", result->cut);
    emit_integer(emit, self, "threads", result->threads);
    emit_or_null(emit, self, result->marked_at != NULL,
                 (struct result_item){"ecn_marked_at", RESULT_TEXT, 0, 0, result->marked_at});
    emit_totals(result, emit, self);
    emit_list(emit, self, "workloads", result->workload_count);
    for (uint32_t i = 0; i < result->workload_count; i++)
        emit_workload(result, i, emit, self);
    emit_verdict(result, emit, self);
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
