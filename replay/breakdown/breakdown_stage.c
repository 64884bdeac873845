/* SPDX-License-Identifier: Apache-2.0
 * breakdown_stage - stages of NVMe commands: sums of the parts of their time. */
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

static const char *const names[] = {
#define STAGE(NAME, words, about) [BREAKDOWN_STAGE_##NAME] = words,
#include "replay/breakdown/breakdown_stage.def"
};

const char *breakdown_stage_name(enum breakdown_stage stage)
{
    CHECK(stage < BREAKDOWN_STAGES);
    return names[stage];
}

/* The stage that a phase counts for by default. Messages without NVMe have no stages. */
static enum breakdown_stage stage_of_phase(enum breakdown_phase phase)
{
    switch (phase) {
    case BREAKDOWN_IN_SUBMIT:
        return BREAKDOWN_STAGE_SUBMIT;
    case BREAKDOWN_IN_COMMAND:
        return BREAKDOWN_STAGE_REQUEST;
    case BREAKDOWN_IN_TARGET:
        return BREAKDOWN_STAGE_TARGET;
    case BREAKDOWN_IN_FETCH:
        return BREAKDOWN_STAGE_FETCH;
    case BREAKDOWN_IN_MEDIUM:
        return BREAKDOWN_STAGE_RESPOND;
    case BREAKDOWN_IN_RESPONSE:
        return BREAKDOWN_STAGE_RESPONSE;
    case BREAKDOWN_IN_COMPLETE:
        return BREAKDOWN_STAGE_COMPLETE;
    default:
        return BREAKDOWN_STAGES;
    }
}

static enum breakdown_stage stage_of(enum breakdown_phase phase, enum breakdown_part part)
{
    if (phase == BREAKDOWN_IN_SUBMIT && part == BREAKDOWN_WORKLOAD_LIMIT)
        return BREAKDOWN_STAGE_THROTTLE;
    if (phase == BREAKDOWN_IN_TARGET && part == BREAKDOWN_BUFFERS)
        return BREAKDOWN_STAGE_BUFFERS;
    if (phase == BREAKDOWN_IN_TARGET && part == BREAKDOWN_WRS)
        return BREAKDOWN_STAGE_WRS;
    if (phase == BREAKDOWN_IN_TARGET && part == BREAKDOWN_LIMIT)
        return BREAKDOWN_STAGE_LIMIT;
    if (phase == BREAKDOWN_IN_MEDIUM && part == BREAKDOWN_MEDIA_WAIT)
        return BREAKDOWN_STAGE_WAIT;
    if (phase == BREAKDOWN_IN_MEDIUM && part == BREAKDOWN_MEDIA)
        return BREAKDOWN_STAGE_MEDIA;
    return stage_of_phase(phase);
}

void breakdown_stages_of_life(const struct breakdown_life *life, time_ps stages[BREAKDOWN_STAGES])
{
    for (int i = 0; i < BREAKDOWN_STAGES; i++)
        stages[i] = 0;
    for (int word = 0; word < BREAKDOWN_CELL_WORDS; word++)
        for (uint64_t left = life->cells[word]; left != 0; left &= left - 1) {
            const int cell = word * 64 + __builtin_ctzll(left);
            const enum breakdown_phase phase = (enum breakdown_phase)(cell / BREAKDOWN_PARTS);
            const enum breakdown_part part = (enum breakdown_part)(cell % BREAKDOWN_PARTS);
            stages[stage_of(phase, part)] += life->ps[phase][part];
        }
}

void breakdown_stage_add(struct breakdown *breakdown, const struct breakdown_life *life)
{
    struct breakdown_stage_sum *sum =
        &breakdown->stages[life->workload * BREAKDOWN_NVME_OPERATIONS + (uint32_t)life->operation];
    time_ps stages[BREAKDOWN_STAGES];
    breakdown_stages_of_life(life, stages);
    sum->count++;
    for (int i = 0; i < BREAKDOWN_STAGES; i++) {
        sum->sum_ps[i] += stages[i];
        if (stages[i] > sum->max_ps[i])
            sum->max_ps[i] = stages[i];
    }
}

const struct breakdown_stage_sum *breakdown_stage_sum(const struct breakdown *breakdown,
                                                      uint32_t workload,
                                                      enum breakdown_operation operation)
{
    return &breakdown->stages[workload * BREAKDOWN_NVME_OPERATIONS + (uint32_t)operation];
}
