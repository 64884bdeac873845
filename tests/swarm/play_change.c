/* SPDX-License-Identifier: Apache-2.0 */
#include "play_change.h"

#include "draw.h"
#include "draw_value.h"

#include "replay/run/run.h"
#include "scenarios/workload/workload.h"
#include "scenarios/world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SET_BYTES = 256, FEW_SETS = 4 };

static bool run_text(const char *text, const char *const *sets, uint32_t set_count,
                     struct scenario **scenario, struct run *run, struct diag *diag)
{
    const struct run_options how = {.unread = true, .until = TIME_NEVER};
    memset(diag, 0, sizeof *diag);
    *scenario = draw_load(text, sets, set_count, diag);
    if (*scenario == NULL)
        return false;
    if (run_scenario(run, *scenario, &how, diag) == RUN_DONE)
        return true;
    run_close(run);
    scenario_free(*scenario);
    return false;
}

static void expect_same(const char *text, const char *const *sets, uint32_t set_count,
                        const struct digest *digest, const char *what, struct play_outcome *outcome)
{
    static struct diag diag;
    struct scenario *scenario;
    struct run run;
    if (!run_text(text, sets, set_count, &scenario, &run, &diag)) {
        play_break(outcome, "changed: %s: it is refused: %.200s", what, diag.messages[0].text);
        return;
    }
    if (memcmp(&run.result.digest, digest, sizeof *digest) != 0) {
        char all[PLAY_TEXT] = "";
        for (uint32_t i = 0; i < set_count; i++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.100s", i > 0 ? ", " : "",
                     sets[i]);
        play_break(outcome, "changed: %s: another digest: %.400s", what, all);
    }
    run_close(&run);
    scenario_free(scenario);
}

/* ------------------------------------------------------------------ nothing */

/* Values that nobody wrote, as they are; not of lists, which paths do not lead into. */
static void write_defaults(const struct scenario *scenario, const char *text, struct rng *rng,
                           const struct digest *digest, struct play_outcome *outcome)
{
    char values[FEW_SETS][SET_BYTES];
    const char *sets[FEW_SETS];
    uint32_t count = 0;
    for (int tries = 0; tries < 20 && count < FEW_SETS; tries++) {
        const struct scenario_setting *setting =
            &scenario->settings[rng_below(rng, scenario->setting_count)];
        char value[128];
        if (setting->where.file != NULL || setting->profile != NULL ||
            strchr(setting->path, '[') != NULL || strchr(setting->path, '/') != NULL ||
            strstr(setting->path, "congestion") != NULL ||
            strstr(setting->path, "fabric-links") != NULL)
            continue;
        opt_format(setting->row, setting->value, value, sizeof value);
        snprintf(values[count], SET_BYTES, "%s=%s", setting->path, value);
        sets[count] = values[count];
        count++;
    }
    if (count > 0)
        expect_same(text, sets, count, digest, "a default is written", outcome);
}

static void rename_workloads(const char *text, const struct digest *digest,
                             struct play_outcome *outcome)
{
    static char other[SCRIPT_BYTES * 2];
    size_t used = 0;
    if (strstr(text, "permutation") != NULL)
        return; /* which is drawn by the workload's name */
    for (const char *at = text; *at != '\0';) {
        const size_t skip = strncmp(at, "- name: w", 9) == 0 ? 9 : 0;
        used += (size_t)snprintf(other + used, sizeof other - used, "%s",
                                 skip > 0 ? "- name: another-" : "");
        at += skip;
        other[used++] = *at++;
    }
    other[used] = '\0';
    expect_same(other, NULL, 0, digest, "workloads have other names", outcome);
}

static void never_fails(const struct scenario *scenario, const char *text,
                        const struct digest *digest, struct play_outcome *outcome)
{
    static char other[SCRIPT_BYTES * 2];
    const bool has_faults = strstr(text, "\nfaults:\n") != NULL;
    snprintf(other, sizeof other, "%s%s  - {kind: link-down, where: \"%s\", at: 999s}\n", text,
             has_faults ? "" : "faults:\n", scenario->links[0].name);
    expect_same(other, NULL, 0, digest, "a fault never comes", outcome);
}

/* ------------------------------------------------------------------ an idle host */

/* What must be the same, or in proportion. */
struct plain {
    struct workload_stats stats[8];
    uint32_t count;
    uint64_t pauses, drops, marks;
};

static void on_pause(void *self, const struct probe_pause *edge)
{
    struct plain *plain = self;
    plain->pauses += !edge->refresh;
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct plain *plain = self;
    (void)drop;
    plain->drops++;
}

static bool play_plain(const char *text, const char *const *sets, uint32_t set_count,
                       struct plain *plain)
{
    static struct diag diag;
    struct probe probe = probe_none;
    memset(&diag, 0, sizeof diag);
    memset(plain, 0, sizeof *plain);
    probe.self = plain;
    probe.pause = on_pause;
    probe.drop = on_drop;
    struct scenario *scenario = draw_load(text, sets, set_count, &diag);
    struct world *world = scenario == NULL ? NULL : world_build(scenario, &probe, &diag);
    if (world != NULL) {
        world->engine.hostile = false;
        world_run(world, TIME_NEVER);
        plain->count = world->workload_count < 8 ? world->workload_count : 8;
        memcpy(plain->stats, world->stats, plain->count * sizeof plain->stats[0]);
        for (uint32_t i = 0; i < world->switch_count; i++)
            plain->marks += world->switches[i]->counters.ecn_marked;
    }
    world_free(world);
    scenario_free(scenario);
    return world != NULL;
}

static void compare_plain(const struct plain *a, const struct plain *b, int64_t times,
                          const char *what, struct play_outcome *outcome)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct workload_stats *one = &a->stats[i], *other = &b->stats[i];
        if (one->issued != other->issued || one->completed != other->completed ||
            one->failed != other->failed || one->bytes != other->bytes ||
            one->latency.sum != other->latency.sum * (unsigned __int128)times ||
            one->latency.max != other->latency.max * times)
            play_break(outcome,
                       "changed: %s: %s: %" PRIu64 " issued, max %" PRId64 " ps; %" PRIu64
                       ", %" PRId64 " ps",
                       what, one->name, one->issued, one->latency.max, other->issued,
                       other->latency.max);
    }
    if (a->pauses != b->pauses || a->drops != b->drops || a->marks != b->marks)
        play_break(outcome, "changed: %s: other pauses, drops or marks", what);
}

/* With memory set aside for more ports than there are.  Second NICs are at the ports behind all
 * first ones, whose numbers would be others. */
static void add_host(const struct scenario *scenario, const char *text,
                     struct play_outcome *outcome)
{
    static struct plain one, other;
    char hosts[64];
    const char *few[] = {hosts, "fabric.switch.ports=32"};
    if (strstr(text, "kind: single-switch") == NULL || strstr(text, "host*") != NULL ||
        strstr(text, "  overrides:") != NULL || strstr(text, "profile:") != NULL ||
        strstr(text, "    nics:") != NULL)
        return;
    snprintf(hosts, sizeof hosts, "fabric.topology.hosts=%u", scenario->host_count);
    if (!play_plain(text, few, 2, &one))
        return;
    snprintf(hosts, sizeof hosts, "fabric.topology.hosts=%u", scenario->host_count + 1);
    if (play_plain(text, few, 2, &other))
        compare_plain(&one, &other, 1, "an idle host more", outcome);
}

/* ------------------------------------------------------------------ in proportion */

/* Everything that has a time in it is written, so that it can be halved. */
static void write_scaled(struct rng *rng, unsigned by, char *text, size_t size)
{
    static const unsigned rates[] = {25, 50, 100};
    static const char *const kinds[] = {"rdma-write", "rdma-send", "rdma-read"};
    const unsigned host = rates[rng_below(rng, 3)], link = rates[rng_below(rng, 3)];
    const unsigned hosts = draw_between(rng, 1, 3), step = 20 * draw_between(rng, 1, 50);
    const unsigned hop = 20 * draw_between(rng, 1, 50);
    const unsigned seed = draw_between(rng, 0, 100000);
    const unsigned xoff = draw_between(rng, 10, 60), mtu = 256u << rng_below(rng, 5);
    const unsigned depth = draw_between(rng, 1, 5), bytes = draw_between(rng, 1, 60000);
    snprintf(
        text, size,
        "stormglass: 1\nname: scaled\nseed: %u\nduration: %uns\ndrain: %uns\nfabric:\n"
        "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: %u}\n"
        "  host-links: {rate: %uGbps, delay: %uns, pfc-response: %uns, mtu: 9000B}\n"
        "  fabric-links: {rate: %uGbps, delay: %uns, pfc-response: %uns, mtu: 9000B}\n"
        "  switch: {buffer: 8MB, policy: static, xoff: %uKB, headroom: 200KB, latency: %uns,\n"
        "           ecn-kmin: 5KB, ecn-kmax: 80KB}\n"
        "hosts:\n  defaults:\n    rnic: {profile: ideal, congestion-control: none, tx-delay: %uns, "
        "rx-delay: %uns, read-delay: %uns,\n           rx-xoff: 200000B, path-mtu: %uB, "
        "timeout: 0, cm-timeout: %uus}\n"
        "workloads:\n"
        "  - {name: a, kind: %s, from: \"host1..host%u\", to: host0, message-size: %uB, "
        "outstanding: %u, receives: 0}\n"
        "  - {name: b, kind: %s, from: \"host0..host%u\", to: host%u, message-size: 4096B, "
        "outstanding: %u}\n",
        seed, 200000 / by, 20000000 / by, hosts, host * by, step / by, 400 / by, link * by,
        hop / by, 400 / by, xoff, 300 / by, 300 / by, 300 / by, 300 / by, mtu, 4000 / by,
        kinds[rng_below(rng, 3)], 2 * hosts - 1, bytes, depth, kinds[rng_below(rng, 3)],
        2 * hosts - 2, 2 * hosts - 1, depth);
}

static void scale(uint64_t seed, struct play_outcome *outcome)
{
    static struct plain one, other;
    char text[4096], half[4096];
    struct rng rng = rng_stream(seed, "swarm", "scaled"), again = rng;
    write_scaled(&rng, 1, text, sizeof text);
    write_scaled(&again, 2, half, sizeof half);
    if (!play_plain(text, NULL, 0, &one) || !play_plain(half, NULL, 0, &other))
        play_break(outcome, "changed: scaled: it is refused");
    else
        compare_plain(&one, &other, 2, "all rates twice, all times half", outcome);
}

void play_change(const struct scenario *scenario, const char *text, uint64_t seed,
                 const struct digest *digest, struct play_outcome *outcome)
{
    struct rng rng = rng_stream(seed, "swarm", "change");
    switch (rng_below(&rng, 5)) {
    case 0:
        write_defaults(scenario, text, &rng, digest, outcome);
        break;
    case 1:
        rename_workloads(text, digest, outcome);
        break;
    case 2:
        never_fails(scenario, text, digest, outcome);
        break;
    case 3:
        scale(seed, outcome);
        break;
    default:
        add_host(scenario, text, outcome);
        break;
    }
}
