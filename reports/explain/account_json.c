/* SPDX-License-Identifier: Apache-2.0
 * account_json - the explanation as one object. Times in ps, shares from 0 to 1. */
#include "reports/explain/account.h"

#include "reports/text/json_members.h"

#include <stdio.h>

static void write_cause(struct json *json, const struct account *account)
{
    char at[JSON_PATH_BYTES];
    json_text(json, "scenario", account->scenario);
    json_text(json, "digest", account->digest);
    json_text(json, "status", account->status);
    json_text(json, "record", account->record);
    json_boolean(json, "measured", account->measured);
    json_integer(json, "span_ps", account->span_ps);
    json_integer(json, "paused_ps", account->paused_ps);
    json_integer(json, "severity", account->severity);
    if (account->root_cause[0] == '\0')
        json_null(json, "root_cause");
    else
        json_text(json, "root_cause", account->root_cause);
    json_boolean(json, "sure", account->sure);
    JSON_EACH(json, "roots", account->root_count)
    {
        const struct account_root *root = &account->roots[i];
        json_text(json, json_member(at, "roots", i, "node"), root->node);
        if (root->port[0] != '\0')
            json_text(json, json_member(at, "roots", i, "port"), root->port);
        json_text(json, json_member(at, "roots", i, "kind"), root->kind);
        json_integer(json, json_member(at, "roots", i, "priority"), root->priority);
        json_integer(json, json_member(at, "roots", i, "held_ps"), root->held_ps);
        json_integer(json, json_member(at, "roots", i, "direct_ps"), root->direct_ps);
        json_integer(json, json_member(at, "roots", i, "depth"), root->depth);
        json_integer(json, json_member(at, "roots", i, "stopped"), root->stopped);
        json_boolean(json, json_member(at, "roots", i, "cause"), i < account->cause_count);
        json_text(json, json_member(at, "roots", i, "text"), root->text);
    }
    JSON_EACH(json, "deadlocks", account->deadlock_count)
    json_text(json, json_member(at, "deadlocks", i, "text"), account->deadlocks[i].text);
}

/* With the run's own keys. */
static void write_harm(struct json *json, const struct account *account)
{
    for (uint32_t i = 0; i < account->harm_count; i++) {
        const struct account_item *item = &account->harm[i];
        const struct store_value value = {
            .text = item->text, .integer = item->integer, .real = item->real};
        json_value(json, item->path, item->type, &value);
    }
}

static void write_path(struct json *json, const struct account *account)
{
    char at[JSON_PATH_BYTES];
    JSON_EACH(json, "path", account->hop_count)
    {
        const struct account_hop *hop = &account->hops[i];
        json_integer(json, json_member(at, "path", i, "root"), hop->root);
        json_integer(json, json_member(at, "path", i, "hops"), hop->hops);
        json_text(json, json_member(at, "path", i, "stopped"), hop->stopped);
        json_text(json, json_member(at, "path", i, "by"), hop->by);
        json_integer(json, json_member(at, "path", i, "held_ps"), hop->held_ps);
        if (hop->xoffs == 0)
            continue;
        json_integer(json, json_member(at, "path", i, "xoffs"), hop->xoffs);
        json_integer(json, json_member(at, "path", i, "first_ps"), hop->at_ps);
        json_integer(json, json_member(at, "path", i, "occupancy_bytes"), hop->occupancy_bytes);
        json_integer(json, json_member(at, "path", i, "threshold_bytes"), hop->threshold_bytes);
        if (hop->because_of[0] != '\0')
            json_text(json, json_member(at, "path", i, "because_of"), hop->because_of);
    }
}

static void write_evidence(struct json *json, size_t i, const struct account_limit *limit)
{
    char at[JSON_PATH_BYTES], key[64];
    json_integer(json, json_member(at, "workloads", i, "evidence.span_ps"), limit->span_ps);
    json_number(json, json_member(at, "workloads", i, "evidence.estimated_gain"),
                (double)limit->gain_ppm / 1e6);
    if (limit->account[0] != '\0')
        json_text(json, json_member(at, "workloads", i, "evidence.account"), limit->account);
    if (limit->use_count == 0)
        json_empty(json, json_member(at, "workloads", i, "evidence.resources"));
    for (uint32_t k = 0; k < limit->use_count; k++) {
        const struct account_use *use = &limit->uses[k];
        snprintf(key, sizeof key, "evidence.resources[%u].resource", k);
        json_text(json, json_member(at, "workloads", i, key), use->resource);
        snprintf(key, sizeof key, "evidence.resources[%u].place", k);
        json_text(json, json_member(at, "workloads", i, key), use->place);
        snprintf(key, sizeof key, "evidence.resources[%u].used", k);
        json_number(json, json_member(at, "workloads", i, key), (double)use->used_ppm / 1e6);
        snprintf(key, sizeof key, "evidence.resources[%u].waiting", k);
        json_number(json, json_member(at, "workloads", i, key), (double)use->waiting_ppm / 1e6);
    }
}

static void write_workloads(struct json *json, const struct account *account)
{
    char at[JSON_PATH_BYTES];
    JSON_EACH(json, "victims", account->victim_count)
    {
        const struct account_victim *victim = &account->victims[i];
        json_integer(json, json_member(at, "victims", i, "cause"), victim->cause);
        json_text(json, json_member(at, "victims", i, "workload"), victim->workload);
        json_text(json, json_member(at, "victims", i, "host"), victim->host);
        if (victim->root < 0)
            json_null(json, json_member(at, "victims", i, "root"));
        else
            json_integer(json, json_member(at, "victims", i, "root"), victim->root);
        json_text(json, json_member(at, "victims", i, "class"), victim->class);
        json_number(json, json_member(at, "victims", i, "lost_share"),
                    (double)victim->lost_ppm / 1e6);
        json_integer(json, json_member(at, "victims", i, "failed"), victim->failed);
        json_integer(json, json_member(at, "victims", i, "held_ps"), victim->held_ps);
        json_integer(json, json_member(at, "victims", i, "span_ps"), victim->span_ps);
    }
    JSON_EACH(json, "workloads", account->limit_count)
    {
        const struct account_limit *limit = &account->limits[i];
        json_text(json, json_member(at, "workloads", i, "name"), limit->workload);
        json_text(json, json_member(at, "workloads", i, "bottleneck"), limit->kind);
        json_text(json, json_member(at, "workloads", i, "text"), limit->text);
        write_evidence(json, i, limit);
        account_waits_json(account->store, i, limit->workload, json);
    }
    for (uint32_t i = 0; i < account->repair_count; i++) {
        const struct account_repair *repair = &account->repairs[i];
        snprintf(at, sizeof at, "tcp_loss_recovery.%s.times", repair->key);
        json_integer(json, at, repair->times);
        if (repair->segments >= 0) {
            snprintf(at, sizeof at, "tcp_loss_recovery.%s.segments", repair->key);
            json_integer(json, at, repair->segments);
        }
        snprintf(at, sizeof at, "tcp_loss_recovery.%s.mean_wait_ps", repair->key);
        json_integer(json, at, repair->mean_wait_ps);
    }
    JSON_EACH(json, "never_exercised", account->unused_count)
    {
        const struct account_unused *unused = &account->unused[i];
        json_text(json, json_member(at, "never_exercised", i, "what"), unused->what);
        json_text(json, json_member(at, "never_exercised", i, "why"), unused->why);
    }
}

bool account_json(const struct account *account, struct account_played played, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    write_cause(&json, account);
    write_harm(&json, account);
    write_path(&json, account);
    write_workloads(&json, account);
    if (played.proof != NULL)
        prove_json(played.proof, &json);
    if (played.whatif != NULL)
        whatif_json(played.whatif, &json);
    if (played.assumed != NULL)
        assumed_json(played.assumed, &json);
    if (played.queued != NULL)
        queued_json(played.queued, &json);
    json_end(&json);
    return ferror(out) == 0;
}
