/* SPDX-License-Identifier: Apache-2.0
 * run_laws_close - the orderly end of controllers.
 *   - a controller that is shut down is closed or has failed; its target has no queue of it, unless
 *     hosts have discovery controllers, which nobody shuts down here
 * A controller sends keep-alives as long as it lives, so frames may be on their way whenever one
 * looks: only when all are shut down is nothing left of a run. */
#include "tests/laws/run/run_laws_private.h"

#include "nvme/host/host_private.h"

/* Each is half as long again as the one before: 8 ms, 200 ms, 15 minutes. */
enum { SHUTDOWN_ROUND = 4, CLOSED_ROUNDS = 8, ROUNDS = 32 };

/* Workloads have their controllers for themselves, and look at them alone. */
static struct nvme_host *controller_of(const struct run_laws *laws, uint32_t workload,
                                       uint32_t instance, uint32_t path)
{
    return (struct nvme_host *)(uintptr_t)world_controller(laws->world, workload, instance, path);
}

/* Of workloads that have nothing under way. */
static void shut_down(const struct run_laws *laws)
{
    for (uint32_t w = 0; w < laws->world->workload_count; w++) {
        const bool idle = world_outstanding(laws->world, w) == 0;
        for (uint32_t i = 0; idle && i < world_instances(laws->world, w); i++) {
            struct nvme_host *host;
            for (uint32_t p = 0; (host = controller_of(laws, w, i, p)) != NULL; p++)
                nvme_host_shutdown(host);
        }
    }
}

/* The first that is not closed, or NULL. */
static const struct nvme_host *open_one(const struct run_laws *laws)
{
    for (uint32_t w = 0; w < laws->world->workload_count; w++)
        for (uint32_t i = 0; i < world_instances(laws->world, w); i++) {
            const struct nvme_host *host;
            for (uint32_t p = 0; (host = controller_of(laws, w, i, p)) != NULL; p++)
                if (!nvme_host_over(host))
                    return host;
        }
    return NULL;
}

/* A Fibre Channel target whose answer to Create Association was lost keeps the association until
 * the host logs out: nvmet_fc has no timer for it (Linux drivers/nvme/target/fc.c). */
static uint32_t queues_to_end(const struct run_laws *laws, uint32_t host,
                              const struct nvme_target_stats *stats)
{
    const bool may_stay = laws->scenario->nodes[host].link == SCENARIO_FIBRE_CHANNEL;
    return may_stay && stats->controllers == 0 ? 0 : stats->queues;
}

/* A target that has controllers or queues, or NULL. */
static const struct nvme_target_stats *left_behind(const struct run_laws *laws, uint32_t *host)
{
    for (*host = 0; *host < laws->world->host_count; ++*host) {
        const struct nvme_target *target = laws->world->targets[*host];
        const struct nvme_target_stats *stats = target == NULL ? NULL : nvme_target_stats(target);
        if (stats != NULL && stats->controllers + queues_to_end(laws, *host, stats) > 0)
            return stats;
    }
    return NULL;
}

bool run_laws_is_closed(const struct run_laws *laws)
{
    return laws->closing && open_one(laws) == NULL;
}

/* One that waits for an answer to its set-up does so for as long as its target asked (CAP.TO): some
 * seconds in which nothing happens.  What it says then has its time. */
void run_laws_close(struct run_laws *laws, struct world *world, uint64_t events)
{
    time_ps span = PS_PER_MS;
    uint32_t closed = 0, host;
    for (int i = 1; i <= ROUNDS; i++) {
        if (engine_events(&world->engine) > events)
            return;
        engine_run(&world->engine, world->engine.now + span);
        if (i >= SHUTDOWN_ROUND) {
            laws->closing = true;
            shut_down(laws);
        }
        closed += i > SHUTDOWN_ROUND && run_laws_is_closed(laws);
        /* A target whose host's farewell was lost hears of it from its timers alone. */
        if (closed > 0 && (laws->terms.discovers || left_behind(laws, &host) == NULL) &&
            (world->executors[0].frames.frames.taken == 0 || closed >= CLOSED_ROUNDS))
            return;
        span += span / 2;
    }
}

void run_laws_close_judge(struct run_laws *laws)
{
    char text[160];
    const struct nvme_host *open = open_one(laws);
    if (open != NULL) {
        nvme_host_describe(open, text, sizeof text);
        run_laws_break(laws, "everything is alive, and a controller does not close (%s)", text);
    }
    uint32_t host;
    const struct nvme_target_stats *left =
        open == NULL && !laws->terms.discovers ? left_behind(laws, &host) : NULL;
    if (left != NULL)
        run_laws_break(laws, "%s: all is closed, and it has %u controllers and %u queues",
                       laws->world->hosts[host]->node.name, left->controllers, left->queues);
}
