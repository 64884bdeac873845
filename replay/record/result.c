/* SPDX-License-Identifier: Apache-2.0
 * result - names, values and their printed form. */
#include "replay/record/result.h"

#include "replay/waits/waits.h"

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
#include "replay/record/total.def"
#undef TOTAL
};

enum { TOTAL_ROWS = sizeof total_rows / sizeof total_rows[0] };

/* What a workload's quantity is made from. */
enum source {
    MEMBER,     /* an integer of the struct */
    PER_SECOND, /* an integer over the window */
    BITS_PER_SECOND,
    MEMBER_MEAN, /* bits per second of an instance, of so many in all */
    SPAN,        /* the member is in ps, and printed in ns */
    LATENCY_AT,  /* a percentile, in ps */
    LATENCY_MEAN,
    LATENCY_MIN,
    LATENCY_MAX
};

struct workload_row {
    const char *path;
    enum source source;
    size_t offset; /* MEMBER, PER_SECOND, BITS_PER_SECOND, MEMBER_MEAN */
    int64_t ppm;   /* LATENCY_AT */
};

#define OF(member) offsetof(struct result_workload, member)

static const struct workload_row workload_rows[] = {
    {"issued", MEMBER, OF(issued), 0},
    {"completed", MEMBER, OF(completed), 0},
    {"failed", MEMBER, OF(failed), 0},
    {"unfinished", MEMBER, OF(unfinished), 0},
    {"corrupt", MEMBER, OF(corrupt), 0},
    {"missed", MEMBER, OF(missed), 0},
    {"members", MEMBER, OF(members), 0},
    {"members_idle", MEMBER, OF(idle), 0},
    {"bytes", MEMBER, OF(bytes), 0},
    {"bytes_read", MEMBER, OF(bytes_read), 0},
    {"bytes_written", MEMBER, OF(bytes_written), 0},
    {"iops", PER_SECOND, OF(completed_window), 0},
    {"goodput_bps", BITS_PER_SECOND, OF(bytes_window), 0},
    {"goodput_read_bps", BITS_PER_SECOND, OF(read_window), 0},
    {"goodput_write_bps", BITS_PER_SECOND, OF(written_window), 0},
    {"member_goodput_bps.min", BITS_PER_SECOND, OF(member_least), 0},
    {"member_goodput_bps.mean", MEMBER_MEAN, OF(bytes_window), 0},
    {"member_goodput_bps.max", BITS_PER_SECOND, OF(member_most), 0},
    {"latency_ns.mean", LATENCY_MEAN, 0, 0},
    {"latency_ns.min", LATENCY_MIN, 0, 0},
    {"latency_ns.p50", LATENCY_AT, 0, 500000},
    {"latency_ns.p90", LATENCY_AT, 0, 900000},
    {"latency_ns.p95", LATENCY_AT, 0, 950000},
    {"latency_ns.p99", LATENCY_AT, 0, 990000},
    {"latency_ns.p99_9", LATENCY_AT, 0, 999000},
    {"latency_ns.p99_99", LATENCY_AT, 0, 999900},
    {"latency_ns.max", LATENCY_MAX, 0, 0},
    {"controllers.lost", MEMBER, OF(losses), 0},
    {"controllers.attempts", MEMBER, OF(attempts), 0},
    {"controllers.reconnected", MEMBER, OF(reconnects), 0},
    {"controllers.requeued", MEMBER, OF(requeued), 0},
    {"controllers.without_service_ns", SPAN, OF(without_service_ps), 0},
};

enum { WORKLOAD_ROWS = sizeof workload_rows / sizeof workload_rows[0] };

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

static struct result_ratio rate(int64_t amount, int64_t factor, int64_t window_ps)
{
    if (window_ps <= 0)
        return whole(0);
    return (struct result_ratio){.numerator = (__int128)amount * factor * PS_PER_S,
                                 .denominator = window_ps};
}

static struct result_ratio mean_rate(const struct result_workload *workload, int64_t bytes)
{
    struct result_ratio mean = rate(bytes, 8, workload->window_ps);
    if (workload->played > 0)
        mean.numerator /= workload->played;
    return mean;
}

static struct result_ratio workload_value(const struct result_workload *workload,
                                          const struct workload_row *row)
{
    const struct hist *latency = workload->latency;
    switch (row->source) {
    case MEMBER:
    case SPAN:
        return whole(member_of(workload, row->offset));
    case PER_SECOND:
        return rate(member_of(workload, row->offset), 1, workload->window_ps);
    case BITS_PER_SECOND:
        return rate(member_of(workload, row->offset), 8, workload->window_ps);
    case MEMBER_MEAN:
        return mean_rate(workload, member_of(workload, row->offset));
    case LATENCY_AT:
        return whole(hist_at(latency, row->ppm));
    case LATENCY_MIN:
        return whole(latency->count == 0 ? 0 : latency->min);
    case LATENCY_MAX:
        return whole(latency->count == 0 ? 0 : latency->max);
    case LATENCY_MEAN:
        break;
    }
    if (latency->count == 0)
        return whole(0);
    return (struct result_ratio){.numerator = (__int128)latency->sum,
                                 .denominator = (int64_t)latency->count};
}

bool result_of_workload(const struct result_workload *workload, const char *path,
                        struct result_ratio *value)
{
    for (int i = 0; i < WORKLOAD_ROWS; i++) {
        if (strcmp(workload_rows[i].path, path) != 0)
            continue;
        *value = workload_value(workload, &workload_rows[i]);
        return true;
    }
    return false;
}

bool result_total(const struct result *result, const char *path, struct result_ratio *value)
{
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

static double real(struct result_ratio value)
{
    return (double)value.numerator / (double)value.denominator;
}

/* Latencies are printed in ns: a mean with its fraction, a percentile as the nearest whole number.
 * */
static struct result_item workload_item(const struct result_workload *workload,
                                        const struct workload_row *row)
{
    const struct result_ratio value = workload_value(workload, row);
    switch (row->source) {
    case MEMBER:
        return (struct result_item){.type = RESULT_INTEGER, .integer = (int64_t)value.numerator};
    case PER_SECOND:
    case BITS_PER_SECOND:
    case MEMBER_MEAN:
        return (struct result_item){.type = RESULT_REAL, .real = real(value)};
    case LATENCY_MEAN:
        return (struct result_item){.type = RESULT_REAL, .real = real(value) / 1000.0};
    case SPAN:
    case LATENCY_AT:
    case LATENCY_MIN:
    case LATENCY_MAX:
        break;
    }
    const int64_t ns = ((int64_t)value.numerator + PS_PER_NS / 2) / PS_PER_NS;
    return (struct result_item){.type = RESULT_INTEGER, .integer = ns};
}

static void emit_or_null(result_emit_fn *emit, void *self, bool any, struct result_item item);

/* Members beside each other: none of a single one, and flows only where they have a size. */
static void emit_members(const struct result_workload *workload, uint32_t index,
                         result_emit_fn *emit, void *self)
{
    const struct member_figures *of = &workload->of_members;
    const bool several = of->jain_ppm > 0, flows = of->flows > 0, slow = of->slowdowns > 0;
    const struct {
        const char *path;
        bool known;
        enum result_type type;
        int64_t integer;
        double real;
    } rows[] = {
        {"fairness.jain", several, RESULT_REAL, 0, (double)of->jain_ppm / PPM},
        {"fairness.least_bps", several, RESULT_INTEGER, of->least_bps, 0},
        {"fairness.most_bps", several, RESULT_INTEGER, of->most_bps, 0},
        {"flows", true, RESULT_INTEGER, of->flows, 0},
        {"fct_ns.mean", flows, RESULT_INTEGER, of->fct.mean / PS_PER_NS, 0},
        {"fct_ns.p50", flows, RESULT_INTEGER, of->fct.p50 / PS_PER_NS, 0},
        {"fct_ns.p99", flows, RESULT_INTEGER, of->fct.p99 / PS_PER_NS, 0},
        {"fct_ns.max", flows, RESULT_INTEGER, of->fct.max / PS_PER_NS, 0},
        {"slowdown.mean", slow, RESULT_REAL, 0, (double)of->slowdown_ppm.mean / PPM},
        {"slowdown.p50", slow, RESULT_REAL, 0, (double)of->slowdown_ppm.p50 / PPM},
        {"slowdown.p99", slow, RESULT_REAL, 0, (double)of->slowdown_ppm.p99 / PPM},
        {"slowdown.max", slow, RESULT_REAL, 0, (double)of->slowdown_ppm.max / PPM},
    };
    char path[96];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "workloads[%u].%s", index, rows[i].path);
        emit_or_null(emit, self, rows[i].known,
                     (struct result_item){path, rows[i].type, rows[i].integer, rows[i].real, NULL});
    }
}

/* What is not known is null; half an interval of confidence beside its figure. */
static void emit_steady(const struct result_workload *workload, uint32_t index,
                        result_emit_fn *emit, void *self)
{
    const struct steady *steady = &workload->steady;
    const struct {
        const char *path;
        int64_t value, unit;
    } rows[] = {
        {"warm_up_ns", steady->from - workload->start, PS_PER_NS},
        {"span_ns", steady->until - steady->from, PS_PER_NS},
        {"needs_ns", steady->settled ? STEADY_UNKNOWN : steady->needs, PS_PER_NS},
        {"goodput_bps", steady->goodput_bps.value, 1},
        {"goodput_ci_bps", steady->goodput_bps.half, 1},
        {"iops", steady->iops.value, 1},
        {"iops_ci", steady->iops.half, 1},
        {"latency_ns.mean", steady->mean.value, PS_PER_NS},
        {"latency_ns.mean_ci", steady->mean.half, PS_PER_NS},
        {"latency_ns.p50", steady->p50.value, PS_PER_NS},
        {"latency_ns.p50_ci", steady->p50.half, PS_PER_NS},
        {"latency_ns.p99", steady->p99.value, PS_PER_NS},
        {"latency_ns.p99_ci", steady->p99.half, PS_PER_NS},
        {"latency_ns.p99_9", steady->p99_9.value, PS_PER_NS},
    };
    char path[96];
    snprintf(path, sizeof path, "workloads[%u].steady%s", index, steady->known ? ".settled" : "");
    emit_or_null(emit, self, steady->known,
                 (struct result_item){path, RESULT_BOOLEAN, steady->settled, 0, NULL});
    for (size_t i = 0; steady->known && i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "workloads[%u].steady.%s", index, rows[i].path);
        emit_or_null(
            emit, self, rows[i].value >= 0,
            (struct result_item){path, RESULT_INTEGER, rows[i].value / rows[i].unit, 0, NULL});
    }
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
    for (int part = 0; part < WAITS_PARTS; part++) {
        snprintf(path, sizeof path, "%s.parts_ps.%s", of, waits_part_key((enum waits_part)part));
        emit_integer(emit, self, path, (int64_t)parts[part]);
    }
}

/* What the commands or messages of one kind waited for. */
static void emit_sum(const struct waits_sum *sum, const char *of, result_emit_fn *emit, void *self)
{
    __int128 parts[WAITS_PARTS] = {0};
    char path[96];
    for (int i = 0; i < WAITS_PHASES * WAITS_PARTS; i++)
        parts[i % WAITS_PARTS] += sum->ps[i / WAITS_PARTS][i % WAITS_PARTS];
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
    for (int i = 0; i < WAITS_OPERATIONS; i++) {
        const enum waits_operation operation = (enum waits_operation)i;
        const struct waits_sum *sum = waits_of(result->waits, workload, operation);
        if (sum == NULL)
            continue;
        snprintf(path, sizeof path, "workloads[%u].waits.%s", workload,
                 waits_operation_key(operation));
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
    for (int i = 0; i < WORKLOAD_ROWS; i++) {
        snprintf(path, sizeof path, "workloads[%u].%s", index, workload_rows[i].path);
        struct result_item item = workload_item(workload, &workload_rows[i]);
        item.path = path;
        emit(self, &item);
    }
    emit_steady(workload, index, emit, self);
    emit_members(workload, index, emit, self);
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

/* A list without members has a row of its own, or its key would be lost. */
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
    }
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
    emit_cause(result, emit, self);
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
    for (int i = 0; i < TOTAL_ROWS; i++)
        emit_integer(emit, self, total_rows[i].path,
                     member_of(&result->totals, total_rows[i].offset));
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

void result_free(struct result *result)
{
    free(result->workloads);
    free(result->limits);
    free(result->expectations);
    check_free(&result->warnings);
    *result = (struct result){0};
}
