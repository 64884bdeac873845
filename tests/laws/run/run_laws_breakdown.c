/* SPDX-License-Identifier: Apache-2.0
 * run_laws_breakdown - the account of time: the parts of each command and message are none negative
 * and sum to its latency, those of places to what was paused and queued, and none is unknown. */
#include "tests/laws/run/run_laws_private.h"

#include "replay/run/fabric.h"

static void on_hop(void *self, const struct probe_hop *hop)
{
    breakdown_hop(((struct run_laws *)self)->waits, hop);
}

static void on_work(void *self, const struct probe_work *work)
{
    breakdown_work(((struct run_laws *)self)->waits, work);
}

static void on_hold(void *self, const struct probe_hold *hold)
{
    breakdown_hold(((struct run_laws *)self)->waits, hold);
}

static void on_use(void *self, const struct probe_use *use)
{
    breakdown_use(((struct run_laws *)self)->waits, use);
}

static void on_message(void *self, const struct probe_message *message)
{
    breakdown_message(((struct run_laws *)self)->waits, message);
}

static void on_segment(void *self, const struct probe_segment *segment)
{
    breakdown_segment(((struct run_laws *)self)->waits, segment);
}

static void on_stream(void *self, const struct probe_stream *stream)
{
    breakdown_stream(((struct run_laws *)self)->waits, stream);
}

static void on_life(void *self, const struct breakdown_life *life)
{
    struct run_laws *laws = self;
    const char *name = laws->scenario->workloads[life->workload].name;
    const char *kind = breakdown_operation_key(life->operation);
    time_ps sum = 0, placed = 0;
    for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
        for (int part = 0; part < BREAKDOWN_PARTS; part++) {
            const time_ps ps = life->ps[phase][part];
            sum += ps;
            placed += part == BREAKDOWN_PAUSED || part == BREAKDOWN_QUEUED ? ps : 0;
            if (ps < 0 || (part == BREAKDOWN_UNTRACED && ps > 0))
                run_laws_break(laws, "%s: a %s issued at %lld has %s of %lld ps in %s", name, kind,
                               (long long)life->issued_at,
                               breakdown_part_words((enum breakdown_part)part), (long long)ps,
                               breakdown_phase_key((enum breakdown_phase)phase));
        }
    for (uint32_t i = 0; i < life->place_count; i++)
        placed -= life->places[i].paused_ps + life->places[i].queued_ps;
    if (sum != life->completed_at - life->issued_at)
        run_laws_break(laws, "%s: a %s issued at %lld took %lld ps, its parts %lld", name, kind,
                       (long long)life->issued_at,
                       (long long)(life->completed_at - life->issued_at), (long long)sum);
    if (placed != 0)
        run_laws_break(laws, "%s: a %s issued at %lld waited %lld ps at no port", name, kind,
                       (long long)life->issued_at, (long long)placed);
}

void run_laws_breakdown_begin(struct run_laws *laws)
{
    fabric_init(&laws->fabric, laws->scenario);
    laws->waits = breakdown_new(&laws->fabric, laws->scenario->workload_count, true);
    breakdown_hear(laws->waits, on_life, laws);
    laws->probe.hop = laws->probe.ack = on_hop;
    laws->probe.work = on_work;
    laws->probe.hold = on_hold;
    laws->probe.use = on_use;
    laws->probe.message = on_message;
    laws->probe.segment = on_segment;
    laws->probe.stream = on_stream;
}

void run_laws_breakdown_fini(struct run_laws *laws)
{
    if (laws->waits == NULL)
        return;
    breakdown_free(laws->waits);
    fabric_fini(&laws->fabric);
}
