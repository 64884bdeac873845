/* SPDX-License-Identifier: Apache-2.0
 * record_deadlocks - the cycle as text, its queues as rows. */
#include "replay/record/record_deadlocks.h"

#include "base/plural.h"
#include "replay/database/record_schema.h"
#include "replay/database/words.h"

#include <stdio.h>

/* A longer cycle is abbreviated in the text; the table has all of it. */
enum { CYCLE_SHOWN = 8, SENTENCE_BYTES = 512 };

static const char *const role_names[] = {
    [DEADLOCK_CYCLE] = "cycle", [DEADLOCK_KNOT] = "knot", [DEADLOCK_BEHIND] = "behind"};

static size_t write_cycle(const struct scenario *scenario, const struct deadlock *deadlock,
                          char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i <= deadlock->cycle && used < size; i++) {
        const struct deadlock_queue *queue = &deadlock->queues[i % deadlock->cycle];
        if (deadlock->cycle > CYCLE_SHOWN && i == CYCLE_SHOWN / 2)
            used += (size_t)snprintf(text + used, size - used, " -> ...");
        if (deadlock->cycle > CYCLE_SHOWN && i >= CYCLE_SHOWN / 2 &&
            i <= deadlock->cycle - CYCLE_SHOWN / 2)
            continue;
        if (used < size)
            used += (size_t)snprintf(
                text + used, size - used, "%s%s", i > 0 ? " -> " : "",
                scenario_port_name(&scenario->nodes[queue->node], queue->port).text);
    }
    return used < size ? used : size - 1;
}

void record_deadlock_words(const struct scenario *scenario, const struct deadlock *deadlock,
                           char *text, size_t size)
{
    char cycle[SENTENCE_BYTES], behind[64] = "", span[2 * WORDS_BYTES + 16];
    const uint32_t queues = deadlock->cycle + deadlock->knot;
    const bool stands = deadlock->gone == TIME_NEVER;
    write_cycle(scenario, deadlock, cycle, sizeof cycle);
    if (deadlock->behind > 0)
        snprintf(behind, sizeof behind, "; %u more %s behind them", deadlock->behind,
                 stands ? plural(deadlock->behind, "port waits", "ports wait")
                        : plural(deadlock->behind, "port waited", "ports waited"));
    if (stands)
        snprintf(span, sizeof span, "since %s", words_time(deadlock->since).text);
    else
        snprintf(span, sizeof span, "from %s until %s", words_time(deadlock->since).text,
                 words_time(deadlock->gone).text);
    snprintf(text, size, "deadlock %s: %s (priority %u), %u queue%s, %s %s%s", span, cycle,
             deadlock->priority, queues, plural(queues, "", "s"), words_bytes(deadlock->bytes).text,
             "blocked", behind);
}

static void write_queues(struct store *store, const struct deadlock_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct deadlock *deadlock = &watch->found[i];
        for (uint32_t q = 0; q < deadlock->queue_count; q++) {
            const struct deadlock_queue *queue = &deadlock->queues[q];
            RECORD_ROW(store, deadlock_queue, .deadlock = STORE_I(i), .position = STORE_I(q),
                       .role = STORE_T(role_names[queue->role]), .node = STORE_I(queue->node),
                       .port = STORE_I(queue->port), .priority = STORE_I(queue->priority),
                       .bytes = STORE_I(queue->bytes), .since_ps = STORE_I(queue->since));
        }
    }
}

void record_deadlocks(struct store *store, const struct scenario *scenario,
                      const struct deadlock_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct deadlock *deadlock = &watch->found[i];
        const bool stands = deadlock->gone == TIME_NEVER;
        char text[SENTENCE_BYTES + 256];
        record_deadlock_words(scenario, deadlock, text, sizeof text);
        RECORD_ROW(store, deadlock, .deadlock = STORE_I(i), .priority = STORE_I(deadlock->priority),
                   .since_ps = STORE_I(deadlock->since), .found_ps = STORE_I(deadlock->found),
                   .seen_ps = STORE_I(deadlock->seen),
                   .until_ps = stands ? STORE_N : STORE_I(deadlock->gone),
                   .bytes = STORE_I(deadlock->bytes), .text = STORE_T(text));
    }
    write_queues(store, watch);
}
