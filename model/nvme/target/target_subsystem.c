/* SPDX-License-Identifier: Apache-2.0
 * target_subsystem - subsystems: names, namespaces, ports, allowed hosts.
 * As in nvmet's configuration: subsystems have namespaces and allowed_hosts, ports have subsystems.
 * A namespace may belong to several subsystems. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>
#include <string.h>

static void copy_nqn(char to[NVME_NQN_BYTES], const char *from)
{
    CHECK(strlen(from) < NVME_NQN_BYTES);
    memcpy(to, from, strlen(from) + 1);
}

static void make_whole(struct nvme_target *target, const char *nqn)
{
    struct target_subsystem *subsystem = &target->subsystems[0];
    copy_nqn(subsystem->nqn, nqn == NULL ? NVME_SUBSYSTEM_NQN : nqn);
    subsystem->namespace_count = target->namespace_count;
    subsystem->namespaces =
        memory_zeroed(target->namespace_count, sizeof(struct target_namespace *));
    for (uint32_t i = 0; i < target->namespace_count; i++)
        subsystem->namespaces[i] = &target->namespaces[i];
}

static void make_one(struct nvme_target *target, uint32_t index,
                     const struct nvme_target_subsystem *given)
{
    struct target_subsystem *subsystem = &target->subsystems[index];
    copy_nqn(subsystem->nqn, given->nqn);
    subsystem->index = index;
    subsystem->ports = given->ports;
    subsystem->limits = nvme_target_limit_create(target, &given->limits);
    subsystem->namespace_count = given->namespace_count;
    subsystem->namespaces =
        memory_zeroed(given->namespace_count, sizeof(struct target_namespace *));
    for (uint32_t i = 0; i < given->namespace_count; i++) {
        CHECK(given->namespaces[i] < target->namespace_count);
        subsystem->namespaces[i] = &target->namespaces[given->namespaces[i]];
    }
    subsystem->host_count = given->host_count;
    subsystem->hosts = memory_zeroed(given->host_count, sizeof *subsystem->hosts);
    for (uint32_t i = 0; i < given->host_count; i++)
        copy_nqn(subsystem->hosts[i], given->hosts[i]);
}

void nvme_target_make_subsystems(struct nvme_target *target, const struct nvme_target_site *site)
{
    CHECK(site->subsystem_count <= NVME_TARGET_SUBSYSTEMS_MAX);
    target->subsystem_count = site->subsystem_count > 0 ? site->subsystem_count : 1;
    target->subsystems = memory_zeroed(target->subsystem_count, sizeof *target->subsystems);
    if (site->subsystem_count == 0)
        make_whole(target, site->nqn);
    for (uint32_t i = 0; i < site->subsystem_count; i++)
        make_one(target, i, &site->subsystems[i]);
}

void nvme_target_free_subsystems(struct nvme_target *target)
{
    for (uint32_t i = 0; i < target->subsystem_count; i++) {
        nvme_target_limit_destroy(target->subsystems[i].limits);
        free(target->subsystems[i].namespaces);
        free(target->subsystems[i].hosts);
    }
    free(target->subsystems);
}

bool nvme_target_has_port(const struct target_subsystem *subsystem, const struct target_port *port)
{
    return !port->closed && (subsystem->ports == 0 || (subsystem->ports >> port->nic & 1) != 0);
}

const struct target_subsystem *nvme_target_find_subsystem(const struct target_port *port,
                                                          const char *nqn)
{
    const struct nvme_target *target = port->target;
    for (uint32_t i = 0; i < target->subsystem_count; i++)
        if (strcmp(target->subsystems[i].nqn, nqn) == 0 &&
            nvme_target_has_port(&target->subsystems[i], port))
            return &target->subsystems[i];
    return NULL;
}

bool nvme_target_allows(const struct target_subsystem *subsystem, const char *host_nqn)
{
    for (uint32_t i = 0; i < subsystem->host_count; i++)
        if (strcmp(subsystem->hosts[i], host_nqn) == 0)
            return true;
    return subsystem->host_count == 0;
}

bool nvme_target_valid_namespace(const struct target_controller *controller, uint32_t nsid)
{
    return nsid > 0 && nsid <= nvme_target_most_namespaces(controller->target);
}

uint16_t nvme_target_no_namespace(const struct target_controller *controller, uint32_t nsid)
{
    return nvme_target_valid_namespace(controller, nsid)
               ? (uint16_t)controller->target->conduct->inactive_namespace
               : NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR;
}

struct target_namespace *nvme_target_namespace(const struct target_controller *controller,
                                               uint32_t nsid)
{
    const struct target_subsystem *subsystem = controller->subsystem;
    if (subsystem == NULL || nsid == 0 || nsid > subsystem->namespace_count)
        return NULL;
    return subsystem->namespaces[nsid - 1];
}
