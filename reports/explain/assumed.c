/* SPDX-License-Identifier: Apache-2.0
 * assumed - which assumed values would change the verdict. */
#include "reports/explain/account.h"

#include "base/memory.h"
#include "base/plural.h"
#include "reports/text/json_members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The verdict's "nobody" in words. */
static const char *cause_words(const char *cause)
{
    return strcmp(cause, "nobody") == 0 ? "none" : cause;
}

static bool holds(const struct measure_verdict *verdict, uint32_t i)
{
    return (verdict->held >> i & 1) != 0;
}

static void write_trial(const struct assumed *assumed, const struct assumed_value *value,
                        const struct assumed_trial *trial, FILE *out)
{
    const struct measure_verdict *is = &assumed->verdict, *then = &trial->verdict;
    const char *between = "";
    fprintf(out, "  %s is %s (%s): with %s, ", value->path, value->value, value->evidence,
            trial->value);
    if (is->limit.resource != then->limit.resource) {
        fprintf(out, "the bottleneck is %s", bottleneck_label(then->limit.resource));
        between = ", ";
    }
    if (strcmp(is->cause, then->cause) != 0) {
        fprintf(out, "%sthe cause is %s", between, cause_words(then->cause));
        between = ", ";
    }
    for (uint32_t i = 0; i < assumed->expectation_count; i++)
        if (holds(is, i) != holds(then, i)) {
            fprintf(out, "%s%s %s", between, assumed->expectations[i],
                    holds(then, i) ? "passes" : "fails");
            between = ", ";
        }
    fputc('\n', out);
}

/* One line. */
static void write_sentence(const struct assumed *assumed, FILE *out)
{
    if (assumed->value_count == 0)
        fputs("the scenario uses no assumed or inferred value", out);
    else if (assumed->flip_count == 0)
        fprintf(out,
                "none of %" PRIu32 " assumed or inferred values changes the bottleneck, the cause "
                "or the result of an expectation",
                assumed->value_count);
    else
        fprintf(out,
                "%" PRIu32 " of %" PRIu32 " assumed or inferred values %s the bottleneck, the "
                "cause or the result of an expectation",
                assumed->flip_count, assumed->value_count,
                plural(assumed->flip_count, "changes", "change"));
}

void assumed_text(const struct assumed *assumed, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sAssumed values%s\n  ", paint->bold, paint->off);
    write_sentence(assumed, out);
    fprintf(out,
            "\n  with the unchanged values: bottleneck %s; cause %s\n"
            "  tested with %" PRIu32 " %s: each assumed value halved and doubled, each inferred "
            "value 10%% less and 10%% more\n  %" PRIu32 " %s an effect on the run\n",
            bottleneck_label(assumed->verdict.limit.resource), cause_words(assumed->verdict.cause),
            assumed->runs, plural(assumed->runs, "run", "runs"), assumed->felt_count,
            plural(assumed->felt_count, "value has", "values have"));
    for (uint32_t i = 0; i < assumed->flip_count; i++)
        for (uint32_t k = 0; k < assumed->values[i].trial_count; k++)
            if (assumed->values[i].trials[k].flips)
                write_trial(assumed, &assumed->values[i], &assumed->values[i].trials[k], out);
    if (assumed->left_out > 0)
        fprintf(out, "  %" PRIu32 " more %s %s not tested\n", assumed->left_out,
                plural(assumed->left_out, "value", "values"),
                plural(assumed->left_out, "was", "were"));
    if (assumed->unjudged > 0)
        fprintf(out, "  the last %" PRIu32 " %s of the scenario %s not evaluated\n",
                assumed->unjudged, plural(assumed->unjudged, "expectation", "expectations"),
                plural(assumed->unjudged, "was", "were"));
}

static void json_verdict(struct json *json, const char *at, const struct assumed *assumed,
                         const struct measure_verdict *verdict)
{
    char path[JSON_PATH_BYTES], list[96];
    snprintf(path, sizeof path, "%.70s.bottleneck", at);
    json_text(json, path, bottleneck_word(verdict->limit.resource));
    snprintf(path, sizeof path, "%.70s.cause", at);
    json_text(json, path, verdict->cause);
    snprintf(list, sizeof list, "%.70s.expectations", at);
    if (assumed->expectation_count == 0)
        json_empty(json, list);
    for (uint32_t i = 0; i < assumed->expectation_count; i++)
        json_boolean(json, json_member(path, list, i, "held"), holds(verdict, i));
}

static void write_value(struct json *json, const struct assumed *assumed, uint32_t i)
{
    static const char list[] = "assumed.values";
    const struct assumed_value *value = &assumed->values[i];
    char at[JSON_PATH_BYTES], trials[64];
    json_text(json, json_member(at, list, i, "path"), value->path);
    json_text(json, json_member(at, list, i, "value"), value->value);
    json_text(json, json_member(at, list, i, "evidence"), value->evidence);
    json_integer(json, json_member(at, list, i, "sources"), value->sources);
    json_member(at, list, i, "error");
    if (value->error > 0)
        json_number(json, at, (double)value->error / (double)PPM);
    else
        json_null(json, at);
    json_text(json, json_member(at, list, i, "source"), value->source == NULL ? "" : value->source);
    json_boolean(json, json_member(at, list, i, "matters"), value->felt);
    json_boolean(json, json_member(at, list, i, "flips"), value->flips);
    snprintf(trials, sizeof trials, "%s[%" PRIu32 "].trials", list, i);
    for (uint32_t k = 0; k < value->trial_count; k++) {
        const struct assumed_trial *trial = &value->trials[k];
        json_text(json, json_member(at, trials, k, "value"), trial->value);
        json_boolean(json, json_member(at, trials, k, "played"), trial->played);
        json_boolean(json, json_member(at, trials, k, "flips"), trial->flips);
        snprintf(at, sizeof at, "%s[%" PRIu32 "]", trials, k);
        if (trial->played)
            json_verdict(json, at, assumed, &trial->verdict);
    }
}

void assumed_json(const struct assumed *assumed, struct json *json)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    write_sentence(assumed, out);
    memory_stream_end(out);
    json_text(json, "assumed.sentence", text);
    free(text);
    json_integer(json, "assumed.runs", assumed->runs);
    json_integer(json, "assumed.left_out", assumed->left_out);
    json_integer(json, "assumed.expectations_left_out", assumed->unjudged);
    json_verdict(json, "assumed.verdict", assumed, &assumed->verdict);
    if (assumed->value_count == 0)
        json_empty(json, "assumed.values");
    for (uint32_t i = 0; i < assumed->value_count; i++)
        write_value(json, assumed, i);
}
