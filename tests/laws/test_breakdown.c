/* SPDX-License-Identifier: Apache-2.0
 * The account of time: whatever is played, the parts of each command and each message sum to its
 * latency to the picosecond, none is negative, and none of it is unknown.  Every picosecond that a
 * core worked belongs to one connection, and the account of time has the same work. */
#include "nvme/host/host.h"
#include "replay/record/observe.h"
#include "replay/run/fabric.h"
#include "rnic/pipeline/cq.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"
#include "tcp/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct tally {
    const char *name;
    uint64_t lives, untraced;
};

static void on_life(void *self, const struct breakdown_life *life)
{
    struct tally *tally = self;
    time_ps sum = 0, places = 0;
    for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
        for (int part = 0; part < BREAKDOWN_PARTS; part++) {
            if (life->ps[phase][part] < 0)
                fail_msg("%s: %s of %s is %lld", tally->name,
                         breakdown_part_key((enum breakdown_part)part),
                         breakdown_phase_key((enum breakdown_phase)phase),
                         (long long)life->ps[phase][part]);
            sum += life->ps[phase][part];
            tally->untraced += part == BREAKDOWN_UNTRACED && life->ps[phase][part] > 0;
            places +=
                part == BREAKDOWN_PAUSED || part == BREAKDOWN_QUEUED ? -life->ps[phase][part] : 0;
        }
    for (uint32_t i = 0; i < life->place_count; i++)
        places += life->places[i].paused_ps + life->places[i].queued_ps;
    if (sum != life->completed_at - life->issued_at)
        fail_msg("%s: parts are %lld, the latency is %lld", tally->name, (long long)sum,
                 (long long)(life->completed_at - life->issued_at));
    if (places != 0)
        fail_msg("%s: places differ from parts by %lld", tally->name, (long long)places);
    tally->lives++;
}

static void print(const struct breakdown *waits, uint32_t workloads)
{
    for (uint32_t i = 0; i < workloads * BREAKDOWN_OPERATIONS; i++) {
        const struct breakdown_sum *sum = breakdown_of(
            waits, i / BREAKDOWN_OPERATIONS, (enum breakdown_operation)(i % BREAKDOWN_OPERATIONS));
        if (sum == NULL)
            continue;
        print_message("  %s: %llu, %.3f us\n",
                      breakdown_operation_key((enum breakdown_operation)(i % BREAKDOWN_OPERATIONS)),
                      (unsigned long long)sum->count,
                      (double)sum->latency_ps / (double)sum->count / 1e6);
        for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
            for (int part = 0; part < BREAKDOWN_PARTS; part++)
                if (sum->ps[phase][part] != 0)
                    print_message("    %-12s %-20s %12.3f us\n",
                                  breakdown_phase_key((enum breakdown_phase)phase),
                                  breakdown_part_words((enum breakdown_part)part),
                                  (double)sum->ps[phase][part] / (double)sum->count / 1e6);
    }
}

static struct tally play(struct scenario *scenario, time_ps until)
{
    static struct diag diag;
    struct tally tally = {.name = scenario->name};
    struct explain_fabric fabric;
    struct observe observe;
    fabric_init(&fabric, scenario);
    observe_init(&observe, &fabric, scenario->workload_count,
                 &(struct observe_wishes){.waits = true, .acks = true});
    breakdown_hear(observe.waits, on_life, &tally);
    struct world *world = world_build(scenario, &observe.probe, &diag);
    assert_non_null(world);
    while (world->engine.now < until && world_run(world, world->engine.now + PS_PER_MS))
        ;
    observe_finish(&observe, world->engine.now);
    if (getenv("VERBOSE") != NULL)
        print(observe.waits, scenario->workload_count);
    world_free(world);
    observe_fini(&observe);
    fabric_fini(&fabric);
    return tally;
}

static struct tally play_file(const char *path, time_ps until)
{
    static struct diag diag;
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load_file(path, NULL, 0, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    const struct tally tally = play(scenario, until);
    scenario_free(scenario);
    return tally;
}

static void the_parts_of_every_life_sum_to_its_latency(void **state)
{
    static const char *const files[] = {
        "scenarios/cases/first-io.yaml",
        "scenarios/cases/pause-storm.yaml",
        "scenarios/cases/incast-8to1.yaml",
        "scenarios/cases/dcqcn-2to1.yaml",
        "scenarios/cases/target-crash.yaml",
        "scenarios/cases/oltp-fio.yaml",
        "tests/validation/tc4-storage.yaml",
        "tests/validation/v10-livelock.yaml",
        "scenarios/cases/replayed-trace.yaml",
        "scenarios/cases/rdma-or-tcp.yaml",
        "tests/validation/nvme-tcp-by-hand.yaml",
        "tests/laws/nvme-tcp-loss.yaml",
        "tests/laws/iscsi-loss.yaml",
        "tests/laws/iscsi-connections.yaml",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct tally tally = play_file(files[i], 20 * PS_PER_MS);
        print_message("%s: %llu lives, %llu untraced\n", files[i], (unsigned long long)tally.lives,
                      (unsigned long long)tally.untraced);
        assert_true(tally.lives > 0);
        assert_int_equal(tally.untraced, 0);
    }
}

/* ---- the work of cores ---- */

enum { WORKLOADS_MAX = 8, SETS_MAX = 6 };

struct played {
    struct scenario *scenario;
    struct explain_fabric fabric;
    struct observe observe;
    struct world *world;
    struct world_cpu_use uses[WORKLOADS_MAX];
    time_ps cores, admin; /* work of all cores; for admin queues */
};

static void add_station(void *self, const struct nvme_station *station)
{
    struct played *played = self;
    if (strcmp(station->name, "cores") == 0)
        played->cores += nvme_server_busy(&station->servers[0], played->world->engine.now);
}

static void add_admin(void *self, uint16_t cntlid, time_ps made_at, struct nvme_cpu cpu)
{
    (void)cntlid, (void)made_at;
    ((struct played *)self)->admin += cpu.admin;
}

static void add_hosts(struct played *played)
{
    const struct world *world = played->world;
    const time_ps now = world->engine.now;
    const struct nvme_host *host;
    for (uint32_t w = 0; w < world->workload_count; w++)
        for (uint32_t i = 0; i < world_instances(world, w); i++)
            for (uint32_t p = 0; (host = world_controller(world, w, i, p)) != NULL; p++) {
                played->cores += nvme_host_busy(host, now);
                played->admin += nvme_host_cpu(host, now).admin;
            }
}

static void add_node(struct played *played, uint32_t node)
{
    const struct world *world = played->world;
    const struct host *host = world_host(world, node);
    struct nvme_target *target = world->targets[world->scenario->nodes[node].index];
    for (uint32_t r = 0; r < host->rnic_count; r++) {
        const struct rnic *rnic = host->rnics[r];
        if (rnic->tcp != NULL)
            played->cores += tcp_busy(rnic->tcp);
        if (rnic->cqs != NULL)
            played->cores += (time_ps)rnic->cqs->interrupts * rnic->params.pipeline.interrupt;
    }
    if (target == NULL)
        return;
    nvme_target_stations(target, add_station, played);
    nvme_target_cpu(target, add_admin, played);
}

static struct played *play_case(const char *path, const char *const *sets, uint32_t set_count)
{
    static struct played played;
    static struct diag diag;
    diag = (struct diag){0};
    played = (struct played){.scenario = scenario_load_file(path, sets, set_count, &diag)};
    if (played.scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    assert_true(played.scenario->workload_count <= WORKLOADS_MAX);
    fabric_init(&played.fabric, played.scenario);
    observe_init(&played.observe, &played.fabric, played.scenario->workload_count,
                 &(struct observe_wishes){.waits = true});
    played.world = world_build(played.scenario, &played.observe.probe, &diag);
    assert_non_null(played.world);
    while (world_run(played.world, played.world->engine.now + PS_PER_MS))
        ;
    observe_finish(&played.observe, played.world->engine.now);
    world_cpu_uses(played.world, played.world->engine.now, played.uses);
    add_hosts(&played);
    for (uint32_t i = 0; i < played.scenario->host_count; i++)
        add_node(&played, i);
    return &played;
}

static void end_case(struct played *played)
{
    world_free(played->world);
    observe_fini(&played->observe);
    fabric_fini(&played->fabric);
    scenario_free(played->scenario);
}

static __int128 part_of(const struct played *played, uint32_t workload, enum breakdown_part part,
                        uint64_t *count)
{
    __int128 sum = 0;
    *count = 0;
    for (int i = 0; i < BREAKDOWN_NVME_OPERATIONS; i++) {
        const struct breakdown_sum *of =
            breakdown_of(played->observe.waits, workload, (enum breakdown_operation)i);
        for (int phase = 0; of != NULL && phase < BREAKDOWN_PHASES; phase++)
            sum += of->ps[phase][part];
        *count += of == NULL ? 0 : of->count;
    }
    return sum;
}

static const char case_file[] = "scenarios/cases/rdma-or-tcp.yaml";

static const struct {
    const char *name;
    const char *sets[SETS_MAX];
} variants[] = {
    {"as it is", {NULL}},
    {"two cores for TCP", {"hosts.defaults.tcp.cores=2"}},
    {"interrupts",
     {"hosts.defaults.rnic.completions=interrupt", "hosts.defaults.rnic.interrupt-cost=1500ns"}},
};

static void all_work_of_cores_belongs_to_connections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        uint32_t sets = 0;
        while (sets < SETS_MAX && variants[i].sets[sets] != NULL)
            sets++;
        struct played *played = play_case(case_file, variants[i].sets, sets);
        time_ps sum = played->admin;
        for (uint32_t w = 0; w < played->scenario->workload_count; w++) {
            assert_true(played->uses[w].known);
            assert_true(played->uses[w].host > 0 && played->uses[w].target > 0);
            sum += played->uses[w].host + played->uses[w].target;
        }
        print_message("%s: cores worked %lld ps, %lld for admin queues\n", variants[i].name,
                      (long long)played->cores, (long long)played->admin);
        assert_true(played->admin > 0);
        assert_int_equal(sum, played->cores);
        end_case(played);
    }
}

/* One Connect for each I/O queue is not among the operations. Commands one at a time never wait for
 * the host's core. */
static void the_account_of_time_has_the_same_work(void **state)
{
    static const char *const sets[] = {"workloads.oltp-rdma.queue-depth=1",
                                       "workloads.backup-rdma.queue-depth=1"};
    (void)state;
    struct played *played = play_case(case_file, sets, 2);
    for (uint32_t w = 0; w < played->scenario->workload_count; w++) {
        const struct scenario_workload *about = &played->scenario->workloads[w];
        if (strcmp(about->ops->name, "nvme") != 0 || strstr(about->name, "rdma") == NULL)
            continue;
        uint64_t count;
        const __int128 target = part_of(played, w, BREAKDOWN_TARGET_CPU, &count);
        time_ps connects = 0;
        for (uint32_t i = 0; i < world_instances(played->world, w); i++)
            connects += nvme_host_queues(world_controller(played->world, w, i, 0));
        assert_true(count > 100 && target % (__int128)count == 0);
        const time_ps command = (time_ps)(target / (__int128)count);
        assert_int_equal(played->uses[w].target, (count + (uint64_t)connects) * (uint64_t)command);
        assert_int_equal(played->uses[w].host, part_of(played, w, BREAKDOWN_HOST_CPU, &count));
    }
    end_case(played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_every_life_sum_to_its_latency),
        cmocka_unit_test(all_work_of_cores_belongs_to_connections),
        cmocka_unit_test(the_account_of_time_has_the_same_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
