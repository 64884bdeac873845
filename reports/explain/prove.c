/* SPDX-License-Identifier: Apache-2.0
 * prove - results of the experiments, as text and JSON. */
#include "reports/explain/account.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/harm/severity.h"
#include "reports/text/json_members.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HOSTS_SHOWN = 16 };

static struct words share_of(const struct prove *prove, const struct prove_impact *before,
                             const struct prove_impact *after)
{
    return words_percent(prove_gone(prove, before, after), 1);
}

static void write_count(const char *what, int64_t before, int64_t after, FILE *out)
{
    if (before > 0 || after > 0)
        fprintf(out, "; %s %s -> %s", what, words_count(before).text, words_count(after).text);
}

static void write_time(const struct prove *prove, const struct prove_impact *before,
                       const struct prove_impact *after, FILE *out)
{
    const int64_t gone = before->lost_ps - after->lost_ps;
    const char *less = gone < 0 ? "more" : "less";
    const double part = (double)(gone < 0 ? -gone : gone);
    if (!prove->repaired) { /* without an ideal run there is no loss */
        fprintf(out, "the I/O of the other workloads takes %s %s time (%s)",
                words_percent(part, (double)before->whole_ps).text, less,
                words_time(gone < 0 ? -gone : gone).text);
        return;
    }
    fprintf(out, "delay %s -> %s, ", words_time(before->lost_ps).text,
            words_time(after->lost_ps).text);
    if (before->lost_ps == 0)
        fputs(gone == 0 ? "no change" : "new delay", out);
    else
        fprintf(out, "%s %s", words_percent(part, (double)before->lost_ps).text, less);
}

static void write_change(const struct prove *prove, const struct prove_impact *before,
                         const struct prove_impact *after, FILE *out)
{
    write_time(prove, before, after, out);
    if (before->stopped_ps > 0 || after->stopped_ps > 0)
        fprintf(out, "; pause time %s -> %s", words_time(before->stopped_ps).text,
                words_time(after->stopped_ps).text);
    if (before->done > 0)
        fprintf(out, "; completed operations %s -> %s; p99 %s -> %s",
                words_count(before->done).text, words_count(after->done).text,
                words_time(before->p99_ps).text, words_time(after->p99_ps).text);
    write_count("failed operations", before->failed, after->failed, out);
    write_count("idle host-target pairs", before->inactive, after->inactive, out);
    write_count("dropped lossless frames", before->lossless_drops, after->lossless_drops, out);
    write_count("dropped frames", before->drops, after->drops, out);
    fputc('\n', out);
}

static void write_row(const struct prove *prove, const struct prove_row *row, FILE *out)
{
    fprintf(out, "  %-9s  %s%s\n             ", row->role == PROVE_SUSPECT ? "suspect" : "workload",
            row->text, row->cause ? " (a root cause)" : "");
    if (row->tier == PROVE_NAMED)
        fputs("not repaired: without the other suspects, this one delays each workload by less "
              "than 5% of its I/O time\n",
              out);
    else if (row->tier > PROVE_ODD)
        fputs("not repaired: this setting may be intended, and the other causes explain the harm\n",
              out);
    else if (row->unplayed)
        fputs("not tested: the run without this suspect failed\n", out);
    else
        write_change(prove, &row->before, &row->after, out);
    if (row->worse)
        fputs("             not repaired: the repair adds more delay than it removes\n", out);
}

static void write_failures(int64_t failed, int64_t inactive, FILE *out)
{
    if (failed > 0)
        fprintf(out, "; %s %s failed", words_count(failed).text,
                plural(failed, "operation", "operations"));
    if (inactive > 0)
        fprintf(out, "; %s %s did no I/O", words_count(inactive).text,
                plural(inactive, "host-target pair", "host-target pairs"));
}

static void write_victims(const struct prove *prove, FILE *out)
{
    for (uint32_t i = 0; i < prove->victim_count && i < PROVE_VICTIMS_MAX; i++) {
        const struct prove_victim *victim = &prove->victims[i];
        fprintf(out,
                "  %-9s  I/O of " SCENARIO_WORKLOAD_WORDS
                " was delayed by %s in total, %s of its I/O time",
                "victim", victim->name, words_time(victim->lost_ps).text,
                words_percent((double)victim->lost_ps, (double)victim->under_way_ps).text);
        write_failures(victim->failed, victim->inactive, out);
        fputc('\n', out);
    }
    if (prove->victim_count > PROVE_VICTIMS_MAX)
        fprintf(out, "             ... and %" PRIu32 " more %s\n",
                prove->victim_count - PROVE_VICTIMS_MAX,
                plural(prove->victim_count - PROVE_VICTIMS_MAX, "workload", "workloads"));
}

static void write_hosts(const struct prove *prove, FILE *out)
{
    for (uint32_t i = 0; i < prove->hosts.count && i < HOSTS_SHOWN; i++) {
        const struct prove_host *host = &prove->hosts.list[i];
        fprintf(out, "  %-9s  " SCENARIO_WORKLOAD_WORDS " at %s lost %s of its I/O time to delay",
                i == 0 ? "by host" : "", host->of, host->name,
                words_percent((double)host->loss.lost_ps, (double)host->loss.whole_ps).text);
        write_failures(host->loss.failed, host->loss.inactive, out);
        fputc('\n', out);
    }
    if (prove->hosts.count > HOSTS_SHOWN)
        fprintf(out, "             ... and %" PRIu32 " more\n", prove->hosts.count - HOSTS_SHOWN);
}

/* ------------------------------------------------------------------ verdict */

static const char *loss_words(const struct prove *prove)
{
    static const char *const words[] = {
        [PROVE_BY_NOTHING] = "harm",
        [PROVE_BY_TIME] = "delay",
        [PROVE_BY_FAILED] = "failed operations",
        [PROVE_BY_INACTIVE] = "idle host-target pairs",
        [PROVE_BY_DROPS] = "dropped lossless frames",
    };
    return words[prove->by];
}

/* A repair may also make the harm of the other causes worse. */
static void write_gone(const struct prove *prove, const struct prove_row *row, FILE *out)
{
    const double gone = prove_gone(prove, &row->before, &row->after);
    if (gone < 0)
        fprintf(out, "this change alone adds %s to the harm", words_percent(-gone, 1).text);
    else
        fprintf(out, "this change alone removes %s of the harm", words_percent(gone, 1).text);
}

static void say_set(const struct prove *prove, FILE *out)
{
    const bool several = prove->culprits > 1;
    const char *between = "proved: ";
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (!row->culprit)
            continue;
        fprintf(out, "%s%s%s", between, row->text, row->cause ? " (a root cause)" : "");
        const bool alone = row->harmful && row->harm.permille > 0;
        fputs(several || alone ? " (" : "", out);
        if (several)
            write_gone(prove, row, out);
        if (alone)
            fprintf(out, "%sthis cause alone costs a workload %s of its I/O time",
                    several ? "; " : "", words_percent((double)row->harm.permille, 1000).text);
        fputs(several || alone ? ")" : "", out);
        between = ";\n  and ";
    }
    fprintf(out, "%s %s of the %s",
            several ? ";\n  together, these changes remove" : ": this change removes",
            share_of(prove, &prove->before, &prove->after).text, loss_words(prove));
}

static uint32_t broken_rows(const struct prove *prove)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < prove->row_count; i++)
        count += prove_is_broken(&prove->rows[i]);
    return count;
}

static void say_harm(const struct prove *prove, FILE *out)
{
    const struct {
        int64_t count;
        const char *one, *many, *what;
    } harms[] = {
        {prove->all.failed + prove->unfinished, "operation", "operations",
         "failed or never completed"},
        {prove->all.inactive, "host-target pair", "host-target pairs", "did no I/O"},
        {prove->all.lossless_drops, "lossless frame was", "lossless frames were", "dropped"},
    };
    const char *between = "not proved: ";
    for (size_t i = 0; i < sizeof harms / sizeof harms[0]; i++) {
        if (harms[i].count == 0)
            continue;
        fprintf(out, "%s%s %s %s", between, words_count(harms[i].count).text,
                plural(harms[i].count, harms[i].one, harms[i].many), harms[i].what);
        between = ", ";
    }
}

/* The workload whose absence gains the others most time. */
static void say_load(const struct prove *prove, FILE *out)
{
    enum { LEAST_PERCENT = 5 };
    const struct prove_row *best = NULL;
    double most = LEAST_PERCENT / 100.0;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        const double gone = prove_gone(prove, &row->before, &row->after);
        if (!prove_is_broken(row) && !row->unplayed && gone >= most) {
            best = row;
            most = gone;
        }
    }
    if (best != NULL)
        fprintf(out,
                ";\n  without " SCENARIO_WORKLOAD_WORDS
                ", the I/O of the other workloads takes %s less time",
                best->name, share_of(prove, &best->before, &best->after).text);
}

static void say_unproved(const struct prove *prove, FILE *out)
{
    const struct prove_impact *all = &prove->all;
    const bool harm =
        all->failed > 0 || prove->unfinished > 0 || all->inactive > 0 || all->lossless_drops > 0;
    const uint32_t broken = broken_rows(prove);
    if (harm)
        say_harm(prove, out);
    if (prove->chance) {
        fprintf(out,
                "%s the suspects delay I/O in this run, but not if the workloads\n"
                "  start a few nanoseconds later: the delay is due to chance",
                harm ? ";" : "not proved:");
        return;
    }
    if (harm && broken > 0)
        fprintf(out, "; removing the %" PRIu32 " tested %s does not prevent this", broken,
                plural(broken, "suspect", "suspects"));
    else if (broken > 0)
        fprintf(out, "no harm: no workload loses 5%% of its I/O time to the %" PRIu32 " tested %s",
                broken, plural(broken, "suspect", "suspects"));
    else
        fprintf(out,
                "%s the scenario has no fault, no slow host, and no setting that differs "
                "from its peers",
                harm ? "; no suspect to test:" : "nothing to test:");
    say_load(prove, out);
}

static void say_verdict(const struct prove *prove, FILE *out)
{
    if (prove->culprits > 0)
        say_set(prove, out);
    else
        say_unproved(prove, out);
}

static void write_left_out(const struct prove *prove, FILE *out)
{
    if (prove->left_out > 0)
        fprintf(out, "  %" PRIu32 " more %s with weaker evidence %s not tested\n", prove->left_out,
                plural(prove->left_out, "suspect", "suspects"),
                plural(prove->left_out, "was", "were"));
}

void prove_text(const struct prove *prove, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sProof%s\n", paint->bold, paint->off);
    fprintf(out, "  %" PRIu32 " %s, each without one suspect or workload; %s\n", prove->runs,
            plural(prove->runs, "run", "runs"),
            prove->repaired
                ? "delay = extra latency,\n"
                  "  compared with the run without any suspect, summed over I/Os; I/Os of a host "
                  "overlap, so the sum exceeds the delay under Harm"
                : "compared with the original run");
    write_victims(prove, out);
    write_hosts(prove, out);
    for (uint32_t i = 0; i < prove->row_count; i++)
        write_row(prove, &prove->rows[i], out);
    write_left_out(prove, out);
    fputs("  ", out);
    say_verdict(prove, out);
    fputc('\n', out);
}

/* ------------------------------------------------------------------ JSON */

static void write_impact(struct json *json, const char *at, const char *name,
                         const struct prove_impact *impact)
{
    const struct {
        const char *name;
        int64_t value;
    } members[] = {
        {"lost_ps", impact->lost_ps},
        {"stopped_ps", impact->stopped_ps},
        {"done", impact->done},
        {"p99_ps", impact->p99_ps},
        {"failed", impact->failed},
        {"inactive_members", impact->inactive},
        {"lossless_drops", impact->lossless_drops},
        {"drops", impact->drops},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        char path[2 * JSON_PATH_BYTES];
        snprintf(path, sizeof path, "%s.%s.%s", at, name, members[i].name);
        json_integer(json, path, members[i].value);
    }
}

static void json_victims(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    json_integer(json, "proof.victims.count", prove->victim_count);
    if (prove->victim_count == 0)
        json_empty(json, "proof.victims.most");
    for (uint32_t i = 0; i < prove->victim_count && i < PROVE_VICTIMS_MAX; i++) {
        const struct prove_victim *victim = &prove->victims[i];
        json_text(json, json_member(at, "proof.victims.most", i, "workload"), victim->name);
        json_integer(json, json_member(at, "proof.victims.most", i, "lost_ps"), victim->lost_ps);
        json_integer(json, json_member(at, "proof.victims.most", i, "under_way_ps"),
                     victim->under_way_ps);
    }
}

static void json_culprits(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    size_t count = 0;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        if (!prove->rows[i].culprit)
            continue;
        snprintf(at, sizeof at, "proof.culprits[%zu]", count++);
        json_text(json, at, prove->rows[i].text);
    }
    if (count == 0)
        json_empty(json, "proof.culprits");
}

/* The sentence in one line. */
static void json_sentence(const struct prove *prove, struct json *json)
{
    char *text = NULL;
    size_t length = 0, kept = 0;
    FILE *out = memory_stream(&text, &length);
    say_verdict(prove, out);
    memory_stream_end(out);
    for (size_t i = 0; text[i] != '\0'; i++) {
        const char next = text[i] == '\n' ? ' ' : text[i];
        if (next != ' ' || kept == 0 || text[kept - 1] != ' ')
            text[kept++] = next;
    }
    text[kept] = '\0';
    json_text(json, "prove.sentence", text);
    free(text);
}

static void json_suspects(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    static const char list[] = "prove.suspects";
    if (prove->row_count == 0)
        json_empty(json, list);
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        json_text(json, json_member(at, list, i, "suspect"), trial_suspect(row->repair.kind));
        json_text(json, json_member(at, list, i, "name"), row->name);
        json_text(json, json_member(at, list, i, "text"), row->text);
        json_text(json, json_member(at, list, i, "role"), prove_role_name(row->role));
        json_number(json, json_member(at, list, i, "gone"),
                    prove_gone(prove, &row->before, &row->after));
        json_member(at, list, i, "makes");
        if (row->only_played)
            json_number(json, at, 1 - prove_gone(prove, &prove->before, &row->only));
        else
            json_null(json, at);
        json_boolean(json, json_member(at, list, i, "culprit"), row->culprit);
        json_boolean(json, json_member(at, list, i, "played"),
                     !row->unplayed && row->tier == PROVE_ODD);
        json_boolean(json, json_member(at, list, i, "worse"), row->worse);
    }
}

static void json_hosts(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    static const char list[] = "prove.victims";
    if (prove->hosts.count == 0)
        json_empty(json, list);
    for (uint32_t i = 0; i < prove->hosts.count && i < PROVE_HOSTS_MAX; i++) {
        const struct prove_host *host = &prove->hosts.list[i];
        json_text(json, json_member(at, list, i, "workload"), host->of);
        json_text(json, json_member(at, list, i, "host"), host->name);
        json_number(json, json_member(at, list, i, "lost_share"),
                    host->loss.whole_ps == 0
                        ? 0
                        : (double)host->loss.lost_ps / (double)host->loss.whole_ps);
        json_integer(json, json_member(at, list, i, "failed"), host->loss.failed);
    }
}

static void json_prove(const struct prove *prove, struct json *json)
{
    static const char *const losses[] = {
        [PROVE_BY_NOTHING] = NULL,
        [PROVE_BY_TIME] = "time",
        [PROVE_BY_FAILED] = "failed operations",
        [PROVE_BY_INACTIVE] = "inactive pairs",
        [PROVE_BY_DROPS] = "lossless drops",
    };
    json_sentence(prove, json);
    json_text_or_null(json, "prove.measured_by", losses[prove->by]);
    json_boolean(json, "prove.vacuous", prove->vacuous);
    json_boolean(json, "prove.chance", prove->chance);
    json_integer(json, "prove.runs", prove->runs);
    json_integer(json, "prove.suspects_left_out", prove->left_out);
    json_integer(json, "prove.victim_hosts", prove->hosts.distinct);
    json_hosts(prove, json);
    json_suspects(prove, json);
}

void prove_json(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    json_text(json, "proof.ideal", prove->repaired ? "fault-free run" : "none");
    json_integer(json, "proof.transmitters", prove->transmitters);
    write_impact(json, "proof", "before", &prove->before);
    write_impact(json, "proof", "after", &prove->after);
    json_number(json, "proof.gone", prove_gone(prove, &prove->before, &prove->after));
    json_culprits(prove, json);
    json_victims(prove, json);
    if (prove->row_count == 0)
        json_empty(json, "proof.repairs");
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        json_text(json, json_member(at, "proof.repairs", i, "text"), row->text);
        json_text(json, json_member(at, "proof.repairs", i, "role"), prove_role_name(row->role));
        json_boolean(json, json_member(at, "proof.repairs", i, "root_cause"), row->cause);
        json_boolean(json, json_member(at, "proof.repairs", i, "culprit"), row->culprit);
        snprintf(at, sizeof at, "proof.repairs[%u]", i);
        write_impact(json, at, "before", &row->before);
        write_impact(json, at, "after", &row->after);
        json_number(json, json_member(at, "proof.repairs", i, "gone"),
                    prove_gone(prove, &row->before, &row->after));
    }
    json_prove(prove, json);
}
