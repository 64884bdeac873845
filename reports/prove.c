/* SPDX-License-Identifier: Apache-2.0
 * prove - what the experiments gave, in both shapes. */
#include "reports/account.h"

#include "replay/words.h"
#include "reports/json_members.h"

#include <inttypes.h>

static void write_row(const struct prove_row *row, FILE *out)
{
    fprintf(out, "  %-8s  %s%s\n", row->suspect ? "suspect" : "innocent", row->text,
            row->cause ? " (the root cause)" : "");
    fprintf(out, "            lost %s, then %s: ", words_time(row->before.lost_ps).text,
            words_time(row->after.lost_ps).text);
    const int64_t gone = row->before.lost_ps - row->after.lost_ps;
    if (row->before.lost_ps == 0)
        fputs(gone == 0 ? "nothing to lose" : "lost where nothing was", out);
    else
        fprintf(out, "%s %s",
                words_percent((double)(gone < 0 ? -gone : gone), (double)row->before.lost_ps).text,
                gone < 0 ? "more" : "gone");
    if (row->before.done > 0)
        fprintf(out, "; done %s, then %s; p99 %s, then %s", words_count(row->before.done).text,
                words_count(row->after.done).text, words_time(row->before.p99_ps).text,
                words_time(row->after.p99_ps).text);
    fputc('\n', out);
}

static struct words share_of(const struct prove_row *row)
{
    return words_percent(prove_gone(row), 1);
}

static void write_verdict(const struct prove *prove, FILE *out)
{
    const struct prove_row *culprit = prove_culprit(prove), *best = prove_best(prove, false);
    const struct prove_row *cause = prove_best(prove, true);
    if (prove->lost_ps == 0)
        fputs(
            "  nobody stood still, so no repair gives time back: what it changes is in the rest\n",
            out);
    else if (culprit != NULL)
        fprintf(out, "  proved: %s%s takes %s of the lost time away\n", culprit->text,
                culprit->cause ? " (the root cause)" : "", share_of(culprit).text);
    else if (cause != NULL)
        fprintf(
            out,
            "  not proved: mending the root cause takes %s of the lost time away; what takes most"
            " is:\n  %s, %s\n",
            share_of(cause).text, best->text, share_of(best).text);
    else
        fputs("  not proved: no repair takes half of the lost time away\n", out);
}

void prove_text(const struct prove *prove, FILE *out, const struct paint *paint)
{
    fprintf(out, "\n%sProof%s\n", paint->bold, paint->off);
    fprintf(out,
            "  played again, then with one repair at a time; the victims lost %s at %" PRIu32
            " transmitters\n",
            words_time(prove->lost_ps).text, prove->transmitters);
    for (uint32_t i = 0; i < prove->row_count; i++)
        write_row(&prove->rows[i], out);
    write_verdict(prove, out);
}

static void write_toll(struct json *json, size_t i, const char *name, const struct prove_toll *toll)
{
    char at[JSON_PATH_BYTES], member[64];
    snprintf(member, sizeof member, "%s.lost_ps", name);
    json_integer(json, json_member(at, "proof.repairs", i, member), toll->lost_ps);
    snprintf(member, sizeof member, "%s.done", name);
    json_integer(json, json_member(at, "proof.repairs", i, member), toll->done);
    snprintf(member, sizeof member, "%s.p99_ps", name);
    json_integer(json, json_member(at, "proof.repairs", i, member), toll->p99_ps);
}

void prove_json(const struct prove *prove, struct json *json)
{
    const struct prove_row *culprit = prove_culprit(prove);
    char at[JSON_PATH_BYTES];
    json_integer(json, "proof.transmitters", prove->transmitters);
    json_integer(json, "proof.lost_ps", prove->lost_ps);
    if (culprit == NULL)
        json_null(json, "proof.culprit");
    else
        json_text(json, "proof.culprit", culprit->text);
    if (prove->row_count == 0)
        json_empty(json, "proof.repairs");
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        json_text(json, json_member(at, "proof.repairs", i, "text"), row->text);
        json_text(json, json_member(at, "proof.repairs", i, "role"),
                  row->suspect ? "suspect" : "innocent");
        json_boolean(json, json_member(at, "proof.repairs", i, "root_cause"), row->cause);
        write_toll(json, i, "before", &row->before);
        write_toll(json, i, "after", &row->after);
        json_number(json, json_member(at, "proof.repairs", i, "gone"), prove_gone(row));
    }
}
