/* SPDX-License-Identifier: Apache-2.0
 * run_laws_nvme - commands of NVMe over Fabrics, from what hosts and targets tell of them.
 *   - the moments of a command at its target are in order; its data come no faster than light
 *   - an I/O that succeeded as one command was carried out once, by the target that it was for,
 *     between the capsule and the response that its host knows of
 *   - bytes that hosts got are bytes that targets gave: exactly, unless something was lost
 *   - a command that ended with DNR is its I/O's end
 *   - a host of several paths that was refused for an ANA state knows of it: no more commands are
 *     refused in a row than it can have had under way, for each change of a state
 *   - the invariants of hosts and targets hold whenever one looks, and a host that is live knows
 *     its target as the scenario describes it */
#include "tests/laws/run/run_laws_private.h"

#include "base/hash.h"
#include "base/memory.h"
#include "nvme/wire/spec.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"

#include <stdlib.h>
#include <string.h>

enum { COMMANDS = 1 << 16 };

/* The last command of an identifier. */
struct command {
    uint64_t key; /* 0: none yet */
    time_ps capsule_at, response_at;
    uint64_t losses;  /* of controllers, until then */
    uint32_t host;    /* its node */
    uint32_t refused; /* qid 0, the controller: of its commands in a row for an ANA state */
    uint16_t status;
    bool final; /* it ended with DNR, at a controller that its host had */
    bool told;  /* its host has told of it */
};

struct run_laws_nvme {
    struct command *commands; /* by a hash of the key */
    uint32_t known;
    uint64_t read, written, flushes, failed; /* as hosts say */
};

struct run_laws_nvme *run_laws_nvme_new(void)
{
    struct run_laws_nvme *nvme = memory_zeroed(1, sizeof *nvme);
    nvme->commands = memory_zeroed(COMMANDS, sizeof *nvme->commands);
    return nvme;
}

void run_laws_nvme_free(struct run_laws_nvme *nvme)
{
    free(nvme->commands);
    free(nvme);
}

/* Where the command is or would be; NULL: there are more than are watched. */
static struct command *command_at(struct run_laws_nvme *nvme, uint32_t target, uint16_t controller,
                                  uint16_t qid, uint16_t cid)
{
    const uint64_t key =
        ((uint64_t)(target + 1) << 48 | (uint64_t)controller << 32 | (uint32_t)qid << 16 | cid);
    uint64_t at = hash_mix(key) % COMMANDS;
    while (nvme->commands[at].key != 0 && nvme->commands[at].key != key)
        at = (at + 1) % COMMANDS;
    if (nvme->commands[at].key == key)
        return &nvme->commands[at];
    if (nvme->known >= COMMANDS / 2)
        return NULL;
    nvme->known++;
    nvme->commands[at].key = key;
    return &nvme->commands[at];
}

/* Of those that happened. */
static bool in_order(const struct probe_target_io *io)
{
    const time_ps moments[] = {io->capsule_at,     io->fetch_at,      io->fetched_at, io->media_at,
                               io->media_begun_at, io->media_done_at, io->response_at};
    time_ps before = 0;
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        if (moments[i] == 0)
            continue;
        if (moments[i] < before)
            return false;
        before = moments[i];
    }
    return io->capsule_at > 0 && io->response_at > 0 &&
           (io->fetch_at > 0) == (io->fetched_at > 0) &&
           (io->media_at > 0) == (io->media_done_at > 0);
}

static uint64_t losses(const struct run_laws *laws)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < laws->world->workload_count; w++)
        sum += laws->world->stats[w].losses;
    return sum;
}

/* A host has that controller now. */
static bool is_live(const struct run_laws *laws, const struct probe_target_io *io)
{
    for (uint32_t w = 0; w < laws->world->workload_count; w++)
        for (uint32_t i = 0; i < world_instances(laws->world, w); i++) {
            const struct nvme_host *host;
            for (uint32_t p = 0; (host = world_controller(laws->world, w, i, p)) != NULL; p++)
                if (nvme_host_live(host) && nvme_host_controller(host) == io->controller &&
                    nvme_host_target_ip(host) == io->target_ip)
                    return true;
        }
    return false;
}

/* An answer is lost with its connection; else its host gets it, and the I/O has come to its end. */
static void check_ended(struct run_laws *laws, const struct command *before)
{
    if (before->final && !before->told && !laws->terms.splits && before->losses == losses(laws))
        run_laws_break(laws, "%s: a command ended with status %03Xh and DNR, and its I/O did not",
                       laws->scenario->nodes[before->host].name, before->status & NVME_STATUS_CODE);
}

/* The most commands that an instance of a host has under way; 0: some have one path. */
static uint64_t most_under_way(const struct run_laws *laws, uint32_t host)
{
    uint64_t most = 0;
    for (uint32_t w = 0; w < laws->scenario->workload_count; w++) {
        const struct scenario_workload *workload = &laws->scenario->workloads[w];
        const uint64_t depth = (uint64_t)(run_laws_value(workload, "queue-depth") *
                                          run_laws_value(workload, "queues"));
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            if (workload->pairs[i].from != host || !workload->ops->needs_nvme_target)
                continue;
            if (workload->paths == 0)
                return 0;
            most = depth > most ? depth : most;
        }
    }
    return most;
}

/* How often a state may change: at both ends of each fault. */
static uint64_t changes_of_state(const struct run_laws *laws)
{
    uint64_t changes = 1;
    for (uint32_t i = 0; i < laws->scenario->fault_count; i++)
        changes += strcmp(laws->scenario->faults[i].ops->name, "ana-change") == 0 ? 2 : 0;
    return changes;
}

static void check_refused(struct run_laws *laws, uint32_t host, uint32_t target,
                          const struct probe_target_io *io)
{
    struct command *all = command_at(laws->nvme, target, io->controller, 0, 0);
    if (all == NULL)
        return;
    all->refused = nvme_status_is_path_error(io->status) ? all->refused + 1 : 0;
    const uint64_t most = all->refused == 0 ? 0 : most_under_way(laws, host);
    if (most > 0 && !laws->terms.splits && all->refused > most * changes_of_state(laws))
        run_laws_break(laws, "%s: goes on with a path that is refused: %u commands in a row",
                       laws->scenario->nodes[host].name, all->refused);
}

void run_laws_nvme_at_target(struct run_laws *laws, const struct probe_target_io *io)
{
    const uint32_t host = run_laws_node_of_ip(laws, io->host_ip);
    const uint32_t target = run_laws_node_of_ip(laws, io->target_ip);
    if (host == UINT32_MAX || target == UINT32_MAX) {
        run_laws_break(laws, "a command of a host or at a target that there is not");
        return;
    }
    if (!in_order(io))
        run_laws_break(laws, "%s: a command's moments are out of order",
                       laws->scenario->nodes[target].name);
    const time_ps light = run_laws_light(laws, host, target) + run_laws_light(laws, target, host);
    if (io->fetched_at - io->fetch_at < (io->fetch_at > 0 ? light : 0))
        run_laws_break(laws, "%s: data were fetched within %lld ps, and light takes %lld",
                       laws->scenario->nodes[target].name,
                       (long long)(io->fetched_at - io->fetch_at), (long long)light);
    check_refused(laws, host, target, io);
    struct command *command = command_at(laws->nvme, target, io->controller, io->qid, io->cid);
    if (command == NULL)
        return;
    check_ended(laws, command);
    command->host = host;
    command->status = io->status;
    command->final = (io->status & NVME_STATUS_DNR) != 0 && is_live(laws, io);
    command->losses = losses(laws);
    command->capsule_at = io->capsule_at;
    command->response_at = io->response_at;
    command->told = false;
}

/* No target and no host splits it. */
static bool is_one_command(const struct run_laws *laws, uint32_t bytes)
{
    for (uint32_t i = 0; i < laws->scenario->host_count; i++) {
        const struct scenario_host *host = laws->scenario->nodes[i].host;
        if (bytes > host->nvme_host->core.max_transfer ||
            bytes > host->nvme_target->core.max_transfer)
            return false;
    }
    return true;
}

static void check_pair(struct run_laws *laws, const struct probe_host_io *io)
{
    const uint32_t host = run_laws_node_of_ip(laws, io->host_ip);
    const uint32_t target = run_laws_node_of_ip(laws, io->target_ip);
    struct command *command = command_at(laws->nvme, target, io->controller, io->qid, io->cid);
    if (command == NULL)
        return;
    const char *name = laws->scenario->nodes[host].name;
    if (command->capsule_at == 0)
        run_laws_break(laws, "%s: an I/O is complete, and no target knows of it", name);
    else if (command->told)
        run_laws_break(laws, "%s: two I/Os are complete, and their target knows of one", name);
    else if (command->capsule_at < io->posted_at + run_laws_light(laws, host, target) ||
             io->response_at < command->response_at + run_laws_light(laws, target, host))
        run_laws_break(laws, "%s: an I/O was carried out at another time than its own", name);
    command->told = true;
}

static void tell_failed(struct run_laws *laws, const struct probe_host_io *io)
{
    const uint32_t target = run_laws_node_of_ip(laws, io->target_ip);
    struct command *command = command_at(laws->nvme, target, io->controller, io->qid, io->cid);
    if (command != NULL && io->status == (command->status & NVME_STATUS_CODE))
        command->told = true;
}

void run_laws_nvme_at_host(struct run_laws *laws, const struct probe_host_io *io)
{
    struct run_laws_nvme *nvme = laws->nvme;
    nvme->failed += io->status != NVME_STATUS_OK;
    if (io->completed_at < io->issued_at)
        run_laws_break(laws, "an I/O is over before it was issued");
    if (io->status != NVME_STATUS_OK) {
        tell_failed(laws, io);
        return;
    }
    nvme->read += io->opcode == NVME_READ ? io->bytes : 0;
    nvme->written += io->opcode == NVME_WRITE ? io->bytes : 0;
    nvme->flushes += io->opcode == NVME_FLUSH;
    if (is_one_command(laws, io->bytes))
        check_pair(laws, io);
}

/* What a controller says of itself, as its host has understood it. */
static void check_agreed(struct run_laws *laws, const struct nvme_host *host)
{
    const uint32_t ip = nvme_host_target_ip(host), node = run_laws_node_of_ip(laws, ip);
    const struct scenario_host *target = laws->scenario->nodes[node].host;
    const struct nvme_target_params *params = &target->nvme_target->core;
    uint32_t index = 0;
    bool same = true;
    for (uint32_t i = 0; i < target->namespace_count; i++)
        for (uint32_t n = 0; n < target->namespaces[i].count; n++, index++) {
            const struct nvme_namespace_params *space = target->namespaces[i].params;
            if (index >= nvme_host_namespaces(host))
                continue;
            const struct nvme_host_namespace *known = nvme_host_namespace(host, index);
            same = same && known->nsid == index + 1 && known->block_bytes == space->block_size &&
                   (int64_t)known->blocks == space->size / space->block_size;
        }
    if (!same || index != nvme_host_namespaces(host))
        run_laws_break(laws, "%s: a host knows other namespaces", laws->scenario->nodes[node].name);
    if (nvme_host_max_transfer(host) > params->max_transfer ||
        nvme_host_queue_size(host) > params->max_queue_size ||
        nvme_host_queues(host) > params->max_queues || nvme_host_queues(host) == 0 ||
        nvme_host_queue_size(host) < 2 || nvme_host_max_transfer(host) < NVME_PAGE_BYTES)
        run_laws_break(laws, "%s: a host asks for more than it offers",
                       laws->scenario->nodes[node].name);
}

/* The largest that both may: a power of two of pages at the target. */
static void check_largest(struct run_laws *laws, const struct nvme_host *host,
                          const struct scenario_workload *from)
{
    const uint32_t node = run_laws_node_of_ip(laws, nvme_host_target_ip(host));
    const struct nvme_carrier_target *target = laws->scenario->nodes[node].host->nvme_target;
    const struct nvme_carrier_host *own =
        laws->scenario->nodes[from->pairs[0].from].host->nvme_host;
    const int64_t size = nvme_carrier_depth(from->transport, own, target).commands + 1;
    const int64_t carries = nvme_target_carries(&target->core);
    const int64_t most = own->core.max_transfer < carries ? own->core.max_transfer : carries;
    if (nvme_host_queue_size(host) != size || nvme_host_max_transfer(host) != most)
        run_laws_break(laws, "%s: a host could have larger queues or transfers",
                       laws->scenario->nodes[node].name);
}

static void look_at_host(struct run_laws *laws, uint32_t workload, const struct nvme_host *host)
{
    nvme_host_audit(host);
    if (!nvme_host_live(host))
        return;
    check_agreed(laws, host);
    const struct scenario_workload *from = &laws->scenario->workloads[workload];
    if (from->pair_count > 0)
        check_largest(laws, host, from);
}

void run_laws_nvme_look(struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t w = 0; w < world->workload_count; w++)
        for (uint32_t i = 0; i < world_instances(world, w); i++)
            for (uint32_t p = 0; world_controller(world, w, i, p) != NULL; p++)
                look_at_host(laws, w, world_controller(world, w, i, p));
    for (uint32_t i = 0; i < world->host_count; i++)
        if (world->targets[i] != NULL)
            nvme_target_audit(world->targets[i]);
}

/* Commands that were lost on the way are carried out twice, or by half; what is under way or was
 * read before any I/O is in the target's account alone. */
static bool accounts_agree(const struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t w = 0; w < world->workload_count; w++) {
        const struct workload_stats *stats = &world->stats[w];
        if (stats->losses > 0 || stats->failed > 0 || world_outstanding(world, w) > 0)
            return false;
    }
    for (uint32_t i = 0; i < laws->scenario->host_count; i++)
        if (laws->scenario->nodes[i].host->nvme_host->core.partition_scan)
            return false;
    return laws->nvme->failed == 0;
}

/* Of those whose identifier did not come again. */
static void judge_ended(struct run_laws *laws)
{
    for (uint32_t w = 0; w < laws->world->workload_count; w++)
        if (world_outstanding(laws->world, w) > 0)
            return;
    for (uint32_t i = 0; i < COMMANDS; i++)
        check_ended(laws, &laws->nvme->commands[i]);
}

void run_laws_nvme_judge(struct run_laws *laws)
{
    judge_ended(laws);
    const struct run_laws_nvme *nvme = laws->nvme;
    struct nvme_target_stats sum = {0};
    for (uint32_t i = 0; i < laws->world->host_count; i++) {
        if (laws->world->targets[i] == NULL)
            continue;
        const struct nvme_target_stats *stats = nvme_target_stats(laws->world->targets[i]);
        sum.bytes_read += stats->bytes_read;
        sum.bytes_written += stats->bytes_written;
        sum.flushes += stats->flushes;
    }
    const bool agree = sum.bytes_read == nvme->read && sum.bytes_written == nvme->written &&
                       sum.flushes == nvme->flushes;
    if (sum.bytes_read < nvme->read || sum.bytes_written < nvme->written ||
        (!agree && accounts_agree(laws)))
        run_laws_break(
            laws, "hosts read %llu B and wrote %llu B, and targets gave %llu B and took %llu B",
            (unsigned long long)nvme->read, (unsigned long long)nvme->written,
            (unsigned long long)sum.bytes_read, (unsigned long long)sum.bytes_written);
}
