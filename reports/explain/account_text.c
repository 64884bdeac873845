/* SPDX-License-Identifier: Apache-2.0
 * account_text - the explanation as a page of text. Long lists are cut off; --json has all of
 * them. */
#include "reports/explain/account.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/harm/severity.h"
#include "reports/summary/text_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HOPS_SHOWN = 12, ROOTS_SHOWN = 4, DEADLOCKS_SHOWN = 4, WORKLOADS_SHOWN = 24 };
enum { CAUSES_SHOWN = 5, HARMED_SHOWN = 8, FINDINGS_SHOWN = 4 };

struct page {
    const struct account *account;
    FILE *out;
    struct paint paint;
};

static void write_head(const struct page *page, const char *words)
{
    fprintf(page->out, "\n%s%s%s\n", page->paint.bold, words, page->paint.off);
}

static void write_rest(const struct page *page, uint32_t count, uint32_t shown)
{
    if (count > shown)
        fprintf(page->out, "  ... and %" PRIu32 " more (--json lists all)\n", count - shown);
}

static void write_title(const struct page *page)
{
    const struct account *account = page->account;
    fprintf(page->out, "%s%s%s  %s\n", page->paint.bold, account->scenario, page->paint.off,
            account->about);
    if (strcmp(account->status, "complete") != 0)
        fprintf(page->out, "The run is %s: only the part that ran is explained.\n",
                account->status);
}

static const char *of_cause(const struct page *page, int cause, const char *key)
{
    char path[ACCOUNT_NAME_BYTES];
    snprintf(path, sizeof path, "causes[%d].%s", cause, key);
    return account_of_harm(page->account, path);
}

/* The victims of a cause that belong to one workload; `first` is the one with the largest loss. */
static void write_victims_like(const struct page *page, uint32_t first)
{
    const struct account *account = page->account;
    const struct account_victim *most = &account->victims[first];
    int64_t hosts = 0, least = most->lost_ppm, failed = 0, held = 0;
    for (uint32_t i = first; i < account->victim_count; i++) {
        const struct account_victim *victim = &account->victims[i];
        if (victim->cause != most->cause || strcmp(victim->workload, most->workload) != 0)
            continue;
        hosts++;
        least = victim->lost_ppm;
        if (__builtin_add_overflow(failed, victim->failed, &failed))
            failed = INT64_MAX; /* saturate: the database may be damaged */
        held = victim->held_ps > held ? victim->held_ps : held;
    }
    const struct words from = words_percent((double)least, PPM);
    const struct words to = words_percent((double)most->lost_ppm, PPM);
    fprintf(page->out, "       %-16s %s", most->workload, most->host);
    if (hosts > 1)
        fprintf(page->out, " and %" PRId64 " other %s", hosts - 1,
                plural(hosts - 1, "host", "hosts"));
    fputs(" lost ", page->out);
    if (strcmp(from.text, to.text) != 0)
        fprintf(page->out, "%s to ", from.text);
    fprintf(page->out, "%s of %s I/O time to delay (%s)", to.text, plural(hosts, "its", "their"),
            severity_class_words(most->class, hosts));
    if (failed > 0)
        fprintf(page->out, "; %s %s failed", words_count(failed).text,
                plural(failed, "operation", "operations"));
    if (held > 0)
        fprintf(page->out, "; a port on %s %s for %s%s", plural(hosts, "its path", "their paths"),
                account->flow->was, hosts > 1 ? "up to " : "", words_time(held).text);
    fputc('\n', page->out);
}

static bool is_first_of_workload(const struct account *account, uint32_t i)
{
    const struct account_victim *victim = &account->victims[i];
    for (uint32_t k = i; k-- > 0 && account->victims[k].cause == victim->cause;)
        if (strcmp(account->victims[k].workload, victim->workload) == 0)
            return false;
    return true;
}

/* A host counts once for each workload; the database has those that lost most (HARM_VICTIMS). */
static void write_victim_count(const struct page *page, int cause)
{
    const struct account *account = page->account;
    const long long in_all = strtoll(of_cause(page, cause, "victims_in_all"), NULL, 10);
    long long stored = 0, workloads = 0;
    for (uint32_t i = 0; i < account->victim_count; i++)
        if (account->victims[i].cause == cause) {
            stored++;
            workloads += is_first_of_workload(account, i);
        }
    fprintf(page->out, "     victims: %lld", in_all);
    if (workloads > 1)
        fputs(", counting a host once for each of its workloads", page->out);
    if (stored < in_all)
        fprintf(page->out, "; the %lld that lost most:", stored);
    fputc('\n', page->out);
}

static void write_victims_of(const struct page *page, int cause)
{
    const struct account *account = page->account;
    int shown = 0;
    for (uint32_t i = 0; i < account->victim_count && shown < HARMED_SHOWN; i++) {
        if (account->victims[i].cause != cause || !is_first_of_workload(account, i))
            continue;
        if (shown++ == 0)
            write_victim_count(page, cause);
        write_victims_like(page, i);
    }
}

/* Harm without a cause: what `check` found in the scenario may be the reason. */
static void write_findings(const struct page *page)
{
    struct store_statement *rows =
        store_prepare(page->account->store, "SELECT text FROM warning ORDER BY position");
    uint32_t count = 0;
    for (; store_step(rows); count++)
        if (count < FINDINGS_SHOWN)
            fprintf(page->out, "  warning: %s\n", store_text(rows, "text"));
    store_finish(rows);
    if (count > FINDINGS_SHOWN)
        fprintf(page->out, "  ... and %" PRIu32 " more %s (`stormglass check` lists all)\n",
                count - FINDINGS_SHOWN, plural(count - FINDINGS_SHOWN, "warning", "warnings"));
}

static void write_harm(const struct page *page)
{
    const char *sentence = account_of_harm(page->account, "harm.sentence");
    if (sentence[0] == '\0')
        return;
    write_head(page, "Harm");
    fprintf(page->out, "  %s\n", sentence);
    for (int i = 0; i < CAUSES_SHOWN && of_cause(page, i, "sentence")[0] != '\0'; i++) {
        fprintf(page->out, "  %s of the harm (%s): ",
                words_percent(strtod(of_cause(page, i, "share"), NULL), 1).text,
                severity_standing(strcmp(of_cause(page, i, "confirmed"), "1") == 0));
        severity_print(page->out, of_cause(page, i, "sentence"), 5);
        write_victims_of(page, i);
    }
    if (of_cause(page, 0, "sentence")[0] == '\0' &&
        strcmp(account_of_harm(page->account, "harm.severity"), "none") != 0)
        write_findings(page);
}

static void write_cause(const struct page *page)
{
    const struct account *account = page->account;
    if (account->flow->credits && account->root_cause[0] == '\0')
        return;
    char head[64];
    snprintf(head, sizeof head, "Root cause of the %s", account->flow->many);
    write_head(page, head);
    if (account->root_cause[0] == '\0') {
        fputs(account->measured ? "  unknown: a measured run has no pause data\n"
                                : "  none: no port was paused\n",
              page->out);
        return;
    }
    fprintf(page->out, "  %s%s\n", account->sure ? "certain: " : "", account->root_cause);
    fprintf(page->out, "  %s, summed over ports: %s\n", account->flow->time,
            words_time(account->paused_ps).text);
    for (uint32_t i = 0; i < account->deadlock_count && i < DEADLOCKS_SHOWN; i++)
        if (strcmp(account->deadlocks[i].text, account->root_cause) != 0)
            fprintf(page->out, "  %s%s%s\n", page->paint.bad, account->deadlocks[i].text,
                    page->paint.off);
    for (uint32_t i = 1; i < account->root_count && i < ROOTS_SHOWN; i++)
        fprintf(page->out, "  %s (%s): %s\n",
                i < account->cause_count ? "further cause" : "minor cause", account->roots[i].kind,
                account->roots[i].text);
    write_rest(page, account->root_count, ROOTS_SHOWN);
}

static void write_reason(const struct page *page, const struct account_hop *hop)
{
    if (hop->xoffs == 0)
        return;
    fprintf(page->out, "%19s%s %s, the first at %s, when ", "", words_count(hop->xoffs).text,
            plural(hop->xoffs, "XOFF", "XOFFs"), words_time(hop->at_ps).text);
    if (hop->because_of[0] == '\0')
        fputs("the receive buffer", page->out);
    else
        fprintf(page->out, "frames queued for %s", hop->because_of);
    fprintf(page->out, " held %s (threshold %s)\n", words_bytes(hop->occupancy_bytes).text,
            words_bytes(hop->threshold_bytes).text);
}

/* "pauses that host4 caused:" before the list of the next of several causes. */
static void write_root(const struct page *page, int64_t root, bool first)
{
    if (first && page->account->cause_count > 1)
        fprintf(page->out, "  pauses that %s caused:\n", page->account->roots[root].node);
}

static void write_depth(const struct page *page, int64_t root)
{
    const struct account_root *of = &page->account->roots[root];
    fprintf(page->out,
            "  in total: %" PRId64 " port%s paused, up to %" PRId64 " hop%s from the cause\n",
            of->stopped, plural(of->stopped, "", "s"), of->depth, plural(of->depth, "", "s"));
}

static void write_path(const struct page *page)
{
    const struct account *account = page->account;
    uint32_t of_root = 0;
    if (account->hop_count == 0)
        return;
    write_head(page, "Pause propagation");
    for (uint32_t i = 0; i < account->hop_count; i++) {
        const struct account_hop *hop = &account->hops[i];
        const bool first = i == 0 || hop[-1].root != hop->root;
        const bool last = i + 1 == account->hop_count || hop[1].root != hop->root;
        write_root(page, hop->root, first);
        of_root = first ? 1 : of_root + 1;
        if (of_root <= HOPS_SHOWN) {
            fprintf(page->out, "  hop %-3" PRId64 " %-16s paused by %-16s %10s\n", hop->hops,
                    hop->stopped, hop->by, words_time(hop->held_ps).text);
            write_reason(page, hop);
        }
        if (last) {
            write_rest(page, of_root, HOPS_SHOWN);
            write_depth(page, hop->root);
        }
    }
    if (strcmp(account->record, "summary") == 0)
        fputs("  to see buffer occupancies and thresholds here, run with --record counters\n",
              page->out);
}

static void write_limits(const struct page *page)
{
    write_head(page, "Bottleneck of each workload");
    for (uint32_t i = 0; i < page->account->limit_count && i < WORKLOADS_SHOWN; i++) {
        const struct account_limit *limit = &page->account->limits[i];
        fprintf(page->out, "  %-16s %s\n", limit->workload, limit->text);
        if (limit->account[0] != '\0')
            fprintf(page->out, "  %-16s %s\n", "", limit->account);
    }
    write_rest(page, page->account->limit_count, WORKLOADS_SHOWN);
}

static void write_repairs(const struct page *page)
{
    const struct account *account = page->account;
    if (account->repair_count == 0)
        return;
    write_head(page, "Recovery of lost TCP segments");
    for (uint32_t i = 0; i < account->repair_count; i++) {
        const struct account_repair *repair = &account->repairs[i];
        const bool probes = repair->segments < 0;
        fprintf(page->out, "  %s: %" PRId64 " %s", repair->name, repair->times,
                plural(repair->times, "time", "times"));
        if (probes)
            fprintf(page->out,
                    ", on average %s after the last segment was sent; %" PRId64 " repaired a loss",
                    words_time(repair->mean_wait_ps).text, account->probe_repairs);
        else if (repair->segments > 0)
            fprintf(page->out,
                    "; %" PRId64 " %s sent again, on average %s after their first transmission",
                    repair->segments, plural(repair->segments, "segment was", "segments were"),
                    words_time(repair->mean_wait_ps).text);
        fputc('\n', page->out);
    }
}

static void write_unused(const struct page *page)
{
    write_head(page, "Never exercised");
    if (page->account->measured)
        fputs("  unknown: a measured run has no switch or RNIC counters\n", page->out);
    for (uint32_t i = 0; i < page->account->unused_count; i++)
        fprintf(page->out, "  %s: %s\n", page->account->unused[i].what,
                page->account->unused[i].why);
}

bool account_text(const struct account *account, struct account_played played, FILE *out)
{
    const struct page page = {.account = account, .out = out, .paint = paint_for(out)};
    write_title(&page);
    write_harm(&page);
    write_cause(&page);
    write_path(&page);
    if (played.queued != NULL)
        queued_text(played.queued, out, &page.paint);
    if (played.proof != NULL)
        prove_text(played.proof, out, &page.paint);
    write_limits(&page);
    text_waits(&(struct text){
        .store = account->store, .out = out, .paint = page.paint, .flow = account->flow});
    if (played.whatif != NULL)
        whatif_text(played.whatif, out, &page.paint);
    if (played.assumed != NULL)
        assumed_text(played.assumed, out, &page.paint);
    write_repairs(&page);
    write_unused(&page);
    return ferror(out) == 0;
}
