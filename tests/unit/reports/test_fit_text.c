/* SPDX-License-Identifier: Apache-2.0
 * test_fit_text - the first answer to an incident in each form, and lists at their limits. */
#include "reports/incident/fit_text.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct triage_suspect suspects[] = {{.device = "host1"},
                                           {.device = "host3", .since = "2026-01-02 03:04"}};
static const struct triage triage = {.suspects = suspects, .suspect_count = 2};

/* A slow receiver that explains the counters, then the traffic alone. */
static struct fit *fit_of(uint32_t count)
{
    struct fit *fit = memory_zeroed(1, sizeof *fit);
    for (uint32_t i = 0; i < FIT_HYPOTHESES_MAX; i++)
        fit->hypotheses[i] = (struct fit_hypothesis){.kind = FIT_SLOW_HOST,
                                                     .words = "slow receiver at host3",
                                                     .magnitude = "drains 9.8 of 25 Gb/s",
                                                     .device = "host3",
                                                     .set = "a=1",
                                                     .value = 9.8,
                                                     .share = 1,
                                                     .score = 10,
                                                     .ran = true,
                                                     .suspect = SIZE_MAX};
    fit->hypotheses[1] = (struct fit_hypothesis){.kind = FIT_NOTHING,
                                                 .words = "no fault",
                                                 .magnitude = "",
                                                 .set = "",
                                                 .share = 1,
                                                 .score = 8,
                                                 .ran = true,
                                                 .suspect = SIZE_MAX};
    fit->count = count;
    fit->runs = 1;
    fit->lasts = 2 * PS_PER_MS;
    fit->incident_s = 60;
    fit->events = 12000000;
    return fit;
}

static char *text_of(struct fit *fit, const struct triage *of, bool all)
{
    static char *text;
    static size_t length;
    FILE *out = memory_stream(&text, &length);
    fit_text(fit, of, all, out);
    memory_stream_end(out);
    return text;
}

/* What is printed from `from` up to `to`, which follows it. */
static void assert_part(struct fit *fit, const struct triage *of, bool all, const char *from,
                        const char *to, const char *wanted)
{
    char *text = text_of(fit, of, all);
    char *begin = strstr(text, from);
    assert_non_null(begin);
    char *end = strstr(begin, to);
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(begin, wanted);
    free(text);
}

static void assert_first(struct fit *fit, const struct triage *of, const char *wanted)
{
    assert_part(fit, of, false, "", "\n", wanted);
}

static void the_first_line_is_the_answer(void **state)
{
    (void)state;
    const struct triage overload = {.verdict = TRIAGE_OVERLOAD};
    const char *suspected =
        "Suspected: slow receiver at host3 (from the counters alone: a run with "
        "this fault matches the counters no better than a run without a fault)";
    struct fit *fit = fit_of(2);
    assert_first(fit, &triage, "Suspected: slow receiver at host3, drains 9.8 of 25 Gb/s");
    fit->confirmed = true;
    assert_first(fit, &triage, "Confirmed: slow receiver at host3, drains 9.8 of 25 Gb/s");
    fit->hypotheses[0].share = 0.25;
    fit->hypotheses[0].suspect = 1;
    assert_first(fit, &triage,
                 "Confirmed: slow receiver at host3, drains 9.8 of 25 Gb/s, during about 15 s of "
                 "the 60 s, first seen at 2026-01-02 03:04");
    fit->hypotheses[0].suspect = 0; /* its first sign has no date */
    fit->hypotheses[0].magnitude = "";
    assert_first(fit, &triage, "Confirmed: slow receiver at host3, during about 15 s of the 60 s");
    fit->confirmed = false;
    fit->hypotheses[0].score = 8.5; /* clearly better is more than one */
    assert_first(fit, &triage, suspected);
    fit->hypotheses[0].magnitude = "drains 9.8 of 25 Gb/s";
    fit->hypotheses[0].score = 9; /* just one */
    assert_first(fit, &triage, suspected);
    fit->hypotheses[0].score = 10;
    fit->hypotheses[0].ran = false;
    assert_first(fit, &triage, suspected);
    fit->hypotheses[0].ran = true;
    fit->count = 1; /* the traffic alone is no hypothesis */
    assert_first(fit, &triage, suspected);

    fit->hypotheses[0] = fit->hypotheses[1];
    const char *none = "No fault: no change of the fabric explains the counters better.";
    assert_first(fit, &triage, none);
    assert_first(fit, &overload,
                 "Overload: the traffic alone explains the counters, no fault is needed.");
    fit->hypotheses[0].kind = FIT_SLOW_HOST;
    fit->hypotheses[0].words = "slow";
    assert_first(fit, &overload,
                 "Suspected: slow (from the counters alone: a run with this fault matches the "
                 "counters no better than a run without a fault)");
    snprintf(fit->why, sizeof fit->why, "no traffic");
    for (uint32_t count = 0; count < 3; count++) {
        fit->count = count;
        char *text = text_of(fit, &triage, false);
        assert_string_equal(text, "Nothing was run: no traffic.\n\n");
        free(text);
    }
    free(fit);
}

static void hypotheses_that_explain_as_much_are_quoted(void **state)
{
    (void)state;
    struct fit *fit = fit_of(4);
    char *text = text_of(fit, &triage, false);
    assert_null(strstr(text, "as well"));
    assert_null(strstr(text, "Counters that"));
    free(text);
    fit->alike = 1;
    assert_part(fit, &triage, false, "Equally", "\n",
                "Equally good explanations of the counters: \"no fault\".");
    fit->alike = 2;
    assert_part(
        fit, &triage, false, "Equally", "\n",
        "Equally good explanations of the counters: \"no fault\", \"slow receiver at host3\".");
    fit->separator_count = 2;
    fit->separators[0] = (struct fit_separator){"host3", "p0", "rx", 5, 6, 7, 0};
    fit->separators[1] = (struct fit_separator){"leaf0", "p1", "tx", 8, 9, 10, 0};
    assert_part(
        fit, &triage, false, "Counters", "\nHyp",
        "Counters that best distinguish the best hypothesis from the next:\n"
        "     host3 p0 rx: 5 in the incident, 6 with the best hypothesis, 7 with the next\n"
        "     leaf0 p1 tx: 8 in the incident, 9 with the best hypothesis, 10 with the next\n");
    free(fit);
}

static void a_long_list_is_cut_behind_four(void **state)
{
    (void)state;
    const char *head = "Hypotheses, the best first, each with the score of its best run (0: all "
                       "counters agree; -: not run):\n";
    const char *row = "slow receiver at host3             drains 9.8 of 25 Gb/s\n";
    struct {
        uint32_t count;
        bool all;
        int shown;
        const char *rest;
    } rows[] = {{2, false, 2, ""},  {4, false, 4, ""},
                {4, true, 4, ""},   {5, false, 4, "     and 1 more (--all lists them)\n"},
                {5, true, 5, ""},   {6, false, 4, "     and 2 more (--all lists them)\n"},
                {12, true, 12, ""}, {12, false, 4, "     and 8 more (--all lists them)\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fit *fit = fit_of(rows[i].count);
        fit->hypotheses[3].ran = false;
        char wanted[2048];
        int used = snprintf(wanted, sizeof wanted, "%s", head);
        for (int n = 1; n <= rows[i].shown; n++)
            used += snprintf(wanted + used, sizeof wanted - (size_t)used, "%3d. %8s  %s", n,
                             n == 2   ? "8"
                             : n == 4 ? "-"
                                      : "10",
                             n == 2 ? "no fault                           \n" : row);
        snprintf(wanted + used, sizeof wanted - (size_t)used, "%s", rows[i].rest);
        assert_part(fit, &triage, rows[i].all, "Hypotheses", "\n1 run ", wanted);
        free(fit);
    }
}

static void remedies_have_shares_of_the_healthy_run(void **state)
{
    (void)state;
    struct fit *fit = fit_of(2);
    char head[256];
    snprintf(head, sizeof head, "%s     %-44s %7s  %14s  %10s\n",
             "Remedies, each simulated alone (traffic of the other hosts, relative to a run "
             "without a fault):\n",
             "remedy", "traffic", "lossless drops", "pause time");
    char *text = text_of(fit, &triage, false);
    assert_null(strstr(text, "Remedies"));
    free(text);
    fit->hypotheses[0].received = 50;
    fit->hypotheses[0].drops = 3;
    fit->hypotheses[0].paused_ps = PS_PER_MS / 2;
    fit->remedies[0] = (struct fit_remedy){
        .words = "no PFC", .ran = true, .received = 200, .drops = 4, .paused_ps = PS_PER_MS};
    fit->remedies[1] = (struct fit_remedy){.words = "moved"};
    fit->remedy_count = 2;
    fit->healthy_received = 100;
    char wanted[2][1024];
    for (int healthy = 0; healthy < 2; healthy++)
        snprintf(
            wanted[healthy], sizeof wanted[0],
            "%s     %-44s %7s  %14d  %7.2f ms\n     %-44s %7s  %14d  %7.2f ms\n     %-44s %s\n",
            head, "none", healthy ? "50%" : "-", 3, 0.5, "no PFC", healthy ? "200%" : "-", 4, 1.0,
            "moved", "could not be run");
    assert_part(fit, &triage, false, "Remedies", "\n1 run ", wanted[0]);
    fit->healthy_ran = true;
    assert_part(fit, &triage, false, "Remedies", "\n1 run ", wanted[1]);
    fit->healthy_received = 0;
    assert_part(fit, &triage, false, "Remedies", "\n1 run ", wanted[0]);
    free(fit);
}

static void the_end_counts_runs_and_events(void **state)
{
    (void)state;
    const char *assumed[] = {"PFC", "no ECN"};
    struct fit *fit = fit_of(2);
    assert_part(
        fit, &triage, false, "1 run ", "\nTriage",
        "1 run of 2.00 ms each represents the incident of 60 s; their counters are multiplied "
        "by 30000.\nThe runs took 12 million events (limit: 600 million).\n");
    fit->runs = 7;
    fit->is_cut = true;
    fit->assumptions = assumed;
    fit->assumption_count = 2;
    assert_part(
        fit, &triage, false, "7 run", "\nTriage",
        "7 runs of 2.00 ms each represent the incident of 60 s; their counters are multiplied "
        "by 30000.\nThe runs took 12 million events (limit: 600 million); unlikely "
        "suspects or fine steps of magnitudes were left out.\n"
        "Assumed: PFC\n     no ECN\n");
    char *text = text_of(fit, &triage, false);
    assert_non_null(strstr(text, "\n\nTriage from the counters alone, without a run:\n"));
    free(text);
    free(fit);
}

/* ---- tables and JSON ---- */

static char *filled(char letter, size_t count)
{
    char *text = memory_zeroed(count + 1, 1);
    memset(text, letter, count);
    return text;
}

static void each_hypothesis_is_a_row(void **state)
{
    (void)state;
    struct fit *fit = fit_of(4);
    fit->confirmed = true;
    fit->alike = 1;
    fit->hypotheses[0].port = "host3:p0";
    fit->hypotheses[3].ran = false;
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    fit_csv(fit, out);
    memory_stream_end(out);
    char wanted[1024];
    const char *kind = fit_kind_name(FIT_SLOW_HOST), *none = fit_kind_name(FIT_NOTHING);
    snprintf(wanted, sizeof wanted,
             "kind,device,port,score,value,share,magnitude,confirmed,alike,words,set\n"
             "%s,host3,host3:p0,10,9.8,1,drains 9.8 of 25 Gb/s,1,0,slow receiver at host3,a=1\n"
             "%s,,,8,,1,,0,1,no fault,\n"
             "%s,host3,,10,9.8,1,drains 9.8 of 25 Gb/s,0,0,slow receiver at host3,a=1\n"
             "%s,host3,,,,,drains 9.8 of 25 Gb/s,0,0,slow receiver at host3,a=1\n",
             kind, none, kind, kind);
    assert_string_equal(text, wanted);
    free(text);
    free(fit);
}

static char *json_of(struct fit *fit)
{
    char *text = NULL;
    size_t length = 0;
    struct json json;
    FILE *out = memory_stream(&text, &length);
    json_begin(&json, out);
    fit_json(fit, &json);
    json_end(&json);
    memory_stream_end(out);
    return text;
}

static void each_hypothesis_is_an_object(void **state)
{
    (void)state;
    struct fit *fit = fit_of(3);
    char *sets[2] = {filled('s', 120), filled('t', 121)}, wanted[1024];
    fit->confirmed = true;
    fit->alike = 1;
    fit->hypotheses[0].set = sets[0];
    fit->hypotheses[0].suspect = 0;
    fit->hypotheses[2].set = sets[1]; /* too long to be read in a list */
    fit->healthy_ran = true;
    fit->healthy_received = 77;
    char *text = json_of(fit);
    const char *kind = fit_kind_name(FIT_SLOW_HOST), *none = fit_kind_name(FIT_NOTHING);
    snprintf(wanted, sizeof wanted,
             "\"not_fitted\": null,\n \"hypotheses\": [\n  {\"kind\": \"%s\", \"words\": \"slow "
             "receiver at host3\", \"device\": \"host3\", \"port\": null, \"confirmed\": true, "
             "\"alike\": false, \"score\": 10.0, \"value\": 9.8, \"share\": 1.0, \"measured\": "
             "false, \"magnitude\": \"drains 9.8 of 25 Gb/s\", \"set\": \"%s\", \"suspect\": 0},\n",
             kind, sets[0]);
    assert_non_null(strstr(text, wanted));
    snprintf(wanted, sizeof wanted,
             "{\"kind\": \"%s\", \"words\": \"no fault\", \"device\": null, \"port\": null, "
             "\"confirmed\": false, \"alike\": true, \"score\": 8.0, \"value\": null, \"share\": "
             "1.0, \"measured\": false, \"magnitude\": null, \"set\": \"\", \"suspect\": null},\n",
             none);
    assert_non_null(strstr(text, wanted));
    assert_non_null(strstr(text, "\"confirmed\": false, \"alike\": false, \"score\": 10.0, "
                                 "\"value\": 9.8, \"share\": 1.0, \"measured\": false, "
                                 "\"magnitude\": \"drains 9.8 of 25 "
                                 "Gb/s\", \"set\": \"\", \"suspect\": null}],\n"));
    snprintf(wanted, sizeof wanted,
             "\"remedies\": [],\n \"healthy_received_bytes\": 77,\n \"runs\": 1,\n \"events\": "
             "12000000,\n \"events_most\": 600000000,\n \"budget_spent\": false,\n \"run_ps\": "
             "2000000000,\n \"assumptions\": []}\n");
    assert_non_null(strstr(text, wanted));
    free(text);
    snprintf(fit->why, sizeof fit->why, "no traffic");
    text = json_of(fit);
    assert_non_null(strstr(text, "\"not_fitted\": \"no traffic\","));
    free(text);
    for (int i = 0; i < 2; i++)
        free(sets[i]);
    free(fit);
}

static void the_scenario_changes_a_fabric(void **state)
{
    (void)state;
    struct fit *fit = fit_of(2);
    const char *set[] = {"hosts.odd.rnic.drain=9.8Gbps", "seed=a=b"};
    fit->sets = set;
    fit->set_count = 2;
    for (int magnitude = 0; magnitude < 2; magnitude++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = memory_stream(&text, &length);
        if (magnitude == 0)
            fit->hypotheses[0].magnitude = "";
        else
            fit->hypotheses[0].magnitude = "drains half";
        fit_scenario(fit, "a \"b\".yaml", out);
        memory_stream_end(out);
        char wanted[1024];
        snprintf(wanted, sizeof wanted,
                 "# slow receiver at host3%s, fitted to 60 s of counters.\n"
                 "# stormglass run fitted.yaml --until 2000us -o fitted.db\n"
                 "# stormglass diff incident.json fitted.db --lasted 60s\n"
                 "stormglass: 1\nname: fitted\nscenario: \"a \\\"b\\\".yaml\"\nset:\n"
                 "  - {\"hosts.odd.rnic.drain\": 9.8Gbps}\n  - {\"seed\": a=b}\n",
                 magnitude == 0 ? "" : ", drains half");
        assert_string_equal(text, wanted);
        free(text);
    }
    free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_the_answer),
        cmocka_unit_test(hypotheses_that_explain_as_much_are_quoted),
        cmocka_unit_test(a_long_list_is_cut_behind_four),
        cmocka_unit_test(remedies_have_shares_of_the_healthy_run),
        cmocka_unit_test(the_end_counts_runs_and_events),
        cmocka_unit_test(each_hypothesis_is_a_row),
        cmocka_unit_test(each_hypothesis_is_an_object),
        cmocka_unit_test(the_scenario_changes_a_fabric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
