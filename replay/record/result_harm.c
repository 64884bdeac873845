/* SPDX-License-Identifier: Apache-2.0
 * result_harm - the keys of harm and causes. */
#include "replay/record/result_private.h"

static void put_victims(const struct result_out *out, const struct result *result, uint32_t index)
{
    const struct harm_cause *cause = &result->harm.causes[index];
    result_put_list(out, cause->victim_count, "causes[%u].victims", index);
    for (uint32_t i = 0; i < cause->victim_count; i++) {
        const struct harm_victim *victim = &cause->victims[i];
        const struct {
            const char *key;
            struct result_item item;
        } items[] = {
            {"workload", result_text(result->workloads[victim->workload].name)},
            {"host", result_text(victim->host)},
            {"lost_share", result_share(victim->lost)},
            {"failed", result_integer(victim->failed)},
            {"class", result_text(harm_class_word(victim->class))},
            {"paused_ps", result_integer(victim->paused)},
        };
        for (size_t k = 0; k < sizeof items / sizeof items[0]; k++)
            result_put(out, items[k].item, "causes[%u].victims[%u].%s", index, i, items[k].key);
    }
}

/* Suspects by rank; names are valid for --set. */
static void put_cause(const struct result_out *out, const struct result *result, uint32_t index)
{
    const struct harm_cause *cause = &result->harm.causes[index];
    const struct {
        const char *key;
        struct result_item item;
    } items[] = {
        {"kind", result_text(cause->kind)},
        {"suspect", result_text(harm_suspect_word(cause->suspect))},
        {"name", result_text(cause->name)},
        {"node", result_text(cause->node)},
        {"port", result_text(cause->port[0] == '\0' ? NULL : cause->port)},
        {"priority", result_known(cause->priority >= 0, result_integer(cause->priority))},
        {"share", result_share(cause->share)},
        {"sure", result_boolean(cause->sure)},
        {"confirmed", result_boolean(cause->confirmed)},
        {"sentence", result_text(cause->sentence)},
        {"victims_in_all", result_integer(cause->victims_in_all)},
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        result_put(out, items[i].item, "causes[%u].%s", index, items[i].key);
    put_victims(out, result, index);
}

/* Null if no object has such a limit. */
static struct result_item margin_item(const struct harm_margin *margin)
{
    return result_known(margin->node != NULL, result_share(margin->used));
}

void result_harm_put(const struct result_out *out, const struct result *result)
{
    const struct harm *harm = &result->harm;
    result_put(out, result_known(harm->lost_ps >= 0, result_integer(harm->lost_ps)),
               "harm.lost_ps");
    result_put(out, result_integer(harm->failed_operations), "harm.failed_operations");
    result_put(out, result_integer(harm->lossless_drops), "harm.lossless_drops");
    result_put(out, result_integer(harm->drops), "harm.drops");
    result_put(out, result_integer(harm->victims), "harm.victims");
    result_put(out, result_text(harm_severity_word(harm->severity)), "harm.severity");
    result_put(out, result_text(harm->sentence), "harm.sentence");
    result_put(out, result_integer(harm->runs), "harm.runs");
    result_put(out, margin_item(&harm->headroom), "harm.margins.headroom");
    result_put(out, margin_item(&harm->memory), "harm.margins.shared_memory");
    result_put(out, margin_item(&harm->receive), "harm.margins.receive_buffer");
    result_put_list(out, harm->cause_count, "causes");
    for (uint32_t i = 0; i < harm->cause_count; i++)
        put_cause(out, result, i);
}
