/* SPDX-License-Identifier: Apache-2.0
 * confirm - combines the causes from evidence with the results of the experiment. */
#include "replay/experiment/confirm.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "replay/database/words.h"
#include "replay/experiment/confirm_private.h"
#include "replay/experiment/experiment.h"
#include "replay/experiment/measure.h"
#include "replay/experiment/prove.h"
#include "replay/harm/severity.h"
#include "scenarios/data/fault.h"
#include "scenarios/deviation/deviation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_LEAST = 4 }; /* the unchanged run, without one suspect, and two for the attribution */
static const int64_t worth_telling = PPM * 3 / 100;

struct ruling {
    const struct scenario *scenario;
    const struct trial_base *base;
    const struct prove *prove;
    struct harm *harm;         /* causes from evidence; later combined with the experiment */
    struct harm_cause *causes; /* array of HARM_CAUSES_MAX */
    uint32_t cause_count;
    struct bottleneck *limits; /* by workload, without the confirmed causes */
    struct confirm_places *places;
};

/* ------------------------------------------------------------------ tested suspects */

static bool begins_with(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 && (text[length] == '\0' || text[length] == '.');
}

static bool is_of(const struct ruling *ruling, const struct prove_row *row,
                  const struct harm_cause *cause)
{
    const struct trial_change *repair = &row->repair;
    if (strcmp(cause->name, row->name) == 0)
        return true;
    if (repair->kind != TRIAL_RESTORE_SETTING || cause->suspect != HARM_SETTING)
        return false;
    return !repair->written &&
           begins_with(cause->name, ruling->base->deviations.list[repair->setting].entry);
}

/* A setting that all devices share was replaced by its default; other values were not tested. */
static bool has_more_words(const struct ruling *ruling, const struct prove_row *row)
{
    const struct trial_change *repair = &row->repair;
    return repair->kind == TRIAL_RESTORE_SETTING && repair->written &&
           ruling->base->written.list[repair->setting].changes[0].row->type == OPT_CHOICE;
}

static bool is_tried(const struct ruling *ruling, const struct harm_cause *cause)
{
    for (uint32_t i = 0; i < ruling->prove->row_count; i++) {
        const struct prove_row *row = &ruling->prove->rows[i];
        if (prove_is_broken(row) && !row->unplayed && !has_more_words(ruling, row) &&
            is_of(ruling, row, cause))
            return true;
    }
    return false;
}

/* The cause from evidence is the suspect itself, or a slow host whose drain limit the repair
 * removes. */
static bool is_same(const struct harm_cause *cause, const struct prove_row *row)
{
    return begins_with(cause->name, row->name) ||
           (row->repair.kind == TRIAL_RESTORE_DRAIN && cause->node != NULL &&
            strcmp(cause->node, row->name) == 0 && strcmp(cause->kind, "slow-host") == 0);
}

static const struct harm_cause *named_by_account(const struct ruling *ruling,
                                                 const struct prove_row *row)
{
    for (uint32_t i = 0; i < ruling->harm->cause_count; i++)
        if (is_same(&ruling->harm->causes[i], row))
            return &ruling->harm->causes[i];
    return NULL;
}

/* ------------------------------------------------------------------ confirmed */

static const struct harm_victim *victim_by_evidence(const struct harm_cause *cause,
                                                    const struct prove_host *host)
{
    for (uint32_t i = 0; i < cause->victim_count; i++)
        if (cause->victims[i].workload == host->workload && cause->victims[i].node == host->host)
            return &cause->victims[i];
    return NULL;
}

/* The nearer of what evidence says and of the path to what the repair changes: at the end of a run
 * with a failure, traffic takes other paths than before. The load of a neighbor meets its
 * victims. */
static enum harm_class victim_class(const struct ruling *ruling, const struct trial_change *repair,
                                    const struct prove_host *host, const struct harm_victim *seen)
{
    if (seen != NULL && (repair == NULL || seen->class == HARM_DIRECT))
        return seen->class;
    const enum harm_class class =
        repair == NULL ? HARM_DIRECT
                       : confirm_class(ruling->places, repair, host->workload, host->host);
    return seen != NULL && seen->class < class ? seen->class : class;
}

/* Replaces the victims by evidence with those that the experiment measured. Evidence still says how
 * a victim meets the cause and how long its path was paused. `repair`: of the cause; NULL for the
 * load of a neighbor, whose frames meet those of victims. */
static void add_victims(const struct ruling *ruling, const struct prove_hosts *hosts,
                        const struct trial_change *repair, struct harm_cause *cause)
{
    const struct harm_cause before = *cause;
    cause->victim_count = 0;
    for (uint32_t i = 0; i < hosts->count && i < PROVE_HOSTS_MAX; i++) {
        const struct prove_host *host = &hosts->list[i];
        const struct harm_victim *seen = victim_by_evidence(&before, host);
        cause->victims[cause->victim_count++] =
            (struct harm_victim){.workload = host->workload,
                                 .node = host->host,
                                 .host = ruling->scenario->nodes[host->host].name,
                                 .class = victim_class(ruling, repair, host, seen),
                                 .lost = loss_share(&host->loss),
                                 .failed = host->loss.failed > 0 ? host->loss.failed : 0,
                                 .paused = seen == NULL ? 0 : seen->paused};
    }
    cause->victims_in_all = hosts->count;
}

static const struct scenario_spot *only_spot(const struct ruling *ruling,
                                             const struct trial_change *repair)
{
    const struct deviations *list =
        repair->written ? &ruling->base->written : &ruling->base->deviations;
    if (repair->kind == TRIAL_REMOVE_FAULT) {
        const struct scenario_fault *fault = &ruling->scenario->faults[repair->fault];
        return fault->spot_count == 1 ? &fault->spots[0] : NULL;
    }
    if (repair->kind != TRIAL_RESTORE_SETTING)
        return NULL;
    const struct deviation *deviation = &list->list[repair->setting];
    return deviation->change_count == 1 && deviation->changes[0].spot.node != SCENARIO_NOWHERE
               ? &deviation->changes[0].spot
               : NULL;
}

/* The cause from evidence in the same entry; NULL: none. */
static const struct harm_cause *evidence_of(const struct ruling *ruling,
                                            const struct prove_row *row)
{
    for (uint32_t i = 0; i < ruling->harm->cause_count; i++)
        if (is_of(ruling, row, &ruling->harm->causes[i]))
            return &ruling->harm->causes[i];
    return NULL;
}

/* The kind of a fault, or for a setting the kind of the cause from evidence. */
static const char *kind_of(const struct ruling *ruling, const struct prove_row *row,
                           const struct harm_cause *evidence)
{
    return row->repair.kind == TRIAL_REMOVE_FAULT
               ? ruling->scenario->faults[row->repair.fault].ops->name
           : evidence != NULL ? evidence->kind
                              : "odd-setting";
}

/* The effect of the entry in the sentence of the cause from evidence: "; the I/O of w ...". */
static const char *seen_words(const struct harm_cause *evidence)
{
    const char *seen = evidence == NULL || evidence->suspect != HARM_SETTING
                           ? NULL
                           : strstr(evidence->sentence, "; ");
    return seen == NULL ? "" : seen;
}

static void make_cause(const struct ruling *ruling, const struct prove_row *row,
                       struct harm_cause *cause)
{
    char words[PROVE_WORDS_BYTES + 64];
    const struct harm_cause *evidence = evidence_of(ruling, row);
    const char *seen = seen_words(evidence);
    const struct scenario_spot *spot = only_spot(ruling, &row->repair);
    *cause =
        (struct harm_cause){.kind = kind_of(ruling, row, evidence),
                            .suspect = row->repair.kind == TRIAL_REMOVE_FAULT    ? HARM_FAULT
                                       : row->repair.kind == TRIAL_RESTORE_DRAIN ? HARM_HOST
                                                                                 : HARM_SETTING,
                            .node = spot == NULL ? NULL : ruling->scenario->nodes[spot->node].name,
                            .priority = -1,
                            .root = HARM_NONE};
    snprintf(cause->name, sizeof cause->name, "%.*s", (int)sizeof cause->name - 1, row->name);
    trial_cause_words(&row->repair, ruling->base, words, sizeof words);
    snprintf(cause->sentence, sizeof cause->sentence, "%.*s%.*s", (int)words_fit(words, 230), words,
             (int)words_fit(seen, 230), seen);
    add_victims(ruling, &row->hosts, &row->repair, cause);
}

/* The weight of a cause among others. */
static double weight_of(const struct prove *prove, const struct prove_row *row)
{
    const double gone = prove_gone(prove, &prove->before, &row->after);
    const double own = (double)row->harm.permille / 1000;
    const double most = row->harmful && own > gone ? own : gone;
    return most > 0.01 ? most : 0.01;
}

/* One of several causes is reported if it costs a member a quarter of its time or explains a tenth
 * of the total loss. A fault is never intended: it is reported if it harms a member at all. What
 * all objects share may be intended: its part of the total is no reason to report it. */
static bool is_worth_telling(const struct prove *prove, const struct prove_row *row)
{
    const bool fault = row->repair.kind == TRIAL_REMOVE_FAULT;
    return prove->culprits == 1 ||
           (row->harmful &&
            (row->harm.counted || experiment_is_ruined(row->harm.permille) || fault)) ||
           (!row->for_all && prove_gone(prove, &prove->before, &row->after) >= 0.1);
}

static void confirm_row(struct ruling *ruling, const struct prove_row *row)
{
    /* evidence gives the common value, which is not what equal shares were set to */
    const struct harm_cause *named = row->repair.even ? NULL : named_by_account(ruling, row);
    if (ruling->cause_count == HARM_CAUSES_MAX)
        return;
    struct harm_cause *cause = &ruling->causes[ruling->cause_count++];
    char effect[300];
    if (named != NULL)
        *cause = *named;
    else
        make_cause(ruling, row, cause);
    /* frames may be lost without a delay that counts */
    if (named != NULL && (row->hosts.count > 0 || ruling->prove->culprits > 1))
        add_victims(ruling, &row->hosts, &row->repair, cause);
    confirm_effect_words(ruling->prove, ruling->base, row, effect, sizeof effect);
    const size_t used = strlen(cause->sentence);
    snprintf(cause->sentence + used, sizeof cause->sentence - used, "; %s", effect);
    cause->sure = cause->confirmed = true;
    cause->share = (int64_t)(weight_of(ruling->prove, row) * (double)PPM);
}

static int by_share(const void *a, const void *b)
{
    const struct harm_cause *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Shares of the sum of the effects. */
static void share_out(struct ruling *ruling)
{
    int64_t all = 0;
    for (uint32_t i = 0; i < ruling->cause_count; i++)
        all += ruling->causes[i].share;
    for (uint32_t i = 0; i < ruling->cause_count && all > PPM; i++)
        ruling->causes[i].share = (int64_t)((__int128)ruling->causes[i].share * PPM / all);
    if (ruling->cause_count > 1)
        qsort(ruling->causes, ruling->cause_count, sizeof *ruling->causes, by_share);
}

/* ------------------------------------------------------------------ suspected */

/* Keeps causes from evidence that were not tested. */
static void keep_suspected(struct ruling *ruling)
{
    const struct prove *prove = ruling->prove;
    const bool any = prove->culprits > 0;
    const double left = any ? 1 - prove_gone(prove, &prove->before, &prove->after) : 1;
    const int64_t most = left > 0 ? (int64_t)(left * (double)PPM) : 0;
    for (uint32_t i = 0; i < ruling->harm->cause_count; i++) {
        struct harm_cause cause = ruling->harm->causes[i];
        if (is_tried(ruling, &cause) || ruling->cause_count == HARM_CAUSES_MAX)
            continue;
        cause.share = cause.share < most ? cause.share : most;
        cause.sure &= !any;
        if (!any || cause.share >= worth_telling)
            ruling->causes[ruling->cause_count++] = cause;
    }
}

/* ------------------------------------------------------------------ a noisy neighbor */

static uint32_t first_of_load(const struct ruling *ruling)
{
    uint32_t i = 0;
    while (i < ruling->cause_count && ruling->causes[i].suspect != HARM_LOAD)
        i++;
    return i;
}

/* Replaces what the evidence says of the load. */
static void confirm_neighbor(struct ruling *ruling)
{
    const struct prove_neighbor *neighbor = &ruling->prove->neighbor;
    const uint32_t at = first_of_load(ruling);
    struct harm_cause *cause = &ruling->causes[at];
    char member[200], change[120] = "";
    if (at == HARM_CAUSES_MAX)
        return;
    if (at == ruling->cause_count)
        ruling->cause_count++;
    *cause = (struct harm_cause){.kind = "neighbour",
                                 .suspect = HARM_LOAD,
                                 .priority = -1,
                                 .root = HARM_NONE,
                                 .share = PPM,
                                 .sure = true,
                                 .confirmed = true};
    snprintf(cause->name, sizeof cause->name, "%s",
             ruling->scenario->workloads[neighbor->workload].name);
    if (neighbor->p99_after_ps > 0 && neighbor->p99_after_ps < neighbor->p99_before_ps)
        snprintf(change, sizeof change, ", and p99 falls from %s to %s",
                 words_time(neighbor->p99_before_ps).text, words_time(neighbor->p99_after_ps).text);
    snprintf(cause->sentence, sizeof cause->sentence,
             SCENARIO_WORKLOAD_WORDS
             " keeps %.100s busy; without its load, the I/O of %.150s takes %s less "
             "time%.50s",
             cause->name, neighbor->where,
             confirm_member_words(ruling->scenario, &neighbor->harm, member),
             words_percent((double)neighbor->harm.permille, 1000).text, change);
    add_victims(ruling, &neighbor->hosts, NULL, cause);
    if (ruling->prove->culprits > 0) {
        cause->share = neighbor->harm.permille * (PPM / 1000);
        share_out(ruling);
    }
}

/* ------------------------------------------------------------------ severity */

static void count_hosts(struct ruling *ruling)
{
    const struct prove *prove = ruling->prove;
    ruling->harm->lost_ps = prove->hosts.lost_ps + prove->neighbor.hosts.lost_ps;
    ruling->harm->victims = prove->hosts.distinct + prove->neighbor.hosts.distinct;
}

/* What these hosts lost, of the time of all workloads and their hosts. */
static struct severity_loss loss_of(const struct prove *prove, const struct prove_hosts *hosts)
{
    struct severity_loss loss = {.of_all = share_ppm(hosts->lost_ps, prove->time_ps)};
    for (uint32_t i = 0; i < hosts->count && i < PROVE_HOSTS_MAX; i++)
        loss.of_one = max_i64(loss.of_one, loss_share(&hosts->list[i].loss));
    return loss;
}

static void confirm_severity(struct ruling *ruling)
{
    const struct prove *prove = ruling->prove;
    struct severity_loss loss = loss_of(prove, &prove->hosts);
    loss.inactive = prove->before.inactive > prove->after.inactive;
    ruling->harm->severity = severity_of(ruling->harm, &loss, HARM_SLIGHT);
    count_hosts(ruling);
}

/* Reduces the severity if experiments ruled out the causes that it was based on. */
static void acquit_severity(struct ruling *ruling)
{
    struct harm *harm = ruling->harm;
    bool blamed = false;
    for (uint32_t i = 0; i < ruling->cause_count; i++)
        blamed |= ruling->causes[i].suspect != HARM_LOAD;
    if (!blamed && harm->failed_operations == 0 && harm->lossless_drops == 0 &&
        harm->severity > HARM_SLIGHT)
        harm->severity = ruling->cause_count > 0 ? HARM_SLIGHT : HARM_NOTHING;
    if (ruling->cause_count == 0 && harm->failed_operations == 0 && harm->lossless_drops == 0)
        harm->severity = HARM_NOTHING;
    if (harm->severity == HARM_NOTHING)
        harm->lost_ps = harm->victims = 0;
}

static void neighbor_severity(struct ruling *ruling)
{
    struct harm *harm = ruling->harm;
    const struct severity_loss loss = loss_of(ruling->prove, &ruling->prove->neighbor.hosts);
    const enum harm_severity severity = severity_of(harm, &loss, HARM_MODERATE);
    harm->severity = severity > harm->severity ? severity : harm->severity;
    count_hosts(ruling);
}

/* ------------------------------------------------------------------ combination */

static void rule(struct ruling *ruling)
{
    const struct prove *prove = ruling->prove;
    struct harm *harm = ruling->harm;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].culprit && is_worth_telling(prove, &prove->rows[i]))
            confirm_row(ruling, &prove->rows[i]);
    for (uint32_t i = 0; i < prove->row_count && ruling->cause_count == 0; i++)
        if (prove->rows[i].culprit)
            confirm_row(ruling, &prove->rows[i]);
    share_out(ruling);
    keep_suspected(ruling);
    if (prove->culprits > 0)
        confirm_severity(ruling);
    else
        acquit_severity(ruling);
    if (prove->neighbor.found) {
        confirm_neighbor(ruling);
        neighbor_severity(ruling);
    }
    free(harm->causes);
    harm->causes = ruling->causes;
    harm->cause_count = ruling->cause_count;
    harm->runs = prove->runs;
    harm->untold[0] = '\0';
    severity_words(harm);
}

static bool has_suspects(const struct trial_base *base)
{
    return base->scenario->fault_count + base->deviations.count + base->written.count +
               base->remedies.count >
           0;
}

void confirm_judge(void *self, const struct scenario *scenario, time_ps until, uint64_t events,
                   struct result *result)
{
    struct confirm *confirm = self;
    const uint64_t runs = events == 0 ? 0 : confirm->events / events;
    struct trial_base base;
    if (runs < RUNS_LEAST)
        return;
    struct confirm_places places = {.scenario = scenario, .base = &base};
    struct ruling ruling = {
        .scenario = scenario,
        .base = &base,
        .places = &places,
        .harm = &result->harm,
        .limits = memory_zeroed((size_t)result->workload_count + 1, sizeof *ruling.limits)};
    char digest[DIGEST_TEXT_BYTES];
    digest_format(&result->digest, digest);
    const struct prove_question question = {.base = &base,
                                            .until = until,
                                            .digest = digest,
                                            .events_most = confirm->events,
                                            .limits = ruling.limits,
                                            .runs_most =
                                                runs < UINT32_MAX ? (uint32_t)runs : UINT32_MAX};
    trial_base_find(&base, scenario);
    struct prove *prove = memory_zeroed(1, sizeof *prove);
    struct diag *diag = memory_new(sizeof *diag);
    ruling.prove = prove;
    if ((has_suspects(&base) || prove_may_have_neighbor(result)) &&
        prove_ask(prove, &question, diag) == PROVE_DONE) {
        ruling.causes = memory_zeroed(HARM_CAUSES_MAX, sizeof *ruling.causes);
        rule(&ruling);
        confirm_replace_limits(prove, ruling.limits, result);
    }
    confirm->crashed |= prove->crashed;
    free(diag);
    free(prove);
    free(ruling.limits);
    confirm_places_free(&places);
    trial_base_free(&base);
}
