/* SPDX-License-Identifier: Apache-2.0
 * target_port - ANA states of a port; a port that is closed or crashes alone.
 * Source: drivers/nvme/target/configfs.c (a port's ana_groups and subsystems), core.c
 * (nvmet_port_send_ana_event, nvmet_port_del_ctrls), discovery.c (nvmet_port_disc_changed). While
 * the software is stalled, changes are deferred. */
#include "nvme/target/target_private.h"

#include <string.h>

void nvme_target_port_init(struct target_port *port)
{
    memset(port->ana, NVME_ANA_OPTIMIZED, sizeof port->ana);
}

uint32_t nvme_target_ports(const struct nvme_target *target)
{
    return target->port_count;
}

/* ---- ANA ---- */

struct change {
    struct nvme_target *target;
    uint32_t port, group;
    enum nvme_ana_state state;
};

static bool set_groups(struct target_port *port, uint32_t group, enum nvme_ana_state state)
{
    bool changed = false;
    for (uint32_t i = 1; i <= NVME_ANA_GROUPS_MAX; i++)
        if (group == NVME_TARGET_ALL || group == i) {
            changed |= port->ana[i] != (uint8_t)state;
            port->ana[i] = (uint8_t)state;
        }
    return changed;
}

static void notify_port(const struct target_port *port, bool discovery, unsigned bit)
{
    struct target_controller *controller = port->target->controllers;
    for (; controller != NULL; controller = controller->next)
        if (controller->port == port && controller->discovery == discovery)
            nvme_target_event_tell(controller, bit);
}

static void set_ana(void *self, const void *what)
{
    struct nvme_target *target = self;
    const struct change *change = what;
    if (nvme_stall_holds(&target->stall, set_ana, target, change, sizeof *change))
        return;
    target->ana_changes++;
    for (uint32_t i = 0; i < target->port_count; i++)
        if ((change->port == NVME_TARGET_ALL || change->port == target->ports[i].nic) &&
            set_groups(&target->ports[i], change->group, change->state))
            notify_port(&target->ports[i], false, NVME_EVENT_BIT_ANA);
}

void nvme_target_set_ana(struct nvme_target *target, uint32_t port, uint32_t group,
                         enum nvme_ana_state state)
{
    const struct change change = {.port = port, .group = group, .state = state};
    set_ana(target, &change);
}

enum nvme_ana_state nvme_target_ana(const struct nvme_target *target, uint32_t port, uint32_t group)
{
    CHECK(port < target->port_count && group > 0 && group <= NVME_ANA_GROUPS_MAX);
    return (enum nvme_ana_state)target->ports[port].ana[group];
}

/* ---- a port without subsystems ---- */

struct closing {
    uint32_t port;
    bool closed;
};

static void end_controllers(const struct target_port *port)
{
    struct target_controller *controller = port->target->controllers;
    for (; controller != NULL; controller = controller->next)
        if (controller->port == port && !controller->discovery)
            nvme_target_fatal(controller, "its port no longer has a subsystem");
}

static void close_port(void *self, const void *what)
{
    struct nvme_target *target = self;
    const struct closing *closing = what;
    struct target_port *port = &target->ports[closing->port];
    if (nvme_stall_holds(&target->stall, close_port, target, closing, sizeof *closing) ||
        port->closed == closing->closed)
        return;
    port->closed = closing->closed;
    target->discovery_changes++;
    if (closing->closed)
        end_controllers(port);
    for (uint32_t i = 0; i < target->port_count; i++) /* the referrals at other ports change too */
        notify_port(&target->ports[i], true, NVME_EVENT_BIT_DISCOVERY);
}

void nvme_target_close_port(struct nvme_target *target, uint32_t port, bool closed)
{
    CHECK(port < target->port_count);
    for (uint32_t i = 0; i < target->port_count; i++)
        if (target->ports[i].nic == port)
            close_port(target, &(struct closing){i, closed});
}

/* ---- crash of a single port ---- */

static void note(const struct nvme_target *target, const char *text)
{
    const struct env *env = target->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

static void kill_port(struct nvme_target *target, struct target_port *port)
{
    if (!target->dead)
        nvme_target_ops(port)->unlisten(port->transport);
    port->dead = true;
    for (struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        if (queue->port == port)
            nvme_target_queue_vanish(queue);
    struct target_controller *controller = target->controllers;
    for (; controller != NULL; controller = controller->next)
        if (controller->port == port) {
            controller->ended = true;
            env_timer_cancel(target->site.env, &controller->keep_alive_timer);
        }
}

void nvme_target_kill_port(struct nvme_target *target, uint32_t index)
{
    CHECK(index < target->port_count);
    if (target->ports[index].dead)
        return;
    note(target, "NVMe target: the controller of a port crashed");
    for (uint32_t i = index; i < target->port_count; i++)
        if (target->ports[i].nic == index)
            kill_port(target, &target->ports[i]);
}

bool nvme_target_revive_port(struct nvme_target *target, uint32_t index)
{
    CHECK(index < target->port_count);
    if (!target->ports[index].dead)
        return true;
    for (uint32_t i = index; i < target->port_count; i++) {
        struct target_port *port = &target->ports[i];
        if (port->nic == index)
            port->dead = !target->dead && !nvme_target_listen_at(port);
    }
    if (target->ports[index].dead)
        return false;
    note(target, "NVMe target: the controller of a port came back");
    return true;
}
