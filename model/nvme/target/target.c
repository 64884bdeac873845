/* SPDX-License-Identifier: Apache-2.0
 * target - listening, controllers and namespaces.
 * Queues and controllers that have ended are freed by a timer without delay, never inside the
 * callback that ended them. */
#include "base/memory.h"
#include "nvme/media/tag_store.h"
#include "nvme/target/target_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAM(field) offsetof(struct nvme_target_params, field)
#define SPACE(field) offsetof(struct nvme_namespace_params, field)

const struct opt nvme_target_opts[] = {
    {"cores", OPT_INT, PARAM(cores), "4", "1", "1024", NULL,
     "Number of CPU cores of the target. core-scheduling selects the core for each queue.",
     "assumed: a small storage node", OPT_ACTS(TARGET_CPU, LESS, SERVICE)},
    {"core-scheduling", OPT_CHOICE, PARAM(core_scheduling), "round-robin", NULL, NULL,
     OPT_WORDS(NVME_TARGET_SCHEDULINGS),
     "Core that serves a new queue. round-robin: each core in turn; least-queues: the core with "
     "the fewest I/O queues (admin queues: each core in turn); queue-number: the lowest free "
     "queue number, modulo `cores` (admin queues: the first core).",
     "least-queues: SPDK nvmf_rdma_get_optimal_poll_group; queue-number: Linux 6.1 "
     "nvmet_rdma_alloc_queue",
     OPT_ACTS(TARGET_CPU, ANY, SERVICE)},
    {"command-cost", OPT_TIME, PARAM(command_cost), "1us", "0ps", "1s", NULL,
     "CPU time of the target for one command. A core executes one operation at a time.",
     "assumed: SPDK reports 1.4 million IOPS per core and more, the kernel fewer",
     OPT_SCALES(TARGET_CPU, MORE, COST)},
    {"lock-cost", OPT_TIME, PARAM(lock_cost), "0ns", "0ps", "1s", NULL,
     "Time for which each I/O command holds a lock that all cores share, such as the lock of a "
     "single shared receive queue. Other cores wait for the lock in order. 0: no lock.",
     "own; linux-nvme 0da3b82b: 2.2 million IOPS with one SRQ for 24 cores, with 1 KiB and with 2 "
     "KiB alike",
     OPT_SCALES(TARGET_CPU, CEILING, COST)},
    {"in-capsule", OPT_SIZE, PARAM(in_capsule), "4KiB", "0B", "16KiB", NULL,
     "Maximum size of the data in a command capsule.", "Linux 6.1 nvmet-rdma: inline_data_size",
     OPT_ACTS(LATENCY, LESS, SERVICE)},
    {"max-queues", OPT_INT, PARAM(max_queues), "128", "1", "1024", NULL,
     "Maximum number of I/O queues granted to one controller.", "Linux 6.1 nvmet: NVMET_NR_QUEUES",
     OPT_ACTS_IF(OPT_NEED_MANY_QUEUES, DEPTH, LESS, SERVICE)},
    {"queue-budget", OPT_INT, PARAM(queue_budget), "0", "0", "1048576", NULL,
     "Maximum number of I/O queues of all controllers together; 0: no limit. A new controller "
     "gets at most the queues that are left, or else Connect Controller Busy.",
     "NVMe base 1.4, 5.21.1.7: fewer may be allocated; nvmet and SPDK limit each controller alone",
     OPT_ACTS_IF(OPT_NEED_QUEUE_BUDGET, DEPTH, LIMIT, SERVICE)},
    {"max-queue-size", OPT_INT, PARAM(max_queue_size), "128", "2", "1024", NULL,
     "Maximum entries of an I/O queue (CAP.MQES + 1).",
     "Linux 6.1 nvmet-rdma: NVME_RDMA_MAX_QUEUE_SIZE",
     OPT_SCALES_IF(OPT_NEED_FULL_QUEUE, QUEUE_SIZE, LESS, SERVICE)},
    {"max-transfer", OPT_SIZE, PARAM(max_transfer), "1MiB", "8KiB", "8MiB", NULL,
     "Maximum bytes of one command (MDTS, a power of two of 4 KiB pages).",
     "Linux 6.1 nvmet-rdma: NVMET_RDMA_MAX_MDTS 8", .factor = 2, OPT_ACTS(LATENCY, LESS, SERVICE)},
    {"identity", OPT_CHOICE, PARAM(identity), "stormglass", NULL, NULL,
     OPT_WORDS(NVME_TARGET_IDENTITIES),
     "Target software whose Identify data and behavior the model imitates: stormglass (only what "
     "the standard requires), linux-nvmet (nvmet of Linux 6.1), or spdk (SPDK 22.01).",
     "drivers/nvme/target/admin-cmd.c of Linux 6.1; lib/nvmf/ctrlr.c of SPDK", OPT_INERT},
    {"data-buffers", OPT_INT, PARAM(data_buffers), "0", "0", "65536", NULL,
     "Number of data buffers of the target, shared by the commands of all queues; 0: unlimited. A "
     "command uses at most 16 buffers, which limits max-transfer to 16 x io-unit.",
     "SPDK nvmf_create_transport num-shared-buffers, 4095; Linux 6.1 nvmet allocates as needed",
     OPT_SCALES_IF(OPT_NEED_DATA_BUFFERS, BUFFERS, LIMIT, SERVICE)},
    {"io-unit", OPT_SIZE, PARAM(io_unit), "8KiB", "8KiB", "8MiB", NULL, "Size of one data buffer.",
     "SPDK nvmf_create_transport io-unit-size: 128 KiB / 16 for RDMA", .factor = 2,
     OPT_ACTS(BUFFERS, ANY, TRACE)},
    {"data-wr-pool", OPT_INT, PARAM(data_wr_pool), "0", "0", "65536", NULL,
     "Number of work requests, shared by all queues, for the second and each further RDMA READ or "
     "WRITE of a command; 0: unlimited.",
     "SPDK lib/nvmf/rdma.c: data_wr_pool, nvmf_request_alloc_wrs; nvmet uses the work requests of "
     "the queue pair",
     OPT_SCALES_IF(OPT_NEED_DATA_WRS, WRS, LIMIT, SERVICE)},
    {0},
};

const struct opt nvme_namespace_opts[] = {
    {"size", OPT_SIZE, SPACE(size), "1TiB", "1MiB", "1024TiB", NULL, "Capacity of the namespace.",
     "assumed: the order of magnitude of current drives", OPT_ACTS(MEDIA, ANY, TRACE)},
    {"lba-size", OPT_SIZE, SPACE(block_size), "512B", "512B", "4KiB", NULL,
     "Size of a logical block.", "Linux null_blk and most drives as shipped: 512", .factor = 8,
     OPT_ACTS(MEDIA, ANY, TRACE)},
    {"pi-type", OPT_INT, SPACE(pi_type), "0", "0", "3", NULL,
     "Type of the protection information (T10 DIF) of each block: 8 bytes with a guard, an "
     "application tag and a reference tag. 0: no protection information.",
     "NVM Command Set 1.0, 5.2; nvmet: param_pi_enable; nvme format --pi",
     OPT_ACTS(INTEGRITY, ANY, TRACE)},
    {"iops-limit", OPT_INT, SPACE(limits.of[NVME_LIMIT_IOPS]), "0", "0", "1000000000", NULL,
     "Maximum reads and writes per second of all hosts together; 0: no limit.",
     "SPDK bdev_set_qos_limit: rw_ios_per_sec", OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"rate-limit", OPT_RATE, SPACE(limits.of[NVME_LIMIT_RATE]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read and written by all hosts together; 0: no limit.",
     "SPDK bdev_set_qos_limit: rw_mbytes_per_sec", OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"read-limit", OPT_RATE, SPACE(limits.of[NVME_LIMIT_READ]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read by all hosts together; 0: no limit.",
     "SPDK bdev_set_qos_limit: r_mbytes_per_sec", OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"write-limit", OPT_RATE, SPACE(limits.of[NVME_LIMIT_WRITE]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data written by all hosts together; 0: no limit.",
     "SPDK bdev_set_qos_limit: w_mbytes_per_sec", OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"drives", OPT_INT, SPACE(array.drives), "1", "1", "32", NULL,
     "Number of drives of this medium that form the namespace.", "own",
     OPT_ACTS(MEDIA, LESS, SERVICE)},
    {"layout", OPT_CHOICE, SPACE(array.layout), "stripe", NULL, NULL, OPT_WORDS(ARRAY_LAYOUTS),
     "How data are placed on several drives. stripe: without redundancy; mirror: copies on "
     "several drives; parity: parity strips protect against the failure of `parity` drives. It "
     "has no effect if drives is 1.",
     "SPDK bdev_raid_create: raid0, raid1, raid5f; Linux md: raid0, raid1, raid5, raid6",
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"strip-size", OPT_SIZE, SPACE(array.strip), "64KiB", "4KiB", "4MiB", NULL,
     "Number of consecutive bytes on one drive before the data continue on the next drive.",
     "SPDK bdev_raid_create: strip_size_kb, 64 in its examples; Linux md: chunk size", .factor = 2,
     OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"copies", OPT_INT, SPACE(array.copies), "0", "0", "32", NULL,
     "Layout mirror: number of copies of each block; 0: every drive has a copy of all data. With "
     "more drives than copies, the data are striped over groups of drives.",
     "SPDK bdev_raid_create: raid1; Linux md: raid10, near 2", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"parity", OPT_INT, SPACE(array.parity), "1", "1", "8", NULL,
     "Layout parity: number of parity strips in each stripe, and of drives that may fail without "
     "loss of data.",
     "Linux md: 1 of raid5, 2 of raid6", OPT_ACTS(MEDIA, ANY, SERVICE)},
    {"rebuild-window", OPT_SIZE, SPACE(array.rebuild_window), "1MiB", "4KiB", "64MiB", NULL,
     "Number of bytes of a failed drive that are rebuilt in one step; at least one strip.",
     "SPDK bdev_raid_set_options: process_window_size_kb, 1024", OPT_ACTS(MEDIA, ANY, TRACE)},
    {"rebuild-rate", OPT_RATE, SPACE(array.rebuild_rate), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate at which a failed drive is rebuilt; 0: no limit, the rebuild uses the time "
     "that the hosts' I/O leaves.",
     "SPDK bdev_raid_set_options: process_max_bandwidth_mb_sec, 0", OPT_ACTS(MEDIA, ANY, TRACE)},
    {0},
};

#define LIMIT(name) offsetof(struct nvme_limits, of[NVME_LIMIT_##name])

const struct opt nvme_subsystem_opts[] = {
    {"iops-limit", OPT_INT, LIMIT(IOPS), "0", "0", "1000000000", NULL,
     "Maximum reads and writes per second of all hosts that connect to the subsystem; 0: no limit.",
     "own: the share of a tenant whose hosts are listed in `hosts`; like bdev_set_qos_limit of "
     "SPDK",
     OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"rate-limit", OPT_RATE, LIMIT(RATE), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read and written by the subsystem's hosts; 0: no limit.", "likewise",
     OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"read-limit", OPT_RATE, LIMIT(READ), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read by the subsystem's hosts; 0: no limit.", "likewise",
     OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {"write-limit", OPT_RATE, LIMIT(WRITE), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data written by the subsystem's hosts; 0: no limit.", "likewise",
     OPT_SCALES(LIMIT, LIMIT, SERVICE)},
    {0},
};

/* ---- controllers ---- */

struct target_controller *nvme_target_find(const struct nvme_target *target, uint16_t cntlid)
{
    struct target_controller *controller = target->controllers;
    while (controller != NULL && controller->cntlid != cntlid)
        controller = controller->next;
    return controller;
}

/* Base 2.0, 3.9: the timer is active while CC.EN and CSTS.RDY are 1 and no shutdown is in
 * progress. */
static bool keeps_time(const struct target_controller *controller)
{
    const bool ready =
        (controller->cc & NVME_CC_ENABLE) != 0 && (controller->csts & NVME_CSTS_READY) != 0;
    const bool stopping =
        (controller->cc & NVME_CC_SHN_MASK) != 0 || (controller->csts & NVME_CSTS_SHST_MASK) != 0;
    return (ready && !stopping) || controller->target->conduct->keep_alive_always != 0;
}

void nvme_target_keep_alive(struct target_controller *controller, uint32_t milliseconds)
{
    const struct env *env = controller->target->site.env;
    const time_ps unit = (time_ps)controller->target->conduct->keep_alive_unit * PS_PER_S;
    const time_ps asked = (time_ps)milliseconds * PS_PER_MS;
    controller->keep_alive = (asked + unit - 1) / unit * unit;
    env_timer_set(env, &controller->keep_alive_timer,
                  milliseconds == 0 ? TIME_NEVER : env_now(env) + controller->keep_alive);
}

static void keep_alive_due(void *self, const void *what)
{
    struct target_controller *controller = self;
    (void)what;
    if (controller->ended)
        return;
    if (nvme_stall_holds(&controller->target->stall, keep_alive_due, controller, NULL, 0))
        return;
    if (!controller->seen_command && keeps_time(controller)) {
        nvme_target_fatal(controller, "keep-alive timer expired");
        return;
    }
    controller->seen_command = false;
    const struct env *env = controller->target->site.env;
    env_timer_set(env, &controller->keep_alive_timer, env_now(env) + controller->keep_alive);
}

static void on_keep_alive(void *self, time_ps now)
{
    (void)now;
    keep_alive_due(self, NULL);
}

/* The world may still have a wake-up for the timer of a controller that has ended, so its memory is
 * kept and reused with the timer unchanged. */
static struct target_controller *new_controller(struct nvme_target *target)
{
    struct target_controller *controller = target->spare;
    if (controller != NULL) {
        const struct timer timer = controller->keep_alive_timer;
        target->spare = controller->next;
        *controller = (struct target_controller){.target = target, .keep_alive_timer = timer};
        return controller;
    }
    controller = memory_new(sizeof *controller);
    controller->target = target;
    controller->keep_alive_timer =
        (struct timer){.fire = on_keep_alive, .self = controller, .due = TIME_NEVER};
    return controller;
}

/* Identifiers are allocated cyclically, like those of an IDA: a reconnecting host gets a new
 * controller. */
struct target_controller *nvme_target_add_controller(struct nvme_target *target)
{
    if (target->stats.controllers >= NVME_CNTLID_MAX)
        return NULL;
    while (target->next_cntlid == 0 || target->next_cntlid > NVME_CNTLID_MAX ||
           nvme_target_find(target, target->next_cntlid) != NULL)
        target->next_cntlid =
            (uint16_t)(target->next_cntlid >= NVME_CNTLID_MAX ? 1 : target->next_cntlid + 1);
    struct target_controller *controller = new_controller(target);
    controller->cntlid = target->next_cntlid++;
    controller->account = target->account_count;
    target->accounts = memory_grown(target->accounts, target->account_count, &target->account_room,
                                    sizeof *target->accounts);
    target->accounts[target->account_count++] =
        (struct target_account){.cntlid = controller->cntlid, .made_at = env_now(target->site.env)};
    controller->next = target->controllers;
    target->controllers = controller;
    target->stats.controllers++;
    return controller;
}

static void retire_controller(struct target_controller *controller)
{
    struct nvme_target *target = controller->target;
    struct target_controller **at = &target->controllers;
    while (*at != controller)
        at = &(*at)->next;
    *at = controller->next;
    target->stats.controllers--;
    target->granted -= controller->granted;
    env_timer_cancel(target->site.env, &controller->keep_alive_timer);
    free(controller->errors);
    controller->errors = NULL;
    controller->next = target->spare;
    target->spare = controller;
}

/* nvmet_ctrl_fatal_error: CSTS.CFS, and every queue of the controller is disconnected. */
void nvme_target_fatal(struct target_controller *controller, const char *why)
{
    struct nvme_target *target = controller->target;
    const struct env *env = target->site.env;
    if (controller->ended)
        return;
    controller->ended = true;
    controller->csts |= NVME_CSTS_FATAL;
    char text[128];
    snprintf(text, sizeof text, "NVMe target controller %u failed and closed its queues: %s",
             controller->cntlid, why);
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
    for (struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        if (queue->controller == controller)
            nvme_target_queue_close(queue);
}

/* ---- end of queues ---- */

void nvme_target_reap(struct nvme_target *target)
{
    env_timer_set(target->site.env, &target->reaper, env_now(target->site.env));
}

static void free_queue(struct target_queue *queue)
{
    struct target_controller *controller = queue->controller;
    if (queue->entries > 0)
        queue->target->stats.queues--;
    nvme_transport_expect(queue->port->transport, -queue->expected);
    nvme_target_queue_free(queue);
    if (controller == NULL)
        return;
    CHECK(controller->queues > 0);
    if (--controller->queues == 0)
        retire_controller(controller);
}

static void on_reaper(void *self, time_ps now)
{
    struct nvme_target *target = self;
    struct target_queue **at = &target->queues;
    (void)now;
    while (*at != NULL && !target->stall.on) {
        struct target_queue *queue = *at;
        if (queue->state == TARGET_QUEUE_CLOSING && queue->gone && queue->outside == 0) {
            *at = queue->next;
            nvme_target_pools_forget(queue);
            free_queue(queue);
        } else {
            at = &queue->next;
        }
    }
}

/* ---- the subsystem ---- */

static void make_media(struct target_namespace *ns, const struct nvme_target_namespace *given,
                       const struct env *env)
{
    struct array_setup array = {given->params.array, given->media, given->media_params};
    struct media_site site = {.env = env,
                              .params = given->media_params,
                              .index = ns->number - 1,
                              .bytes = ns->blocks * ns->block_bytes};
    ns->ops = given->media;
    if (given->params.array.drives > 1) {
        if (array.params.parity >= array.params.drives) /* when an experiment has changed only
                                                         * one of them */
            array.params.parity = array.params.drives - 1;
        if (array.params.copies > 0 && array.params.drives % array.params.copies != 0)
            array.params.copies = 0;
        ns->ops = &array_media;
        site.params = &array;
    }
    ns->media = ns->ops->create(&site);
}

static void make_namespaces(struct nvme_target *target, const struct nvme_target_site *site)
{
    CHECK(site->namespace_count <= TARGET_NAMESPACES_MAX);
    target->namespaces = memory_zeroed(site->namespace_count, sizeof *target->namespaces);
    for (uint32_t i = 0; i < site->namespace_count; i++) {
        const struct nvme_target_namespace *given = &site->namespaces[i];
        struct target_namespace *ns = &target->namespaces[i];
        CHECK(given->params.block_size == 512 || given->params.block_size == 4096);
        CHECK(given->ana_group <= NVME_ANA_GROUPS_MAX);
        ns->number = i + 1;
        ns->ana_group = given->ana_group == 0 ? 1 : given->ana_group;
        ns->block_bytes = (uint32_t)given->params.block_size;
        ns->blocks = (uint64_t)(given->params.size / given->params.block_size);
        make_media(ns, given, site->env);
        ns->store = given->store != NULL ? given->store : nvme_tag_store_create(ns->block_bytes);
        CHECK(ns->store->block_bytes == ns->block_bytes);
        ns->limits = nvme_target_limit_create(target, &given->params.limits);
        ns->protection =
            nvme_target_protection_create((unsigned)given->params.pi_type, ns->block_bytes);
        ns->plain = ns->protection == NULL;
        CHECK(ns->store->ops->memory == target->namespaces[0].store->ops->memory);
    }
    target->namespace_count = site->namespace_count;
    target->memory =
        site->namespace_count > 0 ? target->namespaces[0].store->ops->memory : NVME_MEMORY_BULK;
}

uint32_t nvme_target_capsule_room(const struct target_port *port)
{
    const struct nvme_transport_ops *ops = nvme_target_ops(port);
    const uint32_t room = ops->in_capsule != NULL ? ops->in_capsule(port->transport)
                                                  : (uint32_t)port->target->params.in_capsule;
    return room & ~15u;
}

static void unlisten(struct nvme_target *target, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!target->ports[i].dead)
            nvme_target_ops(&target->ports[i])->unlisten(target->ports[i].transport);
}

void nvme_target_unlisten(struct nvme_target *target)
{
    unlisten(target, target->port_count);
}

bool nvme_target_listen_at(struct target_port *port)
{
    const struct nvme_transport_listener listener = {
        .self = port, .on_request = nvme_target_queue_request, .stall = &port->target->stall};
    return port->transport->ops->listen(port->transport, &listener);
}

bool nvme_target_listen(struct nvme_target *target)
{
    for (uint32_t i = 0; i < target->port_count; i++) {
        if (target->ports[i].dead || nvme_target_listen_at(&target->ports[i]))
            continue;
        unlisten(target, i);
        return false;
    }
    return true;
}

static void make_ports(struct nvme_target *target, const struct nvme_target_site *site)
{
    target->port_count = 1 + site->further_count;
    CHECK(target->port_count <= NVME_TARGET_PORTS_MAX);
    target->ports = memory_zeroed(target->port_count, sizeof *target->ports);
    for (uint32_t i = 0; i < target->port_count; i++) {
        struct nvme_transport *transport = i == 0 ? site->transport : site->further[i - 1];
        target->ports[i] = (struct target_port){.target = target,
                                                .transport = transport,
                                                .ip = transport->ops->local_ip(transport),
                                                .index = i,
                                                .nic = i};
        for (uint32_t n = 0; n < i; n++)
            if (target->ports[n].ip == target->ports[i].ip)
                target->ports[i].nic = target->ports[n].nic;
        nvme_target_port_init(&target->ports[i]);
    }
    target->site.further = NULL;
}

struct nvme_target *nvme_target_create(const struct nvme_target_site *site)
{
    struct nvme_target *target = memory_new(sizeof *target);
    target->site = *site;
    target->params = *site->params;
    target->conduct = nvme_target_conduct_of(target->params.identity);
    target->params.max_transfer = nvme_target_carries(site->params);
    nvme_target_pools_init(target);
    target->site.params = &target->params;
    target->site.namespaces = NULL;
    target->site.subsystems = NULL;
    target->site.nqn = NULL;
    make_ports(target, site);
    target->next_cntlid = 1;
    target->ana_changes = target->discovery_changes = 1;
    target->reaper = (struct timer){.fire = on_reaper, .self = target, .due = TIME_NEVER};
    nvme_target_cores_init(target);
    make_namespaces(target, site);
    nvme_target_make_subsystems(target, site);
    if (nvme_target_listen(target))
        return target;
    nvme_target_destroy(target);
    return NULL;
}

void nvme_target_destroy(struct nvme_target *target)
{
    if (target == NULL)
        return;
    env_timer_cancel(target->site.env, &target->reaper);
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        nvme_target_limit_destroy(target->namespaces[i].limits);
        nvme_target_protection_destroy(target->namespaces[i].protection);
        target->namespaces[i].ops->destroy(target->namespaces[i].media);
        target->namespaces[i].store->ops->destroy(target->namespaces[i].store);
    }
    for (int64_t i = 0; i < target->params.cores; i++)
        nvme_server_fini(&target->cores[i]);
    nvme_server_fini(&target->lock);
    while (target->queues != NULL) {
        struct target_queue *queue = target->queues;
        target->queues = queue->next;
        free_queue(queue);
    }
    while (target->spare != NULL) {
        struct target_controller *controller = target->spare;
        target->spare = controller->next;
        free(controller);
    }
    nvme_target_free_subsystems(target);
    free(target->namespaces);
    nvme_stall_fini(&target->stall);
    for (uint32_t i = 0; i < target->port_count; i++)
        target->ports[i].transport->ops->destroy(target->ports[i].transport);
    free(target->ports);
    nvme_target_cores_fini(target);
    free(target);
}

const struct nvme_target_stats *nvme_target_stats(const struct nvme_target *target)
{
    return &target->stats;
}

void nvme_target_audit(const struct nvme_target *target)
{
    for (const struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        nvme_target_queue_audit(queue);
    nvme_target_budget_audit(target);
    nvme_target_pools_audit(target);
    for (uint32_t i = 0; i < target->namespace_count; i++)
        target->namespaces[i].ops->audit(target->namespaces[i].media);
    nvme_target_cores_audit(target);
}
