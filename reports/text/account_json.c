/* SPDX-License-Identifier: Apache-2.0
 * account_json - the account as one object.  Times in ps, shares of 1. */
#include "reports/text/account.h"

#include "reports/text/json_members.h"

#include <stdio.h>

#define EACH(json, list, count)                                                                    \
    if ((count) == 0)                                                                              \
        json_empty((json), (list));                                                                \
    for (uint32_t i = 0; i < (count); i++)

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
    EACH(json, "roots", account->root_count)
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
    EACH(json, "deadlocks", account->deadlock_count)
    json_text(json, json_member(at, "deadlocks", i, "text"), account->deadlocks[i].text);
}

static void write_path(struct json *json, const struct account *account)
{
    char at[JSON_PATH_BYTES];
    EACH(json, "path", account->hop_count)
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

static void write_evidence(struct json *json, size_t i, const struct bottleneck_input *input)
{
    char at[JSON_PATH_BYTES], stage[64];
    const double span = input->span > 0 ? (double)input->span : 1;
    json_integer(json, json_member(at, "workloads", i, "evidence.span_ps"), input->span);
    if (input->paused_ps > 0) {
        json_text(json, json_member(at, "workloads", i, "evidence.paused_port"),
                  input->paused_port);
        json_integer(json, json_member(at, "workloads", i, "evidence.paused_ps"), input->paused_ps);
    }
    json_text(json, json_member(at, "workloads", i, "evidence.busiest_port"), input->busiest_port);
    json_number(json, json_member(at, "workloads", i, "evidence.busiest_share"),
                (double)input->busiest_ps / span);
    json_integer(json, json_member(at, "workloads", i, "evidence.cnps"), input->cnps);
    json_integer(json, json_member(at, "workloads", i, "evidence.controllers_lost"), input->losses);
    json_integer(json, json_member(at, "workloads", i, "evidence.without_service_ps"),
                 input->without_service);
    json_integer(json, json_member(at, "workloads", i, "evidence.rnr_naks"), input->rnr_naks);
    json_integer(json, json_member(at, "workloads", i, "evidence.drops"), input->drops);
    json_integer(json, json_member(at, "workloads", i, "evidence.retransmitted"),
                 input->retransmitted);
    json_integer(json, json_member(at, "workloads", i, "evidence.timeouts"), input->timeouts);
    json_integer(json, json_member(at, "workloads", i, "evidence.commands"),
                 (int64_t)input->commands);
    for (int k = 0; k < IOJOIN_STAGE_COUNT && input->commands > 0; k++) {
        snprintf(stage, sizeof stage, "evidence.stage_mean_ps[%d].stage", k);
        json_text(json, json_member(at, "workloads", i, stage),
                  iojoin_stage_name((enum iojoin_stage)k));
        snprintf(stage, sizeof stage, "evidence.stage_mean_ps[%d].mean", k);
        json_number(json, json_member(at, "workloads", i, stage),
                    (double)input->stage_ps[k] / (double)input->commands);
    }
}

static void write_workloads(struct json *json, const struct account *account)
{
    char at[JSON_PATH_BYTES];
    EACH(json, "victims", account->victim_count)
    {
        const struct account_victim *victim = &account->victims[i];
        json_text(json, json_member(at, "victims", i, "workload"), victim->workload);
        json_integer(json, json_member(at, "victims", i, "root"), victim->root);
        json_text(json, json_member(at, "victims", i, "class"), victim->class);
        json_integer(json, json_member(at, "victims", i, "held_ps"), victim->held_ps);
        json_integer(json, json_member(at, "victims", i, "span_ps"), victim->span_ps);
    }
    EACH(json, "workloads", account->limit_count)
    {
        const struct account_limit *limit = &account->limits[i];
        json_text(json, json_member(at, "workloads", i, "name"), limit->workload);
        json_text(json, json_member(at, "workloads", i, "bottleneck"), limit->kind);
        json_text(json, json_member(at, "workloads", i, "text"), limit->text);
        write_evidence(json, i, &limit->evidence);
    }
    EACH(json, "never_exercised", account->unused_count)
    {
        const struct account_unused *unused = &account->unused[i];
        json_text(json, json_member(at, "never_exercised", i, "what"), unused->what);
        json_text(json, json_member(at, "never_exercised", i, "why"), unused->why);
    }
}

bool account_json(const struct account *account, const struct prove *prove, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    write_cause(&json, account);
    write_path(&json, account);
    write_workloads(&json, account);
    if (prove != NULL)
        prove_json(prove, &json);
    json_end(&json);
    return ferror(out) == 0;
}
