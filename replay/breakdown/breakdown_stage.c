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

/* The stage of each phase of an NVMe command. Stages are not computed for messages without NVMe. */
static const uint8_t of_phase[BREAKDOWN_PHASES] = {
    [BREAKDOWN_IN_SUBMIT] = BREAKDOWN_STAGE_SUBMIT,
    [BREAKDOWN_IN_COMMAND] = BREAKDOWN_STAGE_REQUEST,
    [BREAKDOWN_IN_TARGET] = BREAKDOWN_STAGE_TARGET,
    [BREAKDOWN_IN_FETCH] = BREAKDOWN_STAGE_FETCH,
    [BREAKDOWN_IN_MEDIUM] = BREAKDOWN_STAGE_RESPOND,
    [BREAKDOWN_IN_RESPONSE] = BREAKDOWN_STAGE_RESPONSE,
    [BREAKDOWN_IN_COMPLETE] = BREAKDOWN_STAGE_COMPLETE,
};

/* Stages of parts that do not count for the stage of their phase, plus 1; 0: they do. */
static const uint8_t of_part[BREAKDOWN_PHASES][BREAKDOWN_PARTS] = {
    [BREAKDOWN_IN_SUBMIT] = {[BREAKDOWN_WORKLOAD_LIMIT] = BREAKDOWN_STAGE_THROTTLE + 1},
    [BREAKDOWN_IN_TARGET] = {[BREAKDOWN_BUFFERS] = BREAKDOWN_STAGE_BUFFERS + 1,
                             [BREAKDOWN_WRS] = BREAKDOWN_STAGE_WRS + 1,
                             [BREAKDOWN_LIMIT] = BREAKDOWN_STAGE_LIMIT + 1},
    [BREAKDOWN_IN_MEDIUM] = {[BREAKDOWN_MEDIA_WAIT] = BREAKDOWN_STAGE_WAIT + 1,
                             [BREAKDOWN_MEDIA] = BREAKDOWN_STAGE_MEDIA + 1},
};

void breakdown_stages_of_life(const struct breakdown_life *life, time_ps stages[BREAKDOWN_STAGES])
{
    for (int i = 0; i < BREAKDOWN_STAGES; i++)
        stages[i] = 0;
    for (int word = 0; word < BREAKDOWN_CELL_WORDS; word++)
        for (uint64_t left = life->cells[word]; left != 0; left &= left - 1) {
            const int cell = word * 64 + __builtin_ctzll(left);
            const int phase = cell / BREAKDOWN_PARTS, part = cell % BREAKDOWN_PARTS;
            const unsigned own = of_part[phase][part];
            stages[own != 0 ? own - 1 : of_phase[phase]] += life->ps[phase][part];
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
