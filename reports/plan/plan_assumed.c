/* SPDX-License-Identifier: Apache-2.0
 * plan_assumed - the effects of assumed values, as text, JSON and CSV. */
#include "replay/plan/plan_assumed.h"

#include "base/plural.h"
#include "replay/explain/confidence.h"
#include "reports/plan/plan_report.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <string.h>

/* Width in characters of each half of the chart, and of the indentation of text below. */
enum { BAR = 8, MARGIN = 2 * BAR + 7 };

static const double LITTLE = 0.001; /* relative to the limit; smaller effects are only counted */

static const struct plan_candidate *candidate_of(const struct plan_state *state,
                                                 const struct plan_subject *subject)
{
    return &state->candidates[subject->candidate];
}

/* NULL if no objective is a mean. */
static const struct expectation *asked_of(const struct plan_state *state,
                                          const struct plan_subject *subject)
{
    return subject->slo < 0
               ? NULL
               : &candidate_of(state, subject)->states[subject->of].asked[subject->slo];
}

static const char *case_of(const struct plan_state *state, const struct plan_subject *subject)
{
    return candidate_of(state, subject)->cases->cases[subject->of].name;
}

static const struct plan_candidate *point_of(const struct plan_state *state,
                                             const struct plan_change *change)
{
    return &state->candidates[change->point];
}

/* ------------------------------------------------------------------ text */

static uint32_t count_flips(const struct plan_assumed *assumed)
{
    uint32_t flips = 0;
    for (uint32_t i = 0; i < assumed->count; i++)
        for (uint32_t k = 0; k < assumed->subjects[i].count; k++)
            flips += assumed->subjects[i].guesses[k].flips;
    return flips;
}

static void print_head(const struct plan_state *state, FILE *out)
{
    const struct plan_assumed *assumed = state->assumed;
    const uint32_t flips = count_flips(assumed);
    fputs("\nEffect of assumed values: one at a time, each is halved and doubled (inferred values: "
          "10% less and 10% more)\n",
          out);
    if (flips > 0)
        fprintf(out, "  %" PRIu32 " change%s the choice", flips, plural(flips, "s", ""));
    else
        fprintf(out, "  none%s changes the choice",
                assumed->unplayed > 0 ? " of the values tried" : "");
    fprintf(out, "; %s %s\n", words_count(assumed->runs).text,
            plural(assumed->runs, "run", "runs"));
    if (assumed->unplayed > 0)
        fprintf(out, "  %s %s %s not run\n", words_count(assumed->unplayed).text,
                plural(assumed->unplayed, "change", "changes"),
                plural(assumed->unplayed, "was", "were"));
}

/* The smaller value's effect goes left, the larger one's right, scaled to the largest effect. */
static void print_bar(const struct plan_guess *guess, double scale, FILE *out)
{
    char bar[2 * BAR + 2];
    memset(bar, ' ', sizeof bar);
    bar[BAR] = '|';
    bar[2 * BAR + 1] = '\0';
    for (uint32_t i = 0; i < guess->change_count && scale > 0; i++) {
        const double moved = guess->changes[i].moved / scale * BAR;
        const int length = (int)(moved < 0 ? 0.5 - moved : 0.5 + moved);
        for (int k = 1; k <= length && k <= BAR; k++)
            bar[moved < 0 ? BAR - k : BAR + k] = '#';
    }
    fputs(bar, out);
}

/* "38.1 us at 500ns (-3.2 %), 45 us at 2us (+7.1 %)" */
static void print_figures(const struct plan_state *state, const struct plan_subject *subject,
                          const struct plan_guess *guess, FILE *out)
{
    for (uint32_t i = 0; i < guess->change_count; i++) {
        const struct plan_change *change = &guess->changes[i];
        fputs(i == 0 ? "" : ", ", out);
        if (change->measured)
            fprintf(out, "%s at %s (%+.3g%%)",
                    plan_words(asked_of(state, subject), change->figure).text, change->value,
                    100 * change->moved);
        else
            fprintf(out, "%s at %s",
                    change->played
                        ? plan_result_word(plan_result_of(point_of(state, change)->verdict))
                        : "not run",
                    change->value);
    }
    fputc('\n', out);
}

static void print_guess(const struct plan_state *state, const struct plan_subject *subject,
                        const struct plan_guess *guess, FILE *out)
{
    fputs("    ", out);
    print_bar(guess, subject->guesses[0].effect, out);
    fprintf(out, "  %s %s (%s)\n%*s", guess->path, guess->value, guess->evidence, MARGIN, "");
    print_figures(state, subject, guess, out);
    for (uint32_t i = 0; i < guess->change_count; i++) {
        const struct plan_change *change = &guess->changes[i];
        const struct plan_candidate *point = point_of(state, change);
        if (change->flips && subject->candidate == state->chosen)
            fprintf(out, "%*sat %s the chosen candidate fails: %s\n", MARGIN, "", change->value,
                    point->why);
        else if (change->flips)
            fprintf(out, "%*sat %s this candidate would pass\n", MARGIN, "", change->value);
        else if (change->matters && point->verdict == PLAN_VERDICT_FAILS &&
                 point->states[0].verdict == PLAN_VERDICT_HOLDS)
            fprintf(out, "%*sat %s this case would pass, but %s\n", MARGIN, "", change->value,
                    point->why);
        else if (change->matters && point->verdict == PLAN_VERDICT_UNSURE)
            fprintf(out, "%*sat %s it is %s\n", MARGIN, "", change->value,
                    plan_verdict_many(point->verdict));
    }
}

static void print_others(const struct plan_subject *subject, uint32_t little, uint32_t silent,
                         FILE *out)
{
    if (little > 0 && subject->slo >= 0)
        fprintf(out, "    %s others change the result by less than 0.1%% of the limit\n",
                words_count(little).text);
    else if (little > 0)
        fprintf(out, "    %s %s the runs, but they still fail\n", words_count(little).text,
                plural(little, "value changes", "values change"));
    if (silent > 0)
        fprintf(out, "    without effect on any run: %s\n", words_count(silent).text);
    if (subject->left_out > 0)
        fprintf(out, "    not tried: %s\n", words_count(subject->left_out).text);
}

/* "interval 32 us to 46 us: PATH is inferred (1 source); ..." */
static void print_interval(const struct plan_state *state, const struct plan_subject *subject,
                           FILE *out)
{
    if (subject->binds < 0)
        return;
    const struct plan_guess *guess = &subject->guesses[subject->binds];
    const struct expectation *asked = asked_of(state, subject);
    char evidence[160];
    confidence_evidence_words(guess->evidence, guess->sources, guess->error, evidence,
                              sizeof evidence);
    fprintf(out, "    interval %s to %s: %s is %s\n",
            plan_words(asked, subject->figure / guess->spread).text,
            plan_words(asked, subject->figure * guess->spread).text, guess->path, evidence);
}

static void print_subject(const struct plan_state *state, const struct plan_subject *subject,
                          FILE *out)
{
    const struct plan_candidate *mine = candidate_of(state, subject);
    const struct expectation *asked = asked_of(state, subject);
    const char *failure = case_of(state, subject);
    uint32_t little = 0, silent = 0;
    fprintf(out, "  %s (%s%s%s)", mine->cell->label,
            subject->candidate == state->chosen ? "chosen"
                                                : plan_result_word(plan_result_of(mine->verdict)),
            *failure == '\0' ? "" : ", with ", failure);
    if (asked != NULL)
        fprintf(out, "; %s: now %s", asked->text, plan_words(asked, subject->figure).text);
    fputc('\n', out);
    print_interval(state, subject, out);
    for (uint32_t i = 0; i < subject->count; i++) {
        const struct plan_guess *guess = &subject->guesses[i];
        if (guess->flips || guess->effect >= LITTLE)
            print_guess(state, subject, guess, out);
        else if (guess->matters)
            little++;
        else
            silent++;
    }
    print_others(subject, little, silent, out);
}

void plan_assumed_text(const struct plan_state *state, FILE *out)
{
    if (state->assumed == NULL)
        return;
    print_head(state, out);
    for (uint32_t i = 0; i < state->assumed->count; i++)
        print_subject(state, &state->assumed->subjects[i], out);
}

/* ------------------------------------------------------------------ JSON */

static const char *yes_or_no(bool yes)
{
    return yes ? "true" : "false";
}

static void json_change(const struct plan_state *state, const struct plan_change *change, FILE *out)
{
    const struct plan_candidate *point = point_of(state, change);
    fputs("{", out);
    plan_text_member(out, "value", change->value);
    plan_real_member(out, "figure", change->measured, change->figure);
    plan_real_member(out, "moved", change->measured, change->moved);
    plan_text_member(out, "verdict", change->played ? plan_verdict_word(point->verdict) : NULL);
    plan_text_member(out, "why", point->why);
    fprintf(out, "\"played\": %s, \"matters\": %s, \"flips\": %s}", yes_or_no(change->played),
            yes_or_no(change->matters), yes_or_no(change->flips));
}

static void json_guess(const struct plan_state *state, const struct plan_guess *guess, FILE *out)
{
    fputs("\n      {", out);
    plan_text_member(out, "path", guess->path);
    plan_text_member(out, "value", guess->value);
    plan_text_member(out, "evidence", guess->evidence);
    plan_text_member(out, "source", guess->source);
    fprintf(out, "\"sources\": %" PRIu32 ", ", guess->sources);
    plan_real_member(out, "error", guess->error > 0, guess->error);
    plan_real_member(out, "effect", true, guess->effect);
    fprintf(out, "\"matters\": %s, \"flips\": %s, \"trials\": [", yes_or_no(guess->matters),
            yes_or_no(guess->flips));
    for (uint32_t i = 0; i < guess->change_count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        json_change(state, &guess->changes[i], out);
    }
    fputs("]}", out);
}

static void json_subject(const struct plan_state *state, const struct plan_subject *subject,
                         FILE *out)
{
    const struct expectation *asked = asked_of(state, subject);
    fputs("\n    {", out);
    plan_text_member(out, "candidate", candidate_of(state, subject)->cell->name);
    fprintf(out, "\"chosen\": %s, ", yes_or_no(subject->candidate == state->chosen));
    plan_text_member(out, "failure", case_of(state, subject));
    plan_text_member(out, "slo", asked == NULL ? NULL : asked->text);
    plan_real_member(out, "figure", asked != NULL, subject->figure);
    const bool binds = subject->binds >= 0;
    const struct plan_guess *guess = binds ? &subject->guesses[subject->binds] : NULL;
    plan_real_member(out, "figure_low", binds, binds ? subject->figure / guess->spread : 0);
    plan_real_member(out, "figure_high", binds, binds ? subject->figure * guess->spread : 0);
    plan_text_member(out, "binds", binds ? guess->path : NULL);
    fprintf(out, "\"left_out\": %" PRIu32 ", \"values\": [", subject->left_out);
    for (uint32_t i = 0; i < subject->count; i++) {
        fputs(i == 0 ? "" : ",", out);
        json_guess(state, &subject->guesses[i], out);
    }
    fputs("]}", out);
}

void plan_assumed_json(const struct plan_state *state, FILE *out)
{
    const struct plan_assumed *assumed = state->assumed;
    if (assumed == NULL) {
        fputs("  \"assumed\": null,\n", out);
        return;
    }
    fprintf(out,
            "  \"assumed\": {\"runs\": %" PRId64 ", \"flips\": %" PRIu32 ", \"unplayed\": %" PRIu32
            ", \"candidates\": [",
            assumed->runs, count_flips(assumed), assumed->unplayed);
    for (uint32_t i = 0; i < assumed->count; i++) {
        fputs(i == 0 ? "" : ",", out);
        json_subject(state, &assumed->subjects[i], out);
    }
    fputs("]},\n", out);
}

/* ------------------------------------------------------------------ CSV */

static void write_real(struct csv *csv, bool known, double value)
{
    if (known)
        csv_real(csv, value);
    else
        csv_empty(csv);
}

static void write_guess(struct csv *csv, const struct plan_state *state,
                        const struct plan_subject *subject, const struct plan_guess *guess)
{
    const struct expectation *asked = asked_of(state, subject);
    for (uint32_t i = 0; i < guess->change_count; i++) {
        const struct plan_change *change = &guess->changes[i];
        csv_text(csv, candidate_of(state, subject)->cell->name);
        csv_text(csv, case_of(state, subject));
        csv_text(csv, asked == NULL ? NULL : asked->text);
        csv_text(csv, guess->path);
        csv_text(csv, guess->evidence);
        csv_text(csv, guess->value);
        csv_text(csv, change->value);
        write_real(csv, asked != NULL, subject->figure);
        write_real(csv, change->measured, change->figure);
        write_real(csv, change->measured, change->moved);
        csv_text(csv, change->played ? plan_verdict_word(point_of(state, change)->verdict) : NULL);
        csv_boolean(csv, change->matters);
        csv_boolean(csv, change->flips);
        csv_end_row(csv);
    }
}

void plan_assumed_csv(const struct plan_state *state, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out,
              "candidate,failure,slo,path,evidence,value,changed,figure,figure_changed,moved,"
              "verdict,matters,flips");
    for (uint32_t i = 0; i < state->assumed->count; i++)
        for (uint32_t k = 0; k < state->assumed->subjects[i].count; k++)
            write_guess(&csv, state, &state->assumed->subjects[i],
                        &state->assumed->subjects[i].guesses[k]);
}
