/* SPDX-License-Identifier: Apache-2.0
 * result_harm - the keys of harm and causes. */
#include "replay/record/result_harm.h"

#include <stdio.h>

static void emit_text(result_emit_fn *emit, void *self, const char *path, const char *text)
{
    emit(self, &(struct result_item){
                   .path = path, .type = text == NULL ? RESULT_NULL : RESULT_TEXT, .text = text});
}

static void emit_integer(result_emit_fn *emit, void *self, const char *path, int64_t value,
                         bool known)
{
    emit(self, &(struct result_item){
                   .path = path, .type = known ? RESULT_INTEGER : RESULT_NULL, .integer = value});
}

static void emit_list(result_emit_fn *emit, void *self, const char *path, uint32_t members)
{
    if (members == 0)
        emit(self, &(struct result_item){.path = path, .type = RESULT_EMPTY});
}

static void emit_share(result_emit_fn *emit, void *self, const char *path, int64_t share)
{
    emit(self, &(struct result_item){
                   .path = path, .type = RESULT_REAL, .real = (double)share / (double)PPM});
}

static void emit_victims(const struct result *result, uint32_t index, result_emit_fn *emit,
                         void *self)
{
    const struct harm_cause *cause = &result->harm.causes[index];
    char path[96];
    snprintf(path, sizeof path, "causes[%u].victims", index);
    emit_list(emit, self, path, cause->victim_count);
    for (uint32_t i = 0; i < cause->victim_count; i++) {
        const struct harm_victim *victim = &cause->victims[i];
        snprintf(path, sizeof path, "causes[%u].victims[%u].workload", index, i);
        emit_text(emit, self, path, result->workloads[victim->workload].name);
        snprintf(path, sizeof path, "causes[%u].victims[%u].host", index, i);
        emit_text(emit, self, path, victim->host);
        snprintf(path, sizeof path, "causes[%u].victims[%u].lost_share", index, i);
        emit_share(emit, self, path, victim->lost);
        snprintf(path, sizeof path, "causes[%u].victims[%u].failed", index, i);
        emit_integer(emit, self, path, victim->failed, true);
        snprintf(path, sizeof path, "causes[%u].victims[%u].class", index, i);
        emit_text(emit, self, path, harm_class_word(victim->class));
        snprintf(path, sizeof path, "causes[%u].victims[%u].paused_ps", index, i);
        emit_integer(emit, self, path, victim->paused, true);
    }
}

/* Suspects by rank; names are valid for --set. */
static void emit_accused(const struct result *result, uint32_t index, result_emit_fn *emit,
                         void *self)
{
    const struct harm_cause *cause = &result->harm.causes[index];
    const struct {
        const char *key, *text;
    } texts[] = {{"kind", cause->kind},
                 {"suspect", harm_suspect_word(cause->suspect)},
                 {"name", cause->name},
                 {"node", cause->node},
                 {"port", cause->port[0] == '\0' ? NULL : cause->port}};
    char path[64];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(path, sizeof path, "causes[%u].%s", index, texts[i].key);
        emit_text(emit, self, path, texts[i].text);
    }
    snprintf(path, sizeof path, "causes[%u].priority", index);
    emit_integer(emit, self, path, cause->priority, cause->priority >= 0);
    snprintf(path, sizeof path, "causes[%u].share", index);
    emit_share(emit, self, path, cause->share);
    snprintf(path, sizeof path, "causes[%u].sure", index);
    emit(self, &(struct result_item){.path = path, .type = RESULT_BOOLEAN, .integer = cause->sure});
    snprintf(path, sizeof path, "causes[%u].confirmed", index);
    emit(self,
         &(struct result_item){.path = path, .type = RESULT_BOOLEAN, .integer = cause->confirmed});
    snprintf(path, sizeof path, "causes[%u].sentence", index);
    emit_text(emit, self, path, cause->sentence);
    snprintf(path, sizeof path, "causes[%u].victims_in_all", index);
    emit_integer(emit, self, path, cause->victims_in_all, true);
    emit_victims(result, index, emit, self);
}

/* Null if no object has such a limit. */
static void emit_margin(result_emit_fn *emit, void *self, const char *path,
                        const struct harm_margin *margin)
{
    emit(self, &(struct result_item){.path = path,
                                     .type = margin->node == NULL ? RESULT_NULL : RESULT_REAL,
                                     .real = (double)margin->used / (double)PPM});
}

void result_harm_emit(const struct result *result, result_emit_fn *emit, void *self)
{
    const struct harm *harm = &result->harm;
    emit_integer(emit, self, "harm.lost_ps", harm->lost_ps, harm->lost_ps >= 0);
    emit_integer(emit, self, "harm.failed_operations", harm->failed_operations, true);
    emit_integer(emit, self, "harm.lossless_drops", harm->lossless_drops, true);
    emit_integer(emit, self, "harm.drops", harm->drops, true);
    emit_integer(emit, self, "harm.victims", harm->victims, true);
    emit_text(emit, self, "harm.severity", harm_severity_word(harm->severity));
    emit_text(emit, self, "harm.sentence", harm->sentence);
    emit_integer(emit, self, "harm.runs", harm->runs, true);
    emit_margin(emit, self, "harm.margins.headroom", &harm->headroom);
    emit_margin(emit, self, "harm.margins.shared_memory", &harm->memory);
    emit_margin(emit, self, "harm.margins.receive_buffer", &harm->receive);
    emit_list(emit, self, "causes", harm->cause_count);
    for (uint32_t i = 0; i < harm->cause_count; i++)
        emit_accused(result, i, emit, self);
}
