/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/incident/fit_text.h"

#include "base/plural.h"
#include "base/printable.h"
#include "replay/incident/incident_answer.h"
#include "reports/text/csv.h"
#include "reports/text/json_members.h"
#include "reports/text/paint.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 4, WORDS_WIDTH = 34, SET_SHOWN = 120 };

static void print_first(const struct fit *fit, const struct triage *triage, FILE *out)
{
    const struct paint paint = paint_for(out);
    char answer[FIT_ANSWER_BYTES];
    fit_answer(fit, triage, answer);
    fputs(paint.bold, out);
    printable_print(out, "%s", answer);
    fprintf(out, "%s\n", paint.off);
}

static void print_alike(const struct fit *fit, FILE *out)
{
    for (uint32_t i = 1; i <= fit->alike; i++)
        printable_print(out, "%s \"%s\"%s",
                        i == 1 ? "Equally good explanations of the counters:" : ",",
                        fit->hypotheses[i].words, i == fit->alike ? ".\n" : "");
}

static void print_separators(const struct fit *fit, FILE *out)
{
    if (fit->separator_count > 0)
        fputs("Counters that best distinguish the best hypothesis from the next:\n", out);
    for (uint32_t i = 0; i < fit->separator_count; i++) {
        const struct fit_separator *one = &fit->separators[i];
        printable_print(out,
                        "     %s %s %s: %" PRId64 " in the incident, %" PRId64
                        " with the best hypothesis, %" PRId64 " with the next\n",
                        one->host, one->port, one->counter, one->incident, one->replay, one->other);
    }
}

static void print_hypotheses(const struct fit *fit, bool all, FILE *out)
{
    fputs(
        "\nHypotheses, the best first, each with the score of its best run (0: all counters agree; "
        "-: not run):\n",
        out);
    for (uint32_t i = 0; i < fit->count && (all || i < SHOWN); i++) {
        const struct fit_hypothesis *one = &fit->hypotheses[i];
        char score[32] = "-";
        if (one->ran)
            snprintf(score, sizeof score, "%.0f", one->score);
        fprintf(out, "%3u. %8s  ", i + 1, score);
        printable_print(out, "%-*s %s\n", WORDS_WIDTH, one->words, one->magnitude);
    }
    if (fit->count > SHOWN && !all)
        fprintf(out, "     and %u more (--all lists them)\n", fit->count - SHOWN);
}

static void print_remedy(const struct fit *fit, const char *words, int64_t received, int64_t drops,
                         int64_t paused_ps, FILE *out)
{
    char share[16] = "-";
    const double part = fit_traffic_share(fit, received);
    if (part >= 0)
        snprintf(share, sizeof share, "%.0f%%", part * 100);
    printable_print(out, "     %-44s %7s  %14" PRId64 "  %7.2f ms\n", words, share, drops,
                    (double)paused_ps / (double)PS_PER_MS);
}

static void print_remedies(const struct fit *fit, FILE *out)
{
    const struct fit_hypothesis *first = &fit->hypotheses[0];
    if (fit->remedy_count == 0)
        return;
    fputs("\nRemedies, each simulated alone (traffic of the other hosts, relative to a run without "
          "a fault):\n",
          out);
    fprintf(out, "     %-44s %7s  %14s  %10s\n", "remedy", "traffic", "lossless drops",
            "pause time");
    print_remedy(fit, "none", first->received, first->drops, first->paused_ps, out);
    for (uint32_t i = 0; i < fit->remedy_count; i++) {
        const struct fit_remedy *one = &fit->remedies[i];
        if (one->ran)
            print_remedy(fit, one->words, one->received, one->drops, one->paused_ps, out);
        else
            printable_print(out, "     %-44s could not be run\n", one->words);
    }
}

static void print_list(const char *head, const char *const *list, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        printable_print(out, "%s%s\n", i == 0 ? head : "     ", list[i]);
}

void fit_text(const struct fit *fit, const struct triage *triage, bool all, FILE *out)
{
    if (fit->count == 0 || *fit->why != '\0') {
        printable_print(out, "Nothing was run: %s.\n\n", fit->why);
        return;
    }
    print_first(fit, triage, out);
    print_alike(fit, out);
    print_separators(fit, out);
    print_hypotheses(fit, all, out);
    print_remedies(fit, out);
    fprintf(out,
            "\n%u %s of %.2f ms each %s the incident of %" PRId64
            " s; their counters are multiplied by %.6g.\n",
            fit->runs, plural(fit->runs, "run", "runs"), (double)fit->lasts / (double)PS_PER_MS,
            plural(fit->runs, "represents", "represent"), fit->incident_s, fit_times_per_run(fit));
    fprintf(out, "The runs took %.0f million events (limit: %.0f million)%s.\n",
            (double)fit->events / 1e6, (double)FIT_EVENTS_MAX / 1e6,
            fit->is_cut ? "; unlikely suspects or fine steps of magnitudes were left out" : "");
    print_list("Assumed: ", fit->assumptions, fit->assumption_count, out);
    fputs("\nTriage from the counters alone, without a run:\n", out);
}

/* ---- the scenario ---- */

static void put_set(const char *set, FILE *out)
{
    const char *equals = strchr(set, '=');
    fprintf(out, "  - {\"%.*s\": %s}\n", (int)(equals - set), set, equals + 1);
}

void fit_scenario(const struct fit *fit, const char *fabric, FILE *out)
{
    fprintf(out,
            "# %s%s%s, fitted to %" PRId64 " s of counters.\n"
            "# stormglass run fitted.yaml --until %" PRId64 "us -o fitted.db\n"
            "# stormglass diff incident.json fitted.db --lasted %" PRId64 "s\n"
            "stormglass: 1\nname: fitted\nscenario: ",
            fit->hypotheses[0].words, *fit->hypotheses[0].magnitude == '\0' ? "" : ", ",
            fit->hypotheses[0].magnitude, fit->incident_s, fit->lasts / PS_PER_US, fit->incident_s);
    json_string(out, fabric);
    fputs("\nset:\n", out);
    for (uint32_t i = 0; i < fit->set_count; i++)
        put_set(fit->sets[i], out);
}

/* ---- JSON ---- */

/* A kind without a magnitude has no value, and what was not run has none either. */
static bool has_value(const struct fit_hypothesis *one)
{
    return one->ran && *one->magnitude != '\0';
}

static void put_number(struct json *json, const char *path, bool known, double value)
{
    if (known)
        json_number(json, path, value);
    else
        json_null(json, path);
}

static void put_hypothesis(struct json *json, const struct fit *fit, uint32_t i)
{
    char path[JSON_PATH_BYTES];
    const struct fit_hypothesis *one = &fit->hypotheses[i];
    const char *list = "hypotheses";
    json_text(json, json_member(path, list, i, "kind"), fit_kind_name(one->kind));
    json_text(json, json_member(path, list, i, "words"), one->words);
    json_text_or_null(json, json_member(path, list, i, "device"), one->device);
    json_text_or_null(json, json_member(path, list, i, "port"), one->port);
    json_boolean(json, json_member(path, list, i, "confirmed"), i == 0 && fit->confirmed);
    json_boolean(json, json_member(path, list, i, "alike"), i > 0 && i <= fit->alike);
    put_number(json, json_member(path, list, i, "score"), one->ran, one->score);
    put_number(json, json_member(path, list, i, "value"), has_value(one), one->value);
    put_number(json, json_member(path, list, i, "share"), one->ran, one->share);
    json_boolean(json, json_member(path, list, i, "measured"), one->measured);
    json_text_or_null(json, json_member(path, list, i, "magnitude"),
                      has_value(one) ? one->magnitude : NULL);
    json_text(json, json_member(path, list, i, "set"),
              strlen(one->set) > SET_SHOWN ? "" : one->set);
    if (one->suspect == SIZE_MAX)
        json_null(json, json_member(path, list, i, "suspect"));
    else
        json_integer(json, json_member(path, list, i, "suspect"), (int64_t)one->suspect);
}

/* null for a remedy that could not be run: its zeros are no results. */
static void put_result(struct json *json, const char *path, const struct fit_remedy *remedy,
                       int64_t value)
{
    if (remedy->ran)
        json_integer(json, path, value);
    else
        json_null(json, path);
}

static void put_remedies(struct json *json, const struct fit *fit)
{
    char path[JSON_PATH_BYTES];
    JSON_EACH(json, "remedies", fit->remedy_count)
    {
        const struct fit_remedy *one = &fit->remedies[i];
        json_text(json, json_member(path, "remedies", i, "words"), one->words);
        put_result(json, json_member(path, "remedies", i, "received_bytes"), one, one->received);
        put_result(json, json_member(path, "remedies", i, "lossless_drops"), one, one->drops);
        put_result(json, json_member(path, "remedies", i, "paused_ps"), one, one->paused_ps);
    }
}

void fit_json(const struct fit *fit, struct json *json)
{
    char path[JSON_PATH_BYTES];
    json_text_or_null(json, "not_fitted", *fit->why == '\0' ? NULL : fit->why);
    JSON_EACH(json, "hypotheses", fit->count)
    put_hypothesis(json, fit, i);
    put_remedies(json, fit);
    if (fit->healthy_ran)
        json_integer(json, "healthy_received_bytes", fit->healthy_received);
    else
        json_null(json, "healthy_received_bytes");
    json_integer(json, "runs", fit->runs);
    json_integer(json, "events", (int64_t)fit->events);
    json_integer(json, "events_most", (int64_t)FIT_EVENTS_MAX);
    json_boolean(json, "budget_spent", fit->is_cut);
    json_integer(json, "run_ps", fit->lasts);
    JSON_EACH(json, "assumptions", fit->assumption_count)
    {
        snprintf(path, sizeof path, "assumptions[%" PRIu32 "]", i);
        json_text(json, path, fit->assumptions[i]);
    }
}

static void put_cell(struct csv *csv, bool known, double value)
{
    if (known)
        csv_real(csv, value);
    else
        csv_empty(csv);
}

void fit_csv(const struct fit *fit, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "kind,device,port,score,value,share,magnitude,confirmed,alike,words,set");
    for (uint32_t i = 0; i < fit->count; i++) {
        const struct fit_hypothesis *one = &fit->hypotheses[i];
        csv_text(&csv, fit_kind_name(one->kind));
        csv_text(&csv, one->device);
        csv_text(&csv, one->port);
        put_cell(&csv, one->ran, one->score);
        put_cell(&csv, has_value(one), one->value);
        put_cell(&csv, one->ran, one->share);
        csv_text(&csv, one->magnitude);
        csv_boolean(&csv, i == 0 && fit->confirmed);
        csv_boolean(&csv, i > 0 && i <= fit->alike);
        csv_text(&csv, one->words);
        csv_text(&csv, one->set);
        csv_end_row(&csv);
    }
}
