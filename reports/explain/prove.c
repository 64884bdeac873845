/* SPDX-License-Identifier: Apache-2.0
 * prove - what the experiments gave, in both shapes. */
#include "reports/explain/account.h"

#include "replay/database/words.h"
#include "reports/text/json_members.h"

#include <inttypes.h>

static struct words share_of(const struct prove_impact *before, const struct prove_impact *after)
{
    return words_percent(prove_gone(before, after), 1);
}

static void write_change(const struct prove_impact *before, const struct prove_impact *after,
                         FILE *out)
{
    const int64_t gone = before->lost_ps - after->lost_ps;
    fprintf(out, "lost %s -> %s: ", words_time(before->lost_ps).text,
            words_time(after->lost_ps).text);
    if (before->lost_ps == 0)
        fputs(gone == 0 ? "no change" : "new loss", out);
    else
        fprintf(out, "%s %s",
                words_percent((double)(gone < 0 ? -gone : gone), (double)before->lost_ps).text,
                gone < 0 ? "more" : "less");
    if (before->stopped_ps > 0 || after->stopped_ps > 0)
        fprintf(out, "; paused %s -> %s", words_time(before->stopped_ps).text,
                words_time(after->stopped_ps).text);
    if (before->done > 0)
        fprintf(out, "; done %s -> %s; p99 %s -> %s", words_count(before->done).text,
                words_count(after->done).text, words_time(before->p99_ps).text,
                words_time(after->p99_ps).text);
    fputc('\n', out);
}

static void write_row(const struct prove_row *row, FILE *out)
{
    fprintf(out, "  %-9s  %s%s\n             ", prove_role_name(row->role), row->text,
            row->cause ? " (a root cause)" : "");
    write_change(&row->before, &row->after, out);
}

static void write_victims(const struct prove *prove, FILE *out)
{
    for (uint32_t i = 0; i < prove->victim_count && i < PROVE_VICTIMS_MAX; i++) {
        const struct prove_victim *victim = &prove->victims[i];
        fprintf(out, "  %-9s  %s lost %s, %s of its total command time\n", "victim", victim->name,
                words_time(victim->lost_ps).text,
                words_percent((double)victim->lost_ps, (double)victim->under_way_ps).text);
    }
    if (prove->victim_count > PROVE_VICTIMS_MAX)
        fprintf(out, "             ... and %" PRIu32 " more\n",
                prove->victim_count - PROVE_VICTIMS_MAX);
}

static void write_set(const struct prove *prove, FILE *out)
{
    const bool several = prove->culprits > 1;
    const char *between = "  proved: ";
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (!row->culprit)
            continue;
        fprintf(out, "%s%s%s", between, row->text, row->cause ? " (a root cause)" : "");
        if (several)
            fprintf(out, ", alone %s", share_of(&row->before, &row->after).text);
        between = ";\n  and ";
    }
    fprintf(out, "%s %s of the lost time\n", several ? ":\n  together they recover" : " recovers",
            share_of(&prove->before, &prove->after).text);
}

static void write_verdict(const struct prove *prove, FILE *out)
{
    const struct prove_row *best = prove_best(prove, PROVE_OF_ALL);
    if (prove->before.lost_ps == 0)
        fputs("  no harm: no workload lost 5% of its time, so there is nothing to recover\n", out);
    else if (prove->culprits > 0)
        write_set(prove, out);
    else
        fprintf(out,
                "  not proved: no workload lost time to a fault; the most is recovered by:\n  %s,"
                " %s\n",
                best->text, share_of(&best->before, &best->after).text);
}

void prove_text(const struct prove *prove, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sProof%s\n", paint->bold, paint->off);
    fprintf(out,
            "  run again, then with one suspect removed at a time; lost = extra time against %s\n",
            prove->repaired ? "the fault-free run" : "each workload's best run");
    write_victims(prove, out);
    for (uint32_t i = 0; i < prove->row_count; i++)
        write_row(&prove->rows[i], out);
    write_verdict(prove, out);
}

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

void prove_json(const struct prove *prove, struct json *json)
{
    char at[JSON_PATH_BYTES];
    json_text(json, "proof.ideal", prove->repaired ? "fault-free run" : "each workload's best run");
    json_integer(json, "proof.transmitters", prove->transmitters);
    write_impact(json, "proof", "before", &prove->before);
    write_impact(json, "proof", "after", &prove->after);
    json_number(json, "proof.gone", prove_gone(&prove->before, &prove->after));
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
                    prove_gone(&row->before, &row->after));
    }
}
